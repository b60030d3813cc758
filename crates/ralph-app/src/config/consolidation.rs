//! The keys about consolidation.

use super::fault::ConfigFault;
use super::slot::Slot;
use ralph_core::settings::ConsolidationSettings;
use std::ffi::OsStr;
use std::path::{Component, Path};

/// The keys with the fields that they fill.
pub(super) fn keys(settings: &mut ConsolidationSettings) -> [(&'static str, Slot<'_>); 9] {
    [
        ("learnings_file", Slot::Text(&mut settings.learnings_file)),
        ("knowledge_folder", Slot::Text(&mut settings.knowledge_folder)),
        ("consolidate_lines", Slot::Number(&mut settings.lines)),
        ("consolidate_stale_days", Slot::Number(&mut settings.stale_days)),
        ("consolidate_fresh_days", Slot::Number(&mut settings.fresh_days)),
        ("consolidate_min_entries", Slot::Number(&mut settings.min_entries)),
        ("consolidate_keep_newest", Slot::Number(&mut settings.keep_newest)),
        ("consolidate_model", Slot::Text(&mut settings.model)),
        ("consolidate_review", Slot::Word(&mut settings.review)),
    ]
}

pub(super) fn check(path: &Path, settings: &ConsolidationSettings) -> Result<(), ConfigFault> {
    let fault = |key, fault: String| Err(ConfigFault::Value { path: path.to_owned(), key, fault });
    let stays_inside = |place: &str| {
        let path = Path::new(place);
        let named = |part: Component<'_>| matches!(part, Component::Normal(name) if name != ".git" && name != ".ralph");
        // Paths are compared as they are written, so each has one spelling, in clones on every system.
        let is_spelled = path.components().map(Component::as_os_str).eq(place.split('/').map(OsStr::new));
        let plain = is_spelled && !place.contains(char::is_control);
        plain && !place.is_empty() && path.components().all(named)
    };
    if !stays_inside(&settings.learnings_file) {
        return fault("learnings_file", "must be a file of the project, for example \"learnings.md\", and not in .git or .ralph".into());
    }
    if !stays_inside(&settings.knowledge_folder) {
        let fault_of =
            "must be a folder of the project, written like \"docs/knowledge\" without a slash at the end, and not .git or .ralph";
        return fault("knowledge_folder", fault_of.into());
    }
    if Path::new(&settings.learnings_file).starts_with(&settings.knowledge_folder) {
        let folder = &settings.knowledge_folder;
        return fault(
            "learnings_file",
            format!("must not lie in knowledge_folder ({folder}): entries leave it, and documents lose no line"),
        );
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
