//! The keys about consolidation.

use super::{ConfigFault, Reader, put};
use ralph_core::settings::ConsolidationSettings;
use std::ops::RangeInclusive;
use std::path::{Component, Path};
use toml_edit::DocumentMut;

/// Range of lines, days and entries.
const NUMBERS: RangeInclusive<u32> = 1..=100_000;

pub(super) fn read(reader: &Reader<'_>, settings: &mut ConsolidationSettings) -> Result<(), ConfigFault> {
    reader.set_text("learnings_file", &mut settings.learnings_file)?;
    reader.set_text("knowledge_folder", &mut settings.knowledge_folder)?;
    reader.set_number("consolidate_lines", NUMBERS, &mut settings.lines)?;
    reader.set_number("consolidate_stale_days", NUMBERS, &mut settings.stale_days)?;
    reader.set_number("consolidate_fresh_days", NUMBERS, &mut settings.fresh_days)?;
    reader.set_number("consolidate_min_entries", NUMBERS, &mut settings.min_entries)?;
    reader.set_number("consolidate_keep_newest", 0..=*NUMBERS.end(), &mut settings.keep_newest)?;
    reader.set_text("consolidate_model", &mut settings.model)?;
    reader.set_word("consolidate_review", &mut settings.review)?;
    Ok(())
}

pub(super) fn put_all(document: &mut DocumentMut, settings: &ConsolidationSettings) {
    put(document, "learnings_file", settings.learnings_file.as_str());
    put(document, "knowledge_folder", settings.knowledge_folder.as_str());
    put(document, "consolidate_lines", i64::from(settings.lines));
    put(document, "consolidate_stale_days", i64::from(settings.stale_days));
    put(document, "consolidate_fresh_days", i64::from(settings.fresh_days));
    put(document, "consolidate_min_entries", i64::from(settings.min_entries));
    put(document, "consolidate_keep_newest", i64::from(settings.keep_newest));
    put(document, "consolidate_model", settings.model.as_str());
    put(document, "consolidate_review", settings.review.as_str());
}

pub(super) fn check(path: &Path, settings: &ConsolidationSettings) -> Result<(), ConfigFault> {
    let fault = |key, fault: String| Err(ConfigFault::Value { path: path.to_owned(), key, fault });
    let stays_inside = |place: &str| {
        let mut parts = Path::new(place).components().peekable();
        parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(name) if name != ".git" && name != ".ralph"))
    };
    if !stays_inside(&settings.learnings_file) {
        return fault("learnings_file", "must be a file of the project, for example \"learnings.md\", and not in .git or .ralph".into());
    }
    if !stays_inside(&settings.knowledge_folder) {
        return fault("knowledge_folder", "must be a folder of the project, for example \"docs/knowledge\", and not .git or .ralph".into());
    }
    if settings.model.trim().is_empty() {
        return fault("consolidate_model", "is empty; name a model, for example \"sonnet\"".into());
    }
    if settings.stale_days <= settings.fresh_days {
        let fresh = settings.fresh_days;
        return fault(
            "consolidate_stale_days",
            format!("must be greater than consolidate_fresh_days ({fresh}), else each consolidation would ask for the next one at once"),
        );
    }
    Ok(())
}
