//! Parsing a line: one message, a batch, or an error.

use crate::raw_id::{IdScan, RawId};
use ralph_core::limits::MCP_BATCH;
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use serde_json::Value;

/// Content of a line.
pub(crate) enum Line {
    One(Box<Understood>),
    /// A list of messages: only the protocol of 2025-03-26 has them.
    Batch(Vec<Understood>),
}

/// A message; `None` for one without an effect.
pub(crate) type Understood = Result<Option<ClientJsonRpcMessage>, Fault>;

/// Why there is no message, for the request with this id.
pub(crate) struct Fault {
    id: Option<RawId>,
    error: ErrorData,
}

impl Fault {
    pub(crate) fn new(id: Option<RawId>, error: ErrorData) -> Fault {
        Fault { id, error }
    }

    /// The answer as JSON, with the id exactly as its sender wrote it.
    pub(crate) fn answer(&self) -> serde_json::Result<String> {
        let (id, error) = (self.id.as_deref().unwrap_or("null"), serde_json::to_string(&self.error)?);
        Ok(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
    }
}

/// Parses a line.
pub(crate) fn understand(line: &[u8]) -> Line {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Line::One(Box::new(Ok(None)));
    }
    if line.first() == Some(&b'[') {
        return match serde_json::from_slice::<Vec<Value>>(line) {
            Ok(items) if items.is_empty() => Line::One(Box::new(invalid(None, "a batch of nothing asks for nothing"))),
            Ok(items) if items.len() > MCP_BATCH => {
                Line::One(Box::new(invalid(None, &format!("a batch holds at most {MCP_BATCH} messages"))))
            }
            Ok(items) => Line::Batch(items.iter().map(|item| one_of_many(item.to_string().as_bytes())).collect()),
            Err(error) => Line::One(Box::new(Err(no_json(line, &error)))),
        };
    }
    Line::One(Box::new(one(line)))
}

/// Answers to the requests of a batch when the negotiated protocol has none: each of their senders waits.
pub(crate) fn refuse_batch(items: Vec<Understood>) -> Vec<Fault> {
    let why = || ErrorData::invalid_request("batches belong to protocol version 2025-03-26; send one message a line", None);
    let ids = items.into_iter().filter_map(|item| match item {
        Ok(Some(ClientJsonRpcMessage::Request(request))) => serde_json::to_string(&request.id).ok(),
        Ok(_) => None,
        Err(fault) => fault.id,
    });
    let refused: Vec<Fault> = ids.map(|id| Fault::new(Some(id), why())).collect();
    if refused.is_empty() { vec![Fault::new(None, why())] } else { refused }
}

fn one_of_many(item: &[u8]) -> Understood {
    match one(item)? {
        Some(ClientJsonRpcMessage::Request(request)) if matches!(request.request, ClientRequest::InitializeRequest(_)) => {
            invalid(IdScan::of(item), "initialize is never a part of a batch")
        }
        message => Ok(message),
    }
}

fn one(line: &[u8]) -> Understood {
    let value: Value = serde_json::from_slice(line).map_err(|error| no_json(line, &error))?;
    let asks = value.get("id").is_some() || value.get("method").is_none();
    let version = value.get("jsonrpc") == Some(&Value::from("2.0"));
    match serde_json::from_value(value) {
        // Ralph sends its clients no requests, so there are no responses to receive.
        Ok(ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_)) => Ok(None),
        Ok(message) if version => Ok(Some(message)),
        // JSON-RPC forbids answering a notification.
        _ if !asks => Ok(None),
        _ if !version => invalid(IdScan::of(line), "jsonrpc: give the string \"2.0\""),
        _ => invalid(IdScan::of(line), "this is not a JSON-RPC 2.0 request with method, id and an object of params"),
    }
}

fn no_json(line: &[u8], error: &serde_json::Error) -> Fault {
    Fault::new(IdScan::of(line), ErrorData::parse_error(format!("the line is not JSON: {error}"), None))
}

fn invalid(id: Option<RawId>, why: &str) -> Understood {
    Err(Fault::new(id, ErrorData::invalid_request(why.to_owned(), None)))
}
