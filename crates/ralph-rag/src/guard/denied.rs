//! What a text denies: the words after each negator, and what it denies without one.

use super::{Stemmed, View, frame};
use crate::words::{TokenKind, is_listed};
use std::collections::HashSet;

/// Words with a negative meaning. "X fails" and "X does not work" agree, so a clause with one of these agrees
/// with a negator of the other text.
pub(super) const NEGATIVE: &str = "fail fails failing failure break breaks broken forbid forbids forbidden reject rejects lose loses lost missing miss lack lacks \
    refuse refuses prevent prevents error impossible ignore ignores gone removed hidden hide slow hang hangs overwrite overwritten unless without \
    forget wrong stop stops unavailable empty deny denied disallow block blocked";
/// Words by which a text denies something without a negator.
const EXCLUDING: &str = "nothing avoid avoids forbids ban bans banned prohibit prohibits prohibited exclude excludes excluded skip skips \
    leave leaves refuses rejected dangerous unsafe wrongly instead untouched unchanged without except but neither";
/// Words that are not denied themselves: what is denied follows them.
const AUXILIARY: &str = "a an the be been being is are was were am do does did has have had to of than any it its by on in at for with as per via through from into \
    onto over under within between against across during can could may might must shall should will would need there";
/// Words that deny what follows as a negator does, each with the words of which one must follow; [`DOING`] stands for any word with that
/// ending, an empty list for any word.
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
    (MISSING, "a an any the its"),
    ("lack lacks lacked wrongly falsely mistakenly", ""),
];
const DOING: &str = "-ing";
const MISSING: &str = "missing";
/// Words that deny the whole clause behind "that".
const UNTRUE: [&str; 2] = ["false", "untrue"];
/// Stems of verbs that a negator before them turns into doing it: "do not skip the check". Against a text with the same verb it only denies that.
const SKIPPING: [&str; 5] = ["skip", "omit", "bypass", "ignor", "neglect"];
const OVER: &str = "over";
pub(super) const WITHOUT: &str = "without";
/// Negators that put one thing in the place of another.
pub(super) const COMPARING: [&str; 2] = ["instead", "rather"];
/// Verbs behind which "over" leaves out what follows: "prefer pnpm over npm".
const PREFERRING: &str = "prefer prefers preferred favor favors favour favours choose chooses pick picks";
/// Adverbs among [`AUXILIARY`] that are denied themselves if no object follows them: "it is not on by default".
const STATES: [&str; 1] = ["on"];
/// Words between which and "not" a state ends.
const BEHIND_A_STATE: [&str; 8] = ["in", "by", "at", "for", "during", "when", "while", "if"];
/// Number of words after a negator that it denies, if only one text denies anything.
const REACH: usize = 2;

/// The words that one text denies.
#[derive(Default)]
pub(super) struct Denied<'v> {
    /// Each negator with the words that it denies; the first of them are [`near`] it.
    pub(super) each: Vec<(&'v str, Vec<&'v str>)>,
    /// What a negator sets against what it denies: "tenant" in "per tenant, not per user".
    pub(super) instead: Vec<Vec<&'v str>>,
    /// Words whose negative meaning is denied: "don't forget".
    pub(super) doubled: HashSet<&'v str>,
    /// Every word of the denied clauses.
    pub(super) scope: HashSet<&'v str>,
}

impl<'v> Denied<'v> {
    pub(super) fn of(view: &'v View<'_>) -> Denied<'v> {
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
            denied.add(view, at, clause);
        }
        denied
    }

    /// The same against another text, which may affirm what this one rejects in favour of something ("prefer pnpm over npm"), what it does
    /// without ("without waiting"), and what it demands by two denials ("never merge without a review").
    pub(super) fn against(view: &'v View<'_>, other: &View<'_>) -> Denied<'v> {
        let mut denied = Denied::of(view);
        let is_doubled = |word: &&str| SKIPPING.contains(word) && !other.stems.contains(*word);
        denied.each.retain(|(_, clause)| !clause.first().is_some_and(is_doubled));
        // "It fails if the token is missing", "if the token is missing the call fails": what both miss, neither denies.
        denied.each.retain(|(word, _)| *word != MISSING || !has_any(other, &[MISSING]));
        for at in 0..view.tokens.len() {
            if prefers(view, at) || goes_without(view, at) {
                denied.add(view, at, clause(view, at + 1));
            }
            if let Some(demanded) = demanded(view, at).filter(|_| !has_any(other, &["without", "unless"])) {
                let is_demanded = demanded.iter().any(|word| other.stems.contains(*word));
                denied.each.retain(|(_, clause)| !(is_demanded && demanded.iter().all(|word| clause.contains(word))));
            }
        }
        denied
    }

    fn add(&mut self, view: &'v View<'_>, at: usize, clause: Vec<&'v str>) {
        self.instead.push(contrast(view, at));
        self.scope.extend(&clause);
        self.each.push((&view.tokens[at].token.lower, clause));
    }

    pub(super) fn only_prefers(&self) -> bool {
        !self.each.is_empty() && self.each.iter().all(|(word, _)| *word == OVER)
    }

    /// The same without the denials of these words.
    pub(super) fn without(mut self, words: &HashSet<&str>) -> Denied<'v> {
        self.each.retain(|(_, clause)| !near(clause).iter().any(|word| words.contains(word)));
        self
    }

    pub(super) fn near(&self) -> HashSet<&'v str> {
        self.each.iter().flat_map(|(_, clause)| near(clause)).copied().collect()
    }

    pub(super) fn negators(&self) -> String {
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

fn is_said(t: &Stemmed<'_>) -> bool {
    !matches!(t.token.kind, TokenKind::Negator | TokenKind::ClauseEnd)
}

/// The tokens of the clause before a place.
fn before<'v, 'a>(view: &'v View<'a>, at: usize) -> impl Iterator<Item = &'v Stemmed<'a>> {
    view.tokens[..at].iter().rev().take_while(|t| t.token.kind != TokenKind::ClauseEnd && !t.token.ends_clause)
}

/// What a text contrasts with what it denies at a place: the words before it, back to a function word, without the verb that begins a
/// clause.
fn contrast<'v>(view: &'v View<'_>, at: usize) -> Vec<&'v str> {
    let is_clause = |end: usize| end + 1 < at && view.tokens[end].token.ends_clause;
    let says = |t: &Stemmed<'_>| is_said(t) && !frame::is_grammar(&t.token.lower) && !frame::is_weightless(&t.token.lower);
    let joined = at.checked_sub(1).filter(|before| matches!(view.tokens[*before].token.lower.as_str(), "and" | "but"));
    let at = joined.unwrap_or(at);
    let from = (0..at).rev().take_while(|place| says(&view.tokens[*place]) && !is_clause(*place)).last().unwrap_or(at);
    let begins = from == 0 || view.tokens[from - 1].token.ends_clause;
    let from = if begins && from + 1 < at { from + 1 } else { from };
    view.tokens[from..at].iter().map(|t| t.stem.as_str()).collect()
}

/// Whether a text prefers what is before a place to what follows it.
fn prefers(view: &View<'_>, at: usize) -> bool {
    view.tokens[at].token.lower == OVER && before(view, at).any(|t| is_listed(PREFERRING, &t.token.lower))
}

/// Whether a text says at a place that something is not done: "push without waiting". What fails without it needs it.
fn goes_without(view: &View<'_>, at: usize) -> bool {
    let follows = view.tokens.get(at + 1).is_some_and(|next| next.token.lower.ends_with("ing"));
    let is_turned = || {
        view.tokens.iter().enumerate().any(|(place, t)| place != at && (is_excluding(&t.token.lower) || t.token.kind == TokenKind::Negator))
    };
    view.tokens[at].token.lower == WITHOUT && follows && !is_turned()
}

/// "Without", where a text denies it.
pub(super) fn lack_denied<'v>(view: &'v View<'_>) -> Option<&'v str> {
    (0..view.tokens.len()).find(|at| demanded(view, *at).is_some()).map(|at| view.tokens[at].stem.as_str())
}

/// What a text demands by denying the lack of it: "never merge without a review".
fn demanded<'v>(view: &'v View<'_>, at: usize) -> Option<Vec<&'v str>> {
    let is_denied = view.tokens[at].token.lower == WITHOUT && before(view, at).any(|t| t.token.kind == TokenKind::Negator);
    Some(clause(view, at + 1)).filter(|clause| is_denied && !clause.is_empty())
}

/// The first [`REACH`] words of what a negator denies.
pub(super) fn near<'c, 'v>(clause: &'c [&'v str]) -> &'c [&'v str] {
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
        if is_said(t) && (carries(&t.token.lower) || at == from && is_state(view, at)) {
            stems.push(t.stem.as_str());
        }
        if t.token.ends_clause {
            break;
        }
    }
    stems
}

/// Whether a word that usually takes an object says a state: "it is not on", "not on by default".
fn is_state(view: &View<'_>, at: usize) -> bool {
    let token = view.tokens[at].token;
    let leads = view.tokens.get(at + 1).is_some_and(|next| !BEHIND_A_STATE.contains(&next.token.lower.as_str()));
    STATES.contains(&token.lower.as_str()) && (token.ends_clause || !leads)
}

/// The stems before a negator at the end of its clause ("the application does not"), the nearest first.
fn clause_before<'v>(view: &'v View<'_>, end: usize) -> Vec<&'v str> {
    before(view, end).filter(|t| carries(&t.token.lower)).map(|t| t.stem.as_str()).collect()
}

/// Whether a text prefers one thing to another: "prefer pnpm over npm".
pub(super) fn has_a_preference(view: &View<'_>) -> bool {
    (0..view.tokens.len()).any(|at| prefers(view, at))
}

pub(super) fn is_excluding(word: &str) -> bool {
    is_listed(NEGATIVE, word) || is_listed(EXCLUDING, word)
}

/// Whether a text has one of these words.
pub(super) fn has_any(view: &View<'_>, words: &[&str]) -> bool {
    view.tokens.iter().any(|t| words.contains(&t.token.lower.as_str()))
}
