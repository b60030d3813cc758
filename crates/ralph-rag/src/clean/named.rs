//! Secrets revealed only by a name next to them: `password=…`, `const TOKEN: &str = "…"`, `<password>…</password>`, "the API token is …".
//!
//! Wherever a stem of such a name occurs, the whole name is read, then what joins it to a value ([`joint`]), then the value, which is
//! judged by the name and the joint. Each place is examined once and for a bounded number of bytes.

mod before;
mod cursor;
mod fields;
mod joint;
mod properties;
mod stems;

use super::found::Secret;
use super::{runs, value};
use crate::words::is_unspaced;
use joint::{Joined, Joint};
use ralph_core::secret::{Promise, is_key_variable, promise_of};
use std::ops::Range;
pub(super) use stems::stems;

/// Id of the rule.
pub(super) const ID: &str = "assigned-secret";
/// Bytes of a name on either side of its stem.
const NAME_BYTES: usize = 60;
/// Bytes of a value.
const VALUE_BYTES: usize = 512;
/// Bytes before a name in which its user can appear.
const PAIR_BYTES: usize = 120;
/// Bytes before a row in which its header can stand.
const LIST_BYTES: usize = 1_024;
/// Words in names of keys that refer to something but open nothing.
const KEYS_OF_PLACES: &[&str] =
    &["CACHE", "IDEMPOTENCY", "PRIMARY", "FOREIGN", "PARTITION", "SORT", "OBJECT", "RESTORE", "BUILD", "CONTENT"];

/// Adds secrets next to names. `stems` are the places of [`stems`], in order.
pub(super) fn search(text: &str, stems: &[Range<usize>], rank: usize, secrets: &mut Vec<Secret>) {
    let mut searched = 0;
    for stem in stems {
        if stem.start < searched {
            continue;
        }
        let name = name_around(text, stem);
        searched = name.end;
        let Some(range) = secret_after(text, &name).or_else(|| before::secret_before(text, &name)) else { continue };
        searched = searched.max(range.end);
        secrets.push(Secret { range, rule: ID, rank });
    }
}

/// Whether a stem begins `passed` or `passing`: what tests say on each of their lines, and never the name of a secret.
pub(super) fn is_verdict(text: &str, stem: &Range<usize>) -> bool {
    let says = |word: &[u8]| ["passed", "passing"].iter().any(|verdict| word.eq_ignore_ascii_case(verdict.as_bytes()));
    let ends = |length: usize| text.as_bytes().get(stem.start..stem.start + length);
    ends(6).is_some_and(says) || ends(7).is_some_and(says)
}

/// The whole name around a stem.
fn name_around(text: &str, stem: &Range<usize>) -> Range<usize> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    // Scripts without blanks between words, or with signs beside letters: the stem is the whole word.
    if text[stem.start..].starts_with(|c: char| c >= '\u{900}') {
        return stem.clone();
    }
    let left = text.floor_char_boundary(stem.start.saturating_sub(NAME_BYTES));
    let start = text[left..stem.start].char_indices().rev().take_while(|(_, c)| is_name(*c)).last().map_or(stem.start, |(at, _)| left + at);
    let right = text.ceil_char_boundary((stem.end + NAME_BYTES).min(text.len()));
    let rest = &text[stem.end..right];
    let end = stem.end + rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
    let end = start + text[start..end].trim_end_matches(['.', '-']).len();
    start..end.max(stem.end)
}

/// The secret that follows a name, if any.
fn secret_after(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let words = &text[name.clone()];
    let qualified = qualified(text, name);
    let pair = names_a_pair(text, name);
    let promise = match promise_of(qualified) {
        None if pair => Promise::Password,
        None if is_key_of_a_cipher(words) => Promise::Handle,
        promise => promise?,
    };
    let joined = joint::joint(text, name)?;
    let (range, quoted) = value_at(text, &joined)?;
    let (range, promise) = match pair.then(|| user_and_password(text, &range)).flatten() {
        Some(password) => (password, Promise::Password),
        None if pair && promise_of(qualified).is_none() => return None,
        None => (range, promise),
    };
    let place = NamedValue { text, name: words, promise, joint: joined.joint, quoted, start: range.start };
    let told = &text[range.clone()];
    let kept = told.trim_end_matches("]]>").trim_end_matches(['.', ',', ':', ';', '!', '?', '*', ')']);
    let whole = if quoted { told } else { kept };
    if !place.holds_a_secret(whole, &text[range.end..]) {
        return None;
    }
    // A value too long to be examined completely is taken completely.
    let rest = if range.len() >= VALUE_BYTES - 4 { rest_of_value(&text[range.end..], quoted, joined.joint == Joint::Markup) } else { 0 };
    Some(range.start..if rest > 0 { range.end + rest } else { range.start + whole.len() })
}

/// A name with its preceding word: `API key`, `access token` in a sentence.
fn qualified<'t>(text: &'t str, name: &Range<usize>) -> &'t str {
    let left = text.floor_char_boundary(name.start.saturating_sub(NAME_BYTES / 2));
    let before = &text[left..name.start];
    let Some(words) = before.strip_suffix([' ', '-']) else { return &text[name.clone()] };
    let start = words.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + words[at..].chars().next().map_or(1, char::len_utf8));
    // `mot de passe` needs both words.
    let start = if &words[start..] == "de" { words.trim_end_matches("de").trim_end().rfind(' ').map_or(0, |at| at + 1) } else { start };
    if start < words.len() { &text[left + start..name.end] } else { &text[name.clone()] }
}

/// Whether a name announces a user and a password: `credentials`, `login`, `user/pass`.
fn names_a_pair(text: &str, name: &Range<usize>) -> bool {
    let words = text[name.clone()].to_ascii_lowercase();
    let trimmed = text[..name.start].trim_end_matches([' ', '/', ':', '&', '+', '_']);
    let before = trimmed.strip_suffix(" and").unwrap_or(trimmed);
    let after_user = before.len() < name.start
        && ["user", "username", "login", "email"]
            .iter()
            .any(|user| before.get(before.len().saturating_sub(user.len())..).is_some_and(|word| word.eq_ignore_ascii_case(user)));
    ["login", "logins", "credential", "credentials", "creds"].contains(&words.as_str())
        || (after_user && (trimmed.len() > before.len() || text[before.len()..name.start].contains(['/', ':', '&', '+'])))
}

/// The password of `bob:hunter2` or `bob / hunter2`.
fn user_and_password(text: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let value = &text[range.clone()];
    let is_user = |user: &str| !user.is_empty() && user.len() <= 40 && !user.contains(|c: char| c.is_whitespace() || c == '/');
    if let Some((user, password)) = value.split_once([':', '/'])
        && is_user(user)
        && !password.starts_with('/')
        && password.len() >= 4
    {
        return Some(range.end - password.len()..range.end);
    }
    let rest = &text[range.end..];
    let gap = rest.len() - rest.trim_start_matches(['"', '\'', '`', ' ']).len();
    let after = &rest[gap..];
    let sign = ["/ ", ": ", "with password ", "with ", "and "].iter().find(|sign| after.starts_with(**sign))?;
    let start = range.end + gap + sign.len();
    let start = start + (text[start..].len() - text[start..].trim_start_matches(['"', '\'', '`', ' ']).len());
    let end = start + bare(&text[start..], false);
    (gap <= 2 && is_user(value) && end - start >= 4).then_some(start..end)
}

/// The value that a joint leads to, and whether it is in quotes.
fn value_at(text: &str, joined: &Joined) -> Option<(Range<usize>, bool)> {
    let rest = &text[joined.end..];
    let escapes = rest.bytes().take_while(|b| *b == b'\\').count();
    let quote = rest[escapes..].bytes().next().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    if let Some(quote) = quote
        && escapes <= 7
    {
        let start = joined.end + escapes + 1;
        let bound = text.floor_char_boundary((start + VALUE_BYTES).min(text.len()));
        let inner = &text[start..bound];
        let is_longer = bound < text.len() && rest_of_value(inner, true, false) == inner.len();
        let length = end_of_quoted(inner.as_bytes(), quote, escapes).or(is_longer.then_some(inner.len()))?;
        return (length > 0).then_some((start..start + length, true));
    }
    if joined.joint.needs_quotes() {
        return None;
    }
    let mut length = bare(rest, joined.joint == Joint::Markup);
    if joined.joint == Joint::Told {
        // "パスワードは8文字以上": the sentence goes on right behind it.
        length = rest[..length].find(|c| is_unspaced(c) || is_korean(c)).unwrap_or(length);
    }
    (length > 0).then_some((joined.end..joined.end + length, false))
}

/// A syllable; endings stand right behind any word.
fn is_korean(c: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&c)
}

/// Bytes up to the closing quote, which has as many escapes as the opening one; the end of a line closes nothing.
fn end_of_quoted(inner: &[u8], quote: u8, escapes: usize) -> Option<usize> {
    let mut backslashes = 0;
    for (at, byte) in inner.iter().enumerate() {
        match byte {
            b'\n' => return None,
            b'\\' => backslashes += 1,
            _ if *byte == quote && (escapes > 0 || backslashes % 2 == 0) => return Some(at - if escapes > 0 { backslashes } else { 0 }),
            _ => backslashes = 0,
        }
    }
    None
}

/// Length in bytes of an unquoted value, as far as it is examined.
fn bare(rest: &str, markup: bool) -> usize {
    let bounded = &rest[..rest.floor_char_boundary(VALUE_BYTES.min(rest.len()))];
    let length = bounded.find(|c| ends_bare(c, markup)).unwrap_or(bounded.len());
    bounded[..length].trim_end().len()
}

fn ends_bare(c: char, markup: bool) -> bool {
    if markup {
        matches!(c, '<' | '\n')
    } else {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '`' | ',' | ';' | '<' | '>' | '(' | ')' | '{' | '}' | '[' | ']' | '|' | '\\' | '，' | '。' | '；')
    }
}

/// Bytes of a value after those that were examined. A quoted one may have lost its closing quote, so it ends at any quote, and at an escape
/// other than `\/` and `\u003d`: what follows a secret in JSON must stay JSON.
fn rest_of_value(rest: &str, quoted: bool, markup: bool) -> usize {
    if !quoted {
        return rest.find(|c| ends_bare(c, markup)).unwrap_or(rest.len());
    }
    let bytes = rest.as_bytes();
    let ends = |at: usize| match bytes[at] {
        b'"' | b'\'' | b'`' | b'\n' => true,
        b'\\' => !matches!(bytes.get(at + 1), Some(b'/' | b'u')),
        _ => false,
    };
    (0..bytes.len()).find(|at| ends(*at)).unwrap_or(bytes.len())
}

/// A value with its context.
struct NamedValue<'t> {
    text: &'t str,
    name: &'t str,
    promise: Promise,
    joint: Joint,
    quoted: bool,
    start: usize,
}

impl NamedValue<'_> {
    fn holds_a_secret(&self, told: &str, after: &str) -> bool {
        let plain = told.trim_end_matches(['.', ',', ':', ';', '!', '?']);
        // A following tag ends a value, as a quote does.
        let in_quotes = self.quoted || matches!(self.joint, Joint::Markup | Joint::Named);
        if plain.len() < 4 || value::is_placeholder(plain) || value::is_expression(plain, in_quotes, after) {
            return false;
        }
        match self.promise {
            Promise::Password => self.holds_a_password(plain, after),
            Promise::Token => self.holds_a_token(plain, after),
            Promise::Handle => {
                let joined = !matches!(self.joint, Joint::Told | Joint::Beside);
                let key = is_key_of_a_cipher(self.name) && value::is_hex_key(plain);
                joined && (key || value::is_long_and_random(plain) || runs::is_encoded_pair(plain))
            }
        }
    }

    fn holds_a_password(&self, told: &str, after: &str) -> bool {
        match self.joint {
            Joint::Assigned | Joint::Typed | Joint::Colon | Joint::Cell | Joint::Told | Joint::Option if value::is_jumbled(told) => true,
            // `NAME=value` as in an .env file or a shell: there it is the value itself.
            Joint::Assigned if is_environment_name(self.name) => told.len() >= 6 || (told.len() >= 4 && value::has_digit(told)),
            Joint::Assigned if told.len() >= 6 && told.bytes().all(|b| b.is_ascii_digit()) => true,
            Joint::Assigned if properties::is_set(self.name, &self.text[..self.start], told, after) => true,
            Joint::Assigned | Joint::Typed => value::is_password(told, self.quoted) || (self.stands_beside_a_user() && is_a_word(told)),
            // The same for a variable in YAML, whose value is the rest of its line.
            Joint::Colon if !self.quoted && is_environment_name(self.name) && ends_its_line(after) => {
                is_set_to_a_password(told) || value::is_told_password(told)
            }
            Joint::Markup => value::is_password(told, true),
            Joint::Compared | Joint::Called | Joint::Named => {
                value::is_password(told, true) && (value::has_digit(told) || self.joint == Joint::Named)
            }
            Joint::Colon | Joint::Cell => {
                (value::is_password(told, false) && (self.quoted || value::is_told_password(told)))
                    || (self.quoted && self.stands_beside_a_user() && is_a_word(told))
            }
            Joint::NextLine => value::is_told_password(told),
            Joint::Told => value::is_told_password(told),
            Joint::Option => value::is_password(told, self.quoted) || (told.len() >= 6 && value::has_digit(told)),
            Joint::Beside if self.is_listed(after) => true,
            Joint::Beside => (self.follows_a_login() && told.len() >= 4) || (self.is_being_set() && value::is_told_password(told)),
        }
    }

    fn holds_a_token(&self, told: &str, after: &str) -> bool {
        match self.joint {
            Joint::Assigned if is_environment_name(self.name) => told.len() >= 6 && !value::is_measure(told) && !is_a_setting(told),
            Joint::Assigned | Joint::Typed | Joint::Colon | Joint::Markup | Joint::Named | Joint::Option => {
                value::is_random(told) || (told.len() >= 16 && value::is_jumbled(told))
            }
            Joint::Compared | Joint::Called => value::is_random(told) && told.len() >= 12,
            Joint::Cell | Joint::Told => value::is_told_token(told),
            Joint::NextLine => value::is_told_token(told) && told.len() >= 12,
            Joint::Beside => value::is_long_and_random(told) || (value::is_random(told) && self.is_listed(after)),
        }
    }

    fn is_listed(&self, after: &str) -> bool {
        let from = self.text.floor_char_boundary(self.start.saturating_sub(LIST_BYTES));
        fields::are_a_row(&self.text[from..self.start], self.name, after)
    }

    /// Whether a user is named shortly before: then a plain word counts as a password too.
    fn stands_beside_a_user(&self) -> bool {
        let from = self.text.floor_char_boundary(self.start.saturating_sub(PAIR_BYTES));
        let before = self.text[from..self.start].to_ascii_lowercase();
        let line = before.rsplit('\n').next().unwrap_or_default();
        ["user", "uid", "login", "email"].iter().any(|word| {
            line.match_indices(word).any(|(at, _)| {
                let rest = line[at + word.len()..]
                    .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '"' | '\\' | '\'' | ' '));
                rest.starts_with(['=', ':'])
            })
        })
    }

    /// `setx NAME value`, `requirepass value`: a command or a line that sets it.
    fn is_being_set(&self) -> bool {
        let from = self.text.floor_char_boundary(self.start.saturating_sub(PAIR_BYTES));
        let mut words = self.text[from..self.start].split_whitespace().rev();
        // In JSON the first word of a text follows a quote.
        let mut word = || words.next().and_then(|word| word.rsplit(['"', '\'', '`', '(']).next()).unwrap_or_default();
        let (name, before) = (word(), word());
        ["requirepass", "masterauth"].contains(&name)
            || (is_environment_name(name) && ["setx", "setenv", "set", "-x", "-gx"].contains(&before))
    }

    /// `machine … login … password …`, as in netrc files.
    fn follows_a_login(&self) -> bool {
        let from = self.text.floor_char_boundary(self.start.saturating_sub(PAIR_BYTES));
        let mut words = self.text[from..self.start].split_whitespace().rev();
        words.next().is_some_and(|word| word == "password") && words.nth(1).is_some_and(|word| word == "login")
    }
}

/// One plain word that is not part of a sentence, a type or a placeholder.
fn is_a_word(told: &str) -> bool {
    told.len() >= 6 && told.bytes().all(|b| b.is_ascii_lowercase()) && !value::is_placeholder(told)
}

/// `DEPLOYER_KEY`: its value can be the key of a cipher.
fn is_key_of_a_cipher(name: &str) -> bool {
    is_environment_name(name) && is_key_variable(name) && !name.split('_').any(|word| KEYS_OF_PLACES.contains(&word))
}

/// An unquoted password in configuration, not a word of a sentence or of code.
fn is_set_to_a_password(told: &str) -> bool {
    (told.len() >= 4 && value::has_digit(told)) || (told.len() >= 6 && !told.bytes().any(|byte| byte.is_ascii_uppercase()))
}

/// Whether nothing but a comment follows on the line, which in JSON ends escaped or at a quote.
fn ends_its_line(after: &str) -> bool {
    let rest = after.trim_start_matches([' ', '\t']);
    rest.is_empty() || rest.starts_with(['\n', '\r', '\\', '"']) || (rest.len() < after.len() && rest.starts_with('#'))
}

/// The value of a switch.
fn is_a_setting(told: &str) -> bool {
    ["enabled", "disabled", "default", "required", "optional", "unlimited"].contains(&told.to_ascii_lowercase().as_str())
}

/// `LIKE_THIS`: the name of an environment variable.
fn is_environment_name(name: &str) -> bool {
    name.len() >= 5 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}
