//! Handing a file or folder over to the desktop's own program for it.

use ralph_core::view::CommandError;
use std::io;
use std::path::Path;

/// Opens `path`. The program belongs to the person: neither the end of an agent nor Ralph's own ends it.
///
/// # Errors
/// If no launcher of the desktop takes the path.
#[cfg(target_os = "linux")]
pub fn open(path: &Path) -> io::Result<()> {
    let mut fault = io::ErrorKind::NotFound.into();
    for mut launcher in open::commands(path) {
        match start(&mut launcher) {
            Ok(()) => return Ok(()),
            Err(other) => fault = other,
        }
    }
    Err(fault)
}

/// Only on Linux is what a launcher leaves behind reparented to Ralph.
///
/// # Errors
/// If the desktop does not take the path.
#[cfg(not(target_os = "linux"))]
pub fn open(path: &Path) -> io::Result<()> {
    open::that_detached(path)
}

/// Starts one launcher. A desktop's launcher fails at once or not at all; some stay until the program ends.
#[cfg(target_os = "linux")]
fn start(launcher: &mut std::process::Command) -> io::Result<()> {
    use std::process::Stdio;
    use std::sync::mpsc::{RecvTimeoutError, sync_channel};

    const PATIENCE: std::time::Duration = std::time::Duration::from_millis(250);
    let mut child = ralph_app::start_for_person(launcher.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()))?;
    let (ended, end) = sync_channel(1);
    // Waits also after the patience is over, or the launcher would stay in the process table.
    std::thread::Builder::new().name("launcher".to_owned()).spawn(move || drop(ended.send(child.wait())))?;
    match end.recv_timeout(PATIENCE) {
        Ok(status) => status.and_then(|status| if status.success() { Ok(()) } else { Err(io::Error::other(format!("{status}"))) }),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(()),
    }
}

/// The desktop knows no program for the file, which an editor opens all the same.
pub fn no_program(file: &Path, fault: &io::Error) -> CommandError {
    let ending = file.extension().unwrap_or_default().display().to_string();
    not_opened(file, fault, format!("no program opens .{ending} files here"), format!("open {} in an editor", file.display()))
}

/// The same for a folder.
pub fn no_program_for_folders(folder: &Path, fault: &io::Error) -> CommandError {
    not_opened(folder, fault, "no program shows folders here".to_owned(), format!("go to {} in a terminal", folder.display()))
}

fn not_opened(path: &Path, fault: &io::Error, message: String, hint: String) -> CommandError {
    tracing::warn!("{} was not opened: {fault}", path.display());
    CommandError::new("io", message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_desktop_without_a_program_is_no_fault_of_ralph_s_and_the_way_out_is_the_path() {
        let error = no_program(Path::new("/home/dev/shop/.ralph/config.toml"), &io::ErrorKind::NotFound.into());
        assert_eq!((error.code.as_str(), error.message.as_str()), ("io", "no program opens .toml files here"));
        assert_eq!(error.hint, "open /home/dev/shop/.ralph/config.toml in an editor");
        let error = no_program_for_folders(Path::new("/home/dev/work/3"), &io::ErrorKind::NotFound.into());
        assert_eq!((error.code.as_str(), error.hint.as_str()), ("io", "go to /home/dev/work/3 in a terminal"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_launcher_that_stays_or_succeeds_has_opened_and_one_that_fails_or_is_missing_has_not() {
        let run = |script: &str| start(std::process::Command::new("sh").args(["-c", script]));
        assert!(run("exit 0").is_ok());
        assert!(run("exec sleep 2").is_ok());
        assert!(run("exit 4").is_err());
        assert!(start(&mut std::process::Command::new("/nowhere/xdg-open")).is_err());
    }
}
