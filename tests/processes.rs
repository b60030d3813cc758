//! Processes that a run started, found by the mark in their environment.

use ralph_testkit::Sandbox;
use std::path::{Path, PathBuf};

/// Living processes that carry the project's mark, each with its command line: what a run started, wherever it went.
pub fn marked(sandbox: &Sandbox) -> Vec<(u32, String)> {
    let project = sandbox.project().canonicalize().expect("the project's folder");
    let mark = format!("RALPH_PROJECT={}", project.display());
    let entries = std::fs::read_dir("/proc").expect("the processes of this machine").flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let carries = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    // A zombie's environment is empty: it counts as gone.
    ids.filter(carries).map(|pid| (pid, command_line(pid))).collect()
}

/// Whether a process is alive; a zombie is not. A killed one loses its command line before it lets go of its files, and so of its locks:
/// only its state tells, once its last thread is gone.
pub fn alive(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // Fields from the state on, by `proc(5)`: the name before may hold anything, but ends with the last parenthesis.
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let (state, threads) = (fields.first().copied(), fields.get(17).copied());
    !(matches!(state, None | Some("Z" | "X")) && matches!(threads, None | Some("0" | "1")))
}

/// Whether a git that outlived its Ralph is still at work in one of these folders.
///
/// # Panics
/// Where the processes can't be listed.
pub fn is_git_at_work(folders: &[&Path]) -> bool {
    let processes = std::fs::read_dir("/proc").expect("the processes of this machine").flatten().map(|entry| entry.path());
    let is_git = |process: &PathBuf| std::fs::read_to_string(process.join("comm")).is_ok_and(|name| name.starts_with("git"));
    let place = |process: PathBuf| std::fs::read_link(process.join("cwd")).ok();
    processes.filter(is_git).filter_map(place).any(|place| folders.iter().any(|folder| place.starts_with(folder)))
}

fn command_line(pid: u32) -> String {
    String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()).replace('\0', " ")
}
