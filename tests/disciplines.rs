//! Disciplines: made and edited by a person, obeyed by agents, and waiting for a yes when they come from elsewhere.

use journeys::{feature, play, prompt, refused, task, text};
use ralph_testkit::Sandbox;
use serde_json::json;

#[test]
fn a_discipline_is_made_shown_edited_and_told() {
    let sandbox = Sandbox::with_project();
    let known = sandbox.ralph_ok(&["discipline", "list"]).as_array().map(Vec::len);
    let set = ["discipline", "set", "Data", "--persona", "You clean data.", "--conventions", "Never drop a row.\nCount twice."];
    let made = sandbox.ralph_ok(&[&set[..], &["--skills", "csv,sql", "--mcp-server", "files=/bin/echo --root ."]].concat());
    let server = json!({"name": "files", "command": "/bin/echo", "args": ["--root", "."]});
    assert_eq!((&made["name"], &made["skills"], &made["mcp_servers"]), (&json!("data"), &json!(["csv", "sql"]), &json!([server])));
    assert_eq!(sandbox.ralph_ok(&["discipline", "show", "data"]), made);
    assert_eq!(sandbox.ralph_ok(&["discipline", "list"]).as_array().map(Vec::len), known.map(|n| n + 1));

    let edited = sandbox.ralph_ok(&["discipline", "set", "data", "--display-name", "Data work", "--mcp-server", ""]);
    assert_eq!((&edited["persona"], &edited["mcp_servers"]), (&made["persona"], &json!([])), "what is left out stays");
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Count rows", &["--discipline", "data"]);
    play(&sandbox, "done\n", &["--max-iterations", "1"]);
    let told = prompt(&sandbox, 1);
    assert!(told.contains("# How you work: Data work") && told.contains("- Never drop a row."), "what a person set needs no yes: {told}");
}

#[test]
fn what_can_not_be_a_discipline_is_refused_by_its_field() {
    let sandbox = Sandbox::with_project();
    for (args, named) in [
        (&["set", "../x", "--persona", "x"][..], "name"),
        (&["set", "data", "--mcp-server", "ralph=/bin/echo"], "Ralph's own"),
        (&["set", "data", "--mcp-server", "a b=/bin/echo"], "a b"),
        (&["set", "data", "--mcp-server", "x=run --token ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"], "secret"),
    ] {
        let error = refused(&sandbox.ralph(&[&["discipline"], args].concat()), "invalid");
        assert!(text(&error["message"]).contains(named), "{error}");
    }
    refused(&sandbox.ralph(&["discipline", "show", "none"]), "not_found");
    assert_eq!(sandbox.ralph(&["discipline", "list"]).json().as_array().map(Vec::len), Some(8));
}
