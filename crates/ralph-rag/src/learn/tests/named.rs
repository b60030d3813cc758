//! What an error says about how to mend it.

use super::*;

/// The lessons of a session: commands with their errors, and files behind a `+`.
fn lessons_in(steps: &[(&str, Option<&str>)]) -> Vec<String> {
    let step = |(said, error): &(&str, Option<&str>)| match said.strip_prefix('+') {
        Some(file) => edited(file),
        None => ran(said, *error),
    };
    told(steps.iter().map(step).collect()).0
}

#[test]
fn an_option_that_was_guessed_twice_is_told_with_the_one_that_is_there() {
    for (first, second, error, worked) in [
        ("shop-cli --colour x", "shop-cli --colour=yes x", "shop-cli: unrecognized option '--colour=yes'", "shop-cli --tint x"),
        (
            "cargo nextest run --all-feature",
            "cargo nextest run --every-feature",
            "error: unexpected argument '--every-feature' found",
            "cargo nextest run --all-features",
        ),
        ("shop -quit", "shop -quite", "flag provided but not defined: -quite", "shop -quiet"),
    ] {
        let first_error = error.replace(
            second.split_whitespace().find(|word| word.starts_with('-')).unwrap(),
            first.split_whitespace().find(|word| word.starts_with('-')).unwrap(),
        );
        let told = lessons_in(&[(first, Some(&first_error)), (second, Some(error)), (worked, None)]);
        assert_eq!(told, [format!("`{second}` failed once ({error}) and worked as `{worked}`")]);
    }
    // Guessed once is no pattern, and an error that changes otherwise is progress.
    let once = [("shop -quite", Some("flag provided but not defined: -quite")), ("shop -quiet", None)];
    assert_eq!(lessons_in(&once), [""; 0]);
    let progress = [("shop -a", Some("flag provided but not defined: -a")), ("shop -b", Some("error: no rows")), ("shop -c", None)];
    assert_eq!(lessons_in(&progress), [""; 0]);
}

#[test]
fn another_version_of_an_interpreter_is_told_as_what_worked() {
    let error = "ModuleNotFoundError: No module named 'distutils'";
    for (failed, worked) in [("python3.12 -m pytest", "python3.11 -m pytest"), ("php8.1 artisan test", "php8.3 artisan test")] {
        let steps = [(failed, Some(error)), (failed, Some(error)), (worked, None)];
        assert_eq!(lessons_in(&steps), [format!("`{failed}` failed 2 times ({error}) and worked as `{worked}`")]);
    }
    let others = [("gcc-12 a.c", Some("error: x")), ("gcc-12 a.c", Some("error: x")), ("tcc a.c", None)];
    assert_eq!(lessons_in(&others), ["`gcc-12 a.c` failed 2 times (error: x), and nothing mended it"]);
}

#[test]
fn a_version_that_is_not_there_and_a_script_that_may_not_run_are_told_at_once() {
    for (failed, error, worked) in [
        ("npm install pad@9.9.9", "npm error notarget No matching version found for pad@9.9.9.", "npm install pad@1.3.0"),
        ("npm install @a/pad@9.9.9", "npm error notarget No matching version found for @a/pad@9.9.9.", "npm install @a/pad"),
        ("pip install numpy==1", "ERROR: No matching distribution found for numpy==1", "pip install numpy==2"),
        ("cargo add serde@9", "error: `serde` could not be found in registry index with version 9", "cargo add serde"),
        ("go get github.com/lib/pq@v9", "go: invalid version: unknown revision v9", "go get github.com/lib/pq@v1.10.9"),
        ("composer require a/b:^9", "Could not find package a/b with version ^9", "composer require a/b:^3"),
        ("./gradlew build", "bash: ./gradlew: Permission denied", "sh gradlew build"),
        ("python a.py", "bash: python: Kommando nicht gefunden.", "python3 a.py"),
        ("python a.py", "bash: python : commande introuvable", "python3 a.py"),
    ] {
        let lesson = format!("`{failed}` failed once ({error}) and worked as `{worked}`");
        assert_eq!(lessons_in(&[(failed, Some(error)), (worked, None)]), [lesson]);
    }
    for (failed, error, worked) in [
        ("npm install pad@9.9.9", "npm error notarget No matching version found for pad@9.9.9.", "npm install dap@1.3.0"),
        ("npm install @a/pad@9.9.9", "npm error notarget No matching version found for @a/pad@9.9.9.", "npm install @a/dap@1"),
        ("npm install pad@9.9.9", "npm error peer pad@9.9.9 conflicts", "npm install pad@1.3.0"),
        ("./gradlew build", "error: a test fails", "sh gradlew build"),
    ] {
        assert_eq!(lessons_in(&[(failed, Some(error)), (worked, None)]), [""; 0], "{worked}");
    }
}

#[test]
fn what_the_error_names_is_told_without_what_was_done_beside_it() {
    let lessons = |error: &str, between: &[&str]| {
        let failed = ("npm test", Some(error));
        let between = between.iter().map(|step| (*step, None));
        lessons_in(&[failed, failed].into_iter().chain(between).chain([("npm test", None)]).collect::<Vec<_>>())
    };
    for (error, beside, mender) in [
        ("Error: Cannot find module 'zod'", "+src/cart.ts", "npm install zod"),
        ("Error: ENOENT: no such file or directory, open 'logs/a.log'", "+CHANGELOG.md", "mkdir -p logs"),
        ("Error: the client is not generated. Please run `npx prisma generate`.", "+src/cart.ts", "npx prisma generate"),
        ("Error: connect ETIMEDOUT db:5432", "cd .", "docker compose up -d db"),
    ] {
        let lesson = format!("`npm test` failed 2 times ({error}) and passed after `{mender}` was run");
        assert_eq!(lessons(error, &[beside, mender]), [lesson]);
    }
    assert_eq!(lessons("Error: STRIPE_KEY is not set", &["+docs/notes.md"]), [""; 0], "nobody runs what people read");
    assert_eq!(lessons("docs/notes.md:3 MD013 Line length", &["+docs/notes.md"]).len(), 1);
    assert_eq!(lessons("Error: connect ETIMEDOUT registry.npmjs.org:443", &["docker compose up -d db"]), [""; 0]);
}

#[test]
fn own_work_that_is_not_finished_is_not_told_as_never_mended() {
    for (file, command, error) in [
        ("+tests/test_tax.py", "pytest tests/test_tax.py", "E       assert 19 == 7"),
        ("+shop/tax.py", "pytest", "E       assert 19 == 7\n1 failed"),
        ("+shop/tax.py", "pytest", "E   ModuleNotFoundError: No module named 'shop.tax'"),
        ("+src/cart.ts", "npx tsc --noEmit", "src/cart.ts(3,1): error TS2322: Type 'string' is not assignable"),
        ("+src/lib.rs", "cargo build", "error[E0425]: cannot find value `x`\n --> src/lib.rs:3:5\n  |  not found in this scope"),
    ] {
        let failed = (command, Some(error));
        assert_eq!(lessons_in(&[(file, None), failed, failed]), [""; 0], "{error}");
        assert_eq!(lessons_in(&[failed, failed]).len(), 1, "it is not its own: {error}");
    }
    for (file, command, error) in [
        ("+tests/test_tax.py", "pytest tests/test_tax.py", "tests/test_tax.py:1\nE   ModuleNotFoundError: No module named 'httpx'"),
        ("+src/lib.rs", "cargo build", "error: failed to run custom build command for `openssl-sys`: openssl not found\n src/lib.rs"),
        ("+src/a.ts", "npm run deploy", "error: src/a.ts has no bucket"),
        ("+README.md", "pytest", "E       assert 19 == 7"),
    ] {
        let failed = (command, Some(error));
        assert_eq!(lessons_in(&[(file, None), failed, failed]).len(), 1, "{error}");
    }
}
