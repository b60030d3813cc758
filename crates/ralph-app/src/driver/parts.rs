//! When the single commit of an iteration keeps failing: stores as much of it as possible, so that one bad part does not lose the others.
//!
//! Not if the storage itself fails: what is small enough for a full disk would be stored, and the rest would be lost. Then the
//! iteration stays open, and whoever recovers it reads its log.

use super::Driver;
use super::commit::harvest;
use crate::app::App;
use crate::error::Result;
use ralph_core::run::HookNote;
use ralph_core::run::hooks::{IterationCommit, RowEffect};
use ralph_core::settings::Settings;
use std::sync::Arc;

/// Author of the note on what could not be stored.
const COMMIT: &str = "commit";

impl Driver {
    /// One commit; if that fails, each learning separately and then the rest; if that fails too, outcome and task alone.
    pub(super) async fn commit_whole_or_in_parts(&self, commit: IterationCommit) -> Result<()> {
        let (whole, prepared) = (commit.clone(), Arc::clone(&self.prepared));
        let failed = self.persistently(move |app| app.commit_iteration(whole.clone(), &prepared.settings)).await;
        let Err(error) = failed else { return Ok(()) };
        if error.is_of_the_place() {
            return Err(error);
        }
        tracing::error!("iteration {} could not be committed whole: {error}", commit.claim.iteration);
        let (prepared, reason) = (Arc::clone(&self.prepared), error.to_string());
        self.persistently(move |app| app.commit_in_parts(&commit, &prepared.settings, &reason)).await
    }
}

impl App {
    fn commit_in_parts(&self, commit: &IterationCommit, settings: &Settings, reason: &str) -> Result<()> {
        let now = self.clock.now();
        let note = |note: String| HookNote { hook: COMMIT.to_owned(), applied: true, note };
        let mut rest = IterationCommit { rows: Vec::new(), ..commit.clone() };
        rest.hooks.push(note(format!("not whole: {reason}")));
        for effect in &commit.rows {
            let RowEffect::Remember(candidate) = effect else {
                rest.rows.push(effect.clone());
                continue;
            };
            // A learning stored by an earlier attempt is only observed again by the same iteration.
            let answer = match self.write(|tx| harvest(tx, candidate, settings, now)) {
                Err(error) if error.is_of_the_place() => return Err(error),
                Err(error) => format!("not stored, its words are in the log: {error}"),
                Ok(answer) => answer,
            };
            rest.hooks.push(note(answer));
        }
        let Err(error) = self.commit_iteration(rest.clone(), settings) else { return Ok(()) };
        if error.is_of_the_place() {
            return Err(error);
        }
        tracing::error!("iteration {} is settled without its details: {error}", commit.claim.iteration);
        rest.rows.retain(|row| matches!(row, RowEffect::SetOutcome { .. } | RowEffect::SettleTask { .. }));
        rest.hooks.clear();
        self.commit_iteration(rest, settings)
    }
}

#[cfg(test)]
mod tests {
    use crate::actor::tests::{done, running_by};
    use crate::clock::Clock;
    use crate::error::AppError;
    use crate::faults::testing::Kind;
    use ralph_core::learning::NewLearning;
    use ralph_core::run::Outcome;
    use ralph_core::run::hooks::RowEffect;
    use ralph_core::task::{TaskKind, TaskStatus};
    use sqlite_db::DbError;

    #[test]
    fn a_lesson_that_a_full_disk_has_no_room_for_keeps_its_iteration_open() {
        let (_folder, app) = running_by(std::process::id(), Clock::system());
        let settings = app.settings().expect("are there");
        let lesson =
            NewLearning { iteration: Some(1), task_id: Some(1), ..NewLearning::new("pay", "The test database listens on port 5433") };
        let rows = vec![RowEffect::Remember(lesson), RowEffect::SettleTask { status: TaskStatus::Done, blocked_reason: None }];
        let commit = done(1, TaskKind::Work, rows);
        let outcome = || app.db.read(|r| r.iteration(1)).expect("reads").expect("is there").outcome;
        // There would be room for the rest.
        app.faults.plan(Kind::Error, 0);
        let failed = app.commit_in_parts(&commit, &settings, "a test");
        assert!(matches!(failed, Err(AppError::Db(DbError::DiskFull))), "{failed:?}");
        assert!(app.faults.end() && outcome() == Outcome::Running, "{:?}", outcome());

        app.commit_in_parts(&commit, &settings, "a test").expect("there is room again");
        assert_eq!((outcome(), app.learnings(None, &[]).expect("reads").len()), (Outcome::Done, 1));
    }

    #[test]
    fn what_was_said_is_left_away_only_where_it_can_not_be_stored_itself() {
        let (_folder, app) = running_by(std::process::id(), Clock::system());
        let heard = app.heard(&[1]).expect("hears");
        let without = |fault: fn() -> AppError| heard.or_without(|heard| heard.map_or(Ok(()), |_| Err(fault())));
        assert!(without(|| DbError::Constraint("CHECK".into()).into()).is_ok(), "nothing stays held for it");
        assert!(without(|| DbError::DiskFull.into()).is_err() && without(|| DbError::Damaged { path: "ralph.db".into() }.into()).is_err());
    }
}
