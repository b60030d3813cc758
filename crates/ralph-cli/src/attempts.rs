//! `ralph attempts`: what was tried on a task, and why it failed.

use crate::output::{Answered, Output};
use ralph_app::App;
use ralph_core::run::attempt::Attempt;
use ralph_core::text::known_dollars;
use std::fmt::Write as _;

/// Attempts at a task, and iterations that were not attempts, newest first.
pub fn attempts(app: &App, task: u32, output: Output) -> Answered {
    let attempts = app.attempts(task)?;
    output.answer(&attempts, || {
        let lines: Vec<String> = attempts.iter().map(attempt_text).collect();
        if lines.is_empty() { format!("no attempts at #{task} yet") } else { lines.join("\n") }
    });
    Ok(())
}

fn attempt_text(attempt: &Attempt) -> String {
    let cost = known_dollars(attempt.cost_usd, attempt.unpriced, 4).map(|cost| format!(", {cost}")).unwrap_or_default();
    let which = if attempt.number == 0 { "no attempt".to_owned() } else { format!("attempt {}", attempt.number) };
    let mut text = format!("{which}: {} with {}{cost} ({})", attempt.outcome, attempt.model, attempt.at);
    if let Some(failure) = &attempt.failure {
        let by = if failure.generated { "Ralph's report" } else { "its report" };
        let _ = write!(text, "\n  {by}, {}\n  tried: {}\n  failed: {}", failure.category, failure.what_was_tried, failure.why_it_failed);
        if let Some(suggestion) = &failure.retry_suggestion {
            let _ = write!(text, "\n  next: {suggestion}");
        }
    }
    // A report made by rule says the same as the note.
    let told = |note: &String| attempt.failure.as_ref().is_some_and(|failure| note.contains(&failure.why_it_failed));
    if let Some(note) = attempt.note.as_ref().filter(|note| !told(note)) {
        let _ = write!(text, "\n  noted: {note}");
    }
    text
}
