//! Lines of the journals that were edited where they stand. A journal is only added to, so the line that this database knows counts: an
//! edited one is told, and a rebuild puts the known one in its place.

use super::journal::{file_name, parsed};
use ralph_rag::clean::redact;
use ralph_rag::journal::{Line, wash_line};
use sqlite_db::table::EventLine;
use std::collections::{BTreeMap, BTreeSet};

/// The ids of the edited lines, by the feature of their journal. `files` are the lines of each journal.
pub(super) fn edited_lines<'f>(
    known: &[EventLine],
    files: impl Iterator<Item = (&'f str, &'f [Line])>,
) -> BTreeMap<String, BTreeSet<String>> {
    let known: BTreeMap<&str, &EventLine> = known.iter().map(|event| (event.id.as_str(), event)).collect();
    let mut edited = BTreeMap::<String, BTreeSet<String>>::new();
    for (feature, lines) in files {
        let differs =
            |line: &&Line| known.get(line.id.as_str()).and_then(|event| parsed(event)).is_some_and(|event| !is_same(&event, line));
        for line in lines.iter().filter(differs) {
            edited.entry(feature.to_owned()).or_default().insert(line.id.clone());
        }
    }
    edited
}

/// Whether two lines say the same: one of them may have been washed.
fn is_same(one: &Line, other: &Line) -> bool {
    let washed = |line: &Line| Line { event: wash_line(line.event.clone()), ..line.clone() };
    one == other || washed(one) == washed(other)
}

/// Each in brief: its file and its id.
pub(super) fn in_brief(edited: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let of = |(feature, ids): (&String, &BTreeSet<String>)| {
        let file = redact(&file_name(feature)).0;
        ids.iter().map(|id| format!("{file} {id}")).collect::<Vec<_>>()
    };
    edited.iter().flat_map(of).collect()
}
