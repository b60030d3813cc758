//! `### What the project knows`: memories that are not learnings, such as sections of documents, each with a reference to its full text.

use super::bounds::hanging;
use super::share::{Share, room_for_items};
use super::{OtherMemory, Part, PromptInput, fence};
use crate::limits;
use crate::recall::MemoryKind;
use crate::text::cut;
use std::collections::BTreeMap;

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
    let text = memory.text.trim();
    let full = whole(text);
    if full.chars().count() <= max_chars {
        return Some(full);
    }
    // Neutralizing makes a text slightly longer: it is shortened until it fits.
    let mut keep = max_chars.checked_sub(whole("").chars().count())?;
    while keep >= LEAST_CHARS {
        let item = whole(&format!("{} …", cut(text, keep).trim_end()));
        let over = item.chars().count().saturating_sub(max_chars);
        if over == 0 {
            return Some(item);
        }
        keep = keep.checked_sub(over)?;
    }
    None
}

fn part(count: usize, body: &str) -> Part {
    Part {
        name: "knowledge",
        heading: "### What the project knows".to_owned(),
        origin: format!("{count} of the sections and notes that recall found"),
        body: fence::fenced(body),
    }
}
