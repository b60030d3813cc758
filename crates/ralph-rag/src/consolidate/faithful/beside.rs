//! What is beside the entries: it may introduce them, once, but must not say anything itself.

use super::introduction::{Topic, heading_says};
use super::names::Text;
use super::{Said, strength, telling};
use crate::consolidate::blocks::Loose;
use crate::consolidate::proposal::{Proposal, cut, fresh};
use crate::consolidate::units::{statements, without_bullet};
use crate::relation::Relation;
use crate::words::Words;
use ralph_core::shown::ShownLine;
use std::collections::{BTreeMap, BTreeSet};

/// Words outside of entries, per proposal and per entry: a line that introduces a document.
const LOOSE_WORDS: usize = 60;
const LOOSE_PER_ENTRY: usize = 20;
/// Share of an entry's words from which a line counts as repeating it.
const SAID_AGAIN: f64 = 0.6;

/// Lines of one paragraph that belong to no entry.
struct Paragraph<'a> {
    file: &'a str,
    /// Its first line, from 1.
    line: u32,
    /// What a reader sees of it, on one line.
    text: String,
    is_item: bool,
}

/// The new lines of a proposal.
pub(super) struct Beside<'a> {
    pub(super) said: &'a [Said<'a>],
    pub(super) loose: &'a [Loose<'a>],
    /// The lines of each document as they are shown.
    pub(super) pages: &'a BTreeMap<&'a str, Vec<ShownLine>>,
}

/// What is wrong with the lines beside the entries.
pub(super) fn faults(proposal: &Proposal<'_>, beside: &Beside<'_>, known: &Text, topic: &Topic) -> Vec<String> {
    let Beside { said: entries, loose, pages } = beside;
    let (titles, loose): (Vec<&Loose<'_>>, Vec<&Loose<'_>>) = loose.iter().partition(|line| line.is_heading);
    let paragraphs = paragraphs(&loose, pages);
    let mut faults = empty_files(proposal);
    faults.extend(added_items(&paragraphs));
    faults.extend(too_many(&paragraphs, proposal.batch.len()));
    faults.extend(taken_back(&paragraphs, proposal));
    faults.extend(named(&loose, pages, known));
    faults.extend(paragraphs.iter().filter(|paragraph| !paragraph.is_item).filter_map(|paragraph| said(paragraph, proposal, topic)));
    let leads = entries.iter().flat_map(|said| said.leads.iter().map(|(line, text)| (said.file, *line, text.as_str())));
    let beside = paragraphs.iter().map(|Paragraph { file, line, text, .. }| (*file, *line, text.as_str()));
    faults.extend(repeated(&beside.chain(leads).collect::<Vec<_>>(), proposal));
    let all = words_of_entries(proposal);
    faults.extend(titles.iter().filter_map(|title| {
        let word = heading_says(title.text, &all)?;
        let Loose { file, line, text, .. } = title;
        Some(format!("{file}:{line}: a heading names what stands below it, and says nothing itself ({word}): {}", cut(text.trim())))
    }));
    faults
}

fn paragraphs<'a>(loose: &[&Loose<'a>], pages: &BTreeMap<&str, Vec<ShownLine>>) -> Vec<Paragraph<'a>> {
    let mut found: Vec<(Paragraph<'a>, u32)> = Vec::new();
    for line in loose {
        let shown = pages.get(line.file).and_then(|page| page.get(line.line as usize - 1));
        let words = shown.map_or(line.text.trim(), |shown| shown.words.trim());
        let is_item = without_bullet(line.text.trim()).0;
        match found.last_mut() {
            Some((open, last)) if open.file == line.file && *last + 1 == line.line && !is_item => {
                open.text = format!("{} {words}", open.text);
                *last = line.line;
            }
            _ => found.push((Paragraph { file: line.file, line: line.line, text: words.to_owned(), is_item }, line.line)),
        }
    }
    found.into_iter().map(|(paragraph, _)| paragraph).collect()
}

/// New files that hold no entry and nothing from an earlier document: headings and introductions of nothing.
fn empty_files(proposal: &Proposal<'_>) -> Vec<String> {
    let fresh = fresh(proposal);
    let is_old =
        |file: &str, text: &str| (1..).zip(text.lines()).any(|(line, words)| !words.trim().is_empty() && !fresh.contains(&(file, line)));
    let new = proposal.after.iter().filter(|(file, _)| !proposal.before.contains_key(*file));
    let empty = new.filter(|(file, text)| crate::consolidate::marks::marks(text).is_empty() && !is_old(file, text));
    empty.map(|(file, _)| format!("{file}: is new, and holds no entry and no line of another document")).collect()
}

/// List items are lessons that nobody learnt.
fn added_items(paragraphs: &[Paragraph<'_>]) -> Option<String> {
    let items: Vec<&Paragraph<'_>> = paragraphs.iter().filter(|paragraph| paragraph.is_item).collect();
    let first = items.first()?;
    let more = if items.len() > 1 { format!(" and {} more", items.len() - 1) } else { String::new() };
    Some(format!("{}:{}{more}: no entry says that: {}", first.file, first.line, cut(&first.text)))
}

fn too_many(paragraphs: &[Paragraph<'_>], entries: usize) -> Option<String> {
    let introducing = || paragraphs.iter().filter(|paragraph| !paragraph.is_item);
    let words: usize = introducing().map(|paragraph| paragraph.text.split_whitespace().count()).sum();
    let most = LOOSE_WORDS + LOOSE_PER_ENTRY * entries;
    let first = introducing().next().filter(|_| words > most)?;
    Some(format!("{}:{}: {words} words belong to no entry, and {most} are enough", first.file, first.line))
}

fn words_of_entries(proposal: &Proposal<'_>) -> String {
    let words = proposal.batch.iter().flat_map(|entry| [entry.title.as_deref().unwrap_or_default(), entry.text.as_str()]);
    words.collect::<Vec<_>>().join("\n")
}

fn taken_back(paragraphs: &[Paragraph<'_>], proposal: &Proposal<'_>) -> Vec<String> {
    let entries = words_of_entries(proposal);
    let taken = paragraphs.iter().filter_map(|paragraph| Some((paragraph, strength::discredits(&paragraph.text, &entries)?)));
    taken
        .map(|(Paragraph { file, line, text, .. }, word)| {
            format!("{file}:{line}: takes back what stands beside it (\"{word}\"): {}", cut(text))
        })
        .collect()
}

/// Lines with names or numbers that neither an entry nor a document has: an introduction needs none.
fn named(loose: &[&Loose<'_>], pages: &BTreeMap<&str, Vec<ShownLine>>, known: &Text) -> Vec<String> {
    let news = |line: &&Loose<'_>| {
        let shown = pages.get(line.file)?.get(line.line as usize - 1)?;
        let news = known.news(&shown.words);
        (!news.is_empty()).then(|| format!("{}:{}: no entry names {}", line.file, line.line, news.join(", ")))
    };
    loose.iter().filter_map(news).collect()
}

/// What a paragraph says that only introduces.
fn said(paragraph: &Paragraph<'_>, proposal: &Proposal<'_>, topic: &Topic) -> Option<String> {
    let says_more = topic.says_more(&paragraph.text)?;
    let Paragraph { file, line, text, .. } = paragraph;
    let stems = telling(&Words::of(text));
    let again = proposal.batch.iter().find(|entry| {
        let meant = telling(&Words::of(&entry.text));
        let shared = meant.iter().filter(|stem| stems.contains(*stem)).count();
        shared > 2 && shared as f64 >= SAID_AGAIN * meant.len() as f64
    });
    Some(match again {
        Some(entry) => format!("{file}:{line}: says entry {} again, without its mark: {}", entry.key, cut(text)),
        None => format!("{file}:{line}: {says_more}: {}", cut(text)),
    })
}

/// Introductions, each with its file and line, that say what a document already says.
fn repeated(introductions: &[(&str, u32, &str)], proposal: &Proposal<'_>) -> Vec<String> {
    let all = proposal.after.iter().flat_map(|(file, text)| statements(text).into_iter().map(move |s| (file.as_str(), s.line, s.text)));
    let all: Vec<(&str, u32, String, Words)> = all.map(|(file, line, text)| (file, line, text.to_lowercase(), Words::of(&text))).collect();
    let places: BTreeSet<(&str, u32)> = introductions.iter().map(|(file, line, _)| (*file, *line)).collect();
    let mut faults = Vec::new();
    for (file, line, text) in introductions {
        let (plain, words) = (text.to_lowercase(), Words::of(text));
        let other = all.iter().find(|(other, at, said, theirs)| {
            let first = (*other, *at) < (*file, *line) || !places.contains(&(*other, *at));
            (*other, *at) != (*file, *line) && first && (*said == plain || words.relation(theirs) == Relation::Duplicate)
        });
        faults.extend(other.map(|(other, at, ..)| format!("{file}:{line}: says what {other}:{at} says: {}", cut(text))));
    }
    faults
}
