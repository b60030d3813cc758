//! Order: the same words, but two of them are swapped, which changes who does what to whom, or the same steps in another order, or long
//! parts that have changed places, see [`sides`].

use super::{View, frame, negation, sides};
use crate::words::{TokenKind, is_listed};
use ralph_core::quality::{Hit, HitKind};
use std::collections::HashSet;

/// Words that don't matter for the order: articles, auxiliaries, conjunctions, pronouns.
const WEIGHTLESS: &str = "a an the this that these those and or also is are was were be been being am do does did has have had will would can could \
    should shall it its his her their there he she they who which very so then just it's both all each every only first";
/// Share of the longer text that must be in the same order once two words are swapped back. Moving whole clauses
/// ("before a commit run the tests") stays far below, and keeps the meaning.
const ALIGNED: f64 = 0.8;
/// Maximum words of a text for this check: longer texts are never one sentence with swapped words.
const MAX_WORDS: usize = 40;
/// Words of grammar that contrast what precedes them with what follows: "prefers flags over the file".
const SETS_APART: &str = "over than before after under above below into onto instead";
/// Words that begin the next step.
const NEXT_STEP: [&str; 5] = ["then", "afterwards", "next", "finally", "followed"];

/// Words, steps or sides in another order.
pub(super) fn hit(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let turned = swapped(a, b).or_else(|| parts(a, b)).filter(|hit| !negation::set_apart(a, b, &hit.older));
    turned.or_else(|| other_steps(a, b)).or_else(|| sides::hit(a, b))
}

/// Two words swapped around a third ("the cat chases the dog", "the dog chases the cat"), or around the end of a clause ("use pnpm; npm
/// breaks"). A passive also swaps them, but keeps the meaning, and what is merely listed has no order.
fn swapped(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let (placed, there) = (weighty(a), weighty(b));
    let (mine, theirs) = (stems(&placed), stems(&there));
    let longer = mine.len().max(theirs.len());
    if longer > MAX_WORDS || mine.contains(&"by") != theirs.contains(&"by") {
        return None;
    }
    let shared = mine.iter().filter(|w| theirs.contains(w)).count();
    let needed = (ALIGNED * longer as f64).ceil() as usize;
    let before = common(&mine, &theirs);
    if shared < needed || before == longer {
        return None;
    }
    for i in 0..mine.len() {
        for j in i + 1..mine.len() {
            let beside = j == i + 1;
            // "A dog, which is black" has one clause more than "a black dog".
            let parted = |word: &str| there.iter().find(|other| other.stem == word).is_some_and(|other| other.ends_clause);
            if mine[i] == mine[j]
                || beside && !(placed[i].ends_clause && parted(mine[j]))
                || in_one_list(&placed[i..], j - i)
                || !inverted(mine[i], mine[j], &theirs)
            {
                continue;
            }
            let mut swapped = mine.clone();
            swapped.swap(i, j);
            let after = common(&swapped, &theirs);
            // Adjacent words cost one place, others two.
            if after >= needed && after >= before + if beside { 1 } else { 2 } {
                let (first, last) = (mine[i], mine[j]);
                return Some(Hit { kind: HitKind::Order, older: format!("{first} {last}"), newer: format!("{last} {first}") });
            }
        }
    }
    None
}

/// Parts of several words that have changed places around words that stay: "environment variables override the config file". A phrase with
/// a preposition may be anywhere in a sentence, and a mere list has no order.
fn parts(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let (placed, there) = (weighty(a), weighty(b));
    let (mine, theirs) = (stems(&placed), stems(&there));
    let length = mine.len();
    if length != theirs.len() || length > MAX_WORDS || mine.contains(&"by") != theirs.contains(&"by") {
        return None;
    }
    let head = (0..length).take_while(|at| mine[*at] == theirs[*at]).count();
    let tail = (head..length).rev().take_while(|at| mine[*at] == theirs[*at]).count();
    let (placed, there) = (&placed[head..length - tail], &there[head..length - tail]);
    let (mine, theirs) = (&mine[head..length - tail], &theirs[head..length - tail]);
    let length = mine.len();
    let turned = |first: usize, last: usize| {
        mine[..first] == theirs[length - first..]
            && mine[length - last..] == theirs[..last]
            && mine[first..length - last] == theirs[last..length - first]
    };
    // Whole clauses may be in any order.
    let parted = |words: &[Placed<'_>], first: usize, last: usize| {
        let middle = &words[first..length - last];
        let listed = words[first - 1].joined && middle.last().is_some_and(|word| word.joined);
        let in_clauses = words[..length - last].iter().any(|word| word.ends_clause);
        !listed
            && !in_clauses
            && !words[0].grammar
            && !words[length - last].grammar
            && middle.iter().any(|word| !word.grammar || word.sets_apart)
    };
    let lengths = (1..length).flat_map(|first| (1..length - first).map(move |last| (first, last)));
    let (first, last) =
        lengths.into_iter().find(|(first, last)| turned(*first, *last) && parted(placed, *first, *last) && parted(there, *last, *first))?;
    let (first, last) = (mine[..first].join(" "), mine[length - last..].join(" "));
    Some(Hit { kind: HitKind::Order, older: format!("{first} {last}"), newer: format!("{last} {first}") })
}

/// A word with what follows it.
struct Placed<'v> {
    stem: &'v str,
    ends_clause: bool,
    /// "and" or "or" follows it, and no "then".
    joined: bool,
    /// It is a word of grammar.
    grammar: bool,
    /// It sets apart what is before and behind it.
    sets_apart: bool,
}

fn weighty<'v>(view: &'v View<'_>) -> Vec<Placed<'v>> {
    let weightless = |word: &str| is_listed(WEIGHTLESS, word);
    let said = |at: &usize| {
        let token = view.tokens[*at].token;
        token.kind == TokenKind::Exact || token.kind != TokenKind::Negator && !weightless(&token.lower)
    };
    let lower = |at: usize| view.tokens.get(at).map_or("", |t| t.token.lower.as_str());
    let joins = |at: usize| matches!(lower(at), "and" | "or") && lower(at + 1) != "then";
    let placed = |at: usize| Placed {
        stem: view.tokens[at].stem.as_str(),
        ends_clause: view.tokens[at].token.ends_clause,
        joined: joins(at + 1),
        grammar: frame::is_grammar(lower(at)),
        sets_apart: is_listed(SETS_APART, lower(at)),
    };
    (0..view.tokens.len()).filter(said).map(placed).collect()
}

fn stems<'v>(placed: &[Placed<'v>]) -> Vec<&'v str> {
    placed.iter().map(|word| word.stem).collect()
}

/// Whether the first of these words and the one `further` on belong to one list: "git, curl and jq".
fn in_one_list(words: &[Placed<'_>], further: usize) -> bool {
    let list = words.iter().take_while(|word| word.joined || word.ends_clause);
    list.clone().count() >= further && list.clone().any(|word| word.joined)
}

/// The same steps, one after the other, in another order.
fn other_steps(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let (mine, theirs) = (steps(a), steps(b));
    let is_same = |one: &HashSet<&str>, other: &HashSet<&str>| 2 * one.intersection(other).count() > one.len().max(other.len());
    let places: Vec<(usize, usize)> = mine
        .iter()
        .enumerate()
        .filter_map(|(at, (_, step))| Some((at, theirs.iter().position(|(_, other)| is_same(step, other))?)))
        .collect();
    let (first, last) = places.windows(2).find(|pair| pair[1].1 < pair[0].1).map(|pair| (mine[pair[0].0].0, mine[pair[1].0].0))?;
    Some(Hit { kind: HitKind::Order, older: format!("{first} {last}"), newer: format!("{last} {first}") })
}

/// The steps of a text that puts them in order, each with its first word; none for any other text.
fn steps<'v>(view: &'v View<'_>) -> Vec<(&'v str, HashSet<&'v str>)> {
    let begins = |word: &str| NEXT_STEP.contains(&word);
    let words: Vec<&str> = view.tokens.iter().map(|t| t.token.lower.as_str()).collect();
    if !words.iter().any(|word| begins(word)) {
        return Vec::new();
    }
    let says = |word: &str| !begins(word) && !is_listed(WEIGHTLESS, word);
    let parts = view.tokens.chunk_by(|_, next| !begins(&next.token.lower));
    parts
        .filter_map(|part| {
            let said: Vec<&str> = part.iter().filter(|t| says(&t.token.lower)).map(|t| t.stem.as_str()).collect();
            Some((*said.first()?, said.into_iter().collect()))
        })
        .collect()
}

/// Whether `second` comes before `first` there.
fn inverted(first: &str, second: &str, there: &[&str]) -> bool {
    let place = |word: &str| there.iter().position(|w| *w == word);
    matches!((place(first), place(second)), (Some(first), Some(second)) if second < first)
}

/// Length of the longest common subsequence.
fn common(a: &[&str], b: &[&str]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    row[b.len()]
}
