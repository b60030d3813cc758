//! Automatic learning: what tool calls lead to, through the real `ralph mcp` and through runs, and nothing where a person turned it off.
//! Length: one way of playing sessions serves all cases.

use journeys::{LIMIT, McpClient, assert_sound, feature, list, play, status_of, task, text};
use ralph_testkit::{Sandbox, wait_until};
use serde_json::{Value, json};

fn project(mode: Option<&str>) -> Sandbox {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Refund", &[]);
    let config = sandbox.read(".ralph/config.toml");
    let set = match mode {
        Some(mode) => config.replace("mode = \"moderate\"", &format!("mode = \"{mode}\"")),
        None => config[..config.find("[automatic_learning]").expect("a new project learns")].to_owned(),
    };
    sandbox.write(".ralph/config.toml", &set);
    sandbox
}

fn episodes(sandbox: &Sandbox) -> Vec<Value> {
    list(sandbox.ralph_ok(&["episodes"]))
}

fn lessons(sandbox: &Sandbox) -> Vec<String> {
    episodes(sandbox).iter().map(|episode| text(&episode["lesson"])).collect()
}

/// A session that fails twice and then mends it.
fn mended(sandbox: &Sandbox) {
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp"]));
    let update = |status: &str| json!({"id": 1, "status": status});
    for _ in 0..2 {
        client.call("update_task", &update("finished")).expect_err("no such status");
    }
    client.call("update_task", &update("blocked")).expect("a status");
    client.close();
}

const MENDED: &str =
    "update_task failed 2 times (status: \"finished\" is not accepted) and worked with status = \"blocked\" instead of \"finished\"";

#[test]
fn a_call_that_failed_twice_and_was_mended_is_one_episode_when_the_server_ended() {
    let sandbox = project(Some("moderate"));
    mended(&sandbox);
    let told = episodes(&sandbox);
    assert_eq!(told.len(), 1, "{told:?}");
    let episode = &told[0];
    assert_eq!(text(&episode["lesson"]), MENDED);
    assert_eq!(
        (&episode["lesson_type"], &episode["source"], &episode["state"], &episode["confidence"]),
        (&json!("mistake"), &json!("auto"), &json!("active"), &json!(0.85)),
        "{episode}"
    );
    mended(&sandbox);
    assert_eq!(episodes(&sandbox).len(), 1, "it is known");
    let status = sandbox.ralph_ok(&["learn", "status"]);
    assert_eq!((&status["enabled"], &status["mode"], &status["operations"]), (&json!(true), &json!("moderate"), &json!(6)), "{status}");
    assert_eq!((&status["episodes_created"], &status["known"], &status["waiting"]), (&json!(1), &json!(1), &json!(0)), "{status}");
    // What a person put away stays away.
    sandbox.ralph_ok(&["episode", "retire", &text(&episode["id"])]);
    mended(&sandbox);
    assert_eq!(episodes(&sandbox), Vec::<Value>::new());
    assert_eq!(sandbox.ralph_ok(&["learn", "status"])["refused"]["put_away"], 1);
    assert_sound(&sandbox);
}

#[test]
fn two_refused_calls_about_one_task_are_mended_whatever_each_was_refused_for() {
    for (refused, lesson) in [
        (json!({"id": 1, "status": "completed"}), Some("worked with status = \"blocked\" instead of \"completed\"")),
        // What another task was refused for says nothing about this one.
        (json!({"id": 99, "status": "blocked"}), None),
    ] {
        let sandbox = project(Some("moderate"));
        let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp"]));
        client.call("update_task", &json!({"id": 1, "status": "finished"})).expect_err("no such status");
        client.call("update_task", &refused).expect_err("refused again");
        client.call("update_task", &json!({"id": 1, "status": "blocked"})).expect("a status");
        client.close();
        let told = lessons(&sandbox);
        assert!(
            told.len() == usize::from(lesson.is_some()) && told.iter().all(|told| told.ends_with(lesson.unwrap_or_default())),
            "{told:?}"
        );
    }
}

#[test]
fn a_session_that_a_signal_ends_leaves_its_lessons() {
    for (signal, code) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        let sandbox = project(Some("moderate"));
        let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp"]));
        for status in ["finished", "completed"] {
            client.call("update_task", &json!({"id": 1, "status": status})).expect_err("no such status");
        }
        client.call("update_task", &json!({"id": 1, "status": "blocked"})).expect("a status");
        assert_eq!(client.end_by(signal), code);
        assert_eq!(lessons(&sandbox).len(), 1, "{signal}: {:?}", lessons(&sandbox));
    }
}

#[test]
fn a_call_says_itself_whether_it_is_learnt_from() {
    for (mode, auto_learn, expected) in [(None, true, 1), (Some("minimal"), true, 1), (Some("moderate"), false, 0)] {
        let sandbox = project(mode);
        let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp", "--profile", "full"]));
        for _ in 0..2 {
            client.call("add_fact", &json!({"subject": "port", "auto_learn": auto_learn})).expect_err("no value");
        }
        client.call("add_fact", &json!({"subject": "port", "value": "8080", "auto_learn": auto_learn})).expect("a fact");
        client.close();
        assert_eq!(lessons(&sandbox).len(), expected, "{mode:?} {:?}", lessons(&sandbox));
    }
    // Every tool takes it, in the smaller profile too.
    for (mode, auto_learn, expected) in [(None, true, 1), (Some("moderate"), false, 0)] {
        let sandbox = project(mode);
        let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp"]));
        for status in ["finished", "completed"] {
            client.call("update_task", &json!({"id": 1, "status": status, "auto_learn": auto_learn})).expect_err("no status");
        }
        client.call("update_task", &json!({"id": 1, "status": "done", "auto_learn": auto_learn})).expect("done");
        let fault = client.call("get_task", &json!({"id": 1, "auto_learn": "perhaps"})).expect_err("neither true nor false");
        assert!(fault.to_string().contains("auto_learn"), "{fault}");
        client.close();
        assert_eq!(lessons(&sandbox).len(), expected, "{mode:?} {:?}", lessons(&sandbox));
    }
    // What worked through a call that is not to be learnt from is not reported as never mended.
    let sandbox = project(Some("moderate"));
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp", "--profile", "full"]));
    for _ in 0..2 {
        client.call("add_fact", &json!({"subject": "port"})).expect_err("no value");
    }
    client.call("add_fact", &json!({"subject": "port", "value": "8080", "auto_learn": false})).expect("a fact");
    client.close();
    assert_eq!(lessons(&sandbox), Vec::<String>::new());
}

#[test]
fn numbers_of_the_detectors_are_settings_with_ranges() {
    let sandbox = project(Some("moderate"));
    let config = sandbox.read(".ralph/config.toml");
    sandbox
        .write(".ralph/config.toml", &config.replace("min_episode_confidence = 0.6", "pattern_failures = 3\nmin_episode_confidence = 0.6"));
    mended(&sandbox);
    assert_eq!(lessons(&sandbox), Vec::<String>::new(), "two failures are too few here");
    for (wrong, told) in
        [("pattern_failures = 1", "pattern_failures: 1 is not between 2 and 100"), ("worked_confidence = 2", "worked_confidence")]
    {
        sandbox.write(".ralph/config.toml", &config.replace("min_episode_confidence = 0.6", wrong));
        let error = sandbox.ralph_err(&["learn", "status"]);
        assert!(text(&error["message"]).contains(told), "{error}");
    }
}

#[test]
fn what_another_iteration_learns_again_is_surer_and_not_told_twice() {
    let sandbox = project(Some("moderate"));
    task(&sandbox, "pay", "Payout", &[]);
    sandbox.write("check.sh", "test -f built\n");
    sandbox.commit("a project");
    let script = "run sh check.sh\nrun sh check.sh\nedit built <<EOF\nyes\nEOF\nrun sh check.sh\ncommit Built\ndone\n";
    play(&sandbox, script, &["--max-iterations", "1"]);
    let mistake = || episodes(&sandbox).into_iter().filter(|episode| episode["lesson_type"] == "mistake").collect::<Vec<_>>();
    assert_eq!((mistake()[0]["confidence"].as_f64(), mistake()[0].get("seen")), (Some(0.85), None));
    sandbox.git(&["rm", "-q", "built"]);
    sandbox.commit("gone again");
    play(&sandbox, script, &["--max-iterations", "1"]);
    let told = mistake();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!((told[0]["confidence"].as_f64().unwrap_or_default() - 0.88).abs() < 1e-9, "{told:?}");
    assert_eq!(told[0]["seen"].as_array().map(Vec::len), Some(1), "{told:?}");
    assert_sound(&sandbox);
}

#[test]
fn what_seemed_mended_and_fails_in_the_check_is_not_told() {
    let sandbox = project(Some("moderate"));
    let config = sandbox.read(".ralph/config.toml");
    sandbox.write(".ralph/config.toml", &config.replace("check = \"\"", "check = \"sh check.sh\""));
    sandbox.trust();
    sandbox.write("check.sh", "test -f built\n");
    sandbox.commit("a project");
    let script = "run sh check.sh\nrun sh check.sh\nedit built <<EOF\nyes\nEOF\nrun sh check.sh\nrun rm built\ndone\n";
    play(&sandbox, script, &["--max-iterations", "1"]);
    assert_eq!(lessons(&sandbox), Vec::<String>::new());
    let status = sandbox.ralph_ok(&["learn", "status"]);
    assert_eq!(status["refused"]["failed_again"], 1, "{status}");
}

#[test]
fn finished_work_is_an_episode_only_where_the_settings_learn_from_tasks() {
    let narrower = [
        ("enabled = true", "enabled = true", 1),
        ("enabled = true", "enabled = false", 0),
        ("mode = \"moderate\"", "mode = \"minimal\"", 0),
        ("track_tasks = true", "track_tasks = false", 0),
        ("min_episode_confidence = 0.6", "min_episode_confidence = 0.8", 0),
    ];
    for (usual, set, expected) in narrower {
        let sandbox = project(Some("moderate"));
        let config = sandbox.read(".ralph/config.toml");
        assert!(config.contains(usual), "{config}");
        sandbox.write(".ralph/config.toml", &config.replace(usual, set));
        sandbox.commit("a project");
        play(&sandbox, "edit built <<EOF\nyes\nEOF\ncommit Built\ndone\n", &["--max-iterations", "1"]);
        assert_eq!((status_of(&sandbox, 1).as_str(), episodes(&sandbox).len()), ("done", expected), "{set}");
    }
}

#[test]
fn nothing_is_learnt_where_it_is_off_or_minimal() {
    for mode in [None, Some("minimal")] {
        let sandbox = project(mode);
        mended(&sandbox);
        assert_eq!(episodes(&sandbox), Vec::<Value>::new(), "{mode:?}");
        let status = sandbox.ralph_ok(&["learn", "status"]);
        assert_eq!(status["enabled"], mode.is_some());
        assert_eq!(status["operations"], if mode.is_some() { 3 } else { 0 }, "{status}");
    }
}

#[test]
fn what_was_detected_outlives_a_server_that_is_killed() {
    let sandbox = project(Some("moderate"));
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp"]));
    let update = |status: &str| json!({"id": 1, "status": status});
    for status in ["finished", "finished", "blocked"] {
        let _ = client.call("update_task", &update(status));
    }
    // The row is there before the server rests and settles it.
    wait_until("it is a row", LIMIT, || {
        let status = sandbox.ralph_ok(&["learn", "status"]);
        (status["detected"]["mended_failure"] == 1).then_some(())
    });
    client.kill();
    assert_eq!(sandbox.ralph_ok(&["learn", "status"])["operations"], 3, "what came to something is counted with it");
    sandbox.ralph_ok(&["learn", "settle"]);
    assert_eq!(lessons(&sandbox), [MENDED]);
    assert_sound(&sandbox);
}

#[test]
fn a_run_tells_what_mended_a_command_and_counts_its_own_tools_once() {
    let sandbox = project(Some("moderate"));
    sandbox.write("check.sh", "test -f built\n");
    sandbox.commit("a project");
    let script = "run sh check.sh\nrun sh check.sh\nedit built <<EOF\nyes\nEOF\nrun sh check.sh\n\
mcp update_task {\"id\": 1, \"status\": \"x\"}\nmcp update_task {\"id\": 1, \"status\": \"y\"}\n\
mcp add_task_comment {\"id\": 1, \"text\": \"seen\"}\ncommit Built\ndone\n";
    play(&sandbox, script, &["--max-iterations", "1"]);
    assert_eq!(status_of(&sandbox, 1), "done");
    let told = lessons(&sandbox);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told.iter().any(|lesson| lesson.starts_with("`sh check.sh` failed 2 times") && lesson.ends_with("passed after built was changed")),
        "{told:?}"
    );
    assert!(told.iter().any(|lesson| lesson.starts_with("'Refund' was done")), "{told:?}");
    let episode = episodes(&sandbox).into_iter().find(|episode| episode["lesson_type"] == "mistake").expect("the mended one");
    assert_eq!((&episode["feature"], &episode["task_id"], &episode["files"]), (&json!("pay"), &json!(1), &json!(["built"])), "{episode}");
    let status = sandbox.ralph_ok(&["learn", "status"]);
    // Three commands, an edit, three calls, two commands of git.
    assert_eq!(status["operations"], 9, "{status}");
    assert_sound(&sandbox);
}

#[test]
fn what_a_branch_learnt_waits_until_it_is_merged_and_goes_with_it_when_it_is_discarded() {
    for (act, episodes_then) in [("merge", 2), ("discard", 0)] {
        let sandbox = project(Some("moderate"));
        sandbox.write("check.sh", "test -f built\n");
        sandbox.commit("a project");
        let script = "run sh check.sh\nrun sh check.sh\nedit built <<EOF\nyes\nEOF\nrun sh check.sh\ncommit Built\ndone\n";
        play(&sandbox, script, &["--max-iterations", "1", "--worktrees"]);
        assert_eq!(status_of(&sandbox, 1), "in_review");
        assert_eq!(sandbox.ralph_ok(&["learn", "status"])["waiting"], 1);
        sandbox.ralph_ok(&[act, "1"]);
        sandbox.ralph_ok(&["learn", "settle"]);
        assert_eq!(lessons(&sandbox).len(), episodes_then, "{act}: {:?}", lessons(&sandbox));
        assert_eq!(sandbox.ralph_ok(&["learn", "status"])["waiting"], 0);
    }
}

#[test]
fn the_full_profile_searches_states_tells_and_puts_away_what_agents_said() {
    let sandbox = project(Some("moderate"));
    sandbox.write("docs/clock.md", "# Clock\n\nThe provider's clock is flumox time.\n");
    let stated = sandbox.ralph_ok(&["fact", "add", "person", "states it"]);
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp", "--profile", "full"]));
    let mut ok = |tool: &str, arguments: Value| client.call(tool, &arguments).unwrap_or_else(|error| panic!("{tool}: {error}"));
    assert_eq!(ok("ingest_file", json!({"path": "docs/clock.md"}))["ingested"][0]["path"], "docs/clock.md");
    assert_eq!(ok("list_sources", json!({}))["sources"][0]["path"], "docs/clock.md");
    assert_eq!(ok("list_projects", json!({}))["projects"][0]["path"], text(&json!(sandbox.project().canonicalize().expect("a folder"))));
    let fact = ok("add_fact", json!({"subject": "test command", "value": "make flumox", "kind": "test_command", "auto_learn": false}));
    assert_eq!(fact["verdict"], "added");
    let lesson = "Run make flumox twice, since the first run only builds the clock table";
    let episode = ok("add_episode", json!({"lesson": lesson, "lesson_type": "pattern"}));
    assert_eq!(episode["verdict"], "added");
    assert_eq!(ok("add_episode", json!({"lesson": lesson}))["verdict"], "observed");
    let kinds =
        |answer: &Value| list(answer["hits"].clone()).iter().map(|hit| text(&hit["kind"])).collect::<std::collections::BTreeSet<_>>();
    let found = ok("search", json!({"query": "flumox clock"}));
    assert_eq!(kinds(&found), ["document", "episode", "fact"].map(String::from).into(), "{found}");
    let context = ok("get_context", json!({"query": "flumox clock"}));
    assert!(text(&context["context"]).contains(lesson) && list(context["ids"].clone()).len() == 3, "{context}");
    let anew = ok("update_memory", json!({"id": fact["id"], "text": "make flumox --all"}));
    assert_eq!(ok("retire_memory", json!({"id": episode["id"]}))["id"], episode["id"]);
    assert_eq!(client.call("retire_memory", &json!({"id": stated["fact"]["id"]})).expect_err("a person's")["code"], "forbidden");
    assert_eq!(client.call("search", &json!({"query": "x", "kinds": ["nothing"]})).expect_err("no kind")["code"], "invalid");
    assert_eq!(client.call("add_episode", &json!({"lesson": "ok"})).expect_err("no lesson")["code"], "invalid");
    client.close();
    assert_eq!(sandbox.ralph_ok(&["fact", "show", &text(&anew["id"])])["value"], "make flumox --all");
    let away = sandbox.ralph_ok(&["episode", "show", &text(&episode["id"])]);
    assert_eq!(away["withdrawn"]["because"], "agent", "{away}");
    // Each can be taken back.
    assert_eq!(sandbox.ralph_ok(&["episode", "restore", &text(&episode["id"])])["state"], "active");
    assert_eq!(sandbox.ralph_ok(&["fact", "restore", &text(&fact["id"])])["state"], "active");
    assert_sound(&sandbox);
}

#[test]
fn what_was_reverted_or_put_back_is_told_as_a_dead_end_until_it_is_back() {
    for (back, again) in [("revert --no-edit HEAD", "revert --no-edit HEAD"), ("reset -q --hard HEAD^", "reset -q --hard ORIG_HEAD")] {
        let sandbox = project(Some("moderate"));
        sandbox.write("check.sh", "test -f built\n");
        sandbox.commit("a project");
        let script = "run sh check.sh\nrun sh check.sh\nedit built <<EOF\nyes\nEOF\nrun sh check.sh\ncommit Built\ndone\n";
        play(&sandbox, script, &["--max-iterations", "1"]);
        assert_eq!(lessons(&sandbox).len(), 2, "{back}");
        sandbox.ralph_ok(&["learn", "settle"]);
        assert_eq!(lessons(&sandbox).len(), 2, "what stands is told on");
        sandbox.git(&back.split(' ').collect::<Vec<_>>());
        sandbox.ralph_ok(&["learn", "settle"]);
        assert_eq!(lessons(&sandbox), Vec::<String>::new(), "{back}");
        let withdrawn = list(sandbox.ralph_ok(&["episodes", "--state", "withdrawn"]));
        assert!(withdrawn.iter().all(|episode| episode["withdrawn"]["because"] == "dead_end"), "{withdrawn:?}");
        let recalled = || list(sandbox.ralph_ok(&["recall", "sh check.sh built"])["hits"].take());
        let told = || recalled().iter().filter(|hit| hit["kind"] == "episode").map(|hit| text(&hit["text"])).collect::<Vec<_>>();
        assert!(told().len() == 2 && told().iter().all(|text| text.starts_with("Dead end (")), "{back}: {:?}", told());
        task(&sandbox, "pay", "Build it anew, by check.sh", &[]);
        let prompt = text(&sandbox.ralph_ok(&["prompt", "2"])["text"]);
        assert!(prompt.contains("Dead end ("), "{prompt}");
        // What is restored is told again as it was.
        sandbox.git(&again.split(' ').collect::<Vec<_>>());
        sandbox.ralph_ok(&["learn", "settle"]);
        assert_eq!(lessons(&sandbox).len(), 2, "{again}");
        assert!(told().len() == 2 && told().iter().all(|text| !text.contains("Dead end")), "{again}: {:?}", told());
        // `git reset` takes lines out of the journal files, too. They are in the database, and `ralph rebuild` writes them back.
        sandbox.ralph_ok(&["rebuild"]);
        assert_eq!(lessons(&sandbox).len(), 2, "{again}");
        assert_sound(&sandbox);
    }
}

#[test]
fn what_fails_again_and_again_in_a_run_is_told_at_the_end_of_its_iteration() {
    let sandbox = project(Some("moderate"));
    sandbox.write("check.sh", "echo 'error: no DATABASE_URL'; exit 1\n");
    sandbox.commit("a project");
    play(&sandbox, "run sh check.sh\nrun sh check.sh\nedit a <<EOF\nyes\nEOF\ncommit A\ndone\n", &["--max-iterations", "1"]);
    let told = lessons(&sandbox);
    assert!(told.iter().any(|lesson| lesson.contains("`sh check.sh` failed 2 times") && lesson.ends_with("nothing mended it")), "{told:?}");
    task(&sandbox, "pay", "Mend sh check.sh, which fails for DATABASE_URL", &[]);
    let prompt = text(&sandbox.ralph_ok(&["prompt", "2"])["text"]);
    assert!(prompt.contains("Learnt in #1: `sh check.sh` failed 2 times"), "{prompt}");
    // Once it works, nobody is told that it fails.
    sandbox.write("check.sh", "exit 0\n");
    sandbox.commit("mended by hand");
    play(&sandbox, "run sh check.sh\nedit b <<EOF\nyes\nEOF\ncommit B\ndone\n", &["--max-iterations", "1"]);
    assert!(lessons(&sandbox).iter().all(|lesson| !lesson.contains("nothing mended it")), "{:?}", lessons(&sandbox));
    assert_sound(&sandbox);
}

/// A project in which an agent mended `check.sh` by the file `built`, and what git is to do then.
fn built(script: &str, arguments: &[&str]) -> Sandbox {
    let sandbox = project(Some("moderate"));
    sandbox.write("check.sh", "test -f built\n");
    sandbox.write("one.txt", "a\nb\nc\nd\ne\nf\ng\n");
    sandbox.commit("a project");
    play(&sandbox, script, arguments);
    sandbox
}

/// Work that changes a line of `one.txt`, as one commit with a subject that others have, too.
const CHANGES_A_LINE: &str = "run sed -i s/b/refunds/ one.txt\ncommit Fix tests\ndone\n";

#[test]
fn a_dead_end_stays_one_until_its_work_is_there_again() {
    let sandbox = built(CHANGES_A_LINE, &["--max-iterations", "1"]);
    let settled = || {
        sandbox.ralph_ok(&["learn", "settle"]);
        lessons(&sandbox).len()
    };
    assert_eq!(settled(), 1);
    // Somebody else's revert of the same subject concerns another commit.
    sandbox.write("two.txt", "x\n");
    sandbox.commit("Fix tests");
    sandbox.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(settled(), 1, "its own line stands");
    // Backed out by hand in a commit of another name, and then the same file goes on.
    sandbox.write("one.txt", "a\nb\nc\nd\ne\nf\ng\n");
    sandbox.commit("back out refunds");
    assert_eq!(settled(), 0);
    sandbox.write("one.txt", "a\nb\nc\nd\ne\nf\nG\n");
    sandbox.commit("another line");
    assert_eq!(settled(), 0, "the work is not back");
    sandbox.write("one.txt", "a\nrefunds\nc\nd\ne\nf\nG\n");
    sandbox.commit("refunds again");
    assert_eq!(settled(), 1);
    // A person's word is not taken back by a rule.
    sandbox.write("one.txt", "a\nb\nc\nd\ne\nf\nG\n");
    sandbox.commit("back out refunds again");
    assert_eq!(settled(), 0);
    let id = text(&list(sandbox.ralph_ok(&["episodes", "--state", "withdrawn"]))[0]["id"]);
    sandbox.ralph_ok(&["episode", "restore", &id]);
    assert_eq!(settled(), 1);
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(settled(), 1);
    sandbox.ralph_ok(&["episode", "retire", &id]);
    assert_eq!(settled(), 0);
    assert_sound(&sandbox);
}

#[test]
fn a_lesson_whose_cause_stands_outlives_what_was_reverted_beside_it() {
    let mends = MENDS.replace("\ndone", "\nedit cart <<EOF\nx\nEOF\ncommit Cart\ndone");
    let sandbox = built(&mends, &["--max-iterations", "1"]);
    assert_eq!(lessons(&sandbox).len(), 2);
    sandbox.git(&["revert", "--no-edit", "HEAD"]);
    sandbox.ralph_ok(&["learn", "settle"]);
    let left = lessons(&sandbox);
    assert!(left.len() == 1 && left[0].contains("passed after built was changed"), "{left:?}");
    sandbox.git(&["revert", "--no-edit", "HEAD~2"]);
    sandbox.ralph_ok(&["learn", "settle"]);
    assert_eq!(lessons(&sandbox), Vec::<String>::new());
    assert_sound(&sandbox);
}

#[test]
fn another_branch_that_is_checked_out_takes_nothing_back() {
    let sandbox = built(CHANGES_A_LINE, &["--max-iterations", "1"]);
    let work = sandbox.git(&["log", "--format=%H", "--grep", "Fix tests"]).trim().to_owned();
    let before = format!("{work}^");
    for there in [&["checkout", "-q", "-b", "hotfix", &before][..], &["checkout", "-q", "--detach", &before]] {
        sandbox.git(there);
        sandbox.ralph_ok(&["learn", "settle"]);
        assert_eq!(lessons(&sandbox).len(), 1, "{there:?}");
    }
    assert_sound(&sandbox);
}

#[test]
fn a_merge_that_is_reverted_takes_the_episode_of_its_branch_along() {
    let sandbox = built(CHANGES_A_LINE, &["--max-iterations", "1", "--worktrees"]);
    sandbox.write("two.txt", "x\n");
    sandbox.commit("other work, so that the merge is a commit");
    sandbox.ralph_ok(&["merge", "1"]);
    sandbox.ralph_ok(&["learn", "settle"]);
    assert_eq!(lessons(&sandbox).len(), 1);
    let merged = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    sandbox.write("one.txt", "a\nrefunds\nc\nd\ne\nf\nG\n");
    sandbox.commit("another line");
    sandbox.git(&["revert", "--no-edit", "-m", "1", &merged]);
    sandbox.ralph_ok(&["learn", "settle"]);
    assert_eq!(lessons(&sandbox), Vec::<String>::new());
}

/// Fails twice, writes `built`, and passes.
const MENDS: &str = "run sh check.sh\nrun sh check.sh\nedit built <<EOF\nyes\nEOF\nrun sh check.sh\ncommit Built\ndone\n";

#[test]
fn a_lesson_belongs_to_the_branch_of_its_own_attempt() {
    let sandbox = built(MENDS, &["--max-iterations", "1", "--worktrees"]);
    sandbox.ralph_ok(&["discard", "1"]);
    sandbox.ralph_ok(&["learn", "settle"]);
    assert_eq!(sandbox.ralph_ok(&["learn", "status"])["waiting"], 0);
    // The branch comes back, and with it what waits for it.
    sandbox.ralph_ok(&["discard", "1", "--undo"]);
    assert_eq!(sandbox.ralph_ok(&["learn", "status"])["waiting"], 1);
    sandbox.ralph_ok(&["discard", "1"]);
    sandbox.ralph_ok(&["task", "update", "1", "--status", "pending"]);
    play(&sandbox, "edit other.txt <<EOF\nyes\nEOF\ncommit Other\ndone\n", &["--max-iterations", "1", "--worktrees"]);
    sandbox.ralph_ok(&["merge", "1"]);
    sandbox.ralph_ok(&["learn", "settle"]);
    assert!(lessons(&sandbox).iter().all(|lesson| !lesson.contains("built")), "{:?}", lessons(&sandbox));
}

#[test]
fn what_was_mended_and_then_fails_again_is_told_as_failing() {
    let script = "run sh check.sh\nrun sh check.sh\nedit built <<EOF\nyes\nEOF\nrun sh check.sh\nrun rm built\nrun sh check.sh\nrun sh check.sh\nfailed\n";
    let sandbox = built(script, &["--max-iterations", "1"]);
    let told = lessons(&sandbox);
    assert!(told.len() == 1 && told[0].ends_with("and nothing mended it"), "{told:?}");
}

#[test]
fn a_call_in_a_run_says_whether_it_is_learnt_from() {
    let update = |status: &str, learn: bool| format!("mcp update_task {{\"id\": 1, \"status\": \"{status}\", \"auto_learn\": {learn}}}\n");
    let story = |learn: bool| format!("{0}{0}{1}", update("finished", learn), update("done", learn));
    for (mode, learn, told) in [(Some("moderate"), false, 0), (None, true, 1)] {
        let sandbox = project(mode);
        play(&sandbox, &story(learn), &["--max-iterations", "1"]);
        let of_calls: Vec<String> = lessons(&sandbox).into_iter().filter(|lesson| lesson.contains("update_task")).collect();
        assert_eq!(of_calls.len(), told, "{of_calls:?}");
        assert!(of_calls.iter().all(|lesson| !lesson.contains("auto_learn")), "{of_calls:?}");
    }
}

#[test]
fn a_memory_that_is_reworded_keeps_what_it_follows_and_loses_nothing() {
    let sandbox = project(Some("moderate"));
    sandbox.write("conf.txt", "port = 1\n");
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp", "--profile", "full"]));
    let elsewhere = client.call("add_fact", &json!({"subject": "time limit", "value": "30 s", "file": "conf.txt", "line": 1}));
    let fault = elsewhere.expect_err("the line says nothing of that").to_string();
    assert!(fault.contains("line 1 of 'conf.txt' says nothing of that, but: port = 1"), "{fault}");
    let mut ok = |tool: &str, arguments: Value| client.call(tool, &arguments).unwrap_or_else(|error| panic!("{tool}: {error}"));
    let fact = ok("add_fact", json!({"subject": "port", "value": "1", "file": "conf.txt", "line": 1}));
    let away = ok("add_episode", json!({"lesson": "Run make flumox twice, since the first run only builds the clock table"}));
    let lesson = "Start the quokka server on port 5433 before src/boot.rs runs, since it waits for it";
    let stays = ok("add_episode", json!({"lesson": lesson}));
    let anew = ok("update_memory", json!({"id": fact["id"], "text": "2"}));
    let reworded = ok("update_memory", json!({"id": stays["id"], "text": lesson.replace(", since", ": ")}));
    client.close();
    let anew = sandbox.ralph_ok(&["fact", "show", &text(&anew["id"])]);
    assert_eq!((&anew["file"], &anew["line"]), (&json!("conf.txt"), &json!(1)), "{anew}");
    assert_eq!(lessons(&sandbox).iter().filter(|told| told.contains("quokka")).collect::<Vec<_>>(), [&lesson.replace(", since", ": ")]);
    // Words that a person put away don't come back by rewording, and nothing else goes for them.
    sandbox.ralph_ok(&["episode", "retire", &text(&away["id"])]);
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp", "--profile", "full"]));
    let put_away = json!({"id": reworded["id"], "text": "Run make flumox twice, since the first run only builds the clock table"});
    assert_eq!(client.call("update_memory", &put_away).expect_err("put away")["code"], "invalid");
    client.close();
    assert_eq!(lessons(&sandbox).iter().filter(|told| told.contains("quokka")).count(), 1);
    assert_sound(&sandbox);
}
