//! `App`: the use cases, one file per area, and the driver of the loop.
//!
//! **Never here:** SQL (it is in `sqlite-db`), Tauri, or a rule that could be a pure function (those are in `ralph-core`
//! and `ralph-rag`). A use case reads, asks a rule, writes in one commit, and answers with a value.
//!
//! **To add a use case:** a method on [`App`] in the file of its area; the shells (`ralph-cli`, `ralph-mcp`, `src-tauri`)
//! each translate it in a few lines.

mod actor;
mod agents;
mod agents_file;
mod app;
mod audit;
mod cache;
mod check_input;
mod check_surroundings;
mod checkout;
mod clock;
mod code_facts;
mod config;
mod consolidation;
mod disciplines;
mod doctor;
mod documents;
mod driver;
mod errands;
mod error;
mod evaluation;
mod export;
mod faults;
mod features;
mod files;
mod guard;
mod guidance;
mod insights;
mod keys;
mod knowledge;
mod learn;
mod memories;
mod notices;
mod outside;
mod overview;
mod owner;
mod paths;
mod project;
mod questions;
mod recall;
mod recent;
mod restore;
mod review;
mod rows;
mod run_control;
mod run_slots;
mod run_stop;
mod runs;
mod secret_names;
mod since;
mod snapshots;
mod tasks;
mod trust;
mod user_data;
mod wash;
mod watch;
mod worktrees;

pub use agent_cli::StopHandle;
pub use agents::parse_transcript;
pub use app::App;
pub use clock::Clock;
pub use config::ConfigFault;
pub use driver::{Follower, RunEvent, RunEvents, follower};
pub use error::{AppError, Result};
pub use evaluation::{JudgeOutcome, ShadowRun};
pub use export::Export;
pub use keys::KeyState;
pub use knowledge::calibration::calibrate;
pub use knowledge::{JournalDifference, Rebuilt};
pub use learn::{AnsweredCall, Extraction, Listener, SettleOutcome};
pub use paths::Paths;
pub use questions::LeaveOutcome;
pub use ralph_core::authority::Actor;
pub use recall::Searcher;
pub use recall::fresh::{FreshIndex, Snapshot, index_of, learn_words};
pub use recall::indexer::Indexer;
pub use recall::texts::{TextHash, asked_vectors, made_of, text_hash};
pub use recall::tokens::KeptTokens;
pub use recent::Recent;
pub use run_stop::RunStop;
pub use runs::PreparedRun;

pub use trust::TrustAct;
pub use wash::kept;
pub use watch::TopicWatch;
pub use worktrees::RemoveMode;
