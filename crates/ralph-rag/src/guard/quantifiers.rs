//! How many, and which of them: "and" or "or", "both" or "either", "all" or "half", before the same word.

use super::{Stemmed, View, frame, is_word, negation};
use crate::words::is_listed;
use ralph_core::quality::{Hit, HitKind};

/// Words that contradict each other before the same word. Elsewhere they say different things: "either way, set both".
const QUANTIFIERS: [(&str, &str); 5] =
    [("and", "or"), ("both", "either"), ("all every each both", "half"), ("all every each", "single"), ("all every each", "few several")];

/// Words for all of something.
const ALL: &str = "all every each any";
/// Words that introduce what narrows the word before them.
const NARROWING: &str = "to in into on of for from with at by under inside within that which whose";

/// Words with which "every" leaves some out.
const ORDINALS: &str = "second other third fourth fifth sixth tenth 2nd 3rd 4th 5th 6th 10th";

/// Every one, and one of several: "every minute", "every second minute".
pub(super) fn ordinal(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let hit = |older: String, newer: String| Hit { kind: HitKind::Number, older, newer };
    let forth = one_of_several(a, b).map(|(some, every)| hit(some, every));
    forth.or_else(|| one_of_several(b, a).map(|(some, every)| hit(every, some)))
}

fn one_of_several(some: &View<'_>, every: &View<'_>) -> Option<(String, String)> {
    let (of, by) = (|at: usize| some.tokens[at].token.lower.as_str(), |at: usize| every.tokens[at].token.lower.as_str());
    let leaves_out = |at: &usize| matches!(of(*at), "every" | "each") && is_listed(ORDINALS, of(at + 1));
    let at = (0..some.tokens.len().saturating_sub(2)).find(leaves_out)?;
    let same = |there: &usize| matches!(by(*there), "every" | "each") && every.tokens[there + 1].stem == some.tokens[at + 2].stem;
    let there = (0..every.tokens.len().saturating_sub(1)).find(same)?;
    Some((format!("{} {}", of(at), of(at + 1)), by(there).to_owned()))
}

/// What one text says about all, and the other about some of them: "all deploys need a review", "deploys to production need a review".
pub(super) fn narrowed(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let hit = |older: String, newer: String| Hit { kind: HitKind::Other, older, newer };
    let forth = narrower(a, b).map(|(all, part)| hit(all, part));
    forth.or_else(|| narrower(b, a).map(|(all, part)| hit(part, all)))
}

/// If one text says something of all and the other denies it of some, these are exceptions and no contradiction: "every module needs
/// tests", "generated modules need no tests".
pub(super) fn except(hits: &mut [Hit], a: &View<'_>, b: &View<'_>) {
    let is_exception = || negation::denies(a) != negation::denies(b) && narrowed(a, b).is_some();
    let denies = |hit: &Hit| matches!(hit.kind, HitKind::Negation | HitKind::Antonym);
    if hits.iter().any(|hit| hit.kind == HitKind::Negation) && hits.iter().all(denies) && is_exception() {
        hits.iter_mut().for_each(|hit| hit.kind = HitKind::Other);
    }
}

/// The word for all of one text, and the word that narrows the same things in the other, which the first doesn't have.
fn narrower(whole: &View<'_>, part: &View<'_>) -> Option<(String, String)> {
    let all = |view: &View<'_>| (0..view.tokens.len()).find(|at| is_listed(ALL, &view.tokens[*at].token.lower));
    if all(part).is_some() {
        return None;
    }
    let at = all(whole)?;
    let head = counted(whole, at)?;
    let here = part.tokens.iter().position(|t| t.stem == head)?;
    let is_new = |word: &&Stemmed<'_>| says_something(word) && is_word(word.token) && !whole.stems.contains(&word.stem);
    if let Some(before) = here.checked_sub(1).map(|before| &part.tokens[before]).filter(|word| is_new(word) && !word.token.ends_clause) {
        return Some((whole.tokens[at].token.lower.clone(), before.token.lower.clone()));
    }
    let next = part.tokens.get(here + 1).filter(|_| !part.tokens[here].token.ends_clause)?;
    let narrows = is_listed(NARROWING, &next.token.lower);
    let narrowing = part.tokens[here + 2..].iter().find(says_something).filter(|word| narrows && !whole.stems.contains(&word.stem))?;
    Some((whole.tokens[at].token.lower.clone(), format!("{} {}", next.token.lower, narrowing.token.lower)))
}

/// A word of one text that contradicts one of the other before the same word; no text has both.
pub(super) fn hit(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let has = |view: &View<'_>, word: &str| view.tokens.iter().any(|t| t.token.lower == word);
    let [here, there] = [a, b].map(quantifiers);
    let mut pairs = here.iter().flat_map(|at| there.iter().map(move |there| (*at, *there)));
    pairs.find_map(|(at, there)| {
        let (older, newer) = (a.tokens[at].token.lower.as_str(), b.tokens[there].token.lower.as_str());
        let contradicts = contradict(older, newer) && !has(b, older) && !has(a, newer);
        let same = || counted(a, at).is_some_and(|word| counted(b, there) == Some(word));
        (contradicts && same()).then(|| Hit { kind: HitKind::Antonym, older: older.to_owned(), newer: newer.to_owned() })
    })
}

/// The places of the words that can contradict others.
fn quantifiers(view: &View<'_>) -> Vec<usize> {
    let is_one = |word: &str| QUANTIFIERS.iter().any(|(first, second)| is_listed(first, word) || is_listed(second, word));
    (0..view.tokens.len()).filter(|at| is_one(&view.tokens[*at].token.lower)).collect()
}

fn contradict(one: &str, other: &str) -> bool {
    let across = |one: &str, other: &str| QUANTIFIERS.iter().any(|(first, second)| is_listed(first, one) && is_listed(second, other));
    across(one, other) || across(other, one)
}

/// The stem of the first word with content after a position.
fn counted<'v>(view: &'v View<'_>, at: usize) -> Option<&'v str> {
    view.tokens[at + 1..].iter().find(says_something).map(|t| t.stem.as_str())
}

fn says_something(word: &&Stemmed<'_>) -> bool {
    !frame::is_grammar(&word.token.lower) && !frame::is_weightless(&word.token.lower)
}

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::words::Words;
    use ralph_core::quality::HitKind;

    #[test]
    fn another_quantifier_of_the_same_word_contradicts() {
        let found = |a: &str, b: &str| hits(&Words::of(a), &Words::of(b)).iter().any(|hit| hit.kind == HitKind::Antonym);
        for (a, b, expected) in [
            ("Set USER and HOST before a start", "Set USER or HOST before a start", true),
            ("Either node must confirm", "Both nodes must confirm", true),
            ("Half of the tables are cached", "All of the tables are cached", true),
            ("The job runs on every node", "The job runs on a single node", true),
            ("The job runs on every node", "The job runs on each node", false),
            ("Stop the worker and the proxy", "Stop the proxy or the queue", false),
        ] {
            assert_eq!((found(a, b), found(b, a)), (expected, expected), "{a} | {b}");
        }
    }

    #[test]
    fn every_second_one_is_not_every_one() {
        let found = |a: &str, b: &str| hits(&Words::of(a), &Words::of(b)).iter().any(|hit| hit.kind == HitKind::Number);
        for (a, b, expected) in [
            ("The lease is renewed every second minute", "The lease is renewed every minute", true),
            ("The report is sent every other day", "The report is sent each day", true),
            ("The lease is renewed every second", "The lease is renewed each second", false),
            ("A dozen shards may be down", "A hundred shards may be down", true),
            ("A dozen shards may be down", "12 shards may be down", false),
            ("Two dozen shards may be down", "24 shards may be down", false),
        ] {
            assert_eq!((found(a, b), found(b, a)), (expected, expected), "{a} | {b}");
        }
    }

    #[test]
    fn what_holds_for_all_is_not_what_holds_for_some() {
        let found = |a: &str, b: &str| hits(&Words::of(a), &Words::of(b)).iter().any(|hit| hit.kind == HitKind::Other);
        for (a, b, expected) in [
            ("All deploys need a review", "Deploys to production need a review", true),
            ("Every handler of the server takes the lock", "The handler for refunds takes the lock", true),
            ("All deploys need a review", "Production deploys need a review", true),
            ("Every module needs tests", "Generated modules need no tests", true),
            ("Every request needs a token", "A request that only pings needs no token", true),
            ("All tests may use the network", "Unit tests must not use the network", true),
            ("Every module needs tests", "No module needs tests", false),
            ("All deploys to production need a review", "Deploys to production need a review", false),
            ("All deploys need a review", "Deploys need a review", false),
            ("Run all tests in the container", "Run the tests in the container", false),
        ] {
            assert_eq!((found(a, b), found(b, a)), (expected, expected), "{a} | {b}");
        }
    }
}
