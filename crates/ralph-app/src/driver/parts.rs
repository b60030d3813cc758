//! When the single commit of an iteration keeps failing: stores as much of it as possible, so that one bad part does not lose the others.

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
            let answer = self.write(|tx| harvest(tx, candidate, settings, now));
            rest.hooks.push(note(answer.unwrap_or_else(|error| format!("not stored, its words are in the log: {error}"))));
        }
        let Err(error) = self.commit_iteration(rest.clone(), settings) else { return Ok(()) };
        tracing::error!("iteration {} is settled without its details: {error}", commit.claim.iteration);
        rest.rows.retain(|row| matches!(row, RowEffect::SetOutcome { .. } | RowEffect::SettleTask { .. }));
        rest.hooks.clear();
        self.commit_iteration(rest, settings)
    }
}
