//! `ralph recall`: what is known about a question or a task.

use crate::number;
use crate::output::{Answered, Output};
use clap::Args;
use ralph_app::{App, AppError};
use ralph_core::learning::dispute;
use ralph_core::recall::{MemoryKind, RecallHit, RecallOrigin, RecallQuery, RecallResponse};
use ralph_core::text::cut;

/// Characters of a hit shown on one line.
const SHOWN_CHARS: usize = 160;

#[derive(Debug, Args)]
pub struct RecallArgs {
    /// Any words; optional with --task.
    #[arg(default_value = "", hide_default_value = true)]
    query: String,
    /// Only this feature, the one it was split from, those it builds on, and what belongs to the project.
    #[arg(long)]
    feature: Option<String>,
    /// Ask as the prompt of this task does.
    #[arg(long, value_parser = number::task)]
    task: Option<u32>,
    /// learning, episode, fact, document or failure_report; all by default.
    #[arg(long, value_delimiter = ',')]
    kind: Vec<MemoryKind>,
    #[arg(long, default_value_t = 10)]
    limit: u32,
}

/// Prints what is known, best first, and why.
pub fn recall(app: &App, args: RecallArgs, output: Output) -> Answered {
    let RecallArgs { query, feature, task, kind, limit } = args;
    if limit == 0 {
        return Err(AppError::invalid("limit", "is 0, which shows nothing", "name at least 1, or leave it out").into());
    }
    let found = app.recall(&RecallQuery { query, feature, task, kinds: kind, all_states: false, limit, origin: RecallOrigin::Cli })?;
    output.answer(&found, || in_words(&found));
    Ok(())
}

fn in_words(found: &RecallResponse) -> String {
    let mut lines: Vec<String> =
        found.hits.iter().enumerate().map(|(place, hit)| format!("{}. {}", place + 1, hit_in_words(hit))).collect();
    if lines.is_empty() {
        lines.push("nothing that is known matches".to_owned());
    }
    if found.nothing_known && !found.hits.is_empty() {
        lines.insert(0, "probably nothing known answers this; the nearest there is:".to_owned());
    }
    let weights: Vec<String> = found.weights.iter().map(|w| format!("{} {:.0} %", w.channel, w.weight * 100.0)).collect();
    lines.push(format!("searched {} passages; {}", found.searched, weights.join(", ")));
    lines.extend(found.missing.iter().map(|m| format!("without the {} channel: {}", m.channel, m.reason)));
    lines.join("\n")
}

fn hit_in_words(hit: &RecallHit) -> String {
    let channels = hit.score.channels.iter().map(|c| format!("{} #{} +{:.3}", c.channel, c.rank, c.contribution));
    let neighbours = (hit.score.neighbours > 0.0).then(|| format!("neighbours +{:.3}", hit.score.neighbours));
    let chunks = (hit.score.chunks > 1).then(|| format!("{} chunks +{:.3}", hit.score.chunks, hit.score.chunk_bonus));
    let factors = hit.score.factors.iter().map(|f| format!("{} ×{:.2}", f.name, f.factor));
    let why: Vec<String> = channels.chain(neighbours).chain(chunks).chain(factors).collect();
    let text = hit.text.replace(['\n', '\r'], " ");
    // Memories of the project have no feature; a document's section has a heading.
    let of = Some(hit.feature.as_str()).filter(|name| !name.is_empty()).or(hit.heading.as_deref()).unwrap_or("the project");
    let disputed = dispute(&hit.conflicts_with).map_or(String::new(), |remark| format!("; {remark}"));
    format!("[{:.3}] {} {} ({of}){disputed}\n   {}\n   {}", hit.score.total, hit.kind, hit.id, cut(&text, SHOWN_CHARS), why.join(", "))
}
