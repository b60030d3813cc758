//! Numbers: a different one, or the same one with a different unit.

use super::{Stemmed, View, words_of};
use crate::words::{Token, TokenKind, unit_of};
use ralph_core::quality::{Hit, HitKind};

/// Words that count, and may say something else: "one" is mostly a pronoun.
const VAGUE: [(&str, &str); 4] = [("one", "1"), ("once", "1"), ("single", "1"), ("both", "2")];

/// Whether a word counts, and may say something else.
pub(super) fn is_vague(lower: &str) -> bool {
    VAGUE.iter().any(|(word, _)| *word == lower)
}

/// Whether two words in lower case are the same number: "one queue", "a single queue".
pub(super) fn are_one(a: &str, b: &str) -> bool {
    is_vague(a) && is_vague(b) && value(a) == value(b)
}

fn value(lower: &str) -> &str {
    VAGUE.iter().find(|(word, _)| *word == lower).map_or(lower, |(_, number)| number)
}

/// Each text states a number that the other lacks.
pub(super) fn hit((mine, a): (&[&Stemmed<'_>], &View<'_>), (theirs, b): (&[&Stemmed<'_>], &View<'_>)) -> Option<Hit> {
    let counts = |token: &Token| token.kind == TokenKind::Number || is_vague(&token.lower);
    let list = |(side, here): (&[&Stemmed<'_>], &View<'_>), (there, other): (&[&Stemmed<'_>], &View<'_>)| {
        let is_there = |token: &Token| {
            let is_it = |t: &Token| value(&t.lower) == value(&token.lower) || are_one_share((token, here), (t, other));
            there.iter().any(|t| counts(t.token) && is_it(t.token))
        };
        words_of(side, |token| counts(token) && !is_there(token))
    };
    let (older, newer) = (list((mine, a), (theirs, b)), list((theirs, b), (mine, a)));
    (!older.is_empty() && !newer.is_empty()).then_some(Hit { kind: HitKind::Number, older, newer })
}

/// Each text states a quantity that the other lacks: "30 minutes", "2 hours". Then the units are not words of another subject.
pub(super) fn other_units(hits: &mut Vec<Hit>, a: &View<'_>, b: &View<'_>) {
    let (mine, theirs) = (quantities(a), quantities(b));
    let has = |there: &[Quantity<'_>], (number, unit): &Quantity<'_>| {
        there.iter().any(|(same, other)| same.token.lower == number.token.lower && other.stem == unit.stem)
    };
    let other = |here: &[Quantity<'_>], there: &[Quantity<'_>]| {
        let (number, unit) = here.iter().find(|quantity| !has(there, quantity))?;
        Some(format!("{} {}", number.token.lower, unit.token.lower))
    };
    if let Some((older, newer)) = other(&mine, &theirs).zip(other(&theirs, &mine)) {
        let is_unit = |word: &str| unit_of(word).is_some();
        hits.retain(|hit| hit.kind != HitKind::Other || !is_unit(&hit.older) || !is_unit(&hit.newer));
        if !hits.iter().any(|hit| hit.kind == HitKind::Number) {
            hits.push(Hit { kind: HitKind::Number, older, newer });
        }
    }
}

/// Whether one is a share in percent, and the other the same as a fraction: "25 %", "0.25".
fn are_one_share((one, here): (&Token, &View<'_>), (other, there): (&Token, &View<'_>)) -> bool {
    let unit = |token: &Token, view: &View<'_>| {
        let at = view.tokens.iter().position(|t| t.token.range == token.range)?;
        unit_of(&view.tokens.get(at + 1)?.token.lower)
    };
    let (percent, fraction) = match (unit(one, here), unit(other, there)) {
        (Some("%"), None) => (one, other),
        (None, Some("%")) => (other, one),
        _ => return false,
    };
    let read = |token: &Token| token.lower.parse::<f64>().ok();
    read(percent).zip(read(fraction)).is_some_and(|(percent, fraction)| (percent - fraction * 100.0).abs() < 1e-9)
}

/// A number and its unit.
type Quantity<'v> = (&'v Stemmed<'v>, &'v Stemmed<'v>);

fn quantities<'v>(view: &'v View<'v>) -> Vec<Quantity<'v>> {
    let pairs = view.tokens.iter().zip(view.tokens.iter().skip(1));
    pairs.filter(|(number, unit)| number.token.kind == TokenKind::Number && unit_of(&unit.token.lower).is_some()).collect()
}
