//! What a task asks recall.

use crate::error::Result;
use ralph_core::run::attempt::Attempt;
use ralph_core::task::Task;
use ralph_core::text::cut;
use sqlite_db::Read;

/// Attempts whose failures are part of a task's question: the last one.
const ATTEMPTS_ASKED: u32 = 1;
/// Characters of a failure's reason that are put before the description: both should be read.
const REASON_CHARS: usize = 200;

/// A task's own text, and the failure of its last attempt.
pub(crate) fn task_question(r: &Read<'_>, task: &Task) -> Result<String> {
    let attempts: Vec<Attempt> = r.attempts(task.id, ATTEMPTS_ASKED)?;
    let failure = attempts.iter().find_map(|attempt| attempt.failure.as_ref());
    let details = failure.map(|failure| format!("{} {}", failure.category, failure.relevant_files.join(" "))).unwrap_or_default();
    let text = format!("{} {} {details}", task.description, task.acceptance_criteria.join(" "));
    Ok(in_order(&task.title, failure.map(|failure| failure.why_it_failed.as_str()), &text))
}

/// On one line: the title is its subject, however long the rest is. Only the beginning of a long question is read, so the reason of the
/// failure comes before the rest.
fn in_order(title: &str, reason: Option<&str>, rest: &str) -> String {
    // The title is a sentence of its own: recall asks for the first sentence once more.
    let end = if title.trim_end().ends_with(['.', '?', '!']) { "" } else { "." };
    let (reason, more) = reason.map_or(("", ""), |reason| reason.split_at(cut(reason, REASON_CHARS).len()));
    let all = format!("{}{end} {reason} {rest} {more}", title.trim_end());
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::recall::Tuning;
    use ralph_rag::recall::{Question, asked_part};

    #[test]
    fn the_failure_of_a_task_with_a_long_description_is_asked_for_and_its_title_stays_the_subject() {
        let description: String = (0..100).map(|n| format!("- requirement{n} of the page\n")).collect();
        let asked = in_order("Show the ledger", Some("The sandbox answers 429\nafter three calls"), &description);
        assert!(asked.starts_with("Show the ledger. The sandbox answers 429 after three calls - requirement0 of"), "{asked}");
        assert_eq!(asked_part(&asked), asked);
        let question = Question::of(&asked, &Tuning::default());
        assert_eq!(question.subject.phrases, ["show", "ledger"]);
        assert!(
            ["sandbox", "429", "requirement9"].iter().all(|word| question.fragments.iter().chain(&question.phrases).any(|w| w == word))
        );

        let long = in_order("Why?", Some(&"ä".repeat(300)), "the rest");
        assert_eq!(long, format!("Why? {} the rest {}", "ä".repeat(200), "ä".repeat(100)));
        assert_eq!(in_order("Plain", None, " a\n\nb "), "Plain. a b");
    }
}
