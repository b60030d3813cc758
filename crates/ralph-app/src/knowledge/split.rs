//! The split of a feature: requested, shown, and closed, which decomposes the feature.

use super::projector::perform;
use super::rules::Rules;
use super::slice::Needs;
use super::split_task;
use crate::app::App;
use crate::error::{AppError, Result};
use ralph_core::authority::Act;
use ralph_core::feature::{ClosedTo, FeatureState};
use ralph_core::learning::LearningState;
use ralph_core::saturation::CRITICAL_PCT;
use ralph_core::split::{SplitProgress, SplitView};
use ralph_core::task::{Task, TaskFilter, TaskKind, TaskStatus};
use ralph_core::{TaskId, count};
use ralph_rag::split;
use sqlite_db::{Read, Tx};

impl App {
    /// Creates the split task of a feature on a person's request, even after one was skipped. Below critical there is nothing to split.
    pub fn request_split(&self, feature: &str) -> Result<TaskId> {
        self.allowed(&Act::RequestSplit)?;
        let rules = self.knowledge_rules()?;
        self.write(|tx| {
            let feature = crate::rows::find_feature(tx, feature)?;
            tx.set_split_skipped(feature.id, false)?;
            split_task::maybe_create_split_task(tx, &feature.name, rules)?;
            tx.active_split_task(feature.id)?.ok_or_else(|| {
                AppError::invalid(
                    "feature",
                    format!("'{}' is not saturated enough to be split", feature.name),
                    format!(
                        "a split task is made at {CRITICAL_PCT} % of its cap; lower the cap with `ralph feature update --max-learnings`"
                    ),
                )
            })
        })
    }

    /// Progress of a feature's split, and suggested clusters.
    pub fn split_view(&self, feature: &str) -> Result<SplitView> {
        self.db.read(|r| {
            let feature = crate::rows::find_feature(r, feature)?.name;
            let progress = progress(r, &feature)?;
            let tasks = r.tasks(&TaskFilter { feature: Some(feature.clone()), ..TaskFilter::default() })?;
            let learnings = r.learnings(Some(&feature), &[LearningState::Active])?;
            let clusters = split::suggest_clusters(&tasks, &learnings, &r.own()?);
            Ok(SplitView { left: progress.left(), progress, clusters })
        })
    }
}

/// Progress of a feature's split.
pub(crate) fn progress(r: &Read<'_>, feature: &str) -> Result<SplitProgress> {
    let children = split_task::children(r, feature)?.len();
    let filter = TaskFilter {
        feature: Some(feature.to_owned()),
        statuses: TaskStatus::ALL.iter().copied().filter(|status| status.is_open()).collect(),
        ..TaskFilter::default()
    };
    let mut open_tasks: Vec<TaskId> = r.tasks(&filter)?.into_iter().filter(|t| t.kind != TaskKind::Split).map(|t| t.id).collect();
    open_tasks.sort_unstable();
    Ok(SplitProgress { children: count(children), open_tasks })
}

/// Closes a split task as done: refused while something is left to do, otherwise the feature is decomposed. The loop has done so before the
/// review of its work, after which a child may have been archived.
pub(crate) fn close(tx: &Tx<'_>, task: &Task, rules: Rules) -> Result<()> {
    let feature = crate::rows::find_feature(tx, &task.feature)?;
    if feature.state == FeatureState::Decomposed {
        return Ok(());
    }
    crate::rows::must_be_active(tx, &feature, ClosedTo::Splits)?;
    let progress = progress(tx, &task.feature)?;
    if !progress.is_complete() {
        return Err(AppError::SplitIncomplete { task: task.id, feature: task.feature.clone(), left: progress.left() });
    }
    perform(tx, rules, &Needs::features([task.feature.as_str()]), |draft| draft.close_split(&task.feature))
}

/// Opens a split task again: refused while its feature has another, since only one at a time is active.
pub(crate) fn reopen(tx: &Tx<'_>, task: &Task) -> Result<()> {
    let feature = crate::rows::find_feature(tx, &task.feature)?;
    if let Some(active) = tx.active_split_task(feature.id)? {
        let fault = format!("'{}' has another split task at work, #{active}", feature.name);
        return Err(AppError::invalid("status", fault, format!("work on task #{active}, or skip it first")));
    }
    Ok(tx.set_split_skipped(feature.id, false)?)
}

/// A person skips the split task: no new one until saturation has fallen below critical, or on request.
pub(crate) fn skip(tx: &Tx<'_>, task: &Task) -> Result<()> {
    Ok(tx.set_split_skipped(crate::rows::find_feature(tx, &task.feature)?.id, true)?)
}
