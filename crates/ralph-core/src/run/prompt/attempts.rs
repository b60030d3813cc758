//! `### Previous Attempts`: what was tried before and why it failed, newest first.

use super::bounds::{fitting, squeezed, title_line};
use super::share::{Share, room_for_items};
use super::{Part, PromptInput, fence};
use crate::limits;
use crate::run::Outcome;
use crate::run::attempt::{Attempt, FailureRecord};
use crate::text::cut;
use std::collections::BTreeMap;

/// Attempts that are considered; older ones are only counted.
const ATTEMPTS: usize = 50;
/// Numbers of attempts that one line lists.
const NUMBERS: usize = 8;
/// Characters of a model's name in an attempt's first line.
const MODEL_CHARS: usize = 40;

/// Attempts complete or not at all, preceded by the latest suggestion, which is always included.
pub(super) fn told(input: &PromptInput<'_>, max_chars: usize) -> Share {
    if input.attempts.is_empty() {
        return Share::default();
    }
    let suggestion = latest_suggestion(input.attempts);
    let items = items(input.attempts);
    let room = room_for_items(part(&format!("{suggestion}x")), max_chars);
    let mut chosen = fitting(&items, room);
    let mut left_out = String::new();
    if chosen.len() < input.attempts.len() {
        // Reserves room for the widest possible number, so that both choices fit.
        chosen = fitting(&items, room.saturating_sub(not_shown(input.attempts.len()).chars().count()));
        left_out = not_shown(input.attempts.len() - chosen.len());
    }
    let body: String = chosen.iter().map(|i| items[*i].as_str()).collect();
    Share { parts: vec![part(&format!("{suggestion}{body}{left_out}"))], ..Share::default() }
}

fn part(body: &str) -> Part {
    Part {
        name: "attempts",
        heading: "### Previous Attempts".to_owned(),
        origin: "failure reports and outcomes of the task's attempts".to_owned(),
        body: fence::fenced(body),
    }
}

fn latest_suggestion(attempts: &[Attempt]) -> String {
    let suggested = |attempt: &Attempt| {
        let suggestion = attempt.failure.as_ref()?.retry_suggestion.as_deref()?;
        let suggestion = fence::neutral(&squeezed(suggestion, limits::REPORT_SUGGESTION_CHARS));
        (!suggestion.is_empty()).then(|| format!("Latest suggestion (attempt {}): {suggestion}\n", attempt.number))
    };
    attempts.iter().find_map(suggested).unwrap_or_default()
}

fn not_shown(count: usize) -> String {
    format!("- and {count} more; `get_task` tells of them\n")
}

/// One item per attempt. Of attempts that failed the same way only the newest is shown in full.
fn items(attempts: &[Attempt]) -> Vec<String> {
    let mut alike: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for attempt in attempts {
        if let Some(failure) = attempt.failure.as_ref().filter(|failure| !failure.signature.is_empty()) {
            alike.entry(failure.signature.as_str()).or_default().push(attempt.number);
        }
    }
    attempts.iter().take(ATTEMPTS).map(|attempt| fence::neutral(&item(attempt, &alike))).collect()
}

fn item(attempt: &Attempt, alike: &BTreeMap<&str, Vec<u32>>) -> String {
    let model = title_line(cut(attempt.model.trim(), MODEL_CHARS));
    let first_line = format!("- attempt {} ({model}): {}", attempt.number, attempt.outcome);
    let Some(failure) = &attempt.failure else {
        // Otherwise nobody would be asked to work on it once more.
        let again = if attempt.outcome == Outcome::Done { ", and then the task was opened again" } else { "" };
        return format!("{first_line}{again}\n");
    };
    let same = alike.get(failure.signature.as_str()).map(Vec::as_slice).unwrap_or_default();
    match same.first() {
        Some(newest) if *newest != attempt.number => {
            format!("{first_line}, {}, the same way as attempt {newest}\n{}", failure.category, line("tried", &tried(failure)))
        }
        _ => {
            let times =
                if same.len() > 1 { format!("; failed the same way {} times ({})", same.len(), numbers(same)) } else { String::new() };
            format!("{first_line}, {}{times}\n{}", failure.category, details(failure))
        }
    }
}

fn numbers(of: &[u32]) -> String {
    let shown: Vec<String> = of.iter().take(NUMBERS).map(u32::to_string).collect();
    let more = if of.len() > NUMBERS { " and earlier" } else { "" };
    format!("attempts {}{more}", shown.join(", "))
}

fn tried(failure: &FailureRecord) -> String {
    squeezed(&failure.what_was_tried, limits::REPORT_FIELD_CHARS)
}

fn details(failure: &FailureRecord) -> String {
    let mut text = line("tried", &tried(failure));
    text.push_str(&line("failed because", &squeezed(&failure.why_it_failed, limits::REPORT_FIELD_CHARS)));
    text.push_str(&line("files", &squeezed(&failure.relevant_files.join(", "), limits::REPORT_FILES_CHARS)));
    // How a process ended may be all that is known about the reason.
    let told = |trace: &&str| !failure.why_it_failed.contains(trace.trim().trim_end_matches('.'));
    text.push_str(&trace(failure.stack_trace.as_deref().filter(told).unwrap_or_default()));
    text
}

fn line(label: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("  {label}: {text}\n") }
}

/// A trace without blank lines, indented, then trimmed at its beginning: its end is most informative.
fn trace(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(|line| format!("    {line}")).collect();
    let indented = lines.join("\n");
    let skipped = indented.chars().count().saturating_sub(limits::REPORT_TRACE_CHARS);
    let end: String = indented.chars().skip(skipped).collect();
    if end.is_empty() { end } else { format!("  trace:\n{end}\n") }
}
