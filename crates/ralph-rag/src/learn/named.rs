//! What the error of a command names: the thing that is missing, the command that would help, and the files concerned.

use super::Operation;
use super::commands::{is_verb, main_step, makes, purpose_of, started};
use super::edits::edited;
use super::errors::{asserts, says_that_it_lacks, telling_lines};
use ralph_core::shell_words::Word;
use regex::Regex;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

/// Characters that a name has at least: shorter ones are found in any error.
const NAME_CHARS: usize = 3;
/// Endings of files that people read, and programs only where they say so.
const PROSE: [&str; 5] = ["md", "mdx", "rst", "adoc", "markdown"];
/// How a text introduces a command to be run.
static ADVISING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:\b(?:run|running|try|trying|call|execute|use|using|via|first|with|need|needs|must",
        r"|ausführen|führe|exécutez|ejecute)\b[^.]*|:\s*)$",
    ))
    .expect("a constant pattern")
});

/// Whether a command is known to mend another one's failure: the error says to run it, or names what it creates or installs.
pub(super) fn is_known_to_mend(command: &str, changes: bool, failed: &Operation) -> bool {
    let Some(words) = main_step(command) else { return false };
    let is_of_it = || changes || makes(&words);
    advises(failed.error.as_deref().unwrap_or_default(), &words) || is_of_it() && names_what_is_missing(failed, &words)
}

/// Whether an error says to run a command, in its words up to the first option: at least two, since a program's name alone says little.
fn advises(error: &str, words: &[Word]) -> bool {
    let (name, rest) = started(words);
    let plain = |word: &&str| !word.starts_with('-');
    let whole: Vec<&str> = words.iter().map(|word| word.text.as_str()).take_while(plain).collect();
    let itself: Vec<&str> = [name].into_iter().chain(rest.iter().map(|word| word.text.as_str())).take_while(plain).collect();
    [whole, itself].iter().any(|said| tells_to_run(error, said))
}

/// Whether a text introduces the first two of some words, or more: later ones may be arguments for this case.
fn tells_to_run(error: &str, said: &[&str]) -> bool {
    (2..=said.len()).any(|most| {
        let said = said[..most].join(" ");
        error.match_indices(&said).any(|(at, _)| {
            let ends = error[at + said.len()..].chars().next().is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '-' | '_'));
            let before = error[..at].trim_end_matches(|c: char| c.is_whitespace() || "`'\"‘“«$(║│|>*".contains(c));
            ends && ADVISING.is_match(before.rsplit('\n').next().unwrap_or_default())
        })
    })
}

/// Whether one of the words after the program is named in the lines of an error that say what failed.
fn names_what_is_missing(failed: &Operation, words: &[Word]) -> bool {
    let missing: BTreeSet<String> = telling_lines(failed).flat_map(names).collect();
    let said = words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    said.flat_map(|word| names(&word.text))
        .any(|name| missing.contains(&name) && (makes(words) || !is_verb(&name)) && !failed_itself(failed, &name))
}

/// Whether a failed command contains a word itself: then it means nothing that its error repeats it.
fn failed_itself(failed: &Operation, name: &str) -> bool {
    failed.command().is_some_and(|command| names(command).any(|said| said == *name))
}

/// The names in a text, each in lower case, without a version, and for a part of a package the package: `zod` for `zod/v4`,
/// `httpx` for `httpx>=0.27`, `@shop/core` for `@shop/core/x`.
fn names(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | ':')));
    let plain = |word: &str| {
        let word = word.trim_matches(['.', ':', '-', '/']);
        let from = usize::from(word.starts_with('@'));
        let word = word.get(from..).and_then(|rest| rest.find(['@', ':'])).map_or(word, |at| &word[..from + at]);
        word.to_lowercase().replace('_', "-")
    };
    let each = words.map(plain).flat_map(|word| {
        let package = word.split('/').take(1 + usize::from(word.starts_with('@'))).collect::<Vec<_>>().join("/");
        let top = word.split('.').next().unwrap_or_default().to_owned();
        [word, package, top]
    });
    each.filter(|name| name.chars().count() >= NAME_CHARS && name.chars().any(char::is_alphabetic))
}

/// Whether a changed file has nothing to do with what failed: it is for people to read, and neither the command nor its error mentions it.
pub(super) fn is_beside(file: &str, failed: &Operation) -> bool {
    let is_prose = Path::new(file).extension().and_then(|ending| ending.to_str()).is_some_and(|ending| PROSE.contains(&ending));
    is_prose && !speaks_of(failed, file)
}

/// Whether a command that failed, or its error, names a file.
fn speaks_of(failed: &Operation, file: &str) -> bool {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    [failed.command(), failed.error.as_deref()].into_iter().flatten().any(|text| text.contains(name))
}

/// Whether what failed is work that the agent has not finished: a test of what it is writing, or a fault in a file that it wrote. A failure
/// for lack of something that it does not write itself is not.
pub(super) fn is_unfinished_work(failed: &Operation, before: &[Operation]) -> bool {
    let purpose = failed.command().and_then(main_step).as_deref().and_then(purpose_of);
    let written: Vec<String> = edited(before).into_iter().filter(|file| !is_beside(file, failed)).collect();
    if written.is_empty() || matches!(purpose, Some("deploy" | "install")) {
        return false;
    }
    let is_of_its_own = || {
        let missing: BTreeSet<String> = telling_lines(failed).flat_map(names).map(|name| name.replace('.', "/")).collect();
        written.iter().any(|file| {
            let path = Path::new(file).with_extension("").to_string_lossy().to_lowercase().replace('_', "-");
            missing.iter().any(|name| path == *name || path.strip_suffix(name.as_str()).is_some_and(|above| above.ends_with('/')))
        })
    };
    if says_that_it_lacks(failed) {
        return is_of_its_own();
    }
    purpose == Some("test") && asserts(failed) || written.iter().any(|file| speaks_of(failed, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::time::Timestamp;
    use serde_json::json;

    fn failed(command: &str, error: &str) -> Operation {
        Operation { error: Some(error.into()), ..Operation::of("Bash", json!({ "command": command }), Timestamp(1)) }
    }

    #[test]
    fn an_error_names_what_mends_it() {
        for (error, command) in [
            ("Error: Cannot find module 'zod/v4'", "npm install zod@4"),
            ("Error: Cannot find module '@shop/core/x'", "pnpm add @shop/core"),
            ("ModuleNotFoundError: No module named 'typing_extensions'", "pip install 'typing-extensions>=4'"),
            ("error[E0432]: unresolved import `serde_json`", "cargo add serde_json"),
            ("FATAL: database \"shop_test\" does not exist", "createdb shop_test"),
            ("ENOENT: no such file or directory, open 'logs/a.log'", "mkdir -p logs"),
            ("the dependency is not available, run \"mix deps.get\"", "mix deps.get"),
            (
                "To add an exception for this directory, call:\n\n\tgit config --global --add safe.directory /p",
                "git config --global --add safe.directory /p",
            ),
            ("Please run `nx reset` first.", "npx nx reset"),
            (
                "║ Please run the following command:  ║\n║                    ║\n║     npx playwright install  ║",
                "npx playwright install chromium",
            ),
        ] {
            assert!(is_known_to_mend(command, true, &failed("make", error)), "{command}");
        }
        for (error, command) in [
            ("Error: Cannot find module 'zod'", "npm install left-pad"),
            ("Error: Cannot find module 'zod'", "npm install"),
            ("error: the process `npm run build` exited with 1", "npm run build"),
            ("a is missing", "npm install a"),
        ] {
            assert!(!is_known_to_mend(command, true, &failed("make", error)), "{command}");
        }
        assert!(!is_known_to_mend("npm install shop", true, &failed("npm test -w shop", "error: shop has no script")), "it is what failed");
    }
}
