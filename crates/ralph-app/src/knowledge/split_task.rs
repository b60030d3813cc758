//! The split task, created by rule as soon as a feature is critical.

use super::rules::Rules;
use crate::error::Result;
use crate::notices::set_task_status;
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::LearningState;
use ralph_core::task::{NewTask, Priority, Task, TaskFilter, TaskKind, TaskProvenance, TaskStatus};
use ralph_rag::act::{SplitNeed, split_need};
use ralph_rag::split;
use sqlite_db::{Read, Tx};

/// Applies the needed change to a feature's split task, after every act on the feature.
pub(crate) fn maybe_create_split_task(tx: &Tx<'_>, feature: &str, rules: Rules) -> Result<()> {
    let Some(feature) = tx.feature(feature)? else { return Ok(()) };
    let saturation = tx.saturation_of(&feature, rules.default_cap)?;
    let active = tx.active_split_task(feature.id)?;
    match split_need(feature.state, &saturation, active.is_some(), tx.split_skipped(feature.id)?) {
        SplitNeed::Nothing => Ok(()),
        SplitNeed::ForgetSkipped => Ok(tx.set_split_skipped(feature.id, false)?),
        SplitNeed::Done => {
            // Whoever works on it, or is closing it now, ends it; and its own work in review waits for its merge.
            let task = active.map(|id| tx.task(id)).transpose()?.flatten();
            let waiting = task.filter(|task| !matches!(task.status, TaskStatus::InProgress | TaskStatus::InReview));
            waiting.map_or(Ok(()), |task| set_task_status(tx, task.id, TaskStatus::Done, None, rules.now))
        }
        SplitNeed::Over => {
            let task = active.map(|id| tx.task(id)).transpose()?.flatten();
            // Not under who works on it, and not in the middle of a split.
            let idle = task.filter(|task| is_by_rule(task) && matches!(task.status, TaskStatus::Pending | TaskStatus::Blocked));
            let Some(task) = idle else { return Ok(()) };
            if !children(tx, &feature.name)?.is_empty() {
                return Ok(());
            }
            let why = format!(
                "Skipped by rule: '{}' holds {} of {} learnings by now, {} %, and needs no split.",
                feature.name, saturation.learnings_count, saturation.max_learnings, saturation.saturation_pct
            );
            tx.insert_comment(task.id, TaskProvenance::System, &why, rules.now)?;
            set_task_status(tx, task.id, TaskStatus::Skipped, None, rules.now)
        }
        SplitNeed::Task => {
            let new = written(tx, &feature, rules.default_cap)?;
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

/// The features that one was split into so far.
pub(super) fn children(r: &Read<'_>, feature: &str) -> Result<Vec<Feature>> {
    Ok(r.children(feature)?.into_iter().filter(|child| child.state != FeatureState::Archived).collect())
}

/// The split task of a feature as it stands now.
fn written(r: &Read<'_>, feature: &Feature, default_cap: u32) -> Result<NewTask> {
    let tasks = r.tasks(&TaskFilter { feature: Some(feature.name.clone()), ..TaskFilter::default() })?;
    let learnings = r.learnings(Some(&feature.name), &[LearningState::Active])?;
    Ok(split::split_task((feature, &children(r, &feature.name)?), &r.saturation_of(feature, default_cap)?, &tasks, &learnings, &r.own()?))
}

/// Whether a split task is as the rule made it.
fn is_by_rule(task: &Task) -> bool {
    task.kind == TaskKind::Split && task.author == TaskProvenance::System && !task.by_person
}

/// A task as its next iteration sees it: a split task lists what its feature holds by then, since tasks and learnings come and go
/// between its creation and the work on it. Words that a person or an agent wrote stay.
pub(crate) fn as_it_stands(r: &Read<'_>, task: Task, default_cap: u32) -> Result<Task> {
    let feature = if is_by_rule(&task) { r.feature(&task.feature)? } else { None };
    match feature.filter(|feature| feature.state == FeatureState::Active) {
        Some(feature) => Ok(Task { description: written(r, &feature, default_cap)?.description, ..task }),
        None => Ok(task),
    }
}

/// Stores a claimed task in its current words, so that whoever looks at it reads the same as its agent.
pub(crate) fn bring_up_to_date(tx: &Tx<'_>, task: Task, rules: Rules) -> Result<Task> {
    let written = task.description.clone();
    let task = as_it_stands(tx, task, rules.default_cap)?;
    if task.description != written {
        tx.update_task(&Task { updated: rules.now, ..task.clone() })?;
    }
    Ok(task)
}
