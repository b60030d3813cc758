//! Slots: several runs of a project go on at once, each with a lock of its own, and only one works in place in each checkout.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::owner::RunLock;
use ralph_core::limits;
use ralph_core::run::RunRequest;
use std::sync::Arc;

/// Where the agents of a run work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workplace {
    /// In the project's own checkout, as a person asked for it.
    Own,
    /// In the project's own checkout, except for tasks whose earlier work is in a worktree: they continue there.
    OwnUnlessBegun,
    /// In a worktree for each task.
    Worktrees,
}

impl Workplace {
    /// The requested place; a single worker works in place unless told otherwise.
    pub(crate) fn of(request: &RunRequest) -> Self {
        match request.in_place {
            Some(true) => Self::Own,
            None if request.workers.unwrap_or(1) <= 1 => Self::OwnUnlessBegun,
            Some(false) | None => Self::Worktrees,
        }
    }
}

/// A place among the runs of the project, with its lock.
#[derive(Debug)]
pub(crate) struct Slot {
    pub number: u32,
    _lock: RunLock,
    /// Of [`App::runs`].
    _run: Arc<()>,
}

impl App {
    /// Two runs at work in one checkout would overwrite each other's files.
    pub(crate) fn refuse_second_in_place(&self, request: &RunRequest) -> Result<()> {
        if Workplace::of(request) == Workplace::Worktrees {
            return Ok(());
        }
        match self.db.read(|r| r.active_run_in(&self.place_of(request)))? {
            Some(active) => Err(AppError::RunActive { run: Some(active.id) }),
            None => Ok(()),
        }
    }

    /// The first slot that nobody holds; slots of runs known to be active are skipped without waiting.
    pub(crate) fn free_slot(&self) -> Result<Slot> {
        let owners = self.db.read(|r| r.run_owners())?;
        let taken = |slot: u32| owners.iter().any(|owner| !owner.over && owner.slot == slot);
        for number in (0..limits::RUNS).filter(|slot| !taken(*slot)) {
            if let Some(lock) = RunLock::take(&self.run_locks(number))? {
                return Ok(Slot { number, _lock: lock, _run: Arc::clone(&self.runs) });
            }
        }
        let fault = format!("{} runs of this project go on already", limits::RUNS);
        Err(AppError::invalid("run", fault, "wait until one ends, or stop one with `ralph stop --run ID`"))
    }

    /// The folder of the checkout that a run is started in.
    pub(crate) fn place_of(&self, request: &RunRequest) -> String {
        request.checkout.clone().unwrap_or_else(|| self.checkout())
    }
}
