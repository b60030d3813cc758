//! Recovery is the ordinary path: whoever opens the project releases what runs without a living owner hold.

use crate::app::App;
use crate::clock::local_minute;
use crate::driver::commit::Times;
use crate::driver::recover_log::UnsettledCommits;
use crate::error::{AppError, Result};
use crate::knowledge::staged::branch_of;
use crate::notices::set_task_status;
use crate::outside::{LastWords, into_file};
use crate::owner::{RunLocks, lives};
use crate::runs::result;
use ralph_core::run::owner::{Recovery, Unrecovered};
use ralph_core::run::{Evidence, Outcome, StopReason};
use ralph_core::signal::Usage;
use ralph_core::task::TaskStatus;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, RunId, TaskId};
use sqlite_db::table::{RunOwner, SettledIteration};
use sqlite_db::{DbError, Tx, Writer};
use std::sync::PoisonError;

/// Note on an iteration that was never settled.
const INTERRUPTED: &str = "Ralph's own process ended during it; this is not an attempt";

/// The end of a run with open iterations.
struct End<'a> {
    /// Note for its open iterations.
    iteration_note: &'a str,
    reason: StopReason,
    note: Option<&'a str>,
}

impl App {
    /// Releases what runs without a living owner hold, settles their iterations from their logs, and removes leftover processes.
    /// Waits for other writers; for callers that write themselves.
    pub(crate) fn recover(&self) -> Result<()> {
        self.recover_seeing(&self.look_at_runs()?)
    }

    /// The same for a run that is about to begin and holds the lock of a slot: whoever held it before is gone.
    pub(crate) fn recover_holding(&self, slot: u32) -> Result<()> {
        self.recover_seeing(&self.look_at_runs()?.with_own(slot))?;
        // Also of runs that this database has never heard of, such as one that was restored: the next run would have their numbers.
        self.sweep_unknown()
    }

    /// Ends leftovers of runs that are over or unknown to the database.
    pub(crate) fn sweep_unknown(&self) -> Result<()> {
        let known: Vec<RunId> = self.db.read(|r| r.run_owners())?.iter().map(|owner| owner.run).collect();
        self.sweep(&known, &known);
        Ok(())
    }

    fn recover_seeing(&self, locks: &RunLocks) -> Result<()> {
        if self.has_something_to_recover(locks)? {
            let heard = self.heard_of_dead(locks)?;
            self.recover_with(self.db.writer()?, locks, &heard)?;
        }
        self.keep_unrecovered(None);
        Ok(())
    }

    /// Ends a run if its process is gone; fails where that can't be stored.
    pub(crate) fn end_if_gone(&self, run: RunId) -> Result<()> {
        let owners = self.db.read(|r| r.run_owners())?;
        let is_gone = self.dead(&owners, &self.look_at(&owners)).iter().any(|owner| owner.run == run);
        if is_gone { self.recover() } else { Ok(()) }
    }

    /// As [`App::recover`], for whoever is about to change a task, if an iteration holds it: what was said about the task comes before
    /// changes to it. The look when the project was opened may have been skipped.
    pub(crate) fn recover_holder(&self, task: TaskId) -> Result<()> {
        if self.db.read(|r| r.running_iteration_of(task))?.is_some() { self.recover() } else { Ok(()) }
    }

    /// As [`App::recover`], for readers: skipped if somebody is writing, since no reader waits for a writer.
    pub(crate) fn try_recover(&self) -> Result<()> {
        let locks = &self.look_at_runs()?;
        let refused = if self.has_something_to_recover(locks)? { self.recover_if_free(locks)? } else { None };
        let gone = |fault: AppError| -> Result<Unrecovered> {
            let owners = self.db.read(|r| r.run_owners())?;
            Ok(Unrecovered { runs: self.dead(&owners, locks).iter().map(|owner| owner.run).collect(), why: (&fault).into() })
        };
        self.keep_unrecovered(refused.map(gone).transpose()?);
        Ok(())
    }

    /// Whether the last check was followed by the recovery.
    pub fn recovery(&self) -> Recovery {
        if self.unrecovered().is_none() { Recovery::Done } else { Recovery::Skipped }
    }

    /// Why it was not, if it was not.
    pub fn unrecovered(&self) -> Option<Unrecovered> {
        self.unrecovered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep_unrecovered(&self, unrecovered: Option<Unrecovered>) {
        *self.unrecovered.lock().unwrap_or_else(PoisonError::into_inner) = unrecovered;
    }

    /// Recovers if nobody is writing; returns what kept it from that.
    fn recover_if_free(&self, locks: &RunLocks) -> Result<Option<AppError>> {
        let refused = || Some(AppError::Db(self.db.refusal().unwrap_or(DbError::Busy)));
        if self.db.try_writer()?.is_none() {
            return Ok(refused());
        }
        // Read before the turn at writing is taken: nobody waits while a log is read.
        let recovered = self.heard_of_dead(locks).and_then(|heard| match self.db.try_writer()? {
            Some(writer) => self.recover_with(writer, locks, &heard).map(|()| None),
            None => Ok(refused()),
        });
        match recovered {
            Err(error) if error.is_of_the_place() => Ok(Some(error)),
            done => done,
        }
    }

    fn has_something_to_recover(&self, locks: &RunLocks) -> Result<bool> {
        let (owners, waiting) = self.db.read(|r| Ok::<_, AppError>((r.run_owners()?, r.waiting_events()?)))?;
        Ok(!waiting.is_empty() || !self.dead(&owners, locks).is_empty())
    }

    fn dead<'o>(&self, owners: &'o [RunOwner], locks: &RunLocks) -> Vec<&'o RunOwner> {
        let now = self.clock.now();
        owners.iter().filter(|owner| !lives(owner, locks, now)).collect()
    }

    /// What was said in the open iterations of runs whose owner is dead. Leftover processes end first, so that the evidence is complete.
    fn heard_of_dead(&self, locks: &RunLocks) -> Result<UnsettledCommits> {
        let owners = self.db.read(|r| r.run_owners())?;
        let dead: Vec<RunId> = self.dead(&owners, locks).iter().map(|owner| owner.run).collect();
        if !dead.is_empty() {
            let alive: Vec<RunId> = owners.iter().map(|owner| owner.run).filter(|run| !dead.contains(run)).collect();
            let known: Vec<RunId> = owners.iter().map(|owner| owner.run).collect();
            self.sweep(&alive, &known);
        }
        self.heard(&dead)
    }

    fn recover_with(&self, mut writer: Writer<'_>, locks: &RunLocks, heard: &UnsettledCommits) -> Result<()> {
        let now = self.clock.now();
        let released = heard.or_without(|heard| {
            writer.transaction(|tx| {
                // Checked while holding the write lock: another process may have been faster.
                let owners = tx.run_owners()?;
                let dead = self.dead(&owners, locks);
                for owner in &dead {
                    self.bury(tx, owner, heard, now)?;
                }
                Ok::<_, AppError>(dead.len())
            })
        })?;
        self.forget_heard(heard);
        if let Err(error) = self.flush_journal(&mut writer) {
            // The lines are queued in the database: nothing is lost, and the next write retries.
            tracing::warn!("the journal could not be written: {error}");
        }
        drop(writer);
        self.keep_staged_of(heard);
        if released > 0 {
            self.sweep_unknown()?;
        }
        Ok(())
    }

    /// Brings what was said in recovered iterations into the files of their branches: only through those does a merge by hand or another
    /// clone learn about it.
    fn keep_staged_of(&self, heard: &UnsettledCommits) {
        for iteration in heard.iterations() {
            let worktree = self.db.read(|r| branch_of(r, iteration));
            if let Err(error) = worktree.and_then(|worktree| worktree.map_or(Ok(()), |worktree| self.keep_staged(&worktree))) {
                tracing::warn!("what was learnt in iteration {iteration} is not in the file of its branch: {error}");
            }
        }
    }

    /// Ends processes that dead runs left, and those of runs that nobody knows; one that began since `known` was read is another process's.
    /// On a thread of its own: callers may or may not be inside a runtime.
    fn sweep(&self, alive: &[RunId], known: &[RunId]) {
        let began = |run| !known.contains(&run) && self.db.read(|r| r.run(run)).is_ok_and(|row| row.is_some_and(|row| row.ended.is_none()));
        let replica = self.db.read(|r| r.replica()).ok().flatten().unwrap_or_default();
        let swept = std::thread::scope(|scope| {
            let sweeper = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                let orphans = agent_cli::sweep_orphans(&self.paths.root, &replica, |run| alive.contains(&run) || began(run));
                Ok::<_, std::io::Error>(runtime.block_on(orphans))
            });
            sweeper.join()
        });
        match swept {
            Ok(Ok(killed)) if killed.is_empty() => {}
            Ok(Ok(killed)) => tracing::warn!("ended {} processes that a dead run had left", killed.len()),
            Ok(Err(error)) => tracing::warn!("processes of a dead run could not be looked for: {error}"),
            Err(_) => tracing::warn!("processes of a dead run could not be looked for"),
        }
    }

    /// Ends a run whose process is gone. If it had no room to record its own end, the record outside of the project counts; otherwise
    /// nothing is known about why it ended, nor about any time after its last heartbeat, however late it is found.
    fn bury(&self, tx: &Tx<'_>, dead: &RunOwner, heard: Option<&UnsettledCommits>, now: Timestamp) -> Result<()> {
        let replica = tx.replica()?.unwrap_or_default();
        if let Some(words) = self.outside.as_ref().and_then(|outside| outside.last_words(dead.slot, dead.run, &replica)) {
            let (note, ended) = (crate::secrets::wash::text(&words.note), Timestamp(words.at.0.min(now.0)));
            let end = End { iteration_note: &note, reason: words.reason, note: Some(&note) };
            return release(tx, dead.run, &end, heard, Times { ended, now });
        }
        let at = Timestamp(dead.heartbeat.0.min(now.0));
        let note = format!("its process ended at {} without telling why; what it worked on is free again", local_minute(at));
        let end = End { iteration_note: INTERRUPTED, reason: StopReason::Crashed, note: Some(&note) };
        release(tx, dead.run, &end, heard, Times { ended: at, now })
    }

    /// Records outside of the project how a run ended whose database no longer takes anything.
    pub(crate) fn keep_last_words(&self, run: RunId, slot: u32, reason: StopReason, note: &str) -> Result<()> {
        let Some(outside) = &self.outside else { return Ok(()) };
        let replica = self.db.read(|r| r.replica())?.unwrap_or_default();
        let words = LastWords { run, replica, reason, note: crate::secrets::wash::text(note), at: self.clock.now() };
        outside.keep_last_words(slot, &words).map_err(|source| AppError::io(&self.paths.root, source))
    }

    /// Ends a run of this process and releases what it still holds, even if its folder was moved meanwhile.
    pub(crate) fn release_run(&self, run: RunId, reason: StopReason, note: Option<&str>) -> Result<()> {
        let heard = self.heard(&[run])?;
        self.release_with(self.db.writer_of_opened()?, run, (reason, note), &heard)
    }

    /// Ends a run of this process whose folder is no longer where it was. The logs are with it, or kept for its restoration, so that what was
    /// said in its open iterations is heard by whoever opens the project next, wherever that stands.
    pub(crate) fn end_moved_run(&self, run: RunId, note: &str) -> Result<()> {
        let (now, note) = (self.clock.now(), crate::secrets::wash::text(note));
        self.db.writer_of_opened()?.transaction(|tx| {
            tx.end_run(run, StopReason::ProjectGone, Some(&note), now)?;
            result::keep(tx, run)
        })
    }

    /// The same as [`App::release_run`], without waiting.
    pub(crate) fn release_run_if_free(&self, run: RunId, reason: StopReason, note: &str) -> Result<()> {
        let heard = self.heard(&[run])?;
        let Some(writer) = self.db.try_writer()? else { return Err(DbError::Busy.into()) };
        self.release_with(writer, run, (reason, Some(note)), &heard)
    }

    fn release_with(&self, mut writer: Writer<'_>, run: RunId, end: (StopReason, Option<&str>), heard: &UnsettledCommits) -> Result<()> {
        let (now, (reason, note)) = (self.clock.now(), end);
        let note = note.map(crate::secrets::wash::text);
        let note = note.as_deref();
        let end = End { iteration_note: note.unwrap_or(INTERRUPTED), reason, note };
        heard.or_without(|heard| writer.transaction(|tx| release(tx, run, &end, heard, Times::at(now))))?;
        self.forget_heard(heard);
        if let Err(error) = self.flush_journal(&mut writer) {
            tracing::warn!("the journal could not be written: {error}");
        }
        drop(writer);
        self.keep_staged_of(heard);
        Ok(())
    }

    /// A run's heartbeat, unless somebody else is writing.
    pub(crate) fn beat(&self, run: RunId) -> Result<()> {
        let now = self.clock.now();
        let Some(mut writer) = self.db.try_writer()? else { return Ok(()) };
        writer.transaction(|tx| tx.beat(run, now))?;
        into_file(&writer);
        Ok(())
    }

    /// Stores the usage of an iteration, even if its folder was moved meanwhile.
    pub(crate) fn keep_last_usage(&self, iteration: IterationId, used: &Usage) -> Result<()> {
        Ok(self.db.writer_of_opened()?.transaction(|tx| tx.set_usage(iteration, used))?)
    }
}

/// Settles every open iteration of a run from what was said in it, as far as known, releases its task, and ends the run.
fn release(tx: &Tx<'_>, run: RunId, end: &End<'_>, heard: Option<&UnsettledCommits>, times: Times) -> Result<()> {
    for iteration in tx.running_iterations(run)? {
        // It may have begun after the last heartbeat.
        let ended = times.ended.max(iteration.started);
        if let Some(heard) = heard
            && heard.settle(tx, iteration.id, Times { ended, ..times })?
        {
            continue;
        }
        let settled = SettledIteration {
            id: iteration.id,
            outcome: Outcome::Interrupted,
            note: Some(end.iteration_note.to_owned()),
            usage: iteration.usage,
            denials: Vec::new(),
            evidence: Evidence::default(),
            exit_code: None,
            difficulty: None,
            next_model: None,
        };
        if tx.settle_iteration(&settled, ended)? && tx.task(iteration.task)?.is_some_and(|t| t.status == TaskStatus::InProgress) {
            set_task_status(tx, iteration.task, TaskStatus::Pending, None, times.now)?;
        }
    }
    tx.end_run(run, end.reason, end.note, times.ended)?;
    result::keep(tx, run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::running_by;
    use crate::clock::Clock;
    use crate::faults::testing::Kind;
    use crate::files::Readers;
    use ralph_core::signal::{AgentSignal, Ending, TranscriptEntry, TranscriptSignal};
    use ralph_core::task::{Priority, TaskPatch};

    /// A project whose run's process is gone, and whose agent had said that its task is done, and what it learnt.
    fn killed() -> (tempfile::TempDir, App) {
        let (folder, app) = running_by(4_000_000, Clock::system());
        app.write(|tx| Ok(tx.set_task_status(1, TaskStatus::InProgress, None, app.clock.now())?)).expect("is claimed");
        let text = "<learning category=\"pitfall\">The ledger service listens on port 4711</learning>\n<task-done></task-done>".to_owned();
        let end = AgentSignal::TurnEnded { ending: Ending::Completed, text: String::new(), usage: Usage::default(), denials: 0 };
        let line = |signal| {
            let entry = TranscriptEntry { at: app.clock.now(), signal: TranscriptSignal::Agent { signal } };
            serde_json::to_string(&entry).expect("has only strings and numbers") + "\n"
        };
        let log = [AgentSignal::Text { text }, end].map(line).concat();
        app.paths.files().write(&app.log_path(1), log.as_bytes(), Readers::Owner).expect("is written");
        (folder, app)
    }

    #[test]
    fn who_changes_the_task_of_a_killed_run_loses_nothing_that_its_agent_said() {
        let learnings = |app: &App| app.learnings(None, &[]).expect("reads").len();
        let (_folder, app) = killed();
        let patch = TaskPatch { priority: Some(Priority::High), ..TaskPatch::default() };
        let task = app.update_task(1, &patch).expect("is changed");
        assert_eq!((task.status, task.priority, learnings(&app)), (TaskStatus::Done, Priority::High, 1));

        let (_folder, app) = killed();
        app.put_back(&[1], None).expect_err("it is done");
        assert_eq!((app.task(1).expect("is there").task.status, learnings(&app)), (TaskStatus::Done, 1));
    }

    #[test]
    fn what_a_killed_agent_said_waits_for_room_whatever_is_asked_of_its_task() {
        let (_folder, app) = killed();
        let release = TaskPatch { status: Some(TaskStatus::Pending), ..TaskPatch::default() };
        app.faults.plan(Kind::Stays, 0);
        app.update_task(1, &release).expect_err("there is no room for what was said");
        assert!(app.faults.end());
        let outcome = app.db.read(|r| r.iteration(1)).expect("reads").expect("is there").outcome;
        assert_eq!(outcome, Outcome::Running, "its log is heard once there is");
    }

    #[test]
    fn who_looks_is_told_why_what_a_dead_run_holds_is_not_free() {
        let (_folder, app) = killed();
        app.faults.plan(Kind::Stays, 0);
        app.try_recover().expect("no reader fails of it");
        assert!(app.faults.end());
        let kept = app.unrecovered().expect("is kept");
        assert_eq!((kept.runs, &*kept.why.code, app.recovery()), (vec![1], "disk_full", Recovery::Skipped));

        let other = app.db.writer().expect("is free");
        app.try_recover().expect("no reader waits");
        assert_eq!(app.unrecovered().map(|kept| kept.why.code).as_deref(), Some("busy"));
        drop(other);
        app.try_recover().expect("is free");
        assert_eq!((app.unrecovered(), app.recovery()), (None, Recovery::Done));
    }
}
