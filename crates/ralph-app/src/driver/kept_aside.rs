//! The uncommitted work that a remark names, and where it is saved.

use git_repo::Repo;
use ralph_core::run::KeptAside;

/// Files listed in a remark.
pub(super) const NAMED_FILES: usize = 10;

/// The first of some files, and the number of further ones.
pub(super) fn named(paths: Vec<String>) -> (Vec<String>, u32) {
    let more = u32::try_from(paths.len().saturating_sub(NAMED_FILES)).unwrap_or(u32::MAX);
    (paths.into_iter().take(NAMED_FILES).collect(), more)
}

/// Where the named files are saved: an agent may have deleted the snapshot for good, and then it holds none of them.
pub(super) fn kept_aside(repo: &Repo, named: &[String], snapshot: Option<&String>, left_out: &[String]) -> KeptAside {
    let stands = |name: &&String| repo.kept(name).is_ok_and(|commit| commit.is_some());
    let standing = snapshot.filter(stands);
    let is_lost = snapshot.is_some() && standing.is_none();
    let not_kept = named.iter().filter(|path| is_lost || left_out.contains(path)).cloned().collect();
    KeptAside { snapshot: standing.cloned(), not_kept }
}
