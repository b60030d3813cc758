//! Dead ends: the work that an episode records was undone, so the episode is withdrawn. Found in the history, so it does not
//! matter who undid it, and when.

use crate::app::App;
use crate::error::Result;
use crate::knowledge::slice::Needs;
use git_repo::Repo;
use ralph_core::IterationId;
use ralph_core::learning::LearningSource;
use ralph_core::memory::{Episode, WithdrawalReason};
use ralph_core::run::Evidence;
use ralph_rag::learn::rests_on;
use std::collections::BTreeMap;

/// Newest episodes that are checked: older ones were kept for long enough.
const LOOKED_AT: usize = 50;
/// Later commits whose subjects are read.
const COMMITS: usize = 500;

impl App {
    /// Withdraws episodes whose commits were reverted or whose changes are gone, and returns those whose work is back.
    /// Returns the number of withdrawn ones.
    pub fn withdraw_dead_ends(&self) -> Result<u32> {
        let Some(repo) = self.repo.as_ref() else { return Ok(0) };
        let Some(head) = repo.head()? else { return Ok(0) };
        let mut withdrawn = 0;
        for (episode, evidence, in_worktree) in self.episodes_with_evidence()? {
            // Work on a branch has never been here before its merge, so nobody can have undone it.
            let landed = |after: &String| repo.is_ancestor(after, &head).unwrap_or(false);
            if in_worktree && !evidence.head_after.as_ref().is_some_and(landed) {
                continue;
            }
            let needs = Needs::default().and_memory(&episode.id);
            match (found(repo, &head, &evidence)?.behind(&episode), episode.withdrawn.is_some()) {
                (Standing::TakenBack(why), false) if !episode.kept => {
                    self.act(&needs, |draft| draft.withdraw(&episode.id, WithdrawalReason::DeadEnd, &why))?;
                    withdrawn += 1;
                }
                (Standing::Stands, true) => self.act(&needs, |draft| draft.return_by_rule(&episode.id))?,
                _ => {}
            }
        }
        Ok(withdrawn)
    }

    /// The same in the background: an error is logged, and existing data stays.
    pub(crate) fn withdraw_dead_ends_or_warn(&self) {
        if let Err(error) = self.withdraw_dead_ends() {
            tracing::warn!("automatic learning: dead ends were not looked for: {error}");
        }
    }

    /// Ralph's own episodes of this database's iterations, active or dead ends, newest first; each with its evidence, and whether
    /// that is in a worktree.
    fn episodes_with_evidence(&self) -> Result<Vec<(Episode, Evidence, bool)>> {
        self.db.read(|r| {
            let own = r.own()?.replica;
            let mut episodes = r.episodes(None)?;
            let in_question = |e: &Episode| e.withdrawn.as_ref().is_none_or(|w| w.because == WithdrawalReason::DeadEnd);
            episodes.retain(|e| in_question(e) && e.source == LearningSource::Auto && e.replica.as_ref() == Some(&own));
            let looked_at: Vec<Episode> = episodes.into_iter().rev().take(LOOKED_AT).collect();
            let ids: Vec<IterationId> = looked_at.iter().filter_map(|episode| episode.iteration).collect();
            let left: BTreeMap<IterationId, (Evidence, bool)> =
                r.iterations_by_id(&ids)?.into_iter().map(|row| (row.id, (row.evidence, row.worktree.is_some()))).collect();
            let left_by = |episode: &Episode| left.get(&episode.iteration?).cloned();
            Ok(looked_at.into_iter().filter_map(|episode| left_by(&episode).map(|(evidence, apart)| (episode, evidence, apart))).collect())
        })
    }
}

/// What became of an iteration's work.
enum Work {
    /// It is in force.
    Stands,
    /// Some or all of it was undone: each such part with the reason. Never empty.
    TakenBack(Vec<TakenBack>),
    /// Later work changed the same lines, another branch has it, or git can't tell.
    Unknown,
}

/// Work that is no longer in force.
struct TakenBack {
    why: String,
    /// The files that it had changed.
    files: Vec<String>,
}

/// What became of the work behind an episode.
enum Standing {
    Stands,
    /// With the reason.
    TakenBack(String),
    Unknown,
}

impl Work {
    /// What became of the part that an episode depends on: for a lesson from a failure what mended it, for any other the whole work.
    fn behind(self, episode: &Episode) -> Standing {
        match self {
            Work::Stands => Standing::Stands,
            Work::Unknown => Standing::Unknown,
            Work::TakenBack(parts) => {
                let part = parts.into_iter().find(|part| rests_on(&episode.lesson, &part.files).unwrap_or(true));
                part.map_or(Standing::Stands, |part| Standing::TakenBack(part.why))
            }
        }
    }
}

/// What became of the work of an iteration at `head`.
fn found(repo: &Repo, head: &str, evidence: &Evidence) -> Result<Work> {
    let (Some(before), Some(after)) = (&evidence.head_before, &evidence.head_after) else { return Ok(Work::Unknown) };
    if before == after || !repo.has_commit(before)? || !repo.has_commit(after)? {
        return Ok(Work::Unknown);
    }
    // It is elsewhere, because another branch or an older commit is checked out, and nobody has undone it.
    if !repo.is_ancestor(after, head)? && repo.is_referenced(after)? {
        return Ok(Work::Unknown);
    }
    let later = repo.commits_between(Some(after), Some(head), COMMITS)?;
    let split = |commit: &str| commit.split_once(' ').map(|(id, subject)| (id.to_owned(), subject.to_owned())).unwrap_or_default();
    let subjects: Vec<String> = later.iter().map(|commit| split(commit).1).collect();
    let changed = |from: &str, to: &str| -> Result<Vec<String>> {
        Ok(repo.changes_between(from, to)?.into_iter().map(|change| change.path).collect())
    };
    let mut reverted = Vec::new();
    for commit in &evidence.commits {
        let (id, subject) = split(commit);
        let parent = format!("{id}^");
        // Others have the same subject, so what this one changed must be gone, too.
        if is_reverted(&subject, &subjects) && repo.still_changes(&parent, &id, head)? != Some(true) {
            reverted.push(TakenBack { why: format!("commit {commit} was reverted"), files: changed(&parent, &id)? });
        }
    }
    if !reverted.is_empty() {
        return Ok(Work::TakenBack(reverted));
    }
    Ok(match repo.still_changes(before, after, head)? {
        Some(true) => Work::Stands,
        Some(false) => {
            let files = changed(before, after)?;
            let named = files.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
            Work::TakenBack(vec![TakenBack { why: format!("{named} without its changes"), files }])
        }
        None => Work::Unknown,
    })
}

/// Whether the latest that the history says about a commit, by its subject, is that it was reverted. `later` are the subjects since, the
/// newest first.
fn is_reverted(subject: &str, later: &[String]) -> bool {
    let reverted = format!("Revert \"{subject}\"");
    // What git calls the revert of a revert, before and since 2.43.
    let back = [format!("Revert \"{reverted}\""), format!("Reapply \"{subject}\"")];
    later.iter().find(|later| **later == reverted || back.contains(later)).is_some_and(|newest| *newest == reverted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_word_about_a_commit_decides() {
        let (revert, reapply, again) = ("Revert \"Fix\"", "Reapply \"Fix\"", "Revert \"Revert \"Fix\"\"");
        for (later, expected) in [
            (vec![], false),
            (vec!["work"], false),
            (vec![revert], true),
            (vec![reapply, "work", revert], false),
            (vec![again, revert], false),
            (vec![revert, again, revert], true),
            (vec!["Revert \"Fix more\""], false),
        ] {
            let later: Vec<String> = later.into_iter().map(str::to_owned).collect();
            assert_eq!(is_reverted("Fix", &later), expected, "{later:?}");
        }
    }
}
