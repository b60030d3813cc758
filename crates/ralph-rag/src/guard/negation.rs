//! Negation: one text denies what the other says.

use super::View;
use super::denied::{COMPARING, Denied, NEGATIVE, has_any, is_excluding, lack_denied};
use crate::words::{Token, TokenKind, Words, is_listed};
use ralph_core::quality::{Hit, HitKind};
use std::collections::HashSet;
use std::ops::Range;

/// Words that restrict to a few: "reads only X" says "reads no other file".
pub(super) const KEEPING: [&str; 2] = ["only", "solely"];
/// Words of a denial that leaves something out, so that the rest can be said by [`KEEPING`]: "do not commit before the tests pass".
pub(super) const LEAVING: [&str; 13] =
    ["other", "else", "but", "except", "before", "until", "till", "unless", "without", "if", "when", "while", "outside"];
/// Words after which a text says what follows if it isn't obeyed.
const ELSE: [&str; 3] = ["else", "otherwise", "or"];
/// Words that make a clause a condition.
const CONDITION: [&str; 3] = ["if", "when", "while"];
/// Words that a negator before them turns into others.
const DOUBLED: [(&str, &str); 2] = [("without", "with"), ("unless", "when")];

/// One text denies what the other says; denials of `agreed` words are what the other says in another way.
pub(super) fn hit(a: &View<'_>, b: &View<'_>, agreed: &HashSet<&str>) -> Option<Hit> {
    let (mine, theirs) = (Denied::against(a, b).without(agreed), Denied::against(b, a).without(agreed));
    let denies = match (mine.each.is_empty(), theirs.each.is_empty()) {
        // The other text need not deny what one text only rejects in favour of something else.
        _ if mine.only_prefers() && theirs.each.is_empty() || theirs.only_prefers() && mine.each.is_empty() => false,
        (true, true) => false,
        (false, true) => !says_or_else(b, a) && said_by(b, &mine.near(), a),
        (true, false) => !says_or_else(a, b) && said_by(a, &theirs.near(), b),
        (false, false) => affirmed(&mine, a, &theirs, b) || affirmed(&theirs, b, &mine, a),
    };
    denies.then(|| Hit { kind: HitKind::Negation, older: mine.negators(), newer: theirs.negators() })
}

/// Only one text denies anything, in words that the other does not have, and not by rephrasing a denial: "commits must be
/// signed", "commits need no signature".
pub(super) fn one_sided(a: &View<'_>, b: &View<'_>, agreed: &HashSet<&str>) -> Option<Hit> {
    let (mine, theirs) = (Denied::against(a, b).without(agreed), Denied::against(b, a).without(agreed));
    if mine.only_prefers() || theirs.only_prefers() {
        return None;
    }
    let (denied, denying, plain) = match (mine.each.is_empty(), theirs.each.is_empty()) {
        (false, true) => (&mine, a, b),
        (true, false) => (&theirs, b, a),
        _ => return None,
    };
    let is_denial = |word: &str| denied.each.iter().any(|(negator, _)| *negator == word);
    let turned = |view: &View<'_>| view.tokens.iter().any(|t| is_excluding(&t.token.lower) && !is_denial(&t.token.lower));
    let keeps = keeps_to(denying, plain) && denied.each.iter().any(|(negator, _)| *negator != "except");
    // Of several clauses another may say it, or only add to it: "in cents, never as floats". An exception adds nothing.
    let ends = |t: &super::Stemmed<'_>| t.token.is_clause_end();
    let several = |view: &View<'_>| view.tokens.split_last().is_some_and(|(_, before)| before.iter().any(ends));
    let more = several(plain) || several(denying) && !is_denial("except");
    let said = more || says_or_else(plain, denying) || turned(plain) || turned(denying) || keeps;
    (!said).then(|| Hit { kind: HitKind::Other, older: mine.negators(), newer: theirs.negators() })
}

/// Whether each of two texts affirms what the other denies: "do not trust it, count", "trust it rather than counting".
pub(super) fn traded(a: &View<'_>, b: &View<'_>) -> bool {
    let (mine, theirs) = (Denied::of(a), Denied::of(b));
    affirmed(&mine, a, &theirs, b) && affirmed(&theirs, b, &mine, a)
}

/// The words that a text denies: the first two after each negator, and "without" where it demands something: "never merge without a review".
pub(super) fn denied<'v>(view: &'v View<'_>) -> HashSet<&'v str> {
    let mut denied = Denied::of(view).near();
    denied.extend(lack_denied(view));
    denied
}

/// The words by which a text denies something.
pub(super) fn denying<'v>(view: &'v View<'_>) -> HashSet<&'v str> {
    Denied::of(view).each.into_iter().map(|(negator, _)| negator).collect()
}

/// The words of a text whose negative meaning is denied: "don't forget to close it".
pub(super) fn doubled<'v>(view: &'v View<'_>) -> HashSet<&'v str> {
    Denied::of(view).doubled
}

/// Whether one text denies only as a condition what the other one demands: "pin it, else it drifts", "it drifts if it isn't pinned".
pub(super) fn says_or_else(plain: &View<'_>, denying: &View<'_>) -> bool {
    let is_condition = |at: usize| {
        let clause = denying.tokens[..at].iter().rev().take_while(|t| !t.token.ends_clause);
        clause.map(|t| &t.token).find(|token| token.kind == TokenKind::ClauseEnd).is_some_and(|t| CONDITION.contains(&t.lower.as_str()))
    };
    let mut negators = (0..denying.tokens.len()).filter(|at| denying.tokens[*at].token.kind == TokenKind::Negator);
    has_any(plain, &ELSE) && negators.all(is_condition)
}

/// Whether a text affirms the first word of what the other denies, outside its own denials. It says the same if it denies what is denied
/// there, and affirms no more of it: "write to the outbox, not to Kafka", "do not write to Kafka, write to the outbox".
fn affirmed(denied: &Denied<'_>, denying: &View<'_>, own: &Denied<'_>, text: &View<'_>) -> bool {
    let affirms = |word: &str| text.stems.contains(word) && !own.scope.contains(word);
    let outside = |word: &str| {
        let count = denying.tokens.iter().filter(|t| t.stem == word).count();
        count > denied.each.iter().flat_map(|(_, clause)| clause).filter(|same| **same == word).count()
    };
    let said_otherwise = |clause: &[&str]| {
        let denies = own.each.iter().filter_map(|(_, clause)| clause.first()).any(|word| clause[1..].contains(word));
        let says_instead = || own.instead.iter().flatten().any(|word| !clause.contains(word) && !denied.scope.contains(word));
        denies && (says_instead() || clause[1..].iter().all(|word| !affirms(word) || outside(word)))
    };
    denied.each.iter().any(|(_, clause)| clause.first().is_some_and(|word| affirms(word)) && !said_otherwise(clause))
}

/// Whether `plain`, the text without a negator, contains a denied word in a clause without a negative word.
fn said_by(plain: &View<'_>, denied: &HashSet<&str>, denying: &View<'_>) -> bool {
    let negative = |word: &str| is_listed(NEGATIVE, word);
    let mut clauses = plain.tokens.split_inclusive(|t| t.token.is_clause_end());
    clauses.any(|clause| {
        let says = clause.iter().any(|t| denied.contains(t.stem.as_str()));
        says && !clause.iter().any(|t| negative(&t.token.lower) && !denying.stems.contains(&t.stem))
    })
}

/// Whether a text denies anything.
pub(super) fn denies(view: &View<'_>) -> bool {
    !Denied::of(view).each.is_empty()
}

/// Whether one text denies all but what the other keeps to.
pub(super) fn keeps_to(denying: &View<'_>, keeping: &View<'_>) -> bool {
    has_any(denying, &LEAVING) && has_any(keeping, &KEEPING)
}

/// Whether a text keeps to a few, and so denies the rest.
pub(super) fn keeps(view: &View<'_>) -> bool {
    has_any(view, &KEEPING)
}

/// Whether two texts set the same words apart from others by denying them: "in a, not in b", "not in b but in a".
pub(super) fn set_apart(a: &View<'_>, b: &View<'_>, words: &str) -> bool {
    let (mine, theirs) = (Denied::of(a).scope, Denied::of(b).scope);
    let denied: Vec<bool> = words.split(' ').map(|word| mine.contains(word)).collect();
    let same = words.split(' ').zip(&denied).all(|(word, denied)| theirs.contains(word) == *denied);
    same && denied.contains(&true) && denied.contains(&false)
}

/// Whether a text says what goes wrong, or what follows if it isn't obeyed.
pub(super) fn threatens(view: &View<'_>) -> bool {
    let fails = |t: &super::Stemmed<'_>| is_listed(NEGATIVE, &t.token.lower) && !DOUBLED.iter().any(|(word, _)| t.token.lower == *word);
    has_any(view, &ELSE) || view.tokens.iter().any(fails)
}

/// Whether a text has a word with a negative meaning.
pub(super) fn is_negative(view: &View<'_>) -> bool {
    view.tokens.iter().any(|t| is_excluding(&t.token.lower))
}

/// A text in which "always with" replaces "never without", and "always when" replaces "never unless", however far apart in a clause.
pub(super) fn undoubled(text: &str) -> String {
    let words = Words::of(text);
    let is_apart = |word: &str| word == "except" || COMPARING.contains(&word);
    let mut changes: Vec<(Range<usize>, &str)> = Vec::new();
    for clause in words.tokens().split_inclusive(|token| token.is_clause_end()) {
        let negator = clause.iter().position(|token| token.kind == TokenKind::Negator && !is_apart(&token.lower));
        let turned = |token: &Token| DOUBLED.iter().find(|(word, _)| token.kind == TokenKind::Plain && token.lower == *word);
        let second = clause.iter().enumerate().find_map(|(at, token)| Some((at, turned(token)?.1)));
        if let Some((negator, (second, plain))) = negator.zip(second).filter(|(negator, (second, _))| negator < second) {
            changes.push((clause[negator].range.clone(), "always"));
            changes.push((clause[second].range.clone(), plain));
        }
    }
    // "Except when" is "unless".
    for pair in words.tokens().windows(2).filter(|pair| pair[0].lower == "except" && CONDITION.contains(&pair[1].lower.as_str())) {
        changes.push((pair[0].range.start..pair[1].range.end, "unless"));
    }
    changes.sort_by_key(|(range, _)| range.start);
    let mut plain = text.to_owned();
    changes.into_iter().rev().for_each(|(range, word)| plain.replace_range(range, word));
    plain
}
