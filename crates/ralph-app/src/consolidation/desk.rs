//! The worktree in which a proposal is written, and what is prepared there before an agent starts.

use super::chosen::Chosen;
use super::documents::{documents_in, write_documents};
use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use crate::worktrees::checkout::Checkout;
use git_repo::{Repo, real_path};
use ralph_core::consolidation::Entry;
use ralph_core::errand::ErrandId;
use ralph_core::limits;
use ralph_core::noun::Noun;
use ralph_core::settings::ConsolidationSettings;
use ralph_core::text::one_line;
use ralph_core::worktree::Work;
use ralph_rag::consolidate::{Division, Documents, FileEntry, LearningsFile, divide, links_to_moved};
use std::collections::BTreeSet;
use std::path::Path;

/// Variable through which the agent and its processes find the batch: a line for each entry, its key, a tab, its text.
const VARIABLE: &str = "RALPH_BATCH";

/// A worktree for writing a proposal.
pub(super) struct Desk {
    pub checkout: Checkout,
    pub repo: Repo,
    pub branch: String,
    /// The project's settings, with the learnings file itself where its path is a link.
    pub settings: ConsolidationSettings,
    /// The initial documents, and the commit that contains them.
    pub before: Documents,
    pub start: String,
    /// The entries to be written, and notes on those that are left out and on links that broke.
    pub batch: Vec<Entry>,
    /// Entries of the learnings file that leave it with newer ones of the batch.
    pub superseded: Vec<Entry>,
    pub notes: Vec<String>,
}

impl App {
    /// Prepares a worktree: documents that are too long are divided before the agent starts, and the batch is stored next to the log,
    /// without entries that a person changed and has not committed: they could not leave the file.
    ///
    /// # Errors
    /// When no entry is left, or git does not take the parts of a divided document.
    pub(super) fn prepare_desk(&self, id: ErrandId, mut checkout: Checkout, chosen: &Chosen) -> Result<Desk> {
        let batch = &chosen.batch;
        let mut settings = self.settings()?.consolidation;
        let worktree = self.worktree_of(Work::Errand(id))?;
        let repo = checkout.repo.clone().ok_or_else(|| AppError::not_found(Noun::Worktree, &worktree.path))?;
        self.write(|tx| Ok(tx.set_errand_folder(id, &checkout.folder.to_string_lossy())?))?;
        let mut committed: BTreeSet<String> = BTreeSet::new();
        if batch.iter().any(|entry| entry.id.is_none()) || !chosen.superseded.is_empty() {
            settings.learnings_file = learnings_place(&checkout.folder, &settings)?;
            let place = checkout.folder.join(&settings.learnings_file);
            let file = ProjectFiles::of(&checkout.folder).read_text(&place, limits::DOCUMENT_BYTES)?;
            committed.extend(LearningsFile::parse(&file.unwrap_or_default()).entries.iter().map(FileEntry::key));
        }
        let (batch, left): (Vec<Entry>, Vec<Entry>) =
            batch.iter().cloned().partition(|entry| entry.id.is_some() || committed.contains(&entry.key));
        let why = |entry: &Entry| {
            let title = entry.title.as_deref().unwrap_or_default();
            format!("{}:{}: '{title}' is changed and not committed, so it stays", entry.source, entry.line.unwrap_or(1))
        };
        let mut notes: Vec<String> = left.iter().map(why).collect();
        if batch.is_empty() {
            return Err(AppError::invalid("consolidate", notes.join("\n"), "commit it, then `ralph consolidate`"));
        }
        let superseded: Vec<Entry> = chosen.superseded_with(&batch).filter(|entry| committed.contains(&entry.key)).cloned().collect();
        notes.extend(superseded.iter().map(left_with_newer));
        let before = documents_in(&checkout.folder, &settings)?;
        let divided = divide(&before);
        let mut start = worktree.base_commit.clone();
        if !divided.parts.is_empty() {
            write_documents(&checkout.folder, &settings, &before, &divided)?;
            let message = "Ralph: documents that were too long are divided";
            let made = repo.commit_onto(&worktree.base_commit, &self.proposal_paths(&repo, &settings), message)?;
            start = made.unwrap_or(start);
            self.must_be_taken((&repo, &start), &settings, (&before, &divided.documents))?;
        }
        notes.extend(self.told_of_division(&repo, &start, &settings, &divided)?);
        let list: String =
            batch.iter().map(|entry| format!("{}\t{}\n", entry.key, one_line(&said(entry), limits::ERRAND_ANSWER_CHARS))).collect();
        let place = self.paths.logs.join(format!("errand-{id}.batch.tsv"));
        self.paths.files().write(&place, list.as_bytes(), Readers::Owner)?;
        checkout.variables.push((VARIABLE.to_owned(), place.to_string_lossy().into_owned()));
        Ok(Desk { checkout, repo, branch: worktree.branch, settings, before: divided.documents, start, batch, superseded, notes })
    }

    /// What a person is told about a division: what it could not fix, also in the Markdown files beside the documents.
    pub(super) fn told_of_division(
        &self,
        repo: &Repo,
        commit: &str,
        settings: &ConsolidationSettings,
        divided: &Division,
    ) -> Result<Vec<String>> {
        let mut told = divided.told.clone();
        if !divided.moved.is_empty() {
            let project = self.place_in(repo);
            let (paths, texts): (Vec<String>, Vec<String>) = repo.markdown_at(commit, &project)?.into_iter().unzip();
            let mut others: Documents = self.paths_in_project(repo, paths).into_iter().zip(texts).collect();
            others.retain(|path, _| !Path::new(path).starts_with(&settings.knowledge_folder));
            told.extend(links_to_moved(divided, &others));
        }
        Ok(told)
    }

    /// Refuses a commit that lacks documents which Ralph itself has written for it.
    pub(super) fn must_be_taken(
        &self,
        commit: (&Repo, &str),
        settings: &ConsolidationSettings,
        documents: (&Documents, &Documents),
    ) -> Result<()> {
        let lacking = self.not_taken(commit, settings, documents)?;
        if lacking.is_empty() {
            return Ok(());
        }
        Err(AppError::invalid("knowledge_folder", lacking.join("; "), "let git take the Markdown files of the folder"))
    }
}

/// The learnings file of a checkout, relative to the project: if its path is a link, the target, which holds the entries.
fn learnings_place(root: &Path, settings: &ConsolidationSettings) -> Result<String> {
    let named = &settings.learnings_file;
    let Some(real) = ProjectFiles::of(root).real(&root.join(named))? else { return Ok(named.clone()) };
    let root = real_path(root).map_err(|source| AppError::io(root, source))?;
    let place = real.strip_prefix(&root).unwrap_or(Path::new(named));
    if place.starts_with(&settings.knowledge_folder) {
        let fault = format!("{named} leads into {}: entries leave it, and documents lose no line", settings.knowledge_folder);
        return Err(AppError::invalid("learnings_file", fault, "keep it outside of the folder of the documents"));
    }
    Ok(place.to_string_lossy().replace('\\', "/"))
}

/// What a person is told about an entry that leaves the learnings file together with a newer one.
fn left_with_newer(entry: &Entry) -> String {
    let title = entry.title.as_deref().unwrap_or_default();
    format!(
        "{}:{}: '{title}' leaves the file, since what goes into a document is newer and says otherwise",
        entry.source,
        entry.line.unwrap_or(1)
    )
}

fn said(entry: &Entry) -> String {
    match &entry.title {
        Some(title) if !entry.text.trim().is_empty() => format!("{title}: {}", entry.text),
        Some(title) => title.clone(),
        None => entry.text.clone(),
    }
}
