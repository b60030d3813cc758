//! Consolidation as an act: entries that moved into documents are no longer active learnings; undone as a whole.

use super::{Draft, Refusal};
use crate::journal::{Event, journal_of};
use ralph_core::LearningId;
use ralph_core::consolidation::KnowledgePlace;
use ralph_core::feature::FeatureState;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::noun::Noun;
use std::collections::{BTreeMap, BTreeSet};

/// What moved from one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consolidating {
    /// The feature; `None`: the learnings file.
    pub feature: Option<String>,
    /// Name of the feature, or path of the file.
    pub source: String,
    /// Keys of the entries, each with its place in a document.
    pub entries: Vec<(String, KnowledgePlace)>,
}

impl Draft<'_> {
    /// Records that entries are in documents: learnings among them become consolidated, with their place, even those that a rule has pruned
    /// or parked meanwhile, since the document says them now. One that somebody has put away meanwhile stays as it is. Returns the id of
    /// the act.
    pub fn consolidate(&mut self, landed: &[Consolidating]) -> Result<String, Refusal> {
        let mut act = None;
        for of in landed.iter().filter(|of| !of.entries.is_empty()) {
            let feature = of.feature.as_deref().map(|name| self.feature(name)).transpose()?.map(|feature| feature.name);
            let files: BTreeSet<&String> = of.entries.iter().map(|(_, place)| &place.file).collect();
            let event = Event::Consolidation {
                feature: feature.clone(),
                source: of.source.clone(),
                entries: of.entries.iter().map(|(key, _)| key.clone()).collect(),
                files: files.into_iter().cloned().collect(),
            };
            self.tell(journal_of(feature.as_deref()), event);
            act = act.or_else(|| self.told.last().and_then(|told| told.line.act.clone()));
            for (key, place) in of.entries.iter().filter(|_| feature.is_some()) {
                let learning = self.learning(key)?;
                if matches!(learning.state, LearningState::Active | LearningState::Parked | LearningState::Pruned) {
                    self.tell(&learning.feature, Event::Consolidated { learning: learning.id.clone(), place: place.clone() });
                }
            }
        }
        act.ok_or(Refusal::Invalid { field: "entries", fault: "are none".to_owned(), hint: "a consolidation needs entries that landed" })
    }

    /// Undoes a consolidation: its learnings are active again as far as there is room, those with the most evidence first; the rest is
    /// parked. Later changes are kept, and so is what another document contains, `elsewhere`: it is told there, and would never leave the
    /// active ones again. Returns the restored learnings.
    pub fn undo_consolidation(&mut self, act: &str, elsewhere: &BTreeMap<LearningId, KnowledgePlace>) -> Result<Vec<LearningId>, Refusal> {
        let not_found = || Refusal::NotFound { what: Noun::Consolidation, name: act.to_owned() };
        let of: Vec<_> = self.known.consolidations.values().filter(|of| of.act == act).cloned().collect();
        let first = of.first().ok_or_else(not_found)?;
        if first.undone.is_some() {
            let fault = format!("consolidation {act} was taken back already");
            return Err(Refusal::Invalid { field: "id", fault, hint: "those that stand: `ralph consolidate --list`" });
        }
        self.tell(journal_of(first.feature.as_deref()), Event::Undone { undone: act.to_owned() });
        let (held, mut back): (Vec<FeatureLearning>, Vec<FeatureLearning>) = of
            .iter()
            .filter(|of| of.feature.is_some())
            .flat_map(|of| &of.entries)
            .filter_map(|id| self.known.learnings.get(id).filter(|l| l.state == LearningState::Consolidated).cloned())
            .partition(|learning| elsewhere.contains_key(&learning.id));
        for learning in held {
            let place = &elsewhere[&learning.id];
            if learning.consolidated_into.as_ref() != Some(place) {
                self.tell(&learning.feature, Event::Consolidated { learning: learning.id.clone(), place: place.clone() });
            }
        }
        back.sort_by(|a, b| (a.is_auto_prunable(), b.hit_count, &a.id).cmp(&(b.is_auto_prunable(), a.hit_count, &b.id)));
        for learning in &back {
            let open = self.known.feature(&learning.feature).filter(|feature| feature.state == FeatureState::Active).cloned();
            let full = open.is_some_and(|feature| self.active_count(&feature.name) >= self.cap(&feature) as usize);
            if full {
                self.tell(&learning.feature, Event::Parked { learning: learning.id.clone(), by_rule: false });
            } else {
                self.restore(learning);
            }
        }
        Ok(back.into_iter().map(|learning| learning.id).collect())
    }
}
