//! `ralph mcp`: the tools for agents, over [`App`], on stdio.
//!
//! **Never here:** a rule about features, tasks or knowledge (they are below `ralph-app`), SQL, or anything printed:
//! stdout belongs to the protocol. A tool validates its arguments by its own schema, calls one use case, and returns
//! what an agent needs of the result, according to its output schema.
//!
//! **To add a tool:** a constant [`tools::Tool`] in the file of its noun and a line in the list of its profile; the limits of the
//! lists (core: ten tools, 12 kB; full: 20 kB) are tests.

mod answer;
mod arguments;
mod call;
mod lines;
mod message;
mod raw_id;
mod refused;
mod server;
mod tools;

use lines::Lines;
use ralph_app::{App, Listener};
use server::Server;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
pub use tools::{Offer, Profile};

/// Time that the end of a session waits for detections to be settled; the rest stays as rows.
const PATIENCE: Duration = Duration::from_secs(2);

/// Serves the tools on stdin and stdout until stdin ends or `stopped` completes, acting as `app` does.
///
/// # Errors
/// If the service ends by a fault of its own; a bad call never ends it.
pub async fn serve(app: Arc<App>, offer: Offer, stopped: impl Future<Output = ()>) -> io::Result<()> {
    serve_on(app, offer, tokio::io::stdin(), tokio::io::stdout(), stopped).await
}

/// The same on given streams.
///
/// # Errors
/// As [`serve`].
pub async fn serve_on<R, W>(
    app: Arc<App>,
    offer: impl Into<Offer>,
    input: R,
    output: W,
    stopped: impl Future<Output = ()>,
) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    // Without rmcp's handshake in front of the service: there, a notification before `initialize` ends the server.
    let listener = listener_of(&app).map(Arc::new);
    let service = rmcp::service::serve_directly(Server::new(app, offer.into(), listener.clone()), Lines::over(input, output), None);
    let ended = tokio::select! {
        ended = service.waiting() => ended.map(|_| ()).map_err(io::Error::other),
        () = stopped => Ok(()),
    };
    if let Some(listener) = listener {
        let _ = tokio::task::spawn_blocking(move || listener.end(PATIENCE)).await;
    }
    ended
}

/// Automatic learning from the calls. Within a run its driver does that, so that nothing is counted twice.
fn listener_of(app: &Arc<App>) -> Option<Listener> {
    if app.actor().is_inside() {
        return None;
    }
    Listener::start(Arc::clone(app)).inspect_err(|error| tracing::warn!("automatic learning: {error}")).ok()
}
