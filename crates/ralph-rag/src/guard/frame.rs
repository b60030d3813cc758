//! The same sentence with another word in its place: "timeouts are in seconds", "timeouts are in milliseconds".
//!
//! Whatever the word is, such a sentence is about something else, unless one word can stand for the other. No table of opposites can list
//! every such pair, but words of one meaning can be listed (see [`senses`]); a word that is in no list makes two lessons of
//! one, which costs a line, and not one of two, which loses a lesson.

use super::{Stemmed, View, senses};
use crate::words::TokenKind;
use ralph_core::quality::{Hit, HitKind};

/// Words that change nothing where they stand alone in a place.
const WEIGHTLESS: &str = "a an the this that these those is are was were be been being am do does did has have had having will would it its his \
    her their our your my his there he she they we you i who which very so then just also now here own or both either too really \
    please";
/// Words in another's place beyond which a sentence is another one, in which each word has been chosen anew.
const MOST: usize = 2;
/// Words of a text for this check: longer texts are never one sentence with another word.
const MAX_WORDS: usize = 60;

/// Words that stand in the places of others which mean something else.
pub(super) fn hits(a: &View<'_>, b: &View<'_>) -> Vec<Hit> {
    let (mine, theirs) = (weighty(a), weighty(b));
    if mine.len().max(theirs.len()) > MAX_WORDS {
        return Vec::new();
    }
    let Some(places) = other_words(&mine, &theirs) else { return Vec::new() };
    let elsewhere = |one: &Stemmed<'_>, other: &Stemmed<'_>| b.stems.contains(&one.stem) || a.stems.contains(&other.stem);
    let differ = |one: &Stemmed<'_>, other: &Stemmed<'_>| {
        is_plain(one) && is_plain(other) && !elsewhere(one, other) && !senses::alike(&one.stem, &other.stem)
    };
    let hit = |one: &Stemmed<'_>, other: &Stemmed<'_>| Hit {
        kind: HitKind::Other,
        older: one.token.lower.clone(),
        newer: other.token.lower.clone(),
    };
    places.into_iter().filter(|(one, other)| differ(one, other)).map(|(one, other)| hit(one, other)).collect()
}

fn is_plain(word: &Stemmed<'_>) -> bool {
    matches!(word.token.kind, TokenKind::Plain | TokenKind::ClauseEnd)
}

fn weighty<'v, 'a>(view: &'v View<'a>) -> Vec<&'v Stemmed<'a>> {
    let weightless = |word: &str| WEIGHTLESS.split_whitespace().any(|w| w == word);
    view.tokens.iter().filter(|t| t.token.kind != TokenKind::Negator && !weightless(&t.token.lower)).collect()
}

/// The pairs of words that stand in the same place of a sentence that is otherwise the same; `None` where it is another sentence.
fn other_words<'v, 'a>(mine: &[&'v Stemmed<'a>], theirs: &[&'v Stemmed<'a>]) -> Option<Vec<(&'v Stemmed<'a>, &'v Stemmed<'a>)>> {
    let kept = alignment(mine, theirs);
    let mut places = Vec::new();
    let (mut from, mut there) = (0, 0);
    for (at, other) in kept.iter().copied().chain([(mine.len(), theirs.len())]) {
        if let ([one], [other]) = (&mine[from..at], &theirs[there..other]) {
            places.push((*one, *other));
        }
        (from, there) = (at + 1, other + 1);
    }
    let longer = mine.len().max(theirs.len());
    // What is neither kept nor in the place of another word was put in or left out.
    let same_sentence = 2 * kept.len() >= longer && (1..=MOST).contains(&places.len());
    same_sentence.then_some(places)
}

/// The places of the words that both texts have in the same order: a longest common subsequence.
fn alignment(mine: &[&Stemmed<'_>], theirs: &[&Stemmed<'_>]) -> Vec<(usize, usize)> {
    let mut common = vec![vec![0_u32; theirs.len() + 1]; mine.len() + 1];
    for (i, one) in mine.iter().enumerate().rev() {
        for (j, other) in theirs.iter().enumerate().rev() {
            common[i][j] =
                if one.stem == other.stem { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
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
