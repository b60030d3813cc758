//! What a check command is given to judge. Many clean or reset the folder that they run in: work that a check removes is saved and
//! reported, and a check that passes with none of the work left has judged nothing.

use super::kept_aside::{kept_aside, named};
use crate::app::App;
use crate::worktrees::checkout::Checkout;
use git_repo::{GitError, KeptWork, Repo, RepositoryState, Snapshot};
use ralph_core::IterationId;
use ralph_core::run::{CheckResult, Evidence, GitRemark};
use std::collections::BTreeSet;
use std::path::Path;

/// Last line of the output of a check that left nothing to land.
const TOOK_ALL: &str = "error: the check took away all of the work that it was to judge";

/// A checkout between the agent and the check.
pub(crate) struct Judged {
    snapshot: Snapshot,
    standing: RepositoryState,
    /// What the agent left uncommitted.
    kept: Option<KeptWork>,
}

impl App {
    /// Looks at the work before its check runs, and keeps aside what is not committed. In an unreadable repository there is nothing to
    /// compare with, which is no reason not to check.
    pub(super) fn before_check(&self, checkout: &Checkout, before: Option<&Snapshot>, iteration: IterationId) -> Option<Judged> {
        let (repo, before) = (checkout.repo.as_ref()?, before?);
        let looked = || Ok::<_, GitError>((repo.snapshot()?, repo.standing()?));
        let (snapshot, standing) =
            looked().inspect_err(|fault| tracing::warn!("the repository can't be read before the check: {fault}")).ok()?;
        let is_uncommitted = snapshot.uncommitted_since(before).next().is_some();
        let kept = if is_uncommitted { self.keep_aside(repo, &snapshot, &iteration.to_string()) } else { None };
        Some(Judged { snapshot, standing, kept })
    }
}

impl Judged {
    /// What the check removed of the agent's work; if that is nothing, the saved copy is forgotten. `before` is as of the agent's
    /// start.
    pub(super) fn taken(
        &self,
        repo: &Repo,
        before: &Snapshot,
        (now, standing): (&Snapshot, &RepositoryState),
        others: &BTreeSet<String>,
    ) -> Result<Vec<GitRemark>, GitError> {
        let mut taken = repo.what_became(&self.standing, standing, others)?;
        taken.retain(|remark| !remark.unreferenced().is_empty());
        repo.hold_unreferenced(&taken)?;
        let left: Vec<&Path> = self.snapshot.uncommitted_since(before).collect();
        let (gone, more) = named(repo.uncommitted_work(&self.snapshot, now, left)?.gone);
        match &self.kept {
            Some(kept) if gone.is_empty() => repo.forget(kept)?,
            Some(kept) => repo.keep_on(&kept.name, &kept.commit)?,
            None => {}
        }
        if !gone.is_empty() {
            let (name, left_out) = self.kept.as_ref().map_or((None, &[][..]), |kept| (Some(&kept.name), &kept.left_out[..]));
            taken.push(GitRemark::WorkGone { kept: kept_aside(repo, &gone, name, left_out), paths: gone, more });
        }
        Ok(taken)
    }
}

/// A check's result, given what it left: if it removed everything, passing is not a pass.
pub(super) fn of_what_is_left(check: Option<CheckResult>, left: &Evidence, took: bool) -> Option<CheckResult> {
    let mut check = check?;
    if check.passed && took && left.commits.is_empty() && left.changed_files.is_empty() {
        check.passed = false;
        check.output_tail = format!("{}\n{TOOK_ALL}", check.output_tail.trim_end());
    }
    Some(check)
}
