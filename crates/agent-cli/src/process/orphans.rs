//! Processes left by a killed Ralph.

use super::family::{Signal, own_line, send};
use super::owner::is_there;
use super::table;
use ralph_core::RunId;
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// Time for orphans to end by themselves before they are killed.
const COURTESY: Duration = Duration::from_millis(400);
const POLL: Duration = Duration::from_millis(10);

/// Ends every process with the marks of a project's run that `is_alive` rejects, and returns their ids. This
/// process and its ancestors are never touched.
///
/// The project is identified by `project`, its folder as in [`RunMarks::project`](crate::RunMarks), or, after a move, by `replica`:
/// a copied folder has the same one, so processes from another place are ended only if the process that started them is gone.
///
/// Works on Linux, where another process's environment can be read; has no effect elsewhere. Takes less than a second.
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
            // What belongs to no run (an errand, a set-up, a merge's check) is alive as long as the process that started it.
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
