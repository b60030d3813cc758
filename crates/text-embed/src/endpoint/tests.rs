//! A real server on loopback: it answers each connection as prepared by a test, and returns the requests it got.

use super::*;
use model_endpoint::{Api, EndpointError, Secret};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

struct Asked {
    /// Request line and headers.
    head: String,
    body: Value,
}

/// Serves one response per connection, then stops.
fn serve(answers: Vec<(u16, String)>) -> (String, JoinHandle<Vec<Asked>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        answers.into_iter().map(|(status, body)| answer(&listener.accept().unwrap().0, status, &body)).collect()
    });
    (url, served)
}

fn answer(stream: &TcpStream, status: u16, body: &str) -> Asked {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut asked = vec![0; length];
    reader.read_exact(&mut asked).unwrap();
    let answer =
        format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\nLocation: /elsewhere\r\n\r\n{body}", body.len());
    (&mut &*stream).write_all(answer.as_bytes()).unwrap();
    Asked { head, body: serde_json::from_slice(&asked).unwrap() }
}

fn client(url: &str, model: &str, api: Api) -> Client {
    let key = (api == Api::OpenAi).then(|| Secret::new(" sk-hunter2\n"));
    Client::new(Endpoint { url: url.to_owned(), model: model.to_owned(), api, key })
}

#[test]
fn ollama_is_asked_with_the_prefixes_of_nomic() {
    let body = json!({ "embeddings": [[3.0, 4.0], [0.0, -2.0]] }).to_string();
    let (url, served) = serve(vec![(200, body.clone()), (200, body)]);
    let client = client(&url, "nomic-embed-text:v1.5", Api::Ollama);
    assert_eq!(client.dimension(), None);
    assert_eq!(client.embed(&["a", " "], Role::Document).unwrap(), [[0.6, 0.8], [0.0, -1.0]]);
    client.embed(&["b", "c"], Role::Query).unwrap();
    assert_eq!(client.dimension(), Some(2));
    let asked = served.join().unwrap();
    assert!(asked[0].head.starts_with("POST /api/embed HTTP/1.1"), "{}", asked[0].head);
    let expected = json!({ "model": "nomic-embed-text:v1.5", "input": ["search_document: a", "search_document: ."] });
    assert_eq!(asked[0].body, expected);
    assert_eq!(asked[1].body["input"], json!(["search_query: b", "search_query: c"]));
}

#[test]
fn openai_is_asked_with_the_key_and_may_answer_in_any_order() {
    let body = json!({ "data": [{ "index": 1, "embedding": [0.0, 2.0] }, { "index": 0, "embedding": [5.0, 0.0] }] }).to_string();
    let (url, served) = serve(vec![(200, body)]);
    let client = client(&url, "text-embedding-3-small", Api::OpenAi);
    assert_eq!(client.embed(&["a", ""], Role::Query).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
    let asked = served.join().unwrap();
    assert!(asked[0].head.starts_with("POST /v1/embeddings HTTP/1.1"), "{}", asked[0].head);
    assert!(asked[0].head.to_ascii_lowercase().contains("authorization: bearer sk-hunter2\r\n"), "{}", asked[0].head);
    assert_eq!(asked[0].body["input"], json!(["a", "."]));
}

#[test]
fn many_texts_go_in_several_requests_and_huge_ones_are_cut() {
    let body = |count: usize| json!({ "embeddings": vec![[1.0]; count] }).to_string();
    let (url, served) = serve(vec![(200, body(TEXTS)), (200, body(3))]);
    let huge = "é".repeat(100_000);
    let texts = vec![huge.as_str(); TEXTS + 3];
    assert_eq!(client(&url, "m", Api::Ollama).embed(&texts, Role::Document).unwrap().len(), TEXTS + 3);
    let asked = served.join().unwrap();
    assert_eq!(asked[1].body["input"].as_array().unwrap().len(), 3);
    assert_eq!(asked[1].body["input"][0].as_str().unwrap().len(), BYTES);
}

#[test]
fn bad_answers_are_told_and_never_used() {
    for (api, body, told) in [
        (Api::Ollama, "<html>".to_owned(), "not what the API promises"),
        (Api::Ollama, json!({ "data": [] }).to_string(), "not what the API promises"),
        (Api::Ollama, json!({ "embeddings": [[1.0]] }).to_string(), "1 vectors for 2 texts"),
        (Api::Ollama, json!({ "embeddings": [[1.0], []] }).to_string(), "vector 1 is empty"),
        (Api::Ollama, json!({ "embeddings": [[0.0], [1.0]] }).to_string(), "vector 0 is empty, zero"),
        (Api::Ollama, r#"{"embeddings":[[1.0],[NaN]]}"#.to_owned(), "not what the API promises"),
        (Api::Ollama, r#"{"embeddings":[[1.0],[1e300]]}"#.to_owned(), "not finite"),
        (Api::Ollama, r#"{"embeddings":[[1.0],[null]]}"#.to_owned(), "not what the API promises"),
        (Api::Ollama, json!({ "embeddings": [[1.0], [1.0, 2.0]] }).to_string(), "have 2 numbers and earlier ones 1"),
        (
            Api::OpenAi,
            json!({ "data": [{ "index": 0, "embedding": [1.0] }, { "index": 0, "embedding": [1.0] }] }).to_string(),
            "numbers its vectors wrongly",
        ),
    ] {
        let (url, served) = serve(vec![(200, body.clone())]);
        let error = client(&url, "m", api).embed(&["a", "b"], Role::Query).unwrap_err();
        assert!(matches!(error, EmbedError::Answer { .. }) && error.to_string().contains(told), "{body}: {error}");
        served.join().unwrap();
    }
}

#[test]
fn refusals_name_the_reason_and_the_way_out() {
    for (api, status, body, told) in [
        (Api::Ollama, 404, r#"{"error":"model \"m\" not found"}"#, vec!["ollama pull m", "model \"m\" not found"]),
        (Api::OpenAi, 404, r#"{"error":{"message":"no such model"}}"#, vec!["no such model", "m"]),
        (Api::OpenAi, 401, r#"{"error":{"message":"bad key"}}"#, vec!["401", "bad key", "key"]),
        (Api::Ollama, 500, "out of\u{7} memory\nmore", vec!["500", "out of memory"]),
        (Api::Ollama, 307, "", vec!["307", "no reason"]),
    ] {
        let (url, served) = serve(vec![(status, body.to_owned())]);
        let fault = client(&url, "m", api).embed(&["a"], Role::Query).unwrap_err();
        let error = format!("{fault}; {}", fault.way_out());
        assert!(told.iter().all(|part| error.contains(part)), "{status}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
        served.join().unwrap();
    }
}

#[test]
fn an_absent_server_is_named() {
    // The port was free a moment ago, and nothing listens on it now.
    let url = format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let client = client(&url, "m", Api::Ollama);
    client.check().unwrap();
    let error = client.embed(&["a"], Role::Query).unwrap_err();
    assert!(matches!(error, EmbedError::Endpoint(EndpointError::Unreachable { .. })) && error.to_string().contains(&url), "{error}");
}

#[test]
fn a_key_is_never_shown() {
    let endpoint =
        Endpoint { url: "https://h.example".to_owned(), model: "m".to_owned(), api: Api::OpenAi, key: Some(Secret::new("a\u{1}b")) };
    assert!(!format!("{endpoint:?}").contains("a\u{1}b"));
    let error = Client::new(endpoint).check().unwrap_err();
    assert!(!error.to_string().contains("a\u{1}b"), "{error}");
}
