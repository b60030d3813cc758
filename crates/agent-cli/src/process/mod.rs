//! Child processes and everything below them: how they start, and how none of them stays.
//!
//! Agents run their commands in sessions of their own, so a signal to the agent's process group does not reach them. On Linux the
//! whole family is known: descendants by parent, members of the group, and whoever carries the iteration's marks in its environment.
//! What drops the marks *and* loses its parent before anyone looks is not found: a daemon that means to get away.
//! On other Unix systems it is the process group alone, and on Windows the tree that `taskkill /T` knows.

mod family;
pub(crate) mod orphans;
#[cfg(target_os = "linux")]
#[path = "table_linux.rs"]
mod table;
#[cfg(not(target_os = "linux"))]
#[path = "table_other.rs"]
mod table;

pub(crate) use family::{Courtesy, Family, stop};

use std::ffi::{OsStr, OsString};
use tokio::process::Command;

/// A command with nothing but `variables` in its environment, in a process group of its own.
pub(crate) fn command(program: impl AsRef<OsStr>, variables: &[(OsString, OsString)]) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
    #[cfg(unix)]
    command.process_group(0);
    // Without a console window that flashes up.
    #[cfg(windows)]
    command.creation_flags(0x0800_0000);
    command
}

/// The processes above this one, the nearest first; empty where a system does not tell.
pub fn ancestors() -> Vec<u32> {
    let mut line = Vec::new();
    let mut pid = table::parent(std::process::id());
    while let Some(parent) = pid.filter(|parent| *parent != 0 && !line.contains(parent)) {
        line.push(parent);
        pid = table::parent(parent);
    }
    line
}
