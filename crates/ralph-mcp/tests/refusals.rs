//! An invalid call has a result for the agent: which field, what is wrong, and how to fix it.

mod common;

use common::Project;
use serde_json::{Value, json};

#[tokio::test]
async fn faults_name_the_field_and_the_way_out() {
    let project = Project::new();
    let mut client = project.ready().await;
    client.ok("create_task", json!({"feature": "pay", "title": "One"})).await;
    for (tool, arguments, code, message, hint) in [
        ("create_feature", json!({"name": "x"}), "invalid", "display_name: is missing", "give display_name"),
        ("create_feature", json!({"display_name": "X"}), "invalid", "name: is missing", "give name"),
        ("create_feature", json!({"name": "../x", "display_name": "X"}), "invalid", "name: ", "for example"),
        ("create_feature", json!({"name": "pay", "display_name": "X"}), "exists", "'pay'", "another name"),
        ("create_feature", json!({"name": "x", "display_name": "X", "parent": "nope"}), "not_found", "'nope'", "list_features"),
        (
            "create_feature",
            json!({"name": "x", "display_name": "X", "context_files": ["/etc/passwd"]}),
            "invalid",
            "context_files: ",
            "relative",
        ),
        ("update_feature", json!({"name": "nope"}), "not_found", "'nope'", "list_features"),
        ("update_feature", json!({"name": "pay", "state": "decomposed"}), "invalid", "state: ", "active, archived"),
        ("update_feature", json!({"name": "pay", "max_learnings": 2}), "invalid", "max_learnings: ", "5 to 1000"),
        ("create_task", json!({"feature": "pay"}), "invalid", "title: is missing", "give title"),
        ("create_task", json!({"feature": "pay", "title": 5}), "invalid", "title: 5 is not accepted", "a string"),
        (
            "create_task",
            json!({"feature": "pay", "title": "T", "priority": "urgent"}),
            "invalid",
            "priority: \"urgent\"",
            "low, medium, high, critical",
        ),
        ("create_task", json!({"feature": "pay", "title": "T", "status": "InProgress"}), "invalid", "status: ", "in_progress"),
        ("create_task", json!({"feature": "pay", "title": "T", "status": "in_progress"}), "invalid", "status: ", "pending"),
        ("create_task", json!({"feature": "pay", "title": "T", "colour": "red"}), "invalid", "colour: is not known", "title"),
        ("create_task", json!({"feature": "pay", "title": "T", "tags": "a"}), "invalid", "tags: ", "list of strings"),
        ("create_task", json!({"feature": "pay", "title": "T", "depends_on": [99]}), "invalid", "depends_on: ", ""),
        ("create_task", json!({"feature": "pay", "title": "T", "depends_on": [1.5]}), "invalid", "depends_on: ", "whole numbers"),
        ("create_task", json!({"feature": "pay", "title": "T", "discipline": "x"}), "invalid", "discipline: ", "backend"),
        ("update_task", json!({"status": "done"}), "invalid", "id: is missing", "give id"),
        ("update_task", json!({"id": 99}), "not_found", "task '99'", "list_tasks"),
        ("update_task", json!({"id": -1}), "invalid", "id: -1", "whole number"),
        ("update_task", json!({"id": "one"}), "invalid", "id: \"one\"", "whole number"),
        ("update_task", json!({"id": 4_294_967_296_u64}), "invalid", "id: ", "4294967295"),
        ("update_task", json!({"id": 1, "depends_on": [1]}), "invalid", "depends_on: ", "remove"),
        ("update_task", json!({"id": 1, "feature": "nope"}), "not_found", "'nope'", "list_features"),
        ("get_task", json!({}), "invalid", "id: is missing", "give id"),
        ("get_task", json!({"id": [1]}), "invalid", "id: [1]", "whole number"),
        ("add_comment", json!({"id": 1, "text": "  "}), "invalid", "text: is empty", ""),
        ("add_comment", json!({"id": 1, "text": "x".repeat(60_000)}), "invalid", "text: is longer", "file"),
        ("append_feature_learning", json!({"feature": "pay"}), "invalid", "text: is missing", "give text"),
        ("append_feature_learning", json!({"text": "x"}), "invalid", "feature: is missing", "give feature"),
        ("append_feature_learning", json!({"feature": "pay", "text": null}), "invalid", "text: is missing", "give text"),
        ("append_feature_learning", json!({"feature": "pay", "text": "x", "source": "cat"}), "invalid", "source: \"cat\"", "agent, auto"),
        ("append_feature_learning", json!({"feature": "nope", "text": "x"}), "not_found", "'nope'", "list_features"),
        ("list_learnings", json!({"feature": "nope"}), "not_found", "'nope'", "list_features"),
        ("list_learnings", json!({"state": "lost"}), "invalid", "state: \"lost\"", "parked"),
        ("list_tasks", json!({"status": ["done"]}), "invalid", "status: [\"done\"]", "pending"),
        ("list_tasks", json!({"limit": 0}), "invalid", "limit: 0", "from 1 to 200"),
        ("list_features", json!({"all": true}), "invalid", "all: is not known", "limit, offset"),
        ("drop_database", json!({}), "unknown_tool", "'drop_database'", "append_feature_learning"),
    ] {
        let error = client.refused(tool, arguments.clone()).await;
        let says = |key: &str, part: &str| error[key].as_str().is_some_and(|text| text.contains(part));
        assert_eq!(error["code"], code, "{tool} {arguments}: {error}");
        assert!(says("message", message) && says("hint", hint), "{tool} {arguments}: {error}");
    }
    let tasks = client.ok("list_tasks", json!({})).await;
    assert_eq!(tasks["tasks"].as_array().map(Vec::len), Some(1), "a refused call changes nothing");
}

#[tokio::test]
async fn every_field_of_every_schema_is_checked_and_read() {
    let project = Project::new();
    let mut client = project.ready().await;
    let tools = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    for tool in tools.as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        for field in tool["inputSchema"]["properties"].as_object().expect("properties").keys() {
            for wrong in [json!({"a": 1}), json!(true), json!([[]])] {
                let error = client.refused(name, json!({ field: wrong })).await;
                let message = error["message"].as_str().expect("a message");
                assert!(message.starts_with(&format!("{field}: ")) && message.ends_with("is not accepted"), "{name} {field}: {message}");
            }
        }
        // A field unknown to its wire type would be rejected here.
        let all = tool["inputSchema"]["properties"].as_object().expect("properties");
        let given: Value = all.iter().map(|(field, schema)| (field.clone(), example(schema))).collect::<serde_json::Map<_, _>>().into();
        let (_, answer) = client.call(name, given).await;
        assert_ne!(answer["error"]["message"].as_str().map(|m| m.starts_with("arguments: ")), Some(true), "{name}: {answer}");
    }
}

fn example(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("integer") => json!(1),
        Some("array") => json!([]),
        _ => schema["enum"].get(0).cloned().unwrap_or(json!("pay")),
    }
}

#[tokio::test]
async fn parameters_that_are_no_call_are_answered() {
    let project = Project::new();
    let mut client = project.ready().await;
    for arguments in [json!("feature"), json!([1]), json!(7)] {
        let error = client.refused("list_tasks", arguments).await;
        assert!(error["message"].as_str().is_some_and(|message| message.starts_with("arguments: ")), "{error}");
    }
    for params in [json!({}), json!({"name": 3}), json!({"arguments": {}}), json!(null)] {
        let answer = client.request("tools/call", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
    let answer = client.request("tools/call", json!({"name": "list_features"})).await;
    assert_eq!(answer["result"]["isError"], false, "no arguments are no fault");
    assert_eq!(client.request("no/such", json!({})).await["error"]["code"], -32601);
}
