//! How runs came out: the facts about each, for the rule in [`ralph_core::run::result_of`].

use crate::app::App;
use crate::error::Result;
use ralph_core::run::{Run, RunEnd, RunResult, StopReason, result_of};
use ralph_core::task::TaskStatus;
use ralph_core::time::Timestamp;
use ralph_core::view::RunRow;
use ralph_core::{RunId, TaskId, count};
use sqlite_db::{Read, Tx};
use std::collections::BTreeMap;

/// What is left of a project's work.
#[derive(Default)]
struct Leftover {
    /// Tasks that wait for a person, also because their work could not be merged, with the time of their last change.
    for_person: Vec<(TaskId, Timestamp)>,
    /// The runs of open notices.
    notices: Vec<RunId>,
    /// Tasks whose review and merge the next run does, because a usage limit or the end of this run came first.
    owed: Vec<TaskId>,
    /// Tasks that could be worked on now, with the time they were created.
    ready: Vec<(TaskId, Timestamp)>,
}

impl Leftover {
    /// Reads what matters to the results of these runs.
    fn read(r: &Read<'_>, runs: &[&Run]) -> Result<Leftover> {
        if runs.is_empty() {
            return Ok(Leftover::default());
        }
        let blocked = r.tasks_of_status(TaskStatus::Blocked)?;
        let refused = r.worktrees_in_review()?.into_iter().filter(|(worktree, _)| worktree.refusal.is_some());
        let refused: Vec<TaskId> = refused.filter_map(|(worktree, _)| worktree.work.task()).collect();
        let in_review = if refused.is_empty() { Vec::new() } else { r.tasks_of_status(TaskStatus::InReview)? };
        let refused = in_review.into_iter().filter(|task| refused.contains(&task.id));
        let limited = runs.iter().any(|run| run.stop_reason.is_some_and(StopReason::is_limit));
        let ready = if limited { r.ready_tasks(None, u32::MAX)? } else { Vec::new() };
        Ok(Leftover {
            for_person: blocked.into_iter().chain(r.stranded_tasks()?).chain(refused).map(|task| (task.id, task.updated)).collect(),
            notices: r.runs_of_open_notices()?,
            owed: r.owed_follow_ups(None)?,
            ready: ready.into_iter().map(|task| (task.id, task.created)).collect(),
        })
    }

    /// The result of a run; `None` while it goes on. What began to wait for a person, or was completed, after `until` is not its doing.
    fn result(&self, run: &Run, (done, failed): (u32, u32), until: Timestamp) -> Option<RunResult> {
        run.ended?;
        let is_its = |task: TaskId| run.task.is_none_or(|only| only == task);
        let of_run = |tasks: &[(TaskId, Timestamp)]| tasks.iter().filter(|(task, since)| is_its(*task) && *since <= until).count();
        let notices = self.notices.iter().filter(|of| **of == run.id).count();
        let owed = self.owed.iter().filter(|task| is_its(**task)).count();
        // After a limit the next run does it; any other run has given it up.
        let (given_up, put_off) = if run.stop_reason.is_some_and(StopReason::is_limit) { (0, owed) } else { (owed, 0) };
        Some(result_of(&RunEnd {
            // A row without a reason belongs to a run whose process died.
            reason: run.stop_reason.unwrap_or(StopReason::Crashed),
            attempts: done.saturating_add(failed),
            done,
            for_person: count(of_run(&self.for_person) + notices + given_up),
            ready: count(of_run(&self.ready) + put_off),
        }))
    }
}

/// Each run with the outcomes of its attempts and its result, in the given order. The result is the one stored at the end of the run; only
/// for runs of versions that stored none is it computed from what is left today.
fn with_results(r: &Read<'_>, runs: Vec<Run>, tallies: &BTreeMap<RunId, (u32, u32)>) -> Result<Vec<RunRow>> {
    let kept = r.run_results(&runs)?;
    let without: Vec<&Run> = runs.iter().filter(|run| run.ended.is_some() && !kept.contains_key(&run.id)).collect();
    let left = Leftover::read(r, &without)?;
    let row = |run: Run| {
        let (done, failed) = tallies.get(&run.id).copied().unwrap_or_default();
        let result = kept.get(&run.id).copied().or_else(|| left.result(&run, (done, failed), run.ended?));
        RunRow { result, run, done, failed }
    };
    Ok(runs.into_iter().map(row).collect())
}

/// Each run with the outcomes of its attempts and its result, in the given order.
pub(crate) fn rows(r: &Read<'_>, runs: Vec<Run>) -> Result<Vec<RunRow>> {
    let tallies = r.run_tallies(&runs)?;
    with_results(r, runs, &tallies)
}

/// The same of one run.
pub(crate) fn row(r: &Read<'_>, run: Run) -> Result<RunRow> {
    // Over all its iterations, however many there are, and those of no later run.
    let tallies = BTreeMap::from([(run.id, r.run_tally(run.id)?)]);
    let mut rows = with_results(r, vec![run], &tallies)?;
    Ok(rows.remove(0))
}

/// Keeps the result of a run that has just ended. Everything that is left now is its own, whatever time it bears: clocks may be set back.
pub(crate) fn keep(tx: &Tx<'_>, id: RunId) -> Result<()> {
    let Some(run) = tx.run(id)? else { return Ok(()) };
    if let Some(result) = Leftover::read(tx, &[&run])?.result(&run, tx.run_tally(id)?, Timestamp(i64::MAX)) {
        tx.set_run_result(id, result)?;
    }
    Ok(())
}

impl App {
    /// The result of an ended run.
    pub fn run_result(&self, run: &Run) -> Result<RunResult> {
        self.db.read(|r| Ok(row(r, run.clone())?.result.unwrap_or(RunResult::Trouble)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::a_run;
    use crate::clock::Clock;
    use ralph_core::feature::NewFeature;
    use ralph_core::task::{NewTask, Priority, TaskPatch};
    use sqlite_db::table::NewRun;
    use std::sync::atomic::{AtomicI64, Ordering};

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
        let left = Leftover {
            for_person: vec![(1, Timestamp(20))],
            notices: vec![],
            owed: vec![],
            ready: vec![(2, Timestamp(1)), (3, Timestamp(40))],
        };
        let over = StopReason::NothingReady;
        for (run, done, failed, expected) in [
            (run(None, over, 30), 1, 0, RunResult::NeedsYou),
            (run(None, over, 30), 0, 3, RunResult::AllFailed),
            (run(Some(2), over, 30), 1, 0, RunResult::Done),
            // It ended before the task was blocked.
            (run(None, over, 10), 1, 0, RunResult::Done),
            (run(Some(2), StopReason::MaxIterations, 30), 1, 0, RunResult::Limit),
            // Somebody created the task after its end.
            (run(Some(3), StopReason::MaxIterations, 30), 1, 0, RunResult::Done),
            (run(Some(3), StopReason::MaxIterations, 50), 1, 0, RunResult::Limit),
        ] {
            assert_eq!(left.result(&run, (done, failed), run.ended.unwrap()), Some(expected), "{run:?}");
        }
        let owing = Leftover { owed: vec![2], ..Leftover::default() };
        for (run, expected) in [
            (run(None, over, 30), RunResult::NeedsYou),
            (run(None, StopReason::MaxIterations, 30), RunResult::Limit),
            (run(Some(3), over, 30), RunResult::Done),
        ] {
            assert_eq!(owing.result(&run, (1, 0), run.ended.unwrap()), Some(expected), "{run:?}");
        }
        let going_on = Run { ended: None, ..run(None, over, 30) };
        assert_eq!(left.result(&going_on, (1, 0), Timestamp(30)), None);
    }

    #[test]
    fn a_clock_that_is_set_back_during_a_run_hides_nothing_of_what_it_left() {
        let folder = tempfile::tempdir().unwrap();
        let times = AtomicI64::new(1_000_000);
        let app = App::init(folder.path(), Clock::from_fn(move || Timestamp(times.fetch_sub(1_000, Ordering::Relaxed)))).unwrap();
        app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).unwrap();
        let task = app.create_task(&NewTask { feature: "pay".into(), title: "Refund".into(), ..NewTask::default() }).unwrap().id;
        let ended = |reason| {
            let new = NewRun { in_place: false, ..a_run(std::process::id()) };
            let id = app.write(|tx| Ok(tx.insert_run(&new, app.clock.now())?)).unwrap();
            app.release_run(id, reason, None).unwrap();
            app.run(id).unwrap().result
        };
        assert_eq!(ended(StopReason::MaxIterations), Some(RunResult::Limit));
        app.update_task(task, &TaskPatch { status: Some(TaskStatus::Blocked), ..TaskPatch::default() }).unwrap();
        assert_eq!(ended(StopReason::NothingReady), Some(RunResult::NeedsYou));
    }

    #[test]
    fn how_a_run_came_out_stays_what_it_was_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let ticks = AtomicI64::new(1_000);
        let app = App::init(folder.path(), Clock::from_fn(move || Timestamp(ticks.fetch_add(1, Ordering::Relaxed)))).unwrap();
        app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).unwrap();
        let create =
            |title: &str| app.create_task(&NewTask { feature: "pay".into(), title: title.into(), ..NewTask::default() }).unwrap().id;
        let ended = |reason| {
            let new = NewRun { in_place: false, ..a_run(std::process::id()) };
            let id = app.write(|tx| Ok(tx.insert_run(&new, app.clock.now())?)).unwrap();
            app.release_run(id, reason, None).unwrap();
            id
        };
        let result = |id| app.run(id).unwrap().result;
        let first = ended(StopReason::MaxIterations);
        let task = create("Refund");
        let limited = ended(StopReason::MaxMinutes);
        app.update_task(task, &TaskPatch { status: Some(TaskStatus::Blocked), ..TaskPatch::default() }).unwrap();
        let stuck = ended(StopReason::NothingReady);
        let expected = [Some(RunResult::Done), Some(RunResult::Limit), Some(RunResult::NeedsYou)];
        assert_eq!([first, limited, stuck].map(result), expected);
        app.update_task(task, &TaskPatch { priority: Some(Priority::Critical), ..TaskPatch::default() }).unwrap();
        create("Ledger");
        assert_eq!([first, limited, stuck].map(result), expected);
        let listed: Vec<_> = app.run_rows(3).unwrap().into_iter().rev().map(|row| row.result).collect();
        assert_eq!(listed, expected);
        assert_eq!(app.overview().unwrap().rests_after.and_then(|row| row.result), expected[2]);
        assert_eq!(app.run_result(&app.run(limited).unwrap().run).unwrap(), RunResult::Limit);
    }
}
