//! Every error of the product, and the only place where it becomes what a person and a program read.

use crate::config::ConfigFault;
use crate::files::FileFault;
use ralph_core::feature::ClosedTo;
use ralph_core::noun::Noun;
use ralph_core::saturation::FeatureSaturation;
use ralph_core::text::{self, UnknownWord};
use ralph_core::trust::TrustItem;
use ralph_core::view::{CommandError, ErrorData};
use ralph_core::worktree::{Refusal, Work};
use ralph_core::{LearningId, RunId, TaskId};
use sqlite_db::DbError;
use std::path::PathBuf;

/// An error of a use case.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// No `.ralph` here or above.
    #[error("{} is not in a Ralph project", path.display())]
    NoProject {
        /// Where the search began.
        path: PathBuf,
    },
    /// A project was here before, but is no longer.
    #[error("the Ralph project in {} is incomplete: {missing}", path.display())]
    ProjectLost {
        /// The folder that held it.
        path: PathBuf,
        /// What is missing of it.
        missing: String,
    },
    /// A field of the input is invalid.
    #[error("{field}: {fault}")]
    Invalid {
        /// Which field.
        field: &'static str,
        /// What is wrong.
        fault: String,
        /// How to fix it.
        hint: String,
    },
    /// A named item does not exist.
    #[error("there is no {what} '{name}'")]
    NotFound {
        /// Feature, task, learning …
        what: Noun,
        /// Its name or number.
        name: String,
    },
    /// A name is taken.
    #[error("the {what} '{name}' exists already")]
    Exists {
        /// Feature, project …
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// No room: all active learnings are protected. The new one is parked under `parked`.
    #[error(
        "the knowledge of '{}' is full: {} of {} learnings, {} protected, none can be pruned; the new one is kept as parked ({parked})",
        saturation.feature, saturation.learnings_count, saturation.max_learnings, saturation.protected_count
    )]
    KnowledgeFull {
        /// The parked learning.
        parked: LearningId,
        /// The feature's saturation.
        saturation: FeatureSaturation,
        /// The task that will make room.
        split_task: Option<TaskId>,
    },
    /// The feature accepts no more learnings or tasks.
    #[error("feature '{name}' is {state}: it takes no more {what}")]
    FeatureClosed {
        /// Its name.
        name: String,
        /// `decomposed` or `archived`.
        state: &'static str,
        /// What it would not take.
        what: ClosedTo,
        /// Its children.
        children: Vec<String>,
    },
    /// A learning can't be restored: there is no room, and nothing prunable.
    #[error(
        "there is no room for {learning} in '{}': {} of {} learnings, {} protected, none can be pruned; nothing was changed",
        saturation.feature, saturation.learnings_count, saturation.max_learnings, saturation.protected_count
    )]
    NoRoom {
        /// The learning that stays as it is.
        learning: LearningId,
        /// Whether it is parked.
        is_parked: bool,
        /// The feature's saturation.
        saturation: FeatureSaturation,
        /// The task that will make room.
        split_task: Option<TaskId>,
    },
    /// A newer Ralph has written to a journal: this one reads what it can, and adds nothing.
    #[error("{file} holds what a newer Ralph wrote ({fault}): this Ralph goes on reading it, and adds nothing to it")]
    NewerJournal {
        /// The journal's name.
        file: String,
        /// What can't be read.
        fault: String,
    },
    /// A split task can't be closed yet.
    #[error("task #{task} can't be closed: feature '{feature}' is not split yet: {left}")]
    SplitIncomplete {
        /// The split task.
        task: TaskId,
        /// The feature.
        feature: String,
        /// What is left to do.
        left: String,
    },
    /// A run is already in progress in this checkout.
    #[error("{} already works in this checkout", run.map_or("a run".to_owned(), |run| format!("run {run}")))]
    RunActive {
        /// Which run; `None` if no row names it, as when the database is lost.
        run: Option<RunId>,
    },
    /// There is no run to control.
    #[error("no run is active")]
    NoRun,
    /// The run to be controlled is over.
    #[error("run {run} is over: {why}")]
    RunOver {
        /// Which.
        run: RunId,
        /// How it ended.
        why: String,
    },
    /// An agent is working on the task.
    #[error("task #{task} is being worked on in iteration {iteration}")]
    TaskRunning {
        /// The task.
        task: TaskId,
        /// The iteration.
        iteration: u32,
    },
    /// A merge was refused; nothing is half done.
    #[error("{work} is not merged: {}", refusal.message)]
    MergeRefused {
        /// The task, or the errand.
        work: Work,
        /// Why.
        refusal: Refusal,
        /// What kept an agent from settling it, if that passes by itself.
        setback: Option<ralph_core::run::machine::Setback>,
    },
    /// Only a person may do it; a proposal was created.
    #[error("a person decides about this: \"{title}\" is put before them as notice {notice}, and nothing has changed")]
    Proposed {
        /// Number of the proposal's notice.
        notice: u32,
        /// What was requested.
        title: String,
    },
    /// An agent may not do it.
    #[error("an agent can't {what}")]
    Forbidden {
        /// What it requested.
        what: &'static str,
    },
    /// `config.toml` can't be read.
    #[error("{0}")]
    Config(#[from] ConfigFault),
    /// The agent can't be found.
    #[error("{0}")]
    Agent(#[from] agent_cli::FindError),
    /// The agent was found, but can't be started.
    #[error("{0}")]
    AgentStart(#[from] agent_cli::AgentError),
    /// A file error.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The folder brings along content that nobody has agreed to on this machine.
    #[error("this folder brings along what you have not agreed to on this machine: {}", in_short(items))]
    Untrusted {
        /// The items.
        items: Vec<TrustItem>,
    },
    /// Git holds parts of the database.
    #[error("{holder} this machine's own files: {files}; a database that travels with a repository is never used")]
    HeldByGit {
        /// What is held, in brief.
        files: String,
        /// Whether the commit that is checked out holds it, or the index alone, in words.
        holder: &'static str,
        /// How it is taken out.
        way_out: String,
    },
    /// A file of the project can't be used.
    #[error("{0}")]
    File(#[from] FileFault),
    /// Git.
    #[error("{0}")]
    Git(#[from] git_repo::GitError),
    /// The embedding model.
    #[error("{0}")]
    Embed(#[from] text_embed::EmbedError),
    /// An internal error.
    #[error("Ralph itself failed: {fault}")]
    Panicked {
        /// The panic message.
        fault: String,
    },
    /// The database.
    #[error("{0}")]
    Db(#[from] DbError),
}

impl AppError {
    /// An invalid field.
    pub fn invalid(field: &'static str, fault: impl Into<String>, hint: impl Into<String>) -> AppError {
        AppError::Invalid { field, fault: fault.into(), hint: hint.into() }
    }

    /// A missing item.
    pub fn not_found(what: Noun, name: impl std::fmt::Display) -> AppError {
        AppError::NotFound { what, name: text::cut(&format!("{name}"), 80).to_owned() }
    }

    /// Whether the database's storage failed rather than the data to be stored, see [`DbError::is_of_the_place`].
    pub(crate) fn is_of_the_place(&self) -> bool {
        matches!(self, AppError::Db(fault) if fault.is_of_the_place())
    }

    /// A file error.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> AppError {
        AppError::Io { path: path.into(), source }
    }

    /// A word that is not a value of an enum.
    pub fn word(field: &'static str, error: &UnknownWord) -> AppError {
        AppError::invalid(field, format!("'{}' is not known", error.word), format!("use one of: {}", error.known))
    }

    fn code(&self) -> &'static str {
        match self {
            AppError::NoProject { .. } => "no_project",
            AppError::ProjectLost { .. } => "project_lost",
            AppError::Invalid { .. } => "invalid",
            AppError::NotFound { .. } => "not_found",
            AppError::Exists { .. } => "exists",
            AppError::KnowledgeFull { .. } | AppError::NoRoom { .. } => "knowledge_full",
            AppError::NewerJournal { .. } => "newer_journal",
            AppError::FeatureClosed { .. } => "feature_closed",
            AppError::SplitIncomplete { .. } => "split_incomplete",
            AppError::RunActive { .. } => "run_active",
            AppError::NoRun | AppError::RunOver { .. } => "no_run",
            AppError::TaskRunning { .. } => "task_running",
            AppError::MergeRefused { refusal, .. } => refusal.kind.as_str(),
            AppError::Proposed { .. } => "proposed",
            AppError::Forbidden { .. } => "forbidden",
            AppError::Io { .. } | AppError::File(FileFault::Io { .. }) | AppError::Config(ConfigFault::File(FileFault::Io { .. })) => "io",
            AppError::File(_) | AppError::Config(ConfigFault::File(_)) => "unsafe_file",
            AppError::Config(_) => "config",
            AppError::Agent(_) | AppError::AgentStart(_) => "agent_unavailable",
            AppError::Untrusted { .. } | AppError::HeldByGit { .. } => "untrusted",
            AppError::Git(_) => "git",
            AppError::Embed(_) => "embedding",
            AppError::Db(DbError::Busy) => "busy",
            AppError::Db(DbError::Newer { .. }) => "newer_database",
            AppError::Db(DbError::Damaged { .. }) => "damaged_database",
            AppError::Db(DbError::Migration { .. }) => "failed_migration",
            AppError::Db(DbError::Gone { .. } | DbError::Replaced { .. }) => "project_gone",
            AppError::Db(DbError::DiskFull) => "disk_full",
            AppError::Db(DbError::ReadOnly) => "read_only",
            AppError::Db(DbError::NoFile { .. }) => "no_file",
            AppError::Db(_) => "database",
            AppError::Panicked { .. } => "internal_error",
        }
    }

    /// Additional data for programs.
    fn data(&self) -> Option<Box<ErrorData>> {
        let (parked, saturation, split_task) = match self {
            AppError::KnowledgeFull { parked, saturation, split_task } => (Some(parked), saturation, split_task),
            AppError::NoRoom { learning, is_parked, saturation, split_task } => (is_parked.then_some(learning), saturation, split_task),
            _ => return None,
        };
        Some(Box::new(ErrorData { parked: parked.cloned(), saturation: saturation.clone(), split_task: *split_task }))
    }

    pub(crate) fn hint(&self) -> String {
        match self {
            AppError::NoProject { .. } => "run `ralph init` in the folder of your repository".into(),
            AppError::ProjectLost { .. } => {
                "`ralph restore` brings it back from what this machine keeps of it; `ralph init --fresh` begins anew".into()
            }
            AppError::Invalid { hint, .. } => hint.clone(),
            AppError::NotFound { what, .. } => what.listed_by(),
            AppError::Exists { what, .. } => format!("choose another name, or use the existing {what}"),
            AppError::NewerJournal { .. } => "update Ralph on this machine".into(),
            AppError::NoRoom { split_task, .. } => match split_task {
                Some(id) => format!("task #{id} makes room by splitting the feature; or retire a learning first"),
                None => "retire a learning, or raise the feature's max_learnings".into(),
            },
            AppError::KnowledgeFull { parked, split_task, .. } => match split_task {
                Some(id) => format!("it returns once task #{id} has moved learnings to child features, or when you retire one; `ralph learning move {parked} --to FEATURE` moves it now"),
                None => "retire a learning, raise the feature's max_learnings, or split the feature; it then returns by itself".into(),
            },
            AppError::FeatureClosed { name, children, .. } if children.is_empty() => {
                format!("make it active again with `ralph feature update {name} --state active`, or use another one")
            }
            AppError::FeatureClosed { children, what: ClosedTo::Learnings, .. } => {
                format!("use one of its children: {}; `ralph learning move` brings a learning there", children.join(", "))
            }
            AppError::FeatureClosed { children, .. } => format!("use one of its children: {}", children.join(", ")),
            AppError::SplitIncomplete { feature, .. } => {
                format!("make child features with parent='{feature}', and move its open tasks to them or close them")
            }
            AppError::RunActive { run: Some(run) } => format!("stop it with `ralph stop --run {run}`, or wait until it ends"),
            AppError::RunActive { run: None } => "stop it with `ralph stop`, or wait until it ends".into(),
            AppError::NoRun | AppError::RunOver { .. } => "start one with `ralph run`".into(),
            AppError::MergeRefused { work, refusal, .. } => refusal.hint(*work),
            AppError::Proposed { .. } => "go on with your own task: asking again changes nothing; people decide with `ralph notice`".into(),
            AppError::Forbidden { .. } => "leave it to a person; `ralph task comment` tells them what you would have done".into(),
            AppError::File(FileFault::Io { source, .. }) | AppError::Config(ConfigFault::File(FileFault::Io { source, .. })) => {
                system_hint(source)
            }
            AppError::File(fault) | AppError::Config(ConfigFault::File(fault)) => way_out_of(fault).into(),
            AppError::TaskRunning { .. } => "stop the run with `ralph stop`, or wait until the iteration ends".into(),
            AppError::Config(_) => "correct .ralph/config.toml; nothing was changed".into(),
            AppError::Agent(fault) => fault.way_out(),
            AppError::AgentStart(fault) => fault.way_out().into(),
            AppError::Untrusted { .. } => "look at it with `ralph trust`, then agree with `ralph trust --yes`".into(),
            AppError::HeldByGit { way_out, .. } => way_out.clone(),
            AppError::Embed(fault) => fault.way_out(),
            AppError::Io { source, .. } => system_hint(source),
            AppError::Db(DbError::Newer { .. } | DbError::Unreadable { .. }) => "update Ralph, or use the newer one that wrote it".into(),
            AppError::Db(DbError::DiskFull) => "make room on the disk and try again".into(),
            AppError::Db(DbError::ReadOnly) => "make .ralph/db and the files in it writable and try again".into(),
            AppError::Db(DbError::Damaged { .. }) => "run `ralph restore`; with --show it only says what would be missing".into(),
            AppError::Db(DbError::Migration { .. }) => {
                "the Ralph that wrote it still reads it; a copy lies in .ralph/db/backups, and `ralph restore --show` says what would be missing".into()
            }
            AppError::Db(DbError::Gone { .. }) => "open the project in its present place; if it was deleted, `ralph restore` there".into(),
            AppError::Db(DbError::Replaced { .. }) => "open the project again".into(),
            AppError::Db(DbError::NoFile { .. }) => "move it away: Ralph makes its own files, and follows no links out of a project".into(),
            AppError::Git(fault) => fault.way_out().into(),
            AppError::Db(DbError::Busy) => "try again in a moment".into(),
            AppError::Db(_) => String::new(),
            AppError::Panicked { .. } => "what was committed is safe; try again, and report it if it returns".into(),
        }
    }
}

/// Items in brief.
fn in_short(items: &[TrustItem]) -> String {
    items.iter().map(TrustItem::in_short).collect::<Vec<_>>().join(", ")
}

/// Hint for an error of the system.
fn system_hint(source: &std::io::Error) -> String {
    match source.kind() {
        std::io::ErrorKind::StorageFull => "make room on the disk and try again".into(),
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => "make the folder writable and try again".into(),
        std::io::ErrorKind::NotFound => "nothing is there; correct the path".into(),
        _ => String::new(),
    }
}

/// Hint for an unexpected file.
fn way_out_of(fault: &FileFault) -> &'static str {
    match fault {
        FileFault::Elsewhere { .. } => "put a plain file or folder of the project in its place; nothing outside was read or written",
        FileFault::Kind { .. } => "replace it with what belongs there; nothing of it was read",
        FileFault::TooLong { .. } => "make it shorter; nothing of it was used",
        FileFault::NoText { .. } => "save it as UTF-8; nothing of it was used",
        FileFault::Io { .. } => "",
    }
}

impl From<&AppError> for CommandError {
    fn from(error: &AppError) -> CommandError {
        CommandError {
            code: error.code().to_owned(),
            message: text::without_error_numbers(&error.to_string()),
            hint: error.hint(),
            data: error.data(),
        }
    }
}

impl From<AppError> for CommandError {
    fn from(error: AppError) -> CommandError {
        CommandError::from(&error)
    }
}

/// Result of every use case.
pub type Result<T> = std::result::Result<T, AppError>;
