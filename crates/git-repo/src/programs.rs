//! Programs that a repository's own configuration names, and git runs while it looks at files or merges them: filters and merge drivers.
//!
//! A clone brings none along, but an agent can write them. So they run only if their person agreed to them; git is told to leave out all
//! others, whoever named them, and whenever. What a person's own configuration names (Git LFS, mostly) is not concerned.

use crate::GitError;
use crate::paths::path_from_bytes;
use crate::plain::{Place, Texts};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Git's names of such settings.
pub(crate) const KEYS: &str = r"^(filter\..*\.(clean|smudge|process)|merge\..*\.driver)$";
/// Variables with the values that make git ignore a program: `-c` could not name a filter with `=` in its name.
pub(crate) const VALUES: [(&str, &str); 3] = [
    ("RALPH_NO_PROGRAM", ""),
    ("RALPH_NOT_REQUIRED", "false"),
    // What git itself does with a text; anything else is a conflict. Git would take a code above 128 for a crash.
    ("RALPH_PLAIN_MERGE", "git merge-file --quiet --marker-size=%L %A %O %B || exit 1"),
];

/// Settings with their values. A name need not be UTF-8.
pub(crate) type Programs = Vec<(OsString, OsString)>;

/// What is agreed to, by the folder that all work trees of a repository share.
static AGREED: Mutex<BTreeMap<PathBuf, BTreeSet<(String, String)>>> = Mutex::new(BTreeMap::new());
/// What configurations name, by the folder of a work tree's own files, with the texts that it was read from.
static NAMED: Mutex<BTreeMap<PathBuf, (Texts, Programs)>> = Mutex::new(BTreeMap::new());

/// The command that lists them.
type Ask = fn(&Path) -> Result<Programs, GitError>;

/// Those that may run in this process from now on, by their exact values, in the repository with this common folder.
pub(crate) fn agree(common: PathBuf, agreed: BTreeSet<(String, String)>) {
    hold(&AGREED).insert(common, agreed);
}

/// Arguments that make git ignore programs that nobody agreed to. They refer to [`VALUES`].
pub(crate) fn left_out(place: &Place, directory: &Path, ask: Ask) -> Vec<OsString> {
    // What git can't list it can't run either.
    let named = named(place, directory, ask).unwrap_or_default();
    if named.is_empty() {
        return Vec::new();
    }
    let is_left_out = |(key, command): &&(OsString, OsString)| {
        let program = key.to_str().map(str::to_owned).zip(command.to_str().map(str::to_owned));
        program.is_none_or(|program| !is_agreed(place, &program))
    };
    let [none, not_required, plain_merge] = VALUES.map(|(name, _)| name);
    let mut arguments = Vec::new();
    for (key, _) in named.iter().filter(is_left_out) {
        if key.as_encoded_bytes().starts_with(b"merge.") {
            arguments.push(from_variable(key, "", plain_merge));
        } else {
            // The last part is one of three words.
            let bytes = key.as_encoded_bytes();
            let end = bytes.iter().rposition(|&byte| byte == b'.').unwrap_or(bytes.len());
            let filter = path_from_bytes(&bytes[..end]);
            arguments.extend([from_variable(key, "", none), from_variable(filter.as_os_str(), ".required", not_required)]);
        }
    }
    arguments
}

/// Whether somebody agreed to a program, by its exact value.
pub(crate) fn is_agreed(place: &Place, program: &(String, String)) -> bool {
    hold(&AGREED).get(&place.common).is_some_and(|agreed| agreed.contains(program))
}

/// What the configuration of a work tree names; git is asked only if it may name something.
pub(crate) fn named(place: &Place, directory: &Path, ask: Ask) -> Result<Programs, GitError> {
    let texts = place.config();
    let Some(texts) = texts else { return ask(directory) };
    if !texts.iter().any(|text| holds(text, b"filter") || holds(text, b"driver")) {
        return Ok(Vec::new());
    }
    if let Some((_, known)) = hold(&NAMED).get(&place.own).filter(|(of, _)| *of == texts) {
        return Ok(known.clone());
    }
    let found = ask(directory)?;
    hold(&NAMED).insert(place.own.clone(), (texts, found.clone()));
    Ok(found)
}

/// Reads what git lists with scopes, each entry ended by a NUL.
pub(crate) fn read_listed(listed: &[u8]) -> Programs {
    let mut parts = listed.split(|&byte| byte == 0);
    let mut programs = Vec::new();
    // A scope, then the key and its value, separated by a line feed.
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        let mut entry = entry.splitn(2, |&byte| byte == b'\n').map(|part| path_from_bytes(part).into_os_string());
        let (key, command) = (entry.next().unwrap_or_default(), entry.next().unwrap_or_default());
        if matches!(scope, b"local" | b"worktree") && !command.is_empty() {
            programs.push((key, command));
        }
    }
    programs
}

/// The argument that sets `key` and an ending to the value of a variable.
fn from_variable(key: &OsStr, ending: &str, variable: &str) -> OsString {
    let mut argument = OsString::from("--config-env=");
    argument.push(key);
    argument.push(format!("{ending}={variable}"));
    argument
}

/// Whether a text contains a word, ignoring case.
fn holds(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
