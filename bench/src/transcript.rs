//! Lines of an agent on their way from the pipe to the screen, against plain JSON parsing of the same lines.

use crate::Measured;
use crate::figure::{Aim, Figure, in_turns};
use agent_cli::{Dialect, parse_transcript};
use ralph_core::signal::{TranscriptEntry, TranscriptSignal};
use ralph_core::time::Timestamp;
use serde_json::{Value, json};
use std::error::Error;
use std::io::BufRead as _;
use std::path::Path;

/// Steps of the made-up session: each a thought, words, a call and its answer.
const STEPS: usize = 1_000;
/// Bytes that one read of a pipe gives at most.
const READ_BYTES: usize = 65_536;
/// Transcripts of the real CLI that the parser's tests keep.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/agent-cli/tests/transcripts");

/// A session as Claude Code prints it, and the recorded ones.
pub fn measure(quick: bool) -> Measured {
    let rounds = if quick { 5 } else { 41 };
    let mut figures = Vec::new();
    for (name, bytes) in [("a working session", session(if quick { STEPS / 10 } else { STEPS })), ("recorded sessions", recorded()?)] {
        let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
        let reads = reads(&lines);
        let (value, floor) = in_turns(rounds, || to_screen(&reads), || plain(&lines))?;
        let name = format!("transcript from pipe to screen model, {name} ({} bytes a line)", bytes.len() / lines.len());
        let per_second = |millis: f64| lines.len() as f64 / millis * 1_000.0;
        let floor = ("plain serde_json, same lines", floor.map(per_second));
        figures.push(Figure::new(name, "lines/s", value.map(per_second), floor, Aim::RatioAtLeast(0.5)));
    }
    Ok(figures)
}

/// The lines as a pipe hands them over: as many as fit one read.
fn reads(lines: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut reads: Vec<Vec<u8>> = vec![Vec::new()];
    for line in lines {
        if reads.last().is_none_or(|read| read.len() + line.len() >= READ_BYTES) {
            reads.push(Vec::new());
        }
        if let Some(read) = reads.last_mut() {
            read.extend_from_slice(line);
            read.push(b'\n');
        }
    }
    reads
}

/// The whole way: split and parsed, secrets taken out, written as lines of the log, read back as what a page is sent.
fn to_screen(reads: &[Vec<u8>]) -> Result<(), Box<dyn Error>> {
    let mut log = Vec::new();
    for read in reads {
        log.clear();
        for signal in parse_transcript(Dialect::Claude, read.as_slice())? {
            let signal = TranscriptSignal::Agent { signal: ralph_app::kept(&signal) };
            serde_json::to_writer(&mut log, &TranscriptEntry { at: Timestamp(1_700_000_000_000), signal })?;
            log.push(b'\n');
        }
        let mut rest = log.as_slice();
        let mut line = Vec::new();
        while rest.read_until(b'\n', &mut line)? > 0 {
            std::hint::black_box(serde_json::from_slice::<TranscriptEntry>(&line)?);
            line.clear();
        }
    }
    Ok(())
}

fn plain(lines: &[&[u8]]) -> Result<(), Box<dyn Error>> {
    for line in lines {
        std::hint::black_box(serde_json::from_slice::<Value>(line)?);
    }
    Ok(())
}

fn recorded() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut paths = std::fs::read_dir(Path::new(RECORDED))?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("claude-")));
    paths.sort();
    let mut bytes = Vec::new();
    for path in paths {
        let text = std::fs::read(path)?;
        // Some hold lines that are no JSON on purpose: those have no floor.
        for line in text.split(|&byte| byte == b'\n').filter(|line| serde_json::from_slice::<Value>(line).is_ok()) {
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        }
    }
    Ok(bytes)
}

/// What Claude Code prints while it reads, edits and tests: the answers of tools are most of the bytes.
fn session(steps: usize) -> Vec<u8> {
    let mut lines = vec![
        json!({"type": "system", "subtype": "init", "cwd": "/home/dev/shop", "session_id": session_id(), "model": "claude-sonnet-4-5",
        "tools": ["Bash", "Edit", "Read", "Write"], "mcp_servers": [{"name": "ralph", "status": "connected"}], "permissionMode": "acceptEdits"}),
    ];
    for step in 0..steps {
        let thought = "The failing test calls `total` with an empty basket; the sum itself is right, so the rounding must come too early. ";
        lines.push(assistant(step, &json!({"type": "thinking", "thinking": thought.repeat(3), "signature": "c2lnbmF0dXJl".repeat(24)})));
        let words = format!("Step {step}: the tax is rounded on each line. I will round once, on the order, and keep the lines exact.");
        lines.push(assistant(step, &json!({"type": "text", "text": words})));
        let (name, input, answer) = work(step);
        let id = format!("toolu_01{step:022}");
        lines.push(assistant(step, &json!({"type": "tool_use", "id": id, "name": name, "input": input})));
        lines.push(
            json!({"type": "user", "message": {"role": "user", "content": [{"tool_use_id": id, "type": "tool_result", "content": answer}]},
            "parent_tool_use_id": null, "session_id": session_id(), "uuid": uuid(step), "timestamp": "2026-11-21T20:56:59.176Z",
            "tool_use_result": {"stdout": answer, "stderr": "", "interrupted": false}}),
        );
    }
    lines.push(
        json!({"type": "result", "subtype": "success", "is_error": false, "result": "The tax is rounded once. <task-done></task-done>",
        "session_id": session_id(), "num_turns": steps, "total_cost_usd": 1.25, "usage": {"input_tokens": 12, "output_tokens": 3400}}),
    );
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

/// A call and what it answers: a file that is read, an edit, a run of the tests.
fn work(step: usize) -> (&'static str, Value, String) {
    match step % 3 {
        0 => {
            let line = |n: usize| {
                format!("{n:>6}\u{2192}    total += round(line.price * line.count * TAX[line.country], 2)  # line {n} of {step}\n")
            };
            ("Read", json!({"file_path": format!("/home/dev/shop/src/order_{step}.py")}), (1..60).map(line).collect())
        }
        1 => {
            let input =
                json!({"file_path": "/home/dev/shop/src/order.py", "old_string": "total += round(x, 2)", "new_string": "total += x"});
            ("Edit", input, "The file /home/dev/shop/src/order.py has been updated.".to_owned())
        }
        _ => {
            let line = |n: usize| format!("tests/test_order.py::test_total_{n} PASSED [{:>3}%]\n", n * 3);
            ("Bash", json!({"command": "pytest -q tests/test_order.py", "description": "Run the tests"}), (1..34).map(line).collect())
        }
    }
}

fn assistant(step: usize, block: &Value) -> Value {
    json!({"type": "assistant", "message": {"id": format!("msg_{step:024}"), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [block], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 1200, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 18000, "output_tokens": 120, "service_tier": "standard"}},
        "parent_tool_use_id": null, "session_id": session_id(), "uuid": uuid(step), "timestamp": "2026-11-21T20:56:58.986Z"})
}

fn session_id() -> &'static str {
    "5f0c2a52-0c7e-4f7e-9d0b-3f6f0d1f2b11"
}

fn uuid(step: usize) -> String {
    format!("844e1d7b-a913-493e-b315-{step:012}")
}
