//! Feature: a scope of work and its knowledge.

use crate::replica::ReplicaId;
use crate::saturation::FeatureSaturation;
use crate::task::{ChangedWords, TaskProvenance, TaskStatus};
use crate::time::Timestamp;
use crate::{TaskId, limits};
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// Lifecycle state of a feature.
    FeatureState {
        /// Takes tasks and learnings.
        Active = "active",
        /// Split into children; its remaining learnings are history.
        Decomposed = "decomposed",
        /// Put away by a person.
        Archived = "archived",
    }
}

crate::word_enum! {
    /// What a feature that is no longer active does not take.
    ClosedTo {
        /// New learnings.
        Learnings = "learnings",
        /// New tasks.
        Tasks = "tasks",
        /// Another split of it.
        Splits = "splits",
    }
}

/// A scope of work and its knowledge.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Feature {
    /// Row number; everything else refers to the name.
    pub id: u32,
    /// Unique and immutable; also the name of its journal file: letters, digits, `.`, `_`, `-`.
    pub name: String,
    /// Name for people.
    pub display_name: String,
    /// Two to five letters for dense lists.
    pub acronym: String,
    /// What the feature is for.
    pub description: String,
    /// How it is built.
    pub architecture: String,
    /// What does and does not belong to it.
    pub boundaries: String,
    /// Files an agent should read first, relative to the project.
    pub context_files: Vec<String>,
    /// Files and folders that hold the feature's written knowledge.
    pub knowledge_paths: Vec<String>,
    /// Names of features it depends on.
    pub dependencies: Vec<String>,
    /// The feature it was split from.
    pub parent: Option<String>,
    /// Its state.
    pub state: FeatureState,
    /// Who last wrote its words: only a person's appear unfenced in prompts.
    pub author: TaskProvenance,
    /// Whether a person wrote some of its words, beside whoever wrote the others: agents only propose to change them.
    pub by_person: bool,
    /// Its own cap; the project's when `None`.
    pub max_learnings: Option<u32>,
    /// When it was made.
    pub created: Timestamp,
    /// When one of its fields last changed.
    pub updated: Timestamp,
}

impl Feature {
    /// A new active feature with only a name; not stored yet.
    pub fn new(name: &str, at: Timestamp) -> Feature {
        Feature {
            id: 0,
            name: name.to_owned(),
            display_name: name.to_owned(),
            acronym: acronym_of(name),
            description: String::new(),
            architecture: String::new(),
            boundaries: String::new(),
            context_files: Vec::new(),
            knowledge_paths: Vec::new(),
            dependencies: Vec::new(),
            parent: None,
            state: FeatureState::Active,
            author: TaskProvenance::Human,
            by_person: true,
            max_learnings: None,
            created: at,
            updated: at,
        }
    }

    /// Whether its words, the [`WORD_FIELDS`], are those of another.
    pub fn has_the_words_of(&self, other: &Feature) -> bool {
        let words = |of: &Feature| [&of.display_name, &of.description, &of.architecture, &of.boundaries].map(String::clone);
        words(self) == words(other) && self.context_files == other.context_files
    }

    /// Whether this feature depends on the named one.
    pub fn builds_on(&self, name: &str) -> bool {
        self.dependencies.iter().any(|dependency| dependency.eq_ignore_ascii_case(name))
    }
}

/// Input to create a feature.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct NewFeature {
    /// Unique name; also the journal's file name.
    pub name: String,
    /// Name for people.
    pub display_name: String,
    /// Derived from the display name when empty.
    pub acronym: Option<String>,
    /// What the feature is for.
    pub description: String,
    /// How it is built.
    pub architecture: String,
    /// What does and does not belong to it.
    pub boundaries: String,
    /// Files an agent should read first.
    pub context_files: Vec<String>,
    /// Files that hold its written knowledge.
    pub knowledge_paths: Vec<String>,
    /// Names of features it depends on.
    pub dependencies: Vec<String>,
    /// The feature it is split from.
    pub parent: Option<String>,
    /// Its own cap.
    pub max_learnings: Option<u32>,
}

/// Fields to change; `None` leaves a field as it is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct FeaturePatch {
    /// Name for people.
    pub display_name: Option<String>,
    /// Short form.
    pub acronym: Option<String>,
    /// What the feature is for.
    pub description: Option<String>,
    /// How it is built.
    pub architecture: Option<String>,
    /// What belongs to it.
    pub boundaries: Option<String>,
    /// Files an agent should read first.
    pub context_files: Option<Vec<String>>,
    /// Files that hold its written knowledge.
    pub knowledge_paths: Option<Vec<String>>,
    /// Names of features it depends on.
    pub dependencies: Option<Vec<String>>,
    /// Its state (active or archived; decomposed results only from closing its split task).
    pub state: Option<FeatureState>,
    /// Its own cap; 0 returns to the project's.
    pub max_learnings: Option<u32>,
}

impl From<&NewFeature> for FeaturePatch {
    /// Every field that a new feature has in common with a changed one.
    fn from(new: &NewFeature) -> Self {
        FeaturePatch {
            display_name: Some(new.display_name.clone()),
            acronym: new.acronym.clone(),
            description: Some(new.description.clone()),
            architecture: Some(new.architecture.clone()),
            boundaries: Some(new.boundaries.clone()),
            context_files: Some(new.context_files.clone()),
            knowledge_paths: Some(new.knowledge_paths.clone()),
            dependencies: Some(new.dependencies.clone()),
            state: None,
            max_learnings: new.max_learnings,
        }
    }
}

/// The fields of a feature that hold the words of its author.
pub const WORD_FIELDS: [&str; 5] = ["display_name", "description", "architecture", "boundaries", "context_files"];

impl FeaturePatch {
    /// Author of the words of `before`, its [`WORD_FIELDS`], after `by` changes these fields, and whether a person's are among them.
    pub fn authors_after(&self, before: &Feature, by: TaskProvenance) -> (TaskProvenance, bool) {
        let words = ChangedWords::default()
            .and(self.display_name.as_ref(), &before.display_name)
            .and(self.description.as_ref(), &before.description)
            .and(self.architecture.as_ref(), &before.architecture)
            .and(self.boundaries.as_ref(), &before.boundaries)
            .and(self.context_files.as_ref(), &before.context_files);
        (words.author(before.author, by), words.by_person(before.by_person, by))
    }
}

/// A feature as a row of the Features page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FeatureRow {
    /// The feature itself.
    pub feature: Feature,
    /// Tasks by status, done ones included.
    pub tasks: TaskCounts,
    /// Always present; the bar is drawn only when `learnings_count > 0`.
    pub saturation: FeatureSaturation,
    /// Parked learnings.
    pub parked_count: u32,
    /// Conflicts that await a person.
    pub review_count: u32,
    /// The active split task.
    pub split_task: Option<TaskId>,
    /// Whether its words came from outside: by a clone, a pull or a merge, not by this database. Clones differ in it.
    pub outside: bool,
    /// The replica that the line with those words names.
    pub outside_replica: Option<ReplicaId>,
}

/// Tasks of a feature by status.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TaskCounts {
    /// Not ready to be worked on.
    pub draft: u32,
    /// To be worked on.
    pub pending: u32,
    /// In progress.
    pub in_progress: u32,
    /// Waiting for a person.
    pub blocked: u32,
    /// Done in a worktree, not merged yet.
    pub in_review: u32,
    /// Finished.
    pub done: u32,
    /// Given up.
    pub failed: u32,
    /// Not to be done.
    pub skipped: u32,
}

impl TaskCounts {
    /// Number of tasks with a status.
    pub fn of(&mut self, status: TaskStatus) -> &mut u32 {
        match status {
            TaskStatus::Draft => &mut self.draft,
            TaskStatus::Pending => &mut self.pending,
            TaskStatus::InProgress => &mut self.in_progress,
            TaskStatus::Blocked => &mut self.blocked,
            TaskStatus::InReview => &mut self.in_review,
            TaskStatus::Done => &mut self.done,
            TaskStatus::Failed => &mut self.failed,
            TaskStatus::Skipped => &mut self.skipped,
        }
    }

    /// Sum over the open ones.
    pub fn open(mut self) -> u32 {
        TaskStatus::ALL.iter().filter(|status| status.is_open()).map(|status| *self.of(*status)).sum()
    }

    /// Sum over all statuses.
    pub fn total(mut self) -> u32 {
        TaskStatus::ALL.iter().map(|status| *self.of(*status)).sum()
    }
}

/// Why a feature name is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// Empty.
    #[error("it is empty")]
    Empty,
    /// Too long for a file name on every system.
    #[error("it is longer than {} characters", limits::NAME_CHARS)]
    TooLong,
    /// A character that is not portable in file names.
    #[error("it must start with a letter or digit and hold only letters, digits, '-', '_' and single '.'")]
    Characters,
    /// A device name on Windows.
    #[error("it is reserved on Windows")]
    Reserved,
}

/// Checks a name that becomes a file name on Linux, macOS and Windows.
pub fn check_name(name: &str) -> Result<(), NameFault> {
    if name.is_empty() {
        return Err(NameFault::Empty);
    }
    if name.len() > limits::NAME_CHARS {
        return Err(NameFault::TooLong);
    }
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    if !plain || !name.as_bytes()[0].is_ascii_alphanumeric() || name.contains("..") || name.ends_with('.') {
        return Err(NameFault::Characters);
    }
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let device = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")) && stem.as_bytes()[3].is_ascii_digit());
    if device {
        return Err(NameFault::Reserved);
    }
    Ok(())
}

/// Short form of a display name: initials of several words, or the first letters of one.
pub fn acronym_of(display_name: &str) -> String {
    let words: Vec<&str> = display_name.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let short: String = match words.as_slice() {
        [] => String::new(),
        [one] => one.chars().take(4).collect(),
        many => many.iter().filter_map(|w| w.chars().next()).take(4).collect(),
    };
    short.to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_safe_file_names_pass() {
        for name in ["payments", "auth-core", "v2.1", "A_b", "0day"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn names_that_leave_the_folder_or_a_platform_are_refused() {
        for (name, fault) in [
            ("", NameFault::Empty),
            ("../x", NameFault::Characters),
            ("a/b", NameFault::Characters),
            ("a..b", NameFault::Characters),
            (".hidden", NameFault::Characters),
            ("-x", NameFault::Characters),
            ("ä", NameFault::Characters),
            ("nul", NameFault::Reserved),
            ("COM1.x", NameFault::Reserved),
        ] {
            assert_eq!(check_name(name), Err(fault), "{name}");
        }
        assert_eq!(check_name(&"x".repeat(65)), Err(NameFault::TooLong));
    }

    #[test]
    fn open_tasks_are_those_that_are_not_closed_in_review_or_not() {
        let mut counts = TaskCounts::default();
        TaskStatus::ALL.iter().enumerate().for_each(|(place, status)| *counts.of(*status) = 1 << place);
        let open = TaskStatus::ALL.iter().enumerate().filter(|(_, status)| status.is_open()).map(|(place, _)| 1 << place).sum::<u32>();
        assert_eq!((counts.open(), counts.total(), counts.in_review > 0), (open, 255, true));
        assert_eq!(counts.open(), counts.draft + counts.pending + counts.in_progress + counts.blocked + counts.in_review);
    }

    #[test]
    fn acronyms_come_from_initials_or_first_letters() {
        assert_eq!(acronym_of("Offline sync"), "OS");
        assert_eq!(acronym_of("Payments"), "PAYM");
        assert_eq!(acronym_of("  "), "");
    }

    #[test]
    fn the_author_is_who_wrote_what_is_left_of_the_words_and_other_fields_are_none() {
        let (text, list) = (|| "x".to_owned(), vec!["x".to_owned()]);
        let by_agent = Feature {
            description: text(),
            architecture: text(),
            boundaries: text(),
            context_files: list.clone(),
            knowledge_paths: list.clone(),
            dependencies: list,
            author: TaskProvenance::Agent,
            by_person: false,
            ..Feature::new("pay", Timestamp(1))
        };
        let by_person = Feature { author: TaskProvenance::Human, by_person: true, ..by_agent.clone() };
        let fields = serde_json::to_value(&by_agent).expect("fields").as_object().cloned().expect("an object");
        let of = |wanted: &dyn Fn(&str) -> bool| {
            let fields = fields.iter().filter(|(name, _)| wanted(name)).map(|(name, value)| (name.clone(), value.clone()));
            serde_json::from_value::<FeaturePatch>(serde_json::Value::Object(fields.collect())).expect("a patch")
        };
        assert!(WORD_FIELDS.iter().all(|name| fields.contains_key(*name)));
        for name in fields.keys() {
            let is_word = WORD_FIELDS.contains(&name.as_str());
            let (by, left) = of(&|other| other == name).authors_after(&by_person, TaskProvenance::Agent);
            assert_eq!((by == TaskProvenance::Agent, left), (is_word, true), "{name} by an agent");
            let (by, left) = of(&|other| other != name).authors_after(&by_agent, TaskProvenance::Human);
            assert_eq!((by == TaskProvenance::Human, left), (!is_word, true), "all but {name} by a person");
        }
    }
}
