//! The real Claude Code works on tasks in the real loop, against a model on loopback that plays its part.

use journeys::{LIMIT, assert_sound, feature, id_of, iterations, learn, learnings, list, marked, prompt, status_of, task, text};
use ralph_testkit::{Block, ModelServer, Reply, Running, Sandbox, wait_until, within_namespace};
use serde_json::{Value, json};
use std::time::Instant;

const MODEL: &str = "claude-sonnet-4-5";
const DONE: &str = "Done.\n<task-done></task-done>";

/// A project with one task, whose agent is Claude Code and whose model is the server.
fn project(server: &ModelServer) -> Sandbox {
    let mut sandbox = Sandbox::with_project();
    sandbox.use_claude(server);
    feature(&sandbox, "greet", &["--description", "Says hello"]);
    task(&sandbox, "greet", "Write the greeting", &["--description", "In a file named greeting.txt."]);
    sandbox
}

fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "--agent", "claude", "--model", MODEL], more].concat()
}

fn start(sandbox: &Sandbox) -> Running {
    Running::start(&mut sandbox.ralph_command(&run(&[])), None)
}

fn tool(name: &str, input: Value) -> Reply {
    Reply::message([Block::Text(format!("I use {name}.")), Block::ToolUse { name: name.into(), input }]).usage(2_000, 50)
}

/// Waits until the run waits, and returns its row.
fn waiting(sandbox: &Sandbox) -> Value {
    wait_until("the run waits", LIMIT, || {
        let active = sandbox.ralph_ok(&["status"])["active_run"].take();
        (active["state"] == "waiting").then_some(active)
    })
}

#[test]
fn claude_works_a_task_through_the_loop() {
    within_namespace(|| {
        let folder = std::sync::Arc::new(std::sync::OnceLock::new());
        let of = folder.clone();
        let mut turn = 0;
        let server = ModelServer::choosing(move |_| {
            let path: &std::path::PathBuf = of.get().expect("the project is made before the agent asks");
            turn += 1;
            match turn {
                1 => tool("Write", json!({"file_path": path.join("greeting.txt"), "content": "hello\n"})),
                2 => tool("Bash", json!({"command": "git add greeting.txt && git commit -q -m 'Add the greeting'"})),
                3 => tool("mcp__ralph__append_feature_learning", json!({"feature": "greet", "text": "Greetings end with a line feed."})),
                _ => Reply::text(
                    "<learning category=\"convention\" tags=\"greeting.txt\">The greeting is lower case.</learning>\n<task-done>1</task-done>",
                )
                .usage(3_000, 80),
            }
        });
        let sandbox = project(&server);
        folder.set(sandbox.project().canonicalize().unwrap()).unwrap();
        let known = learn(&sandbox, "greet", "Files of this project are UTF-8", &[]);
        let ended = sandbox.ralph_ok(&run(&[]));
        assert_eq!((&ended["stop_reason"], &ended["iterations"]), (&json!("nothing_ready"), &json!(1)), "{ended}");

        let row = iterations(&sandbox).remove(0);
        assert_eq!((&row["outcome"], status_of(&sandbox, 1)), (&json!("done"), "done".to_owned()), "{row}");
        assert_eq!(sandbox.read("greeting.txt"), "hello\n");
        assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]), "Add the greeting");
        let commits = list(row["evidence"]["commits"].clone());
        assert!(commits.iter().any(|commit| text(commit).ends_with("Add the greeting")), "{row}");
        assert_eq!(row["evidence"]["changed_files"], json!(["greeting.txt"]));
        let usage = &row["usage"];
        assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(9_000), &json!(230)), "{usage}");
        assert!(usage["cost_usd"].as_f64().is_some_and(|usd| usd > 0.0) && ended["cost_usd"] == usage["cost_usd"], "{ended} {usage}");

        let all = learnings(&sandbox, "greet", "active");
        let by = |source: &str| all.iter().find(|l| l["source"] == source && l["task_id"] == 1 && l["iteration"] == row["id"]).cloned();
        assert_eq!(by("agent").unwrap_or_default()["text"], "Greetings end with a line feed.", "{all:?}");
        assert_eq!(by("auto").unwrap_or_default()["text"], "The greeting is lower case.", "{all:?}");

        let requests = server.requests();
        let told = requests[0].user_text();
        assert!(told.contains(&prompt(&sandbox, id_of(&row))), "the model gets the very prompt that is shown: {told}");
        assert!(told.contains("In a file named greeting.txt.") && told.contains("Files of this project are UTF-8"), "{told}");
        assert_eq!((row["told"][0]["id"].clone(), requests[0].model()), (known["id"].clone(), MODEL));
        // Claude Code keeps the schemas of MCP tools back until its model searches for them: Ralph's ten are loaded at once, and its search
        // stays on for all others, which saves 39 kB in every request.
        let tools = requests[0].tool_names();
        assert_eq!(tools.iter().filter(|tool| tool.starts_with("mcp__ralph__")).count(), 10, "{tools:?}");
        assert!(tools.contains(&"ToolSearch") && tools.len() < 30, "{tools:?}");
        assert!(
            !tools.contains(&"AskUserQuestion") && !tools.contains(&"ScheduleWakeup"),
            "nobody is there, and the turn is the last: {tools:?}"
        );
        let results = requests.last().unwrap().tool_results();
        assert!(results.len() == 3 && results.iter().all(|result| !result.is_error), "{results:?}");
        assert_sound(&sandbox);
    });
}

#[test]
fn a_denied_tool_is_shown_on_the_iteration() {
    within_namespace(|| {
        let fetch = tool("WebFetch", json!({"url": "http://127.0.0.1:9/", "prompt": "What is there?"}));
        let server = ModelServer::playing([fetch, Reply::text(DONE)]);
        let sandbox = project(&server);
        let config = sandbox.read(".ralph/config.toml").replace("ask_minutes = 2", "ask_minutes = 0");
        sandbox.write(".ralph/config.toml", &config);
        sandbox.ralph_ok(&run(&[]));
        let row = iterations(&sandbox).remove(0);
        assert_eq!(row["outcome"], "done", "{row}");
        assert!(row["denials"].to_string().contains("WebFetch"), "{row}");
    });
}

#[test]
fn limits_and_overload_free_the_task_and_wait() {
    within_namespace(|| {
        for reply in [Reply::rate_limited(0), Reply::overloaded()] {
            let what = format!("{reply:?}");
            let server = ModelServer::choosing(move |_| reply.clone());
            let sandbox = project(&server);
            let run = start(&sandbox);
            let row = waiting(&sandbox);
            assert!(row["waiting_until"].is_string(), "{what}: {row}");
            let cut = iterations(&sandbox).remove(0);
            assert_eq!((&cut["outcome"], &cut["attempt"]), (&json!("rate_limited"), &Value::Null), "{what}: {cut}");
            assert_eq!(status_of(&sandbox, 1), "pending", "{what}");
            sandbox.ralph_ok(&["stop"]);
            assert_eq!(run.wait(LIMIT).json()["stop_reason"], "stopped_now", "{what}");
        }
    });
}

#[test]
fn no_connection_frees_the_task_and_waits() {
    within_namespace(|| {
        let server = ModelServer::playing([]);
        let sandbox = project(&server);
        // Nobody listens there any more.
        drop(server);
        let run = start(&sandbox);
        assert!(text(&waiting(&sandbox)["note"]).contains("network"));
        let cut = iterations(&sandbox).remove(0);
        assert_eq!((&cut["outcome"], &cut["attempt"], status_of(&sandbox, 1)), (&json!("network"), &Value::Null, "pending".into()));
        sandbox.ralph_ok(&["stop"]);
        assert_eq!(run.wait(LIMIT).json()["stop_reason"], "stopped_now");
    });
}

#[test]
fn a_wrong_key_ends_the_run_and_says_so() {
    within_namespace(|| {
        let server = ModelServer::choosing(|_| Reply::unauthorized());
        let sandbox = project(&server);
        let output = sandbox.ralph(&run(&[]));
        assert!(!output.status.success(), "{output:?}");
        assert_eq!(output.json()["stop_reason"], "authentication");
        let error = output.error();
        assert_eq!(error["code"], "authentication");
        assert!(text(&error["message"]).contains("log in"), "{error}");
        let cut = iterations(&sandbox).remove(0);
        assert_eq!((&cut["outcome"], &cut["attempt"], status_of(&sandbox, 1)), (&json!("authentication"), &Value::Null, "pending".into()));
        let asked = list(sandbox.ralph_ok(&["status"])["needs_you"].take());
        assert_eq!(asked[0]["kind"], "run_stopped", "the person is asked");
    });
}

#[test]
fn a_dropped_stream_is_tried_again() {
    within_namespace(|| {
        let server = ModelServer::playing([Reply::text("half of it").dropped_after(3), Reply::text(DONE)]);
        let sandbox = project(&server);
        sandbox.ralph_ok(&run(&[]));
        assert_eq!((status_of(&sandbox, 1), server.requests().len()), ("done".to_owned(), 2));
    });
}

#[test]
fn the_runs_dollars_are_the_agents_limit_too() {
    within_namespace(|| {
        let server = ModelServer::choosing(|_| tool("Bash", json!({"command": "true"})).usage(200_000, 4_000));
        let sandbox = project(&server);
        let ended = sandbox.ralph(&run(&["--max-usd", "0.5"])).json();
        assert_eq!((&ended["stop_reason"], &ended["iterations"]), (&json!("max_usd"), &json!(1)), "{ended}");
        let row = iterations(&sandbox).remove(0);
        assert_eq!((&row["outcome"], &row["attempt"]), (&json!("stopped"), &json!(null)), "by its own look or by the run's: {row}");
        let cost = ended["cost_usd"].as_f64().unwrap_or_default();
        assert!((0.5..1.5).contains(&cost), "what was served is known: {ended}");
        assert!(server.requests().len() < 10, "it was stopped by its own limit");
    });
}

#[test]
fn an_agent_in_the_middle_of_a_command_is_stopped_with_all_that_it_started() {
    within_namespace(|| {
        let command = json!({"command": "touch child; trap '' TERM; tail -f /dev/null"});
        let server = ModelServer::playing([tool("Bash", command)]);
        let sandbox = project(&server);
        let run = start(&sandbox);
        wait_until("the command runs", LIMIT, || sandbox.project().join("child").exists().then_some(()));
        assert!(marked(&sandbox).iter().any(|(_, line)| line.contains("tail -f")), "{:?}", marked(&sandbox));
        stop(&sandbox, run);
    });
}

#[test]
fn an_agent_whose_model_is_silent_is_stopped() {
    within_namespace(|| {
        let server = ModelServer::playing([Reply::silence()]);
        let sandbox = project(&server);
        let run = start(&sandbox);
        server.wait_for_requests(1, LIMIT);
        stop(&sandbox, run);
    });
}

fn stop(sandbox: &Sandbox, run: Running) {
    let begin = Instant::now();
    sandbox.ralph_ok(&["stop"]);
    assert!(begin.elapsed() < LIMIT, "the stop took {:?}", begin.elapsed());
    assert_eq!(marked(sandbox), [], "no process is left");
    assert_eq!(run.wait(LIMIT).json()["stop_reason"], "stopped_now");
    let cut = iterations(sandbox).remove(0);
    assert_eq!((&cut["outcome"], status_of(sandbox, 1)), (&json!("stopped"), "pending".to_owned()), "{cut}");
    let left = std::fs::read_dir(sandbox.project().join(".ralph/db/scratch")).map(Iterator::count);
    assert_eq!(left.unwrap_or(0), 0, "the file with the MCP servers is gone");
}
