//! The split: its task appears by rule, and closing it decomposes the feature.

use crate::error::{AppError, Result};
use crate::knowledge::journal::record;
use ralph_core::TaskId;
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::LearningState;
use ralph_core::task::{Priority, Task, TaskFilter, TaskKind, TaskProvenance};
use ralph_core::time::Timestamp;
use ralph_rag::journal::Event;
use ralph_rag::split;
use sqlite_db::Tx;

/// Makes the split task of a critical feature that has none, and returns the active one.
pub(crate) fn maybe_create_split_task(tx: &Tx<'_>, feature: &Feature, default_cap: u32, now: Timestamp) -> Result<Option<TaskId>> {
    if let Some(active) = tx.active_split_task(feature.id)? {
        return Ok(Some(active));
    }
    let saturation = tx.saturation_of(feature, default_cap)?;
    if !split::needs_split(feature.state, &saturation) {
        return Ok(None);
    }
    let tasks = tx.tasks(&TaskFilter { feature: Some(feature.name.clone()), ..TaskFilter::default() })?;
    let learnings = tx.learnings(Some(&feature.name), &[LearningState::Active])?;
    let new = split::split_task(feature, &saturation, &tasks, &learnings);
    let task = Task {
        description: new.description,
        acceptance_criteria: new.acceptance_criteria,
        priority: new.priority.unwrap_or(Priority::High),
        provenance: TaskProvenance::System,
        author: TaskProvenance::System,
        kind: TaskKind::Split,
        tags: new.tags,
        discipline: new.discipline,
        ..Task::new(&new.feature, &new.title, now)
    };
    Ok(Some(tx.insert_task(&task)?))
}

/// Children of a feature that count for its split.
pub(crate) fn child_count(tx: &sqlite_db::Read<'_>, feature: &str) -> Result<u32> {
    let children = tx.children(feature)?;
    Ok(u32::try_from(children.iter().filter(|c| c.state != FeatureState::Archived).count()).unwrap_or(u32::MAX))
}

/// What closing a split task as done means: refused with too few children, else the feature is decomposed.
pub(crate) fn close(tx: &Tx<'_>, task: &Task, now: Timestamp) -> Result<()> {
    let children = child_count(tx, &task.feature)?;
    if children < split::MIN_CHILDREN {
        return Err(AppError::SplitIncomplete { task: task.id, feature: task.feature.clone(), children, needed: split::MIN_CHILDREN });
    }
    let mut feature = crate::features::find(tx, &task.feature)?;
    feature.state = FeatureState::Decomposed;
    feature.updated = now;
    tx.update_feature(&feature)?;
    record(tx, &feature.name, Event::Feature { feature: Box::new((&feature).into()) }, now)
}
