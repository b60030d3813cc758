//! Rows by name or number, or the error that names what is missing.

use crate::error::{AppError, Result};
use ralph_core::TaskId;
use ralph_core::feature::{ClosedTo, Feature, FeatureState, check_name};
use ralph_core::noun::Noun;
use ralph_core::task::Task;
use sqlite_db::Read;

/// One feature, or the error that names it.
pub(crate) fn find_feature(read: &Read<'_>, name: &str) -> Result<Feature> {
    read.feature(name)?.ok_or_else(|| AppError::not_found(Noun::Feature, name))
}

/// The name of a feature as it is stored, if one is given.
pub(crate) fn spelled(read: &Read<'_>, feature: Option<&str>) -> Result<Option<String>> {
    feature.map(|name| find_feature(read, name).map(|feature| feature.name)).transpose()
}

/// One task, or the error that names it.
pub(crate) fn find_task(read: &Read<'_>, id: TaskId) -> Result<Task> {
    read.task(id)?.ok_or_else(|| AppError::not_found(Noun::Task, id))
}

/// Refuses what a decomposed or archived feature no longer accepts.
pub(crate) fn must_be_active(read: &Read<'_>, feature: &Feature, what: ClosedTo) -> Result<()> {
    must_have_a_name(feature)?;
    if feature.state == FeatureState::Active {
        return Ok(());
    }
    let children = read.children(&feature.name)?.into_iter().filter(|c| c.state == FeatureState::Active).map(|c| c.name).collect();
    Err(AppError::FeatureClosed { name: feature.name.clone(), state: feature.state.as_str(), what, children })
}

/// Refuses a feature whose name is invalid for a journal: nothing added to it would reach another clone.
pub(crate) fn must_have_a_name(feature: &Feature) -> Result<()> {
    if check_name(&feature.name).is_err() {
        let fault = format!("'{}' can't be the name of a journal", feature.name);
        return Err(AppError::invalid("feature", fault, "run `ralph audit --wash`: it gives the feature a name that can stay"));
    }
    Ok(())
}
