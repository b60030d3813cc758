//! What the agent of an errand did besides its work: in the project's own checkout, and to branches, history and machinery of the
//! repository. What it did in its own worktree is judged by whoever ordered it.

use crate::app::App;
use crate::driver::repository::OwnBefore;
use crate::error::Result;
use crate::notices::put_before_person;
use crate::review::planted::RunsByItself;
use crate::worktrees::checkout::Checkout;
use git_repo::{GitError, Repo, RepositoryState};
use ralph_core::TaskId;
use ralph_core::errand::ErrandId;
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::run::{GitRemark, harm_in_words};
use ralph_core::worktree::Work;
use std::collections::BTreeSet;
use std::path::Path;

/// The repository around an errand's worktree before its agent started.
pub(super) struct Around {
    repo: Repo,
    standing: Option<RepositoryState>,
    own: Option<OwnBefore>,
    machinery: Option<RunsByItself>,
}

impl App {
    /// A look at the repository before an errand's agent starts. What can't be read is not compared.
    pub(super) fn around_errand(&self, errand: ErrandId, checkout: &Checkout) -> Option<Around> {
        let repo = checkout.repo.clone()?;
        let standing = repo.standing().inspect_err(|fault| tracing::warn!("the repository can't be read: {fault}")).ok();
        let own = checkout.worktree.as_ref().and_then(|_| self.own_before(&self.snapshot_name(Work::Errand(errand)).ok()?));
        let machinery = self.runs_by_itself(&repo);
        Some(Around { repo, standing, own, machinery })
    }

    /// Puts before the person those findings that may have lost or exposed something, and returns everything that was found, in words.
    pub(super) fn tell_around(&self, errand: ErrandId, task: Option<TaskId>, checkout: &Checkout, before: &Around) -> Result<Vec<String>> {
        let planted = before.machinery.as_ref().map(|machinery| self.planted_since(&before.repo, machinery)).unwrap_or_default();
        self.tell_planted(errand, task, planted.machinery)?;
        let others = self.branches_of_others(checkout, &before.standing)?;
        let are_others = |folder: &Path| self.is_for_worktrees(folder);
        let became = before.standing.as_ref().map(|standing| elsewhere(&before.repo, standing, others, are_others));
        let became = became.unwrap_or(Ok(Vec::new())).unwrap_or_else(|fault| {
            tracing::warn!("the repository can't be read: {fault}");
            Vec::new()
        });
        let reached = before.own.as_ref().map_or_else(Vec::new, |own| self.reached(own));
        let remarks: Vec<GitRemark> = became.into_iter().chain(reached).chain(planted.settings).collect();
        if let Some((title, detail)) = harm_in_words(&format!("Errand {errand}"), &remarks) {
            let notice = NewNotice { task, ..NewNotice::new(NoticeKind::GitHarm, title, detail) };
            let now = self.clock.now();
            self.write(|tx| put_before_person(tx, notice, now))?;
        }
        Ok(remarks.iter().map(GitRemark::in_words).collect())
    }
}

/// What became of the repository apart from what the agent did on its own branch and in its own worktree.
fn elsewhere(
    repo: &Repo,
    before: &RepositoryState,
    mut others: BTreeSet<String>,
    are_others: impl Fn(&Path) -> bool,
) -> std::result::Result<Vec<GitRemark>, GitError> {
    others.extend(before.branch().map(str::to_owned));
    let after = repo.standing()?;
    let mut remarks = repo.what_became(before, &after, &others)?;
    remarks.extend(Repo::checkouts_gone(before, &after, are_others));
    remarks.retain(|remark| {
        !matches!(
            remark,
            GitRemark::BranchSwitched { .. }
                | GitRemark::HistoryMoved { branch: None, .. }
                | GitRemark::LeftBehind { .. }
                | GitRemark::Unfinished { .. }
        )
    });
    repo.hold_unreferenced(&remarks)?;
    Ok(remarks)
}
