//! Hooks and settings of git that an agent changed: a merge would run them as its person.

use crate::app::App;
use crate::error::{AppError, Result};
use git_repo::{Hooks, Repo};
use ralph_core::notice::NoticeKind;
use ralph_core::run::GitRemark;
use std::sync::PoisonError;

impl App {
    /// Keeps what git runs by itself as a run begins. With others at work, that of their beginning stays: what their agents changed since
    /// is not a person's.
    pub(crate) fn keep_machinery(&self, others_at_work: bool) {
        let now = self.repo.as_ref().and_then(|repo| repo.machinery().ok());
        let mut kept = self.machinery.lock().unwrap_or_else(PoisonError::into_inner);
        if !others_at_work || kept.is_none() {
            *kept = now;
        }
    }

    /// Whether hooks run when Ralph makes a worktree or commits what an agent left, in the checkout of `repo`: not while any was changed
    /// since the run began, or a change waits for the person. The work on them counts too, where the repository has its hooks among its files.
    pub(crate) fn hooks_in(&self, repo: &Repo) -> Hooks {
        let kept = self.machinery.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_changed = kept.is_some_and(|kept| repo.machinery().ok().as_ref() != Some(&kept));
        if is_changed || self.nothing_planted().is_err() { Hooks::Skip } else { Hooks::Run }
    }

    /// Refuses a merge while what an agent changed of them stands before the person, who has not looked at it yet.
    pub(crate) fn nothing_planted(&self) -> Result<()> {
        for notice in self.notices(false)?.into_iter().filter(|notice| notice.kind == NoticeKind::GitHarm) {
            let Some(iteration) = notice.iteration else { continue };
            let Some(row) = self.db.read(|r| r.iteration(iteration))? else { continue };
            let planted = row.evidence.remarks.iter().find(|remark| matches!(remark, GitRemark::MachineryChanged { .. }));
            if let Some(remark) = planted {
                return Err(AppError::invalid(
                    "task",
                    format!("in iteration {iteration} {}, and a merge would run it as you", remark.in_words()),
                    format!("look at .git/hooks and .git/config; then `ralph notice dismiss {}`", notice.id),
                ));
            }
        }
        Ok(())
    }
}
