//! One file per table, each with what may be read from it and what may be written to it.

mod changes;
mod disciplines;
mod features;
mod iterations;
mod memories;
mod meta;
mod outbox;
mod runs;
mod tasks;

pub use changes::Watch;
pub use iterations::{NewIteration, SettledIteration, TaskHistory};
pub use outbox::OutboxLine;
pub use runs::{NewRun, RunOwner};
