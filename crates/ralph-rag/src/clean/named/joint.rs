//! What joins a name to its value, in the notations of configuration, code, markup and sentences.

use super::cursor::{is_blank, line_end, past, skip, window};
use super::fields::{block, field, value_field};
use super::stems::FOREIGN_STEMS;
use crate::clean::value;
use std::ops::Range;

/// How a name is joined to a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Joint {
    /// `=`, `:=`, `=>`, `->`, `<-`.
    Assigned,
    /// `: &str =`, `string =`: a declaration with a type, and the value in quotes.
    Typed,
    /// `==`, `!=`: the value in quotes.
    Compared,
    /// `:`, `：`.
    Colon,
    /// A label whose value is the next line.
    NextLine,
    /// `(` or `,` after it: an argument in quotes.
    Called,
    /// `<name>`, or the string after a key of a property list.
    Markup,
    /// A separate field holds the value: `name: X, value: …`.
    Named,
    /// `|`: the next cell of a row.
    Cell,
    /// A blank after an option.
    Option,
    /// "is", "lautet", "是": a sentence.
    Told,
    /// Nothing but a blank.
    Beside,
}

impl Joint {
    /// Whether a value counts only in quotes.
    pub(super) fn needs_quotes(self) -> bool {
        matches!(self, Joint::Typed | Joint::Compared | Joint::Called)
    }
}

/// A joint, and where the value begins.
pub(super) struct Joined {
    pub(super) joint: Joint,
    pub(super) end: usize,
}

/// Words before a value that identify it as the value.
const COPULAS: &[&str] = &[
    "is",
    "was",
    "are",
    "be",
    "being",
    "equals",
    "became",
    "becomes",
    "reads",
    "ist",
    "lautet",
    "war",
    "est",
    "sont",
    "es",
    "son",
    "é",
    "è",
    "era",
    "são",
    "är",
    "er",
    "jest",
    "to:",
    "this:",
    "following:",
    "=",
];
/// The same in languages whose words mean something else in English.
const FOREIGN_COPULAS: &[&str] = &["to", "je", "on", "là", "είναι", "هي", "هو", "היא", "הוא", "है", "คือ", "adalah", "—", "–", "-"];
/// What may be between the copula and the value.
const ADVERBS: &[&str] = &[
    "now",
    "still",
    "currently",
    "always",
    "just",
    "simply",
    "probably",
    "actually",
    "jetzt",
    "aktuell",
    "set",
    "to",
    "as",
    "only",
    "literally",
    "called",
];
/// Words that begin a location: "password for the staging database is …".
const PREPOSITIONS: &[&str] = &[
    "for", "of", "on", "to", "in", "at", "with", "by", "from", "used", "i", "we", "you", "von", "für", "auf", "zu", "zum", "der", "des",
    "de", "du", "pour", "para", "del", "do", "da", "per", "di", "till", "för",
];
/// Types in a declaration between its name and `=`.
const TYPES: &[&str] = &["string", "str", "String", "char", "text", "TEXT", "varchar", "[]byte", "auto", "var", "std::string"];
/// Words of a location; a longer sentence is about something else.
const PLACE_WORDS: usize = 6;
/// Copulas without a blank before them.
const JOINED_COPULAS: &[&str] = &["是", "为", "為", "は", "는", "은", "이", "คือ"];

/// What joins the name to a value, if anything.
pub(super) fn joint(text: &str, name: &Range<usize>) -> Option<Joined> {
    let bytes = text.as_bytes();
    // `<password` or `<ns:password`.
    let before = &text[text.floor_char_boundary(name.start.saturating_sub(40))..name.start];
    let in_tag = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == ':').ends_with('<') && before.ends_with(['<', ':']);
    let indexed = skip(bytes, name.end, 6, |b| matches!(b, b'[' | b']') || b.is_ascii_digit());
    let opened = if bytes.get(name.end) == Some(&b'[') && bytes[indexed - 1] == b']' { indexed } else { name.end };
    let closed = skip(bytes, opened, 8, |b| matches!(b, b'"' | b'\'' | b'`' | b']' | b')' | b'*' | b'_' | b'\\'));
    let quoted = text[name.end..closed].contains(['"', '\'']);
    if in_tag {
        return tag(text, closed);
    }
    if let Some(end) = field(text, name, closed) {
        return Some(Joined { joint: Joint::Named, end });
    }
    if let Some(end) = block(text, closed) {
        return Some(Joined { joint: Joint::Colon, end });
    }
    // As many as align a column.
    let at = skip(bytes, closed, 24, is_blank);
    let rest = &text[at..];
    if let Some(joined) = sign(text, at, quoted, at == closed) {
        return Some(joined);
    }
    if rest.starts_with('|') && !rest.starts_with("||") {
        return Some(Joined { joint: Joint::Cell, end: past(bytes, at + 1, |b| is_blank(b) || matches!(b, b'*' | b'`')) });
    }
    if let Some(copula) = JOINED_COPULAS.iter().find(|copula| rest.starts_with(**copula)) {
        return Some(Joined { joint: Joint::Told, end: past(bytes, at + copula.len(), is_opener) });
    }
    if at == closed {
        return None;
    }
    if text[name.clone()].starts_with('-') {
        return Some(Joined { joint: Joint::Option, end: at });
    }
    told(text, at, is_foreign(&text[name.clone()]))
}

/// The operators of code and configuration.
fn sign(text: &str, at: usize, quoted: bool, close: bool) -> Option<Joined> {
    let bytes = text.as_bytes();
    let rest = &text[at..];
    let after = |length: usize| {
        let end = skip(bytes, at + length, 8, is_blank);
        wrapped(text, end)
    };
    for (sign, joint) in [
        ("===", Joint::Compared),
        ("!==", Joint::Compared),
        ("==", Joint::Compared),
        ("!=", Joint::Compared),
        ("=>", Joint::Assigned),
        ("=&gt;", Joint::Assigned),
        ("::=", Joint::Assigned),
        (":=", Joint::Assigned),
        ("??=", Joint::Assigned),
        ("||=", Joint::Assigned),
        // What stands in for a variable that is not set.
        ("??", Joint::Compared),
        ("||", Joint::Compared),
        ("?=", Joint::Assigned),
        ("+=", Joint::Assigned),
        ("->", Joint::Assigned),
        ("<-", Joint::Assigned),
        ("<<-", Joint::Assigned),
        ("→", Joint::Assigned),
        ("＝", Joint::Assigned),
        ("\\u003d", Joint::Assigned),
        ("%3D", Joint::Assigned),
        ("=", Joint::Assigned),
        ("：", Joint::Colon),
    ] {
        if rest.starts_with(sign) {
            return Some(Joined { joint, end: after(sign.len()) });
        }
    }
    if rest.starts_with(':') && !rest.starts_with("::") {
        return Some(typed(text, at + 1).unwrap_or_else(|| colon(text, at)));
    }
    if (close && rest.starts_with('(')) || (quoted && rest.starts_with(',')) {
        let end = skip(bytes, at + 1, 4, is_blank);
        return Some(Joined { joint: Joint::Called, end: wrapped(text, end) });
    }
    let word = window(text, at, 24).split(|c: char| is_blank_char(c) || c == '=').next().unwrap_or_default();
    let then = skip(bytes, at + word.len(), 2, is_blank);
    let declares = TYPES.contains(&word) && (text[then..].starts_with('=') || text[then..].starts_with(":="));
    declares.then(|| Joined { joint: Joint::Typed, end: wrapped(text, skip(bytes, then, 4, |b| is_blank(b) || matches!(b, b'=' | b':'))) })
}

/// After a colon: the value or, at the end of the line, the next line with content.
fn colon(text: &str, at: usize) -> Joined {
    let bytes = text.as_bytes();
    let end = skip(bytes, at + 1, 8, |b| is_blank(b) || matches!(b, b'*' | b'_'));
    let block = skip(bytes, end, 2, |b| matches!(b, b'|' | b'>' | b'-' | b'+'));
    let ended = skip(bytes, block, 2, |b| b == b' ');
    let mut next = line_end(bytes, ended);
    if next == ended {
        return Joined { joint: Joint::Colon, end: wrapped(text, past_properties(text, end)) };
    }
    next = line_end(bytes, skip(bytes, next, 4, is_blank));
    next = skip(bytes, next, 24, |b| is_blank(b) || matches!(b, b'`' | b'>'));
    let line = window(text, next, 520).split(['\n', '\\']).next().unwrap_or_default();
    // A line of several words is a list or a sentence.
    let alone = !line.trim_end().contains(' ');
    Joined { joint: Joint::NextLine, end: if alone { next } else { text.len() } }
}

/// The properties of a YAML value before it: an anchor, `&db`, or a tag, `!!str`. With a digit it may be the value.
fn past_properties(text: &str, at: usize) -> usize {
    let word = window(text, at, 40).split(is_blank_char).next().unwrap_or_default();
    let name = word.trim_start_matches('!').trim_start_matches('&');
    let is_property =
        !name.is_empty() && name.len() < word.len() && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-');
    let next = skip(text.as_bytes(), at + word.len(), 4, is_blank);
    if is_property && next > at + word.len() { next } else { at }
}

/// `: &'static str = "…"`: where the value begins.
fn typed(text: &str, at: usize) -> Option<Joined> {
    let bytes = text.as_bytes();
    let end = skip(bytes, at, 48, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b' ' | b'&' | b'\'' | b'<' | b'>' | b'[' | b']' | b'_' | b'?' | b'|' | b':' | b';' | b'*')
    });
    let is_assigned = bytes.get(end) == Some(&b'=') && !matches!(bytes.get(end + 1), Some(b'=' | b'>'));
    if !is_assigned || text[at..end].trim().is_empty() {
        return None;
    }
    let value = wrapped(text, skip(bytes, end + 1, 4, is_blank));
    matches!(bytes.get(value), Some(b'"' | b'\'' | b'`' | b'\\')).then_some(Joined { joint: Joint::Typed, end: value })
}

/// Skips what only wraps a string: a prefix such as `b` or `r#`, a constructor.
fn wrapped(text: &str, at: usize) -> usize {
    const WRAPPERS: &[&str] = &[
        "String::from(",
        "Some(",
        "SecretString::from(",
        "SecretString::new(",
        "Secret::new(",
        "new String(",
        "str(",
        "bytes(",
        "b",
        "r",
        "f",
        "u",
        "N",
        "@",
        "$",
        "L",
        "[",
        "(",
        "&",
    ];
    let rest = &text[at..];
    let wrapper = WRAPPERS
        .iter()
        .find(|wrapper| rest.strip_prefix(**wrapper).is_some_and(|rest| rest.trim_start_matches('\\').starts_with(['"', '\''])));
    at + wrapper.map_or(0, |wrapper| wrapper.len())
}

/// `<password>` and `<password kind="x">`: the content. A key of a property list: its string.
fn tag(text: &str, at: usize) -> Option<Joined> {
    let bounded = window(text, at, 160);
    let close = bounded.find(['>', '<', '\n']).filter(|close| bounded.as_bytes()[*close] == b'>')?;
    if bounded[..close].ends_with('/') {
        return value_field(text, at, 120).map(|end| Joined { joint: Joint::Named, end });
    }
    let end = past(text.as_bytes(), at + close + 1, is_blank);
    let cdata = if text[end..].starts_with("<![CDATA[") { 9 } else { 0 };
    Some(Joined { joint: Joint::Markup, end: end + cdata })
}

/// The words of a sentence after a name. In `foreign` languages not all words that lead to a value are known: there a word that can be
/// nothing else is one.
fn told(text: &str, at: usize, foreign: bool) -> Option<Joined> {
    let bytes = text.as_bytes();
    let mut here = at;
    let mut first = true;
    // A parenthesis with details: `password (root): …`.
    if text[here..].starts_with(['(', '[']) {
        here = skip(bytes, here + window(text, here, 40).find([')', ']'])? + 1, 2, is_blank);
        if matches!(bytes.get(here), Some(b':' | b'=')) {
            return Some(Joined { joint: Joint::Colon, end: skip(bytes, here + 1, 4, is_opener) });
        }
        first = false;
    }
    for _ in 0..PLACE_WORDS {
        let word = window(text, here, 48).split(is_blank_char).next().unwrap_or_default();
        let lower = word.to_lowercase();
        if word.is_empty() {
            return None;
        }
        let next = skip(bytes, here + word.len(), 3, is_blank);
        if COPULAS.contains(&lower.trim_end_matches(',')) || foreign && FOREIGN_COPULAS.contains(&lower.as_str()) {
            return Some(Joined { joint: Joint::Told, end: value_of_sentence(text, next) });
        }
        if (!first || foreign)
            && word.len() > 1
            && (word.ends_with(':') || word.ends_with('：') || text[next..].starts_with("= ") || text[next..].starts_with(": "))
        {
            let end = if word.ends_with([':', '：']) { next } else { next + 2 };
            return Some(Joined { joint: Joint::Told, end: past(bytes, end, is_opener) });
        }
        if foreign && is_unmistakable(word) {
            return Some(Joined { joint: Joint::Told, end: here });
        }
        let set = || ["set", "chang", "reset", "updat", "rotat"].iter().any(|verb| before(text, at).contains(verb));
        if first && lower == "to" && set() {
            return Some(Joined { joint: Joint::Told, end: value_of_sentence(text, next) });
        }
        if first && !foreign && !PREPOSITIONS.contains(&lower.as_str()) {
            return Some(Joined { joint: Joint::Beside, end: at });
        }
        if word.ends_with(['.', ',', ';', '!', '?', ')']) || word.contains('\n') || next == here + word.len() {
            return None;
        }
        (here, first) = (next, false);
    }
    None
}

/// Whether a name is one of another language than English.
fn is_foreign(name: &str) -> bool {
    let name = name.to_lowercase();
    FOREIGN_STEMS.iter().any(|stem| name.contains(stem))
}

/// Whether a word looks made up as no word, name or measure does.
fn is_unmistakable(word: &str) -> bool {
    let value = value::said(word.trim_matches(['"', '\'', '`', '*']));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    digits >= 2 && value::is_told_password(value) && value::is_told_token(value) && !value::is_public_form(value) && !value::is_path(value)
}

/// The few words before an offset.
fn before(text: &str, at: usize) -> &str {
    &text[text.floor_char_boundary(at.saturating_sub(48))..at]
}

/// Skips adverbs and marks between a copula and the value.
fn value_of_sentence(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut here = at;
    for _ in 0..3 {
        let word = window(text, here, 24).split(is_blank_char).next().unwrap_or_default();
        if !ADVERBS.contains(&word.trim_end_matches(':')) || word.is_empty() {
            break;
        }
        here = skip(bytes, here + word.len(), 3, is_blank);
    }
    past(bytes, here, is_opener)
}

fn is_opener(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b':' | b'*' | b'(')
}

fn is_blank_char(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}
