//! Sides: what precedes and what follows a word such as "before" and "into". If the two sides have changed places, the same words say the
//! reverse, however long the sides are.

use super::{Stemmed, View, frame, senses};
use crate::words::TokenKind;
use ralph_core::quality::{Hit, HitKind};
use std::collections::HashSet;

/// Words between what comes first and what comes next, or between a condition or cause and its consequence.
const CLAUSES: [&str; 8] = ["before", "after", "until", "till", "then", "if", "when", "because"];
/// Words between what is moved and where it goes; "to" counts only together with "from".
const IN_PLACE: [&str; 4] = ["onto", "into", "from", "to"];
/// Words that introduce what something is done with, or where.
const PREPOSITIONS: [&str; 9] = ["in", "to", "as", "at", "on", "from", "with", "by", "for"];
/// Words after which "only" belongs to what follows, and not to who does it.
const MODALS: [&str; 9] = ["can", "may", "must", "should", "shall", "will", "could", "might", "would"];

/// Sides that have changed places.
pub(super) fn hit(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let connectors = CLAUSES.iter().chain(&IN_PLACE).chain(&["and"]);
    connectors.copied().find_map(|connector| changed_places(connector, a, b)).or_else(|| other_only(a, b))
}

fn changed_places(connector: &str, a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let ((first, last), (first_there, last_there)) = (sides(a, connector)?, sides(b, connector)?);
    let (left, right, left_there, right_there) = (words(first), words(last), words(first_there), words(last_there));
    let (gone, came) = (&left - &left_there, &right_there - &right);
    let (gone_there, came_there) = (&right - &right_there, &left_there - &left);
    if !is_like(&gone, &came) || !is_like(&gone_there, &came_there) {
        return None;
    }
    let place = |side: &[Stemmed<'_>], moved: &HashSet<&str>| said_at(side).find(|at| moved.contains(word_of(&side[*at])));
    let (one, other) = (place(first, &gone)?, place(last, &gone_there)?);
    // What "and" joins has no order of its own: "kept in cents and shown in euros" is reversed by what it is kept and shown in.
    let stays =
        |here: &HashSet<&str>, there: &HashSet<&str>, across: &HashSet<&str>| here.intersection(there).any(|word| !across.contains(word));
    let keeps_order =
        stays(&left, &left_there, &right) && stays(&right, &right_there, &left) && is_led_to(first, one) && is_led_to(last, other);
    if connector == "and" && !keeps_order {
        return None;
    }
    let (one, other) = (&first[one].token.lower, &last[other].token.lower);
    Some(Hit { kind: HitKind::Order, older: format!("{one} {connector} {other}"), newer: format!("{other} {connector} {one}") })
}

/// The two sides of a text's only such word, in its clause; `None` for any other text, or if it is unclear.
fn sides<'v, 'a>(view: &'v View<'a>, connector: &str) -> Option<(&'v [Stemmed<'a>], &'v [Stemmed<'a>])> {
    let tokens = view.tokens.as_slice();
    let is = |t: &Stemmed<'_>, word: &str| t.token.kind != TokenKind::Exact && t.token.lower == word;
    let mut places = (0..tokens.len()).filter(|at| is(&tokens[*at], connector));
    let at = places.next()?;
    if places.next().is_some() || connector == "to" && !tokens.iter().any(|t| is(t, "from")) {
        return None;
    }
    let within =
        |t: &Stemmed<'_>| !(CLAUSES.iter().any(|w| is(t, w)) || !CLAUSES.contains(&connector) && IN_PLACE.iter().any(|w| is(t, w)));
    let rest = &tokens[at + 1..];
    let clause = |from: &'v [Stemmed<'a>]| {
        let until = from.iter().position(|t| t.token.ends_clause).map_or(from.len(), |end| end + 1);
        let (clause, rest) = from.split_at(until);
        (&clause[..clause.iter().position(|t| !within(t)).unwrap_or(clause.len())], rest)
    };
    let (behind, after) = clause(rest);
    if at == 0 {
        // "Before a commit, run the tests."
        let before = clause(after).0;
        return (!before.is_empty()).then_some((before, behind));
    }
    let from = (1..at).rev().find(|end| tokens[*end - 1].token.ends_clause || !within(&tokens[*end - 1])).unwrap_or_default();
    Some((&tokens[from..at], behind))
}

/// The positions of a side's words with content.
fn said_at(side: &[Stemmed<'_>]) -> impl Iterator<Item = usize> {
    let says =
        |t: &Stemmed<'_>| t.token.kind != TokenKind::Negator && !frame::is_weightless(&t.token.lower) && !frame::is_grammar(&t.token.lower);
    (0..side.len()).filter(move |at| says(&side[*at]))
}

fn words<'v>(side: &'v [Stemmed<'_>]) -> HashSet<&'v str> {
    said_at(side).map(|at| word_of(&side[at])).collect()
}

fn word_of<'v>(token: &'v Stemmed<'_>) -> &'v str {
    senses::word_of(&token.stem)
}

/// Whether more than half of what left one side is now on the other.
fn is_like(gone: &HashSet<&str>, came: &HashSet<&str>) -> bool {
    2 * gone.intersection(came).count() > gone.len().max(came.len())
}

/// Whether a preposition introduces a word of a side, apart from words that say nothing: "in the user's time zone".
fn is_led_to(side: &[Stemmed<'_>], at: usize) -> bool {
    let before = side[..at].iter().rev().find(|t| !frame::is_weightless(&t.token.lower));
    before.is_some_and(|t| PREPOSITIONS.contains(&t.token.lower.as_str()))
}

/// "Only admins can export" and "admins can only export": who may, and what they may.
fn other_only(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let parted = |view: &View<'_>| -> Option<(usize, Vec<String>)> {
        let mut words: Vec<String> = view.tokens.iter().map(|t| t.token.lower.clone()).collect();
        let at = words.iter().position(|word| word == "only")?;
        words.remove(at);
        Some((at, words))
    };
    let ((at, words), (there, others)) = (parted(a)?, parted(b)?);
    let (front, back) = (at.min(there), at.max(there));
    let between = words.get(1..back).unwrap_or_default();
    let turned = words == others && front == 0 && between.iter().any(|word| MODALS.contains(&word.as_str()));
    let said = |at: usize| format!("only {}", words.get(at).map_or("", String::as_str));
    turned.then(|| Hit { kind: HitKind::Order, older: said(at), newer: said(there) })
}

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::words::Words;
    use ralph_core::quality::HitKind;

    fn is_turned_round(a: &str, b: &str) -> bool {
        let found = |a: &str, b: &str| hits(&Words::of(a), &Words::of(b)).iter().any(|hit| hit.kind == HitKind::Order);
        assert_eq!(found(a, b), found(b, a), "symmetric: {a} | {b}");
        found(a, b)
    }

    #[test]
    fn long_sides_that_changed_places_are_another_order() {
        for (a, b) in [
            (
                "Stop the worker before you migrate the database in deploy.sh.",
                "Migrate the database before you stop the worker in deploy.sh.",
            ),
            ("Stop the worker before you migrate the database", "Before you stop the worker, migrate the database"),
            ("Close the socket before flushing the buffer.", "Flush the buffer before closing the socket."),
            ("Write the journal before the database commits.", "The database commits before the journal is written."),
            ("The lock is taken before the file is opened.", "The file is opened before the lock is taken."),
            ("Warm the cache after the deploy finishes.", "The deploy finishes after the cache is warmed."),
            ("Rebase feature branches onto main.", "Rebase main onto feature branches."),
            ("Merge main into the release branch before tagging.", "Merge the release branch into main before tagging."),
            ("Merge main into the release branch, then tag.", "Merge the release branch into main, then tag."),
            ("Merge main into the release branch before tagging it.", "Tag the release branch before merging main into it."),
            ("Copy rows from the old primary to the new replica", "Copy rows from the new replica to the old primary"),
            ("Dates are stored in UTC and shown in the user's time zone.", "Dates are stored in the user's time zone and shown in UTC."),
            ("If the cache is cold, the test fails", "If the test fails, the cache is cold"),
            ("The build fails because the cache is stale", "The cache is stale because the build fails"),
            ("When the worker dies, the queue stops", "The worker dies when the queue stops"),
            ("Call `init()` and then `start()`", "Call `start()` and then `init()`"),
            ("Environment variables override the config file", "The config file overrides environment variables"),
            ("The config loader prefers env vars over the file", "The config loader prefers the file over env vars"),
            ("UI components must not import data stores", "Data stores must not import UI components"),
            ("The old value is copied to the new column", "The new column is copied to the old value"),
            ("Old clients can talk to new servers", "New servers can talk to old clients"),
            ("The user cache is filled from the order table", "The order table is filled from the user cache"),
            ("`a < b` must hold", "`b < a` must hold"),
            ("Never log before validating input", "Never validate input before logging"),
            ("Only admins can export invoices from the billing page.", "Admins can only export invoices from the billing page."),
            ("Only admins may delete invoices.", "Admins may delete only invoices."),
        ] {
            assert!(is_turned_round(a, b), "{a} | {b}");
        }
    }

    #[test]
    fn a_word_alone_has_no_sides() {
        for (a, b) in [("only", "only"), ("Only!", "ONLY"), ("only", "only if"), ("", "only")] {
            assert!(!is_turned_round(a, b), "{a} | {b}");
        }
    }

    #[test]
    fn sides_that_are_told_in_another_way_are_as_they_were() {
        for (a, b) in [
            ("Stop the worker before you migrate the database", "Before you migrate the database, stop the worker"),
            ("Before a commit run the tests", "Run the tests before a commit"),
            ("Copy the rows from the old primary to the new replica", "Copy the rows to the new replica from the old primary"),
            ("Dates are stored in UTC and shown in local time", "Dates are shown in local time and stored in UTC"),
            ("It has a brown and white coat", "It has a white and brown coat"),
            (
                "Feature flags are read once at start, so restart `api` after a change in flags.yaml",
                "A change in flags.yaml takes effect after a restart of `api`, since it reads the feature flags once at start",
            ),
            ("The scheduler waits for the worker, so start `worker` first", "Start `worker` first: the scheduler waits for the worker"),
            ("The man plays the guitar and the woman plays the drums", "The woman plays the drums and the man plays the guitar"),
            ("Only run the browser tests on the server", "Run the browser tests only on the server"),
            ("Wait until the queue is empty, then stop the worker", "Then stop the worker, but wait until the queue is empty"),
            ("When the queue stops, the worker dies", "The worker dies when the queue stops"),
            ("On the server run the browser tests", "The browser tests run on the server"),
            ("In the pipeline run the tests before a deploy", "Before a deploy run the tests in the pipeline"),
            ("Warm the cache after each deploy of the shop", "After each deploy of the shop warm the cache"),
        ] {
            assert!(!is_turned_round(a, b), "{a} | {b}");
        }
    }
}
