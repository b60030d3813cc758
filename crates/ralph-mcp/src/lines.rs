//! The transport: one JSON-RPC message a line. What is no message is answered with an error, and the server goes on.
//!
//! rmcp's own transport drops broken and overlong lines without a word, so that their sender waits for ever, and answers
//! a malformed request without its id.

use ralph_core::limits::MCP_LINE_BYTES;
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, RequestId, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde_json::Value;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc};

/// The right to be worked on, carried by a request until it is answered: requests are worked in the order of their lines,
/// so that a client may send `create_feature` and `create_task` without waiting in between.
#[derive(Clone)]
struct Turn {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// Messages in lines.
pub(crate) struct Lines<W> {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    output: Arc<Mutex<W>>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    /// Starts reading.
    pub(crate) fn over<R: AsyncRead + Send + Unpin + 'static>(input: R, output: W) -> Lines<W> {
        let output = Arc::new(Mutex::new(output));
        let (sender, messages) = mpsc::channel(1);
        let faults = output.clone();
        tokio::spawn(async move {
            if let Err(error) = read(BufReader::new(input), &faults, &sender).await {
                tracing::warn!("the MCP client can't be read or answered any more: {error}");
            }
        });
        Lines { messages, output }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move { write(&output, &message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        Ok(())
    }
}

/// Reads to the end of input. Returns after the last request was answered.
async fn read<R, W>(mut input: R, output: &Mutex<W>, messages: &mpsc::Sender<ClientJsonRpcMessage>) -> io::Result<()>
where
    R: AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let turns = Arc::new(Semaphore::new(1));
    let mut line = Vec::new();
    loop {
        let message = match next_line(&mut input, &mut line).await? {
            Line::End => break,
            Line::TooLong => Err((None, ErrorData::parse_error(format!("the line is longer than {MCP_LINE_BYTES} bytes"), None))),
            Line::Whole => understand(&line),
        };
        match message {
            Ok(Some(mut message)) => {
                if let ClientJsonRpcMessage::Request(request) = &mut message
                    && let Ok(permit) = turns.clone().acquire_owned().await
                {
                    request.request.extensions_mut().insert(Turn { _permit: Arc::new(permit) });
                }
                if messages.send(message).await.is_err() {
                    return Ok(());
                }
            }
            Ok(None) => {}
            Err((id, error)) => write(output, &ServerJsonRpcMessage::error(error, id)).await?,
        }
    }
    // rmcp waits only 5 s for calls in flight at the end of input; a write may wait longer for other processes.
    let _last = turns.acquire().await;
    Ok(())
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads the next line into `line`, whose memory stays bounded. A last line without its end counts.
async fn next_line<R: AsyncBufRead + Unpin>(input: &mut R, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    (&mut *input).take(MCP_LINE_BYTES).read_until(b'\n', line).await?;
    if line.is_empty() {
        return Ok(Line::End);
    }
    let cut = line.last() != Some(&b'\n') && u64::try_from(line.len()).is_ok_and(|bytes| bytes >= MCP_LINE_BYTES);
    if !cut {
        return Ok(Line::Whole);
    }
    loop {
        let rest = input.fill_buf().await?;
        let end = rest.iter().position(|byte| *byte == b'\n');
        let (bytes, over) = (end.map_or(rest.len(), |end| end + 1), end.is_some() || rest.is_empty());
        input.consume(bytes);
        if over {
            return Ok(Line::TooLong);
        }
    }
}

type Fault = (Option<RequestId>, ErrorData);

/// The message of a line; `None` for what asks for nothing.
fn understand(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Fault> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let value: Value =
        serde_json::from_slice(line).map_err(|error| (None, ErrorData::parse_error(format!("the line is no JSON: {error}"), None)))?;
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let asks = value.get("id").is_some() || value.get("method").is_none();
    match serde_json::from_value(value) {
        // Ralph asks its clients nothing, so there is no answer to receive.
        Ok(ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_)) => Ok(None),
        Ok(message) => Ok(Some(message)),
        // JSON-RPC forbids answering a notification.
        Err(_) if !asks => Ok(None),
        Err(_) => Err((id, ErrorData::invalid_request("this is no JSON-RPC 2.0 request with method, id and an object of params", None))),
    }
}

async fn write<W: AsyncWrite + Unpin>(output: &Mutex<W>, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}
