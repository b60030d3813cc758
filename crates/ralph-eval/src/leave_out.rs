//! Figures for questions that nobody tuned for: each constant is chosen on all folds but one, and the fold left out is measured.
//!
//! A fold is one group of a collection (a repository, a conversation), or the whole of a collection without groups. The choice is the one
//! with the best mean nDCG@10 over the other collections, each weighing the same, however many questions it has.

use crate::bootstrap::{MeanInterval, mean_interval};
use crate::evaluate::Collection;
use ralph_app::Result;
use ralph_core::recall::Tuning;
use serde::Serialize;
use std::collections::BTreeMap;

/// Questions below which a group says nothing by itself, so that the small groups of a collection are joined.
const LEAST_QUESTIONS: usize = 10;
/// A value is taken in place of the default only where it is better by more than this: less is noise, and the default stays.
const WORTH: f64 = 0.001;

/// One constant with the values that it may have; the first is the one that switches its rule off, or the nearest to that.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Its name in the settings.
    pub key: &'static str,
    /// What is tried.
    pub values: Vec<f64>,
}

/// The constants of the fusion, each from no effect of its rule to more than is in force.
pub fn axes() -> Vec<Axis> {
    let axis = |key, values: &[f64]| Axis { key, values: values.to_vec() };
    vec![
        axis("vector_steepness", &[0.0, 2.5, 5.0, 8.0]),
        axis("vector_middle", &[0.9, 0.96, 1.02, 1.08]),
        axis("text_steepness", &[0.0, 0.75, 1.5, 3.0]),
        axis("trigram", &[0.0, 0.2, 0.35, 0.5]),
        axis("trigger", &[0.0, 0.02, 0.1]),
        axis("tokens", &[0.0, 0.3, 0.6, 0.9]),
        axis("neighbour_before", &[0.0, 0.2, 0.39]),
        axis("neighbour_after", &[0.0, 0.1, 0.21]),
        axis("chunk_bonus", &[0.0, 0.15, 0.3]),
        axis("provenance", &[0.0, 0.1, 0.3]),
        axis("names_a_file", &[0.0, 0.1, 0.2]),
        axis("recency", &[0.0, 0.25, 0.5]),
    ]
}

/// What was left out, and how it came out.
#[derive(Debug, Serialize)]
pub struct LeaveOutReport {
    /// Every fold, measured with constants that were chosen without it.
    pub folds: Vec<FoldFigure>,
    /// Every constant, with what its rule gains on the folds.
    pub constants: Vec<ConstantFigure>,
}

/// One fold.
#[derive(Debug, Serialize)]
pub struct FoldFigure {
    /// Collection and group.
    pub name: String,
    /// Its questions.
    pub questions: usize,
    /// Constants other than the defaults that the others chose.
    pub chosen: BTreeMap<&'static str, f64>,
    /// nDCG@10 with these.
    pub left_out: MeanInterval,
    /// With the defaults.
    pub defaults: f64,
    /// The best single channel here, and its nDCG@10.
    pub best_channel: (&'static str, f64),
    /// The left-out order compared with that channel, question by question.
    pub over_best_channel: MeanInterval,
    /// The whole interval is below 0: fusing costs here.
    pub worse_than_a_channel: bool,
}

/// One constant.
#[derive(Debug, Serialize)]
pub struct ConstantFigure {
    /// Its name in the settings.
    pub key: &'static str,
    /// What is in force.
    pub default: f64,
    /// What it is compared with.
    pub without: f64,
    /// Mean over the folds of what the default gains over that.
    pub gives: MeanInterval,
    /// Folds that it helps by more than a thousandth, and folds that it costs as much.
    pub helps: usize,
    /// See `helps`.
    pub costs: usize,
}

struct Fold<'a> {
    name: String,
    collection: usize,
    of: &'a Collection,
    questions: Vec<usize>,
}

/// What was measured, by the constants that differ from the defaults.
struct Measurements<'a> {
    collections: &'a [(String, Collection)],
    known: BTreeMap<String, Vec<Vec<f64>>>,
}

impl Measurements<'_> {
    /// nDCG@10 of every question of every collection.
    fn of(&mut self, tuning: &Tuning) -> Result<&Vec<Vec<f64>>> {
        let key = serde_json::to_string(tuning).unwrap_or_default();
        if !self.known.contains_key(&key) {
            let scores = self.collections.iter().map(|(_, collection)| collection.of_each(tuning)).collect::<Result<Vec<_>>>()?;
            self.known.insert(key.clone(), scores);
        }
        Ok(&self.known[&key])
    }
}

/// Leaves out each fold of named collections in turn. `progress` receives the current step.
pub fn leave_out(collections: &[(String, Collection)], axes: &[Axis], progress: &dyn Fn(&str)) -> Result<LeaveOutReport> {
    let folds = folds(collections);
    let mut measured = Measurements { collections, known: BTreeMap::new() };
    let mut figures = Vec::new();
    for (number, fold) in folds.iter().enumerate() {
        progress(&format!("leaving out {} ({} of {})", fold.name, number + 1, folds.len()));
        figures.push(left_out(fold, axes, &mut measured)?);
    }
    let constants = axes.iter().map(|axis| constant(axis, &folds, &mut measured)).collect::<Result<Vec<_>>>()?;
    Ok(LeaveOutReport { folds: figures, constants })
}

fn folds(collections: &[(String, Collection)]) -> Vec<Fold<'_>> {
    let mut folds = Vec::new();
    for (at, (name, of)) in collections.iter().enumerate() {
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (question, group) in of.groups().into_iter().enumerate() {
            groups.entry(group.unwrap_or_default().to_owned()).or_default().push(question);
        }
        let (large, small): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, questions)| questions.len() >= LEAST_QUESTIONS);
        let rest: Vec<usize> = small.into_iter().flat_map(|(_, questions)| questions).collect();
        let rest = (!rest.is_empty()).then(|| ("others".to_owned(), rest));
        folds.extend(large.into_iter().chain(rest).map(|(group, questions)| Fold {
            name: if group.is_empty() { name.clone() } else { format!("{name}/{group}") },
            collection: at,
            of,
            questions,
        }));
    }
    folds
}

/// Mean over collections of the mean over their questions outside the fold.
fn rest(scores: &[Vec<f64>], fold: &Fold<'_>) -> f64 {
    let means = scores.iter().enumerate().filter_map(|(at, scores)| {
        let kept = |question: &usize| at != fold.collection || !fold.questions.contains(question);
        let rest: Vec<f64> = (0..scores.len()).filter(kept).map(|question| scores[question]).collect();
        (!rest.is_empty()).then(|| mean(&rest))
    });
    mean(&means.collect::<Vec<f64>>())
}

/// Chooses one constant after the other, with the others as they are, until nothing is better.
fn chosen(fold: &Fold<'_>, axes: &[Axis], measured: &mut Measurements<'_>) -> Result<Tuning> {
    const TURNS: usize = 2;
    let mut best = Tuning::default();
    let mut best_score = rest(measured.of(&best)?, fold);
    for _ in 0..TURNS {
        let before = best;
        for axis in axes {
            for value in &axis.values {
                let tried = with(&best, axis.key, *value);
                let score = rest(measured.of(&tried)?, fold);
                if score > best_score + WORTH {
                    (best, best_score) = (tried, score);
                }
            }
        }
        if best == before {
            break;
        }
    }
    Ok(best)
}

fn left_out(fold: &Fold<'_>, axes: &[Axis], measured: &mut Measurements<'_>) -> Result<FoldFigure> {
    let tuning = chosen(fold, axes, measured)?;
    let of_fold = |scores: &[f64]| -> Vec<f64> { fold.questions.iter().map(|question| scores[*question]).collect() };
    let fused = of_fold(&measured.of(&tuning)?[fold.collection]);
    let defaults = mean(&of_fold(&measured.of(&Tuning::default())?[fold.collection]));
    let alone: Vec<(&'static str, Vec<f64>)> =
        fold.of.channels_of_each()?.into_iter().map(|(channel, scores)| (channel, of_fold(&scores))).collect();
    let best = alone.into_iter().max_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1))).unwrap_or(("none", vec![0.0; fused.len()]));
    let over: Vec<f64> = fused.iter().zip(&best.1).map(|(fused, alone)| fused - alone).collect();
    let over = mean_interval(&over);
    let differs = axes.iter().map(|axis| (axis.key, value(&tuning, axis.key)));
    Ok(FoldFigure {
        name: fold.name.clone(),
        questions: fused.len(),
        chosen: differs.filter(|(key, number)| *number != value(&Tuning::default(), key)).collect(),
        left_out: mean_interval(&fused),
        defaults,
        best_channel: (best.0, mean(&best.1)),
        over_best_channel: over,
        worse_than_a_channel: over.high < 0.0,
    })
}

fn constant(axis: &Axis, folds: &[Fold<'_>], measured: &mut Measurements<'_>) -> Result<ConstantFigure> {
    let defaults = measured.of(&Tuning::default())?.clone();
    let without = axis.values.first().copied().unwrap_or_default();
    let other = measured.of(&with(&Tuning::default(), axis.key, without))?;
    let gives = |fold: &Fold<'_>| {
        let by: Vec<f64> = fold.questions.iter().map(|q| defaults[fold.collection][*q] - other[fold.collection][*q]).collect();
        mean(&by)
    };
    let gives: Vec<f64> = folds.iter().map(gives).collect();
    Ok(ConstantFigure {
        key: axis.key,
        default: value(&Tuning::default(), axis.key),
        without,
        helps: gives.iter().filter(|by| **by > WORTH).count(),
        costs: gives.iter().filter(|by| **by < -WORTH).count(),
        gives: mean_interval(&gives),
    })
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len().max(1) as f64
}

fn value(tuning: &Tuning, key: &str) -> f64 {
    serde_json::to_value(tuning).ok().and_then(|all| all.get(key)?.as_f64()).unwrap_or_default()
}

/// The same with one constant changed. An unknown key changes nothing.
fn with(tuning: &Tuning, key: &str, number: f64) -> Tuning {
    let mut all = serde_json::to_value(tuning).unwrap_or_default();
    if all.get(key).is_some() {
        all[key] = number.into();
    }
    serde_json::from_value(all).unwrap_or(*tuning)
}
