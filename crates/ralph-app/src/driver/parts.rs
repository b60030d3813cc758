//! When the one commit of an iteration fails again and again: as much of it as can be, so that no word is lost for the fault of another.

use super::Driver;
use super::commit::harvest;
use crate::App;
use crate::error::Result;
use ralph_core::run::HookNote;
use ralph_core::run::hooks::{IterationCommit, RowEffect};
use ralph_core::view::Settings;
use std::sync::Arc;

/// Who wrote the note about what could not be stored.
const COMMIT: &str = "commit";

impl Driver {
    /// One commit; when that can't be, each learning by itself and then the rest; when that can't be either, outcome and task alone.
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
            // A learning that is stored already, by an earlier try, is only observed by the same iteration.
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
