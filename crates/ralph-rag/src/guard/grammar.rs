//! Opposite function words that say the same together with the denials around them: "no test may wait", "tests must not wait"; "unless it
//! is set", "if it isn't set".

use super::{Stemmed, View, frame};
use crate::words::{TokenKind, is_listed};

const CONDITIONS: &str = "if when whenever while";
const EXCEPTION: &str = "unless";

/// Whether two opposite words of grammar say the same.
pub(super) fn say_the_same((one, a): (&Stemmed<'_>, &View<'_>), (other, b): (&Stemmed<'_>, &View<'_>)) -> bool {
    let (first, second) = (one.token.lower.as_str(), other.token.lower.as_str());
    if !frame::is_grammar(first) || !frame::is_grammar(second) {
        return false;
    }
    match (first, second) {
        (EXCEPTION, condition) if is_listed(CONDITIONS, condition) => excepts((one, a), (other, b)),
        (condition, EXCEPTION) if is_listed(CONDITIONS, condition) => excepts((other, b), (one, a)),
        _ => denied_around(a, one) && denied_around(b, other),
    }
}

/// Whether a condition denies what an exception says, and both texts say the rest alike.
fn excepts((exception, a): (&Stemmed<'_>, &View<'_>), (condition, b): (&Stemmed<'_>, &View<'_>)) -> bool {
    let negators = |view: &View<'_>| view.tokens.iter().filter(|t| t.token.kind == TokenKind::Negator).count();
    denied_behind(b, condition) && !denied_behind(a, exception) && negators(b) == negators(a) + 1
}

fn place(view: &View<'_>, word: &Stemmed<'_>) -> usize {
    view.tokens.iter().position(|t| t.token.range == word.token.range).unwrap_or(0)
}

fn denied(tokens: &[Stemmed<'_>]) -> bool {
    tokens.iter().any(|t| t.token.kind == TokenKind::Negator)
}

/// Whether the clause that a word begins denies something.
fn denied_behind(view: &View<'_>, word: &Stemmed<'_>) -> bool {
    let from = (place(view, word) + 1).min(view.tokens.len());
    denied(&view.tokens[from..view.clause_end(from)])
}

/// Whether the clause around a word denies something.
fn denied_around(view: &View<'_>, word: &Stemmed<'_>) -> bool {
    denied(&view.tokens[view.clause_around(place(view, word))])
}

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::words::Words;

    #[test]
    fn denials_turn_words_of_grammar() {
        let differ = |a: &str, b: &str| !hits(&Words::of(a), &Words::of(b)).is_empty();
        for (a, b, expected) in [
            ("No secret may be logged", "Secrets must never be logged", false),
            ("No handler may block the event loop", "Handlers must not block the event loop", false),
            ("Nobody may push to the default branch", "You must not push to the default branch", false),
            ("Tests must not touch the network", "Tests may not touch the network", false),
            ("The build fails unless JAVA_HOME is set", "The build fails if JAVA_HOME is not set", false),
            ("Unless the lock is held, the write panics", "The write panics when the lock isn't held", false),
            ("Slow tests are left out unless `SLOW=1` is set", "Slow tests are left out if `SLOW=1` isn't set", false),
            ("Tests must touch the network", "Tests may touch the network", true),
            ("Tests must touch the network", "Tests may not touch the network", true),
            ("The build fails unless JAVA_HOME is set", "The build fails if JAVA_HOME is set", true),
            ("The build fails unless JAVA_HOME is not set", "The build fails if JAVA_HOME is not set", true),
            ("The build fails unless JAVA_HOME is set", "The build does not fail if JAVA_HOME is not set", true),
        ] {
            assert_eq!((differ(a, b), differ(b, a)), (expected, expected), "{a} | {b}");
        }
    }
}
