//! Activity of automatic learning, in numbers.

use crate::app::App;
use crate::error::Result;
use ralph_core::active_days::Day;
use ralph_core::detection::DetectionKind;
use ralph_core::memory::FactSource;
use ralph_core::settings::{AutomaticLearning, LearningExtractor, LearningMode};
use ralph_core::view::{LearningDay, LearningStatus, ModeEffect};
use ralph_rag::learn::should_auto_learn;
use std::collections::BTreeMap;

/// Days shown individually, including today.
const DAYS: i64 = 30;
/// Days for which the effect of a mode is computed.
const WEEK: i64 = 7;

impl App {
    /// Activity of automatic learning in the last thirty days, and what each mode would have covered in the last seven.
    pub fn learning_status(&self) -> Result<LearningStatus> {
        let settings = self.settings()?.automatic_learning;
        let today = i64::from(Day::of(self.clock.now(), 0).0);
        let (days, (waiting, queue), facts) = self.db.read(|r| {
            let facts = r.facts(None)?.iter().filter(|fact| fact.source == FactSource::Code && fact.withdrawn.is_none()).count();
            let waiting = (r.count_waiting_detections()?, r.count_detections_to_ask()?);
            Ok::<_, crate::error::AppError>((r.learning_days(today - DAYS + 1)?, waiting, facts))
        })?;
        let total = days.values().fold(BTreeMap::new(), |mut sum: BTreeMap<String, u32>, day| {
            for (what, count) in day {
                *sum.entry(what.clone()).or_default() += count;
            }
            sum
        });
        let week: Vec<&BTreeMap<String, u32>> = days.range(today - WEEK + 1..).map(|(_, day)| day).collect();
        let modes = LearningMode::ALL.iter().map(|mode| (*mode, effect_of(&settings, *mode, &week))).collect();
        let by_day = days.iter().map(|(day, counts)| LearningDay { day: date(*day), counts: counted(counts) }).collect();
        Ok(LearningStatus {
            enabled: settings.enabled,
            mode: settings.mode,
            extractor: settings.extractor.to_string(),
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

fn counted(counts: &BTreeMap<String, u32>) -> ralph_core::view::LearningCounts {
    let of = |what: &str| counts.get(what).copied().unwrap_or_default();
    let beginning = |with: &str| -> BTreeMap<String, u32> {
        counts.iter().filter_map(|(what, count)| Some((what.strip_prefix(with)?.to_owned(), *count))).collect()
    };
    let detected = beginning("detected:");
    ralph_core::view::LearningCounts {
        operations: of("operations"),
        dropped: of("dropped"),
        detections: detected.values().sum(),
        detected,
        episodes_created: of("stored"),
        known: of("known"),
        refused: beginning("refused:"),
        extracted: of("extracted"),
        fallback: of("fallback"),
        extractor_calls: of(super::extract::CALLS),
        extractor_failed: of("extractor_failed"),
        extractor_ms: of("extractor_ms"),
        extractor_usd: f64::from(of(super::extract::MICRODOLLARS)) / 1e6,
    }
}

/// Detections of these days in the scope of a mode.
fn effect_of(settings: &AutomaticLearning, mode: LearningMode, days: &[&BTreeMap<String, u32>]) -> ModeEffect {
    let settings = AutomaticLearning { enabled: true, mode, ..settings.clone() };
    let looked_at = DetectionKind::ALL.iter().filter(|kind| should_auto_learn(&settings, **kind));
    let count = |what: &str| -> u32 {
        looked_at.clone().map(|kind| format!("{what}{kind}")).flat_map(|what| days.iter().filter_map(move |day| day.get(&what))).sum()
    };
    ModeEffect { detections: count("detected:"), by_rules: count(super::BY_RULES) }
}
