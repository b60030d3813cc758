//! Landing a proposal: the current content of the base's documents is journaled, in the same commit that marks it as merged.

use super::documents::is_index;
use super::propose::to_json;
use crate::app::App;
use crate::error::Result;
use crate::knowledge::projector::perform;
use crate::knowledge::rules::Rules;
use crate::knowledge::slice::Needs;
use git_repo::Repo;
use ralph_core::consolidation::{Consolidation, ConsolidationMatter, Divergence, Entry, KnowledgePlace, ProposalMatter};
use ralph_core::errand::ErrandId;
use ralph_core::learning::LearningState;
use ralph_core::settings::ConsolidationSettings;
use ralph_core::worktree::{Work, Worktree};
use ralph_rag::act::Consolidating;
use ralph_rag::consolidate::{Proposal, faults, places};
use sqlite_db::{Read, Tx};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the merge of an errand's proposal records, read before the commit.
pub(crate) enum LandingProposal {
    /// Only that it is merged.
    Nothing,
    /// Entries are in documents.
    Consolidation { errand: ErrandId, matter: ConsolidationMatter, landed: Vec<Consolidating> },
    /// The entries of an act no longer are.
    Undo { undone: String },
}

impl App {
    /// Every consolidation, newest first.
    pub fn consolidations(&self) -> Result<Vec<Consolidation>> {
        let mut all = self.db.read(|r| r.consolidations(None))?;
        all.reverse();
        Ok(all)
    }

    /// Where a proposal may say something else than its entries, with files relative to the top folder of the repository. None for other
    /// work, nor once its branch is no longer at `tip`, the proposal that was compared.
    pub(crate) fn divergences_of(&self, work: Work, repo: &Repo, tip: &str) -> Result<Vec<Divergence>> {
        let Some(errand) = work.errand() else { return Ok(Vec::new()) };
        let Some(ProposalMatter::Consolidation(matter)) = self.db.read(|r| matter_of(r, errand))? else { return Ok(Vec::new()) };
        if matter.proposal.as_deref() != Some(tip) {
            return Ok(Vec::new());
        }
        let project = self.place_in(repo);
        let placed = |of: Divergence| Divergence { file: project.join(&of.file).to_string_lossy().replace('\\', "/"), ..of };
        Ok(matter.divergences.into_iter().map(placed).collect())
    }

    /// What the work in a worktree records when its base contains it: only the content of the base counts.
    pub(crate) fn landing_of(&self, worktree: &Worktree) -> Result<LandingProposal> {
        let Some(errand) = worktree.work.errand() else { return Ok(LandingProposal::Nothing) };
        let matter = match self.db.read(|r| matter_of(r, errand))? {
            Some(ProposalMatter::Consolidation(matter)) => matter,
            Some(ProposalMatter::Undo { undone }) => return Ok(LandingProposal::Undo { undone }),
            None => return Ok(LandingProposal::Nothing),
        };
        let settings = self.settings()?.consolidation;
        let repo = self.repository_for("errand")?;
        let documents = match repo.branch_tip(&worktree.base)? {
            Some(base) => self.documents_at(repo, &base, &settings)?,
            None => BTreeMap::new(),
        };
        let landed = landed(&matter.batch, &places(&documents), &settings);
        Ok(LandingProposal::Consolidation { errand, matter, landed })
    }

    /// Everything wrong with merging a proposal from one commit of its base into a result. A validated proposal on an unchanged
    /// base needs no second check.
    pub(crate) fn faults_of_landing(&self, worktree: &Worktree, repo: &Repo, from: &str, to: &str) -> Result<Vec<String>> {
        let Some(errand) = worktree.work.errand() else { return Ok(Vec::new()) };
        let Some(ProposalMatter::Consolidation(mut matter)) = self.db.read(|r| matter_of(r, errand))? else { return Ok(Vec::new()) };
        let away = self.put_away_since(&mut matter.batch)?;
        if away.is_empty() && repo.branch_tip(&worktree.branch)? == matter.proposal && from == worktree.base_commit {
            return Ok(Vec::new());
        }
        let settings = self.settings()?.consolidation;
        let (before, after) = (self.documents_at(repo, from, &settings)?, self.documents_at(repo, to, &settings)?);
        let changes = repo.changes_between(from, to)?.into_iter().flat_map(|change| [Some(change.path), change.old_path]).flatten();
        let changed = self.paths_in_project(repo, changes.collect());
        let changed: Vec<String> =
            changed.into_iter().filter(|path| !is_index(path, &settings) && *path != settings.learnings_file).collect();
        let folder = self.checkout_in(worktree).folder;
        let still = places(&after);
        let said = away.into_iter().filter_map(|(id, state)| Some((still.get(&id)?, id, state)));
        let mut found: Vec<String> = said
            .map(|(place, id, state)| {
                let path = folder.join(&place.file);
                format!(
                    "{}: learning {id} is {state} since it was proposed; take its words out of {} and commit",
                    place.file,
                    path.display()
                )
            })
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
        found.extend(faults(&Proposal {
            folder: &settings.knowledge_folder,
            before: &before,
            after: &after,
            changed: &changed,
            batch: &matter.batch,
            // Documents may have been divided before the agent began, too.
            divided: matter.divided || matter.start.as_ref() != Some(&worktree.base_commit),
            exists: &|path| folder.join(path).exists(),
        }));
        Ok(found)
    }

    /// Takes the learnings out of a batch that were put away since it was made: their ids and states.
    fn put_away_since(&self, batch: &mut Vec<Entry>) -> Result<Vec<(String, LearningState)>> {
        let mut away = Vec::new();
        for id in batch.iter().filter_map(|entry| entry.id.clone()) {
            let state = self.db.read(|r| r.learning(&id))?.map(|learning| learning.state);
            away.extend(state.filter(|state| matches!(state, LearningState::Retired | LearningState::Superseded)).map(|state| (id, state)));
        }
        batch.retain(|entry| !away.iter().any(|(id, _)| *id == entry.key));
        Ok(away)
    }

    /// Makes consolidated content findable: documents that are not known yet are ingested. What is in no document any more is told.
    pub(crate) fn find_consolidated(&self) -> Result<()> {
        let all = self.db.read(|r| r.consolidations(None))?;
        let standing: Vec<Consolidation> = all.into_iter().filter(|of| of.undone.is_none()).collect();
        if self.db.is_read_only() {
            return Ok(());
        }
        self.find_lost_words(&standing)?;
        let files: BTreeSet<String> = standing.into_iter().flat_map(|of| of.files).collect();
        if files.is_empty() {
            return Ok(());
        }
        let known: BTreeSet<String> = self.documents()?.into_iter().map(|document| document.path).collect();
        if files.iter().any(|file| !known.contains(file) && self.paths.root.join(file).is_file()) {
            self.ingest(&[Path::new(&self.settings()?.consolidation.knowledge_folder).to_owned()])?;
        } else {
            // A known document with new content is indexed in its old version until the next scan.
            self.look_at_documents()?;
        }
        Ok(())
    }
}

/// Records what a merged proposal means.
pub(crate) fn land(tx: &Tx<'_>, landing: &LandingProposal, rules: Rules) -> Result<()> {
    match landing {
        LandingProposal::Nothing => Ok(()),
        LandingProposal::Undo { undone } => {
            let rows = tx.consolidations(Some(undone))?;
            // A line from elsewhere may have recorded it meanwhile.
            if rows.iter().all(|row| row.undone.is_some()) {
                return Ok(());
            }
            let ids = rows.iter().filter(|row| row.feature.is_some()).flat_map(|row| row.entries.iter().map(String::as_str));
            let features = rows.iter().filter_map(|row| row.feature.as_deref());
            let needs = features.fold(Needs::learnings(ids), Needs::and_feature).and_consolidation(undone);
            perform(tx, rules, &needs, |draft| draft.undo_consolidation(undone)).map(drop)
        }
        LandingProposal::Consolidation { errand, matter, landed } => {
            if landed.is_empty() {
                return Ok(());
            }
            let ids = matter.batch.iter().filter_map(|entry| entry.id.as_deref());
            let features = landed.iter().filter_map(|of| of.feature.as_deref());
            let needs = features.fold(Needs::learnings(ids), Needs::and_feature);
            let act = perform(tx, rules, &needs, |draft| draft.consolidate(landed))?;
            let told = ConsolidationMatter { act: Some(act), ..matter.clone() };
            Ok(tx.set_errand_matter(*errand, &to_json(&ProposalMatter::Consolidation(told)))?)
        }
    }
}

/// The matter of an errand that proposes documents; `None` for other errands.
pub(super) fn matter_of(r: &Read<'_>, errand: ErrandId) -> Result<Option<ProposalMatter>> {
    let json = r.errand_matter(errand)?;
    Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
}

/// Entries by source, each with its place; those without a place are skipped.
fn landed(batch: &[Entry], places: &BTreeMap<String, KnowledgePlace>, settings: &ConsolidationSettings) -> Vec<Consolidating> {
    let mut of_source: BTreeMap<Option<&str>, Vec<(String, KnowledgePlace)>> = BTreeMap::new();
    for entry in batch {
        if let Some(place) = places.get(&entry.key) {
            of_source.entry(entry.id.as_ref().map(|_| entry.source.as_str())).or_default().push((entry.key.clone(), place.clone()));
        }
    }
    let source = |(feature, entries): (Option<&str>, Vec<(String, KnowledgePlace)>)| Consolidating {
        feature: feature.map(str::to_owned),
        source: feature.unwrap_or(&settings.learnings_file).to_owned(),
        entries,
    };
    of_source.into_iter().map(source).collect()
}
