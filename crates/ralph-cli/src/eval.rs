//! `ralph eval` and `ralph eval-pairs`: the quality of retrieval and of the verdicts of `remember`, measured without a project.

use crate::eval_project::EvalCommand;
use crate::output::{Answered, Output, to_stderr};
use clap::Args;
use ralph_app::AppError;
use ralph_core::quality::PairVerdict;
use ralph_core::recall::{EvalMode, Tuning};
use ralph_core::text::counted;
use ralph_eval::{Evaluation, JudgedPair, Metrics, judge_pairs};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true)]
pub struct EvalArgs {
    #[command(subcommand)]
    pub command: Option<EvalCommand>,
    /// The folder with corpus.jsonl, queries.jsonl and qrels.tsv.
    #[arg(long, required = true)]
    data: Option<PathBuf>,
    /// self: all documents, grade 2. prior: earlier ones of the query's group, grade 1. all: those of its group, any grade.
    #[arg(long, required = true)]
    mode: Option<EvalMode>,
    /// Write the hits here: query, document, rank, score.
    #[arg(long)]
    run: Option<PathBuf>,
    /// Keep the vectors of the texts in this folder for the next evaluation.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// A weight in place of the measured default, for example trigram=0 (repeat for several).
    #[arg(long = "set", value_name = "KEY=NUMBER")]
    set: Vec<String>,
}

impl EvalArgs {
    /// Whether an argument is given that has no meaning with the subcommand. clap would refuse `-C` and `--json` there, too.
    pub fn are_misplaced(&self) -> bool {
        let own = self.data.is_some() || self.mode.is_some() || self.run.is_some() || self.keep.is_some() || !self.set.is_empty();
        self.command.is_some() && own
    }
}

#[derive(Debug, Args)]
pub struct EvalPairsArgs {
    /// The tab-separated file.
    #[arg(long)]
    data: PathBuf,
    /// Write the verdicts here: id, verdict, cosine, similarity, hits.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Measures retrieval and prints the means.
pub fn eval(args: &EvalArgs, output: Output) -> Answered {
    let tuning = tuning(&args.set)?;
    let needs = |name: &'static str, hint: &str| AppError::invalid(name, "is missing", hint);
    let data = args.data.as_ref().ok_or_else(|| needs("--data", "name the folder of a collection"))?;
    let mode = args.mode.ok_or_else(|| needs("--mode", "`ralph eval --help` lists the modes"))?;
    let found = ralph_eval::evaluate(data, mode, &tuning, args.keep.as_deref(), &to_stderr)?;
    if let Some(path) = &args.run {
        std::fs::write(path, &found.run).map_err(|source| AppError::io(path, source))?;
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
    if found.missing > 0 {
        let missing = counted(found.missing, "judged document");
        lines.insert(1, format!("{missing} not in the corpus: counted as never found; --mode prior leaves them out"));
    }
    lines.extend(found.channels.iter().map(|(name, m)| line(name, m)));
    lines.join("\n")
}

/// The measured defaults with the weights that were named.
fn tuning(set: &[String]) -> Result<Tuning, AppError> {
    let wrong = |fault: String| AppError::invalid("--set", fault, "give each key once with a number, such as --set provenance=0");
    let mut value = serde_json::to_value(Tuning::default()).unwrap_or_default();
    let mut named = BTreeSet::new();
    for one in set {
        let (key, number) = one.split_once('=').ok_or_else(|| wrong(format!("'{one}' needs KEY=NUMBER")))?;
        let number = number.parse::<f64>().ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| wrong(format!("'{one}' needs a finite number")))?;
        if !named.insert(key) {
            return Err(wrong(format!("'{key}' is named twice")));
        }
        value[key] = number.into();
    }
    let tuning: Tuning = serde_json::from_value(value).map_err(|fault| wrong(format!("names an {fault}")))?;
    tuning.check().map_err(|fault| wrong(fault.to_string()))?;
    Ok(tuning)
}

/// How many pairs got each verdict, and, without `--out`, the pairs themselves.
#[derive(Serialize)]
struct Judged<'a> {
    verdicts: BTreeMap<PairVerdict, u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<&'a [JudgedPair]>,
}

/// Judges the pairs of a file as `remember` does.
pub fn eval_pairs(args: &EvalPairsArgs, output: Output) -> Answered {
    let out = args.out.as_deref();
    let pairs = judge_pairs(&args.data, &to_stderr)?;
    if let Some(path) = out {
        std::fs::write(path, as_tsv(&pairs)).map_err(|source| AppError::io(path, source))?;
    }
    let mut verdicts: BTreeMap<PairVerdict, u32> = PairVerdict::ALL.iter().map(|verdict| (*verdict, 0)).collect();
    for pair in &pairs {
        *verdicts.entry(pair.judgement.verdict).or_default() += 1;
    }
    let judged = Judged { pairs: out.is_none().then_some(&pairs), verdicts };
    output.answer(&judged, || match out {
        Some(path) => judged
            .verdicts
            .iter()
            .map(|(v, n)| format!("{v}\t{n}"))
            .chain([format!("written to {}", path.display())])
            .collect::<Vec<_>>()
            .join("\n"),
        None => as_tsv(&pairs),
    });
    Ok(())
}

/// One line per pair: id, verdict, cosine, similarity, and the guard's hits as `kind:older/newer`.
fn as_tsv(pairs: &[JudgedPair]) -> String {
    let mut text = "id\tverdict\tcosine\tsimilarity\thits\n".to_owned();
    for JudgedPair { id, judgement } in pairs {
        let hits: Vec<String> = judgement.hits.iter().map(|hit| format!("{}:{}/{}", hit.kind, hit.older, hit.newer)).collect();
        text += &format!("{id}\t{}\t{:.4}\t{:.4}\t{}\n", judgement.verdict, judgement.cosine, judgement.similarity, hits.join("; "));
    }
    text
}
