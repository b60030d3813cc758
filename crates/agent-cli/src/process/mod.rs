//! Child processes and their descendants: starting them, and leaving none behind.
//!
//! Agents run their commands in separate sessions, so a signal to the agent's process group does not reach them. On Linux the
//! whole family is known: descendants by parent, members of the group, and processes with the iteration's marks in their environment.
//! A daemon that drops the marks *and* its parent is reparented to Ralph, which is the subreaper of whatever it starts, and found as such;
//! what a person opens from Ralph ([`start_for_person`](reaper::start_for_person)) is known by a mark. What another service starts for
//! an agent (a container, a timer, a session of another user) is not found, nor is a daemon without a parent that hides its environment.
//! On other Unix systems the family is the group and the descendants that `ps` lists while the agent lives: one that has lost its parent by
//! then, and has its own session, is not found. On Windows a job holds whatever the child starts, and ends with Ralph.

mod descent;
mod family;
mod inhabitants;
#[cfg(windows)]
mod job;
mod live;
pub(crate) mod orphans;
pub(crate) mod owner;
pub(crate) mod reaper;
#[cfg(target_os = "linux")]
#[path = "table_linux.rs"]
mod table;
#[cfg(not(target_os = "linux"))]
#[path = "table_ps.rs"]
mod table;
// So that it is compiled and tried where Ralph is developed, too.
#[allow(dead_code, reason = "its tests are what it is here for")]
#[path = "table_ps.rs"]
#[cfg(all(test, target_os = "linux"))]
mod table_ps;

pub use descent::{Descent, Mark};
pub(crate) use family::{Courtesy, Family, stop};
pub use inhabitants::{Inhabitant, inhabitants};
pub(crate) use reaper::start;

use std::ffi::{OsStr, OsString};
use std::time::Duration;
use tokio::process::Command;

/// Timeout for starting the person's shell.
const SHELL_PATIENCE: Duration = Duration::from_secs(3);
/// The command that prints its variables, each terminated by a zero byte, and so is what was printed before them.
const TELL_VARIABLES: &str = "printf '\\0'; env -0";
/// Bytes of its variables that are read.
const SHELL_BYTES: u64 = 1_048_576;

/// A command with only `variables` in its environment, in a separate process group.
pub(crate) fn command(program: impl AsRef<OsStr>, variables: &[(OsString, OsString)]) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
    #[cfg(unix)]
    command.process_group(0);
    // Without a console window.
    #[cfg(windows)]
    command.creation_flags(0x0800_0000);
    command
}

/// A command that has the system's shell execute a line as a person types it.
#[cfg(not(windows))]
pub(crate) fn shell(line: &str, variables: &[(OsString, OsString)]) -> Command {
    let mut shell = command("sh", variables);
    shell.arg("-c").arg(line);
    shell
}

/// A command that has the system's shell execute a line as a person types it. An ordinary argument would have its quotes escaped in a way
/// that `cmd` does not know; with `/S` it removes only the outer ones.
#[cfg(windows)]
pub(crate) fn shell(line: &str, variables: &[(OsString, OsString)]) -> Command {
    let mut shell = command("cmd", variables);
    shell.raw_arg(format!("/S /C \"{line}\""));
    shell
}

/// The variables of the person's login shell; `None` if there is none, or it does not answer in time.
pub async fn shell_environment() -> Option<Vec<(OsString, OsString)>> {
    let shell = std::env::var_os("SHELL").filter(|shell| cfg!(unix) && !shell.is_empty())?;
    let given: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, _)| !name.as_encoded_bytes().starts_with(b"RALPH_")).collect();
    let mut command = command(shell, &given);
    // Tool chains are configured in files of interactive shells; outside of the project, whose folder may have hooks.
    command.args(["-l", "-i", "-c", TELL_VARIABLES]).current_dir(std::env::temp_dir()).kill_on_drop(true);
    command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    // A key agent that those files start stays.
    let mark = reaper::mark_of_person();
    command.env(mark.0, mark.1);
    let mut child = start(&mut command).ok()?;
    let mut family = Family::of(&child, None);
    let mut told = Vec::new();
    let mut pipe = tokio::io::AsyncReadExt::take(child.stdout.take()?, SHELL_BYTES);
    let read = tokio::time::timeout(SHELL_PATIENCE, tokio::io::AsyncReadExt::read_to_end(&mut pipe, &mut told)).await;
    family.clear(Courtesy::None).await;
    read.ok()?.ok()?;
    let mut pairs = variables_in(&told);
    pairs.retain(|(name, _)| name != mark.0);
    (!pairs.is_empty()).then_some(pairs)
}

/// The variables that a shell printed. Whatever its start-up files print comes before the first and after the last.
fn variables_in(told: &[u8]) -> Vec<(OsString, OsString)> {
    let told = String::from_utf8_lossy(told);
    let Some((told, _)) = told.split_once('\0').and_then(|(_, told)| told.rsplit_once('\0')) else { return Vec::new() };
    told.split('\0').filter_map(|line| line.split_once('=')).map(|(name, value)| (name.into(), value.into())).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_prints_is_part_of_no_variable() {
        let line = format!("echo 'Welcome, PATH=none'; {TELL_VARIABLES}; echo 'bye=bye'");
        let mut command = std::process::Command::new("sh");
        let path = std::env::var_os("PATH").unwrap();
        let told = command.args(["-c", &line]).env_clear().env("PATH", &path).env("LINES", "one\ntwo=2").output().unwrap().stdout;
        let known = variables_in(&told);
        let value = |name: &str| known.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        assert_eq!((value("PATH"), value("LINES")), (Some(path), Some("one\ntwo=2".into())));
        let is_printed = |name: &OsString| ["Welcome", "bye"].iter().any(|word| name.to_string_lossy().contains(word));
        assert!(known.iter().all(|(name, _)| !is_printed(name)), "{known:?}");
    }
}
