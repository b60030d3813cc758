//! What the real Claude Code asks permission for: the question waits for the person, and the answer is obeyed.

use journeys::{LIMIT, feature, iterations, marked, refused, task};
use ralph_testkit::{Block, ModelServer, Reply, Running, Sandbox, wait_until, within_namespace};
use serde_json::{Value, json};

const MODEL: &str = "claude-sonnet-4-5";

fn bash(command: &str) -> Reply {
    Reply::message([Block::ToolUse { name: "Bash".into(), input: json!({ "command": command, "description": "work" }) }])
}

fn project(server: &ModelServer) -> Sandbox {
    let mut sandbox = Sandbox::with_project();
    sandbox.use_claude(server);
    let config = sandbox.read(".ralph/config.toml").replace("ask_minutes = 2", "ask_minutes = 10");
    sandbox.write(".ralph/config.toml", &config);
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Refund", &[]);
    sandbox
}

fn start(sandbox: &Sandbox) -> Running {
    let run = ["run", "--agent", "claude", "--model", MODEL, "--max-iterations", "1", "--permissions", "careful"];
    Running::start(&mut sandbox.ralph_command(&run), None)
}

fn asked(sandbox: &Sandbox) -> Value {
    wait_until("a question", LIMIT, || sandbox.ralph_ok(&["answer"]).as_array().and_then(|all| all.first().cloned()))
}

#[test]
fn a_question_waits_for_its_person_and_the_answer_holds() {
    within_namespace(|| {
        let server = ModelServer::playing([
            bash("sh -c 'echo x > yes.txt'"),
            bash("sh -c 'echo x > no.txt'"),
            Reply::text("<task-done></task-done>"),
        ]);
        let sandbox = project(&server);
        let run = start(&sandbox);
        let first = asked(&sandbox);
        assert_eq!(
            (&first["tool"], &first["summary"], &first["task"]),
            (&json!("Bash"), &json!("sh -c 'echo x > yes.txt'"), &json!(1)),
            "{first}"
        );
        let status = sandbox.ralph_ok(&["status"]);
        assert_eq!(
            (&status["needs_you"][0]["kind"], &status["needs_you"][0]["question"]["id"]),
            (&json!("question"), &first["id"]),
            "{status}"
        );
        let id = first["id"].to_string();
        refused(&sandbox.ralph(&["answer", &id, "perhaps"]), "invalid");
        let unknown = refused(&sandbox.ralph(&["answer", "99", "yes"]), "not_found");
        assert_eq!(unknown["hint"], "`ralph answer` lists what waits for an answer");
        let given = sandbox.ralph_ok(&["answer", &id, "yes"]);
        assert_eq!((&given["answer"], &given["by_person"]), (&json!("yes"), &json!(true)));
        refused(&sandbox.ralph(&["answer", &id, "no"]), "invalid");
        let second = wait_until("the second question", LIMIT, || {
            let waits = asked(&sandbox);
            (waits["id"] != first["id"]).then_some(waits)
        });
        assert_eq!(second["summary"], "sh -c 'echo x > no.txt'");
        sandbox.ralph_ok(&["answer", &second["id"].to_string(), "no"]);
        let ended = run.wait(LIMIT).json();
        assert_eq!(ended["iterations"], 1, "{ended}");
        assert!(sandbox.project().join("yes.txt").is_file() && !sandbox.project().join("no.txt").exists());
        let row = iterations(&sandbox).remove(0);
        assert!(row["denials"].to_string().contains("no.txt") && !row["denials"].to_string().contains("yes.txt"), "{row}");
        assert_eq!(sandbox.ralph_ok(&["answer"]), json!([]));
        let requests = server.requests();
        let told = requests.last().unwrap().tool_results();
        assert!(told.iter().any(|result| result.is_error && result.text.contains("The person said no")), "{told:?}");
        // Its own program asks through a tool that the model doesn't know about.
        assert!(requests[0].tool_names().iter().all(|tool| !tool.contains("ask_person")), "{:?}", requests[0].tool_names());
    });
}

#[test]
fn a_question_of_an_agent_that_was_stopped_waits_for_nobody() {
    within_namespace(|| {
        let server = ModelServer::choosing(|_| bash("sh -c 'echo x > yes.txt'"));
        let sandbox = project(&server);
        let run = start(&sandbox);
        let question = asked(&sandbox);
        sandbox.ralph_ok(&["stop"]);
        run.wait(LIMIT);
        assert_eq!(sandbox.ralph_ok(&["answer"]), json!([]));
        refused(&sandbox.ralph(&["answer", &question["id"].to_string(), "yes"]), "invalid");
        assert_eq!(marked(&sandbox), [], "no process is left");
        assert!(!sandbox.project().join("yes.txt").exists());
    });
}
