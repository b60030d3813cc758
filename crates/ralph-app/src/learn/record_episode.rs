//! Recording episodes by rules or agents: known ones are not repeated.

use crate::error::Result;
use crate::knowledge::door;
use crate::knowledge::projector::perform;
use crate::knowledge::rules::Rules;
use crate::knowledge::slice::Needs;
use ralph_core::MemoryId;
use ralph_core::learning::Verdict;
use ralph_core::memory::Episode;
use ralph_core::replica::IterationRef;
use ralph_rag::act::words_of_episode;
use ralph_rag::episode::{Meeting, meets};
use sqlite_db::Tx;

/// Adds an episode to a feature, by its row number, or to the project. If it is known already, the known one is observed instead: an
/// episode gains confidence if another iteration learnt it, and a learning counts an observation; what was put away stays away.
pub(super) fn record_episode(
    tx: &Tx<'_>,
    rules: Rules,
    home: Option<u32>,
    episode: Episode,
    deduplicate: bool,
) -> Result<(Verdict, MemoryId)> {
    let (verdict, id) = record_beside(tx, rules, home, episode, |_| deduplicate)?;
    // A learning that waits for room holds the lesson, too.
    Ok((if verdict == Verdict::Parked { Verdict::Observed } else { verdict }, id))
}

/// The same, compared only with the episodes for which `counts` is true.
pub(super) fn record_beside(
    tx: &Tx<'_>,
    rules: Rules,
    home: Option<u32>,
    episode: Episode,
    counts: impl Fn(&Episode) -> bool,
) -> Result<(Verdict, MemoryId)> {
    if let Some(answer) = door::answer(tx, rules, &words_of_episode(&episode))? {
        return Ok(answer);
    }
    let mut known = tx.episodes(home)?;
    known.retain(counts);
    match meets(&known, &episode) {
        Meeting::Known(known) => {
            let seen = episode.iteration.map(|iteration| IterationRef { replica: episode.replica.clone(), iteration });
            if let Some(seen) = seen.filter(|seen| !known.comes_from(seen)) {
                perform(tx, rules, &Needs::default().and_memory(&known.id), |draft| draft.see_episode_again(&known.id, seen))?;
            }
            Ok((Verdict::Observed, known.id.clone()))
        }
        Meeting::PutAway(away) => Ok((Verdict::PutAway, away.id.clone())),
        Meeting::New => {
            let needs = Needs::default().and_episodes_of(home);
            let id = perform(tx, rules, &needs, |draft| Ok(draft.tell_episode(episode)))?;
            Ok((Verdict::Added, id))
        }
    }
}
