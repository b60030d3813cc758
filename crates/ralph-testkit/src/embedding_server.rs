//! An embedding model on loopback that speaks OpenAI's API: a crude one, by hashed words, so that texts that share words are near.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

/// An embedding server on a loopback port of its own; it ends when dropped.
pub struct EmbeddingServer {
    address: SocketAddr,
    texts: Arc<AtomicUsize>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl EmbeddingServer {
    /// Numbers in each vector.
    pub const DIMENSION: usize = 96;

    /// Starts answering `POST /v1/embeddings`.
    ///
    /// # Panics
    /// When there is no loopback port.
    pub fn start() -> EmbeddingServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
        let address = listener.local_addr().expect("the port that was bound");
        let (texts, stopped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (counted, ended) = (Arc::clone(&texts), Arc::clone(&stopped));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ended.load(Ordering::SeqCst) {
                    break;
                }
                // A client that goes away ends its own request only.
                counted.fetch_add(answer(&stream).unwrap_or(0), Ordering::SeqCst);
            }
        });
        EmbeddingServer { address, texts, stopped, thread: Some(thread) }
    }

    /// The base URL, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Texts that were embedded so far.
    pub fn texts(&self) -> usize {
        self.texts.load(Ordering::SeqCst)
    }
}

impl Drop for EmbeddingServer {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread, which waits for the next client.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the embedding server's thread panicked");
        }
    }
}

/// Answers one request; tells how many texts it held.
fn answer(stream: &TcpStream) -> std::io::Result<usize> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let asked: Value = serde_json::from_slice(&body)?;
    let texts: Vec<&str> = asked["input"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let data: Vec<Value> = texts.iter().enumerate().map(|(index, text)| json!({ "index": index, "embedding": embed(text) })).collect();
    let body = json!({ "model": asked["model"], "data": data }).to_string();
    let mut out = stream;
    write!(out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())?;
    Ok(texts.len())
}

/// Counts words into a place that their hash gives (Weinberger et al. 2009).
fn embed(text: &str) -> Vec<f64> {
    let mut vector = vec![0.0; EmbeddingServer::DIMENSION];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        // FNV-1a: the same on every machine.
        let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        vector[(hash % EmbeddingServer::DIMENSION as u64) as usize] += 1.0;
    }
    vector
}
