//! The queries of a question to each text channel.

use super::fold::is_mark;
use super::stop_words::is_stop_word;
use ralph_core::identifier::{identifier_parts, is_file_name};
use ralph_core::recall::{Channel, Tuning};
use std::collections::BTreeSet;

/// Words of a question that are searched for; a task's text begins with its subject.
const WORDS: usize = 64;
/// Trigrams need three characters; three-letter words match too much.
const TRIGRAM_CHARS: usize = 4;
/// Letters of a fragment of a script without spaces between words, where a run of letters is a sentence. Most words of Chinese have two.
const PART_CHARS: usize = 2;
/// Letters of the shortest fragment that the store's tables of trigrams find.
const TABLES_FIND: usize = 3;
/// Fragments that are searched for: of such scripts, those of a few sentences.
const FRAGMENTS: usize = 192;

/// A question, split into queries to the channels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// Words without stop words, and adjacent pairs.
    pub phrases: Vec<String>,
    /// Words long enough for trigrams, and parts of what has no spaces.
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
    /// Whether most of its letters are not Latin: a model of English spells them, as it does names.
    pub spelt: bool,
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
            spelt: is_spelt(text),
        }
    }

    /// Whether what a channel finds shares a word with it. In a script without spaces a word is found as a fragment.
    pub fn shares_a_word(&self, channel: Channel) -> bool {
        match channel {
            Channel::Lexical | Channel::Trigger | Channel::Path => true,
            Channel::Trigram => self.needs_lists(),
            Channel::Vector | Channel::Neighbours | Channel::Learned | Channel::Tokens | Channel::Story => false,
        }
    }

    /// Whether it asks for fragments that only the index finds: the store's tables know none of two letters.
    pub fn needs_lists(&self) -> bool {
        self.fragments.iter().any(|fragment| fragment.chars().count() < TABLES_FIND)
    }
}

fn is_spelt(text: &str) -> bool {
    let is_latin = |c: char| c <= '\u{24F}' || ('\u{1E00}'..='\u{1EFF}').contains(&c);
    let (latin, others): (Vec<char>, Vec<char>) = text.chars().filter(|c| c.is_alphabetic()).partition(|c| is_latin(*c));
    others.len() > latin.len()
}

/// Words and parts of identifiers without stop words, and words that stand side by side.
fn words_and_pairs(text: &str) -> (Vec<String>, Vec<String>) {
    let lower = text.to_lowercase();
    let spoken: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()).collect();
    let parts = identifier_parts(text);
    let mut seen = BTreeSet::new();
    let all = spoken.iter().copied().chain(parts.split(' ').filter(|p| !p.is_empty()));
    let words = all.filter(|w| !is_stop_word(w) && seen.insert(*w)).take(WORDS).map(str::to_owned).collect();
    // A hyphen makes one word of two, whatever they are by themselves: `--no-cache` is not about caches.
    let says = |pair: &[&str]| !pair.iter().any(|w| is_stop_word(w)) || lower.contains(&pair.join("-"));
    let pairs = spoken.windows(2).filter(|pair| says(pair)).map(|pair| pair.join(" "));
    let mut paired = BTreeSet::new();
    (words, pairs.filter(|p| paired.insert(p.clone())).take(WORDS).collect())
}

/// Long words; and of scripts without spaces every part of a few characters, since a word begins and ends anywhere in a run of them.
fn fragments(words: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let parts = words.iter().flat_map(|word| stretches(word)).flat_map(|stretch| {
        let ends: Vec<usize> = stretch.char_indices().map(|(at, _)| at).chain([stretch.len()]).collect();
        if stretch.chars().all(is_asked_in_parts) {
            ends.windows(PART_CHARS + 1).map(|at| &stretch[at[0]..at[PART_CHARS]]).collect()
        } else if ends.len() > TRIGRAM_CHARS {
            vec![stretch]
        } else {
            Vec::new()
        }
    });
    parts.filter(|part| seen.insert(*part)).take(FRAGMENTS).map(str::to_owned).collect()
}

/// The parts of a word in scripts without spaces, and those in others.
fn stretches(word: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_asked_in_parts(c) != is_asked_in_parts(first)).unwrap_or(rest.len());
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

/// Whether words with such a character are searched for in parts: those of Chinese and Japanese, which have no spaces between them, and of
/// Korean, which change at their ends.
fn is_asked_in_parts(c: char) -> bool {
    let signs_and_kana = matches!(u32::from(c), 0x3005..=0x3007 | 0x3041..=0x30FF);
    signs_and_kana || matches!(u32::from(c), 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x323AF)
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

/// Whether a token is an identifier, a path, a number or a code by its form.
fn is_named(token: &str) -> bool {
    let of_names = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | ':' | '=' | '+' | '#');
    token.trim_matches(|c: char| !c.is_alphanumeric()).contains(of_names) || !identifier_parts(token).is_empty()
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

/// The words of a text for searching, in lower case and in order.
pub(crate) fn spoken_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    // A mark belongs to the letter before it: some systems write a letter and its mark as two characters.
    lower.split(|c: char| !(c.is_alphanumeric() || c == '_' || is_mark(c))).filter(|w| !w.is_empty()).map(str::to_owned).collect()
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
        assert_eq!(of("Is --no-cache the cure for a cache?").phrases, ["cache", "cure", "no cache"]);
    }

    #[test]
    fn a_sentence_without_spaces_is_asked_for_by_its_parts() {
        assert_eq!(of("セッションの期限").fragments, ["セッ", "ッシ", "ショ", "ョン", "ンの", "の期", "期限"]);
        assert_eq!(
            of("PDFの文字化け、在庫 cacheKeyを更新").fragments,
            ["の文", "文字", "字化", "化け", "在庫", "cachekey", "を更", "更新", "cache"]
        );
        assert_eq!(of("로그아웃하면").fragments, ["로그", "그아", "아웃", "웃하", "하면"]);
        for (asked, word) in [("セッションの期限", true), ("PDFの文字化け", true), ("the cacheKey", false)] {
            let question = of(asked);
            assert!(question.shares_a_word(Channel::Trigram) == word && question.shares_a_word(Channel::Lexical), "{asked}");
            assert!(!question.shares_a_word(Channel::Vector), "{asked}");
        }
        assert!(of("在庫").needs_lists() && of("PDFの文字化け").needs_lists() && !of("cacheKey 昼").needs_lists());
        assert_eq!(of(&"数据库连接池最大为".repeat(100)).fragments.len(), 9, "each once");
        let long: String = (0x4E00..0x5E00).filter_map(char::from_u32).collect();
        assert_eq!(of(&long).fragments.len(), FRAGMENTS);
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
        let names = ["refundTable", "E1042", "src/refund_table.rs", "`refund_table` (refund.rs)", "  ERR_TOKEN_EXPIRED\n"];
        let codes = ["ORA-01555", "1.2.30", "v1.2.3-rc.1", "429", "--no-verify", "cache.ttl.read", "src/refund.rs:88", "TZ=UTC"];
        for names in names.into_iter().chain(codes) {
            assert!(of(names).names_alone, "{names:?}");
        }
        for words in ["", "?", "refund", "don't", "refund.", "(refund)", "where is refundTable", "E1042 means", "retry 3 times"] {
            assert!(!of(words).names_alone, "{words:?}");
        }
    }

    #[test]
    fn a_question_in_other_letters_than_latin_is_spelt() {
        for text in ["在庫", "PDF の日本語が文字化けする", "поиск работает медленно", "로그아웃"] {
            assert!(of(text).spelt, "{text}");
        }
        for text in ["", "42", "Größe der Maßstäbe", "tiếng Việt", "the word 在庫 in a sentence"] {
            assert!(!of(text).spelt, "{text}");
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
