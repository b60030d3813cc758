//! Remarks in the words in which a person is told them.

use super::{GitOperation, GitRemark, HistoryChange, MACHINERY_CHANGED, files, short};
use crate::text::{in_shell, on_one_line};
use serde::{Deserialize, Serialize};

/// Beginnings of the names, in a remark on what git runs by itself, of what `ralph trust` asks about.
const GIT_PROGRAMS: [&str; 2] = ["setting filter.", "setting merge."];

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
    /// The snapshot that holds it, if the way back is to restore that.
    pub snapshot: Option<String>,
}

/// The remarks of an iteration in words.
pub fn lines(remarks: &[GitRemark]) -> Vec<RemarkLine> {
    let line = |remark: &GitRemark| {
        let way_back = remark.way_back().filter(|_| remark.harms());
        RemarkLine { text: remark.in_words(), harms: remark.harms(), way_back, snapshot: remark.holding_snapshot().map(str::to_owned) }
    };
    remarks.iter().map(line).collect()
}

/// The harm done by an iteration or an errand (`whose`), for a person: a title, and each remark with how to recover. `None` when there is none.
pub fn harm_in_words(whose: &str, remarks: &[GitRemark]) -> Option<(String, String)> {
    let harms: Vec<&GitRemark> = remarks.iter().filter(|remark| remark.harms()).collect();
    let first = harms.first()?;
    let more = if harms.len() > 1 { format!(" (and {} more)", harms.len() - 1) } else { String::new() };
    let told = harms.iter().flat_map(|remark| {
        let way_back = remark.way_back().map(|way| format!("  → {way}"));
        std::iter::once(remark.in_words()).chain(way_back)
    });
    let late = remarks.iter().find(|remark| **remark == GitRemark::LookedLate);
    let who = if late.is_some() { ", or a person since" } else { "" };
    let told = late.map(GitRemark::in_words).into_iter().chain(told);
    Some((format!("{whose}{who}: {}{more}", first.in_words()), told.collect::<Vec<_>>().join("\n")))
}

impl GitRemark {
    /// The finding in one line. Length: what is said of each finding stands side by side.
    pub fn in_words(&self) -> String {
        let branch = |name: &Option<String>| name.as_ref().map_or("no branch".to_owned(), |name| format!("'{name}'"));
        match self {
            GitRemark::BranchSwitched { from, to, behind, head } => {
                let was = head.as_ref().map(|head| format!(": it was {}", short(head))).unwrap_or_default();
                let lacks = if *behind { ", which lacks commits that were checked out before" } else { "" };
                format!("switched from {} to {}{lacks}{was}", branch(from), branch(to))
            }
            GitRemark::BranchRenamed { from, to } => format!("branch '{from}' is '{to}' now"),
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
            GitRemark::TagMoved { tag, from, to: None } => format!("tag '{tag}' was deleted: it was {}", short(from)),
            GitRemark::TagMoved { tag, from, to: Some(to) } => format!("tag '{tag}' was moved: it was {}, now {}", short(from), short(to)),
            GitRemark::LeftBehind { commits } => {
                let commits = commits.iter().map(|id| short(id)).collect::<Vec<_>>().join(", ");
                format!("commits were left on no branch, and their work is not in what is checked out: {commits}")
            }
            GitRemark::RemoteBranchesGone { branches, commits } => {
                let gone = branches.iter().zip(commits).map(|(branch, commit)| format!("{branch} ({})", short(commit)));
                let gone = gone.collect::<Vec<_>>().join(", ");
                format!("gone here, deleted on the remote by a push or found to be so by a fetch: {gone}")
            }
            GitRemark::CheckoutGone { path, branch: name, head } => {
                let at = head.as_ref().map(|head| format!(" at {}", short(head))).unwrap_or_default();
                format!(
                    "a worktree that is not Ralph's is gone, with what was not committed there: {} ({}{at})",
                    on_one_line(path),
                    branch(name)
                )
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
            GitRemark::LeftInConflict { paths, more } => format!("files were left in conflict: {}", files(paths, *more)),
            GitRemark::ConflictEnded { paths, more, kept } => {
                format!("a conflict that stood open before was ended: {}{}", files(paths, *more), kept.in_words())
            }
            GitRemark::Stashed { count: 1 } => "work was put on the stash".to_owned(),
            GitRemark::Stashed { count } => format!("work was put on the stash {count} times"),
            GitRemark::StashDropped { commits } => {
                format!("entries of the stash are gone: {}", commits.iter().map(|id| short(id)).collect::<Vec<_>>().join(", "))
            }
            GitRemark::WorkGone { paths, more, kept } => format!("uncommitted work is gone: {}{}", files(paths, *more), kept.in_words()),
            GitRemark::WorkChanged { paths, more, kept } => {
                format!("uncommitted work was changed: {}{}", files(paths, *more), kept.in_words())
            }
            GitRemark::Pushed { branches, forced: false } => format!("pushed to {}", branches.join(", ")),
            GitRemark::Pushed { branches, forced: true } => format!("pushed with force to {}", branches.join(", ")),
            GitRemark::SecretCommitted { path, kinds } => {
                format!("what looks like a secret was committed in {} ({})", on_one_line(path), kinds.join(", "))
            }
            GitRemark::OutsideChanged { paths, more } => {
                format!("uncommitted files of the project's own checkout changed while it worked elsewhere: {}", files(paths, *more))
            }
            GitRemark::OutsideGone { paths, more, kept } => {
                let (files, lost) = (files(paths, *more), kept.in_words());
                format!("uncommitted work of the project's own checkout is gone while it worked elsewhere: {files}{lost}")
            }
            GitRemark::OutsideSwitched { from, to } => {
                let (from, to) = (branch(from), branch(to));
                format!("the project's own checkout was switched from {from} to {to} while it worked elsewhere")
            }
            GitRemark::MachineryChanged { what, more } => format!("{MACHINERY_CHANGED}: {}", files(what, *more)),
            GitRemark::PersonsSettingsChanged { what, more } => {
                format!("your git settings for all repositories were changed: {}", files(what, *more))
            }
            GitRemark::Unwatched { paths, more } => {
                format!("too many untracked files to keep or watch: {}; `.gitignore` is the place for what is no work", files(paths, *more))
            }
            GitRemark::Unversioned => {
                "git does not watch this folder: what was changed is neither known nor kept; `git init` there begins that".to_owned()
            }
            GitRemark::Unreadable => {
                "the git repository, or the history that was checked out, is gone or can't be read any more".to_owned()
            }
            GitRemark::Unseen { why } => {
                format!("what it left could not be looked at, so nobody knows what it changed: {}", on_one_line(why))
            }
            GitRemark::LookedLate => {
                "Ralph ended while the agent worked: what is found here was done by the agent, or by a person since".to_owned()
            }
        }
    }

    /// How a person can recover what was lost, in one line: a command, or a sentence with commands in backticks.
    pub fn way_back(&self) -> Option<String> {
        match self {
            GitRemark::BranchSwitched { from: Some(from), behind: true, .. } => Some(format!("git switch {}", in_shell(from))),
            GitRemark::BranchSwitched { from: None, head: Some(head), .. } => Some(format!("git branch before {}", short(head))),
            GitRemark::HistoryMoved { branch: Some(branch), from, .. } => {
                Some(format!("git branch {} {}", in_shell(&format!("{branch}-before")), short(from)))
            }
            GitRemark::TagMoved { tag, from, .. } => Some(format!("git tag --force {} {}", in_shell(tag), short(from))),
            GitRemark::LeftBehind { commits } => commits.first().map(|id| format!("git branch left-behind {}", short(id))),
            GitRemark::CheckoutGone { path, branch, head } => {
                let checked_out = branch.as_deref().or(head.as_deref().map(short))?;
                Some(format!("git worktree add --force {} {}", in_shell(path), in_shell(checked_out)))
            }
            GitRemark::CommittedElsewhere { branch, from: Some(from), to, .. } => {
                Some(format!("`git log {}..{}`, then keep '{branch}' or set it back", short(from), short(to)))
            }
            GitRemark::HistoryMoved { branch: None, from, .. } => Some(format!("git branch before {}", short(from))),
            GitRemark::Unfinished { operation } => match operation {
                GitOperation::Bisect => Some("git bisect reset".to_owned()),
                other => Some(format!("`git {0} --continue`, or `git {0} --abort`", other.as_str().replace('_', "-"))),
            },
            GitRemark::LeftInConflict { .. } => Some("settle them there, then `git add` them".to_owned()),
            GitRemark::StashDropped { commits } => commits.first().map(|id| format!("git stash store -m back {}", short(id))),
            GitRemark::SecretCommitted { .. } => Some("change the secret, then take it out of the history before it is pushed".to_owned()),
            GitRemark::Unreadable => Some("see what `git fsck` says; bring .git back from a clone or a backup".to_owned()),
            GitRemark::Unseen { .. } => Some("see what `git status` and `git log` say there".to_owned()),
            GitRemark::MachineryChanged { what, .. } => {
                let asked = what.iter().any(|name| GIT_PROGRAMS.iter().any(|program| name.starts_with(program)));
                let agree = if asked { ", and `ralph trust --yes` if filters and merge drivers are to run" } else { "" };
                Some(format!(
                    "look at it (settings are in .git/config, hooks without a path in .git/hooks), then settle its notice{agree}: \
                     until then Ralph merges nothing, which would run it"
                ))
            }
            GitRemark::PersonsSettingsChanged { .. } => {
                Some("see `git config --global --list --show-origin`, and set back what you did not change yourself".to_owned())
            }
            GitRemark::WorkGone { paths, kept, .. }
            | GitRemark::WorkChanged { paths, kept, .. }
            | GitRemark::ConflictEnded { paths, kept, .. }
            | GitRemark::OutsideGone { paths, kept, .. } => kept.way_back(paths),
            GitRemark::BranchSwitched { .. }
            | GitRemark::BranchRenamed { .. }
            | GitRemark::CommittedElsewhere { from: None, .. }
            | GitRemark::RemoteBranchesGone { .. }
            | GitRemark::Stashed { .. }
            | GitRemark::Pushed { .. }
            | GitRemark::OutsideChanged { .. }
            | GitRemark::OutsideSwitched { .. }
            | GitRemark::Unwatched { .. }
            | GitRemark::Unversioned
            | GitRemark::LookedLate => None,
        }
    }
}
