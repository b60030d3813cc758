//! What belongs to the story of a failure, and what mends it.

use super::*;

#[test]
fn what_only_tells_of_a_program_mends_nothing() {
    let error = Some("error: no database");
    for (failed, told_of) in [
        ("./npx prisma migrate dev", "./npx prisma --version"),
        ("gh pr create", "gh pr --help"),
        ("gh pr create", "gh pr"),
        ("pytest tests/a.py", "pytest --version"),
        ("make test", "make -n test"),
        ("kubectl apply -f a.yaml", "kubectl apply --dry-run=client -f a.yaml"),
    ] {
        let (lessons, _) = told(vec![ran(failed, error), ran(failed, error), ran(told_of, None)]);
        assert!(lessons.iter().all(|lesson| lesson.ends_with("nothing mended it")), "{failed}: {lessons:?}");
        let between = told(vec![ran(failed, error), ran(told_of, None), ran(failed, error), edited("src/a.rs"), ran(failed, None)]).0;
        assert_eq!(between, [format!("`{failed}` failed 2 times (error: no database) and passed after src/a.rs was changed")]);
    }
}

#[test]
fn a_change_of_the_check_itself_mends_nothing() {
    let error = Some("error: no total");
    let mended = |command: &str, files: &[&str]| {
        let failed = [ran(command, error), ran(command, error)].into_iter();
        told(failed.chain(files.iter().map(|file| edited(file))).chain([ran(command, None)]).collect()).0
    };
    for (command, file) in [
        ("./check.sh", "check.sh"),
        ("sh scripts/verify.sh", "/home/dev/board/scripts/verify.sh"),
        ("pytest -q", "tests/test_pay.py"),
        ("npm test", "src/pay.spec.ts"),
        ("go test ./...", "pay/refund_test.go"),
        ("mvn test", "src/main/PayTest.java"),
        ("pytest checks/pay.py", "checks/pay.py"),
    ] {
        assert_eq!(mended(command, &[file]), [""; 0], "{command}");
        let both = mended(command, &[file, "src/a.rs"]);
        let told = format!(
            "`{command}` failed 2 times (error: no total) and passed after src/a.rs was changed and {file} was changed, which it checks by"
        );
        assert_eq!(both, [told], "{command}");
    }
    for (command, file) in
        [("python app.py", "app.py"), ("make", "tests/a.py"), ("npm test", "src/latest.ts"), ("sh check.sh", "src/check.ts")]
    {
        assert_eq!(mended(command, &[file]).len(), 1, "{command}: {file}");
    }
}

#[test]
fn what_a_command_reads_from_is_told_as_what_was_different() {
    let error = Some("error: no total");
    let read = |from: &str| format!("sh check.sh < {from}");
    let mended =
        |failed: &str, worked: &str| told(vec![ran(failed, error), ran(failed, error), edited("unrelated.toml"), ran(worked, None)]).0;
    let by_input = mended(&read("old.txt"), &read("new.txt"));
    assert_eq!(by_input, ["`sh check.sh < old.txt` failed 2 times (error: no total) and worked as `sh check.sh < new.txt`"]);
    let by_output = mended("sh gen.sh > /sys/a", "sh gen.sh > a");
    assert_eq!(by_output, ["`sh gen.sh > /sys/a` failed 2 times (error: no total) and worked as `sh gen.sh > a`"]);
    let as_before = mended("sh check.sh", "sh check.sh > log 2>&1");
    assert_eq!(as_before, ["`sh check.sh` failed 2 times (error: no total) and passed after unrelated.toml was changed"]);
}

#[test]
fn what_changed_something_is_told_whatever_looked_after_it() {
    let error = Some("Error: Cannot find module 'zod'");
    let between = |steps: &[&str]| {
        let between = steps.iter().map(|step| ran(step, None));
        told([ran("npm test", error), ran("npm test", error)].into_iter().chain(between).chain([ran("npm test", None)]).collect()).0
    };
    let after = |ran: &str| [format!("`npm test` failed 2 times (Error: Cannot find module 'zod') and passed after {ran} run")];
    assert_eq!(between(&["npm install zod", "npm ls zod", "npm run lint", "docker ps"]), after("`npm install zod` was"));
    let several = ["docker compose up -d db", "npm install", "docker compose ps", "npm install"];
    assert_eq!(between(&several), after("`npm install`, `docker compose up -d db` were"));
    assert_eq!(between(&["docker compose up -d db", "npm install zod"]), after("`npm install zod` was"), "the error names it");
    assert_eq!(between(&["npm ls zod", "cargo build", "pip list"]), [""; 0], "it passed by itself");
}

#[test]
fn what_was_installed_for_another_language_mends_only_what_needs_it() {
    let (unresolved, missing) = (Some("error[E0432]: unresolved import `pay`"), Some("Error: Cannot find module 'left-pad'"));
    let failed = [("cargo test", unresolved), ("cargo test", unresolved), ("npm run e2e", missing), ("npm run e2e", missing)];
    let mended = [edited("Cargo.toml"), ran("npm install left-pad", None), ran("cargo test", None), ran("npm run e2e", None)];
    let lessons = told(failed.map(|(command, error)| ran(command, error)).into_iter().chain(mended).collect()).0;
    let of_cargo = "`cargo test` failed 2 times (error[E0432]: unresolved import `pay`) and passed after Cargo.toml was changed";
    let [cargo, npm] = &lessons[..] else { panic!("{lessons:?}") };
    assert_eq!(cargo, of_cargo);
    assert!(npm.starts_with("`npm run e2e` failed 2 times") && npm.ends_with("`npm install left-pad` was run"), "{npm}");
}

#[test]
fn a_story_is_made_of_failures_with_one_thing() {
    let refused = Some("priority: \"urgent\" is not accepted");
    let of_another = updates(&[
        (json!({"id": 1, "priority": "urgent"}), refused),
        (json!({"id": 2, "priority": "urgent"}), Some("a person decides on this task")),
        (json!({"id": 1, "priority": "high"}), None),
    ]);
    assert_eq!(of_another, [""; 0], "once of each");
    let lessons = updates(&[
        (json!({"task_id": 1, "priority": "urgent"}), refused),
        (json!({"task_id": 1, "priority": "urgent"}), refused),
        (json!({"task_id": 2, "priority": "urgent"}), Some("a person decides on this task")),
        (json!({"task_id": 1, "priority": "high"}), None),
    ]);
    assert_eq!(
        lessons,
        ["update_task failed 2 times (priority: \"urgent\" is not accepted) and worked with priority = \"high\" instead of \"urgent\""]
    );
    // A value that is refused of whatever thing is one mistake; what is done with another thing meanwhile is no answer to it.
    let done = |id: u32, status: &str| json!({ "id": id, "status": status });
    let unknown = Some("status: \"finished\" is not accepted");
    let lessons = updates(&[(done(1, "finished"), unknown), (done(2, "finished"), unknown), (done(3, "done"), None)]);
    assert_eq!(
        lessons,
        ["update_task failed 2 times (status: \"finished\" is not accepted) and worked with status = \"done\" instead of \"finished\""]
    );
    let other = json!({"id": 3, "priority": "low"});
    assert_eq!(updates(&[(done(1, "finished"), unknown), (done(2, "finished"), unknown), (other, None)]), [""; 0]);
    // The difference is what was missing.
    let missing = Some("task_id: is missing");
    let lessons = updates(&[(json!({}), missing), (json!({}), missing), (json!({"task_id": 1}), None)]);
    assert_eq!(lessons, ["update_task failed 2 times (task_id: is missing) and worked with task_id = 1"]);
    // An argument of another name, and ids that name nothing, are mended by the right ones.
    for (wrong, error, right, told) in [
        (json!({"id": 1, "state": "done"}), "state: is not known", json!({"id": 1, "status": "done"}), "status instead of state"),
        (json!({"id": 999}), "there is no task '999'", json!({"id": 1}), "id = 1 instead of 999"),
        (json!({"id": "one"}), "id: \"one\" is not accepted", json!({"id": 1}), "id = 1 instead of \"one\""),
    ] {
        let lessons = updates(&[(wrong.clone(), Some(error)), (wrong, Some(error)), (right, None)]);
        assert_eq!(lessons, [format!("update_task failed 2 times ({error}) and worked with {told}")]);
    }
    // Whatever else is wrong with one, another is other work; so is one that fails as well.
    let closed = Some("task 1 is closed");
    assert_eq!(updates(&[(json!({"id": 1}), closed), (json!({"id": 1}), closed), (json!({"id": 2}), None)]), [""; 0]);
    assert_eq!(updates(&[(json!({"id": 7}), Some("there is no task '7'")), (json!({"id": 8}), Some("there is no task '8'"))]), [""; 0]);
    // An agent that reports its calls in a line names no arguments.
    let untold = |line: &str, error| Operation { arguments: Operation::untold(&[], line), ..call("update_task", error) };
    let told_in_full = Operation { arguments: json!({"id": 1, "priority": "high"}), ..call("update_task", None) };
    assert_eq!(told(vec![untold("a", refused), untold("b", refused), told_in_full]).0, [""; 0]);
}

#[test]
fn a_way_round_a_check_is_no_mending() {
    let error = Some("error: eslint found 2 problems");
    let rounds = [
        ("git commit -m x", "git commit --no-verify -m x"),
        ("git commit -m x", "git add -A && git commit -anm x"),
        ("git commit -m x", "SKIP=eslint git commit -m x"),
        ("git commit -m x", "git -c core.hooksPath=/dev/null commit -m x"),
        ("git push origin main", "git push --force-with-lease origin main"),
        ("git push origin main", "git push -f origin main"),
        ("git push origin main", "git push origin +main"),
        ("git clone https://git.corp/x", "git -c http.sslVerify=false clone https://git.corp/x"),
        ("mvn install", "mvn install -DskipTests"),
        ("./gradlew build", "./gradlew build -x test"),
        ("pytest tests", "pytest tests --deselect=tests/a.py::test_refund"),
        ("pytest tests", "pytest tests -k 'not refund'"),
        ("npm test", "npm test -- --testPathIgnorePatterns refund"),
        ("npx vitest run", "npx vitest run -u"),
        ("npm test", "pytest --ignore tests/refund.py"),
        ("npm install -g pnpm", "sudo npm install -g pnpm"),
        ("./deploy.sh", "chmod 777 deploy.sh && ./deploy.sh"),
        ("npm run migrate", "dropdb shop && createdb shop && npm run migrate"),
        ("dnf install jq", "dnf install --nogpgcheck jq"),
        ("zypper install jq", "zypper --no-gpg-checks install jq"),
        ("apt-get install jq", "apt-get install --allow-unauthenticated jq"),
        ("podman pull reg.corp/x", "podman pull --tls-verify=false reg.corp/x"),
        ("ssh deploy@prod ./x", "ssh -o StrictHostKeyChecking=no deploy@prod ./x"),
        ("helm upgrade shop .", "helm upgrade shop . --no-hooks"),
        ("python manage.py migrate", "python manage.py migrate --fake"),
        ("npm publish", "npm publish --otp=482913"),
        ("latexmk -pdf thesis.tex", "latexmk -pdf -f thesis.tex"),
        ("jupyter nbconvert --execute a.ipynb", "jupyter nbconvert --execute --allow-errors a.ipynb"),
    ];
    for (failed, worked) in rounds {
        let lessons = told(vec![ran(failed, error), ran(failed, error), ran(worked, None)]).0;
        assert!(lessons.iter().all(|lesson| lesson.ends_with("nothing mended it")), "{worked}: {lessons:?}");
    }
    let between =
        ["rm -rf tests", "chmod 777 deploy.sh", "dropdb shop && createdb shop", "psql -c 'DROP TABLE refunds'", "git reset --hard"];
    for way in between.into_iter().chain(["npm config set strict-ssl false"]) {
        let steps = vec![ran("npm test", error), ran("npm test", error), ran(way, None), edited("check.sh"), ran("npm test", None)];
        assert_eq!(told(steps).0, [""; 0], "{way}");
    }
}

#[test]
fn what_only_resembles_a_way_round_mends() {
    let error = Some("error: no upstream");
    for (failed, worked) in [
        ("git push", "git push -u origin refunds"),
        ("git commit -m x", "git commit -s -m 'use --no-verify never; drop table x'"),
        ("cargo test --no-verify", "cargo test --no-verify --features sqlite"),
        ("cargo test", "cargo test -- --ignored"),
        ("sudo make install", "sudo make -B install"),
        ("npm ci", "rm -rf node_modules && npm ci"),
        ("make", "CFLAGS='-O2 -Wall' make"),
        ("go build", "LDFLAGS=-w go build"),
        ("bash build.sh", "bash -x build.sh"),
        ("gcc a.c", "gcc -fno-strict-aliasing a.c"),
        ("ssh prod ./x", "ssh -o StrictHostKeyChecking=accept-new prod ./x"),
    ] {
        let lessons = told(vec![ran(failed, error), ran(failed, error), ran(worked, None)]).0;
        assert!(lessons.len() == 1 && lessons[0].ends_with(&format!("worked as `{worked}`")), "{worked}: {lessons:?}");
    }
    for mender in ["sudo apt-get install -y jq", "rm -rf .cache node_modules/.vite", "rm -f .git/index.lock", "docker compose down"] {
        let lessons = told(vec![ran("make", error), ran("make", error), ran(mender, None), ran("make", None)]).0;
        assert_eq!(lessons, [format!("`make` failed 2 times (error: no upstream) and passed after `{mender}` was run")]);
    }
}

#[test]
fn what_works_about_another_thing_mends_nothing() {
    let error = Some("error: 3 tests failed in refund.test.js");
    for (failed, worked) in [
        ("cargo test -p pay", "cargo test -p search"),
        ("cd api && npm test", "cd web && npm test"),
        ("docker build -f api/Dockerfile .", "docker build -f web/Dockerfile ."),
        ("psql -c \"select * from refund\"", "psql -c \"select 1\""),
    ] {
        let lessons = told(vec![ran(failed, error), ran(failed, error), ran(worked, None)]).0;
        assert!(lessons.iter().all(|lesson| lesson.ends_with("nothing mended it")), "{worked}: {lessons:?}");
        let steps = vec![ran(failed, error), ran(failed, error), ran(worked, None), edited("src/a.rs"), ran(failed, None)];
        assert_eq!(
            told(steps).0,
            [format!("`{failed}` failed 2 times (error: 3 tests failed in refund.test.js) and passed after src/a.rs was changed")]
        );
    }
}

#[test]
fn another_operand_or_another_purpose_is_no_mending() {
    let error = Some("error: 3 tests failed");
    for (failed, worked) in [
        ("cd api && npm test", "cd web && npx vitest run"),
        ("kubectl apply -f app.yaml", "kubectl get pods"),
        ("helm upgrade shop .", "kubectl get pods"),
        ("terraform apply", "terraform fmt"),
        ("npm run build", "npm run build:docs"),
        ("pip install torch", "pip install numpy"),
        ("pip install torch", "uv add numpy"),
        ("mvn test", "npm test"),
        ("pytest tests/a.py", "pytest tests/b.py"),
        ("pytest tests/a.py", "python -m pytest tests/b.py"),
        ("sqlite3 shop.db 'select a'", "sqlite3 shop.db 'select 1'"),
        ("ssh prod uptime", "ssh -V"),
    ] {
        let lessons = told(vec![ran(failed, error), ran(failed, error), ran(worked, None)]).0;
        assert!(lessons.iter().all(|lesson| lesson.ends_with("nothing mended it")), "{worked}: {lessons:?}");
    }
    for (failed, worked) in [
        ("pytest tests/a.py", "python -m pytest tests/a.py"),
        ("npm install zod", "pnpm add zod"),
        ("python -m unittest", "python -m pytest"),
        ("go test ./...", "go test -mod=mod ./..."),
    ] {
        let lessons = told(vec![ran(failed, error), ran(failed, error), ran(worked, None)]).0;
        assert_eq!(lessons, [format!("`{failed}` failed 2 times (error: 3 tests failed) and worked as `{worked}`")]);
    }
}

#[test]
fn what_does_less_or_minds_less_is_no_mending() {
    let error = Some("error: 3 tests failed in a.test.js");
    for (failed, worked) in [
        ("pytest tests", "pytest tests --collect-only"),
        ("cargo test", "cargo test --no-run"),
        ("cargo test", "cargo test -- --list"),
        ("make check", "make -i check"),
        ("ruff check .", "ruff check . --exit-zero"),
        ("docker compose up", "docker compose up --no-start"),
        ("npx tsc", "npx tsc --noCheck"),
        ("npx jest", "npx jest --passWithNoTests"),
        ("cargo clippy -- -D warnings", "cargo clippy"),
        ("mvn verify", "mvn verify -fn"),
        ("mvn verify", "mvn verify --fail-never"),
        ("dotnet build", "dotnet build -p:TreatWarningsAsErrors=false"),
        ("dotnet build", "dotnet build /p:NoWarn=CS1591"),
        ("cargo build", "RUSTFLAGS=\"-A warnings\" cargo build"),
        ("RUSTFLAGS='-D warnings' cargo build", "cargo build"),
        ("make", "CFLAGS=-Wno-error make"),
        ("make", "CFLAGS='-O2 -w' make"),
        ("black --check .", "black ."),
        ("cargo fmt -- --check", "cargo fmt"),
        ("bash -e build.sh", "bash build.sh"),
        ("psql -v ON_ERROR_STOP=1 shop -f a.sql", "psql shop -f a.sql"),
        ("pylint --fail-under=9 src", "pylint src"),
    ] {
        let lessons = told(vec![ran(failed, error), ran(failed, error), ran(worked, None)]).0;
        assert!(lessons.iter().all(|lesson| lesson.ends_with("nothing mended it")), "{worked}: {lessons:?}");
    }
    let without_the_test = vec![ran("npm test", error), ran("npm test", error), ran("rm a.test.js", None), ran("npm test", None)];
    assert_eq!(told(without_the_test).0, [""; 0]);
}

#[test]
fn long_commands_are_told_where_they_differ() {
    let error = Some("error: boom");
    let mended = |failed: &str, worked: &str| told(vec![ran(failed, error), ran(failed, error), ran(worked, None)]).0;
    let long = format!("docker run {} web", "--label a=b ".repeat(15).trim());
    let lessons = mended(&format!("{long} --dns 1.1.1.1"), &format!("{long} --dns 8.8.8.8"));
    let [lesson] = &lessons[..] else { panic!("{lessons:?}") };
    assert!(lesson.contains("web --dns 1.1.1.1` failed") && lesson.ends_with("web --dns 8.8.8.8`"), "{lesson}");
    assert!(lesson.starts_with("`…"), "what is left out is told: {lesson}");
    let word = "a".repeat(150);
    assert_eq!(mended(&format!("docker run -e A={word}x web"), &format!("docker run -e A={word}y web")), [""; 0]);
}

#[test]
fn a_tool_that_was_asked_for_something_else_was_not_mended() {
    let asked = |tool: &str, calls: &[Value], error: &str| {
        let last = calls.len() - 1;
        let call_of =
            |(at, arguments): (usize, &Value)| Operation { arguments: arguments.clone(), ..call(tool, (at < last).then_some(error)) };
        told(calls.iter().enumerate().map(call_of).collect()).0
    };
    let sql = |text: &str| json!({ "sql": text });
    let queries = [sql("select total from refunds"), sql("select sum from refunds"), sql("select 1")];
    assert_eq!(asked("mcp__pg__query", &queries, "column does not exist"), [""; 0]);
    let click = |element: &str, at: &str| json!({ "element": element, "ref": at });
    let clicks = [click("Save", "e12"), click("Save", "e13"), click("Home", "e2")];
    assert_eq!(asked("mcp__playwright__browser_click", &clicks, "not found"), [""; 0]);
    let table = |name: &str, limit: u32| json!({ "table": name, "limit": limit });
    assert_eq!(
        asked("mcp__pg__rows", &[table("user", 5), table("user", 5), table("users", 9)], "no such relation"),
        [""; 0],
        "which of the two?"
    );
    let lesson = "mcp__pg__rows failed 2 times (no such relation) and worked with table = \"users\" instead of \"user\"";
    assert_eq!(asked("mcp__pg__rows", &[table("user", 5), table("user", 5), table("users", 5)], "no such relation"), [lesson]);
    let fact = |subject: &str, line: Option<u32>| match line {
        Some(line) => json!({ "subject": subject, "file": "a.ini", "line": line }),
        None => json!({ "subject": subject, "file": "a.ini" }),
    };
    let another = [fact("port", Some(900)), fact("port", Some(900)), fact("host", None)];
    assert_eq!(asked("add_fact", &another, "line: a.ini has 3 lines"), [""; 0], "about another subject");
    let rows = |line: bool, limit: u32| if line { json!({ "line": 900, "limit": limit }) } else { json!({ "limit": limit }) };
    assert_eq!(asked("rows", &[rows(true, 5), rows(true, 5), rows(false, 9)], "line: there are 3 lines"), [""; 0], "not it alone");
    let without = asked("rows", &[rows(true, 5), rows(true, 5), rows(false, 5)], "line: there are 3 lines");
    assert_eq!(without, ["rows failed 2 times (line: there are 3 lines) and worked with no line"]);
    let by_its_error = asked("mcp__pg__rows", &[table("user", 5), table("user", 5), table("users", 9)], "limit: 5 is too small");
    assert_eq!(by_its_error, ["mcp__pg__rows failed 2 times (limit: 5 is too small) and worked with limit = 9 instead of 5"]);
}
