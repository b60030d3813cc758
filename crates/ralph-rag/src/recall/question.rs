//! The queries of a question to each text channel.

use super::fold::is_mark;
use ralph_core::identifier::{identifier_parts, is_file_name};
use ralph_core::recall::Tuning;
use std::collections::BTreeSet;

/// Words of a question that are searched for; a task's text begins with its subject.
const WORDS: usize = 64;
/// Trigrams need three characters; three-letter words match too much.
const TRIGRAM_CHARS: usize = 4;

/// A question, split into queries to the channels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// Words without stop words, and adjacent pairs.
    pub phrases: Vec<String>,
    /// Words long enough for trigrams.
    pub fragments: Vec<String>,
    /// The same for its first sentence, which counts again: a task's subject is in its title. Empty for a question of one sentence.
    pub subject: Subject,
    /// Words and parts of identifiers, for the trigger channel; empty if that channel weighs nothing.
    pub triggers: Vec<String>,
    /// Files that it names, each as the words of its path, and again with names like `startForm` split; empty if the path
    /// channel's weight is 0.
    pub paths: Vec<String>,
    /// Whether it consists of identifiers, paths and codes alone: these differ by their letters, not by what they mean.
    pub names_alone: bool,
}

/// The beginning of a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subject {
    /// Words without stop words, and pairs that stand side by side.
    pub phrases: Vec<String>,
    /// Words long enough for trigrams.
    pub fragments: Vec<String>,
}

impl Question {
    /// Parses a question. A text without words gives an empty one, which matches nothing by text.
    pub fn of(text: &str, tuning: &Tuning) -> Question {
        let (words, pairs) = words_and_pairs(text);
        Question {
            subject: first_sentence(text).map(subject).unwrap_or_default(),
            fragments: fragments(&words),
            triggers: if tuning.trigger > 0.0 { words.clone() } else { Vec::new() },
            paths: if tuning.path > 0.0 { paths(text) } else { Vec::new() },
            names_alone: !words.is_empty() && text.split_whitespace().filter(|token| token.contains(char::is_alphanumeric)).all(is_named),
            phrases: words.into_iter().chain(pairs).collect(),
        }
    }
}

/// Words and parts of identifiers without stop words, and words that stand side by side.
fn words_and_pairs(text: &str) -> (Vec<String>, Vec<String>) {
    let lower = text.to_lowercase();
    let spoken: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()).collect();
    let parts = identifier_parts(text);
    let mut seen = BTreeSet::new();
    let all = spoken.iter().copied().chain(parts.split(' ').filter(|p| !p.is_empty()));
    let words = all.filter(|w| !is_stop_word(w) && seen.insert(*w)).take(WORDS).map(str::to_owned).collect();
    let pairs = spoken.windows(2).filter(|pair| !pair.iter().any(|w| is_stop_word(w))).map(|pair| pair.join(" "));
    let mut paired = BTreeSet::new();
    (words, pairs.filter(|p| paired.insert(p.clone())).take(WORDS).collect())
}

fn fragments(words: &[String]) -> Vec<String> {
    words.iter().filter(|w| w.chars().count() >= TRIGRAM_CHARS).cloned().collect()
}

fn subject(text: &str) -> Subject {
    let (words, pairs) = words_and_pairs(text);
    Subject { fragments: fragments(&words), phrases: words.into_iter().chain(pairs).collect() }
}

/// The first sentence of a text that has more than one. What precedes a colon is often not the subject: `cli: tell what failed`.
fn first_sentence(text: &str) -> Option<&str> {
    let text = text.trim();
    let ends = |(at, c): (usize, char)| {
        let next = text[at + c.len_utf8()..].chars().next();
        (c == '\n' || matches!(c, '.' | '?' | '!') && next.is_some_and(char::is_whitespace)).then_some(at)
    };
    text.char_indices().find_map(ends).map(|end| &text[..end])
}

/// Whether a token is an identifier, a path or a code by its form.
fn is_named(token: &str) -> bool {
    !identifier_parts(token).is_empty()
}

/// The files that a text names.
fn paths(text: &str) -> Vec<String> {
    let tokens = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '\\' | '.' | '-' | '@')));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for file in tokens.filter(|token| is_file_name(token)).take(WORDS) {
        let plain = file.to_lowercase();
        let plain: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
        found.extend([plain.join(" "), identifier_parts(file)].into_iter().filter(|path| !path.is_empty() && seen.insert(path.clone())));
    }
    found
}

/// Words that occur in most texts and carry no meaning. Searching for them takes five times as long and loses eight points.
const STOP_WORDS: [&str; 142] = [
    "a",
    "about",
    "above",
    "after",
    "again",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "could",
    "d",
    "did",
    "do",
    "does",
    "doing",
    "down",
    "during",
    "each",
    "few",
    "for",
    "from",
    "further",
    "get",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "here",
    "hers",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "itself",
    "just",
    "like",
    "ll",
    "m",
    "me",
    "might",
    "more",
    "most",
    "my",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "on",
    "once",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "re",
    "s",
    "same",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "such",
    "t",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "to",
    "too",
    "under",
    "until",
    "up",
    "upon",
    "us",
    "ve",
    "very",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "within",
    "would",
    "yet",
    "you",
    "your",
    "yours",
    "herself",
    "himself",
    "themselves",
    "yourself",
    "myself",
    "ourselves",
    "ours",
    "theirs",
];

/// The words of a text for searching, in lower case and in order.
pub(crate) fn spoken_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    // A mark belongs to the letter before it: some systems write a letter and its mark as two characters.
    lower.split(|c: char| !(c.is_alphanumeric() || c == '_' || is_mark(c))).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

/// Whether a word occurs in most texts.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Question {
        Question::of(text, &Tuning { trigger: 0.1, ..Tuning::default() })
    }

    #[test]
    fn words_pairs_fragments_and_parts_of_identifiers_are_asked_for() {
        let question = of("When is the refund retry in refundTable.rs run?");
        assert_eq!(question.phrases, ["refund", "retry", "refundtable", "rs", "run", "table", "refund retry", "refundtable rs", "rs run"]);
        assert_eq!(question.fragments, ["refund", "retry", "refundtable", "table"]);
        assert_eq!(question.triggers, ["refund", "retry", "refundtable", "rs", "run", "table"]);
        assert_eq!(question.paths, ["refundtable rs", "refund table rs"]);
        assert_eq!(of("see src/a_b.py, and/or https://x.org/y").paths, ["src a b py"]);
    }

    #[test]
    fn the_first_sentence_of_several_is_asked_for_once_more() {
        let question = of("Retry refunds. As a clerk, I want refunds in refund.rs to be tried again.");
        assert_eq!(question.subject.phrases, ["retry", "refunds", "retry refunds"]);
        assert_eq!(question.subject.fragments, ["retry", "refunds"]);
        assert_eq!(of("Retry refunds\nin refund.rs").subject.phrases, ["retry", "refunds", "retry refunds"]);
        for one in ["Why does refund.rs retry?", "refund v1.2.3 retry", "cli: retry refunds", "", "."] {
            assert_eq!(of(one).subject, Subject::default(), "{one:?}");
        }
    }

    #[test]
    fn names_alone_are_told_from_what_is_said_of_them() {
        for names in ["refundTable", "E1042", "src/refund_table.rs", "`refund_table` (refund.rs)", "  ERR_TOKEN_EXPIRED\n"] {
            assert!(of(names).names_alone, "{names:?}");
        }
        for words in ["", "?", "refund", "where is refundTable", "E1042 means", "retry 3 times"] {
            assert!(!of(words).names_alone, "{words:?}");
        }
    }

    #[test]
    fn nothing_to_ask_for_is_no_fault() {
        for text in ["", "   ", "what is it?", "\"*:()^", "\u{0}\u{202e}"] {
            assert_eq!(of(text), Question::default(), "{text:?}");
        }
    }

    #[test]
    fn a_megabyte_is_asked_for_by_its_beginning() {
        let text: String = (0..100_000).map(|n| format!("word{n} ")).collect();
        assert_eq!(of(&text).triggers.len(), WORDS);
    }
}
