//! A proposal whose base changed what Ralph itself writes: the learnings file next to the entries that leave it, and the index of the
//! documents. Git sees lines that changed on both sides; the keys of the entries, and the documents, decide what becomes of them.

use super::documents::{documents_in, write_documents};
use super::land::{as_proposed, matter_of};
use super::propose::to_json;
use super::undo::whole;
use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use git_repo::Repo;
use ralph_core::conflict::{ConflictKind, FileConflict};
use ralph_core::consolidation::{ConsolidationMatter, ProposalMatter};
use ralph_core::errand::ErrandId;
use ralph_core::noun::Noun;
use ralph_core::settings::ConsolidationSettings;
use ralph_core::worktree::Worktree;
use ralph_rag::consolidate::{FileEntry, LearningsFile, place_of_index, without_entries};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files of a proposal that Ralph can join with a base, by their paths from the top folder of the repository.
pub(crate) struct WrittenFiles {
    settings: ConsolidationSettings,
    /// The learnings file of the base without what a consolidation removes from it. `None` for other proposals, and if an entry that
    /// would land is no longer there as it was proposed: a person has to decide what becomes of it.
    pub learnings: Option<(PathBuf, String)>,
    pub index: PathBuf,
}

impl WrittenFiles {
    /// Whether conflicts are over these files alone, in a way that can be settled.
    pub fn hold(&self, conflicts: &[FileConflict]) -> bool {
        conflicts.iter().all(|of| self.is_of_learnings(of) || self.is_of_index(of))
    }

    /// Whether one is over lines of the learnings file.
    pub fn is_of_learnings(&self, of: &FileConflict) -> bool {
        of.how == ConflictKind::SameLines && self.learnings.as_ref().is_some_and(|(place, _)| Path::new(&of.path) == place)
    }

    /// Whether one is over the index.
    pub fn is_of_index(&self, of: &FileConflict) -> bool {
        of.how != ConflictKind::Other && Path::new(&of.path) == self.index
    }

    /// Whether the index differs in each of these commits: where a proposal began, its base, and its branch.
    pub fn is_index_changed_twice(&self, repo: &Repo, commits: [&str; 3]) -> Result<bool> {
        let text = |commit: &str| Ok::<_, AppError>(repo.texts_at(commit, &self.index)?.into_values().next());
        let [start, base, tip] = [text(commits[0])?, text(commits[1])?, text(commits[2])?];
        Ok(start != base && start != tip && base != tip)
    }
}

impl App {
    /// What Ralph writes itself in a proposal of documents; `None` for other work.
    pub(crate) fn written_files(&self, errand: ErrandId, repo: &Repo, base: &str) -> Result<Option<WrittenFiles>> {
        let today = self.settings()?.consolidation;
        let (settings, matter) = match self.db.read(|r| matter_of(r, errand))? {
            Some(ProposalMatter::Consolidation(matter)) => (as_proposed(&matter, today), Some(matter)),
            Some(ProposalMatter::Undo { .. }) => (today, None),
            None => return Ok(None),
        };
        let learnings = matter.map(|matter| self.learnings_without(&matter, &settings, repo, base)).transpose()?.flatten();
        let index = self.place_in(repo).join(place_of_index(&settings.knowledge_folder));
        Ok(Some(WrittenFiles { settings, learnings, index }))
    }

    fn learnings_without(
        &self,
        matter: &ConsolidationMatter,
        settings: &ConsolidationSettings,
        repo: &Repo,
        base: &str,
    ) -> Result<Option<(PathBuf, String)>> {
        let place = self.place_in(repo).join(&settings.learnings_file);
        let Some(text) = repo.texts_at(base, &place)?.into_values().next() else { return Ok(None) };
        let there: BTreeSet<String> = LearningsFile::parse(&text).entries.iter().map(FileEntry::key).collect();
        let stand = matter.batch.iter().filter(|entry| entry.id.is_none()).all(|entry| there.contains(&entry.key));
        Ok(stand.then(|| (place, without_entries(&text, &matter.leaving()))))
    }

    /// Rewrites the index in a checkout: as the base has it, with what the documents there need.
    pub(crate) fn write_index(&self, repo: &Repo, base: &str, own: &WrittenFiles) -> Result<()> {
        let files = ProjectFiles::of(repo.root());
        let place = repo.root().join(&own.index);
        match repo.texts_at(base, &own.index)?.into_values().next() {
            Some(text) => files.write(&place, text.as_bytes(), Readers::Anyone)?,
            None => files.remove(&place)?,
        }
        let project = repo.root().join(self.place_in(repo));
        let before = self.documents_at(repo, base, &own.settings)?;
        write_documents(&project, &own.settings, &before, &whole(documents_in(&project, &own.settings)?))
    }

    /// Records that a proposal now begins at another commit of its base, which its branch contains by now: from there on its changes are
    /// shown, checked and undone.
    pub(crate) fn begins_at(&self, worktree: &Worktree, errand: ErrandId, base: &str) -> Result<()> {
        self.write(|tx| {
            let mut stored = tx.worktree(worktree.id)?.ok_or_else(|| AppError::not_found(Noun::Worktree, worktree.id))?;
            if let Some(ProposalMatter::Consolidation(matter)) = matter_of(tx, errand)? {
                let divided = matter.divided || matter.start.as_ref() != Some(&stored.base_commit);
                let moved = ConsolidationMatter { start: Some(base.to_owned()), divided, ..matter };
                tx.set_errand_matter(errand, &to_json(&ProposalMatter::Consolidation(moved)))?;
            }
            (stored.base_commit, stored.landing, stored.refusal) = (base.to_owned(), None, None);
            Ok(tx.update_worktree(&stored)?)
        })
    }
}
