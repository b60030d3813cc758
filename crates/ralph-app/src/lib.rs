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
mod audit;
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
pub use clock::Clock;
pub use config::ConfigFault;
pub use driver::{Follower, RunEvent, RunEvents, follower};
pub use error::{AppError, Result};
pub use evaluation::{JudgeOutcome, ShadowRun};
pub use export::Export;
pub use keys::KeyState;
pub use knowledge::{JournalDifference, Rebuilt};
pub use learn::{AnsweredCall, Extraction, Listener, SettleOutcome};
pub use paths::Paths;
pub use questions::LeaveOutcome;
pub use ralph_core::authority::Actor;
pub use recall::Searcher;
pub use recall::calibration::calibrate;
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

use git_repo::Repo;
use ralph_core::recall::EmbeddingSource;
use ralph_core::time::Timestamp;
use sqlite_db::{Db, Tx};
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use text_embed::Embedder;

/// A cached value with its key, recomputed when the key differs.
type Kept<K, V> = Mutex<Option<(K, Arc<V>)>>;

/// The cached value for `key`, or the result of `make`.
fn keep<K: PartialEq, V>(place: &Kept<K, V>, key: K, make: impl FnOnce() -> Result<V>) -> Result<Arc<V>> {
    let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, value)) = kept.as_ref().filter(|(known, _)| *known == key) {
        return Ok(Arc::clone(value));
    }
    let value = Arc::new(make()?);
    *kept = Some((key, Arc::clone(&value)));
    Ok(value)
}

/// Several things made at cost, the youngest last.
type LastAsked<K, V> = Mutex<VecDeque<(K, Arc<V>)>>;

/// What is kept for `key` among the `most` that were asked for last, or what `make` makes for it.
fn keep_recent<K: PartialEq, V>(place: &LastAsked<K, V>, most: usize, key: K, make: impl FnOnce() -> Result<V>) -> Result<Arc<V>> {
    let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
    let known = kept.iter().position(|(known, _)| *known == key).and_then(|at| kept.remove(at));
    let (key, value) = match known {
        Some(known) => known,
        None => (key, Arc::new(make()?)),
    };
    while kept.len() >= most.max(1) {
        kept.pop_front();
    }
    kept.push_back((key, Arc::clone(&value)));
    Ok(value)
}

/// An open project and everything that can be done with it. Cheap to share behind an `Arc`.
pub struct App {
    paths: Paths,
    db: Db,
    /// `None` in a folder without git: then evidence is missing, and the doctor says so.
    repo: Option<Repo>,
    clock: Clock,
    /// This machine's data on the project outside of it; `None` for a user without a home.
    outside: Option<outside::Outside>,
    /// When the next copy outside is due, by the monotonic clock.
    next_copy: Mutex<Option<Timestamp>>,
    /// The actor.
    actor: Actor,
    /// Faults injected by tests.
    faults: faults::Faults,
    /// Whether the last check was followed by the recovery.
    recovered: AtomicBool,
    /// The person's agreements on this machine.
    trust: trust::store::Store,
    /// The parsed settings, with the stamps of their file and of the agreements.
    settings: Kept<(config::Stamp, Option<config::Stamp>), trust::StandingSettings>,
    /// The embedder, with its settings.
    embedder: Kept<(EmbeddingSource, String, String), Embedder>,
    /// The recorder of questions, results and selections.
    evaluation: evaluation::recorder::Recorder,
    /// Whether learned terms count, with the time of the check.
    gates: Kept<(i64, u32), bool>,
    /// The last questions, by model and text, with what the model made of them: a prompt and its preview ask the same, and agents repeat
    /// themselves.
    questions: LastAsked<(String, String), Option<recall::texts::AskedVectors>>,
    /// The question that a person asked last in the window: a screen asks again whenever something changes, and that is no new question.
    last_asked: Mutex<Option<evaluation::asked::LastQuestion>>,
    /// What recall searches for knowledge.
    knowledge: Mutex<FreshIndex>,
    /// The index including failure reports.
    everything: Mutex<FreshIndex>,
    /// Uncommitted work of the project's own checkout as it was kept aside last, with the name and the commit of that.
    own_kept: Mutex<Option<(git_repo::Snapshot, String, String)>>,
    /// Held by whoever looks at the files for facts.
    code_look: Mutex<()>,
    /// Active days, with the time they were read.
    days: Kept<Timestamp, ralph_core::active_days::ActiveDays>,
}

impl App {
    /// Paths of the project's files.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Database, git and file work, off the threads of the async runtime.
    pub(crate) async fn blocking<T: Send + 'static>(self: &Arc<Self>, f: impl FnOnce(&App) -> Result<T> + Send + 'static) -> Result<T> {
        let app = Arc::clone(self);
        match tokio::task::spawn_blocking(move || f(&app)).await {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }

    /// The only way to write: one lock, one commit, then the journal.
    pub(crate) fn write<T>(&self, f: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.faults.point()?;
        let mut writer = self.db.writer()?;
        let value = writer.transaction(f)?;
        self.faults.point()?;
        if let Err(error) = self.flush_journal(&mut writer) {
            // The change is committed and its line is queued in the database: nothing is lost, and the next write retries.
            tracing::warn!("the journal could not be written: {error}");
        }
        drop(writer);
        self.copy_outside_if_due();
        Ok(value)
    }
}
