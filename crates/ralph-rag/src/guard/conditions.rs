//! When a condition is met: "as soon as it opens" and "unless it opens" have the same words, but apply at opposite times.

use super::{View, negation};
use crate::words::{TokenKind, is_listed};
use ralph_core::quality::{Hit, HitKind};

/// Words that introduce a condition under which something holds.
const BINDING: &str = "if when whenever once while where only solely provided assuming after since";
/// The same in two words.
const BINDING_OF_TWO: [(&str, &str); 4] = [("as", "long"), ("so", "long"), ("as", "soon"), ("in", "case")];
/// Words that introduce a condition under which something no longer holds.
const EXCEPTING: &str = "unless until till";
/// Words for everything, from which "but" excepts something.
const ALL_BUT: &str = "everywhere anywhere everything anything everyone everybody anyone anybody all";

/// Each text has a condition that the other lacks, one of them as an exception, and neither denies anything else.
/// "Unless" excepts whatever the other text says, except where something fails unless the text is obeyed: "it is lost unless it is caught",
/// "catch it, else it is lost".
pub(super) fn turned(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    if negation::denies(a) || negation::denies(b) {
        return None;
    }
    let hit = |older: String, newer: String| Hit { kind: HitKind::Other, older, newer };
    let across = |one: &View<'_>, other: &View<'_>| {
        let (excepted, bound) = (excepting(one)?, binding(other));
        let only_there = excepting(other).is_none()
            && (bound.is_some() || excepted == "unless" && !negation::threatens(one) && !negation::threatens(other));
        only_there.then(|| (excepted, bound.unwrap_or_default()))
    };
    let forth = across(a, b).map(|(older, newer)| hit(older, newer));
    forth.or_else(|| across(b, a).map(|(newer, older)| hit(older, newer)))
}

fn word<'v>(view: &'v View<'_>, at: usize) -> &'v str {
    view.tokens.get(at).filter(|t| t.token.kind != TokenKind::Exact).map_or("", |t| t.token.lower.as_str())
}

fn binding(view: &View<'_>) -> Option<String> {
    let binds = |at: &usize| is_listed(BINDING, word(view, *at)) || BINDING_OF_TWO.contains(&(word(view, *at), word(view, at + 1)));
    let at = (0..view.tokens.len()).find(binds)?;
    Some(if is_listed(BINDING, word(view, at)) { word(view, at).to_owned() } else { format!("{} {}", word(view, at), word(view, at + 1)) })
}

fn excepting(view: &View<'_>) -> Option<String> {
    let all_but = |at: usize| is_listed(ALL_BUT, word(view, at)) && word(view, at + 1) == "but";
    (0..view.tokens.len()).find_map(|at| match word(view, at) {
        one if is_listed(EXCEPTING, one) => Some(one.to_owned()),
        all if all_but(at) => Some(format!("{all} but")),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::words::Words;

    #[test]
    fn an_exception_is_no_condition() {
        let differ = |a: &str, b: &str| !hits(&Words::of(a), &Words::of(b)).is_empty();
        for (a, b, expected) in [
            ("Retry as soon as the lease expires", "Retry unless the lease expires", true),
            ("Flush as long as the buffer is full", "Flush until the buffer is full", true),
            ("The flag works only on Linux hosts", "The flag works everywhere but on Linux hosts", true),
            ("An expired lease is tried again", "Try again unless the lease has expired", true),
            ("Deploy only if the tests pass", "Do not deploy unless the tests pass", false),
            ("Fonts must be preloaded, otherwise the layout jumps", "The layout jumps unless fonts are preloaded", false),
            ("Docker builds need BuildKit", "Docker builds fail unless BuildKit is there", false),
            ("Wait until the queue is empty", "Wait for an empty queue", false),
            ("Retry once the lease expires", "Retry when the lease expires", false),
        ] {
            assert_eq!((differ(a, b), differ(b, a)), (expected, expected), "{a} | {b}");
        }
    }
}
