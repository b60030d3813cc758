//! Validations of a learning and their effect on its ranking: bounded above and below, and every promotion is reversible.

use super::gate::gate;
use ralph_core::LearningId;
use ralph_core::evaluation::Gate;
use ralph_core::feedback::{Feedback, FeedbackMode, Importance, Validation};
use ralph_core::limits;
use ralph_core::time::Timestamp;
use std::collections::BTreeSet;

/// Half-life of a refusal's weight in days.
const HALF_LIFE_DAYS: f64 = 30.0;
/// Weight of each refusal.
const REFUSAL: f64 = 0.1;

/// Whether a validation counts in addition to the existing ones, see [`Validation::repeats`].
pub fn counts(known: &[Validation], said: &Validation, alike: &[String]) -> bool {
    !known.iter().any(|other| said.repeats(other, alike))
}

/// The importance for this many validations.
pub fn due(useful: u32) -> Importance {
    let [important, critical] = limits::PROMOTION_VALIDATIONS;
    if useful >= critical {
        Importance::Critical
    } else if useful >= important {
        Importance::Important
    } else {
        Importance::Normal
    }
}

/// The next importance of a learning, if it is promoted by one step now, or demoted because validations were rolled back. `recent` =
/// learnings promoted within the window, each of which rises by one step in it.
pub fn step(feedback: &Feedback, recent: u32, now: Timestamp) -> Option<Importance> {
    let (current, due) = (feedback.importance, due(feedback.useful()));
    if due < current {
        return Some(due);
    }
    let rests = feedback.promoted.is_some_and(|at| now.distance_millis(at) < limits::PROMOTION_WINDOW_MILLIS);
    let next = match current {
        Importance::Normal => Importance::Important,
        Importance::Important | Importance::Critical => Importance::Critical,
    };
    (due > current && !rests && recent < limits::PROMOTIONS).then_some(next)
}

/// The learnings whose promotion is due now after waiting because others had risen within the window: the longest waiting first, and no
/// more than the window allows.
pub fn held_back<'f>(standing: impl IntoIterator<Item = (&'f LearningId, &'f Feedback)>, recent: u32, now: Timestamp) -> Vec<LearningId> {
    let last_useful = |feedback: &Feedback| feedback.validations.iter().filter(|said| said.useful).map(|said| said.at).max();
    let rises = |feedback: &Feedback| step(feedback, recent, now).is_some_and(|to| to > feedback.importance);
    let due = standing.into_iter().filter(|(_, feedback)| rises(feedback));
    let mut due: Vec<(Option<Timestamp>, &LearningId)> = due.map(|(id, feedback)| (last_useful(feedback), id)).collect();
    due.sort();
    due.into_iter().take(limits::PROMOTIONS.saturating_sub(recent) as usize).map(|(_, id)| id.clone()).collect()
}

/// The factor on a learning's score: 1 to 1.1 by its importance, times `max(0.3, 1 − 0.1 n 2^(−t / 30 d))` for `n` refusals, the last of
/// them `t` ago. A refusal dated in the future waits for its date, as a learned term does: a jump of the clock keeps no learning low
/// for years.
pub fn factor(feedback: &Feedback, now: Timestamp) -> f64 {
    let rise = feedback.importance.factor();
    let refusals: Vec<Timestamp> =
        feedback.counted().into_iter().filter(|said| !said.useful && said.at <= now).map(|said| said.at).collect();
    let Some(last) = refusals.iter().max() else { return rise };
    #[allow(clippy::cast_precision_loss, reason = "days, to be halved, and some refusals")]
    let days = now.millis_since(*last) as f64 / 86_400_000.0;
    let fall = 1.0 - REFUSAL * refusals.len() as f64 * (-days / HALF_LIFE_DAYS).exp2();
    (rise * fall).max(limits::FEEDBACK_FLOOR)
}

/// The factor that is applied to a learning's score in this mode: 1 while feedback is off.
pub fn factor_in(mode: FeedbackMode, feedback: &Feedback, now: Timestamp) -> f64 {
    if mode == FeedbackMode::Off { 1.0 } else { factor(feedback, now) }
}

/// Measured on stored promotions, each with the current replacement of its learning: the maximum within any window. One that a replacement
/// inherited is the same one; those that had waited for the window are made at the same moment, and are several.
pub fn row<'p>(promoted: impl IntoIterator<Item = (&'p str, Timestamp)>) -> Gate {
    let each: BTreeSet<(Timestamp, &str)> = promoted.into_iter().map(|(learning, at)| (at, learning)).collect();
    let times: Vec<Timestamp> = each.into_iter().map(|(at, _)| at).collect();
    let within =
        |first: &Timestamp| times.iter().filter(|at| *at >= first && at.millis_since(*first) < limits::PROMOTION_WINDOW_MILLIS).count();
    let most = times.iter().map(within).max().unwrap_or(0);
    let required = format!("{} promotions or fewer in {} hours", limits::PROMOTIONS, limits::PROMOTION_WINDOW_MILLIS / 3_600_000);
    gate("promotions", required, format!("{most} at most"), most <= limits::PROMOTIONS as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: i64 = 86_400_000;

    fn said(useful: bool, at: i64, by: &str, query: Option<&str>) -> Validation {
        Validation { useful, at: Timestamp(at), by: by.into(), replica: Some("R".into()), query: query.map(str::to_owned) }
    }

    fn of(useful: u32, not_useful: u32, at: i64) -> Feedback {
        let each = |useful, count| (0..count).map(move |number| said(useful, at, "person", Some(&format!("Q{number}"))));
        let all = each(true, useful).chain(each(false, not_useful));
        Feedback { validations: all.collect(), ..Feedback::default() }
    }

    #[test]
    fn the_same_word_by_the_same_hand_counts_once() {
        let known = [said(true, 0, "agent:7@R", Some("Q1")), said(true, 0, "person", Some("Q1")), said(true, 0, "person", None)];
        for (word, expected) in [
            (said(true, 1, "agent:7@R", Some("Q2")), false),
            (said(true, 2 * DAY, "agent:7@R", Some("Q2")), false),
            (said(true, 2 * DAY, "agent:7@R", Some("Q1")), false),
            (said(true, 1, "agent:8@R", Some("Q2")), true),
            (said(false, 1, "agent:7@R", Some("Q2")), true),
            (said(true, 1, "person", Some("Q2")), true),
            (said(true, 2 * DAY, "person", Some("Q1")), false),
            (said(true, 1, "person", None), false),
            (said(true, -1, "person", None), false),
            (said(true, 2 * DAY, "person", None), true),
        ] {
            assert_eq!(counts(&known, &word, &[]), expected, "{word:?}");
        }
        let of_another_clone = Validation { replica: Some("S".into()), ..said(true, 1, "person", None) };
        assert!(counts(&known, &of_another_clone, &[]), "another clone's person is another person");
        let (again, alike) = (|at| said(true, at, "person", Some("Q2")), ["Q1".to_owned()]);
        assert!(!counts(&known, &again(1), &alike), "a question that is asked again in the same words is one");
        assert!(counts(&known, &again(2 * DAY), &alike), "on another day it is asked anew");
    }

    #[test]
    fn five_and_ten_validations_raise_it_by_a_step_each_and_three_in_a_window_are_enough() {
        let step = |feedback: &Feedback, recent| step(feedback, recent, Timestamp(DAY));
        assert_eq!(step(&of(4, 0, 0), 0), None);
        assert_eq!(step(&of(5, 0, 0), 0), Some(Importance::Important));
        assert_eq!(step(&of(5, 0, 0), 3), None);
        assert_eq!(step(&of(12, 0, 0), 2), Some(Importance::Important), "one step at a time");
        let important = Feedback { importance: Importance::Important, ..of(10, 0, 0) };
        assert_eq!(step(&important, 0), Some(Importance::Critical));
        for (promoted, rises) in [(0, true), (DAY - 3_600_000, false), (DAY + 3_600_000, false)] {
            let risen = Feedback { promoted: Some(Timestamp(promoted)), ..important.clone() };
            assert_eq!(step(&risen, 0).is_some(), rises, "the second step waits for the next window: {promoted}");
        }
        let taken_back = Feedback { importance: Importance::Critical, ..of(2, 0, 0) };
        assert_eq!(step(&taken_back, 9), Some(Importance::Normal), "what it stood on is gone");
    }

    #[test]
    fn what_waited_for_the_window_rises_once_that_has_room() {
        let all =
            [("late", of(5, 0, 9)), ("early", of(6, 0, 1)), ("not due", of(4, 0, 0)), ("third", of(5, 0, 20)), ("fourth", of(5, 0, 30))];
        let all: Vec<(LearningId, Feedback)> = all.into_iter().map(|(id, feedback)| (id.to_owned(), feedback)).collect();
        let due = |recent| held_back(all.iter().map(|(id, feedback)| (id, feedback)), recent, Timestamp(DAY));
        assert_eq!(due(3), [""; 0]);
        assert_eq!(due(2), ["early"]);
        assert_eq!(due(0), ["early", "late", "third"]);
        let fallen = [("x".to_owned(), Feedback { importance: Importance::Critical, ..of(2, 0, 0) })];
        assert_eq!(held_back(fallen.iter().map(|(id, f)| (id, f)), 0, Timestamp(DAY)), [""; 0], "to fall is not to wait");
    }

    #[test]
    fn a_refusal_takes_a_tenth_that_fades_and_never_more_than_to_the_floor() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        close(factor(&of(0, 1, 0), Timestamp(0)), 0.9);
        close(factor(&of(0, 1, 0), Timestamp(30 * DAY)), 0.95);
        close(factor(&of(0, 50, 0), Timestamp(0)), 0.3);
        close(factor(&of(0, 3, 3650 * DAY), Timestamp(30 * DAY)), 1.0);
        close(factor_in(FeedbackMode::Shadow, &of(0, 1, 0), Timestamp(0)), 0.9);
        close(factor_in(FeedbackMode::Off, &of(0, 1, 0), Timestamp(0)), 1.0);
        let critical = Feedback { importance: Importance::Critical, ..of(20, 8, 0) };
        close(factor(&critical, Timestamp(0)), 0.3);
        close(factor(&Feedback { importance: Importance::Critical, ..Feedback::default() }, Timestamp(0)), 1.1);
    }

    #[test]
    fn a_fourth_promotion_in_a_window_closes_the_gate() {
        let names = ["L1", "L2", "L3", "L4"];
        let of = |hours: [i64; 4]| row(names.into_iter().zip(hours.map(|hour| Timestamp(hour * 3_600_000))));
        assert!(of([0, 1, 2, 8]).open && !of([0, 1, 2, 7]).open && row([]).open);
        let at_once = of([5; 4]);
        assert!(!at_once.open && at_once.measured == "4 at most", "several that had waited: {}", at_once.measured);
        assert_eq!(row([("L1", Timestamp(0)), ("L1", Timestamp(0))]).measured, "1 at most", "one, and who inherited it");
    }

    proptest! {
        #[test]
        fn feedback_is_bounded_whatever_is_said(useful in 0_u32..60, not in 0_u32..60, days in -400_i64..400) {
            let feedback = Feedback { importance: due(useful), ..of(useful, not, 0) };
            let factor = factor(&feedback, Timestamp(days * DAY));
            prop_assert!((limits::FEEDBACK_FLOOR..=1.1 + 1e-9).contains(&factor));
        }
    }
}
