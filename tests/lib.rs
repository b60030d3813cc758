//! What the journeys share: making a project's rows by the real `ralph`, reading them back, talking to `ralph mcp`.
//!
//! Never here: knowledge of the product's inside. Everything is asked of the command line, the MCP server or the files.

mod desk;
mod mcp_client;
mod processes;
mod seeded;

pub use desk::{before_git, git_in, in_review, open_worktree, persons_checkout, project_with};
pub use mcp_client::{McpClient, told};
pub use processes::{alive, is_git_at_work, marked};
pub use ralph_testkit::soak;
pub use seeded::{Seeded, spin};

use ralph_testkit::{Output, Running, Sandbox};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Longest that anything here may take: a broken part fails the test instead of stopping it.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Makes a feature; `more` are further arguments.
pub fn feature(sandbox: &Sandbox, name: &str, more: &[&str]) -> Value {
    sandbox.ralph_ok(&[&["feature", "create", name, "--display-name", name], more].concat())
}

/// Makes a task and returns its number.
pub fn task(sandbox: &Sandbox, feature: &str, title: &str, more: &[&str]) -> u64 {
    id_of(&sandbox.ralph_ok(&[&["task", "create", "--feature", feature, "--title", title], more].concat()))
}

/// A project with the feature `pay` and that many tasks in it, *Task 1* and so on.
pub fn with_tasks(tasks: usize) -> Sandbox {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    for number in 1..=tasks {
        task(&sandbox, "pay", &format!("Task {number}"), &[]);
    }
    sandbox
}

/// The same with everything committed, for work in worktrees.
pub fn committed_with_tasks(tasks: usize) -> Sandbox {
    let sandbox = with_tasks(tasks);
    sandbox.commit("a project");
    sandbox
}

/// Adds a learning and returns the answer.
pub fn learn(sandbox: &Sandbox, feature: &str, text: &str, more: &[&str]) -> Value {
    sandbox.ralph_ok(&[&["learning", "add", "--feature", feature, "--text", text], more].concat())
}

/// The number at the top of a document.
///
/// # Panics
/// When there is none.
pub fn id_of(document: &Value) -> u64 {
    document["id"].as_u64().unwrap_or_else(|| panic!("no number as id in {document}"))
}

/// A task's status.
pub fn status_of(sandbox: &Sandbox, task: u64) -> String {
    text(&sandbox.ralph_ok(&["task", "show", &task.to_string()])["status"])
}

/// Learnings of a feature in a state, or in `all`.
pub fn learnings(sandbox: &Sandbox, feature: &str, state: &str) -> Vec<Value> {
    list(sandbox.ralph_ok(&["learning", "list", "--feature", feature, "--state", state]))
}

/// The saturation of one feature.
///
/// # Panics
/// When the feature is not in the list.
pub fn saturation(sandbox: &Sandbox, feature: &str) -> Value {
    let all = list(sandbox.ralph_ok(&["saturation"]));
    all.into_iter().find(|row| row["feature"] == feature).unwrap_or_else(|| panic!("no saturation of {feature}"))
}

/// Every iteration of the project, oldest first.
pub fn iterations(sandbox: &Sandbox) -> Vec<Value> {
    let mut all = list(sandbox.ralph_ok(&["export"])["iterations"].take());
    all.sort_by_key(id_of);
    all
}

/// The newest errands, newest first.
pub fn errands(sandbox: &Sandbox) -> Vec<Value> {
    list(sandbox.ralph_ok(&["errand", "list"]))
}

/// The prompt that an iteration was given.
pub fn prompt(sandbox: &Sandbox, iteration: u64) -> String {
    sandbox.read(format!(".ralph/db/logs/{iteration}.prompt.md"))
}

/// Writes a script for the scripted agent and returns the arguments of a run that plays it.
pub fn scripted<'a>(sandbox: &Sandbox, script: &str, more: &[&'a str]) -> Vec<&'a str> {
    sandbox.write(".ralph/test.script", script);
    [&["run", "--agent", "scripted", "--script", ".ralph/test.script"], more].concat()
}

/// Plays a script over the ready tasks and returns the run's row, however the run came out.
pub fn play(sandbox: &Sandbox, script: &str, more: &[&str]) -> Value {
    sandbox.ralph(&scripted(sandbox, script, more)).json()
}

/// Whether the last commit of `main` has a file.
pub fn is_in_base(sandbox: &Sandbox, path: &str) -> bool {
    sandbox.git(&["ls-tree", "-r", "--name-only", "main"]).lines().any(|line| line == path)
}

/// Runs `ralph` as a person does: without `--json`.
pub fn plain(sandbox: &Sandbox, args: &[&str]) -> Output {
    let program = sandbox.ralph_command(&[]).get_program().to_owned();
    sandbox.run(sandbox.command(program).args(args))
}

/// Starts a run that plays a script, to look on.
pub fn start(sandbox: &Sandbox, script: &str, more: &[&str]) -> Running {
    Running::start(&mut sandbox.ralph_command(&scripted(sandbox, script, more)), None)
}

/// The journal of a feature, line by line.
pub fn journal(sandbox: &Sandbox, feature: &str) -> Vec<Value> {
    let lines = sandbox.read(format!(".ralph/db/memory/{feature}.jsonl"));
    lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in journal line: {line}"))).collect()
}

/// Asks the doctor, who must find the database and the journals sound and equal.
///
/// # Panics
/// When they are not.
pub fn assert_sound(sandbox: &Sandbox) {
    let report = sandbox.ralph_ok(&["doctor"]);
    for name in ["database", "journals"] {
        let check = list(report["checks"].clone()).into_iter().find(|check| check["name"] == name);
        assert_eq!(check.unwrap_or_default()["status"], "ok", "{name}: {report:#}");
    }
}

/// The error document of a command that must fail with this code.
///
/// # Panics
/// When it does not.
pub fn refused(output: &Output, code: &str) -> Value {
    assert!(!output.status.success(), "should be refused with {code}, and printed: {}", output.stdout);
    let error = output.error();
    assert_eq!(error["code"], code, "{}", output.stderr);
    error
}

/// Every file below a folder with its content; the write-ahead log's index is the system's.
///
/// # Panics
/// When the folder can't be listed.
pub fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("lists").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(content(&path));
        } else if !path.to_string_lossy().ends_with("-shm") {
            found.insert(path.to_string_lossy().into_owned(), std::fs::read(&path).unwrap_or_default());
        }
    }
    found
}

/// A string value.
///
/// # Panics
/// When it is something else.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// The entries of an array.
///
/// # Panics
/// When it is something else.
pub fn list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(entries) => entries,
        other => panic!("no list: {other}"),
    }
}

/// A text that no other number's text resembles: the number is a token of its own.
pub fn lesson(number: usize) -> String {
    format!("Lesson {number}: call `step_{number}` before the rest")
}
