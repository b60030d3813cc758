//! The keys about worktrees.

use super::fault::ConfigFault;
use super::slot::Slot;
use ralph_core::settings::WorktreeSettings;
use ralph_core::worktree::{Work, branch_name};
use std::path::{Component, Path};

/// The keys with the fields that they fill.
pub(super) fn keys(settings: &mut WorktreeSettings) -> [(&'static str, Slot<'_>); 16] {
    [
        ("worktree_folder", Slot::Text(&mut settings.folder)),
        ("worktree_branch", Slot::Text(&mut settings.branch)),
        ("worktree_base", Slot::Text(&mut settings.base)),
        ("setup", Slot::Text(&mut settings.setup)),
        ("bring_along", Slot::List(&mut settings.bring_along)),
        ("worktree_port", Slot::Number(&mut settings.port_base)),
        ("worktree_ports", Slot::Number(&mut settings.ports)),
        ("worktree_days", Slot::Number(&mut settings.keep_days)),
        ("worktree_gb", Slot::Number(&mut settings.keep_gb)),
        ("review", Slot::Word(&mut settings.review)),
        ("merge", Slot::Word(&mut settings.merge)),
        ("dependencies", Slot::Word(&mut settings.dependencies)),
        ("resolve", Slot::Word(&mut settings.resolve)),
        ("reviewer", Slot::Agent(&mut settings.reviewer)),
        ("reviewer_model", Slot::Text(&mut settings.reviewer_model)),
        ("reviewer_send_backs", Slot::Number(&mut settings.reviewer_send_backs)),
    ]
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
    if !may_name_a_branch(&branch_name(&settings.branch, Work::Task(1), "a", 1)) {
        return fault(
            "worktree_branch",
            "can't be the name of a branch; use letters, digits, '-' and '/', for example \"ralph/{task}-{slug}\"",
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

/// Whether git lets a branch have this name, by the rules of `git check-ref-format --branch`. Checked here since otherwise every run would
/// end at the first worktree that it creates.
fn may_name_a_branch(name: &str) -> bool {
    let is_refused = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    let is_plain = !name.contains(is_refused) && !name.contains("..") && !name.contains("@{");
    is_plain && !name.starts_with('-') && !name.ends_with('.') && name.split('/').all(is_part)
}
