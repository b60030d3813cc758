//! Recording episodes by rules or agents: those without content are rejected, and known ones are not repeated.

use crate::error::Result;
use crate::knowledge::projector::perform;
use crate::knowledge::rules::Rules;
use crate::knowledge::slice::Needs;
use ralph_core::MemoryId;
use ralph_core::learning::Verdict;
use ralph_core::memory::{Episode, WithdrawalReason};
use ralph_rag::relation::Relation;
use ralph_rag::words::Words;
use sqlite_db::Tx;

/// Records an episode of a feature (by row number), or of the project; a known one is observed again. A person's decision to
/// put it away holds.
pub(crate) fn admit(tx: &Tx<'_>, rules: Rules, home: Option<u32>, episode: Episode, deduplicate: bool) -> Result<(Verdict, MemoryId)> {
    if deduplicate {
        let words = Words::of(&episode.lesson);
        let same = |other: &&Episode| other.lesson == episode.lesson || words.relation(&Words::of(&other.lesson)) == Relation::Duplicate;
        let known = tx.episodes(home)?;
        if let Some(known) = known.iter().filter(|known| known.withdrawn.is_none()).find(same) {
            return Ok((Verdict::Observed, known.id.clone()));
        }
        let by_person = |known: &&Episode| known.withdrawn.as_ref().is_some_and(|w| w.because == WithdrawalReason::Person);
        if let Some(away) = known.iter().filter(by_person).find(same) {
            return Ok((Verdict::PutAway, away.id.clone()));
        }
    }
    let needs = Needs::default().and_episodes_of(home);
    let id = perform(tx, rules, &needs, |draft| Ok(draft.tell_episode(episode)))?;
    Ok((Verdict::Added, id))
}
