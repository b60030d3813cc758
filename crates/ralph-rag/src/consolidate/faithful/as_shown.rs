//! A proposal as its readers see it: links by their targets, since an entry and its document are in different folders, and the lines of
//! entries without their markup.

use crate::consolidate::proposal::{Documents, resolve};
use crate::consolidate::units::without_bullet;
use ralph_core::consolidation::Entry;
use ralph_core::links::{links, target};
use ralph_core::shown::{Aside, ShownLine, shown};
use std::collections::BTreeSet;

/// Documents whose links name their targets from the project.
pub(super) fn linked(documents: &Documents) -> Documents {
    documents.iter().map(|(file, text)| (file.clone(), from_project(file, text))).collect()
}

/// An entry with its lines as they are shown; those that are set apart, such as code, stay as they are written.
pub(super) fn as_shown(entry: &Entry) -> Entry {
    // A learning's words have no folder.
    let place = if entry.id.is_some() { "" } else { &entry.source };
    let text = from_project(place, &entry.text);
    let lines: Vec<String> = text.lines().zip(shown(&text)).map(|(raw, line)| line_as_shown(raw, &line)).collect();
    Entry { text: lines.join("\n"), ..entry.clone() }
}

/// The lines that an entry quotes.
pub(super) fn quoted(entry: &Entry) -> BTreeSet<String> {
    let lines = shown(&entry.text).into_iter().filter(|line| line.asides.contains(&Aside::Quote));
    lines.map(|line| line.words.trim().to_owned()).collect()
}

fn line_as_shown(raw: &str, line: &ShownLine) -> String {
    if line.words.trim().is_empty() || !line.asides.is_empty() {
        return raw.to_owned();
    }
    with_bullet(raw, line)
}

/// The words of a line that are shown, after a bullet if it begins an item: items are compared one by one.
pub(super) fn with_bullet(raw: &str, line: &ShownLine) -> String {
    let bullet = if without_bullet(raw.trim()).0 { "- " } else { "" };
    format!("{bullet}{}", line.words)
}

/// A text whose links name their targets from the project; those to its own headings stay.
fn from_project(place: &str, text: &str) -> String {
    let mut plain = text.to_owned();
    for link in links(text).into_iter().rev().filter(|link| !link.file.is_empty()) {
        if let Some(file) = resolve(place, &link.file) {
            let anchor = link.anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
            plain.replace_range(link.at, &format!("{}{anchor}", target(&file)));
        }
    }
    plain
}
