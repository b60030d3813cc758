//! An operation: one tool call, of Ralph's own tools or of an agent's.

use super::about::{about_the_same, is_an_id, names_a_thing};
use ralph_core::detection::ToolKind;
use ralph_core::shell_words::{self, Try};
use ralph_core::time::Timestamp;
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Words of an error that says that what an argument names does not exist, or is not a name.
const NOTHING: [&str; 6] = ["there is no", "not found", "not_found", "does not exist", "is not accepted", "invalid"];

/// Arguments by which agents start a command in the background.
const IN_BACKGROUND: [&str; 2] = ["run_in_background", "is_background"];

/// Output of runners that found no test to run, or left out all that they found.
static NO_TEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?im)\brunning 0 tests\b|\b0 (?:tests? )?pass(?:ed|ing)\b|\bran 0 tests\b|\bno tests? (?:found|ran|were found|executed|to run|files?)\b",
        r"|\bno test (?:matches|is available)\b|\btests run: 0\b|\bcollected 0 items\b|\b0 (?:examples|scenarios|specs),|\bnothing to be done for '(?:test|check)'",
        r"|:\w*test NO-SOURCE|\bthere are no tests to run\b|^=+ [1-9]\d* (?:skipped|deselected)(?:, \d+ (?:skipped|deselected|warnings?))* in ",
    ))
    .expect("a constant pattern")
});
/// Output of runners that did run a test.
static A_TEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?im)\b[1-9]\d* (?:tests? )?pass(?:ed|ing)\b|\bpass(?:ed)?:? +[1-9]|\bran [1-9]\d* tests?\b|\btests run: [1-9]|^ok\s+\S+\s+[\d.]+m?s\s*$",
        r"|^--- PASS|^\s*(?:✓|√|ok \d)|\b[1-9]\d* (?:examples|scenarios|specs|tests),",
    ))
    .expect("a constant pattern")
});

/// One tool call. Its texts are free of secrets.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Operation {
    /// The tool's name.
    pub tool: String,
    /// Its arguments; for a command `{"command": text}`.
    pub arguments: Value,
    /// Error message; `None` = success.
    pub error: Option<String>,
    /// Exit code of a command, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// When it began.
    pub at: Timestamp,
    /// Duration in milliseconds.
    pub duration_ms: u32,
    /// Whether the call asked to be learnt from.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
    /// Whether it succeeded because there was nothing to test, see [`Operation::tested_nothing`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idle: bool,
}

impl Operation {
    /// A call about which nothing else is known yet.
    pub fn of(tool: impl Into<String>, arguments: Value, at: Timestamp) -> Operation {
        Operation { tool: tool.into(), arguments, error: None, exit_code: None, at, duration_ms: 0, asked: false, idle: false }
    }

    /// Whether it was not reported as failed.
    pub fn succeeded(&self) -> bool {
        self.error.is_none()
    }

    /// Whether, by its output, a command ran no test at all. That it succeeded then shows nothing: the test that had failed is gone, is
    /// left out, or has another name.
    pub fn tested_nothing(output: &str) -> bool {
        NO_TEST.is_match(output) && !A_TEST.is_match(output)
    }

    /// Whether it is known that it worked: the shell's exit code is that of the last part of a command, a start in the background has
    /// none, and that of a run without tests says nothing.
    pub fn worked(&self) -> bool {
        self.succeeded() && !self.idle && !self.is_in_background() && self.command().is_none_or(shell_words::tells_success)
    }

    /// Whether it was answered before it ended.
    fn is_in_background(&self) -> bool {
        IN_BACKGROUND.iter().any(|argument| self.arguments[*argument] == true)
    }

    /// Purpose of its tool.
    pub fn kind(&self) -> ToolKind {
        ToolKind::of(&self.tool)
    }

    /// The command that it ran, if it ran one.
    pub fn command(&self) -> Option<&str> {
        self.arguments["command"].as_str().filter(|_| self.kind() == ToolKind::Run)
    }

    /// Whether it starts in the folder that the previous command changed to, as in the shell of Claude Code.
    pub(super) fn keeps_its_folder(&self) -> bool {
        self.tool == "Bash"
    }

    /// What it tries: another operation with the same value is another try.
    pub fn tried(&self) -> Try {
        let of_command = self.command().map(Try::of).filter(|tried| !tried.name.is_empty());
        of_command.unwrap_or_else(|| Try::of_tool(&self.tool))
    }

    /// Whether it is a call about the same thing as another: it names nothing else. A name that, according to its error, does not exist
    /// does not count as something else.
    pub(super) fn is_about_that_of(&self, other: &Operation) -> bool {
        if let (Some(one), Some(other)) = (self.command(), other.command()) {
            return about_the_same(one, other);
        }
        let (Value::Object(one), Value::Object(other_arguments)) = (&self.arguments, &other.arguments) else { return true };
        let mut named = one.iter().filter(|(argument, _)| names_a_thing(argument));
        named.all(|(argument, value)| {
            other_arguments.get(argument).is_none_or(|other| other == value) || other.succeeded() && self.named_nothing(argument, value)
        })
    }

    /// The argument whose value its error refuses (`status: "finished" is not accepted`), unless that names what the call is about.
    pub(super) fn refused_argument(&self) -> Option<&str> {
        let (argument, _) = self.error.as_deref().filter(|_| self.command().is_none())?.split_once(':')?;
        (argument.chars().all(|c| c.is_alphanumeric() || c == '_') && !names_a_thing(argument)).then_some(argument)
    }

    /// Whether another call gives the argument that this one's error refuses another value: what was wrong is the same, whatever the two
    /// are about.
    pub(super) fn is_answered_by(&self, other: &Operation) -> bool {
        self.refused_argument().is_some_and(|argument| {
            let now = &other.arguments[argument];
            other.succeeded() && !now.is_null() && *now != self.arguments[argument]
        })
    }

    /// Whether its error says that the id in an argument does not exist.
    fn named_nothing(&self, argument: &str, value: &Value) -> bool {
        let error = self.error.as_deref().unwrap_or_default();
        let lower = error.to_lowercase();
        let id = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_named = error.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').any(|word| word == id);
        let is_of_it = is_named || error.strip_prefix(argument).is_some_and(|rest| rest.starts_with(':'));
        is_an_id(argument) && is_of_it && NOTHING.iter().any(|words| lower.contains(words))
    }

    /// Whether it asked for something that, according to its error, does not exist: that says nothing about the work.
    pub(super) fn is_about_nothing(&self) -> bool {
        let mut named = self.arguments.as_object().filter(|_| self.command().is_none()).into_iter().flatten();
        named.any(|(argument, value)| self.named_nothing(argument, value))
    }

    /// Arguments of a call that its agent reports in a line alone.
    pub fn untold(paths: &[String], summary: &str) -> Value {
        json!({ "paths": paths, "on": summary })
    }

    /// Whether its agent reported the call in a line alone, see [`Operation::untold`].
    pub(super) fn is_untold(&self) -> bool {
        self.arguments
            .as_object()
            .is_some_and(|arguments| arguments.len() == 2 && arguments.contains_key("paths") && arguments.contains_key("on"))
    }
}

#[cfg(test)]
mod tests {
    use super::Operation;

    #[test]
    fn a_run_without_tests_is_known_by_its_output() {
        for nothing in [
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 14 filtered out; finished in 0.00s",
            "running 1 test\ntest slow ... ignored\n\ntest result: ok. 0 passed; 0 failed; 1 ignored",
            "?   \texample.com/drivers/spi\t[no test files]",
            "ok  \texample.com/spi\t0.003s [no tests to run]",
            "No tests found, exiting with code 0",
            "make: Nothing to be done for 'test'.",
            "No test matches the given testcase filter `Invoice` in /src/bin/Tests.dll",
            "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
            "collected 5 items\n\ntests/test_model.py sssss\n\n===== 5 skipped in 0.03s =====",
            "==== 7 deselected in 0.12s ====",
            "> Task :app:test NO-SOURCE\nBUILD SUCCESSFUL in 1s",
            "0 examples, 0 failures",
            "  0 passing (2ms)",
            "There are no tests to run",
            "No tests executed!",
        ] {
            assert!(Operation::tested_nothing(nothing), "{nothing}");
        }
        for something in [
            "",
            "3 passed in 4.2s",
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed\n\nrunning 2 tests\ntest result: ok. 2 passed; 0 failed",
            "?   \texample.com/cmd\t[no test files]\nok  \texample.com/spi\t0.003s",
            "===== 3 passed, 2 skipped in 0.03s =====",
            "Tests run: 0, Failures: 0\nTests run: 12, Failures: 0, Errors: 0",
            "Tests:       4 skipped, 9 passed, 13 total",
            "make: Nothing to be done for 'all'.",
            "PLAY RECAP: ok=4 changed=1 skipped=3",
            "10 passing (2s)\n0 pending",
            "Passed!  - Failed:     0, Passed:    14, Skipped:     0, Total:    14",
            "added 12 packages, and audited 0 tests of them",
        ] {
            assert!(!Operation::tested_nothing(something), "{something}");
        }
    }
}
