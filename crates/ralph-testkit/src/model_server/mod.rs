//! A model on loopback: speaks the Messages API of Anthropic, and OpenAI's Responses and Chat Completions as far as agents use them; plays
//! scripted replies, keeps every request.

mod chat;
mod reply;
mod request;
mod responses;
mod stream;

pub use reply::{Block, Reply};
pub use request::{Request, ToolResult};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stream::Frames;
use tokio::sync::oneshot;

/// Chooses the reply to a request.
type Choose = Box<dyn FnMut(&Request) -> Reply + Send>;

struct State {
    choose: Choose,
    requests: Vec<Request>,
}

struct Shared {
    state: Mutex<State>,
    arrived: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic in a choosing closure fails the test by itself; the requests stay readable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A model server with its own loopback port and thread; it stops when dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl ModelServer {
    /// Plays the replies in order; after the last one every further request gets [`Reply::text`] "The script is over.".
    pub fn playing(replies: impl IntoIterator<Item = Reply>) -> ModelServer {
        let mut queue = replies.into_iter().collect::<VecDeque<_>>();
        ModelServer::choosing(move |_| queue.pop_front().unwrap_or_else(|| Reply::text("The script is over.")))
    }

    /// Lets `choose` answer each request for a message.
    pub fn choosing(choose: impl FnMut(&Request) -> Reply + Send + 'static) -> ModelServer {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a loopback port");
        listener.set_nonblocking(true).expect("a non-blocking socket");
        let address = listener.local_addr().expect("the port that was bound");
        let state = Mutex::new(State { choose: Box::new(choose), requests: Vec::new() });
        let shared = Arc::new(Shared { state, arrived: Condvar::new() });
        let (stop, stopped) = oneshot::channel();
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            // Dropping the runtime drops every open connection, so that a hanging reply ends too.
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, for_thread) => {}
                    _ = stopped => {}
                }
            });
        });
        ModelServer { address, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// The base URL, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request for a message so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// Waits until `count` requests have arrived and returns them.
    ///
    /// # Panics
    /// When `limit` passes first.
    pub fn wait_for_requests(&self, count: usize, limit: Duration) -> Vec<Request> {
        let too_few = |state: &mut State| state.requests.len() < count;
        let waited = self.shared.arrived.wait_timeout_while(self.shared.lock(), limit, too_few);
        let (state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(!timeout.timed_out(), "{} of {count} requests arrived within {limit:?}", state.requests.len());
        state.requests.clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The thread may have ended by itself.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the model server's thread panicked");
        }
    }
}

async fn serve(listener: std::net::TcpListener, shared: Arc<Shared>) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("the listener in the runtime");
    while let Ok((connection, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(request, Arc::clone(&shared)));
            // A client that goes away, and a reply that drops its stream on purpose, end here with an error.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(connection), service).await;
        });
    }
}

async fn answer(request: hyper::Request<Incoming>, shared: Arc<Shared>) -> Result<Response<Frames>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    Ok(match (&head.method, head.uri.path()) {
        (&Method::POST, "/v1/messages" | "/v1/responses" | "/v1/chat/completions") => {
            let request = Request::new(head.uri.path(), &head.headers, &body);
            let mut state = shared.lock();
            let reply = (state.choose)(&request);
            let number = state.requests.len() + 1;
            let response = reply.into_response(number, &request);
            state.requests.push(request);
            shared.arrived.notify_all();
            response
        }
        (&Method::POST, "/v1/messages/count_tokens") => stream::whole(StatusCode::OK, &[], br#"{"input_tokens":100}"#),
        // Clients ask whether the server is there.
        (&Method::GET | &Method::HEAD, _) => stream::whole(StatusCode::OK, &[], b"{}"),
        _ => stream::whole(StatusCode::NOT_FOUND, &[], br#"{"type":"error","error":{"type":"not_found_error","message":"no such path"}}"#),
    })
}

/// Bytes of an event of a server-sent stream.
fn event(name: &str, data: &serde_json::Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

/// The id of a call: of the reply with this number, the block with this index.
fn tool_id(number: usize, index: usize) -> String {
    format!("toolu_{number}_{}", index + 1)
}
