//! Lines of the journals that were edited in place. Journals only grow, so the line that this database knows counts: an edited one is
//! reported, and a rebuild puts the known one back. Another clone's line does not count as edited, and stays.

use super::journal::{file_name, parsed};
use ralph_rag::clean::redact;
use ralph_rag::journal::{Line, SkippedLine, wash_line};
use sqlite_db::table::EventLine;
use std::collections::{BTreeMap, BTreeSet};

/// Ids of lines, by the feature of their journal.
pub(super) type LineIds = BTreeMap<String, BTreeSet<String>>;

/// Lines of the files that differ from what this database knows.
#[derive(Default)]
pub(super) struct OtherLines {
    /// Edited in place.
    pub edited: LineIds,
    /// Written by another clone under an id that belongs to a line here: they are not a copy of it, and may be the only record of what they
    /// say.
    pub clashing: LineIds,
}

/// The lines that differ from those known by the same id. `files` are the lines of each journal.
pub(super) fn other_lines<'f>(known: &[EventLine], files: impl Iterator<Item = (&'f str, &'f [Line])>) -> OtherLines {
    let known: BTreeMap<&str, &EventLine> = known.iter().map(|event| (event.id.as_str(), event)).collect();
    let mut found = OtherLines::default();
    for (feature, lines) in files {
        for line in lines {
            let Some(event) = known.get(line.id.as_str()).and_then(|event| parsed(event)) else { continue };
            let of = if event.replica == line.replica { &mut found.edited } else { &mut found.clashing };
            if !is_same(&event, line) {
                of.entry(feature.to_owned()).or_default().insert(line.id.clone());
            }
        }
    }
    // Lines are removed by their ids.
    for (feature, ids) in &found.clashing {
        found.edited.get_mut(feature).into_iter().for_each(|edited| edited.retain(|id| !ids.contains(id)));
    }
    found.edited.retain(|_, ids| !ids.is_empty());
    found
}

/// What a rebuild reports about lines that it leaves as they are.
pub(super) fn told(clashing: &LineIds) -> Vec<SkippedLine> {
    let of = |(feature, ids): (&String, &BTreeSet<String>)| {
        let line = |id: &String| SkippedLine {
            file: redact(&file_name(feature)).0,
            line: 0,
            fault: format!("a line of another clone has the id of another line, {id}"),
            newer: false,
            secret_name: false,
        };
        ids.iter().map(line).collect::<Vec<_>>()
    };
    clashing.iter().flat_map(of).collect()
}

/// What a rebuild reports about lines that it does not write back, by their journal: a newer Ralph wrote to it.
pub(super) fn told_held_back(lost: &LineIds) -> impl Iterator<Item = SkippedLine> {
    lost.iter().map(|(feature, ids)| SkippedLine {
        file: redact(&file_name(feature)).0,
        line: 0,
        fault: format!("{} of its lines, which it has lost, stay in the database until Ralph is updated", ids.len()),
        newer: true,
        secret_name: false,
    })
}

/// Whether two lines say the same: secrets may have been removed from one of them.
fn is_same(one: &Line, other: &Line) -> bool {
    let washed = |line: &Line| Line { event: wash_line(line.event.clone()), ..line.clone() };
    one == other || washed(one) == washed(other)
}

/// Each in brief: its file and its id.
pub(super) fn in_brief(lines: &LineIds) -> Vec<String> {
    let of = |(feature, ids): (&String, &BTreeSet<String>)| {
        let file = redact(&file_name(feature)).0;
        ids.iter().map(|id| format!("{file} {id}")).collect::<Vec<_>>()
    };
    lines.iter().flat_map(of).collect()
}
