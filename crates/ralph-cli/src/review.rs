//! `ralph review`: what waits for a person, and what the person decided.

use crate::output::{Answered, Output, unbroken};
use clap::{Args, Subcommand};
use ralph_app::App;
use ralph_core::doubt::Doubt;
use ralph_core::learning::{ConflictChoice, FeatureLearning};
use ralph_core::quality::{AutomaticAct, GateStanding, GateWarning, Piece, ReviewMore, ReviewPair, ReviewQueue, SaidAgain};
use ralph_core::text::reached;

#[derive(Debug, Args)]
pub struct ReviewArgs {
    #[command(subcommand)]
    act: Option<ReviewAct>,
}

/// What a person decided.
#[derive(Debug, Subcommand)]
pub enum ReviewAct {
    /// Decide between two learnings.
    Decide {
        older: String,
        newer: String,
        /// keep_older, keep_newer or keep_both.
        choice: ConflictChoice,
    },
    /// The gate was wrong, or what was put away holds after all: keep the learning.
    Keep { id: String },
    /// The gate was right, or what was said again stays away: put the learning away.
    PutAway { id: String },
    /// Say a learning better; the old text stays as superseded.
    Edit {
        id: String,
        text: String,
        /// Why it holds; without it the known reason stays, and an empty one clears it.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Undo what followed from comparing this learning.
    Undo { id: String },
    /// Undo your decision about a warning of the gate or, with both ids, between two learnings.
    Reopen {
        /// The learning, or the older of two.
        id: String,
        newer: Option<String>,
    },
}

/// Lists what waits for a person, or does what the person decided.
pub fn review(app: &App, args: ReviewArgs, output: Output) -> Answered {
    match args.act {
        None => {
            let queue = app.review_queue()?;
            output.answer(&queue, || in_words(&queue));
        }
        Some(ReviewAct::Decide { older, newer, choice }) => {
            app.resolve_conflict(&older, &newer, choice)?;
            output.answer(&serde_json::json!({ "older": older, "newer": newer, "choice": choice }), || format!("decided: {choice}"));
        }
        Some(ReviewAct::Keep { id }) => told(&app.decide_gate(&id, true)?, output),
        Some(ReviewAct::PutAway { id }) => told(&app.decide_gate(&id, false)?, output),
        Some(ReviewAct::Edit { id, text, reason }) => told(&app.edit_learning(&id, &text, reason.as_deref())?, output),
        Some(ReviewAct::Undo { id }) => {
            app.undo_reconciliation(&id)?;
            told(&app.learning(&id)?, output);
        }
        Some(ReviewAct::Reopen { id, newer: None }) => told(&app.reopen_warning(&id)?, output),
        Some(ReviewAct::Reopen { id: older, newer: Some(newer) }) => {
            app.reopen_conflict(&older, &newer)?;
            output.answer(&serde_json::json!({ "older": older, "newer": newer }), || "waits for you again".to_owned());
        }
    }
    Ok(())
}

fn told(learning: &FeatureLearning, output: Output) {
    output.answer(learning, || format!("{} is {}", learning.id, learning.state));
}

fn in_words(queue: &ReviewQueue) -> String {
    let mut lines: Vec<String> = queue.pairs.iter().map(pair_in_words).collect();
    lines.extend(queue.warnings.iter().map(warning_in_words));
    lines.extend(queue.said_again.iter().map(said_again_in_words));
    lines.extend(queue.parked.iter().map(|l| format!("parked    {}  {}", l.id, unbroken(&l.text))));
    lines.extend(queue.doubts.iter().map(doubt_in_words));
    lines.extend(queue.acts.iter().map(act_in_words));
    lines.extend(more_in_words(queue.more));
    if lines.is_empty() {
        lines.push("nothing waits for you".to_owned());
    }
    lines.push(gate_in_words(&queue.gate));
    lines.join("\n")
}

/// What is not listed yet.
fn more_in_words(more: ReviewMore) -> Option<String> {
    let ReviewMore { warnings, acts, said_again, doubts } = more;
    let of = [(warnings, "warnings"), (said_again, "said again"), (doubts, "doubted"), (acts, "done by Ralph")];
    let left: Vec<String> = of.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    (!left.is_empty()).then(|| format!("and more, listed once these are decided: {}", left.join(", ")))
}

fn pair_in_words(pair: &ReviewPair) -> String {
    let hits: Vec<String> = pair.hits.iter().map(|h| format!("{}: {} / {}", h.kind, h.older, h.newer)).collect();
    format!(
        "{:<9} {}  {}\n          {}  {}\n          {}\n          ralph review decide {} {} keep_older|keep_newer|keep_both",
        pair.verdict.as_str(),
        pair.older.id,
        marked(&pair.older_text),
        pair.newer.id,
        marked(&pair.newer_text),
        hits.join("; "),
        pair.older.id,
        pair.newer.id
    )
}

fn warning_in_words(warning: &GateWarning) -> String {
    let report = &warning.verdict.report;
    let faults: Vec<&str> = report.faults.iter().map(|f| f.as_str()).collect();
    let parts: Vec<String> = report.parts.iter().map(|p| format!("{} {:.1}", p.part, p.score)).collect();
    let what = if warning.verdict.refused { "refused" } else { "warning" };
    format!(
        "{what}   {}  {}\n          density {} of {:.2}: {}{}{}\n          ralph review keep|put-away {}",
        warning.learning.id,
        unbroken(&warning.learning.text),
        reached(report.density, 2),
        report.threshold,
        parts.join(", "),
        if faults.is_empty() { "" } else { "; " },
        faults.join(", "),
        warning.learning.id
    )
}

fn said_again_in_words(row: &SaidAgain) -> String {
    format!(
        "again     {}  {}\n          put away by {}, {}; said again by {} iterations\n          ralph review keep|put-away {}",
        row.learning.id,
        unbroken(&row.learning.text),
        row.put_away.by,
        row.put_away.at,
        row.iterations,
        row.learning.id
    )
}

fn doubt_in_words(doubt: &Doubt) -> String {
    format!(
        "{:<12} {}  {}\n          errand {}: {}\n          ralph learning review|retire {}",
        doubt.finding.verdict.as_str(),
        doubt.learning.id,
        unbroken(&doubt.learning.text),
        doubt.errand,
        unbroken(&doubt.finding.reason),
        doubt.learning.id
    )
}

fn act_in_words(act: &AutomaticAct) -> String {
    // An act is named after the learning that gave way: one that stays may have replaced several.
    let is_other = act.other.superseded_by.is_some() && act.learning.superseded_by.is_none();
    let gave_way = if is_other { &act.other } else { &act.learning };
    format!(
        "done      {}: {} ({:.2} like {})\n          ralph review undo {}",
        act.reconciliation.judgement.verdict,
        unbroken(&act.learning.text),
        act.reconciliation.judgement.similarity,
        act.other.id,
        gave_way.id
    )
}

fn gate_in_words(gate: &GateStanding) -> String {
    let flagged = gate.flagged;
    let wrong = gate.false_rejections;
    let since = gate.since.map_or_else(|| "no verdict yet".to_owned(), |since| format!("since {since}"));
    let stands = if gate.enforcing { "refuses" } else { "warns" };
    format!(
        "the quality gate {stands}, {since}: {} of {} flagged; of {} that people decided about, {} were kept",
        flagged.successes, flagged.trials, wrong.trials, wrong.successes
    )
}

/// Differing words are in brackets.
fn marked(pieces: &[Piece]) -> String {
    pieces.iter().map(|p| if p.differs { format!("[{}]", unbroken(&p.text)) } else { unbroken(&p.text) }).collect()
}
