//! How runs came out: the facts about each, for the rule in [`ralph_core::run::result_of`].

use crate::app::App;
use crate::error::Result;
use ralph_core::run::{Run, RunEnd, RunResult, StopReason, result_of};
use ralph_core::task::{TaskFilter, TaskStatus};
use ralph_core::time::Timestamp;
use ralph_core::view::RunRow;
use ralph_core::{RunId, TaskId, limits};
use sqlite_db::Read;

/// What is left of a project's work.
pub(crate) struct Leftover {
    /// Tasks that wait for a person, also because their work could not be merged, with the time of their last change.
    for_person: Vec<(TaskId, Timestamp)>,
    /// The runs of open notices.
    notices: Vec<RunId>,
    /// Tasks that could be worked on now.
    ready: Vec<TaskId>,
}

impl Leftover {
    /// Reads what matters to the results of these runs.
    pub(crate) fn read(r: &Read<'_>, runs: &[Run]) -> Result<Leftover> {
        let blocked = r.tasks(&TaskFilter { statuses: vec![TaskStatus::Blocked], ..TaskFilter::default() })?;
        let refused = r.worktrees_in_review()?.into_iter().filter(|(worktree, _)| worktree.refusal.is_some());
        let refused: Vec<TaskId> = refused.filter_map(|(worktree, _)| worktree.work.task()).collect();
        let in_review = if refused.is_empty() {
            Vec::new()
        } else {
            r.tasks(&TaskFilter { statuses: vec![TaskStatus::InReview], ..TaskFilter::default() })?
        };
        let refused = in_review.into_iter().filter(|task| refused.contains(&task.id));
        let limited = runs.iter().any(|run| run.stop_reason.is_some_and(StopReason::is_limit));
        Ok(Leftover {
            for_person: blocked.into_iter().chain(r.stranded_tasks()?).chain(refused).map(|task| (task.id, task.updated)).collect(),
            notices: r.open_notices(limits::NOTICE_ROWS)?.into_iter().filter_map(|notice| notice.run).collect(),
            ready: if limited { r.ready_tasks(None, u32::MAX)?.into_iter().map(|task| task.id).collect() } else { Vec::new() },
        })
    }

    /// The result of a run; `None` while it goes on. What came to wait for a person after its end is not its own.
    pub(crate) fn result(&self, run: &Run, done: u32, failed: u32) -> Option<RunResult> {
        let ended = run.ended?;
        let in_scope = |task: TaskId| run.task.is_none_or(|only| only == task);
        let tasks = self.for_person.iter().filter(|(task, since)| in_scope(*task) && *since <= ended).count();
        let notices = self.notices.iter().filter(|of| **of == run.id).count();
        let ready = self.ready.iter().filter(|task| in_scope(**task)).count();
        let counted = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Some(result_of(&RunEnd {
            // A row without a reason belongs to a run whose process died.
            reason: run.stop_reason.unwrap_or(StopReason::Crashed),
            attempts: done.saturating_add(failed),
            done,
            for_person: counted(tasks + notices),
            ready: counted(ready),
        }))
    }
}

/// Each run with the outcomes of its attempts and its result, in the given order.
pub(crate) fn rows(r: &Read<'_>, runs: Vec<Run>) -> Result<Vec<RunRow>> {
    let (tallies, left) = (r.run_tallies(&runs)?, Leftover::read(r, &runs)?);
    let row = |run: Run| {
        let (done, failed) = tallies.get(&run.id).copied().unwrap_or_default();
        RunRow { result: left.result(&run, done, failed), run, done, failed }
    };
    Ok(runs.into_iter().map(row).collect())
}

impl App {
    /// The result of an ended run.
    pub fn run_result(&self, run: &Run) -> Result<RunResult> {
        self.db.read(|r| {
            // Of all iterations, however many there are.
            let (done, failed) = r.run_tally(run.id)?;
            Ok(Leftover::read(r, std::slice::from_ref(run))?.result(run, done, failed).unwrap_or(RunResult::Trouble))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::a_run;
    use crate::clock::Clock;
    use ralph_core::feature::NewFeature;
    use ralph_core::task::NewTask;
    use sqlite_db::table::NewRun;

    #[test]
    fn a_run_came_out_as_it_left_the_tasks_of_its_scope() {
        let folder = tempfile::tempdir().unwrap();
        let app = App::init(folder.path(), Clock::from_fn(|| Timestamp(1_000))).unwrap();
        app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).unwrap();
        for title in ["Refund", "Ledger", "Invoice"] {
            app.create_task(&NewTask { feature: "pay".into(), title: title.into(), ..NewTask::default() }).unwrap();
        }
        let run = |only_task, reason, ended| {
            let new = NewRun { only_task, in_place: false, ..a_run(std::process::id()) };
            let id = app.write(|tx| {
                let id = tx.insert_run(&new, Timestamp(1))?;
                tx.end_run(id, reason, None, Timestamp(ended))?;
                Ok(id)
            });
            app.run(id.unwrap()).unwrap().run
        };
        let left = Leftover { for_person: vec![(1, Timestamp(20))], notices: vec![], ready: vec![2] };
        let over = StopReason::NothingReady;
        for (run, done, failed, expected) in [
            (run(None, over, 30), 1, 0, RunResult::NeedsYou),
            (run(None, over, 30), 0, 3, RunResult::AllFailed),
            (run(Some(2), over, 30), 1, 0, RunResult::Done),
            // It ended before the task was blocked.
            (run(None, over, 10), 1, 0, RunResult::Done),
            (run(Some(2), StopReason::MaxIterations, 30), 1, 0, RunResult::Limit),
            (run(Some(3), StopReason::MaxIterations, 30), 1, 0, RunResult::Done),
        ] {
            assert_eq!(left.result(&run, done, failed), Some(expected), "{run:?}");
        }
        let going_on = Run { ended: None, ..run(None, over, 30) };
        assert_eq!(left.result(&going_on, 1, 0), None);
    }
}
