//! A text divided into prose and sigils, for display.

use super::marks::{self, Mention};
use super::{cut_bytes, scan};
use crate::limits;
use serde::{Deserialize, Serialize};

/// A piece of what an agent said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SpokenPiece {
    /// Words between sigils, including anything that only looks like a sigil.
    Prose {
        /// The text, trimmed.
        text: String,
    },
    /// A sigil that counts.
    Sigil {
        /// `task-done`, `learning` …
        name: String,
        /// Kind of lesson, if named.
        category: Option<String>,
        /// Tags of a lesson, as written.
        tags: Option<String>,
        /// Its content, trimmed.
        text: String,
    },
}

/// The pieces of one text, in order, by the same parser that the loop uses. A sigil inside another is part of that one's text.
pub fn pieces(text: &str) -> Vec<SpokenPiece> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let heard = cut_bytes(text, limits::AGENT_TEXT_BYTES);
    let mut pieces = Vec::new();
    let prose = |pieces: &mut Vec<SpokenPiece>, part: &str| {
        let part = part.trim();
        if !part.is_empty() {
            pieces.push(SpokenPiece::Prose { text: part.to_owned() });
        }
    };
    let mut from = 0;
    for found in marks::read(heard).found {
        let Mention::Mark { tag, content, end } = found else { continue };
        if tag.start < from {
            continue;
        }
        prose(&mut pieces, &text[from..tag.start]);
        let attribute = |name| scan::attribute(tag.attributes, name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        pieces.push(SpokenPiece::Sigil {
            name: tag.sigil.name().to_owned(),
            category: attribute("category"),
            tags: attribute("tags"),
            text: content.trim().to_owned(),
        });
        from = end;
    }
    prose(&mut pieces, &text[from..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |piece: SpokenPiece| match piece {
            SpokenPiece::Prose { text } => text,
            SpokenPiece::Sigil { name, category, tags, text } => {
                format!("[{name}|{}|{}|{text}]", category.unwrap_or_default(), tags.unwrap_or_default())
            }
        };
        pieces(text).into_iter().map(show).collect()
    }

    #[test]
    fn only_what_counts_stands_apart_from_the_words_around_it() {
        for (text, expected) in [
            (
                "Done.\n<learning category=\"pitfall\" tags='a, b'>\nMind the gap\n</learning> <task-done>4</task-done>\nBye",
                vec!["Done.", "[learning|pitfall|a, b|Mind the gap]", "[task-done|||4]", "Bye"],
            ),
            ("see <learning> here", vec!["see <learning> here"]),
            ("I wrote `<task-done></task-done>` as asked", vec!["I wrote `<task-done></task-done>` as asked"]),
            ("> <task-failed></task-failed>", vec!["> <task-failed></task-failed>"]),
            ("```\n<task-done>1</task-done>\n```", vec!["```\n<task-done>1</task-done>\n```"]),
            ("\u{feff}<TASK_DONE/>", vec!["[task-done|||]"]),
            (" \n", vec![]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
