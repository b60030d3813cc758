//! Which name has which role: what comes first, where something goes, who does it, and which of two is denied.
//!
//! Sentences may be rebuilt, and then the guard finds no two of the same shape to compare; here the words directly around a name are
//! compared.

use super::names::is_shaped;
use crate::guard::{alike, is_grammar, is_weightless, opposite, stem, undoubled};
use crate::words::{is_clause_end, is_listed, is_negator};
use ralph_core::quality::{Hit, HitKind};
use std::collections::BTreeSet;

/// Words before a name that put something else before it, or after it.
const LATER: [&str; 5] = ["before", "until", "till", "precedes", "then"];
const EARLIER: [&str; 4] = ["after", "once", "following", "follows"];
/// Words before a name that something goes to, and words before one that it comes from.
const TO: [&str; 3] = ["to", "into", "onto"];
const FROM: [&str; 1] = ["from"];
/// Words that begin the next step: "first copy a, then copy b".
const NEXT: [&str; 4] = ["then", "afterwards", "next", "finally"];
/// Words that make a step the first one.
const FIRST: [&str; 2] = ["first", "beforehand"];
/// Negators that deny only what follows them.
const FORWARD: [&str; 4] = ["instead", "rather", "except", "without"];
/// Beginnings of the words that put one thing above another.
const PREFER: [&str; 3] = ["prefer", "favour", "favor"];
/// Words between a relation and its name: what kind of thing it is.
const KINDS: &str = "file files folder directory table column field crate module branch step script of than running run";

/// A word or a name of a text.
struct Part {
    lower: String,
    is_name: bool,
    /// The number of its clause, and of its sentence.
    clause: usize,
    sentence: usize,
}

/// One name before another: in time, in a movement, or as what acts on it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    kind: Kind,
    from: String,
    to: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Time,
    Movement,
    Doer,
}

/// How the names of an entry relate to each other in the rewording.
#[derive(Debug, Default)]
pub(in crate::consolidate) struct Roles {
    /// What is reversed, without the entry's key.
    pub(super) turned: Option<String>,
    /// Whether one still comes before the other, however that is said.
    order_kept: bool,
    /// Whether one of two is still denied, and the other is not.
    denial_kept: bool,
}

impl Roles {
    /// Whether a hit of the guard only means that the same roles are given in another order.
    pub(in crate::consolidate) fn excuse(&self, hit: &Hit) -> bool {
        let tells_time = |word: &str| LATER.contains(&word) || EARLIER.contains(&word);
        match hit.kind {
            HitKind::Order => self.order_kept || self.denial_kept,
            HitKind::Antonym => self.order_kept && tells_time(&hit.older) && tells_time(&hit.newer),
            HitKind::Negation => self.denial_kept,
            _ => false,
        }
    }
}

/// Compares the roles of the names that both texts have.
pub(in crate::consolidate) fn roles(entry: &str, said: &str) -> Roles {
    let (meant, now) = (parts(&undoubled(entry)), parts(&undoubled(said)));
    let names: Vec<String> = once(&meant).into_iter().filter(|name| once(&now).contains(name)).collect();
    let mut roles = Roles::default();
    let (edges, there) = (edges(&meant), edges(&now));
    for edge in edges.iter().filter(|edge| names.contains(&edge.from) && names.contains(&edge.to)) {
        let turned = Edge { kind: edge.kind, from: edge.to.clone(), to: edge.from.clone() };
        roles.order_kept |= there.contains(edge);
        if there.contains(&turned) && !there.contains(edge) {
            let Edge { from, to, .. } = edge;
            let how = match edge.kind {
                Kind::Time => "comes before",
                Kind::Movement => "goes to",
                Kind::Doer => "does it to",
            };
            roles.turned = Some(format!("says that `{from}` {how} `{to}`, and not the other way round"));
        }
    }
    for (at, one) in names.iter().enumerate() {
        for other in &names[at + 1..] {
            let of = |parts: &[Part]| (is_denied(parts, one), is_denied(parts, other));
            let (was, is) = (of(&meant), of(&now));
            if was.0 != was.1 && is.0 != is.1 {
                roles.denial_kept |= was == is;
                let (denied, kept) = if was.0 { (one, other) } else { (other, one) };
                roles.turned = roles.turned.or_else(|| (was != is).then(|| format!("denies `{denied}`, and not `{kept}`")));
            } else if !roles.order_kept
                && (acts(&meant, &now, one, other) || acts(&now, &meant, one, other) || exchanged(&meant, &now, one, other))
            {
                roles.turned = roles.turned.or_else(|| Some(format!("says of `{one}` what is said of `{other}` there")));
            }
        }
    }
    if !roles.order_kept {
        roles.turned = roles.turned.or_else(|| names.iter().find_map(|name| opposite_place(&meant, &now, name)));
    }
    roles
}

/// The names that a text has exactly once.
fn once(parts: &[Part]) -> Vec<String> {
    let names: Vec<&String> = parts.iter().filter(|part| part.is_name).map(|part| &part.lower).collect();
    names.iter().filter(|name| names.iter().filter(|other| other == name).count() == 1).map(|name| (*name).clone()).collect()
}

fn place(parts: &[Part], name: &str) -> Option<usize> {
    parts.iter().position(|part| part.is_name && part.lower == name)
}

/// The word before a name that says how it relates to the rest, ignoring articles and its kind.
fn relation(parts: &[Part], at: usize) -> Option<&str> {
    let mut before = before(parts, at);
    let tells = |word: &str| LATER.contains(&word) || !is_weightless(word) && !is_listed(KINDS, word);
    before.find(|part| tells(&part.lower)).map(|part| part.lower.as_str())
}

/// The words before a name in its sentence, the nearest first, up to another name.
fn before(parts: &[Part], at: usize) -> impl Iterator<Item = &Part> {
    parts[..at].iter().rev().take_while(move |part| !part.is_name && part.sentence == parts[at].sentence)
}

/// The position of the nearest name before another one in its sentence; without one, of the nearest after it.
fn beside(parts: &[Part], at: usize) -> Option<usize> {
    let is_other = |other: &usize| parts[*other].is_name && parts[*other].sentence == parts[at].sentence;
    (0..at).rev().find(is_other).or_else(|| (at + 1..parts.len()).find(is_other))
}

/// Whether one of these words is in the clause of a name, with no other name between them; "the first request" is not a step.
fn has_near(parts: &[Part], at: usize, words: &[&str]) -> bool {
    let near = |part: &usize| !parts[*part].is_name && parts[*part].clause == parts[at].clause;
    let is_step = |place: usize| {
        let article = place > 0 && matches!(parts[place - 1].lower.as_str(), "the" | "its" | "their" | "every" | "each" | "at");
        words.contains(&parts[place].lower.as_str()) && !article
    };
    (0..at).rev().take_while(near).any(is_step) || (at + 1..parts.len()).take_while(near).any(is_step)
}

fn is_relation(word: &str) -> bool {
    [&LATER[..], &EARLIER, &TO, &FROM, &["by"]].concat().contains(&word)
}

fn edges(parts: &[Part]) -> BTreeSet<Edge> {
    let mut found = BTreeSet::new();
    for (at, name) in parts.iter().enumerate().filter(|(_, part)| part.is_name) {
        let Some(other) = beside(parts, at) else { continue };
        let same_clause = parts[other].clause == name.clause;
        let (kind, to_name) = match relation(parts, at) {
            // Two with the same role don't relate to each other.
            Some(word) if is_relation(word) && self::relation(parts, other) == Some(word) => continue,
            Some(word) if LATER.contains(&word) => (Kind::Time, true),
            Some(word) if EARLIER.contains(&word) => (Kind::Time, false),
            Some(word) if TO.contains(&word) && same_clause => (Kind::Movement, true),
            Some(word) if FROM.contains(&word) && same_clause => (Kind::Movement, false),
            Some("by") if same_clause => (Kind::Doer, false),
            _ if other < at && has_near(parts, at, &NEXT) => (Kind::Time, true),
            _ if has_near(parts, at, &FIRST) => (Kind::Time, false),
            _ => continue,
        };
        let (from, to) = if to_name { (&parts[other], name) } else { (name, &parts[other]) };
        found.insert(Edge { kind, from: from.lower.clone(), to: to.lower.clone() });
    }
    found
}

/// Whether a name has a negator, with no other name between them.
fn is_denied(parts: &[Part], name: &str) -> bool {
    let Some(at) = place(parts, name) else { return false };
    let near = |part: &&Part| !part.is_name && part.clause == parts[at].clause;
    let before = parts[..at].iter().rev().take_while(near).any(|part| is_negator(&part.lower) || FORWARD.contains(&part.lower.as_str()));
    let behind = parts[at + 1..].iter().take_while(near).any(|part| is_negator(&part.lower) && !FORWARD.contains(&part.lower.as_str()));
    // "Prefer a over b", "a is preferred to b".
    let prefers = |part: &Part| part.sentence == parts[at].sentence && PREFER.iter().any(|verb| part.lower.starts_with(verb));
    before || behind || matches!(relation(parts, at), Some("over" | "to")) && parts[..at].iter().any(prefers)
}

/// Whether one text says in the passive what the other says in the active, about the same two names in the same order: "a is written by b",
/// "a writes b".
fn acts(passive: &[Part], active: &[Part], one: &str, other: &str) -> bool {
    let between = |parts: &[Part]| -> Option<(bool, Vec<String>)> {
        let (first, second) = (place(parts, one)?, place(parts, other)?);
        let (from, to) = (first.min(second), first.max(second));
        let same = parts[from].sentence == parts[to].sentence;
        same.then(|| (first < second, parts[from + 1..to].iter().map(|part| part.lower.clone()).collect()))
    };
    let Some(((order, words), (order_there, words_there))) = between(passive).zip(between(active)) else { return false };
    let by = |words: &[String]| words.iter().any(|word| word == "by");
    // "Is solved by removing a" does not say what a does.
    let is_doer = |name: &str| place(passive, name).is_some_and(|at| relation(passive, at) == Some("by"));
    let does = |word: &String| words_there.iter().any(|other| says(word) && says(other) && alike(&stem(word), &stem(other)));
    order == order_there && (is_doer(one) || is_doer(other)) && !by(&words_there) && words.iter().any(does)
}

/// Whether what only one name's clause says here is said in the other name's clause there.
fn exchanged(meant: &[Part], now: &[Part], one: &str, other: &str) -> bool {
    let clauses = |parts: &[Part]| -> Option<(BTreeSet<String>, BTreeSet<String>)> {
        let (first, second) = (parts.get(place(parts, one)?)?.clause, parts.get(place(parts, other)?)?.clause);
        let of = |clause: usize| -> BTreeSet<String> {
            parts.iter().filter(|part| part.clause == clause && !part.is_name && says(&part.lower)).map(|part| stem(&part.lower)).collect()
        };
        let (mine, theirs) = (of(first), of(second));
        (first != second).then(|| (mine.difference(&theirs).cloned().collect(), theirs.difference(&mine).cloned().collect()))
    };
    let Some(((mine, theirs), (mine_now, theirs_now))) = clauses(meant).zip(clauses(now)) else { return false };
    let shared = |one: &BTreeSet<String>, other: &BTreeSet<String>| one.intersection(other).count();
    shared(&mine, &mine_now) + shared(&theirs, &theirs_now) == 0 && shared(&mine, &theirs_now) + shared(&theirs, &mine_now) > 0
}

/// A relation of a name that has become its opposite: inside and outside of it.
fn opposite_place(meant: &[Part], now: &[Part], name: &str) -> Option<String> {
    let of = |parts: &[Part]| relation(parts, place(parts, name)?).map(str::to_owned);
    let (was, is) = (of(meant)?, of(now)?);
    let turned = (is_grammar(&was) || is_grammar(&is)) && opposite(&stem(&was), &stem(&is));
    turned.then(|| format!("says \"{was} {name}\", and not \"{is} {name}\""))
}

fn says(word: &str) -> bool {
    !is_grammar(word) && !is_weightless(word) && !is_negator(word)
}

/// The words and names of a text; code is one name.
fn parts(text: &str) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    let (mut clause, mut sentence) = (0, 0);
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 && piece.contains(char::is_alphanumeric) {
            let lower = piece.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            found.push(Part { lower, is_name: true, clause, sentence });
            continue;
        }
        for word in piece.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '—' | '–' | '|')) {
            let plain = word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.' | '$' | '@')));
            let plain = plain.trim_end_matches('.');
            if plain.contains(char::is_alphanumeric) {
                let lower = plain.to_lowercase().replace('\u{2019}', "'");
                let is_name = is_shaped(plain);
                if !is_name && (is_clause_end(&lower) || matches!(lower.as_str(), "instead" | "rather")) {
                    clause += 1;
                }
                found.push(Part { lower, is_name, clause, sentence });
            }
            clause += usize::from(word.ends_with([',', ';', ':', '.', '!', '?']));
            sentence += usize::from(word.ends_with([';', '.', '!', '?']));
        }
    }
    found
}
