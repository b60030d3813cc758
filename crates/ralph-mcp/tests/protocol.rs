//! The protocol around the tools: the initial messages, and invalid lines.

mod common;

use common::{AGENT, Project};
use ralph_core::limits::{MCP_HITS, MCP_MAX_HITS, MCP_MAX_ROWS, MCP_ROWS};
use ralph_core::task::TaskFilter;
use ralph_mcp::Profile;
use serde_json::json;

#[tokio::test]
async fn the_list_of_tools_is_short() {
    let project = Project::new();
    let mut client = project.client(AGENT);
    let server = client.initialize().await;
    assert_eq!((&server["serverInfo"]["name"], &server["protocolVersion"]), (&json!("ralph"), &json!("2025-11-25")));
    let answer = client.request("tools/list", json!({})).await;
    let names: Vec<&str> = answer["result"]["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    let expected = [
        "append_feature_learning",
        "list_learnings",
        "list_features",
        "create_feature",
        "update_feature",
        "list_tasks",
        "get_task",
        "create_task",
        "update_task",
        "add_comment",
    ];
    assert_eq!(names, expected);
    let bytes = answer.to_string().len();
    eprintln!("tools/list: {bytes} bytes");
    // Including the output schemas; anything superfluous costs every client of every session.
    assert!(bytes <= 12_000, "{bytes} bytes");
}

#[tokio::test]
async fn a_tool_says_how_many_it_answers_and_answers_as_many() {
    let project = Project::new();
    let mut client = project.client_with(AGENT, Profile::Full);
    client.initialize().await;
    let answer = client.request("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().expect("tools");
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).expect("is there");
    for (name, what, usual, most) in [("search", "hits", MCP_HITS, MCP_MAX_HITS), ("list_learnings", "rows", MCP_ROWS, MCP_MAX_ROWS)] {
        let told = &tool(name)["inputSchema"]["properties"]["limit"]["description"];
        assert_eq!(told, &json!(format!("{what}, {usual} if not given, at most {most}")), "{name}");
    }
    let about = tool("list_learnings")["description"].as_str().expect("text");
    assert!(about.contains(&format!("the {MCP_MAX_ROWS} best matches")), "{about}");
    for number in 0..=MCP_MAX_HITS {
        client.ok("add_fact", json!({"subject": format!("ledger port {number}"), "value": format!("{}", 5_000 + number)})).await;
    }
    for (limit, expected) in [(json!(null), MCP_HITS), (json!(20), 20), (json!(200), MCP_MAX_HITS)] {
        // Scores are not round numbers, and clients' parsers differ in their last digit.
        let (_, found) = client.call("search", json!({"query": "ledger port", "limit": limit})).await;
        assert_eq!(found["hits"].as_array().map(Vec::len), usize::try_from(expected).ok(), "{limit}");
    }
}

#[tokio::test]
async fn the_full_list_is_short_too_and_each_of_its_tools_can_be_told_not_to_be_learnt_from() {
    let project = Project::new();
    let mut client = project.client_with(AGENT, Profile::Full);
    client.initialize().await;
    let answer = client.request("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().expect("tools");
    assert_eq!(tools.iter().filter(|tool| tool["inputSchema"]["properties"]["auto_learn"]["type"] == "boolean").count(), 11);
    let bytes = answer.to_string().len();
    eprintln!("tools/list, full: {bytes} bytes");
    assert!(tools.len() == 21 && bytes <= 20_000, "{} tools, {bytes} bytes", tools.len());
}

#[tokio::test]
async fn schemas_require_what_the_contract_requires() {
    let project = Project::new();
    let mut client = project.client(AGENT);
    client.initialize().await;
    let answer = client.request("tools/list", json!({})).await;
    for tool in answer["result"]["tools"].as_array().expect("tools") {
        let required = match tool["name"].as_str().expect("a name") {
            "create_feature" => json!(["name", "display_name"]),
            "update_feature" => json!(["name"]),
            "create_task" => json!(["feature", "title"]),
            "update_task" | "get_task" => json!(["id"]),
            "add_comment" => json!(["id", "text"]),
            "append_feature_learning" => json!(["feature", "text"]),
            _ => json!(null),
        };
        assert_eq!(tool["inputSchema"]["required"], required, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object");
    }
}

#[tokio::test]
async fn every_tool_says_what_it_does_and_what_it_answers() {
    let project = Project::new();
    let mut client = project.client(AGENT);
    client.initialize().await;
    let answer = client.request("tools/list", json!({})).await;
    for tool in answer["result"]["tools"].as_array().expect("tools") {
        let (reads, replaces, again) = match tool["name"].as_str().expect("a name") {
            "list_learnings" | "list_features" | "list_tasks" | "get_task" => (true, false, true),
            "update_feature" | "update_task" => (false, true, true),
            _ => (false, false, false),
        };
        let told = &tool["annotations"];
        let hints = [&told["readOnlyHint"], &told["destructiveHint"], &told["idempotentHint"], &told["openWorldHint"]];
        assert_eq!(hints, [&json!(reads), &json!(replaces), &json!(again), &json!(false)], "{tool}");
        assert!(told["title"].is_string(), "{tool}");
        let schema = &tool["outputSchema"];
        assert_eq!(schema["type"], "object", "{tool}");
        let properties = schema["properties"].as_object().expect("properties");
        let required = schema["required"].as_array().expect("required");
        assert!(!required.is_empty() && required.iter().all(|name| properties.contains_key(name.as_str().expect("a name"))), "{tool}");
    }
}

#[tokio::test]
async fn lines_that_are_no_messages_are_answered_and_the_server_goes_on() {
    let project = Project::new();
    let mut client = project.client(AGENT);
    client.initialize().await;
    let huge = format!(r#"{{"jsonrpc":"2.0","id":8,"method":"ping","params":{{"x":"{}"}}}}"#, "x".repeat(5 << 20));
    let late = format!(r#"{{"jsonrpc":"2.0","method":"ping","params":{{"x":"{}"}},"id":"late"}}"#, "x".repeat(5 << 20));
    let deep = "[".repeat(100_000);
    let nested = format!(r#"{{"jsonrpc":"2.0","method":"ping","params":{}{},"id":8}}"#, "[".repeat(5_000), "]".repeat(5_000));
    for (line, code, id) in [
        (&b"hello"[..], -32700, json!(null)),
        (br#"{"jsonrpc":"2.0","id":8,"#, -32700, json!(8)),
        (b"\xff\xfe\x00", -32700, json!(null)),
        (br#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"\ud800"}}"#, -32700, json!(8)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\",\"params\":{\"x\":\"\xe9\"}}", -32700, json!(8)),
        (nested.as_bytes(), -32700, json!(8)),
        (deep.as_bytes(), -32700, json!(null)),
        (huge.as_bytes(), -32700, json!(8)),
        (late.as_bytes(), -32700, json!("late")),
        (b"[]", -32600, json!(null)),
        (b"3", -32600, json!(null)),
        (br#"{"jsonrpc":"2.0","id":8}"#, -32600, json!(8)),
        (br#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, -32600, json!("a")),
        (br#"{"jsonrpc":2.0,"id":8,"method":"ping"}"#, -32600, json!(8)),
        (br#"{"id":8,"method":"ping"}"#, -32600, json!(8)),
        (br#"{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":2025,"capabilities":{}}}"#, -32600, json!(8)),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, json!(1.5)),
        (br#"{"jsonrpc":"2.0","id":8,"method":"tools/list","params":[]}"#, -32600, json!(8)),
        (br#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600, json!(null)),
        (br#"{"jsonrpc":"2.0","id":8,"method":3}"#, -32600, json!(8)),
        // Each sender in a batch waits, so each gets the error.
        (br#"[{"jsonrpc":"2.0","id":8,"method":"ping"}]"#, -32600, json!(8)),
        (br#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#, -32600, json!(null)),
    ] {
        client.line(line).await;
        let answer = client.next().await;
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]);
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{shown}: {answer}");
    }
    client.ok("list_features", json!({})).await;
}

#[tokio::test]
async fn lines_that_ask_for_nothing_get_no_answer() {
    let project = Project::new();
    let mut client = project.client(AGENT);
    for line in [
        "",
        "   \r",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/made_up","params":3}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"no"}}"#,
    ] {
        client.line(line.as_bytes()).await;
    }
    // Its answer is the first one, although all this came before the handshake.
    assert_eq!(client.initialize().await["serverInfo"]["name"], "ralph");
    assert_eq!(client.initialize().await["serverInfo"]["name"], "ralph", "a second handshake is not a fault");
}

#[tokio::test]
async fn requests_are_worked_in_order_and_answered_before_the_end() {
    let project = Project::new();
    let mut client = project.client(AGENT);
    for id in 1..=50 {
        let (tool, arguments) = match id {
            1 => ("create_feature", json!({"name": "pay", "display_name": "Payments"})),
            _ => (
                "create_task",
                json!({"feature": "pay", "title": format!("Task {id}"), "depends_on": if id > 2 { vec![id - 2] } else { vec![] }}),
            ),
        };
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
        client.line(call.to_string().as_bytes()).await;
    }
    let answers = client.end().await;
    let refused: Vec<_> = answers.iter().filter(|answer| answer["result"]["isError"] != false).collect();
    assert!(refused.is_empty(), "{refused:?}");
    let ids: Vec<u64> = answers.iter().filter_map(|answer| answer["id"].as_u64()).collect();
    assert_eq!(ids, (1..=50).collect::<Vec<u64>>());
}

#[tokio::test]
async fn older_and_newer_clients_are_served() {
    let project = Project::new();
    for (asked, agreed) in [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-11-25")] {
        let mut client = project.client(AGENT);
        let hello = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let answer = client.request("initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{answer}");
        client.ok("list_features", json!({})).await;
    }
}

#[tokio::test]
async fn a_batch_is_worked_in_order_and_answered_in_one_line() {
    let project = Project::new();
    let mut client = project.client(AGENT);
    let hello = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    assert_eq!(client.request("initialize", hello.clone()).await["result"]["protocolVersion"], "2025-03-26");
    let call = |id: u32, tool: &str, arguments: serde_json::Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
    let batch = json!([
        call(11, "create_feature", json!({"name": "pay", "display_name": "Payments"})),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call(12, "create_task", json!({"feature": "pay", "title": "Refund"})),
        {"jsonrpc": "2.0", "id": 13, "method": "initialize", "params": hello},
        7,
        {"jsonrpc": "2.0", "id": 14, "method": "no/such"},
        call(15, "get_task", json!({"id": 1})),
    ]);
    client.line(batch.to_string().as_bytes()).await;
    let answers = client.next().await;
    let told: Vec<_> =
        answers.as_array().expect("one line with all").iter().map(|a| (a["id"].clone(), a["error"]["code"].clone())).collect();
    let expected = [(11, None), (12, None), (13, Some(-32600)), (0, Some(-32600)), (14, Some(-32601)), (15, None)];
    let expected: Vec<_> = expected.iter().map(|(id, code)| (if *id == 0 { json!(null) } else { json!(id) }, json!(code))).collect();
    assert_eq!(told, expected, "{answers}");
    assert_eq!(answers[5]["result"]["structuredContent"]["title"], "Refund");

    // A line without an effect has no answer.
    client.line(br#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#).await;
    client.line(br#"[]"#).await;
    assert_eq!(client.next().await["error"]["code"], -32600, "an empty batch is not a message");
    client.line(json!(vec![7; 101]).to_string().as_bytes()).await;
    assert_eq!(client.next().await["error"]["code"], -32600, "a batch has a bound");
    client.ok("list_features", json!({})).await;
}

#[tokio::test]
async fn a_call_that_waits_tells_that_it_is_alive() {
    let project = Project::new();
    let mut client = project.ready().await;
    // Another process writes.
    let queue = project.queue();
    queue.lock().expect("the queue");
    let params = json!({"name": "create_task", "arguments": {"feature": "pay", "title": "Refund"}, "_meta": {"progressToken": "t"}});
    client.line(json!({"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": params}).to_string().as_bytes()).await;
    for number in 1..=2 {
        let told = client.next().await;
        assert_eq!((&told["method"], &told["params"]["progressToken"]), (&json!("notifications/progress"), &json!("t")), "{told}");
        assert_eq!(told["params"]["progress"].as_f64(), Some(f64::from(number)), "{told}");
    }
    queue.unlock().expect("the queue");
    let mut answer = client.next().await;
    while answer["method"] == "notifications/progress" {
        answer = client.next().await;
    }
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(70), &json!(false)), "{answer}");
}

#[tokio::test]
async fn a_cancelled_call_holds_up_no_other() {
    let project = Project::new();
    let mut client = project.ready().await;
    let queue = project.queue();
    queue.lock().expect("the queue");
    let params = json!({"name": "create_task", "arguments": {"feature": "pay", "title": "Refund"}});
    client.line(json!({"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": params}).to_string().as_bytes()).await;
    client.line(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":70}}"#).await;
    client.ok("list_features", json!({})).await;
    queue.unlock().expect("the queue");
    assert!(client.end().await.is_empty(), "a cancelled call is not answered");
}

#[tokio::test]
async fn behind_a_call_that_waits_a_ping_is_answered_and_a_cancelled_request_passed_over() {
    let project = Project::new();
    let mut client = project.ready().await;
    let queue = project.queue();
    queue.lock().expect("the queue");
    for (id, title) in [(70, "First"), (71, "Second"), (72, "Third")] {
        let params = json!({"name": "create_task", "arguments": {"feature": "pay", "title": title}});
        client.line(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string().as_bytes()).await;
    }
    client.line(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":71}}"#).await;
    client.line(br#"{"jsonrpc":"2.0","id":"alive","method":"ping"}"#).await;
    assert_eq!(client.next().await, json!({"jsonrpc": "2.0", "id": "alive", "result": {}}));
    queue.unlock().expect("the queue");
    let answered = [client.next().await, client.next().await].map(|answer| answer["result"]["structuredContent"]["id"].clone());
    assert_eq!(answered, [1, 2]);
    let titles: Vec<String> = project.app.tasks(&TaskFilter::default()).expect("lists").into_iter().map(|task| task.title).collect();
    assert_eq!(titles, ["First", "Third"]);
    assert!(client.end().await.is_empty());
}

#[tokio::test]
async fn the_end_of_input_ends_the_server() {
    let project = Project::new();
    assert!(project.client(AGENT).end().await.is_empty(), "before the handshake");
    let mut client = project.client(AGENT);
    client.initialize().await;
    assert!(client.end().await.is_empty(), "after it");
}
