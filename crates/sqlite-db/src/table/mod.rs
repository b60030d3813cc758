//! One file per table, each with what may be read from it and what may be written to it.

mod changes;
mod disciplines;
mod failure_reports;
mod features;
mod insights;
mod iteration_rows;
mod iterations;
mod memories;
mod meta;
mod notices;
mod outbox;
mod passages;
mod quality;
mod replica;
mod runs;
mod strategy;
mod tasks;

pub use changes::Watch;
pub use insights::{HeldOutAttempt, Totals};
pub use iterations::{NewIteration, RecentChanges, SettledIteration, TaskHistory};
pub use outbox::OutboxLine;
pub use passages::{NewPassage, PassageRow, PassageText, TextIndex};
pub use quality::{GateCounts, LearningVector};
pub use runs::{NewRun, RunOwner};
pub use strategy::LastEstimate;
