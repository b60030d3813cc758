//! Negation: one text denies what the other says.

use super::{View, opposites};
use crate::words::{Token, TokenKind, Words, is_listed};
use ralph_core::quality::{Hit, HitKind};
use std::collections::HashSet;
use std::ops::Range;

/// Words with a negative meaning. "X fails" and "X does not work" agree, so a clause with one of these agrees
/// with a negator of the other text.
const NEGATIVE: &str = "fail fails failing failure break breaks broken forbid forbids forbidden reject rejects lose loses lost missing miss lack lacks \
    refuse refuses prevent prevents error impossible ignore ignores gone removed hidden hide slow hang hangs overwrite overwritten unless without \
    forget wrong stop stops unavailable empty deny denied disallow block blocked";
/// Words by which a text denies something without a negator.
const EXCLUDING: &str = "nothing avoid avoids forbids ban bans banned prohibit prohibits prohibited exclude excludes excluded skip skips \
    leave leaves refuses rejected dangerous unsafe wrongly instead untouched unchanged without except but neither";
/// Words that keep to a few: "reads only X" says "reads no other file".
const KEEPING: [&str; 2] = ["only", "solely"];
/// Words of a denial that leaves something out, so that the rest can be said by [`KEEPING`]: "do not commit before the tests pass".
const LEAVING: [&str; 13] =
    ["other", "else", "but", "except", "before", "until", "till", "unless", "without", "if", "when", "while", "outside"];
/// Words that are not denied themselves: what is denied follows them.
const AUXILIARY: &str = "a an the be been being is are was were am do does did has have had to of than any it its by on in at for with as per via through from into \
    onto over under within between against across during can could may might must shall should will would need there";
/// Words after which a text says what follows if it isn't obeyed.
const ELSE: [&str; 3] = ["else", "otherwise", "or"];
/// Words that make a clause a condition.
const CONDITION: [&str; 3] = ["if", "when", "while"];
/// Words that a negator before them turns into others.
const DOUBLED: [(&str, &str); 2] = [("without", "with"), ("unless", "when")];
/// Words that deny what follows as a negator does, and the words of which one must follow: of [`DOING`] what ends so, of none any.
const DENYING: [(&str, &str); 6] = [
    (
        "fail fails failed failing refuse refuses refused refusing forget forgets forgot neglect neglects neglected decline declines declined \
        cease ceases ceased unable",
        "to",
    ),
    (
        "stop stops stopped quit quits cease ceases ceased resist resists discontinue discontinues discontinued skip skips skipped bypass \
        bypasses bypassed avoids avoided",
        DOING,
    ),
    ("refrain refrains", "from"),
    ("devoid deprived", "of"),
    ("missing", "a an any the its"),
    ("lack lacks lacked wrongly falsely mistakenly", ""),
];
const DOING: &str = "-ing";
/// Words that deny the whole clause behind "that".
const UNTRUE: [&str; 2] = ["false", "untrue"];
/// Negators that put one thing in the place of another.
const COMPARING: [&str; 2] = ["instead", "rather"];
/// Number of words after a negator that it denies, if only one text denies anything.
const REACH: usize = 2;

/// The words that one text denies.
#[derive(Default)]
struct Denied<'v> {
    /// Each negator with the words that it denies; the first of them are [`near`] it.
    each: Vec<(&'v str, Vec<&'v str>)>,
    /// Words of which the negative meaning is denied: "don't forget".
    doubled: HashSet<&'v str>,
    /// Every word of the denied clauses.
    scope: HashSet<&'v str>,
}

/// One text denies what the other says; denials of `agreed` words are what the other says in another way.
pub(super) fn hit(a: &View<'_>, b: &View<'_>, agreed: &HashSet<&str>) -> Option<Hit> {
    let (mine, theirs) = (Denied::of(a).without(agreed), Denied::of(b).without(agreed));
    let denies = match (mine.each.is_empty(), theirs.each.is_empty()) {
        (true, true) => false,
        (false, true) => !says_or_else(b, a) && said_by(b, &mine.near(), a),
        (true, false) => !says_or_else(a, b) && said_by(a, &theirs.near(), b),
        (false, false) => affirmed(&mine, a, &theirs, b) || affirmed(&theirs, b, &mine, a),
    };
    denies.then(|| Hit { kind: HitKind::Negation, older: mine.negators(), newer: theirs.negators() })
}

/// Only one text denies anything, in words of which the other says nothing, and not by turning round what denies already: "commits must be
/// signed", "commits need no signature".
pub(super) fn one_sided(a: &View<'_>, b: &View<'_>, agreed: &HashSet<&str>) -> Option<Hit> {
    let (mine, theirs) = (Denied::of(a).without(agreed), Denied::of(b).without(agreed));
    let (denied, denying, plain) = match (mine.each.is_empty(), theirs.each.is_empty()) {
        (false, true) => (&mine, a, b),
        (true, false) => (&theirs, b, a),
        _ => return None,
    };
    let is_denial = |word: &str| denied.each.iter().any(|(negator, _)| *negator == word);
    let turned = |view: &View<'_>| view.tokens.iter().any(|t| is_excluding(&t.token.lower) && !is_denial(&t.token.lower));
    let keeps = keeps_to(denying, plain) && denied.each.iter().any(|(negator, _)| *negator != "except");
    // Of several clauses another may say it, or only add to it: "in cents, never as floats". An exception adds nothing.
    let ends = |t: &super::Stemmed<'_>| t.token.ends_clause || t.token.kind == TokenKind::ClauseEnd;
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

/// The words that a text denies: the first two after each negator.
pub(super) fn denied<'v>(view: &'v View<'_>) -> HashSet<&'v str> {
    Denied::of(view).near()
}

/// The words by which a text denies something.
pub(super) fn denying<'v>(view: &'v View<'_>) -> HashSet<&'v str> {
    Denied::of(view).each.into_iter().map(|(negator, _)| negator).collect()
}

/// The words of a text of which the negative meaning is denied: "don't forget to close it".
pub(super) fn doubled<'v>(view: &'v View<'_>) -> HashSet<&'v str> {
    Denied::of(view).doubled
}

/// Whether one text denies only as a condition what the other one demands: "pin it, else it drifts", "it drifts if it isn't pinned".
fn says_or_else(plain: &View<'_>, denying: &View<'_>) -> bool {
    let is_condition = |at: usize| {
        let clause = denying.tokens[..at].iter().rev().take_while(|t| !t.token.ends_clause);
        clause.map(|t| &t.token).find(|token| token.kind == TokenKind::ClauseEnd).is_some_and(|t| CONDITION.contains(&t.lower.as_str()))
    };
    let mut negators = (0..denying.tokens.len()).filter(|at| denying.tokens[*at].token.kind == TokenKind::Negator);
    has_any(plain, &ELSE) && negators.all(is_condition)
}

/// Whether a text affirms the first word of what the other denies, outside its own denials. It says the same where it denies what is denied
/// there, and affirms no more of it: "write to the outbox, not to Kafka", "do not write to Kafka, write to the outbox".
fn affirmed(denied: &Denied<'_>, denying: &View<'_>, own: &Denied<'_>, text: &View<'_>) -> bool {
    let affirms = |word: &str| text.stems.contains(word) && !own.scope.contains(word);
    let outside = |word: &str| {
        let count = denying.tokens.iter().filter(|t| t.stem == word).count();
        count > denied.each.iter().flat_map(|(_, clause)| clause).filter(|same| **same == word).count()
    };
    let said_otherwise = |clause: &[&str]| {
        let denies = own.each.iter().filter_map(|(_, clause)| clause.first()).any(|word| clause[1..].contains(word));
        denies && clause[1..].iter().all(|word| !affirms(word) || outside(word))
    };
    denied.each.iter().any(|(_, clause)| clause.first().is_some_and(|word| affirms(word)) && !said_otherwise(clause))
}

/// Whether `plain`, the text without a negator, contains a denied word in a clause without a negative word.
fn said_by(plain: &View<'_>, denied: &HashSet<&str>, denying: &View<'_>) -> bool {
    let negative = |word: &str| is_listed(NEGATIVE, word);
    let mut clauses = plain.tokens.split_inclusive(|t| t.token.ends_clause || t.token.kind == TokenKind::ClauseEnd);
    clauses.any(|clause| {
        let says = clause.iter().any(|t| denied.contains(t.stem.as_str()));
        says && !clause.iter().any(|t| negative(&t.token.lower) && !denying.stems.contains(&t.stem))
    })
}

impl<'v> Denied<'v> {
    fn of(view: &'v View<'_>) -> Denied<'v> {
        let mut denied = Denied::default();
        let mut doubled = None;
        for (at, negator) in view.tokens.iter().enumerate() {
            let Some(from) = denied_from(view, at).filter(|_| doubled != Some(at)) else { continue };
            // "Don't forget to close it" demands it.
            let next =
                (from..view.tokens.len()).find(|next| carries(&view.tokens[*next].token.lower)).filter(|_| !negator.token.ends_clause);
            if let Some(next) =
                next.filter(|next| view.tokens[*next].token.kind != TokenKind::Negator && denied_from(view, *next).is_some())
            {
                doubled = Some(next);
                denied.doubled.insert(&view.tokens[next].stem);
                continue;
            }
            // "Inject a clock instead" denies nothing that it names.
            let comparing = COMPARING.contains(&negator.token.lower.as_str());
            if comparing && !view.tokens.get(at + 1).is_some_and(|t| matches!(t.token.lower.as_str(), "of" | "than")) {
                continue;
            }
            let mut clause = if negator.token.ends_clause { Vec::new() } else { clause(view, from) };
            if clause.is_empty() {
                clause = clause_before(view, at);
            }
            denied.scope.extend(&clause);
            denied.each.push((&negator.token.lower, clause));
        }
        denied
    }

    /// The same without the denials of these words.
    fn without(mut self, words: &HashSet<&str>) -> Denied<'v> {
        self.each.retain(|(_, clause)| !near(clause).iter().any(|word| words.contains(word)));
        self
    }

    fn near(&self) -> HashSet<&'v str> {
        self.each.iter().flat_map(|(_, clause)| near(clause)).copied().collect()
    }

    fn negators(&self) -> String {
        self.each.iter().map(|(negator, _)| *negator).collect::<Vec<_>>().join(" ")
    }
}

/// Where what a word denies begins, if it denies anything.
fn denied_from(view: &View<'_>, at: usize) -> Option<usize> {
    let token = view.tokens[at].token;
    if token.kind == TokenKind::Negator {
        return Some(at + 1);
    }
    let next = view.tokens.get(at + 1).filter(|_| token.kind == TokenKind::Plain && !token.ends_clause)?.token.lower.as_str();
    if UNTRUE.contains(&token.lower.as_str()) && next == "that" {
        return Some(at + 2);
    }
    let follows = |behind: &str| behind.is_empty() || is_listed(behind, next) || behind == DOING && next.ends_with("ing");
    DENYING.iter().any(|(words, behind)| is_listed(words, &token.lower) && follows(behind)).then_some(at + 1)
}

fn carries(word: &str) -> bool {
    !is_listed(AUXILIARY, word)
}

/// The first [`REACH`] words of what a negator denies.
fn near<'c, 'v>(clause: &'c [&'v str]) -> &'c [&'v str] {
    &clause[..clause.len().min(REACH)]
}

/// The stems from `from` to the end of the clause.
fn clause<'v>(view: &'v View<'_>, from: usize) -> Vec<&'v str> {
    let mut stems = Vec::new();
    let from = from.min(view.tokens.len());
    for (at, t) in view.tokens.iter().enumerate().skip(from) {
        // "Never as floats" denies the floats.
        if t.token.kind == TokenKind::ClauseEnd && !(at == from && t.token.lower == "as") {
            break;
        }
        if t.token.kind != TokenKind::Negator && t.token.kind != TokenKind::ClauseEnd && carries(&t.token.lower) {
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

/// Whether a text denies anything.
pub(super) fn denies(view: &View<'_>) -> bool {
    !Denied::of(view).each.is_empty()
}

/// Whether one text denies all but what the other keeps to.
pub(super) fn keeps_to(denying: &View<'_>, keeping: &View<'_>) -> bool {
    has_any(denying, &LEAVING) && has_any(keeping, &KEEPING)
}

fn has_any(view: &View<'_>, words: &[&str]) -> bool {
    view.tokens.iter().any(|t| words.contains(&t.token.lower.as_str()))
}

/// Whether a text tells what goes wrong, or what follows if it isn't obeyed.
pub(super) fn threatens(view: &View<'_>) -> bool {
    let fails = |t: &super::Stemmed<'_>| is_listed(NEGATIVE, &t.token.lower) && !DOUBLED.iter().any(|(word, _)| t.token.lower == *word);
    has_any(view, &ELSE) || view.tokens.iter().any(fails)
}

/// Whether a text has a word with a negative meaning.
pub(super) fn is_negative(view: &View<'_>) -> bool {
    view.tokens.iter().any(|t| is_excluding(&t.token.lower))
}

fn is_excluding(word: &str) -> bool {
    is_listed(NEGATIVE, word) || is_listed(EXCLUDING, word)
}

/// A text in which "always with" stands for "never without", and "always when" for "never unless", however far apart in a clause.
pub(super) fn undoubled(text: &str) -> String {
    let words = Words::of(text);
    let is_apart = |word: &str| word == "except" || COMPARING.contains(&word);
    let mut changes: Vec<(Range<usize>, &str)> = Vec::new();
    for clause in words.tokens().split_inclusive(|token| token.ends_clause || token.kind == TokenKind::ClauseEnd) {
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

/// A denial of one text that another one which should say the same lacks: its words as they stand there.
pub(super) fn lost(meant: &View<'_>, said: &View<'_>) -> Option<String> {
    let mut denied = Denied::of(meant);
    // "Disable it" denies "enable it".
    let is_turned = |word: &str| !said.stems.contains(word) && said.stems.iter().any(|other| opposites::opposite(word, other));
    denied.each.retain(|(_, clause)| !clause.first().is_some_and(|word| is_turned(word)));
    if denied.each.is_empty() || says_or_else(said, meant) {
        return None;
    }
    let clauses: Vec<&[super::Stemmed<'_>]> =
        said.tokens.split_inclusive(|t| t.token.ends_clause || t.token.kind == TokenKind::ClauseEnd).collect();
    let keeping = has_any(meant, &LEAVING);
    let excludes = |clause: &&[super::Stemmed<'_>]| {
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
        let about: Vec<&&[super::Stemmed<'_>]> =
            clauses.iter().filter(|clause| clause.iter().any(|t| near(denied).iter().any(|word| t.stem == *word))).collect();
        // One that says it all over again, and denies nothing.
        (!about.is_empty() && !about.iter().any(|clause| excludes(clause))).then(|| told(negator, denied.first().copied()))
    })
}
