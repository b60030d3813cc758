//! Determines the category of a failure from the words that tools use.

use super::ErrorCategory::{self, BuildError, Crashed, DependencyError, LogicError, MissingFile, TestFailure, Timeout, TypeError};
use crate::text::cut;

/// Characters of a text that are examined: a check's whole output, but no flood.
const TEXT_CHARS: usize = 20_000;

/// Phrases of tools, in lower case. The first match wins: causes come before their effects.
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

/// Phrases of people and agents in prose, in lower case; used only where no tool phrase matched.
const PROSE: &[(ErrorCategory, &[&str])] = &[
    (Timeout, &["timeout", "time out", "too long", "hang", "hung"]),
    (DependencyError, &["dependency", "dependencies", "package", "import", "module", "version conflict", "crate"]),
    // Other missing things, such as context or an argument, are not files.
    (
        MissingFile,
        &[
            "missing file",
            "file missing",
            "missing_file",
            "file is missing",
            "files are missing",
            "missing folder",
            "folder is missing",
            "missing directory",
            "directory is missing",
            "not found",
            "does not exist",
        ],
    ),
    (TypeError, &["type error", "type_error", "type mismatch", "wrong type", "type check", "typing", "types do"]),
    (TestFailure, &["test", "assert", "expectation"]),
    (BuildError, &["build", "compil", "syntax", "link", "lint"]),
    (Crashed, &["crash", "panic", "segfault", "out of memory", "died", "killed"]),
    (LogicError, &["logic", "wrong", "incorrect", "off by one", "off-by-one", "instead of", "mistake", "bug", "lost", "design"]),
];

/// The category of a tool's output.
pub(super) fn of_output(text: &str) -> Option<ErrorCategory> {
    let text = cut_front(text).to_lowercase();
    first_row(TOOLS_WORDS, &text).or_else(|| counts_failures(&text).then_some(TestFailure))
}

/// The category of a sentence by an agent or by Ralph.
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

/// Whether a summary reports failed tests: `2 failed`, but not `0 failed`; also lines that begin with `FAILED`, as pytest writes them.
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

/// The end of a long text: tools report the failure last.
fn cut_front(text: &str) -> &str {
    let skipped = text.chars().count().saturating_sub(TEXT_CHARS);
    text.char_indices().nth(skipped).map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::super::ErrorCategory::Unknown;
    use super::*;

    #[test]
    fn the_output_of_tools_tells_the_category() {
        for (tool, output, category) in [
            (
                "cargo test",
                "running 2 tests\nthread 'total' panicked at src/money.rs:3:5:\nassertion `left == right` failed\ntest result: FAILED. 1 passed; 1 failed",
                TestFailure,
            ),
            ("cargo build", "error[E0425]: cannot find value `x` in this scope\nerror: could not compile `ledger` (lib)", BuildError),
            ("cargo types", "error[E0308]: mismatched types\nerror: could not compile `ledger` (lib)", TypeError),
            ("cargo import", "error[E0432]: unresolved import `serde`\nerror: could not compile `ledger`", DependencyError),
            ("cargo version", "error: failed to select a version for `tokio`", DependencyError),
            ("pytest", "FAILED tests/test_money.py::test_total - assert 1 == 2\n=== 1 failed, 3 passed in 0.12s ===", TestFailure),
            ("pytest raises", "E   TypeError: unsupported operand\n=== short test summary info ===\n1 failed in 0.1s", TypeError),
            ("python import", "ModuleNotFoundError: No module named 'yaml'", DependencyError),
            ("python file", "FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'", MissingFile),
            ("python syntax", "  File \"a.py\", line 3\nSyntaxError: invalid syntax", BuildError),
            ("jest", "FAIL src/money.test.ts\n  ● rounds totals\nTests:       1 failed, 3 passed, 4 total", TestFailure),
            ("jest timeout", "thrown: \"Exceeded timeout of 5000 ms for a test.\"\nTests: 1 failed", Timeout),
            ("vitest", " ✗ rounds totals\n Tests  1 failed | 3 passed", TestFailure),
            ("tsc", "src/a.ts(3,4): error TS2322: Type 'string' is not assignable to type 'number'.", TypeError),
            ("vite", "Failed to resolve import \"lodash\" from \"src/a.ts\"", DependencyError),
            ("gcc", "main.c:3:10: error: expected ';' before 'return'", BuildError),
            ("gcc header", "main.c:1:10: fatal error: ledger.h: No such file or directory\ncompilation terminated.", MissingFile),
            ("ld", "main.o: undefined reference to `total'\ncollect2: error: ld returned 1 exit status", BuildError),
            ("npm", "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree", DependencyError),
            ("npm missing", "npm error code ENOENT\nnpm error path /app/package.json", MissingFile),
            ("go", "--- FAIL: TestTotal (0.00s)\nFAIL", TestFailure),
            ("make", "make: *** No rule to make target 'tset'.  Stop.", MissingFile),
            ("timeout", "curl: (28) Operation timed out after 5000 milliseconds", Timeout),
            ("crash", "Segmentation fault (core dumped)", Crashed),
            ("node memory", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", Crashed),
            ("panic", "thread 'main' panicked at src/main.rs:3:5:\nindex out of bounds", Crashed),
            ("all well", "test result: ok. 12 passed; 0 failed; finished in 0.1s", Unknown),
            ("ten failed", "10 failed", TestFailure),
            ("nothing", "", Unknown),
        ] {
            assert_eq!(of_output(output).unwrap_or(Unknown), category, "{tool}: {output}");
        }
    }

    #[test]
    fn an_agents_word_is_read_with_tolerance() {
        for (words, category) in [
            ("test_failure", Some(TestFailure)),
            (" Test Failure ", Some(TestFailure)),
            ("type-error", Some(TypeError)),
            ("type", Some(TypeError)),
            ("assertion", Some(TestFailure)),
            ("compile error", Some(BuildError)),
            ("Compilation_Failure", Some(BuildError)),
            ("syntax", Some(BuildError)),
            ("missing dependency", Some(DependencyError)),
            ("file not found", Some(MissingFile)),
            ("missing_file", Some(MissingFile)),
            ("the file is missing", Some(MissingFile)),
            ("missing_context", None),
            ("missing", None),
            ("off-by-one", Some(LogicError)),
            ("logic", Some(LogicError)),
            ("hang", Some(Timeout)),
            ("segfault", Some(Crashed)),
            ("unknown", Some(Unknown)),
            ("äöü", None),
            ("", None),
        ] {
            assert_eq!(of_agents_words(words), category, "{words}");
        }
        for category in ErrorCategory::ALL {
            assert_eq!(of_agents_words(category.as_str()), Some(*category));
        }
    }

    #[test]
    fn the_end_of_a_flood_is_read() {
        let flood = "ä ok\n".repeat(100_000);
        assert_eq!(of_output(&format!("{flood}Segmentation fault")), Some(Crashed));
        assert_eq!(of_output(&format!("Segmentation fault\n{flood}")), None);
    }
}
