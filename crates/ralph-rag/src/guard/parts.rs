//! What is said of a part is not said of the whole: "the linter checks imports", "the linter checks unused imports". Whichever of the two
//! came later, neither stands for the other, so both are kept.

use super::{Stemmed, View, frame, negation, senses};
use crate::words::{TokenKind, is_listed};
use ralph_core::quality::{Hit, HitKind};

/// Words that bind what follows them to the word before.
const RELATIVE: &str = "that which";
/// Words that begin a phrase which narrows the following clause: "in production, …".
const FRONTED: &str = "in on at under within inside for with";
/// Words that say nothing about how much is meant: they urge, count, or precede a word that does.
const LIGHT: &str = "always use make sure ensure remember note important careful simply actually used times upon off down near across per out past \
    along around about up";
/// Adverbs that say how to do what is done in any case. In a denial they limit it: "never call it directly".
const MANNER: &str = "directly explicitly correctly properly carefully consistently";
/// Words of the passive, except as the first of a clause: "GET requests".
const PASSIVE: [&str; 2] = ["get", "gets"];
/// Words after which "-ing" says what is going on.
const GOING_ON: &str = "is are was were am";

/// One text says all that the other says, and more of the same: an attribute, or a phrase. A clause of its own narrows nothing, such as a
/// reason.
pub(super) fn hit(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let hit = |older: &str, newer: &str| Hit { kind: HitKind::Other, older: older.to_owned(), newer: newer.to_owned() };
    narrowing(a, b).map(|word| hit("", word)).or_else(|| narrowing(b, a).map(|word| hit(word, "")))
}

/// The first word that limits `part` to less than what `whole` says.
fn narrowing<'v>(whole: &View<'_>, part: &'v View<'_>) -> Option<&'v str> {
    if !frame::says_no_more(whole, part) || tells_what_goes_on(whole) {
        return None;
    }
    let is_known = |t: &Stemmed<'_>| says_something(t) && whole.stems.contains(&t.stem);
    let clauses = clauses(whole, part);
    // A clause that only repeats words of others gives a reason: "never edit the client: the client is generated".
    let tells = |at: usize| {
        let elsewhere = |word: &Stemmed<'_>| clauses.iter().enumerate().any(|(other, clause)| other != at && has(clause, word));
        clauses[at].iter().any(|t| is_known(t) && !elsewhere(t))
    };
    let telling = (0..clauses.len()).filter(|at| tells(*at)).map(|at| clauses[at]);
    // "Don't forget to close it" says "close it", and "it lacks a header" that it has none.
    let (doubled, denying) = (negation::doubled(part), negation::denying(part));
    let denies = || [whole, part].into_iter().any(|view| negation::denies(view) || negation::is_negative(view) || negation::keeps(view));
    let turns = |word: &Stemmed<'_>| {
        let (stem, lower) = (word.stem.as_str(), word.token.lower.as_str());
        doubled.contains(stem) || denying.contains(lower) || is_listed(MANNER, lower) && !denies()
    };
    let mut words = telling.flat_map(|clause| (0..clause.len()).filter(|at| narrows(whole, clause, *at)).map(|at| &clause[at]));
    words.find(|word| !turns(word)).map(|word| word.token.lower.as_str())
}

/// Whether a word of a clause narrows it. A name does so only before what it narrows ("GET requests"), or as an option of a command:
/// elsewhere it says where or how. A word next to a name that both texts have only says what the name is: "the target `make dev`".
fn narrows(whole: &View<'_>, clause: &[Stemmed<'_>], at: usize) -> bool {
    let is_known = |t: &Stemmed<'_>| whole.stems.contains(&t.stem);
    let word = &clause[at];
    let is_alike = || whole.tokens.iter().any(|t| says_something(t) && senses::alike(&t.stem, &word.stem));
    if is_known(word) || !says_something(word) {
        return false;
    }
    let (before, after) = (at.checked_sub(1).map(|before| &clause[before]), clause.get(at + 1));
    let is_plain = |t: &Stemmed<'_>| t.token.kind == TokenKind::Plain;
    let names = |t: Option<&Stemmed<'_>>| t.is_some_and(|t| t.token.kind == TokenKind::Exact && is_known(t));
    match word.token.kind {
        TokenKind::Plain if at > 0 && PASSIVE.contains(&word.token.lower.as_str()) => false,
        TokenKind::Plain => !is_listed(LIGHT, &word.token.lower) && !names(before) && !names(after) && !is_alike(),
        TokenKind::Exact => word.token.lower.starts_with('-') || after.is_some_and(|t| is_plain(t) && says_something(t) && is_known(t)),
        TokenKind::Number | TokenKind::Negator | TokenKind::ClauseEnd => false,
    }
}

/// The clauses of `part`, those that narrow a word or a clause of `whole` together with it.
fn clauses<'v, 'a>(whole: &View<'_>, part: &'v View<'a>) -> Vec<&'v [Stemmed<'a>]> {
    let is_known = |t: &Stemmed<'_>| says_something(t) && whole.stems.contains(&t.stem);
    let tokens = part.tokens.as_slice();
    let mut clauses = Vec::new();
    let mut from = 0;
    for (at, t) in tokens.iter().enumerate() {
        let of_the_word_before = || {
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            is_listed(RELATIVE, &t.token.lower) && before.is_some_and(|before| !before.token.ends_clause && is_known(before))
        };
        let of_the_clause_behind = || from == 0 && is_listed(FRONTED, &tokens[0].token.lower) && !tokens[..=at].iter().any(is_known);
        let ends = t.token.ends_clause && !of_the_clause_behind() || t.token.kind == TokenKind::ClauseEnd && !of_the_word_before();
        if ends {
            clauses.push(&tokens[from..=at]);
            from = at + 1;
        }
    }
    clauses.push(&tokens[from..]);
    clauses
}

fn has(clause: &[Stemmed<'_>], word: &Stemmed<'_>) -> bool {
    clause.iter().any(|t| t.stem == word.stem)
}

/// Something that is going on may be described with more or fewer details and still be the same: "the worker is writing", "the worker is
/// slowly writing". Only in general statements does an attribute narrow.
fn tells_what_goes_on(view: &View<'_>) -> bool {
    let clause = view.tokens.iter().take_while(|t| t.token.kind != TokenKind::ClauseEnd);
    let words: Vec<&str> = clause.map(|t| t.token.lower.as_str()).collect();
    let is_ing = |word: &&str| word.len() > 4 && word.ends_with("ing");
    words.iter().enumerate().any(|(at, word)| is_listed(GOING_ON, word) && words[at + 1..].iter().take(2).any(is_ing))
}

fn says_something(t: &Stemmed<'_>) -> bool {
    let is_short = t.token.lower.contains('\'') || !t.token.lower.contains(char::is_alphanumeric);
    !is_short && !frame::is_grammar(&t.token.lower) && !frame::is_weightless(&t.token.lower)
}

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::words::Words;

    #[test]
    fn what_is_said_of_a_part_is_not_said_of_the_whole() {
        let differ = |a: &str, b: &str| !hits(&Words::of(a), &Words::of(b)).is_empty();
        for (a, b, expected) in [
            ("The linter checks imports", "The linter checks unused imports", true),
            ("Never mock the database in tests", "Never mock the database in tests of the `billing` package", true),
            ("Back up the database before a migration", "Back up the database before a migration in production", true),
            ("Back up the database before a migration", "In production, back up the database before a migration", true),
            ("Requests are cached", "GET requests are cached", true),
            ("Users cannot vote", "Anonymous users cannot vote", true),
            ("The API is frozen", "The API will be frozen next quarter", true),
            ("Hide new pages behind a flag", "Hide new pages that change the checkout behind a flag", true),
            ("Push with git push after a rebase", "Push with git push --force after a rebase", true),
            ("The worker is writing the report", "The worker is slowly writing the report", false),
            ("Run CI before merging", "Always run CI before merging", false),
            ("`make dev` starts the proxy", "The Makefile target `make dev` starts the proxy", false),
            ("Never edit the client", "Never edit the client: the client is generated by make", false),
            ("Never mock the clock in tests", "Never mock the clock in tests, because mocks hide failures", false),
            ("The server reads its settings at start", "The server reads its settings at start from config.ts", false),
            ("Annotate return types", "Explicitly annotate return types", false),
            ("Use the factory in tests", "Use the factory directly in tests", false),
            ("Never call the database", "Never call the database directly", true),
            ("Avoid opening the pool", "Avoid opening the pool explicitly", true),
            ("The hook forbids edits", "The hook forbids edits directly", true),
            ("Only the proxy calls the store", "Only the proxy calls the store directly", true),
            ("Remove the temporary directory", "Delete the temporary folder", false),
        ] {
            assert_eq!((differ(a, b), differ(b, a)), (expected, expected), "{a} | {b}");
        }
    }
}
