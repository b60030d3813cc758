//! What an entry depends on: its exceptions, its conditions, its cause, and the order of what it describes.

use super::strength::Plain;
use super::{plainly, telling};
use crate::words::{Words, is_negator};
use std::collections::BTreeSet;

/// Words that state an exception, and those that can state it in another way.
const UNLESS: [&str; 1] = ["unless"];
const OTHERWISE: [&str; 15] = [
    "unless",
    "except",
    "without",
    "if",
    "when",
    "only",
    "otherwise",
    "else",
    "until",
    "before",
    "while",
    "or",
    "apart from",
    "instead",
    "but",
];
/// Words of a condition that must be met.
const WHILE: [&str; 5] = ["if", "when", "while", "once", "whenever"];
/// Words that state an exception, or imply one: "do it, else it fails" is "it fails unless you do it".
const EXCEPTING: [&str; 8] = ["unless", "except", "without", "else", "otherwise", "or", "only", "until"];
/// Words that say that something holds in spite of something else.
const IN_SPITE: [&str; 8] = ["although", "though", "even if", "even when", "despite", "in spite", "regardless", "whether or not"];
/// Words that turn a statement around.
const TURNING: [&str; 6] = ["reverse", "reversed", "inverse", "inverted", "vice versa", "way round"];
/// Words that restrict something to a place where it runs.
const PLACES: [&str; 10] = ["staging", "production", "prod", "windows", "linux", "macos", "android", "ios", "locally", "nightly"];
/// Words between what to do and what happens if it is not done.
const ELSE: [&str; 3] = ["else", "otherwise", "or"];
/// Words that say that a thing is on its way out, and those that imply it.
const FADING: [&str; 5] = ["deprecated", "obsolete", "superseded", "outdated", "legacy"];
const FADED: [&str; 10] =
    ["deprecated", "deprecates", "deprecation", "obsolete", "superseded", "supersedes", "outdated", "legacy", "no longer", "replaced"];
/// Words between an effect and its cause, and between a cause and its effect.
const BECAUSE: [&str; 2] = ["because", "since"];
const SO: [&str; 4] = ["so", "hence", "therefore", "thus"];

/// Words between what comes first and what comes next, and between what comes next and what came first.
const EARLIER: [&str; 1] = ["before"];
const LATER: [&str; 2] = ["after", "once"];

/// What changed in the grounds of an entry, one sentence each without the entry's key; `all` is the entry with its title and its reason.
pub(super) fn changed(entry: &str, said: &str, all: &str) -> Vec<String> {
    let (meant, now, all) = (Plain::of(entry), Plain::of(said), Plain::of(all));
    let denies = |text: &str| Words::of(text).tokens().iter().any(|token| is_negator(&token.lower));
    let mut faults = Vec::new();
    if let Some(word) = meant.first(&UNLESS).filter(|_| Plain::of(&plainly(said)).first(&OTHERWISE).is_none() && !denies(said)) {
        faults.push(format!("says \"{word}\", which is lost"));
    }
    if let Some(word) = meant.first(&ELSE).filter(|word| {
        threatens(entry, word, said)
            && now.first(&OTHERWISE).or_else(|| now.first(&BECAUSE)).or_else(|| now.first(&SO)).is_none()
            && !denies(said)
    }) {
        faults.push(format!("says \"{word}\", which is lost"));
    }
    if let Some(word) = meant.first(&WHILE).filter(|_| all.first(&EXCEPTING).is_none() && !denies(entry) && now.first(&UNLESS).is_some()) {
        faults.push(format!("says \"{word}\", and not \"unless\""));
    }
    if let Some(word) = now.news(&IN_SPITE, &all).or_else(|| now.news(&TURNING, &all)).or_else(|| now.news(&PLACES, &all)) {
        faults.push(format!("says it without \"{word}\""));
    }
    if let Some(word) = meant.first(&FADING).filter(|_| now.first(&FADED).is_none()) {
        faults.push(format!("says \"{word}\", which is lost"));
    }
    if let Some((meant, now)) = grounds(entry).zip(grounds(said))
        && is_swapped(&meant, &now)
    {
        faults.push("has a cause that is its effect there".to_owned());
    }
    if let Some((meant, now)) = order(entry).zip(order(said))
        && is_swapped(&meant, &now)
    {
        faults.push("has an order that is turned around there".to_owned());
    }
    faults
}

/// Two sides of a word that joins them.
type Sides = (BTreeSet<String>, BTreeSet<String>);

/// Whether each of two sides there has more of the other side's words than of its own.
fn is_swapped((one, other): &Sides, (one_now, other_now): &Sides) -> bool {
    let shared = |one: &BTreeSet<String>, other: &BTreeSet<String>| one.intersection(other).count();
    let (forth, back) = (shared(one, other_now), shared(other, one_now));
    forth > 0 && back > 0 && forth + back > shared(one, one_now) + shared(other, other_now)
}

/// What comes first and what comes next, each a clause, in a text about the order of two things.
fn order(text: &str) -> Option<Sides> {
    let words = Words::of(text);
    let tokens = words.tokens();
    let is_later = |at: usize| LATER.contains(&tokens[at].lower.as_str());
    let at = (0..tokens.len()).find(|at| EARLIER.contains(&tokens[*at].lower.as_str()) || is_later(*at))?;
    let of = |from: usize, to: usize| {
        let (first, last) = (tokens.get(from)?, tokens.get(to).filter(|_| from <= to)?);
        Some(telling(&Words::of(text.get(first.range.start..last.range.end)?)))
    };
    let ends = |at: &usize| tokens[*at].ends_clause;
    let end = |from: usize| (from..tokens.len()).find(ends).unwrap_or(tokens.len() - 1);
    let behind = of(at + 1, end(at + 1))?;
    let begin = (0..at).rev().find(ends).map_or(0, |end| end + 1);
    // "Before the import, stop the worker."
    let main = if (begin..at).any(|at| tokens[at].lower.contains(char::is_alphanumeric)) {
        of(begin, at - 1)?
    } else {
        of(end(at + 1) + 1, end(end(at + 1) + 1))?
    };
    Some(if is_later(at) { (behind, main) } else { (main, behind) })
}

/// Whether a text also says what, according to an entry, happens if something is not done.
fn threatens(entry: &str, word: &str, said: &str) -> bool {
    let words = Words::of(entry);
    let at = words.tokens().windows(2).position(|pair| pair[0].ends_clause && pair[1].lower == word);
    let behind = at.and_then(|at| entry.get(words.tokens()[at + 1].range.end..)).map(|behind| telling(&Words::of(behind)));
    let there = telling(&Words::of(said));
    behind.is_some_and(|behind| !behind.is_empty() && behind.iter().all(|stem| there.contains(stem)))
}

/// The words of a cause and of its effect, in a text that states one.
fn grounds(text: &str) -> Option<Sides> {
    let words = Words::of(text);
    let tokens = words.tokens();
    // "Since v3" is a time.
    let tells_time = |at: usize| tokens.get(at + 1).is_none_or(|next| next.lower.contains(|c: char| c.is_ascii_digit()));
    let is_between = |at: &usize| {
        let word = tokens[*at].lower.as_str();
        SO.contains(&word) || BECAUSE.contains(&word) && !tells_time(*at)
    };
    let at = (0..tokens.len()).find(is_between)?;
    let of = |from: usize, to: usize| telling(&Words::of(text.get(tokens[from].range.start..tokens[to].range.end).unwrap_or_default()));
    let last = tokens.len() - 1;
    let is_so = SO.contains(&tokens[at].lower.as_str());
    if at == 0 {
        // "Because it is slow, run it at night."
        let comma = tokens.iter().position(|token| token.ends_clause).filter(|comma| *comma < last && !is_so)?;
        return Some((of(1, comma), of(comma + 1, last)));
    }
    // The next sentence is not a part of either.
    let ends = |token: &usize| text[tokens[*token].range.end..].trim_start_matches(['`', '"', ')']).starts_with([';', '.', '!', '?']);
    let end = (at..last).find(ends).unwrap_or(last);
    let (before, behind) = (of((0..at).rev().find(ends).map_or(0, |end| end + 1), at - 1), (at < end).then(|| of(at + 1, end))?);
    Some(if is_so { (before, behind) } else { (behind, before) })
}
