//! What a killed Ralph left running.

use super::family::{Signal, own_line, send};
use super::owner::is_there;
use super::table;
use ralph_core::RunId;
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// How long orphans may take to end by themselves before they are killed.
const COURTESY: Duration = Duration::from_millis(400);
const POLL: Duration = Duration::from_millis(10);

/// Ends every process that carries the marks of a run of a project that `is_alive` does not know, and tells their ids. Neither this
/// process nor its ancestors are touched.
///
/// The project is known by `project`, its folder as it stood in [`RunMarks::project`](crate::RunMarks), or, once it was moved, by `replica`:
/// a copy of the folder has that in common with it, so what began at another place is ended only when the process that started it is gone.
///
/// Works on Linux, where another process's environment can be read; elsewhere it finds nothing. Takes less than a second.
pub async fn sweep_orphans(project: &Path, replica: &str, is_alive: impl Fn(RunId) -> bool) -> Vec<u32> {
    let project = project.to_string_lossy();
    let is_ours = |of: &str, with: Option<String>, owner: Option<String>| {
        of == project || (!replica.is_empty() && with.as_deref() == Some(replica) && owner.is_some_and(|owner| !is_there(&owner)))
    };
    let find = || {
        let living = table::living();
        let spared = own_line(&living);
        let mut pids: Vec<u32> = living.iter().map(|process| process.pid).filter(|pid| !spared.contains(pid)).collect();
        pids.retain(|&pid| match table::variables(pid, ["RALPH_PROJECT", "RALPH_RUN", "RALPH_REPLICA", "RALPH_OWNER"]) {
            // What belongs to no run (an errand, a set-up, a merge's check) lives as long as the process that started it.
            Some([Some(_), Some(run), _, Some(owner)]) if run == "0" && is_there(&owner) => false,
            Some([Some(of), Some(run), with, owner]) => run.parse().is_ok_and(|run| !is_alive(run)) && is_ours(&of, with, owner),
            _ => false,
        });
        pids
    };
    let found = find();
    found.iter().for_each(|&pid| send(pid, Signal::Terminate));
    let asked = Instant::now();
    let mut left = found.clone();
    while !left.is_empty() && asked.elapsed() < 2 * COURTESY {
        if asked.elapsed() > COURTESY {
            left.iter().for_each(|&pid| send(pid, Signal::Kill));
        }
        tokio::time::sleep(POLL).await;
        left = find();
    }
    found
}
