//! Builds the record of a failed attempt: from the agent's report, otherwise by rule from the evidence.

use super::signature::states_a_failure;
use super::{ErrorCategory, FailureRecord, REFUSED, category, signature};
use crate::limits;
use crate::run::Outcome;
use crate::run::hooks::judge::{is_near_miss, last_claim};
use crate::run::hooks::{IterationCtx, Judgement};
use crate::signal::Ending;
use crate::text::{cut, listed, one_line};

/// Commits and files that a generated record lists.
const NAMED: usize = 5;
/// Characters of an agent's last words that are used as what it tried: its reason has the rest.
const TRIED_CHARS: usize = 200;

/// The record of a failed attempt, never empty; `None` when the iteration succeeded or was not an attempt.
///
/// The words of an agent's `<failure-report>` are kept; missing fields and the category come from the check's output, the way
/// the agent ended, its last error and the files that changed. Without a report its last words are used if it claims to have failed,
/// otherwise the last error of its tools.
pub fn failure_record(ctx: &IterationCtx, judgement: &Judgement) -> Option<FailureRecord> {
    if !judgement.outcome.is_attempt() || judgement.outcome == Outcome::Done {
        return None;
    }
    let sigils = &ctx.exit.sigils;
    let report = sigils.failure_report.as_ref();
    let category = category_of(ctx, judgement.outcome);
    let in_report = report.and_then(|report| report.retry_suggestion.as_ref());
    // The agent's separate sigil is its latest statement; the report's line is the fallback.
    let suggestion = sigils.retry_suggestion.as_ref().or(in_report);
    let files = report.map(|report| &report.relevant_files).filter(|files| !files.is_empty()).unwrap_or(&ctx.facts.evidence.changed_files);
    let why_it_failed = why(ctx, judgement);
    Some(FailureRecord {
        what_was_tried: bounded(&report.map_or_else(|| tried(ctx), |report| report.what_was_tried.clone()), limits::REPORT_FIELD_CHARS),
        signature: if judgement.outcome == Outcome::Error && ctx.exit.ending.needs_another_model() {
            format!("{REFUSED}{}", ctx.exit.ending)
        } else {
            // Ralph's own sentence would be the same for any two failures that nobody explained.
            evidence_text(ctx).or_else(|| reason(ctx)).map(|text| signature(category, text)).unwrap_or_default()
        },
        why_it_failed,
        category,
        relevant_files: bounded_files(files),
        stack_trace: trace(ctx),
        retry_suggestion: suggestion.map(|text| bounded(text, limits::REPORT_SUGGESTION_CHARS)).filter(|text| !text.is_empty()),
        generated: report.is_none(),
    })
}

/// The agent's own category, then what the outcome is based on.
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
    // An agent's closing words rarely name the failure; only tool output quoted in them does.
    let quoted = || category::of_output(&ctx.exit.last_words).filter(|_| report.is_none());
    let unreported = || tool_error(ctx).and_then(category::of_output).or_else(quoted);
    word.filter(known)
        .or(first)
        .or_else(|| check().filter(known))
        .or_else(told)
        .or_else(detail)
        .or_else(why)
        .or_else(unreported)
        .unwrap_or(ErrorCategory::Unknown)
}

fn failed_check(ctx: &IterationCtx) -> Option<&str> {
    ctx.facts.evidence.check.as_ref().filter(|check| !check.passed).map(|check| check.output_tail.as_str())
}

/// The error that the agent's tools ended with, where it does not say itself why it failed: any search may end in one. Empty if there was
/// none.
fn tool_error(ctx: &IterationCtx) -> Option<&str> {
    (!explains(ctx) || reason(ctx).is_none()).then_some(ctx.exit.last_error.as_str())
}

/// Whether the agent's own words are about a failure: last words are only if it claims to have failed.
fn explains(ctx: &IterationCtx) -> bool {
    ctx.exit.sigils.failure_report.is_some() || last_claim(&ctx.claim, &ctx.exit) == Some(false)
}

/// The agent's own reason: of its report, else its last words.
fn reason(ctx: &IterationCtx) -> Option<&str> {
    let report = ctx.exit.sigils.failure_report.as_ref();
    Some(report.map_or(&ctx.exit.last_words, |report| &report.why_it_failed).as_str()).filter(|words| !words.is_empty())
}

fn reported_trace(ctx: &IterationCtx) -> Option<&str> {
    ctx.exit.sigils.failure_report.as_ref().and_then(|report| report.stack_trace.as_deref())
}

/// Machine output, which is identical when the same failure recurs; an agent's sentences are not. A trace without the line that states the
/// failure would be the same for others, too.
fn evidence_text(ctx: &IterationCtx) -> Option<&str> {
    let trace = reported_trace(ctx).filter(|trace| states_a_failure(trace));
    let texts = [failed_check(ctx), trace, Some(ctx.exit.detail.as_str()), tool_error(ctx)];
    texts.into_iter().flatten().find(|text| text.contains(char::is_alphanumeric))
}

/// What an agent without a report did, as far as its last words and the repository show.
fn tried(ctx: &IterationCtx) -> String {
    let evidence = &ctx.facts.evidence;
    let words = one_line(&ctx.exit.last_words, TRIED_CHARS);
    let mut did = Vec::new();
    for (what, list) in [("committed", &evidence.commits), ("changed", &evidence.changed_files)] {
        if !list.is_empty() {
            did.push(format!("{what} {}", listed(list, NAMED)));
        }
    }
    let told = if words.is_empty() { "not told by the agent".to_owned() } else { format!("told only in its last words: {words}") };
    if did.is_empty() { format!("{told}; it left no change") } else { format!("{told}; it {}", did.join("; ")) }
}

/// The agent's reason, plus the judgement where the check contradicts the agent or no sigil counted.
fn why(ctx: &IterationCtx, judgement: &Judgement) -> String {
    let reported = ctx.exit.sigils.failure_report.is_some();
    let why = match reason(ctx) {
        Some(reason) if !explains(ctx) || failed_check(ctx).is_some() || is_near_miss(&ctx.claim, &ctx.exit) => {
            let who = if reported { "the agent says" } else { "its last words" };
            format!("{}; {who}: {reason}", judgement.note.trim_end_matches('.'))
        }
        Some(reason) => reason.to_owned(),
        None => judgement.note.clone(),
    };
    let why = bounded(&why, limits::REPORT_FIELD_CHARS);
    if why.is_empty() { format!("ended as {}", judgement.outcome) } else { why }
}

/// The report's trace, else the end of the check's output, else the last error of the agent or of its tools.
fn trace(ctx: &IterationCtx) -> Option<String> {
    let told = [reported_trace(ctx), failed_check(ctx)].into_iter().flatten().map(str::trim).find(|text| !text.is_empty());
    // The end of its process says nothing about the last thing that went wrong.
    let known = told.map_or_else(|| ending_and_error(ctx), str::to_owned);
    if known.is_empty() {
        return None;
    }
    let skipped = known.chars().count().saturating_sub(limits::REPORT_TRACE_CHARS);
    // A report's trace was already cut at its end when it was parsed; of an output the end matters.
    Some(known.chars().skip(skipped).collect())
}

/// How the agent ended, and behind it the error that its tools ended with.
fn ending_and_error(ctx: &IterationCtx) -> String {
    let detail = ctx.exit.detail.trim();
    let error = tool_error(ctx).unwrap_or_default().trim();
    let both = if detail.contains(error) { [detail, ""] } else { [detail, error] };
    both.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

fn bounded(text: &str, max_chars: usize) -> String {
    cut(text.trim(), max_chars).trim_end().to_owned()
}

/// As many complete paths as fit: a truncated path is useless.
fn bounded_files(files: &[String]) -> Vec<String> {
    let mut room = limits::REPORT_FILES_CHARS;
    let mut kept = Vec::new();
    for file in files.iter().map(|file| file.trim()).filter(|file| !file.is_empty()) {
        // Plus the separating comma and space.
        if let Some(left) = room.checked_sub(file.chars().count() + 2) {
            room = left;
            kept.push(file.to_owned());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::CheckResult;
    use crate::run::hooks::judge;
    use crate::run::hooks::testing::{check, ctx};

    const REPORT: &str = "<task-failed/>\n<failure-report>\nwhat_was_tried: f64\nwhy_it_failed: cents are lost\nerror_category: Logic\n\
                          relevant_files: a.rs, b.rs\nstack_trace: error at a.rs:3\nretry_suggestion: integers\n</failure-report>";

    fn record(ctx: &IterationCtx) -> FailureRecord {
        failure_record(ctx, &judge(ctx)).expect("a failure")
    }

    #[test]
    fn the_agents_report_is_kept() {
        let expected = FailureRecord {
            what_was_tried: "f64".to_owned(),
            why_it_failed: "cents are lost".to_owned(),
            category: ErrorCategory::LogicError,
            relevant_files: vec!["a.rs".to_owned(), "b.rs".to_owned()],
            stack_trace: Some("error at a.rs:3".to_owned()),
            retry_suggestion: Some("integers".to_owned()),
            signature: "logic_error: error at".to_owned(),
            generated: false,
        };
        assert_eq!(record(&ctx(REPORT)), expected);
        let latest = record(&ctx(&format!("{REPORT}\n<retry-suggestion>decimals</retry-suggestion>")));
        assert_eq!(latest, FailureRecord { retry_suggestion: Some("decimals".to_owned()), ..expected });
    }

    #[test]
    fn without_a_report_one_is_made_from_what_is_known() {
        let mut ctx = ctx("<task-done/>");
        ctx.has_check = true;
        ctx.facts.evidence.commits = vec!["1a2b3c round totals".to_owned()];
        ctx.facts.evidence.changed_files = (1..8).map(|i| format!("src/{i}.rs")).collect();
        ctx.facts.evidence.check =
            Some(CheckResult { output_tail: "2 tests\ntest result: FAILED. 1 passed; 1 failed\n".to_owned(), ..check(false) });
        let made = record(&ctx);
        assert_eq!(
            made.what_was_tried,
            "not told by the agent; it committed 1a2b3c round totals; changed src/1.rs, src/2.rs, src/3.rs, src/4.rs, src/5.rs and 2 more"
        );
        assert_eq!(made.why_it_failed, "claimed done, but check `make test` exited with 2: test result: FAILED. 1 passed; 1 failed");
        assert_eq!((made.category, made.generated), (ErrorCategory::TestFailure, true));
        assert_eq!((made.relevant_files.len(), made.retry_suggestion), (7, None));
        assert_eq!(made.stack_trace.as_deref(), Some("2 tests\ntest result: FAILED. 1 passed; 1 failed"));
    }

    #[test]
    fn the_way_an_agent_ended_tells_the_category() {
        for (text, ending, detail, category) in [
            ("", Ending::TimedOut, "", ErrorCategory::Timeout),
            ("", Ending::Crashed, "", ErrorCategory::Crashed),
            ("", Ending::Failed, "ENOENT: no such file", ErrorCategory::MissingFile),
            ("", Ending::MaxTurns, "", ErrorCategory::Unknown),
            ("", Ending::Completed, "", ErrorCategory::Unknown),
            (REPORT, Ending::Crashed, "", ErrorCategory::LogicError),
        ] {
            let mut ctx = ctx(text);
            (ctx.exit.ending, ctx.exit.detail) = (ending, detail.to_owned());
            let made = record(&ctx);
            assert_eq!(made.category, category, "{ending} {detail}");
            assert!(!made.what_was_tried.is_empty() && !made.why_it_failed.is_empty());
        }
    }

    #[test]
    fn failures_without_a_report_are_told_by_the_agent_s_last_words() {
        let said = |text: &str, words: &str, error: &str| {
            let mut ctx = ctx(text);
            (ctx.exit.last_words, ctx.exit.last_error) = (words.to_owned(), error.to_owned());
            record(&ctx)
        };
        let mut crashed = ctx("");
        (crashed.exit.ending, crashed.exit.detail) = (Ending::Crashed, "ended by signal 6".to_owned());
        crashed.exit.last_error = "fatal: built is missing".to_owned();
        assert_eq!(record(&crashed).stack_trace.as_deref(), Some("ended by signal 6\nfatal: built is missing"));
        let one = said("<task-failed/>", "The provider answers in local time.", "");
        assert_eq!(one.what_was_tried, "told only in its last words: The provider answers in local time.; it left no change");
        assert_eq!((one.why_it_failed.as_str(), one.generated), ("The provider answers in local time.", true));
        assert_eq!(one.signature, "unknown: the provider answers in local time");
        let other = said("<task-failed/>", "npm error 404 left-pad is not in this registry", "");
        assert_eq!(other.category, ErrorCategory::DependencyError);
        assert_ne!(one.signature, other.signature);
        // Each began by looking for something that does not exist; they failed for other reasons.
        let looked = |words: &str| said("<task-failed/>", words, "cat: nowhere.txt: No such file or directory");
        let one = looked("The provider answers in local time.");
        assert_ne!(one.signature, looked("The ledger rounds twice.").signature);
        assert_eq!((one.category, one.stack_trace), (ErrorCategory::Unknown, None));
        assert_eq!(looked("").category, ErrorCategory::MissingFile, "it gives no other reason");
        let silent = said("", "I have read it.", "Exit code 1\nerror[E0432]: unresolved import `serde`");
        assert_eq!(silent.why_it_failed, "the agent ended without saying whether the task is done; its last words: I have read it.");
        assert_eq!(silent.stack_trace.as_deref(), Some("Exit code 1\nerror[E0432]: unresolved import `serde`"));
        assert_eq!((silent.category, silent.signature.contains("e0432")), (ErrorCategory::DependencyError, true));
        // A report says itself what matters.
        let reported = said(REPORT, "I give up.", "error[E0432]: unresolved import `serde`");
        assert_eq!(reported, record(&ctx(REPORT)));
        assert_eq!(said("<task-failed/>", "", "").signature, "", "like no other");
    }

    #[test]
    fn frames_of_a_stack_make_no_two_failures_one() {
        let failed = |why: &str, trace: &str| {
            let report = format!("what_was_tried: x\nwhy_it_failed: {why}\nstack_trace: {trace}");
            record(&ctx(&format!("<task-failed/>\n<failure-report>\n{report}\n</failure-report>"))).signature
        };
        let (locked, taken) = ("the orders table is locked", "the network port is taken");
        for frames in
            ["at step 1\n  at step 2", "at async refund (a.js:3:5)\nat process.processTicksAndRejections (node:internal/process:95:5)"]
        {
            assert_ne!(failed(locked, frames), failed(taken, frames));
            assert_eq!(failed(locked, frames), "unknown: the orders table is locked");
        }
        let told = "Error: EADDRINUSE\nat step 1";
        assert_eq!(failed(locked, told), failed(taken, told), "the line that states it tells more than the agent's words");
    }

    #[test]
    fn what_a_provider_refuses_is_known_again_whatever_its_words() {
        for (text, ending, refused) in [
            ("", Ending::ModelUnavailable, true),
            (REPORT, Ending::ContextTooLong, true),
            ("", Ending::Failed, false),
            ("<task-failed/>", Ending::ContextTooLong, false),
        ] {
            let mut ctx = ctx(text);
            (ctx.exit.ending, ctx.exit.detail) = (ending, "There's an issue with the selected model (opus-9)".to_owned());
            if text == REPORT {
                ctx.exit.claims.clear();
            }
            let made = record(&ctx);
            assert_eq!(made.is_refusal(), refused, "{text} {ending}: {made:?}");
            assert!(refused == (made.signature == format!("refused: {ending}")));
        }
    }

    #[test]
    fn a_vague_word_leaves_the_category_to_the_facts() {
        let vague = |word: &str, why: &str| {
            format!("<task-failed/>\n<failure-report>\nwhat_was_tried: x\nwhy_it_failed: {why}\nerror_category: {word}\n</failure-report>")
        };
        assert_eq!(record(&ctx(&vague("unknown", "a test still fails"))).category, ErrorCategory::TestFailure);
        assert_eq!(record(&ctx(&vague("äöü", "it got stuck"))).category, ErrorCategory::Unknown);
    }

    #[test]
    fn a_check_that_refutes_the_agent_comes_first_in_the_reason() {
        let mut ctx = ctx(&REPORT.replace("<task-failed/>", "<task-done/>"));
        ctx.facts.evidence.check = Some(check(false));
        let made = record(&ctx);
        assert_eq!(
            made.why_it_failed,
            "claimed done, but check `make test` exited with 2: FAILED total_is_rounded; the agent says: cents are lost"
        );
        assert_eq!(made.signature, "logic_error: failed total_is_rounded");
    }

    #[test]
    fn a_claim_that_did_not_count_is_told_beside_the_agent_s_reason() {
        let made = record(&ctx(&REPORT.replace("<task-failed/>", "So I write `<task-failed/>`.")));
        let expected = "the agent ended without a mark that counts: <task-failed> stood in inline code. The work may be done already: look at \
                        what is there first, and if it holds, say so on a line of its own; the agent says: cents are lost";
        assert_eq!(made.why_it_failed, expected);
    }

    #[test]
    fn what_is_no_failed_attempt_leaves_no_record() {
        let mut ctx = ctx("<task-done/>");
        assert_eq!(failure_record(&ctx, &judge(&ctx)), None);
        for ending in [Ending::RateLimited, Ending::Overloaded, Ending::Authentication, Ending::Network, Ending::Interrupted] {
            ctx.exit.ending = ending;
            assert_eq!(failure_record(&ctx, &judge(&ctx)), None, "{ending}");
        }
    }

    #[test]
    fn every_field_is_bounded() {
        let mut ctx = ctx("<task-failed/>");
        let huge = "ä ".repeat(200_000);
        ctx.exit.sigils.failure_report = Some(crate::sigil::FailureReport {
            what_was_tried: huge.clone(),
            why_it_failed: huge.clone(),
            error_category: Some(huge.clone()),
            relevant_files: vec![huge.clone(), "a.rs".to_owned(), "f".repeat(290), "b.rs".to_owned()],
            stack_trace: Some(huge.clone()),
            retry_suggestion: Some(huge),
        });
        let made = record(&ctx);
        let chars = |text: &str| text.chars().count();
        assert!(chars(&made.what_was_tried) <= limits::REPORT_FIELD_CHARS && chars(&made.why_it_failed) <= limits::REPORT_FIELD_CHARS);
        assert!(made.stack_trace.is_some_and(|trace| chars(&trace) <= limits::REPORT_TRACE_CHARS));
        assert!(made.retry_suggestion.is_some_and(|suggestion| chars(&suggestion) <= limits::REPORT_SUGGESTION_CHARS));
        assert_eq!(made.relevant_files, ["a.rs".to_owned(), "f".repeat(290)]);
    }
}
