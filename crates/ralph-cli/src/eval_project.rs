//! `ralph insights eval` and `ralph eval shadow|ground-truth|label|judge|gate`: retrieval, measured on a project's own records.

use crate::errand::ErrandAgentArgs;
use crate::feedback::time;
use crate::output::{Answered, Output};
use clap::{Args, Subcommand};
use ralph_app::{App, JudgeOutcome, ShadowRun, StopHandle};
use ralph_core::evaluation::{
    Agreement, Arm, ArmsTrial, EvalInsights, Gate, GroundTruth, LabelledPair, LearningEffect, QuestionFilter, QuestionRow, QuestionRows,
    Retrieval, Trial,
};
use ralph_core::recall::Channel;
use ralph_core::text::{counted, cut, dollars, reached};
use ralph_core::time::Timestamp;
use ralph_core::view::CommandError;
use serde::Serialize;
use std::sync::Arc;

/// Rows of each list in the text output; `--json` has all.
const SHOWN: usize = 10;
/// Characters of a question or a learning on one line.
const SHOWN_CHARS: usize = 100;
/// Default number of pairs for a judge.
const PAIRS: usize = 20;

#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// Replay recorded questions under other weights, and record how the answers differ.
    Shadow(ShadowArgs),
    /// The questions behind a figure, newest first; all that were recorded unless it is narrowed.
    Questions(QuestionsArgs),
    /// Which memories answer which questions: how many pairs are known, what to label next, where judge and person differ.
    GroundTruth,
    /// Say whether a memory answers a question; your label overrides every other.
    Label(LabelArgs),
    /// Have an agent label pairs; its labels count once it agrees with yours.
    Judge(JudgeArgs),
    /// The conditions under which learned terms count: required and measured values.
    Gate,
}

#[derive(Debug, Args)]
pub struct ShadowArgs {
    /// Other weights, such as chunk_bonus=0 or trigram=0.35,recency=0, or `learned` (repeat for several); the provisional ones by default.
    #[arg(long = "set", value_name = "KEY=NUMBER")]
    set: Vec<String>,
    /// Only this many questions, the newest.
    #[arg(long)]
    limit: Option<u32>,
}

#[derive(Debug, Args)]
pub struct QuestionsArgs {
    /// Results among the first ten that this channel found.
    #[arg(long)]
    channel: Option<Channel>,
    /// Of those: only what no other channel found.
    #[arg(long, requires = "channel")]
    alone: bool,
    /// Only results that somebody chose.
    #[arg(long)]
    chosen: bool,
    /// Only questions whose answer is known.
    #[arg(long)]
    judged: bool,
    /// Only questions of the week of this day, such as 2026-11-01; weeks begin on Thursdays, in UTC.
    #[arg(long, value_name = "DAY")]
    week: Option<String>,
    /// Only questions of the evaluation cycle with this number.
    #[arg(long)]
    cycle: Option<u32>,
    /// Only questions compared under this alternative, such as recency=0 or `learned`.
    #[arg(long, value_name = "NAME")]
    alternative: Option<String>,
    /// Only questions whose ranking was drawn: plain or learned.
    #[arg(long)]
    arm: Option<Arm>,
    /// Only results of this learning.
    #[arg(long, value_name = "ID")]
    learning: Option<String>,
    /// Of those: only where this learned term brought it, or would have.
    #[arg(long, requires = "learning")]
    term: Option<String>,
    /// The page before this question: `next` of the last answer.
    #[arg(long, value_name = "ID")]
    before: Option<String>,
}

#[derive(Debug, Args)]
pub struct LabelArgs {
    /// Id of the question.
    query: String,
    /// Id of the memory.
    memory: String,
    /// It is relevant to the question.
    #[arg(long, required_unless_present = "not_relevant", conflicts_with = "not_relevant")]
    relevant: bool,
    /// It is not.
    #[arg(long)]
    not_relevant: bool,
}

#[derive(Debug, Args)]
pub struct JudgeArgs {
    #[command(flatten)]
    by: ErrandAgentArgs,
    /// At most this many pairs.
    #[arg(long, default_value_t = PAIRS)]
    limit: usize,
    /// At most this many dollars.
    #[arg(long, value_name = "DOLLARS")]
    max_usd: Option<f64>,
}

#[derive(Serialize)]
struct WithEffects {
    #[serde(flatten)]
    insights: EvalInsights,
    effects: Vec<LearningEffect>,
}

/// Statistics of retrieval and of learnings.
pub fn insights(app: &App, output: Output) -> Answered {
    let insights = WithEffects { insights: app.eval_insights()?, effects: app.effects()? };
    output.answer(&insights, || in_words(&insights));
    Ok(())
}

/// Runs the subcommands of `ralph eval` that need a project.
pub async fn eval(app: &Arc<App>, command: EvalCommand, stop: &StopHandle, output: Output) -> Result<(), CommandError> {
    match command {
        EvalCommand::Shadow(args) => {
            let run = app.eval_shadow(&args.set, args.limit)?;
            output.answer(&run, || shadow(&run));
        }
        EvalCommand::Questions(args) => {
            let QuestionsArgs { channel, alone, chosen, judged, week, cycle, alternative, arm, learning, term, before } = args;
            let begin_in_utc = |day: &str| Timestamp::parse(&format!("{day}T00:00:00Z"));
            let week = week.as_deref().map(|day| time("week", day, begin_in_utc)).transpose()?;
            let filter = QuestionFilter { channel, alone, chosen, judged, week, cycle, alternative, arm, learning, term, before };
            let rows = app.question_rows(&filter)?;
            output.answer(&rows, || questions(&rows));
        }
        EvalCommand::GroundTruth => {
            let truth = app.ground_truth()?;
            output.answer(&truth, || ground_truth(&truth));
        }
        EvalCommand::Label(args) => {
            let label = app.label_pair(&args.query, &args.memory, args.relevant)?;
            output.answer(&label, || {
                format!("{} {} {}", label.memory, if label.relevant { "answers" } else { "does not answer" }, label.query)
            });
        }
        EvalCommand::Judge(args) => {
            let judged = app.judge(&(&args.by).into(), args.limit, args.max_usd, stop).await?;
            output.answer(&judged, || judge(&judged));
        }
        EvalCommand::Gate => {
            let gates = app.eval_gates()?;
            output.answer(&gates, || gates_in_words(&gates));
        }
    }
    Ok(())
}

fn in_words(WithEffects { insights: of, effects }: &WithEffects) -> String {
    let standing = if of.terms_count { "they count" } else { "they do not count" };
    let mut lines = vec![
        format!("feedback is {}; of learned terms: {standing}", of.mode),
        format!(
            "recorded: {}, {}, {}, {}; {} dropped",
            counted(of.recorded.queries, "question"),
            counted(of.recorded.selections, "selection"),
            counted(of.recorded.labels, "label"),
            counted(of.recorded.comparisons, "comparison"),
            counted(of.recorded.dropped, "record")
        ),
        format!("retrieval: {}", retrieval(&of.retrieval)),
        gates_in_words(&of.gates),
    ];
    lines.extend(of.channels.iter().map(|(channel, share)| {
        let without = share.mrr_5_without.map_or_else(String::new, |mrr| format!(", MRR@5 without it {mrr:.3}"));
        format!(
            "channel {channel}: found {}, alone {} ({:.1} %), selected {}{without}",
            share.found,
            share.exclusive,
            share.exclusive_rate * 100.0,
            share.selected
        )
    }));
    lines.extend(of.learned_terms.iter().take(SHOWN).map(|row| {
        let noise = if row.noise { ", noise" } else { "" };
        format!(
            "term {} → {}: strength {:.2}, added {}, confirmed {}{noise}",
            row.term.term, row.learning, row.strength, row.added, row.confirmed
        )
    }));
    lines.extend(effects.iter().take(SHOWN).map(|effect| {
        let harmful = if effect.harmful { " HARMFUL" } else { "" };
        format!(
            "{}{harmful}: told {}, succeeded {}, failed {}; {}\n   {}",
            effect.learning, effect.shown, effect.succeeded, effect.failed, effect.effect, effect.text
        )
    }));
    lines.extend(of.trials.iter().map(trial));
    lines.extend((of.arms.learned.queries + of.arms.plain.queries > 0).then(|| arms(&of.arms)));
    lines.push(agreement(&of.agreement));
    if !of.provisional.is_empty() {
        lines.push(format!("provisional: {}", of.provisional.join(", ")));
    }
    lines.join("\n")
}

fn gates_in_words(gates: &[Gate]) -> String {
    let row = |gate: &Gate| {
        format!("{} {}: {} (required: {})", if gate.open { "open  " } else { "closed" }, gate.name, gate.measured, gate.required)
    };
    gates.iter().map(row).collect::<Vec<_>>().join("\n")
}

fn retrieval(of: &Retrieval) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "not known yet".to_owned(), |value| format!("{value:.3}"));
    format!("MRR@5 {}, hit@10 {} over {} of {}", number(of.mrr_5), number(of.hit_10), of.judged, counted(of.queries, "question"))
}

fn trial(of: &Trial) -> String {
    let delta = of
        .mrr_delta
        .zip(of.interval)
        .map_or_else(String::new, |(delta, i)| format!(", MRR@5 {delta:+.3} ({:+.3} to {:+.3})", i.low, i.high));
    let needed = if of.queries_needed > 0 {
        format!(", {} judged questions with two orders are still needed", of.queries_needed)
    } else {
        String::new()
    };
    format!("{}: {:?}; {}, overlap {:.2}{delta}{needed}", of.other, of.answer, counted(of.queries, "question"), of.overlap)
}

fn arms(of: &ArmsTrial) -> String {
    let delta = of
        .mrr_delta
        .zip(of.interval)
        .map_or_else(String::new, |(delta, i)| format!(", MRR@5 {delta:+.3} ({:+.3} to {:+.3})", i.low, i.high));
    let needed = if of.queries_needed > 0 { format!(", {} judged questions are still needed", of.queries_needed) } else { String::new() };
    format!(
        "learned terms as they count: {:?}; {} with, {} without{delta}{needed}",
        of.answer,
        counted(of.learned.queries, "question"),
        of.plain.queries
    )
}

fn shadow(run: &ShadowRun) -> String {
    let head = format!("{} replayed; of {} it is known what answers them", counted(run.queries, "question"), run.judged);
    std::iter::once(head).chain(run.trials.iter().map(trial)).collect::<Vec<_>>().join("\n")
}

fn questions(of: &QuestionRows) -> String {
    let row = |row: &QuestionRow| {
        let memory = row.memory.as_ref().map_or_else(String::new, |memory| {
            let rank = row.rank.map_or_else(|| "in the other ranking".to_owned(), |rank| format!("at {rank}"));
            let channels: Vec<&str> = row.channels.iter().map(|channel| channel.as_str()).collect();
            format!("\n   {memory} {rank} by {}: {}", channels.join(", "), row.memory_text.as_deref().unwrap_or("not known any more"))
        });
        let of = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
        let other = row.other_mrr_5.map_or_else(String::new, |other| format!(", under the alternative {other:.2}"));
        format!("{} {} ({}) MRR@5 {}{other}  {}{memory}", row.at, row.query, row.origin, of(row.mrr_5), cut(&row.text, SHOWN_CHARS))
    };
    let next = of.next.as_ref().map(|before| format!("more: --before {before}"));
    std::iter::once(counted(of.total, "row")).chain(of.rows.iter().map(row)).chain(next).collect::<Vec<_>>().join("\n")
}

fn agreement(of: &Agreement) -> String {
    let share = of.agreement.map_or_else(String::new, |share| format!(", {} % alike", reached(share * 100.0, 0)));
    let kappa = of.kappa.map_or_else(String::new, |kappa| format!(", kappa {kappa:.2}"));
    let standing = if of.counts { "counts" } else { "does not count" };
    format!("judge: {} of {} pairs labelled by both{share}{kappa}; it {standing}", of.pairs, of.pairs_required)
}

fn ground_truth(of: &GroundTruth) -> String {
    let mut lines = vec![
        format!(
            "{} from journals, {} from selections, {} judged, {} labelled by a person",
            counted(of.synthetic, "pair"),
            of.selections,
            of.judged,
            of.labelled
        ),
        agreement(&of.agreement),
    ];
    lines.extend(of.synthetic_retrieval.as_ref().map(|found| format!("synthetic questions, asked now: {}", retrieval(found))));
    let pair = |pair: &LabelledPair| {
        format!("{} {}\n   {}\n   {}", pair.query, pair.memory, cut(&pair.question, SHOWN_CHARS), cut(&pair.text, SHOWN_CHARS))
    };
    if !of.disagreements.is_empty() {
        lines.push("judge and person differ:".to_owned());
        lines.extend(of.disagreements.iter().take(SHOWN).map(pair));
    }
    if !of.next.is_empty() {
        lines.push("to label with `ralph eval label QUESTION MEMORY --relevant` or `--not-relevant`:".to_owned());
        lines.extend(of.next.iter().map(pair));
    }
    lines.join("\n")
}

fn judge(of: &JudgeOutcome) -> String {
    let cost = of.cost_usd.map_or_else(|| "its cost is not known".to_owned(), |cost| format!("${cost:.4}"));
    let head = format!("{} of {} pairs are labelled; {cost} of {}", of.labelled, of.asked, dollars(of.max_usd, 0, 2));
    [head, agreement(&of.agreement)].into_iter().chain(of.faults.iter().cloned()).collect::<Vec<_>>().join("\n")
}
