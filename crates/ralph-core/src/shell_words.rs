//! The programs that a shell command starts and the variables that it reads. Not a shell: anything quoted, substituted or
//! composed at run time is skipped.

use std::collections::BTreeSet;

/// Words before a command that are followed by another command.
const PREFIXES: [&str; 14] =
    ["exec", "env", "time", "nice", "nohup", "command", "sudo", "if", "then", "else", "elif", "while", "until", "!"];
/// Shell builtins and keywords.
const BUILTINS: [&str; 28] = [
    ".", ":", "[", "alias", "break", "case", "cd", "continue", "do", "done", "echo", "esac", "eval", "exit", "export", "false", "fi",
    "for", "printf", "pwd", "read", "return", "set", "shift", "source", "test", "true", "wait",
];

/// Programs that run a script, which is what tells one command from another.
const INTERPRETERS: [&str; 15] =
    ["sh", "bash", "zsh", "dash", "ksh", "python", "python2", "python3", "node", "tsx", "ruby", "perl", "php", "Rscript", "pwsh"];
/// Subcommands whose own subcommand, task or program follows, by program.
const PASSING_ON: [(&str, &[&str]); 5] = [
    ("run", &["npm", "pnpm", "yarn", "bun", "deno", "poetry", "pipenv", "uv", "hatch", "pdm", "rye"]),
    ("exec", &["npm", "pnpm", "yarn", "bundle"]),
    ("compose", &["docker", "podman"]),
    ("xtask", &["cargo"]),
    ("artisan", &["php"]),
];

/// Options before a subcommand that a value of their own follows, whatever the program (not of interpreters: theirs are code).
const WITH_VALUES: [&str; 16] = [
    "-C",
    "-c",
    "-f",
    "-H",
    "--prefix",
    "--dir",
    "--cwd",
    "--directory",
    "--manifest-path",
    "--file",
    "--filter",
    "--git-dir",
    "--work-tree",
    "--project",
    "--context",
    "--namespace",
];

/// The programs that a command starts, as looked up in PATH.
pub fn programs(command: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for simple in command.split(['\n', ';', '|', '&', '(', ')', '{', '}']) {
        let assigned = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_name(name));
        let mut words = simple.split_whitespace().skip_while(|word| PREFIXES.contains(word) || assigned(word) || word.starts_with('-'));
        let Some(word) = words.next() else { continue };
        let plain = word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+'));
        if plain && !BUILTINS.contains(&word) && word.starts_with(char::is_alphanumeric) {
            found.insert(word.to_owned());
        }
    }
    found
}

/// The variables that a command reads: `$NAME` and `${NAME…}`.
pub fn variables(command: &str) -> BTreeSet<String> {
    let after = command.split('$').skip(1).map(|rest| rest.strip_prefix('{').unwrap_or(rest));
    let names = after.map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default());
    names.filter(|name| is_name(name)).map(str::to_owned).collect()
}

/// The main program of a command and its subcommand: of several steps the last, of a pipe the first part (`cargo test` of
/// `cd app && RUST_LOG=info cargo test -p pay 2>&1 | tail`). Of an interpreter it is the script, and of what only passes on
/// (`npm run`, `docker compose`) what it passes on to. Empty when there is none.
pub fn program_and_subcommand(command: &str) -> String {
    let steps = command.split(['\n', ';']).flat_map(|line| line.split("&&")).flat_map(|step| step.split("||"));
    steps.filter_map(of_step).last().unwrap_or_default()
}

/// The program of a step and its subcommand; of a pipe those of its first part.
fn of_step(step: &str) -> Option<String> {
    let first = step.split('|').next().unwrap_or_default();
    let assigned = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let mut words = first.split_whitespace().skip_while(|word| PREFIXES.contains(word) || assigned(word) || word.starts_with('-'));
    let program = words.next()?.rsplit('/').next()?.trim_matches(['"', '\'', '(', ')', '{', '}']).to_owned();
    if program.is_empty() || BUILTINS.contains(&program.as_str()) {
        return None;
    }
    let plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_'));
    let is_script = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_' | '.' | '/' | '@'));
    let runs_scripts = INTERPRETERS.contains(&program.as_str());
    let mut is_value = false;
    let mut following = words.filter(|word| {
        let skipped = std::mem::replace(&mut is_value, !runs_scripts && WITH_VALUES.contains(word));
        !skipped && !word.starts_with(['-', '+'])
    });
    let first = following.next().map(|word| word.strip_prefix("./").unwrap_or(word));
    let subcommand = first.filter(|word| plain(word) || runs_scripts && is_script(word));
    let passes_on = |word: &str| PASSING_ON.iter().any(|(passing, programs)| *passing == word && programs.contains(&program.as_str()));
    let manages = |word: &str| runs_scripts && word.rsplit('/').next() == Some("manage.py");
    let further = subcommand.filter(|word| passes_on(word) || manages(word)).and_then(|_| following.next()).filter(plain);
    Some([Some(program.as_str()), subcommand, further].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Whether a command that exits with 0 tells that its main program did: not where something else decides on that, as what follows a pipe, `||`,
/// `;` or `&` does.
pub fn tells_success(command: &str) -> bool {
    let masked = without_quotes(command);
    let mut rest = masked.as_str();
    // Until a program that counts comes, nothing has failed.
    let mut told = true;
    let mut piped = false;
    while !rest.is_empty() {
        let (step, operator, after) = first_step(rest);
        if !piped && of_step(step).is_some() {
            told = !step.split_whitespace().any(|word| word == "!");
        }
        let decides = match operator {
            "|" | "|&" => !masked.contains("pipefail"),
            "&" => true,
            "&&" => false,
            _ => !after.trim().is_empty(),
        };
        told &= !decides || operator.is_empty();
        (piped, rest) = (operator.starts_with('|') && operator != "||", after);
    }
    told
}

/// The text before the first operator of a command, the operator (empty at the end), and what follows.
fn first_step(command: &str) -> (&str, &str, &str) {
    let mut from = 0;
    while let Some(at) = command[from..].find(['\n', ';', '|', '&']).map(|at| from + at) {
        let two = command.get(at..at + 2).filter(|two| matches!(*two, "&&" | "||" | "|&"));
        // `2>&1` and `&>` send output somewhere.
        let redirects =
            two.is_none() && command[at..].starts_with('&') && (command[..at].ends_with(['>', '<']) || command[at + 1..].starts_with('>'));
        if redirects {
            from = at + 1;
            continue;
        }
        let end = at + two.map_or(1, str::len);
        return (&command[..at], &command[at..end], &command[end..]);
    }
    (command, "", "")
}

/// A command with letters in place of what is quoted or escaped.
fn without_quotes(command: &str) -> String {
    let (mut quote, mut escaped) = (None, false);
    let mask = |c: char| {
        if std::mem::take(&mut escaped) {
            return 'x';
        }
        match (quote, c) {
            (None | Some('"'), '\\') => escaped = true,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, _) => return c,
        }
        'x'
    };
    command.chars().map(mask).collect()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_variables_are_those_that_a_shell_would_look_for() {
        for (command, started, read) in [
            ("cargo test", "cargo", ""),
            ("RUST_LOG=debug cargo test --all && npm run lint | tee log; ./check.sh", "cargo npm tee", ""),
            ("cd web && exec pnpm test", "pnpm", ""),
            ("test -n \"$DATABASE_URL\" || exit 1", "", "DATABASE_URL"),
            ("psql \"${DATABASE_URL:?is missing}\" -c 'select 1'", "psql", "DATABASE_URL"),
            ("if make -q; then echo fresh; fi", "make", ""),
            ("echo $1 $? $$ ${#x} $(date)", "date", ""),
            ("env A=1 time -p go test ./...", "go", ""),
            ("", "", ""),
        ] {
            let joined = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(" ");
            assert_eq!((joined(programs(command)).as_str(), joined(variables(command)).as_str()), (started, read), "{command}");
        }
    }

    #[test]
    fn a_command_comes_to_its_last_program_with_its_subcommand() {
        for (command, name) in [
            ("cargo test -p pay", "cargo test"),
            ("cd app && RUST_LOG=info cargo +nightly test 2>&1 | tail -5", "cargo test"),
            ("npm run build:all", "npm run build:all"),
            ("poetry run pytest -q", "poetry run pytest"),
            ("docker compose up -d db", "docker compose up"),
            ("docker compose -f dev.yml up db", "docker compose up"),
            ("git -c user.name=a -C ../api commit -m x", "git commit"),
            ("npm --prefix web test", "npm test"),
            ("make -C api test", "make test"),
            ("sh -c 'exit 1'", "sh"),
            ("cargo run -- serve", "cargo run"),
            ("sh ./scripts/a.sh -x", "sh scripts/a.sh"),
            ("python manage.py migrate --check", "python manage.py migrate"),
            ("python3 -c 'import x'", "python3"),
            ("/usr/bin/python3 -m pytest tests/a.py", "python3 pytest"),
            ("python3 tests/a.py", "python3 tests/a.py"),
            ("./check.sh", "check.sh"),
            ("sudo env A=1 make", "make"),
            ("make || echo failed", "make"),
            ("echo hello", ""),
            ("", ""),
        ] {
            assert_eq!(program_and_subcommand(command), name, "{command}");
        }
    }

    #[test]
    fn what_follows_a_program_may_decide_on_the_exit_code() {
        for command in [
            "cargo test",
            "cd app && npm test",
            "npm test && echo fine",
            "npm ci; npm test;",
            "npm test > log 2>&1",
            "npm test &> log",
            "(cd app && npm test)",
            "grep -E 'a|b; c' x",
            "grep a\\|b x",
            "set -o pipefail; npm test 2>&1 | tail -5",
            "set -euo pipefail\nnpm test | tee log",
        ] {
            assert!(tells_success(command), "{command}");
        }
        for command in [
            "npm test | tail -5",
            "cd app && npm test 2>&1 | tail -5",
            "npm test || true",
            "npm test; echo exit=$?",
            "npm test\necho done",
            "npm test & wait",
            "npm test &",
            "! npm test",
            "if npm test; then echo fine; fi",
            "npm test |& tee log",
        ] {
            assert!(!tells_success(command), "{command}");
        }
    }
}
