//! Journal lines in words: event names, and display on screen.

use super::{Event, Line, Said};
use ralph_core::learning::JournalEntry;
use ralph_core::quality::Reconciliation;
use ralph_core::replica::IterationRef;
use ralph_core::{LearningId, text};

impl Event {
    /// Every word that names an event in a line.
    pub const NAMES: [&'static str; 42] = [
        "feature",
        "default_cap",
        "learned",
        "gate_decided",
        "warning_reopened",
        "reconciled",
        "kept_apart",
        "withdrawn",
        "observed",
        "reviewed",
        "unreviewed",
        "pruned",
        "retired",
        "restored",
        "parked",
        "superseded",
        "conflict",
        "conflict_resolved",
        "conflict_reopened",
        "moved_out",
        "moved_in",
        "iteration",
        "thinned",
        "said_again",
        "kept_away",
        "undone",
        "staged",
        "landed",
        "episode",
        "fact",
        "memory_withdrawn",
        "memory_returned",
        "episode_seen",
        "episode_moved",
        "audited",
        "consolidation",
        "consolidated",
        "validated",
        "validations_dropped",
        "terms_learnt",
        "terms_dropped",
        "promoted",
    ];

    /// The event name in the line.
    pub fn name(&self) -> &'static str {
        match self {
            Event::Feature { .. } => "feature",
            Event::DefaultCap { .. } => "default_cap",
            Event::Learned { .. } => "learned",
            Event::GateDecided { .. } => "gate_decided",
            Event::WarningReopened { .. } => "warning_reopened",
            Event::Reconciled { .. } => "reconciled",
            Event::KeptApart { .. } => "kept_apart",
            Event::Withdrawn { .. } => "withdrawn",
            Event::Observed { .. } => "observed",
            Event::Reviewed { .. } => "reviewed",
            Event::Unreviewed { .. } => "unreviewed",
            Event::Pruned { .. } => "pruned",
            Event::Retired { .. } => "retired",
            Event::Restored { .. } => "restored",
            Event::Parked { .. } => "parked",
            Event::Superseded { .. } => "superseded",
            Event::Conflict { .. } => "conflict",
            Event::ConflictResolved { .. } => "conflict_resolved",
            Event::ConflictReopened { .. } => "conflict_reopened",
            Event::MovedOut { .. } => "moved_out",
            Event::MovedIn { .. } => "moved_in",
            Event::Iteration { .. } => "iteration",
            Event::Thinned { .. } => "thinned",
            Event::SaidAgain { .. } => "said_again",
            Event::KeptAway { .. } => "kept_away",
            Event::Undone { .. } => "undone",
            Event::Staged { .. } => "staged",
            Event::Landed { .. } => "landed",
            Event::Episode { .. } => "episode",
            Event::Fact { .. } => "fact",
            Event::MemoryWithdrawn { .. } => "memory_withdrawn",
            Event::MemoryReturned { .. } => "memory_returned",
            Event::EpisodeSeen { .. } => "episode_seen",
            Event::EpisodeMoved { .. } => "episode_moved",
            Event::Audited { .. } => "audited",
            Event::Consolidation { .. } => "consolidation",
            Event::Consolidated { .. } => "consolidated",
            Event::Validated { .. } => "validated",
            Event::ValidationsDropped { .. } => "validations_dropped",
            Event::TermsLearnt { .. } => "terms_learnt",
            Event::TermsDropped { .. } => "terms_dropped",
            Event::Promoted { .. } => "promoted",
        }
    }
}

impl Line {
    /// The line as shown on screen.
    pub fn entry(&self) -> JournalEntry {
        let (learning, summary) = self.summary();
        JournalEntry { id: self.id.clone(), at: self.at, event: self.event.name().to_owned(), learning, summary, act: self.act.clone() }
    }

    fn summary(&self) -> (Option<LearningId>, String) {
        match &self.event {
            Event::Feature { feature, .. } => (
                None,
                format!("Feature '{}' is {}, parent {}", feature.display_name, feature.state, feature.parent.as_deref().unwrap_or("none")),
            ),
            Event::DefaultCap { max_learnings, before, .. } => (None, format!("The project's cap is {max_learnings}; it was {before}")),
            Event::Learned { learning, gate } => {
                let gate =
                    gate.as_ref().filter(|g| !g.passed).map(|g| if g.refused { ", refused by the gate" } else { ", the gate warns" });
                let text = text::cut(&learning.text, 160);
                (Some(learning.id.clone()), format!("{} ({}{}): {text}", learning.state, learning.source, gate.unwrap_or_default()))
            }
            Event::GateDecided { learning, kept } => {
                (Some(learning.clone()), format!("The gate's warning was {}", if *kept { "overruled" } else { "confirmed" }))
            }
            Event::WarningReopened { learning } => (Some(learning.clone()), "The gate's warning waits again".to_owned()),
            Event::Reconciled { reconciliation } => {
                let Reconciliation { learning, other, judgement, .. } = &**reconciliation;
                let to = other.as_ref().map_or_else(|| "nothing known is like it".to_owned(), |other| format!("to {other}"));
                (Some(learning.clone()), format!("Compared: {}, {to} (similarity {:.2})", judgement.verdict, judgement.similarity))
            }
            Event::KeptApart { older, newer } => (Some(newer.clone()), format!("Another thing than {older}: a person said so")),
            Event::Withdrawn { learning, iteration, .. } => {
                (Some(learning.clone()), format!("Observation of iteration {iteration} taken back"))
            }
            Event::Observed { learning, iteration, counted, said, .. } => {
                let place = iteration.map_or_else(|| "outside an iteration".to_owned(), |i| format!("in iteration {i}"));
                let said = said.as_ref().map_or_else(String::new, |said| said_in_words(said));
                (Some(learning.clone()), format!("Seen again {place}{}{said}", if *counted { "" } else { ", not counted" }))
            }
            Event::Reviewed { learning, by } => (Some(learning.clone()), format!("Reviewed by {by}")),
            Event::Unreviewed { learning, .. } => (Some(learning.clone()), "Review taken back".to_owned()),
            Event::Pruned { learning, for_learning } => (Some(learning.clone()), format!("Pruned for {for_learning}")),
            Event::Retired { learning } => (Some(learning.clone()), "Retired".to_owned()),
            Event::Restored { learning, instead_of: Some(by), .. } => {
                (Some(learning.clone()), format!("Restored: {by} was not to replace it"))
            }
            Event::Restored { learning, .. } => (Some(learning.clone()), "Restored".to_owned()),
            Event::Parked { learning, .. } => (Some(learning.clone()), "Parked for want of room".to_owned()),
            Event::Superseded { learning, by } => (Some(learning.clone()), format!("Superseded by {by}")),
            Event::Conflict { older, newer } => (Some(newer.clone()), format!("Contradicts {older}")),
            Event::ConflictResolved { older, newer, choice, .. } => {
                (Some(newer.clone()), format!("Conflict with {older} decided: {choice}"))
            }
            Event::ConflictReopened { older, newer } => (Some(newer.clone()), format!("Conflict with {older} waits again")),
            Event::SaidAgain { learning, seen } => (Some(learning.clone()), format!("Said again {}; it stays away", place(seen.as_ref()))),
            Event::KeptAway { learning } => (Some(learning.clone()), "Stays away, although it was said again".to_owned()),
            Event::Staged { branch, learning } => (None, format!("Learnt on {branch}: {}", text::cut(&learning.text, 160))),
            Event::Landed { staged } => (Some(staged.clone()), "Learnt on a branch that is merged".to_owned()),
            Event::Undone { undone } => (None, format!("Act {undone} taken back")),
            Event::MovedOut { learning, to } => (Some(learning.clone()), format!("Moved to '{to}'")),
            Event::MovedIn { learning, from } => {
                (Some(learning.id.clone()), format!("Came from '{from}': {}", text::cut(&learning.text, 160)))
            }
            Event::Iteration { iteration, task, outcome, model, .. } => {
                (None, format!("Iteration {iteration} on #{task} with {model}: {outcome}"))
            }
            Event::Thinned { task, attempts } => (None, format!("Details of failed attempts at #{task} forgotten by age: {attempts}")),
            Event::Audited { class, memories, by } => (None, format!("{memories} memories of the class {class} put away by {by}")),
            Event::Consolidation { source, entries, files, .. } => {
                (None, format!("{} entries of {source} went into {}", entries.len(), text::cut(&files.join(", "), 160)))
            }
            Event::Consolidated { learning, place } => {
                (Some(learning.clone()), format!("Stands in {} now: {}", place.file, text::cut(&place.heading, 80)))
            }
            event => feedback_in_words(event).unwrap_or_else(|| (None, memory_in_words(event).unwrap_or_default())),
        }
    }
}

fn said_in_words(said: &Said) -> String {
    // The sentence goes on, so the text's own full stop is left out.
    let open = |text: &str| text::cut(text, 160).trim_end().trim_end_matches('.').to_owned();
    let text = (!said.text.is_empty()).then(|| format!(": {}", open(&said.text)));
    let reason = said.reason.as_ref().map(|reason| format!(", because: {}", open(reason)));
    let tags = (!said.tags.is_empty()).then(|| format!(", tags: {}", said.tags.join(", ")));
    [text, reason, tags].into_iter().flatten().collect()
}

/// A feedback event in words; `None` for all others.
fn feedback_in_words(event: &Event) -> Option<(Option<LearningId>, String)> {
    let (learning, words) = match event {
        Event::Validated { learning, useful, by, .. } => {
            (learning, format!("{} (by {by})", if *useful { "It helped" } else { "It did not help" }))
        }
        Event::ValidationsDropped { learning, source, since } => {
            let whose = source.map_or_else(|| "anybody".to_owned(), |source| source.to_string());
            let since = since.map_or_else(String::new, |since| format!(" since {since}"));
            (learning, format!("What was said of it by {whose}{since} was taken back"))
        }
        Event::TermsLearnt { learning, terms, by, query, rank } => {
            (learning, format!("Found by {} too: chosen by {by} at place {rank} of {query}", terms.join(", ")))
        }
        Event::TermsDropped { learning, terms, because } => (learning, format!("No longer found by {} ({because})", terms.join(", "))),
        Event::Promoted { learning, to } => (learning, format!("Counts as {to} by what was said of it")),
        _ => return None,
    };
    Some((Some(learning.clone()), words))
}

/// An event of an episode or a fact in words; `None` for all others.
fn memory_in_words(event: &Event) -> Option<String> {
    match event {
        Event::Episode { episode } => Some(format!("Episode: {}", text::cut(&episode.lesson, 160))),
        Event::Fact { fact } => Some(format!("Fact: {}: {}", fact.subject, text::cut(&fact.value, 160))),
        Event::MemoryWithdrawn { memory, because, detail } => {
            Some(format!("{memory} withdrawn ({because}){}{detail}", if detail.is_empty() { "" } else { ": " }))
        }
        Event::MemoryReturned { memory, .. } => Some(format!("{memory} is told again")),
        Event::EpisodeMoved { episode, to } => Some(format!("{episode} went to '{to}' with its task")),
        Event::EpisodeSeen { episode, seen } => Some(format!("{episode} was learnt again {}", place(Some(seen)))),
        _ => None,
    }
}

fn place(seen: Option<&IterationRef>) -> String {
    seen.map_or_else(|| "outside an iteration".to_owned(), |seen| format!("in iteration {}", seen.iteration))
}
