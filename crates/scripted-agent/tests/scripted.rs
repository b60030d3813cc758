//! The scripted agent as a program: what it does to files, git and MCP servers, and how it tells a bad script.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod common;

use agent_cli::McpServerSpec;
use common::{Bench, texts};
use ralph_core::signal::{AgentSignal, Ending};
use std::process::Command;

/// An MCP server in a few lines of shell: answers every call with the arguments it got, and a field `id`.
const SERVER: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
while read -r line; do
  echo "$line" >> received
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) answer "$id" '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *refuse*) answer "$id" '{"content":[{"type":"text","text":"not this one"}],"isError":true}' ;;
    *'"method":"tools/call"'*) answer "$id" '{"content":[{"type":"text","text":"{\"id\": 7, \"feature\": {\"name\": \"x\"}}"}]}' ;;
  esac
done
echo "$RALPH_TASK" > server-ended
"#;

#[tokio::test]
async fn works_on_files_and_commits_them() {
    let script = r#"
edit src/${task}.txt <<EOF
# not a remark
  ${title}
EOF
repeat 2
  append notes.txt line ${n}
end
commit Do task ${task}
run cat notes.txt; exit 3
"#;
    let bench = Bench::scripted(script);
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).current_dir(&bench.spec.cwd).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "--quiet"]);
    let (signals, exit) = bench.run().await;
    assert_eq!(exit.ending, Ending::Completed, "{exit:?}");
    assert_eq!(bench.read("src/3.txt"), "# not a remark\n  Say \"hi\"\n");
    assert_eq!(bench.read("notes.txt"), "line 1\nline 2\n");
    assert_eq!(git(&["log", "--format=%s"]), "Do task 3\n");
    assert_eq!(git(&["status", "--porcelain"]), "");
    let last = signals.iter().rev().find_map(|signal| {
        if let AgentSignal::ToolResult { is_error, summary, .. } = signal { Some((*is_error, summary.as_str())) } else { None }
    });
    assert_eq!(last, Some((true, "line 1\nline 2\n")));
}

#[tokio::test]
async fn stays_below_its_work_folder() {
    let bench = Bench::scripted("[*]\nappend link/x.txt out\n");
    std::os::unix::fs::symlink(bench.folder.path(), bench.path("link")).unwrap();
    assert!(bench.run().await.1.detail.contains("line 2: 'link/x.txt' leads out of the work folder"));
    for path in ["../x.txt", "/x.txt", "a/../../x.txt"] {
        let (_, exit) = Bench::scripted(&format!("append {path} out\n")).run().await;
        assert_eq!((exit.ending, exit.code), (Ending::Crashed, Some(2)), "{path}: {exit:?}");
    }
}

#[tokio::test]
async fn calls_tools_as_an_mcp_client_and_uses_their_answers() {
    let script = r#"
mcp create_task {"title": "${title}", "task": ${task}}
say made ${mcp.id} in ${mcp.feature.name}
mcp refuse {}
done
"#;
    let mut bench = Bench::scripted(script);
    let server = McpServerSpec {
        name: "ralph".into(),
        command: "sh".into(),
        args: vec!["-c".into(), SERVER.into()],
        env: vec![],
        always_load: false,
    };
    bench.spec.mcp_servers = vec![server];
    let (signals, exit) = bench.run().await;
    assert_eq!(exit.ending, Ending::Completed, "{exit:?} {signals:?}");
    assert_eq!(texts(&signals), ["made 7 in x", "<task-done>3</task-done>"]);
    let AgentSignal::ToolCall { name, summary, .. } = &signals[1] else { panic!("{signals:?}") };
    assert_eq!((name.as_str(), summary.as_str()), ("mcp__ralph__create_task", r#"Say "hi""#));
    let refused =
        signals.iter().any(|signal| matches!(signal, AgentSignal::ToolResult { is_error: true, summary, .. } if summary == "not this one"));
    assert!(refused, "{signals:?}");
    assert!(bench.read("received").contains(r#"{"task":3,"title":"Say \"hi\""}"#), "{}", bench.read("received"));
    assert_eq!(bench.read("server-ended"), "3\n");
    let left: Vec<_> = std::fs::read_dir(&bench.spec.scratch_dir).unwrap().collect();
    assert!(left.is_empty(), "the MCP configuration stayed: {left:?}");
}

#[tokio::test]
async fn a_missing_server_is_a_failed_call_not_a_failed_agent() {
    let mut bench = Bench::scripted("mcp create_task {}\ndone\n");
    let (signals, exit) = bench.run().await;
    assert!(signals.iter().any(|signal| matches!(signal, AgentSignal::ToolResult { is_error: true, .. })));
    assert_eq!(exit.ending, Ending::Completed);
    let server = McpServerSpec { name: "ralph".into(), command: "/nowhere/ralph".into(), args: vec![], env: vec![], always_load: false };
    bench.spec.mcp_servers = vec![server];
    assert_eq!(bench.run().await.1.ending, Ending::Completed);
}

#[tokio::test]
async fn a_bad_script_is_told_with_its_line() {
    let cases = [
        ("say hi\nsya ho\n", 2, "line 2: 'sya' is not a statement"),
        ("[task 9]\nsay hi\n", 2, "no block for task 3"),
        ("say ${mcp.id}\n", 2, "line 1: ${mcp.id} has no value"),
        ("mcp tool [1]\n", 2, "line 1: no JSON object"),
        ("expect something else\n", 3, "the prompt does not hold 'something else'"),
    ];
    for (script, code, told) in cases {
        let (_, exit) = Bench::scripted(script).run().await;
        assert_eq!((exit.ending, exit.code), (Ending::Crashed, Some(code)), "{script}: {exit:?}");
        assert!(exit.detail.contains(told), "{script}: {}", exit.detail);
    }
}
