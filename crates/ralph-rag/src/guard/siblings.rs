//! Siblings: two lessons of the same form about two things, distinguished by a number or an opposite, as "step 1 builds" and "step 2
//! pushes", or "lock it before" and "unlock it after". Neither denies the other.

use super::{Stemmed, View, frame, is_word, senses};
use crate::words::{TokenKind, is_listed, unit_of};
use ralph_core::quality::{Hit, HitKind};
use std::collections::HashSet;

/// Nouns whose number is a name.
const NUMBERED: &str = "step version code status error rule issue line port migration release chapter phase stage level part table column row \
    page item section task ticket bug case exit http";

/// Words that introduce what a clause is about.
const DETERMINERS: &str = "the a an each every any this that these those its their our your his her my";
/// Words that begin a phrase before a clause.
const FRONTED: &str = "in on at for with from under inside within during after before";

/// For words that only tell two things apart, the hits say so.
pub(super) fn tell_apart(hits: &mut [Hit], a: &View<'_>, b: &View<'_>) {
    let of = |kind: HitKind| hits.iter().filter(move |hit| hit.kind == kind);
    let other_words = || !others(a, b, hits).is_empty() && !others(b, a, hits).is_empty();
    let sides = |side: fn(&Hit) -> &str| of(HitKind::Antonym).map(side).collect::<HashSet<_>>().len();
    let opposites = sides(|hit| &hit.older).min(sides(|hit| &hit.newer));
    let another_number = of(HitKind::Number).next().is_some();
    let turned = opposites > 1 || opposites == 1 && (another_number || other_words());
    let more_numbers = of(HitKind::Number).any(|hit| hit.older.contains(' ') && hit.newer.contains(' '));
    let of_another = another_number && (frame::tells_apart_besides_numbers(a, b) || number_things(a, b));
    let differs_besides = hits.iter().any(|hit| hit.kind != HitKind::Number) || more_numbers || other_words();
    let named =
        differs_besides && is_named_by_number(a, b) && is_named_by_number(b, a) || of(HitKind::Antonym).any(|hit| name_two(hit, a, b));
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

/// Whether opposites tell apart what two texts are about: "the left sidebar is lazy", "the right sidebar is lazy". They do so after the
/// determiner that begins a clause and before a word that both have. After a verb they are what is said: "use the old client".
fn name_two(hit: &Hit, a: &View<'_>, b: &View<'_>) -> bool {
    let (mine, theirs) = (subjects(a, &hit.older), subjects(b, &hit.newer));
    mine.iter().any(|noun| theirs.contains(noun))
}

/// What follows an attribute at the beginning of a clause, or of a phrase that begins it: "in the old client, …".
fn subjects<'v>(view: &'v View<'_>, attribute: &str) -> Vec<&'v str> {
    let word = |at: usize| view.tokens[at].token.lower.as_str();
    let begins = |at: usize| at == 0 || view.tokens[at - 1].token.is_clause_end();
    let is_subject = |at: &usize| {
        let determined = *at > 0 && is_listed(DETERMINERS, word(at - 1));
        let fronted = || *at > 1 && is_listed(FRONTED, word(at - 2)) && begins(at - 2);
        word(*at) == attribute && determined && (begins(at - 1) || fronted())
    };
    let places = (0..view.tokens.len().saturating_sub(1)).filter(is_subject).filter(|at| !view.tokens[*at].token.ends_clause);
    places.map(|at| view.tokens[at + 1].stem.as_str()).collect()
}

/// Whether the numbers that only one text has name something, and those that only the other has measure: "CUDA 12", "16 GB".
fn number_things(a: &View<'_>, b: &View<'_>) -> bool {
    let numbers = |view: &View<'_>, other: &View<'_>| {
        let is_only_here = |at: &usize| view.tokens[*at].token.kind == TokenKind::Number && !other.stems.contains(&view.tokens[*at].stem);
        let (mut named, mut measured, mut all) = (0, 0, 0);
        for at in (0..view.tokens.len()).filter(is_only_here) {
            let has_unit = view.tokens.get(at + 1).is_some_and(|behind| unit_of(&behind.token.lower).is_some());
            let has_name = at.checked_sub(1).is_some_and(|before| is_label(&view.tokens[before]) && !view.tokens[before].token.ends_clause);
            all += 1;
            measured += usize::from(has_unit);
            named += usize::from(has_name && !has_unit);
        }
        (all > 0 && named == all, all > 0 && measured == all)
    };
    let ((named, measured), (named_there, measured_there)) = (numbers(a, b), numbers(b, a));
    named && measured_there || measured && named_there
}

fn is_label(t: &Stemmed<'_>) -> bool {
    t.token.kind == TokenKind::Exact || is_listed(NUMBERED, &t.token.lower)
}

/// Whether a number that only one text has stands right behind the noun or the name that it numbers, or is a version. A first word that is
/// not English is a name: "Python 3.8".
fn is_named_by_number(view: &View<'_>, other: &View<'_>) -> bool {
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

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::words::Words;
    use ralph_core::quality::HitKind;

    #[test]
    fn a_number_that_names_is_no_other_quantity() {
        let kinds = |a: &str, b: &str| hits(&Words::of(a), &Words::of(b)).into_iter().map(|hit| hit.kind).collect::<Vec<_>>();
        for (a, b, expected) in [
            ("The GPU tests need CUDA 12", "The GPU tests need at least 16 GB of memory", HitKind::Other),
            ("The image needs Alpine 3.19", "The image needs at least 512 MB of disk", HitKind::Other),
            ("The GPU tests need CUDA 12", "The GPU tests need CUDA 11", HitKind::Number),
            ("The lease lives for 30 seconds", "The lease lives for 2 hours", HitKind::Number),
            ("The batch holds 5 rows", "The batch holds 50 rows", HitKind::Number),
        ] {
            assert_eq!((kinds(a, b), kinds(b, a)), (vec![expected], vec![expected]), "{a} | {b}");
        }
    }

    #[test]
    fn opposite_attributes_of_what_a_text_is_about_tell_it_apart() {
        let told_apart = |a: &str, b: &str| {
            let hits = hits(&Words::of(a), &Words::of(b));
            !hits.is_empty() && hits.iter().all(|hit| hit.kind == HitKind::Other)
        };
        for (a, b, expected) in [
            ("The left sidebar is lazy loaded", "The right sidebar is lazy loaded", true),
            ("The old endpoint is rate limited", "The new endpoint is rate limited", true),
            ("The first page of results is cached", "The last page of results is never cached", true),
            ("The maximum is stored in bytes", "The minimum is stored in bytes", true),
            ("Each opening tag is escaped", "Each closing tag is escaped", true),
            ("The first argument is the path", "The last argument is the path", true),
            ("In the old client, dates are local", "In the new client, dates are local", true),
            ("Use the old client in reports", "Use the new client in reports", false),
            ("Keep the index near the rows", "Keep the index far from the rows", false),
            ("Enable the strict mode", "Disable the strict mode", false),
            ("The queue is full", "The queue is empty", false),
            ("The default is the old client", "The default is the new client", false),
        ] {
            assert_eq!((told_apart(a, b), told_apart(b, a)), (expected, expected), "{a} | {b}");
        }
    }
}
