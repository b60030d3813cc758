//! `App`: an open project, and the only way to write to it.

use crate::cache::{Cached, LastAsked, SharedLook};
use crate::clock::Clock;
use crate::config;
use crate::error::Result;
use crate::faults::Faults;
use crate::outside::Outside;
use crate::paths::Paths;
use crate::recall::fresh::FreshIndex;
use crate::recall::recorder::Recorder;
use crate::recall::texts::AskedVectors;
use crate::trust::standing::StandingSettings;
use crate::trust::store::Store;
use agent_cli::StopHandle;
use git_repo::Repo;
use ralph_core::active_days::ActiveDays;
use ralph_core::authority::Actor;
use ralph_core::recall::EmbeddingSource;
use ralph_core::run::owner::Unrecovered;
use ralph_core::time::Timestamp;
use sqlite_db::{Db, Tx};
use std::sync::{Arc, Mutex};
use text_embed::Embedder;
use tokio::sync::Semaphore;

/// An open project and everything that can be done with it. Cheap to share behind an `Arc`.
pub struct App {
    pub(crate) paths: Paths,
    pub(crate) db: Db,
    /// `None` in a folder without git: then evidence is missing, and the doctor says so.
    pub(crate) repo: Option<Repo>,
    pub(crate) clock: Clock,
    /// This machine's data on the project outside of it; `None` for a user without a home.
    pub(crate) outside: Option<Outside>,
    /// Held by each run of this process: it copies outside while its agents work.
    pub(crate) runs: Arc<()>,
    /// When the next copy outside is due, by the monotonic clock.
    pub(crate) next_copy: Mutex<Option<Timestamp>>,
    /// The actor.
    pub(crate) actor: Actor,
    /// Faults injected by tests.
    pub(crate) faults: Faults,
    /// Why the last check was not followed by the recovery, if it was not.
    pub(crate) unrecovered: Mutex<Option<Unrecovered>>,
    /// The person's agreements on this machine.
    pub(crate) trust: Store,
    /// The parsed settings, with the stamps of their file and of the agreements.
    pub(crate) settings: Cached<(config::Stamp, Option<config::Stamp>), StandingSettings>,
    /// The embedder, with its settings.
    pub(crate) embedder: Cached<(EmbeddingSource, String, String), Embedder>,
    /// The recorder of questions, results and selections.
    pub(crate) evaluation: Recorder,
    /// Whether learned terms count, with the time of the check.
    pub(crate) gates: Cached<(i64, u32), bool>,
    /// The last questions, by model and text, with their vectors: a prompt and its preview ask the same, and agents repeat themselves.
    pub(crate) questions: LastAsked<(String, String), Option<AskedVectors>>,
    /// What recall searches for knowledge.
    pub(crate) knowledge: Mutex<FreshIndex>,
    /// The index including failure reports.
    pub(crate) everything: Mutex<FreshIndex>,
    /// The state of the project's own checkout: lanes that begin and end at the same time share one look.
    pub(crate) own_looks: SharedLook<(git_repo::Snapshot, Option<String>)>,
    /// Uncommitted work of the project's own checkout as it was last saved.
    pub(crate) own_kept: Mutex<Option<(git_repo::Snapshot, git_repo::KeptWork)>>,
    /// What git ran by itself when the first of this process's active runs began.
    pub(crate) machinery: Mutex<Option<git_repo::Machinery>>,
    /// A permit for each removal of a worktree during a run.
    pub(crate) removals: Arc<Semaphore>,
    /// Worktrees made ahead by this process.
    pub(crate) spares: Mutex<Vec<crate::worktrees::spare::Spare>>,
    /// The learnings whose pairs with those of other clones were judged by this process.
    pub(crate) judged_beside: Mutex<crate::knowledge::JudgedBeside>,
    /// Held by whoever scans the files for facts.
    pub(crate) code_look: Mutex<()>,
    /// Facts, by kind and subject, that were withdrawn with their sources since the last look at the code reported how many.
    pub(crate) sources_gone: Mutex<Vec<(String, String)>>,
    /// When this process last looked at journals and documents, by the monotonic clock; held by whoever looks.
    pub(crate) looked: Mutex<Option<Timestamp>>,
    /// Active days, with the time they were read.
    pub(crate) days: Cached<Timestamp, ActiveDays>,
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

    /// The same, and git ends once `stop` asks where it runs programs of the person's: hooks, filters, what signs.
    pub(crate) async fn blocking_until<T: Send + 'static>(
        self: &Arc<Self>,
        stop: &StopHandle,
        f: impl FnOnce(&App) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let stop = stop.clone();
        self.blocking(move |app| until_stopped(stop, || f(app))).await
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
        if Arc::strong_count(&self.runs) == 1 {
            self.copy_outside_if_due();
        }
        Ok(value)
    }
}

/// Does `work`, during which git ends once `stop` asks where it runs programs of the person's.
pub(crate) fn until_stopped<T>(stop: StopHandle, work: impl FnOnce() -> T) -> T {
    git_repo::until(move || stop.asked().is_some(), work)
}
