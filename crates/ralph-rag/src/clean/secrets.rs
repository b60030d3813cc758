//! Finds secrets and puts a mark in their place.

use super::found::{Secret, SecretCandidate};
use super::rules::{RULES, Rule};
use super::{hidden, named, private_key, runs, tables};
use regex::Regex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes before a keyword where its pattern may begin: the longest form has 90 characters before its keyword.
const WINDOW_BEFORE: usize = 256;
/// Bytes after a keyword where its pattern may end; a longer word is followed to its end.
const WINDOW_AFTER: usize = 512;
/// Longest secret whose place is searched again when it turned out to be none: bounds the work on hostile text.
const MAX_SEARCHED_AGAIN: usize = 128;
/// Letters and digits beside marks that can still be a secret.
const SMALLEST_REMAINDER: usize = 6;
/// Rounds of looking again after a redaction. One that finds nothing ends it.
const MAX_ROUNDS: usize = 4;

/// What every mark begins with.
const MARK_START: &str = "[redacted:";
static MARK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[redacted:([a-z0-9-]{1,60})\]").expect("a constant pattern"));

/// Replaces every secret in `text` by `[redacted:rule-id]` and tells how many there were. For texts that are shown or kept as they
/// are, such as transcripts and prompts; nothing else in them changes, and JSON stays JSON.
///
/// Measured in a release build on one core: 2 ms per MB where no keyword occurs, 9 ms on JSON transcripts, 3 to 4 ms on source code
/// and Markdown, some hundred on text made of nothing but secrets.
pub fn redact(text: &str) -> (String, usize) {
    let (redacted, rules) = redact_all(text);
    (redacted, rules.len())
}

/// As [`redact`], with the ids of the rules in the order of the places.
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

/// Where marks of known rules stand. Anything else in that form is ordinary text, or a secret could hide in it.
pub(super) fn marks(text: &str) -> Vec<Range<usize>> {
    // Most texts have none, and the pattern looks at every byte.
    if !text.contains(MARK_START) {
        return Vec::new();
    }
    let by_code = [private_key::ID, named::ID, runs::ID, runs::ENCODED_ID, tables::ID];
    let known = |id: &str| by_code.contains(&id) || RULES.rules.iter().any(|rule| rule.id == id);
    MARK.captures_iter(text).filter(|mark| known(&mark[1])).filter_map(|mark| mark.get(0)).map(|mark| mark.range()).collect()
}

/// As [`find`], with what hidden characters split: it is looked for without them too.
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

/// Whether a text holds a secret.
fn holds_a_secret(text: &str) -> bool {
    !find(text).is_empty()
}

/// Every place that a rule finds, in no order.
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
    runs::search(text, rank, holds_a_secret, &mut secrets);
    secrets
}

/// The places in order and apart from each other.
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

/// Widens `range` over the marks that it touches, and tells whether anything but marks is in it: a cookie of which one value was
/// redacted before may hold another, but what is only a mark is done.
fn swallow_marks(range: &mut Range<usize>, marks: &[Range<usize>], text: &str) -> bool {
    let first = marks.partition_point(|mark| mark.end <= range.start);
    let touched: Vec<&Range<usize>> = marks[first..].iter().take_while(|mark| mark.start < range.end).collect();
    let (Some(leftmost), Some(rightmost)) = (touched.first(), touched.last()) else { return true };
    *range = range.start.min(leftmost.start)..range.end.max(rightmost.end);
    let signs = |part: &Range<usize>| text[part.clone()].bytes().filter(u8::is_ascii_alphanumeric).count();
    signs(range) >= touched.into_iter().map(signs).sum::<usize>() + SMALLEST_REMAINDER
}

/// Parts of a text, in bytes.
type Parts = Vec<Range<usize>>;

/// For each rule that is called for, by its position, the parts of `text` around its keywords, so that no pattern runs over text that
/// cannot match; and the stems of names that promise a secret, in order.
fn windows(text: &str) -> (BTreeMap<usize, Parts>, Parts) {
    let mut windows: BTreeMap<usize, Parts> = BTreeMap::new();
    let mut stems = Parts::new();
    for keyword in RULES.keywords.find_overlapping_iter(text) {
        if RULES.stems[keyword.pattern().as_usize()] {
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

/// Lets each window end at a blank and joins those that then touch.
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

/// Adds what `rule` finds in a window of `text`.
fn search(text: &str, window: Range<usize>, rule: &'static Rule, rank: usize, secrets: &mut Vec<Secret>) {
    let bytes = &text.as_bytes()[..window.end];
    let mut at = window.start;
    while at <= bytes.len() {
        let Some(groups) = rule.regex().captures_at(bytes, at) else { break };
        let (Some(whole), Some(secret)) = (groups.get(0), rule.secret(&groups)) else { break };
        // ASCII classes see bytes: what they found may end inside a character.
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
