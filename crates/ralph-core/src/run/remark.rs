//! Git's findings about an iteration beyond its commits and files.

mod stored;
#[cfg(test)]
mod tests;
mod told;

pub use stored::name_snapshots;
pub use told::{RemarkLine, harm_in_words, lines};

use super::Evidence;
use crate::text::on_one_line;
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// A git operation that was begun and not completed.
    GitOperation {
        /// `git merge`.
        Merge = "merge",
        /// `git rebase` or `git am`.
        Rebase = "rebase",
        /// `git cherry-pick`.
        CherryPick = "cherry_pick",
        /// `git revert`.
        Revert = "revert",
        /// `git bisect`.
        Bisect = "bisect",
    }
}

crate::word_enum! {
    /// What happened to a branch other than growing.
    HistoryChange {
        /// It was reset: commits were removed from its end.
        Behind = "behind",
        /// Some of its commits were replaced by others.
        Rewritten = "rewritten",
        /// It was deleted.
        Gone = "gone",
    }
}

/// One finding of git about an iteration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GitRemark {
    /// Another branch is checked out. `None` = a detached commit.
    BranchSwitched {
        /// The branch before.
        from: Option<String>,
        /// The branch now.
        to: Option<String>,
        /// Whether the checked-out commit lacks the previously checked-out one.
        behind: bool,
        /// The previously checked-out commit, if it is lacked.
        #[serde(default)]
        head: Option<String>,
    },
    /// A branch has another name: it is gone, and a new one holds everything that it held.
    BranchRenamed {
        /// Its name before.
        from: String,
        /// Its name now.
        to: String,
    },
    /// A branch lost commits.
    HistoryMoved {
        /// The branch; `None` = the detached HEAD.
        branch: Option<String>,
        /// What happened to it.
        change: HistoryChange,
        /// Its previous last commit, by which it can be recovered.
        from: String,
        /// Its last commit now.
        to: Option<String>,
    },
    /// A tag was deleted, or names another commit.
    TagMoved {
        /// Its name.
        tag: String,
        /// The object that it named: a commit, or an annotated tag.
        from: String,
        /// The one that it names now.
        to: Option<String>,
    },
    /// Commits that it made are on no branch and under no tag, since something else was checked out after them.
    LeftBehind {
        /// The last ones, by which they can be recovered.
        commits: Vec<String>,
    },
    /// Branches of remotes are gone here: deleted there by a push, or found to be so by a fetch.
    RemoteBranchesGone {
        /// Their names, such as `origin/main`.
        branches: Vec<String>,
        /// Their last commits, in the same order.
        commits: Vec<String>,
    },
    /// A worktree that is not Ralph's is gone, with what was not committed there.
    CheckoutGone {
        /// Its folder.
        path: String,
        /// The branch that was checked out.
        branch: Option<String>,
        /// The commit that was checked out.
        head: Option<String>,
    },
    /// A branch that the agent did not work on got commits meanwhile, from it or from a person, and not from a merge of Ralph's.
    CommittedElsewhere {
        /// The branch.
        branch: String,
        /// Its previous last commit; `None` = it is new.
        from: Option<String>,
        /// Its last commit now.
        to: String,
        /// Whether these are commits of the agent's own work, which nobody has reviewed.
        own: bool,
    },
    /// An operation was begun and not completed.
    Unfinished {
        /// Which.
        operation: GitOperation,
    },
    /// Files were left in conflict, by a merge, a stash or a patch.
    LeftInConflict {
        /// Some of them, relative to the repository.
        paths: Vec<String>,
        /// Number of further ones.
        more: u32,
    },
    /// Files that a person's merge, stash or patch had left in conflict are so no more: it was ended.
    ConflictEnded {
        /// Some of them, relative to the repository.
        paths: Vec<String>,
        /// Number of further ones.
        more: u32,
        /// Where they are kept as they were.
        #[serde(default)]
        kept: KeptAside,
    },
    /// Work was put on the stash and left there.
    Stashed {
        /// Number of entries.
        count: u32,
    },
    /// Existing entries of the stash are gone.
    StashDropped {
        /// Their commits, by which they can be recovered.
        commits: Vec<String>,
    },
    /// A person's uncommitted work is gone: missing, or reset to the committed state.
    WorkGone {
        /// Its files, relative to the repository.
        paths: Vec<String>,
        /// Number of further ones.
        more: u32,
        /// Where they are kept as they were.
        #[serde(default)]
        kept: KeptAside,
    },
    /// A person's uncommitted work was changed further.
    WorkChanged {
        /// Its files, relative to the repository.
        paths: Vec<String>,
        /// Number of further ones.
        more: u32,
        /// Where they are kept as they were.
        #[serde(default)]
        kept: KeptAside,
    },
    /// Something was pushed.
    Pushed {
        /// The remote's branches, such as `origin/main`.
        branches: Vec<String>,
        /// Whether this removed commits from one of them.
        forced: bool,
    },
    /// A likely secret was committed.
    SecretCommitted {
        /// The file.
        path: String,
        /// Kinds of secrets, by the matching rules.
        kinds: Vec<String>,
    },
    /// An agent worked in a worktree, and uncommitted files of the project's own checkout changed meanwhile: by the agent, or by a person.
    OutsideChanged {
        /// Files of that checkout, relative to the repository.
        paths: Vec<String>,
        /// Number of further ones.
        more: u32,
    },
    /// An agent worked in a worktree, and uncommitted work in the project's own checkout is gone since: by it, or by a person.
    OutsideGone {
        /// Files of it, relative to the repository.
        paths: Vec<String>,
        /// How many more there are.
        more: u32,
        /// Where they are kept as they were.
        #[serde(default)]
        kept: KeptAside,
    },
    /// An agent worked in a worktree, and another branch is checked out in the project's own checkout since: by it, or by a person.
    OutsideSwitched {
        /// The branch before.
        from: Option<String>,
        /// The branch now.
        to: Option<String>,
    },
    /// What git runs by itself, or follows, changed while the agent worked: hooks, or settings that name programs and places.
    MachineryChanged {
        /// Hooks and settings by name.
        what: Vec<String>,
        /// Number of further ones.
        more: u32,
    },
    /// Git settings that the person has for all repositories changed while the agent worked.
    PersonsSettingsChanged {
        /// Their names.
        what: Vec<String>,
        /// Number of further ones.
        more: u32,
    },
    /// Folders with too many untracked files: what was in them is in no snapshot, and nobody knows what became of it.
    Unwatched {
        /// Some of them, relative to the repository.
        paths: Vec<String>,
        /// Number of further ones.
        more: u32,
    },
    /// The folder is in no repository, or the one around ignores it: nobody knows what was changed.
    Unversioned,
    /// The repository that was there before, or its checkout, is gone or can no longer be read.
    Unreadable,
    /// What the agent left could not be looked at, for a reason that tells nothing about it.
    Unseen {
        /// The fault.
        why: String,
    },
    /// Ralph ended while the agent worked, and looked later: whatever else is found may be a person's doing.
    LookedLate,
}

impl Evidence {
    /// Whether nobody knows what was changed: there is no repository, or it could not be looked at.
    pub fn is_unknown(&self) -> bool {
        self.remarks.iter().any(|remark| match remark {
            GitRemark::Unreadable => self.head_after.is_none(),
            remark => matches!(remark, GitRemark::Unseen { .. } | GitRemark::Unversioned),
        })
    }
}

/// Where uncommitted work is kept as it was before the agent started.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct KeptAside {
    /// The snapshot that holds it.
    pub snapshot: Option<String>,
    /// Which of the named files are in none: they were too large or unreadable, or are nested repositories with commits.
    pub not_kept: Vec<String>,
}

impl KeptAside {
    /// How what was named is restored.
    fn way_back(&self, named: &[String]) -> Option<String> {
        self.holding(named).map(|name| format!("ralph snapshot restore {name}"))
    }

    /// The snapshot, if it holds any of what was named.
    fn holding(&self, named: &[String]) -> Option<&str> {
        let holds_any = named.iter().any(|path| !self.not_kept.contains(path));
        self.snapshot.as_deref().filter(|_| holds_any)
    }

    /// What can't be restored, to be put behind the names.
    fn in_words(&self) -> String {
        if self.not_kept.is_empty() { String::new() } else { format!("; in no snapshot: {}", files(&self.not_kept, 0)) }
    }
}

/// The beginning of a remark on what git runs by itself.
pub const MACHINERY_CHANGED: &str = "what git runs by itself was changed";

impl GitRemark {
    /// Whether it may have lost work or exposed something, so that a person should look.
    pub fn harms(&self) -> bool {
        match self {
            GitRemark::BranchSwitched { behind, .. } => *behind,
            GitRemark::Pushed { forced, .. } => *forced,
            GitRemark::CommittedElsewhere { own, .. } => *own,
            GitRemark::BranchRenamed { .. }
            | GitRemark::RemoteBranchesGone { .. }
            | GitRemark::Stashed { .. }
            | GitRemark::WorkChanged { .. }
            | GitRemark::OutsideChanged { .. }
            | GitRemark::OutsideSwitched { .. }
            | GitRemark::Unwatched { .. }
            | GitRemark::Unversioned
            | GitRemark::LookedLate => false,
            GitRemark::HistoryMoved { .. }
            | GitRemark::TagMoved { .. }
            | GitRemark::LeftBehind { .. }
            | GitRemark::CheckoutGone { .. }
            | GitRemark::Unfinished { .. }
            | GitRemark::LeftInConflict { .. }
            | GitRemark::ConflictEnded { .. }
            | GitRemark::StashDropped { .. }
            | GitRemark::WorkGone { .. }
            | GitRemark::OutsideGone { .. }
            | GitRemark::SecretCommitted { .. }
            | GitRemark::MachineryChanged { .. }
            | GitRemark::PersonsSettingsChanged { .. }
            | GitRemark::Unreadable
            | GitRemark::Unseen { .. } => true,
        }
    }

    /// Commits and tags that it may have left without a reference, so that git would delete them some day.
    pub fn unreferenced(&self) -> Vec<&str> {
        match self {
            GitRemark::HistoryMoved { from, .. }
            | GitRemark::TagMoved { from, .. }
            | GitRemark::BranchSwitched { head: Some(from), .. }
            | GitRemark::CheckoutGone { head: Some(from), .. } => vec![from],
            GitRemark::StashDropped { commits } | GitRemark::LeftBehind { commits } | GitRemark::RemoteBranchesGone { commits, .. } => {
                commits.iter().map(String::as_str).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The snapshot by which a person can recover what was lost.
    pub(super) fn holding_snapshot(&self) -> Option<&str> {
        match self {
            GitRemark::WorkGone { paths, kept, .. }
            | GitRemark::WorkChanged { paths, kept, .. }
            | GitRemark::ConflictEnded { paths, kept, .. }
            | GitRemark::OutsideGone { paths, kept, .. } => kept.holding(paths),
            _ => None,
        }
    }
}

fn files(paths: &[String], more: u32) -> String {
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", paths.iter().map(|path| on_one_line(path)).collect::<Vec<_>>().join(", "))
}

fn short(commit: &str) -> &str {
    crate::text::cut(commit, 12)
}
