//! A client of `ralph mcp` that writes lines and reads lines, so that a test may stop at any of them.

use crate::text;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// One server process and its pipes. Dropped, it is killed.
pub struct McpClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl McpClient {
    /// Starts the server and shakes hands.
    ///
    /// # Panics
    /// When it can't be started or does not answer.
    pub fn start(command: &mut Command) -> McpClient {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the MCP server starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("a pipe from the server"));
        let mut client = McpClient { child, input, output: BufReader::new(output), next: 0 };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "journey", "version": "1"}});
        client.send("initialize", &hello);
        let welcome = client.answer().expect("an answer to initialize");
        assert_eq!(welcome["result"]["serverInfo"]["name"], "ralph", "{welcome}");
        client.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// Sends a call of a tool without waiting for its answer; `false` when the server is gone.
    pub fn send_call(&mut self, tool: &str, arguments: &Value) -> bool {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The next answer; `None` when the server is gone.
    pub fn answer(&mut self) -> Option<Value> {
        let mut line = String::new();
        let complete = self.output.read_line(&mut line).is_ok() && line.ends_with('\n');
        complete.then(|| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in the server's line: {line}")))
    }

    /// Calls a tool and returns its answer, or the error that it reported.
    ///
    /// # Panics
    /// When the server is gone.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Value> {
        assert!(self.send_call(tool, arguments), "the MCP server is gone");
        told(&self.answer().unwrap_or_else(|| panic!("no answer to {tool}")))
    }

    /// Kills the server as `kill -9` does, and returns the answers that it had given before.
    pub fn kill(mut self) -> Vec<Value> {
        self.child.kill().expect("the server can be killed");
        std::iter::from_fn(|| self.answer()).collect()
    }

    /// Sends the server a signal by its name, and returns the exit code with which it ends while its input stays open.
    ///
    /// # Panics
    /// When it can't be sent, or ends the server at once.
    pub fn end_by(mut self, signal: &str) -> i32 {
        let sent = Command::new("kill").args(["-s", signal, &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|sent| sent.success()), "{signal} can't be sent");
        self.child.wait().expect("the server's end").code().expect("the server ends by itself")
    }

    /// Ends the server's input and waits for its end.
    ///
    /// # Panics
    /// When it does not end well.
    pub fn close(mut self) {
        drop(self.input.take());
        let status = self.child.wait().expect("the server's end");
        assert!(status.success(), "ralph mcp ended with {status}");
    }

    fn send(&mut self, method: &str, params: &Value) -> bool {
        self.next += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.write(&message)
    }

    fn write(&mut self, message: &Value) -> bool {
        let input = self.input.as_mut().expect("the pipe is open until the client is closed");
        input.write_all(format!("{message}\n").as_bytes()).is_ok()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a tool's answer contains: the value, or the error document.
///
/// # Panics
/// If the answer is not a tool's.
pub fn told(answer: &Value) -> Result<Value, Value> {
    let result = &answer["result"];
    let body = text(&result["content"][0]["text"]);
    let value: Value = serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error} in a tool's answer: {answer}"));
    if result["isError"] == true { Err(value["error"].clone()) } else { Ok(value) }
}
