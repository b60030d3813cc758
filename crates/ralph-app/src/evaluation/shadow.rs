//! Alternative configurations compared with the live one on recorded questions, in the background.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::evaluation::gates::WITHOUT_BONUS;
use crate::evaluation::insights::agreement_of;
use crate::recall::recorder::Record;
use crate::recall::{described, scope_weights};
use ralph_core::authority::Actor;
use ralph_core::evaluation::{Arm, QueryRecord, ShadowRecord, Trial};
use ralph_core::feature::Feature;
use ralph_core::limits;
use ralph_core::recall::{Reach, Tuning};
use ralph_core::view::Settings;
use ralph_rag::evaluate::orders::{kendall_tau, moved, mrr, overlap};
use ralph_rag::evaluate::retrieval::Truth;
use ralph_rag::evaluate::trial::trials;
use serde::Serialize;
use sqlite_db::Read;

/// Name of the alternative with learned terms.
const LEARNED: &str = "learned";
/// Default alternatives: provisional weights, and those supported by other collections.
const USUAL: [&str; 4] = [WITHOUT_BONUS, LEARNED, "recency=0", "trigram=0.35"];
/// Compared hits.
const DEPTH: usize = 20;

/// Result of a shadow run.
#[derive(Debug, Serialize)]
pub struct ShadowRun {
    /// Replayed questions.
    pub queries: u32,
    /// Those with known relevant memories.
    pub judged: u32,
    /// Results of each alternative over all recorded comparisons.
    pub trials: Vec<Trial>,
}

/// An alternative: its name and its ranking.
struct Alternative {
    name: String,
    tuning: Tuning,
    arm: Arm,
}

impl App {
    /// Replays recorded questions under alternatives, each `KEY=NUMBER[,KEY=NUMBER…]` of the weights of recall or `learned`; by default
    /// the provisional ones. Compares them with the live configuration and records the result.
    pub fn eval_shadow(&self, alternatives: &[String], limit: Option<u32>) -> Result<ShadowRun> {
        if self.actor() != Actor::Human {
            return Err(AppError::Forbidden { what: "try configurations" });
        }
        let settings = self.settings()?;
        let named: Vec<String> = if alternatives.is_empty() { USUAL.map(str::to_owned).to_vec() } else { alternatives.to_vec() };
        let alternatives = named.iter().map(|name| alternative(name, &settings.recall)).collect::<Result<Vec<_>>>()?;
        let history = self.recorded()?;
        let truth = Truth::of(&history.selections, &history.labels, agreement_of(&history).counts);
        let limit = limit.unwrap_or(limits::SHADOW_QUERIES).min(limits::SHADOW_QUERIES) as usize;
        let newest = history.queries.len().saturating_sub(limit);
        let (mut queries, mut judged) = (0, 0);
        for query in &history.queries[newest..] {
            queries += 1;
            judged += u32::from(truth.on(&query.id).is_some());
            for comparison in self.compared(query, &alternatives, &truth, &settings)? {
                self.evaluation.record(Record::Comparison(Box::new(comparison)));
            }
            // The queue drops records when full; this run can wait.
            self.evaluation.flush();
        }
        Ok(ShadowRun { queries, judged, trials: trials(&self.recorded()?.comparisons) })
    }

    /// One question under every alternative, with today's knowledge for both rankings.
    fn compared(&self, query: &QueryRecord, alternatives: &[Alternative], truth: &Truth, settings: &Settings) -> Result<Vec<ShadowRecord>> {
        let mut prepared = self.prepare_recall(&query.text, Reach::Everything, settings)?;
        self.db.read(|r| {
            let features = r.features()?;
            let home = query.feature.as_deref().and_then(|name| features.iter().find(|feature| feature.name == name)).cloned();
            let weights = scope_weights(&features, home.as_ref(), query.feature.is_some(), &prepared.tuning);
            let mut order = |tuning: Tuning, arm: Arm, r: &Read<'_>, features: &[Feature]| -> Result<Vec<String>> {
                prepared.tuning = tuning;
                let found = prepared.search(r, &weights, |_, _, active| active, DEPTH, arm)?;
                Ok(described(r, found.hits, features)?.into_iter().map(|hit| format!("{}:{}", hit.kind, hit.id)).collect())
            };
            let live = order(settings.recall, query.arm, r, &features)?;
            let relevant = truth.on(&query.id);
            let of = |order: &[String]| {
                relevant.map(|relevant| mrr(order, |hit| hit.split_once(':').is_some_and(|(_, id)| relevant.contains(id))))
            };
            let compare = |alternative: &Alternative| {
                let other = order(alternative.tuning, alternative.arm, r, &features)?;
                Ok(ShadowRecord {
                    query: query.id.clone(),
                    at: query.at,
                    live: query.configuration.clone(),
                    other: alternative.name.clone(),
                    overlap: overlap(&live, &other),
                    tau: kendall_tau(&live, &other),
                    moved: moved(&live, &other),
                    live_mrr: of(&live),
                    other_mrr: of(&other),
                })
            };
            alternatives.iter().map(compare).collect()
        })
    }
}

/// Parses an alternative's name. The keys are sorted, so that each alternative has one name.
fn alternative(name: &str, live: &Tuning) -> Result<Alternative> {
    if name == LEARNED {
        return Ok(Alternative { name: name.to_owned(), tuning: *live, arm: Arm::Learned });
    }
    let fault = |fault: String| {
        AppError::invalid("set", fault, "use weights of recall, such as chunk_bonus=0 or trigram=0.35,recency=0, or `learned`")
    };
    let mut value = serde_json::to_value(live).unwrap_or_default();
    let mut parts: Vec<String> = Vec::new();
    for part in name.split(',') {
        let (key, number) = part.split_once('=').ok_or_else(|| fault(format!("'{part}' needs KEY=NUMBER")))?;
        let number: f64 = number.trim().parse().map_err(|_| fault(format!("'{number}' is no number")))?;
        let key = key.trim();
        if value.get(key).is_none() || !number.is_finite() {
            return Err(fault(format!("'{part}' is no weight of recall")));
        }
        value[key] = number.into();
        parts.push(format!("{key}={number}"));
    }
    parts.sort();
    let tuning = serde_json::from_value(value).map_err(|error| fault(error.to_string()))?;
    Ok(Alternative { name: parts.join(","), tuning, arm: Arm::Plain })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alternative_has_one_name_and_a_bad_one_is_refused() {
        let live = Tuning::default();
        let of = |name: &str| alternative(name, &live);
        assert_eq!(of("recency=0, chunk_bonus=0.0").expect("reads").name, "chunk_bonus=0,recency=0");
        assert_eq!(of(WITHOUT_BONUS).expect("reads").tuning.chunk_bonus, 0.0);
        assert!(USUAL.iter().all(|name| of(name).is_ok_and(|alternative| alternative.name == *name)));
        for bad in ["", "chunk_bonus", "nothing=1", "recency=fast", "recency=inf"] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
