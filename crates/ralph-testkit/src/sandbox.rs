//! A project for one test: folders, a git repository, a chosen environment, the built `ralph`.

use crate::running::{LIMIT, Running};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use tempfile::TempDir;

/// A temporary project with its own home; both are removed when dropped.
pub struct Sandbox {
    folder: TempDir,
    /// Folders of its own elsewhere.
    others: Vec<TempDir>,
    environment: BTreeMap<OsString, OsString>,
}

/// The outcome of a program.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Sandbox {
    /// A git repository with one commit; no `.ralph/` yet. The environment is PATH, LANG, and HOME, TMPDIR and git's
    /// identity of its own.
    #[expect(clippy::new_without_default, reason = "it makes folders and runs git, which no default value should")]
    pub fn new() -> Sandbox {
        let folder = tempfile::Builder::new().prefix("ralph-").tempdir().expect("a temporary folder");
        let mut sandbox = Sandbox { folder, others: Vec::new(), environment: BTreeMap::new() };
        for folder in [sandbox.project(), sandbox.home(), sandbox.folder.path().join("tmp")] {
            std::fs::create_dir_all(folder).expect("a folder in the temporary folder");
        }
        let (home, tmp) = (sandbox.home(), sandbox.folder.path().join("tmp"));
        sandbox.set("PATH", std::env::var_os("PATH").unwrap_or_default()).set("LANG", "C.UTF-8").set("HOME", home).set("TMPDIR", tmp);
        for who in ["AUTHOR", "COMMITTER"] {
            sandbox.set(format!("GIT_{who}_NAME"), "Test").set(format!("GIT_{who}_EMAIL"), "test@example.com");
        }
        sandbox.write("README.md", "# A project\n");
        sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
        sandbox.commit("begin");
        sandbox
    }

    /// The same with `ralph init` done.
    pub fn with_project() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.ralph_ok(&["init"]);
        sandbox
    }

    /// Root of the git repository.
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The home of everything that runs here.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Sets a variable of the environment of what runs here.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> &mut Sandbox {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// Makes a program the first of its name on PATH.
    pub(crate) fn put_on_path(&mut self, program: &Path) {
        let folder = program.parent().expect("a program lies in a folder");
        let rest = self.environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
        let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&rest));
        self.set("PATH", std::env::join_paths(folders).expect("folders that PATH can hold"));
    }

    /// A further folder that lies outside of the system's folder for temporary files, and goes with the sandbox.
    pub(crate) fn folder_outside_of_tmp(&mut self) -> PathBuf {
        let made = tempfile::Builder::new().prefix("outside-").tempdir_in(target()).expect("a folder beside what was built");
        let path = made.path().to_path_buf();
        self.others.push(made);
        path
    }

    /// A program in the project, with this sandbox's environment and nothing else.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.environment).current_dir(self.project());
        command
    }

    /// Runs a program to its end, without input.
    ///
    /// # Panics
    /// When it can't be started or takes longer than two minutes.
    pub fn run(&self, command: &mut Command) -> Output {
        Running::start(command, None).wait(LIMIT)
    }

    /// Runs a program to its end, giving it `input` and then the end of its input.
    ///
    /// # Panics
    /// As [`Sandbox::run`].
    pub fn run_with_input(&self, command: &mut Command, input: &str) -> Output {
        Running::start(command, Some(input)).wait(LIMIT)
    }

    /// `ralph` with these arguments and `--json`, not yet started.
    pub fn ralph_command(&self, args: &[&str]) -> Command {
        let mut command = self.command(ralph_program());
        command.arg("--json").args(args);
        command
    }

    /// Runs `ralph` with these arguments and `--json`.
    pub fn ralph(&self, args: &[&str]) -> Output {
        self.run(&mut self.ralph_command(args))
    }

    /// Runs `ralph` and returns what it printed.
    ///
    /// # Panics
    /// When it fails or prints no JSON.
    pub fn ralph_ok(&self, args: &[&str]) -> Value {
        let output = self.ralph(args);
        assert!(output.status.success(), "ralph {args:?}: {}\n{}", output.status, output.stderr);
        output.json()
    }

    /// Runs `ralph` and returns the `error` object that it ends with.
    ///
    /// # Panics
    /// When it succeeds or its last line is not an error document.
    pub fn ralph_err(&self, args: &[&str]) -> Value {
        let output = self.ralph(args);
        assert!(!output.status.success(), "ralph {args:?} should fail, and printed {}", output.stdout);
        output.error()
    }

    /// Agrees to everything the project brings along, as its person would.
    ///
    /// # Panics
    /// As [`Sandbox::ralph_ok`].
    pub fn trust(&self) -> Value {
        self.ralph_ok(&["trust", "--yes"])
    }

    /// Runs git in the project and returns what it printed, without the line end.
    ///
    /// # Panics
    /// When git refuses.
    pub fn git(&self, args: &[&str]) -> String {
        let output = self.run(self.command("git").args(args));
        assert!(output.status.success(), "git {args:?}: {}", output.stderr);
        output.stdout.trim_end().to_owned()
    }

    /// Commits everything in the project.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    /// Writes a file of the project, with its folders.
    ///
    /// # Panics
    /// When the file can't be written.
    pub fn write(&self, path: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = self.project().join(path);
        let folder = path.parent().expect("a file of the project has a folder");
        std::fs::create_dir_all(folder).expect("the folders of the file");
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }

    /// Reads a file of the project.
    ///
    /// # Panics
    /// When the file can't be read.
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        let path = self.project().join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

impl From<std::process::Output> for Output {
    fn from(output: std::process::Output) -> Output {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Output { status: output.status, stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

impl Output {
    /// The one JSON document on stdout.
    ///
    /// # Panics
    /// When it is something else.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("no JSON ({error}) in: {}\n{}", self.stdout, self.stderr))
    }

    /// Each line of stdout as JSON.
    ///
    /// # Panics
    /// When a line is something else.
    pub fn json_lines(&self) -> Vec<Value> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("no JSON ({error}) in: {line}"));
        self.stdout.lines().map(read).collect()
    }

    /// The `error` object of the last line of stderr.
    ///
    /// # Panics
    /// When there is none.
    pub fn error(&self) -> Value {
        let last = self.stderr.lines().last().unwrap_or_default();
        let document = serde_json::from_str::<Value>(last).unwrap_or_default();
        assert!(document["error"]["code"].is_string(), "no error document at the end of: {}", self.stderr);
        document["error"].clone()
    }
}

/// The `ralph` that `RALPH_BIN` names, or the one that cargo built last.
///
/// # Panics
/// When there is none.
pub(crate) fn ralph_program() -> PathBuf {
    let built = || target().join("debug").join(format!("ralph{}", std::env::consts::EXE_SUFFIX));
    let program = std::env::var_os("RALPH_BIN").map_or_else(built, PathBuf::from);
    assert!(program.is_file(), "no ralph at {}: run `cargo build -p ralph-cli`", program.display());
    program
}

/// Cargo's target folder, found from the test program in `<target>/<profile>/deps`.
pub(crate) fn target() -> PathBuf {
    let program = std::env::current_exe().expect("the test program");
    program.ancestors().nth(3).expect("the test program lies in target/<profile>/deps").to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_is_a_repository_with_an_environment_of_its_own() {
        let mut sandbox = Sandbox::new();
        assert_eq!(sandbox.git(&["log", "--format=%an %s"]), "Test begin");
        assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
        sandbox.set("COLOUR", "blue");
        let output = sandbox.run(sandbox.command("sh").args(["-c", "echo $COLOUR $HOME $CARGO_MANIFEST_DIR; echo no >&2; exit 3"]));
        assert_eq!(output.stdout.trim(), format!("blue {}", sandbox.home().display()));
        assert_eq!((output.stderr.trim(), output.status.code()), ("no", Some(3)));
    }

    #[test]
    fn the_error_is_the_last_line() {
        let sandbox = Sandbox::new();
        let script = "echo warning >&2; echo '{\"error\":{\"code\":\"not_found\"}}' >&2; exit 1";
        let output = sandbox.run(sandbox.command("sh").args(["-c", script]));
        assert_eq!(output.error()["code"], "not_found");
    }
}
