//! The report of a consolidation, for a person to read apart from the screen.

use ralph_core::consolidation::{ConsolidationPreview, Decision, Fate};
use ralph_core::text::one_line;
use std::fmt::Write as _;

/// Characters of an entry's words in the report.
const SHOWN_CHARS: usize = 200;

/// The report as Markdown.
pub fn report(preview: &ConsolidationPreview) -> String {
    let mut text = String::from("# Consolidation\n\n## What asks for it\n\n");
    for source in &preview.trigger.sources {
        let _ = writeln!(text, "- {}: {}", source.source, source.why);
    }
    for (fate, heading) in [
        (Fate::Contradiction, "Needs a person"),
        (Fate::Goes, "Goes into documents"),
        (Fate::Superseded, "Superseded by a newer entry"),
        (Fate::Redundant, "Said already"),
        (Fate::Newest, "Stays: among the newest"),
        (Fate::Young, "Stays: not proved yet"),
    ] {
        let of: Vec<&Decision> = preview.decisions.iter().filter(|decision| decision.decision == fate).collect();
        if of.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {heading} ({})\n\n", of.len());
        for decision in of {
            let name = decision.title.as_ref().unwrap_or(&decision.key);
            let score = decision.score.map(|score| format!(", likeness {score:.2}")).unwrap_or_default();
            let _ = writeln!(text, "- {} ({}): {}{score}", one_line(name, SHOWN_CHARS), decision.source, decision.reason);
            if let Some(other) = &decision.other_text {
                let _ = writeln!(text, "  - the other: {}", one_line(other, SHOWN_CHARS));
            }
        }
    }
    if !preview.notes.is_empty() {
        text.push_str("\n## Notes\n\n");
        for note in &preview.notes {
            let _ = writeln!(text, "- {note}");
        }
    }
    text
}
