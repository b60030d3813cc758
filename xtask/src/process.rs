//! Starting programs: output streams through, failure is a [`Fault`] that names the command line.

use crate::fault::Fault;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the repository, whatever the current directory is.
pub fn root() -> PathBuf {
    // Cargo sets the variable at run time too, so a moved checkout is found without a rebuild.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map(Path::to_path_buf).unwrap_or(here)
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// A program that `cargo build` made, in the debug profile.
pub fn built(name: &str) -> PathBuf {
    target().join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// A command in the root of the repository, without input.
pub fn command(program: impl AsRef<OsStr>, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root()).stdin(Stdio::null());
    command
}

/// Cargo itself: the one that started xtask.
pub fn cargo(args: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = command(program, args);
    // The variables of `cargo run -p xtask` describe xtask and would mislead the build scripts of others.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|n| n.starts_with("CARGO_PKG_") || n.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}

/// What cargo knows of the workspace's own packages.
///
/// # Errors
/// As [`read`], and [`Fault::Output`] when cargo answers no JSON.
pub fn metadata() -> Result<serde_json::Value, Fault> {
    let mut command = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let text = read(&mut command)?;
    serde_json::from_str(&text).map_err(|error| Fault::Output { command: line(&command), why: error.to_string() })
}

/// npm, which is a script of its own name on Windows.
pub fn npm(args: &[&str]) -> Command {
    command(if cfg!(windows) { "npm.cmd" } else { "npm" }, args)
}

/// Runs to the end with its output shown.
///
/// # Errors
/// [`Fault::Start`] when it can't be started, [`Fault::Failed`] when it reports failure.
pub fn show(command: &mut Command) -> Result<(), Fault> {
    println!("      $ {}", line(command));
    let status = command.status().map_err(|source| Fault::Start { command: line(command), source })?;
    if status.success() { Ok(()) } else { Err(Fault::Failed { command: line(command), status }) }
}

/// Runs to the end without printing the command line: standard output belongs to the command.
///
/// # Errors
/// As [`show`].
pub fn quietly(command: &mut Command) -> Result<(), Fault> {
    eprintln!("      $ {}", line(command));
    let status = command.status().map_err(|source| Fault::Start { command: line(command), source })?;
    if status.success() { Ok(()) } else { Err(Fault::Failed { command: line(command), status }) }
}

/// Runs to the end and returns what it printed, without the line end.
///
/// # Errors
/// As [`show`].
pub fn read(command: &mut Command) -> Result<String, Fault> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|source| Fault::Start { command: line(command), source })?;
    if !output.status.success() {
        return Err(Fault::Failed { command: line(command), status: output.status });
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// Whether it can be started and reports success; its output is discarded.
pub fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The command line as a person would type it in the root of the repository.
pub fn line(command: &Command) -> String {
    let root = root();
    let program = Path::new(command.get_program());
    let program = match program.strip_prefix(&root) {
        Ok(inside) => inside.to_string_lossy(),
        Err(_) => program.file_name().unwrap_or(program.as_os_str()).to_string_lossy(),
    };
    let mut words = vec![program.into_owned()];
    for word in command.get_args() {
        let word = Path::new(word).strip_prefix(&root).map_or_else(|_| word.to_string_lossy(), |inside| inside.to_string_lossy());
        words.push(if word.contains(' ') || word.is_empty() { format!("'{word}'") } else { word.into_owned() });
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_typed_again() {
        let tool = root().join("target/tools/typos");
        assert_eq!(line(command(&tool, &["--config", "a b"]).arg(root().join("dist"))), "target/tools/typos --config 'a b' dist");
        assert_eq!(line(&command("/usr/bin/cargo", &["fmt", ""])), "cargo fmt ''");
    }
}
