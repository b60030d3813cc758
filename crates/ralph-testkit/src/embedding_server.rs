//! An embedding model on loopback that speaks OpenAI's API: a crude one, by hashed words, so that texts with common words are near each
//! other.

use crate::http::{HttpServer, asked, send};
use serde_json::{Value, json};
use std::io::BufReader;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An embedding server on a loopback port of its own; it ends when dropped.
pub struct EmbeddingServer {
    server: HttpServer,
    texts: Arc<AtomicUsize>,
    dimension: Arc<AtomicUsize>,
}

impl EmbeddingServer {
    /// Numbers in each vector.
    pub const DIMENSION: usize = 96;

    /// Starts answering `POST /v1/embeddings`.
    ///
    /// # Panics
    /// When there is no loopback port.
    pub fn start() -> EmbeddingServer {
        let texts = Arc::new(AtomicUsize::new(0));
        let dimension = Arc::new(AtomicUsize::new(Self::DIMENSION));
        let (counted, wanted) = (Arc::clone(&texts), Arc::clone(&dimension));
        let server = HttpServer::start(move |stream| {
            counted.fetch_add(answer(stream, wanted.load(Ordering::SeqCst))?, Ordering::SeqCst);
            Ok(())
        });
        EmbeddingServer { server, texts, dimension }
    }

    /// The base URL, without a slash at the end.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// From now on another model answers to the same name, whose vectors have half the numbers.
    pub fn change_model(&self) {
        self.dimension.store(Self::DIMENSION / 2, Ordering::SeqCst);
    }

    /// Texts that were embedded so far.
    pub fn texts(&self) -> usize {
        self.texts.load(Ordering::SeqCst)
    }
}

/// Answers one request; tells how many texts it held.
fn answer(stream: &TcpStream, dimension: usize) -> std::io::Result<usize> {
    let asked = asked(&mut BufReader::new(stream))?;
    let texts: Vec<&str> = asked["input"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let data: Vec<Value> =
        texts.iter().enumerate().map(|(index, text)| json!({ "index": index, "embedding": embed(text, dimension) })).collect();
    send(stream, 200, &json!({ "model": asked["model"], "data": data }).to_string())?;
    Ok(texts.len())
}

/// Counts words at the place given by their hash (Weinberger et al. 2009).
fn embed(text: &str, dimension: usize) -> Vec<f64> {
    let mut vector = vec![0.0; dimension];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        // FNV-1a: the same on every machine.
        let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        vector[(hash % dimension as u64) as usize] += 1.0;
    }
    vector
}
