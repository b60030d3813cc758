//! Settles the task: done, free for the next attempt, or in need of a person (RULINGS 003.2).

use super::{Effects, IterationCtx, RowEffect, judge};
use crate::run::Outcome;
use crate::sigil::FailureReport;
use crate::task::TaskStatus;
use crate::{limits, text::cut};

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let judgement = judge::judge(ctx);
    let failures = ctx.facts.consecutive_failures.saturating_add(1);
    let (status, blocked_reason, note) = match judgement.outcome {
        Outcome::Done => (TaskStatus::Done, None, "the task is done".to_owned()),
        outcome if !outcome.is_attempt() => (TaskStatus::Pending, None, "the task is free again; this was no attempt".to_owned()),
        _ if failures >= ctx.max_attempts.max(1) => {
            let reason = format!("needs a person: failed {failures} times in a row");
            (TaskStatus::Blocked, Some(reason.clone()), format!("the task is blocked: {reason}"))
        }
        _ => (TaskStatus::Pending, None, format!("the task is free for a retry; failures in a row: {failures} of {}", ctx.max_attempts)),
    };
    let comment = comment(ctx, judgement.outcome, &judgement.note);
    effects.rows.push(RowEffect::SettleTask { status, blocked_reason, comment });
    effects.note = note;
    Some(())
}

/// What the next attempt should know: there is one whenever the work was judged as failed, or the agent left a report or advice.
fn comment(ctx: &IterationCtx, outcome: Outcome, note: &str) -> Option<String> {
    let sigils = &ctx.exit.sigils;
    let failed_check = ctx.facts.evidence.check.as_ref().filter(|check| !check.passed);
    let told = sigils.failure_report.is_some() || sigils.retry_suggestion.is_some() || outcome == Outcome::Failed;
    if !outcome.is_attempt() || outcome == Outcome::Done || !(told || failed_check.is_some()) {
        return None;
    }
    let mut lines = vec![format!("Attempt {} ended as {outcome}: {note}.", ctx.claim.attempt)];
    if let Some(report) = &sigils.failure_report {
        lines.extend(essentials(report));
    }
    // The agent's own sigil is its latest word; the report's line is only used without it.
    let in_report = sigils.failure_report.as_ref().and_then(|report| report.retry_suggestion.as_ref());
    if let Some(suggestion) = sigils.retry_suggestion.as_ref().or(in_report) {
        lines.push(format!("Suggestion: {suggestion}"));
    }
    if let Some(check) = failed_check {
        let output = check.output_tail.trim();
        let skipped = output.chars().count().saturating_sub(limits::REPORT_TRACE_CHARS);
        lines.push(format!("End of the check's output:\n{}", output.chars().skip(skipped).collect::<String>()));
    }
    Some(cut(&lines.join("\n"), limits::LONG_TEXT_CHARS).to_owned())
}

fn essentials(report: &FailureReport) -> Vec<String> {
    let mut lines = vec![format!("Tried: {}", report.what_was_tried), format!("Why it failed: {}", report.why_it_failed)];
    lines.extend(report.error_category.as_ref().map(|category| format!("Kind of error: {category}")));
    if !report.relevant_files.is_empty() {
        lines.push(format!("Files: {}", report.relevant_files.join(", ")));
    }
    lines.extend(report.stack_trace.as_ref().map(|trace| format!("Trace:\n{trace}")));
    lines
}
