//! Git evidence of an iteration: the repository before the agent started, the snapshot, and the changes.

use super::judged::Judged;
use super::kept_aside::{NAMED_FILES, kept_aside, named};
use crate::app::App;
use crate::error::{AppError, Result};
use crate::review::planted::RunsByItself;
use crate::worktrees::checkout::Checkout;
use git_repo::{GitError, KeptWork, Repo, RepositoryState, Snapshot, at_a_limit, path_from_text, path_to_text};
use ralph_core::IterationId;
use ralph_core::limits;
use ralph_core::run::{Evidence, GitRemark};
use ralph_core::text::{listed, on_one_line};
use ralph_core::time::Timestamp;
use ralph_rag::clean::clean;
use serde::{Deserialize, Serialize};
use sqlite_db::table::RecentChanges;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of an iteration's commits that are searched for secrets: more is generated or vendored.
const SEARCHED_BYTES: usize = 2 * 1_048_576;
/// Age of a look at the project's own checkout that still tells what an agent elsewhere found there: its lane has just looked, at the end
/// of its last one, and what a person does meanwhile is reported as done during the agent's work.
const OWN_LOOK_MILLIS: u64 = 500;
/// Iterations whose files are recognized as the loop's own: weeks of it. Reading them takes some milliseconds.
const OWN_ITERATIONS: u32 = 2_000;

/// A repository before the agent started.
#[derive(Serialize, Deserialize)]
pub(super) struct RepoBefore {
    snapshot: Snapshot,
    standing: RepositoryState,
    /// Name of the snapshot.
    kept: Option<String>,
    /// Its commit.
    #[serde(default)]
    kept_commit: Option<String>,
    /// What the snapshot does not hold.
    #[serde(default)]
    left_out: Vec<String>,
    /// Uncommitted files of a person, as texts of [`path_to_text`].
    persons: Vec<String>,
    /// The project's own checkout, if the agent works in another.
    #[serde(default)]
    own: Option<OwnBefore>,
    /// What git would run by itself; `None` if it could not be read.
    #[serde(default, rename = "runs_by_itself")]
    machinery: Option<RunsByItself>,
}

/// The project's own checkout before an agent started in a worktree.
#[derive(Serialize, Deserialize)]
pub(crate) struct OwnBefore {
    #[serde(flatten)]
    snapshot: Snapshot,
    #[serde(default)]
    branch: Option<String>,
    /// Name of the snapshot of it: a person's work is as close to that agent as its own.
    #[serde(default)]
    kept: Option<String>,
    /// What the snapshot of it does not hold.
    #[serde(default)]
    left_out: Vec<String>,
}

/// What an iteration left in the repository.
pub(super) struct Found {
    pub evidence: Evidence,
    /// Whether all of it is committed.
    pub committed: bool,
    /// Whether the check took some of it away.
    pub check_took: bool,
    /// The files of its commits, in the project's own checkout: also those that a later one took out again.
    pub of_commits: BTreeSet<PathBuf>,
}

impl RepoBefore {
    /// Commit and changed files before the agent started.
    pub(super) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Evidence available at the start.
    pub(super) fn evidence(&self) -> Evidence {
        Evidence { head_before: self.snapshot.head().map(str::to_owned), snapshot: self.kept.clone(), ..Evidence::default() }
    }
}

impl App {
    /// Inspects the repository before the agent starts, and takes a snapshot of uncommitted work.
    ///
    /// # Errors
    /// If what is not committed can't be seen or, where it may be a person's, kept: an agent could take it away for good, unseen.
    pub(super) fn repo_before(&self, checkout: &Checkout, iteration: IterationId) -> Result<Option<RepoBefore>> {
        let Some(repo) = checkout.repo.as_ref() else { return Ok(None) };
        let looked = || Ok::<_, GitError>((repo.snapshot()?, repo.standing()?));
        let (snapshot, standing) = looked().map_err(|fault| out_of_sight(repo, "seen", &fault))?;
        let kept = if snapshot.is_dirty() { Some(self.keep(repo, &snapshot, &iteration.to_string())) } else { None };
        let kept = match kept {
            Some(Err(fault)) if checkout.worktree.is_none() => return Err(out_of_sight(repo, "kept aside", &fault)),
            kept => kept.and_then(kept_or_warn),
        };
        let place = checkout.worktree.as_ref().map(|place| place.to_string_lossy());
        let oldest = snapshot.uncommitted().filter_map(|(_, changed)| time_of(changed)).min();
        let own = oldest.map(|oldest| self.db.read(|r| r.changes_since(oldest, place.as_deref(), OWN_ITERATIONS))).transpose();
        let own = own.ok().flatten().unwrap_or_default();
        let persons = snapshot.uncommitted().filter(|(path, changed)| !is_the_loop_s(path, *changed, &own));
        let persons = persons.map(|(path, _)| path_to_text(path)).collect();
        let (kept, kept_commit, left_out) = kept.map_or_else(Default::default, |it| (Some(it.name), Some(it.commit), it.left_out));
        let own = checkout.worktree.as_ref().and_then(|_| self.own_before(&iteration.to_string()));
        let machinery = self.runs_by_itself(repo);
        Ok(Some(RepoBefore { snapshot, standing, kept, kept_commit, left_out, persons, own, machinery }))
    }

    /// The project's own checkout, with its uncommitted work kept aside under a name; once for as long as the work stays as it is.
    pub(crate) fn own_before(&self, name: &str) -> Option<OwnBefore> {
        let repo = self.repo.as_ref()?;
        let now = self.clock.steady();
        let looked = self.own_looks.recent(OWN_LOOK_MILLIS, now, || look_at_own(repo));
        let (snapshot, branch) = looked.inspect_err(|fault| tracing::warn!("the project's own checkout can't be read: {fault}")).ok()?;
        if !snapshot.is_dirty() {
            return Some(OwnBefore { snapshot, branch, kept: None, left_out: Vec::new() });
        }
        let mut last = self.own_kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.as_ref().filter(|(of, kept)| *of == snapshot && repo.keep_on(&kept.name, &kept.commit).is_ok());
        let kept = match known {
            Some((_, kept)) => Some(kept.clone()),
            None => {
                let kept = self.keep_aside(repo, &snapshot, name);
                *last = kept.clone().map(|kept| (snapshot.clone(), kept));
                kept
            }
        };
        let (kept, left_out) = kept.map(|kept| (kept.name, kept.left_out)).unzip();
        Some(OwnBefore { snapshot, branch, kept, left_out: left_out.unwrap_or_default() })
    }

    /// Saves uncommitted work under a name, and forgets what was kept too long ago.
    fn keep(&self, repo: &Repo, snapshot: &Snapshot, name: &str) -> std::result::Result<KeptWork, GitError> {
        let kept = repo.keep(snapshot, name)?;
        self.forget_old_snapshots(repo);
        Ok(kept)
    }

    pub(super) fn keep_aside(&self, repo: &Repo, snapshot: &Snapshot, name: &str) -> Option<KeptWork> {
        kept_or_warn(self.keep(repo, snapshot, name))
    }

    /// Changes of the iteration in the repository; `judged` is how its check found them.
    pub(super) fn evidence(&self, checkout: &Checkout, before: Option<&RepoBefore>, judged: Option<&Judged>) -> Found {
        let moved = self.moved(checkout);
        let (Some(repo), Some(before)) = (moved.as_ref().or(checkout.repo.as_ref()), before) else {
            let unversioned = self.repo.is_none().then_some(GitRemark::Unversioned);
            let evidence = Evidence { remarks: unversioned.into_iter().collect(), ..Evidence::default() };
            return Found { evidence, committed: false, check_took: false, of_commits: BTreeSet::new() };
        };
        let gathered = (|| {
            if let (Some(name), Some(commit)) = (&before.kept, &before.kept_commit) {
                repo.keep_on(name, commit)?;
            }
            let new = repo.snapshot()?;
            let (then, now) = (before.snapshot.head(), new.head());
            let standing = repo.standing()?;
            let others = self.branches_of_others(checkout, [&before.standing, &standing])?;
            // What an agent pulled or merged is somebody else's work.
            let known = if then == now { Vec::new() } else { repo.work_of_others(&before.standing, &standing)? };
            let commits = repo.commits_beyond(then, now, &known, limits::EVIDENCE_ITEMS)?;
            let pulled = repo.files_of_others(then, now, &known, commits.len())?;
            let in_place = checkout.worktree.is_none();
            let of_commits = if in_place { repo.files_of_commits(then, now, &known)? } else { BTreeSet::new() };
            let taken = match judged {
                Some(judged) => judged.taken(repo, before.snapshot(), (&new, &standing), &others)?,
                None => Vec::new(),
            };
            let check_took = !taken.is_empty();
            let are_others = |folder: &Path| self.is_for_worktrees(folder);
            let mut remarks = remarks(repo, before, (&new, &standing), &others, are_others)?;
            remarks.extend(taken.into_iter().filter(|remark| !remarks.contains(remark)).collect::<Vec<_>>());
            let planted = before.machinery.as_ref().map(|machinery| self.planted_since(repo, machinery)).unwrap_or_default();
            let evidence = Evidence {
                head_after: now.map(str::to_owned),
                commits,
                changed_files: repo.changed_files([&before.snapshot, &new], &pulled, limits::EVIDENCE_ITEMS)?,
                remarks: remarks
                    .into_iter()
                    .chain(before.own.as_ref().map_or_else(Vec::new, |own| self.reached(own)))
                    .chain(planted.machinery)
                    .chain(planted.settings)
                    .chain(self.ignored_by_git().filter(|_| in_place).map(|_| GitRemark::Unversioned))
                    .collect(),
                ..before.evidence()
            };
            Ok::<_, AppError>(Found { evidence, committed: !new.is_dirty(), check_took, of_commits })
        })();
        gathered.unwrap_or_else(|fault| {
            tracing::warn!("no evidence could be gathered: {fault}");
            // Git worked before the agent started.
            let remark = match &fault {
                AppError::Git(GitError::Start { source, .. }) if at_a_limit(source) => GitRemark::Unseen { why: fault.to_string() },
                AppError::Git(
                    GitError::Failed { .. }
                    | GitError::Refused { .. }
                    | GitError::NotARepository { .. }
                    | GitError::Start { .. }
                    | GitError::TimedOut { .. },
                ) => GitRemark::Unreadable,
                _ => GitRemark::Unseen { why: fault.to_string() },
            };
            let evidence = Evidence { remarks: vec![remark], ..before.evidence() };
            Found { evidence, committed: false, check_took: false, of_commits: BTreeSet::new() }
        })
    }
}

impl App {
    /// Where a worktree is whose folder was moved while its agent worked. One that was deleted is made anew: what was committed is on its
    /// branch.
    fn moved(&self, checkout: &Checkout) -> Option<Repo> {
        let place = checkout.worktree.as_ref().filter(|place| !place.exists())?;
        let known = self.db.read(|r| r.worktrees()).ok()?.into_iter().rfind(|known| Path::new(&known.path) == place)?;
        self.repo_in(&self.stand_up(self.repo.as_ref()?, known).ok()?)
    }

    /// What became of the project's own checkout while an agent worked in another.
    pub(crate) fn reached(&self, own: &OwnBefore) -> Vec<GitRemark> {
        let mut remarks = Vec::new();
        let Some(repo) = &self.repo else { return remarks };
        let Ok((now, branch)) = self.own_looks.take(self.clock.steady(), || look_at_own(repo)) else { return remarks };
        let then = &own.snapshot;
        let gone = repo.uncommitted_work(then, &now, then.uncommitted().map(|(path, _)| path)).map(|work| work.gone).unwrap_or_default();
        let changed = now.uncommitted_since(then).map(|path| path.to_string_lossy().into_owned());
        let (paths, more) = named(changed.filter(|path| !gone.contains(path)).collect());
        if !paths.is_empty() {
            remarks.push(GitRemark::OutsideChanged { paths, more });
        }
        let (paths, more) = named(gone);
        if !paths.is_empty() {
            let kept = kept_aside(repo, &paths, own.kept.as_ref(), &own.left_out);
            remarks.push(GitRemark::OutsideGone { paths, more, kept });
        }
        if branch != own.branch {
            remarks.push(GitRemark::OutsideSwitched { from: own.branch.clone(), to: branch });
        }
        remarks
    }
}

/// That no agent starts in a checkout whose uncommitted work is not `done` to.
pub(crate) fn out_of_sight(repo: &Repo, done: &str, fault: &GitError) -> AppError {
    let fault = format!("what is not committed in {} can't be {done}, so no agent starts there: {fault}", repo.root().display());
    AppError::invalid(
        "repository",
        fault,
        "see what `git status` says there; a program that it misses (git-lfs) must be on the PATH of Ralph",
    )
}

/// The work that was kept, after saying what is not in it, or why there is none.
fn kept_or_warn(kept: std::result::Result<KeptWork, GitError>) -> Option<KeptWork> {
    let kept = kept.inspect_err(|fault| tracing::warn!("uncommitted work could not be kept aside: {fault}")).ok()?;
    let single: Vec<String> = kept.left_out.iter().filter(|path| !kept.crowds.contains(path)).cloned().collect();
    for (fault, paths) in [
        ("not kept aside, as too large, unreadable or a repository with commits", single),
        ("neither kept aside nor watched, as too many untracked files; put what is not work into .gitignore", kept.crowds.clone()),
    ] {
        if !paths.is_empty() {
            let names: Vec<String> = paths.iter().map(|path| on_one_line(path)).collect();
            tracing::warn!("{fault}: {}", listed(&names, NAMED_FILES));
        }
    }
    Some(kept)
}

/// The project's own checkout, with its branch.
fn look_at_own(repo: &Repo) -> std::result::Result<(Snapshot, Option<String>), GitError> {
    Ok((repo.snapshot()?, repo.branch()?))
}

/// Git's findings beyond commits and files.
fn remarks(
    repo: &Repo,
    before: &RepoBefore,
    (new, standing): (&Snapshot, &RepositoryState),
    others: &BTreeSet<String>,
    are_others: impl Fn(&Path) -> bool,
) -> std::result::Result<Vec<GitRemark>, GitError> {
    if let Some(head) = before.snapshot.head().filter(|_| before.snapshot.head() != new.head())
        && !repo.has_commit(head)?
    {
        // Another repository is there: nothing can be said about the previous one.
        return Ok(vec![GitRemark::Unreadable]);
    }
    let mut remarks = repo.what_became(&before.standing, standing, others)?;
    remarks.extend(Repo::checkouts_gone(&before.standing, standing, are_others));
    repo.hold_unreferenced(&remarks)?;
    let persons: Vec<PathBuf> = before.persons.iter().map(|path| path_from_text(path)).collect();
    let work = repo.uncommitted_work(&before.snapshot, new, persons.iter().map(PathBuf::as_path))?;
    let kept = |paths: &[String]| kept_aside(repo, paths, before.kept.as_ref(), &before.left_out);
    let is_persons = |path: &String| before.persons.contains(&path_to_text(Path::new(path)));
    // One that an earlier iteration left is there to be ended, and of what is gone that is told.
    let ended = before.snapshot.unmerged_since(new).into_iter().filter(|path| is_persons(path) && !work.gone.contains(path));
    let (ended, more_ended) = named(ended.collect());
    if !ended.is_empty() {
        remarks.push(GitRemark::ConflictEnded { kept: kept(&ended), paths: ended, more: more_ended });
    }
    let ((gone, more_gone), (changed, more_changed)) = (named(work.gone), named(work.changed));
    if !gone.is_empty() {
        remarks.push(GitRemark::WorkGone { kept: kept(&gone), paths: gone, more: more_gone });
    }
    if !changed.is_empty() {
        remarks.push(GitRemark::WorkChanged { kept: kept(&changed), paths: changed, more: more_changed });
    }
    let (paths, more) = named(new.unmerged_since(&before.snapshot));
    if !paths.is_empty() {
        remarks.push(GitRemark::LeftInConflict { paths, more });
    }
    let crowds: BTreeSet<String> = before.snapshot.crowds().chain(new.crowds()).map(|path| path.to_string_lossy().into_owned()).collect();
    let (paths, more) = named(crowds.into_iter().collect());
    if !paths.is_empty() {
        remarks.push(GitRemark::Unwatched { paths, more });
    }
    for (path, added) in repo.added_lines(before.snapshot.head(), new.head(), SEARCHED_BYTES)? {
        let mut kinds: Vec<String> = clean(&added, SEARCHED_BYTES).redactions.into_iter().map(|found| found.rule).collect();
        kinds.sort();
        kinds.dedup();
        if !kinds.is_empty() && remarks.len() < limits::GIT_REMARKS {
            remarks.push(GitRemark::SecretCommitted { path, kinds });
        }
    }
    Ok(remarks)
}

/// Whether an uncommitted file was left by an iteration: it changed the file, and nobody has since. Where it changed more files than are
/// named, the time alone tells.
fn is_the_loop_s(path: &Path, changed: Option<SystemTime>, own: &[RecentChanges]) -> bool {
    let Some(changed) = time_of(changed) else { return false };
    // A repository inside counts as one file.
    let holds = |file: &String| path.starts_with(file);
    let may_hold = |files: &[String]| files.len() >= limits::EVIDENCE_ITEMS || files.iter().any(holds);
    own.iter().any(|iteration| (iteration.started..=iteration.ended).contains(&changed) && may_hold(&iteration.files))
}

fn time_of(changed: Option<SystemTime>) -> Option<Timestamp> {
    i64::try_from(changed?.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok().map(Timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_an_iteration_left_is_no_person_s_work_until_somebody_touches_it() {
        let own = [RecentChanges { started: Timestamp(1_000), ended: Timestamp(2_000), files: vec!["src/a.rs".into(), "lib".into()] }];
        for (path, millis, expected) in [
            ("src/a.rs", Some(1_000), true),
            ("src/a.rs", Some(2_000), true),
            ("src/a.rs", Some(2_001), false),
            ("src/a.rs", Some(999), false),
            ("src/b.rs", Some(1_500), false),
            ("src/a.rs", None, false),
            ("lib/new.rs", Some(1_500), true),
        ] {
            let changed = millis.map(|millis| UNIX_EPOCH + Duration::from_millis(millis));
            assert_eq!(is_the_loop_s(Path::new(path), changed, &own), expected, "{path} at {millis:?}");
        }
        // It changed more files than are named.
        let own = [RecentChanges { files: vec!["src/a.rs".into(); limits::EVIDENCE_ITEMS], ..own[0].clone() }];
        for (millis, expected) in [(1_500, true), (2_001, false)] {
            let changed = Some(UNIX_EPOCH + Duration::from_millis(millis));
            assert_eq!(is_the_loop_s(Path::new("gen/300.txt"), changed, &own), expected, "at {millis}");
        }
    }
}
