//! The new lines of documents: those that state an entry, up to its mark, and the others.

use super::marks::marks;
use super::proposal::{Documents, added};
use ralph_core::headings::headings;
use ralph_core::text::line_at;
use std::collections::{BTreeMap, BTreeSet};

/// The new lines that end with the mark of an entry.
pub(super) struct Block<'a> {
    pub(super) key: String,
    pub(super) file: &'a str,
    /// Its lines with words, each with its number from 1; the last one has the mark.
    pub(super) lines: Vec<(u32, &'a str)>,
    /// The headings above it, the outermost first.
    pub(super) headings: Vec<String>,
}

/// A new line that belongs to no entry.
pub(super) struct Loose<'a> {
    pub(super) file: &'a str,
    pub(super) line: u32,
    pub(super) text: &'a str,
    pub(super) is_heading: bool,
}

/// The new lines with words of changed documents: those of entries, and the others. An entry's lines are those above its mark, up to an
/// older line, a heading, or another entry.
pub(super) fn blocks<'a>(before: &'a Documents, after: &'a Documents) -> (Vec<Block<'a>>, Vec<Loose<'a>>) {
    let mut fresh: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (file, line, _) in added(before, after) {
        fresh.entry(file).or_default().insert(line);
    }
    let (mut said, mut loose) = (Vec::new(), Vec::new());
    for (file, fresh) in fresh {
        let text = after[file].as_str();
        let titles: BTreeMap<u32, (u8, String)> =
            headings(text).into_iter().map(|heading| (line_at(text, heading.at), (heading.level, heading.words))).collect();
        let marked: BTreeMap<u32, String> = marks(text).into_iter().map(|mark| (mark.line, mark.key)).collect();
        let (mut open, mut above): (Vec<Loose<'a>>, Vec<(u8, String)>) = (Vec::new(), Vec::new());
        for (at, line) in text.lines().enumerate().filter(|(_, line)| line.contains(char::is_alphanumeric)) {
            let at = u32::try_from(at + 1).unwrap_or(u32::MAX);
            let title = titles.get(&at);
            if let Some((level, words)) = title {
                above.retain(|(other, _)| other < level);
                above.push((*level, words.clone()));
            }
            if title.is_some() || !fresh.contains(&at) {
                loose.append(&mut open);
            }
            if !fresh.contains(&at) {
                continue;
            }
            if title.is_some() {
                loose.push(Loose { file, line: at, text: line, is_heading: true });
                continue;
            }
            open.push(Loose { file, line: at, text: line, is_heading: false });
            if let Some(key) = marked.get(&at) {
                let lines = open.drain(..).map(|line| (line.line, line.text)).collect();
                let headings = above.iter().map(|(_, words)| words.clone()).collect();
                said.push(Block { key: key.clone(), file, lines, headings });
            }
        }
        loose.append(&mut open);
    }
    (said, loose)
}
