//! The same sentence with another word in its place: "timeouts are in seconds", "timeouts are in milliseconds".
//!
//! Whatever the word is, such a sentence is about something else, unless one word can stand for the other. No table of opposites can list
//! every such pair, but synonyms can be listed (see [`senses`]); a word in no list makes one lesson count as two, which costs a
//! line, rather than two as one, which loses a lesson.

use super::{Stemmed, View, numbers, senses, stem};
use crate::words::{TokenKind, is_comparison, is_listed, unit_of};
use ralph_core::quality::{Hit, HitKind};
use std::collections::HashSet;

/// Words that make no difference where they are the only extra word.
const WEIGHTLESS: &str = "a an the this that these those is are was were be been being am do does did has have had having will would it its his \
    her their our your my there he she they we you i who which very so then just also now here own or both either too really please";
/// Function words: whether a place holds one of them or a content word depends on how a sentence is built.
const GRAMMAR: &str = "to of in on at by for from with without within into inside onto over under through throughout via against between \
    before prior after until till unless while when whenever where if because since as than else otherwise but and yet hence once during \
    them him one ones another other others any some all each every neither none must should shall may might can could need ought \
    what whose whom how why not no only solely even still already";
/// Words that bind what a sentence says to a condition, or except something from it.
const CONDITIONS: &str = "unless if only or except but until till when whenever while without least most after before once during where \
    since provided assuming";
/// The same in two words.
const CONDITIONS_OF_TWO: [(&str, &str); 4] = [("as", "long"), ("so", "long"), ("as", "soon"), ("in", "case")];
/// Number of replaced words above which a sentence counts as a different one.
const MOST: usize = 2;
/// Words of a text for this check: longer texts are never one sentence with another word.
const MAX_WORDS: usize = 60;

/// A word of one text and the one in its place in the other.
type Place<'v, 'a> = (&'v Stemmed<'a>, &'v Stemmed<'a>);
/// The parts of two texts between words that both have.
type Gap<'s, 'v, 'a> = (&'s [&'v Stemmed<'a>], &'s [&'v Stemmed<'a>]);

/// Words in the place of others with another meaning, except those that agree in another way.
pub(super) fn hits(a: &View<'_>, b: &View<'_>, agreed: &HashSet<&str>) -> Vec<Hit> {
    let (mine, theirs) = (weighty(a), weighty(b));
    if mine.len().max(theirs.len()) > MAX_WORDS {
        return Vec::new();
    }
    let both_led_to = |place: &Place<'_, '_>| both_plain(place) || is_led_to(a, place.0) && is_led_to(b, place.1);
    let different = |place: &Place<'_, '_>| is_another(place) && both_led_to(place) && !agreed.contains(place.0.stem.as_str());
    let hit = |(one, other): Place<'_, '_>| Hit { kind: HitKind::Other, older: one.token.lower.clone(), newer: other.token.lower.clone() };
    other_words(&mine, &theirs).into_iter().filter(different).map(hit).collect()
}

/// Whether two texts that state different numbers state them of two things: "409 when a slug is taken", "422 when a slug is invalid".
pub(super) fn tells_apart_besides_numbers(a: &View<'_>, b: &View<'_>) -> bool {
    let (mut mine, mut theirs) = (weighty(a), weighty(b));
    mine.retain(|word| !is_counted(word));
    theirs.retain(|word| !is_counted(word));
    mine.len().max(theirs.len()) <= MAX_WORDS && other_words(&mine, &theirs).iter().any(is_another)
}

/// Whether two words in the same place mean different things. Two exact words are judged as names. An exact one may say the same as a plain
/// word that is part of it ("`config.ts`", "the config"), and what looks like a name may be an English word: in a title every word has a
/// capital.
fn is_another((one, other): &Place<'_, '_>) -> bool {
    let is_part = |exact: &Stemmed<'_>, plain: &Stemmed<'_>| {
        let mut parts = exact.token.lower.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        parts.any(|part| senses::alike(&stem(part), &plain.stem))
    };
    let is_name = |word: &Stemmed<'_>| word.token.kind == TokenKind::Exact && !senses::is_known(&word.stem);
    let same = || senses::alike(&one.stem, &other.stem) && !senses::are_two_things(&one.stem, &other.stem);
    match (is_plain(one), is_plain(other)) {
        (true, true) => !same() && !numbers::are_one(&one.token.lower, &other.token.lower),
        (false, true) => is_name(one) && !same() && !is_part(one, other),
        (true, false) => is_name(other) && !same() && !is_part(other, one),
        (false, false) => false,
    }
}

fn both_plain((one, other): &Place<'_, '_>) -> bool {
    is_plain(one) && is_plain(other)
}

/// Whether a word follows a function word, as in "to stdout" and "as JSON": there a name says how or where. As the object of a verb a thing
/// may be called by its kind, too.
fn is_led_to(view: &View<'_>, word: &Stemmed<'_>) -> bool {
    let at = view.tokens.iter().position(|t| t.token.range == word.token.range);
    let before = at.and_then(|at| view.tokens[..at].iter().rfind(|t| !is_weightless(&t.token.lower)));
    before.is_some_and(|t| is_grammar(&t.token.lower) && !t.token.ends_clause)
}

/// A number or its unit.
fn is_counted(word: &Stemmed<'_>) -> bool {
    word.token.kind == TokenKind::Number || unit_of(&word.token.lower).is_some() || numbers::is_vague(&word.token.lower)
}

/// The same sentence with a condition or an exception more: "it settles at night", "it settles at night unless disputed".
pub(super) fn condition(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let adds = |less: &View<'_>, more: &View<'_>| {
        let (fewer, conditions) = (conditions(less, more), conditions(more, less));
        (says_no_more(less, more) && conditions.len() > fewer.len()).then(|| (fewer.join(" "), conditions.join(" ")))
    };
    let hit = |(older, newer): (String, String)| Hit { kind: HitKind::Other, older, newer };
    adds(a, b).map(hit).or_else(|| adds(b, a).map(|(fewer, more)| hit((more, fewer))))
}

/// Whether a text says nothing beyond the other.
pub(super) fn says_no_more(less: &View<'_>, more: &View<'_>) -> bool {
    less.only(more).iter().all(|t| is_weightless(&t.token.lower))
}

fn conditions<'v>(view: &'v View<'_>, other: &View<'_>) -> Vec<&'v str> {
    // A denial may be part of a reason: "so they do not take an hour".
    let word = |at: usize| view.tokens[at].token.lower.as_str();
    let ends_two = |at: usize| at > 0 && CONDITIONS_OF_TWO.contains(&(word(at - 1), word(at)));
    // "Not on the host but in Docker" excepts nothing from "in Docker, not on the host".
    let is_contrast = |at: usize| {
        let behind = view.tokens[at + 1..].iter().take(view.tokens[at + 1..].iter().take_while(|t| !t.token.ends_clause).count() + 1);
        word(at) == "but"
            && behind.filter(|t| !is_grammar(&t.token.lower) && !is_weightless(&t.token.lower)).all(|t| other.stems.contains(&t.stem))
    };
    let binds = |at: &usize| !is_contrast(*at) && (is_comparison(word(*at)) || is_listed(CONDITIONS, word(*at)) || ends_two(*at));
    (0..view.tokens.len()).filter(binds).map(word).collect()
}

/// Whether a word is one of grammar.
pub(super) fn is_grammar(word: &str) -> bool {
    is_listed(GRAMMAR, word)
}

/// Whether a word changes nothing if it is alone in its place.
pub(super) fn is_weightless(word: &str) -> bool {
    is_listed(WEIGHTLESS, word)
}

fn is_plain(word: &Stemmed<'_>) -> bool {
    matches!(word.token.kind, TokenKind::Plain | TokenKind::ClauseEnd)
}

fn weighty<'v, 'a>(view: &'v View<'a>) -> Vec<&'v Stemmed<'a>> {
    view.tokens.iter().filter(|t| t.token.kind != TokenKind::Negator && !is_weightless(&t.token.lower)).collect()
}

/// The pairs of words in the same place of a sentence that is otherwise the same; none if it is a different sentence.
fn other_words<'v, 'a>(mine: &[&'v Stemmed<'a>], theirs: &[&'v Stemmed<'a>]) -> Vec<Place<'v, 'a>> {
    let kept = alignment(mine, theirs);
    let (mut gaps, mut from, mut there) = (Vec::new(), 0, 0);
    for (at, other) in kept.iter().copied().chain([(mine.len(), theirs.len())]) {
        gaps.push((&mine[from..at], &theirs[there..other]));
        (from, there) = (at + 1, other + 1);
    }
    // A word that moved elsewhere was not replaced.
    let elsewhere = |(one, other): &Place<'_, '_>| {
        gaps.iter().any(|(mine, theirs)| theirs.iter().any(|t| t.stem == one.stem) || mine.iter().any(|t| t.stem == other.stem))
    };
    let mut places: Vec<Place<'_, '_>> = gaps.iter().filter_map(|(mine, theirs)| place(mine, theirs)).collect();
    places.extend(phrase(&gaps));
    let longer = mine.len().max(theirs.len());
    let words = places.iter().filter(|(one, other)| !(is_counted(one) && is_counted(other))).count();
    // What is neither kept nor in another word's place was inserted or left out.
    let same_sentence = 2 * kept.len() >= longer && words <= MOST;
    if !same_sentence {
        return Vec::new();
    }
    let (moved, mut replaced): (Vec<Place<'_, '_>>, Vec<_>) = places.into_iter().partition(elsewhere);
    replaced.extend(replaced_in_turn(&moved, mine, theirs));
    replaced
}

/// The words at both ends of a row of others that each took the place of the next: "only owners invite members", "only members invite
/// guests".
fn replaced_in_turn<'v, 'a>(moved: &[Place<'v, 'a>], mine: &[&Stemmed<'_>], theirs: &[&Stemmed<'_>]) -> Option<Place<'v, 'a>> {
    let gone: Vec<_> = moved.iter().map(|(one, _)| *one).filter(|one| !theirs.iter().any(|t| t.stem == one.stem)).collect();
    let came: Vec<_> = moved.iter().map(|(_, other)| *other).filter(|other| !mine.iter().any(|t| t.stem == other.stem)).collect();
    match (&gone[..], &came[..]) {
        ([one], [other]) => Some((one, other)),
        _ => None,
    }
}

/// One word in place of two, if two texts differ in nothing else: "mock the gateway", "use the real gateway".
fn phrase<'v, 'a>(gaps: &[Gap<'_, 'v, 'a>]) -> Option<Place<'v, 'a>> {
    let differing =
        gaps.iter().map(|(mine, theirs)| (said(mine), said(theirs))).filter(|(mine, theirs)| !mine.is_empty() || !theirs.is_empty());
    match &differing.collect::<Vec<_>>()[..] {
        [(mine, theirs)] => match (&mine[..], &theirs[..]) {
            ([one], [first, last]) if is_another(&(one, last)) => Some((one, first)),
            ([first, last], [one]) if is_another(&(last, one)) => Some((first, one)),
            _ => None,
        },
        _ => None,
    }
}

fn said<'v, 'a>(words: &[&'v Stemmed<'a>]) -> Vec<&'v Stemmed<'a>> {
    words.iter().copied().filter(|word| !is_grammar(&word.token.lower)).collect()
}

/// The one word with content in each of two gaps, or the one word of grammar if there is nothing else.
fn place<'v, 'a>(mine: &[&'v Stemmed<'a>], theirs: &[&'v Stemmed<'a>]) -> Option<Place<'v, 'a>> {
    match (&said(mine)[..], &said(theirs)[..]) {
        ([one], [other]) => Some((one, other)),
        ([], []) => match (mine, theirs) {
            ([one], [other]) => Some((one, other)),
            _ => None,
        },
        _ => None,
    }
}

/// The places of the words that both texts have in the same order: a longest common subsequence.
fn alignment(mine: &[&Stemmed<'_>], theirs: &[&Stemmed<'_>]) -> Vec<(usize, usize)> {
    let mut common = vec![vec![0_u32; theirs.len() + 1]; mine.len() + 1];
    for (i, one) in mine.iter().enumerate().rev() {
        for (j, other) in theirs.iter().enumerate().rev() {
            common[i][j] = if one.stem == other.stem { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut kept) = (0, 0, Vec::new());
    while i < mine.len() && j < theirs.len() {
        if mine[i].stem == theirs[j].stem {
            kept.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if common[i + 1][j] >= common[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    kept
}
