//! Seeded junk: whatever a line contains, the server survives, and a request with a readable id is answered.

mod common;

use common::{AGENT, Project};
use serde_json::json;

/// Lines that are played; each costs about a tenth of a millisecond.
const LINES: u32 = 3_000;

/// A small generator, so that a failing seed can be replayed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        // Constants of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

/// The line, corrupted in one to four places after its first `keep` bytes.
fn broken(line: &str, keep: usize, chance: &mut Chance) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    for _ in 0..=chance.below(4) {
        let at = keep + chance.below(bytes.len() - keep + 1);
        match chance.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, b"\"\\{}[]:,\xff\xe9\x00\x1f0"[chance.below(13)]),
            2 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            3 => drop(bytes.splice(at..at, b"\\ud800".iter().copied())),
            4 => drop(bytes.splice(at..at, "[{\"id\":1},".repeat(200).into_bytes())),
            _ if at < bytes.len() => drop(bytes.remove(at)),
            _ => {}
        }
    }
    // One line stays one line.
    bytes.retain(|byte| *byte != b'\n');
    bytes
}

#[tokio::test]
async fn junk_neither_ends_the_server_nor_leaves_a_request_without_an_answer() {
    let project = Project::new();
    let mut client = project.client(AGENT);
    client.initialize().await;
    let methods = [
        ("tools/call", json!({"name": "list_tasks", "arguments": {"text": "é\"\\", "limit": 1}})),
        ("tools/call", json!({"name": "get_task", "arguments": {"id": 7}, "_meta": {"progressToken": 3}})),
        ("tools/list", json!({"cursor": "x"})),
        ("ping", json!({})),
        ("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})),
        ("resources/list", json!({})),
        ("prompts/get", json!({"name": "x"})),
        ("completion/complete", json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "b"}})),
        ("logging/setLevel", json!({"level": "info"})),
        ("resources/subscribe", json!({"uri": "file:///x"})),
        ("subscriptions/listen", json!({"filter": {}})),
        ("server/discover", json!({})),
        ("tasks/get", json!({"taskId": "x"})),
    ];
    let seed = 20_251_122;
    let mut chance = Chance(seed);
    for number in 0..LINES {
        let id = 1_000 + number;
        let (method, params) = &methods[chance.below(methods.len())];
        let head = format!(r#"{{"id":{id},"#);
        let line = format!(r#"{head}"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        let junk = if chance.below(10) == 0 { line.into_bytes() } else { broken(&line, head.len(), &mut chance) };
        client.line(&junk).await;
        client.line(json!({"jsonrpc": "2.0", "id": "after", "method": "ping"}).to_string().as_bytes()).await;
        let mut waiting = vec![json!(id), json!("after")];
        while !waiting.is_empty() {
            let answer = client.next().await;
            let known = waiting.iter().position(|id| *id == answer["id"]);
            let shown = String::from_utf8_lossy(&junk);
            waiting.remove(known.unwrap_or_else(|| panic!("seed {seed}, line {number}: {shown}\nwas answered by {answer}")));
        }
    }
}

#[tokio::test]
async fn bytes_without_any_sense_end_nothing() {
    let project = Project::new();
    let mut client = project.client(AGENT);
    client.initialize().await;
    let mut chance = Chance(7);
    for number in 0..LINES {
        let length = chance.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| u8::try_from(chance.below(256)).expect("a byte")).filter(|byte| *byte != b'\n').collect();
        client.line(&bytes).await;
        client.line(json!({"jsonrpc": "2.0", "id": number, "method": "ping"}).to_string().as_bytes()).await;
        // An empty line has no effect; anything else is answered before the ping.
        let mut answer = client.next().await;
        if answer["id"] != number {
            assert_eq!(answer["error"]["code"].as_i64().map(|code| code <= -32600), Some(true), "{answer}");
            answer = client.next().await;
        }
        assert_eq!((&answer["id"], answer.get("result").is_some()), (&json!(number), true), "{answer}");
    }
}
