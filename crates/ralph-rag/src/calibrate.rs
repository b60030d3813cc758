//! Calibration: the meaning of an embedding model's cosines, learned from labeled pairs.
//!
//! The cosine of the same two texts differs from model to model, so a threshold on it means nothing by itself. Each model is calibrated on
//! the pairs that ship with Ralph: a logistic curve (Platt 1999) gives the probability that a pair of that cosine is a duplicate, and the
//! thresholds correspond to fixed probabilities. Pairs that the guard keeps apart anyway are excluded: their cosines are high, but
//! that is not the fault of the similarity.

use crate::guard;
use crate::words::Words;
use std::sync::LazyLock;

/// The pairs: kind, two texts. Written for this purpose.
const PAIRS: &str = include_str!("calibrate/pairs.tsv");

/// Calibrated similarity above which a text is redundant.
pub const REDUNDANT: f64 = 0.92;
/// Calibrated similarity from which two texts are merged.
pub const MERGE: f64 = 0.88;
/// Calibrated similarity from which two texts are about the same.
pub const SAME_SUBJECT: f64 = 0.75;

/// The probability of a duplicate, among the pairs, at each threshold: 9 of 10 to count one as an observation, 17 of 20 to merge two
/// (undoing is easy), even odds to be about the same subject.
const ANCHORS: [(f64, f64); 3] = [(SAME_SUBJECT, 0.5), (MERGE, 0.85), (REDUNDANT, 0.9)];

/// Steps of Newton's method, which converges within ten.
const STEPS: usize = 50;
/// Slope below which a model does not separate duplicates from others at all.
const LEAST_SLOPE: f64 = 3.0;

/// One labeled pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledPair {
    /// paraphrase, restated, free, negated, number, antonym, order, sibling, near or unrelated.
    pub kind: &'static str,
    /// The first text.
    pub a: &'static str,
    /// The second text.
    pub b: &'static str,
}

impl LabelledPair {
    /// Whether both say the same.
    pub fn is_duplicate(&self) -> bool {
        matches!(self.kind, "paraphrase" | "restated" | "free")
    }
}

static LABELLED: LazyLock<Vec<LabelledPair>> = LazyLock::new(|| {
    let pair = |line: &'static str| {
        let (kind, texts) = line.split_once('\t')?;
        let (a, b) = texts.split_once('\t')?;
        Some(LabelledPair { kind, a, b })
    };
    PAIRS.lines().skip(1).filter_map(pair).collect()
});

/// The pairs that ship with Ralph.
pub fn pairs() -> &'static [LabelledPair] {
    &LABELLED
}

/// The meaning of a model's cosines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Steepness of the curve.
    pub slope: f64,
    /// Its offset: at a cosine of `-offset / slope`, half of the pairs are duplicates.
    pub offset: f64,
}

impl Calibration {
    /// all-MiniLM-L6-v2, as [`Calibration::fit`] finds it over the shipped pairs.
    pub const MINI_LM: Calibration = Calibration { slope: 14.89, offset: -10.63 };

    /// The constants of a model that was calibrated beforehand.
    pub fn known(model: &str) -> Option<Calibration> {
        (model == "all-MiniLM-L6-v2").then_some(Calibration::MINI_LM)
    }

    /// Fits the curve to the cosines of [`pairs`], in order. `None` when the model does not separate duplicates from others, so that
    /// nothing can be concluded from its vectors.
    pub fn fit(cosines: &[f64]) -> Option<Calibration> {
        let open = |pair: &LabelledPair| guard::hits(&Words::of(pair.a), &Words::of(pair.b)).is_empty();
        let points: Vec<(f64, bool)> =
            pairs().iter().zip(cosines).filter(|(pair, _)| open(pair)).map(|(pair, cosine)| (*cosine, pair.is_duplicate())).collect();
        logistic(&points)
    }

    /// The cosine at which a pair is a duplicate with this probability.
    fn cosine_at(self, likelihood: f64) -> f64 {
        ((likelihood / (1.0 - likelihood)).ln() - self.offset) / self.slope
    }

    /// The cosine that corresponds to one of the thresholds [`SAME_SUBJECT`], [`MERGE`] and [`REDUNDANT`]; NaN for any other similarity.
    pub fn cosine(self, threshold: f64) -> f64 {
        ANCHORS.iter().find(|(similarity, _)| *similarity == threshold).map_or(f64::NAN, |(_, likelihood)| self.cosine_at(*likelihood))
    }

    /// The calibrated similarity of a cosine, in 0..=1: increasing, linear between the anchors. NaN gives 0.
    pub fn similarity(self, cosine: f64) -> f64 {
        let points = ANCHORS.map(|(similarity, likelihood)| (self.cosine_at(likelihood), similarity));
        let (first, last) = (points[0], points[2]);
        let between = |(x0, y0): (f64, f64), (x1, y1): (f64, f64)| y0 + (y1 - y0) * (cosine - x0) / (x1 - x0);
        let similarity = if cosine < first.0 {
            first.1 - (first.0 - cosine) * first.1 / first.0.max(f64::EPSILON)
        } else if cosine < points[1].0 {
            between(first, points[1])
        } else if cosine < last.0 {
            between(points[1], last)
        } else {
            // Equal texts have similarity 1 for every model.
            last.1 + (cosine - last.0) * (1.0 - last.1) / (1.0 - last.0).max(f64::EPSILON)
        };
        if similarity.is_finite() { similarity.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Platt's fit: a logistic curve through points, with smoothed targets so that few points do not produce a step.
fn logistic(points: &[(f64, bool)]) -> Option<Calibration> {
    let positives = points.iter().filter(|(_, duplicate)| *duplicate).count() as f64;
    let negatives = points.len() as f64 - positives;
    if positives < 1.0 || negatives < 1.0 || points.iter().any(|(cosine, _)| !cosine.is_finite()) {
        return None;
    }
    let (high, low) = ((positives + 1.0) / (positives + 2.0), 1.0 / (negatives + 2.0));
    let mean = points.iter().map(|(cosine, _)| cosine).sum::<f64>() / points.len() as f64;
    let (mut slope, mut offset) = (1.0, -mean);
    for _ in 0..STEPS {
        let (mut by_slope, mut by_offset) = (0.0, 0.0);
        // A small curvature term keeps the step finite.
        let (mut slope_twice, mut both, mut offset_twice) = (1e-9, 0.0, 1e-9);
        for (cosine, duplicate) in points {
            let likelihood = 1.0 / (1.0 + (-(slope * cosine + offset)).exp());
            let miss = likelihood - if *duplicate { high } else { low };
            let weight = likelihood * (1.0 - likelihood);
            by_slope += miss * cosine;
            by_offset += miss;
            slope_twice += weight * cosine * cosine;
            both += weight * cosine;
            offset_twice += weight;
        }
        let determinant = slope_twice * offset_twice - both * both;
        slope -= (offset_twice * by_slope - both * by_offset) / determinant;
        offset -= (slope_twice * by_offset - both * by_slope) / determinant;
    }
    let usable = slope.is_finite() && offset.is_finite() && slope >= LEAST_SLOPE;
    usable.then_some(Calibration { slope, offset })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_pairs_are_many_and_of_every_kind() {
        assert!(pairs().len() >= 300, "{}", pairs().len());
        for kind in ["paraphrase", "restated", "free", "negated", "number", "antonym", "order", "sibling", "near", "unrelated"] {
            assert!(pairs().iter().any(|p| p.kind == kind), "{kind}");
        }
        assert!(pairs().iter().all(|p| !p.a.is_empty() && !p.b.is_empty() && p.a != p.b));
    }

    #[test]
    fn the_guard_keeps_apart_what_must_not_be_one_and_lets_paraphrases_pass() {
        let hit = |p: &LabelledPair| !guard::hits(&Words::of(p.a), &Words::of(p.b)).is_empty();
        let share = |kinds: &[&str]| {
            let of: Vec<_> = pairs().iter().filter(|p| kinds.contains(&p.kind)).collect();
            of.iter().filter(|p| hit(p)).count() as f64 / of.len() as f64
        };
        let apart = share(&["negated", "number", "antonym", "order", "sibling"]);
        let apart_wrongly = share(&["paraphrase", "restated", "free"]);
        assert!(apart >= 0.9, "{apart}");
        assert!(apart_wrongly <= 0.1, "{apart_wrongly}");
    }

    #[test]
    fn a_curve_is_found_again() {
        let truth = Calibration { slope: 12.0, offset: -9.0 };
        // Points whose share of duplicates follows the curve.
        let points: Vec<(f64, bool)> = (0..2_000)
            .map(|n| {
                let cosine = f64::from(n % 100) / 100.0;
                let likelihood = 1.0 / (1.0 + (-(truth.slope * cosine + truth.offset)).exp());
                (cosine, f64::from(n / 100) / 20.0 + 0.025 < likelihood)
            })
            .collect();
        let found = logistic(&points).expect("it separates");
        assert!((found.cosine_at(0.5) - truth.cosine_at(0.5)).abs() < 0.02, "{found:?}");
        assert!((found.slope - truth.slope).abs() < 1.5, "{found:?}");
    }

    #[test]
    fn the_thresholds_mean_the_same_for_every_model() {
        for model in [Calibration::MINI_LM, Calibration { slope: 30.0, offset: -24.0 }] {
            for (similarity, likelihood) in ANCHORS {
                assert!((model.similarity(model.cosine_at(likelihood)) - similarity).abs() < 1e-9);
                assert_eq!(model.cosine(similarity), model.cosine_at(likelihood));
            }
            assert!((model.similarity(1.0) - 1.0).abs() < 1e-9 && model.similarity(0.0) == 0.0);
        }
    }

    #[test]
    fn a_model_that_tells_nothing_is_not_calibrated() {
        assert_eq!(Calibration::fit(&vec![0.5; pairs().len()]), None);
        assert_eq!(Calibration::fit(&[]), None);
        assert_eq!(Calibration::fit(&vec![f64::NAN; pairs().len()]), None);
    }

    proptest! {
        #[test]
        fn similarity_grows_with_the_cosine(a in -1.0..1.0_f64, b in -1.0..1.0_f64, slope in 1.0..60.0_f64, even in 0.05..0.99_f64) {
            let model = Calibration { slope, offset: -slope * even };
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            prop_assert!(model.similarity(low) <= model.similarity(high) + 1e-12);
            prop_assert!((0.0..=1.0).contains(&model.similarity(a)));
        }
    }
}
