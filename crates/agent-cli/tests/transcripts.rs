//! Recorded transcripts of real agents, parsed into signals; and mutations of them, which must never make a parser fail.
#![allow(clippy::unwrap_used, reason = "functions of tests")]

use agent_cli::{Dialect, parse_transcript};
use proptest::prelude::*;
use ralph_core::limits::AGENT_LINE_BYTES;
use ralph_core::signal::{AgentSignal, Ending};
use std::fs;
use std::path::{Path, PathBuf};

/// One line of each kind, each wrapped with its source.
const KINDS: &str = "claude-event-kinds";

fn recordings() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut recordings: Vec<(String, PathBuf)> = files
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    recordings.sort();
    assert!(recordings.len() > 20, "the recordings are gone");
    recordings
}

fn dialect_of(name: &str) -> Dialect {
    Dialect::named(name.split('-').next().unwrap()).unwrap()
}

/// The lines as printed by the agent.
fn content(name: &str, path: &Path) -> Vec<u8> {
    let recorded = fs::read(path).unwrap();
    if name != KINDS {
        return recorded;
    }
    let lines = recorded.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice::<serde_json::Value>(line).unwrap()["line"].to_string() + "\n").collect::<String>().into_bytes()
}

fn parse(dialect: Dialect, bytes: &[u8]) -> Vec<AgentSignal> {
    parse_transcript(dialect, bytes).unwrap()
}

fn endings(signals: &[AgentSignal]) -> Vec<Ending> {
    signals.iter().filter_map(|signal| if let AgentSignal::TurnEnded { ending, .. } = signal { Some(*ending) } else { None }).collect()
}

#[test]
fn every_recording_reads_as_its_snapshot() {
    for (name, path) in recordings() {
        let signals = parse(dialect_of(&name), &content(&name, &path));
        let lines: Vec<String> = signals.iter().map(|signal| serde_json::to_string(signal).unwrap()).collect();
        insta::assert_snapshot!(name, lines.join("\n"));
    }
}

#[test]
fn every_recording_ends_as_it_did() {
    use Ending::*;
    let expected: &[(&str, &[Ending])] = &[
        ("claude-01-text", &[Completed]),
        ("claude-10-429-retry", &[Completed]),
        ("claude-12-529-forever", &[Overloaded]),
        ("claude-14-400-credit", &[Authentication]),
        ("claude-17-drop", &[Network]),
        ("claude-19-max-turns", &[MaxTurns]),
        ("claude-20-budget", &[MaxBudget]),
        ("claude-30-sigterm-pid", &[]),
        ("claude-31-sigint-pid", &[Interrupted]),
        ("claude-44-subagent", &[Completed, Completed]),
        ("claude-61-bg", &[Completed, Completed]),
        ("codex-02-tools", &[Completed]),
        ("codex-05-401", &[Authentication]),
        ("codex-08-drop", &[Network]),
        ("codex-09-subagent", &[Completed]),
        ("gemini-02-tools", &[Completed]),
        ("opencode-02-tools", &[Completed]),
        ("opencode-03-401", &[Authentication]),
        ("opencode-04-subagent", &[Completed]),
        ("qwen-02-tools", &[Completed]),
    ];
    let recordings = recordings();
    for (name, endings_then) in expected {
        let (_, path) = recordings.iter().find(|(other, _)| other == name).unwrap();
        assert_eq!(endings(&parse(dialect_of(name), &content(name, path))), *endings_then, "{name}");
    }
}

#[test]
fn costs_add_up_to_what_the_session_cost() {
    let cases = [
        ("claude-61-bg", 3_600, 0.0126),
        ("claude-44-subagent", 10_800, 0.0378),
        ("claude-45b-resume", 1_200, 0.0042),
        ("claude-20-budget", 100_000, 0.36),
    ];
    let recordings = recordings();
    for (name, input_tokens, cost) in cases {
        let (_, path) = recordings.iter().find(|(other, _)| other == name).unwrap();
        let mut sum = ralph_core::signal::Usage::default();
        for signal in parse(Dialect::Claude, &content(name, path)) {
            if let AgentSignal::TurnEnded { usage, .. } = signal {
                sum.add(&usage);
            }
        }
        assert_eq!(sum.input_tokens, input_tokens, "{name}");
        assert!((sum.cost_usd.unwrap() - cost).abs() < 1e-9, "{name}: {:?}", sum.cost_usd);
    }
}

#[test]
fn what_subagents_used_and_nobody_tells_is_missing_from_the_cost() {
    for (name, path) in recordings() {
        let signals = parse(dialect_of(&name), &content(&name, &path));
        let unpriced = signals.iter().any(|signal| matches!(signal, AgentSignal::TurnEnded { usage, .. } if usage.unpriced));
        assert_eq!(unpriced, ["codex-09-subagent", "opencode-04-subagent"].contains(&name.as_str()), "{name}");
    }
}

#[test]
fn partial_messages_do_not_double_the_text() {
    let (name, path) = recordings().into_iter().find(|(name, _)| name == "claude-43-partial").unwrap();
    let signals = parse(Dialect::Claude, &content(&name, &path));
    let texts: Vec<&str> =
        signals.iter().filter_map(|signal| if let AgentSignal::Text { text } = signal { Some(text.as_str()) } else { None }).collect();
    assert_eq!(texts.iter().filter(|text| **text == "Bye.").count(), 1, "{texts:?}");
    assert_eq!(texts.iter().filter(|text| text.starts_with("one ")).count(), 1, "{texts:?}");
}

#[test]
fn what_is_no_json_object_is_kept_as_garbled_and_what_is_unknown_as_its_kind() {
    let lines =
        b"\xff\xfe\x00junk\n[1, 2]\n{\"type\": \"brand_new\", \"subtype\": \"kind\"}\n{\"a\": 1}\n\n   \nlast words without a line break";
    for dialect in Dialect::ALL {
        let signals = parse(dialect, lines);
        let garbled = signals.iter().filter(|signal| matches!(signal, AgentSignal::Garbled { .. })).count();
        let unknown = signals.iter().filter(|signal| matches!(signal, AgentSignal::Unknown { .. })).count();
        assert_eq!((garbled, unknown), (3, 2), "{dialect:?}: {signals:?}");
    }
    assert!(parse(Dialect::Claude, lines).contains(&AgentSignal::Unknown { line_kind: "brand_new/kind".into() }));
}

#[test]
fn a_line_beyond_the_bound_is_told_with_its_length_and_the_next_one_is_read() {
    let mut lines = format!("[\"type\", \"x\", \"{}\"]\n", "y".repeat(10 * AGENT_LINE_BYTES)).into_bytes();
    let length = lines.len() - 1;
    lines.extend(br#"{"message": {"content": [{"text": "hi", "type": "text"}]}, "type": "assistant"}"#);
    let signals = parse(Dialect::Claude, &lines);
    let [AgentSignal::Garbled { text }, AgentSignal::Text { text: next }] = &signals[..] else { panic!("{signals:?}") };
    assert!(text.contains(&length.to_string()) && text.len() < 1_000, "{text}");
    assert_eq!(next, "hi");
}

#[test]
fn what_other_agents_providers_refuse_is_classed_like_claude_s() {
    use Ending::*;
    let codex = |message: &str| serde_json::json!({ "type": "turn.failed", "error": { "message": message } });
    let gemini =
        |message: &str| serde_json::json!({ "type": "result", "status": "error", "error": { "type": "Error", "message": message } });
    let qwen = |message: &str| {
        let error = serde_json::json!({ "message": message });
        serde_json::json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "error": error })
    };
    let opencode = |reason: &str| serde_json::json!({ "type": "step_finish", "part": { "reason": reason, "tokens": {} } });
    for (dialect, line, ending) in [
        (Dialect::Codex, codex("exceeded retry limit, last status: 429 Too Many Requests"), RateLimited),
        (Dialect::Codex, codex("Selected model is at capacity. Please try a different model."), Overloaded),
        (Dialect::Codex, codex("unexpected status 404 Not Found: The model `gpt-9` does not exist"), ModelUnavailable),
        (Dialect::Codex, codex("Your input exceeds the context window of this model."), ContextTooLong),
        (Dialect::Gemini, gemini("[API Error: {\"error\":{\"code\":401,\"status\":\"UNAUTHENTICATED\"}}]"), Authentication),
        (Dialect::Gemini, gemini("API key not valid. Please pass a valid API key."), Authentication),
        (Dialect::Gemini, gemini("models/gemini-9 is not found for API version v1beta"), ModelUnavailable),
        (Dialect::Gemini, gemini("something else"), Failed),
        (Dialect::Qwen, qwen("[API Error: 401 Incorrect API key provided]"), Authentication),
        (Dialect::Qwen, qwen("[API Error: Connection error.]"), Network),
        (Dialect::Opencode, opencode("unknown"), Network),
        (Dialect::Opencode, opencode("length"), Failed),
        (Dialect::Opencode, opencode("stop"), Completed),
    ] {
        assert_eq!(endings(&parse(dialect, line.to_string().as_bytes())), [ending], "{line}");
    }
    let waits = br#"{"type":"error","message":"Waiting for network connection..."}"#;
    assert_eq!(parse(Dialect::Codex, waits), [AgentSignal::Retry { attempt: 1, status: None, delay_ms: 0, words: String::new() }]);
}

/// Ending, text length and dollars of the only turn.
fn turn(lines: &[u8]) -> (Ending, usize, Option<f64>) {
    let turns: Vec<_> = parse(Dialect::Claude, lines)
        .into_iter()
        .filter_map(|s| {
            if let AgentSignal::TurnEnded { ending, text, usage, .. } = s { Some((ending, text.len(), usage.cost_usd)) } else { None }
        })
        .collect();
    assert_eq!(turns.len(), 1, "{turns:?}");
    turns[0]
}

#[test]
fn a_result_of_any_length_keeps_its_cost_and_its_words() {
    let result = |text: &str, denied: &str, usd: f64| {
        let denial = serde_json::json!({ "tool_name": "Write", "tool_use_id": "t", "tool_input": { "file_path": "a", "content": denied } });
        let denials = [denial.clone(), denial.clone(), denial];
        let line = serde_json::json!({
            "is_error": false, "permission_denials": denials, "result": text, "subtype": "success", "total_cost_usd": usd, "type": "result",
        });
        (line.to_string() + "\n").into_bytes()
    };
    let long = "ä".repeat(AGENT_LINE_BYTES / 4 * 3) + "\n<task-done/>";
    assert_eq!(turn(&result(&long, "", 0.25)), (Ending::Completed, long.len(), Some(0.25)));
    let (ending, _, usd) = turn(&result("ok", &"\u{1f600}".repeat(4 * AGENT_LINE_BYTES), 3.5));
    assert_eq!((ending, usd), (Ending::Completed, Some(3.5)));
    let mut lone = result("half a \u{1} character", "", 1.5);
    let at = lone.windows(6).position(|six| six == b"\\u0001").unwrap();
    lone[at..at + 6].copy_from_slice(b"\\ud83d");
    assert_eq!(turn(&lone), (Ending::Completed, "half a \u{fffd} character".len(), Some(1.5)));
    let mut latin = result("one\u{1} latin", "", 2.5);
    let at = latin.windows(6).position(|six| six == b"\\u0001").unwrap();
    latin.splice(at..at + 6, [0xe9]);
    assert_eq!(turn(&latin), (Ending::Completed, "one\u{fffd} latin".len(), Some(2.5)));
    let mut torn = result("ok", "", 1.0);
    torn.truncate(torn.len() / 2);
    assert_eq!(endings(&parse(Dialect::Claude, &torn)), [], "half a result is none");
}

#[test]
fn words_in_pieces_are_joined_before_they_count() {
    let pieces = concat!(
        r#"{"type":"message","role":"assistant","content":"<task-","delta":true}"#,
        "\n",
        r#"{"type":"message","role":"assistant","content":"done>3</task-done>","delta":true}"#,
        "\n",
    );
    assert_eq!(parse(Dialect::Gemini, pieces.as_bytes()), [AgentSignal::Text { text: "<task-done>3</task-done>".into() }]);
}

/// One possible corruption of bytes in transit.
#[derive(Clone, Debug)]
enum Mutation {
    Flip(prop::sample::Index, u8),
    Truncate(prop::sample::Index),
    Double(prop::sample::Index),
    Nest(prop::sample::Index, usize),
    Retype(prop::sample::Index, &'static str),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<prop::sample::Index>;
    const VALUES: [&str; 9] = ["null", "[]", "{}", "-1", "1e400", "18446744073709551616", "\"\\u0000\"", "[[{}]]", "true"];
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(place, byte)| Mutation::Flip(place, byte)),
        at().prop_map(Mutation::Truncate),
        at().prop_map(Mutation::Double),
        (at(), 1..300usize).prop_map(|(place, depth)| Mutation::Nest(place, depth)),
        (at(), prop::sample::select(&VALUES[..])).prop_map(|(place, value)| Mutation::Retype(place, value)),
    ]
}

fn mutate(line: &mut Vec<u8>, mutation: &Mutation) {
    if line.is_empty() {
        return;
    }
    match mutation {
        Mutation::Flip(place, byte) => {
            let place = place.index(line.len());
            line[place] = *byte;
        }
        Mutation::Truncate(place) => line.truncate(place.index(line.len())),
        Mutation::Double(place) => line.extend_from_within(place.index(line.len())..),
        Mutation::Nest(place, depth) => {
            let place = place.index(line.len());
            line.splice(place..place, b"{\"a\":[".repeat(*depth));
        }
        Mutation::Retype(place, value) => {
            // A value of another type after a random colon: usually still JSON, so that it reaches the fields.
            let colons: Vec<usize> = line.windows(2).enumerate().filter(|(_, two)| *two == b"\":").map(|(at, _)| at + 2).collect();
            if let Some(&start) = colons.get(place.index(colons.len().max(1))) {
                let length = value_length(&line[start..]);
                line.splice(start..start + length, value.bytes());
            }
        }
    }
}

/// Bytes of the JSON value at the beginning of `bytes`.
fn value_length(bytes: &[u8]) -> usize {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<serde::de::IgnoredAny>();
    values.next();
    values.byte_offset()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_lines_never_stop_a_parser(
        recording in any::<prop::sample::Index>(),
        lines in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(mutation(), 0..6)), 1..20),
    ) {
        let recordings = recordings();
        let (name, path) = recording.get(&recordings);
        let content = content(name, path);
        let originals: Vec<&[u8]> = content.split(|&byte| byte == b'\n').collect();
        let mut bytes = Vec::new();
        for (place, mutations) in &lines {
            let mut line = place.get(&originals).to_vec();
            mutations.iter().for_each(|mutation| mutate(&mut line, mutation));
            bytes.extend(line);
            bytes.push(b'\n');
        }
        for dialect in Dialect::ALL {
            for signal in parse(dialect, &bytes) {
                // The result can be stored in the event log and read back.
                let kept = serde_json::to_string(&signal).unwrap();
                serde_json::from_str::<AgentSignal>(&kept).unwrap();
            }
        }
    }
}
