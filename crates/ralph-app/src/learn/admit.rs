//! Recording episodes by rules or agents: those without content are rejected, and known ones are not repeated.

use crate::error::Result;
use crate::knowledge::projector::perform;
use crate::knowledge::rules::Rules;
use crate::knowledge::slice::Needs;
use ralph_core::MemoryId;
use ralph_core::learning::Verdict;
use ralph_core::memory::{Episode, WithdrawalReason};
use ralph_core::replica::IterationRef;
use ralph_rag::relation::Relation;
use ralph_rag::words::Words;
use sqlite_db::Tx;

/// Adds an episode to a feature, by its row number, or to the project. A known one is observed instead, with more confidence if another
/// iteration learnt it; one that a person put away stays away.
pub(crate) fn admit(tx: &Tx<'_>, rules: Rules, home: Option<u32>, episode: Episode, deduplicate: bool) -> Result<(Verdict, MemoryId)> {
    admit_beside(tx, rules, home, episode, |_| deduplicate)
}

/// The same, compared with those episodes that `counts` tells.
pub(super) fn admit_beside(
    tx: &Tx<'_>,
    rules: Rules,
    home: Option<u32>,
    episode: Episode,
    counts: impl Fn(&Episode) -> bool,
) -> Result<(Verdict, MemoryId)> {
    let words = Words::of(&episode.lesson);
    let same = |other: &&Episode| other.lesson == episode.lesson || words.relation(&Words::of(&other.lesson)) == Relation::Duplicate;
    let mut known = tx.episodes(home)?;
    known.retain(counts);
    if let Some(known) = known.iter().filter(|known| known.withdrawn.is_none()).find(same) {
        let seen = episode.iteration.map(|iteration| IterationRef { replica: episode.replica.clone(), iteration });
        if let Some(seen) = seen.filter(|seen| !known.comes_from(seen)) {
            perform(tx, rules, &Needs::default().and_memory(&known.id), |draft| draft.see_episode_again(&known.id, seen))?;
        }
        return Ok((Verdict::Observed, known.id.clone()));
    }
    let by_person = |known: &&Episode| known.withdrawn.as_ref().is_some_and(|w| w.because == WithdrawalReason::Person);
    if let Some(away) = known.iter().filter(by_person).find(same) {
        return Ok((Verdict::PutAway, away.id.clone()));
    }
    let needs = Needs::default().and_episodes_of(home);
    let id = perform(tx, rules, &needs, |draft| Ok(draft.tell_episode(episode)))?;
    Ok((Verdict::Added, id))
}
