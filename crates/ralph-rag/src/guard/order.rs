//! Order: the same words, but two of them are swapped, which changes who does what to whom.

use super::View;
use crate::words::TokenKind;
use ralph_core::quality::{Hit, HitKind};

/// Words that don't matter for the order: articles, auxiliaries, conjunctions, pronouns.
const WEIGHTLESS: &str = "a an the this that these those and or also is are was were be been being am do does did has have had will would can could \
    should shall it its his her their there he she they who which very so then just it's both all each every only";
/// Share of the longer text that must be in the same order once two words are swapped back. Moving whole clauses
/// ("before a commit run the tests") stays far below, and keeps the meaning.
const ALIGNED: f64 = 0.8;
/// Maximum words of a text for this check: longer texts are never one sentence with swapped words.
const MAX_WORDS: usize = 40;

/// Two words swapped around a third ("the cat chases the dog", "the dog chases the cat"). A passive also swaps them, but
/// keeps the meaning.
pub(super) fn hit(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let (mine, theirs) = (weighty(a), weighty(b));
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
        for j in i + 2..mine.len() {
            if mine[i] == mine[j] || !inverted(mine[i], mine[j], &theirs) {
                continue;
            }
            let mut swapped = mine.clone();
            swapped.swap(i, j);
            let after = common(&swapped, &theirs);
            if after >= needed && after >= before + 2 {
                let (first, last) = (mine[i], mine[j]);
                return Some(Hit { kind: HitKind::Order, older: format!("{first} {last}"), newer: format!("{last} {first}") });
            }
        }
    }
    None
}

fn weighty<'v>(view: &'v View<'_>) -> Vec<&'v str> {
    let weightless = |word: &str| WEIGHTLESS.split_whitespace().any(|s| s == word);
    view.tokens.iter().filter(|t| t.token.kind != TokenKind::Negator && !weightless(&t.token.lower)).map(|t| t.stem.as_str()).collect()
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
