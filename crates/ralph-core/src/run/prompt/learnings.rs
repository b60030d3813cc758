//! `### Learnings from Previous Iterations`: complete lessons only.

use super::bounds::{fitting, hanging};
use super::share::{Share, room_for_items};
use super::{Part, PromptInput, fence};
use crate::feature::Feature;
use crate::learning::{FeatureLearning, dispute};
use crate::recall::{MemoryKind, ToldMemory};

pub(super) fn told(input: &PromptInput<'_>, max_chars: usize) -> Share {
    let items: Vec<String> = input.learnings.iter().map(|learning| fence::neutral(&item(input.feature, learning))).collect();
    let chosen = fitting(&items, room_for_items(part(0, 0, "x"), max_chars));
    if chosen.is_empty() {
        return Share::default();
    }
    let body: String = chosen.iter().map(|i| items[*i].as_str()).collect();
    let is_elsewhere = |i: &&usize| !input.learnings[**i].feature.eq_ignore_ascii_case(&input.feature.name);
    let elsewhere = chosen.iter().filter(is_elsewhere).count();
    Share { parts: vec![part(chosen.len(), elsewhere, &body)], told: chosen.into_iter().map(|i| found(input, i)).collect() }
}

/// How the learning at an index was found.
fn found(input: &PromptInput<'_>, at: usize) -> ToldMemory {
    let id = &input.learnings[at].id;
    let found = input.found.iter().find(|found| found.kind == MemoryKind::Learning && found.id == *id);
    // Those without a hit follow the last of those that recall found, in their order.
    let was_found =
        |learning: &FeatureLearning| input.found.iter().any(|found| found.kind == MemoryKind::Learning && found.id == learning.id);
    let before = input.learnings[..=at].iter().filter(|learning| !was_found(learning)).count();
    let last = input.found.iter().map(|found| found.rank).max().unwrap_or(0);
    let rank = last.saturating_add(u32::try_from(before).unwrap_or(u32::MAX));
    found.cloned().unwrap_or_else(|| ToldMemory { kind: MemoryKind::Learning, id: id.clone(), rank, channels: Vec::new() })
}

/// `elsewhere` of them are those of other features.
fn part(count: usize, elsewhere: usize, body: &str) -> Part {
    let origin = match elsewhere {
        0 => format!("{count} of the feature's learnings"),
        _ => format!("{count} learnings, {elsewhere} of them of other features"),
    };
    Part { name: "learnings", heading: "### Learnings from Previous Iterations".to_owned(), origin, body: fence::fenced(body) }
}

fn item(feature: &Feature, learning: &FeatureLearning) -> String {
    // A lesson of another feature may not hold here.
    let of = match &learning.feature {
        own if own.eq_ignore_ascii_case(&feature.name) => String::new(),
        other if feature.builds_on(other) => format!("(of '{other}', which this builds on) "),
        other => format!("(of '{other}') "),
    };
    let disputed = dispute(&learning.conflicts_with).map_or(String::new(), |remark| format!("({remark}) "));
    let reason = learning.reason.as_ref().filter(|reason| !reason.trim().is_empty());
    let reason = reason.map_or(String::new(), |reason| format!("\nbecause: {}", reason.trim()));
    hanging(&format!("{of}{disputed}{}{reason}", learning.text.trim()))
}
