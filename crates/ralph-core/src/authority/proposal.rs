//! What a proposal would change, compared with the state when it is decided. Fields are compared by their names, whatever they belong to.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The values of `of` in the fields that `patch` changes, except a state, which the loop changes by itself.
pub fn as_it_is<P: Serialize + DeserializeOwned + Default>(of: &impl Serialize, patch: &P) -> P {
    let changed = fields(patch);
    let mut values = as_written(of, &changed);
    values.retain(|name, _| !["status", "state"].contains(&name.as_str()) && changed.get(name).is_some_and(|new| !new.is_null()));
    serde_json::from_value(Value::Object(values)).unwrap_or_default()
}

/// The fields, in words, that have been changed since a proposal was made, to something other than it proposes: accepting it would undo
/// that unnoticed.
pub fn changed_since<P: Serialize>(before: &P, now: &P, new: &P) -> Vec<String> {
    let [before, now, new] = [before, now, new].map(fields);
    let moved = |(name, old): &(&String, &Value)| !old.is_null() && now.get(*name) != Some(*old) && now.get(*name) != new.get(*name);
    before.iter().filter(moved).map(|(name, _)| name.replace('_', " ")).collect()
}

/// Whether everything that `patch` changes has that value already, so that nothing is left to decide. A patch that changes nothing is left
/// to a person.
pub fn is_moot(of: &impl Serialize, patch: &impl Serialize) -> bool {
    let wanted = fields(patch);
    let is = as_written(of, &wanted);
    let mut wanted = wanted.iter().filter(|(_, value)| !value.is_null()).peekable();
    wanted.peek().is_some() && wanted.all(|(name, value)| is.get(name) == Some(value))
}

/// The fields of `of`, those without a value as a patch takes one away: by 0, or by an empty text.
fn as_written(of: &impl Serialize, patch: &Map<String, Value>) -> Map<String, Value> {
    let mut values = fields(of);
    for (name, value) in values.iter_mut().filter(|(_, value)| value.is_null()) {
        match patch.get(name) {
            Some(Value::Number(_)) => *value = Value::from(0),
            Some(Value::String(_)) => *value = Value::from(""),
            _ => {}
        }
    }
    values
}

fn fields(of: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(of) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::{Feature, FeaturePatch};
    use crate::task::{Priority, Task, TaskPatch, TaskStatus};
    use crate::time::Timestamp;

    fn patch(title: Option<&str>, status: Option<TaskStatus>) -> TaskPatch {
        TaskPatch { title: title.map(str::to_owned), status, ..TaskPatch::default() }
    }

    #[test]
    fn a_proposal_remembers_the_fields_that_it_changes_but_no_status() {
        let task = Task::new("shop", "Refund", Timestamp(1));
        assert_eq!(as_it_is(&task, &patch(Some("Refunds"), Some(TaskStatus::Done))), patch(Some("Refund"), None));
        assert_eq!(as_it_is(&task, &TaskPatch::default()), TaskPatch::default());
    }

    #[test]
    fn what_there_was_none_of_is_remembered_as_none() {
        let new = TaskPatch { discipline: Some("backend".to_owned()), parent: Some(3), ..TaskPatch::default() };
        let task = Task::new("shop", "Refund", Timestamp(1));
        let before = as_it_is(&task, &new);
        assert_eq!(before, TaskPatch { discipline: Some(String::new()), parent: Some(0), ..TaskPatch::default() });
        let now = as_it_is(&Task { discipline: Some("testing".to_owned()), ..task.clone() }, &new);
        assert_eq!((changed_since(&before, &before, &new), changed_since(&before, &now, &new)), (vec![], vec!["discipline".to_owned()]));
        assert!(is_moot(&task, &before) && !is_moot(&task, &new));

        let cap = |max_learnings: u32| FeaturePatch { max_learnings: Some(max_learnings), ..FeaturePatch::default() };
        let shop = Feature::new("shop", Timestamp(1));
        let now = as_it_is(&Feature { max_learnings: Some(20), ..shop.clone() }, &cap(40));
        assert_eq!(changed_since(&as_it_is(&shop, &cap(40)), &now, &cap(40)), ["max learnings"]);
    }

    #[test]
    fn what_somebody_changed_since_is_named_unless_it_is_what_was_proposed() {
        let criteria = |text: &str| TaskPatch { acceptance_criteria: Some(vec![text.to_owned()]), ..TaskPatch::default() };
        for (before, now, new, changed) in [
            (patch(Some("a"), None), patch(Some("a"), None), patch(Some("b"), None), vec![]),
            (patch(Some("a"), None), patch(Some("b"), None), patch(Some("b"), None), vec![]),
            (patch(Some("a"), None), patch(Some("c"), None), patch(Some("b"), None), vec!["title"]),
            (criteria("a"), criteria("c"), criteria("b"), vec!["acceptance criteria"]),
            // Proposals of earlier versions have no values from before.
            (TaskPatch::default(), patch(Some("c"), None), patch(Some("b"), None), vec![]),
        ] {
            assert_eq!(changed_since(&before, &now, &new), changed, "{before:?} {now:?} {new:?}");
        }
    }

    #[test]
    fn a_proposal_is_moot_when_all_of_it_is_so_already() {
        let task = Task { status: TaskStatus::Done, ..Task::new("shop", "Refund", Timestamp(1)) };
        for (patch, moot) in [
            (patch(None, Some(TaskStatus::Done)), true),
            (patch(Some("Refund"), Some(TaskStatus::Done)), true),
            (patch(Some("Refunds"), Some(TaskStatus::Done)), false),
            (TaskPatch { priority: Some(Priority::Critical), ..TaskPatch::default() }, false),
            (TaskPatch::default(), false),
        ] {
            assert_eq!(is_moot(&task, &patch), moot, "{patch:?}");
        }
    }
}
