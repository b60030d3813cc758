//! Failures that something mended after all: nobody is told any longer that "nothing mended it".

use crate::app::App;
use crate::error::Result;
use crate::knowledge::projector::perform;
use crate::knowledge::rules::Rules;
use crate::knowledge::slice::Needs;
use ralph_core::IterationId;
use ralph_core::learning::LearningSource;
use ralph_core::memory::{Episode, LessonType, WithdrawalReason};
use ralph_rag::learn::{is_answered, works_again};
use sqlite_db::Tx;

/// Whether an episode reports, by rule, a failure that nothing mended, and nobody has decided on it.
fn is_open(episode: &Episode) -> bool {
    episode.lesson_type == LessonType::Failure && episode.source == LearningSource::Auto && !episode.kept && episode.withdrawn.is_none()
}

/// Withdraws those of a feature or the project that a new lesson answers, since it says what mended them.
pub(super) fn withdraw_answered(tx: &Tx<'_>, rules: Rules, home: Option<u32>, lesson: &str, by: &str) -> Result<()> {
    for answered in tx.active_episodes(home)?.iter().filter(|episode| is_open(episode) && is_answered(&episode.lesson, lesson)) {
        let needs = Needs::default().and_memory(&answered.id);
        perform(tx, rules, &needs, |draft| draft.withdraw(&answered.id, WithdrawalReason::Replaced, by))?;
    }
    Ok(())
}

impl App {
    /// Withdraws those whose command worked in an iteration. Only this database's: what fails on another machine is not known to work there.
    pub(crate) fn withdraw_what_works(&self, worked: &[String], iteration: IterationId) -> Result<()> {
        if worked.is_empty() {
            return Ok(());
        }
        let open: Vec<Episode> = self.db.read(|r| {
            let own = r.own()?.replica;
            let mut episodes = r.active_failures()?;
            episodes.retain(|episode| is_open(episode) && episode.replica.as_ref() == Some(&own) && episode.iteration < Some(iteration));
            Ok::<_, crate::error::AppError>(episodes)
        })?;
        for works in open.iter().filter(|episode| worked.iter().any(|command| works_again(&episode.lesson, command))) {
            let since = format!("it works since iteration {iteration}");
            self.act(&Needs::default().and_memory(&works.id), |draft| draft.withdraw(&works.id, WithdrawalReason::Replaced, &since))?;
        }
        Ok(())
    }
}
