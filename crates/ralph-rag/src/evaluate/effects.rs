//! Effects of learnings on the attempts that were shown them.

use crate::words::Words;
use ralph_core::evaluation::{EffectOrder, LearningEffect, ToldAttempt};
use ralph_core::stats::{Comparison, Proportion, Strata, is_lower_at_every_look};
use ralph_core::view::EffectFigure;
use ralph_core::{IterationId, LearningId, count, text};
use std::collections::BTreeMap;

/// Characters of a learning shown in its row.
const TEXT_CHARS: usize = 120;

/// The effect of each learning, most shown first. A failure is *as it warns* when both name the same path, identifier, name or number.
pub fn effects(attempts: &[ToldAttempt], texts: &BTreeMap<LearningId, String>) -> Vec<LearningEffect> {
    let failures = failures(attempts);
    let of_learning = by_learning(attempts);
    let pairs = measured(&of_learning);
    let effect = |(id, (of, strata)): (&LearningId, (Vec<usize>, Strata<Proportion>))| {
        let text = texts.get(id)?;
        let among = Among::of(attempts, &failures, &of, text);
        let count = |figure| count(among.behind(figure).len());
        Some(LearningEffect {
            learning: id.clone(),
            text: text::cut(text, TEXT_CHARS).to_owned(),
            shown: count(EffectFigure::Shown),
            succeeded: count(EffectFigure::Succeeded),
            failed: count(EffectFigure::Failed),
            failed_as_warned: count(EffectFigure::FailedAsWarned),
            avoided: count(EffectFigure::Avoided),
            withheld: strata.second(),
            harmful: is_lower_at_every_look(&strata, pairs),
            effect: Comparison::of_rates(&strata),
        })
    };
    let mut effects: Vec<LearningEffect> = of_learning.into_iter().filter_map(effect).collect();
    effects.sort_by(|a, b| (b.shown, &a.learning).cmp(&(a.shown, &b.learning)));
    effects
}

/// Puts effects, most shown first, into another order.
pub fn order(effects: &mut [LearningEffect], by: EffectOrder) {
    let difference = |effect: &LearningEffect| match &effect.effect {
        Comparison::Measured { difference, .. } => Some(*difference),
        Comparison::NotEnough { .. } => None,
    };
    let key = |effect: &LearningEffect| match by {
        EffectOrder::Told => 0.0,
        EffectOrder::Effect => difference(effect).unwrap_or(f64::NEG_INFINITY),
        EffectOrder::Harm => difference(effect).map_or(f64::NEG_INFINITY, |difference| -difference),
        EffectOrder::Failed => f64::from(effect.failed_as_warned),
    };
    effects.sort_by(|a, b| key(b).total_cmp(&key(a)));
}

/// The iterations counted by a figure in the effect of a learning with this text: as many as the figure says.
pub fn behind(attempts: &[ToldAttempt], learning: &LearningId, text: &str, figure: EffectFigure) -> Vec<IterationId> {
    let of: Vec<usize> = (0..attempts.len()).filter(|at| attempts[*at].learnings.contains(learning)).collect();
    Among::of(attempts, &failures(attempts), &of, text).behind(figure).into_iter().map(|at| attempts[at].iteration).collect()
}

fn failures(attempts: &[ToldAttempt]) -> Vec<Option<Words>> {
    attempts.iter().map(|attempt| attempt.failure.as_deref().map(Words::of)).collect()
}

/// The attempts of one learning, each with whether it failed as the learning warns.
struct Among<'a> {
    of: Vec<(usize, &'a ToldAttempt, bool)>,
}

impl<'a> Among<'a> {
    fn of(attempts: &'a [ToldAttempt], failures: &[Option<Words>], of: &[usize], text: &str) -> Among<'a> {
        let words = Words::of(text);
        let as_warned = |at: usize| failures[at].as_ref().is_some_and(|failure| failure.shared(&words).1 > 0);
        Among { of: of.iter().map(|at| (*at, &attempts[*at], as_warned(*at))).collect() }
    }

    /// The indexes of the attempts that a figure counts.
    fn behind(&self, figure: EffectFigure) -> Vec<usize> {
        // A failure that never happened to anybody was not avoided either.
        let at_stake = self.of.iter().any(|(.., warned)| *warned);
        let counts = |attempt: &ToldAttempt, warned: bool| match figure {
            EffectFigure::Shown => !attempt.held_out,
            EffectFigure::Succeeded => !attempt.held_out && attempt.done,
            EffectFigure::Failed => !attempt.held_out && !attempt.done,
            EffectFigure::FailedAsWarned => !attempt.held_out && !attempt.done && warned,
            EffectFigure::Avoided => at_stake && !attempt.held_out && (attempt.done || !warned),
            EffectFigure::Withheld => attempt.hold_out > 0 && attempt.held_out,
            EffectFigure::Compared => attempt.hold_out > 0,
        };
        self.of.iter().filter(|(_, attempt, warned)| counts(attempt, *warned)).map(|(at, ..)| *at).collect()
    }
}

/// Learnings with which attempts succeed measurably less often than without, and by how much.
pub fn harmful(attempts: &[ToldAttempt]) -> BTreeMap<&LearningId, Comparison> {
    let of_learning = by_learning(attempts);
    let pairs = measured(&of_learning);
    let harm = |(id, (_, strata)): (_, (_, Strata<Proportion>))| {
        // This is asked after every attempt, about every learning: chance must not sooner or later be taken for harm.
        is_lower_at_every_look(&strata, pairs).then(|| (id, Comparison::of_rates(&strata)))
    };
    of_learning.into_iter().filter_map(harm).collect()
}

/// The attempts with each learning, by their indexes, and how many succeeded among those that were told it and those it was withheld from.
fn by_learning(attempts: &[ToldAttempt]) -> BTreeMap<&LearningId, (Vec<usize>, Strata<Proportion>)> {
    let mut of_learning: BTreeMap<&LearningId, (Vec<usize>, Strata<Proportion>)> = BTreeMap::new();
    for (at, attempt) in attempts.iter().enumerate() {
        for id in &attempt.learnings {
            let (of, strata) = of_learning.entry(id).or_default();
            of.push(at);
            if attempt.hold_out > 0 {
                strata.count(attempt.hold_out, attempt.held_out, attempt.done);
            }
        }
    }
    of_learning
}

/// The number of learnings with enough attempts on both sides.
fn measured(of_learning: &BTreeMap<&LearningId, (Vec<usize>, Strata<Proportion>)>) -> u32 {
    let is_measured = |strata: &Strata<Proportion>| matches!(Comparison::of_rates(strata), Comparison::Measured { .. });
    count(of_learning.values().filter(|(_, strata)| is_measured(strata)).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(held_out: bool, done: bool, failure: Option<&str>) -> ToldAttempt {
        ToldAttempt { iteration: 0, held_out, hold_out: 50, done, learnings: vec!["L1".into()], failure: failure.map(str::to_owned) }
    }

    #[test]
    fn an_effect_is_counted_from_attempts_and_measured_against_those_without() {
        let texts = BTreeMap::from([("L1".to_owned(), "src/refund.rs needs a key for every retry".to_owned())]);
        let mut attempts: Vec<ToldAttempt> = (0..30).map(|n| attempt(false, n < 24, (n >= 24).then_some("the network was down"))).collect();
        attempts.extend((0..30).map(|n| attempt(true, n < 6, (n >= 6).then_some("src/refund.rs charged twice"))));
        let found = effects(&attempts, &texts).remove(0);
        assert_eq!((found.shown, found.succeeded, found.failed, found.failed_as_warned, found.avoided), (30, 24, 6, 0, 30));
        assert!(found.effect.shows_an_effect() && !found.harmful);
        assert!(harmful(&attempts).is_empty());

        let mut turned: Vec<ToldAttempt> = attempts.into_iter().map(|a| ToldAttempt { held_out: !a.held_out, ..a }).collect();
        let found = effects(&turned, &texts).remove(0);
        assert_eq!(harmful(&turned).into_iter().collect::<Vec<_>>(), [(&"L1".to_owned(), found.effect)]);
        assert!(found.harmful && found.failed_as_warned == 24 && found.avoided == 6, "{found:?}");

        for (number, attempt) in (1..).zip(&mut turned) {
            attempt.iteration = number;
        }
        let rows = |figure| behind(&turned, &"L1".to_owned(), &texts["L1"], figure);
        assert_eq!(rows(EffectFigure::FailedAsWarned), (37..=60).collect::<Vec<u32>>());
        assert_eq!(rows(EffectFigure::Avoided), (31..=36).collect::<Vec<u32>>());
        let counts = EffectFigure::ALL.iter().map(|figure| rows(*figure).len()).collect::<Vec<_>>();
        assert_eq!(counts, [30, 6, 24, 24, 6, 30, 60]);

        let few = effects(&[attempt(false, true, None)], &texts).remove(0);
        assert_eq!((few.effect, few.avoided, few.harmful), (Comparison::NotEnough { have: 0, need: 20 }, 0, false));
        assert_eq!(effects(&turned, &BTreeMap::new()), vec![], "what is gone has no row");
    }

    #[test]
    fn a_learning_told_of_hard_tasks_and_withheld_from_easy_ones_does_no_harm() {
        let texts = BTreeMap::from([("L1".to_owned(), "src/refund.rs needs a key for every retry".to_owned())]);
        let run = |hold_out: u32, done| (0..50).map(move |n| ToldAttempt { hold_out, ..attempt(n * 2 < hold_out, done, None) });
        let attempts: Vec<ToldAttempt> = run(90, true).chain(run(10, false)).collect();
        let found = effects(&attempts, &texts).remove(0);
        assert!(!found.harmful && !found.effect.shows_an_effect() && harmful(&attempts).is_empty(), "{found:?}");
        assert_eq!(found.withheld, Proportion { successes: 45, trials: 50 });
    }

    #[test]
    fn effects_stand_in_the_order_that_is_asked_for() {
        let row = |learning: &str, shown, failed_as_warned, [with, without]: [u32; 2]| {
            let side = |successes| Proportion { trials: if with + without > 0 { 30 } else { 0 }, successes };
            let effect = Comparison::of_rates(&Strata::one(side(with), side(without)));
            let texts = BTreeMap::from([("L1".to_owned(), String::new())]);
            let one = effects(&[attempt(false, true, None)], &texts).remove(0);
            LearningEffect { learning: learning.into(), shown, failed_as_warned, effect, ..one }
        };
        // Most shown first.
        let told = [
            row("unknown", 9, 0, [0, 0]),
            row("good", 8, 1, [24, 6]),
            row("bad", 7, 3, [6, 24]),
            row("none", 6, 3, [9, 9]),
            row("best", 5, 0, [30, 3]),
        ];
        let ordered = |by| {
            let mut rows = told.to_vec();
            order(&mut rows, by);
            rows.into_iter().map(|row| row.learning).collect::<Vec<_>>()
        };
        assert_eq!(ordered(EffectOrder::Told), ["unknown", "good", "bad", "none", "best"]);
        assert_eq!(ordered(EffectOrder::Effect), ["best", "good", "none", "bad", "unknown"]);
        assert_eq!(ordered(EffectOrder::Harm), ["bad", "none", "good", "best", "unknown"]);
        assert_eq!(ordered(EffectOrder::Failed), ["bad", "none", "good", "unknown", "best"]);
    }
}
