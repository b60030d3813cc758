//! `### Loop Status` and `### Stuck Loop Warning`: the loop's status in numbers.

use super::bounds::{fitting, squeezed, title_line};
use super::share::{Share, size};
use super::{LoopStatus, Part, PromptInput, fence};
use crate::limits;
use crate::run::attempt::{Attempt, ErrorCategory};
use crate::stats::Proportion;
use crate::text::cut;
use std::collections::BTreeMap;

/// Characters of what one attempt tried in the warning; the attempts section has the rest.
const RECALLED_CHARS: usize = 160;
/// Failures listed in a warning; the task is blocked before there are many more.
const RECALLED: usize = 5;
/// Characters of a model's name.
const MODEL_CHARS: usize = 30;

/// The status, and the warning if the task is stuck; nothing without history, since a first iteration has nothing to learn from it.
pub(super) fn told(input: &PromptInput<'_>, max_chars: usize) -> Share {
    let Some(status) = input.status.filter(|status| has_history(status, input.attempts)) else { return Share::default() };
    let warns = status.consecutive_failures >= status.stuck_after;
    let bare_warning = warns.then(|| warning_part(input, status, ""));
    let rooms = max_chars.saturating_sub(bare_warning.as_slice().iter().map(|part| size(std::slice::from_ref(part))).sum());
    let status_part = status_part(status, rooms);
    let left = rooms.saturating_sub(size(std::slice::from_ref(&status_part)));
    let warning = bare_warning.map(|bare| full_warning(input, status, bare, left));
    Share { parts: std::iter::once(status_part).chain(warning).collect(), ..Share::default() }
}

fn has_history(status: &LoopStatus, attempts: &[Attempt]) -> bool {
    !attempts.is_empty() || status.attempt > 1 || status.iteration > 1 || status.recent.trials > 0
}

/// The numbers always; the reason for the model as far as it fits.
fn status_part(status: &LoopStatus, max_chars: usize) -> Part {
    let of = status.max_iterations.map_or(String::new(), |max| format!(" of {max}"));
    let failures = match status.consecutive_failures {
        0 => String::new(),
        1 => ", after 1 failure".to_owned(),
        n => format!(", after {n} failures in a row"),
    };
    let mut body = format!(
        "Iteration {}{of} in this run, attempt {} at this task{failures}.\n{}\nModel: {}",
        status.iteration,
        status.attempt,
        rate(status.recent),
        fence::neutral(&title_line(cut(status.model.trim(), MODEL_CHARS)))
    );
    let part = |body: &str| Part {
        name: "status",
        heading: "### Loop Status".to_owned(),
        origin: "counts over the run and the project's history".to_owned(),
        body: body.to_owned(),
    };
    let room = max_chars.saturating_sub(size(&[part(&format!("{body} (…)"))]));
    // The reason may quote an agent's request.
    let why = fence::neutral(&squeezed(&status.rationale, limits::PROMPT_STATUS_CHARS));
    if !why.is_empty() && room > 0 {
        let shown = cut(&why, room);
        body.push_str(&format!(" ({shown}{})", if shown.len() < why.len() { "…" } else { "" }));
    }
    part(&body)
}

fn rate(recent: Proportion) -> String {
    match recent.trials {
        0 => "Recent success rate: no attempts yet.".to_owned(),
        trials => format!("Recent success rate: {} of {trials} attempts ({:.0} %).", recent.successes, 100.0 * recent.rate()),
    }
}

fn warning_part(input: &PromptInput<'_>, status: &LoopStatus, recalled: &str) -> Part {
    let body = format!(
        "This task failed {} times in a row{}. Don't try the same again: take another way, or split it (`create_task` for each part, \
         `update_task` to depend on them) and report failure.\n{recalled}",
        status.consecutive_failures,
        kinds(input.attempts, status.consecutive_failures)
    );
    Part { name: "warning", heading: "### Stuck Loop Warning".to_owned(), origin: "consecutive failures of the task".to_owned(), body }
}

/// The warning with what was tried, as far as complete items fit.
fn full_warning(input: &PromptInput<'_>, status: &LoopStatus, bare: Part, left: usize) -> Part {
    let tried: Vec<String> = failed(input.attempts, status.consecutive_failures)
        .take(RECALLED)
        .filter_map(|attempt| attempt.failure.as_ref().map(|failure| (attempt.number, failure)))
        .map(|(number, failure)| {
            fence::neutral(&format!("- attempt {number} tried: {}\n", squeezed(&failure.what_was_tried, RECALLED_CHARS)))
        })
        .collect();
    let chosen = fitting(&tried, left.saturating_sub(fence::fenced("").chars().count() + 1));
    if chosen.is_empty() {
        return bare;
    }
    let recalled: String = chosen.iter().map(|i| tried[*i].as_str()).collect();
    warning_part(input, status, &fence::fenced(&recalled))
}

/// ` (test_failure 2, timeout 1)`: the two most frequent categories of the failures in a row, in Ralph's own terms, and how many are of
/// others.
fn kinds(attempts: &[Attempt], failures: u32) -> String {
    let mut counts: BTreeMap<ErrorCategory, u32> = BTreeMap::new();
    for failure in failed(attempts, failures).filter_map(|attempt| attempt.failure.as_ref()) {
        *counts.entry(failure.category).or_default() += 1;
    }
    let mut counts: Vec<(ErrorCategory, u32)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shown = &counts[..counts.len().min(2)];
    let others = failures.saturating_sub(shown.iter().map(|(_, count)| count).sum());
    let others = (others > 0).then(|| format!("others {others}"));
    let counts: Vec<String> = shown.iter().map(|(category, count)| format!("{category} {count}")).chain(others).collect();
    if shown.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) }
}

/// The consecutive failed attempts, newest first.
fn failed(attempts: &[Attempt], failures: u32) -> impl Iterator<Item = &Attempt> {
    attempts.iter().filter(|attempt| attempt.outcome.is_attempt()).take(failures as usize)
}
