//! The keys about feedback.

use super::{ConfigFault, Reader, put};
use ralph_core::limits;
use ralph_core::view::Settings;
use std::ops::RangeInclusive;
use std::path::Path;
use toml_edit::DocumentMut;

/// Range of the trial days: the minimum, up to a year.
const DAYS: RangeInclusive<u32> = limits::TERM_SHADOW_DAYS..=365;

pub(super) fn read(reader: &Reader<'_>, settings: &mut Settings) -> Result<(), ConfigFault> {
    reader.set_word("feedback", &mut settings.feedback)?;
    reader.set_number("feedback_shadow_days", DAYS, &mut settings.feedback_shadow_days)
}

pub(super) fn put_all(document: &mut DocumentMut, settings: &Settings) {
    put(document, "feedback", settings.feedback.as_str());
    put(document, "feedback_shadow_days", i64::from(settings.feedback_shadow_days));
}

pub(super) fn check(path: &Path, settings: &Settings) -> Result<(), ConfigFault> {
    if DAYS.contains(&settings.feedback_shadow_days) {
        return Ok(());
    }
    let fault = format!("must be between {} and {} days", DAYS.start(), DAYS.end());
    Err(ConfigFault::Value { path: path.to_owned(), key: "feedback_shadow_days", fault })
}
