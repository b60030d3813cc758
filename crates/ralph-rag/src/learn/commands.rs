//! The purpose of commands, as far as their words show.

use crate::words::is_listed;
use ralph_core::shell_words::{self, Step, Try, Word};

/// Programs that only inspect. A negative answer is not a failure, and they fix nothing.
const LOOKING: [&str; 34] = [
    "ls", "cat", "head", "tail", "less", "grep", "egrep", "rg", "ag", "find", "fd", "wc", "stat", "file", "which", "whereis", "type",
    "tree", "diff", "cmp", "sed", "awk", "jq", "ps", "pgrep", "lsof", "du", "df", "test", "[", "echo", "printf", "pwd", "curl",
];
/// Programs that fetch what others are given or run.
pub(super) const ANSWERING: &str = "date id whoami uname printenv hostname sort uniq cut tr strings nm ldd readlink realpath dirname basename xargs man \
                         netstat ss ping dig nslookup cd true pushd popd :";
/// Programs, subcommands and tasks that change what another command finds.
const CHANGING: [&str; 6] = [
    "install ci i add remove uninstall require update upgrade sync lock vendor tidy download fetch pull push restore dedupe dump-autoload",
    "up down start stop restart shutdown reload rollback scale enable disable use login allow trust",
    "apply deploy delete patch replace port-forward",
    "migrate migration migrations makemigrations seed create insert alter grant load import init new reset clean prune purge",
    "build rebuild compile generate gen codegen prepare bootstrap setup provision configure fix link unlink",
    "cp mv ln rm chmod chown sed tar unzip tsc webpack protoc createdb venv virtualenv ssh-keygen ldconfig zigup sdkmanager",
];
/// Words that change something only as the subcommand of one program.
const CHANGING_BY: [(&str, &str); 14] = [
    ("go", "get work"),
    ("mix", "get"),
    ("flutter", "get"),
    ("dart", "get"),
    ("terraform", "select"),
    ("pyenv", "local global"),
    ("asdf", "local global set"),
    ("docker", "run"),
    ("podman", "run"),
    ("npm", "set"),
    ("yarn", "set"),
    ("rustup", "default component"),
    ("uv", "pin"),
    ("alembic", "merge"),
];
/// Subcommands and tasks that only look, whatever follows them: `docker logs build`.
const TELLING: &str = "ls list show get describe log logs inspect status info view why outdated tree metadata check vet validate plan diff \
                       test lint typecheck ps search help print history explain which env version";
/// Options that make a program only look, and those that make a looking program change something.
const WITHOUT_CHANGE: [&str; 3] = ["--check", "--noEmit", "--list"];
const WITH_CHANGE: [&str; 3] = ["--fix", "--write", "--in-place"];
/// Endings of scripts, whose names say what they do.
const SCRIPTS: &str = "sh bash py rb js mjs ts php pl";
/// Programs whose words are names that don't say what is done.
const UNTOLD: &str = "mkdir touch kill killall pkill";
/// Those that make a file or a folder.
const MAKING: &str = "mkdir touch";
/// Words that have a service run.
const SERVING: &str = "up start restart";
/// Git commands that can fix something; the others inspect, store or restore.
const MENDING_GIT: [&str; 4] = ["git submodule", "git lfs", "git fetch", "git pull"];
/// Words by which a command is recognized as a test run, a build and so on.
const PURPOSES: [(&str, &[&str]); 6] = [
    ("deploy", &["deploy", "deployment", "publish", "rollout", "wrangler", "vercel", "netlify", "flyctl"]),
    ("test", &["test", "tests"]),
    ("install", &["install", "add", "require"]),
    ("typecheck", &["typecheck", "type-check", "mypy", "pyright", "--noEmit"]),
    ("build", &["build", "tsc", "webpack", "compile", "assemble"]),
    ("lint", &["lint", "eslint", "clippy", "ruff", "rubocop", "flake8", "biome", "golangci-lint", "pylint"]),
];
/// Words of package managers that are followed by packages, whatever those are called.
const INSTALLING: &str = "install i add require";
/// Programs and modules that do nothing but run tests.
const TESTERS: &str = "vitest jest mocha ava karma pytest unittest tox nox behave rspec cucumber minitest phpunit paratest pest nextest ctest \
                       gotestsum busted prove twister runtests.jl testthat.R";
/// Programs that test by a subcommand or a task with another name.
const TESTING_BY: [(&str, &str); 11] = [
    ("make", "check distcheck installcheck"),
    ("gmake", "check distcheck installcheck"),
    ("gradle", "check"),
    ("gradlew", "check"),
    ("mvn", "verify"),
    ("mvnw", "verify"),
    ("sbt", "testOnly testQuick"),
    ("npm", "t"),
    ("mix", "espec"),
    ("lein", "midje"),
    ("R", "check"),
];
/// How code inside a command begins if it runs tests, by language.
const TESTING_CODE: [(&str, &[&str]); 2] = [("julia", &["Pkg.test"]), ("Rscript", &["testthat::test_", "devtools::test(", "tinytest::"])];
/// Programs that deploy by some of their subcommands; by the others they look, or prepare.
const DEPLOYERS: [(&str, &[&str]); 3] = [
    ("kubectl", &["apply", "create", "replace", "patch", "rollout", "set", "scale"]),
    ("helm", &["install", "upgrade", "rollback"]),
    ("terraform", &["apply"]),
];
/// Programs that only start another one, and the words between.
const STARTERS: [&str; 11] = ["npx", "bunx", "pnpx", "bundle", "poetry", "pipenv", "uv", "uvx", "python", "python3", "node"];
const STARTING: [&str; 3] = ["run", "exec", "dlx"];
/// Programs of one language: what a program of another language does is something else.
const LANGUAGES: [&str; 9] = [
    "npm npx pnpm pnpx yarn bun bunx node deno vitest jest mocha tsc eslint",
    "mvn mvnw gradle gradlew",
    "cargo rustup",
    "python python3 pip pip3 pytest uv uvx poetry pipenv tox nox",
    "go",
    "bundle gem rspec rake",
    "composer php phpunit",
    "mix",
    "dotnet",
];
/// Programs that run code inside the command, and the options before the code.
const CODE_RUNNERS: &str = "python python2 python3 node bun deno ruby perl php";
const CODE_OPTIONS: &str = "-c -e -p -r --eval --print";
/// Package managers: `git add` is not one.
const PACKAGERS: [&str; 14] =
    ["npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pipenv", "cargo", "bundle", "gem", "composer", "go"];

/// The words of a command's steps, each from its program on; steps without one, such as assignments, are left out.
fn steps(command: &str) -> Vec<Vec<Word>> {
    shell_words::steps(command).iter().map(|step| step.command().to_vec()).filter(|words| !words.is_empty()).collect()
}

pub(super) fn program(words: &[Word]) -> &str {
    words.first().and_then(|word| word.text.rsplit('/').next()).unwrap_or_default()
}

fn looks(words: &[Word]) -> bool {
    match program(words) {
        _ if shell_words::only_tells(words) => true,
        "git" => matches!(words.get(1).map(|word| word.text.as_str()), Some("grep" | "diff" | "log" | "status" | "show" | "ls-files")),
        "sed" => !words.iter().any(|word| word.text.starts_with("-i")),
        program => LOOKING.contains(&program),
    }
}

/// Whether a command only inspects: in each of its steps, apart from `cd`. A failing health check deserves no more attention
/// than a search without results.
pub(super) fn only_looks(command: &str) -> bool {
    steps(command).iter().all(|words| program(words) == "cd" || looks(words))
}

/// Whether a command between a failure and the success may have fixed that: one of its steps changes something, and not for programs of
/// another language.
pub(super) fn may_mend(command: &str, failed: Option<&str>) -> bool {
    let by_git = || MENDING_GIT.contains(&Try::of(command).name.as_str());
    let of_another_language = || {
        let (failed, command) = (failed.and_then(main_step), main_step(command));
        failed.zip(command).is_some_and(|(failed, command)| differ_in_language(&failed, &command))
    };
    (by_git() || steps(command).iter().any(|words| changes(words))) && !of_another_language()
}

/// Whether a step changes something, according to its first word that shows it.
fn changes(words: &[Word]) -> bool {
    change_of(words).unwrap_or_default()
}

/// The same; `None` if no word shows it.
pub(super) fn change_of(words: &[Word]) -> Option<bool> {
    let program = program(words);
    let with = |options: &[&str]| words.iter().any(|word| !word.quoted && options.contains(&word.text.as_str()));
    if program == "git" || is_listed(UNTOLD, program) {
        return None;
    }
    if looks(words) || with(&WITHOUT_CHANGE) || is_listed(TESTERS, started(words).0) {
        return Some(false);
    }
    let sets = program == "go" && with(&["env"]) && with(&["-w"]);
    let by_program = |verb: &str| CHANGING_BY.iter().any(|(by, verbs)| *by == program && is_listed(verbs, verb));
    let tells = |verb: String| match verb.as_str() {
        verb if by_program(verb) || CHANGING.iter().any(|verbs| is_listed(verbs, verb)) => Some(true),
        verb => is_listed(TELLING, verb).then_some(false),
    };
    if sets || with(&WITH_CHANGE) { Some(true) } else { words.iter().flat_map(|word| verbs(word, program)).find_map(tells) }
}

/// The names that a word may give to what is done, in lower case: itself, the parts of a task's or a script's name, and the beginning of a
/// statement.
fn verbs(word: &Word, program: &str) -> Vec<String> {
    let text = word.text.to_lowercase();
    if text.starts_with('-') {
        return Vec::new();
    }
    if word.quoted {
        // `install.packages("x")`, `renv::restore()`, `create table`.
        let called = text.split_whitespace().next().unwrap_or_default().split('(').next().unwrap_or_default();
        return called.split(['.', ':']).map(str::to_owned).collect();
    }
    let name = text.rsplit('/').next().unwrap_or_default();
    let parts: Vec<&str> = match name.rsplit_once('.') {
        Some((name, ending)) if is_listed(SCRIPTS, ending) => name.split(|c: char| !c.is_alphanumeric()).collect(),
        Some(_) if program == "mix" => name.split('.').collect(),
        _ => name.split(':').collect(),
    };
    parts.into_iter().map(str::to_owned).collect()
}

/// The purpose of a command in one word; `None` if its words don't show it.
pub(super) fn purpose(command: &str) -> Option<&'static str> {
    purpose_of(&main_step(command)?)
}

/// The last step that does not only look.
pub(super) fn main_step(command: &str) -> Option<Vec<Word>> {
    steps(command).into_iter().rfind(|words| !looks(words))
}

pub(super) fn purpose_of(words: &[Word]) -> Option<&'static str> {
    let program = program(words);
    let plain = || words.iter().take(4).filter(|word| !word.quoted).map(|word| word.text.rsplit('/').next().unwrap_or_default());
    let of = |names: &[&str]| plain().flat_map(|word| word.split(':')).any(|word| names.contains(&word));
    let deploys = || DEPLOYERS.iter().any(|(deployer, by)| *deployer == program && of(by));
    let installs = PACKAGERS.contains(&program);
    let tests = || {
        let by_task = TESTING_BY.iter().any(|(by, tasks)| *by == program && plain().skip(1).any(|word| is_listed(tasks, word)));
        let codes = TESTING_CODE.iter().filter(|(by, _)| *by == program).flat_map(|(_, codes)| *codes);
        let by_code = codes.into_iter().any(|code| words.iter().any(|word| word.text.contains(code)));
        // `:app:testDebugUnitTest`
        let by_variant = || plain().flat_map(|word| word.split(':')).any(|task| task.starts_with("test") && task.ends_with("Test"));
        by_task || by_code || plain().any(|word| is_listed(TESTERS, word)) || by_variant()
    };
    let is = |(purpose, names): &(&str, &[&str])| match *purpose {
        "install" => installs && of(names),
        "deploy" => of(names) || deploys(),
        "test" => of(names) || tests(),
        _ => of(names),
    };
    // A command that installs a test runner does not run it.
    let install = words.get(1).filter(|word| installs && is_listed(INSTALLING, &word.text)).map(|_| "install");
    install.or_else(|| PURPOSES.iter().find(|row| is(row)).map(|(purpose, _)| *purpose))
}

/// The language of the program that a step starts, as its place in the list; `None` where it has none that is known.
pub(super) fn language(words: &[Word]) -> Option<usize> {
    let of = |name: &str| LANGUAGES.iter().position(|names| is_listed(names, name));
    of(program(words)).or_else(|| of(started(words).0))
}

/// Whether two steps start programs of different languages.
pub(super) fn differ_in_language(one: &[Word], other: &[Word]) -> bool {
    language(one).zip(language(other)).is_some_and(|(one, other)| one != other)
}

/// The program that a step finally runs, and the words after it: `pytest` of `python -m pytest`.
pub(super) fn started(words: &[Word]) -> (&str, &[Word]) {
    let starts = |word: &Word| !word.text.starts_with('-') && !STARTING.contains(&word.text.as_str());
    let at = words.iter().skip(1).position(starts).filter(|_| STARTERS.contains(&program(words)));
    match at {
        Some(at) => (&words[at + 1].text, &words[at + 2..]),
        None => (program(words), words.get(1..).unwrap_or_default()),
    }
}

/// Whether a word says what is done rather than naming something.
pub(super) fn is_verb(word: &str) -> bool {
    STARTING.contains(&word) || CHANGING.iter().chain([&TELLING]).any(|verbs| is_listed(verbs, word))
}

/// Whether a step makes the file or folder that it names.
pub(super) fn makes(words: &[Word]) -> bool {
    is_listed(MAKING, program(words))
}

/// Whether a command has a service run.
pub(super) fn starts_what_stays(command: &str) -> bool {
    steps(command).iter().any(|words| words.iter().skip(1).any(|word| !word.quoted && is_listed(SERVING, &word.text)))
}

/// Whether a command runs code that it contains.
pub(super) fn holds_its_code(command: &str) -> bool {
    let runs = |step: &Step| {
        let words = step.command();
        let by_option = words.iter().skip(1).any(|word| !word.quoted && is_listed(CODE_OPTIONS, &word.text));
        is_listed(CODE_RUNNERS, program(words)) && (by_option || !step.input.is_empty())
    };
    shell_words::steps(command).iter().any(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_waits_and_puts_back_mends_nothing() {
        for command in [
            "ls",
            "cd src && grep -rn x .",
            "grep -q 'a|b; c' x # or so",
            "bash -lc 'git status'",
            "sleep 2",
            "kill 4711",
            "git checkout src/a.rs",
            "git stash",
            "git status",
            "sed -n 1,9p a",
            "npx prisma --version",
            "cd a && make -n build",
            "npm ls zod",
            "npm run lint",
            "npm run test:build",
            "bundle list",
            "docker compose ps",
            "docker logs build",
            "kubectl describe pod setup",
            "psql -c 'select 1'",
            "pip show flask",
            "cargo fmt --check",
            "cargo tree",
            "tsc --noEmit",
            "aws s3 ls",
            "systemctl status postgresql",
            "helm list",
            "date",
            "node -v",
            "mkdir -p tmp",
            "set -e; npm ls",
        ] {
            assert!(!may_mend(command, None), "{command}");
        }
        for command in [
            "docker compose -f dev.test.yml up -d db",
            "rm -rf .cache",
            "git submodule update --init",
            "git pull --rebase",
            "sed -i s/a/b/ x",
            "cd a && npm run build",
            "npm install zod && npm ls zod",
            "bin/rails db:migrate",
            "mix ecto.create",
            "go get ./...",
            "psql shop -c 'create table refunds (id int)'",
            "python scripts/gen_mocks.py",
            "npx eslint . --fix",
            "sudo apt-get install -y jq",
        ] {
            assert!(may_mend(command, None), "{command}");
        }
        assert!(!may_mend("npm install left-pad", Some("cd a && cargo test")) && may_mend("docker start db", Some("cargo test")));
    }

    #[test]
    fn a_purpose_is_told_by_words() {
        for (command, expected) in [
            ("npm test -- --run", Some("test")),
            ("npx vitest run", Some("test")),
            ("python -m unittest discover", Some("test")),
            ("bundle exec rspec spec", Some("test")),
            ("cd app && pnpm add zod", Some("install")),
            ("git add -A", None),
            ("git commit -m \"Add q; npm test runs later\"", None),
            ("git commit -F - <<'EOF'\nnpm test\nEOF", None),
            ("bash -lc 'npm test'", Some("test")),
            ("npm run build:all", Some("build")),
            ("cargo test 2>&1 | tail -5", Some("test")),
            ("cat test", None),
            ("", None),
            ("pip install pytest", Some("install")),
            ("npm i -D jest eslint", Some("install")),
            ("go test ./internal/add", Some("test")),
            ("make", None),
            ("make install", None),
            ("cargo check", None),
            ("mvn -q compile", Some("build")),
            ("julia --project -e 'using Pkg; Pkg.add(\"JSON\")'", None),
        ] {
            assert_eq!(purpose(command), expected, "{command}");
        }
    }

    #[test]
    fn the_test_runs_of_many_tools_are_known_as_such_and_mend_nothing() {
        let commands = "pio test -e native; west test; west twister -T tests/kernel; ./scripts/twister -p native_sim; \
                    mix test test/shop/refund_test.exs:12; mix espec; dart test -r compact; flutter test test/refund_test.dart; \
                    swift test --filter ShopTests; xcodebuild -scheme Shop test; dotnet test Shop.sln; gradle :shop:test; \
                    ./gradlew :app:testDebugUnitTest; ./gradlew check; mvn verify; bazel test //shop/...; \
                    ctest --test-dir build --output-on-failure; meson test -C build; bundle exec rspec spec/refund_spec.rb; bin/rails test; \
                    vendor/bin/phpunit tests; ./vendor/bin/pest --filter refund; php artisan test; deno test -A; bun test; npm t; \
                    nox -s tests; tox -e py312; hatch run pytest; just test; task test; make check; cabal test all; stack test; \
                    sbt testQuick; sbt test; lein test; lein midje; \
                    julia test/runtests.jl; R CMD check .; busted spec; prove -l t; gotestsum ./...";
        for command in commands.split(';').map(str::trim).chain(["julia --project -e 'using Pkg; Pkg.test()'"]) {
            assert_eq!((purpose(command), may_mend(command, None)), (Some("test"), false), "{command}");
        }
        for command in ["zig build test --summary all", "ninja -C build test", "Rscript -e 'testthat::test_dir(\"tests\")'"] {
            assert_eq!(purpose(command), Some("test"), "{command}");
        }
    }
}
