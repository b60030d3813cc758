//! The documents that entries move into: in a checkout, or at a commit, without the index, which Ralph maintains.

use crate::app::App;
use crate::error::Result;
use crate::files::{ProjectFiles, Readers};
use git_repo::Repo;
use ralph_core::limits;
use ralph_core::settings::ConsolidationSettings;
use ralph_rag::consolidate::{Division, Documents, index, place_of_index, places, renewed};
use std::path::{Path, PathBuf};

/// Two clones that consolidate at the same time both change the index, and no person should have to merge what is generated: git keeps the
/// lines of both, and the next index joins what they say about one document.
const ATTRIBUTES: &str =
    "# Ralph: the index is written from the documents, and what branches add to it is merged by line.\nINDEX.md merge=union\n";

impl App {
    /// The project's path within its repository.
    pub(crate) fn place_in(&self, repo: &Repo) -> PathBuf {
        // The path is the same in every worktree.
        let own = self.repo.as_ref().unwrap_or(repo);
        self.paths.root.strip_prefix(own.root()).unwrap_or(Path::new("")).to_owned()
    }

    /// The documents at a commit, by path relative to the project.
    pub(super) fn documents_at(&self, repo: &Repo, commit: &str, settings: &ConsolidationSettings) -> Result<Documents> {
        let project = self.place_in(repo);
        let texts = repo.markdown_at(commit, &project.join(&settings.knowledge_folder))?;
        let from_project = |path: &str| Some(Path::new(path).strip_prefix(&project).ok()?.to_str()?.replace('\\', "/"));
        let named = texts.into_iter().filter_map(|(path, text)| Some((from_project(&path)?, text)));
        Ok(named.filter(|(path, _)| is_document(path, settings)).collect())
    }

    /// Whether a commit has something at a path that is not among its documents, since it can't be read as text.
    pub(super) fn is_unread(&self, repo: &Repo, commit: &str, documents: &Documents, path: &str) -> Result<bool> {
        Ok(!documents.contains_key(path) && repo.entry_at(commit, &self.place_in(repo).join(path))?.is_some())
    }

    /// Documents that a checkout has and its commit lacks, one sentence each: git takes none that it ignores, for example, and their
    /// content would be nowhere.
    pub(super) fn not_taken(
        &self,
        (repo, commit): (&Repo, &str),
        settings: &ConsolidationSettings,
        (before, after): (&Documents, &Documents),
    ) -> Result<Vec<String>> {
        let taken = self.documents_at(repo, commit, settings)?;
        let held = places(&taken);
        let mut faults = Vec::new();
        for (path, text) in after.iter().filter(|(path, text)| before.get(*path) != Some(text)) {
            let marks = places(&Documents::from([(path.clone(), text.clone())]));
            if taken.contains_key(path) && marks.keys().all(|key| held.contains_key(key)) {
                continue;
            }
            let why = match repo.ignored_by(&self.place_in(repo).join(path))? {
                Some(rule) => format!("git ignores it ({rule})"),
                None => "git does not take it as it is".to_owned(),
            };
            faults.push(format!("{path}: {why}, so nothing in it would be merged; write it into another file"));
        }
        Ok(faults)
    }

    /// The file that tells git how to merge the index, if its content at a commit is what Ralph writes.
    pub(super) fn own_attributes(&self, repo: &Repo, commit: &str, settings: &ConsolidationSettings) -> Result<Option<String>> {
        let place = place_of_attributes(settings);
        let told = repo.texts_at(commit, &self.place_in(repo).join(&place))?.into_values().next();
        Ok(told.filter(|told| told == ATTRIBUTES).map(|_| place))
    }

    /// Paths that a proposal may change, relative to the root of the work tree.
    pub(super) fn proposal_paths(&self, repo: &Repo, settings: &ConsolidationSettings) -> Vec<PathBuf> {
        let project = self.place_in(repo);
        vec![project.join(&settings.knowledge_folder), project.join(&settings.learnings_file)]
    }

    /// Converts paths relative to a repository's root to paths relative to the project; those outside begin with `../`.
    pub(super) fn paths_in_project(&self, repo: &Repo, paths: Vec<String>) -> Vec<String> {
        let project = self.place_in(repo).to_string_lossy().replace('\\', "/");
        let named = |path: String| match path.strip_prefix(&project) {
            _ if project.is_empty() => path,
            Some(rest) if rest.starts_with('/') => rest[1..].to_owned(),
            _ => format!("../{path}"),
        };
        paths.into_iter().map(named).collect()
    }
}

/// The documents in a checkout whose project folder is `root`, by path relative to it. One that can't be read is left as it is.
pub(super) fn documents_in(root: &Path, settings: &ConsolidationSettings) -> Result<Documents> {
    let files = ProjectFiles::of(root);
    let folder = root.join(&settings.knowledge_folder);
    let mut documents = Documents::new();
    if folder.is_dir() {
        for path in files.walk(&folder, limits::DOCUMENTS)? {
            let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str).map(|name| name.replace('\\', "/")) else { continue };
            if is_document(&name, settings)
                && let Ok(Some(text)) = files.read_text(&path, limits::DOCUMENT_BYTES)
            {
                documents.insert(name, text);
            }
        }
    }
    Ok(documents)
}

/// Makes a checkout contain exactly these documents, and the index that was made from them beforehand.
pub(super) fn write_documents(root: &Path, settings: &ConsolidationSettings, before: &Documents, divided: &Division) -> Result<()> {
    let wanted = &divided.documents;
    let files = ProjectFiles::of(root);
    let now = documents_in(root, settings)?;
    for path in now.keys().filter(|path| !wanted.contains_key(*path)) {
        files.remove(&root.join(path))?;
    }
    for (path, text) in wanted.iter().filter(|(path, text)| now.get(*path) != Some(text)) {
        files.write(&root.join(path), text.as_bytes(), Readers::Anyone)?;
    }
    let place = place_of_index(&settings.knowledge_folder);
    let known = files.read_text(&root.join(&place), limits::DOCUMENT_BYTES)?;
    if wanted.is_empty() && known.is_none() {
        return Ok(());
    }
    let mut all = wanted.clone();
    all.extend(known.as_ref().map(|text| (place.clone(), renewed(&place, text, before, divided))));
    let made = index(&settings.knowledge_folder, &all, &|path| root.join(path).exists());
    if known.as_ref() != Some(&made) {
        files.write(&root.join(&place), made.as_bytes(), Readers::Anyone)?;
    }
    let attributes = root.join(place_of_attributes(settings));
    if files.metadata(&attributes)?.is_none() {
        files.write(&attributes, ATTRIBUTES.as_bytes(), Readers::Anyone)?;
    }
    Ok(())
}

/// The file that tells git how to merge the index.
fn place_of_attributes(settings: &ConsolidationSettings) -> String {
    format!("{}/.gitattributes", settings.knowledge_folder)
}

/// Only Markdown is divided, and loses no line.
fn is_document(path: &str, settings: &ConsolidationSettings) -> bool {
    path.ends_with(".md") && !is_index(path, settings)
}

/// Whether a path names a document in the knowledge folder.
pub(super) fn is_knowledge(path: &str, settings: &ConsolidationSettings) -> bool {
    is_document(path, settings) && Path::new(path).starts_with(&settings.knowledge_folder)
}

pub(super) fn is_index(path: &str, settings: &ConsolidationSettings) -> bool {
    path == place_of_index(&settings.knowledge_folder)
}
