//! What waits for a person, each with the command that settles it.

use crate::output::unbroken;
use ralph_core::TaskId;
use ralph_core::run::StopReason;
use ralph_core::view::NeedsYou;

/// Tasks by their numbers: `#1, #2`.
fn numbered(tasks: &[TaskId]) -> String {
    tasks.iter().map(|task| format!("#{task}")).collect::<Vec<_>>().join(", ")
}

/// One item, in two lines.
pub fn in_words(item: &NeedsYou) -> String {
    let (what, way_out) = match item {
        NeedsYou::BlockedTask { task, title, reason } => (
            format!("#{task} {} is blocked: {}", unbroken(title), unbroken(reason)),
            format!("ralph attempts {task}, then ralph task update {task} --status pending"),
        ),
        NeedsYou::StrandedTask { task, title, waiting_on } => (
            format!("#{task} {} can't become ready: it waits for {}, given up", unbroken(title), numbered(waiting_on)),
            format!("ralph task update {task} --depends-on \"\", or put what it waits for back to work"),
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
            (unbroken(&notice.title), format!("ralph notice accept {0}, or ralph notice dismiss {0}", notice.id))
        }
        NeedsYou::Untrusted { items } => {
            (format!("not agreed to on this machine: {}", unbroken(&items.join(", "))), "ralph trust, then ralph trust --yes".to_owned())
        }
        NeedsYou::RunStopped { run, reason: StopReason::Stalled, note } => (
            format!("run {run} stalled: {}", unbroken(note)),
            "ralph task list shows what is stuck; say more in a task, or split it, then ralph run".to_owned(),
        ),
        NeedsYou::RunStopped { run, note, .. } => {
            (format!("run {run} ended: {}", unbroken(note)), "ralph doctor, then ralph run".to_owned())
        }
    };
    format!("  needs you: {what}\n    → {way_out}")
}
