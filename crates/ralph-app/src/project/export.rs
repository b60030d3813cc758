//! Export: all of a project's data as one JSON document; and copies of the database.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::evaluation::history::History;
use crate::files::Readers;
use crate::paths::{plain, real};
use ralph_core::LearningId;
use ralph_core::consolidation::Consolidation;
use ralph_core::discipline::Discipline;
use ralph_core::errand::Errand;
use ralph_core::evaluation::{Label, QueryRecord, SelectionRecord, ShadowRecord};
use ralph_core::feature::Feature;
use ralph_core::feedback::Feedback;
use ralph_core::learning::{FeatureLearning, StagedLearning};
use ralph_core::memory::{Episode, Fact};
use ralph_core::notice::Notice;
use ralph_core::run::attempt::Attempt;
use ralph_core::run::{Guidance, Iteration, Run};
use ralph_core::task::{Task, TaskComment, TaskFilter};
use ralph_core::time::Timestamp;
use ralph_core::worktree::Worktree;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Bytes in which an export is known by its first keys.
const BEGINNING: u64 = 80;

/// The whole project as one document. Transcripts stay in their files under `.ralph/db/logs/`.
#[derive(Debug, Serialize)]
pub struct Export {
    /// Version of the document format.
    pub version: u32,
    /// Time of the export.
    pub exported: Timestamp,
    /// All features.
    pub features: Vec<Feature>,
    /// All tasks.
    pub tasks: Vec<Task>,
    /// All comments.
    pub comments: Vec<TaskComment>,
    /// All learnings, in all states.
    pub learnings: Vec<FeatureLearning>,
    /// All episodes, in all states.
    pub episodes: Vec<Episode>,
    /// All facts, in all states.
    pub facts: Vec<Fact>,
    /// All disciplines.
    pub disciplines: Vec<Discipline>,
    /// All runs.
    pub runs: Vec<Run>,
    /// All iterations.
    pub iterations: Vec<Iteration>,
    /// Those that were attempts, with the reports of why they failed.
    pub attempts: Vec<Attempt>,
    /// All errands; what they cost is in no iteration.
    pub errands: Vec<Errand>,
    /// All notices, settled or not.
    pub notices: Vec<Notice>,
    /// Guidance that waits for an iteration.
    pub guidance: Vec<Guidance>,
    /// Worktrees that still have a folder or a branch.
    pub worktrees: Vec<Worktree>,
    /// What was learnt on branches, merged or not.
    pub staged: Vec<StagedLearning>,
    /// What moved into documents.
    pub consolidations: Vec<Consolidation>,
    /// The files and folders that recall searches besides.
    pub document_sources: Vec<String>,
    /// Feedback by learning.
    pub feedback: BTreeMap<LearningId, Feedback>,
    /// Questions, results and selections.
    pub evaluation: EvaluationExport,
}

/// Content of `eval.db`.
#[derive(Debug, Default, Serialize)]
pub struct EvaluationExport {
    /// Questions with their results.
    pub queries: Vec<QueryRecord>,
    /// Configurations used for them.
    pub configurations: Vec<RecordedConfiguration>,
    /// Selections.
    pub selections: Vec<SelectionRecord>,
    /// Labels.
    pub labels: Vec<Label>,
    /// Questions under two configurations.
    pub comparisons: Vec<ShadowRecord>,
}

/// A configuration used for questions.
#[derive(Debug, Serialize)]
pub struct RecordedConfiguration {
    /// Its name, a digest of its content.
    pub name: String,
    /// Since when.
    pub at: Timestamp,
    /// Weights, mode of feedback and embedding model.
    pub content: serde_json::Value,
}

/// Whether overwriting a file loses nothing: it does not exist, it is empty, or it begins as an export does.
fn is_free(path: &Path) -> std::io::Result<bool> {
    let mut beginning = String::new();
    match File::open(path) {
        Ok(file) => drop(file.take(BEGINNING).read_to_string(&mut beginning)),
        Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(true),
        Err(fault) => return Err(fault),
    }
    let is_empty = path.metadata()?.len() == 0;
    let keys = beginning.strip_prefix('{').map(|rest| rest.trim_start().starts_with("\"version\":") && rest.contains("\"exported\":"));
    Ok(is_empty || keys.unwrap_or(false))
}

impl App {
    /// Everything, in one consistent snapshot.
    pub fn export(&self) -> Result<Export> {
        let exported = self.clock.now();
        // Its loss only costs history: the project's data is exported all the same.
        let history = self.recorded().unwrap_or_else(|fault| {
            tracing::warn!("the history of retrieval is left out: {fault}");
            History::default()
        });
        let History { queries, selections, labels, comparisons, configurations, .. } = history;
        let configuration = |(name, at, content): (String, Timestamp, String)| RecordedConfiguration {
            name,
            at,
            content: serde_json::from_str(&content).unwrap_or_default(),
        };
        let configurations = configurations.into_iter().map(configuration).collect();
        let staged = self.staged(None)?;
        let evaluation = EvaluationExport { queries, configurations, selections, labels, comparisons };
        self.db.read(|r| {
            let tasks = r.tasks(&TaskFilter::default())?;
            let attempts = tasks.iter().map(|task| r.attempts(task.id, u32::MAX)).collect::<std::result::Result<Vec<_>, _>>()?;
            let runs = r.runs(u32::MAX)?;
            Ok(Export {
                version: 1,
                exported,
                features: r.features()?,
                comments: r.all_comments()?,
                tasks,
                learnings: r.learnings(None, &[])?,
                episodes: r.episodes(None)?,
                facts: r.facts(None)?,
                disciplines: r.disciplines()?,
                iterations: r.all_iterations()?,
                attempts: attempts.into_iter().flatten().collect(),
                errands: r.errands(u32::MAX)?,
                notices: r.notices(u32::MAX)?,
                guidance: r.waiting_guidance(None)?,
                worktrees: r.worktrees()?,
                staged,
                consolidations: r.consolidations(None)?,
                document_sources: r.document_sources()?,
                feedback: r.feedback(None)?.into_iter().collect(),
                evaluation,
                runs,
            })
        })
    }

    /// The real path of a person's file, which may be anywhere except among the project's own files, since one of them would be lost. A
    /// link stays a link, and anything but a plain file is refused.
    fn target(&self, path: &Path) -> Result<PathBuf> {
        let path = std::path::absolute(path).map_err(|source| AppError::io(path, source))?;
        // A link, or a folder on the path, may lead into the project.
        let real = plain(&real(&path));
        let own = self.paths.root.join(".ralph");
        if real.starts_with(&own) && !real.starts_with(self.paths.db.join("exports")) {
            let fault = format!("{} is one of the project's own files", path.display());
            return Err(AppError::invalid("out", fault, "name a file outside of .ralph, or leave it out: exports go to .ralph/db/exports"));
        }
        if real.components().any(|part| part.as_os_str() == ".git") {
            let fault = format!("{} is one of git's own files", path.display());
            return Err(AppError::invalid("out", fault, "name a file outside of .git; without `--out` the export is printed"));
        }
        if real.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            let fault = format!("{} is there already, and is not a plain file", path.display());
            return Err(AppError::invalid("out", fault, "name a plain file, or a new one; without `--out` the export is printed"));
        }
        if !is_free(&real).map_err(|source| AppError::io(path.as_path(), source))? {
            let fault = format!("{} is there already, and is no earlier export", path.display());
            return Err(AppError::invalid("out", fault, "name a new file, or delete that one; without `--out` the export is printed"));
        }
        Ok(real)
    }

    /// Writes the export into a file: the given one, or one named after the time next to the database.
    pub fn export_to(&self, path: Option<&Path>) -> Result<PathBuf> {
        let target = path.map(|path| self.target(path)).transpose()?;
        let export = self.export()?;
        let stamp = export.exported.to_string().replace([':', '.'], "-");
        let io = |path: &Path, source| AppError::io(path, source);
        let (Some(path), Some(target)) = (path, target) else {
            let path = self.paths.db.join("exports").join(format!("ralph-{stamp}.json"));
            let json = serde_json::to_vec_pretty(&export).map_err(|e| io(&path, e.into()))?;
            self.paths.files().write(&path, &json, Readers::Owner)?;
            return Ok(path);
        };
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder).map_err(|source| io(path, source))?;
        }
        let json = serde_json::to_vec_pretty(&export).map_err(|e| io(path, e.into()))?;
        crate::files::write_whole(&target, &json, Readers::Owner).map_err(|source| io(path, source))?;
        Ok(path.to_owned())
    }
}
