//! What an agent may touch: its shell children call `ralph` and git in every way that occurs to them, and a person sees that reported.

use journeys::{LIMIT, alive, feature, iterations, learn, learnings, list, play, refused, scripted, start, status_of, task, text};
use ralph_testkit::{Sandbox, wait_until};
use serde_json::{Value, json};

/// A project with a task of a person to work on, another one, and a learning of the person.
fn project() -> (Sandbox, u64, u64, String) {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let (own, other) =
        (task(&sandbox, "pay", "Refund", &["--priority", "high", "--criterion", "sums match"]), task(&sandbox, "pay", "Ledger", &[]));
    let lesson = text(&learn(&sandbox, "pay", "Refunds use the provider's clock", &[])["id"]);
    sandbox.commit("project");
    (sandbox, own, other, lesson)
}

/// `ralph --json` as a shell in the project writes it.
fn ralph(sandbox: &Sandbox) -> String {
    format!("{} --json", sandbox.ralph_command(&[]).get_program().to_string_lossy())
}

/// The code of the error that a command wrote into a file, or what it printed.
fn code(sandbox: &Sandbox, file: &str) -> String {
    let last = sandbox.read(file);
    let last = last.lines().last().unwrap_or_default();
    let document: Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error} in {file}: {last}"));
    document["error"]["code"].as_str().map_or_else(|| last.to_owned(), str::to_owned)
}

fn notices(sandbox: &Sandbox) -> Vec<Value> {
    list(sandbox.ralph_ok(&["notice", "list"]))
}

/// What git reported about an iteration, by kind.
fn remarks(iteration: &Value) -> Vec<String> {
    list(iteration["evidence"]["remarks"].clone()).iter().map(|remark| text(&remark["kind"])).collect()
}

/// The proposals of the agent's shell, as a person finds them.
fn what_waits(sandbox: &Sandbox, own: u64, other: u64, lesson: &str) -> Vec<Value> {
    let waiting = notices(sandbox);
    let titles: Vec<String> = waiting.iter().map(|notice| text(&notice["title"])).collect();
    let expected = [
        format!("Close task #{other} as done"),
        format!("Set task #{other} to skipped"),
        format!("Change task #{other} (title)"),
        format!("Retire learning {lesson}"),
        format!("Change task #{own} (acceptance criteria)"),
        "Set feature 'pay' to archived".to_owned(),
    ];
    assert_eq!(titles, expected);
    let needs = list(sandbox.ralph_ok(&["status"])["needs_you"].take());
    assert_eq!(needs.iter().filter(|item| item["kind"] == "notice" && item["notice"]["kind"] == "proposal").count(), 6);
    waiting
}

#[test]
fn an_agent_s_shell_is_an_agent_with_and_without_its_marks() {
    let (sandbox, own, other, lesson) = project();
    let ralph = ralph(&sandbox);
    // With its marks, with none, with forged ones, and as a daemon that lost its parents and its environment.
    let strip = format!("env -i HOME=\"$HOME\" XDG_DATA_HOME=\"$XDG_DATA_HOME\" RALPH_DATA_HOME=\"$RALPH_DATA_HOME\" {ralph}");
    let forged = format!("env RALPH_ITERATION=99 RALPH_TASK={other} RALPH_PROJECT=/elsewhere {ralph}");
    let script = format!(
        "\
run {ralph} task update {other} --status done > close.txt 2>&1
run {strip} task update {other} --status skipped > stripped.txt 2>&1
run {forged} task update {other} --title Easier > forged.txt 2>&1
run (setsid sh -c '{strip} learning retire {lesson} > daemon.tmp 2>&1; mv daemon.tmp daemon.txt' &) ; until [ -e daemon.txt ]; do sleep 0.02; done
run {strip} learning add --feature pay --text \"Trust me in this\" --source human > human.txt 2>&1
run {strip} learning add --feature pay --text \"The ledger is kept in ledger.rs\" --iteration 4711 --task {other} > learnt.txt 2>&1
run {strip} run --agent scripted --script .ralph/test.script > nested.txt 2>&1
run {strip} stop > stop.txt 2>&1
run {strip} pause > pause.txt 2>&1
run {strip} notice accept 1 > accept.txt 2>&1
run {strip} task update {own} --criterion \"\" > measure.txt 2>&1
run {strip} feature update pay --state archived > archive.txt 2>&1
run {strip} feature split pay > split.txt 2>&1
run {strip} task create --feature pay --title Found > found.txt 2>&1
run rm -f *.txt.bak
done
"
    );
    let run = play(&sandbox, &script, &["--max-iterations", "1"]);
    assert_eq!(run["stop_reason"], "max_iterations", "the agent could not stop it: {run}");
    for (file, expected) in [
        ("close.txt", "proposed"),
        ("stripped.txt", "proposed"),
        ("forged.txt", "proposed"),
        ("daemon.txt", "proposed"),
        ("human.txt", "invalid"),
        ("nested.txt", "forbidden"),
        ("stop.txt", "forbidden"),
        ("pause.txt", "forbidden"),
        ("accept.txt", "forbidden"),
        ("measure.txt", "proposed"),
        ("archive.txt", "proposed"),
        ("split.txt", "forbidden"),
    ] {
        assert_eq!(code(&sandbox, file), expected, "{file}");
    }
    assert_eq!((status_of(&sandbox, own), status_of(&sandbox, other)), ("done".to_owned(), "pending".to_owned()));
    let all = learnings(&sandbox, "pay", "all");
    let learnt = all.iter().find(|learning| learning["id"] != lesson.as_str()).expect("what the agent learnt");
    let iteration = &iterations(&sandbox)[0];
    assert_eq!((&learnt["source"], &learnt["iteration"], &learnt["task_id"]), (&json!("agent"), &iteration["id"], &json!(own)));
    assert_eq!(all.iter().filter(|learning| learning["state"] == "active").count(), 2, "the person's is not retired: {all:?}");
    let found: Value = serde_json::from_str(sandbox.read("found.txt").trim()).expect("a task");
    assert_eq!((&found["provenance"], &found["status"]), (&json!("agent"), &json!("pending")));

    let waiting = what_waits(&sandbox, own, other, &lesson);

    // A person decides: the first is done, the second dismissed.
    let accepted = sandbox.ralph_ok(&["notice", "accept", &waiting[0]["id"].to_string()]);
    assert_eq!((&accepted["accepted"], status_of(&sandbox, other)), (&json!(true), "done".to_owned()));
    sandbox.ralph_ok(&["notice", "dismiss", &waiting[1]["id"].to_string()]);
    assert_eq!(status_of(&sandbox, other), "done");
    refused(&sandbox.ralph(&["notice", "accept", &waiting[1]["id"].to_string()]), "invalid");
}

#[test]
fn a_daemon_that_drops_its_marks_and_its_parents_ends_with_its_agent() {
    let (sandbox, ..) = project();
    let script = "\
run (setsid env -i sh -c 'echo $$ > daemon; exec tail -f /dev/null' > /dev/null 2>&1 &) ; until [ -s daemon ]; do sleep 0.02; done
done
";
    play(&sandbox, script, &["--max-iterations", "1"]);
    let daemon: u32 = sandbox.read("daemon").trim().parse().expect("a process id");
    assert!(!alive(daemon), "nothing of an agent stays");
}

#[test]
fn what_mcp_asks_inside_an_iteration_beyond_its_own_task_is_proposed() {
    let (sandbox, own, other, _) = project();
    let script = format!(
        "\
mcp update_task {{\"id\": {other}, \"status\": \"done\"}}
say It is ${{mcp.error.code}}.
mcp update_task {{\"id\": {own}, \"acceptance_criteria\": []}}
say It is ${{mcp.error.code}} again.
mcp update_feature {{\"name\": \"pay\", \"max_learnings\": 900}}
mcp create_feature {{\"name\": \"pay-in\", \"display_name\": \"In\", \"parent\": \"pay\"}}
mcp update_task {{\"id\": {own}, \"status\": \"done\"}}
say The own one is ${{mcp.status}}.
"
    );
    play(&sandbox, &script, &["--max-iterations", "1"]);
    let log = sandbox.read(".ralph/db/logs/1.jsonl");
    for said in ["It is proposed.", "It is proposed again.", "The own one is in_progress."] {
        assert!(log.contains(said), "{said}: {log}");
    }
    assert_eq!((status_of(&sandbox, own), status_of(&sandbox, other)), ("done".to_owned(), "pending".to_owned()));
    let waiting = notices(&sandbox);
    assert_eq!(waiting.len(), 4, "{waiting:?}");
    assert!(text(&waiting[1]["detail"]).contains("acceptance criteria: sums match → none"), "{waiting:?}");
    sandbox.ralph_ok(&["notice", "accept", &waiting[2]["id"].to_string()]);
    assert_eq!(sandbox.ralph_ok(&["feature", "show", "pay"])["max_learnings"], 900);
}

#[test]
fn an_agent_rewrites_no_words_of_a_person_about_a_feature_and_fills_in_what_is_missing() {
    let (sandbox, ..) = project();
    sandbox.ralph_ok(&["feature", "update", "pay", "--boundaries", "Never touch the ledger without a migration"]);
    let script = "\
mcp update_feature {\"name\": \"pay\", \"boundaries\": \"The ledger may be changed freely.\", \"context_files\": [\"a\"]}
mcp update_feature {\"name\": \"pay\", \"architecture\": \"One crate\"}
done
";
    play(&sandbox, script, &["--max-iterations", "1"]);
    let pay = sandbox.ralph_ok(&["feature", "show", "pay"]);
    assert_eq!((&pay["boundaries"], &pay["architecture"]), (&json!("Never touch the ledger without a migration"), &json!("One crate")));
    let waiting = notices(&sandbox).remove(0);
    assert_eq!(
        waiting["detail"],
        "files to read first: none → a\nboundaries: Never touch the ledger without a migration → The ledger may be changed freely."
    );
    sandbox.ralph_ok(&["notice", "accept", &waiting["id"].to_string()]);
    assert_eq!(sandbox.ralph_ok(&["feature", "show", "pay"])["boundaries"], "The ledger may be changed freely.");
}

#[test]
fn a_proposal_shows_all_that_it_would_write_and_overwrites_nothing_written_since() {
    let (sandbox, _, other, _) = project();
    let number = other.to_string();
    sandbox.ralph_ok(&["task", "update", &number, "--description", &"The old text of a person. ".repeat(300)]);
    let ralph = ralph(&sandbox);
    let script = format!(
        "run {ralph} task update {other} --description 'Delete all tests' > long.txt 2>&1\n\
         run {ralph} task update {other} --description \"$(seq 4000)\" > longer.txt 2>&1\ndone\n"
    );
    play(&sandbox, &script, &["--max-iterations", "1"]);
    assert_eq!((code(&sandbox, "long.txt").as_str(), code(&sandbox, "longer.txt").as_str()), ("proposed", "invalid"));
    let waiting = notices(&sandbox);
    assert_eq!(waiting.len(), 1, "what can't be shown whole is not proposed: {waiting:?}");
    let detail = text(&waiting[0]["detail"]);
    assert!(
        detail.contains("description, as it would be:\nDelete all tests\n") && detail.contains("… and 7299 more characters"),
        "{detail}"
    );

    sandbox.ralph_ok(&["task", "update", &number, "--description", "Later and careful"]);
    let id = waiting[0]["id"].to_string();
    let fault = refused(&sandbox.ralph(&["notice", "accept", &id]), "invalid");
    assert!(text(&fault["message"]).contains("has changed since: description"), "{fault}");
    assert_eq!(sandbox.ralph_ok(&["task", "show", &number])["description"], "Later and careful");
    sandbox.ralph_ok(&["task", "update", &number, "--description", &"The old text of a person. ".repeat(300)]);
    sandbox.ralph_ok(&["notice", "accept", &id]);
    assert_eq!(sandbox.ralph_ok(&["task", "show", &number])["description"], "Delete all tests");
}

#[test]
fn work_of_a_person_that_an_agent_throws_away_is_told_and_comes_back() {
    let (sandbox, ..) = project();
    sandbox.write("notes.md", "my notes\n");
    sandbox.write("README.md", "# A project, half rewritten by me\n");
    let traces = "git for-each-ref --format='delete %(refname)' refs/ralph | git update-ref --stdin";
    let begin = format!("run rm notes.md; git checkout -q -- README.md; {traces}\nedit theirs.txt <<EOF\ntheirs\nEOF\ndone\n");
    play(&sandbox, &begin, &["--max-iterations", "1"]);
    let row = iterations(&sandbox).remove(0);
    assert_eq!(remarks(&row), ["work_gone"], "{row}");
    let id = row["id"].to_string();
    assert_eq!(row["evidence"]["snapshot"], id.as_str());
    let notice = notices(&sandbox).remove(0);
    assert_eq!((&notice["kind"], &notice["iteration"]), (&json!("git_harm"), &row["id"]));
    assert!(text(&notice["detail"]).contains(&format!("ralph snapshot restore {id}")), "{notice}");
    assert_eq!(list(sandbox.ralph_ok(&["status"])["needs_you"].take())[0]["notice"]["id"], notice["id"]);

    // Meanwhile the person began anew: that is kept before the old text comes back.
    sandbox.write("README.md", "# Begun anew\n");
    let view = sandbox.ralph_ok(&["snapshot", "show", &id]);
    let files = json!([{ "path": "README.md", "effect": "replaced" }, { "path": "notes.md", "effect": "comes_back" }]);
    assert_eq!((&view["files"], &view["info"]["iteration"]["before"]), (&files, &json!(true)), "told before anything is done: {view}");
    let one = sandbox.ralph_ok(&["snapshot", "restore", &id, "--path", "notes.md"]);
    assert_eq!((&one["written"], sandbox.read("README.md").as_str()), (&json!(["notes.md"]), "# Begun anew\n"));
    let all = sandbox.ralph_ok(&["snapshot", "restore", &id]);
    assert_eq!(
        (sandbox.read("notes.md").as_str(), sandbox.read("README.md").as_str(), &all["written"]),
        ("my notes\n", "# A project, half rewritten by me\n", &json!(["README.md"]))
    );
    let kept = text(&all["kept_first"]);
    sandbox.ralph_ok(&["snapshot", "restore", &kept, "--path", "README.md"]);
    assert_eq!(sandbox.read("README.md"), "# Begun anew\n");
    assert!(list(sandbox.ralph_ok(&["snapshot", "list"])).iter().any(|snapshot| snapshot["name"] == id.as_str()));
    refused(&sandbox.ralph(&["snapshot", "show", "4711"]), "not_found");
    refused(&sandbox.ralph(&["snapshot", "restore", "4711"]), "not_found");
    refused(&sandbox.ralph(&["snapshot", "restore", &id, "--path", "../elsewhere"]), "invalid");
    refused(&sandbox.ralph(&["snapshot", "restore", &id, "--path", "nothing"]), "invalid");
}

#[test]
fn a_repository_that_an_agent_takes_away_is_put_before_a_person() {
    for act in ["rm -rf .git", "rm -rf .git; git init -q", "echo junk > .git/HEAD"] {
        let (sandbox, ..) = project();
        let run = play(&sandbox, &format!("run {act}\ndone\n"), &["--max-iterations", "1"]);
        assert_eq!((remarks(&iterations(&sandbox)[0]), &run["result"]), (vec!["unreadable".to_owned()], &json!("needs_you")), "{act}");
        assert_eq!(notices(&sandbox)[0]["kind"], "git_harm", "{act}");
    }
}

#[test]
fn beside_a_repository_that_git_refuses_nobody_works_and_everybody_is_told_why() {
    let (sandbox, ..) = project();
    sandbox.write("mine.txt", "mine\n");
    sandbox.git(&["config", "core.bare", "true"]);
    for place in ["--in-place", "--worktrees"] {
        let error = refused(&sandbox.ralph(&scripted(&sandbox, "run rm mine.txt\ndone\n", &[place])), "git");
        assert!(text(&error["message"]).contains("must be run in a work tree") && text(&error["hint"]).contains("core.bare"), "{error}");
    }
    assert_eq!((iterations(&sandbox).len(), sandbox.read("mine.txt").as_str()), (0, "mine\n"));
    let error = refused(&sandbox.ralph(&["snapshot", "list"]), "git");
    assert!(text(&error["message"]).contains("git refuses"), "{error}");
    let doctor = sandbox.ralph(&["doctor"]).json();
    let check = list(doctor["checks"].clone()).into_iter().find(|check| check["name"] == "project").expect("the project is looked at");
    assert!(check["status"] == "error" && text(&check["detail"]).contains("git refuses"), "{check}");
}

#[test]
fn what_the_loop_itself_left_is_no_person_s_work() {
    let (sandbox, ..) = project();
    play(&sandbox, "edit half.txt <<EOF\nhalf\nEOF\nfailed\n", &["--max-iterations", "1"]);
    play(&sandbox, "run rm half.txt\nfailed\n", &["--max-iterations", "1"]);
    assert_eq!(remarks(&iterations(&sandbox)[1]), Vec::<String>::new(), "an agent may begin anew");
    assert_eq!(notices(&sandbox), Vec::<Value>::new());
}

#[test]
fn git_is_told_truly_and_harm_is_put_before_a_person() {
    for (name, work, told, harms) in [
        ("branch", "git checkout -q -b fix", vec!["branch_switched"], false),
        ("stash", "echo theirs > theirs.txt; git stash -q -u", vec!["stashed"], false),
        ("reset", "git reset -q --hard HEAD~1", vec!["history_moved"], true),
        ("amend", "git commit -q --amend -m other", vec!["history_moved"], true),
        ("push", "git push -q origin main", vec!["pushed"], false),
        (
            "force",
            "git reset -q --soft HEAD~2; git commit -q -m squashed; git push -q --force origin main",
            vec!["history_moved", "pushed"],
            true,
        ),
        ("merge", "git merge -q side", vec!["unfinished", "left_in_conflict"], true),
        ("person's stash", "git stash drop -q", vec!["stash_dropped"], true),
        (
            "secret",
            "printf 'password = \"hunter2-%s-xK9qLm2\"\\ntoken = \"ghp_%s\"\\n' abc a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2 > key.toml; git add key.toml; git commit -q -m key",
            vec!["secret_committed"],
            true,
        ),
    ] {
        let (sandbox, ..) = project();
        sandbox.git(&["init", "-q", "--bare", "--initial-branch=main", "../origin.git"]);
        sandbox.git(&["remote", "add", "origin", "../origin.git"]);
        sandbox.git(&["push", "-q", "origin", "main"]);
        sandbox.git(&["checkout", "-q", "-b", "side"]);
        sandbox.write("README.md", "# Theirs\n");
        sandbox.commit("side");
        sandbox.git(&["checkout", "-q", "main"]);
        sandbox.write("README.md", "# Mine\n");
        sandbox.commit("mine");
        if name == "person's stash" {
            sandbox.write("README.md", "# Put aside\n");
            sandbox.git(&["stash", "-q"]);
        }
        play(&sandbox, &format!("run {work}\nsay tried\ndone\n"), &["--max-iterations", "1"]);
        let row = iterations(&sandbox).remove(0);
        assert_eq!(remarks(&row), told, "{name}: {}", row["evidence"]);
        let waiting = notices(&sandbox);
        assert_eq!(waiting.len(), usize::from(harms), "{name}: {waiting:?}");
        assert!(waiting.iter().all(|notice| notice["kind"] == "git_harm" && notice["iteration"] == row["id"]), "{name}: {waiting:?}");
        assert!(!waiting.iter().any(|notice| notice.to_string().contains("a1B2a1B2")), "the secret itself is not told");
    }
}

#[test]
fn a_check_gets_tool_chains_and_what_the_person_passes_on_and_no_secret() {
    let (mut sandbox, ..) = project();
    sandbox.write(".ralph/config.toml", "check = 'env > environment'\npass_env = [\"DATABASE_URL\"]\n");
    sandbox.trust();
    for (name, value) in [("DATABASE_URL", "x"), ("JAVA_HOME", "/jdk"), ("GIT_TOKEN", "t"), ("OTHER", "y")] {
        sandbox.set(name, value);
    }
    play(&sandbox, "done\n", &["--max-iterations", "1"]);
    let environment = sandbox.read("environment");
    let has = |name: &str| environment.lines().any(|line| line.starts_with(&format!("{name}=")));
    assert_eq!(["DATABASE_URL", "JAVA_HOME", "GIT_TOKEN", "OTHER"].map(has), [true, true, false, false], "{environment}");
    // The doctor says what would be missing, before a run fails over it.
    sandbox.write(".ralph/config.toml", "check = 'test -n \"$OTHER$DATABASE_URL\"'\npass_env = [\"DATABASE_URL\"]\n");
    sandbox.trust();
    let doctor = sandbox.ralph_ok(&["doctor"]);
    let check = list(doctor["checks"].clone()).into_iter().find(|check| check["name"] == "check").expect("the check is looked at");
    assert_eq!((&check["status"], &check["detail"]), (&json!("warning"), &json!("set for you, but not passed on: OTHER")));
    let error = {
        sandbox.write(".ralph/config.toml", "pass_env = [\"RALPH_ITERATION\"]\n");
        refused(&sandbox.ralph(&scripted(&sandbox, "done\n", &[])), "config")
    };
    assert!(text(&error["message"]).contains("pass_env"), "{error}");
}

#[test]
fn outside_of_runs_the_person_s_own_commands_are_the_person_s_also_while_a_run_is_at_work() {
    let (sandbox, _, other, lesson) = project();
    let run = start(&sandbox, "run touch began; until [ -e go ]; do sleep 0.02; done\ndone\n", &["--max-iterations", "1"]);
    wait_until("the agent works", LIMIT, || sandbox.project().join("began").exists().then_some(()));
    sandbox.ralph_ok(&["task", "update", &other.to_string(), "--status", "done"]);
    sandbox.ralph_ok(&["learning", "retire", &lesson]);
    sandbox.write("go", "");
    assert_eq!(run.wait(LIMIT).json()["stop_reason"], "max_iterations");
    assert_eq!(notices(&sandbox), Vec::<Value>::new());
}

#[test]
fn a_proposal_of_what_is_so_by_now_waits_for_nobody() {
    let (sandbox, _, other, _) = project();
    let script = format!(
        "\
[iteration 1]
run {} task update {other} --status done > close.txt 2>&1 || true
done

[*]
done
",
        ralph(&sandbox)
    );
    let run = play(&sandbox, &script, &[]);
    assert_eq!((code(&sandbox, "close.txt").as_str(), status_of(&sandbox, other)), ("proposed", "done".to_owned()));
    assert_eq!((&run["result"], notices(&sandbox)), (&json!("done"), Vec::new()), "{run}");
}

#[test]
fn a_proposal_whose_change_a_person_makes_another_way_waits_for_nobody() {
    let (sandbox, _, other, _) = project();
    let other = other.to_string();
    sandbox.ralph_ok(&["task", "update", &other, "--status", "blocked"]);
    play(&sandbox, &format!("run {} task update {other} --status pending > back.txt 2>&1 || true\ndone\n", ralph(&sandbox)), &[]);
    assert_eq!((code(&sandbox, "back.txt").as_str(), notices(&sandbox).len()), ("proposed", 1));
    sandbox.ralph_ok(&["task", "put-back", &other]);
    assert_eq!(notices(&sandbox), Vec::<Value>::new());
}
