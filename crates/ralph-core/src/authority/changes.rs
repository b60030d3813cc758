//! What a proposal shows: everything that it would write, and what that replaces.

use crate::TaskId;
use crate::feature::{Feature, FeaturePatch};
use crate::task::{Task, TaskPatch, numbered};
use crate::text::cut_visibly;

/// Maximum characters of a change that is shown on one line, before and after.
const SHORT_CHANGE: usize = 300;
/// Characters of what a longer one replaces: the person knows it, or finds it where it is.
const SHOWN_OF_OLD: usize = 500;

/// What a change would do, field by field: the basis of a person's decision. Whatever would be written is shown completely.
#[derive(Default)]
struct Changes {
    /// A short change on one line; of a longer one, what would be written.
    new: Vec<String>,
    /// What that replaces.
    old: Vec<String>,
}

impl Changes {
    fn tell(&mut self, field: &str, old: &str, new: Option<String>) {
        let Some(new) = new.filter(|new| new != old) else { return };
        if old.chars().count() + new.chars().count() <= SHORT_CHANGE && !new.contains('\n') && !old.contains('\n') {
            let quoted = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
            self.new.push(format!("{field}: {} → {}", quoted(old), quoted(&new)));
            return;
        }
        self.new.push(format!("{field}, as it would be:\n{new}"));
        if !old.is_empty() {
            self.old.push(format!("{field}, as it is:\n{}", cut_visibly(old, SHOWN_OF_OLD)));
        }
    }

    fn lines(self) -> Vec<String> {
        self.new.into_iter().chain(self.old).collect()
    }
}

/// What a change would do to a task, field by field.
pub fn changes(before: &Task, patch: &TaskPatch) -> Vec<String> {
    let mut changes = Changes::default();
    let mut tell = |field: &str, old: String, new: Option<String>| changes.tell(field, &old, new);
    let list = |items: &[String]| items.join("; ");
    let ids = |ids: &[TaskId]| numbered(ids);
    tell("status", before.status.to_string(), patch.status.map(|status| status.to_string()));
    tell("feature", before.feature.clone(), patch.feature.clone());
    tell("title", before.title.clone(), patch.title.clone());
    tell("acceptance criteria", list(&before.acceptance_criteria), patch.acceptance_criteria.as_deref().map(list));
    tell("depends on", ids(&before.depends_on), patch.depends_on.as_deref().map(ids));
    tell("parent", before.parent.map_or(String::new(), |id| format!("#{id}")), patch.parent.map(|id| format!("#{id}")));
    tell("priority", before.priority.to_string(), patch.priority.map(|priority| priority.to_string()));
    tell("tags", list(&before.tags), patch.tags.as_deref().map(list));
    tell("discipline", before.discipline.clone().unwrap_or_default(), patch.discipline.clone());
    tell("blocked because", before.blocked_reason.clone().unwrap_or_default(), patch.blocked_reason.clone());
    tell("description", before.description.clone(), patch.description.clone());
    if let Some(place) = patch.before {
        changes.new.insert(0, if place == 0 { "place: last".to_owned() } else { format!("place: before #{place}") });
    }
    changes.lines()
}

/// The same for a feature.
pub fn feature_changes(before: &Feature, patch: &FeaturePatch) -> Vec<String> {
    let mut changes = Changes::default();
    let mut tell = |field: &str, old: String, new: Option<String>| changes.tell(field, &old, new);
    let list = |items: &[String]| items.join("; ");
    let cap = |cap: Option<u32>| cap.filter(|cap| *cap != 0).map_or("the project's".to_owned(), |cap| cap.to_string());
    tell("state", before.state.to_string(), patch.state.map(|state| state.to_string()));
    tell("cap", cap(before.max_learnings), patch.max_learnings.map(|new| cap(Some(new))));
    tell("display name", before.display_name.clone(), patch.display_name.clone());
    tell("acronym", before.acronym.clone(), patch.acronym.clone());
    tell("files to read first", list(&before.context_files), patch.context_files.as_deref().map(list));
    tell("knowledge paths", list(&before.knowledge_paths), patch.knowledge_paths.as_deref().map(list));
    tell("depends on", list(&before.dependencies), patch.dependencies.as_deref().map(list));
    tell("description", before.description.clone(), patch.description.clone());
    tell("architecture", before.architecture.clone(), patch.architecture.clone());
    tell("boundaries", before.boundaries.clone(), patch.boundaries.clone());
    changes.lines()
}
