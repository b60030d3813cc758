//! Task: a unit of work in a graph of dependencies.

mod becomes;
mod list;
#[cfg(test)]
mod tests;

pub use becomes::{Standing, StatusFault, StatusStep, may_become};
pub use list::{ImportedTasks, LeftOut, ListedTask, ListedTasks, TaskList};

use crate::TaskId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

crate::word_enum! {
    /// Status of a task. What follows from other tasks is [`Readiness`], never stored.
    TaskStatus {
        /// Not ready to be worked on.
        Draft = "draft",
        /// To be worked on.
        Pending = "pending",
        /// An iteration is working on it.
        InProgress = "in_progress",
        /// Waits for a person.
        Blocked = "blocked",
        /// Done in a worktree, not merged yet.
        InReview = "in_review",
        /// Finished; what was done in a worktree is merged.
        Done = "done",
        /// Given up by a person.
        Failed = "failed",
        /// Not to be done.
        Skipped = "skipped",
    }
}

impl TaskStatus {
    /// Whether the task still needs work or a decision. A split task in such a status is *active*.
    pub fn is_open(self) -> bool {
        !matches!(self, TaskStatus::Done | TaskStatus::Failed | TaskStatus::Skipped)
    }

    /// Whether only a person takes it further: the loop works on no draft, on nothing blocked, and on nothing in review.
    pub fn waits_for_person(self) -> bool {
        matches!(self, TaskStatus::Draft | TaskStatus::Blocked | TaskStatus::InReview)
    }

    /// Whether tasks that depend on it may start.
    pub fn satisfies_dependents(self) -> bool {
        matches!(self, TaskStatus::Done | TaskStatus::Skipped)
    }
}

crate::word_enum! {
    /// How soon a task is worked on; the loop takes the highest first.
    Priority {
        /// When nothing else is ready.
        Low = "low",
        /// Default.
        Medium = "medium",
        /// Before ordinary work; split tasks have it.
        High = "high",
        /// Before everything.
        Critical = "critical",
    }
}

crate::word_enum! {
    /// Who created a task, or wrote some words.
    TaskProvenance {
        /// An agent through MCP.
        Agent = "agent",
        /// A person.
        Human = "human",
        /// Ralph, by rule.
        System = "system",
    }
}

/// What a change does to the words of a task or a feature.
#[derive(Default)]
pub(crate) struct ChangedWords {
    /// Some are given.
    given: bool,
    /// Some of the existing ones are not given.
    left: bool,
    /// Some of the existing ones stay as they were, given or not.
    stay: bool,
}

impl ChangedWords {
    /// The same with one more field.
    pub(crate) fn and<T: PartialEq + Default>(self, new: Option<&T>, old: &T) -> ChangedWords {
        let stood = *old != T::default();
        ChangedWords {
            given: self.given || new.is_some(),
            left: self.left || (stood && new.is_none()),
            stay: self.stay || (stood && new.is_none_or(|new| new == old)),
        }
    }

    /// Author of the words after `by` changed them so. A person takes over authorship when nothing written by others is left.
    pub(crate) fn author(&self, before: TaskProvenance, by: TaskProvenance) -> TaskProvenance {
        let stays = !self.given || (by == TaskProvenance::Human && self.left);
        if stays { before } else { by }
    }

    /// Whether words of a person are among them after `by` changed them so, if some were `before`.
    pub(crate) fn by_person(&self, before: bool, by: TaskProvenance) -> bool {
        if by == TaskProvenance::Human { before || self.given } else { before && self.stay }
    }
}

crate::word_enum! {
    /// What kind of work a task is.
    TaskKind {
        /// Ordinary work.
        Work = "work",
        /// The split of a saturated feature, made by Ralph.
        Split = "split",
    }
}

crate::word_enum! {
    /// Combined meaning of a task's status, its feature's state and its dependencies; computed on reading, never stored.
    Readiness {
        /// The loop may take it now.
        Ready = "ready",
        /// A dependency is not finished.
        Waiting = "waiting",
        /// A dependency failed or was abandoned: the task can't become ready by itself.
        Stranded = "stranded",
        /// An agent is working on it.
        Running = "running",
        /// A person has to act: draft, blocked or in review.
        NeedsPerson = "needs_person",
        /// Its feature is archived: no run takes it until the feature is active again.
        Archived = "archived",
        /// Nothing left to do: done, failed or skipped.
        Closed = "closed",
    }
}

/// A unit of work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Task {
    /// Its number, as people type it.
    pub id: TaskId,
    /// Name of the feature it belongs to.
    pub feature: String,
    /// One line.
    pub title: String,
    /// What to do.
    pub description: String,
    /// When it counts as done.
    pub acceptance_criteria: Vec<String>,
    /// Its status.
    pub status: TaskStatus,
    /// How soon it is worked on.
    pub priority: Priority,
    /// Who made it.
    pub provenance: TaskProvenance,
    /// Who last wrote its words: only a person's appear unfenced in prompts.
    pub author: TaskProvenance,
    /// Whether a person wrote some of its words, beside whoever wrote the others: agents only propose to change them.
    pub by_person: bool,
    /// Ordinary work or a split.
    pub kind: TaskKind,
    /// Free-form.
    pub tags: Vec<String>,
    /// Tasks that must be finished first.
    pub depends_on: Vec<TaskId>,
    /// The task it is a part of.
    pub parent: Option<TaskId>,
    /// Name of its discipline.
    pub discipline: Option<String>,
    /// Position among tasks of the same priority; smaller comes first.
    pub position: u32,
    /// Why it is blocked, in words for a person.
    pub blocked_reason: Option<String>,
    /// Computed from status, feature and dependencies.
    pub readiness: Readiness,
    /// Computed: unfinished dependencies.
    pub waiting_on: Vec<TaskId>,
    /// Computed: failed attempts since the last success or since a person reset it.
    pub consecutive_failures: u32,
    /// Computed: whether these reach the project's threshold while the task is open.
    pub stuck: bool,
    /// When it was made.
    pub created: Timestamp,
    /// When one of its fields last changed.
    pub updated: Timestamp,
}

impl Task {
    /// A new pending task of a person; not stored yet.
    pub fn new(feature: &str, title: &str, at: Timestamp) -> Task {
        Task {
            id: 0,
            feature: feature.to_owned(),
            title: title.to_owned(),
            description: String::new(),
            acceptance_criteria: Vec::new(),
            status: TaskStatus::Pending,
            priority: Priority::Medium,
            provenance: TaskProvenance::Human,
            author: TaskProvenance::Human,
            by_person: true,
            kind: TaskKind::Work,
            tags: Vec::new(),
            depends_on: Vec::new(),
            parent: None,
            discipline: None,
            position: 0,
            blocked_reason: None,
            readiness: Readiness::Ready,
            waiting_on: Vec::new(),
            consecutive_failures: 0,
            stuck: false,
            created: at,
            updated: at,
        }
    }
    /// The task with `stuck` computed by the project's threshold: the only place of that rule.
    pub fn judged(self, stuck_after: u32) -> Task {
        Task { stuck: self.status.is_open() && self.consecutive_failures >= stuck_after, ..self }
    }
}

/// Input to create a task.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct NewTask {
    /// Name of the feature.
    pub feature: String,
    /// One line.
    pub title: String,
    /// What to do.
    pub description: String,
    /// When it counts as done.
    pub acceptance_criteria: Vec<String>,
    /// Pending when `None`.
    pub status: Option<TaskStatus>,
    /// Medium when `None`.
    pub priority: Option<Priority>,
    /// Free-form.
    pub tags: Vec<String>,
    /// Tasks that must be finished first.
    pub depends_on: Vec<TaskId>,
    /// The task it is a part of.
    pub parent: Option<TaskId>,
    /// Name of the discipline.
    pub discipline: Option<String>,
}

/// Fields to change; `None` leaves a field as it is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct TaskPatch {
    /// Moves the task, and its learnings with it, to another feature.
    pub feature: Option<String>,
    /// One line.
    pub title: Option<String>,
    /// What to do.
    pub description: Option<String>,
    /// When it counts as done.
    pub acceptance_criteria: Option<Vec<String>>,
    /// The new status.
    pub status: Option<TaskStatus>,
    /// How soon it is worked on.
    pub priority: Option<Priority>,
    /// Free-form.
    pub tags: Option<Vec<String>>,
    /// Tasks that must be finished first.
    pub depends_on: Option<Vec<TaskId>>,
    /// The task it is a part of; 0 takes it out.
    pub parent: Option<TaskId>,
    /// Name of the discipline; empty takes it away.
    pub discipline: Option<String>,
    /// Why it is blocked.
    pub blocked_reason: Option<String>,
    /// Places the task directly before this one (same priority); 0 places it last.
    pub before: Option<TaskId>,
}

impl TaskPatch {
    /// Author of the words of `before` after `by` changes these fields, and whether a person's are among them.
    pub fn authors_after(&self, before: &Task, by: TaskProvenance) -> (TaskProvenance, bool) {
        let words = ChangedWords::default()
            .and(self.title.as_ref(), &before.title)
            .and(self.description.as_ref(), &before.description)
            .and(self.acceptance_criteria.as_ref(), &before.acceptance_criteria);
        (words.author(before.author, by), words.by_person(before.by_person, by))
    }
}

/// Which tasks to list; empty fields do not filter.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct TaskFilter {
    /// Name of the feature.
    pub feature: Option<String>,
    /// Statuses to show; all when empty.
    pub statuses: Vec<TaskStatus>,
    /// Priorities to show; all when empty.
    pub priorities: Vec<Priority>,
    /// Provenances to show; all when empty.
    pub provenances: Vec<TaskProvenance>,
    /// Words that title, description or tags contain.
    pub text: Option<String>,
}

/// A remark on a task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TaskComment {
    /// Number of the row.
    pub id: u32,
    /// The task.
    pub task_id: TaskId,
    /// Who wrote it: `human`, `agent` or `system`.
    pub author: TaskProvenance,
    /// The remark.
    pub text: String,
    /// When it was written.
    pub created: Timestamp,
}

/// Why a run for one task alone has nothing to do, in words.
pub fn why_not_ready(id: TaskId, status: TaskStatus) -> String {
    let is = match status {
        TaskStatus::Draft => "a draft",
        TaskStatus::Pending => "not ready",
        TaskStatus::InProgress => "worked on by another run",
        TaskStatus::InReview => "in review",
        TaskStatus::Blocked => "blocked",
        TaskStatus::Done => "done",
        TaskStatus::Failed => "abandoned",
        TaskStatus::Skipped => "skipped",
    };
    format!("task {id} is {is}")
}

/// Combined meaning of a task's status, its feature's state and its dependencies.
///
/// `archived` says whether its feature is archived, `dependencies` are the statuses of the tasks in `depends_on`.
pub fn readiness(status: TaskStatus, archived: bool, dependencies: impl IntoIterator<Item = TaskStatus>) -> Readiness {
    match status {
        TaskStatus::Done | TaskStatus::Failed | TaskStatus::Skipped => Readiness::Closed,
        TaskStatus::Draft | TaskStatus::Blocked | TaskStatus::InReview => Readiness::NeedsPerson,
        TaskStatus::InProgress => Readiness::Running,
        TaskStatus::Pending if archived => Readiness::Archived,
        TaskStatus::Pending => {
            let mut result = Readiness::Ready;
            for dependency in dependencies {
                if dependency == TaskStatus::Failed {
                    return Readiness::Stranded;
                }
                if !dependency.satisfies_dependents() {
                    result = Readiness::Waiting;
                }
            }
            result
        }
    }
}

/// Tasks by their numbers: `#1, #2`.
pub fn numbered(tasks: &[TaskId]) -> String {
    tasks.iter().map(|task| format!("#{task}")).collect::<Vec<_>>().join(", ")
}

/// Finds a cycle that would result if `task` depended on `depends_on`, given all other edges (task → its dependencies).
/// Returns the tasks on it, from `task` back to `task`.
pub fn find_cycle(task: TaskId, depends_on: &[TaskId], edges: &BTreeMap<TaskId, Vec<TaskId>>) -> Option<Vec<TaskId>> {
    let mut seen = BTreeSet::new();
    // Depth-first with the path kept on the stack: (node, path to it).
    let mut stack: Vec<Vec<TaskId>> = depends_on.iter().map(|d| vec![task, *d]).collect();
    while let Some(path) = stack.pop() {
        let node = path[path.len() - 1];
        if node == task {
            return Some(path);
        }
        if seen.insert(node) {
            for next in edges.get(&node).into_iter().flatten() {
                let mut longer = path.clone();
                longer.push(*next);
                stack.push(longer);
            }
        }
    }
    None
}
