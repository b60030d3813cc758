//! Which status an edit may give a task. How a run settles its tasks is decided by the hooks.

use super::{Task, TaskStatus};
use crate::IterationId;

/// What is happening to a task besides its status.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// The iteration that works on it.
    pub running: Option<IterationId>,
    /// Whether its work is being merged at this moment.
    pub landing: bool,
}

/// What follows from a requested status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatusStep {
    /// It has that status already.
    Keep,
    /// An agent's claim about its own task: the loop settles it.
    Claim {
        /// The iteration that claims it.
        iteration: IterationId,
        /// Whether it claims to be done; otherwise to have failed.
        done: bool,
    },
    /// The status is stored.
    Become(TaskStatus),
}

/// Why a task does not get a status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatusFault {
    /// This iteration works on it.
    Running(IterationId),
    /// Its work is being merged.
    Landing,
    /// Only work in a worktree puts a task in review.
    ByWorkAlone,
    /// Only an iteration puts a task in progress, since it is the claim on it: no run would take a task that is marked so by hand.
    ByRunAlone,
    /// It is in review, and will be done once its work is merged.
    NotMerged,
    /// It is in review: if it were closed, nobody would be asked about its work any longer.
    NotDiscarded,
}

/// Decides which status a request gives a task; `by` is the iteration whose agent requests it, if one does.
///
/// # Errors
/// [`StatusFault`] if it stays as it is.
pub fn may_become(before: &Task, wanted: TaskStatus, standing: Standing, by: Option<IterationId>) -> Result<StatusStep, StatusFault> {
    if wanted == before.status {
        return Ok(StatusStep::Keep);
    }
    if let Some(iteration) = standing.running {
        return match wanted {
            TaskStatus::Done | TaskStatus::Failed if by == Some(iteration) => {
                Ok(StatusStep::Claim { iteration, done: wanted == TaskStatus::Done })
            }
            _ => Err(StatusFault::Running(iteration)),
        };
    }
    match (before.status, wanted) {
        _ if standing.landing => Err(StatusFault::Landing),
        (_, TaskStatus::InReview) => Err(StatusFault::ByWorkAlone),
        (_, TaskStatus::InProgress) => Err(StatusFault::ByRunAlone),
        (TaskStatus::InReview, TaskStatus::Done) => Err(StatusFault::NotMerged),
        (TaskStatus::InReview, TaskStatus::Skipped | TaskStatus::Failed) => Err(StatusFault::NotDiscarded),
        _ => Ok(StatusStep::Become(wanted)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    #[test]
    fn a_status_follows_from_the_work_where_there_is_some() {
        use TaskStatus::{Blocked, Done, Failed, InProgress, InReview, Pending, Skipped};
        let idle = Standing::default();
        let (running, landing) = (Standing { running: Some(4), ..idle }, Standing { landing: true, ..idle });
        for (before, wanted, standing, by, expected) in [
            (Pending, Pending, landing, None, Ok(StatusStep::Keep)),
            (Pending, Done, idle, None, Ok(StatusStep::Become(Done))),
            (Done, Pending, idle, None, Ok(StatusStep::Become(Pending))),
            (InReview, Pending, idle, None, Ok(StatusStep::Become(Pending))),
            (InProgress, Done, running, Some(4), Ok(StatusStep::Claim { iteration: 4, done: true })),
            (InProgress, Failed, running, Some(4), Ok(StatusStep::Claim { iteration: 4, done: false })),
            (InProgress, Blocked, running, Some(4), Err(StatusFault::Running(4))),
            (InProgress, Done, running, Some(3), Err(StatusFault::Running(4))),
            (InProgress, Skipped, running, None, Err(StatusFault::Running(4))),
            (InReview, Skipped, landing, None, Err(StatusFault::Landing)),
            (Done, InReview, idle, None, Err(StatusFault::ByWorkAlone)),
            (Pending, InProgress, idle, None, Err(StatusFault::ByRunAlone)),
            (Pending, InProgress, idle, Some(4), Err(StatusFault::ByRunAlone)),
            (InReview, InProgress, idle, None, Err(StatusFault::ByRunAlone)),
            (InProgress, InProgress, running, Some(4), Ok(StatusStep::Keep)),
            (InReview, Done, idle, None, Err(StatusFault::NotMerged)),
            (InReview, Skipped, idle, None, Err(StatusFault::NotDiscarded)),
            (InReview, Failed, idle, None, Err(StatusFault::NotDiscarded)),
            (InReview, Blocked, idle, None, Ok(StatusStep::Become(Blocked))),
        ] {
            let task = Task { status: before, ..Task::new("shop", "Refund", Timestamp(1)) };
            assert_eq!(may_become(&task, wanted, standing, by), expected, "{before} → {wanted} {standing:?} {by:?}");
        }
    }
}
