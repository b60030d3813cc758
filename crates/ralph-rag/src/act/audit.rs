//! Putting a class of junk away as one act, and undoing it.

use super::{Draft, Refusal};
use crate::journal::{Change, Event, Knowledge, Line, PROJECT_JOURNAL};
use ralph_core::audit::AuditClass;
use ralph_core::learning::{BY_PERSON, LearningState};
use ralph_core::memory::WithdrawalReason;
use ralph_core::{LearningId, MemoryId, count};
use std::collections::{BTreeMap, BTreeSet};

/// A class that was put away and not restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoableAudit {
    /// The act.
    pub act: String,
    /// Which class.
    pub class: AuditClass,
    /// Learnings whose state it changed.
    pub changes: Vec<Change>,
    /// Episodes and facts that it withdrew.
    pub withdrawn: Vec<MemoryId>,
    /// Episodes among them that a person had restored before.
    pub kept: BTreeSet<MemoryId>,
}

impl Draft<'_> {
    /// Puts memories of a class away, and returns the act. Each id comes with the reason for its class.
    pub fn put_away_class(&mut self, class: AuditClass, junk: &[(String, String)]) -> Result<Option<String>, Refusal> {
        let memories = count(junk.len());
        self.tell(PROJECT_JOURNAL, Event::Audited { class, memories, by: BY_PERSON.to_owned() });
        for (id, why) in junk {
            if self.known.learnings.contains_key(id) {
                self.put_away(id)?;
            } else {
                // A fact that its own file no longer states returns with the file.
                let has_file = self.known.facts.get(id).is_some_and(|fact| fact.file.is_some());
                let by_file = has_file && class == AuditClass::StaleFact;
                let because = if by_file { WithdrawalReason::SourceGone } else { WithdrawalReason::Person };
                self.withdraw(id, because, &format!("{class}: {why}"))?;
            }
        }
        Ok(self.told.first().map(|first| first.line.id.clone()))
    }

    /// Restores what an audit put away, unless it was changed since. A learning without room is parked.
    pub fn undo_audit(&mut self, audit: &UndoableAudit) -> Result<(), Refusal> {
        self.tell(PROJECT_JOURNAL, Event::Undone { undone: audit.act.clone() });
        let returns = audit.changes.iter().filter(|change| change.before == Some(LearningState::Active));
        let returning: Vec<LearningId> = returns.map(|change| change.learning.clone()).collect();
        for change in &audit.changes {
            let learning = self.known.learnings.get(&change.learning).filter(|learning| learning.state == change.after).cloned();
            let (Some(learning), Some(LearningState::Active)) = (learning, change.before) else { continue };
            match self.make_room_again(&learning, &returning) {
                Ok(()) => {
                    if self.known.gates.get(&learning.id).is_some_and(|gate| gate.kept == Some(false)) {
                        self.tell(&learning.feature, Event::WarningReopened { learning: learning.id.clone() });
                    }
                    self.restore(&learning);
                    self.replace_again(&learning);
                }
                Err(Refusal::Full { .. }) => self.tell(&learning.feature, Event::Parked { learning: learning.id.clone(), by_rule: false }),
                Err(other) => return Err(other),
            }
        }
        for id in &audit.withdrawn {
            let fact = self.known.facts.get(id);
            let taken = fact.is_some_and(|fact| self.known.facts_beside(fact).any(|other| other.withdrawn.is_none()));
            if !taken && !self.known.is_told(id) {
                self.return_memory(id, !audit.kept.contains(id))?;
            }
        }
        Ok(())
    }
}

/// What an act put away, or the newest act that did, unless that was restored; from lines of any number of journals in any order.
pub fn undoable_audit(lines: impl IntoIterator<Item = Line>, by: Option<&str>) -> Option<UndoableAudit> {
    let sorted: BTreeMap<String, Line> = lines.into_iter().map(|line| (line.id.clone(), line)).collect();
    let undone: BTreeSet<&str> = sorted.values().filter_map(Line::undoes).collect();
    let (act, class) = sorted.values().rev().find_map(|line| match (&line.event, &line.act) {
        (Event::Audited { class, .. }, Some(act)) if !undone.contains(act.as_str()) && by.is_none_or(|by| by == act) => {
            Some((act.clone(), *class))
        }
        _ => None,
    })?;
    let mut before = Knowledge::default();
    sorted.range(..act.clone()).for_each(|(_, line)| before.apply(line));
    let mut after = before.clone();
    sorted.range(act.clone()..).map(|(_, line)| line).filter(|line| line.act.as_ref() == Some(&act)).for_each(|line| after.apply(line));
    let memories = after.facts.keys().chain(after.episodes.keys());
    let withdrawn = memories.filter(|id| before.is_told(id) && !after.is_told(id)).cloned().collect();
    let kept = before.episodes.values().filter(|episode| episode.kept).map(|episode| episode.id.clone()).collect();
    Some(UndoableAudit { act, class, changes: Change::between(&before, &after), withdrawn, kept })
}
