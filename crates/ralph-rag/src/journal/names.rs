//! The names that a line carries: a feature's name is the name of a file, so a line from elsewhere is held to the rule of the door; an id
//! decides what comes after what, so one that nothing could come after is refused.

use super::Event;
use ralph_core::feature::check_name;
use ralph_core::text::cut;

/// Characters of a name that a fault repeats.
const SHOWN_CHARS: usize = 80;

/// The letters of a ULID.
const ID_LETTERS: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// What is wrong with the id of an event: it must be a ULID of the first half of all times, which leaves room for those that follow.
pub(super) fn id_fault(id: &str) -> Option<String> {
    let bytes = id.as_bytes();
    let fine = bytes.len() == 26 && bytes[0] <= b'3' && bytes.iter().all(|byte| ID_LETTERS.contains(byte));
    (!fine).then(|| format!("'{}' can't be an event's id", cut(id, SHOWN_CHARS)))
}

/// The names of features that an event holds.
pub(super) fn of(event: &Event) -> Vec<&str> {
    match event {
        Event::Feature { feature } => {
            let others = feature.parent.iter().chain(&feature.dependencies).map(String::as_str);
            std::iter::once(feature.name.as_str()).chain(others).collect()
        }
        Event::Learned { learning, .. } => vec![&learning.feature],
        Event::Staged { learning, .. } => vec![&learning.feature],
        Event::MovedIn { learning, from } => vec![&learning.feature, from],
        Event::MovedOut { to, .. } => vec![to],
        Event::Episode { episode } => episode.feature.iter().map(String::as_str).collect(),
        Event::Consolidation { feature, .. } => feature.iter().map(String::as_str).collect(),
        Event::Fact { fact } => fact.feature.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// What is wrong with the first name of an event that can't be a feature's; `None` when all are fine.
pub(super) fn fault(event: &Event) -> Option<String> {
    of(event).into_iter().find_map(|name| {
        let fault = check_name(name).err()?;
        Some(format!("'{}' can't be a feature's name: {fault}", cut(name, SHOWN_CHARS)))
    })
}
