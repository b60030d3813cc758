//! The table `[automatic_learning]`: omitted keys are as in a new project, except that learning is off unless enabled explicitly.

use super::fault::ConfigFault;
use super::table;
use ralph_core::settings::{AutomaticLearning, LearningExtractor};
use ralph_core::text::is_model_name;
use std::path::Path;
use toml_edit::{DocumentMut, Item, Table};

pub(super) const TABLE: &str = "automatic_learning";

pub(super) fn read(path: &Path, document: &DocumentMut, target: &mut AutomaticLearning) -> Result<(), ConfigFault> {
    let Some(item) = document.get(TABLE) else { return Ok(()) };
    *target = table::read(path, TABLE, item)?;
    Ok(())
}

pub(super) fn check(path: &Path, settings: &AutomaticLearning) -> Result<(), ConfigFault> {
    let bad = |key: &str, why: String| Err(fault(path, format!("{key}: {why}")));
    for (key, confidence) in [
        ("min_episode_confidence", settings.min_episode_confidence),
        ("ingested_confidence", settings.ingested_confidence),
        ("changed_confidence", settings.changed_confidence),
        ("failed_confidence", settings.failed_confidence),
        ("worked_confidence", settings.worked_confidence),
    ] {
        if !(0.0..=1.0).contains(&confidence) {
            return bad(key, format!("{confidence} is not between 0 and 1"));
        }
    }
    for (key, number) in [
        ("task_operations", settings.task_operations),
        ("pattern_operations", settings.pattern_operations),
        ("pattern_failures", settings.pattern_failures),
        ("pattern_successes", settings.pattern_successes),
    ] {
        // A single one is no repetition, and the ring of a session holds at most a hundred.
        if !(2..=100).contains(&number) {
            return bad(key, format!("{number} is not between 2 and 100"));
        }
    }
    if settings.extractor == LearningExtractor::Endpoint && settings.extractor_model.trim().is_empty() {
        return bad("extractor_model", "is empty; name the model that the endpoint is to use".to_owned());
    }
    if settings.extractor == LearningExtractor::Agent && !settings.extractor_model.is_empty() && !is_model_name(&settings.extractor_model) {
        return bad("extractor_model", "must name a model in one word, or be empty for the project's".to_owned());
    }
    if !(1..=10_000).contains(&settings.extractor_calls) {
        return bad("extractor_calls", "must be between 1 and 10000; `extractor = \"rules\"` makes none".to_owned());
    }
    if !(0.0..=1_000.0).contains(&settings.extractor_usd) {
        return bad("extractor_usd", format!("{} is not between 0 and 1000", settings.extractor_usd));
    }
    if !(1..=600).contains(&settings.extractor_seconds) {
        return bad("extractor_seconds", "must be between 1 and 600".to_owned());
    }
    Ok(())
}

/// Writes what differs from `base` and from the file. A file without the table stays without it while learning is off.
pub(super) fn put_all(
    path: &Path,
    document: &mut DocumentMut,
    base: &AutomaticLearning,
    settings: &AutomaticLearning,
) -> Result<(), ConfigFault> {
    let defaults = AutomaticLearning::default();
    if settings == base || (document.get(TABLE).is_none() && *settings == defaults) {
        return Ok(());
    }
    let written = |settings: &AutomaticLearning| toml_edit::ser::to_document(settings).map_err(|error| fault(path, error.to_string()));
    let (new, before, unsaid) = (written(settings)?, written(base)?, written(&defaults)?);
    let item = document.entry(TABLE).or_insert_with(|| Item::Table(Table::new()));
    let table = item.as_table_mut().ok_or_else(|| fault(path, format!("must be a table of its own, below a line [{TABLE}]")))?;
    for (key, item) in new.as_table() {
        let Some(value) = item.as_value() else { continue };
        let is_said = |of: &Item| of.as_value().is_some_and(|said| super::is_same(said, value));
        let stands = match table.get(key) {
            Some(said) => is_said(said),
            None => unsaid.get(key).is_some_and(is_said),
        };
        if stands || before.get(key).is_some_and(is_said) {
            continue;
        }
        let mut value = value.clone();
        // An insertion would lose the comment above the key.
        match table.get_mut(key).and_then(Item::as_value_mut) {
            Some(old) => {
                *value.decor_mut() = old.decor().clone();
                *old = value;
            }
            None => drop(table.insert(key, Item::Value(value))),
        }
    }
    Ok(())
}

fn fault(path: &Path, fault: String) -> ConfigFault {
    ConfigFault::Value { path: path.to_owned(), key: TABLE, fault }
}
