//! Automatic learning: tool calls are tracked, detections are stored as rows at once, and what rules can settle becomes episodes.
//!
//! Nothing here blocks what it observes: an error is logged, and the call, the iteration or the run continues.

mod alike;
mod behind;
mod calls;
mod dead_ends;
mod extract;
mod listener;
pub(crate) mod memories;
#[cfg(test)]
mod month_tests;
mod over;
mod record_episode;
mod settle;
mod status;
#[cfg(test)]
mod tests;
mod told;

pub(crate) use calls::{HeardCall, OpenCalls, take_auto_learn};
pub use extract::Extraction;
pub use listener::{AnsweredCall, Listener};
pub use settle::SettleOutcome;
pub(crate) use told::ToldTexts;

use crate::app::App;
use crate::clock::day_number;
use crate::error::Result;
use ralph_core::IterationId;
use ralph_core::detection::{DetectionRefusal, LearningCount, LearningTotal};
use ralph_core::limits;
use ralph_core::settings::{AutomaticLearning, LearningExtractor};
use ralph_core::time::Timestamp;
use ralph_rag::learn::{Detection, lesson_of, should_auto_learn};
use sqlite_db::Tx;

/// Who made the calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Speaker {
    /// The iteration of the agent; `None` outside of runs.
    pub iteration: Option<IterationId>,
    /// The MCP client, outside of runs.
    pub session: String,
}

/// Why a detection is rejected, whatever the extractor.
fn out_of_question(settings: &AutomaticLearning, detection: &Detection) -> Option<DetectionRefusal> {
    if !detection.asked && !should_auto_learn(settings, detection.kind) {
        return Some(DetectionRefusal::NotTracked);
    }
    (detection.confidence < settings.min_episode_confidence).then_some(DetectionRefusal::Unsure)
}

/// Why rules have no lesson for a detection.
fn untold_by_rules(detection: &Detection) -> Option<DetectionRefusal> {
    match lesson_of(detection) {
        Some(_) => None,
        None if detection.kind.is_a_failure() => Some(DetectionRefusal::NothingDiffered),
        None => Some(DetectionRefusal::NeedsModel),
    }
}

/// Stores a detection as [`App::keep_detection`] does, with the number of operations observed until then.
pub(crate) fn keep_in(
    tx: &Tx<'_>,
    settings: &AutomaticLearning,
    speaker: &Speaker,
    (detection, heard): (&Detection, u32),
    now: Timestamp,
) -> Result<()> {
    let day = day_number(now);
    let by_rules = untold_by_rules(detection);
    if heard > 0 {
        tx.count_learning(day, LearningTotal::Operations, heard)?;
    }
    if let Some(worked) = detection.refuted() {
        return settle::refuse_refuted(tx, speaker, worked, day);
    }
    tx.count_learning(day, LearningCount::Detected(detection.kind), 1)?;
    if by_rules.is_none() {
        tx.count_learning(day, LearningCount::ByRules(detection.kind), 1)?;
    }
    let full = settings.extractor != LearningExtractor::Rules && tx.count_detections_to_ask()? >= limits::EXTRACTOR_QUEUE;
    let by_rules = match by_rules {
        Some(_) if full => Some(DetectionRefusal::QueueFull),
        // A model may state what rules can't.
        Some(_) if settings.extractor != LearningExtractor::Rules => None,
        untold => untold,
    };
    if let Some(refusal) = out_of_question(settings, detection).or(by_rules) {
        return Ok(tx.count_learning(day, LearningCount::Refused(refusal), 1)?);
    }
    let record = serde_json::to_value(detection).unwrap_or_default();
    let id = tx.insert_detection(detection.kind, speaker.iteration, &speaker.session, &record, now)?;
    if full {
        tx.leave_to_rules(id, DetectionRefusal::QueueFull)?;
    }
    Ok(())
}

impl App {
    /// Stores a detection that needs a decision; of others only the count. One that refutes another settles that one. Also counts the
    /// operations observed until then.
    pub(crate) fn keep_detection(&self, settings: &AutomaticLearning, speaker: &Speaker, detection: &Detection, heard: u32) -> Result<()> {
        let now = self.clock.now();
        self.write(|tx| keep_in(tx, settings, speaker, (detection, heard), now))
    }

    /// Adds to today's count of operations.
    pub(crate) fn count_operations(&self, heard: u32, dropped: u32) -> Result<()> {
        if heard == 0 && dropped == 0 {
            return Ok(());
        }
        let day = day_number(self.clock.now());
        self.write(|tx| {
            for (what, count) in [(LearningTotal::Operations, heard), (LearningTotal::Dropped, dropped)] {
                if count > 0 {
                    tx.count_learning(day, what, count)?;
                }
            }
            Ok(())
        })
    }
}
