//! Finds secrets and replaces them by marks.

use super::found::{Secret, SecretCandidate};
use super::rules::{RULES, Rule};
use super::{hidden, inserts, manifests, named, private_key, runs, tables, unwanted};
use memchr::memmem;
use regex::Regex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes before a keyword in which its pattern may begin: the longest form has 90 characters before its keyword.
const WINDOW_BEFORE: usize = 256;
/// Bytes after a keyword in which its pattern may end; a longer word is followed to its end.
const WINDOW_AFTER: usize = 512;
/// Maximum length of a rejected match whose range is searched again: bounds the work on hostile text.
const MAX_SEARCHED_AGAIN: usize = 128;
/// Letters and digits next to marks that can still be a secret.
const SMALLEST_REMAINDER: usize = 6;
/// Rounds of searching again after a redaction, until nothing is found.
const MAX_ROUNDS: usize = 4;

/// Compiles the rules, unless that was done: else the first text does, and takes some milliseconds.
pub fn compile() {
    LazyLock::force(&RULES);
}

/// Common prefix of all marks.
const MARK_START: &str = "[redacted:";
static MARK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[redacted:([a-z0-9-]{1,60})\]").expect("a constant pattern"));

/// Replaces every secret in `text` by `[redacted:rule-id]` and returns how many there were. For texts that are shown or stored
/// verbatim, such as transcripts and prompts; nothing else changes, and JSON stays valid.
///
/// Measured in a release build on one core: 2 ms per MB where no keyword occurs, 9 ms on JSON transcripts, 3 to 4 ms on source code
/// and Markdown, some hundred on text that consists only of secrets.
pub fn redact(text: &str) -> (String, usize) {
    let (redacted, rules) = redact_all(text);
    (redacted, rules.len())
}

/// A text without the marks that replace secrets, for reading its words.
pub fn without_marks(text: &str) -> std::borrow::Cow<'_, str> {
    MARK.replace_all(text, " ")
}

/// As [`redact`], with the ids of the rules in text order.
pub(super) fn redact_all(text: &str) -> (String, Vec<&'static str>) {
    let mut text = text.to_owned();
    let mut rules = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let secrets = find_with_hidden(&text);
        if secrets.is_empty() {
            break;
        }
        let mut redacted = String::with_capacity(text.len());
        let mut kept = 0;
        for secret in secrets {
            redacted.push_str(&text[kept..secret.range.start]);
            redacted.push_str(MARK_START);
            redacted.push_str(secret.rule);
            redacted.push(']');
            kept = secret.range.end;
            rules.push(secret.rule);
        }
        redacted.push_str(&text[kept..]);
        text = redacted;
    }
    (text, rules)
}

/// Ranges of marks of known rules. Anything else in that form is ordinary text, otherwise a secret could hide in it.
pub(super) fn marks(text: &str) -> Vec<Range<usize>> {
    // Most texts have none, and the pattern examines every byte.
    if memmem::find(text.as_bytes(), MARK_START.as_bytes()).is_none() {
        return Vec::new();
    }
    let by_code = [private_key::ID, named::ID, runs::ID, runs::ENCODED_ID, tables::ID, manifests::ID, unwanted::ID];
    let known = |id: &str| by_code.contains(&id) || RULES.rules.iter().any(|rule| rule.id == id);
    MARK.captures_iter(text).filter(|mark| known(&mark[1])).filter_map(|mark| mark.get(0)).map(|mark| mark.range()).collect()
}

/// As [`find`], also for secrets split by hidden characters.
fn find_with_hidden(text: &str) -> Vec<Secret> {
    let marks = marks(text);
    let mut secrets = find(text);
    if let Some(seen) = hidden::seen(text) {
        let found = find(&seen.text).into_iter().map(|secret| Secret { range: seen.place(&secret.range), ..secret });
        secrets.extend(found.filter(|secret| text.is_char_boundary(secret.range.start) && text.is_char_boundary(secret.range.end)));
    }
    secrets.retain_mut(|secret| swallow_marks(&mut secret.range, &marks, text));
    apart(secrets)
}

/// Whether a text contains a secret.
fn holds_a_secret(text: &str) -> bool {
    !find(text).is_empty()
}

/// All matches of the rules, unordered.
fn find(text: &str) -> Vec<Secret> {
    let mut secrets: Vec<Secret> =
        private_key::find(text).into_iter().map(|range| Secret { range, rule: private_key::ID, rank: 0 }).collect();
    let (windows, stems) = windows(text);
    for (index, windows) in windows {
        for window in close(windows, text) {
            search(text, window, &RULES.rules[index], index + 1, &mut secrets);
        }
    }
    // Before the generic rule, which is the last.
    let rank = RULES.rules.len() - 1;
    named::search(text, &stems, rank, &mut secrets);
    tables::search(text, &stems, rank, &mut secrets);
    inserts::search(text, &stems, rank, &mut secrets);
    manifests::search(text, &stems, rank, &mut secrets);
    runs::search(text, rank, holds_a_secret, &mut secrets);
    secrets
}

/// The matches in order and without overlaps.
fn apart(mut secrets: Vec<Secret>) -> Vec<Secret> {
    secrets.sort_by_key(|secret| (secret.range.start, secret.rank));
    let mut apart: Vec<Secret> = Vec::new();
    for secret in secrets {
        match apart.last_mut().filter(|last| secret.range.start < last.range.end) {
            Some(last) => {
                last.range.end = last.range.end.max(secret.range.end);
                if secret.rank < last.rank {
                    (last.rule, last.rank) = (secret.rule, secret.rank);
                }
            }
            None => apart.push(secret),
        }
    }
    apart
}

/// Extends `range` over the marks that it touches, and returns whether it contains anything but marks: a cookie with one redacted value
/// may contain another secret, but a range of marks only is done.
fn swallow_marks(range: &mut Range<usize>, marks: &[Range<usize>], text: &str) -> bool {
    let first = marks.partition_point(|mark| mark.end <= range.start);
    let touched: Vec<&Range<usize>> = marks[first..].iter().take_while(|mark| mark.start < range.end).collect();
    let (Some(leftmost), Some(rightmost)) = (touched.first(), touched.last()) else { return true };
    *range = range.start.min(leftmost.start)..range.end.max(rightmost.end);
    let signs = |part: &Range<usize>| text[part.clone()].bytes().filter(u8::is_ascii_alphanumeric).count();
    signs(range) >= touched.into_iter().map(signs).sum::<usize>() + SMALLEST_REMAINDER
}

/// Ranges of a text, in bytes.
type Parts = Vec<Range<usize>>;

/// For each triggered rule, by position, the parts of `text` around its keywords, so that no pattern runs over text that
/// cannot match; and the stems of names for secrets, in order.
fn windows(text: &str) -> (BTreeMap<usize, Parts>, Parts) {
    let mut windows: BTreeMap<usize, Parts> = BTreeMap::new();
    let mut stems = Parts::new();
    for keyword in RULES.keywords.find_overlapping_iter(text) {
        if RULES.stems[keyword.pattern().as_usize()] && !named::is_verdict(text, &keyword.range()) {
            stems.push(keyword.range());
        }
        let window = keyword.start().saturating_sub(WINDOW_BEFORE)..(keyword.end() + WINDOW_AFTER).min(text.len());
        for &rule in &RULES.called[keyword.pattern().as_usize()] {
            let of_rule = windows.entry(rule).or_default();
            match of_rule.last_mut().filter(|last| window.start <= last.end) {
                Some(last) => last.end = last.end.max(window.end),
                None => of_rule.push(window.clone()),
            }
        }
    }
    stems.sort_unstable_by_key(|stem| stem.start);
    (windows, stems)
}

/// Extends each window to a blank, and joins windows that then touch.
fn close(windows: Vec<Range<usize>>, text: &str) -> Vec<Range<usize>> {
    let mut closed: Vec<Range<usize>> = Vec::with_capacity(windows.len());
    for mut window in windows {
        if let Some(last) = closed.last_mut().filter(|last| window.start <= last.end) {
            window.start = last.start;
            window.end = window.end.max(last.end);
            closed.pop();
        }
        let rest = text.as_bytes()[window.end..].iter();
        window.end += rest.take_while(|byte| !byte.is_ascii_whitespace()).count();
        closed.push(window);
    }
    closed
}

/// Adds the matches of `rule` in a window of `text`.
fn search(text: &str, window: Range<usize>, rule: &'static Rule, rank: usize, secrets: &mut Vec<Secret>) {
    let bytes = &text.as_bytes()[..window.end];
    let mut at = window.start;
    while at <= bytes.len() {
        let Some(groups) = rule.regex().captures_at(bytes, at) else { break };
        let (Some(whole), Some(secret)) = (groups.get(0), rule.secret(&groups)) else { break };
        // ASCII classes match bytes: a match may end inside a character.
        let range = text.floor_char_boundary(secret.start())..text.ceil_char_boundary(secret.end());
        let whole_range = text.floor_char_boundary(whole.start())..text.ceil_char_boundary(whole.end());
        let found = SecretCandidate { text, whole: &text[whole_range], secret: &text[range.clone()], start: range.start, groups: &groups };
        let confirmed = rule.confirms(&found, &RULES.everywhere);
        let next = if confirmed || range.len() > MAX_SEARCHED_AGAIN { secret.end() } else { secret.start() };
        at = next.max(whole.start() + 1);
        if confirmed {
            secrets.push(Secret { range, rule: &rule.id, rank });
        }
    }
}
