//! Consolidated learnings whose words are gone from the documents: the merge was reverted, or somebody deleted the words or their file.
//! They would be told nowhere, so a person is notified, and whoever says one again brings it back. Also the reverse: learnings that were
//! put away but whose words are still there.

use crate::app::App;
use crate::error::Result;
use crate::notices::tell_again;
use git_repo::Repo;
use ralph_core::LearningId;
use ralph_core::consolidation::{Consolidation, KnowledgePlace, LostWords};
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::settings::ConsolidationSettings;
use ralph_rag::consolidate::{Documents, TargetStatement, held, is_same, places, says, statements_of_entries};
use ralph_rag::keys;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Minimum characters of a commit's id: nothing else among what was looked at has that shape.
const COMMIT_CHARS: usize = 40;

impl App {
    /// Compares the consolidations in force with the documents of their base: once after each of its commits, whenever one of their
    /// learnings is put away, and as long as something is lost. A loss is reported once, and its notice is settled when it is over; the
    /// same goes for what a document still says although it was put away.
    pub(super) fn find_lost_words(&self, standing: &[Consolidation]) -> Result<()> {
        let before = self.db.read(|r| r.lost_words())?;
        let nothing_told = before.learnings.is_empty() && before.still_said.is_empty();
        let Some(repo) = self.repo.as_ref().filter(|_| !standing.is_empty() || !nothing_told) else { return Ok(()) };
        let tips = self.tips_of_bases(repo)?;
        let of_features = standing.iter().filter(|of| of.feature.is_some());
        let ids: BTreeSet<LearningId> = of_features.flat_map(|of| of.entries.clone()).collect();
        let all = self.db.read(|r| r.learnings_by_id(&ids.into_iter().collect::<Vec<_>>()))?;
        let is_away = |learning: &FeatureLearning| matches!(learning.state, LearningState::Retired | LearningState::Superseded);
        let (away, mut all): (Vec<_>, Vec<_>) = all.into_iter().partition(is_away);
        all.retain(|learning| learning.state == LearningState::Consolidated);
        let newest = standing.last().map(|of| of.id.clone());
        let looked_at: Vec<String> = tips.iter().cloned().chain(newest).chain(away.iter().map(|learning| learning.id.clone())).collect();
        if tips.is_empty() || (before.learnings.is_empty() && before.looked_at == looked_at) {
            return Ok(());
        }
        let settings = self.settings()?.consolidation;
        let documents = tips.iter().map(|tip| self.documents_of(repo, tip, standing, &settings)).collect::<Result<Vec<_>>>()?;
        let documents = self.with_known_beside(repo, &tips, &all, documents)?;
        let mut places_of: BTreeMap<String, Vec<KnowledgePlace>> = BTreeMap::new();
        for (key, place) in documents.iter().flat_map(places) {
            places_of.entry(key).or_default().push(place);
        }
        let (there, gone): (Vec<_>, Vec<_>) = all.into_iter().partition(|learning| places_of.contains_key(&learning.id));
        let stands: BTreeMap<String, String> = documents.iter().rev().flat_map(statements_of_entries).collect();
        let other_words = |learning: &FeatureLearning| stands.get(&learning.id).filter(|text| !is_same(text, &learning.text)).cloned();
        let said = there.iter().filter_map(|learning| Some((learning.id.clone(), other_words(learning)?))).collect();
        let moved = there.into_iter().filter_map(|learning| {
            // On another base it may stand elsewhere.
            let now = places_of
                .get(&learning.id)
                .filter(|places| places.iter().all(|place| learning.consolidated_into.as_ref() != Some(place)))?;
            Some((learning.id, now.first()?.clone()))
        });
        let words = if gone.is_empty() { BTreeMap::new() } else { self.words_before(repo, &before, standing, &settings)? };
        let is_said = |learning: &FeatureLearning| {
            let words = words.get(&learning.id).map(String::as_str);
            documents.iter().any(|documents| says(documents, words, &learning.text))
        };
        let (unmarked, lost): (Vec<_>, Vec<_>) = gone.into_iter().partition(is_said);
        // The last place of what is lost stays known.
        let was = lost.iter().filter_map(|learning| Some((learning.id.clone(), before.moved.get(&learning.id)?.clone())));
        let moved = moved.chain(was).collect();
        let unmarked = unmarked.into_iter().filter_map(|learning| Some((learning.id.clone(), words.get(&learning.id)?.clone()))).collect();
        let marked: BTreeMap<String, TargetStatement> = documents.iter().rev().flat_map(held).collect();
        let still = away.iter().filter_map(|learning| Some((learning, marked.get(&learning.id)?))).collect::<Vec<_>>();
        self.tell_lost_words(&before, LostWords { looked_at, moved, unmarked, said, ..before.clone() }, &lost, &still)
    }

    /// The documents at some commits, plus other known documents that contain what none of these do: somebody moved the words there.
    fn with_known_beside(
        &self,
        repo: &Repo,
        tips: &[String],
        consolidated: &[FeatureLearning],
        mut documents: Vec<Documents>,
    ) -> Result<Vec<Documents>> {
        let there: BTreeSet<String> = documents.iter().flat_map(|documents| places(documents).into_keys()).collect();
        let gone: BTreeSet<&String> = consolidated.iter().map(|learning| &learning.id).filter(|id| !there.contains(*id)).collect();
        if gone.is_empty() {
            return Ok(documents);
        }
        let known = self.db.read(|r| r.documents())?.into_iter().map(|row| row.path);
        for file in known.filter(|path| path.ends_with(".md") && self.holds_entries(path, &gone)) {
            for (tip, documents) in tips.iter().zip(&mut documents) {
                let text = repo.texts_at(tip, &self.place_in(repo).join(&file))?.into_values().next();
                documents.extend(text.map(|text| (file.clone(), text)));
            }
        }
        Ok(documents)
    }

    /// The last words of consolidated learnings: at the commits that were looked at before this one, or earlier without their mark.
    fn words_before(
        &self,
        repo: &Repo,
        before: &LostWords,
        standing: &[Consolidation],
        settings: &ConsolidationSettings,
    ) -> Result<BTreeMap<LearningId, String>> {
        let mut words = before.unmarked.clone();
        let is_commit = |name: &&String| name.len() >= COMMIT_CHARS && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        for commit in before.looked_at.iter().filter(is_commit) {
            if repo.has_commit(commit)? {
                let documents = self.documents_of(repo, commit, standing, settings)?;
                words.extend(held(&documents).into_iter().map(|(key, said)| (key, said.text)));
            }
        }
        Ok(words)
    }

    /// Adds the current places of the words of consolidated learnings: documents are divided, renamed and edited.
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

    /// The last commits of the branches that consolidations were merged into here, by name; if there is none, of the branch that work is
    /// merged into.
    fn tips_of_bases(&self, repo: &Repo) -> Result<Vec<String>> {
        let mut bases = self.db.read(|r| r.bases_of_merged_errands())?;
        if bases.is_empty() {
            // Nothing is said about a checkout without a branch.
            bases.extend(self.base_of(repo, &self.settings()?).map(|(base, _)| base));
        }
        let mut tips = Vec::new();
        for base in bases {
            tips.extend(repo.branch_tip(&base)?);
        }
        Ok(tips)
    }

    /// The documents at a commit, including those outside the current folder.
    fn documents_of(&self, repo: &Repo, tip: &str, standing: &[Consolidation], settings: &ConsolidationSettings) -> Result<Documents> {
        let mut documents = self.documents_at(repo, tip, settings)?;
        let files: BTreeSet<&String> = standing.iter().flat_map(|of| &of.files).collect();
        for file in files.into_iter().filter(|file| !Path::new(file).starts_with(&settings.knowledge_folder)) {
            let text = repo.texts_at(tip, &self.place_in(repo).join(file))?.into_values().next();
            documents.extend(text.map(|text| (file.clone(), text)));
        }
        Ok(documents)
    }

    /// Stores what was found now, and notifies a person of what is newly lost, and of what a document newly says for good.
    fn tell_lost_words(
        &self,
        before: &LostWords,
        now_found: LostWords,
        lost: &[FeatureLearning],
        still: &[(&FeatureLearning, &TargetStatement)],
    ) -> Result<()> {
        let learnings: BTreeSet<LearningId> = lost.iter().map(|learning| learning.id.clone()).collect();
        let still_said: BTreeSet<LearningId> = still.iter().map(|(learning, _)| learning.id.clone()).collect();
        if now_found == *before && learnings == before.learnings && still_said == before.still_said {
            return Ok(());
        }
        let now = self.clock.now();
        self.write(|tx| {
            let was = (&before.learnings, before.notice);
            let notice = tell_again(tx, was, &learnings, || in_words(lost, &now_found.moved), now)?;
            let was = (&before.still_said, before.still_notice);
            let still_notice = tell_again(tx, was, &still_said, || still_in_words(still), now)?;
            // These words also lead `remember` to the learning.
            let mut new = now_found.said.iter().filter(|(id, said)| before.said.get(*id) != Some(*said));
            new.try_for_each(|(id, said)| tx.insert_keys(id, &keys::of(said)))?;
            Ok(tx.set_lost_words(&LostWords { learnings, notice, still_said, still_notice, ..now_found })?)
        })
    }
}

/// What was put away but is still in a document, each with its line.
fn still_in_words(still: &[(&FeatureLearning, &TargetStatement)]) -> NewNotice {
    let title = match still.len() {
        1 => "1 learning that was put away stands in a document".to_owned(),
        count => format!("{count} learnings that were put away stand in documents"),
    };
    let lines: Vec<String> =
        still.iter().map(|(of, said)| format!("{}:{} says {}, which is {}", said.file, said.line, of.id, of.state)).collect();
    let detail = format!(
        "{}\n\nSo whoever reads the documents is told them, agents too. Take their words out, with their marks `<!-- ralph:ID -->`, and commit \
         it. `ralph learning restore ID` brings back what was right after all.",
        lines.join("\n")
    );
    NewNotice::new(NoticeKind::Consolidation, title, detail)
}

/// What is lost, by the last file that contained it: where it was recorded, or where it was `moved` since.
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
