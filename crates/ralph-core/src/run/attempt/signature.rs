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
/// Lines that count failures. The lines before them state the failure itself.
const SUMMARIES: [&str; 8] = [
    "test result:",
    "tests:",
    "test suites:",
    "failures:",
    "could not compile",
    "short test summary",
    "compilation terminated",
    "error: test failed",
];
/// Lines of a tool that ran the one that failed: they say that something failed, but not what.
const CLOSING: [&str; 13] = [
    "npm err! code",
    "npm err! errno",
    "npm err! path",
    "npm err! command",
    "npm err! lifecycle",
    "npm error code",
    "npm error path",
    "npm error command",
    "npm error lifecycle",
    "npm error workspace",
    "npm error location",
    "error command failed",
    "elifecycle",
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

/// The lines that state a failure, in order; the last line that says anything else when none does.
fn telling_lines(text: &str) -> Vec<&str> {
    let lines = || text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let telling: Vec<&str> = lines().filter(|line| tells(line)).collect();
    if telling.is_empty() { lines().rfind(|line| !closes(line)).or_else(|| lines().next_back()).into_iter().collect() } else { telling }
}

/// Whether a text has a line that states a failure: the frames of a stack alone are the same for many.
pub(super) fn states_a_failure(text: &str) -> bool {
    text.lines().any(|line| tells(line.trim()))
}

/// The line to quote of a failed command's output; `None` if it has none with content.
pub fn quoted_line(output: &str) -> Option<&str> {
    telling_lines(output).pop()
}

fn tells(line: &str) -> bool {
    let lower = line.to_lowercase();
    TELLING.iter().any(|word| lower.contains(word)) && !SUMMARIES.iter().any(|summary| lower.starts_with(summary)) && !closes(line)
}

/// Whether a line says no more than that a command failed: `make: *** [Makefile:2: test] Error 1`, `Found 1 error.`
fn closes(line: &str) -> bool {
    let line = line.to_lowercase();
    let of_make = line.starts_with("make") && line.contains(": *** [") && line.contains("] error ");
    let counts = line.strip_prefix("found ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains(" error"));
    of_make || counts || CLOSING.iter().any(|closing| line.starts_with(closing))
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
    let token = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '\\' && c != '@');
    // `@acme/billing`: the name of a package.
    if token.strip_prefix('@').is_some_and(|name| name.starts_with(char::is_alphanumeric)) {
        return false;
    }
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
            ("Cannot find module '@acme/billing'", "Cannot find module '@acme/ledger'"),
            ("totals differ\nmake: *** [Makefile:2: test] Error 1", "the port is taken\nmake: *** [Makefile:2: test] Error 1"),
            (
                "totals differ\nnpm error Lifecycle script `test` failed with error:\nnpm error code 1\nnpm error path /a/b",
                "the port is taken\nnpm error Lifecycle script `test` failed with error:\nnpm error code 1\nnpm error path /a/b",
            ),
            ("a.ts(3,4): TS2322\nFound 1 error.", "b.ts(3,4): TS2554\nFound 1 error."),
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
    fn the_line_that_states_the_failure_is_quoted() {
        for (output, quoted) in [
            ("totals differ\nmake[1]: *** [Makefile:9: unit] Error 1\nmake: *** [Makefile:2: test] Error 2\n", "totals differ"),
            ("make: *** No rule to make target 'tset'.  Stop.", "make: *** No rule to make target 'tset'.  Stop."),
            ("FAILED total\nnpm error code 1\nnpm error path /a", "FAILED total"),
            ("make: *** [Makefile:2: test] Error 1\n\n", "make: *** [Makefile:2: test] Error 1"),
            ("2 tests\ntest result: FAILED. 1 passed; 1 failed\n", "test result: FAILED. 1 passed; 1 failed"),
        ] {
            assert_eq!(quoted_line(output), Some(quoted));
        }
        assert_eq!(quoted_line(" \n--\n"), None);
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
