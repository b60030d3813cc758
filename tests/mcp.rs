//! The official TypeScript MCP client speaks with the real `ralph mcp`; so does the scripted agent within a run.

use ralph_testkit::Sandbox;
use serde_json::{Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the client and its packages are.
fn client_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp-sdk")
}

/// Installs what the lock file names, unless that was done. Tests that want it at the same time wait for each other.
fn install() {
    let folder = client_folder();
    let waiting = File::create(std::env::temp_dir().join("ralph-mcp-sdk.lock")).expect("a lock file");
    waiting.lock().expect("the lock");
    let changed = |path: &str| std::fs::metadata(folder.join(path)).and_then(|file| file.modified()).ok();
    // npm writes this file at the end of an installation.
    if changed("node_modules/.package-lock.json").is_some_and(|done| Some(done) >= changed("package-lock.json")) {
        return;
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(npm).args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder).output().expect("npm starts");
    assert!(output.status.success(), "npm ci: {}", String::from_utf8_lossy(&output.stderr));
}

/// What each client got: `tools/list`, and for each call whether it was refused, and its answer.
struct Played {
    server: Value,
    tools: Vec<Value>,
    answers: Vec<Vec<(bool, Value)>>,
}

fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn play(sandbox: &Sandbox, clients: &[Vec<Value>]) -> Played {
    install();
    let server = sandbox.ralph_command(&["mcp"]);
    let args: Vec<_> = server.get_args().map(|arg| arg.to_string_lossy()).collect();
    let plan = json!({"command": server.get_program().to_string_lossy(), "args": args, "clients": clients});
    let output = sandbox.run_with_input(sandbox.command("node").arg(client_folder().join("client.mjs")), &plan.to_string());
    assert!(output.status.success(), "{}", output.stderr);
    let played = output.json();
    let answer = |answer: &Value| {
        let text = answer["text"].as_str().expect("a text");
        (answer["isError"] == true, serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")))
    };
    let answers = array(&played["answers"]).iter().map(|calls| array(calls).iter().map(answer).collect()).collect();
    Played { server: played["server"].clone(), tools: array(&played["tools"]).to_vec(), answers }
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"tool": tool, "arguments": arguments})
}

#[test]
fn the_official_client_lists_and_calls_every_tool() {
    let sandbox = Sandbox::with_project();
    let calls = vec![
        call("create_feature", &json!({"name": "pay", "display_name": "Payments"})),
        call("update_feature", &json!({"name": "pay", "description": "Charging and refunds"})),
        call("create_task", &json!({"feature": "pay", "title": "Refund"})),
        call("create_task", &json!({"feature": "pay", "title": "Ledger", "depends_on": ["1"]})),
        call("update_task", &json!({"id": 2, "priority": "high"})),
        call("add_comment", &json!({"id": 2, "text": "Sums are in cents"})),
        call("append_feature_learning", &json!({"feature": "pay", "text": "Refunds use the provider's clock", "task_id": 2})),
        call("list_features", &json!({})),
        call("list_tasks", &json!({"feature": "pay"})),
        call("get_task", &json!({"id": 2})),
        call("list_learnings", &json!({"feature": "pay"})),
        call("update_task", &json!({"id": 2, "status": "finished"})),
        call("no_such_tool", &json!({})),
        call("update_task", &json!({"id": 1, "status": "done"})),
    ];
    let tried: std::collections::BTreeSet<String> = calls.iter().map(|call| call["tool"].to_string()).collect();
    let played = play(&sandbox, &[calls]);

    assert_eq!(played.server["name"], "ralph");
    let tools = array(&played.tools[0]);
    assert!(tools.len() <= 10 && tools.iter().all(|tool| tried.contains(&tool["name"].to_string())), "{tried:?} of {tools:?}");
    assert!(played.tools[0].to_string().len() <= 12_000);

    let answers = &played.answers[0];
    let refused: Vec<usize> = (0..answers.len()).filter(|index| answers[*index].0).collect();
    assert_eq!(refused, [11, 12], "{answers:?}");
    for (index, pointer, expected) in [
        (0, "/name", json!("pay")),
        (1, "/description", json!("Charging and refunds")),
        (2, "/id", json!(1)),
        (3, "/readiness", json!("waiting")),
        (4, "/priority", json!("high")),
        (5, "/author", json!("agent")),
        (6, "/verdict", json!("added")),
        (7, "/features/0/open_tasks", json!(2)),
        (8, "/tasks/0/waiting_on", json!([1])),
        (9, "/comments/0/text", json!("Sums are in cents")),
        (10, "/learnings/0/text", json!("Refunds use the provider's clock")),
        (11, "/error/code", json!("invalid")),
        (12, "/error/code", json!("unknown_tool")),
        (13, "/status", json!("done")),
    ] {
        assert_eq!(answers[index].1.pointer(pointer), Some(&expected), "{}", answers[index].1);
    }
    // The command line sees the same.
    assert_eq!(sandbox.ralph_ok(&["task", "show", "2"])["readiness"], "ready");
    let learnings = sandbox.ralph_ok(&["learning", "list", "--feature", "pay"]);
    assert_eq!((&learnings[0]["source"], &learnings[0]["task_id"]), (&json!("agent"), &json!(2)));
}

#[test]
fn two_servers_write_at_once_and_lose_nothing() {
    let sandbox = Sandbox::with_project();
    sandbox.ralph_ok(&["feature", "create", "pay", "--display-name", "Payments"]);
    let clients: Vec<Vec<Value>> = ["tax", "clock"]
        .into_iter()
        .map(|subject| {
            let lesson = |n| {
                call("append_feature_learning", &json!({"feature": "pay", "text": format!("{subject}_{n} is set by {subject}_{n}.rs")}))
            };
            (1..=20).map(lesson).collect()
        })
        .collect();
    let played = play(&sandbox, &clients);
    let mut ids: Vec<&Value> = Vec::new();
    for (refused, answer) in played.answers.iter().flatten() {
        assert!(!refused && answer["verdict"] == "added", "{answer}");
        ids.push(&answer["id"]);
    }
    let kept = sandbox.ralph_ok(&["learning", "list", "--feature", "pay"]);
    let mut kept: Vec<&Value> = array(&kept).iter().map(|learning| &learning["id"]).collect();
    ids.sort_by_key(|id| id.to_string());
    kept.sort_by_key(|id| id.to_string());
    assert_eq!((ids.len(), ids), (40, kept));
}

#[test]
fn an_agents_word_about_its_own_task_is_settled_by_the_loop() {
    let sandbox = Sandbox::with_project();
    sandbox.ralph_ok(&["feature", "create", "pay", "--display-name", "Payments"]);
    for title in ["Refund", "Ledger"] {
        sandbox.ralph_ok(&["task", "create", "--feature", "pay", "--title", title]);
    }
    sandbox.write(
        ".ralph/test.script",
        r#"mcp append_feature_learning {"feature": "pay", "text": "Refunds use the provider's clock"}
mcp add_comment {"id": 2, "text": "learnt ${mcp.id}"}
mcp update_task {"id": ${task}, "status": "done"}
mcp add_comment {"id": 2, "text": "was ${mcp.status}: ${mcp.note}"}
mcp update_task {"id": ${task}, "status": "blocked"}
mcp add_comment {"id": 2, "text": "refused ${mcp.error.code}"}
"#,
    );
    sandbox.ralph_ok(&["run", "--agent", "scripted", "--script", ".ralph/test.script", "--task", "1"]);

    let ledger = sandbox.ralph_ok(&["task", "show", "2"]);
    let said: Vec<&str> = array(&ledger["comments"]).iter().filter_map(|comment| comment["text"].as_str()).collect();
    let learning = &sandbox.ralph_ok(&["learning", "list", "--feature", "pay"])[0];
    let expected = [
        format!("learnt {}", learning["id"].as_str().unwrap_or("nothing")),
        "was in_progress: recorded; the status changes when the iteration ends".to_owned(),
        "refused task_running".to_owned(),
    ];
    assert_eq!(said, expected);

    let refund = sandbox.ralph_ok(&["task", "show", "1"]);
    assert_eq!((&refund["status"], &ledger["status"]), (&json!("done"), &json!("pending")));
    let iteration = &refund["iterations"][0]["id"];
    assert_eq!((&learning["task_id"], &learning["iteration"], &learning["source"]), (&json!(1), iteration, &json!("agent")));
}
