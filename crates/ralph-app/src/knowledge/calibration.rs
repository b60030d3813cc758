//! Calibration of a model's cosines from the pairs that ship with Ralph.

use crate::App;
use crate::error::{AppError, Result};
use crate::recall::embedding::WAITS;
use ralph_rag::calibrate::{self, Calibration, MERGE, REDUNDANT, SAME_SUBJECT};
use serde::Serialize;
use text_embed::{Embedder, dot};

/// What the cosines of an embedding model mean, determined with the labelled pairs that ship with Ralph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelCalibration {
    /// Its id.
    pub model: String,
    /// Pairs that it was calibrated with.
    pub pairs: u32,
    /// Steepness of the curve from a cosine to the odds of a duplicate.
    pub slope: f64,
    /// Its offset.
    pub offset: f64,
    /// Cosine from which two texts are about the same.
    pub same_subject: f64,
    /// Cosine from which they are merged.
    pub merge: f64,
    /// Cosine from which the newer says nothing new.
    pub redundant: f64,
}

impl App {
    /// Calibrates the configured model again, and stores the result: comparisons use it from now on, and earlier ones stay.
    pub fn calibrate(&self) -> Result<ModelCalibration> {
        if self.embedding_waits()? {
            return Err(AppError::invalid("embedding_url", WAITS, "say yes to it, then calibrate again"));
        }
        let embedder = self.embedder()?;
        let found = self.calibrated_anew(&embedder)?;
        Ok(ModelCalibration {
            model: embedder.id().to_owned(),
            pairs: calibrate::pairs().len() as u32,
            slope: found.slope,
            offset: found.offset,
            same_subject: found.cosine(SAME_SUBJECT),
            merge: found.cosine(MERGE),
            redundant: found.cosine(REDUNDANT),
        })
    }

    /// The calibration of a model: found before, shipped, or found now.
    pub(crate) fn calibration(&self, embedder: &Embedder) -> Result<Calibration> {
        match self.known_calibration(embedder)? {
            Some(known) => Ok(known),
            None => self.calibrated_anew(embedder),
        }
    }

    /// The same without asking the model.
    pub(crate) fn known_calibration(&self, embedder: &Embedder) -> Result<Option<Calibration>> {
        let found = self.db.read(|r| r.calibration(embedder.id()))?.map(|(slope, offset)| Calibration { slope, offset });
        Ok(found.or_else(|| Calibration::known(embedder.id())))
    }

    fn calibrated_anew(&self, embedder: &Embedder) -> Result<Calibration> {
        let found = calibrate(embedder)?;
        let now = self.clock.now();
        self.write(|tx| Ok(tx.set_calibration(embedder.id(), found.slope, found.offset, now)?))?;
        Ok(found)
    }
}

/// Calibrates a model on the pairs that ship with Ralph. Embeds about 600 short texts.
pub fn calibrate(embedder: &Embedder) -> Result<Calibration> {
    let pairs = calibrate::pairs();
    let texts: Vec<&str> = pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
    let vectors = embedder.embed_distinct(&texts, &|_| {})?;
    let cosines: Vec<f64> = pairs.iter().map(|pair| dot(&vectors[pair.a], &vectors[pair.b])).collect();
    Calibration::fit(&cosines).ok_or_else(|| {
        AppError::invalid(
            "embedding_model",
            format!("'{}' does not tell duplicates from other texts, so learnings can't be reconciled with it", embedder.id()),
            "choose another model; learnings are still compared by their words",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use text_embed::Source;

    #[test]
    fn the_shipped_constants_are_what_the_bundled_model_gives() {
        let found = calibrate(&Embedder::new(Source::Bundled)).expect("the bundled model is there");
        let shipped = Calibration::MINI_LM;
        assert!((found.slope - shipped.slope).abs() < 0.2 && (found.offset - shipped.offset).abs() < 0.2, "{found:?}");
    }
}
