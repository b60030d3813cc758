//! The index of the documents: one line each, in the words of whoever wrote it.

use super::proposal::{Documents, resolve};
use super::refactor::relative;
use ralph_core::headings::headings;
use ralph_core::links::{links, target};
use std::collections::BTreeSet;

/// Name of the index in the folder of the documents.
pub const INDEX: &str = "INDEX.md";
/// The beginning of a new index.
const HEAD: &str = "# Index\n";

/// The path of the index of a folder.
pub fn place_of_index(folder: &str) -> String {
    format!("{folder}/{INDEX}")
}

/// The index of a folder's documents: existing lines stay, except those of missing documents; unlisted documents
/// are appended. Its line ends stay what they are. A document is missing when no file `exists` at its path.
pub fn index(folder: &str, documents: &Documents, exists: &dyn Fn(&str) -> bool) -> String {
    let (place, below) = (place_of_index(folder), format!("{folder}/"));
    let known = documents.get(&place).map_or(HEAD, String::as_str);
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
        let found = headings(&documents[file]);
        let title = found.first().map(|h| h.words.trim()).filter(|words| !words.is_empty());
        let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md");
        let about: Vec<&str> = found.iter().filter(|h| h.level == 2).map(|h| h.words.trim()).collect();
        let about = if about.is_empty() { String::new() } else { format!(": {}", about.join(", ")) };
        let plain: String = title.unwrap_or(stem).chars().filter(|c| !matches!(c, '[' | ']')).collect();
        text.push_str(&format!("- [{plain}]({}){about}{feed}", target(&relative(&place, file))));
    }
    text
}
