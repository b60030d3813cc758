//! Landing a proposal: the current content of the base's documents is journaled, in the same commit that marks it as merged.

use super::documents::{is_index, is_knowledge};
use super::propose::to_json;
use crate::app::App;
use crate::error::Result;
use crate::knowledge::projector::perform;
use crate::knowledge::rules::Rules;
use crate::knowledge::slice::Needs;
use git_repo::Repo;
use ralph_core::LearningId;
use ralph_core::consolidation::{Consolidation, ConsolidationMatter, Entry, KnowledgePlace, ProposalMatter};
use ralph_core::errand::ErrandId;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::limits;
use ralph_core::settings::ConsolidationSettings;
use ralph_core::worktree::Worktree;
use ralph_rag::act::Consolidating;
use ralph_rag::consolidate::{FileEntry, LearningsFile, Proposal, faults, places};
use sqlite_db::{Read, Tx};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the merge of an errand's proposal records, read before the commit.
pub(crate) enum LandingProposal {
    /// Only that it is merged.
    Nothing,
    /// Entries are in documents.
    Consolidation { errand: ErrandId, matter: Box<ConsolidationMatter>, landed: Vec<Consolidating> },
    /// The entries of an act no longer are, except those that another document holds.
    Undo { undone: String, elsewhere: BTreeMap<LearningId, KnowledgePlace> },
}

impl App {
    /// Every consolidation, newest first.
    pub fn consolidations(&self) -> Result<Vec<Consolidation>> {
        let mut all = self.db.read(|r| r.consolidations(None))?;
        all.reverse();
        Ok(all)
    }

    /// What the work in a worktree records when its base contains it: only the content of the base counts.
    pub(crate) fn landing_of(&self, worktree: &Worktree) -> Result<LandingProposal> {
        let Some(errand) = worktree.work.errand() else { return Ok(LandingProposal::Nothing) };
        let repo = self.repository_for("errand")?;
        let documents = |settings: &ConsolidationSettings| -> Result<BTreeMap<String, String>> {
            let base = repo.branch_tip(&worktree.base)?;
            base.map_or_else(|| Ok(BTreeMap::new()), |base| self.documents_at(repo, &base, settings))
        };
        let today = self.settings()?.consolidation;
        let matter = match self.db.read(|r| matter_of(r, errand))? {
            Some(ProposalMatter::Consolidation(matter)) => matter,
            Some(ProposalMatter::Undo { undone }) => {
                return Ok(LandingProposal::Undo { undone, elsewhere: places(&documents(&today)?) });
            }
            None => return Ok(LandingProposal::Nothing),
        };
        let documents = documents(&as_proposed(&matter, today))?;
        let ids: Vec<LearningId> = matter.batch.iter().filter_map(|entry| entry.id.clone()).collect();
        let features = self.db.read(|r| r.learnings_by_id(&ids))?.into_iter().map(|learning| (learning.id, learning.feature)).collect();
        let landed = landed(&matter.batch, &places(&documents), &features);
        Ok(LandingProposal::Consolidation { errand, matter: Box::new(matter), landed })
    }

    /// Everything wrong with merging a proposal from one commit of its base into a result. A validated proposal on an unchanged
    /// base needs no second check.
    pub(crate) fn faults_of_landing(&self, worktree: &Worktree, repo: &Repo, from: &str, to: &str) -> Result<Vec<String>> {
        let Some(errand) = worktree.work.errand() else { return Ok(Vec::new()) };
        let Some(ProposalMatter::Consolidation(mut matter)) = self.db.read(|r| matter_of(r, errand))? else { return Ok(Vec::new()) };
        let settings = as_proposed(&matter, self.settings()?.consolidation);
        let mut away = self.put_away_since(&mut matter.batch)?;
        if from != worktree.base_commit {
            let place = self.place_in(repo).join(&settings.learnings_file);
            let learnings = repo.texts_at(from, &place)?.into_values().next();
            // The content of a file that can't be read is unknown, unlike that of one that is gone.
            if learnings.is_some() || repo.entry_at(from, &place)?.is_none() {
                away.extend(withdrawn_from(&learnings.unwrap_or_default(), &mut matter.batch));
            }
        }
        if away.is_empty() && repo.branch_tip(&worktree.branch)? == matter.proposal && from == worktree.base_commit {
            return Ok(Vec::new());
        }
        let (before, after) = (self.documents_at(repo, from, &settings)?, self.documents_at(repo, to, &settings)?);
        let changes = repo.changes_between(from, to)?.into_iter().flat_map(|change| [Some(change.path), change.old_path]).flatten();
        let changed = self.paths_in_project(repo, changes.collect());
        let attributes = self.own_attributes(repo, to, &settings)?;
        let is_own = |path: &String| is_index(path, &settings) || *path == settings.learnings_file || Some(path) == attributes.as_ref();
        let changed: Vec<String> = changed.into_iter().filter(|path| !is_own(path)).collect();
        let mut found = self.still_listed(repo, [from, to], &settings.learnings_file, &matter.batch)?;
        for path in changed.iter().filter(|path| is_knowledge(path, &settings)) {
            if self.is_unread(repo, from, &before, path)? || self.is_unread(repo, to, &after, path)? {
                found.push(format!("{path}: can't be read as text, so nobody can compare it; put it back as it was, and commit"));
            }
        }
        let folder = self.checkout_in(worktree).folder;
        let still = places(&after);
        let said = away.into_iter().filter_map(|(key, why)| Some((still.get(&key)?, why)));
        found.extend(said.map(|(place, why)| {
            let path = folder.join(&place.file);
            format!("{}: {why}: take its words out of {} and commit", place.file, path.display())
        }));
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

    /// Entries that the merge would leave in the learnings file although documents then hold them, as when it keeps the lines of both
    /// sides, or of one side alone.
    fn still_listed(&self, repo: &Repo, commits: [&str; 2], file: &str, batch: &[Entry]) -> Result<Vec<String>> {
        let place = self.place_in(repo).join(file);
        let mut listed = [Vec::new(), Vec::new()];
        for (keys, commit) in listed.iter_mut().zip(commits) {
            let learnings = repo.texts_at(commit, &place)?.into_values().next().unwrap_or_default();
            keys.extend(LearningsFile::parse(&learnings).entries.iter().map(FileEntry::key));
        }
        // Of two equal ones, one may stay.
        let [before, after] = listed.map(|keys| move |key: &String| keys.iter().filter(|known| *known == key).count());
        let stays = batch.iter().filter(|entry| entry.id.is_none() && after(&entry.key) > 0 && after(&entry.key) >= before(&entry.key));
        let titles: Vec<&str> = stays.map(|entry| entry.title.as_deref().unwrap_or_default()).collect();
        if titles.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![format!(
            "{file}: the merge leaves in it what documents hold then ({}), as with `merge=union` in .gitattributes: discard this proposal, take \
             the attribute out or merge nothing into the file meanwhile, and order it again",
            titles.join(", ")
        )])
    }

    /// Removes from a batch the learnings that have been put away since it was made, or wait for a decision; returns their ids and what
    /// became of them.
    fn put_away_since(&self, batch: &mut Vec<Entry>) -> Result<Vec<(String, String)>> {
        let ids: Vec<LearningId> = batch.iter().filter_map(|entry| entry.id.clone()).collect();
        let known = self.db.read(|r| r.learnings_by_id(&ids))?.into_iter();
        let gone = known.filter(|learning| matches!(learning.state, LearningState::Retired | LearningState::Superseded));
        let said = |learning: FeatureLearning| {
            (learning.id.clone(), format!("learning {} is {} since it was proposed", learning.id, learning.state))
        };
        let mut away: Vec<(String, String)> = gone.map(said).collect();
        // Nobody knows which of the two is right, and a document would say one of them.
        for (older, newer) in self.db.read(|r| r.learning_facts(Some(&ids)))?.conflicts {
            let why = format!("learnings {older} and {newer} contradict each other; decide with `ralph learning resolve`, or else");
            away.extend([older, newer].into_iter().filter(|id| ids.contains(id)).map(|id| (id, why.clone())));
        }
        batch.retain(|entry| !away.iter().any(|(id, _)| *id == entry.key));
        Ok(away)
    }

    /// Makes consolidated content findable, and reports what is no longer in any document.
    pub(crate) fn find_consolidated(&self) -> Result<()> {
        if self.db.is_read_only() {
            return Ok(());
        }
        let standing = self.standing_consolidations()?;
        self.find_lost_words(&standing)?;
        if standing.iter().any(|of| !of.files.is_empty()) {
            // A known document with new content is indexed in its old version until it is looked at.
            self.look_at_documents()?;
        }
        Ok(())
    }

    /// Asks for the documents without which consolidated content would be found nowhere, whichever clone wrote them.
    pub(crate) fn ask_for_consolidated(&self) -> Result<()> {
        let known = self.db.read(|r| r.document_sources())?;
        let mut new = self.sources_that_stand()?;
        new.retain(|source| !known.contains(source));
        if new.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        self.write(|tx| Ok(new.iter().try_for_each(|source| tx.add_document_source(source, now))?))
    }

    fn standing_consolidations(&self) -> Result<Vec<Consolidation>> {
        Ok(self.db.read(|r| r.consolidations(None))?.into_iter().filter(|of| of.undone.is_none()).collect())
    }

    /// The sources without which consolidated content could not be found, as long as its consolidation is in force: the folder of the
    /// documents, and the files outside it that contain its words. A document may have been renamed since it was written, and the folder
    /// moved.
    pub(crate) fn sources_that_stand(&self) -> Result<BTreeSet<String>> {
        let standing = self.standing_consolidations()?;
        if standing.is_empty() {
            return Ok(BTreeSet::new());
        }
        let folder = self.settings()?.consolidation.knowledge_folder;
        let (moved, entries) = (self.db.read(|r| r.lost_words())?.moved, standing.iter().flat_map(|of| &of.entries).collect());
        let files: BTreeSet<&String> = standing.iter().flat_map(|of| &of.files).chain(moved.values().map(|place| &place.file)).collect();
        let mut sources = BTreeSet::new();
        for file in files {
            if Path::new(file).starts_with(&folder) {
                sources.insert(folder.clone());
            } else if self.holds_entries(file, &entries) {
                // The documents were in another folder when it was written, or somebody moved the words.
                sources.insert(file.clone());
            }
        }
        sources.retain(|source| self.paths.root.join(source).exists());
        Ok(sources)
    }

    /// Whether a file has a mark of one of these entries: a line of another clone may name any file.
    pub(super) fn holds_entries(&self, file: &str, entries: &BTreeSet<&String>) -> bool {
        let Ok(Some(text)) = self.paths.files().read_text(&self.paths.root.join(file), limits::DOCUMENT_BYTES) else { return false };
        let held = places(&BTreeMap::from([(file.to_owned(), text)]));
        held.keys().any(|key| entries.contains(key))
    }
}

/// Records what a merged proposal means.
pub(crate) fn land(tx: &Tx<'_>, landing: &LandingProposal, rules: Rules) -> Result<()> {
    match landing {
        LandingProposal::Nothing => Ok(()),
        LandingProposal::Undo { undone, elsewhere } => {
            let rows = tx.consolidations(Some(undone))?;
            // A line from elsewhere may have recorded it meanwhile.
            if rows.iter().all(|row| row.undone.is_some()) {
                return Ok(());
            }
            let ids = rows.iter().filter(|row| row.feature.is_some()).flat_map(|row| row.entries.iter().map(String::as_str));
            let features = rows.iter().filter_map(|row| row.feature.as_deref());
            let needs = features.fold(Needs::learnings(ids), Needs::and_feature).and_consolidation(undone);
            perform(tx, rules, &needs, |draft| draft.undo_consolidation(undone, elsewhere)).map(drop)
        }
        LandingProposal::Consolidation { errand, matter, landed } => {
            if landed.is_empty() {
                return Ok(());
            }
            let ids = matter.batch.iter().filter_map(|entry| entry.id.as_deref());
            let features = landed.iter().filter_map(|of| of.feature.as_deref());
            let needs = features.fold(Needs::learnings(ids), Needs::and_feature);
            let act = perform(tx, rules, &needs, |draft| draft.consolidate(landed))?;
            let told = ConsolidationMatter { act: Some(act), ..matter.as_ref().clone() };
            Ok(tx.set_errand_matter(*errand, &to_json(&ProposalMatter::Consolidation(told)))?)
        }
    }
}

/// The matter of an errand that proposes documents; `None` for other errands.
pub(super) fn matter_of(r: &Read<'_>, errand: ErrandId) -> Result<Option<ProposalMatter>> {
    let json = r.errand_matter(errand)?;
    Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
}

/// The settings with the places that a proposal was written with: what lands is looked for there, whatever they are today.
pub(super) fn as_proposed(matter: &ConsolidationMatter, today: ConsolidationSettings) -> ConsolidationSettings {
    let ConsolidationMatter { folder, learnings_file, .. } = matter.clone();
    ConsolidationSettings {
        knowledge_folder: folder.unwrap_or(today.knowledge_folder),
        learnings_file: learnings_file.unwrap_or(today.learnings_file),
        ..today
    }
}

/// Removes from a batch the entries that a learnings file no longer has; returns their keys and what became of them.
fn withdrawn_from(learnings: &str, batch: &mut Vec<Entry>) -> Vec<(String, String)> {
    let there: BTreeSet<String> = LearningsFile::parse(learnings).entries.iter().map(FileEntry::key).collect();
    let gone = batch.extract_if(.., |entry| entry.id.is_none() && !there.contains(&entry.key));
    let why = |entry: Entry| {
        let title = entry.title.as_deref().unwrap_or_default();
        (entry.key, format!("'{title}' was taken out of {} or changed there since it was proposed", entry.source))
    };
    gone.map(why).collect()
}

/// Entries by source, each with its place; those without a place are skipped. A learning counts for the feature that it is in now.
fn landed(batch: &[Entry], places: &BTreeMap<String, KnowledgePlace>, features: &BTreeMap<LearningId, String>) -> Vec<Consolidating> {
    let mut of_source: BTreeMap<(bool, &str), Vec<(String, KnowledgePlace)>> = BTreeMap::new();
    for entry in batch {
        if let Some(place) = places.get(&entry.key) {
            let feature = entry.id.as_ref().and_then(|id| features.get(id));
            let source = (entry.id.is_some(), feature.unwrap_or(&entry.source).as_str());
            of_source.entry(source).or_default().push((entry.key.clone(), place.clone()));
        }
    }
    let source = |((is_feature, source), entries): ((bool, &str), Vec<(String, KnowledgePlace)>)| Consolidating {
        feature: is_feature.then(|| source.to_owned()),
        source: source.to_owned(),
        entries,
    };
    of_source.into_iter().map(source).collect()
}
