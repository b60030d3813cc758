//! Saturation of a feature at any time, from the journal.

use crate::journal::{Event, Knowledge, Line};
use ralph_core::LearningId;
use ralph_core::learning::LearningState;
use ralph_core::limits::SATURATION_POINTS;
use ralph_core::saturation::{SaturationHistory, SaturationPoint, compute_feature_saturation};
use ralph_core::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Where a learning counts: the key of its feature, and whether it is protected there.
type Place = (String, bool);

/// Running counts of active and protected learnings of one feature.
#[derive(Debug, Default)]
struct RunningCounts {
    active: u32,
    protected: u32,
    points: Vec<SaturationPoint>,
}

/// The project's cap at a time, for features without their own: where a line records it, and today's.
struct DefaultCaps {
    today: u32,
    of_feature: BTreeMap<String, u32>,
}

/// The saturation of every feature over time, by name. One point gives the state after an act, never an intermediate one: a replacement
/// changes nothing. Lines come from any number of journals in any order; each counts once. `default_cap` is the project's current cap,
/// which counts as in force at any time unless a line says otherwise.
pub fn saturation_history(lines: impl IntoIterator<Item = Line>, default_cap: u32) -> Vec<SaturationHistory> {
    let sorted: BTreeMap<String, Line> = lines.into_iter().map(|line| (line.id.clone(), line)).collect();
    let mut caps = DefaultCaps { today: default_cap, of_feature: BTreeMap::new() };
    for line in sorted.values().rev() {
        if let Event::DefaultCap { feature, before, .. } = &line.event {
            caps.of_feature.insert(feature.to_ascii_lowercase(), *before);
        }
    }
    let mut known = Knowledge::default();
    let mut places: BTreeMap<LearningId, Place> = BTreeMap::new();
    let mut counted: BTreeMap<String, RunningCounts> = BTreeMap::new();
    let mut changed: BTreeSet<String> = BTreeSet::new();
    let mut lines = sorted.values().peekable();
    while let Some(line) = lines.next() {
        known.apply(line);
        if let Event::Feature { feature, .. } = &line.event {
            changed.insert(feature.name.to_ascii_lowercase());
        }
        if let Event::DefaultCap { feature, max_learnings, .. } = &line.event {
            caps.of_feature.insert(feature.to_ascii_lowercase(), *max_learnings);
            changed.insert(feature.to_ascii_lowercase());
        }
        for id in line.event.names_learnings() {
            recount(&known, id, &mut places, &mut counted, &mut changed);
        }
        let act = |line: &Line| line.act.clone().unwrap_or_else(|| line.id.clone());
        if lines.peek().is_none_or(|next| act(next) != act(line)) {
            for key in std::mem::take(&mut changed) {
                add_point(&known, &key, counted.entry(key.clone()).or_default(), line.at, &caps);
            }
        }
    }
    let name = |key: &str| known.feature(key).map_or_else(|| key.to_owned(), |feature| feature.name.clone());
    counted
        .into_iter()
        .map(|(key, mut counted)| {
            let excess = counted.points.len().saturating_sub(SATURATION_POINTS);
            counted.points.drain(..excess);
            SaturationHistory { feature: name(&key), points: counted.points }
        })
        .collect()
}

/// Moves a learning's count to its current place.
fn recount(
    known: &Knowledge,
    id: &str,
    places: &mut BTreeMap<LearningId, Place>,
    counted: &mut BTreeMap<String, RunningCounts>,
    changed: &mut BTreeSet<String>,
) {
    let active = known.learnings.get(id).filter(|learning| learning.state == LearningState::Active);
    let now = active.map(|learning| (learning.feature.to_ascii_lowercase(), !learning.is_auto_prunable()));
    if places.get(id) == now.as_ref() {
        return;
    }
    if let Some((key, protected)) = places.remove(id) {
        let before = counted.entry(key.clone()).or_default();
        before.active -= 1;
        before.protected -= u32::from(protected);
        changed.insert(key);
    }
    if let Some((key, protected)) = now {
        let after = counted.entry(key.clone()).or_default();
        after.active += 1;
        after.protected += u32::from(protected);
        changed.insert(key.clone());
        places.insert(id.to_owned(), (key, protected));
    }
}

/// Adds a point for a feature if its saturation differs from the previous point.
fn add_point(known: &Knowledge, key: &str, counted: &mut RunningCounts, at: Timestamp, caps: &DefaultCaps) {
    let own = known.feature(key).and_then(|feature| feature.max_learnings);
    let cap = own.unwrap_or_else(|| caps.of_feature.get(key).copied().unwrap_or(caps.today));
    let saturation = compute_feature_saturation(key, counted.active, counted.protected, cap);
    let last = counted.points.last();
    // Another clone's clock may have been behind.
    let at = last.map_or(at, |last| last.at.max(at));
    let point = SaturationPoint {
        at,
        learnings_count: saturation.learnings_count,
        max_learnings: saturation.max_learnings,
        protected_count: saturation.protected_count,
        saturation_pct: saturation.saturation_pct,
        level: saturation.level,
    };
    if last.is_none_or(|last| SaturationPoint { at, ..last.clone() } != point) {
        counted.points.push(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::VERSION;
    use ralph_core::feature::Feature;
    use ralph_core::learning::FeatureLearning;

    /// A line of the act `act` at millisecond `at`.
    fn line(id: &str, act: &str, at: i64, event: Event) -> Line {
        Line { v: VERSION, id: id.into(), at: Timestamp(at), offset: None, replica: None, act: Some(act.into()), event }
    }

    fn feature(name: &str, max_learnings: Option<u32>) -> Event {
        Event::Feature { feature: Box::new(Feature { max_learnings, ..Feature::new(name, Timestamp(1)) }), changed: None }
    }

    fn learned(id: &str) -> Event {
        Event::Learned { learning: Box::new(crate::testing::learning(id, "Refunds use the provider clock")), gate: None }
    }

    /// Time, active, protected, cap and percent of each point of a feature.
    fn points(histories: &[SaturationHistory], name: &str) -> Vec<[i64; 5]> {
        let history = histories.iter().find(|history| history.feature == name).expect("the feature has a history");
        let numbers = |p: &SaturationPoint| {
            [p.at.0, p.learnings_count.into(), p.protected_count.into(), p.max_learnings.into(), p.saturation_pct.into()]
        };
        history.points.iter().map(numbers).collect()
    }

    #[test]
    fn an_act_leaves_one_point_and_none_when_one_learning_took_another_s_place() {
        let lines = vec![
            line("01", "01", 10, feature("Pay", None)),
            line("02", "02", 20, learned("A")),
            line("03", "03", 30, Event::Reviewed { learning: "A".into(), by: "human".into() }),
            line("04", "04", 40, learned("B")),
            line("05", "05", 50, Event::Pruned { learning: "B".into(), for_learning: "C".into() }),
            line("06", "05", 50, learned("C")),
            line("07", "07", 60, Event::Observed { learning: "C".into(), iteration: Some(1), in_replica: None, counted: true, said: None }),
            line("08", "08", 70, feature("pay", Some(4))),
            line("09", "09", 80, Event::Retired { learning: "C".into() }),
        ];
        let expected =
            vec![[10, 0, 0, 10, 0], [20, 1, 0, 10, 10], [30, 1, 1, 10, 10], [40, 2, 1, 10, 20], [70, 2, 1, 4, 50], [80, 1, 1, 4, 25]];
        assert_eq!(points(&saturation_history(lines.clone(), 10), "Pay"), expected);
        let twice: Vec<Line> = lines.iter().rev().chain(&lines).cloned().collect();
        assert_eq!(points(&saturation_history(twice, 10), "Pay"), expected, "in any order, each once");
    }

    #[test]
    fn a_learning_that_moves_counts_where_it_went() {
        let moved = FeatureLearning { feature: "shop".into(), ..crate::testing::learning("A", "Text") };
        let lines = vec![
            line("01", "01", 10, feature("pay", None)),
            line("02", "02", 20, feature("shop", None)),
            line("03", "03", 30, learned("A")),
            line("04", "04", 40, Event::MovedOut { learning: "A".into(), to: "shop".into() }),
            line("05", "04", 40, Event::MovedIn { learning: Box::new(moved), from: "pay".into() }),
        ];
        let histories = saturation_history(lines, 50);
        assert_eq!(points(&histories, "pay"), [[10, 0, 0, 50, 0], [30, 1, 0, 50, 2], [40, 0, 0, 50, 0]]);
        assert_eq!(points(&histories, "shop"), [[20, 0, 0, 50, 0], [40, 1, 0, 50, 2]]);
    }

    #[test]
    fn each_moment_is_measured_by_the_cap_that_was_in_force() {
        let cap = |max_learnings, before| Event::DefaultCap { feature: "Pay".into(), max_learnings, before };
        let lines = vec![
            line("01", "01", 10, feature("pay", None)),
            line("02", "02", 20, learned("A")),
            line("03", "03", 30, feature("shop", None)),
            line("04", "04", 40, cap(10, 50)),
            line("05", "05", 50, learned("B")),
            line("06", "06", 60, cap(20, 10)),
            // Another clone finds the same change later.
            line("07", "07", 70, cap(20, 10)),
        ];
        let histories = saturation_history(lines, 100);
        let expected = [[10, 0, 0, 50, 0], [20, 1, 0, 50, 2], [40, 1, 0, 10, 10], [50, 2, 0, 10, 20], [60, 2, 0, 20, 10]];
        assert_eq!(points(&histories, "pay"), expected);
        assert_eq!(points(&histories, "shop"), [[30, 0, 0, 100, 0]], "today's, as far as its journal tells");
    }

    #[test]
    fn time_never_runs_back_and_the_oldest_points_give_way() {
        let mut lines = vec![line("00000", "00000", 9_000_000, feature("pay", None))];
        let many = SATURATION_POINTS + 5;
        lines.extend((1..=many).map(|n| line(&format!("{n:05}"), &format!("{n:05}"), 5, learned(&format!("L{n}")))));
        let history = saturation_history(lines, 50).remove(0);
        assert_eq!(history.points.len(), SATURATION_POINTS);
        assert_eq!(history.points.last().map(|p| p.learnings_count as usize), Some(many));
        assert!(history.points.iter().all(|p| p.at == Timestamp(9_000_000)));
    }
}
