//! Hooks and settings of git that an agent changed: a merge would run them as its person.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::notices::put_before_person;
use git_repo::{Hooks, Machinery, PersonsSettings, Repo};
use ralph_core::errand::ErrandId;
use ralph_core::notice::{NewNotice, Notice, NoticeKind};
use ralph_core::run::{GitRemark, MACHINERY_CHANGED};
use ralph_core::{TaskId, count};
use serde::{Deserialize, Serialize};
use sqlite_db::Read;
use std::sync::PoisonError;

/// Hooks and settings that a remark names.
const NAMED: usize = 10;

/// What git runs by itself where an agent works, and in the project's own checkout, whose hooks also have a say in merges.
#[derive(Serialize, Deserialize)]
pub(crate) struct RunsByItself {
    #[serde(flatten)]
    here: Machinery,
    /// In the project's own checkout, where the agent works in another.
    #[serde(default)]
    project: Option<Machinery>,
    /// The person's settings for all repositories; `None` if they could not be read, or an earlier Ralph stored this.
    #[serde(default)]
    persons: Option<PersonsSettings>,
}

/// What an agent changed, as remarks.
#[derive(Default)]
pub(crate) struct Planted {
    /// Of what git runs by itself.
    pub machinery: Option<GitRemark>,
    /// Of the person's settings for all repositories.
    pub settings: Option<GitRemark>,
}

impl App {
    /// Records what git runs by itself as a run begins. With other runs at work, the record of their beginning stays: what their agents
    /// have changed since is not a person's.
    pub(crate) fn keep_machinery(&self, others_at_work: bool) {
        let now = self.repo.as_ref().and_then(|repo| repo.machinery().ok());
        let mut kept = self.machinery.lock().unwrap_or_else(PoisonError::into_inner);
        if !others_at_work || kept.is_none() {
            *kept = now;
        }
    }

    /// Whether hooks run when Ralph makes a worktree or commits what an agent left, in the checkout of `repo`: not while any was changed
    /// since the run began, or a change waits for the person. If the repository has its hooks among its files, the work on them counts too.
    pub(crate) fn hooks_in(&self, repo: &Repo) -> Hooks {
        let kept = self.machinery.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_changed = kept.is_some_and(|kept| repo.machinery().ok().as_ref() != Some(&kept));
        if is_changed || self.nothing_planted().is_err() { Hooks::Skip } else { Hooks::Run }
    }

    /// What git runs by itself in the checkout of `repo`, in which an agent is to work, and beside it; `None` if it can't be read.
    pub(crate) fn runs_by_itself(&self, repo: &Repo) -> Option<RunsByItself> {
        let project = self.repo.as_ref().filter(|own| own.root() != repo.root());
        let persons = repo.persons_settings().ok();
        Some(RunsByItself { here: repo.machinery().ok()?, project: project.and_then(|own| own.machinery().ok()), persons })
    }

    /// The remarks on what changed of it since `before`: what git runs by itself, and the person's settings for all repositories. The latter
    /// hold up no merge by Ralph, since some programs of the person's own write there. A repository that can't be read runs nothing.
    pub(crate) fn planted_since(&self, repo: &Repo, before: &RunsByItself) -> Planted {
        let Some(now) = self.runs_by_itself(repo) else { return Planted::default() };
        let mut changed = now.here.changed_since(&before.here, before.project.as_ref());
        if let (Some(now), Some(before), Some(own)) = (&now.project, &before.project, &self.repo) {
            let beside = now.changed_beside_since(before, own.root());
            // What all checkouts share is the same there.
            changed.extend(beside.into_iter().filter(|name| !changed.contains(name)).collect::<Vec<_>>());
        }
        let settings = now.persons.zip(before.persons.as_ref()).map_or_else(Vec::new, |(now, before)| now.changed_since(before));
        Planted {
            machinery: named(changed).map(|(what, more)| GitRemark::MachineryChanged { what, more }),
            settings: named(settings).map(|(what, more)| GitRemark::PersonsSettingsChanged { what, more }),
        }
    }

    /// Puts before the person what an errand's agent changed of what git runs by itself.
    pub(crate) fn tell_planted(&self, errand: ErrandId, task: Option<TaskId>, remark: Option<GitRemark>) -> Result<()> {
        let Some(remark) = remark else { return Ok(()) };
        let (title, detail) = (format!("Errand {errand}: {}", remark.in_words()), remark.way_back().unwrap_or_default());
        let notice = NewNotice { task, ..NewNotice::new(NoticeKind::MachineryChanged, title, detail) };
        let now = self.clock.now();
        self.write(|tx| put_before_person(tx, notice, now)).map(drop)
    }

    /// Refuses a merge while an agent's change to them waits for the person, who has not looked at it yet.
    pub(crate) fn nothing_planted(&self) -> Result<()> {
        for notice in self.notices(false)? {
            if let Some((what, way_back)) = self.db.read(|r| planted_by(r, &notice))? {
                let hint = format!("{way_back} (`ralph notice dismiss {}`)", notice.id);
                return Err(AppError::invalid("merge", format!("{what}, and it would run as you"), hint));
            }
        }
        Ok(())
    }
}

/// The names that a remark shows, and how many more there are; `None` without any.
fn named(mut what: Vec<String>) -> Option<(Vec<String>, u32)> {
    let more = count(what.len().saturating_sub(NAMED));
    what.truncate(NAMED);
    (!what.is_empty()).then_some((what, more))
}

/// Whether nothing is merged until a notice is settled.
pub(crate) fn holds_merges(r: &Read<'_>, notice: &Notice) -> Result<bool> {
    Ok(planted_by(r, notice)?.is_some())
}

/// The same as [`told_planted`], with the remarks of the notice's iteration.
fn planted_by(r: &Read<'_>, notice: &Notice) -> Result<Option<(String, String)>> {
    let remarks = match notice.iteration.filter(|_| notice.kind == NoticeKind::GitHarm) {
        Some(iteration) => r.iteration(iteration)?.map(|row| row.evidence.remarks).unwrap_or_default(),
        None => Vec::new(),
    };
    Ok(told_planted(notice, &remarks))
}

/// What a notice says about a change to what git runs by itself, and what a person can do about it; `None` if it is about something else.
/// `remarks` are those of the notice's iteration.
fn told_planted(notice: &Notice, remarks: &[GitRemark]) -> Option<(String, String)> {
    match (notice.kind, notice.iteration) {
        (NoticeKind::MachineryChanged, _) => Some((notice.title.clone(), notice.detail.clone())),
        (NoticeKind::GitHarm, Some(iteration)) => {
            let planted = remarks.iter().find(|remark| matches!(remark, GitRemark::MachineryChanged { .. }))?;
            Some((format!("in iteration {iteration} {}", planted.in_words()), planted.way_back().unwrap_or_default()))
        }
        // Rows from before there was a kind for it: only their words show it.
        (NoticeKind::GitHarm, None) if notice.title.contains(MACHINERY_CHANGED) => Some((notice.title.clone(), notice.detail.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::time::Timestamp;

    #[test]
    fn the_kind_of_a_notice_holds_up_a_merge_whatever_its_words_are() {
        let remark = GitRemark::MachineryChanged { what: vec!["hook pre-commit".to_owned()], more: 0 };
        let notice = |kind: NoticeKind, iteration, title: &str| {
            let NewNotice { run, task, title, detail, wish, .. } = NewNotice::new(kind, title, "");
            Notice { id: 1, kind, run, iteration, task, title, detail, wish, created: Timestamp(1), settled: None, accepted: None }
        };
        for (notice, remarks, holds) in [
            (notice(NoticeKind::MachineryChanged, None, "Errand 1: other words"), vec![], true),
            (notice(NoticeKind::GitHarm, None, "Errand 1: what git runs by itself was changed: hook pre-commit"), vec![], true),
            (notice(NoticeKind::GitHarm, None, "Errand 1: main was deleted"), vec![], false),
            (notice(NoticeKind::GitHarm, Some(4), "Iteration 4: other words"), vec![GitRemark::Unreadable, remark], true),
            (notice(NoticeKind::GitHarm, Some(4), "what git runs by itself was changed"), vec![GitRemark::Unreadable], false),
            (notice(NoticeKind::RalphFiles, None, "what git runs by itself was changed"), vec![], false),
        ] {
            assert_eq!(told_planted(&notice, &remarks).is_some(), holds, "{notice:?}");
        }
    }

    #[test]
    fn what_a_killed_run_had_stored_is_read_again_and_what_an_earlier_ralph_had_too() {
        let (own, side) = ["own", "side"].map(|name| format!("{{\"apart\":{{\"hook {name}\":\"1\"}},\"hooks\":{{}}}}")).into();
        let read = |text: &str| serde_json::from_str::<RunsByItself>(text).expect("is read");
        let stored = RunsByItself { project: Some(read(&own).here), ..read(&side) };
        let again = read(&serde_json::to_string(&stored).expect("is stored"));
        assert_eq!((&again.here, &again.project), (&stored.here, &stored.project));
        assert!(read("{\"apart\":{\"hook x\":\"1\"},\"tracked\":{\"hook y\":\"2\"}}").project.is_none());
    }
}
