//! Siblings: two lessons of one form about two things, told apart by a number or an opposite, as "step 1 builds" and "step 2 pushes", or
//! "lock it before" and "unlock it after". Neither denies the other.

use super::{Stemmed, View, frame, is_word, senses};
use crate::words::{TokenKind, is_listed};
use ralph_core::quality::{Hit, HitKind};
use std::collections::HashSet;

/// Nouns whose number is a name.
const NUMBERED: &str = "step version code status error rule issue line port migration release chapter phase stage level part table column row \
    page item section task ticket bug case exit http";

/// For words that only tell two things apart, the hits say so.
pub(super) fn tell_apart(hits: &mut [Hit], a: &View<'_>, b: &View<'_>) {
    let of = |kind: HitKind| hits.iter().filter(move |hit| hit.kind == kind);
    let other_words = || !others(a, b, hits).is_empty() && !others(b, a, hits).is_empty();
    let sides = |side: fn(&Hit) -> &str| of(HitKind::Antonym).map(side).collect::<HashSet<_>>().len();
    let opposites = sides(|hit| &hit.older).min(sides(|hit| &hit.newer));
    let another_number = of(HitKind::Number).next().is_some();
    let turned = opposites > 1 || opposites == 1 && (another_number || other_words());
    let more_numbers = of(HitKind::Number).any(|hit| hit.older.contains(' ') && hit.newer.contains(' '));
    let of_another = another_number && frame::tells_apart_besides_numbers(a, b);
    let differs_besides = hits.iter().any(|hit| hit.kind != HitKind::Number) || more_numbers || other_words();
    let named = differs_besides && is_named_by_number(a, b) && is_named_by_number(b, a);
    for hit in hits {
        let other_number = of_another && hit.kind == HitKind::Number;
        if other_number
            || turned && hit.kind == HitKind::Antonym
            || named && matches!(hit.kind, HitKind::Number | HitKind::Antonym | HitKind::Negation)
        {
            hit.kind = HitKind::Other;
        }
    }
}

/// Whether a number that only one text has stands right behind the noun or the name that it numbers, or is a version. A first word that is
/// not English is a name: "Python 3.8".
fn is_named_by_number(view: &View<'_>, other: &View<'_>) -> bool {
    let is_label = |t: &Stemmed<'_>| t.token.kind == TokenKind::Exact || is_listed(NUMBERED, &t.token.lower);
    let is_number = |t: &Stemmed<'_>| t.token.kind == TokenKind::Number || t.token.lower == "one";
    let tokens = &view.tokens;
    (0..tokens.len()).any(|at| {
        let labelled =
            at.checked_sub(1).is_some_and(|before| is_label(&tokens[before]) || before == 0 && !senses::is_known(&tokens[0].stem));
        is_number(&tokens[at]) && !other.stems.contains(&tokens[at].stem) && (labelled || tokens[at].token.is_version)
    })
}

/// The meaningful words of a text that neither a hit nor the other text has, in this or another word.
fn others<'v>(view: &'v View<'_>, other: &View<'_>, hits: &[Hit]) -> Vec<&'v str> {
    let hit: HashSet<&str> = hits.iter().flat_map(|hit| hit.older.split(' ').chain(hit.newer.split(' '))).collect();
    let says = |t: &&Stemmed<'_>| {
        let word = t.token.lower.as_str();
        is_word(t.token) && !hit.contains(word) && !frame::is_grammar(word) && !frame::is_weightless(word)
    };
    let theirs = other.only(view);
    let said_otherwise = |t: &&Stemmed<'_>| theirs.iter().any(|other| senses::alike(&t.stem, &other.stem));
    view.only(other).into_iter().filter(says).filter(|t| !said_otherwise(t)).map(|t| t.stem.as_str()).collect()
}
