//! Ways around a check or another obstacle: what works thanks to one of them mended nothing, and must not be recommended. The
//! same holds for what does less, or checks less.

use super::commands::{main_step, purpose, purpose_of, started};
use super::instead::is_missing;
use super::otherwise::only_reports;
use crate::words::is_listed;
use ralph_core::shell_words::{Step, Word, steps};
use std::collections::BTreeSet;

/// Beginnings of words that switch a check off, leave tests out, do less, trust any server, or work only once.
const SWITCHES: [&str; 30] = [
    "--no-verify",
    "--no-check",
    "--no-lint",
    "--no-gpg",
    "--nogpgcheck",
    "--no-hooks",
    "--allow-unauthenticated",
    "--allow-errors",
    "--fail-never",
    "--otp",
    "--no-scripts",
    "--deselect",
    "--without",
    "--exit-zero",
    "--insecure",
    "--trusted-host",
    "-Dmaven.test.",
    "core.hooksPath=",
    "--collect-only",
    "--no-run",
    "--list",
    "--no-start",
    "--noCheck",
    "--passWithNoTests",
    "--pass-with-no-tests",
    "-Wno-error",
    "-lock=false",
    "--validate=false",
    "--test_tag_filters=-",
    "--allow-dirty",
];
/// Parts of the names of options that leave something out, in small letters.
const LEAVING_OUT: [&str; 3] = ["skip", "ignore", "exclude"];
/// Beginnings of words that make a program stricter: without them, less is checked.
const STRICT: [&str; 11] = [
    "--deny",
    "--strict",
    "--fail-",
    "-Werror",
    "--max-warnings",
    "-Dwarnings",
    "--locked",
    "--frozen",
    "--immutable",
    "--check",
    "ON_ERROR_STOP",
];
/// Shells, which with `-e` stop at the failure of any step.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "set"];
/// How the names of variables end that hold options of a compiler. Those of linkers are not among them: `-w` of Go leaves out symbols.
const OF_COMPILERS: [&str; 6] = ["RUSTFLAGS", "RUSTDOCFLAGS", "CFLAGS", "CXXFLAGS", "C_FLAGS", "CXX_FLAGS"];
/// Beginnings of options that make a compiler less strict.
const SILENCING: [&str; 4] = ["-A", "-w", "-Wno-", "--cap-lints"];
/// Options that change where and how checks run, but not which; with "=" if a value follows.
const RUNNING: &str = "-- -i --runInBand --forceExit --detectOpenHandles --experimental-vm-modules --no-file-parallelism --serial \
                       --parallel --no-parallel --offline --no-daemon --no-cache --release --ignored --include-ignored --all-features \
                       --fix --write -am --also-make -race --allow-read --allow-write --allow-net --allow-env --allow-run --allow-all \
                       --run --ci --no-watch --watch= --watchAll= --test-threads= --env= --environment= --features= -j= --jobs= -n= \
                       --numprocesses= --workers= --maxWorkers= --timeout= --testTimeout= -timeout= -tags= -mod= -count= --config= -c= \
                       --configuration= --settings= --rootdir= --import-mode= --pool=";
/// Options that limit a command to a part.
const SELECTING: &str =
    "--filter --only --package --workspace --bin --lib --limit --tags --scope --since -target -pl --no-deps --if-present";
/// The same of one program.
const PARTS: [(&str, &str); 3] = [("cargo", "-p"), ("docker", "--target"), ("podman", "--target")];
/// Parts of the names of options that make a command do something else, or not all of it.
const ELSE: &str = "dry syntax select baseline sql start";
/// Words that have a program check something, and programs that do nothing else.
const CHECKS: &str = "check validate audit analyse analyze vet phpstan shellcheck prettier pre-commit cypress";
/// What such words contain, in lower case.
const SETTINGS: [&str; 8] = [
    "sslverify=false",
    "strict-ssl=false",
    "reject_unauthorized=0",
    "gpgsign=false",
    "tls-verify=false",
    "stricthostkeychecking=no",
    "treatwarningsaserrors=false",
    "nowarn=",
];
/// Beginnings of assignments that make hooks ignore a command, or make a command leave something out.
const VARIABLES: [&str; 7] = ["SKIP", "DISABLE_", "CI=false", "HUSKY", "LEFTHOOK=", "GIT_SSL_NO_VERIFY=", "PYTHONHTTPSVERIFY=0"];
/// Beginnings of words that make tests accept their actual output as the expected one.
const UPDATES: [&str; 3] = ["-u", "--update", "--snapshot-update"];
/// Words that occur together in a step that throws something away, or gives everybody access to it.
const DESTROYING: [&[&str]; 22] = [
    &["dropdb"],
    &["git", "reset", "--hard"],
    &["git", "checkout", "--"],
    &["git", "checkout", "."],
    &["git", "restore"],
    &["git", "clean"],
    &["git", "stash"],
    &["docker", "down", "-v"],
    &["docker", "down", "--volumes"],
    &["docker", "volume", "rm"],
    &["docker", "prune"],
    &["kubectl", "delete"],
    &["terraform", "destroy"],
    &["chmod", "777"],
    &["chmod", "0777"],
    &["chmod", "a+rwx"],
    &["db:drop"],
    &["db:reset"],
    &["migrate", "reset"],
    &["migrate:fresh"],
    &["ecto.drop"],
    &["strict-ssl", "false"],
];
/// The same in code inside a command, in lower case.
const DESTROYING_CODE: [&str; 6] = ["drop table", "drop database", "drop schema", "drop owned", "truncate ", "delete from"];
/// Folders that a build makes again; so are caches.
const MADE: [&str; 11] =
    ["node_modules", "target", "dist", "build", "out", ".next", ".nuxt", ".venv", "venv", "coverage", "cmake-build-debug"];

/// Endings of files with code.
const SOURCES: [&str; 19] =
    ["js", "jsx", "mjs", "cjs", "ts", "tsx", "py", "rs", "go", "rb", "java", "kt", "php", "cs", "c", "cpp", "ex", "exs", "snap"];

/// Parts of the names of files that check something.
const CHECKING: &str = "check checks verify validate test tests lint ci spec specs e2e conftest snap";
/// Folders of tests, and of their expected output.
const OF_TESTS: &str = "test tests __tests__ spec specs e2e __snapshots__ testdata fixtures";
/// Endings of the names of test classes.
const TEST_CLASSES: [&str; 3] = ["Test", "Tests", "Spec"];
/// Number of folders above a file that show what it is: higher ones may be the machine's.
const FOLDERS: usize = 4;

/// Whether a file is part of the check that a command runs: the script itself, or one of the tests. After a change to it the command may
/// pass because it requires less.
pub(super) fn is_of_check(file: &str, command: &str) -> bool {
    let Some(words) = main_step(command) else { return false };
    let mut parts = file.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let checks = name.split(['.', '_', '-']).any(|part| is_listed(CHECKING, &part.to_lowercase()))
        || TEST_CLASSES.iter().any(|ending| stem.ends_with(ending));
    let purpose = purpose_of(&words);
    let in_tests = || parts.take(FOLDERS).any(|folder| is_listed(OF_TESTS, folder));
    let is_named = || {
        let names = words.iter().map(|word| word.text.trim_start_matches("./")).filter(|word| word.contains(['.', '/']));
        names.into_iter().any(|word| file == word || file.strip_suffix(word).is_some_and(|above| above.ends_with('/')))
    };
    match purpose {
        Some("test") => checks || in_tests() || is_named(),
        Some("lint") => is_named() && checks,
        _ => checks && is_named(),
    }
}

/// Whether a command that worked gets round what another one failed at with an error: by a way that the other one did not take, as root, or
/// as it minds or does less.
pub(super) fn gets_round(failed: &str, error: &str, worked: &str) -> bool {
    let (before, now) = (steps(failed), steps(worked));
    let minds_less = !strict(&before).is_subset(&strict(&now));
    minds_less
        || does_less(failed, error, worked)
        || as_root(&now) && !as_root(&before)
        || !ways_round(worked, &now).is_subset(&ways_round(failed, &before))
}

/// Whether what works after a command may do so because something is gone.
pub(super) fn spoils(command: &str) -> bool {
    steps(command).iter().any(|step| destroys(&said(step), step.command()))
}

fn strict(steps: &[Step]) -> BTreeSet<&str> {
    let words = steps.iter().flat_map(|step| step.command()).filter(|word| !word.quoted).map(|word| word.text.as_str());
    let to_compilers = steps.iter().flat_map(|step| &step.words).flat_map(compiler_options);
    let minds = words.chain(to_compilers).filter(|word| *word == "-D" || STRICT.iter().any(|strict| word.starts_with(strict)));
    minds.chain(steps.iter().any(stops_at_failures).then_some("-e")).collect()
}

/// Whether a step has a shell stop where one of its own steps fails.
fn stops_at_failures(step: &Step) -> bool {
    let words: Vec<&str> = step.command().iter().map(|word| word.text.as_str()).collect();
    let options = words.iter().skip(1).take_while(|word| word.starts_with('-'));
    SHELLS.contains(&program(&words)) && options.into_iter().any(|word| !word.starts_with("--") && word.contains('e'))
}

/// The options that a word gives to compilers by a variable: `RUSTFLAGS="-A warnings"`.
fn compiler_options(word: &Word) -> impl Iterator<Item = &str> {
    let names_compiler = |name: &str| !name.contains(' ') && OF_COMPILERS.iter().any(|ending| name.ends_with(ending));
    let options = word.text.split_once('=').filter(|(name, _)| names_compiler(name)).map(|(_, options)| options);
    options.into_iter().flat_map(str::split_whitespace)
}

fn silences(word: &Word) -> bool {
    compiler_options(word).any(|option| SILENCING.iter().any(|silencing| option.starts_with(silencing)))
}

/// Whether a command is a narrower form of another one: the same words, and others that limit it to a part. In checks and builds every
/// additional word limits unless it is known not to, and so does a replaced word, or one file less: `pytest tests/unit` for
/// `pytest tests`.
fn does_less(failed: &str, error: &str, worked: &str) -> bool {
    let (Some(failed), Some(worked)) = (main_step(failed), main_step(worked)) else { return false };
    let ((program, said), (other, now)) = (started(&failed), started(&worked));
    let (said, now) = (texts(said), texts(now));
    if program != other {
        return false;
    }
    let (checks, gone) = (checks(&failed), words_besides(&said, &now));
    if !gone.is_empty() {
        let came = words_besides(&now, &said);
        let is_object = |word: &str| !word.starts_with('-') && option_of(&said, word).is_none();
        let narrows = !came.is_empty() || gone.iter().any(|word| is_object(word));
        let is_known = |word: &str| {
            !is_missing(error, word) && !option_of(&said, word).is_some_and(|option| option.len() > 2 && is_missing(error, option))
        };
        return (checks || purpose_of(&failed) == Some("build")) && narrows && gone.iter().all(|word| is_known(word));
    }
    let mut left = said.iter().peekable();
    let added: Vec<&str> = now.iter().copied().filter(|word| left.next_if_eq(&word).is_none()).collect();
    if left.next().is_some() || added.is_empty() {
        return false;
    }
    if checks {
        return !added.iter().enumerate().all(|(at, word)| only_runs(word) || at > 0 && takes_value(added[at - 1]));
    }
    let selects = |word: &str| {
        is_listed(SELECTING, word.split('=').next().unwrap_or_default()) || PARTS.contains(&(program, word)) || does_something_else(word)
    };
    added.iter().any(|word| selects(word)) || added.iter().all(|word| !word.starts_with('-'))
}

fn texts(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.text.as_str()).collect()
}

/// Whether a step checks something, by its purpose or by its words.
fn checks(words: &[Word]) -> bool {
    let names = || words.iter().take(3).filter(|word| !word.quoted).map(|word| word.text.rsplit('/').next().unwrap_or_default());
    matches!(purpose_of(words), Some("test" | "lint" | "typecheck")) || names().any(|name| is_listed(CHECKS, name))
}

/// The words of one call that another one lacks, without those that only say how it runs.
fn words_besides<'w>(said: &[&'w str], others: &[&str]) -> Vec<&'w str> {
    let is_left = |at: &usize| others.contains(&said[*at]) || only_runs(said[*at]) || *at > 0 && takes_value(said[*at - 1]);
    (0..said.len()).filter(|at| !is_left(at)).map(|at| said[at]).collect()
}

/// The name of the option before a word, whose value the word may be.
fn option_of<'w>(said: &[&'w str], word: &str) -> Option<&'w str> {
    let behind = said.windows(2).find(|pair| pair[1] == word && pair[0].starts_with('-') && !pair[0].contains('='));
    behind.map(|pair| pair[0].trim_start_matches('-'))
}

/// Whether an option has a command do something else by a part of its name: `--syntax-check`, `--strict=false`.
fn does_something_else(word: &str) -> bool {
    word.starts_with('-') && (word.ends_with("=false") || word.trim_start_matches('-').split(['-', '=']).any(|part| is_listed(ELSE, part)))
}

fn only_runs(word: &str) -> bool {
    only_reports(word)
        || is_listed(RUNNING, word)
        || takes_value(word)
        || word.split_once('=').is_some_and(|(option, _)| takes_value(option))
}

fn takes_value(option: &str) -> bool {
    is_listed(RUNNING, &format!("{option}="))
}

fn as_root(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.words.iter().take_while(|word| !word.quoted).any(|word| matches!(word.text.as_str(), "sudo" | "doas")))
}

/// The ways round that a command takes, each in its words.
fn ways_round(command: &str, steps: &[Step]) -> BTreeSet<String> {
    let is_test = purpose(command) == Some("test");
    steps.iter().flat_map(|step| ways_of(step, is_test)).collect()
}

fn ways_of(step: &Step, is_test: bool) -> BTreeSet<String> {
    let words = step.command();
    let (leading, _) = step.words.split_at(step.words.len() - words.len());
    let said = said(step);
    let assigns = |word: &&str| word.contains('=') && VARIABLES.iter().any(|name| word.starts_with(name));
    let assigned = leading.iter().map(|word| word.text.as_str()).chain(said.iter().copied()).filter(assigns);
    let switches = leading.iter().map(|word| word.text.as_str()).chain(said.iter().copied()).filter(|word| {
        let lower = word.to_lowercase();
        SWITCHES.iter().any(|switch| word.starts_with(switch))
            || leaves_something_out(&lower)
            || SETTINGS.iter().any(|setting| lower.contains(setting))
            || is_test && UPDATES.iter().any(|update| word == update || update.len() > 2 && word.starts_with(update))
            || forces(&said, word)
    });
    let left_out = words.windows(2).filter(|pair| leaves_out(&pair[0], &pair[1], is_test)).map(|pair| pair[1].text.as_str());
    let silenced = step.words.iter().filter(|word| silences(word)).map(|word| word.text.as_str());
    let destroyed = destroys(&said, words).then_some(said.join(" "));
    assigned.chain(switches).chain(left_out).chain(silenced).map(str::to_owned).chain(destroyed).collect()
}

/// The words of a step from its program on, without quoted texts that contain blanks, such as the message of a commit.
fn said(step: &Step) -> Vec<&str> {
    step.command().iter().filter(|word| !word.quoted || !word.text.contains(' ')).map(|word| word.text.as_str()).collect()
}

/// Whether an option, in lower case, leaves something out according to its name; one that says "ignored" runs more tests.
fn leaves_something_out(option: &str) -> bool {
    let name = option.split('=').next().filter(|name| name.starts_with('-') && !name.ends_with("ignored")).unwrap_or_default();
    LEAVING_OUT.iter().any(|part| name.contains(part))
}

fn program<'w>(said: &[&'w str]) -> &'w str {
    said.first().and_then(|program| program.rsplit('/').next()).unwrap_or_default()
}

/// Whether a word makes a program do what it refuses: a push that rewrites what others have, a commit without its hooks.
fn forces(said: &[&str], word: &str) -> bool {
    let short = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    // Letters up to the first whose value follows: `-anm "text"`.
    let letters =
        || short.into_iter().flat_map(|letters| letters.chars().take_while(|letter| !matches!(letter, 'm' | 'F' | 'C' | 'c' | 't')));
    match program(said) {
        "ansible-playbook" => word == "--check",
        "git" if said.contains(&"commit") => letters().any(|letter| letter == 'n'),
        "git" if said.contains(&"push") && word.starts_with('+') => true,
        "git" => !said.contains(&"config") && (word.starts_with("--force") || letters().any(|letter| letter == 'f')),
        "curl" => letters().any(|letter| letter == 'k'),
        "mvn" | "mvnw" => word == "-fn",
        "latexmk" => word == "-f",
        "make" | "gmake" => short.is_some_and(|letters| letters.contains(['i', 't'])),
        _ => matches!(word, "--force" | "--fake"),
    }
}

/// Whether an option with its value leaves tests out: `-k "not slow"` of a test run, `-x test` of Gradle.
fn leaves_out(option: &Word, value: &Word, is_test: bool) -> bool {
    match option.text.as_str() {
        "-k" | "-m" => is_test && value.text.split_whitespace().any(|word| word == "not"),
        "-x" => matches!(value.text.as_str(), "test" | "check" | "lint"),
        "--tag" => value.text.starts_with('~'),
        _ => false,
    }
}

/// Whether a step with these words throws something away that no build recreates.
fn destroys(said: &[&str], words: &[Word]) -> bool {
    let program = program(said);
    let targets = || said.iter().skip(1).filter(|word| !word.starts_with('-'));
    let is_made = |path: &str| path.split('/').any(|name| MADE.contains(&name) || name.to_lowercase().contains("cache"));
    let is_test = |path: &str| {
        path.rsplit_once('.').is_some_and(|(name, ending)| SOURCES.contains(&ending) && (name.contains("test") || name.contains("spec")))
    };
    let recursively = |word: &&str| *word == "--recursive" || word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R']);
    let removes = program == "rm" && said.iter().any(recursively) && !targets().all(|path| is_made(path));
    let removes_tests = (program == "rm" || program == "git" && said.get(1) == Some(&"rm")) && targets().any(|path| is_test(path));
    let code = |word: &Word| DESTROYING_CODE.iter().any(|code| word.text.to_lowercase().contains(code));
    let commits = program == "git" && said.contains(&"commit");
    let together = |row: &[&str]| row.iter().all(|word| said.contains(word) || program == *word);
    removes
        || removes_tests
        || DESTROYING.iter().any(|row| together(row))
        || !commits && words.iter().skip(1).filter(|word| word.quoted).any(code)
}
