//! The programs that a shell command starts, what it tries, and the variables that it reads. Not a shell: anything quoted, substituted or
//! composed at run time is skipped.

mod steps;

pub use steps::{Step, Word, script_of, steps};

use std::collections::BTreeSet;
use steps::{is_name, leads};

/// How command lines say, in lower case, that they don't know an option.
const OPTION_REFUSED: &str = "unknown option,unknown flag,unknown argument,unrecognized option,unrecognised option,unrecognized argument,\
                              no such option,invalid option,illegal option,bad option,unsupported option,unexpected argument,\
                              provided but not defined";

/// Shell builtins and keywords.
const BUILTINS: [&str; 27] = [
    ".", ":", "[", "alias", "break", "case", "cd", "continue", "done", "echo", "esac", "eval", "exit", "export", "false", "fi", "for",
    "printf", "pwd", "read", "return", "set", "shift", "source", "test", "true", "wait",
];

/// Programs that run a script: the script is what tells one command from another.
const INTERPRETERS: [&str; 15] =
    ["sh", "bash", "zsh", "dash", "ksh", "python", "python2", "python3", "node", "tsx", "ruby", "perl", "php", "Rscript", "pwsh"];
/// Subcommands whose own subcommand, task or program follows, by program.
const PASSING_ON: [(&str, &[&str]); 5] = [
    ("run", &["npm", "pnpm", "yarn", "bun", "deno", "poetry", "pipenv", "uv", "hatch", "pdm", "rye"]),
    ("exec", &["npm", "pnpm", "yarn", "bundle", "docker", "podman", "kubectl"]),
    ("compose", &["docker", "podman"]),
    ("xtask", &["cargo"]),
    ("artisan", &["php"]),
];

/// Options before a subcommand that take a value of their own, whatever the program (except interpreters, whose values are code).
const WITH_VALUES: [&str; 18] = [
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
    "--profile",
    "--region",
];

/// The same for one program alone.
const WITH_VALUES_BY: [(&str, &str); 6] =
    [("cmake", "-G"), ("mvn", "-pl -P"), ("mvnw", "-pl -P"), ("psql", "-h -U -p -d"), ("mysql", "-h -u -P"), ("ssh", "-i -l -p")];
/// Programs whose `-n` takes a value as well; elsewhere it is a dry run, or a switch.
const WITH_NAMESPACES: [&str; 3] = ["kubectl", "helm", "oc"];
/// Programs whose `-n` is a dry run.
const WITH_DRY_RUN: [&str; 4] = ["make", "gmake", "ninja", "rsync"];

/// Whether a text in lower case says that a command line does not know an option.
pub fn refuses_an_option(lower: &str) -> bool {
    OPTION_REFUSED.split(',').any(|words| lower.contains(words))
}

/// The programs that a command starts, as looked up in PATH.
pub fn programs(command: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for simple in command.split(['\n', ';', '|', '&', '(', ')', '{', '}']) {
        let Some(word) = simple.split_whitespace().find(|word| !leads(word)) else { continue };
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

/// What a command tries to do, as far as its words show: a command that is [like it](Try::is_like) is another try.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Try {
    /// The main program and its subcommand: of several steps the last, of a pipe the first part (`cargo test` of
    /// `cd app && RUST_LOG=info cargo test -p pay 2>&1 | tail`). Of an interpreter it is the script, and of what only passes on
    /// (`npm run`, `docker compose`) what it passes on to. The whole command where there is none.
    pub name: String,
    /// The words that follow, up to the first option or value (`create` of `gh pr create --fill`); of code in the command itself, that
    /// code.
    further: Vec<String>,
}

impl Try {
    /// What a command tries.
    pub fn of(command: &str) -> Try {
        let steps = steps(command);
        let firsts = (0..steps.len()).filter(|at| at.checked_sub(1).is_none_or(|before| !steps[before].is_piped()));
        let last = firsts.rev().find_map(|at| of_step(&steps[at]));
        last.unwrap_or_else(|| Try { name: command.trim().to_owned(), further: Vec::new() })
    }

    /// The call of a tool.
    pub fn of_tool(tool: &str) -> Try {
        Try { name: tool.to_owned(), further: Vec::new() }
    }

    /// Whether one of two tries says everything that the other one says, and perhaps more.
    pub fn is_like(&self, other: &Try) -> bool {
        self.says(other) || other.says(self)
    }

    /// Whether it tries what another one does, and says no less about it.
    pub fn says(&self, other: &Try) -> bool {
        self.name == other.name && self.further.starts_with(&other.further)
    }
}

/// What a step tries; `None` if it starts no program.
fn of_step(step: &Step) -> Option<Try> {
    let (program, rest) = step.command().split_first()?;
    let program = program.text.rsplit('/').next()?;
    if program.is_empty() || BUILTINS.contains(&program) {
        return None;
    }
    let runs_scripts = INTERPRETERS.contains(&program);
    let is_plain = |text: &str, more: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-:_".contains(c) || more.contains(c));
    let plain = |word: &&Word| !word.quoted && is_plain(&word.text, "");
    let mut words = vec![program];
    let mut further = Vec::new();
    if let Some((first, after)) = without_options(rest, program).split_first() {
        let said = first.text.strip_prefix("./").unwrap_or(&first.text);
        if !first.quoted && is_plain(said, if runs_scripts { "./@" } else { "" }) {
            words.push(said);
            let mut rest = after;
            let passes_on = |word: &str| PASSING_ON.iter().any(|(passing, programs)| *passing == word && programs.contains(&program));
            let manages = |word: &str| runs_scripts && word.rsplit('/').next() == Some("manage.py");
            while words.last().is_some_and(|last| passes_on(last) || manages(last))
                && let Some((next, after)) = without_options(rest, program).split_first().filter(|(next, _)| plain(next))
            {
                words.push(&next.text);
                rest = after;
            }
            let until = rest.iter().take_while(|word| plain(word) && !word.text.starts_with('-'));
            further.extend(until.map(|word| word.text.clone()));
        } else if runs_scripts {
            further.push(first.text.clone());
        }
    }
    further.extend(Some(step.input.clone()).filter(|input| !input.is_empty()));
    Some(Try { name: words.join(" "), further })
}

/// The words after a program's leading options and their values.
fn without_options<'w>(mut words: &'w [Word], program: &str) -> &'w [Word] {
    let of_namespace = WITH_NAMESPACES.contains(&program);
    while let Some((option, after)) = words.split_first().filter(|(word, _)| word.text.starts_with(['-', '+'])) {
        let by_program = WITH_VALUES_BY.iter().any(|(by, options)| *by == program && options.split(' ').any(|name| name == option.text));
        let takes_one = WITH_VALUES.contains(&option.text.as_str()) || of_namespace && option.text == "-n" || by_program;
        let has_value = takes_one && !INTERPRETERS.contains(&program);
        words = after.get(usize::from(has_value)..).unwrap_or_default();
    }
    words
}

/// Whether a program, with which the words begin, only tells about itself, or what it would do: `--help`, `--version`, `--dry-run`.
pub fn only_tells(words: &[Word]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let program = program.text.rsplit('/').next().unwrap_or_default();
    let plain = || rest.iter().filter(|word| !word.quoted).map(|word| word.text.as_str());
    // What follows `--` is for another program; "-h", "-V" and "--version" before a value are a host and what is to be installed.
    let of_its_own = plain().take_while(|word| *word != "--");
    let tells = of_its_own.clone().any(|word| {
        word == "--help" || word == "--dry-run" || word.starts_with("--dry-run=") || word == "-n" && WITH_DRY_RUN.contains(&program)
    });
    tells || of_its_own.last().is_some_and(|last| matches!(last, "-h" | "-V" | "--version") && plain().next_back() == Some(last))
}

/// Whether a command that exits with 0 shows that its main program did: not where something else decides that, such as what follows a pipe,
/// `||`, `;` or `&`.
pub fn tells_success(command: &str) -> bool {
    let steps = steps(command);
    // Before a program that counts, nothing has failed.
    let mut told = true;
    let mut piped = false;
    for (at, step) in steps.iter().enumerate() {
        if !piped && of_step(step).is_some() {
            let leading = step.words.len() - step.command().len();
            told = !step.words[..leading].iter().any(|word| word.text == "!");
        }
        let decides = match step.operator {
            "" | "&&" => false,
            "&" => true,
            _ if step.is_piped() => !command.contains("pipefail"),
            _ => at + 1 < steps.len(),
        };
        told &= !decides;
        piped = step.is_piped();
    }
    told
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
            ("sh -c 'exit 1'", "sh -c 'exit 1'"),
            ("/bin/bash -lc 'cd app && npm test'", "npm test"),
            ("bash -o pipefail -c \"npm test | tee log\"", "npm test"),
            ("git commit -m \"Add q; npm test runs later\"", "git commit"),
            ("git commit -m \"$(cat <<'EOF'\nDon't (yet); npm test\nEOF\n)\" && echo ok", "git commit"),
            ("npm test # all\n# see above; cargo test", "npm test"),
            ("cat > a.sh <<'EOF'\nnpm test\nEOF\nsh a.sh", "sh a.sh"),
            ("python3 - <<-EOF 2>&1 | tail\n\timport x; y\n\tEOF", "python3"),
            ("npm \\\n  test", "npm test"),
            ("timeout 60s npm test", "npm test"),
            ("(cd app && npm test)", "npm test"),
            ("kubectl -n prod get pods", "kubectl get"),
            ("make -n test", "make test"),
            ("mvn -pl api -am test", "mvn test"),
            ("cmake -G Ninja -B build", "cmake build"),
            ("psql -h localhost -U me shop", "psql shop"),
            ("for f in a b; do npm test -- \"$f\"; done", "npm test"),
            ("while read f; do sh check.sh \"$f\"; done < list", "sh check.sh"),
            ("bash -o errexit -c 'npm test'", "npm test"),
            ("bash +O extglob -euo pipefail -c 'npm test'", "npm test"),
            ("docker compose exec -T web npm test", "docker compose exec web"),
            ("cargo run -- serve", "cargo run"),
            ("sh ./scripts/a.sh -x", "sh scripts/a.sh"),
            ("python manage.py migrate --check", "python manage.py migrate"),
            ("python3 -c 'import x'", "python3"),
            ("/usr/bin/python3 -m pytest tests/a.py", "python3 pytest"),
            ("python3 tests/a.py", "python3 tests/a.py"),
            ("./check.sh", "check.sh"),
            ("sudo env A=1 make", "make"),
            ("make || echo failed", "make"),
            ("echo hello", "echo hello"),
            ("", ""),
        ] {
            assert_eq!(Try::of(command).name, name, "{command}");
        }
    }

    #[test]
    fn two_commands_try_the_same_if_their_words_up_to_an_option_or_a_value_do() {
        for (one, other) in [
            ("cargo test -p pay", "cd app && cargo test --lib 2>&1"),
            ("python -m unittest", "python -m unittest discover tests"),
            ("npm install zod", "npm install zod --force"),
            ("gh pr create --fill", "gh pr create --title x"),
            ("python3 - <<'EOF'\nprint(1)\nEOF", "cd a && python3 - <<'PY'\nprint(1)\nPY\n"),
            ("/bin/bash -lc 'npm test'", "npm test"),
        ] {
            assert!(Try::of(one).is_like(&Try::of(other)), "{one}\n{other}");
        }
        for (one, other) in [
            ("/bin/bash -lc 'npm test'", "/bin/bash -lc 'git status'"),
            ("python3 - <<'EOF'\nA\nEOF", "python3 - <<'EOF'\nB\nEOF"),
            ("python3 - <<'EOF' && echo a\nA\nEOF", "python3 - <<'EOF' && echo a\nB\nEOF"),
            ("python3 <<< A", "python3 <<< B"),
            ("node -e \"A\"", "node -e \"B\""),
            ("python3 -c 'import a'", "python3 -c 'import b'"),
            ("sh -c 'exit 1'", "sh -c 'true'"),
            ("npx prisma migrate dev", "npx prisma generate"),
            ("gh pr create --fill", "gh pr list"),
            ("kubectl -n prod apply -f a.yaml", "kubectl -n prod get pods"),
            ("docker exec -it web npm test", "docker exec -it db psql"),
            ("docker compose exec -T web npm test", "docker compose exec -T web npm run lint"),
            ("aws s3 cp x s3://b/", "aws s3 ls"),
            ("python -m alembic upgrade head", "python -m alembic history"),
            ("true", "cd app"),
        ] {
            assert!(!Try::of(one).is_like(&Try::of(other)), "{one}\n{other}");
        }
    }

    #[test]
    fn what_says_less_is_like_another_try_and_does_not_say_it() {
        let says = |newer: &str, older: &str| Try::of(newer).says(&Try::of(older));
        assert!(says("gh pr create --fill", "gh pr create") && says("npm test one", "npm test"));
        assert!(
            !says("gh pr", "gh pr create") && !says("gh pr list", "gh pr create") && Try::of("gh pr").is_like(&Try::of("gh pr create"))
        );
        let tells = |command: &str| steps(command).iter().all(|step| only_tells(step.command()));
        for command in
            ["npx prisma --version", "gh pr --help", "psql -h", "ssh -V", "make -n test", "kubectl apply --dry-run=client -f a.yaml"]
        {
            assert!(tells(command), "{command}");
        }
        for command in ["psql -h db", "helm install --version 1 x", "pytest -n 4", "npm test -- --help", "git commit -m \"--help\"", "make"]
        {
            assert!(!tells(command), "{command}");
        }
    }

    #[test]
    fn where_a_step_reads_from_and_writes_to_is_kept() {
        let redirected = |command: &str| steps(command).into_iter().flat_map(|step| step.redirections).collect::<Vec<_>>();
        assert_eq!(redirected("sh check.sh <old.txt 2>&1 >> 'a log' | tee x"), ["< old.txt", "2>& 1", ">> a log"]);
        assert_eq!(redirected("cat <<EOF\n> a\nEOF"), [""; 0]);
    }

    #[test]
    fn a_script_is_taken_from_the_shell_that_is_only_there_for_it() {
        for (command, script) in [
            ("/bin/bash -lc 'npm test'", Some("npm test")),
            ("bash -lc \"echo \\\"a\\\" \\n $(date '+%Y' | cat <<E\nx\nE\n)\"", Some("echo \"a\" \\n $(date '+%Y' | cat <<E\nx\nE\n)")),
            ("zsh -lc 'it'\"'\"'s'", Some("it's")),
            ("sh -c 'a' b", None),
            ("cd x && sh -c a", None),
            ("sh a.sh -c b", None),
            ("A=1 sh -c a", None),
            ("sh -c a > log", None),
            ("npm test", None),
            ("sh -c", None),
        ] {
            assert_eq!(script_of(command).as_deref(), script, "{command}");
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
            "python3 - <<'EOF'\nimport x; y | z\nEOF\n",
            "git commit -m \"$(cat <<'EOF'\nIt isn't | done;\nEOF\n)\"",
            "npm test # all\n# see above\n",
            "bash -lc 'npm test'",
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
            "bash -lc 'npm test | tail'",
            "bash -lc 'npm test' || true",
            "! bash -lc 'npm test'",
            "python3 - <<'EOF' | tail\nx\nEOF",
        ] {
            assert!(!tells_success(command), "{command}");
        }
    }
}
