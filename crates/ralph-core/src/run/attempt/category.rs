//! Which kind of failure a text tells of, by the words that tools use.

use super::ErrorCategory::{self, BuildError, Crashed, DependencyError, LogicError, MissingFile, TestFailure, Timeout, TypeError};
use crate::text::cut;

/// Characters of a text that are looked at: a check's whole output, but no flood.
const TEXT_CHARS: usize = 20_000;

/// What tools say, in lower case. The first row that fits wins: causes stand before the results that they lead to.
const TOOLS_WORDS: &[(ErrorCategory, &[&str])] = &[
    (Crashed, &["segmentation fault", "core dumped", "sigsegv", "sigabrt", "sigkill", "heap out of memory", "stack overflow", "bus error"]),
    (
        Timeout,
        &[
            "timed out",
            "timeouterror",
            "timeout exceeded",
            "exceeded timeout",
            "timeout of ",
            "deadline exceeded",
            "etimedout",
            "test timeout",
        ],
    ),
    (
        DependencyError,
        &[
            "eresolve",
            "npm err! 404",
            "npm error 404",
            "modulenotfounderror",
            "no module named",
            "importerror",
            "cannot find package",
            "failed to resolve import",
            "no matching package",
            "failed to select a version",
            "no matching distribution",
            "could not find a version that satisfies",
            "unresolved import",
            "can't find crate",
            "e0432",
            "e0463",
            "unable to resolve dependency",
            "no required module provides package",
            "package does not exist",
        ],
    ),
    (
        MissingFile,
        &[
            "no such file or directory",
            "enoent",
            "filenotfounderror",
            "file not found",
            "cannot find the file",
            "can't open file",
            "no rule to make target",
        ],
    ),
    (
        TypeError,
        &[
            "mismatched types",
            "e0308",
            "e0277",
            "is not assignable to",
            "incompatible type",
            "does not exist on type",
            "error ts",
            "cannot convert",
            "incompatible pointer type",
            "invalid conversion from",
        ],
    ),
    (
        BuildError,
        &[
            "could not compile",
            "error[e",
            "syntaxerror",
            "syntax error",
            "undefined reference",
            "linker command failed",
            "linking with",
            "build failed",
            "failed to compile",
            "compilation error",
            "compilation failed",
            "compilation terminated",
            "error: expected",
            "parse error",
            "indentationerror",
            "undeclared",
        ],
    ),
    (
        TestFailure,
        &[
            "test result: failed",
            "assertionerror",
            "assertion failed",
            "assertion `",
            "assert ",
            "--- fail",
            "test failed",
            "tests failed",
            "failing",
        ],
    ),
    (TypeError, &["typeerror"]),
    (Crashed, &["panicked at", "panic:", "fatal error", "traceback (most recent call last)"]),
];

/// What people and agents say in prose, in lower case; only looked at where no tool spoke.
const PROSE: &[(ErrorCategory, &[&str])] = &[
    (Timeout, &["timeout", "time out", "too long", "hang", "hung"]),
    (DependencyError, &["dependency", "dependencies", "package", "import", "module", "version conflict", "crate"]),
    (MissingFile, &["missing file", "file missing", "missing_file", "not found", "does not exist", "missing"]),
    (TypeError, &["type error", "type_error", "type mismatch", "wrong type", "type check", "typing", "types do"]),
    (TestFailure, &["test", "assert", "expectation"]),
    (BuildError, &["build", "compil", "syntax", "link", "lint"]),
    (Crashed, &["crash", "panic", "segfault", "out of memory", "died", "killed"]),
    (LogicError, &["logic", "wrong", "incorrect", "off by one", "off-by-one", "instead of", "mistake", "bug", "lost", "design"]),
];

/// The category that a tool's output tells.
pub(super) fn of_output(text: &str) -> Option<ErrorCategory> {
    let text = cut_front(text).to_lowercase();
    first_row(TOOLS_WORDS, &text).or_else(|| counts_failures(&text).then_some(TestFailure))
}

/// The category that a sentence by an agent or by Ralph tells.
pub(super) fn of_prose(text: &str) -> Option<ErrorCategory> {
    let text = cut(text, TEXT_CHARS).to_lowercase();
    first_row(TOOLS_WORDS, &text).or_else(|| first_row(PROSE, &text))
}

/// The category that an agent names.
pub(super) fn of_agents_words(words: &str) -> Option<ErrorCategory> {
    let words = cut(words, 200).trim().to_lowercase();
    let joined: Vec<&str> = words.split([' ', '-', '_']).filter(|word| !word.is_empty()).collect();
    let joined = joined.join("_");
    let bare_type = (joined == "type" || joined == "types").then_some(TypeError);
    joined.parse().ok().or(bare_type).or_else(|| of_prose(&joined.replace('_', " "))).or_else(|| of_prose(&joined))
}

fn first_row(table: &[(ErrorCategory, &[&str])], text: &str) -> Option<ErrorCategory> {
    table.iter().find(|(_, words)| words.iter().any(|word| text.contains(word))).map(|(category, _)| *category)
}

/// Whether a summary counts failed tests: `2 failed`, but not `0 failed`; also pytest's and others' lines that begin with `FAILED`.
fn counts_failures(text: &str) -> bool {
    let counted = text.match_indices(" failed").any(|(at, _)| {
        let before = &text[..at];
        let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
        before[before.len() - digits..].bytes().any(|digit| digit != b'0')
    });
    counted
        || text
            .lines()
            .map(str::trim_start)
            .any(|line| ["failed ", "fail ", "✗", "● ", "not ok "].iter().any(|mark| line.starts_with(mark)))
}

/// The end of a long text: tools tell the failure last.
fn cut_front(text: &str) -> &str {
    let skipped = text.chars().count().saturating_sub(TEXT_CHARS);
    text.char_indices().nth(skipped).map_or("", |(at, _)| &text[at..])
}
