//! What holds now and then, or held once: "almost stable" is not stable, and what used to be so is so no more.

use super::View;
use crate::words::{TokenKind, is_listed};
use ralph_core::quality::{Hit, HitKind};

/// Words by which something is so at times, in part, or perhaps. "May" and "could" are left out: who says them mostly means "can".
const HEDGES: &str = "almost nearly mostly usually most might supposedly probably rarely seldom scarcely \
    occasionally possibly perhaps maybe optionally ought consider";
/// Words by which something was so, and is no more.
const ONCE: &str = "formerly previously";
/// Words of the past.
const PAST: &str = "was were had did formerly previously";

/// Only one of two texts hedges, or tells what was; or one tells what was and the other what will be.
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
    let (older, newer) = one_sided(hedge).or_else(|| one_sided(once)).or_else(other_time)?;
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

/// "It is used to store sessions" is so still.
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
