//! The requirements on a proposed change of documents: nothing lands until all are met.

use super::blocks::{Block, blocks};
use super::marks::{Mark, marks};
use super::proposal::{Documents, Proposal, added, counted, cut, dead_links, fresh, without_marks};
use super::units::statements;
use crate::clean::{clean, redact};
use crate::guard::undoubled;
use crate::relation::Relation;
use crate::words::Words;
use ralph_core::headings::headings;
use ralph_core::links::links;
use ralph_core::text::line_at;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a statement that are examined.
const LOOKED_AT: usize = 4_000;

/// Everything that is wrong with a proposal, one sentence each, so that its author can fix it; empty = it may land.
pub fn faults(proposal: &Proposal<'_>) -> Vec<String> {
    let mut found = out_of_bounds(proposal);
    found.extend(lost_lines(proposal));
    found.extend(wrong_marks(proposal));
    found.extend(unsafe_words(proposal));
    found.extend(contradictions(proposal));
    found.extend(broken_links(proposal));
    found.extend(odd_headings(proposal));
    found
}

fn out_of_bounds(proposal: &Proposal<'_>) -> Vec<String> {
    let is_target = |path: &str| {
        let below = path.strip_prefix(proposal.folder).and_then(|rest| rest.strip_prefix('/'));
        below.is_some_and(|rest| rest.ends_with(".md") && rest.split('/').all(|part| !matches!(part, "" | "." | "..")))
    };
    let outside = proposal.changed.iter().filter(|path| !is_target(path));
    outside.map(|path| format!("{path}: is changed, and only Markdown files below {}/ may be", proposal.folder)).collect()
}

fn lost_lines(proposal: &Proposal<'_>) -> Vec<String> {
    let plain = |documents: &Documents| -> Documents {
        documents.iter().map(|(file, text)| (file.clone(), if proposal.divided { without_targets(text) } else { text.clone() })).collect()
    };
    let (before, after) = (plain(proposal.before), plain(proposal.after));
    let after = counted(&after);
    let lost = counted(&before).into_iter().filter(|(line, (count, _))| after.get(line).is_none_or(|(now, _)| now < count));
    lost.map(|(line, (_, file))| format!("{file}: a line is lost: {}", cut(line))).collect()
}

/// A text with the targets of its links removed.
fn without_targets(text: &str) -> String {
    let mut plain = text.to_owned();
    for link in links(text).into_iter().rev() {
        plain.replace_range(link.at, "");
    }
    plain
}

fn wrong_marks(proposal: &Proposal<'_>) -> Vec<String> {
    let of = |documents: &Documents| {
        let mut found: BTreeMap<String, Vec<(String, Mark)>> = BTreeMap::new();
        for (file, text) in documents {
            for mark in marks(text) {
                found.entry(mark.key.clone()).or_default().push((file.clone(), mark));
            }
        }
        found
    };
    let (before, after) = (of(proposal.before), of(proposal.after));
    let wanted: BTreeSet<&String> = proposal.batch.iter().map(|entry| &entry.key).collect();
    let mut faults = Vec::new();
    let lacks_all = wanted.len() > 1 && wanted.iter().all(|key| after.get(*key).is_none_or(Vec::is_empty));
    if lacks_all {
        let (entries, untouched) = (wanted.len(), if proposal.changed.is_empty() { "; no file was changed" } else { "" });
        faults.push(format!("what was ordered does not land: none of the {entries} entries has its mark at the end of a line{untouched}"));
    }
    for key in &wanted {
        match after.get(*key).map(Vec::as_slice) {
            None | Some([]) if lacks_all => {}
            None | Some([]) => faults.push(format!("entry {key} does not land: no line that is read ends with <!-- ralph:{key} -->")),
            Some([(file, mark)]) if !mark.at_end => {
                faults.push(format!("{file}:{}: the mark of {key} does not end the words that say it", mark.line));
            }
            Some([_]) => {}
            Some(many) => faults.push(format!("entry {key} lands {} times, and once is right", many.len())),
        }
    }
    for (key, now) in &after {
        let earlier = before.get(key).map_or(0, Vec::len);
        if earlier == 0 && !wanted.contains(key) {
            faults.push(format!("{}:{}: {key} is not an entry of the batch", now[0].0, now[0].1.line));
        } else if earlier > 0 && now.len() > earlier {
            faults.push(format!("{}: the mark of {key} stands there {} times", now[0].0, now.len()));
        }
    }
    faults
}

fn unsafe_words(proposal: &Proposal<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for (file, line, words) in added(proposal.before, proposal.after) {
        if redact(words).1 > 0 {
            faults.push(format!("{file}:{line}: holds what looks like a secret"));
        }
        // A heading such as "Tasks" has no special meaning in a document.
        let said = words.trim_start().trim_start_matches('#');
        if clean(&without_marks(said), LOOKED_AT).fenced {
            faults.push(format!("{file}:{line}: holds words that an agent could take for instructions or markup: {}", cut(words)));
        }
    }
    faults.extend(keys_over_lines(proposal));
    faults
}

/// A secret that spans several lines, such as a private key.
fn keys_over_lines(proposal: &Proposal<'_>) -> Vec<String> {
    let secrets = |text: &str| redact(text).1;
    let more = proposal.after.iter().filter(|(file, text)| secrets(text) > proposal.before.get(*file).map_or(0, |text| secrets(text)));
    more.map(|(file, _)| format!("{file}: holds more of what looks like a secret than before")).collect()
}

/// New words that contradict a document, or each other. The steps and conditions of one entry don't count as two lessons: "stop it" and
/// "start it" may both be steps of it.
fn contradictions(proposal: &Proposal<'_>) -> Vec<String> {
    let fresh = fresh(proposal);
    let all: Vec<(&str, u32, String, Words)> = proposal
        .after
        .iter()
        .flat_map(|(file, text)| statements(text).into_iter().map(move |s| (file.as_str(), s.line, Words::of(&undoubled(&s.text)), s.text)))
        .map(|(file, line, words, text)| (file, line, text, words))
        .collect();
    let of_entry = lines_of_entries(proposal);
    let same_entry = |one: (&str, u32), other: (&str, u32)| of_entry.get(&one).is_some_and(|key| of_entry.get(&other) == Some(key));
    let mut faults = Vec::new();
    for (at, (file, line, text, words)) in all.iter().enumerate().filter(|(_, (file, line, ..))| fresh.contains(&(*file, *line))) {
        let other = all.iter().enumerate().find(|(other, (other_file, other_line, _, theirs))| {
            *other != at && !same_entry((file, *line), (other_file, *other_line)) && words.relation(theirs) == Relation::Opposite
        });
        if let Some((_, (other_file, other_line, ..))) = other {
            faults.push(format!("{file}:{line}: contradicts {other_file}:{other_line}: {}", cut(text)));
        }
    }
    faults
}

/// The new lines that say an entry, each with its key.
fn lines_of_entries<'a>(proposal: &Proposal<'a>) -> BTreeMap<(&'a str, u32), String> {
    let (blocks, _) = blocks(proposal.before, proposal.after);
    let lines = |block: Block<'a>| block.lines.into_iter().map(move |(line, _)| ((block.file, line), block.key.clone()));
    blocks.into_iter().flat_map(lines).collect()
}

/// Links that are broken now and were not before.
fn broken_links(proposal: &Proposal<'_>) -> Vec<String> {
    let (now, earlier) = (dead_links(proposal.after, proposal.exists), dead_links(proposal.before, proposal.exists));
    let new = now.into_iter().filter(|dead| !earlier.contains(dead));
    new.map(|(file, target)| format!("{file}: the link to {target} leads nowhere")).collect()
}

/// New headings without words, and those that skip a level, under which nothing can be found.
fn odd_headings(proposal: &Proposal<'_>) -> Vec<String> {
    let fresh = fresh(proposal);
    let mut faults = Vec::new();
    for (file, text) in proposal.after {
        let mut above = 0;
        for heading in headings(text) {
            let line = line_at(text, heading.at);
            let is_new = fresh.contains(&(file.as_str(), line));
            if is_new && heading.words.trim().is_empty() {
                faults.push(format!("{file}:{line}: a heading without words"));
            }
            if is_new && above > 0 && heading.level > above + 1 {
                faults.push(format!("{file}:{line}: the heading skips from level {above} to {}", heading.level));
            }
            above = heading.level;
        }
    }
    faults
}
