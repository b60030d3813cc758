//! One file per table, each with what may be read from it and what may be written to it.

mod changes;
mod disciplines;
mod documents;
mod episodes;
mod events;
mod facts;
mod failure_reports;
mod features;
mod insights;
mod iteration_rows;
mod iterations;
mod learning_facts;
mod memories;
mod meta;
mod notices;
mod origins;
mod passages;
mod quality;
mod replica;
mod runs;
mod strategy;
mod tasks;

pub use changes::Watch;
pub use documents::{DocumentRow, NewDocument, NewSection};
pub use events::{EventLine, JournalFile};
pub use facts::SourcedFact;
pub use insights::{HeldOutAttempt, Totals};
pub use iterations::{NewIteration, RecentChanges, SettledIteration};
pub use learning_facts::{LearningFacts, Pair};
pub use origins::Outside;
pub use passages::{NewPassage, PassageRow, PassageText, Place, TextIndex};
pub use quality::{GateCounts, LearningVector};
pub use runs::{NewRun, RunOwner};
pub use strategy::LastEstimate;
