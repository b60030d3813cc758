//! Names in a line: a feature's name is a file name, so lines from elsewhere are held to the same rule as local input; an id
//! determines the order, so one that leaves no room for later ones is rejected. And the learnings that an event names.

use super::Event;
use ralph_core::feature::check_name;
use ralph_core::text::cut;

/// Characters of a name quoted in a fault.
const SHOWN_CHARS: usize = 80;

/// The letters of a ULID.
const ID_LETTERS: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// What is wrong with the id of an event: it must be a ULID in the first half of the time range, which leaves room for later ones.
pub(super) fn id_fault(id: &str) -> Option<String> {
    let bytes = id.as_bytes();
    let fine = bytes.len() == 26 && bytes[0] <= b'3' && bytes.iter().all(|byte| ID_LETTERS.contains(byte));
    (!fine).then(|| format!("'{}' can't be an event's id", cut(id, SHOWN_CHARS)))
}

/// The names of features in an event.
pub(super) fn of(event: &Event) -> Vec<&str> {
    match event {
        Event::Feature { feature, .. } => {
            let others = feature.parent.iter().chain(&feature.dependencies).map(String::as_str);
            std::iter::once(feature.name.as_str()).chain(others).collect()
        }
        Event::DefaultCap { feature, .. } => vec![feature],
        Event::Learned { learning, .. } => vec![&learning.feature],
        Event::Staged { learning, .. } => vec![&learning.feature],
        Event::MovedIn { learning, from } => vec![&learning.feature, from],
        Event::MovedOut { to, .. } | Event::EpisodeMoved { to, .. } => vec![to],
        Event::Episode { episode } => episode.feature.iter().map(String::as_str).collect(),
        Event::Consolidation { feature, .. } => feature.iter().map(String::as_str).collect(),
        Event::Fact { fact } => fact.feature.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// What is wrong with the first invalid feature name of an event; `None` when all are valid.
pub(super) fn fault(event: &Event) -> Option<String> {
    of(event).into_iter().find_map(|name| {
        let fault = check_name(name).err()?;
        Some(format!("'{}' can't be a feature's name: {fault}", cut(name, SHOWN_CHARS)))
    })
}

impl Event {
    /// Learnings whose records or related data the event may change.
    pub fn names_learnings(&self) -> Vec<&str> {
        match self {
            Event::Feature { .. }
            | Event::DefaultCap { .. }
            | Event::Thinned { .. }
            | Event::Audited { .. }
            | Event::Undone { .. }
            | Event::Staged { .. }
            | Event::Landed { .. }
            | Event::Consolidation { .. }
            | Event::Episode { .. }
            | Event::Fact { .. }
            | Event::MemoryWithdrawn { .. }
            | Event::EpisodeSeen { .. }
            | Event::EpisodeMoved { .. }
            | Event::MemoryReturned { .. } => Vec::new(),
            Event::Learned { learning, .. } | Event::MovedIn { learning, .. } => vec![&learning.id],
            Event::Reconciled { reconciliation } => vec![&reconciliation.learning],
            Event::Iteration { told, .. } => told.iter().map(String::as_str).collect(),
            Event::KeptApart { older, newer }
            | Event::Conflict { older, newer }
            | Event::ConflictResolved { older, newer, .. }
            | Event::ConflictReopened { older, newer } => vec![older, newer],
            Event::GateDecided { learning, .. }
            | Event::WarningReopened { learning }
            | Event::Withdrawn { learning, .. }
            | Event::SaidAgain { learning, .. }
            | Event::KeptAway { learning }
            | Event::Observed { learning, .. }
            | Event::Reviewed { learning, .. }
            | Event::Unreviewed { learning, .. }
            | Event::Pruned { learning, .. }
            | Event::Retired { learning }
            | Event::Restored { learning, .. }
            | Event::Parked { learning, .. }
            | Event::Superseded { learning, .. }
            | Event::Consolidated { learning, .. }
            | Event::Validated { learning, .. }
            | Event::ValidationsDropped { learning, .. }
            | Event::TermsLearnt { learning, .. }
            | Event::TermsDropped { learning, .. }
            | Event::Promoted { learning, .. }
            | Event::MovedOut { learning, .. } => vec![learning],
        }
    }
}
