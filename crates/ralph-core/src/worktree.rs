//! Worktree: a separate folder for the work on one task or errand, on its own branch, until it is merged.

mod upkeep;

pub use upkeep::{Upkeep, free_ports};

use crate::TaskId;
use crate::errand::ErrandId;
use crate::run::CheckResult;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Number of a worktree; never reused.
pub type WorktreeId = u32;

/// Characters of a task's title in a branch name.
const SLUG_CHARS: usize = 40;

/// The purpose of a worktree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// A task.
    Task(TaskId),
    /// An errand that proposes a change.
    Errand(ErrandId),
}

impl Work {
    /// The task, if it is one.
    pub fn task(self) -> Option<TaskId> {
        if let Work::Task(id) = self { Some(id) } else { None }
    }

    /// The errand, if it is one.
    pub fn errand(self) -> Option<ErrandId> {
        if let Work::Errand(id) = self { Some(id) } else { None }
    }

    /// Its name in commands: `3` for a task, `e3` for an errand.
    pub fn name(self) -> String {
        match self {
            Work::Task(id) => id.to_string(),
            Work::Errand(id) => format!("e{id}"),
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::Task(id) => write!(f, "task #{id}"),
            Work::Errand(id) => write!(f, "errand {id}"),
        }
    }
}

impl FromStr for Work {
    type Err = NoWork;

    /// A number alone is that of a task.
    fn from_str(name: &str) -> Result<Work, NoWork> {
        Ok(match name.parse()? {
            WorkName::Sure(work) => work,
            WorkName::Number(id) => Work::Task(id),
        })
    }
}

/// An invalid name of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoWork;

impl fmt::Display for NoWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("give the number of a task, such as 3, or of an errand, such as e3")
    }
}

impl std::error::Error for NoWork {}

/// What a person names: `3` may be either until it is looked up, `#3` is a task, `e3` an errand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkName {
    /// Explicitly one of the two.
    Sure(Work),
    /// A number alone.
    Number(u32),
}

impl FromStr for WorkName {
    type Err = NoWork;

    fn from_str(name: &str) -> Result<WorkName, NoWork> {
        let number = |digits: &str| digits.parse().map_err(|_| NoWork);
        match name.split_at_checked(1) {
            Some(("#", digits)) => number(digits).map(|id| WorkName::Sure(Work::Task(id))),
            Some(("e", digits)) => number(digits).map(|id| WorkName::Sure(Work::Errand(id))),
            _ => number(name).map(WorkName::Number),
        }
    }
}

crate::word_enum! {
    /// State of a worktree.
    WorktreeState {
        /// Being created; also what a killed Ralph left half done.
        Making = "making",
        /// In use, or awaiting review.
        Ready = "ready",
        /// Its base contains its work.
        Merged = "merged",
        /// Its work was rejected; it can be recovered until its branch is pruned.
        Discarded = "discarded",
    }
}

crate::word_enum! {
    /// What a list says about a worktree: its state, its folder and its task's review in one word.
    WorktreeStanding {
        /// Being created; also what a killed Ralph left half done.
        Making = "making",
        /// In use.
        Ready = "ready",
        /// Its work awaits review.
        InReview = "in_review",
        /// Its base contains its work.
        Merged = "merged",
        /// Its work was rejected; it can be recovered until its branch is pruned.
        Discarded = "discarded",
        /// Its folder is gone although its work is not over.
        Missing = "missing",
    }
}

impl From<WorktreeState> for WorktreeStanding {
    fn from(state: WorktreeState) -> WorktreeStanding {
        match state {
            WorktreeState::Making => WorktreeStanding::Making,
            WorktreeState::Ready => WorktreeStanding::Ready,
            WorktreeState::Merged => WorktreeStanding::Merged,
            WorktreeState::Discarded => WorktreeStanding::Discarded,
        }
    }
}

crate::word_enum! {
    /// How work is merged into its base.
    MergeStrategy {
        /// A merge commit that keeps the branch's commits.
        Merge = "merge",
        /// A single commit with all changes.
        Squash = "squash",
        /// The branch's commits, rebased onto the base.
        Rebase = "rebase",
    }
}

crate::word_enum! {
    /// Who accepts work from a worktree.
    ReviewPolicy {
        /// A person.
        Person = "person",
        /// Ralph, when the check passes on the merged result.
        Auto = "auto",
    }
}

crate::word_enum! {
    /// Who resolves conflicts between the work on a task and its base.
    ResolvePolicy {
        /// A person, or an agent started by a person.
        Ask = "ask",
        /// An agent, started by the merge itself; a person, if its result is invalid.
        Agent = "agent",
    }
}

crate::word_enum! {
    /// When a task whose dependency is done in a worktree may begin.
    DependencyStart {
        /// Once the base contains the dependency's work.
        Merged = "merged",
        /// At once, based on the dependency's branch.
        Stacked = "stacked",
    }
}

crate::word_enum! {
    /// Why a merge was refused.
    RefusalKind {
        /// Both sides changed the same, so that git can't decide.
        Conflict = "conflict",
        /// The check did not pass on the merged result.
        CheckFailed = "check_failed",
        /// Uncommitted changes in the base's checkout would be lost.
        InTheWay = "in_the_way",
        /// Uncommitted changes in the worktree would be left behind.
        Uncommitted = "uncommitted",
        /// The base moved repeatedly in the meantime.
        BaseMoved = "base_moved",
        /// The branch does not exist.
        BaseGone = "base_gone",
        /// An agent is running where files would change.
        AtWork = "at_work",
        /// Another merge is in progress.
        Busy = "busy",
        /// The base lacks the commit that the work began from, or has reverted commits of the work, without which the rest can't be merged.
        StartLost = "start_lost",
        /// It brings a repository of its own, whose files the base would not hold.
        RepositoryInside = "repository_inside",
        /// Git or one of its hooks refused: a protected branch, a lock, a hook that fails.
        ByGit = "by_git",
    }
}

/// Why a merge was refused; nothing is left half done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Refusal {
    /// The kind.
    pub kind: RefusalKind,
    /// The explanation for a person.
    pub message: String,
    /// The files concerned.
    pub files: Vec<String>,
    /// Merge drivers of these files that were left out, because nobody agreed to them: their settings in git.
    #[serde(default)]
    pub left_out: Vec<String>,
}

impl Refusal {
    /// A refusal for which no merge driver was left out.
    pub fn new(kind: RefusalKind, message: String, files: Vec<String>) -> Refusal {
        Refusal { kind, message, files, left_out: Vec::new() }
    }

    /// How to resolve it.
    pub fn hint(&self, work: Work) -> String {
        if !self.left_out.is_empty() {
            return "`ralph trust` shows what these merge drivers run, and `ralph trust --yes` agrees to it; or settle the files by hand"
                .into();
        }
        let Work::Task(task) = work else { return self.hint_of_errand(work) };
        match self.kind {
            RefusalKind::Conflict => {
                format!(
                    "`ralph merge {task} --resolve` has an agent settle it; or merge the base into the branch in its worktree and settle the \
                     files yourself, or `ralph send-back {task} --comment …`"
                )
            }
            // A merge would bring back what the base lacks.
            RefusalKind::StartLost => {
                format!("do in the worktree what the message names, then merge again; or `ralph send-back {task} --comment …`")
            }
            RefusalKind::CheckFailed => {
                format!("see what the check said; `ralph send-back {task} --comment …` gives it to the next attempt")
            }
            RefusalKind::InTheWay => "commit, stash or remove these files there, then merge again".into(),
            RefusalKind::Uncommitted => "commit them in the worktree, or throw them away, then merge again".into(),
            RefusalKind::BaseMoved | RefusalKind::Busy => "try again in a moment".into(),
            RefusalKind::BaseGone => format!("name another one: `ralph merge {task} --into BRANCH`"),
            RefusalKind::AtWork => "stop the run with `ralph stop`, or wait until it ends".into(),
            RefusalKind::RepositoryInside => {
                "take its `.git` away and commit its files, or make it a submodule (`git submodule add`), then merge again".into()
            }
            RefusalKind::ByGit => "mend what it names, then merge again".into(),
        }
    }

    fn hint_of_errand(&self, work: Work) -> String {
        match self.kind {
            RefusalKind::Conflict | RefusalKind::StartLost | RefusalKind::CheckFailed => {
                format!("`ralph discard {}`, then order it anew from the base as it is now", work.name())
            }
            RefusalKind::BaseGone => format!("name another one: `ralph merge {} --into BRANCH`", work.name()),
            _ => self.hint(Work::Task(0)),
        }
    }
}

/// A worktree created by Ralph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Worktree {
    /// Number of the row.
    pub id: WorktreeId,
    /// Its purpose.
    pub work: Work,
    /// Absolute path of its folder.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// Its base branch.
    pub base: String,
    /// The commit it started from.
    pub base_commit: String,
    /// Its state.
    pub state: WorktreeState,
    /// The first of its ports.
    pub port_base: u32,
    /// Number of ports; 0 = none.
    pub ports: u32,
    /// The last commit of its branch when it was merged or discarded.
    pub tip: Option<String>,
    /// The merge into the base that may be unfinished.
    pub landing: Option<Landing>,
    /// The end of the set-up command's output; `None` without one.
    pub setup_output: Option<String>,
    /// Why the last merge was refused.
    pub refusal: Option<Refusal>,
    /// The check on the result of the last merge attempt.
    pub check: Option<CheckResult>,
    /// Whether the folder was removed.
    pub removed: bool,
    /// Whether the branch was removed.
    pub pruned: bool,
    /// When it was created.
    pub made: Timestamp,
    /// When it was merged or discarded.
    pub ended: Option<Timestamp>,
}

/// A merge that may be unfinished.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Landing {
    /// The commit of the base it started from.
    pub from: String,
    /// The result; `None` while it is being created.
    pub to: Option<String>,
    /// The last commit of the work that it merges; `None` in a note of an earlier Ralph.
    #[serde(default)]
    pub tip: Option<String>,
    /// The branch that it moves, where that is not the worktree's base.
    #[serde(default)]
    pub into: Option<String>,
    /// Whether git has yet to move the base.
    #[serde(default)]
    pub waits: bool,
}

/// The words of a title for a branch name; empty if there are none.
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars().flat_map(char::to_lowercase) {
        if slug.chars().count() >= SLUG_CHARS {
            break;
        }
        if character.is_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// A branch name from `pattern`, in which `{task}` is the name of the work and `{slug}` the words of the title;
/// `turn` distinguishes a second branch of the same work from the first.
pub fn branch_name(pattern: &str, work: Work, title: &str, turn: u32) -> String {
    let name = pattern.replace("{task}", &work.name()).replace("{slug}", &slug(title));
    let name = name.trim_end_matches(['-', '/', '.']);
    if turn > 1 { format!("{name}-{turn}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_named_after_its_task() {
        for (title, expected) in [
            ("Refund a payment", "ralph/7-refund-a-payment"),
            ("  Größe: 5 € / ..lock ", "ralph/7-größe-5-lock"),
            ("🦀", "ralph/7"),
            ("-rf ~; $(x)", "ralph/7-rf-x"),
            ("支払いを返金する", "ralph/7-支払いを返金する"),
        ] {
            assert_eq!(branch_name("ralph/{task}-{slug}", Work::Task(7), title, 1), expected, "{title}");
        }
        assert_eq!(branch_name("ralph/{task}-{slug}", Work::Task(7), "x", 2), "ralph/7-x-2");
        assert_eq!(branch_name("ralph/{task}-{slug}", Work::Errand(7), "x", 1), "ralph/e7-x");
        for (name, expected) in [
            ("7", Ok(WorkName::Number(7))),
            ("#7", Ok(WorkName::Sure(Work::Task(7)))),
            ("e7", Ok(WorkName::Sure(Work::Errand(7)))),
            ("", Err(NoWork)),
            ("e", Err(NoWork)),
            ("-7", Err(NoWork)),
            ("ä7", Err(NoWork)),
        ] {
            assert_eq!(name.parse(), expected, "{name}");
        }
        assert_eq!(slug(&"word ".repeat(40)).chars().count(), 39);
    }
}
