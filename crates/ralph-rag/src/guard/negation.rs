//! Negation: one text denies what the other says.

use super::View;
use crate::words::TokenKind;
use ralph_core::quality::{Hit, HitKind};
use std::collections::HashSet;

/// Words with a negative meaning. "X fails" and "X does not work" agree, so a clause with one of these agrees
/// with a negator of the other text.
const NEGATIVE: &str = "fail fails failing failure break breaks broken forbid forbids forbidden reject rejects lose loses lost missing miss lack lacks \
    refuse refuses prevent prevents error impossible ignore ignores gone removed hidden hide slow hang hangs overwrite overwritten unless without \
    forget wrong stop stops unavailable empty deny denied disallow block blocked";
/// Words that are not denied themselves: what is denied follows them.
const AUXILIARY: &str = "a an the be been being is are was were am do does did has have had to of than any it its by on in at for with as can could may \
    might must shall should will would need there";
/// Number of words after a negator that it denies, if only one text denies anything.
const REACH: usize = 2;

/// The words that one text denies.
struct Denied<'v> {
    negators: Vec<&'v str>,
    /// The first word after each negator.
    targets: HashSet<&'v str>,
    /// The first [`REACH`] words after each negator.
    near: HashSet<&'v str>,
    /// Every word of the denied clauses.
    scope: HashSet<&'v str>,
}

/// One text denies what the other says.
pub(super) fn hit(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let (mine, theirs) = (Denied::of(a), Denied::of(b));
    let denies = match (mine.negators.is_empty(), theirs.negators.is_empty()) {
        (true, true) => false,
        (false, true) => said_by(b, &mine.near, a),
        (true, false) => said_by(a, &theirs.near, b),
        (false, false) => affirmed(&mine.targets, b, &theirs) || affirmed(&theirs.targets, a, &mine),
    };
    denies.then(|| Hit { kind: HitKind::Negation, older: mine.negators.join(" "), newer: theirs.negators.join(" ") })
}

/// The words that a text denies: the first two after each negator.
pub(super) fn denied<'v>(view: &'v View<'_>) -> HashSet<&'v str> {
    Denied::of(view).near
}

/// Whether a text affirms what the other denies, outside its own denials.
fn affirmed(targets: &HashSet<&str>, text: &View<'_>, own: &Denied<'_>) -> bool {
    targets.iter().any(|word| text.stems.contains(*word) && !own.scope.contains(word))
}

/// Whether `plain`, the text without a negator, contains a denied word in a clause without a negative word.
fn said_by(plain: &View<'_>, denied: &HashSet<&str>, denying: &View<'_>) -> bool {
    let negative = |word: &str| NEGATIVE.split_whitespace().any(|n| n == word);
    let mut clauses = plain.tokens.split_inclusive(|t| t.token.ends_clause || t.token.kind == TokenKind::ClauseEnd);
    clauses.any(|clause| {
        let says = clause.iter().any(|t| denied.contains(t.stem.as_str()));
        says && !clause.iter().any(|t| negative(&t.token.lower) && !denying.stems.contains(&t.stem))
    })
}

impl<'v> Denied<'v> {
    fn of(view: &'v View<'_>) -> Denied<'v> {
        let mut denied = Denied { negators: Vec::new(), targets: HashSet::new(), near: HashSet::new(), scope: HashSet::new() };
        for (at, negator) in view.tokens.iter().enumerate().filter(|(_, t)| t.token.kind == TokenKind::Negator) {
            // "Inject a clock instead" denies nothing that it names.
            let comparing = matches!(negator.token.lower.as_str(), "instead" | "rather");
            if comparing && !view.tokens.get(at + 1).is_some_and(|t| matches!(t.token.lower.as_str(), "of" | "than")) {
                continue;
            }
            denied.negators.push(&negator.token.lower);
            let mut clause = if negator.token.ends_clause { Vec::new() } else { clause(view, at + 1) };
            if clause.is_empty() {
                clause = clause_before(view, at);
            }
            denied.targets.extend(clause.first());
            denied.near.extend(clause.iter().take(REACH));
            denied.scope.extend(clause);
        }
        denied
    }
}

fn carries(word: &str) -> bool {
    !AUXILIARY.split_whitespace().any(|a| a == word)
}

/// The stems from `from` to the end of the clause.
fn clause<'v>(view: &'v View<'_>, from: usize) -> Vec<&'v str> {
    let mut stems = Vec::new();
    for t in &view.tokens[from.min(view.tokens.len())..] {
        if t.token.kind == TokenKind::ClauseEnd {
            break;
        }
        if t.token.kind != TokenKind::Negator && carries(&t.token.lower) {
            stems.push(t.stem.as_str());
        }
        if t.token.ends_clause {
            break;
        }
    }
    stems
}

/// The stems before a negator at the end of its clause ("the application does not"), the nearest first.
fn clause_before<'v>(view: &'v View<'_>, end: usize) -> Vec<&'v str> {
    let before = view.tokens[..end].iter().rev().take_while(|t| t.token.kind != TokenKind::ClauseEnd && !t.token.ends_clause);
    before.filter(|t| carries(&t.token.lower)).map(|t| t.stem.as_str()).collect()
}
