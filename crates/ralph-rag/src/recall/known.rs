//! Whether what was found answers the question at all: "nothing known" is an answer, too.
//!
//! Every other score is relative to the best of its own question, so something always comes first. Here two absolute ones are used:
//! the cosine of question and text, and how near their words are. Questions whose answers had been removed from the store showed what the
//! best hit looks like when it answers nothing, see `docs/measurements.md`.

use ralph_core::recall::{Channel, ScoreBreakdown};

/// How fast the confidence rises with the likeness. A logistic curve (Platt 1999) fitted to questions with and without their answers.
const STEEPNESS: f64 = 15.7;
/// The likeness that speaks as much for an answer as against one, among [`FITTED_AT`] passages or more.
const EVEN: f64 = 0.67;
/// Number of passages from which on that holds, and how much less likeness is required if there are fewer by a factor of e: the best of a
/// few passages that answer nothing is less similar to a question than the best of many. Four of five such questions stay below the
/// threshold in stores of 3 to 100, see `docs/measurements.md`.
const FITTED_AT: f64 = 600.0;
const FEWER: f64 = 0.045;
/// Below this confidence nothing is known: among many a likeness of 0.55, which the best hit does not reach for two or three in a hundred
/// answerable questions, nor for two in three unanswerable ones.
const NOTHING: f64 = 0.13;
/// Minimum share of the best hit's score for a hit to be included in a prompt: it doubles precision for less than a tenth of recall where
/// a text is about the question; a higher share would lose lessons that only touch it.
const TOLD: f64 = 0.4;

/// How likely it is that these hits hold an answer, in 0..=1, if this many passages were `within` scope; `None` where that can't be judged,
/// because words were not compared by their vectors. No hits: 0. Nor does anything answer a question that
/// `says_nothing` (see [`super::TokenQuestion::says_nothing`]) where nothing but its vector found it.
pub fn confidence<'a>(hits: impl Iterator<Item = &'a ScoreBreakdown>, within: usize, says_nothing: bool) -> Option<f64> {
    let hits: Vec<&ScoreBreakdown> = hits.collect();
    let by_vector_alone = |hit: &&ScoreBreakdown| hit.channels.iter().all(|found| found.channel == Channel::Vector);
    if says_nothing && hits.iter().all(by_vector_alone) {
        return Some(0.0);
    }
    // A hit that can't be compared may be the answer: something just learnt has no vectors yet.
    let likeness = hits.into_iter().map(|hit| hit.likeness).collect::<Option<Vec<f64>>>()?;
    let best = likeness.into_iter().reduce(f64::max);
    let even = EVEN - FEWER * (FITTED_AT / (within as f64).clamp(1.0, FITTED_AT)).ln();
    Some(best.map_or(0.0, |best| 1.0 / (1.0 + (-STEEPNESS * (best - even)).exp())))
}

/// Passages from which on their number makes no difference.
pub const MANY: usize = FITTED_AT as usize;

/// Whether this confidence means that nothing is known.
pub fn nothing_known(confidence: Option<f64>) -> bool {
    confidence.is_some_and(|confidence| confidence < NOTHING)
}

/// Whether a hit is good enough for a prompt, compared with the best one.
pub fn worth_telling(hit: &ScoreBreakdown, best: &ScoreBreakdown) -> bool {
    hit.total >= TOLD * best.total
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::recall::ChannelScore;

    fn hit(likeness: Option<f64>, total: f64) -> ScoreBreakdown {
        ScoreBreakdown { total, likeness, ..ScoreBreakdown::default() }
    }

    #[test]
    fn what_is_far_from_the_question_in_meaning_and_words_answers_nothing() {
        for (hits, nothing) in [
            (vec![], true),
            (vec![hit(Some(0.4), 1.0)], true),
            (vec![hit(Some(0.4), 1.0), hit(Some(0.7), 0.5)], false),
            (vec![hit(Some(1.0), 1.0)], false),
            // If words were not compared nothing can be said: names and paths may match word by word.
            (vec![hit(None, 1.0)], false),
            (vec![hit(Some(0.4), 1.0), hit(None, 0.5)], false),
        ] {
            assert_eq!(nothing_known(confidence(hits.iter(), MANY, false)), nothing, "{hits:?}");
        }
    }

    #[test]
    fn a_question_without_a_word_that_says_anything_is_answered_by_what_its_letters_find_alone() {
        let by = |channel| {
            let found = ChannelScore { channel, rank: 1, raw: 1.0, contribution: 1.0 };
            ScoreBreakdown { channels: vec![found], ..hit(None, 1.6) }
        };
        for (hits, says_nothing, nothing) in [
            (vec![by(Channel::Vector)], true, true),
            (vec![by(Channel::Vector), by(Channel::Lexical)], true, false),
            (vec![by(Channel::Vector)], false, false),
        ] {
            assert_eq!(nothing_known(confidence(hits.iter(), MANY, says_nothing)), nothing, "{hits:?}");
        }
    }

    #[test]
    fn confidence_rises_with_the_likeness_and_stays_a_share() {
        let of = |sum: f64| confidence([hit(Some(sum), 1.0)].iter(), MANY, false).expect("judged");
        assert!(of(0.0) < 0.01 && (of(0.67) - 0.5).abs() < 1e-9 && of(2.0) > 0.99);
        assert!([0.1, 0.5, 0.6, 0.9].windows(2).all(|pair| of(pair[0]) < of(pair[1])));
    }

    #[test]
    fn among_few_a_paraphrase_is_known_that_would_be_chance_among_many() {
        let known = |likeness: f64, within: usize| !nothing_known(confidence([hit(Some(likeness), 1.0)].iter(), within, false));
        for (likeness, most) in [(0.32, 3), (0.37, 10), (0.41, 20), (0.48, 100)] {
            assert!(known(likeness, most) && !known(likeness, 600), "{likeness} among {most}");
        }
        // Unrelated questions in stores of that size.
        assert!(!known(0.25, 3) && !known(0.3, 8) && !known(0.2, 1) && !known(0.1, 0));
        assert!(known(0.56, 1_000_000) && !known(0.54, 1_000_000));
    }

    #[test]
    fn what_lies_far_behind_the_best_is_not_told() {
        let best = hit(None, 0.8);
        assert!(worth_telling(&best, &best) && worth_telling(&hit(None, 0.33), &best) && !worth_telling(&hit(None, 0.31), &best));
    }
}
