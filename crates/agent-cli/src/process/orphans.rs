//! What a killed Ralph left running.

use super::family::{Signal, own_line, send};
use super::table;
use ralph_core::RunId;
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// How long orphans may take to end by themselves before they are killed.
const COURTESY: Duration = Duration::from_millis(400);
const POLL: Duration = Duration::from_millis(10);

/// Ends every process that carries the marks of a run of `project` that `is_alive` does not know, and tells their ids. `project` is
/// the folder as it stood in [`RunMarks::project`](crate::RunMarks). Neither this process nor its ancestors are touched.
///
/// Works on Linux, where another process's environment can be read; elsewhere it finds nothing. Takes less than a second.
pub async fn sweep_orphans(project: &Path, is_alive: impl Fn(RunId) -> bool) -> Vec<u32> {
    let project = project.to_string_lossy();
    let find = || {
        let living = table::living();
        let spared = own_line(&living);
        let mut pids: Vec<u32> = living.iter().map(|process| process.pid).filter(|pid| !spared.contains(pid)).collect();
        pids.retain(|&pid| match table::variables(pid, ["RALPH_PROJECT", "RALPH_RUN"]) {
            Some([Some(of), Some(run)]) => of == project && run.parse().is_ok_and(|run| !is_alive(run)),
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
