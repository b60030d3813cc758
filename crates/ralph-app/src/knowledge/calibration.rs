//! Calibration of a model's cosines from the pairs that ship with Ralph.

use crate::error::{AppError, Result};
use ralph_rag::calibrate::{self, Calibration};
use text_embed::{Embedder, dot};

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
