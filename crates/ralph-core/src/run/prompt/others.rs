//! `### What the project knows`: memories that are not learnings, such as sections of documents, each with a reference to its full text.

use super::bounds::hanging;
use super::share::{Share, room_for_items};
use super::{OtherMemory, Part, PromptInput, fence};
use crate::limits;
use crate::recall::MemoryKind;
use crate::text::cut;
use std::collections::BTreeMap;
use std::ops::Range;

/// Minimum characters of a text worth including.
const LEAST_CHARS: usize = 120;

pub(super) fn told(input: &PromptInput<'_>, max_chars: usize) -> Share {
    let mut share = Share::default();
    let mut body = String::new();
    let mut room = room_for_items(part(0, "x"), max_chars);
    let mut left: BTreeMap<MemoryKind, usize> = BTreeMap::new();
    for memory in input.others {
        let of_kind = left.entry(memory.told.kind).or_insert(limits::PROMPT_KIND_CHARS);
        if let Some(item) = item(memory, room.min(*of_kind)) {
            let chars = item.chars().count();
            (room, *of_kind) = (room - chars, *of_kind - chars);
            body.push_str(&item);
            share.told.push(memory.told.clone());
        }
    }
    if !share.told.is_empty() {
        share.parts.push(part(share.told.len(), &body));
    }
    share
}

/// A memory within a number of characters; `None` if too little of it would remain.
fn item(memory: &OtherMemory, max_chars: usize) -> Option<String> {
    let whole = |text: &str| fence::neutral(&hanging(&format!("{}: {text}", memory.origin)));
    let fits = |text: &str| Some(whole(text)).filter(|item| item.chars().count() <= max_chars);
    let told = fits(memory.text.trim()).or_else(|| excerpt(memory, &fits));
    if told.is_some() {
        return told;
    }
    // Not even the nearest part fits as a whole.
    let from = memory.nearest.first().map_or(0, |part| part.start);
    let (begin, text) = (if from > 0 { "… " } else { "" }, memory.text[from..].trim());
    // Neutralizing makes a text slightly longer: it is shortened until it fits.
    let mut keep = max_chars.checked_sub(whole(begin).chars().count())?;
    while keep >= LEAST_CHARS {
        let item = whole(&format!("{begin}{} …", cut(text, keep).trim_end()));
        let over = item.chars().count().saturating_sub(max_chars);
        if over == 0 {
            return Some(item);
        }
        keep = keep.checked_sub(over)?;
    }
    None
}

/// As many of the nearest parts of a memory as fit, in the order in which they stand; `None` if not even the first one does.
fn excerpt(memory: &OtherMemory, fits: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut told = None;
    for part in &memory.nearest {
        let mut more = parts.clone();
        more.insert(parts.partition_point(|other| other.start < part.start), part.clone());
        match fits(&elided(&memory.text, &more)) {
            Some(item) => (parts, told) = (more, Some(item)),
            None if told.is_none() => return None,
            None => {}
        }
    }
    told
}

/// Parts of a text, with a mark where something is left out.
fn elided(text: &str, parts: &[Range<usize>]) -> String {
    let mut told = String::new();
    let mut end = 0;
    for part in parts {
        match &text[end..part.start] {
            gap if gap.trim().is_empty() => told.push_str(gap),
            _ => told.push_str(if told.is_empty() { "…\n" } else { "\n…\n" }),
        }
        told.push_str(&text[part.clone()]);
        end = part.end;
    }
    if !text[end..].trim().is_empty() {
        told.push_str("\n…");
    }
    told
}

fn part(count: usize, body: &str) -> Part {
    Part {
        name: "knowledge",
        heading: "### What the project knows".to_owned(),
        origin: format!("{count} of the sections and notes that recall found"),
        body: fence::fenced(body),
    }
}
