//! Names and numbers of an entry, which no rewording may lose: code, paths, identifiers, flags, and figures with their units.

use super::is_date;
use crate::words::{Quantity, TokenKind, Words, leading_number, sentences, spelled_number, unit_of};
use std::collections::BTreeSet;

/// Words in capitals for emphasis, not abbreviations.
const LOUD: &str = "NOT NO NEVER ALWAYS MUST ONLY ALL ANY DO DONT USE AND OR BEFORE AFTER EVERY FIRST LAST ONE IF WHEN THE NOTE TODO WARNING WHY HOW FIX BUG IS BE";
/// Pairs of words joined by a slash that are not paths.
const PAIRS: &str = "and/or either/or i/o n/a w/o ci/cd yes/no on/off true/false his/her input/output read/write client/server tcp/ip";
/// Months, which show that a sentence gives the day of an incident.
const MONTHS: &str = "january february march april june july august september october november december";

/// A figure with its unit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Figure {
    /// Digits, points and colons, without thousands separators.
    pub(super) number: String,
    /// One name for all names of its unit.
    pub(super) unit: Option<&'static str>,
}

impl Figure {
    /// Whether another figure has this number, or is the same amount in another unit.
    fn is_told_by(&self, other: &Figure) -> bool {
        let total = |figure: &Figure| Quantity::of(&figure.number, figure.unit);
        self.number == other.number || total(self) == total(other)
    }
}

/// What a text names.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Inline code, as written, blanks aside.
    pub(super) code: BTreeSet<String>,
    /// Paths, identifiers, flags and abbreviations outside of inline code, lower case.
    pub(super) shapes: BTreeSet<String>,
    /// Figures outside of names, without those that only describe an incident.
    pub(super) figures: BTreeSet<Figure>,
    /// Names by their capital letter, and words with hyphens, in lower case: some of them may be dropped.
    pub(super) soft: BTreeSet<String>,
}

impl Named {
    /// What an entry names.
    pub(super) fn of(text: &str) -> Named {
        let mut named = Named::default();
        for line in text.lines().filter(|line| !is_fence(line)) {
            let (plain, code) = apart(line);
            // The number of a list item is its position, not a figure.
            let (_, plain) = super::without_bullet(plain.trim());
            named.code.extend(code);
            named.figures.extend(sentences(&plain).filter(|sentence| !is_incident(sentence)).flat_map(figures));
            named.shapes.extend(tokens(&plain).filter(|token| is_shaped(token)).map(str::to_lowercase));
            // A word that begins a line is not a name just because of its capital letter.
            let words = Words::of(&plain);
            let soft = words.tokens().iter().filter(|token| token.kind == TokenKind::Exact && token.lower.contains(char::is_alphabetic));
            named.soft.extend(soft.map(|token| token.lower.clone()));
        }
        let shapes = &named.shapes;
        named.soft.retain(|name| !shapes.contains(name) && !is_date(name));
        named
    }
}

/// What a proposal says, in the forms in which names are looked up.
pub(super) struct Text {
    flat: String,
    lower: String,
    figures: BTreeSet<Figure>,
}

impl Text {
    pub(super) fn of(text: &str) -> Text {
        let flat = flat(text);
        let lower = flat.to_lowercase();
        Text { figures: figures(&text.replace(['`', '*'], " ")).into_iter().collect(), flat, lower }
    }

    /// Names of an entry that are not said there.
    pub(super) fn lacks(&self, named: &Named) -> Vec<String> {
        let code = named.code.iter().filter(|code| !within(&self.flat, &flat(code))).map(|code| format!("`{code}`"));
        let shapes = named.shapes.iter().filter(|name| !within(&self.lower, name)).cloned();
        let has = |figure: &Figure| self.figures.iter().any(|said| figure.is_told_by(said));
        code.chain(shapes).chain(named.figures.iter().filter(|figure| !has(figure)).map(told)).collect()
    }

    /// The soft names that are not said there.
    pub(super) fn lacks_soft<'n>(&self, named: &'n Named) -> Vec<&'n str> {
        named.soft.iter().map(String::as_str).filter(|name| !self.lower.contains(*name)).collect()
    }

    /// A figure of an entry that appears there with another unit, or without one.
    pub(super) fn other_unit(&self, named: &Named) -> Option<(String, String)> {
        named.figures.iter().filter(|figure| figure.unit.is_some()).find_map(|figure| {
            let mut there = self.figures.iter().filter(|said| said.number == figure.number).peekable();
            let first = (*there.peek()?).clone();
            let same = there.any(|said| said.unit == figure.unit);
            (!same).then(|| (told(figure), told(&first)))
        })
    }

    /// Names and figures of a text that are not said here.
    pub(super) fn news(&self, said: &str) -> Vec<String> {
        let mut news = Vec::new();
        for line in said.lines() {
            let (plain, code) = apart(line);
            news.extend(code.into_iter().filter(|code| !within(&self.lower, &flat(code).to_lowercase())).map(|code| format!("`{code}`")));
            let shapes = tokens(&plain).filter(|token| is_shaped(token) && !self.lower.contains(&token.to_lowercase()));
            news.extend(shapes.map(str::to_owned));
            let names = proper_names(&super::without_bullet(plain.trim()).1);
            news.extend(names.into_iter().filter(|name| !self.lower.contains(&name.to_lowercase())));
            // In words, "two of them" counts what is there, and is not a figure.
            let digits = plain.split_whitespace().filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect::<Vec<_>>().join(" ");
            let new = figures(&digits).into_iter().filter(|figure| !self.figures.iter().any(|known| figure.is_told_by(known)));
            news.extend(new.map(|figure| figure.number));
        }
        news
    }
}

/// The names of a text that are recognized by their capital letter alone.
fn proper_names(text: &str) -> Vec<String> {
    let words = Words::of(text);
    let exact = words.tokens().iter().filter(|token| token.kind == TokenKind::Exact).map(|token| &text[token.range.clone()]);
    let is_name =
        |name: &&str| name.chars().all(char::is_alphabetic) && name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
    exact.filter(is_name).map(str::to_owned).collect()
}

/// A text without the marks of code and emphasis, and with single blanks.
fn flat(text: &str) -> String {
    text.replace(['`', '*'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn told(figure: &Figure) -> String {
    match figure.unit {
        Some(unit) => format!("{} {unit}", figure.number),
        None => figure.number.clone(),
    }
}

/// A line without its inline code, and that code.
fn apart(line: &str) -> (String, Vec<String>) {
    let (mut plain, mut code) = (String::new(), Vec::new());
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let ticks = rest[at..].bytes().take_while(|byte| *byte == b'`').count();
        let (fence, after) = rest[at..].split_at(ticks);
        let Some((within, behind)) = after.split_once(fence) else { break };
        plain.push_str(&rest[..at]);
        plain.push(' ');
        code.push(within.split_whitespace().collect::<Vec<_>>().join(" "));
        rest = behind;
    }
    code.retain(|code| code.contains(char::is_alphanumeric));
    (plain + rest, code)
}

/// The words of a text without the marks around them.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let edge = |c: char| {
        matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '*' | '<' | '>' | '’' | '`')
    };
    text.split(|c: char| c.is_whitespace() || matches!(c, '—' | '–' | '|'))
        .map(move |word| word.trim_matches(edge))
        .filter(|word| !word.is_empty())
}

/// Whether a word is a path, an identifier, a flag or an abbreviation by its shape.
pub(super) fn is_shaped(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 2 && !word.starts_with('-') || is_date(word) {
        return false;
    }
    let flag = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    let within = word.contains(['_', '\\', '@', '$', '=']) || word.contains("::") || word.contains("->");
    let path = word.contains('/') && !PAIRS.split(' ').any(|pair| pair.eq_ignore_ascii_case(word));
    flag || within || path || has_ending(word) || is_camel(word) || is_abbreviation(word)
}

/// Whether a word ends like a file: `seeds.sql`, `.env`.
fn has_ending(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, ending)| {
        let plain = (1..=5).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
            && ending.contains(|c: char| c.is_ascii_lowercase());
        plain && (stem.is_empty() || stem.chars().filter(|c| c.is_alphanumeric()).count() > 1)
    })
}

fn is_camel(word: &str) -> bool {
    let mut before = ' ';
    word.chars().any(|c| {
        let turn = before.is_lowercase() && c.is_uppercase();
        before = c;
        turn
    })
}

fn is_abbreviation(word: &str) -> bool {
    let plain = word.strip_suffix('s').unwrap_or(word);
    (2..=6).contains(&plain.len()) && plain.chars().all(|c| c.is_ascii_uppercase()) && !LOUD.split(' ').any(|loud| loud == plain)
}

/// A text without its incidents, unless it consists of nothing else.
pub(super) fn lasting(text: &str) -> String {
    let line = |line: &str| sentences(line).filter(|sentence| !is_incident(sentence)).collect::<String>();
    let kept: Vec<String> = text.lines().map(line).collect();
    if kept.iter().any(|line| line.contains(char::is_alphanumeric)) { kept.join("\n") } else { text.to_owned() }
}

/// Whether a line opens or closes a code block: the name of a language after it is not a name of the entry.
fn is_fence(line: &str) -> bool {
    let words = line.trim_start();
    let behind = words.trim_start_matches('`');
    words.len() - behind.len() >= 3 && !behind.contains('`') || words.starts_with("~~~")
}

/// Whether a sentence describes an incident: its day and its ticket are not part of the lesson, and neither are its counts.
fn is_incident(sentence: &str) -> bool {
    let month = |word: &str| MONTHS.split(' ').any(|month| month.eq_ignore_ascii_case(word));
    tokens(sentence).any(|word| {
        let dated = is_date(word) && word.contains('-');
        let ticket = word.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        dated || ticket || month(word)
    })
}

/// The figures of a text, in digits or in words, outside of names.
fn figures(text: &str) -> Vec<Figure> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '"' | '—' | '–' | '|' | '~' | '≤' | '≥' | '<' | '>'))
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let bare = word.trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | '\'' | '*'));
        if is_date(bare) && bare.contains('-') {
            continue;
        }
        let lower = bare.to_lowercase();
        if let Some(digits) = spelled_number(&lower).or((lower == "twice").then_some("2")) {
            found.push(Figure { number: digits.to_owned(), unit: unit_of(next) });
            continue;
        }
        // A hyphen may precede a unit, as in "30-second", or separate two figures.
        let parts: Vec<&str> = bare.split(['-', '/']).collect();
        for (place, part) in parts.iter().enumerate() {
            let behind = parts.get(place + 1).copied().unwrap_or(next);
            found.extend(figure(part, behind));
        }
    }
    found
}

/// A text whose articles are figures where an entry counts one of a unit: "a minute" is "1 minute".
pub(super) fn counted(text: &str, entry: &str) -> String {
    let of_one = |figure: &Figure| (figure.number == "1").then_some(figure.unit).flatten();
    let units: BTreeSet<&str> = figures(entry).iter().filter_map(of_one).collect();
    let mut counted = String::with_capacity(text.len());
    let mut words = text.split_inclusive(char::is_whitespace).peekable();
    while let Some(word) = words.next() {
        let is_article = matches!(word.trim_end(), "a" | "an" | "A" | "An");
        let counts = is_article && words.peek().and_then(|next| unit_of(next)).is_some_and(|unit| units.contains(unit));
        counted.push_str(if counts { "1 " } else { word });
    }
    counted
}

/// The figure that a word begins with, after one letter or sign at most.
pub(super) fn figure(word: &str, next: &str) -> Option<Figure> {
    let body = word.trim_start_matches(['v', 'V', '$', '€', '£', '#', '+', '=', ':', '×', 'x']);
    if word.chars().count() - body.chars().count() > 2 {
        return None;
    }
    let (number, rest) = leading_number(body)?;
    Some(Figure { number, unit: unit_of(if rest.is_empty() { next } else { rest }) })
}

/// The units that a text mentions without a figure, if any: "in seconds".
pub(super) fn bare_units(text: &str) -> Option<BTreeSet<&'static str>> {
    let words: Vec<&str> = tokens(text).collect();
    let counted = |at: usize| at > 0 && words[at - 1].contains(|c: char| c.is_ascii_digit());
    // Short ones also have other meanings.
    let long = |at: &usize| words[*at].len() > 3 && !counted(*at);
    let units: BTreeSet<&str> = (0..words.len()).filter(long).filter_map(|at| unit_of(words[at])).collect();
    (!units.is_empty()).then_some(units)
}

/// Whether a text has a name as words of its own.
fn within(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let joined = |edge: Option<char>, own: Option<char>| edge.is_some_and(part) && own.is_some_and(part);
        !joined(before, name.chars().next()) && !joined(after, name.chars().next_back())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_figures_are_known_by_their_shape() {
        let named = Named::of(
            "- Run `cargo  sqlx prepare` with --offline in src/db, or set DATABASE_URL and/or `PGHOST`; see Cargo.toml, e.g. for UTC. NEVER by-hand",
        );
        assert_eq!(named.code.iter().collect::<Vec<_>>(), ["PGHOST", "cargo sqlx prepare"]);
        assert_eq!(named.shapes.iter().collect::<Vec<_>>(), ["--offline", "cargo.toml", "database_url", "src/db", "utc"]);
        assert!(named.soft.contains("by-hand"), "{named:?}");
        let named = Named::of("```sh\ndropdb app\n```");
        assert!(named.soft.is_empty() && named.shapes.is_empty(), "{named:?}");
        let figures = |text: &str| Named::of(text).figures.iter().map(told).collect::<Vec<_>>();
        for (text, expected) in [
            ("Wait 30 seconds, three times, on port 8080", &["3", "30 s", "8080"][..]),
            ("A 30-second limit of 10,000 rows or 5MB at 02:30", &["02:30", "10000", "30 s", "5 mb"]),
            ("Node v20 and sha256 of 3-5 files", &["20", "3", "5"]),
            ("On 2026-03-01 the deploy of v1.4.2 failed (#318)", &[]),
            ("1. Tag it\n2) Push 3 tags", &["3"]),
            ("Ask https://example.com/a?x=1&y=2 twice", &["2"]),
            ("Between 90% and 2.5 h", &["2.5 h", "90 %"]),
        ] {
            assert_eq!(figures(text), expected, "{text}");
        }
    }
}
