//! The keys about worktrees.

use super::{ConfigFault, Reader, put};
use ralph_core::run::AgentKind;
use ralph_core::settings::WorktreeSettings;
use std::path::{Component, Path};
use toml_edit::DocumentMut;

/// Range of ports to assign.
const PORTS: std::ops::RangeInclusive<u32> = 1_024..=65_000;
/// Maximum ports of one worktree.
const MOST_PORTS: u32 = 1_000;

/// Maximum number of times that a reviewer may send work back.
const MOST_SEND_BACKS: u32 = 20;

pub(super) fn read(reader: &Reader<'_>, settings: &mut WorktreeSettings) -> Result<(), ConfigFault> {
    reader.set_text("worktree_folder", &mut settings.folder)?;
    reader.set_text("worktree_branch", &mut settings.branch)?;
    reader.set_text("worktree_base", &mut settings.base)?;
    reader.set_text("setup", &mut settings.setup)?;
    if let Some(files) = reader.list("bring_along")? {
        settings.bring_along = files;
    }
    reader.set_number("worktree_port", PORTS, &mut settings.port_base)?;
    reader.set_number("worktree_ports", 0..=MOST_PORTS, &mut settings.ports)?;
    reader.set_number("worktree_days", 0..=36_500, &mut settings.keep_days)?;
    reader.set_number("worktree_gb", 0..=1_000_000, &mut settings.keep_gb)?;
    reader.set_word("review", &mut settings.review)?;
    reader.set_word("merge", &mut settings.merge)?;
    reader.set_word("dependencies", &mut settings.dependencies)?;
    reader.set_word("resolve", &mut settings.resolve)?;
    if let Some(word) = reader.text("reviewer")? {
        let fault =
            || reader.fault("reviewer", format!("is '{word}'; name an agent, \"claude\" or \"scripted\", or leave it empty for none"));
        settings.reviewer = if word.is_empty() { None } else { Some(word.parse().map_err(|_| fault())?) };
    }
    reader.set_text("reviewer_model", &mut settings.reviewer_model)?;
    reader.set_number("reviewer_send_backs", 0..=MOST_SEND_BACKS, &mut settings.reviewer_send_backs)?;
    Ok(())
}

pub(super) fn put_all(document: &mut DocumentMut, settings: &WorktreeSettings) {
    put(document, "worktree_folder", settings.folder.as_str());
    put(document, "worktree_branch", settings.branch.as_str());
    put(document, "worktree_base", settings.base.as_str());
    put(document, "setup", settings.setup.as_str());
    put(document, "bring_along", settings.bring_along.iter().collect::<toml_edit::Array>());
    put(document, "worktree_port", i64::from(settings.port_base));
    put(document, "worktree_ports", i64::from(settings.ports));
    put(document, "worktree_days", i64::from(settings.keep_days));
    put(document, "worktree_gb", i64::from(settings.keep_gb));
    put(document, "review", settings.review.as_str());
    put(document, "merge", settings.merge.as_str());
    put(document, "dependencies", settings.dependencies.as_str());
    put(document, "resolve", settings.resolve.as_str());
    put(document, "reviewer", settings.reviewer.map_or("", AgentKind::as_str));
    put(document, "reviewer_model", settings.reviewer_model.as_str());
    put(document, "reviewer_send_backs", i64::from(settings.reviewer_send_backs));
}

pub(super) fn check(path: &Path, settings: &WorktreeSettings) -> Result<(), ConfigFault> {
    let fault = |key, fault: &str| Err(ConfigFault::Value { path: path.to_owned(), key, fault: fault.to_owned() });
    if !settings.folder.is_empty() && !Path::new(&settings.folder).is_absolute() {
        return fault("worktree_folder", "must be an absolute path outside of the project, or empty for Ralph's own folder");
    }
    if !settings.branch.contains("{task}") {
        return fault(
            "worktree_branch",
            "must contain {task}, so that each task has a branch of its own, for example \"ralph/{task}-{slug}\"",
        );
    }
    let stays_inside = |file: &String| {
        let mut parts = Path::new(file).components().peekable();
        parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(name) if name != ".git" && name != ".ralph"))
    };
    if !settings.bring_along.iter().all(stays_inside) {
        return fault("bring_along", "must name files or folders of the project, for example [\".env\"], and neither .git nor .ralph");
    }
    Ok(())
}
