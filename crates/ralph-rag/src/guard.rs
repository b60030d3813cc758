//! The guard: what stands against each other in two texts that look alike.
//!
//! Similarity by vectors is nearly blind to "not", numbers, names, opposites and order. The guard looks at the differing
//! words alone. A hit never makes two texts the same; it can only keep them apart.

mod opposites;

use crate::words::{Token, TokenKind, Words};
use ralph_core::quality::{Hit, HitKind};
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{HashMap, HashSet};

/// Words without weight for the order of things: articles, auxiliaries, conjunctions, pronouns.
const ORDER_STOP: &str = "a an the this that these those and or also is are was were be been being am do does did has have had will would \
    can could should shall it its his her their there he she they who which very so then just it's both all each every only";
/// Share of the smaller text's words that both have, from which another order tells something.
const ORDER_SHARED: f64 = 0.6;

/// What stands against each other in two texts. Symmetric but for which side is named older.
pub fn hits(older: &Words, newer: &Words) -> Vec<Hit> {
    let (a, b) = (View::of(older), View::of(newer));
    let mut hits = Vec::new();
    hits.extend(a.negation_against(&b));
    let (mine, theirs) = (a.only(&b), b.only(&a));
    hits.extend(names(&mine, &theirs));
    hits.extend(numbers(&mine, &theirs));
    for one in &mine {
        for other in &theirs {
            let (plain_one, plain_other) = (is_word(one.token), is_word(other.token));
            if !(plain_one && plain_other) {
                continue;
            }
            let kind = if opposites::opposite(&one.stem, &other.stem) || opposites::by_ending(&one.token.lower, &other.token.lower) {
                HitKind::Antonym
            } else if opposites::counterparts(&one.stem, &other.stem) {
                HitKind::Other
            } else {
                continue;
            };
            hits.push(Hit { kind, older: one.token.lower.clone(), newer: other.token.lower.clone() });
        }
    }
    hits.extend(order(&a, &b));
    hits
}

/// The stem of a lower-case English word.
fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// Not a path, a name or a number: only ordinary words have opposites. Clause ends such as "before" do not occur among them.
fn is_word(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Plain | TokenKind::ClauseEnd)
}

/// A token with its stem.
struct Stemmed<'a> {
    token: &'a Token,
    stem: String,
}

/// The words of a text with their stems.
struct View<'a> {
    tokens: Vec<Stemmed<'a>>,
    stems: HashSet<String>,
}

impl<'a> View<'a> {
    fn of(words: &'a Words) -> View<'a> {
        let stemmed = |token: &'a Token| {
            let stem =
                if token.lower.is_ascii() && !matches!(token.kind, TokenKind::Number) { stem(&token.lower) } else { token.lower.clone() };
            Stemmed { token, stem }
        };
        let tokens: Vec<Stemmed<'a>> = words.tokens().iter().map(stemmed).collect();
        let stems = tokens.iter().filter(|t| t.token.kind != TokenKind::Negator).map(|t| t.stem.clone()).collect();
        View { tokens, stems }
    }

    /// Tokens that the other text does not have, negators left out.
    fn only(&self, other: &View<'_>) -> Vec<&Stemmed<'a>> {
        self.tokens.iter().filter(|t| t.token.kind != TokenKind::Negator && !other.stems.contains(&t.stem)).collect()
    }

    fn negators(&self) -> Vec<&str> {
        self.tokens.iter().filter(|t| t.token.kind == TokenKind::Negator).map(|t| t.token.lower.as_str()).collect()
    }

    /// For each stem whether it stands affirmed, and whether negated.
    fn stances(&self) -> HashMap<&str, (bool, bool)> {
        let mut stances: HashMap<&str, (bool, bool)> = HashMap::new();
        for t in self.tokens.iter().filter(|t| matches!(t.token.kind, TokenKind::Plain | TokenKind::Exact) && t.token.lower.len() > 2) {
            let stance = stances.entry(&t.stem).or_default();
            if t.token.negated { stance.1 = true } else { stance.0 = true }
        }
        stances
    }

    /// One text denies and the other does not, or a shared word is affirmed in one and denied in the other.
    fn negation_against(&self, other: &View<'_>) -> Option<Hit> {
        let (mine, theirs) = (self.negators(), other.negators());
        if mine.is_empty() && theirs.is_empty() {
            return None;
        }
        let one_sided = mine.is_empty() != theirs.is_empty();
        let there = other.stances();
        let turned = || {
            self.stances().iter().any(|(word, here)| {
                matches!((here, there.get(word)), ((true, false), Some((false, true))) | ((false, true), Some((true, false))))
            })
        };
        (one_sided || turned()).then(|| Hit { kind: HitKind::Negation, older: mine.join(" "), newer: theirs.join(" ") })
    }
}

/// Each text names a path, an identifier or a name that the other does not know.
fn names(mine: &[&Stemmed<'_>], theirs: &[&Stemmed<'_>]) -> Option<Hit> {
    let list = |side: &[&Stemmed<'_>]| words_of(side, |t| t.kind == TokenKind::Exact);
    let (older, newer) = (list(mine), list(theirs));
    (!older.is_empty() && !newer.is_empty()).then_some(Hit { kind: HitKind::Other, older, newer })
}

/// Each text gives a number that the other does not. "one" and "both" count as numbers only against another.
fn numbers(mine: &[&Stemmed<'_>], theirs: &[&Stemmed<'_>]) -> Option<Hit> {
    let list =
        |side: &[&Stemmed<'_>]| words_of(side, |t| t.kind == TokenKind::Number || matches!(t.lower.as_str(), "one" | "both" | "single"));
    let (older, newer) = (list(mine), list(theirs));
    (!older.is_empty() && !newer.is_empty()).then_some(Hit { kind: HitKind::Number, older, newer })
}

fn words_of(side: &[&Stemmed<'_>], which: impl Fn(&Token) -> bool) -> String {
    side.iter().filter(|t| which(t.token)).map(|t| t.token.lower.as_str()).collect::<Vec<_>>().join(" ")
}

/// Three shared words that stand the other way round ("the cat chases the dog", "the dog chases the cat") change who does what. Clauses
/// that change places ("before a commit run the tests") turn only pairs around, and a passive turns the sentence and keeps its sense.
fn order(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let (mine, theirs) = (ordered(a), ordered(b));
    if mine.contains(&"by") != theirs.contains(&"by") {
        return None;
    }
    let once = |all: &[&str], word: &str| all.iter().filter(|w| **w == word).count() == 1;
    let shared: Vec<&str> = mine.iter().copied().filter(|w| once(&mine, w) && once(&theirs, w)).collect();
    if (shared.len() as f64) < ORDER_SHARED * mine.len().min(theirs.len()) as f64 {
        return None;
    }
    let places: Vec<usize> = shared.iter().filter_map(|w| theirs.iter().position(|t| t == w)).collect();
    let turned = longest_falling(&places)?;
    let named: Vec<&str> = turned.iter().map(|at| shared[*at]).collect();
    let back: Vec<&str> = named.iter().rev().copied().collect();
    Some(Hit { kind: HitKind::Order, older: named.join(" "), newer: back.join(" ") })
}

fn ordered<'v>(view: &'v View<'_>) -> Vec<&'v str> {
    let stop = |word: &str| ORDER_STOP.split_whitespace().any(|s| s == word);
    view.tokens.iter().filter(|t| t.token.kind != TokenKind::Negator && !stop(&t.token.lower)).map(|t| t.stem.as_str()).collect()
}

/// Three places that fall one after the other, as indexes; `None` when no three do.
fn longest_falling(places: &[usize]) -> Option<[usize; 3]> {
    for middle in 1..places.len().saturating_sub(1) {
        let before = (0..middle).find(|i| places[*i] > places[middle]);
        let after = (middle + 1..places.len()).find(|i| places[*i] < places[middle]);
        if let (Some(before), Some(after)) = (before, after) {
            return Some([before, middle, after]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(a: &str, b: &str) -> Vec<HitKind> {
        let (a, b) = (Words::of(a), Words::of(b));
        let sorted = |a: &Words, b: &Words| {
            let mut kinds: Vec<HitKind> = hits(a, b).into_iter().map(|h| h.kind).collect();
            kinds.sort();
            kinds.dedup();
            kinds
        };
        let forth = sorted(&a, &b);
        assert_eq!(forth, sorted(&b, &a), "the guard is symmetric");
        forth
    }

    #[test]
    fn each_kind_of_difference_is_seen() {
        use HitKind::{Antonym, Negation, Number, Order, Other};
        for (a, b, expected) in [
            ("Mock the clock in tests", "Never mock the clock in tests", Negation),
            ("Use pnpm, never npm", "Use npm, never pnpm", Negation),
            ("A build without the cache is correct", "A build with the cache is correct", Negation),
            ("Retry three times", "Retry 5 times", Number),
            ("The job needs Node 18", "The job needs Node v20", Number),
            ("One worker reads the queue", "Both workers read the queue", Number),
            ("Open the socket inside the lock", "Open the socket outside the lock", Antonym),
            ("The helper folds the tree", "The helper unfolds the tree", Antonym),
            ("Handlers are stateful", "Handlers are stateless", Antonym),
            ("Upgrade the schema first", "Downgrade the schema first", Antonym),
            ("Keep the index near the rows", "Keep the index far from the rows", Antonym),
            ("Copy the schema from staging to production", "Copy the schema from production to staging", Order),
            ("The scheduler waits for the worker", "The worker waits for the scheduler", Order),
            ("Settings come from config.ts", "Settings come from settings.ts", Other),
            ("Call getUser first", "Call getAdmin first", Other),
            ("The client checks the token", "The server checks the token", Other),
            ("Webhooks from Stripe are retried", "Webhooks from Adyen are retried", Other),
        ] {
            assert!(kinds(a, b).contains(&expected), "{a} | {b}: {:?}", kinds(a, b));
        }
    }

    #[test]
    fn the_same_said_in_another_way_is_not_hit() {
        for (a, b) in [
            ("Run the tests before a commit", "Before a commit, run the tests"),
            ("The worker sends the mail", "The mail is sent by the worker"),
            ("Retry three times with backoff", "Retry 3 times, with backoff"),
            ("Do not mock the clock because tests then lie", "Don't mock the clock, since tests lie then"),
            ("The port 8080 must be free", "The port must be free"),
            ("Both the reader and the writer lock the file", "The writer and the reader both lock the file"),
            ("Seeds live in db/seeds.sql", "You find the seeds in `db/seeds.sql`"),
        ] {
            assert_eq!(kinds(a, b), [], "{a} | {b}");
        }
    }

    #[test]
    fn a_hit_names_the_words_of_each_side() {
        let found = hits(&Words::of("Enable the cache in config.ts"), &Words::of("Disable the cache in settings.ts"));
        let hit = |kind, older: &str, newer: &str| Hit { kind, older: older.into(), newer: newer.into() };
        assert_eq!(found, [hit(HitKind::Other, "config.ts", "settings.ts"), hit(HitKind::Antonym, "enable", "disable")]);
    }
}
