//! Git's findings about an iteration beyond its commits and files.

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
    /// A branch that the agent did not work on got commits meanwhile, by it or by a person, and not by a merge of Ralph's.
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
    },
    /// A person's uncommitted work was changed further.
    WorkChanged {
        /// Its files, relative to the repository.
        paths: Vec<String>,
        /// Number of further ones.
        more: u32,
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
        /// The snapshot that holds them as they were.
        snapshot: Option<String>,
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
    /// The repository that was there before, or what was checked out of it, is gone or can't be read any more.
    Unreadable,
}

/// Where a person looks at hooks and settings that a remark names.
pub const LOOK_AT_MACHINERY: &str = "look at it (settings are in .git/config, hooks without a path in .git/hooks)";

impl GitRemark {
    /// Whether it may have lost work or exposed something, so that a person should look.
    pub fn harms(&self) -> bool {
        match self {
            GitRemark::BranchSwitched { behind, .. } => *behind,
            GitRemark::Pushed { forced, .. } => *forced,
            GitRemark::CommittedElsewhere { own, .. } => *own,
            GitRemark::Stashed { .. }
            | GitRemark::WorkChanged { .. }
            | GitRemark::OutsideChanged { .. }
            | GitRemark::OutsideSwitched { .. } => false,
            GitRemark::HistoryMoved { .. }
            | GitRemark::Unfinished { .. }
            | GitRemark::StashDropped { .. }
            | GitRemark::WorkGone { .. }
            | GitRemark::OutsideGone { .. }
            | GitRemark::SecretCommitted { .. }
            | GitRemark::MachineryChanged { .. }
            | GitRemark::Unreadable => true,
        }
    }

    /// The finding in one line.
    pub fn in_words(&self) -> String {
        let branch = |name: &Option<String>| name.as_ref().map_or("no branch".to_owned(), |name| format!("'{name}'"));
        let files = |paths: &[String], more: u32| {
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more}", paths.join(", "))
        };
        match self {
            GitRemark::BranchSwitched { from, to, behind } => {
                let lacks = if *behind { ", which lacks commits that were checked out before" } else { "" };
                format!("switched from {} to {}{lacks}", branch(from), branch(to))
            }
            GitRemark::HistoryMoved { branch: name, change, from, to } => {
                let now = to.as_ref().map(|to| format!(", now {}", short(to))).unwrap_or_default();
                let what = match change {
                    HistoryChange::Behind => "was set back",
                    HistoryChange::Rewritten => "was rewritten",
                    HistoryChange::Gone => "was deleted",
                };
                let which = name.as_ref().map_or("the checked-out commit".to_owned(), |name| format!("branch '{name}'"));
                format!("{which} {what}: it was {}{now}", short(from))
            }
            GitRemark::CommittedElsewhere { branch, from: None, to, .. } => {
                format!("the new branch '{branch}' holds commits that are on none other: {}", short(to))
            }
            GitRemark::CommittedElsewhere { branch, from: Some(from), to, own } => {
                let what = if *own { "its own work came to" } else { "commits came to" };
                let how = if *own { " without a merge by Ralph" } else { " while it worked on another branch" };
                format!("{what} '{branch}'{how}: {}..{}", short(from), short(to))
            }
            GitRemark::Unfinished { operation } => format!("a {} was begun and not ended", operation.as_str().replace('_', "-")),
            GitRemark::Stashed { count: 1 } => "work was put on the stash".to_owned(),
            GitRemark::Stashed { count } => format!("work was put on the stash {count} times"),
            GitRemark::StashDropped { commits } => {
                format!("entries of the stash are gone: {}", commits.iter().map(|id| short(id)).collect::<Vec<_>>().join(", "))
            }
            GitRemark::WorkGone { paths, more } => format!("uncommitted work is gone: {}", files(paths, *more)),
            GitRemark::WorkChanged { paths, more } => format!("uncommitted work was changed: {}", files(paths, *more)),
            GitRemark::Pushed { branches, forced: false } => format!("pushed to {}", branches.join(", ")),
            GitRemark::Pushed { branches, forced: true } => format!("pushed with force to {}", branches.join(", ")),
            GitRemark::SecretCommitted { path, kinds } => {
                format!("what looks like a secret was committed in {path} ({})", kinds.join(", "))
            }
            GitRemark::OutsideChanged { paths, more } => {
                format!("uncommitted files of the project's own checkout changed while it worked elsewhere: {}", files(paths, *more))
            }
            GitRemark::OutsideGone { paths, more, .. } => {
                format!("uncommitted work of the project's own checkout is gone while it worked elsewhere: {}", files(paths, *more))
            }
            GitRemark::OutsideSwitched { from, to } => {
                let (from, to) = (branch(from), branch(to));
                format!("the project's own checkout was switched from {from} to {to} while it worked elsewhere")
            }
            GitRemark::MachineryChanged { what, more } => format!("what git runs by itself was changed: {}", files(what, *more)),
            GitRemark::Unreadable => {
                "the git repository, or the history that was checked out, is gone or can't be read any more".to_owned()
            }
        }
    }

    /// How a person can recover what was lost, in one line.
    pub fn way_back(&self, iteration: crate::IterationId) -> Option<String> {
        match self {
            GitRemark::BranchSwitched { from: Some(from), behind: true, .. } => Some(format!("git switch {from}")),
            GitRemark::HistoryMoved { branch: Some(branch), from, .. } => Some(format!("git branch {branch}-before {}", short(from))),
            GitRemark::CommittedElsewhere { branch, from: Some(from), to, .. } => {
                Some(format!("git log {}..{}, then keep '{branch}' or set it back", short(from), short(to)))
            }
            GitRemark::HistoryMoved { branch: None, from, .. } => Some(format!("git branch before {}", short(from))),
            GitRemark::Unfinished { operation } => match operation {
                GitOperation::Bisect => Some("git bisect reset".to_owned()),
                other => Some(format!("git {0} --continue, or git {0} --abort", other.as_str().replace('_', "-"))),
            },
            GitRemark::StashDropped { commits } => commits.first().map(|id| format!("git stash store -m back {}", short(id))),
            GitRemark::WorkGone { .. } | GitRemark::WorkChanged { .. } => Some(format!("ralph snapshot restore {iteration}")),
            GitRemark::SecretCommitted { .. } => Some("change the secret, then take it out of the history before it is pushed".to_owned()),
            GitRemark::Unreadable => Some("see what `git fsck` says; bring .git back from a clone or a backup".to_owned()),
            GitRemark::MachineryChanged { .. } => {
                Some(format!("{LOOK_AT_MACHINERY}, then `ralph notice dismiss`: until then Ralph merges nothing, which would run it"))
            }
            GitRemark::OutsideGone { snapshot, .. } => snapshot.as_ref().map(|name| format!("ralph snapshot restore {name}")),
            GitRemark::BranchSwitched { .. }
            | GitRemark::CommittedElsewhere { from: None, .. }
            | GitRemark::Stashed { .. }
            | GitRemark::Pushed { .. }
            | GitRemark::OutsideChanged { .. }
            | GitRemark::OutsideSwitched { .. } => None,
        }
    }
}

fn short(commit: &str) -> &str {
    crate::text::cut(commit, 12)
}

/// A remark as the iteration's page shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RemarkLine {
    /// The finding in one line.
    pub text: String,
    /// Whether it may have lost work or exposed something.
    pub harms: bool,
    /// How a person can recover what was lost.
    pub way_back: Option<String>,
}

/// The remarks of an iteration in words.
pub fn lines(iteration: crate::IterationId, remarks: &[GitRemark]) -> Vec<RemarkLine> {
    let line = |remark: &GitRemark| {
        let way_back = remark.way_back(iteration).filter(|_| remark.harms());
        RemarkLine { text: remark.in_words(), harms: remark.harms(), way_back }
    };
    remarks.iter().map(line).collect()
}

/// The harm done by an iteration, for a person: a title, and each remark with how to recover. `None` when there is none.
pub fn harm_in_words(iteration: crate::IterationId, remarks: &[GitRemark]) -> Option<(String, String)> {
    let harms: Vec<&GitRemark> = remarks.iter().filter(|remark| remark.harms()).collect();
    let first = harms.first()?;
    let more = if harms.len() > 1 { format!(" (and {} more)", harms.len() - 1) } else { String::new() };
    let told = harms.iter().flat_map(|remark| {
        let way_back = remark.way_back(iteration).map(|way| format!("  → {way}"));
        std::iter::once(remark.in_words()).chain(way_back)
    });
    Some((format!("Iteration {iteration}: {}{more}", first.in_words()), told.collect::<Vec<_>>().join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harm_is_told_with_its_way_back_and_the_rest_is_evidence() {
        let commit = "0123456789abcdef0123456789abcdef01234567".to_owned();
        let harmless = [
            GitRemark::BranchSwitched { from: Some("main".into()), to: Some("fix".into()), behind: false },
            GitRemark::Stashed { count: 1 },
            GitRemark::Pushed { branches: vec!["origin/main".into()], forced: false },
            GitRemark::WorkChanged { paths: vec!["a".into()], more: 0 },
            GitRemark::OutsideChanged { paths: vec!["a".into()], more: 0 },
            GitRemark::OutsideSwitched { from: Some("main".into()), to: None },
        ];
        assert_eq!(harm_in_words(4, &harmless), None);
        let harms = [
            harmless[0].clone(),
            GitRemark::HistoryMoved {
                branch: Some("main".into()),
                change: HistoryChange::Rewritten,
                from: commit.clone(),
                to: Some(commit),
            },
            GitRemark::Unfinished { operation: GitOperation::CherryPick },
            GitRemark::WorkGone { paths: vec!["notes.md".into()], more: 2 },
        ];
        let (title, detail) = harm_in_words(4, &harms).expect("harms");
        assert_eq!(title, "Iteration 4: branch 'main' was rewritten: it was 0123456789ab, now 0123456789ab (and 2 more)");
        insta::assert_snapshot!(detail, @"
        branch 'main' was rewritten: it was 0123456789ab, now 0123456789ab
          → git branch main-before 0123456789ab
        a cherry-pick was begun and not ended
          → git cherry-pick --continue, or git cherry-pick --abort
        uncommitted work is gone: notes.md and 2 more
          → ralph snapshot restore 4
        ");
    }
}
