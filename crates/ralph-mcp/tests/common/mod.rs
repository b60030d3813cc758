//! A client of the server over an in-memory pipe, and a project in a temporary folder.
#![allow(dead_code, reason = "each test file uses its part")]

use ralph_app::{Actor, App, Clock};
use ralph_mcp::{Profile, serve_on};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};
use tokio::task::JoinHandle;

/// An answer comes at once, otherwise something is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// An agent that no run started.
pub const AGENT: Actor = Actor::Agent { working_on: None };

pub struct Project {
    folder: TempDir,
    pub app: Arc<App>,
}

impl Project {
    pub fn new() -> Project {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let app = App::init(folder.path(), Clock::system()).expect("a project");
        Project { folder, app: Arc::new(app) }
    }

    /// The lock that the writers of all processes queue on.
    pub fn queue(&self) -> std::fs::File {
        std::fs::File::open(self.folder.path().join(".ralph/db/ralph.lock")).expect("the writers' queue")
    }

    pub fn client(&self, caller: Actor) -> Client {
        self.client_with(caller, Profile::Core)
    }

    pub fn client_with(&self, caller: Actor, profile: Profile) -> Client {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (input, output) = split(theirs);
        let app = App::open(&self.app.paths().root, Clock::system()).expect("the project").acting_as(caller);
        let server = tokio::spawn(serve_on(Arc::new(app), profile, input, output, std::future::pending()));
        let (answers, requests) = split(ours);
        Client { answers: BufReader::new(answers), requests, server, last_id: 0, schemas: Value::Null }
    }

    /// A client after the handshake, in a project with the feature `pay`.
    pub async fn ready(&self) -> Client {
        let mut client = self.client(AGENT);
        client.initialize().await;
        client.ok("create_feature", json!({"name": "pay", "display_name": "Payments"})).await;
        client
    }
}

pub struct Client {
    answers: BufReader<ReadHalf<DuplexStream>>,
    requests: WriteHalf<DuplexStream>,
    server: JoinHandle<std::io::Result<()>>,
    last_id: u32,
    /// The cached `tools/list`.
    schemas: Value,
}

/// Where a value violates one of Ralph's schemas, for the keywords used there.
fn misfit(value: &Value, schema: &Value) -> Option<String> {
    let types = schema["type"].as_array().map_or(std::slice::from_ref(&schema["type"]), Vec::as_slice);
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !types.iter().any(|known| known == is) {
        return Some(format!("{value} is none of {types:?}"));
    }
    let mut required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.find(|name| value.get(name).is_none()) {
        return Some(format!("{missing} is missing"));
    }
    let mut fields = schema["properties"].as_object().into_iter().flatten();
    let of_field = fields.find_map(|(name, inner)| misfit(value.get(name)?, inner).map(|fault| format!("{name}: {fault}")));
    of_field.or_else(|| value.as_array()?.iter().find_map(|item| misfit(item, &schema["items"])))
}

impl Client {
    pub async fn line(&mut self, line: &[u8]) {
        self.requests.write_all(line).await.expect("the server reads");
        self.requests.write_all(b"\n").await.expect("the server reads");
    }

    pub async fn next(&mut self) -> Value {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.answers.read_line(&mut line));
        assert_ne!(read.await.expect("an answer in time").expect("the server writes"), 0, "the server ended");
        serde_json::from_str(&line).expect("an answer is one line of JSON")
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.line(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().as_bytes()).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub async fn initialize(&mut self) -> Value {
        let client = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let answer = self.request("initialize", client).await;
        self.line(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        answer["result"].clone()
    }

    /// Calls a tool; returns whether it refused, and its text.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> (bool, Value) {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"));
        (result["isError"] == true, serde_json::from_str(text).expect("the text is JSON"))
    }

    /// Calls a tool that must succeed; its result matches its output schema.
    pub async fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        if self.schemas.is_null() {
            self.schemas = self.request("tools/list", json!({})).await["result"]["tools"].take();
        }
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{tool} {arguments}: {answer}");
        let structured = result["structuredContent"].clone();
        assert_eq!(result["content"][0]["text"].as_str(), Some(structured.to_string().as_str()), "{tool}: clients read either");
        let told = self.schemas.as_array().and_then(|tools| tools.iter().find(|known| known["name"] == tool)).expect("a known tool");
        if let Some(fault) = misfit(&structured, &told["outputSchema"]) {
            panic!("{tool} {arguments}: {fault} in {structured}");
        }
        structured
    }

    pub async fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let (refused, answer) = self.call(tool, arguments.clone()).await;
        assert!(refused, "{tool} {arguments}: {answer}");
        answer["error"].clone()
    }

    /// Closes the input, and returns what the server still wrote before it ended.
    pub async fn end(mut self) -> Vec<Value> {
        self.requests.shutdown().await.expect("the pipe closes");
        let mut answers = Vec::new();
        let mut lines = self.answers.lines();
        while let Some(line) = tokio::time::timeout(PATIENCE, lines.next_line()).await.expect("an end in time").expect("lines") {
            answers.push(serde_json::from_str(&line).expect("JSON"));
        }
        tokio::time::timeout(PATIENCE, self.server).await.expect("an end in time").expect("no panic").expect("no fault");
        answers
    }
}
