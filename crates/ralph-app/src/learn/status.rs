//! Activity of automatic learning, in numbers.

use crate::app::App;
use crate::clock::day_number;
use crate::error::Result;
use ralph_core::active_days::Day;
use ralph_core::detection::{DetectionKind, LearningCount, LearningTotal};
use ralph_core::memory::FactSource;
use ralph_core::settings::{AutomaticLearning, LearningExtractor, LearningMode};
use ralph_core::view::{LearningCounts, LearningDay, LearningStatus, ModeEffect};
use ralph_rag::learn::should_auto_learn;
use std::collections::BTreeMap;

/// Days shown individually, including today.
const DAYS: i64 = 30;
/// Days for which the effect of a mode is computed.
const WEEK: i64 = 7;

/// Counts of one day or several.
type Counts = BTreeMap<LearningCount, u32>;

impl App {
    /// Activity of automatic learning in the last thirty days, and what each mode would have covered in the last seven.
    pub fn learning_status(&self) -> Result<LearningStatus> {
        let settings = self.settings()?.automatic_learning;
        let written = self.written_settings()?;
        let extractor = if written.lacks_a_teller() {
            format!("rules, since {} can't tell them", written.agent)
        } else {
            settings.extractor.to_string()
        };
        let today = day_number(self.clock.now());
        let (days, (waiting, queue), facts) = self.db.read(|r| {
            let facts = r.facts(None)?.iter().filter(|fact| fact.source == FactSource::Code && fact.withdrawn.is_none()).count();
            let waiting = (r.count_waiting_detections()?, r.count_detections_to_ask()?);
            Ok::<_, crate::error::AppError>((r.learning_days(today - DAYS + 1)?, waiting, facts))
        })?;
        let total = days.values().fold(Counts::new(), |mut sum, day| {
            for (what, count) in day {
                *sum.entry(*what).or_default() += count;
            }
            sum
        });
        let week: Vec<&Counts> = days.range(today - WEEK + 1..).map(|(_, day)| day).collect();
        let modes = LearningMode::ALL.iter().map(|mode| (*mode, effect_of(&settings, *mode, &week))).collect();
        let by_day = days.iter().map(|(day, counts)| LearningDay { day: date(*day), counts: counted(counts) }).collect();
        Ok(LearningStatus {
            enabled: settings.enabled,
            mode: settings.mode,
            extractor,
            counts: counted(&total),
            waiting,
            queue: if settings.extractor == LearningExtractor::Rules { 0 } else { queue },
            facts: u32::try_from(facts).unwrap_or(u32::MAX),
            modes,
            days: by_day,
        })
    }
}

fn date(day: i64) -> String {
    Day(i32::try_from(day).unwrap_or_default()).to_string()
}

fn counted(counts: &Counts) -> LearningCounts {
    let of = |total: LearningTotal| counts.get(&LearningCount::Total(total)).copied().unwrap_or_default();
    let (mut detected, mut refused) = (BTreeMap::new(), BTreeMap::new());
    for (what, count) in counts {
        match what {
            LearningCount::Detected(kind) => _ = detected.insert(kind.to_string(), *count),
            LearningCount::Refused(refusal) => _ = refused.insert(refusal.to_string(), *count),
            LearningCount::Total(_) | LearningCount::ByRules(_) => {}
        }
    }
    LearningCounts {
        operations: of(LearningTotal::Operations),
        dropped: of(LearningTotal::Dropped),
        detections: detected.values().sum(),
        detected,
        episodes_created: of(LearningTotal::Stored),
        known: of(LearningTotal::Known),
        refused,
        extracted: of(LearningTotal::Extracted),
        fallback: of(LearningTotal::Fallback),
        extractor_calls: of(LearningTotal::ExtractorCalls),
        extractor_failed: of(LearningTotal::ExtractorFailed),
        extractor_ms: of(LearningTotal::ExtractorMillis),
        extractor_usd: f64::from(of(LearningTotal::ExtractorMicrodollars)) / 1e6,
    }
}

/// Detections of these days in the scope of a mode.
fn effect_of(settings: &AutomaticLearning, mode: LearningMode, days: &[&Counts]) -> ModeEffect {
    let settings = AutomaticLearning { enabled: true, mode, ..settings.clone() };
    let looked_at = DetectionKind::ALL.iter().filter(|kind| should_auto_learn(&settings, **kind));
    let count = |of: fn(DetectionKind) -> LearningCount| -> u32 {
        looked_at.clone().flat_map(|kind| days.iter().filter_map(move |day| day.get(&of(*kind)))).sum()
    };
    ModeEffect { detections: count(LearningCount::Detected), by_rules: count(LearningCount::ByRules) }
}
