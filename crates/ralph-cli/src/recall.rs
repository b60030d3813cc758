//! `ralph recall` and `ralph eval`.

use crate::output::Output;
use ralph_app::{App, Evaluation, Metrics};
use ralph_core::recall::{EvalMode, RecallHit, RecallRequest, Recalled, Tuning};
use ralph_core::text::cut;
use ralph_core::view::CommandError;

use std::io::Write as _;
use std::path::Path;

/// Characters of a hit that one line shows.
const SHOWN_CHARS: usize = 160;

/// Prints what is known, best first, and why.
pub fn recall(app: &App, request: &RecallRequest, output: Output) -> Result<(), CommandError> {
    let found = app.recall(request)?;
    output.answer(&found, || in_words(&found));
    Ok(())
}

fn in_words(found: &Recalled) -> String {
    let mut lines: Vec<String> =
        found.hits.iter().enumerate().map(|(place, hit)| format!("{}. {}", place + 1, hit_in_words(hit))).collect();
    if lines.is_empty() {
        lines.push("nothing that is known matches".to_owned());
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
    format!("[{:.3}] {} {} ({})\n   {}\n   {}", hit.score.total, hit.kind, hit.id, hit.feature, cut(&text, SHOWN_CHARS), why.join(", "))
}

/// Measures retrieval and prints the means.
pub fn eval(data: &Path, mode: EvalMode, run: Option<&Path>, set: &[String], output: Output) -> Result<(), CommandError> {
    let tuning = tuning(set)?;
    let progress = |line: &str| {
        // Progress is for people who watch; a closed stderr is no fault.
        let _ = writeln!(std::io::stderr(), "{line}");
    };
    let found = ralph_app::evaluate(data, mode, &tuning, &progress)?;
    if let Some(path) = run {
        std::fs::write(path, &found.run).map_err(|e| fault("io", format!("{}: {e}", path.display())))?;
    }
    output.answer(&found, || measured(&found));
    Ok(())
}

fn measured(found: &Evaluation) -> String {
    let line = |name: &str, m: &Metrics| {
        format!(
            "{name:<14} MRR@5 {:.3}  nDCG@10 {:.3}  Recall@10 {:.3}  Recall@20 {:.3}  HitRate@1 {:.3}  HitRate@10 {:.3}",
            m.mrr_5, m.ndcg_10, m.recall_10, m.recall_20, m.hit_rate_1, m.hit_rate_10
        )
    };
    let mut lines =
        vec![format!("{} queries over {} documents, {}", found.queries, found.documents, found.model), line("fused", &found.fused)];
    lines.push(line("without MPAB", &found.without_mpab));
    lines.extend(found.channels.iter().map(|(name, m)| line(name, m)));
    lines.join("\n")
}

/// The measured defaults with the weights that were named.
fn tuning(set: &[String]) -> Result<Tuning, CommandError> {
    let mut value = serde_json::to_value(Tuning::default()).unwrap_or_default();
    for one in set {
        let (key, number) = one.split_once('=').ok_or_else(|| fault("invalid", format!("--set '{one}' needs KEY=NUMBER")))?;
        let number: f64 = number.parse().map_err(|_| fault("invalid", format!("--set {key}: '{number}' is no number")))?;
        value[key] = number.into();
    }
    serde_json::from_value(value).map_err(|e| fault("invalid", format!("--set: {e}")))
}

fn fault(code: &str, message: String) -> CommandError {
    CommandError { code: code.to_owned(), message, hint: String::new() }
}
