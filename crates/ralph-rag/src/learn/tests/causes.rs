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
        (["!git push origin main", "!git push origin main", "git commit -m x"], "error: 'origin' is no repository"),
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
