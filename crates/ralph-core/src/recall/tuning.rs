//! The weights of recall, and what is allowed for each.

use serde::{Deserialize, Serialize};

/// Weights of channels and factors: measured on several sets at once (docs/measurements.md), configurable per project.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default, deny_unknown_fields)]
pub struct Tuning {
    /// Minimum and maximum share of the vector channel; the text channels get the rest.
    pub vector_min: f64,
    /// See `vector_min`.
    pub vector_max: f64,
    /// Confidence at which the vector channel gets half of that span: its best cosine in standard deviations above the mean, relative to
    /// the expected maximum of as many random draws (1 = no better than chance).
    pub vector_middle: f64,
    /// Steepness of that curve.
    pub vector_steepness: f64,
    /// How fast the vector share falls where word scores fall steeply: a few passages then contain the question's words.
    pub text_steepness: f64,
    /// Share of trigrams in the text channels.
    pub trigram: f64,
    /// Share of triggers in the text channels.
    pub trigger: f64,
    /// Share of paths in the text channels, where the question names a file. Provisional: not measured.
    pub path: f64,
    /// What late interaction takes of the text channels' share among the first 100 passages, and half as much of the vectors': all of it
    /// for a question of hardly a word, half of it at ten words, and less the surer the vectors are (0 turns it off).
    pub tokens: f64,
    /// Contribution of learned terms when every word of a question is one. Provisional: not yet justified by attribution.
    pub learned: f64,
    /// Fraction of its score that the preceding neighbor contributes, and half of that the one before it: earlier statements are context.
    pub neighbour_before: f64,
    /// The same for the following ones.
    pub neighbour_after: f64,
    /// Contribution of further chunks of a memory (MPAB). 0 = none, as supported by the results on long texts.
    pub chunk_bonus: f64,
    /// Bonus of a found memory whose story is maximally similar to the asking task (0 disables it).
    pub provenance: f64,
    /// Factor − 1 of a memory that names a file: it is actionable.
    pub names_a_file: f64,
    /// Factor − 1 of what was written today.
    pub recency: f64,
    /// Active days after which that has decayed to 1/e.
    pub recency_days: f64,
    /// Factor − 1 of protected memories: a person vouched for them, or three iterations observed them.
    pub evidence: f64,
    /// Weight, for the children, of what was learned before a split.
    pub parent: f64,
    /// Weight of memories of a dependency. Provisional: not measured.
    pub dependency: f64,
    /// Weight of memories of other features.
    pub other: f64,
    /// Cosine from which a hit counts as a near duplicate of a higher one.
    pub near_duplicate: f64,
    /// Factor of such a hit.
    pub near_duplicate_factor: f64,
}

/// A weight that search can't use.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{key} = {value} is outside of {least} to {most}")]
pub struct TuningFault {
    /// Its name.
    pub key: &'static str,
    /// Its value.
    pub value: f64,
    /// The least that is allowed.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Tuning {
    /// Every weight with its name and its bounds: shares are in 0..=1, and no weight is unbounded.
    fn bounded(&self) -> [(&'static str, f64, f64, f64); 23] {
        let share = |key, value| (key, value, 0.0, 1.0);
        let factor = |key, value| (key, value, 0.0, 100.0);
        [
            share("vector_min", self.vector_min),
            share("vector_max", self.vector_max),
            ("vector_middle", self.vector_middle, -100.0, 100.0),
            ("vector_steepness", self.vector_steepness, -1_000.0, 1_000.0),
            ("text_steepness", self.text_steepness, -1_000.0, 1_000.0),
            share("trigram", self.trigram),
            share("trigger", self.trigger),
            share("path", self.path),
            share("tokens", self.tokens),
            factor("learned", self.learned),
            factor("neighbour_before", self.neighbour_before),
            factor("neighbour_after", self.neighbour_after),
            factor("chunk_bonus", self.chunk_bonus),
            factor("provenance", self.provenance),
            factor("names_a_file", self.names_a_file),
            factor("recency", self.recency),
            ("recency_days", self.recency_days, 0.01, 100_000.0),
            factor("evidence", self.evidence),
            share("parent", self.parent),
            share("dependency", self.dependency),
            share("other", self.other),
            // Beyond 1 nothing is a near duplicate.
            factor("near_duplicate", self.near_duplicate),
            share("near_duplicate_factor", self.near_duplicate_factor),
        ]
    }

    /// Whether search can use these weights.
    ///
    /// # Errors
    /// The first that is not a number or out of bounds.
    pub fn check(&self) -> Result<(), TuningFault> {
        match self.bounded().into_iter().find(|(_, value, least, most)| !(*least..=*most).contains(value)) {
            Some((key, value, least, most)) => Err(TuningFault { key, value, least, most }),
            None => Ok(()),
        }
    }
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            vector_min: 0.05,
            vector_max: 0.95,
            vector_middle: 1.02,
            vector_steepness: 5.0,
            text_steepness: 1.5,
            trigram: 0.5,
            trigger: 0.02,
            path: 0.1,
            tokens: 0.6,
            learned: 0.7,
            neighbour_before: 0.39,
            neighbour_after: 0.21,
            chunk_bonus: 0.0,
            provenance: 0.1,
            names_a_file: 0.1,
            recency: 0.5,
            recency_days: 15.0,
            evidence: 0.1,
            parent: 0.5,
            dependency: 0.4,
            other: 0.3,
            near_duplicate: 0.92,
            near_duplicate_factor: 0.5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_has_bounds_and_the_defaults_keep_them() {
        assert_eq!(Tuning::default().check(), Ok(()));
        let named = serde_json::to_value(Tuning::default()).unwrap();
        let mut named: Vec<&str> = named.as_object().unwrap().keys().map(String::as_str).collect();
        let mut bounded: Vec<&str> = Tuning::default().bounded().map(|(key, ..)| key).to_vec();
        named.sort_unstable();
        bounded.sort_unstable();
        assert_eq!(named, bounded);
    }

    #[test]
    fn what_is_no_number_or_out_of_bounds_is_named() {
        for (tuning, key) in [
            (Tuning { trigram: f64::NAN, ..Tuning::default() }, "trigram"),
            (Tuning { recency: f64::INFINITY, ..Tuning::default() }, "recency"),
            (Tuning { vector_min: 7.0, ..Tuning::default() }, "vector_min"),
            (Tuning { recency_days: 0.0, ..Tuning::default() }, "recency_days"),
            (Tuning { tokens: -0.1, ..Tuning::default() }, "tokens"),
        ] {
            let fault = tuning.check().unwrap_err();
            assert!(fault.key == key && fault.to_string().contains("outside of 0"), "{fault}");
        }
    }
}
