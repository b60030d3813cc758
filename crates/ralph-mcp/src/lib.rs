//! `ralph mcp`: the tools that agents call, over [`App`], on stdio.
//!
//! **Never here:** a rule about features, tasks or knowledge (they are below `ralph-app`), SQL, or anything printed:
//! stdout belongs to the protocol. A tool checks its arguments by its own schema, calls one use case, and answers with
//! what an agent needs of the result, in the shape that its output schema tells.
//!
//! **To add a tool:** a constant [`tools::Tool`] in the file of its noun and a line in [`tools::ALL`]; the bounds of the
//! whole list (ten tools, 12 kB) are tests.

mod answer;
mod arguments;
mod lines;
mod message;
mod raw_id;
mod refused;
mod server;
mod tools;

use lines::Lines;
use ralph_app::App;
use server::Server;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// Serves the tools on stdin and stdout until stdin ends, acting as `app` does.
///
/// # Errors
/// When the service breaks off by a fault of its own; a bad call never ends it.
pub async fn serve(app: Arc<App>) -> io::Result<()> {
    serve_on(app, tokio::io::stdin(), tokio::io::stdout()).await
}

/// The same on given streams.
///
/// # Errors
/// As [`serve`].
pub async fn serve_on<R, W>(app: Arc<App>, input: R, output: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    // Without rmcp's handshake in front of the service: there, a notification before `initialize` ends the server.
    let service = rmcp::service::serve_directly(Server::new(app), Lines::over(input, output), None);
    service.waiting().await.map(|_| ()).map_err(io::Error::other)
}
