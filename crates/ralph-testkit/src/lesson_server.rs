//! A model on loopback that states lessons through OpenAI's API for chats, and fails in all the ways in which a model server can.

use crate::http::{HttpServer, asked, send};
use serde_json::{Value, json};
use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};

/// How the server answers.
#[derive(Clone, Debug)]
pub enum Telling {
    /// With these words.
    Words(String),
    /// As an agent's model: with one call of a tool after the other, then with a word; streamed, as agents ask for it.
    Calls(Vec<(String, Value)>),
    /// Not at all, until the client goes away.
    Nothing,
    /// One byte after the other, and never the last.
    Slowly,
    /// With a body that is not what the API promises.
    Body(String),
    /// With an HTTP status and an error.
    Status(u16),
}

/// A chat server on a loopback port of its own; it ends when dropped.
pub struct LessonServer {
    server: HttpServer,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl LessonServer {
    /// Starts answering `POST /v1/chat/completions`, always in the same way.
    ///
    /// # Panics
    /// When there is no loopback port.
    pub fn start(telling: Telling) -> LessonServer {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        LessonServer { server: HttpServer::start(move |stream| answer(stream, &telling, &kept)), asked }
    }

    /// The words of a lesson in the form that is asked for.
    pub fn lesson(text: &str) -> Telling {
        Telling::Words(
            json!({
                "situation": "a situation", "action": "an action", "outcome": "success", "lesson": text, "lesson_type": "pattern",
                "confidence": 0.9,
            })
            .to_string(),
        )
    }

    /// The base URL, without a slash at the end.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// What it has been asked so far.
    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn answer(stream: &TcpStream, telling: &Telling, kept: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let asked = asked(&mut reader)?;
    kept.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
    let mut out = stream;
    match telling {
        Telling::Words(words) => {
            let usage = json!({ "prompt_tokens": 400, "completion_tokens": 80 });
            send(out, 200, &json!({ "choices": [{ "message": { "role": "assistant", "content": words } }], "usage": usage }).to_string())
        }
        Telling::Calls(calls) => {
            let body = streamed(calls, &asked);
            write!(out, "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n{body}")
        }
        Telling::Body(body) => send(out, 200, body),
        Telling::Status(status) => send(out, *status, r#"{"error": {"message": "no"}}"#),
        // The client's end of the connection is the sign that it has given up.
        Telling::Nothing => reader.read(&mut [0]).map(|_| ()),
        Telling::Slowly => {
            write!(out, "HTTP/1.1 200 X\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n")?;
            stream.set_read_timeout(Some(std::time::Duration::from_millis(200)))?;
            loop {
                out.write_all(b" ")?;
                out.flush()?;
                if matches!(reader.read(&mut [0]), Ok(0)) {
                    return Ok(());
                }
            }
        }
    }
}

/// The next call of a tool as server-sent events: as many are answered as the conversation has results. A question without tools, such as
/// that for a title, gets a word.
fn streamed(calls: &[(String, Value)], asked: &Value) -> String {
    let results = asked["messages"].as_array().map_or(0, |messages| messages.iter().filter(|message| message["role"] == "tool").count());
    let next = calls.get(results).filter(|_| asked["tools"].as_array().is_some_and(|tools| !tools.is_empty()));
    let (delta, reason) = match next {
        Some((name, arguments)) => {
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            let call = json!({ "index": 0, "id": format!("call_{results}"), "type": "function", "function": function });
            (json!({ "role": "assistant", "tool_calls": [call] }), "tool_calls")
        }
        None => (json!({ "role": "assistant", "content": "Done." }), "stop"),
    };
    let chunk = |delta: Value, reason: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        format!("data: {}\n\n", json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice] }))
    };
    format!("{}{}data: [DONE]\n\n", chunk(delta, Value::Null), chunk(json!({}), json!(reason)))
}
