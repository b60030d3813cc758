//! Landing: the base moves to the checked result of a merge, or nothing does.

use super::merge::{LandOutcome, Merging, done, first_lines, refused};
use crate::app::App;
use crate::error::Result;
use git_repo::{Landing as LandingResult, Repo};
use ralph_core::worktree::{Landing, RefusalKind, WorktreeState};
use std::path::Path;

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
            return Err(self.refuse(merging, RefusalKind::CheckFailed, &message, Vec::new())?);
        }
        let wrong = self.faults_of_landing(worktree, repo, from, to)?;
        if !wrong.is_empty() {
            let message = format!("what it would bring does not hold: {}", wrong.join("; "));
            return Err(self.refuse(merging, RefusalKind::CheckFailed, &message, Vec::new())?);
        }
        let holds = |place: &String| {
            Repo::discover(Path::new(place)).is_ok_and(|found| found.branch().ok().flatten().as_ref() == Some(&worktree.base))
        };
        if let Some(place) = self.db.read(|r| r.places_at_work())?.into_iter().find(holds) {
            let message = format!("an agent works in {place}, where '{}' is checked out", worktree.base);
            return Err(self.refuse(merging, RefusalKind::AtWork, &message, Vec::new())?);
        }
        let landing = Landing { from: from.to_owned(), to: Some(to.to_owned()) };
        self.change_worktree(worktree.id, |worktree| worktree.landing = Some(landing.clone()))?;
        self.faults.point()?;
        let landed = match repo.land(&worktree.base, from, to) {
            Ok(LandingResult::Killed) => return self.after_kill(merging, &landing, "git was killed"),
            // It took too long, and was killed for that; or what it had written could not be taken back.
            Err(fault) => return self.after_kill(merging, &landing, &first_lines(&fault.to_string())),
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
                return Err(self.refuse(merging, RefusalKind::InTheWay, &message, files)?);
            }
            LandingResult::Refused { checkout, message } => {
                let place = checkout.map_or(String::new(), |checkout| format!(" ({})", checkout.display()));
                let message = format!("git refused to move '{}'{place}: {}", worktree.base, first_lines(&message));
                return Err(self.refuse(merging, RefusalKind::ByGit, &message, Vec::new())?);
            }
        }
        self.faults.point()?;
        let Some(now) = repo.branch_tip(&worktree.base)? else { return Ok(LandOutcome::Again) };
        let contained = repo.is_ancestor(to, &now)?;
        Ok(if contained { LandOutcome::Done } else { LandOutcome::Again })
    }

    /// What becomes of a landing in which git ended before its time: completed or taken back, as after a kill of Ralph.
    fn after_kill(&self, merging: &Merging, landing: &Landing, why: &str) -> Result<LandOutcome> {
        self.end_merge(&merging.worktree, landing)?;
        let worktree = self.worktree_of(merging.worktree.work)?;
        if worktree.state == WorktreeState::Merged {
            return Ok(LandOutcome::Found(done(&merging.repo, &worktree)?));
        }
        let message = format!("{why} while '{}' was moved", worktree.base);
        if worktree.landing.is_some() {
            // Something is still at work there: taken back by looking, once it has ended.
            return Err(refused(worktree.work, RefusalKind::ByGit, message, Vec::new()));
        }
        Err(self.refuse(merging, RefusalKind::ByGit, &format!("{message}; what it had written is taken back"), Vec::new())?)
    }
}

fn last_line(text: &str) -> &str {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing")
}
