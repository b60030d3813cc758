//! Makes the record of a failed attempt: from the agent's report, else by rule from what is known.

use super::{ErrorCategory, FailureRecord, category, signature};
use crate::run::Outcome;
use crate::run::hooks::{IterationCtx, Judgement};
use crate::signal::Ending;
use crate::{limits, text::cut};

/// Commits and files that a generated record names in its sentence.
const NAMED: usize = 5;

/// The record of a failed attempt, never empty; `None` when the iteration succeeded, or was no attempt.
///
/// With an agent's `<failure-report>` its words are kept; what it left out, and the kind of failure, come from the check's output, the way
/// the agent ended, its last error and the files that changed.
pub fn failure_record(ctx: &IterationCtx, judgement: &Judgement) -> Option<FailureRecord> {
    if !judgement.outcome.is_attempt() || judgement.outcome == Outcome::Done {
        return None;
    }
    let sigils = &ctx.exit.sigils;
    let report = sigils.failure_report.as_ref();
    let category = category_of(ctx, judgement.outcome);
    let in_report = report.and_then(|report| report.retry_suggestion.as_ref());
    // The agent's own sigil is its latest word; the report's line is only used without it.
    let suggestion = sigils.retry_suggestion.as_ref().or(in_report);
    let files = report.map(|report| &report.relevant_files).filter(|files| !files.is_empty()).unwrap_or(&ctx.facts.evidence.changed_files);
    let why_it_failed = why(ctx, judgement);
    Some(FailureRecord {
        what_was_tried: bounded(&report.map_or_else(|| tried(ctx), |report| report.what_was_tried.clone()), limits::REPORT_FIELD_CHARS),
        signature: signature(category, evidence_text(ctx).unwrap_or(&why_it_failed)),
        why_it_failed,
        category,
        relevant_files: bounded_files(files),
        stack_trace: trace(ctx),
        retry_suggestion: suggestion.map(|text| bounded(text, limits::REPORT_SUGGESTION_CHARS)).filter(|text| !text.is_empty()),
        generated: report.is_none(),
    })
}

/// The agent's own word, then what the outcome rests on.
fn category_of(ctx: &IterationCtx, outcome: Outcome) -> ErrorCategory {
    let report = ctx.exit.sigils.failure_report.as_ref();
    let word = report.and_then(|report| report.error_category.as_deref()).and_then(ErrorCategory::from_words);
    let check = || failed_check(ctx).map(|output| category::of_output(output).unwrap_or(ErrorCategory::Unknown));
    let ending = || match ctx.exit.ending {
        Ending::TimedOut => Some(ErrorCategory::Timeout),
        Ending::Crashed => Some(ErrorCategory::Crashed),
        _ => None,
    };
    let known = |category: &ErrorCategory| *category != ErrorCategory::Unknown;
    let first = if outcome == Outcome::Error { ending() } else { None };
    let told = || report.and_then(|report| report.stack_trace.as_deref()).and_then(category::of_output);
    let why = || report.and_then(|report| category::of_prose(&report.why_it_failed));
    let detail = || category::of_output(&ctx.exit.detail);
    word.filter(known)
        .or(first)
        .or_else(|| check().filter(known))
        .or_else(told)
        .or_else(detail)
        .or_else(why)
        .unwrap_or(ErrorCategory::Unknown)
}

fn failed_check(ctx: &IterationCtx) -> Option<&str> {
    ctx.facts.evidence.check.as_ref().filter(|check| !check.passed).map(|check| check.output_tail.as_str())
}

/// The words of a machine, which are the same when the same failure comes again; an agent's sentences are not.
fn evidence_text(ctx: &IterationCtx) -> Option<&str> {
    let report = ctx.exit.sigils.failure_report.as_ref();
    let texts = [failed_check(ctx), report.and_then(|report| report.stack_trace.as_deref()), Some(ctx.exit.detail.as_str())];
    texts.into_iter().flatten().find(|text| text.contains(char::is_alphanumeric))
}

/// What an agent that left no report did, as far as the repository shows it.
fn tried(ctx: &IterationCtx) -> String {
    let evidence = &ctx.facts.evidence;
    let mut did = Vec::new();
    for (what, list) in [("committed", &evidence.commits), ("changed", &evidence.changed_files)] {
        if !list.is_empty() {
            let more = if list.len() > NAMED { format!(" and {} more", list.len() - NAMED) } else { String::new() };
            did.push(format!("{what} {}{more}", list[..list.len().min(NAMED)].join(", ")));
        }
    }
    if did.is_empty() {
        "not told by the agent; it left no change".to_owned()
    } else {
        format!("not told by the agent; it {}", did.join("; "))
    }
}

/// The agent's reason; and the check's verdict, where one stands against the agent's word.
fn why(ctx: &IterationCtx, judgement: &Judgement) -> String {
    let why = match &ctx.exit.sigils.failure_report {
        Some(report) if failed_check(ctx).is_some() => format!("{}; the agent says: {}", judgement.note, report.why_it_failed),
        Some(report) => report.why_it_failed.clone(),
        None => judgement.note.clone(),
    };
    let why = bounded(&why, limits::REPORT_FIELD_CHARS);
    if why.is_empty() { format!("ended as {}", judgement.outcome) } else { why }
}

/// The report's trace, else the end of the check's output, else the last error.
fn trace(ctx: &IterationCtx) -> Option<String> {
    let told = ctx.exit.sigils.failure_report.as_ref().and_then(|report| report.stack_trace.as_deref());
    let known =
        [told, failed_check(ctx), Some(ctx.exit.detail.as_str())].into_iter().flatten().map(str::trim).find(|text| !text.is_empty())?;
    let skipped = known.chars().count().saturating_sub(limits::REPORT_TRACE_CHARS);
    // A report's trace was cut at its end when it was read; of an output the end matters.
    Some(known.chars().skip(skipped).collect())
}

fn bounded(text: &str, max_chars: usize) -> String {
    cut(text.trim(), max_chars).trim_end().to_owned()
}

/// As many paths as there is room for, whole: half a path is none.
fn bounded_files(files: &[String]) -> Vec<String> {
    let mut room = limits::REPORT_FILES_CHARS;
    let mut kept = Vec::new();
    for file in files.iter().map(|file| file.trim()).filter(|file| !file.is_empty()) {
        // With the comma and space between two of them.
        if let Some(left) = room.checked_sub(file.chars().count() + 2) {
            room = left;
            kept.push(file.to_owned());
        }
    }
    kept
}
