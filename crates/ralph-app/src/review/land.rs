//! Landing: the base moves to the checked result of a merge, or nothing does.

use super::join::SHORT;
use super::merge::{LandOutcome, done, refused};
use super::merging::{Merging, first_lines};
use crate::app::App;
use crate::error::Result;
use git_repo::{Landing as LandingResult, Repo, real_path};
use ralph_core::text::in_shell;
use ralph_core::worktree::{RefusalKind, WorktreeState};
use std::path::{Path, PathBuf};

impl App {
    /// Moves the base to the checked result.
    pub(super) fn land_result(&self, mut merging: Merging, from: &str, to: &str) -> Result<(Merging, LandOutcome)> {
        let landed = self.land(&mut merging, from, to);
        let landed = self.told(&merging, landed)?;
        Ok((merging, landed))
    }

    fn land(&self, merging: &mut Merging, from: &str, to: &str) -> Result<LandOutcome> {
        let (worktree, repo) = (&merging.worktree, &merging.repo);
        if let Some(check) = merging.check.clone().filter(|check| !check.passed) {
            let message = format!("the check did not pass on the merged result: {}", last_line(&check.output_tail));
            return self.refuse(merging, RefusalKind::CheckFailed, &message);
        }
        let wrong = self.faults_of_landing(worktree, repo, from, to)?;
        if !wrong.is_empty() {
            let message = format!("what it would bring does not hold: {}", wrong.join("; "));
            return self.refuse(merging, RefusalKind::CheckFailed, &message);
        }
        let holders = self.repository_for("task")?.holders(&worktree.base)?;
        let holders: Vec<PathBuf> = holders.iter().filter_map(|holder| real_path(&holder.path).ok()).collect();
        let holds = |place: &String| {
            Repo::discover(Path::new(place)).is_ok_and(|found| real_path(found.root()).is_ok_and(|root| holders.contains(&root)))
        };
        if let Some(place) = self.db.read(|r| r.places_at_work())?.into_iter().find(holds) {
            let message = format!("an agent works in {place}, where '{}' is checked out", worktree.base);
            return self.refuse(merging, RefusalKind::AtWork, &message);
        }
        if !self.is_as_checked(merging, to)? {
            merging.kept = self.leave(merging)?.or(merging.kept.take());
            return Ok(LandOutcome::Again);
        }
        self.faults.point()?;
        let begins = || self.change_landing(worktree, |landing| landing.waits = false);
        // If git's folder is separate from it, the project's own checkout can be found only from itself.
        let landed = match self.repository_for("task")?.land(&worktree.base, from, to, begins) {
            Ok(LandingResult::Killed) => return self.after_kill(merging, "git was killed"),
            // It took too long and was killed, or what it had written could not be rolled back.
            Err(fault) => return self.after_kill(merging, &first_lines(&fault.to_string())),
            Ok(landed) => landed,
        };
        match landed {
            LandingResult::Landed | LandingResult::Killed => {}
            LandingResult::BaseMoved => {
                merging.kept = self.leave(merging)?.or(merging.kept.take());
                return Ok(LandOutcome::Again);
            }
            LandingResult::InTheWay { checkout, files } => {
                let message = format!("uncommitted work in {} would be lost: {}", checkout.display(), files.join(", "));
                return self.refuse_naming(merging, RefusalKind::InTheWay, &message, files);
            }
            LandingResult::Refused { checkout, message } => {
                let place = checkout.map_or(String::new(), |checkout| format!(" ({})", checkout.display()));
                let message = format!("git refused to move '{}'{place}: {}", worktree.base, first_lines(&message));
                return self.refuse(merging, RefusalKind::ByGit, &message);
            }
        }
        self.faults.point()?;
        let Some(now) = repo.branch_tip(&worktree.base)? else { return Ok(LandOutcome::Again) };
        let contained = repo.is_ancestor(to, &now)?;
        Ok(if contained { LandOutcome::Done } else { LandOutcome::Again })
    }

    /// Whether the branch of the work and what is checked out in its worktree are still what was checked. Refuses where somebody committed
    /// there on no branch: that is neither checked nor part of the work.
    fn is_as_checked(&self, merging: &Merging, to: &str) -> Result<bool> {
        let (worktree, repo) = (&merging.worktree, &merging.repo);
        let tip = self.db.read(|r| r.worktree(worktree.id))?.and_then(|stored| stored.landing?.tip);
        let (branch, head) = (repo.branch()?, repo.head()?.unwrap_or_default());
        if branch.is_none() && head != to {
            let [since, last] = [to, &head].map(|commit| commit.get(..SHORT).unwrap_or(commit));
            let message = format!(
                "{since}..{last} was committed in {} on no branch while the merge was checked; it is held, and `git -C {} cherry-pick {since}..{last}` brings it to '{}'",
                worktree.path,
                in_shell(&worktree.path),
                worktree.branch
            );
            return self.refuse(merging, RefusalKind::ByGit, &message);
        }
        Ok(branch.is_none() && repo.branch_tip(&worktree.branch)? == tip)
    }

    /// Completes or rolls back a landing in which git ended early, as after a kill of Ralph.
    fn after_kill(&self, merging: &Merging, why: &str) -> Result<LandOutcome> {
        if let Some(landing) = self.worktree_of(merging.worktree.work)?.landing {
            self.end_merge(&merging.worktree, &landing)?;
        }
        let worktree = self.worktree_of(merging.worktree.work)?;
        if worktree.state == WorktreeState::Merged {
            return Ok(LandOutcome::Found(done(&merging.repo, &worktree)?));
        }
        let message = format!("{why} while '{}' was moved", merging.worktree.base);
        if worktree.landing.is_some() {
            // Something is still at work there: recovery rolls it back once that has ended.
            return Err(refused(worktree.work, RefusalKind::ByGit, message));
        }
        self.refuse(merging, RefusalKind::ByGit, &format!("{message}; what it had written is taken back"))
    }
}

fn last_line(text: &str) -> &str {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing")
}
