//! Recovery is the ordinary path: whoever opens the project ends runs whose process is gone and frees their tasks.

use crate::App;
use crate::error::Result;
use ralph_core::limits;
use ralph_core::run::{Evidence, Outcome, StopReason};
use ralph_core::signal::Usage;
use ralph_core::task::TaskStatus;
use ralph_core::time::Timestamp;
use sqlite_db::Tx;
use sqlite_db::table::{RunOwner, SettledIteration};

/// Leases after which an owner is dead although a process with its number lives: numbers are used again.
const LEASES_UNTIL_REUSED: u64 = 20;

impl App {
    /// Ends runs whose owner died, settles their iterations as interrupted (no attempt), and removes processes they left.
    pub(crate) fn recover(&self) -> Result<()> {
        let now = self.clock.now();
        let owners = self.db.read(|r| r.run_owners())?;
        if !self.db.read(|r| r.outbox())?.is_empty() {
            self.write(|_| Ok(()))?;
        }
        if owners.iter().any(|owner| is_dead(owner, now)) {
            self.write(|tx| {
                // Looked at again with the right to write: another process may have been faster.
                for owner in tx.run_owners()?.iter().filter(|owner| is_dead(owner, now)) {
                    release(tx, owner, now)?;
                }
                Ok(())
            })?;
            let alive: Vec<u32> = self.db.read(|r| r.run_owners())?.iter().map(|owner| owner.run).collect();
            sweep(&self.paths.root, &alive);
        }
        Ok(())
    }
}

/// Ends processes that dead runs left. On a thread of its own: callers may or may not be inside a runtime.
fn sweep(project: &std::path::Path, alive: &[u32]) {
    let swept = std::thread::scope(|scope| {
        let sweeper = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            Ok::<_, std::io::Error>(runtime.block_on(agent_cli::sweep_orphans(project, |run| alive.contains(&run))))
        });
        sweeper.join()
    });
    match swept {
        Ok(Ok(killed)) if killed.is_empty() => {}
        Ok(Ok(killed)) => tracing::warn!("ended {} processes that a dead run had left", killed.len()),
        Ok(Err(error)) => tracing::warn!("processes of a dead run could not be looked for: {error}"),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn release(tx: &Tx<'_>, owner: &RunOwner, now: Timestamp) -> Result<()> {
    for iteration in tx.running_iterations(owner.run)? {
        let settled = SettledIteration {
            id: iteration.id,
            outcome: Outcome::Interrupted,
            note: Some("Ralph's own process ended during it; this is no attempt".to_owned()),
            usage: Usage::default(),
            denials: Vec::new(),
            evidence: Evidence::default(),
            exit_code: None,
            difficulty: None,
            next_model: None,
        };
        if tx.settle_iteration(&settled, now)? && tx.task(iteration.task)?.is_some_and(|t| t.status == TaskStatus::InProgress) {
            tx.set_task_status(iteration.task, TaskStatus::Pending, None, now)?;
        }
    }
    tx.end_run(owner.run, StopReason::Crashed, Some("its process ended without a word; its task is free again"), now)?;
    Ok(())
}

/// Dead: no process with its number, or no heartbeat for so long that the number must be someone else's.
fn is_dead(owner: &RunOwner, now: Timestamp) -> bool {
    let silent = now.millis_since(owner.heartbeat);
    match process_lives(owner.pid) {
        Some(true) => silent > limits::LEASE_MILLIS * LEASES_UNTIL_REUSED,
        Some(false) => true,
        None => silent > limits::LEASE_MILLIS,
    }
}

/// Whether a process lives; `None` where this system does not tell.
fn process_lives(pid: u32) -> Option<bool> {
    if pid == std::process::id() {
        return Some(true);
    }
    if !cfg!(target_os = "linux") {
        return None;
    }
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    // A zombie has ended: only its parent has not looked yet.
    Some(stat.is_some_and(|s| s.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z'))))
}
