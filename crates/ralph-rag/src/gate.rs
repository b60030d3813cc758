//! The quality gate: is a candidate a lesson at all, and does it say enough?
//!
//! Layer 1 is structure: too short, boilerplate, a refusal, a transient status, or Ralph's own text echoed. Layer 2 is signal density,
//! tuned to lessons of one to three sentences. Layer 3, redundancy, is [`crate::reconcile`]. The gate judges; whether that rejects or only
//! warns is decided where the two weeks of recorded time are known.

mod elsewhere;
mod patterns;

use crate::reconcile::rounded;
use crate::words::{Words, is_unspaced};
use patterns::{Excuse, acts, gives_cause, gives_cause_of_something, is_about_its_gerund, is_generic, rules};
use ralph_core::quality::{GateFault, GatePart, GateReport, GateScore};

/// Density below which a candidate does not pass.
pub const DENSITY_THRESHOLD: f64 = 0.4;

/// The parts and their weights, which add up to 1. Specifics lead: a lesson about nothing in particular helps no task. Identifiers come
/// next, since recall finds by them. Cause and action make a lesson usable, but good ones exist without either ("prices are integers in
/// cents"), so neither may decide alone. Length and tags only tip the balance.
const WEIGHTS: [(GatePart, f64); 6] = [
    (GatePart::Specifics, 0.3),
    (GatePart::Identifiers, 0.25),
    (GatePart::Cause, 0.15),
    (GatePart::Action, 0.15),
    (GatePart::Length, 0.1),
    (GatePart::Tags, 0.05),
];
/// Specific words that suffice to name a lesson's subject.
const ENOUGH_SPECIFICS: f64 = 3.0;
/// Minimum words of a lesson.
const LEAST_WORDS: usize = 3;
/// Usual length of a lesson in words.
const NATURAL_WORDS: std::ops::RangeInclusive<usize> = 6..=70;
/// Sufficient number of tags.
const ENOUGH_TAGS: f64 = 2.0;

/// Judges a cleaned candidate.
pub fn inspect(text: &str, reason: Option<&str>, tags: &[String]) -> GateReport {
    inspect_words(text, &Words::of(text), reason, tags)
}

/// The same of a text whose words were read already.
pub fn inspect_words(text: &str, words: &Words, reason: Option<&str>, tags: &[String]) -> GateReport {
    let parts: Vec<GateScore> = WEIGHTS
        .iter()
        .map(|(part, weight)| GateScore { part: *part, score: rounded(score(*part, text, words, reason, tags)), weight: *weight })
        .collect();
    let density = rounded(parts.iter().map(|part| part.score * part.weight).sum::<f64>());
    let faults = faults(text, words, reason);
    GateReport { passed: faults.is_empty() && density >= DENSITY_THRESHOLD, density, threshold: DENSITY_THRESHOLD, faults, parts }
}

fn faults(text: &str, words: &Words, reason: Option<&str>) -> Vec<GateFault> {
    let mut faults = Vec::new();
    if count(words) < LEAST_WORDS {
        faults.push(GateFault::TooShort);
    }
    let explained = reason.is_some() || gives_cause(text);
    let excused = |excuse: Excuse| match excuse {
        Excuse::None => false,
        Excuse::Cause => explained,
        Excuse::Rule => rules(text),
        Excuse::MainVerb => explained || is_about_its_gerund(text),
        // A reason given with the text may be that of the refusal.
        Excuse::CauseOfSomething => gives_cause_of_something(text) && words.exact_words().any(is_identifier),
    };
    let found = patterns::FAULTS.iter().filter(|of| of.pattern.is_match(text) && !excused(of.excuse));
    faults.extend(found.map(|of| of.fault));
    faults
}

/// A path, a file, a number or a name in code, but not an abbreviation.
fn is_identifier(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit() || matches!(c, '/' | '_' | '.'))
}

/// Number of words of a text. Scripts without blanks between words have about two characters per word.
fn count(words: &Words) -> usize {
    words.tokens().iter().map(|token| token.lower.chars().filter(|c| is_unspaced(*c)).count().div_ceil(2).max(1)).sum()
}

#[allow(clippy::cast_precision_loss, reason = "counts of words in a short text")]
fn score(part: GatePart, text: &str, words: &Words, reason: Option<&str>, tags: &[String]) -> f64 {
    match part {
        GatePart::Specifics => {
            let specific = words.telling(usize::MAX).iter().filter(|word| !is_generic(word)).count();
            let is_unspaced_text = words.tokens().iter().any(|token| token.lower.contains(is_unspaced));
            let specific = if is_unspaced_text { specific.max(count(words)) } else { specific };
            (specific as f64 / ENOUGH_SPECIFICS).min(1.0)
        }
        GatePart::Identifiers => match words.exact_words().count() {
            0 => 0.0,
            // The first one is how the lesson is found.
            1 => 0.8,
            _ => 1.0,
        },
        GatePart::Cause => f64::from(u8::from(reason.is_some() || gives_cause(text))),
        GatePart::Action => f64::from(u8::from(acts(text))),
        GatePart::Length => {
            let count = count(words);
            let (least, most) = (*NATURAL_WORDS.start() as f64, *NATURAL_WORDS.end() as f64);
            (count as f64 / least).min(most / (count as f64).max(1.0)).min(1.0)
        }
        GatePart::Tags => (tags.len() as f64 / ENOUGH_TAGS).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str) -> GateReport {
        inspect(text, None, &[])
    }

    #[test]
    fn lessons_of_every_style_pass() {
        for text in [
            "Seeds live in db/seeds.sql",
            "Use npm, never pnpm",
            "Run `cargo sqlx prepare` after changing a query, or CI fails in offline mode",
            "Prices are stored in cents as integers, never as floats",
            "The payment webhook may arrive before the order row is committed",
            "Tests share one database, so run them with a single thread",
            "Always reload the module cache after a change",
            "Fixed the flaky login test by waiting for networkidle, because the session cookie is set late",
            "`ALTER TABLE` rewrites the whole table on MySQL 5.7",
            "Handlers return 404 and not 403 for foreign rows",
            "Everything in src/generated is written by `make codegen`",
            "Error handling in src/api.rs matters: axum turns a panic into an empty 500",
            "Read the docs in docs/queues.md first, since `enqueue` does not retry",
            "Test your code with `--features vendored`, or linking fails in CI",
            "Please provide the contents of .env.example to new developers, since setup.sh reads it",
            "I cannot access the staging DB from CI since the VPN blocks port 5432",
            "No changes to `schema.prisma` without a migration",
            "No errors may be swallowed in `jobs/`",
            "No issue may be closed without a linked PR",
            "Working with `git worktree` needs `core.hooksPath` to be absolute",
            "Starting with Node 22, `require(esm)` works",
            "Waiting for the pod to be ready takes up to 90 s",
            "Feature flags are pending until the next poll of `flagd`",
            "Issue templates are done in YAML, not Markdown",
            "Patterns for routes are matched in order",
            "支付回调可能先于订单写入到达",
            "決済の前に必ず冪等キーを設定すること",
            "ต้องปิดแคชก่อนรันการทดสอบทุกครั้ง",
            "All tests pass only when Redis listens on 6380",
            "`cargo test` passed in 3 s only after sccache was on, since linking is slow",
            "12 tests failed because TZ was not set",
            "The file config/prod.yml was removed, so read config/base.yml",
            "Branches are merged by the queue, never by hand",
            "Changes to `schema.prisma` have been merged without a migration, which breaks CI",
        ] {
            let report = report(text);
            assert!(report.passed, "{text}: {report:?}");
        }
    }

    #[test]
    fn what_is_no_lesson_is_named() {
        use GateFault::{Boilerplate, Injected, Refusal, TooShort, Transient};
        for (text, fault) in [
            ("Done.", TooShort),
            ("All tests pass", Boilerplate),
            ("All checks passed and the build is green.", Boilerplate),
            ("Typecheck passes, lint passes, tests pass", Boilerplate),
            ("All tests pass and the work is complete.", Boilerplate),
            ("Everything is done, tests are green, and the feature is finished", Boilerplate),
            ("Everything went well", Boilerplate),
            ("It all works as expected.", Boilerplate),
            ("Everything works as expected now", Boilerplate),
            ("Lesson learned: double-check your work", Boilerplate),
            ("Read the code carefully before changing it", Boilerplate),
            ("This was really smooth", Boilerplate),
            ("I learnt that testing is important and code should be clean", Boilerplate),
            ("Good documentation matters", Boilerplate),
            ("Always write clean code and follow best practices", Boilerplate),
            ("It is important to double-check your work", Boilerplate),
            ("Remember to read the documentation carefully first", Boilerplate),
            ("No issues found, and the tests can pass again", Boilerplate),
            ("No further errors in `src/pay.rs`", Boilerplate),
            ("Learnings from the refund feature", Boilerplate),
            ("Working on the parser of `src/pay.rs`", Transient),
            ("Feature checkout is complete", Transient),
            ("Tasks #12-14 are done", Transient),
            ("There is no AGENTS.md in this repository", Boilerplate),
            ("No new learnings in this iteration", Boilerplate),
            ("Learnings for future iterations:", Boilerplate),
            ("[describe what you learned here]", Boilerplate),
            ("I'm sorry, but I can't help with that request", Refusal),
            ("As an AI language model I cannot access files", Refusal),
            ("Please provide the contents of the file", Refusal),
            ("I'm sorry, I can't access src/main.rs because I don't have permission", Refusal),
            ("As an AI I cannot read src/main.rs because it is not attached", Refusal),
            ("I cannot access the files since they are missing", Refusal),
            ("Please provide the contents of src/main.rs because I cannot see it", Refusal),
            ("I cannot access src/main.rs because it is not in my workspace", Refusal),
            ("Could you share the log of run 12, since it is not shown to me", Refusal),
            ("I cannot read config/prod.yml because access is denied", Refusal),
            ("src/pay.rs fails to build since a.rs is gone. Please provide it.", Refusal),
            ("完成", TooShort),
            ("I have implemented the login form and added tests", Transient),
            ("Task #12 is complete", Transient),
            ("The build is still running", Transient),
            ("Next I will write the tests for the parser", Transient),
            ("Tests: 45 passed, 0 failed", Transient),
            ("45 passed, 2 skipped in 3.2s", Transient),
            ("2 files changed, 10 insertions(+), 3 deletions(-)", Transient),
            ("`cargo test -p pay` passed in 3.2s", Transient),
            ("Commit 3fa9c1d was pushed to origin/main", Transient),
            ("The file src/main.rs was edited", Transient),
            ("Let me know if you need anything else", Boilerplate),
            ("### Learnings from Previous Iterations", Injected),
            ("This is attempt 3 of task 12; failed the same way 2 times", Injected),
        ] {
            let report = report(text);
            assert!(report.faults.contains(&fault) && !report.passed, "{text}: {report:?}");
        }
    }

    #[test]
    fn vague_words_do_not_reach_the_threshold() {
        for text in
            ["The code works well now", "Be careful with this thing", "It is important to do good work", "Fix the issue in the project"]
        {
            let report = report(text);
            assert!(!report.passed && report.density < DENSITY_THRESHOLD, "{text}: {report:?}");
        }
    }

    #[test]
    fn a_reason_and_tags_count() {
        let bare = report("The cache is slow");
        let more = inspect("The cache is slow", Some("it locks on every read"), &["cache".into(), "locks".into()]);
        assert!(!bare.passed && more.passed && more.density > bare.density, "{bare:?} {more:?}");
        let asked = inspect("Please paste the stack trace of ticket 4711 here", Some("it says which handler panics"), &[]);
        assert_eq!(asked.faults, [GateFault::Refusal]);
    }

    #[test]
    fn the_weights_are_a_whole_and_hostile_text_is_only_text() {
        assert!((WEIGHTS.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-9);
        for text in
            ["", " ", "\u{202e}\u{200b}", &"a".repeat(1_000_000), &"ab ".repeat(100_000), "'; DROP TABLE memories; --", "NEAR(a b) OR *"]
        {
            let report = report(text);
            assert!(report.density.is_finite() && (0.0..=1.0).contains(&report.density), "{report:?}");
        }
    }
}
