//! Interpretation of consolidation events.

use super::{Event, Knowledge, Line};
use ralph_core::active_days::Day;
use ralph_core::consolidation::Consolidation;
use ralph_core::learning::LearningState;

impl Knowledge {
    /// Applies a consolidation event; other lines change nothing here.
    pub(super) fn apply_consolidation(&mut self, line: &Line) {
        match &line.event {
            Event::Consolidation { feature, source, entries, files } => {
                let of = Consolidation {
                    id: line.id.clone(),
                    act: line.act.clone().unwrap_or_else(|| line.id.clone()),
                    feature: self.home(feature.as_ref()),
                    source: source.clone(),
                    entries: entries.clone(),
                    files: files.clone(),
                    at: line.at,
                    day: Day::of(line.at, line.offset.unwrap_or(0)),
                    undone: None,
                };
                self.consolidations.entry(of.id.clone()).or_insert(of);
            }
            // What somebody in another clone has put away or replaced meanwhile stays that way, whatever a document says.
            Event::Consolidated { learning, .. } if !self.may_be_consolidated(learning) => {}
            Event::Consolidated { learning, place } => {
                self.brought_back.remove(learning);
                self.change(learning, |l| {
                    l.state = LearningState::Consolidated;
                    l.superseded_by = None;
                    l.consolidated_into = Some(place.clone());
                });
            }
            // What it restores is recorded as separate events.
            Event::Undone { undone } => {
                for of in self.consolidations.values_mut().filter(|of| of.act == *undone) {
                    of.undone = of.undone.or(Some(line.at));
                }
            }
            _ => {}
        }
    }

    fn may_be_consolidated(&self, id: &str) -> bool {
        self.learnings.get(id).is_some_and(|l| !matches!(l.state, LearningState::Retired | LearningState::Superseded))
    }
}
