//! Denials that are missing from a text which should say the same as another one.

use super::denied::{Denied, has_any, is_excluding, near};
use super::negation::{KEEPING, LEAVING, says_or_else};
use super::{Stemmed, View, opposites};
use crate::words::TokenKind;

/// A denial that a text lacks although it should say the same as another: its words as that one has them.
pub(super) fn denial(meant: &View<'_>, said: &View<'_>) -> Option<String> {
    let mut denied = Denied::of(meant);
    // "Disable it" denies "enable it".
    let is_turned = |word: &str| !said.stems.contains(word) && said.stems.iter().any(|other| opposites::opposite(word, other));
    denied.each.retain(|(_, clause)| !clause.first().is_some_and(|word| is_turned(word)));
    if denied.each.is_empty() || says_or_else(said, meant) {
        return None;
    }
    let clauses: Vec<&[Stemmed<'_>]> = said.tokens.split_inclusive(|t| t.token.is_clause_end()).collect();
    let keeping = has_any(meant, &LEAVING);
    let excludes = |clause: &&[Stemmed<'_>]| {
        clause.iter().any(|t| {
            let word = t.token.lower.as_str();
            t.token.kind == TokenKind::Negator || is_excluding(word) || keeping && KEEPING.contains(&word)
        })
    };
    let told = |negator: &str, target: Option<&str>| [Some(negator), target].into_iter().flatten().collect::<Vec<_>>().join(" ");
    if !clauses.iter().any(excludes) {
        return Some(told(denied.each[0].0, None));
    }
    denied.each.iter().find_map(|(negator, denied)| {
        let about: Vec<&&[Stemmed<'_>]> =
            clauses.iter().filter(|clause| clause.iter().any(|t| near(denied).iter().any(|word| t.stem == *word))).collect();
        // A text that repeats all of it, but denies nothing.
        (!about.is_empty() && !about.iter().any(|clause| excludes(clause))).then(|| told(negator, denied.first().copied()))
    })
}
