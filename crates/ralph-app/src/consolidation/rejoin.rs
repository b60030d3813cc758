//! A proposal whose base changed the learnings file next to the entries that leave it. Git sees lines that changed on both sides; the keys
//! of the entries tell whose they are.

use super::land::{as_proposed, matter_of};
use super::propose::to_json;
use crate::app::App;
use crate::error::{AppError, Result};
use git_repo::Repo;
use ralph_core::consolidation::{ConsolidationMatter, ProposalMatter};
use ralph_core::errand::ErrandId;
use ralph_core::noun::Noun;
use ralph_core::worktree::Worktree;
use ralph_rag::consolidate::{FileEntry, LearningsFile, without_entries};
use std::collections::BTreeSet;
use std::path::PathBuf;

impl App {
    /// The learnings file of a base without what a consolidation takes out of it, with its path from the top folder of the repository.
    /// `None` for other work, and where an entry that would land is no longer there as it was proposed: what becomes of it is for a person
    /// to say.
    pub(crate) fn learnings_without(&self, errand: ErrandId, repo: &Repo, base: &str) -> Result<Option<(PathBuf, String)>> {
        let Some(ProposalMatter::Consolidation(matter)) = self.db.read(|r| matter_of(r, errand))? else { return Ok(None) };
        let settings = as_proposed(&matter, self.settings()?.consolidation);
        let place = self.place_in(repo).join(&settings.learnings_file);
        let Some(text) = repo.texts_at(base, &place)?.into_values().next() else { return Ok(None) };
        let there: BTreeSet<String> = LearningsFile::parse(&text).entries.iter().map(FileEntry::key).collect();
        let stand = matter.batch.iter().filter(|entry| entry.id.is_none()).all(|entry| there.contains(&entry.key));
        Ok(stand.then(|| (place, without_entries(&text, &matter.leaving()))))
    }

    /// Records that a proposal now begins at another commit of its base, which its branch contains by now: what it changes is shown,
    /// checked and taken back from there.
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
