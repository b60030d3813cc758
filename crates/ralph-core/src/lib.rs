//! The nouns of Ralph and the run machine: values and pure functions.
//!
//! **Never here:** async, a clock, randomness, files, environment, SQL, Tauri. Time, ids and randomness are arguments.
//! Every numeric bound is in [`limits`] with its reason.

pub mod active_days;
pub mod announce;
pub mod audit;
pub mod authority;
pub mod conflict;
pub mod consolidation;
pub mod cost;
pub mod detection;
pub mod diff_review;
pub mod discipline;
pub mod document;
pub mod doubt;
pub mod errand;
pub mod evaluation;
pub mod feature;
pub mod feedback;
pub mod headings;
pub mod identifier;
pub mod learning;
pub mod limits;
pub mod links;
pub mod memory;
pub mod notice;
pub mod noun;
pub mod permission;
pub mod prices;
pub mod quality;
pub mod recall;
pub mod remember;
pub mod replica;
pub mod restoration;
pub mod run;
pub mod saturation;
pub mod secret;
pub mod settings;
pub mod shell_words;
pub mod shown;
pub mod sigil;
pub mod signal;
pub mod snapshot;
pub mod split;
pub mod stats;
pub mod strategy;
pub mod task;
pub mod text;
pub mod time;
pub mod topic;
pub mod trust;
pub mod unread;
pub mod view;
pub mod visible;
pub mod worktree;

/// Id of a task: the number a person types. Never reused.
pub type TaskId = u32;
/// Number of a notice within a project.
pub type NoticeId = u32;
/// Id of a run: from one start of the loop to its stop.
pub type RunId = u32;
/// Id of an iteration: one agent invocation on one task. Unique in the project, over all runs.
pub type IterationId = u32;
/// Id of a learning: a ULID, unique across all clones of the project.
pub type LearningId = String;
/// Id of an episode or a fact: a ULID, unique across all clones of the project.
pub type MemoryId = String;

/// A number of things, in the 32 bits that the wire and the database have for it.
pub fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
