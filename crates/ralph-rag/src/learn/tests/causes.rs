//! What a lesson names as the reason why something works.

use super::*;

/// A session in short: `!` before a command that failed, `+` before a file that was changed, else a command that worked.
fn lessons_of(steps: &[&str], error: &str) -> Vec<String> {
    let step = |step: &&str| match (step.strip_prefix('!'), step.strip_prefix('+')) {
        (Some(failed), _) => ran(failed, Some(error)),
        (_, Some(file)) => edited(file),
        _ => ran(step, None),
    };
    told(steps.iter().map(step).collect()).0
}

#[test]
fn words_that_had_failed_are_not_what_mended_it() {
    let error = "error: httpx is missing";
    for (steps, name, mender) in [
        (["!pytest t.py", "!pytest t.py -v", "pip install httpx", "pytest t.py"], "pytest t.py", "`pip install httpx` was run"),
        (
            ["!cargo test -p store", "!RUST_BACKTRACE=1 cargo test -p store", "apt-get install libhttpx", "cargo test -p store"],
            "cargo test -p store",
            "`apt-get install libhttpx` was run",
        ),
        (
            ["!cargo test", "!cargo test -- --nocapture", "+rust-toolchain.toml", "cargo test"],
            "cargo test",
            "rust-toolchain.toml was changed",
        ),
        (["!make", "!make V=1", "apt-get install httpx", "make"], "make", "`apt-get install httpx` was run"),
        (
            ["!docker compose up -d", "!docker compose up", "docker network create httpx", "docker compose up -d"],
            "docker compose up -d",
            "`docker network create httpx` was run",
        ),
        (["!pytest", "!pytest", "+pyproject.toml", "pytest -v"], "pytest", "pyproject.toml was changed"),
        (["!pytest", "!pytest", "+config/defaults.toml", "pytest -q"], "pytest", "config/defaults.toml was changed"),
    ] {
        assert_eq!(lessons_of(&steps, error), [format!("`{name}` failed 2 times ({error}) and passed after {mender}")]);
    }
    for steps in [
        &["!pytest t.py", "!pytest t.py -v", "pytest t.py"][..],
        &["!go test ./...", "!go test ./...", "go test ./... -count=1"],
        &["!PORT=1 npm start", "!npm start", "PORT=1 npm start"],
        &["!apt-get install jq", "!apt-get install jq", "sleep 30; apt-get install jq"],
        &["!pytest", "!pytest", "+conftest.py", "pytest -v"],
        &["+src/a.py", "!pytest", "!pytest", "+src/a.py", "pytest -v"],
    ] {
        assert_eq!(lessons_of(steps, error), [""; 0], "by itself, by its own work or by another check: {steps:?}");
    }
}

#[test]
fn what_was_done_is_told_beside_the_words_that_differ() {
    let error = "error: no required module";
    for (steps, cause) in [
        (
            ["!go test ./...", "!go test ./...", "go get github.com/lib/pq", "go test -race ./..."],
            "`go test -race ./...` after `go get github.com/lib/pq` was run",
        ),
        (["!npm test", "!npm test", "+package.json", "npx vitest run"], "`npx vitest run` after package.json was changed"),
        (["!npm start", "!npm start", "npm ls", "PORT=3001 npm start"], "`PORT=3001 npm start`"),
    ] {
        let failed = &steps[0][1..];
        assert_eq!(lessons_of(&steps, error), [format!("`{failed}` failed 2 times ({error}) and worked as {cause}")]);
    }
}

#[test]
fn what_the_network_or_the_machine_lacked_for_a_while_teaches_nothing() {
    for error in [
        "Error response from daemon: received unexpected HTTP status: 503 Service Unavailable",
        "ERROR: HTTP error 502 while getting https://pypi.org/simple/numpy/",
        "npm error code E503",
        "npm error code E429",
        "go: github.com/x/y@v1: dial tcp: lookup proxy.golang.org on 127.0.0.11:53: no such host",
        "warning: spurious network error (3 tries remaining): [6] Couldn't resolve host name",
        "fatal: unable to access 'https://github.com/x/y/': Could not resolve host: github.com",
        "fatal: unable to access 'https://github.com/x/y/': Failed to connect to github.com port 443 after 130 ms",
        "npm error getaddrinfo ENOTFOUND registry.npmjs.org",
        "('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))",
        "error: failed to write: No space left on device (os error 28)",
        "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (apt)",
        "fatal: Unable to create '/p/.git/index.lock': File exists.",
        "toomanyrequests: You have reached your pull rate limit.",
        "502 Bad Gateway",
        "error NU1301: Unable to load the service index\n  Name or service not known (api.nuget.org:443)",
        "could not connect to registry.terraform.io: failed to request discovery document: context deadline exceeded",
        "kex_exchange_identification: Connection closed by remote host",
        "error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)\nfatal: early EOF",
        "fatal: unable to access 'https://github.com/x/y/': The requested URL returned error: 503",
        "wget: Die Hostadresse »example.com« kann nicht aufgelöst werden.",
        "wget: unable to resolve host address ‘example.com’",
        "django.db.utils.OperationalError: database is locked",
        "Error: Error acquiring the state lock",
        "cc: Fehler: /tmp/cc.o: Auf dem Gerät ist kein Speicherplatz mehr verfügbar",
    ] {
        assert_eq!(lessons_of(&["!make", "!make"], error), [""; 0], "{error}");
        assert_eq!(lessons_of(&["!make", "!make", "+Makefile", "sleep 30; timeout 60 make"], error), [""; 0], "{error}");
    }
    for error in [
        "dial tcp: lookup db: no such host",
        "getaddrinfo ENOTFOUND db",
        "Failed to connect to localhost port 3000: Connection refused",
        "ssh: Could not resolve hostname prod: Name or service not known",
        "psql: could not connect to server: Connection refused",
        "a.py:1:80: E501 line too long",
    ] {
        assert_eq!(lessons_of(&["!make", "!make"], error), [format!("`make` failed 2 times ({error}), and nothing mended it")]);
    }
}

#[test]
fn what_was_refused_or_lacked_the_network_is_not_mended_by_calling_it_otherwise() {
    for (steps, error) in [
        (["!npm install zod", "!npm install zod", "pnpm add zod"], "This command requires approval"),
        (["!npm install zod", "!npm install zod", "pnpm add zod"], "The person said no. Work without it."),
        (["!npm install zod", "!npm install zod", "pnpm add zod"], "Nobody answered in time, so this is not allowed. Work without it."),
        (["!make x", "!make x", "make x -B"], "Claude requested permissions to use Bash, but you haven't granted it yet."),
        (["!make x", "!make x", "make x -B"], "The user has specified a rule which prevents you from using this specific tool call."),
        (["!git push", "!git push", "git push --no-thin"], "PreToolUse:Bash hook error: push is not allowed for agents"),
        (
            ["!pip install numpy", "!pip install numpy", "pip install numpy --no-cache-dir"],
            "ERROR: HTTP error 503 while getting https://x.org/",
        ),
        (["!cargo build", "!cargo build", "cargo build --jobs 2"], "spurious network error: Connection reset by peer"),
        (["!git push", "!git push", "git push -u origin main"], "fatal: Could not resolve host: github.com"),
    ] {
        assert_eq!(lessons_of(&steps, error), [""; 0], "{steps:?}: {error}");
    }
    for (steps, error) in [
        (["!cargo test", "!cargo test", "cargo test -- --test-threads=1"], "test result: FAILED. database is locked"),
        (
            ["!helm upgrade shop .", "!helm upgrade shop .", "helm upgrade shop . --timeout 15m"],
            "Error: UPGRADE FAILED: context deadline exceeded",
        ),
        (["!git push", "!git push", "git push --no-thin"], "git@github.com: Permission denied (publickey)."),
        (["!make x", "!make x", "make x -B"], "husky - pre-commit hook exited with code 1 (error)"),
    ] {
        let (failed, worked) = (&steps[0][1..], steps[2]);
        assert_eq!(lessons_of(&steps, error), [format!("`{failed}` failed 2 times ({error}) and worked as `{worked}`")]);
    }
}

#[test]
fn a_task_that_was_not_there_is_not_told_as_never_mended_once_it_was_named_otherwise() {
    for (steps, error) in [
        (["!just test", "!just test unit", "just tests"], "error: Justfile does not contain recipe `test`.\nDid you mean `tests`?"),
        (["!make test", "!make test", "make check"], "make: *** Keine Regel, um „test“ zu erstellen.  Schluss."),
        (["!npm run tset", "!npm run tset", "npm run build"], "npm error Missing script: \"tset\""),
    ] {
        assert_eq!(lessons_of(&steps, error), [""; 0], "{steps:?}");
    }
    for (steps, error) in [
        (["!make proto", "!make proto", "make lint"], "error: protoc is missing"),
        (["!npm run test:e2e", "!npm run test:e2e", "npm run test:unit"], "error: no browser"),
        (["!make test", "!make test", "make -n check"], "error: No rule to make target 'test'."),
        (["!git push origin main", "!git push origin main", "git commit -m x"], "error: 'origin' is not a repository"),
    ] {
        let failed = &steps[0][1..];
        assert_eq!(lessons_of(&steps, error), [format!("`{failed}` failed 2 times ({error}), and nothing mended it")]);
    }
}

#[test]
fn a_mistake_in_code_that_stands_in_a_command_is_no_failure_to_tell() {
    let wrong = "AttributeError: module 'foo' has no attribute 'bar'";
    for command in ["python3 -c \"import foo; foo.bar()\"", "cd a && python3 - <<'EOF'\nimport foo; foo.bar()\nEOF", "node -e 'foo.bar()'"]
    {
        let failed = format!("!{command}");
        assert_eq!(lessons_of(&[&failed, &failed], wrong), [""; 0], "{command}");
        assert_eq!(lessons_of(&[&failed, &failed], "error: AccessDenied").len(), 1, "{command}");
    }
    let of_a_file = lessons_of(&["!python3 gen.py", "!python3 gen.py"], wrong);
    assert_eq!(of_a_file, [format!("`python3 gen.py` failed 2 times ({wrong}), and nothing mended it")]);
}

#[test]
fn what_nobody_knows_silences_a_file_that_was_changed_beside_it() {
    let error = "error: it is not there";
    let failed = ["!npm run dev", "!npm run dev"];
    let lessons = |between: &[&str]| lessons_of(&[&failed, between, &["npm run dev"]].concat(), error);
    let passed = |after: &str| [format!("`npm run dev` failed 2 times ({error}) and passed after {after}")];
    for command in [
        "kill $(lsof -ti:3000)",
        "mkdir -p logs",
        "git config pull.rebase true",
        "kubectl config use-context prod",
        "sleep 20",
        "git checkout main",
        "node scripts/x.js",
        "cat a.json b.json > c.json",
    ] {
        assert_eq!(lessons(&["+README.md", command]), [""; 0], "{command}");
        let beside = lessons(&["+package.json", command, "npm install"]);
        assert_eq!(beside, passed(&format!("package.json was changed and `npm install`, `{command}` were run")), "{command}");
    }
    for command in
        ["git add -A && git commit -m x", "npm run lint", "npx prettier . --check", "cat a | sort > /tmp/a", "cargo build", "cd . && date"]
    {
        assert_eq!(lessons(&["+package.json", command]), passed("package.json was changed"), "{command}");
    }
}

#[test]
fn what_a_command_writes_is_a_changed_file() {
    let error = "error: STRIPE_KEY is not set";
    for (command, file) in [
        ("echo STRIPE_KEY=x >> .env", ".env"),
        ("cat > web/a.config.js <<'EOF'\nx\nEOF", "web/a.config.js"),
        ("echo x | tee -a .env", ".env"),
    ] {
        let lessons = lessons_of(&["!npm start", "!npm start", command, "npm start"], error);
        assert_eq!(lessons, [format!("`npm start` failed 2 times ({error}) and passed after {file} was changed")], "{command}");
        assert_eq!(lessons_of(&[command, "!npm start", "!npm start", command, "npm start"], error), [""; 0], "its own work");
    }
}

#[test]
fn a_change_that_was_put_back_mended_nothing() {
    let error = "error: zod is missing";
    let failed = ["!npm test", "!npm test"];
    let lessons = |before: &[&str], between: &[&str]| lessons_of(&[before, &failed, between, &["npm test"]].concat(), error);
    let by_install = [format!("`npm test` failed 2 times ({error}) and passed after `npm install` was run")];
    for put_back in ["git checkout tsconfig.json", "git restore ./tsconfig.json", "git checkout HEAD -- tsconfig.json"] {
        assert_eq!(lessons(&[], &["+tsconfig.json", put_back, "npm install"]), by_install, "{put_back}");
        assert_eq!(lessons(&[], &["+tsconfig.json", put_back]), [""; 0], "{put_back}");
    }
    assert_eq!(lessons(&["+src/x.ts"], &["git checkout src/x.ts", "+src/y.ts"]), [""; 0], "what was broken before is whole again");
    let again = lessons(&[], &["+a.json", "git checkout a.json", "+a.json"]);
    assert_eq!(again, [format!("`npm test` failed 2 times ({error}) and passed after a.json was changed")]);
}

#[test]
fn another_folder_is_no_mending() {
    let error = "error: core is missing";
    for steps in [
        &["!cd api && npm test", "!npm test", "cd ../web", "+web/vite.config.ts", "npm test"][..],
        &["!npm test", "!npm test", "cd web && npm install", "npm test"],
        &["!npm test", "!npm test", "cd \"$ROOT\"", "+a.json", "npm test"],
    ] {
        assert_eq!(lessons_of(steps, error), [""; 0], "{steps:?}");
    }
    for (steps, name) in [
        (["!npm test", "!npm test", "(cd web && npm install)", "npm test"], "npm test"),
        (["!npm test", "!npm test", "cd web && npm install && cd ..", "npm test"], "npm test"),
        (["!cd api && npm test", "!cd api && npm test", "cd /p/api && npm install", "npm test"], "cd api && npm test"),
    ] {
        let lessons = lessons_of(&steps, error);
        assert!(lessons.len() == 1 && lessons[0].contains("npm install") && lessons[0].starts_with(&format!("`{name}`")), "{lessons:?}");
    }
}

#[test]
fn a_start_in_the_background_is_not_known_to_have_worked() {
    let failed = || ran("npm run dev", Some("error: vite is missing"));
    for argument in ["run_in_background", "is_background"] {
        let arguments = json!({ "command": "npm run dev", argument: true });
        let started = Operation { arguments, ..call("Bash", None) };
        assert_eq!(told(vec![failed(), failed(), edited("package.json"), started]).0, [""; 0]);
    }
}

#[test]
fn a_run_without_tests_has_not_mended_them() {
    let failed = || ran("cargo test checksum", Some("error: crc16 overflows"));
    let idle = Operation { idle: true, ..ran("cargo test checksum", None) };
    let story = |worked: Operation| told(vec![failed(), failed(), edited("src/crc.rs"), worked]).0;
    assert_eq!(story(idle.clone()), [""; 0], "nor is it said that nothing mended them");
    assert_eq!(story(ran("cargo test checksum", None)).len(), 1);
    // What mended them is what was done until they passed.
    let later = told(vec![failed(), failed(), idle, edited("src/crc.rs"), ran("cargo test checksum", None)]).0;
    assert!(later.len() == 1 && later[0].contains("src/crc.rs"), "{later:?}");
}

#[test]
fn errors_that_differ_are_progress_whatever_else_is_printed() {
    let compiled = "   Compiling libc v0.2\n   Compiling serde v1.0\n   Compiling tokio v1.3\n   Compiling pay v0.1";
    let of_cargo = |error: &str, file: &str| {
        format!("{compiled}\nerror{error}\n --> {file}:3:5\nerror: could not compile `pay` (bin \"pay\") due to 1 previous error")
    };
    let passed = "PASS src/a.test.ts\nPASS src/errors.test.ts";
    let of_jest = |file: &str| format!("{passed}\nFAIL {file}\nTest Suites: 1 failed, 2 passed, 3 total\nRan all test suites.");
    for (command, first, second) in [
        (
            "cargo build",
            of_cargo("[E0425]: cannot find value `total`", "src/cart.rs"),
            of_cargo("[E0308]: mismatched types", "src/refund.rs"),
        ),
        ("npx jest", of_jest("src/cart.test.ts"), of_jest("src/refund.test.ts")),
    ] {
        let story = |one: &str, other: &str| {
            told(vec![ran(command, Some(one)), ran(command, Some(other)), edited("config.toml"), ran(command, None)]).0
        };
        assert_eq!(story(&first, &second), [""; 0], "{command}");
        assert_eq!(story(&first, &first).len(), 1, "{command}");
    }
    let zod = Some("Error: Cannot find module 'zod'");
    let steps = vec![ran("npm test", Some("SyntaxError: Unexpected token")), ran("npm test", zod), ran("npm test", zod)];
    let lessons = told([steps, vec![ran("npm install", None), ran("npm test", None)]].concat()).0;
    assert_eq!(lessons, ["`npm test` failed 2 times (Error: Cannot find module 'zod') and passed after `npm install` was run"]);
}

#[test]
fn what_fails_as_before_refutes_what_seemed_to_mend_it() {
    let detections = |steps: &[&str], again: &str| {
        let mut tracker = Tracker::default();
        let failed = |command: &str| ran(command, Some("Error: no tz data"));
        let story = [failed("npm test"), failed("npm test"), edited("config/tz.json"), ran("npm test", None)];
        let later = steps.iter().map(|command| ran(command, Some(again)));
        let found: Vec<Detection> = story.into_iter().chain(later).filter_map(|operation| tracker.track_operation(operation)).collect();
        found
    };
    let found = detections(&["npm test", "npm test"], "Error: no tz data");
    let [mended, refuted] = &found[..] else { panic!("{found:?}") };
    assert_eq!((refuted.refuted(), lesson_of(refuted)), (mended.operations.last(), None));
    for (steps, again) in
        [(["npm test -- -i"], "Error: no tz data"), (["npm test"], "Error: cannot find 'x'"), (["npm run e2e"], "Error: no tz data")]
    {
        assert_eq!(detections(&steps, again).len(), 1, "{steps:?}: {again}");
    }
}

#[test]
fn what_worked_through_another_program_is_told_so() {
    let error = "error: memory exhausted";
    let lessons = lessons_of(&["!vendor/bin/phpunit", "!vendor/bin/phpunit", "php -d memory_limit=1G vendor/bin/phpunit"], error);
    assert_eq!(
        lessons,
        [format!("`vendor/bin/phpunit` failed 2 times ({error}) and worked as `php -d memory_limit=1G vendor/bin/phpunit`")]
    );
    for (failed, worked) in [
        ("!docker pull postgres:99", "docker pull postgres:16"),
        ("!pytest", "pytest -p no:xdist"),
        ("!git commit -m a", "git commit -m b"),
    ] {
        assert_eq!(lessons_of(&[failed, failed, worked], error), [""; 0], "{worked}");
    }
    let otherwise = lessons_of(&["!cmake -G Ninja -B build", "!cmake -G Ninja -B build", "cmake -B build"], error);
    assert_eq!(otherwise, [format!("`cmake -G Ninja -B build` failed 2 times ({error}) and worked as `cmake -B build`")]);
}

#[test]
fn a_lesson_rests_on_the_files_that_it_names_as_its_cause() {
    let files = ["src/cart.py".to_owned(), "config/tz.json".to_owned()];
    for (cause, expected) in [
        ("and passed after config/tz.json was changed", true),
        ("and passed after lib/a.py, lib/b.py, lib/c.py and 2 more were changed", true),
        ("and worked as `npm test -- -i` after config/tz.json was changed", true),
        ("and passed after `pip install httpx` was run", false),
        ("and passed after tz.json.lock was changed", false),
        ("and worked as `pytest -q`", false),
    ] {
        assert_eq!(rests_on(&format!("`pytest` failed 2 times (src/cart.py: no x) {cause}"), &files), Some(expected), "{cause}");
    }
    assert_eq!(rests_on("`pytest` failed 2 times (no x), and nothing mended it", &files), Some(false));
    assert_eq!(rests_on("'Refund' was done. Changed: src/cart.py", &files), None);
    assert_eq!(rests_on("Refunds are counted in the provider's time zone", &files), None);
}

#[test]
fn what_nothing_had_mended_is_over_once_it_works() {
    let failure = "`make proto` failed 2 times (error 127: protoc is missing), and nothing mended it";
    let mended = |text: &str| format!("`make proto` failed {text} and passed after `apt-get install protobuf-compiler` was run");
    assert!(is_answered(failure, &mended("3 times (error 127: protoc is missing)")));
    assert!(is_answered("up failed 2 times (x), and nothing mended it", "up failed once (x) and worked with a = 1 instead of 2"));
    for other in
        [&mended("3 times (error: no rule)"), failure, "`make` failed 2 times (error 127: protoc is missing) and worked as `make -B`"]
    {
        assert!(!is_answered(failure, other), "{other}");
    }
    for worked in ["make proto", "cd . && make proto 2>&1", "make proto -B"] {
        assert!(works_again(failure, worked), "{worked}");
    }
    for worked in ["make", "make lint", "make -i proto", "make -C api test", "npm test"] {
        assert!(!works_again(failure, worked), "{worked}");
    }
    assert!(!works_again(&mended("2 times (x)"), "make proto"));
    let long = format!("`make {}` failed 2 times (x), and nothing mended it", "a".repeat(135));
    assert!(!works_again(&long, &format!("make {}", "a".repeat(135))), "only its beginning is known");
    let mut tracker = Tracker::default();
    for operation in [ran("make", None), ran("ls", None), ran("make x; true", None), ran("npm test", Some("x")), ran("make", None)] {
        tracker.track_operation(operation);
    }
    assert_eq!(tracker.worked().collect::<Vec<_>>(), ["make"]);
}
