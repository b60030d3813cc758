//! Endless output: whatever an agent writes, a stop is obeyed at once, memory stays bounded, and what was skipped is counted.
#![cfg(target_os = "linux")]

use journeys::{LIMIT, feature, iterations, learn, lesson, marked, scripted, status_of, task};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::json;
use std::time::{Duration, Instant};

/// KiB of memory that a run may take at most, beyond the pages of its own program.
const MEMORY_KIB: u64 = 80 * 1_024;

/// A project whose agent speaks like Claude Code and then does what `script` says, forever.
fn project(chunk: &str, script: &str) -> Sandbox {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "flood", &[]);
    task(&sandbox, "flood", "Drown", &[]);
    sandbox.write("chunk", chunk);
    let agent = format!("#!/bin/sh\ncase \"$*\" in *--version*) echo 2.1.330; exit;; esac\n{script}\n");
    sandbox.write("agent.sh", &agent);
    sandbox.run(sandbox.command("chmod").args(["+x", "agent.sh"]));
    sandbox
}

fn start(sandbox: &Sandbox) -> Running {
    Running::start(&mut sandbox.ralph_command(&["run", "--agent", "claude", "--agent-path", "./agent.sh", "--jsonl"]), None)
}

/// The most KiB that the process has held so far. The pages of files that it maps are left out: they are its own program, whose size
/// depends on the build and not on any output.
fn memory(run: &Running) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap_or_default();
    let kib = |field: &str| -> u64 {
        let value = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
        value.trim().trim_end_matches(" kB").parse().unwrap_or(0)
    };
    kib("VmHWM:").saturating_sub(kib("RssFile:"))
}

fn log_bytes(sandbox: &Sandbox) -> u64 {
    std::fs::metadata(sandbox.project().join(".ralph/db/logs/1.jsonl")).map_or(0, |file| file.len())
}

/// Waits until the flood has come so far, stops the run, and looks at what it cost.
fn stopped(sandbox: &Sandbox, name: &str, enough: impl Fn(&Sandbox) -> bool) {
    stopped_run(sandbox, start(sandbox), name, enough);
}

fn stopped_run(sandbox: &Sandbox, run: Running, name: &str, enough: impl Fn(&Sandbox) -> bool) {
    wait_until(name, LIMIT, || enough(sandbox).then_some(()));
    let memory = memory(&run);
    let begin = Instant::now();
    sandbox.ralph_ok(&["stop"]);
    assert!(begin.elapsed() < LIMIT, "{name}: the stop took {:?}", begin.elapsed());
    assert!((1..MEMORY_KIB).contains(&memory), "{name}: {memory} KiB");
    assert_eq!(marked(sandbox), [], "{name}");
    let told = run.wait(LIMIT).stdout;
    assert!(told.contains("stopped_now"), "{name}: {}", told.lines().last().unwrap_or_default());
    assert_eq!((&iterations(sandbox)[0]["outcome"], status_of(sandbox, 1)), (&json!("stopped"), "pending".to_owned()), "{name}");
}

#[test]
fn words_that_are_slow_to_wash_hold_up_their_agent_alone() {
    let words = "| a | token | password = x | api_key=y |\n".repeat(50_000);
    let line = json!({"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": words}]}}).to_string();
    let sandbox = project(&(line + "\n"), "while :; do cat chunk; done");
    stopped(&sandbox, "slow words", |sandbox| log_bytes(sandbox) > 4 << 20);
}

#[test]
fn lines_of_every_shape_cost_no_more_memory_than_others() {
    let said =
        |words: String| json!({"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": words}]}}).to_string();
    let result = json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "x".repeat(900)}]}});
    for (name, chunk, script) in [
        ("lines longer than are kept", said("words and more ".repeat(900_000)) + "\n", "while :; do cat chunk; done"),
        ("long words", said("words and more ".repeat(60_000)) + "\n", "while :; do cat chunk; done"),
        ("answers of tools", format!("{result}\n").repeat(1_000), "while :; do cat chunk; done"),
        ("standard error", "a warning\n".repeat(100_000), "while :; do cat chunk >&2; done"),
        ("long standard error", "a warning ".repeat(100_000), "while :; do cat chunk >&2; done"),
    ] {
        let sandbox = project(&chunk, &format!("echo '{{\"type\":\"system\",\"subtype\":\"init\"}}'\n{script}"));
        let begin = Instant::now();
        stopped(&sandbox, name, |sandbox| log_bytes(sandbox) > 0 && begin.elapsed() > Duration::from_secs(3));
    }
}

#[test]
fn plain_lines_leave_memory_bounded_also_while_the_learnings_get_their_vectors() {
    let sandbox = project("", "");
    for number in 0..40 {
        let words: Vec<String> = (0..60).map(|word| format!("w{}", number * 60 + word)).collect();
        learn(&sandbox, "flood", &format!("{} {}", lesson(number), words.join(" ")), &[]);
    }
    let args = scripted(&sandbox, "repeat 20\n  flood 10000000\nend\n", &[]);
    let run = Running::start(&mut sandbox.ralph_command(&args), None);
    let begin = Instant::now();
    // The background indexer begins after three seconds; what it takes is a matter of one or two.
    stopped_run(&sandbox, run, "plain lines", |sandbox| log_bytes(sandbox) > 0 && begin.elapsed() > Duration::from_secs(7));
}

#[test]
fn lines_without_end_and_lines_that_are_none_are_passed_over() {
    for (name, script) in
        [("no line", "tr '\\0' x < /dev/zero"), ("no JSON", "yes"), ("an open object", "printf '{\"a\":\"'; tr '\\0' x < /dev/zero")]
    {
        let sandbox = project("", &format!("echo '{{\"type\":\"system\",\"subtype\":\"init\"}}'\n{script}"));
        let begin = Instant::now();
        stopped(&sandbox, name, |sandbox| log_bytes(sandbox) > 0 && begin.elapsed() > Duration::from_secs(3));
        assert!(log_bytes(&sandbox) < 8 << 20, "{name}");
    }
}

#[test]
fn standard_error_is_bounded_in_log_and_memory_and_what_is_passed_over_is_said() {
    let script = "i=0; while [ $i -lt 40 ]; do cat chunk >&2; i=$((i+1)); done; cat result";
    let sandbox = project(&"a warning that comes again and again\n".repeat(30_000), script);
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": "ok", "total_cost_usd": 0.5});
    let said = json!({"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "<task-done></task-done>"}]}});
    sandbox.write("result", &format!("{said}\n{result}\n"));
    sandbox.ralph_ok(&["run", "--agent", "claude", "--agent-path", "./agent.sh"]);
    let row = iterations(&sandbox).remove(0);
    assert_eq!((&row["outcome"], &row["usage"]["cost_usd"]), (&json!("done"), &json!(0.5)), "{row}");
    assert!(log_bytes(&sandbox) < 16 << 20, "{} bytes", log_bytes(&sandbox));
    let told = sandbox.ralph_ok(&["export"])["iterations"].to_string() + &sandbox.read(".ralph/db/logs/1.jsonl")[..];
    assert!(told.contains("\"dropped\""), "what is missing is counted");
}
