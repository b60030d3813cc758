//! `### Learnings from Previous Iterations`: what was learnt, whole lessons only.

use super::bounds::{fitting, hanging};
use super::memory::{Told, room_for_items};
use super::{Part, PromptInput, fence};
use crate::feature::Feature;
use crate::learning::FeatureLearning;

pub(super) fn told(input: &PromptInput<'_>, max_chars: usize) -> Told {
    let items: Vec<String> = input.learnings.iter().map(|learning| fence::neutral(&item(input.feature, learning))).collect();
    let chosen = fitting(&items, room_for_items(part(0, "x"), max_chars));
    if chosen.is_empty() {
        return Told::default();
    }
    let body: String = chosen.iter().map(|i| items[*i].as_str()).collect();
    Told { parts: vec![part(chosen.len(), &body)], learnings: chosen.into_iter().map(|i| input.learnings[i].id.clone()).collect() }
}

fn part(count: usize, body: &str) -> Part {
    Part {
        name: "learnings",
        heading: "### Learnings from Previous Iterations".to_owned(),
        origin: format!("{count} of the feature's learnings"),
        body: fence::fenced(body),
    }
}

fn item(feature: &Feature, learning: &FeatureLearning) -> String {
    // What another feature learnt may not hold here.
    let of =
        if feature.builds_on(&learning.feature) { format!("(of '{}', which this builds on) ", learning.feature) } else { String::new() };
    let reason = learning.reason.as_ref().filter(|reason| !reason.trim().is_empty());
    let reason = reason.map_or(String::new(), |reason| format!("\nbecause: {}", reason.trim()));
    hanging(&format!("{of}{}{reason}", learning.text.trim()))
}
