//! Hooks and settings of git that an agent changed: a merge would run them as its person.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::notices::put_before_person;
use git_repo::{Hooks, Machinery, Repo};
use ralph_core::TaskId;
use ralph_core::errand::ErrandId;
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::run::GitRemark;
use std::sync::PoisonError;

/// Hooks and settings that a remark names.
const NAMED: usize = 10;

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

    /// Puts before the person what git runs by itself in `repo` and the agent of an errand changed, as `before` tells.
    pub(crate) fn tell_planted(&self, errand: ErrandId, task: Option<TaskId>, place: Option<(&Repo, &Machinery)>) -> Result<()> {
        let Some((repo, before)) = place else { return Ok(()) };
        // An unreadable repository runs nothing.
        let Some(remark) = repo.machinery().ok().and_then(|now| remark_of(now.changed_since(before))) else { return Ok(()) };
        let detail = "Until you have looked at .git/hooks and .git/config and dismissed this, Ralph merges nothing, which would run it.";
        let notice = NewNotice { task, ..NewNotice::new(NoticeKind::GitHarm, format!("Errand {errand}: {}", remark.in_words()), detail) };
        let now = self.clock.now();
        self.write(|tx| put_before_person(tx, notice, now)).map(drop)
    }

    /// Refuses a merge while what an agent changed of them stands before the person, who has not looked at it yet.
    pub(crate) fn nothing_planted(&self) -> Result<()> {
        for notice in self.notices(false)?.into_iter().filter(|notice| notice.kind == NoticeKind::GitHarm) {
            let hint = format!("look at .git/hooks and .git/config; then `ralph notice dismiss {}`", notice.id);
            let Some(iteration) = notice.iteration else {
                return Err(AppError::invalid("task", format!("{}, and a merge would run it as you", notice.title), hint));
            };
            let Some(row) = self.db.read(|r| r.iteration(iteration))? else { continue };
            let planted = row.evidence.remarks.iter().find(|remark| matches!(remark, GitRemark::MachineryChanged { .. }));
            if let Some(remark) = planted {
                return Err(AppError::invalid(
                    "task",
                    format!("in iteration {iteration} {}, and a merge would run it as you", remark.in_words()),
                    hint,
                ));
            }
        }
        Ok(())
    }
}

/// The remark on hooks and settings that somebody changed; `None` without any.
pub(crate) fn remark_of(mut changed: Vec<String>) -> Option<GitRemark> {
    let more = u32::try_from(changed.len().saturating_sub(NAMED)).unwrap_or(u32::MAX);
    changed.truncate(NAMED);
    (!changed.is_empty()).then_some(GitRemark::MachineryChanged { what: changed, more })
}
