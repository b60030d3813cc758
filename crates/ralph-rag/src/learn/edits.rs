//! The files that operations changed: by a tool for that, or by a command that writes nothing but its own text to them.

use super::Operation;
use super::about::entered;
use super::commands::program;
use ralph_core::detection::ToolKind;
use ralph_core::shell_words::{Step, steps};
use serde_json::Value;

/// Whether it changed files: by a tool for that, or by a command that does nothing else.
pub(super) fn is_edit(operation: &Operation) -> bool {
    operation.succeeded() && (operation.kind() == ToolKind::Edit || operation.command().is_some_and(|command| !written(command).is_empty()))
}

/// Changed files, each once, in the order of the last change.
pub(super) fn edited(operations: &[Operation]) -> Vec<String> {
    each_once(operations.iter().filter(|operation| is_edit(operation)).flat_map(files_of))
}

/// The files that an operation is about, or writes.
pub(super) fn files_of(operation: &Operation) -> Vec<String> {
    match operation.command() {
        Some(command) => written(command),
        None => paths_of(&operation.arguments).into_iter().map(str::to_owned).collect(),
    }
}

/// Names, each where it comes last.
pub(super) fn each_once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut each: Vec<String> = Vec::new();
    for name in names {
        each.retain(|known| *known != name);
        each.push(name);
    }
    each
}

/// Files in the arguments of a call.
pub(super) fn paths_of(arguments: &Value) -> Vec<&str> {
    let listed = arguments["paths"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let named = ["file_path", "filePath", "notebook_path", "path"].iter().filter_map(|key| arguments[*key].as_str());
    let mut paths: Vec<&str> = listed.chain(named).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// The files of a command that only writes its own text to them: `echo KEY=x >> .env`, `cat > a.js <<EOF`.
fn written(command: &str) -> Vec<String> {
    let steps = steps(command);
    let says =
        |step: &Step| matches!(program(step.command()), "echo" | "printf") || program(step.command()) == "cat" && !step.input.is_empty();
    let mut files: Vec<String> = Vec::new();
    let mut folder = String::new();
    for (at, step) in steps.iter().enumerate() {
        let words = step.command();
        let follows = at.checked_sub(1).map(|before| &steps[before]).is_some_and(|before| before.is_piped() && says(before));
        let of_tee = || words.iter().skip(1).map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
        let written: Vec<&str> = match program(words) {
            "cd" => {
                folder = entered(&folder, words.get(1).map_or("", |word| &word.text));
                continue;
            }
            "tee" if follows => of_tee().collect(),
            _ if says(step) => targets(step).collect(),
            _ => return Vec::new(),
        };
        files.extend(written.into_iter().filter(|file| !file.starts_with("/tmp/")).map(|file| entered(&folder, file)));
    }
    files
}

/// The files that the output of a step goes to.
pub(super) fn targets(step: &Step) -> impl Iterator<Item = &str> {
    let written = step.redirections.iter().filter(|to| !to.starts_with('2') && to.contains('>') && !to.contains(">&"));
    written.filter_map(|to| to.rsplit_once(' ')).map(|(_, file)| file).filter(|file| !file.starts_with("/dev/"))
}
