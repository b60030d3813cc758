//! The transport: JSON-RPC messages in lines. Anything else is answered with an error, and the server continues.
//!
//! Lines are read even while a call waits for another process or for a person's permission: pings are answered and cancellations obeyed at
//! once; everything else waits for its turn.
//!
//! rmcp's own transport silently drops invalid and overlong lines, so that their sender waits forever, answers a
//! malformed request without its id, and does not support batches.

use crate::message::{Fault, Line, Understood, refuse_batch, understand};
use crate::raw_id::IdScan;
use ralph_core::limits::MCP_LINE_BYTES;
use rmcp::ErrorData;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Lines that are read ahead of their turn: as many as a client sends at once. A flood waits in its pipe, and a line of more than so many
/// bytes until those before it have had their turn.
const READ_AHEAD: usize = 16;
const SHORT_BYTES: usize = 65_536;

/// Messages in lines.
pub(crate) struct Lines<W> {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    client: Arc<Client<W>>,
}

/// State shared by the reader, the clerk and the answers.
struct Client<W> {
    output: tokio::sync::Mutex<W>,
    asked: Mutex<Asked>,
    /// Whether the negotiated protocol has batches.
    batches: AtomicBool,
}

/// The requests that are not answered yet. They are processed one by one, in order, so that a client may send `create_feature` and
/// `create_task` without waiting in between.
#[derive(Default)]
struct Asked {
    working: Option<Working>,
    /// Those that were read and wait for their turn. One that is cancelled is removed, and skipped when its turn comes.
    queued: Vec<RequestId>,
}

/// The request in progress; the next one's turn comes when it is dropped.
struct Working {
    id: RequestId,
    /// Destination of its answer if it came in a batch.
    batch: Option<Answers>,
    _turn: OwnedSemaphorePermit,
}

/// Answers of a batch, as JSON.
type Answers = Arc<Mutex<Vec<String>>>;

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    /// Starts reading.
    pub(crate) fn over<R: AsyncRead + Send + Unpin + 'static>(input: R, output: W) -> Lines<W> {
        let client = Arc::new(Client { output: output.into(), asked: Mutex::default(), batches: AtomicBool::default() });
        let (sender, messages) = mpsc::channel(1);
        let (ahead, lines) = mpsc::channel(READ_AHEAD);
        let reader = Reader { client: client.clone(), messages: sender.clone(), lines: ahead };
        let clerk = Clerk { client: client.clone(), messages: sender, turns: Arc::new(Semaphore::new(1)) };
        let told = |done: io::Result<()>| {
            if let Err(error) = done {
                tracing::warn!("the MCP client can't be read or answered any more: {error}");
            }
        };
        tokio::spawn(async move { told(reader.read(BufReader::new(input)).await) });
        tokio::spawn(async move { told(clerk.work(lines).await) });
        Lines { messages, client }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let client = self.client.clone();
        async move { client.send(&message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        Ok(())
    }
}

impl<W: AsyncWrite + Send + Unpin> Client<W> {
    /// Sends an answer or a notification.
    async fn send(&self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        let text = serde_json::to_string(message)?;
        let id = match message {
            ServerJsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(agreed) = &response.result {
                    self.batches.store(agreed.protocol_version == ProtocolVersion::V_2025_03_26, Ordering::Relaxed);
                }
                Some(&response.id)
            }
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => None,
        };
        // Held until the answer is written.
        let answered = id.and_then(|id| self.settle(id));
        match answered.as_ref().and_then(|working| working.batch.as_ref()) {
            Some(answers) => {
                lock(answers).push(text);
                Ok(())
            }
            None => self.write(text).await,
        }
    }

    /// Ends the processing of a request.
    fn settle(&self, id: &RequestId) -> Option<Working> {
        lock(&self.asked).working.take_if(|working| working.id == *id)
    }

    async fn write(&self, mut line: String) -> io::Result<()> {
        line.push('\n');
        let mut output = self.output.lock().await;
        output.write_all(line.as_bytes()).await?;
        output.flush().await
    }
}

/// The server is no longer reachable.
struct Gone;

/// Reads, and does what waits for no turn.
struct Reader<W> {
    client: Arc<Client<W>>,
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    lines: mpsc::Sender<Line>,
}

impl<W: AsyncWrite + Send + Unpin> Reader<W> {
    /// Reads to the end of input.
    async fn read<R: AsyncBufRead + Unpin>(self, mut input: R) -> io::Result<()> {
        let mut bytes = Vec::new();
        loop {
            let line = match next_line(&mut input, &mut bytes).await? {
                Read::End => return Ok(()),
                Read::TooLong(fault) => Line::One(Box::new(Err(fault))),
                Read::Whole => understand(&bytes),
            };
            if let Line::One(message) = &line
                && let Ok(Some(message)) = &**message
                && self.at_once(message).await?
            {
                continue;
            }
            let places = if bytes.len() > SHORT_BYTES { READ_AHEAD } else { 1 };
            match self.lines.reserve_many(places).await.ok().and_then(|mut free| free.next()) {
                Some(place) => place.send(line),
                None => return Ok(()),
            }
        }
    }

    /// Answers a ping and cancels a request, whatever waits. Any other request is noted as queued; returns whether the message is done with.
    async fn at_once(&self, message: &ClientJsonRpcMessage) -> io::Result<bool> {
        match message {
            ClientJsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::PingRequest(_)) => {
                let id = serde_json::to_string(&request.id)?;
                self.client.write(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).await?;
                Ok(true)
            }
            ClientJsonRpcMessage::Request(request) => {
                lock(&self.client.asked).queued.push(request.id.clone());
                Ok(false)
            }
            ClientJsonRpcMessage::Notification(notification) => {
                let ClientNotification::CancelledNotification(cancelled) = &notification.notification else { return Ok(false) };
                let Some(id) = &cancelled.params.request_id else { return Ok(false) };
                let is_at_work = {
                    let mut asked = lock(&self.client.asked);
                    asked.queued.retain(|queued| queued != id);
                    asked.working.as_ref().is_some_and(|working| working.id == *id)
                };
                if is_at_work {
                    let _ = self.messages.send(message.clone()).await;
                    // The service does not answer it any more.
                    drop(self.client.settle(id));
                }
                Ok(true)
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => Ok(false),
        }
    }
}

/// Works the lines off in order, one request at a time.
struct Clerk<W> {
    client: Arc<Client<W>>,
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    turns: Arc<Semaphore>,
}

impl<W: AsyncWrite + Send + Unpin> Clerk<W> {
    /// Works to the end of input. Returns after the last request is answered.
    async fn work(self, mut lines: mpsc::Receiver<Line>) -> io::Result<()> {
        while let Some(line) = lines.recv().await {
            let handed = match line {
                Line::One(message) => self.hand_over(*message, None).await?,
                Line::Batch(messages) => self.batch(messages).await?,
            };
            if handed.is_err() {
                return Ok(());
            }
        }
        // At the end of input rmcp waits only 5 s for calls in flight; a write may wait longer for other processes.
        let _last = self.turns.acquire().await;
        Ok(())
    }

    /// Passes a message to the service when its turn has come; answers invalid ones.
    async fn hand_over(&self, message: Understood, batch: Option<&Answers>) -> io::Result<Result<(), Gone>> {
        let message = match message {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(Ok(())),
            Err(fault) => {
                let answer = fault.answer()?;
                match batch {
                    Some(answers) => {
                        // In order: earlier ones are answered first.
                        drop(self.turns.acquire().await);
                        lock(answers).push(answer);
                    }
                    None => self.client.write(answer).await?,
                }
                return Ok(Ok(()));
            }
        };
        let ClientJsonRpcMessage::Request(request) = &message else { return Ok(self.messages.send(message).await.map_err(|_| Gone)) };
        let id = request.id.clone();
        let Ok(turn) = self.turns.clone().acquire_owned().await else { return Ok(Err(Gone)) };
        let Ok(place) = self.messages.reserve().await else { return Ok(Err(Gone)) };
        // Under one lock: a cancellation finds it either in the queue or with the service.
        let mut asked = lock(&self.client.asked);
        let queued = asked.queued.iter().position(|queued| *queued == id).map(|at| asked.queued.remove(at));
        if batch.is_some() || queued.is_some() {
            asked.working = Some(Working { id, batch: batch.cloned(), _turn: turn });
            place.send(message);
        }
        Ok(Ok(()))
    }

    /// Processes the messages of a batch in order, and writes their answers as one line.
    async fn batch(&self, messages: Vec<Understood>) -> io::Result<Result<(), Gone>> {
        // The answer to `initialize` may be pending; it decides whether there are batches.
        drop(self.turns.acquire().await);
        if !self.client.batches.load(Ordering::Relaxed) {
            for fault in refuse_batch(messages) {
                self.client.write(fault.answer()?).await?;
            }
            return Ok(Ok(()));
        }
        let answers = Answers::default();
        for message in messages {
            if let Err(gone) = self.hand_over(message, Some(&answers)).await? {
                return Ok(Err(gone));
            }
        }
        drop(self.turns.acquire().await);
        let answers = std::mem::take(&mut *lock(&answers));
        if !answers.is_empty() {
            self.client.write(format!("[{}]", answers.join(","))).await?;
        }
        Ok(Ok(()))
    }
}

enum Read {
    Whole,
    TooLong(Fault),
    End,
}

/// Reads the next line into `line` with bounded memory. A last line without a line feed counts.
async fn next_line<R: AsyncBufRead + Unpin>(input: &mut R, line: &mut Vec<u8>) -> io::Result<Read> {
    line.clear();
    (&mut *input).take(MCP_LINE_BYTES).read_until(b'\n', line).await?;
    if line.is_empty() {
        return Ok(Read::End);
    }
    let cut = line.last() != Some(&b'\n') && u64::try_from(line.len()).is_ok_and(|bytes| bytes >= MCP_LINE_BYTES);
    if !cut {
        return Ok(Read::Whole);
    }
    let mut id = IdScan::default();
    id.feed(line);
    loop {
        let rest = input.fill_buf().await?;
        let end = rest.iter().position(|byte| *byte == b'\n');
        let (bytes, over) = (end.map_or(rest.len(), |end| end + 1), end.is_some() || rest.is_empty());
        id.feed(&rest[..bytes]);
        input.consume(bytes);
        if over {
            let error = ErrorData::parse_error(format!("the line is longer than {MCP_LINE_BYTES} bytes"), None);
            return Ok(Read::TooLong(Fault::new(id.found(), error)));
        }
    }
}

/// A panic elsewhere leaves the guarded data consistent.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
