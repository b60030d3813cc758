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

#[cfg(test)]
mod tests {
    use super::super::testing::{check, ctx};
    use super::*;
    use crate::signal::Ending;

    fn settle(ctx: &IterationCtx) -> (TaskStatus, Option<String>, Option<String>) {
        let mut effects = Effects::default();
        assert_eq!(run(&mut effects, ctx), Some(()));
        match effects.rows.as_slice() {
            [RowEffect::SettleTask { status, blocked_reason, comment }] => (*status, blocked_reason.clone(), comment.clone()),
            rows => panic!("{rows:?}"),
        }
    }

    #[test]
    fn a_task_is_done_free_again_or_blocked() {
        let blocked = |times: u32| Some(format!("needs a person: failed {times} times in a row"));
        for (text, ending, failures, max_attempts, status, reason) in [
            ("<task-done/>", Ending::Completed, 9, 5, TaskStatus::Done, None),
            ("<task-failed/>", Ending::Completed, 0, 5, TaskStatus::Pending, None),
            ("", Ending::Completed, 3, 5, TaskStatus::Pending, None),
            ("", Ending::Completed, 4, 5, TaskStatus::Blocked, blocked(5)),
            ("", Ending::Crashed, 7, 5, TaskStatus::Blocked, blocked(8)),
            ("", Ending::Completed, 0, 0, TaskStatus::Blocked, blocked(1)),
            ("", Ending::RateLimited, 4, 5, TaskStatus::Pending, None),
            ("", Ending::Network, u32::MAX, 5, TaskStatus::Pending, None),
        ] {
            let mut ctx = ctx(text);
            ctx.exit.ending = ending;
            ctx.facts.consecutive_failures = failures;
            ctx.max_attempts = max_attempts;
            let (got, got_reason, _) = settle(&ctx);
            assert_eq!((got, got_reason), (status, reason), "{text} {ending} after {failures}");
        }
    }

    #[test]
    fn a_failure_report_becomes_a_comment_for_the_next_attempt() {
        let report = "<task-failed/><failure-report>\nwhat_was_tried: f64\nwhy_it_failed: cents are lost\nerror_category: logic\n\
                      relevant_files: a.rs, b.rs\nstack_trace: at a.rs:3\nretry_suggestion: integers\n</failure-report>";
        let (_, _, comment) = settle(&ctx(report));
        let expected = "Attempt 1 ended as failed: the agent says it failed: cents are lost.\nTried: f64\nWhy it failed: cents are lost\n\
                        Kind of error: logic\nFiles: a.rs, b.rs\nTrace:\nat a.rs:3\nSuggestion: integers";
        assert_eq!(comment.as_deref(), Some(expected));
        let (_, _, comment) = settle(&ctx(&format!("{report}<retry-suggestion>decimals</retry-suggestion>")));
        assert!(comment.is_some_and(|comment| comment.ends_with("Suggestion: decimals")));
    }

    #[test]
    fn a_failed_check_becomes_a_comment_with_the_end_of_its_output() {
        let mut ctx = ctx("<task-done/>");
        ctx.facts.evidence.check = Some(check(false));
        let expected = "Attempt 1 ended as failed: claimed done, but check `make test` exited with 2: FAILED total_is_rounded.\n\
                        End of the check's output:\n2 tests\nFAILED total_is_rounded";
        assert_eq!(settle(&ctx).2.as_deref(), Some(expected));
        if let Some(check) = &mut ctx.facts.evidence.check {
            check.output_tail = "x".repeat(100_000) + "the end";
        }
        assert!(settle(&ctx).2.is_some_and(|comment| comment.ends_with("xthe end") && comment.len() < 1_000));
    }

    #[test]
    fn no_comment_where_there_is_nothing_to_tell() {
        assert_eq!(settle(&ctx("")).2, None);
        assert_eq!(settle(&ctx("<task-done/><retry-suggestion>x</retry-suggestion>")).2, None);
        let mut ctx = ctx("<task-failed/><retry-suggestion>x</retry-suggestion>");
        ctx.exit.ending = Ending::Network;
        assert_eq!(settle(&ctx).2, None);
    }
}
