//! Consolidated learnings whose words are gone from the documents: git took the merge back, or somebody deleted the words or their file.
//! They would be told nowhere, so a person hears of it, and whoever says one again brings it back.

use crate::app::App;
use crate::error::Result;
use crate::notices::put_before_person;
use git_repo::Repo;
use ralph_core::LearningId;
use ralph_core::consolidation::{Consolidation, KnowledgePlace, LostWords};
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::settings::ConsolidationSettings;
use ralph_core::worktree::{Work, WorktreeState};
use ralph_rag::consolidate::places;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

impl App {
    /// Compares the consolidations that stand with the documents of their base: once after each of its commits, and as long as something
    /// is lost. A loss is told once, and its notice goes with it.
    pub(super) fn find_lost_words(&self, standing: &[Consolidation]) -> Result<()> {
        let before = self.db.read(|r| r.lost_words())?;
        let Some(repo) = self.repo.as_ref().filter(|_| !standing.is_empty() || !before.learnings.is_empty()) else { return Ok(()) };
        let tips = self.tips_of_bases(repo)?;
        let looked_at: Vec<String> = tips.iter().cloned().chain(standing.last().map(|of| of.id.clone())).collect();
        if tips.is_empty() || (before.learnings.is_empty() && before.looked_at == looked_at) {
            return Ok(());
        }
        let settings = self.settings()?.consolidation;
        let mut held: BTreeMap<String, Vec<KnowledgePlace>> = BTreeMap::new();
        for tip in &tips {
            for (key, place) in self.places_at(repo, tip, standing, &settings)? {
                held.entry(key).or_default().push(place);
            }
        }
        let of_features = standing.iter().filter(|of| of.feature.is_some());
        let ids: Vec<LearningId> = of_features.flat_map(|of| of.entries.clone()).collect();
        let mut all = self.db.read(|r| r.learnings_by_id(&ids))?;
        all.retain(|learning| learning.state == LearningState::Consolidated);
        let (there, lost): (Vec<_>, Vec<_>) = all.into_iter().partition(|learning| held.contains_key(&learning.id));
        let moved = there.into_iter().filter_map(|learning| {
            // On another base it may stand elsewhere.
            let now =
                held.get(&learning.id).filter(|places| places.iter().all(|place| learning.consolidated_into.as_ref() != Some(place)))?;
            Some((learning.id, now.first()?.clone()))
        });
        // Of what is lost the last place stays known.
        let was = lost.iter().filter_map(|learning| Some((learning.id.clone(), before.moved.get(&learning.id)?.clone())));
        let moved = moved.chain(was).collect();
        self.tell_lost_words(&before, LostWords { looked_at, moved, ..before.clone() }, &lost)
    }

    /// Puts the places in, at which the words of consolidated learnings stand today: documents are divided, renamed and edited.
    pub(crate) fn with_places_of_today<'l>(&self, learnings: impl IntoIterator<Item = &'l mut FeatureLearning>) -> Result<()> {
        let consolidated: Vec<&mut FeatureLearning> =
            learnings.into_iter().filter(|learning| learning.state == LearningState::Consolidated).collect();
        if consolidated.is_empty() {
            return Ok(());
        }
        let mut moved = self.db.read(|r| r.lost_words())?.moved;
        for learning in consolidated {
            learning.consolidated_into = moved.remove(&learning.id).or(learning.consolidated_into.take());
        }
        Ok(())
    }

    /// The last commits of the branches that consolidations were merged into here, by their names; without any, of the branch that work goes to.
    fn tips_of_bases(&self, repo: &Repo) -> Result<Vec<String>> {
        let merged = self.db.read(|r| r.worktrees())?.into_iter().filter(|worktree| worktree.state == WorktreeState::Merged);
        let mut bases: BTreeSet<String> =
            merged.filter(|worktree| matches!(worktree.work, Work::Errand(_))).map(|worktree| worktree.base).collect();
        if bases.is_empty() {
            // Of a checkout without a branch nothing is said.
            bases.extend(self.base_of(repo, &self.settings()?).map(|(base, _)| base));
        }
        let mut tips = Vec::new();
        for base in bases {
            tips.extend(repo.branch_tip(&base)?);
        }
        Ok(tips)
    }

    /// The places of the marks in the documents at a commit, also in those that lie outside of today's folder.
    fn places_at(
        &self,
        repo: &Repo,
        tip: &str,
        standing: &[Consolidation],
        settings: &ConsolidationSettings,
    ) -> Result<BTreeMap<String, KnowledgePlace>> {
        let mut documents = self.documents_at(repo, tip, settings)?;
        let files: BTreeSet<&String> = standing.iter().flat_map(|of| &of.files).collect();
        for file in files.into_iter().filter(|file| !Path::new(file).starts_with(&settings.knowledge_folder)) {
            let text = repo.texts_at(tip, &self.place_in(repo).join(file))?.into_values().next();
            documents.extend(text.map(|text| (file.clone(), text)));
        }
        Ok(places(&documents))
    }

    /// Stores what was found now, and tells a person of what is newly lost.
    fn tell_lost_words(&self, before: &LostWords, now_found: LostWords, lost: &[FeatureLearning]) -> Result<()> {
        let learnings: BTreeSet<LearningId> = lost.iter().map(|learning| learning.id.clone()).collect();
        if learnings == before.learnings {
            return if now_found == *before { Ok(()) } else { self.write(|tx| Ok(tx.set_lost_words(&now_found)?)) };
        }
        let is_news = !learnings.is_subset(&before.learnings);
        let now = self.clock.now();
        self.write(|tx| {
            let was_open = before.notice.map(|id| tx.settle_notice(id, true, now)).transpose()?.unwrap_or(false);
            let tells = !learnings.is_empty() && (is_news || was_open);
            let notice = tells.then(|| put_before_person(tx, in_words(lost, &now_found.moved), now)).transpose()?;
            Ok(tx.set_lost_words(&LostWords { learnings, notice, ..now_found })?)
        })
    }
}

/// What is lost, each by the file that held it last: where it was recorded, or where it was `moved` since.
fn in_words(lost: &[FeatureLearning], moved: &BTreeMap<LearningId, KnowledgePlace>) -> NewNotice {
    let title = match lost.len() {
        1 => "1 consolidated learning stands in no document any more".to_owned(),
        count => format!("{count} consolidated learnings stand in no document any more"),
    };
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for learning in lost {
        let file = moved.get(&learning.id).or(learning.consolidated_into.as_ref()).map_or("", |place| place.file.as_str());
        files.entry(file).or_default().push(&learning.id);
    }
    let files: Vec<String> = files.into_iter().map(|(file, ids)| format!("{file} held {}", ids.join(", "))).collect();
    let detail = format!(
        "{}\n\nSo no agent is told them. `ralph learning restore ID` makes one active again, and so does whoever learns it again. Or bring \
         their words back into a document, each with its mark `<!-- ralph:ID -->`, and commit it.",
        files.join("\n")
    );
    NewNotice::new(NoticeKind::Consolidation, title, detail)
}
