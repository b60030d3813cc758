//! Project: a folder with `.ralph/`: creating and opening one.

pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod recent;
pub(crate) mod restore;
pub(crate) mod surroundings;
pub(crate) mod watch;

use crate::app::App;
use crate::cache::SharedLook;
use crate::clock::Clock;
use crate::config::{self, Stamp};
use crate::error::{AppError, Result};
use crate::files::Readers;
use crate::outside::{Outside, find_root, left_out, lost, nearest_root, root_of_linked};
use crate::owner::{RunLocks, lock_file};
use crate::paths::{Paths, canonical};
use crate::recall::recorder::Recorder;
use crate::trust::place;
use crate::trust::standing::StandingSettings;
use crate::trust::store::Store;
use git_repo::Repo;
use ralph_core::authority::{Act, Actor};
use ralph_core::discipline;
use ralph_core::limits;
use ralph_core::settings::Settings;
use ralph_core::text::in_shell;
use ralph_core::topic::Topic;
use ralph_core::view::ProjectInfo;
use ralph_rag::journal::PROJECT_JOURNAL;
use sqlite_db::Db;
use sqlite_db::table::RunOwner;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Journals and settings of `.ralph/` belong into git; the database, logs and copies do not.
const GITIGNORE: &str =
    "# Ralph: journals and settings are meant to be committed; the rest is this machine's own.\n/db/*\n!/db/memory/\n.*.new\n";
/// Journals of two branches merge by line, also those of what is staged. In a repository that keeps its own `*.jsonl` as large files,
/// pointers would be merged by line instead, and nobody could read the result.
const GITATTRIBUTES: &str = "db/memory/**/*.jsonl merge=union text eol=lf -filter !diff\n";

impl Paths {
    /// Creates the folders and the texts of a project, as far as missing.
    pub(crate) fn make(&self) -> Result<()> {
        place::check(self, &Store::of(&self.root).read()?)?;
        let files = self.files();
        files.make_folder(&self.memory)?;
        let ralph = self.root.join(".ralph");
        for (path, content) in
            [(self.config.clone(), config::TEMPLATE), (ralph.join(".gitignore"), GITIGNORE), (ralph.join(".gitattributes"), GITATTRIBUTES)]
        {
            if files.metadata(&path)?.is_none() {
                files.write(&path, content.as_bytes(), Readers::Anyone)?;
            }
        }
        Ok(())
    }
}

impl App {
    /// Creates `.ralph/` in `folder` and opens it. An existing project is only opened: nothing in it is overwritten.
    pub fn init(folder: &Path, clock: Clock) -> Result<App> {
        let root = canonical(folder)?;
        if Repo::is_git_folder(&root) {
            let fault = format!("{} is git's own folder, or a bare repository, where nobody works", root.display());
            return Err(AppError::invalid("folder", fault, "make the project in a work tree: `git worktree add FOLDER BRANCH` makes one"));
        }
        let root = root_of_linked(&root).unwrap_or(root);
        if let Some(lost) = lost(&root) {
            return Err(lost);
        }
        if let Some(place) = left_out(&root) {
            let fault = format!("{} holds a project, which the sparse checkout leaves out", root.display());
            return Err(AppError::invalid("folder", fault, format!("`git sparse-checkout add {}`", in_shell(&place))));
        }
        Paths::of(&root).make()?;
        App::open(&root, clock)
    }

    /// Opens the project that contains `folder`, for a person: the nearest `.ralph/` here or above.
    pub fn open(folder: &Path, clock: Clock) -> Result<App> {
        let (mark, value) = agent_cli::mark_of_person();
        git_repo::carry(mark, value);
        let root = &find_root(folder)?;
        let paths = Paths::of(root);
        paths.check()?;
        let repo = Repo::discover(root).ok().map(|repo| repo.of_project(root));
        let trust = Store::of(root);
        place::refuse_tracked_at_rest(&paths, repo.as_ref())?;
        let record = trust.read()?;
        place::check(&paths, &record)?;
        if paths.database().exists() {
            place::renew_mark(&paths, clock.now());
        } else {
            // Marked first: whoever finds the database finds the mark as well.
            place::note_made_here(&paths, clock.now())?;
        }
        let db = Db::open(&paths.database())?;
        // Journals and documents are looked at below.
        let looked = Mutex::new(Some(clock.steady()));
        let app = App {
            repo,
            outside: Outside::of(root),
            evaluation: Recorder::of(paths.evaluation()),
            gates: Mutex::default(),
            runs: Arc::default(),
            next_copy: Mutex::default(),
            paths,
            trust,
            db,
            clock,
            actor: Actor::Human,
            unrecovered: Mutex::default(),
            faults: crate::faults::Faults::default(),
            settings: Mutex::default(),
            embedder: Mutex::default(),
            questions: Mutex::default(),
            knowledge: Mutex::default(),
            everything: Mutex::default(),
            own_looks: SharedLook::default(),
            own_kept: Mutex::default(),
            machinery: Mutex::default(),
            removals: Arc::new(Semaphore::new(limits::WORKERS as usize)),
            spares: Mutex::default(),
            judged_beside: Mutex::default(),
            code_look: Mutex::default(),
            sources_gone: Mutex::default(),
            looked,
            days: Mutex::default(),
        };
        app.let_git_run(&record);
        if !app.db.is_read_only() {
            app.found()?;
        }
        app.mark()?;
        app.try_recover()?;
        for recovered in [app.recover_errands(), app.recover_worktrees(), app.recover_merges(), app.find_merged(), app.find_consolidated()]
        {
            recovered.unwrap_or_else(|error| tracing::warn!("what a killed merge or start left could not be looked at: {error}"));
        }
        app.end_dead_hold()?;
        // Settings that can't be read are reported to whoever asks for them.
        app.settle_caps().unwrap_or_else(|fault| tracing::debug!("saturations are not settled by the project's cap: {fault}"));
        app.look_at_documents_or_warn();
        Ok(app)
    }

    /// Ends the hold on settings and rules of a run that ended without doing so.
    fn end_dead_hold(&self) -> Result<()> {
        let record = self.trust.read()?;
        if (record.holding || record.watching)
            && !self.db.read(|r| r.is_at_work())?
            && let Err(fault) = self.end_hold()
        {
            tracing::warn!("settings and rules still wait for a yes: {fault}");
        }
        Ok(())
    }

    /// Initializes a new database: an id, the disciplines, and the knowledge of the journals. One older than ids has its knowledge
    /// already, and its lines and words are added to newer tables.
    fn found(&self) -> Result<()> {
        if self.db.read(|r| r.own())?.replica.is_empty() {
            self.write(|tx| {
                for discipline in discipline::defaults() {
                    if tx.discipline(&discipline.name)?.is_none() {
                        tx.put_discipline(&discipline)?;
                    }
                }
                Ok(tx.set_replica(&crate::clock::new_replica())?)
            })?;
            // A previous database may have had runs.
            self.sweep_unknown()?;
        }
        self.renew_keys()?;
        if !self.db.read(|r| r.has_events())? && (!self.journal_files()?.is_empty() || !self.db.read(|r| r.features())?.is_empty()) {
            // What can't be imported now is found by the next check of the journals, or by a rebuild.
            self.bring_together().map(drop).unwrap_or_else(|error| tracing::warn!("the journals could not be read: {error}"));
        }
        self.pull_or_warn();
        self.find_lost_lines(true).unwrap_or_else(|error| tracing::warn!("lines that git took out could not be looked for: {error}"));
        Ok(())
    }

    /// The locks that the run in a slot holds: in the project and outside of it.
    pub(crate) fn run_locks(&self, slot: u32) -> Vec<PathBuf> {
        let mut locks = vec![self.paths.db.join(lock_file(slot))];
        locks.extend(self.outside.as_ref().map(|outside| outside.lock(slot)).filter(|lock| lock.parent().is_some_and(Path::is_dir)));
        locks
    }

    /// The state of the locks of these runs. Whether a run is alive is judged by rows that are read afterwards.
    pub(crate) fn look_at(&self, runs: &[RunOwner]) -> RunLocks {
        RunLocks::look(runs, |slot| self.run_locks(slot))
    }

    /// The state of the locks of all runs that are not over.
    pub(crate) fn look_at_runs(&self) -> Result<RunLocks> {
        Ok(self.look_at(&self.db.read(|r| r.run_owners())?))
    }

    /// Whether nothing can be changed.
    pub fn is_read_only(&self) -> bool {
        self.db.is_read_only()
    }

    /// Why nothing can be changed: the folder is read-only, the disk is full, or a newer Ralph has migrated the database since. `None` if it
    /// can.
    pub fn write_refusal(&self) -> Option<AppError> {
        self.db.refusal().map(AppError::Db)
    }

    /// The folder of the project that this one lies in, if there is one: it has knowledge of its own.
    pub fn around(&self) -> Option<PathBuf> {
        self.paths.root.parent().and_then(nearest_root)
    }

    /// The project's data for the window and `status`.
    pub fn project(&self) -> ProjectInfo {
        let root = &self.paths.root;
        ProjectInfo {
            path: root.to_string_lossy().into_owned(),
            name: root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned(),
            branch: self.repo.as_ref().and_then(|r| r.branch().ok().flatten()),
        }
    }

    /// The settings in force: the current content of `config.toml`, with the template's value for each that awaits agreement. During a run
    /// they are those at its start.
    pub fn settings(&self) -> Result<Settings> {
        Ok(self.kept_settings()?.in_force.clone())
    }

    /// The settings as written, agreed to or not: for the person who changes them.
    pub fn written_settings(&self) -> Result<Settings> {
        Ok(self.kept_settings()?.written.clone())
    }

    /// The keys of the file that belong to no setting, in words. Settings that can't be read are reported elsewhere.
    pub(crate) fn unknown_settings(&self) -> Option<String> {
        let path = &self.paths.config;
        let text = self.paths.files().read_text(path, limits::CONFIG_BYTES).ok()?.unwrap_or_default();
        let unknown: Vec<String> = config::unknown_keys(path, &text).ok()?.iter().map(ToString::to_string).collect();
        (!unknown.is_empty())
            .then(|| format!(".ralph/config.toml has keys that are not settings and have no effect: {}", unknown.join(", ")))
    }

    /// That git ignores the whole project, in words: it is in a folder of a repository that leaves it out.
    pub(crate) fn ignored_by_git(&self) -> Option<String> {
        let (root, repo) = (&self.paths.root, self.repo.as_ref()?);
        let is_ignored = root != repo.root() && repo.is_ignored(root).unwrap_or(false);
        let words = || format!("{} is ignored by the repository in {}", root.display(), repo.root().display());
        is_ignored.then(|| format!("{}: what changes there is neither watched nor kept", words()))
    }

    /// That git keeps the journals out of commits, in words, for example by a rule that ignores everything hidden.
    pub fn ignored_journals(&self) -> Option<String> {
        let repo = self.repo.as_ref().filter(|_| self.ignored_by_git().is_none())?;
        let rule = repo.ignored_by(&self.journal_path(PROJECT_JOURNAL)).ok()??;
        Some(format!("git ignores .ralph/db/memory ({rule}): what is learnt comes into no commit, and so into no clone"))
    }

    /// Why nothing watches what changes in the project's folder, in words.
    pub(crate) fn unwatched_by_git(&self) -> Option<String> {
        let none = || format!("{} is not a git repository: what changes there is neither watched nor kept", self.paths.root.display());
        if self.repo.is_some() { self.ignored_by_git() } else { Some(none()) }
    }

    /// Warns of them before money is spent: a misspelt limit is not a limit.
    pub(crate) fn warn_of_unknown_settings(&self) {
        if let Some(unknown) = self.unknown_settings() {
            tracing::warn!("{unknown}");
        }
    }

    /// Both files are read again if their stamps changed, and always if one was changed just now, since two edits within the
    /// resolution of the file system are indistinguishable.
    pub(crate) fn kept_settings(&self) -> Result<Arc<StandingSettings>> {
        // A project that was moved away is reported as such, not as a file that can't be read.
        self.db.still_there()?;
        let mut kept = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        let config = Stamp::of(self.paths.files(), &self.paths.config).filter(|stamp| stamp.is_older_than(now));
        let agreed = self.trust.stamp();
        let stamps = config.zip(Some(agreed)).filter(|(_, agreed)| agreed.is_none_or(|stamp| stamp.is_older_than(now)));
        if let (Some(stamps), Some((known, settings))) = (stamps, kept.as_ref())
            && stamps == *known
        {
            return Ok(Arc::clone(settings));
        }
        let settings = Arc::new(self.standing_settings()?);
        // The content of a script counts too, and has no stamp here.
        *kept = stamps.filter(|_| settings.written.script.is_empty()).map(|stamps| (stamps, Arc::clone(&settings)));
        Ok(settings)
    }

    /// Changes what differs from `base`, the settings that a person saw; whatever was written into the file meanwhile stays, with its
    /// comments. A person's changes through Ralph are agreed to.
    pub fn update_settings(&self, base: &Settings, settings: &Settings) -> Result<Settings> {
        self.allowed(&Act::ChangeSettings)?;
        let before = self.kept_settings()?;
        let text = self.paths.files().read_text(&self.paths.config, limits::CONFIG_BYTES)?;
        config::save(self.paths.files(), &self.paths.config, base, settings)?;
        self.agree_to_change(&before, text.as_deref())?;
        self.write(|tx| {
            tx.touch(Topic::Settings);
            Ok(())
        })?;
        self.settle_caps()?;
        self.written_settings()
    }
}
