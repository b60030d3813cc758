//! The commands of the page, by noun: each takes its arguments, asks the [`ralph_app::App`], and answers.

pub mod consolidation;
pub mod documents;
pub mod features;
pub mod history;
pub mod knowledge;
pub mod learnings;
pub mod memories;
pub mod notices;
pub mod projects;
pub mod recall;
pub mod restore;
pub mod review;
pub mod review_queue;
pub mod runs;
pub mod settings;
pub mod snapshots;
pub mod surroundings;
pub mod tasks;
pub mod trust;
pub mod worktrees;
