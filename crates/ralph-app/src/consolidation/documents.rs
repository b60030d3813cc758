//! The documents that entries move into: in a checkout, or at a commit, without the index, which Ralph maintains.

use crate::app::App;
use crate::error::Result;
use crate::files::{ProjectFiles, Readers};
use git_repo::Repo;
use ralph_core::limits;
use ralph_core::settings::ConsolidationSettings;
use ralph_rag::consolidate::{Documents, INDEX, index};
use std::path::{Path, PathBuf};

impl App {
    /// The project's path within its repository.
    pub(super) fn place_in(&self, repo: &Repo) -> PathBuf {
        // The path is the same in every worktree.
        let own = self.repo.as_ref().unwrap_or(repo);
        self.paths.root.strip_prefix(own.root()).unwrap_or(Path::new("")).to_owned()
    }

    /// The documents at a commit, by path relative to the project.
    pub(super) fn documents_at(&self, repo: &Repo, commit: &str, settings: &ConsolidationSettings) -> Result<Documents> {
        let project = self.place_in(repo);
        let texts = repo.texts_at(commit, &project.join(&settings.knowledge_folder))?;
        let from_project = |path: &str| Some(Path::new(path).strip_prefix(&project).ok()?.to_str()?.replace('\\', "/"));
        let named = texts.into_iter().filter_map(|(path, text)| Some((from_project(&path)?, text)));
        Ok(named.filter(|(path, _)| !is_index(path, settings)).collect())
    }
}

/// The documents in a checkout whose project folder is `root`, by path relative to it.
pub(super) fn documents_in(root: &Path, settings: &ConsolidationSettings) -> Result<Documents> {
    let files = ProjectFiles::of(root);
    let folder = root.join(&settings.knowledge_folder);
    let mut documents = Documents::new();
    if folder.is_dir() {
        for path in files.walk(&folder, limits::DOCUMENTS)? {
            let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str).map(|name| name.replace('\\', "/")) else { continue };
            if let Some(text) = files.read_text(&path, limits::DOCUMENT_BYTES)?.filter(|_| !is_index(&name, settings)) {
                documents.insert(name, text);
            }
        }
    }
    Ok(documents)
}

/// Makes a checkout contain exactly these documents and their index.
pub(super) fn write_documents(root: &Path, settings: &ConsolidationSettings, wanted: &Documents) -> Result<()> {
    let files = ProjectFiles::of(root);
    let now = documents_in(root, settings)?;
    for path in now.keys().filter(|path| !wanted.contains_key(*path)) {
        files.remove(&root.join(path))?;
    }
    for (path, text) in wanted.iter().filter(|(path, text)| now.get(*path) != Some(text)) {
        files.write(&root.join(path), text.as_bytes(), Readers::Anyone)?;
    }
    let place = format!("{}/{INDEX}", settings.knowledge_folder);
    let known = files.read_text(&root.join(&place), limits::DOCUMENT_BYTES)?;
    if wanted.is_empty() && known.is_none() {
        return Ok(());
    }
    let mut all = wanted.clone();
    all.extend(known.clone().map(|text| (place.clone(), text)));
    let made = index(&settings.knowledge_folder, &all, &|path| root.join(path).exists());
    if known.as_ref() != Some(&made) {
        files.write(&root.join(&place), made.as_bytes(), Readers::Anyone)?;
    }
    Ok(())
}

pub(super) fn is_index(path: &str, settings: &ConsolidationSettings) -> bool {
    path.strip_prefix(settings.knowledge_folder.as_str()).is_some_and(|rest| rest.strip_prefix('/') == Some(INDEX))
}
