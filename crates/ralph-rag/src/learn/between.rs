//! What was done between a failure and the success: what may have mended it, what was undone, and what has an unknown effect.

use super::Operation;
use super::about::{entered, plain, same_place};
use super::commands::{ANSWERING, change_of, differ_in_language, main_step, may_mend, program, purpose_of};
use super::edits::{each_once, edited, files_of, is_edit, targets};
use super::evading::is_of_check;
use super::named::{is_beside, is_known_to_mend};
use crate::words::is_listed;
use ralph_core::shell_words::{Step, steps};
use ralph_core::text::{cut, listed};
use std::collections::BTreeSet;

/// Characters of a command that the words repeat.
pub(super) const COMMAND_CHARS: usize = 140;
/// Changed files that are listed, and commands.
const LISTED: usize = 3;
/// Programs that only format code.
const FORMING: &str = "fmt format black gofmt rustfmt isort";
/// Git commands that change nothing for another one, and those that change nothing for other programs.
const GIT_BESIDE: &str = "add grep diff log status show ls-files rev-parse blame describe";
const GIT_ALONE: &str = "commit push tag branch remote";

/// What was done after the last failure, in words; `None` if that was nothing, or only the agent's own work on the files that it had been
/// writing when the failures began, or if only the check itself was changed, or if a command with an unknown effect may have mended it.
/// If the error itself names what mends it, only that is told.
pub(super) fn menders(before: &[Operation]) -> Option<String> {
    let first = before.iter().position(|operation| !operation.succeeded())?;
    let last = before.iter().rposition(|operation| !operation.succeeded())?;
    let (failed, after) = (&before[last], &before[last + 1..]);
    // Another attempt whose exit code says nothing is not mending.
    let tried = failed.tried();
    let ran: Vec<&Operation> = after
        .iter()
        .filter(|operation| operation.command().is_some() && !is_edit(operation) && !operation.tried().is_like(&tried))
        .collect();
    let is_known =
        |operation: &&&Operation| operation.command().is_some_and(|command| is_known_to_mend(command, mends(operation, failed), failed));
    let known: Vec<&Operation> = ran.iter().filter(is_known).copied().collect();
    if !known.is_empty() {
        return Some(format!("{} run", listed_were(&told(&known))));
    }
    if !ran.is_empty() && !ran.iter().any(|operation| mends(operation, failed)) {
        return None;
    }
    let commands = told(&ran);
    let own = edited(&before[..first]);
    let is_of_check = |file: &String| failed.command().is_some_and(|command| is_of_check(file, command));
    let (of_check, files): (Vec<String>, Vec<String>) =
        edited(after).into_iter().filter(|file| !is_beside(file, failed)).partition(is_of_check);
    if commands.is_empty() && files.iter().all(|file| own.contains(file)) {
        return None;
    }
    let ran = (!commands.is_empty()).then(|| format!("{} run", listed_were(&commands)));
    let changed = (!files.is_empty()).then(|| format!("{} changed", listed_were(&files)));
    let of_check = (!of_check.is_empty()).then(|| format!("{} changed, which it checks by", listed_were(&of_check)));
    Some([changed, ran, of_check].into_iter().flatten().collect::<Vec<_>>().join(" and "))
}

/// Commands as a lesson quotes them, each once.
fn told(operations: &[&Operation]) -> Vec<String> {
    let commands = operations.iter().filter_map(|operation| operation.command());
    each_once(commands.map(|command| format!("`{}`", cut(command.trim(), COMMAND_CHARS))))
}

/// Whether a command may, as far as anybody knows, be the reason why a failed one works now: it is reported beside what is known to mend,
/// and rules out the rest.
pub(super) fn may_explain(operation: &Operation, failed: &Operation) -> bool {
    let both = operation.command().zip(failed.command()).filter(|_| operation.succeeded() && !is_edit(operation));
    both.is_some_and(|(command, failed)| is_unknown(command, failed))
}

/// Whether the newest operation works in a different folder from the one that failed last, although their words don't show it.
pub(super) fn moved(failed: &Operation, between: &[Operation], newest: &Operation) -> bool {
    let goes = |operation: &Operation| operation.command().and_then(left_in);
    if !newest.keeps_its_folder() || goes(newest).is_some() {
        return false;
    }
    let folder = between.iter().filter_map(goes).fold(String::new(), |from, into| plain_path(&entered(&from, &into)));
    !folder.is_empty() && goes(failed).is_none_or(|before| !same_place(&folder, &before))
}

/// The folder in which a command leaves its shell; `None` if it enters none, or only a subshell does.
fn left_in(command: &str) -> Option<String> {
    if command.contains("(cd ") {
        return None;
    }
    let steps = steps(command);
    let into = steps.iter().filter(|step| program(step.command()) == "cd");
    let into = into.map(|step| step.command().get(1).map_or("~", |word| &word.text));
    // For `-` and `$DIR` the place is unknown: elsewhere.
    let told = |from: String, into: &str| match entered(&from, into) {
        unknown if unknown.is_empty() && plain(into) != "." => "?".to_owned(),
        folder => plain_path(&folder),
    };
    into.fold(None, |from: Option<String>, into| Some(told(from.unwrap_or_default(), into)))
}

/// The same path without `..` parts.
fn plain_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Indexes of the changes since the first failure that were reverted, and of the commands that reverted them. Changes from before the
/// failures are different: reverting them may be what mended the failures.
pub(super) fn undone(operations: &[Operation], first: usize) -> BTreeSet<usize> {
    let mut undone = BTreeSet::new();
    for (at, operation) in operations.iter().enumerate().skip(first) {
        let Some(files) = put_back(operation) else { continue };
        let is_of = |changed: &str| files.iter().any(|file| same_place(plain(file), plain(changed)));
        let known = |file: &&String| edited(&operations[first..at]).iter().any(|changed| same_place(plain(file), plain(changed)));
        if !files.iter().all(|file| known(&file)) || edited(&operations[..first]).iter().any(|changed| is_of(changed)) {
            continue;
        }
        let changes = (first..at).filter(|at| is_edit(&operations[*at]) && files_of(&operations[*at]).iter().all(|changed| is_of(changed)));
        undone.extend(changes.chain([at]));
    }
    undone
}

/// The files that a command puts back, if it does that.
fn put_back(operation: &Operation) -> Option<Vec<String>> {
    let command = operation.command().filter(|_| operation.succeeded())?;
    let words = main_step(command)?;
    let puts = program(&words) == "git" && matches!(words.get(1)?.text.as_str(), "checkout" | "restore");
    let named = words.get(2..).unwrap_or_default().iter().map(|word| &word.text);
    let files: Vec<String> = named.filter(|word| !word.starts_with('-') && *word != "HEAD").cloned().collect();
    (puts && !files.is_empty()).then_some(files)
}

/// Whether a command's effect on a failed one is unknown: it may have changed nothing or something.
fn is_unknown(command: &str, failed: &str) -> bool {
    let of_git = main_step(failed).is_some_and(|words| program(&words) == "git");
    let failed = main_step(failed).unwrap_or_default();
    let is_beside = |step: &Step| {
        let words = step.command();
        let second = words.get(1).map_or("", |word| &word.text);
        let forms = || words.iter().take(3).any(|word| is_listed(FORMING, program(std::slice::from_ref(word))));
        words.is_empty()
            || program(words) == "git" && (is_listed(GIT_BESIDE, second) || !of_git && is_listed(GIT_ALONE, second))
            || is_listed(ANSWERING, program(words))
            || change_of(words) == Some(false) && !writes_to_the_project(step)
            || matches!(purpose_of(words), Some("test" | "lint" | "typecheck"))
            || forms()
            || differ_in_language(&failed, words)
    };
    !may_mend(command, None) && !steps(command).iter().all(is_beside)
}

/// Whether the output of a step goes to a file that others may read.
fn writes_to_the_project(step: &Step) -> bool {
    targets(step).any(|file| !file.starts_with("/tmp/") && !file.ends_with(".log"))
}

pub(super) fn mends(operation: &Operation, failed: &Operation) -> bool {
    operation.succeeded() && operation.command().is_some_and(|command| may_mend(command, failed.command()))
}

/// The newest first, with the verb that follows them.
fn listed_were(names: &[String]) -> String {
    let newest: Vec<&String> = names.iter().rev().collect();
    format!("{} {}", listed(&newest, LISTED), if names.len() == 1 { "was" } else { "were" })
}
