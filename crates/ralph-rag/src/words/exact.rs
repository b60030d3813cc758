//! What a text says exactly: the case of names in code, the signs of code, and whether a kilobyte has 1,000 bytes or 1,024.
//!
//! Words are compared in lower case and without the signs around them. So "`userId`" and "`userID`" are one word, and so are "`ready`" and
//! "`!ready`"; no rule can tell whether they mean the same.

use super::quantity::is_of_bytes;
use super::{Quantity, Token, TokenKind, unit_of};
use std::ops::Range;

/// Signs of code that are alone between two words and are not words themselves.
const LONE: [&str; 6] = ["||", "&&", "|", "<<", ">>", "??"];
/// Key for the signs of a text, which no word has.
const SIGNS: &str = " ";

/// How a text spells something.
#[derive(Debug, Clone)]
pub(super) struct Form {
    /// What is spelled, as far as words can express it.
    key: String,
    /// How.
    form: String,
    /// Whether the case of its first letter counts. Outside of code it may begin a sentence.
    whole: bool,
}

impl Form {
    fn differs(&self, other: &Form) -> bool {
        let tail = |form: &Form| form.form.chars().skip(1).collect::<String>();
        if self.whole && other.whole { self.form != other.form } else { tail(self) != tail(other) }
    }
}

/// How a text spells words whose meaning depends on their spelling.
pub(super) fn forms(text: &str, tokens: &[Token]) -> Vec<Form> {
    let code = code(text);
    let signs = Form { key: SIGNS.to_owned(), form: signs(text), whole: true };
    let mut forms = vec![signs];
    forms.extend(code.iter().map(|range| of_code(&text[range.clone()])));
    for (at, token) in tokens.iter().enumerate() {
        let is_code = code.iter().any(|range| range.contains(&token.range.start));
        let unit = tokens.get(at + 1).filter(|_| token.kind == TokenKind::Number);
        let share = unit.is_some_and(|unit| unit_of(&unit.lower) == Some("%"));
        forms.extend(of_word(token, share, &text[token.range.clone()], is_code));
        forms.extend(unit.and_then(|unit| of_bytes(token, unit, text)));
    }
    forms
}

/// What two texts spell in different ways, as each first does.
pub(super) fn differing(one: &[Form], other: &[Form]) -> Option<(String, String)> {
    let first = |forms: &'_ [Form], key: &str| forms.iter().position(|form| form.key == key);
    one.iter().enumerate().filter(|(at, form)| first(one, &form.key) == Some(*at)).find_map(|(_, form)| {
        let there = &other[first(other, &form.key)?];
        form.differs(there).then(|| (form.form.clone(), there.form.clone()))
    })
}

/// Pieces of code that only one of two texts has, one of them with additional words that the other text doesn't contain: an option, "NOT".
/// `one_says` and `other_says` tell whether a text has a word.
pub(super) fn extended(
    (one, one_says): (&[Form], impl Fn(&str) -> bool),
    (other, other_says): (&[Form], impl Fn(&str) -> bool),
) -> Option<(String, String)> {
    let alone = |here: &'_ [Form], there: &[Form]| -> Vec<String> {
        let pieces = here.iter().filter(|form| !there.iter().any(|same| same.key == form.key));
        pieces.filter_map(|form| form.key.strip_prefix('`')).map(str::to_owned).collect()
    };
    let extends = |more: &str, less: &str, said: &dyn Fn(&str) -> bool| {
        let has = |word: &str| more.split(' ').any(|same| same == word);
        !less.is_empty() && less.split(' ').all(has) && !more.split(' ').all(said)
    };
    let there = alone(other, one);
    alone(one, other).into_iter().find_map(|mine| {
        let theirs = there.iter().find(|theirs| extends(&mine, theirs, &other_says) || extends(theirs, &mine, &one_says))?;
        Some((mine, theirs.clone()))
    })
}

/// The parts of a text in backticks; an unclosed one does not count.
fn code(text: &str) -> Vec<Range<usize>> {
    let ticks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    ticks.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]).filter(|range| !range.is_empty()).collect()
}

/// A piece of code: its words, and the signs before, between and after them. A call may be given by its name alone, a folder without the
/// slash.
fn of_code(code: &str) -> Form {
    let words: Vec<String> = super::tokens(code).into_iter().map(|token| token.lower.trim_end_matches('/').to_owned()).collect();
    let closing = |c: char| matches!(c, ';' | ',' | '.' | ':') || c.is_whitespace() || words.len() == 1 && c == '/';
    let mut form = String::new();
    for c in code.trim_end_matches(closing).trim_start().replace("()", "").chars() {
        let is_of_word = c.is_alphanumeric() || c == '_' || c.is_whitespace();
        if !is_of_word {
            form.push(c);
        } else if !form.ends_with(' ') {
            form.push(' ');
        }
    }
    Form { key: format!("`{}", words.join(" ")), form, whole: true }
}

/// A word whose case says something: one of code, or one with the shape of a name in code. "^18" is a different version from 18, and 5 %
/// are another number than 5.
fn of_word(token: &Token, is_share: bool, raw: &str, is_code: bool) -> Option<Form> {
    let form = |key: &str, form: &str, whole| Some(Form { key: key.to_owned(), form: form.to_owned(), whole });
    if token.kind == TokenKind::Number {
        return form(&token.lower, if is_share { "%" } else { "" }, true);
    }
    if let Some(number) = token.lower.strip_prefix('^').and_then(Quantity::read) {
        return form(&number.number, "^", true);
    }
    let is_exact = is_code || token.kind == TokenKind::Exact && has_the_shape_of_code(raw);
    if is_exact && raw.to_lowercase() == token.lower { form(&token.lower, raw, is_code) } else { None }
}

/// An option, or several words in one: "-v", "snake_case", "camelCase", "src/Main", but not an abbreviation such as "I/O".
fn has_the_shape_of_code(raw: &str) -> bool {
    let is_camel = raw.chars().zip(raw.chars().skip(1)).any(|(c, next)| c.is_lowercase() && next.is_uppercase());
    raw.starts_with('-') || raw.contains('_') || is_camel || raw.contains('/') && raw.contains(char::is_lowercase)
}

/// A number of bytes, by 1,024 as in "KiB", or of bits as in "Kb"; "kb" is any of them.
fn of_bytes(number: &Token, unit: &Token, text: &str) -> Option<Form> {
    let name = unit_of(&unit.lower).filter(|name| is_of_bytes(name))?;
    let said = text.get(number.range.start..unit.range.end)?;
    let written = &said[said.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1)..];
    let form = match written.as_bytes() {
        [_, b'i', b'b' | b'B'] => "by 1024",
        [b'K' | b'M' | b'G' | b'T', b'b'] => "bits",
        _ => "",
    };
    let counts_one_by_one = written.starts_with("byte");
    (!counts_one_by_one).then(|| Form { key: format!("{} {name}", number.lower), form: form.to_owned(), whole: true })
}

/// The signs of code among the words of a text, whether or not in backticks: those that are alone, those that negate a condition, and the
/// brackets of a half-open range.
fn signs(text: &str) -> String {
    let bare = text.replace('`', " ");
    let is_split = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
    let mut signs: Vec<String> = bare.split(is_split).filter(|word| LONE.contains(word)).map(str::to_owned).collect();
    let (mut before, mut open) = (' ', Vec::new());
    let mut chars = bare.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('!', Some(next)) if !before.is_alphanumeric() && (next.is_alphanumeric() || "(_*./[".contains(*next)) => {
                signs.push("!".to_owned());
            }
            ('(' | '[', _) => open.push(c),
            (')' | ']', _) => {
                let range = open.pop().filter(|open| (*open == '(') != (c == ')'));
                signs.extend(range.map(|open| format!("{open}{c}")));
            }
            _ => {}
        }
        before = c;
    }
    signs.sort_unstable();
    signs.join(" ")
}

#[cfg(test)]
mod tests {
    use crate::words::Words;

    #[test]
    fn what_is_exact_differs_by_its_case_and_by_its_signs() {
        let differ = |a: &str, b: &str| {
            let (a, b) = (Words::of(a), Words::of(b));
            let found = a.spelled_otherwise(&b);
            assert_eq!(found, b.spelled_otherwise(&a).map(|(one, other)| (other, one)), "symmetric");
            found.is_some()
        };
        for (a, b, expected) in [
            ("The guard is `if (!ready)`", "The guard is `if (ready)`", true),
            ("The guard is `if (!ready)`", "The guard is if (ready)", true),
            ("The guard is `if(!ready)`", "The guard is `if (!ready)`", false),
            ("It checks `a && b`", "It checks `a || b`", true),
            ("The mask is a << 2", "The mask is a >> 2", true),
            ("Ranges are [start, end)", "Ranges are [start, end]", true),
            ("Ranges are `(start, end)`", "Ranges are `[start, end]`", true),
            ("Match *.ts and !*.d.ts", "Match *.ts and *.d.ts", true),
            ("Pass `...args`", "Pass `args`", true),
            ("Run `rsync src/ dst`", "Run `rsync src dst`", true),
            ("Seeds are in `seeds/`", "Seeds are in `seeds`", false),
            ("Call `flush()` first;", "Call `flush` first", false),
            ("It takes `60s`", "It takes `1 minute`", false),
            ("Import `Config`", "Import `config`", true),
            ("Import `Config`, never `config`", "Import `config`, never `Config`", true),
            ("Run `tar -C out -x`", "Run `tar -c out`", true),
            ("Run grep with -e", "Run grep with -E", true),
            ("UserId is the field", "The field is userId", false),
            ("The field is userID", "The field is userId", true),
            ("Set DATABASE_URL", "Set database_url", true),
            ("Run CI on GitHub over TCP/IP", "Run ci on github over tcp/ip", false),
            ("It needs Node ^18", "It needs Node ~18", true),
            ("It needs Node 18", "It needs Node ~18", false),
            ("It is 5 % of the total", "It is 5 of the total", true),
            ("It is 5 % of the total", "It is five percent of the total", false),
            ("At most 5 MB", "At most 5 MiB", true),
            ("At most 5GiB", "At most 5GB", true),
            ("At most 512 KB", "At most 512 Kb", true),
            ("At most 5 MB", "At most 5,120 kb", false),
            ("At most 1 KiB", "At most 1024 bytes", false),
            ("At 100 MB/s", "At 100 Mb/s", true),
            ("It is real !", "It is real", false),
            ("Start it with `docker compose up -d`", "Start it with `docker compose up`", true),
            ("The column is `NOT NULL`", "The column is `NULL`", true),
            ("The filter is `status = 1 AND owner = 2`", "The filter is `status = 1`", true),
            ("Run `cargo test --release`", "Run `cargo test` with `--release`", false),
            ("Run `cargo test`, or `cargo test -p store`", "Run `cargo test -p store`", false),
            ("Run `cargo test`", "Run the tests", false),
        ] {
            assert_eq!(differ(a, b), expected, "{a} | {b}");
        }
    }
}
