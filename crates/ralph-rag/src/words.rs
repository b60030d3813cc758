//! The words of a short text, for the rules on similarity.
//!
//! A path, an identifier, a name or a number is one token and is *exact*: two texts that differ in one are about
//! different things, however alike the rest is. Losing a lesson is worse than keeping two.

mod date;
mod exact;
mod kind;
mod quantity;
mod role;
mod signs;
mod zero;

pub(crate) use kind::is_set_otherwise;
use kind::{in_small_letters, is_shouted, kind_of};
use memchr::memmem;
pub(crate) use quantity::{Quantity, full_name, half_of_day, leading_number, spelled_number, unit_of};
pub(crate) use signs::is_comparison;
use signs::{begins_with_number, comparison};
use std::collections::BTreeMap;
use std::ops::Range;

/// Words that deny what follows in their clause. "unless" and "without" are not negators: "fails without X" says "needs X".
const NEGATORS: [&str; 16] = [
    "not", "no", "never", "none", "nor", "neither", "cannot", "avoid", "except", "instead", "rather", "nobody", "nothing", "nowhere",
    "hardly", "barely",
];

/// Words that end a clause, and with it the scope of a negator.
const CLAUSE_ENDS: [&str; 14] =
    ["but", "because", "since", "so", "as", "when", "if", "while", "which", "that", "until", "otherwise", "then", "and"];

/// Whether a character is of a script that puts no blanks between words: Thai, Lao, Burmese, Khmer, Chinese, Japanese.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

/// The sentences of a line, each with its end mark. Within a word, as in an address, such a character ends nothing.
pub(crate) fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut before = ' ';
    line.split_inclusive(move |c: char| {
        let ends = c.is_whitespace() && matches!(before, '.' | ';' | '!' | '?');
        before = c;
        ends
    })
}

/// Whether a word is in a list of words between blanks. Two texts ask hundreds of times: the list is searched, not taken apart.
pub(crate) fn is_listed(list: &str, word: &str) -> bool {
    let is_blank = |at: usize| list.as_bytes().get(at).is_none_or(u8::is_ascii_whitespace);
    let is_word = !word.is_empty() && !word.contains(char::is_whitespace);
    is_word && memmem::find_iter(list.as_bytes(), word).any(|at| (at == 0 || is_blank(at - 1)) && is_blank(at + word.len()))
}

/// Whether a word in lower case denies what follows in its clause.
pub(crate) fn is_negator(lower: &str) -> bool {
    NEGATORS.contains(&lower) || lower.ends_with("n't")
}

/// Whether a word in lower case ends a clause.
pub(crate) fn is_clause_end(lower: &str) -> bool {
    CLAUSE_ENDS.contains(&lower)
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An ordinary word.
    Plain,
    /// A path, an identifier or a name.
    Exact,
    /// A number, possibly after a version's letter; its unit is the next token.
    Number,
    /// Negates its clause.
    Negator,
    /// Ends a clause.
    ClauseEnd,
}

/// One token of a text.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    /// Byte range in the text.
    pub(crate) range: Range<usize>,
    /// In lower case; a number and its unit have one form, however they are written.
    pub(crate) lower: String,
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Whether its clause ends with it.
    pub(crate) ends_clause: bool,
    /// Whether it is a number after a version's letter, as in "v2".
    pub(crate) is_version: bool,
}

impl Token {
    /// The unit of the number before it.
    fn unit(unit: &str, range: Range<usize>, ends_clause: bool) -> Token {
        Token { range, lower: unit.to_owned(), kind: TokenKind::Plain, ends_clause, is_version: false }
    }

    /// Whether a clause ends with it, or before what follows.
    pub(crate) fn is_clause_end(&self) -> bool {
        self.ends_clause || self.kind == TokenKind::ClauseEnd
    }

    /// Whether it is the half of the day that a time leaves out.
    fn is_implied_half(&self) -> bool {
        self.range.is_empty() && !self.ends_clause && half_of_day(&self.lower).is_some()
    }

    /// Whether it counts for Jaccard: exact, or longer than two characters.
    fn is_content(&self) -> bool {
        match self.kind {
            TokenKind::Exact | TokenKind::Number => true,
            TokenKind::Plain => self.lower.chars().count() > 2,
            TokenKind::Negator | TokenKind::ClauseEnd => false,
        }
    }

    /// A path, an identifier, a name or a number.
    fn is_exact(&self) -> bool {
        matches!(self.kind, TokenKind::Exact | TokenKind::Number)
    }
}

/// The words of one text.
#[derive(Debug, Default, Clone)]
pub struct Words {
    /// Every token in the order of the text.
    tokens: Vec<Token>,
    /// Indices of the distinct tokens without negators, sorted by word.
    all: Vec<u32>,
    /// Those of `all` that count for Jaccard.
    content: Vec<u32>,
    /// How it spells words whose meaning depends on their spelling.
    forms: Vec<exact::Form>,
}

/// Jaccard similarity above which two texts have the same subject.
pub const SAME_SUBJECT_JACCARD: f64 = 0.7;
/// Jaccard similarity up to which no antonym can bring two texts above [`SAME_SUBJECT_JACCARD`]; saves the closer comparison.
pub(crate) const FAR_JACCARD: f64 = 0.3;

impl Words {
    /// Reads the words of `text`.
    pub fn of(text: &str) -> Words {
        let spoken = is_shouted(text).then(|| in_small_letters(text));
        let text = spoken.as_deref().unwrap_or(text);
        let tokens = tokens(text);
        let mut all: Vec<u32> = (0..u32::try_from(tokens.len()).unwrap_or(u32::MAX)).collect();
        all.retain(|at| tokens[*at as usize].kind != TokenKind::Negator);
        // Of a repeated word the exact one counts.
        all.sort_by(|a, b| {
            let (a, b) = (&tokens[*a as usize], &tokens[*b as usize]);
            (&a.lower, !a.is_exact()).cmp(&(&b.lower, !b.is_exact()))
        });
        all.dedup_by(|a, b| tokens[*a as usize].lower == tokens[*b as usize].lower);
        let content = all.iter().copied().filter(|at| tokens[*at as usize].is_content()).collect();
        let forms = exact::forms(text, &tokens);
        Words { tokens, all, content, forms }
    }

    /// Whether it has no content words.
    pub(crate) fn has_no_content(&self) -> bool {
        self.content.is_empty()
    }

    /// Whether all its words are among the other's.
    pub(crate) fn has_the_words_of(&self, other: &Words) -> bool {
        self.all.len() == other.all.len() && self.all.iter().all(|at| other.has(self.word(*at)))
    }

    /// What both texts have but spell differently, so that it means something else: each one's spelling.
    pub(crate) fn spelled_otherwise(&self, other: &Words) -> Option<(String, String)> {
        let extended = || exact::extended((&self.forms, |word| self.has(word)), (&other.forms, |word| other.has(word)));
        exact::differing(&self.forms, &other.forms).or_else(extended)
    }

    /// Its tokens in text order.
    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    fn word(&self, at: u32) -> &str {
        &self.tokens[at as usize].lower
    }

    /// Whether the text contains a token that is not a negator.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.all.binary_search_by(|at| self.word(*at).cmp(word)).is_ok()
    }

    pub(crate) fn content_words(&self) -> impl Iterator<Item = &str> {
        self.content.iter().map(|at| self.word(*at))
    }

    /// Its distinct paths, identifiers, names and numbers, lower case.
    pub fn exact_words(&self) -> impl Iterator<Item = &str> {
        self.content.iter().map(|at| &self.tokens[*at as usize]).filter(|t| t.is_exact()).map(|t| t.lower.as_str())
    }

    /// Every distinct token that is not a negator, lower case.
    pub fn distinct(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|at| self.word(*at))
    }

    /// Its content words, longest first: a deterministic order.
    pub fn by_length(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.content_words().collect();
        words.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        words
    }

    /// Jaccard similarity of the content words, in 0..=1; 0 when both are empty.
    pub fn jaccard(&self, other: &Words) -> f64 {
        self.jaccard_without(other, &[])
    }

    /// As [`Words::jaccard`], without some words.
    pub(crate) fn jaccard_without(&self, other: &Words, left_out: &[&str]) -> f64 {
        let mine: Vec<&str> = self.content_words().filter(|w| !left_out.contains(w)).collect();
        let theirs: Vec<&str> = other.content_words().filter(|w| !left_out.contains(w)).collect();
        // Both are sorted.
        let shared = mine.iter().filter(|w| theirs.binary_search(w).is_ok()).count();
        let either = mine.len() + theirs.len() - shared;
        if either == 0 { 0.0 } else { shared as f64 / either as f64 }
    }

    /// The most distinctive words, at most `count`: paths, identifiers, names and numbers first, then the longest.
    pub fn telling(&self, count: usize) -> Vec<String> {
        let mut words: Vec<&Token> = self.content.iter().map(|at| &self.tokens[*at as usize]).collect();
        words.sort_by(|a, b| (b.is_exact(), b.lower.len(), &a.lower).cmp(&(a.is_exact(), a.lower.len(), &b.lower)));
        words.into_iter().take(count).map(|t| t.lower.clone()).collect()
    }

    /// How many content words both texts share: plain ones, and exact ones (paths, identifiers, names, numbers).
    pub fn shared(&self, other: &Words) -> (usize, usize) {
        let exact_there: Vec<&str> = other.exact_words().collect();
        let theirs: Vec<&str> = other.content_words().collect();
        let (mut plain, mut exact) = (0, 0);
        for at in &self.content {
            let token = &self.tokens[*at as usize];
            if theirs.binary_search(&token.lower.as_str()).is_ok() {
                let is_exact = token.is_exact() || exact_there.binary_search(&token.lower.as_str()).is_ok();
                if is_exact { exact += 1 } else { plain += 1 }
            }
        }
        (plain, exact)
    }

    /// Whether this text names a path, identifier, name or number that the other does not contain at all.
    pub fn names_more(&self, other: &Words) -> bool {
        self.exact_words().any(|word| !other.has(word))
    }

    /// Whether one text names a path, identifier, name or number that the other does not contain at all.
    pub fn names_differ(&self, other: &Words) -> bool {
        self.names_more(other) || other.names_more(self)
    }

    /// How often each of its content words, short ones apart, occurs in `text`: the text that these words are of, in lower case.
    pub fn frequencies<'t>(&self, text: &'t str) -> BTreeMap<&'t str, usize> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let content: Vec<&str> = self.content_words().collect();
        for word in text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.' | '-')) {
            let word = word.trim_matches(['.', '-']);
            if word.chars().count() > 3 && content.binary_search(&word).is_ok() {
                *counts.entry(word).or_default() += 1;
            }
        }
        counts
    }
}

/// The tokens of `text` in order.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut sentence_start = true;
    let between = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '"' | '—' | '–' | '|');
    let mut rest = 0;
    while rest <= text.len() {
        let end = text[rest..].find(between).map_or(text.len(), |at| rest + at);
        let (mut raw, mut start) = (&text[rest..end], rest);
        rest = end + text[end..].chars().next().map_or(1, char::len_utf8);
        let quotes = tokens.is_empty() && raw == ">" && !begins_with_number(&text[end..]);
        if let Some(sign) = comparison(raw).filter(|_| !quotes) {
            let lower = text[start + sign.start..start + sign.end].to_owned();
            let range = start + sign.start..start + sign.end;
            tokens.push(Token { range, lower, kind: TokenKind::Plain, ends_clause: false, is_version: false });
            (raw, start) = (&raw[sign.end..], start + sign.end);
        }
        let points = is_pointer(raw, &text[end..]);
        let edge = |c: char| is_edge(c) && !(points && c == '*');
        let token = raw.trim_matches(edge);
        if token.is_empty() {
            // A star alone is in code, as in `SELECT *`.
            if raw.contains(is_stop)
                && let Some(last) = tokens.last_mut()
            {
                last.ends_clause = true;
            }
            continue;
        }
        let at = start + (raw.len() - raw.trim_start_matches(edge).len());
        let quoted = raw.contains('`');
        let word = if quoted { token.to_owned() } else { without_prefix_hyphen(token) };
        let lower = word.to_lowercase().replace(['\u{2019}', '\u{2018}'], "'");
        let kind = kind_of(&word, &lower, quoted, sentence_start);
        let last = raw.trim_end_matches(['`', '\'', '*', '\u{2019}']).chars().last().unwrap_or(' ');
        let ends_clause = is_stop(last);
        sentence_start = matches!(last, '.' | '!' | '?' | ':');
        let end = at + token.len();
        // "9:00" alone is in the first half of the day, "9:00 pm" is not.
        if let Some((half, last)) = half_of_day(&lower).zip(tokens.last_mut().filter(|last| last.is_implied_half())) {
            *last = Token::unit(half, at..end, ends_clause);
            continue;
        }
        if let Some(number) = tokens.last_mut().filter(|number| !number.ends_clause)
            && let Some(Quantity { number: digits, unit }) = Quantity::joined(&number.lower, &lower)
        {
            (number.lower, number.kind) = (digits, TokenKind::Number);
            match unit {
                Some(unit) if unit_of(&lower) == Some(unit) => tokens.push(Token::unit(&lower, at..end, ends_clause)),
                Some(unit) => tokens.push(Token::unit(unit, at..end, ends_clause)),
                None => (number.range.end, number.ends_clause) = (end, ends_clause),
            }
            continue;
        }
        let is_version = lower.strip_prefix('v').is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()));
        let Quantity { number: lower, unit } = Quantity::read(&lower).unwrap_or(Quantity { number: lower, unit: None });
        tokens.push(Token { range: at..end, lower, kind, ends_clause: ends_clause && unit.is_none(), is_version });
        tokens.extend(unit.map(|unit| Token::unit(unit, end..end, ends_clause)));
    }
    date::join(&mut tokens);
    zero::deny(&mut tokens, text);
    role::join(&mut tokens);
    tokens
}

/// "non-blocking" without its hyphen, so that it is a word with a prefix, not an identifier.
fn without_prefix_hyphen(token: &str) -> String {
    match token.split_once('-') {
        Some((prefix, word)) if prefix.eq_ignore_ascii_case("non") && word.chars().all(char::is_alphabetic) => format!("{prefix}{word}"),
        _ => token.to_owned(),
    }
}

/// Whether a word's leading star has a meaning, as in `*mut T`: it is in code, or nothing in the text closes it.
fn is_pointer(raw: &str, after: &str) -> bool {
    let bare = raw.trim_matches(|c: char| is_edge(c) && c != '*');
    let word = bare.strip_prefix('*').is_some_and(|word| word.starts_with(char::is_alphabetic) && !word.contains('*'));
    word && (raw.contains('`') || !after.contains('*'))
}

/// A sign that ends a clause.
fn is_stop(c: char) -> bool {
    matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | '、' | '。' | '，' | '；' | '：' | '！' | '？')
}

/// A character around a word that is not part of it.
fn is_edge(c: char) -> bool {
    matches!(c, '`' | '\'' | '\u{2018}' | '\u{2019}' | ',' | ';' | ':' | '.' | '!' | '?' | '*' | '<' | '>')
        || matches!(c, '、' | '。' | '，' | '；' | '：' | '！' | '？' | '।' | '؟' | '،')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_a_word_also_before_a_number_and_a_bracket_or_a_quote_is_none() {
        let lower = |text: &str| Words::of(text).tokens.into_iter().map(|t| t.lower).collect::<Vec<_>>();
        for (text, expected) in [
            ("age <= 18", "age <= 18"),
            ("age <18", "age < 18"),
            ("`x` `!=` null", "x != null"),
            ("> age, said <b>", "age said b"),
            ("> \"3 retries\" suffice", "3 retries suffice"),
            ("<= 3 retries", "<= 3 retries"),
            (">= 3 retries", ">= 3 retries"),
            ("<18 is a minor", "< 18 is a minor"),
            ("> 5 workers", "> 5 workers"),
            ("> -$1", "> -$1"),
            ("age <=limit", "age <= limit"),
            ("a Vec<u8> -> T", "a vec<u8 - t"),
            ("pass *mut T", "pass *mut t"),
            ("pass `*mut` or *this one*", "pass *mut or this one"),
        ] {
            assert_eq!(lower(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn notification_is_no_negation() {
        let words = Words::of("Notification settings are noted");
        assert!(words.tokens.iter().all(|t| t.kind == TokenKind::Plain), "{words:?}");
    }
}
