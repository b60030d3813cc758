//! A proposed change of documents: what it is, and what is new in it.

use ralph_core::consolidation::Entry;
use ralph_core::headings::headings;
use ralph_core::links::{anchors, links};
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a line quoted in a fault.
const SHOWN_CHARS: usize = 80;

/// Documents by path, relative to the project.
pub type Documents = BTreeMap<String, String>;

/// A proposed change of documents.
#[derive(Clone, Copy)]
pub struct Proposal<'a> {
    /// Folder of the documents, relative to the project.
    pub folder: &'a str,
    /// The documents before it.
    pub before: &'a Documents,
    /// The documents after it.
    pub after: &'a Documents,
    /// Every path that it changes, in the whole project.
    pub changed: &'a [String],
    /// The entries that must land.
    pub batch: &'a [Entry],
    /// Whether a document was divided after it was written: then links in its lines may have changed, and are not compared.
    pub divided: bool,
    /// Whether another file of the project exists, for links.
    pub exists: &'a dyn Fn(&str) -> bool,
}

/// How often each line with content occurs in documents.
pub(super) fn counted(documents: &Documents) -> BTreeMap<&str, (usize, &str)> {
    let mut lines: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (file, text) in documents {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            lines.entry(line).or_insert((0, file)).0 += 1;
        }
    }
    lines
}

/// Lines of documents that they did not have before: file, line, words.
pub(super) fn added<'a>(before: &'a Documents, after: &'a Documents) -> Vec<(&'a str, u32, &'a str)> {
    let mut known: BTreeMap<&str, usize> = counted(before).into_iter().map(|(line, (count, _))| (line, count)).collect();
    let mut found = Vec::new();
    for (file, text) in after {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match known.get_mut(line.trim()).filter(|left| **left > 0) {
                Some(left) => *left -= 1,
                None => found.push((file.as_str(), u32::try_from(at + 1).unwrap_or(u32::MAX), line)),
            }
        }
    }
    found
}

/// The documents that the other set does not have with the same content.
pub(super) fn changed(documents: &Documents, others: &Documents) -> Documents {
    documents.iter().filter(|(file, text)| others.get(*file) != Some(text)).map(|(file, text)| (file.clone(), text.clone())).collect()
}

/// The files and lines, from 1, that are new in a proposal.
pub(super) fn fresh<'a>(proposal: &Proposal<'a>) -> BTreeSet<(&'a str, u32)> {
    added(proposal.before, proposal.after).into_iter().map(|(file, line, _)| (file, line)).collect()
}

/// Broken links of documents: the file, and the target as written.
pub(super) fn dead_links(documents: &Documents, exists: &dyn Fn(&str) -> bool) -> BTreeSet<(String, String)> {
    let known: BTreeMap<&str, Vec<String>> = documents
        .iter()
        .map(|(file, text)| (file.as_str(), anchors(headings(text).iter().map(|h| h.words.as_str()).collect::<Vec<_>>())))
        .collect();
    let mut dead = BTreeSet::new();
    for (file, text) in documents {
        for link in links(text) {
            let target = resolve(file, &link.file);
            let there = match (target.as_deref().and_then(|target| known.get(target)), &link.anchor) {
                (Some(anchors), Some(anchor)) => anchors.contains(anchor),
                (Some(_), None) => true,
                // A path from the root may also be meant for the site that the documents become.
                (None, _) => link.file.starts_with('/') || target.is_some_and(|target| exists(&target)),
            };
            if !there {
                dead.insert((file.clone(), text[link.at.clone()].to_owned()));
            }
        }
    }
    dead
}

/// The path, relative to the project, that a link of a file points to; `None` when it leaves the project.
pub(super) fn resolve(from: &str, link: &str) -> Option<String> {
    if link.is_empty() {
        return Some(from.to_owned());
    }
    let folder = if link.starts_with('/') { "" } else { from.rsplit_once('/').map_or("", |(folder, _)| folder) };
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A line without the marks of entries.
pub(super) fn without_marks(line: &str) -> String {
    let mut parts = line.split("<!-- ralph:");
    let before = parts.next().unwrap_or_default().to_owned();
    parts.fold(before, |words, part| words + " " + part.split_once("-->").map_or(part, |(_, rest)| rest))
}

pub(super) fn cut(text: &str) -> &str {
    ralph_core::text::cut(text, SHOWN_CHARS)
}
