//! Alternative configurations compared with the live one on recorded questions, in the background.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::evaluation::gates::chunk_alternative;
use crate::evaluation::history::{History, Known};
use crate::recall::described::described;
use crate::recall::recorder::Record;
use crate::recall::scope_weights;
use crate::recall::unfinished::ranking;
use ralph_core::authority::Actor;
use ralph_core::evaluation::{Arm, QueryRecord, ShadowRecord, Trial};
use ralph_core::feature::Feature;
use ralph_core::feedback::FeedbackMode;
use ralph_core::limits;
use ralph_core::recall::{Reach, RecallOrigin, Tuning};
use ralph_core::settings::Settings;
use ralph_rag::evaluate::arms::{LEARNED, of_learned};
use ralph_rag::evaluate::orders::{kendall_tau, moved, mrr, overlap};
use ralph_rag::evaluate::retrieval::Truth;
use serde::Serialize;
use sqlite_db::Read;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Alternatives besides that of the chunk bonus: each without a weight that was chosen on other collections, or was never measured. A
/// weight of 1 for dependencies means no preference for what the feature itself learnt.
const USUAL: [&str; 4] = ["recency=0", "trigram=0.35", "path=0", "dependency=1"];
/// Questions compared at a time by a long-lived process, and for how long: lessons learned meanwhile wait for their vectors.
const BESIDE: usize = 30;
const BESIDE_TIME: Duration = Duration::from_secs(2);
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

/// An alternative: its name and its weights.
struct Alternative {
    name: String,
    tuning: Tuning,
}

impl App {
    /// Replays recorded questions under alternatives, each `KEY=NUMBER[,KEY=NUMBER…]` of the weights of recall; by default those on trial.
    /// Compares them with the live configuration and records the result. `learned` needs no replay: both rankings were recorded with
    /// each question.
    pub fn eval_shadow(&self, alternatives: &[String], limit: Option<u32>) -> Result<ShadowRun> {
        if self.actor() != Actor::Human {
            return Err(AppError::Forbidden { what: "try configurations" });
        }
        if limit == Some(0) {
            return Err(AppError::invalid("limit", "is 0", "name a number of questions above 0, or leave it out"));
        }
        let settings = self.settings()?;
        let replayed = alternatives.iter().filter(|name| *name != LEARNED);
        let alternatives = if alternatives.is_empty() {
            usual(&settings.recall)?
        } else {
            replayed.map(|name| other_than(name, &settings.recall)).collect::<Result<Vec<_>>>()?
        };
        let history = self.recorded()?;
        let truth = history.truth();
        let limit = limit.unwrap_or(limits::SHADOW_QUERIES).min(limits::SHADOW_QUERIES) as usize;
        let newest = history.queries.len().saturating_sub(limit);
        let (mut queries, mut judged) = (0, 0);
        for query in &history.queries[newest..] {
            queries += 1;
            judged += u32::from(truth.on(&query.id).is_some());
            self.record_comparisons(query, &alternatives, &truth, &settings)?;
        }
        let history = self.recorded()?;
        Ok(ShadowRun { queries, judged, trials: history.trials(&self.comparisons(&settings, &history, &truth)?) })
    }

    /// Compares some questions that have not been compared yet, or whose answer has become known since: in a long-lived process, without
    /// holding anybody up.
    pub(crate) fn shadow_beside(&self) -> Result<()> {
        let settings = self.settings()?;
        if self.is_read_only() || settings.feedback == FeedbackMode::Off || !self.evaluation.path().exists() {
            return Ok(());
        }
        let alternatives = usual(&settings.recall)?;
        let live = ranking(&settings, self.embedder_of(&settings)?.id());
        let others: Vec<&str> = alternatives.iter().map(|alternative| alternative.name.as_str()).collect();
        let known = self.db.read(Known::of)?;
        let found = self.read_history(|r| {
            let (selections, rolled_back) = (r.selections()?, r.rolled_back_selections()?);
            let said = History { selections, rolled_back, labels: r.labels()?, ..History::default() };
            let truth = said.in_place(known).truth();
            let mut ids = r.queries_to_compare(&live, &others, limits::SHADOW_QUERIES)?;
            ids.extend(r.compared_without_truth(&live, &others)?.into_iter().filter(|id| truth.on(id).is_some()));
            let ids: Vec<String> = ids.into_iter().take(BESIDE).collect::<BTreeSet<_>>().into_iter().collect();
            let queries = ids.iter().map(|id| r.recorded_query(id)).collect::<std::result::Result<Vec<_>, _>>()?;
            Ok((queries.into_iter().flatten().collect::<Vec<_>>(), truth))
        })?;
        let (queries, truth) = found.unwrap_or_default();
        let begun = Instant::now();
        for query in queries.iter().take_while(|_| begun.elapsed() < BESIDE_TIME) {
            self.record_comparisons(query, &alternatives, &truth, &settings)?;
        }
        Ok(())
    }

    fn record_comparisons(&self, query: &QueryRecord, alternatives: &[Alternative], truth: &Truth, settings: &Settings) -> Result<()> {
        for comparison in self.compared(query, alternatives, truth, settings)? {
            self.evaluation.record(Record::Comparison(Box::new(comparison)));
        }
        // The queue drops records when full; a replay can wait.
        self.evaluation.flush();
        Ok(())
    }

    /// Comparisons with the ranking in force now: those with an earlier one say nothing about it.
    pub(crate) fn comparisons(&self, settings: &Settings, history: &History, truth: &Truth) -> Result<Vec<ShadowRecord>> {
        let embedder = self.embedder_of(settings)?;
        let live = ranking(settings, embedder.id());
        let replayed = history.comparisons.iter().filter(|c| c.live == live && c.other != LEARNED).cloned();
        let ranked_so = history.configurations_of(&settings.recall, embedder.id());
        let learned = of_learned(&history.queries, truth).into_iter().filter(|c| ranked_so.contains(c.live.as_str()));
        Ok(replayed.chain(learned).collect())
    }

    /// One question under every alternative, with today's knowledge for both rankings and without learned terms.
    fn compared(&self, query: &QueryRecord, alternatives: &[Alternative], truth: &Truth, settings: &Settings) -> Result<Vec<ShadowRecord>> {
        let for_prompt = query.origin == RecallOrigin::Prompt;
        let reach = if for_prompt { Reach::Knowledge } else { Reach::Everything };
        let mut prepared = self.prepare_recall(&query.text, reach, settings)?;
        prepared.is_story = for_prompt;
        let name = ranking(settings, &prepared.model);
        self.db.read(|r| {
            let features = r.features()?;
            let home = query.feature.as_deref().and_then(|name| features.iter().find(|feature| feature.name == name)).cloned();
            let only_home = query.feature.is_some() && !for_prompt;
            let mut order = |tuning: Tuning, r: &Read<'_>, features: &[Feature]| -> Result<Vec<String>> {
                let weights = scope_weights(features, home.as_ref(), only_home, &tuning);
                prepared.tuning = tuning;
                let found = prepared.search(r, &weights, |_, _, active| active, DEPTH, Arm::Plain)?;
                Ok(described(r, found.hits, features)?.into_iter().map(|hit| format!("{}:{}", hit.kind, hit.id)).collect())
            };
            let live = order(settings.recall, r, &features)?;
            let relevant = truth.on(&query.id);
            let of = |order: &[String]| {
                relevant.map(|relevant| mrr(order, |hit| hit.split_once(':').is_some_and(|(_, id)| relevant.contains(id))))
            };
            let compare = |alternative: &Alternative| {
                let other = order(alternative.tuning, r, &features)?;
                Ok(ShadowRecord {
                    query: query.id.clone(),
                    at: query.at,
                    live: name.clone(),
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

/// The alternatives on trial: that of the chunk bonus, and the usual ones, except what is in force already.
fn usual(live: &Tuning) -> Result<Vec<Alternative>> {
    let names = std::iter::once(chunk_alternative(live)).chain(USUAL.map(str::to_owned));
    let mut of = names.map(|name| alternative("set", &name, live)).collect::<Result<Vec<_>>>()?;
    of.retain(|alternative| alternative.tuning != *live);
    Ok(of)
}

/// The canonical name of an alternative, however it was written.
pub(crate) fn name_of_alternative(name: &str, live: &Tuning) -> Result<String> {
    if name == LEARNED { Ok(name.to_owned()) } else { Ok(alternative("alternative", name, live)?.name) }
}

/// An alternative to what is in force: what is compared with itself is never worse, and nothing is learned from that.
fn other_than(name: &str, live: &Tuning) -> Result<Alternative> {
    let other = alternative("set", name, live)?;
    if other.tuning == *live {
        return Err(AppError::invalid("set", format!("'{name}' is in force already"), "name a weight that is not"));
    }
    Ok(other)
}

/// Parses an alternative's name, given in the named field. The keys are sorted, so that each alternative has one name.
fn alternative(field: &'static str, name: &str, live: &Tuning) -> Result<Alternative> {
    let fault = |fault: String| {
        AppError::invalid(field, fault, "use weights of recall, such as chunk_bonus=0 or trigram=0.35,recency=0, or `learned`")
    };
    let mut value = serde_json::to_value(live).unwrap_or_default();
    let mut parts: BTreeMap<&str, f64> = BTreeMap::new();
    for part in name.split(',') {
        let (key, number) = part.split_once('=').ok_or_else(|| fault(format!("'{part}' needs KEY=NUMBER")))?;
        let number = number
            .trim()
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| fault(format!("'{number}' is not a number")))?;
        let key = key.trim();
        if value.get(key).is_none() {
            return Err(fault(format!("'{key}' is not a weight of recall")));
        }
        if parts.insert(key, number).is_some() {
            return Err(fault(format!("'{key}' is named twice")));
        }
        value[key] = number.into();
    }
    let tuning: Tuning = serde_json::from_value(value).map_err(|error| fault(error.to_string()))?;
    tuning.check().map_err(|error| fault(error.to_string()))?;
    let name = parts.iter().map(|(key, number)| format!("{key}={number}")).collect::<Vec<_>>().join(",");
    Ok(Alternative { name, tuning })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;
    use ralph_core::evaluation::{Label, LabelSource};
    use ralph_core::feature::NewFeature;
    use ralph_core::learning::NewLearning;
    use ralph_core::recall::RecallQuery;
    use ralph_core::time::Timestamp;

    #[test]
    fn an_alternative_has_one_name_and_a_bad_one_is_refused() {
        let live = Tuning::default();
        let of = |name: &str| alternative("set", name, &live);
        assert_eq!(of("recency=0, chunk_bonus=0.0").expect("reads").name, "chunk_bonus=0,recency=0");
        let names = |live: &Tuning| usual(live).expect("reads").into_iter().map(|alternative| alternative.name).collect::<Vec<_>>();
        assert_eq!(names(&live), ["chunk_bonus=0.3", "recency=0", "trigram=0.35", "path=0", "dependency=1"]);
        let other = Tuning { chunk_bonus: 0.3, recency: 0.0, ..live };
        assert_eq!(names(&other), ["chunk_bonus=0", "trigram=0.35", "path=0", "dependency=1"], "what is in force is not an alternative");
        for bad in [
            "",
            "chunk_bonus",
            "nothing=1",
            "recency=fast",
            "recency=inf",
            "recency_days=-5",
            "recency_days=0",
            "trigram=5",
            "recency=0,recency=1",
        ] {
            assert!(of(bad).is_err(), "{bad}");
        }
        let in_force = format!("path={}", live.path);
        assert!(other_than(&in_force, &live).is_err() && other_than("path=0", &live).is_ok(), "nothing is compared with itself");
        let name = |written| name_of_alternative(written, &live).expect("reads");
        assert_eq!((name("trigram=0.35, recency=0.0"), name(LEARNED)), ("recency=0,trigram=0.35".to_owned(), LEARNED.to_owned()));
    }

    #[test]
    fn a_judge_that_counts_is_believed_beside_a_process_and_an_edit_changes_no_answer() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let app = App::init(folder.path(), Clock::system()).expect("makes a project");
        app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).expect("makes a feature");
        let text = "The apricot queue takes the ledger lock in lock.rs";
        let id = app.append_feature_learning(&NewLearning::new("pay", text)).expect("is stored").id;
        let asked = app.recall(&RecallQuery { query: "ledger lock".into(), limit: 5, ..RecallQuery::default() }).expect("answers").query;
        let values = || -> Vec<Option<f64>> { app.recorded().expect("reads").comparisons.iter().map(|c| c.live_mrr).collect() };
        app.finish_recording();
        app.shadow_beside().expect("compares");
        assert!(!values().is_empty() && values().iter().all(Option::is_none), "{:?}", values());
        let label = |query: String, by| Label { query, memory: id.clone(), by, relevant: true, at: Timestamp(1) };
        let both = (0..60).flat_map(|n| [LabelSource::Person, LabelSource::Judge].map(|by| label(format!("P{n}"), by)));
        app.put_labels(&both.chain([label(asked, LabelSource::Judge)]).collect::<Vec<_>>()).expect("labels");
        app.edit_learning(&id, "The apricot queue takes the ledger lock first, in lock.rs", None).expect("edits");
        app.shadow_beside().expect("compares what became known since");
        assert!(values().iter().all(|value| *value == Some(1.0)), "{:?}", values());
    }
}
