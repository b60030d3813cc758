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
mod knowledge;
mod learn;
mod memories;
mod notices;
mod outside;
mod overview;
mod owner;
mod paths;
mod project;
mod recall;
mod recent;
mod restore;
mod review;
mod rows;
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
pub use knowledge::{JournalDifference, Rebuilt};
pub use learn::{AnsweredCall, Extraction, Listener, SettleOutcome};
pub use paths::Paths;
pub use ralph_core::authority::Actor;
pub use recall::Searcher;
pub use recall::calibration::calibrate;
pub use recall::fresh::{FreshIndex, index_of};
pub use recall::indexer::Indexer;
pub use recall::texts::{TextHash, made_of, question_of};
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
    /// The last question, by model and text, with its vectors: a prompt and its preview ask the same.
    question: Kept<(String, String), Option<recall::texts::AskedVectors>>,
    /// The index for knowledge.
    knowledge: Mutex<FreshIndex>,
    /// The index including failure reports.
    everything: Mutex<FreshIndex>,
    /// Held while scanning files for facts.
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
