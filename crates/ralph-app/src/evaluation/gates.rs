//! The gates of learned terms, each measured on rows.

use crate::app::App;
use crate::error::Result;
use crate::evaluation::feedback::written;
use crate::evaluation::history::History;
use ralph_core::LearningId;
use ralph_core::evaluation::{ArmsTrial, Cycle, Gate, LearnedTermRow, QueryRecord, ShadowRecord, Trial, TrialAnswer};
use ralph_core::feedback::{Feedback, FeedbackMode, LearnedTerm};
use ralph_core::learning::LearningState;
use ralph_core::limits;
use ralph_core::recall::Tuning;
use ralph_core::settings::Settings;
use ralph_core::text::reached;
use ralph_core::time::Timestamp;
use ralph_rag::evaluate::arms::{LEARNED, arms};
use ralph_rag::evaluate::cycles;
use ralph_rag::feedback::gate::gate;
use ralph_rag::feedback::lifetime::strength;
use ralph_rag::feedback::{age, audit, caps, column, denylist, lifetime, measured, promotion, rollback, shadow, top_ranks};
use ralph_rag::journal::{Event, Line};
use ralph_rag::recall::aggregate;
use ralph_rag::recorded::days;
use std::collections::{BTreeMap, BTreeSet};

/// The chunk bonus that the formula was proposed with.
const PROPOSED_BONUS: f64 = 0.3;
/// Milliseconds for which a process caches whether the gates are open.
const BELIEVED_MILLIS: i64 = 600_000;
/// Milliseconds for which a stored check is valid.
const LOOK_MILLIS: u64 = 6 * 3_600_000;

/// The gates, and their measurements.
pub(crate) struct Gates {
    pub gates: Vec<Gate>,
    pub cycles: Vec<Cycle>,
    pub terms: Vec<LearnedTermRow>,
    pub trials: Vec<Trial>,
    pub arms: ArmsTrial,
}

/// Learned terms in the project's database.
struct Learnt {
    feedback: Vec<(LearningId, Feedback)>,
    /// When each active learning with terms was written, or what it replaced.
    written: BTreeMap<LearningId, Timestamp>,
    indexes: Vec<String>,
    full_text: usize,
    lines: Vec<Line>,
}

impl App {
    /// Whether learned terms count: they are requested, and every gate was open at the last check. Gates change over days, and a check
    /// reads the whole history, so the result is stored and shared between processes.
    pub(crate) fn terms_count(&self, settings: &Settings) -> bool {
        if settings.feedback != FeedbackMode::On {
            return false;
        }
        let days = settings.feedback_shadow_days;
        let looked =
            crate::cache::keep(&self.gates, (self.clock.now().0.div_euclid(BELIEVED_MILLIS), days), |_| self.gates_are_open(settings));
        looked.map_or_else(
            |fault| {
                tracing::warn!("learned terms don't count: the gates can't be looked at: {fault}");
                false
            },
            |open| *open,
        )
    }

    fn gates_are_open(&self, settings: &Settings) -> Result<bool> {
        let (now, days) = (self.clock.now(), settings.feedback_shadow_days);
        let Some(kept) = self.read_history(|r| Ok(r.last_look()?))? else { return Ok(false) };
        let fresh = |at: Timestamp| at <= now && now.millis_since(at) < LOOK_MILLIS;
        if let Some((_, _, open)) = kept.filter(|(at, asked, _)| fresh(*at) && *asked == days) {
            return Ok(open);
        }
        let open = self.gates(settings, &self.recorded()?)?.gates.iter().all(|gate| gate.open);
        self.store_look(settings, open);
        Ok(open)
    }

    /// Stores a check, so that what is shown and what is in force are the same. A check that can't be stored is made again.
    pub(crate) fn store_look(&self, settings: &Settings, open: bool) {
        let days = settings.feedback_shadow_days;
        let stored =
            if self.is_read_only() { Ok(None) } else { self.write_history(|tx| Ok(tx.set_last_look(self.clock.now(), days, open)?)) };
        stored.map(drop).unwrap_or_else(|fault| tracing::warn!("the look at the gates can't be stored: {fault}"));
    }

    /// Every gate, measured now.
    pub(crate) fn gates(&self, settings: &Settings, history: &History) -> Result<Gates> {
        let now = self.clock.now();
        let learnt = self.learnt(now, history)?;
        let all: Vec<&Feedback> = learnt.feedback.iter().map(|(_, feedback)| feedback).collect();
        let living = |(id, feedback): &(LearningId, Feedback)| {
            let of = feedback.terms.iter().filter(|term| strength(term, now) > 0.0);
            of.map(|term| (id.clone(), term.clone())).collect::<Vec<_>>()
        };
        // No term leads to what is retired or was replaced.
        let active = learnt.feedback.iter().filter(|(id, _)| learnt.written.contains_key(id));
        let in_force: Vec<(LearningId, LearnedTerm)> = active.flat_map(living).collect();
        let terms = measured::rows(&in_force, &history.queries, &history.heard, now);
        let only: Vec<&LearnedTerm> = in_force.iter().map(|(_, term)| term).collect();
        let times: Vec<Timestamp> = history.queries.iter().map(|query| query.at).collect();
        let cycles = cycles::cycles(&times);
        let truth = history.truth();
        let comparisons = self.comparisons(settings, history, &truth)?;
        let trials = history.trials(&comparisons);
        let arms = arms(&history.queries, &truth, &history.heard);
        let ToldTerms { told, taken_back, first, questions } = told_terms(&learnt.lines, history);
        let is_watched =
            |query: &QueryRecord| questions.contains(query.id.as_str()) || query.results.iter().any(|result| !result.terms.is_empty());
        let first_question = history.queries.iter().position(is_watched);
        let ages = in_force.iter().filter_map(|(id, term)| Some((*learnt.written.get(id)?, term.learnt)));
        let promoted = learnt.feedback.iter().filter_map(|(id, feedback)| Some((history.place_of(id), feedback.promoted?)));
        let keys: BTreeSet<(LearningId, String)> = in_force.iter().map(|(id, term)| (id.clone(), term.term.clone())).collect();
        let chunks = chunk_gate(settings, &trials, compared_days(&comparisons, settings, history));
        let order = order_gate(&chunks, &trials);
        let gates = vec![
            column::row(&learnt.indexes, learnt.full_text),
            denylist::row(only.iter().map(|term| &term.term)),
            caps::row(all.iter().copied()),
            lifetime::row(only.iter().copied(), now),
            top_ranks::row(only.iter().copied()),
            shadow::row(&times, first, first_question, settings.feedback_shadow_days),
            age::row(ages),
            rollback::row(all.iter().copied(), taken_back),
            audit::row(&keys, &told),
            measured::row(&terms),
            cycles::row(&cycles),
            chunks,
            order,
            promotion::row(promoted),
            trial_gate(&trials, &arms),
        ];
        Ok(Gates { gates, cycles, terms, trials, arms })
    }

    fn learnt(&self, now: Timestamp, history: &History) -> Result<Learnt> {
        self.db.read(|r| {
            let feedback = r.feedback(None)?;
            let taught = feedback.iter().filter(|(_, feedback)| !feedback.terms.is_empty());
            let ids: Vec<LearningId> = taught.map(|(id, _)| id.clone()).collect();
            let learnings = r.learnings_by_id(&ids)?;
            let mut first = BTreeMap::new();
            for learning in &learnings {
                // An inherited term was learned for the replaced words.
                let at = written(r, &learning.id, learning.created, now)?;
                let earliest = first.entry(history.place_of(&learning.id)).or_insert(at);
                *earliest = at.min(*earliest);
            }
            let active = learnings.iter().filter(|learning| learning.state == LearningState::Active);
            let lines = r.feedback_lines()?;
            Ok(Learnt {
                written: active.filter_map(|of| Some((of.id.clone(), *first.get(of.id.as_str())?))).collect(),
                feedback,
                indexes: r.indexes_of_learned_terms()?,
                full_text: r.full_text_tables()?.len(),
                lines: lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect(),
            })
        })
    }
}

/// What journal lines say about learned terms.
struct ToldTerms {
    /// Learning and term.
    told: BTreeSet<(LearningId, String)>,
    /// How many were rolled back.
    taken_back: usize,
    /// When the first was learned.
    first: Option<Timestamp>,
    /// Ids of the questions that taught.
    questions: BTreeSet<String>,
}

fn told_terms(lines: &[Line], history: &History) -> ToldTerms {
    let mut found = ToldTerms { told: BTreeSet::new(), taken_back: 0, first: None, questions: BTreeSet::new() };
    for line in lines {
        match &line.event {
            Event::TermsLearnt { learning, terms, query, .. } => {
                found.first = found.first.or(Some(line.at)).min(Some(line.at));
                found.told.extend(terms.iter().map(|term| (history.place_of(learning).to_owned(), term.clone())));
                found.questions.insert(query.clone());
            }
            Event::TermsDropped { terms, because: ralph_core::feedback::TermsDropped::RolledBack, .. } => found.taken_back += terms.len(),
            _ => {}
        }
    }
    found
}

/// The alternative against which the chunk bonus in force is measured: no bonus at all or, where none is in force, the proposed one.
pub(crate) fn chunk_alternative(live: &Tuning) -> String {
    format!("chunk_bonus={}", if live.chunk_bonus == 0.0 { PROPOSED_BONUS } else { 0.0 })
}

/// Days of recorded time over which the questions compared under the other chunk bonus were asked.
fn compared_days(comparisons: &[ShadowRecord], settings: &Settings, history: &History) -> f64 {
    let other = chunk_alternative(&settings.recall);
    let compared: BTreeSet<&str> = comparisons.iter().filter(|c| c.other == other).map(|c| c.query.as_str()).collect();
    let times: Vec<Timestamp> = history.queries.iter().filter(|query| compared.contains(query.id.as_str())).map(|query| query.at).collect();
    days(&times)
}

/// Effect of joining chunks: the bonus in force against the other, on judged questions over the days of a shadow; none for memories with
/// one chunk.
fn chunk_gate(settings: &Settings, trials: &[Trial], compared_days: f64) -> Gate {
    let (live, days) = (&settings.recall, settings.feedback_shadow_days);
    let other = chunk_alternative(live);
    let one_chunk =
        [0.0, 0.25, 1.0].iter().all(|score| [live.chunk_bonus, PROPOSED_BONUS].iter().all(|b| aggregate(&[*score], *b) == *score));
    let single = if one_chunk { "one chunk scores as it is" } else { "one chunk scores otherwise" };
    let required = format!(
        "with chunk_bonus={} MRR@5 is at most {:.0} % below that with {other}, on {} judged queries over {days} days; one chunk scores as \
         it is",
        live.chunk_bonus,
        limits::TRIAL_TOLERANCE * 100.0,
        limits::TRIAL_QUERIES
    );
    let trial = trials.iter().find(|trial| trial.other == other);
    let Some((trial, of_live, delta)) = trial.and_then(|trial| Some((trial, trial.live_mrr?, trial.mrr_delta?))) else {
        let compared = trial.map_or(0, |trial| trial.queries);
        let measured = format!("0 of {} judged queries, {compared} compared; {single}", limits::TRIAL_QUERIES);
        return gate("chunk_aggregation", required, measured, false);
    };
    let measured = format!(
        "{of_live:.3} against {:.3}, on {} judged queries, compared over {} of {days} days; {single}",
        of_live + delta,
        trial.questions,
        reached(compared_days, 1)
    );
    let within = of_live >= (of_live + delta) * (1.0 - limits::TRIAL_TOLERANCE);
    // If nothing has several chunks, the bonus changes no order: nothing was validated, and nothing is at risk.
    let lasted = compared_days >= f64::from(days);
    gate("chunk_aggregation", required, measured, one_chunk && lasted && trial.questions >= limits::TRIAL_QUERIES && within)
}

/// The judged questions of a trial that count as evidence: while there are too few, each with two orders counts once, however often it was
/// asked.
fn questions(trial: &Trial) -> u32 {
    if trial.queries_needed > 0 { limits::TRIAL_QUERIES.saturating_sub(trial.queries_needed) } else { trial.judged }
}

/// Lower risk comes first: learned terms wait for the measurements of everything else.
fn order_gate(chunks: &Gate, trials: &[Trial]) -> Gate {
    let compared: u32 = trials.iter().map(|trial| trial.queries).sum();
    let standing = if chunks.open { "open" } else { "closed" };
    let measured = format!("chunk aggregation is {standing}; {compared} shadow comparisons");
    gate("sprint_order", "chunk aggregation is validated and shadow comparisons are recorded first", measured, chunks.open && compared > 0)
}

/// The trial of learned terms themselves: promoted in the shadow, and not measured to be worse since they count.
fn trial_gate(trials: &[Trial], arms: &ArmsTrial) -> Gate {
    let required = format!(
        "in the shadow not worse for {} weeks in a row, on {} judged queries that both order differently; and not worse since they count",
        limits::TRIAL_WEEKS,
        limits::TRIAL_QUERIES
    );
    let shadow = trials.iter().find(|trial| trial.other == LEARNED);
    let in_shadow = shadow.map_or_else(
        || "no question yet with a learned term".to_owned(),
        |trial| {
            format!(
                "{} of {} weeks, {} such queries",
                trial.weeks_not_worse.min(limits::TRIAL_WEEKS),
                limits::TRIAL_WEEKS,
                questions(trial)
            )
        },
    );
    let since = match (arms.mrr_delta, arms.interval) {
        (Some(delta), Some(interval)) => format!("; since they count {delta:+.3} ({:+.3} to {:+.3})", interval.low, interval.high),
        _ => String::new(),
    };
    let open = shadow.is_some_and(|trial| trial.answer == TrialAnswer::Promote) && arms.answer != TrialAnswer::RollBack;
    gate("trial", required, format!("{in_shadow}{since}"), open)
}
