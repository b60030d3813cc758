//! Project: a folder with `.ralph/`: where things are, how one is made, how one is opened.

use crate::App;
use crate::clock::Clock;
use crate::config;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers, Wanted};
use git_repo::Repo;
use ralph_core::authority::{Act, Actor};
use ralph_core::discipline;
use ralph_core::topic::Topic;
use ralph_core::view::{ProjectInfo, Settings};
use sqlite_db::Db;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

/// What of `.ralph/` belongs into git: journals and settings. The database, logs and copies do not.
const GITIGNORE: &str = "# Ralph: journals and settings are meant to be committed; the rest is this machine's own.\n/db/*\n!/db/memory/\n";
/// Journals of two branches merge by line.
const GITATTRIBUTES: &str = "db/memory/*.jsonl merge=union text eol=lf\n";

/// Where a project's files are.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The folder that holds `.ralph/`.
    pub root: PathBuf,
    /// `.ralph/config.toml`.
    pub config: PathBuf,
    /// `.ralph/db/`.
    pub db: PathBuf,
    /// `.ralph/db/memory/`: the journals.
    pub memory: PathBuf,
    /// `.ralph/db/logs/`: event logs and prompts of iterations.
    pub logs: PathBuf,
}

impl Paths {
    fn of(root: &Path) -> Paths {
        let ralph = root.join(".ralph");
        let db = ralph.join("db");
        Paths { root: root.to_owned(), config: ralph.join("config.toml"), memory: db.join("memory"), logs: db.join("logs"), db }
    }
}

impl Paths {
    /// The one way to the project's files.
    pub(crate) fn files(&self) -> ProjectFiles<'_> {
        ProjectFiles::of(&self.root)
    }

    /// Refuses a project whose own folders, or whose database, lie elsewhere or are something else.
    fn check(&self) -> Result<()> {
        for folder in [&self.memory, &self.logs, &self.backups()] {
            self.files().must_be(folder, Wanted::Folder)?;
        }
        for name in ["ralph.db", "ralph.db-wal", "ralph.db-shm", "ralph.lock"] {
            self.files().must_be(&self.db.join(name), Wanted::File)?;
        }
        Ok(())
    }

    /// `.ralph/db/scratch/`: what an agent is given for as long as it runs.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.db.join("scratch")
    }

    /// `.ralph/db/backups/`: copies of the database.
    pub(crate) fn backups(&self) -> PathBuf {
        self.db.join("backups")
    }
}

impl App {
    /// Makes `.ralph/` in `folder` and opens it. A project that exists is only opened: nothing in it is overwritten.
    pub fn init(folder: &Path, clock: Clock) -> Result<App> {
        let root = canonical(folder)?;
        let paths = Paths::of(&root);
        let files = paths.files();
        files.make_folder(&paths.memory)?;
        let ralph = root.join(".ralph");
        for (path, content) in
            [(paths.config.clone(), config::TEMPLATE), (ralph.join(".gitignore"), GITIGNORE), (ralph.join(".gitattributes"), GITATTRIBUTES)]
        {
            if files.metadata(&path)?.is_none() {
                files.write(&path, content.as_bytes(), Readers::Anyone)?;
            }
        }
        App::open(&root, clock)
    }

    /// Opens the project that `folder` is in, for a person: the nearest `.ralph/` here or above.
    pub fn open(folder: &Path, clock: Clock) -> Result<App> {
        let start = canonical(folder)?;
        let root = start.ancestors().find(|f| f.join(".ralph").is_dir()).ok_or_else(|| AppError::NoProject { path: start.clone() })?;
        let paths = Paths::of(root);
        paths.check()?;
        let db = Db::open(&paths.db.join("ralph.db"))?;
        let app = App {
            repo: Repo::discover(root).ok(),
            paths,
            db,
            clock,
            actor: Actor::Human,
            recovered: AtomicBool::new(true),
            faults: crate::faults::Faults::default(),
            settings: Mutex::default(),
            embedder: Mutex::default(),
            knowledge: Mutex::default(),
            everything: Mutex::default(),
            days: Mutex::default(),
        };
        if !app.db.is_read_only() {
            app.found()?;
        }
        app.try_recover()?;
        Ok(app)
    }

    /// What a new database needs: the disciplines, and the knowledge of the journals when this is a fresh clone.
    fn found(&self) -> Result<()> {
        if !self.db.read(|r| r.disciplines())?.is_empty() {
            return Ok(());
        }
        self.write(|tx| {
            for discipline in discipline::defaults() {
                tx.put_discipline(&discipline)?;
            }
            Ok(())
        })?;
        if !self.journal_files()?.is_empty() {
            self.rebuild()?;
        }
        Ok(())
    }

    /// The locks that the run of this checkout holds.
    pub(crate) fn run_locks(&self) -> Vec<PathBuf> {
        vec![self.paths.db.join(crate::owner::LOCK_FILE)]
    }

    /// Whether nothing can be changed, because the folder is read-only.
    pub fn is_read_only(&self) -> bool {
        self.db.is_read_only()
    }

    /// What the window and `status` show of the project.
    pub fn project(&self) -> ProjectInfo {
        let root = &self.paths.root;
        ProjectInfo {
            path: root.to_string_lossy().into_owned(),
            name: root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned(),
            branch: self.repo.as_ref().and_then(|r| r.branch().ok().flatten()),
        }
    }

    /// The project's settings as `config.toml` holds them now. The file is read again when its time or length says so, and always when
    /// it was changed just now, since two edits within a tick of the file system look alike.
    pub fn settings(&self) -> Result<Settings> {
        let mut kept = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = config::Stamp::of(self.paths.files(), &self.paths.config).filter(|stamp| stamp.is_older_than(self.clock.now()));
        if let (Some(stamp), Some((known, settings))) = (stamp, kept.as_ref())
            && stamp == *known
        {
            return Ok(settings.clone());
        }
        let settings = config::load(self.paths.files(), &self.paths.config)?;
        *kept = stamp.map(|stamp| (stamp, settings.clone()));
        Ok(settings)
    }

    /// Changes the settings; comments in the file survive.
    pub fn update_settings(&self, settings: &Settings) -> Result<Settings> {
        self.allowed(&Act::ChangeSettings)?;
        config::save(self.paths.files(), &self.paths.config, settings)?;
        self.write(|tx| {
            tx.touch(Topic::Settings);
            Ok(())
        })?;
        self.settle_caps()?;
        self.settings()
    }
}

fn canonical(folder: &Path) -> Result<PathBuf> {
    let path = folder.canonicalize().map_err(|source| AppError::io(folder, source))?;
    if !path.is_dir() {
        return Err(AppError::invalid("project", format!("{} is no folder", path.display()), "name the folder of your repository"));
    }
    // Windows' verbatim prefix confuses git and agents.
    Ok(path.to_str().and_then(|p| p.strip_prefix(r"\\?\")).map(PathBuf::from).unwrap_or(path))
}
