//! The model server as plain bytes on a socket.
#![allow(clippy::unwrap_used, reason = "functions of tests")]

use ralph_testkit::{Block, ModelServer, Reply};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Sends a request and reads until the server closes or cuts the connection.
fn post(server: &ModelServer, path: &str, body: &Value) -> String {
    let mut stream = send(server, path, body);
    let mut bytes = Vec::new();
    // A cut connection may end in an error; what came before it counts.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

fn send(server: &ModelServer, path: &str, body: &Value) -> TcpStream {
    let address = server.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all((head + &body).as_bytes()).unwrap();
    stream
}

#[test]
fn plays_replies_in_order_and_keeps_the_requests() {
    let server = ModelServer::playing([Reply::text("one"), Reply::rate_limited(7)]);
    let first = post(&server, "/v1/messages?beta=true", &json!({"model": "m", "messages": []}));
    assert!(first.starts_with("HTTP/1.1 200") && first.contains("\"text\":\"one\"") && first.contains("\"end_turn\""), "{first}");
    let second = post(&server, "/v1/messages", &json!({"model": "m2"}));
    assert!(second.starts_with("HTTP/1.1 429") && second.contains("retry-after: 7") && second.contains("rate_limit_error"), "{second}");
    assert!(post(&server, "/v1/messages", &json!({})).contains("The script is over."));
    assert!(post(&server, "/v1/messages/count_tokens", &json!({})).contains("input_tokens"));
    assert!(post(&server, "/elsewhere", &json!({})).starts_with("HTTP/1.1 404"));
    let models = server.requests().iter().map(|request| request.model().to_owned()).collect::<Vec<_>>();
    assert_eq!(models, ["m", "m2", ""]);
}

#[test]
fn streams_events_until_the_end_or_the_cut() {
    let call = Block::ToolUse { name: "Bash".into(), input: json!({"command": "ls"}) };
    let reply = Reply::message([Block::Thinking("hm".into()), call]);
    let server = ModelServer::playing([reply.clone(), reply.dropped_after(2)]);
    let body = json!({"stream": true});
    let whole = post(&server, "/v1/messages", &body);
    assert_eq!(whole.matches("event: ").count(), 9, "{whole}");
    assert!(
        whole.contains("thinking_delta") && whole.contains(r#""partial_json":"{\"command\":\"ls\"}""#) && whole.ends_with("0\r\n\r\n"),
        "{whole}"
    );
    let cut = post(&server, "/v1/messages", &body);
    assert_eq!(cut.matches("event: ").count(), 2, "{cut}");
    assert!(!cut.ends_with("0\r\n\r\n"), "the end of a cut stream is missing: {cut}");
}

#[test]
fn a_closure_answers_by_what_was_asked() {
    let server = ModelServer::choosing(|request| Reply::text(if request.user_text().contains("left") { "L" } else { "R" }));
    let ask = |text: &str| post(&server, "/v1/messages", &json!({"messages": [{"role": "user", "content": text}]}));
    assert!(ask("left?").contains("\"text\":\"L\""));
    assert!(ask("right?").contains("\"text\":\"R\""));
}

#[test]
fn silence_lasts_until_the_server_goes() {
    let server = ModelServer::playing([Reply::silence()]);
    let mut stream = send(&server, "/v1/messages", &json!({"stream": true}));
    assert_eq!(server.wait_for_requests(1, Duration::from_secs(10)).len(), 1);
    drop(server);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    assert!(!String::from_utf8_lossy(&bytes).contains("event: "));
}
