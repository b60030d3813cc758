//! Whether readers still see what was in the documents as before, and whether they see everything new.

use super::apart;
use super::strength::discrediting;
use crate::consolidate::proposal::{Documents, Proposal, added, changed, cut, without_marks};
use crate::consolidate::units::without_bullet;
use ralph_core::headings::headings;
use ralph_core::shown::{Aside, ShownLine, shown};
use ralph_core::text::line_at;
use std::collections::BTreeMap;

/// How a line appears to a reader.
#[derive(PartialEq, Eq)]
struct Reading {
    /// Its visible letters and digits.
    seen: String,
    asides: Vec<Aside>,
    /// The heading above it that takes it back.
    taken_back: Option<String>,
}

/// A line of a document.
struct Place<'a> {
    file: &'a str,
    /// From 1.
    line: u32,
    reading: Reading,
}

/// Older lines that now read differently: nobody may hide or deny an older line by putting something around it, or by moving it.
pub(super) fn read_otherwise(proposal: &Proposal<'_>) -> Vec<String> {
    let (before, after) = (changed(proposal.before, proposal.after), changed(proposal.after, proposal.before));
    let (then, now) = (readings(&before), readings(&after));
    let mut faults = Vec::new();
    for (words, then) in then {
        // What is gone is reported as lost.
        let Some(now) = now.get(words).filter(|now| now.len() >= then.len()) else { continue };
        let mut left: Vec<&Place<'_>> = now.iter().collect();
        let missed: Vec<&Place<'_>> = then.iter().filter(|place| !take(&mut left, &place.reading)).collect();
        for (was, is) in missed.into_iter().zip(left) {
            faults.push(format!("{}:{}: an older line {}: {}", is.file, is.line, otherwise(&was.reading, &is.reading), cut(words)));
        }
    }
    faults
}

/// Takes out a place with this reading; returns whether there was one.
fn take(left: &mut Vec<&Place<'_>>, reading: &Reading) -> bool {
    let at = left.iter().position(|place| place.reading == *reading);
    at.map(|at| left.remove(at)).is_some()
}

fn otherwise(was: &Reading, is: &Reading) -> String {
    if let Some(aside) = is.asides.iter().find(|aside| !was.asides.contains(aside)) {
        return apart(*aside).to_owned();
    }
    match (&was.taken_back, &is.taken_back) {
        _ if was.seen != is.seen => "is not shown as it was".to_owned(),
        (_, Some(heading)) if was.taken_back != is.taken_back => format!("stands below a heading that takes it back ({})", cut(heading)),
        (Some(heading), None) => format!("no longer stands below the heading that takes it back ({})", cut(heading)),
        _ => "is read otherwise than before".to_owned(),
    }
}

/// The lines of documents by their words, with where and how they are read.
fn readings(documents: &Documents) -> BTreeMap<&str, Vec<Place<'_>>> {
    let mut found: BTreeMap<&str, Vec<Place<'_>>> = BTreeMap::new();
    for (file, text) in documents {
        let titles: BTreeMap<u32, (u8, String)> =
            headings(text).into_iter().map(|heading| (line_at(text, heading.at), (heading.level, heading.words))).collect();
        let mut above: Vec<(u8, String)> = Vec::new();
        for ((line, words), shown) in (1..).zip(text.lines()).zip(shown(text)) {
            if let Some((level, title)) = titles.get(&line) {
                above.retain(|(other, _)| other < level);
                above.push((*level, title.clone()));
            } else if words.contains(char::is_alphanumeric) {
                let over: Vec<String> = above.iter().map(|(_, title)| title.clone()).collect();
                let taken_back = discrediting(&over, words).map(str::to_owned);
                let seen = shown.words.chars().filter(|c| c.is_alphanumeric()).collect();
                let reading = Reading { seen, asides: shown.asides, taken_back };
                found.entry(words.trim()).or_default().push(Place { file, line, reading });
            }
        }
    }
    found
}

/// New lines with words that no reader of the page sees, but a reader of the file does, such as an agent: comments, definitions and
/// titles of links, metadata, the texts of images, HTML.
pub(super) fn unseen(proposal: &Proposal<'_>, pages: &BTreeMap<&str, Vec<ShownLine>>) -> Vec<String> {
    let hidden = |(file, line, words): (&str, u32, &str)| {
        let seen = pages.get(file).and_then(|page| page.get(line as usize - 1)).map_or("", |shown| shown.words.as_str());
        let plain = without_marks(words);
        let (_, plain) = without_bullet(plain.trim());
        // The name of a language follows a fence.
        let fence = plain.trim_start_matches(['`', '~']);
        if fence.len() + 3 <= plain.len() && fence.split_whitespace().count() <= 1 && !fence.contains('`') {
            return None;
        }
        let word = plain.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty() && !seen.contains(word))?;
        Some(format!("{file}:{line}: holds words that no reader sees ({word}): {}", cut(words.trim())))
    };
    added(proposal.before, proposal.after).into_iter().filter_map(hidden).collect()
}
