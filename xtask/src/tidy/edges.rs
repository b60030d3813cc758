//! Which crate may use which: arrows point down only.

use super::Finding;
use serde_json::Value;

/// Each crate with the workspace crates that it may use.
const EDGES: &[(&str, &[&str])] = &[
    ("ralph-core", &[]),
    ("ralph-rag", &["ralph-core"]),
    ("sqlite-db", &["ralph-core"]),
    ("agent-cli", &["ralph-core"]),
    ("scripted-agent", &["agent-cli", "ralph-core"]),
    ("git-repo", &["ralph-core"]),
    ("model-endpoint", &[]),
    ("key-store", &[]),
    ("text-embed", &["model-endpoint"]),
    ("code-facts", &[]),
    (
        "ralph-app",
        &["ralph-core", "ralph-rag", "sqlite-db", "agent-cli", "git-repo", "model-endpoint", "key-store", "text-embed", "code-facts"],
    ),
    ("ralph-eval", &["ralph-app", "ralph-core", "ralph-rag", "sqlite-db", "text-embed"]),
    ("ralph-mcp", &["ralph-app", "ralph-core"]),
    ("ralph-cli", &["ralph-app", "ralph-core", "ralph-eval", "ralph-mcp", "scripted-agent"]),
    ("ralph-desktop", &["ralph-app", "ralph-core"]),
    ("ralph-bench", &["ralph-app", "ralph-core", "ralph-rag", "sqlite-db", "agent-cli", "git-repo", "ralph-testkit", "text-embed"]),
    ("ralph-testkit", &["ralph-core"]),
    ("journeys", &["ralph-core", "ralph-testkit"]),
    ("xtask", &[]),
];

/// An external crate (a final `*` matches any ending) with the only workspace crates that may use it.
const ONLY_IN: &[(&str, &[&str])] = &[
    // The bench measures against bare SQL.
    ("rusqlite*", &["sqlite-db", "ralph-bench"]),
    ("tauri*", &["ralph-desktop"]),
    ("open", &["ralph-desktop"]),
    ("ureq", &["model-endpoint"]),
    ("keyring*", &["key-store"]),
    // A server in ralph-mcp; a client in the scripted agent, which calls tools as other agents do.
    ("rmcp", &["scripted-agent", "ralph-mcp"]),
    ("clap", &["ralph-cli", "xtask"]),
    ("tokenizers", &["text-embed"]),
    ("pulldown-cmark", &["ralph-core"]),
    ("tree-sitter*", &["code-facts"]),
    ("tokio", &["agent-cli", "scripted-agent", "ralph-app", "ralph-mcp", "ralph-cli", "ralph-desktop", "ralph-testkit", "journeys"]),
];

/// Checks the edges of the workspace, as `cargo metadata` reports them.
pub fn check(metadata: &Value) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in list(&metadata["packages"]) {
        let name = text(&package["name"]);
        let Some((_, allowed)) = EDGES.iter().find(|(known, _)| *known == name) else {
            findings.push(finding(name, "has no floor: add it to EDGES in xtask/src/tidy/edges.rs and to ARCHITECTURE.md".to_owned()));
            continue;
        };
        for dependency in list(&package["dependencies"]) {
            let (used, kind) = (text(&dependency["name"]), text(&dependency["kind"]));
            let ours = EDGES.iter().any(|(known, _)| *known == used);
            let for_tests = kind == "dev" && used == "ralph-testkit";
            if ours && !for_tests && !allowed.contains(&used) {
                findings.push(finding(name, format!("must not use {used}: arrows point down only (ARCHITECTURE.md)")));
            }
            if let Some((_, users)) = ONLY_IN.iter().find(|(pattern, _)| matches(pattern, used))
                && !users.contains(&name)
            {
                findings.push(finding(name, format!("must not use {used}: only {} may", users.join(", "))));
            }
        }
    }
    findings
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

fn finding(package: &str, what: String) -> Finding {
    Finding { path: format!("crate {package}"), line: 0, message: what }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn faults(package: &str, dependency: &str, kind: &Value) -> usize {
        check(&json!({"packages": [{"name": package, "dependencies": [{"name": dependency, "kind": kind}]}]})).len()
    }

    #[test]
    fn edges_point_down_and_technologies_stay_in_their_crate() {
        for (package, dependency, kind, expected) in [
            ("ralph-app", "sqlite-db", Value::Null, 0),
            ("sqlite-db", "ralph-app", Value::Null, 1),
            ("ralph-core", "ralph-rag", Value::Null, 1),
            ("ralph-cli", "sqlite-db", Value::Null, 1),
            ("sqlite-db", "rusqlite_migration", Value::Null, 0),
            ("ralph-app", "rusqlite", json!("dev"), 1),
            ("ralph-cli", "tauri-build", json!("build"), 1),
            ("ralph-core", "tokio", Value::Null, 1),
            ("ralph-core", "serde", Value::Null, 0),
            ("ralph-app", "ralph-testkit", json!("dev"), 0),
            ("ralph-app", "ralph-testkit", Value::Null, 1),
            ("ralph-new", "serde", Value::Null, 1),
        ] {
            assert_eq!(faults(package, dependency, &kind), expected, "{package} → {dependency} {kind}");
        }
    }
}
