//! The gates of learned terms, each measured on rows.

use crate::app::App;
use crate::error::Result;
use crate::evaluation::history::History;
use ralph_core::LearningId;
use ralph_core::evaluation::{Cycle, Gate, LearnedTermRow, Trial};
use ralph_core::feedback::{Feedback, FeedbackMode, LearnedTerm};
use ralph_core::limits;
use ralph_core::time::Timestamp;
use ralph_core::view::Settings;
use ralph_rag::evaluate::{cycles, trial};
use ralph_rag::feedback::gate::gate;
use ralph_rag::feedback::lifetime::strength;
use ralph_rag::feedback::{age, audit, caps, column, denylist, lifetime, measured, promotion, rollback, shadow, top_ranks};
use ralph_rag::journal::{Event, Line};
use ralph_rag::recall::aggregate;
use std::collections::{BTreeMap, BTreeSet};

/// Name of the alternative without a chunk bonus.
pub(crate) const WITHOUT_BONUS: &str = "chunk_bonus=0";
/// Milliseconds for which a process caches the result of the gates.
const BELIEVED_MILLIS: i64 = 600_000;
/// Milliseconds for which a stored check is valid.
const LOOK_MILLIS: u64 = 6 * 3_600_000;

/// The gates, and their measurements.
pub(crate) struct Gates {
    pub gates: Vec<Gate>,
    pub cycles: Vec<Cycle>,
    pub terms: Vec<LearnedTermRow>,
    pub trials: Vec<Trial>,
}

/// Learned terms in the project's database.
struct Learnt {
    feedback: Vec<(LearningId, Feedback)>,
    created: BTreeMap<LearningId, Timestamp>,
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
            crate::cache::keep(&self.gates, (self.clock.now().0.div_euclid(BELIEVED_MILLIS), days), || self.gates_are_open(settings));
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
        let Some(db) = self.evaluation_db()? else { return Ok(false) };
        let kept = db.read(|r| r.last_look())?;
        let fresh = |at: Timestamp| at <= now && now.millis_since(at) < LOOK_MILLIS;
        if let Some((_, _, open)) = kept.filter(|(at, asked, _)| fresh(*at) && *asked == days) {
            return Ok(open);
        }
        let open = self.gates(settings, &self.recorded()?)?.gates.iter().all(|gate| gate.open);
        db.writer()?.transaction(|tx| tx.set_last_look(now, days, open))?;
        Ok(open)
    }

    /// Every gate, measured now.
    pub(crate) fn gates(&self, settings: &Settings, history: &History) -> Result<Gates> {
        let now = self.clock.now();
        let learnt = self.learnt()?;
        let all: Vec<&Feedback> = learnt.feedback.iter().map(|(_, feedback)| feedback).collect();
        let living = |(id, feedback): &(LearningId, Feedback)| {
            let of = feedback.terms.iter().filter(|term| strength(term, now) > 0.0);
            of.map(|term| (id.clone(), term.clone())).collect::<Vec<_>>()
        };
        let in_force: Vec<(LearningId, LearnedTerm)> = learnt.feedback.iter().flat_map(living).collect();
        let terms = measured::rows(&in_force, &history.queries, &history.selections, now);
        let only: Vec<&LearnedTerm> = in_force.iter().map(|(_, term)| term).collect();
        let times: Vec<Timestamp> = history.queries.iter().map(|query| query.at).collect();
        let cycles = cycles::cycles(&times);
        let trials = trial::trials(&history.comparisons);
        let (told, taken_back, first) = told_terms(&learnt.lines);
        let ages = in_force.iter().filter_map(|(id, term)| Some((*learnt.created.get(id)?, term.learnt)));
        let promoted: Vec<Timestamp> = all.iter().filter_map(|feedback| feedback.promoted).collect();
        let keys: BTreeSet<(LearningId, String)> = in_force.iter().map(|(id, term)| (id.clone(), term.term.clone())).collect();
        let chunks = chunk_gate(&trials);
        let order = order_gate(&chunks, &trials);
        let gates = vec![
            column::row(&learnt.indexes, learnt.full_text),
            denylist::row(only.iter().map(|term| &term.term)),
            caps::row(all.iter().copied()),
            lifetime::row(only.iter().copied(), now),
            top_ranks::row(only.iter().copied()),
            shadow::row(&times, first, settings.feedback_shadow_days),
            age::row(ages),
            rollback::row(all.iter().copied(), taken_back),
            audit::row(&keys, &told),
            measured::row(&terms),
            cycles::row(&cycles),
            chunks,
            order,
            promotion::row(&promoted),
        ];
        Ok(Gates { gates, cycles, terms, trials })
    }

    fn learnt(&self) -> Result<Learnt> {
        self.db.read(|r| {
            let feedback = r.feedback(None)?;
            let ids: Vec<LearningId> = feedback.iter().map(|(id, _)| id.clone()).collect();
            let lines = r.feedback_lines()?;
            Ok(Learnt {
                created: r.learnings_by_id(&ids)?.into_iter().map(|learning| (learning.id, learning.created)).collect(),
                feedback,
                indexes: r.indexes_of_learned_terms()?,
                full_text: r.full_text_tables()?.len(),
                lines: lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect(),
            })
        })
    }
}

/// Terms recorded in lines, how many were rolled back, and when the first was learned.
fn told_terms(lines: &[Line]) -> (BTreeSet<(LearningId, String)>, usize, Option<Timestamp>) {
    let (mut told, mut taken_back, mut first) = (BTreeSet::new(), 0, None);
    for line in lines {
        match &line.event {
            Event::TermsLearnt { learning, terms, .. } => {
                first = first.or(Some(line.at)).min(Some(line.at));
                told.extend(terms.iter().map(|term| (learning.clone(), term.clone())));
            }
            Event::TermsDropped { terms, because: ralph_core::feedback::TermsDropped::RolledBack, .. } => taken_back += terms.len(),
            _ => {}
        }
    }
    (told, taken_back, first)
}

/// Effect of joining chunks: against the ranking without the bonus, on judged questions; none for memories with one chunk.
fn chunk_gate(trials: &[Trial]) -> Gate {
    let one_chunk = [0.0, 0.25, 1.0].iter().all(|score| aggregate(&[*score], 0.3) == *score);
    let tolerance = limits::TRIAL_TOLERANCE * 100.0;
    let required = format!(
        "MRR@5 within {tolerance:.0} % of that without the chunk bonus, on {} judged queries; one chunk scores as it is",
        limits::TRIAL_QUERIES
    );
    let single = if one_chunk { "one chunk scores as it is" } else { "one chunk scores otherwise" };
    let Some(trial) = trials.iter().find(|trial| trial.other == WITHOUT_BONUS) else {
        let measured = format!("0 of {} judged queries compared; {single}", limits::TRIAL_QUERIES);
        return gate("chunk_aggregation", required, measured, false);
    };
    let delta = trial.mrr_delta.unwrap_or(0.0);
    let measured = format!("{:+.3} against that without, on {} judged queries; {single}", -delta, trial.judged);
    // The alternative may be better by at most the tolerance; in points, since the live mean is at most 1.
    let open = one_chunk && trial.judged >= limits::TRIAL_QUERIES && delta <= limits::TRIAL_TOLERANCE;
    gate("chunk_aggregation", required, measured, open)
}

/// Lower risk comes first: learned terms wait for the measurements of everything else.
fn order_gate(chunks: &Gate, trials: &[Trial]) -> Gate {
    let compared: u32 = trials.iter().map(|trial| trial.queries).sum();
    let standing = if chunks.open { "open" } else { "closed" };
    let measured = format!("chunk aggregation is {standing}; {compared} shadow comparisons");
    gate("sprint_order", "chunk aggregation is validated and shadow comparisons are recorded first", measured, chunks.open && compared > 0)
}
