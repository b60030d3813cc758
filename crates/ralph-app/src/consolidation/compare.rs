//! Where a proposal may say something other than its entries, as a person sees it in the review.

use super::land::{as_proposed, matter_of};
use crate::app::App;
use crate::error::Result;
use git_repo::Repo;
use ralph_core::consolidation::{ConsolidationMatter, Divergence, ProposalMatter};
use ralph_core::settings::ConsolidationSettings;
use ralph_core::worktree::Worktree;
use ralph_rag::consolidate::{Documents, Proposal, edited};

impl App {
    /// Where the proposal at `tip` may say something other than its entries, with files relative to the top folder of the repository. None
    /// for other work. What has changed since the check is compared again, from the commit `fork` at which the branch leaves its base.
    pub(crate) fn divergences_of(&self, worktree: &Worktree, repo: &Repo, fork: &str, tip: &str) -> Result<Vec<Divergence>> {
        let Some(errand) = worktree.work.errand() else { return Ok(Vec::new()) };
        let Some(ProposalMatter::Consolidation(matter)) = self.db.read(|r| matter_of(r, errand))? else { return Ok(Vec::new()) };
        let found = match &matter.proposal {
            Some(checked) if checked != tip && repo.has_commit(checked)? && repo.has_commit(tip)? => {
                self.edited_since(worktree, repo, &matter, (fork, checked.as_str(), tip))?
            }
            _ => matter.divergences,
        };
        let project = self.place_in(repo);
        let placed = |of: Divergence| Divergence { file: project.join(&of.file).to_string_lossy().replace('\\', "/"), ..of };
        Ok(found.into_iter().map(placed).collect())
    }

    fn edited_since(
        &self,
        worktree: &Worktree,
        repo: &Repo,
        matter: &ConsolidationMatter,
        (fork, checked, tip): (&str, &str, &str),
    ) -> Result<Vec<Divergence>> {
        let settings = as_proposed(matter, self.settings()?.consolidation);
        let started = matter.start.as_deref().unwrap_or(&worktree.base_commit);
        // What was added to the base meanwhile is not the proposal's, even if its branch has it too.
        let from = if fork == worktree.base_commit { started } else { fork };
        let (start, before) = (self.documents_at(repo, started, &settings)?, self.documents_at(repo, from, &settings)?);
        let (then, now) = (self.documents_at(repo, checked, &settings)?, self.documents_at(repo, tip, &settings)?);
        let changed: Vec<String> = now.keys().filter(|path| !then.contains_key(*path)).cloned().collect();
        let (checked, now) = (proposal(matter, &settings, (&start, &then), &[]), proposal(matter, &settings, (&before, &now), &changed));
        Ok(edited(&checked, &now))
    }
}

fn proposal<'a>(
    matter: &'a ConsolidationMatter,
    settings: &'a ConsolidationSettings,
    (before, after): (&'a Documents, &'a Documents),
    changed: &'a [String],
) -> Proposal<'a> {
    let (folder, batch, divided) = (settings.knowledge_folder.as_str(), matter.batch.as_slice(), matter.divided);
    Proposal { folder, before, after, changed, batch, divided, exists: &|_| true }
}
