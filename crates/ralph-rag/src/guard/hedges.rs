//! What holds now and then, or used to hold: "almost stable" is not stable, and what used to be so no longer is.

use super::{View, frame};
use crate::words::{TokenKind, is_listed};
use ralph_core::quality::{Hit, HitKind};

/// Words that say that something is true at times, in part, or perhaps.
const HEDGES: &str = "almost nearly mostly usually most might supposedly probably rarely seldom scarcely \
    occasionally possibly perhaps maybe optionally ought consider";
/// Words that say that something is possible. They hedge only against a text that says the same without any: "users may export" says that
/// they can, and other words for it may mean the same.
const POSSIBLE: &str = "may could can sometimes";
/// Words that keep a text from stating a plain fact.
const MODAL: &str = "may could can might must should shall will would able allowed permitted possible need needs";
/// "You can" is advice: "you can find it in src".
const ADDRESSED: &str = "you we i one they";
/// Participles without their ending: something that can be found somewhere is there.
const PARTICIPLES: &str = "found seen run set put kept held sent built made done read";
/// Words for what was so and no longer is.
const ONCE: &str = "formerly previously";
/// Words of the past.
const PAST: &str = "was were had did formerly previously";

/// Only one of two texts hedges, or is about the past; or one is about the past and the other about the future.
pub(super) fn hit(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let one_sided = |of: fn(&View<'_>) -> Option<String>| {
        let (older, newer) = (of(a), of(b));
        (older.is_some() != newer.is_some()).then(|| (older.unwrap_or_default(), newer.unwrap_or_default()))
    };
    let other_time = || {
        let (older, newer) = ((past(a), future(a)), (past(b), future(b)));
        match (older, newer) {
            ((Some(past), None), (None, Some(future))) => Some((past, future)),
            ((None, Some(future)), (Some(past), None)) => Some((future, past)),
            _ => None,
        }
    };
    let perhaps = || match (possible(a), possible(b)) {
        (Some(word), None) if !is_modal(b) && frame::says_no_more(b, a) => Some((word, String::new())),
        (None, Some(word)) if !is_modal(a) && frame::says_no_more(a, b) => Some((String::new(), word)),
        _ => None,
    };
    let (older, newer) = one_sided(hedge).or_else(|| one_sided(once)).or_else(perhaps).or_else(other_time)?;
    Some(Hit { kind: HitKind::Other, older, newer })
}

/// The words of a text, each with the one before it.
fn with_before<'v>(view: &'v View<'_>) -> impl Iterator<Item = (&'v str, &'v str)> {
    let plain = move |at: usize| {
        Some(&view.tokens[at].token).filter(|token| token.kind != TokenKind::Exact).map_or("", |token| token.lower.as_str())
    };
    (0..view.tokens.len()).map(move |at| (at.checked_sub(1).map_or("", plain), plain(at)))
}

/// "The most" and "at most" are measures.
fn hedge(view: &View<'_>) -> Option<String> {
    let hedges = |(before, word): &(&str, &str)| is_listed(HEDGES, word) && !(*word == "most" && matches!(*before, "the" | "at"));
    with_before(view).find(hedges).map(|(_, word)| word.to_owned())
}

/// "It may be null" is not "it is null". What can be done is done that way: "it can be started by make".
fn possible(view: &View<'_>) -> Option<String> {
    let words: Vec<&str> = with_before(view).map(|(_, word)| word).collect();
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let is_state =
        |at: usize| word(at) == "be" && !word(at + 1).is_empty() && !word(at + 1).ends_with("ed") && !is_listed(PARTICIPLES, word(at + 1));
    let is_possible = |at: &usize| {
        let addressed = at.checked_sub(1).is_some_and(|before| is_listed(ADDRESSED, word(before)));
        is_listed(POSSIBLE, word(*at)) && !addressed && (word(*at) != "can" || is_state(at + 1))
    };
    (0..words.len()).find(is_possible).map(|at| word(at).to_owned())
}

fn is_modal(view: &View<'_>) -> bool {
    with_before(view).any(|(_, word)| is_listed(MODAL, word))
}

/// "It is used to store sessions" still holds.
fn once(view: &View<'_>) -> Option<String> {
    let words: Vec<&str> = with_before(view).map(|(_, word)| word).collect();
    let passive = |word: &str| is_listed("is are was were be been being get gets", word);
    let used_to = (0..words.len())
        .any(|at| words[at..].starts_with(&["used", "to"]) && !at.checked_sub(1).is_some_and(|before| passive(words[before])));
    let listed = words.iter().find(|word| is_listed(ONCE, word)).map(|word| (*word).to_owned());
    listed.or_else(|| used_to.then(|| "used to".to_owned()))
}

fn past(view: &View<'_>) -> Option<String> {
    with_before(view).find(|(_, word)| is_listed(PAST, word)).map(|(_, word)| word.to_owned())
}

fn future(view: &View<'_>) -> Option<String> {
    with_before(view).find(|(_, word)| *word == "will").map(|(_, word)| word.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::words::Words;

    #[test]
    fn what_only_may_be_so_is_not_what_is_so() {
        let differ = |a: &str, b: &str| !hits(&Words::of(a), &Words::of(b)).is_empty();
        for (a, b, expected) in [
            ("The owner may be null", "The owner is null", true),
            ("The owner may be null", "The owner is never null", true),
            ("The owner can be null", "The owner is null", true),
            ("The suite could hang on the runner", "The suite hangs on the runner", true),
            ("The suite sometimes hangs on the runner", "The suite hangs on the runner", true),
            ("Users may export their data", "Users can export their data", false),
            ("You can find the seeds in the folder", "The seeds are found in the folder", false),
            ("The client can be started by the script", "The client is started by the script", false),
            ("Sessions can be kept in the store", "Sessions are kept in the store", false),
        ] {
            assert_eq!((differ(a, b), differ(b, a)), (expected, expected), "{a} | {b}");
        }
    }
}
