//! What waits for a person, each with the command that settles it.

use ralph_core::limits::TITLE_CHARS;
use ralph_core::notice::NoticeKind;
use ralph_core::run::StopReason;
use ralph_core::view::{NeedsYou, Overview};

/// One item, in two lines.
pub fn in_words(item: &NeedsYou) -> String {
    let who = if item.is_actionable() { "needs you" } else { "settles itself" };
    format!("  {who}: {}\n    → {}", item.in_words(TITLE_CHARS), way_out(item))
}

/// All items of an overview, and how many proposals wait behind them.
pub fn lines(overview: &Overview) -> Vec<String> {
    let shown = overview.needs_you.iter().filter(|item| item.is_actionable()).count();
    let rest = (overview.needs_you_count as usize).saturating_sub(shown);
    let rest = (rest > 0).then(|| format!("  and {rest} more that agents propose, which are listed once some of these are decided"));
    overview.needs_you.iter().map(in_words).chain(rest).collect()
}

fn way_out(item: &NeedsYou) -> String {
    match item {
        NeedsYou::BlockedTask { task, .. } => format!("ralph attempts {task}, then ralph task put-back {task} --answer …"),
        NeedsYou::StrandedTask { task, .. } => {
            format!("ralph task update {task} --depends-on \"\", or put what it waits for back to work")
        }
        NeedsYou::InReview { under_way: Some(_), .. } | NeedsYou::Proposed { under_way: Some(_), .. } => {
            "wait for its end, or see ralph errand list".to_owned()
        }
        NeedsYou::InReview { way_out: Some(way_out), .. } | NeedsYou::Proposed { way_out: Some(way_out), .. } => way_out.clone(),
        NeedsYou::InReview { task, .. } => {
            format!("ralph diff {task}, then ralph merge {task}, or ralph send-back {task} --comment …")
        }
        NeedsYou::Proposed { errand, .. } => {
            format!("ralph diff e{errand}, then ralph merge e{errand}, or ralph discard e{errand}")
        }
        NeedsYou::Conflicts { .. } => "ralph review".to_owned(),
        NeedsYou::Parked { split_task: Some(split), split_waits: true, .. } => {
            format!("ralph task show {split} tells what the split waits for")
        }
        NeedsYou::Parked { split_task: Some(split), .. } => format!("ralph run --task {split} splits the feature"),
        NeedsYou::Parked { feature, split_task: None, .. } => {
            format!(
                "ralph learning list --feature {feature} --state parked, then ralph learning move ID --to FEATURE, or ralph learning retire ID of another to make room"
            )
        }
        NeedsYou::Question { question } => {
            format!("ralph answer shows all of it, then ralph answer {0} yes, or ralph answer {0} no", question.id)
        }
        NeedsYou::Notice { notice } if notice.kind == NoticeKind::Proposal => {
            format!("ralph notice accept {0}, or ralph notice dismiss {0}", notice.id)
        }
        NeedsYou::HoldsMerges { notice } | NeedsYou::Notice { notice } => {
            format!("ralph notice list tells what it is, then ralph notice dismiss {}", notice.id)
        }
        NeedsYou::Untrusted { .. } => "ralph trust, then ralph trust --yes".to_owned(),
        NeedsYou::RunStopped { reason: StopReason::Stalled, .. } => {
            "ralph task list shows what is stuck; say more in a task, or split it, then ralph run".to_owned()
        }
        NeedsYou::RunStopped { reason: StopReason::Authentication, .. } => "log in as the note says, then `ralph run`".to_owned(),
        NeedsYou::RunStopped { .. } => "fix what the note says (`ralph doctor` helps), then `ralph run`".to_owned(),
    }
}
