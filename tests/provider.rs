//! What a provider refuses, and what its answers cost: the real Claude Code against a model on loopback.

use journeys::{LIMIT, feature, iterations, list, plain, status_of, task, text};
use ralph_testkit::{Block, ModelServer, Reply, Running, Sandbox, wait_until, within_namespace};
use serde_json::{Value, json};
use std::time::Instant;

const DONE: &str = "Done.\n<task-done></task-done>";

fn project(server: &ModelServer) -> Sandbox {
    let mut sandbox = Sandbox::with_project();
    sandbox.use_claude(server);
    feature(&sandbox, "greet", &[]);
    task(&sandbox, "greet", "Write the greeting", &[]);
    sandbox
}

fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "--agent", "claude"], more].concat()
}

fn attempts(sandbox: &Sandbox) -> String {
    sandbox.ralph_ok(&["attempts", "1"]).to_string()
}

fn usd(row: &Value) -> f64 {
    row["usage"]["cost_usd"].as_f64().unwrap_or_default()
}

/// What Claude tells of a wrong key once it gives up.
const WORDS: &str = "Invalid API key";

#[test]
fn a_wrong_key_is_told_within_seconds_although_the_agent_would_try_for_minutes() {
    within_namespace(|| {
        let server = ModelServer::choosing(|_| Reply::unauthorized());
        let mut sandbox = project(&server);
        sandbox.set("CLAUDE_CODE_MAX_RETRIES", "10");
        let begin = Instant::now();
        let output = sandbox.ralph(&run(&[]));
        assert!(begin.elapsed() < LIMIT, "{:?}", begin.elapsed());
        assert_eq!((output.status.code(), &output.json()["stop_reason"]), (Some(6), &json!("authentication")));
        let row = iterations(&sandbox).remove(0);
        assert_eq!((&row["outcome"], status_of(&sandbox, 1)), (&json!("authentication"), "pending".to_owned()));
        assert!(text(&row["note"]).contains("401") && text(&row["note"]).contains(WORDS), "{row}");
        assert_eq!(iterations(&sandbox).len(), 1);
        assert!(attempts(&sandbox).contains(WORDS), "{}", attempts(&sandbox));
        assert!(plain(&sandbox, &["status"]).stdout.contains(WORDS));
        assert!(plain(&sandbox, &["attempts", "1"]).stdout.contains("no attempt: authentication"));
        assert!(!plain(&sandbox, &["prompt", "1"]).stdout.contains("Previous Attempts"), "it says nothing about the task");
    });
}

#[test]
fn a_model_that_is_not_there_is_asked_for_once_and_then_a_person_is() {
    within_namespace(|| {
        let server = ModelServer::choosing(|_| Reply::error(404, "not_found_error", "model: opus-9"));
        let sandbox = project(&server);
        let output = sandbox.ralph(&run(&["--model", "opus-9"]));
        assert_eq!((output.status.code(), &output.json()["stop_reason"]), (Some(6), &json!("agent_unavailable")));
        assert!(output.error()["message"].to_string().contains("issue with the selected model"), "{:?}", output.error());
        let rows = iterations(&sandbox);
        assert_eq!((rows.len(), status_of(&sandbox, 1)), (1, "pending".to_owned()), "there is no other model to try: {rows:?}");
        assert!(text(&rows[0]["note"]).contains("issue with the selected model"), "{rows:?}");
        assert!(attempts(&sandbox).contains("issue with the selected model"), "{}", attempts(&sandbox));
        assert_eq!(list(sandbox.ralph_ok(&["status"])["needs_you"].take())[0]["kind"], "run_stopped");

        // With the table of models one other is tried.
        let output = sandbox.ralph(&run(&[]));
        assert_eq!(output.json()["stop_reason"], "agent_unavailable");
        let models: Vec<String> = iterations(&sandbox).iter().map(|row| text(&row["model"])).collect();
        assert!((2..=3).contains(&models.len()), "{models:?}");
        let words = plain(&sandbox, &["attempts", "1"]).stdout;
        assert!(words.contains("issue with the selected model"), "{words}");
    });
}

#[test]
fn too_long_a_context_is_one_change_of_the_model_and_then_a_person_s() {
    within_namespace(|| {
        let refusal = || Reply::error(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum");
        let server = ModelServer::choosing(move |_| refusal());
        let sandbox = project(&server);
        let output = sandbox.ralph(&run(&[]));
        assert!(!output.status.success(), "{output:?}");
        let rows = iterations(&sandbox);
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert_ne!(rows[0]["model"], rows[1]["model"]);
        let shown = sandbox.ralph_ok(&["task", "show", "1"]);
        assert_eq!(shown["status"], "blocked");
        assert!(shown["blocked_reason"].to_string().contains("Prompt is too long"), "{shown}");
        assert!(attempts(&sandbox).contains("Prompt is too long"));
    });
}

#[test]
fn a_refusal_reaches_the_next_attempt_in_its_own_words() {
    within_namespace(|| {
        let mut turn = 0;
        let server = ModelServer::choosing(move |_| {
            turn += 1;
            if turn <= 2 { Reply::text("I can").stopping_for("refusal") } else { Reply::text(DONE) }
        });
        let sandbox = project(&server);
        sandbox.ralph(&run(&["--model", "claude-sonnet-4-5"]));
        let rows = iterations(&sandbox);
        assert_eq!((rows.len(), &rows[0]["outcome"]), (2, &json!("error")), "{rows:?}");
        assert!(text(&rows[0]["note"]).contains("can't help with this"), "{rows:?}");
        let told = server.requests().last().map(|request| request.user_text()).unwrap_or_default();
        assert!(told.contains("can't help with this"), "{told}");
    });
}

#[test]
fn an_agent_that_is_stopped_and_a_ralph_that_is_killed_cost_what_they_cost() {
    within_namespace(|| {
        for killed in [false, true] {
            let work = Reply::message([Block::ToolUse { name: "Bash".into(), input: json!({"command": "true"}) }]).usage(200_000, 4_000);
            let server = ModelServer::playing([work, Reply::silence()]);
            let sandbox = project(&server);
            let run = Running::start(&mut sandbox.ralph_command(&run(&["--model", "claude-sonnet-4-5"])), None);
            server.wait_for_requests(2, LIMIT);
            let shown = wait_until("the cost is shown while the agent works", LIMIT, || {
                let cost = sandbox.ralph_ok(&["status"])["active_run"]["cost_usd"].as_f64()?;
                (cost > 0.65).then_some(cost)
            });
            assert!((shown - 0.66).abs() < 0.01, "{shown}");
            if killed {
                run.signal("KILL");
            } else {
                sandbox.ralph_ok(&["stop"]);
            }
            run.wait(LIMIT);
            sandbox.ralph_ok(&["status"]);
            let row = iterations(&sandbox).remove(0);
            assert!((usd(&row) - 0.66).abs() < 0.01, "killed {killed}: {row}");
            // An agent that was asked to end still tells its cost itself.
            let usage = &row["usage"];
            assert_eq!((&usage["output_tokens"], &usage["cost_estimated"]), (&json!(4_000), &json!(killed)), "killed {killed}");
        }
    });
}

#[test]
fn an_agent_whose_project_is_removed_costs_what_it_costs() {
    within_namespace(|| {
        let work = Reply::message([Block::ToolUse { name: "Bash".into(), input: json!({"command": "true"}) }]).usage(200_000, 4_000);
        let server = ModelServer::playing([work, Reply::silence()]);
        let sandbox = project(&server);
        let run = Running::start(&mut sandbox.ralph_command(&run(&["--model", "claude-sonnet-4-5"])), None);
        server.wait_for_requests(2, LIMIT);
        std::fs::remove_dir_all(sandbox.project().join(".ralph")).unwrap();
        assert!(!run.wait(LIMIT).status.success());
        sandbox.ralph_ok(&["restore"]);
        let row = iterations(&sandbox).remove(0);
        assert!((usd(&row) - 0.66).abs() < 0.01, "{row}");
    });
}

#[test]
fn the_dollars_of_a_run_are_kept_while_its_agent_works() {
    within_namespace(|| {
        // An agent that looks at its own budget only when it is done with its commands.
        let work = json!({"command": "touch began; trap '' TERM; tail -f /dev/null"});
        let work = Reply::message([Block::ToolUse { name: "Bash".into(), input: work }]).usage(1_000_000, 16_000);
        let server = ModelServer::playing([work]);
        let sandbox = project(&server);
        let output = sandbox.ralph(&run(&["--model", "claude-sonnet-4-5", "--max-usd", "0.5"]));
        let ended = output.json();
        assert_eq!((output.status.code(), &ended["stop_reason"]), (Some(5), &json!("max_usd")), "{ended}");
        assert!(ended["cost_usd"].as_f64().is_some_and(|cost| cost > 3.0), "what was served is told: {ended}");
        assert_eq!(status_of(&sandbox, 1), "pending");
    });
}

#[test]
fn a_result_of_a_megabyte_keeps_its_cost_and_its_mark() {
    within_namespace(|| {
        let server = ModelServer::playing([Reply::text("many words ".repeat(150_000) + "\n\n" + DONE).usage(2_000, 500)]);
        let sandbox = project(&server);
        sandbox.ralph_ok(&run(&["--model", "claude-sonnet-4-5"]));
        let row = iterations(&sandbox).remove(0);
        assert_eq!((&row["outcome"], &row["usage"]["output_tokens"]), (&json!("done"), &json!(500)), "{row}");
        assert!(usd(&row) > 0.0, "{row}");
    });
}
