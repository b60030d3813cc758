//! The episode of work on a task: recorded when its iteration ends or, for a worktree, once the base contains its
//! branch. Until then it is not visible to others.

use super::projector::perform;
use super::rules::Rules;
use super::slice::Needs;
use crate::error::Result;
use ralph_core::memory::Episode;
use ralph_core::run::{Evidence, Iteration, Outcome};
use ralph_core::settings::AutomaticLearning;
use ralph_core::worktree::Worktree;
use ralph_core::{IterationId, TaskId};
use ralph_rag::episode::{DoneIteration, episode_of, learns_work};
use sqlite_db::Tx;

/// Attempts that are searched for the previous one.
const ATTEMPTS: u32 = 50;

/// The episode of an iteration, and the row number of its task's current feature; `None` if that is gone, or its
/// journal must not be added to.
pub(crate) fn of_iteration(
    tx: &Tx<'_>,
    rules: Rules,
    (task, iteration): (TaskId, IterationId),
    evidence: &Evidence,
) -> Result<Option<(u32, Episode)>> {
    let Some(task) = tx.task(task)? else { return Ok(None) };
    let Some(feature) = tx.feature(&task.feature)? else { return Ok(None) };
    if tx.newer_journal(&feature.name)?.is_some() {
        return Ok(None);
    }
    let before = tx.attempts(task.id, ATTEMPTS)?.into_iter().find(|attempt| attempt.iteration < iteration);
    // An attempt that merely did not say how it ended is not known to have failed, and that is no lesson about the work.
    let failure = before.filter(|attempt| attempt.outcome != Outcome::NoSigil).and_then(|attempt| attempt.failure);
    let done = DoneIteration {
        feature: &feature.name,
        task: task.id,
        title: &task.title,
        iteration,
        replica: &tx.own()?.replica,
        evidence,
        failure: failure.as_ref().map(|failure| failure.why_it_failed.as_str()),
        now: rules.now,
    };
    Ok(Some((feature.id, episode_of(&done))))
}

/// Records the last completed work in a worktree, where automatic learning wants it: the base contains its branch.
pub(crate) fn land(tx: &Tx<'_>, worktree: &Worktree, rules: Rules, settings: &AutomaticLearning) -> Result<()> {
    let Some(task) = worktree.work.task() else { return Ok(()) };
    // The first iteration begins before its worktree is made, and none of an earlier worktree ends after that.
    let rows = tx.iterations_of_task(task, ATTEMPTS)?;
    let Some(row) = rows.into_iter().find(|row| row.ended >= Some(worktree.made) && is_confirmed(row)) else { return Ok(()) };
    if !learns_work(settings, &row.evidence) {
        return Ok(());
    }
    let Some((home, episode)) = of_iteration(tx, rules, (task, row.id), &row.evidence)? else { return Ok(()) };
    let own = |known: &Episode| known.iteration == Some(row.id) && known.replica == episode.replica;
    if tx.episodes(Some(home))?.iter().any(own) {
        return Ok(());
    }
    let needs = Needs::learnings([]).and_episodes_of(Some(home));
    perform(tx, rules, &needs, |draft| Ok(draft.tell_episode(episode)))?;
    Ok(())
}

/// Whether it completed its task there with more evidence than a claim: the same condition as that of the hook for the project's checkout.
fn is_confirmed(row: &Iteration) -> bool {
    let left = &row.evidence;
    let stands = left.check_passed() || !left.commits.is_empty();
    row.worktree.is_some() && row.outcome == Outcome::Done && !left.changed_files.is_empty() && stands
}
