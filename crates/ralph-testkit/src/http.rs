//! A server on loopback that answers one request of each connection.

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Result, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

/// A server on a port of its own; it ends when dropped, whatever its clients still wait for.
pub(crate) struct HttpServer {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl HttpServer {
    /// Starts giving each connection to `answer`, in a thread of its own: a client that waits holds up no other one, and one that goes
    /// away ends its own request only.
    ///
    /// # Panics
    /// When there is no loopback port.
    pub(crate) fn start(answer: impl Fn(&TcpStream) -> Result<()> + Send + Sync + 'static) -> HttpServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
        let address = listener.local_addr().expect("the port that was bound");
        let stopped = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&stopped);
        let thread = std::thread::spawn(move || {
            let (answer, mut open) = (&answer, Vec::<Weak<TcpStream>>::new());
            std::thread::scope(|scope| {
                for stream in listener.incoming().flatten().map(Arc::new) {
                    if ended.load(Ordering::SeqCst) {
                        break;
                    }
                    open.push(Arc::downgrade(&stream));
                    scope.spawn(move || answer(&stream));
                }
                for stream in open.iter().filter_map(Weak::upgrade) {
                    let _ = stream.shutdown(Shutdown::Both);
                }
            });
        });
        HttpServer { address, stopped, thread: Some(thread) }
    }

    /// The base URL, without a slash at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread, which waits for the next client.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("a thread of the server on {} panicked", self.address);
        }
    }
}

/// Reads a request, and returns its body.
pub(crate) fn asked(reader: &mut BufReader<&TcpStream>) -> Result<Value> {
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
    Ok(serde_json::from_slice(&body)?)
}

/// Sends a whole answer.
pub(crate) fn send(mut stream: &TcpStream, status: u16, body: &str) -> Result<()> {
    let head = format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close", body.len());
    write!(stream, "{head}\r\n\r\n{body}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a thread of the server")]
    fn a_server_whose_answer_panics_fails_its_test() {
        let server = HttpServer::start(|_| panic!("an answer that fails"));
        let mut client = TcpStream::connect(server.address).unwrap();
        // Until the server has hung up.
        let _ = client.read(&mut [0]);
    }

    #[test]
    fn a_client_that_never_asks_holds_up_no_end() {
        let server = HttpServer::start(|stream| asked(&mut BufReader::new(stream)).map(drop));
        let _waits = TcpStream::connect(server.address).unwrap();
        drop(server);
    }
}
