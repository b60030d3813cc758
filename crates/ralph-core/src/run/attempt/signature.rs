//! The signature of a failure: its words without everything that differs between two runs.

use super::ErrorCategory;
use crate::text::cut;

/// Characters of a signature: one line on screen.
pub(super) const SIGNATURE_CHARS: usize = 160;
/// Lines that state the failure; further ones are usually its consequences.
const LINES: usize = 3;
/// Maximum words of a line.
const LINE_WORDS: usize = 24;
/// Words that mark a line as stating a failure.
const TELLING: [&str; 12] =
    ["error", "fail", "panic", "assert", "exception", "expected", "fatal", "undefined", "cannot", "not found", "no such", "●"];
/// Lines that count failures or give a failure as the reason to stop. The lines before them state the failure itself.
const SUMMARIES: [&str; 9] = [
    "test result:",
    "tests:",
    "test suites:",
    "npm err! code",
    "failures:",
    "could not compile",
    "short test summary",
    "compilation terminated",
    "error: test failed",
];
/// File extensions of names that are written without their folder.
const EXTENSIONS: [&str; 29] = [
    "c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "json", "jsx", "kt", "lock", "log", "md", "mjs", "php", "py",
    "rb", "rs", "sh", "sql", "toml", "ts", "tsx", "yaml", "yml",
];

/// The signature of a failure text: its category and the words of the lines that state the failure, lower case and readable.
///
/// Paths, file names, numbers, hexadecimal words, times and quotation marks are omitted, since they differ from run to run. Names of
/// tests and identifiers, numbered or not, and codes such as `E0308` stay: a different failing test is a different failure. At most
/// 160 characters; a longer one ends in a hash of the whole.
pub fn signature(category: ErrorCategory, text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in telling_lines(text) {
        let line = normalised(line);
        if !line.is_empty() && !lines.contains(&line) {
            lines.push(line);
        }
        if lines.len() == LINES {
            break;
        }
    }
    let whole = if lines.is_empty() { category.to_string() } else { format!("{category}: {}", lines.join(" | ")) };
    if whole.chars().count() <= SIGNATURE_CHARS {
        return whole;
    }
    let hash = format!(" #{:016x}", fnv(&whole));
    format!("{}{hash}", cut(&whole, SIGNATURE_CHARS - hash.len()))
}

/// The lines that state a failure, in order; the last line with content when none does.
fn telling_lines(text: &str) -> Vec<&str> {
    let lines = || text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let telling: Vec<&str> = lines().filter(|line| tells(line)).collect();
    if telling.is_empty() { lines().next_back().into_iter().collect() } else { telling }
}

fn tells(line: &str) -> bool {
    let line = line.to_lowercase();
    TELLING.iter().any(|word| line.contains(word)) && !SUMMARIES.iter().any(|summary| line.starts_with(summary))
}

/// The words of a line without what differs between two runs.
fn normalised(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for token in line.split_whitespace() {
        // A test's full name is its file's path plus the names inside it; only the path differs between machines.
        for part in token.split("::").filter(|part| !is_path(part)) {
            words.extend(part.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| is_lasting(word)).map(str::to_lowercase));
        }
    }
    words.truncate(LINE_WORDS);
    words.join(" ")
}

fn is_path(token: &str) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '\\');
    if token.contains(['/', '\\']) {
        return true;
    }
    // `money.rs:12:5`, `app.ts(3,4)`
    let name = token.split([':', '(']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && EXTENSIONS.contains(&ending))
}

/// Whether a word is the same in every run: no number, amount or time, no hexadecimal word.
fn is_lasting(word: &str) -> bool {
    let is_hex = word.chars().all(|c| c.is_ascii_hexdigit());
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) && !(is_hex && (word.len() >= 8 || has_digit && word.len() >= 6))
}

/// FNV-1a: stable across versions and platforms, since signatures are stored.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::super::ErrorCategory::{BuildError, Crashed, TestFailure, Unknown};
    use super::*;

    #[test]
    fn the_same_failure_is_recognised_in_another_run() {
        for (one, other) in [
            (
                "thread 'tests::total' (4711) panicked at src/money.rs:3:5:\nassertion `left == right` failed\n  left: 12",
                "thread 'tests::total' (99) panicked at /tmp/x1/src/money.rs:30:5:\nassertion 'left == right' failed\n  left: 13",
            ),
            ("FAILED tests/test_money.py::test_total - assert 3 == 4", "FAILED /home/a/tests/test_money.py::test_total - assert 17 == 4"),
            ("2026-11-21T10:00:00Z ERROR pool 0x7ffd12 closed after 12ms", "2026-11-22T23:59:59Z error Pool 0x55aa closed after 3.5ms"),
            ("main.c:3:10: error: expected ';' before 'return'", "main.c:14:2: error: expected \u{2018};\u{2019} before \"return\""),
            ("error: commit deadbeefcafe not signed", "error: commit 0123456789ab not signed"),
            ("3 tests\nFAILED total_is_rounded\n", "5 tests\nok other\nFAILED total_is_rounded\n\n"),
            ("error: no space left\nerror: no space left", "error: no space left"),
            ("boom", "starting\nBoom!"),
        ] {
            assert_eq!(signature(TestFailure, one), signature(TestFailure, other));
        }
    }

    #[test]
    fn different_failures_are_told_apart() {
        for (one, other) in [
            ("FAILED tests/a.py::test_total", "FAILED tests/a.py::test_other"),
            ("FAILED test_case_1", "FAILED test_case_2"),
            ("error[E0308]: mismatched types", "error[E0277]: mismatched types"),
            ("Cannot find module 'lodash'", "Cannot find module 'yaml'"),
            ("error: expected ';'", "error: expected ';' before return"),
        ] {
            assert_ne!(signature(BuildError, one), signature(BuildError, other));
        }
        assert_ne!(signature(BuildError, "boom"), signature(Crashed, "boom"));
        // They differ after the cut.
        let long = |end: &str| format!("error: {}{end}", "word ".repeat(22));
        assert_ne!(signature(Unknown, &long("a\nerror: b")), signature(Unknown, &long("a\nerror: c")));
    }

    #[test]
    fn a_signature_is_readable_and_bounded() {
        assert_eq!(
            signature(TestFailure, "1 test\nFAILED tests/a.py::test_total - assert 3 == 4"),
            "test_failure: failed test_total assert"
        );
        assert_eq!(signature(Unknown, ""), "unknown");
        assert_eq!(signature(Unknown, "12 / 34 \u{2713}"), "unknown");
        for text in ["error \u{e4}\u{f6} ".repeat(100_000), "x".repeat(1_000_000), "error: y\n".repeat(100_000), "::::".repeat(10_000)] {
            assert!(signature(BuildError, &text).chars().count() <= SIGNATURE_CHARS);
        }
    }
}
