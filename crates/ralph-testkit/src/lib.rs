//! What tests of real parts need: their own project, models on loopback, a network namespace.
//!
//! Development only: no product crate may use it outside of its tests. Must never replace a part of the product.
#![allow(clippy::print_stderr, reason = "a test says in its output when the system refuses a namespace")]

pub mod claude;
pub mod codex;
mod embedding_server;
mod http;
mod installed;
mod lesson_server;
mod model_server;
mod namespace;
pub mod opencode;
mod running;
mod sandbox;
pub mod secrets;
mod soak;
pub mod world;

pub use embedding_server::EmbeddingServer;
pub use lesson_server::{LessonServer, Telling};
pub use model_server::{Block, ModelServer, Reply, Request, ToolResult};
pub use namespace::within_namespace;
pub use running::{Running, wait_until};
pub use sandbox::{Output, Sandbox};
pub use soak::soak;
