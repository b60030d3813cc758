//! What something needs, and what it does without: "the tests need Docker", "the tests run without Docker". Neither text has a negator.

use super::{Stemmed, View, denied, frame, senses};
use crate::words::{TokenKind, is_listed};
use ralph_core::quality::{Hit, HitKind};

/// Words before what is needed and, except the first, after it: "Docker is required".
const NEEDING: &str = "need needs needed require requires required necessary mandatory depend depends";
/// Words that turn having something into needing it.
const BINDING: [&str; 3] = ["must", "should", "to"];
/// Words that may be between a verb and its object, besides function words.
const MEASURES: &str = "least most";
/// Verbs that continue with what happens to something without this: "deploys without an approval are rejected".
const AUXILIARY: &str =
    "is are was were be been being has have had do does did will would can could may might must shall should need gets get";
/// What happens to something that lacks what it needs; synonyms count, too.
const FAILING: [&str; 6] = ["fail", "crash", "hang", "slow", "reject", "useless"];
/// Words that make a statement conditional.
const CONDITIONS: [&str; 8] = ["if", "when", "while", "where", "only", "unless", "until", "except"];

/// One text does without what the other one needs. With a condition that is not a contradiction, but still says something else.
pub(super) fn hit(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let across = |needing: &View<'_>, lacking: &View<'_>| {
        let (at, phrase) = lacked(lacking)?;
        let needed = needed(needing, &phrase).filter(|at| is_said_of(needing, *at, &phrase, lacking))?;
        Some((needing.tokens[needed].token.lower.clone(), lacking.tokens[at].token.lower.clone()))
    };
    let (older, newer) = across(a, b).or_else(|| across(b, a).map(|(needed, lacked)| (lacked, needed)))?;
    let conditional = denied::has_any(a, &CONDITIONS) || denied::has_any(b, &CONDITIONS);
    Some(Hit { kind: if conditional { HitKind::Other } else { HitKind::Negation }, older, newer })
}

/// Where a text says "without", and the stems of what it goes without. At the beginning of a clause that is a condition: "without Docker,
/// the tests end early".
fn lacked<'v>(view: &'v View<'_>) -> Option<(usize, Vec<&'v str>)> {
    let tokens = &view.tokens;
    let at = tokens.iter().position(|t| t.token.lower == denied::WITHOUT && !t.token.ends_clause)?;
    let fronted = at.checked_sub(1).is_none_or(|before| tokens[before].token.is_clause_end());
    let fails = |t: &Stemmed<'_>| FAILING.iter().any(|word| senses::alike(&t.stem, word));
    let turned = tokens.iter().enumerate().any(|(other, t)| other != at && (turns(t) || fails(t)));
    let from = (at + 1..tokens.len()).find(|next| !passes(&tokens[*next]))?;
    let end = phrase_end(view, from);
    let goes_on = !tokens[end - 1].token.ends_clause && tokens.get(end).is_some_and(|next| is_listed(AUXILIARY, &next.token.lower));
    let phrase: Vec<&str> = tokens[from..end].iter().map(|t| t.stem.as_str()).collect();
    (!fronted && !turned && !goes_on && !phrase.is_empty()).then_some((at, phrase))
}

/// Where the content words that begin at `from` end.
fn phrase_end(view: &View<'_>, from: usize) -> usize {
    let mut end = from;
    while view.tokens.get(end).is_some_and(|t| !passes(t) && t.token.kind != TokenKind::ClauseEnd) {
        end += 1;
        if view.tokens[end - 1].token.ends_clause {
            break;
        }
    }
    end.max(from + 1)
}

/// Where a text that denies nothing says that this is needed.
fn needed(view: &View<'_>, phrase: &[&str]) -> Option<usize> {
    let tokens = &view.tokens;
    let is =
        |from: usize| tokens.get(from..from + phrase.len()).is_some_and(|said| said.iter().zip(phrase).all(|(t, stem)| t.stem == *stem));
    let needs = |at: usize| {
        let word = tokens[at].token.lower.as_str();
        let bound = || at.checked_sub(1).is_some_and(|before| BINDING.contains(&tokens[before].token.lower.as_str()));
        is_listed(NEEDING, word) || word == "have" && bound()
    };
    let behind = |at: usize| {
        let next = (at + 1..tokens.len()).find(|next| !passes(&tokens[*next]));
        !tokens[at].token.ends_clause && next.is_some_and(is)
    };
    let before = |at: usize| {
        let last = (0..at).rev().find(|before| !passes(&tokens[*before]));
        last.and_then(|last| (last + 1).checked_sub(phrase.len())).is_some_and(is)
    };
    let found = (0..tokens.len()).find(|at| needs(*at) && (behind(*at) || before(*at)));
    found.filter(|_| !tokens.iter().any(turns))
}

/// Whether the other text has the other words of the clause that needs something, too, so that both are about the same.
fn is_said_of(needing: &View<'_>, at: usize, phrase: &[&str], lacking: &View<'_>) -> bool {
    let tokens = &needing.tokens;
    let is_known = |t: &Stemmed<'_>| lacking.tokens.iter().any(|other| senses::alike(&other.stem, &t.stem));
    let rest = needing.clause_around(at).filter(|place| *place != at).map(|place| &tokens[place]);
    rest.filter(|t| !passes(t) && !phrase.contains(&t.stem.as_str()) && t.token.kind != TokenKind::ClauseEnd).all(is_known)
}

/// Whether a word names nothing.
fn passes(t: &Stemmed<'_>) -> bool {
    let word = t.token.lower.as_str();
    t.token.kind != TokenKind::Exact && (frame::is_grammar(word) || frame::is_weightless(word) || is_listed(MEASURES, word))
}

fn turns(t: &Stemmed<'_>) -> bool {
    t.token.kind == TokenKind::Negator || denied::is_excluding(&t.token.lower)
}

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::words::Words;
    use ralph_core::quality::HitKind;

    #[test]
    fn what_is_done_without_something_does_not_need_it() {
        let denies = |a: &str, b: &str| hits(&Words::of(a), &Words::of(b)).iter().any(|hit| hit.kind == HitKind::Negation);
        for (a, b, expected) in [
            ("The e2e tests need network access", "The e2e tests run without network access", true),
            ("Users need a verified email to post", "Users can post without a verified email", true),
            ("Releases need a changelog entry", "Releases are published without a changelog entry", true),
            ("The image must have a shell", "The image is built without a shell", true),
            ("The worker depends on Redis", "The worker starts without Redis", true),
            ("A changelog entry is required for releases", "Releases are published without a changelog entry", true),
            ("The installer needs root", "The installer must run without root", true),
            ("The build needs at least one GPU", "The build works without a GPU here", true),
            ("The build needs `protoc`", "The build fails without `protoc`", false),
            ("The build needs `protoc`", "The build crashes without `protoc`", false),
            ("The tests need Docker", "The tests cannot run without Docker", false),
            ("Deploys need an approval", "Deploys without an approval are rejected", false),
            ("Deploys need an approval", "Deploys without an approval are queued", false),
            ("The worker needs Redis", "Without Redis the worker exits", false),
            ("The e2e tests need network access", "The unit tests run without network access", false),
            ("The worker needs Redis in production", "The worker runs without Redis in tests", false),
            ("The worker needs Redis", "The worker runs without Redis if the queue is off", false),
            ("Tests of the e2e suite need Docker", "Tests run without the e2e suite", false),
        ] {
            assert_eq!((denies(a, b), denies(b, a)), (expected, expected), "{a} | {b}");
        }
    }
}
