//! What a call is about, as far as its arguments show: the same attempt on another thing neither mends the failure nor repeats it.

use ralph_core::shell_words::{Step, steps};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Options whose value is the folder that a program works in.
const FOLDERS: [&str; 5] = ["-C", "--prefix", "--dir", "--cwd", "--directory"];
/// Options whose value is what the program works on; short ones with their long name.
const THINGS: [(&str, &str); 10] = [
    ("-p", "package"),
    ("--package", "package"),
    ("-f", "file"),
    ("--file", "file"),
    ("--filter", "filter"),
    ("--manifest-path", "manifest"),
    ("--project", "project"),
    ("-c", "code"),
    ("-e", "code"),
    ("--command", "code"),
];
/// Arguments whose value is a text, such as a question or code: another text asks for something else.
const TEXTS: [&str; 24] = [
    "sql",
    "query",
    "prompt",
    "element",
    "ref",
    "url",
    "uri",
    "code",
    "text",
    "command",
    "script",
    "expression",
    "function",
    "selector",
    "statement",
    "title",
    "description",
    "content",
    "body",
    "message",
    "summary",
    "question",
    "input",
    "pattern",
];

/// Arguments that say what a call is about; so do `task_id` and `issueId`.
const NAMES: [&str; 9] = ["id", "task", "issue", "path", "file", "file_path", "filePath", "subject", "name"];

/// Whether an argument says what a call is about.
pub(super) fn names_a_thing(argument: &str) -> bool {
    NAMES.contains(&argument) || argument.ends_with("_id") || argument.ends_with("Id")
}

/// Whether an argument names a thing by a number or a word that others assigned: a wrong one is a mistake, not other work.
pub(super) fn is_an_id(argument: &str) -> bool {
    matches!(argument, "id" | "task" | "issue") || argument.ends_with("_id") || argument.ends_with("Id")
}

/// Whether an argument is a text.
pub(super) fn is_text(argument: &str, value: &Value) -> bool {
    TEXTS.contains(&argument) || value.as_str().is_some_and(|text| text.split_whitespace().nth(3).is_some())
}

/// Whether two commands are about the same thing: none of the folders, packages, files and codes that both name differs, nor does an
/// operand of the same program.
pub(super) fn about_the_same(one: &str, other: &str) -> bool {
    let (one, other) = (Things::of(one), Things::of(other));
    let same_folder = one.folder.is_empty() || other.folder.is_empty() || same_place(&one.folder, &other.folder);
    let same_operands =
        one.operands.iter().all(|(program, operands)| other.operands.get(program).is_none_or(|others| !replaced(operands, others)));
    same_folder && same_operands && one.named.iter().all(|(what, values)| other.named.get(what).is_none_or(|others| others == values))
}

/// Whether each of two has an operand that the other lacks, and that neither contains nor is contained in one of the other's.
fn replaced(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let around = |whole: &str, part: &str| {
        whole.is_empty() || part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':']))
    };
    let lacks = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        one.iter().any(|operand| !other.iter().any(|known| around(known, operand) || around(operand, known)))
    };
    lacks(one, other) && lacks(other, one)
}

#[derive(Default)]
struct Things {
    /// The folder that its last program works in; empty if none is given.
    folder: String,
    /// Values of options, by program and kind.
    named: BTreeMap<(String, &'static str), BTreeSet<String>>,
    /// Words that are neither options nor possible values of any, by program.
    operands: BTreeMap<String, BTreeSet<String>>,
}

impl Things {
    fn of(command: &str) -> Things {
        let mut things = Things::default();
        let mut folder = String::new();
        let mut piped = false;
        for step in steps(command) {
            let program = step.command().first().map(|word| word.text.rsplit('/').next().unwrap_or_default().to_owned());
            let Some(program) = program else { continue };
            if program == "cd" {
                folder = entered(&folder, step.command().get(1).map_or("", |word| &word.text));
            } else if !std::mem::replace(&mut piped, step.is_piped()) {
                things.folder = things.add(&program, &step).map_or(folder.clone(), |into| entered(&folder, &into));
            }
        }
        things
    }

    /// Adds what the options of a step name, and returns the folder that they name.
    fn add(&mut self, program: &str, step: &Step) -> Option<String> {
        let words = step.command();
        let is_option = |at: usize| words[at].text.starts_with('-');
        let may_be_value = |at: usize| is_option(at - 1) && !words[at - 1].text.contains('=');
        let operands = (1..words.len()).filter(|at| !(is_option(*at) || may_be_value(*at)));
        self.operands.entry(program.to_owned()).or_default().extend(operands.map(|at| plain(&words[at].text).to_owned()));
        let mut folder = None;
        for (at, word) in words.iter().enumerate().skip(1).filter(|(_, word)| word.text.starts_with('-')) {
            let (option, value) = match word.text.split_once('=') {
                Some((option, value)) => (option, Some((value, word.quoted))),
                None => (word.text.as_str(), words.get(at + 1).map(|next| (next.text.as_str(), next.quoted))),
            };
            let Some((value, quoted)) = value.filter(|(value, _)| !value.starts_with('-')) else { continue };
            if FOLDERS.contains(&option) {
                folder = Some(value.to_owned());
            }
            let of_npm = program == "npm" && matches!(option, "-w" | "--workspace");
            let kind = THINGS.iter().find(|(name, _)| *name == option).map(|(_, kind)| *kind).or(of_npm.then_some("package"));
            if let Some(kind) = kind.filter(|kind| is_thing(kind, value, quoted)) {
                self.named.entry((program.to_owned(), kind)).or_default().insert(plain(value).to_owned());
            }
        }
        folder
    }
}

/// Whether the value of an option is what its program works on: a port is not, nor is a setting (`git -c a=b`, `docker run -e A=b`).
fn is_thing(kind: &str, value: &str, quoted: bool) -> bool {
    let sets =
        value.split_once('=').is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')));
    match kind {
        "code" => quoted && !sets,
        _ => !value.starts_with(|c: char| c.is_ascii_digit()),
    }
}

/// The folder that `cd` leads to; empty if unknown.
pub(super) fn entered(from: &str, into: &str) -> String {
    let into = plain(into);
    match into {
        _ if into.contains(['$', '`']) || matches!(into, "-" | "~") => String::new(),
        "." => from.to_owned(),
        _ if into.starts_with(['/', '~']) || from.is_empty() => into.to_owned(),
        _ => format!("{from}/{into}"),
    }
}

pub(super) fn plain(path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path);
    let path = path.strip_suffix("...").unwrap_or(path);
    if path.len() > 1 { path.trim_end_matches('/') } else { path }
}

/// Whether two paths can be the same folder: one may start further up.
pub(super) fn same_place(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|before| before.ends_with('/'));
    one == other || ends(one, other) || ends(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_about_the_same_unless_both_name_another_thing() {
        for (one, other) in [
            ("cargo test -p pay", "cargo test"),
            ("cargo test -p pay", "cargo test --package=pay --lib"),
            ("cd api && npm test", "cd /repo/api/ && npm test 2>&1 | tail -5"),
            ("cd api && npm test", "npm --prefix ./api test"),
            ("cd api && npm test", "npm test"),
            ("cd . && make", "cd api && make"),
            ("cd \"$ROOT\" && make", "cd api && make"),
            ("docker run -p 8080:80 web", "docker run -p 8081:80 web"),
            ("docker run -e 'A=1' web", "docker run -e 'A=2' web"),
            ("git -c user.name='a b' commit", "git -c user.name='c d' commit"),
            ("cargo test --workspace", "cargo test --workspace -- --test-threads=1"),
            ("go test ./...", "go test ./internal/..."),
            ("rspec spec/models", "rspec spec/models/order_spec.rb"),
            ("npm run build", "npm run build -- --mode prod"),
            ("alembic upgrade head", "cd backend && alembic -c alembic.ini upgrade head"),
        ] {
            assert!(about_the_same(one, other) && about_the_same(other, one), "{one}\n{other}");
        }
        for (one, other) in [
            ("cargo test -p pay", "cargo test -p search"),
            ("cd api && npm test", "cd web && npm test"),
            ("cd api && npm test", "npm --prefix web test"),
            ("make -C api test", "make -C web test"),
            ("docker build -f api/Dockerfile .", "docker build -f web/Dockerfile ."),
            ("pnpm --filter api test", "pnpm --filter web test"),
            ("npm test -w api", "npm test --workspace=web"),
            ("psql -c \"select * from refund\"", "psql -c \"select 1\""),
            ("pytest tests/a.py", "pytest -x --tb=short tests/b.py"),
            ("sqlite3 a.db 'select a'", "sqlite3 a.db 'select 1'"),
        ] {
            assert!(!about_the_same(one, other) && !about_the_same(other, one), "{one}\n{other}");
        }
    }
}
