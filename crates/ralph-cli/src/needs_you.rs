//! What waits for a person, each with the command that settles it.

use crate::output::one_line;
use ralph_core::run::StopReason;
use ralph_core::view::NeedsYou;

/// One item, in two lines.
pub fn in_words(item: &NeedsYou) -> String {
    let (what, way_out) = match item {
        NeedsYou::BlockedTask { task, title, reason } => (
            format!("#{task} {} is blocked: {}", one_line(title), one_line(reason)),
            format!("ralph attempts {task}, then ralph task update {task} --status pending"),
        ),
        NeedsYou::Conflicts { feature, count } => {
            (format!("{count} of {feature}'s learnings contradict others"), "ralph review".to_owned())
        }
        NeedsYou::Parked { feature, count, split_task: Some(split) } => {
            (format!("{count} of {feature}'s learnings wait for room"), format!("ralph run --task {split} splits the feature"))
        }
        NeedsYou::Parked { feature, count, split_task: None } => (
            format!("{count} of {feature}'s learnings wait for room"),
            format!("ralph learning list --feature {feature}, then retire what is not needed"),
        ),
        NeedsYou::Notice { notice } => {
            (one_line(&notice.title), format!("ralph notice accept {0}, or ralph notice dismiss {0}", notice.id))
        }
        NeedsYou::Untrusted { items } => {
            (format!("not agreed to on this machine: {}", one_line(&items.join(", "))), "ralph trust, then ralph trust --yes".to_owned())
        }
        NeedsYou::RunStopped { run, reason: StopReason::Stalled, note } => (
            format!("run {run} stalled: {}", one_line(note)),
            "ralph task list shows what is stuck; say more in a task, or split it, then ralph run".to_owned(),
        ),
        NeedsYou::RunStopped { run, note, .. } => {
            (format!("run {run} ended: {}", one_line(note)), "ralph doctor, then ralph run".to_owned())
        }
    };
    format!("  needs you: {what}\n    → {way_out}")
}
