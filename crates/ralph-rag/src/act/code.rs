//! Facts stated by the project's own files, and undoing a scan's changes.

use super::{Draft, Refusal};
use crate::journal::{Event, Knowledge, Line, PROJECT_JOURNAL};
use ralph_core::MemoryId;
use ralph_core::learning::Verdict;
use ralph_core::memory::{Fact, FactSource, WithdrawalReason};
use std::collections::{BTreeMap, BTreeSet};

/// Result of recording a fact from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromCode {
    /// Already active.
    Known,
    /// New.
    Added,
    /// Replaces what a file stated on the same subject.
    Updated,
    /// Known before, and active again.
    Returned,
    /// A person stated otherwise, or put it away.
    Left,
}

impl Draft<'_> {
    /// Records a fact from a file. A person's statement on the same subject stays, and what a person put away stays away. Assigns the id.
    pub fn state_from_code(&mut self, fact: Fact) -> Result<FromCode, Refusal> {
        let beside = || self.known.facts_beside(&fact);
        let active = beside().find(|other| other.withdrawn.is_none());
        let same = |other: &Fact| other.source == FactSource::Code && (&other.value, &other.file) == (&fact.value, &fact.file);
        if let Some(active) = active {
            if active.source == FactSource::Human {
                return Ok(FromCode::Left);
            }
            if same(active) {
                return Ok(FromCode::Known);
            }
        }
        let away = |other: &&Fact| other.withdrawn.as_ref().is_some_and(|w| w.because == WithdrawalReason::Person);
        if beside().filter(away).any(|other| other.value == fact.value) {
            return Ok(FromCode::Left);
        }
        let before = beside().filter(|other| other.withdrawn.is_some()).find(|other| same(other) && other.quote == fact.quote);
        if let Some(id) = before.map(|before| before.id.clone()) {
            self.return_by_rule(&id)?;
            return Ok(FromCode::Returned);
        }
        let known = beside().any(|other| other.source == FactSource::Code);
        Ok(match self.state_fact(fact)?.verdict {
            Verdict::Added if known => FromCode::Updated,
            Verdict::Added => FromCode::Added,
            _ => FromCode::Left,
        })
    }

    /// Undoes a scan's changes: facts it added are put away, so that no later scan adds them again, and those it withdrew
    /// are active again.
    pub fn undo_scan(&mut self, scan: &UndoableScan) -> Result<(), Refusal> {
        for act in &scan.acts {
            self.tell(PROJECT_JOURNAL, Event::Undone { undone: act.clone() });
        }
        let stands = |draft: &Self, id: &str| draft.known.facts.get(id).is_some_and(|fact| fact.withdrawn.is_none());
        for id in &scan.told {
            if stands(self, id) {
                self.withdraw(id, WithdrawalReason::Person, "the look at the files was taken back")?;
            }
        }
        for id in &scan.withdrawn {
            let taken = self.known.facts.get(id).is_some_and(|fact| self.known.facts_beside(fact).any(|other| other.withdrawn.is_none()));
            if !taken && !stands(self, id) {
                self.bring_memory_back(id)?;
            }
        }
        Ok(())
    }
}

/// A scan that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoableScan {
    /// Its acts, one per batch.
    pub acts: Vec<String>,
    /// Facts that it added.
    pub told: Vec<MemoryId>,
    /// Facts that it withdrew.
    pub withdrawn: Vec<MemoryId>,
}

/// The newest scan that added something and was not undone, from lines of any number of journals in any order.
pub fn undoable_scan(lines: impl IntoIterator<Item = Line>) -> Option<UndoableScan> {
    let sorted: BTreeMap<String, Line> = lines.into_iter().map(|line| (line.id.clone(), line)).collect();
    let mut passed: BTreeSet<&str> = sorted.values().filter_map(Line::undoes).collect();
    passed.extend(sorted.values().filter(|line| line.undoes().is_some()).filter_map(|line| line.act.as_deref()));
    let open: Vec<&Line> = sorted.values().filter(|line| line.act.as_deref().is_some_and(|act| !passed.contains(act))).collect();
    let tells = |line: &&&Line| matches!(&line.event, Event::Fact { fact } if fact.source == FactSource::Code);
    let last = open.iter().rev().find(tells)?;
    // All batches of one scan have the same time.
    let of_look: Vec<&Line> = open.iter().filter(|line| line.at == last.at && line.replica == last.replica).copied().collect();
    let mut before = Knowledge::default();
    let first = of_look.first().map(|line| line.id.clone())?;
    sorted.range(..first).for_each(|(_, line)| before.apply(line));
    let mut after = before.clone();
    of_look.iter().for_each(|line| after.apply(line));
    let stands = |known: &Knowledge, id: &str| known.facts.get(id).is_some_and(|fact| fact.withdrawn.is_none());
    let ids = || after.facts.keys().cloned();
    let acts: BTreeSet<&String> = of_look.iter().filter_map(|line| line.act.as_ref()).collect();
    Some(UndoableScan {
        told: ids().filter(|id| stands(&after, id) && !stands(&before, id)).collect(),
        withdrawn: ids().filter(|id| !stands(&after, id) && stands(&before, id)).collect(),
        acts: acts.into_iter().cloned().collect(),
    })
}
