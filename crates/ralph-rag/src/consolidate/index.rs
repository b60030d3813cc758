//! The index of the documents: one line each, in the words of whoever wrote it.

use super::proposal::{Documents, resolve};
use super::refactor::{Division, following, relative};
use ralph_core::headings::headings;
use ralph_core::links::{links, target};
use std::collections::{BTreeMap, BTreeSet};

/// Name of the index in the folder of the documents.
pub const INDEX: &str = "INDEX.md";
/// The beginning of a new index.
const HEAD: &str = "# Index\n";

/// The path of the index of a folder.
pub fn place_of_index(folder: &str) -> String {
    format!("{folder}/{INDEX}")
}

/// The index of a folder's documents: existing lines stay, except those of missing documents; unlisted documents are appended. Its line
/// ends are kept. A document is missing when no file `exists` at its path.
pub fn index(folder: &str, documents: &Documents, exists: &dyn Fn(&str) -> bool) -> String {
    let (place, below) = (place_of_index(folder), format!("{folder}/"));
    let known = joined(&place, documents.get(&place).map_or(HEAD, String::as_str), documents);
    let feed = if known.contains("\r\n") { "\r\n" } else { "\n" };
    let is_item = |line: &str| line.trim_start().starts_with(['-', '*', '+']);
    let mut listed: BTreeSet<String> = BTreeSet::new();
    let mut text = String::new();
    for line in known.lines() {
        let targets: Vec<String> = links(line).iter().filter_map(|link| resolve(&place, &link.file)).collect();
        let gone =
            |target: &String| target.ends_with(".md") && target.starts_with(&below) && !documents.contains_key(target) && !exists(target);
        if is_item(line) && !targets.is_empty() && targets.iter().all(gone) {
            continue;
        }
        listed.extend(targets);
        text.push_str(line);
        text.push_str(feed);
    }
    let missing: Vec<&String> = documents.keys().filter(|file| **file != place && !listed.contains(*file)).collect();
    if !missing.is_empty() && !text.ends_with(&feed.repeat(2)) && !text.lines().last().is_some_and(is_item) {
        text.push_str(feed);
    }
    for file in missing {
        text.push_str(&listed_as(&place, file, &documents[file]));
        text.push_str(feed);
    }
    text
}

/// An index in which no document has several lines that begin as the generated one does, as after git merged two branches by line: if one
/// is by a person only that stays, and of generated ones the one that says what the document holds now.
fn joined(place: &str, index: &str, documents: &Documents) -> String {
    let mut lines: Vec<String> = index.split_inclusive('\n').map(str::to_owned).collect();
    for (file, text) in documents {
        let (named, about) = parts_of_line(place, file, text);
        let words = |line: &str| Some(line.trim_end_matches(['\r', '\n']).strip_prefix(&named)?.to_owned());
        let is_generated =
            |rest: &str| rest.is_empty() || rest.strip_prefix(": ").is_some_and(|of| of.split(", ").all(|a| about.contains(&a.to_owned())));
        let found = lines.iter().enumerate().filter_map(|(at, line)| Some((at, words(line)?)));
        let (generated, others): (Vec<_>, Vec<_>) = found.partition(|(_, rest)| is_generated(rest));
        if generated.len() + others.len() < 2 {
            continue;
        }
        for (nth, (at, rest)) in generated.into_iter().enumerate() {
            let end = lines[at].split_off(named.len() + rest.len());
            lines[at] = if nth == 0 && others.is_empty() { listed_as(place, file, text) + &end } else { String::new() };
        }
    }
    lines.concat()
}

/// An index after its documents changed: lines generated from their old state are regenerated, and links follow what moved.
pub fn renewed(place: &str, index: &str, before: &Documents, now: &Division) -> String {
    let made: BTreeMap<String, &String> = before.iter().map(|(file, text)| (listed_as(place, file, text), file)).collect();
    let line = |line: &str| {
        let words = line.trim_end_matches(['\r', '\n']);
        let document = made.get(words).and_then(|file| now.documents.get_key_value(*file));
        document.map_or_else(|| line.to_owned(), |(file, text)| listed_as(place, file, text) + &line[words.len()..])
    };
    let renewed: String = index.split_inclusive('\n').map(line).collect();
    following(&renewed, (place, place), &now.moved)
}

/// The line of a document in an index.
fn listed_as(place: &str, file: &str, text: &str) -> String {
    let (named, about) = parts_of_line(place, file, text);
    if about.is_empty() { named } else { format!("{named}: {}", about.join(", ")) }
}

/// The beginning of that line, and the subjects of the document according to it.
fn parts_of_line(place: &str, file: &str, text: &str) -> (String, Vec<String>) {
    let found = headings(text);
    let title = found.first().map(|h| h.words.trim()).filter(|words| !words.is_empty());
    let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md");
    let plain: String = title.unwrap_or(stem).chars().filter(|c| !matches!(c, '[' | ']')).collect();
    let about = found.iter().filter(|h| h.level == 2).map(|h| h.words.trim().to_owned()).collect();
    (format!("- [{plain}]({})", target(&relative(place, file))), about)
}
