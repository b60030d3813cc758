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
mod clock;
mod code_facts;
mod config;
mod consolidation;
mod disciplines;
mod documents;
mod driver;
mod errands;
mod error;
mod evaluation;
mod faults;
mod features;
mod files;
mod keys;
mod knowledge;
mod learn;
mod notices;
mod open_files;
mod outside;
mod overview;
mod owner;
mod paths;
mod private_files;
mod project;
mod recall;
mod review;
mod rows;
mod runs;
mod secrets;
mod task_list;
mod tasks;
mod trust;
mod worktrees;

pub use agent_cli::{StopCause, StopHandle, start_for_person};
pub use agents::parse_transcript;
pub use app::App;
pub use audit::AuditPass;
pub use clock::{Clock, begin_of_named, local_minute, local_time};
pub use code_facts::ScanCause;
pub use config::ConfigFault;
pub use driver::{Follower, RunEvent, RunEvents, follower};
pub use error::{AppError, Result};
pub use evaluation::{JudgeOutcome, ShadowRun};
pub use git_repo::real_path;
pub use keys::KeyState;
pub use knowledge::calibration::calibrate;
pub use knowledge::{JournalDifference, Rebuilt};
pub use learn::{AnsweredCall, Extraction, Listener, SettleOutcome};
pub use open_files::make_room_for_open_files;
pub use paths::Paths;
pub use project::export::Export;
pub use project::recent::Recent;
pub use ralph_core::authority::Actor;
pub use recall::Searcher;
pub use recall::fresh::{FreshIndex, Snapshot, index_of, learn_words};
pub use recall::indexer::Indexer;
pub use recall::texts::{TextHash, asked_vectors, made_of, text_hash};
pub use recall::tokens::KeptTokens;
pub use review::MergeRequest;
pub use runs::PreparedRun;
pub use runs::questions::LeaveOutcome;
pub use runs::stop::RunStop;
pub use secrets::wash::kept_beginning;

pub use project::watch::TopicWatch;
pub use secrets::wash::{compile_beside, kept};
pub use trust::TrustAct;
pub use worktrees::RemoveMode;
