//! The split task, created by rule as soon as a feature is critical.

use super::rules::Rules;
use crate::error::Result;
use crate::notices::set_task_status;
use ralph_core::learning::LearningState;
use ralph_core::task::{Priority, Task, TaskFilter, TaskKind, TaskProvenance, TaskStatus};
use ralph_rag::act::{SplitNeed, split_need};
use ralph_rag::split;
use sqlite_db::Tx;

/// Applies the needed change to a feature's split task, after every act on the feature.
pub(crate) fn follow(tx: &Tx<'_>, feature: &str, rules: Rules) -> Result<()> {
    let Some(feature) = tx.feature(feature)? else { return Ok(()) };
    let saturation = tx.saturation_of(&feature, rules.default_cap)?;
    let active = tx.active_split_task(feature.id)?;
    match split_need(feature.state, &saturation, active.is_some(), tx.split_skipped(feature.id)?) {
        SplitNeed::Nothing => Ok(()),
        SplitNeed::ForgetSkipped => Ok(tx.set_split_skipped(feature.id, false)?),
        SplitNeed::Done => {
            // Who works on it, or closes it now, ends it; and its own work in review waits for its merge.
            let task = active.map(|id| tx.task(id)).transpose()?.flatten();
            let waiting = task.filter(|task| !matches!(task.status, TaskStatus::InProgress | TaskStatus::InReview));
            waiting.map_or(Ok(()), |task| set_task_status(tx, task.id, TaskStatus::Done, None, rules.now))
        }
        SplitNeed::Task => {
            let tasks = tx.tasks(&TaskFilter { feature: Some(feature.name.clone()), ..TaskFilter::default() })?;
            let learnings = tx.learnings(Some(&feature.name), &[LearningState::Active])?;
            let new = split::split_task(&feature, &saturation, &tasks, &learnings, &tx.own()?);
            let task = Task {
                description: new.description,
                acceptance_criteria: new.acceptance_criteria,
                priority: new.priority.unwrap_or(Priority::High),
                provenance: TaskProvenance::System,
                author: TaskProvenance::System,
                by_person: false,
                kind: TaskKind::Split,
                tags: new.tags,
                discipline: new.discipline,
                ..Task::new(&new.feature, &new.title, rules.now)
            };
            tx.insert_task(&task)?;
            Ok(())
        }
    }
}
