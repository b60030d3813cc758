//! The real Claude Code CLI talks to the loopback model server, in a network namespace.

use ralph_testkit::{Block, ModelServer, Output, Reply, Sandbox, within_namespace};
use serde_json::{Value, json};

/// Gives Claude Code the prompt on stdin, as the product does.
fn ask(sandbox: &Sandbox, prompt: &str) -> Output {
    let mut command = sandbox.command("claude");
    command.args(["-p", "--verbose", "--output-format", "stream-json", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"]);
    sandbox.run_with_input(&mut command, prompt)
}

fn sandbox_with(server: &ModelServer) -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.use_claude(server);
    sandbox
}

/// The line that ends a turn.
fn result(output: &Output) -> Value {
    output.json_lines().into_iter().rfind(|line| line["type"] == "result").unwrap_or_else(|| panic!("no result: {output:?}"))
}

#[test]
fn claude_says_hello() {
    within_namespace(|| {
        let server = ModelServer::playing([Reply::text("hello").usage(1_000, 200)]);
        let output = ask(&sandbox_with(&server), "Say hello.");
        let result = result(&output);
        assert_eq!((&result["result"], &result["is_error"]), (&json!("hello"), &json!(false)), "{output:?}");
        assert_eq!(result["usage"]["output_tokens"], 200);
        let requests = server.requests();
        assert_eq!(requests.len(), 1);
        assert!(requests[0].user_text().contains("Say hello."));
        assert!(requests[0].tool_names().contains(&"Bash"));
    });
}

#[test]
fn claude_calls_a_tool_and_gives_back_its_result() {
    within_namespace(|| {
        let call = Block::ToolUse { name: "Bash".into(), input: json!({"command": "echo from-the-shell > made.txt && cat made.txt"}) };
        let server = ModelServer::playing([Reply::message([Block::Text("I look.".into()), call]), Reply::text("Done.")]);
        let sandbox = sandbox_with(&server);
        let output = ask(&sandbox, "Make the file.");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(sandbox.read("made.txt"), "from-the-shell\n");
        let requests = server.requests();
        let results = requests[1].tool_results();
        assert_eq!((results[0].id.as_str(), results[0].is_error), ("toolu_1_2", false));
        // The client may add reminders of its own.
        assert!(results[0].text.starts_with("from-the-shell"), "{results:?}");
    });
}

#[test]
fn claude_sees_errors_and_cut_streams() {
    within_namespace(|| {
        for (replies, requests, status) in [
            (vec![Reply::overloaded(), Reply::text("late")], 2, true),
            (vec![Reply::rate_limited(0), Reply::text("late")], 2, true),
            (vec![Reply::text("half").dropped_after(3), Reply::text("late")], 2, true),
            (vec![Reply::unauthorized(), Reply::unauthorized()], 2, false),
            (vec![Reply::no_credit()], 1, false),
        ] {
            let what = format!("{:?}", replies[0]);
            let server = ModelServer::playing(replies);
            let output = ask(&sandbox_with(&server), "Go.");
            assert_eq!(output.status.success(), status, "{what}: {output:?}");
            assert_eq!(server.requests().len(), requests, "{what}: {output:?}");
        }
    });
}
