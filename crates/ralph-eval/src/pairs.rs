//! `ralph eval-pairs`: reconciliation, measured on pairs of texts. The same cleaning, vectors, calibration, guard and verdict as the
//! product's.

use crate::records::read;
use ralph_app::{AppError, Result, calibrate};
use ralph_core::limits;
use ralph_core::quality::PairJudgement;
use ralph_rag::calibrate::Calibration;
use ralph_rag::clean::clean;
use ralph_rag::reconcile;
use ralph_rag::words::Words;
use serde::Serialize;
use std::path::Path;
use text_embed::{Embedder, Source, dot};

/// A pair with its verdict.
#[derive(Debug, Clone, Serialize)]
pub struct JudgedPair {
    /// Its id in the file.
    pub id: String,
    /// The verdict.
    #[serde(flatten)]
    pub judgement: PairJudgement,
}

/// Judges every pair of the file at `data`: tab-separated, with column names in the first line, of which `id`, `a` (the older text) and
/// `b` (the newer one) are used. `progress` receives the current step.
pub fn judge_pairs(data: &Path, progress: &dyn Fn(&str)) -> Result<Vec<JudgedPair>> {
    let embedder = Embedder::new(Source::Bundled);
    embedder.available()?;
    let calibration = match Calibration::known(embedder.id()) {
        Some(known) => known,
        None => calibrate(&embedder)?,
    };
    let pairs = read_pairs(data, &read(data)?)?;
    let texts: Vec<&str> = pairs.iter().flat_map(|(_, a, b)| [a.as_str(), b.as_str()]).collect();
    let vectors = embedder.embed_distinct(&texts, progress)?;
    let judge = |(id, a, b): &(String, String, String)| {
        let cosine = dot(&vectors[a.as_str()], &vectors[b.as_str()]);
        JudgedPair { id: id.clone(), judgement: reconcile::judge_pair(&Words::of(a), &Words::of(b), cosine, calibration) }
    };
    Ok(pairs.iter().map(judge).collect())
}

/// Id and both texts of every line, cleaned as in the product.
fn read_pairs(path: &Path, text: &str) -> Result<Vec<(String, String, String)>> {
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().map(|(_, line)| line.split('\t').collect()).unwrap_or_default();
    let column = |name: &str| {
        header.iter().position(|h| *h == name).ok_or_else(|| {
            AppError::invalid(
                "data",
                format!("{} has no column '{name}'", path.display()),
                "name the columns id, a and b in the first line",
            )
        })
    };
    let columns = [column("id")?, column("a")?, column("b")?];
    let fields = |(number, line): (usize, &str)| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, a, b] = columns.map(|at| fields.get(at).copied());
        match (id, a, b) {
            // With one more, a text has a tab in it, and the next would be read as its rest.
            (Some(id), Some(a), Some(b)) if fields.len() <= header.len() => {
                Ok((id.to_owned(), clean(a, limits::LEARNING_TEXT_CHARS).text, clean(b, limits::LEARNING_TEXT_CHARS).text))
            }
            _ => Err(AppError::invalid(
                "data",
                format!("{} line {} has {} fields", path.display(), number + 1, fields.len()),
                format!("each line needs the {} columns of the first, with tabs between them", header.len()),
            )),
        }
    };
    lines.filter(|(_, line)| !line.trim().is_empty()).map(fields).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::quality::PairVerdict;

    #[test]
    fn only_id_a_and_b_are_read_and_faults_name_the_line() {
        let path = Path::new("pairs.tsv");
        let read = read_pairs(path, "label\tid\tb\ta\nX\t7\tnewer\tolder\n\n").expect("reads");
        assert_eq!(read, [("7".to_owned(), "older".to_owned(), "newer".to_owned())]);
        for (text, named) in [("id\ta\n", "'b'"), ("", "'id'"), ("id\ta\tb\n1\tx\n", "line 2"), ("id\ta\tb\n1\t\"x\ty\"\tz\n", "4 fields")]
        {
            let error = read_pairs(path, text).expect_err(text).to_string();
            assert!(error.contains(named), "{text:?}: {error}");
        }
    }

    #[test]
    fn the_door_s_verdicts_on_a_small_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("pairs.tsv");
        let lines = [
            "id\ta\tb",
            "same\tTests hang if the emulator isn't running\tWhen the emulator is not running the tests hang",
            "turned\tUse pnpm, never npm\tUse npm, never pnpm",
            "sibling\tSettings are read once from config.ts\tSettings are read once from settings.ts",
            "other\tPrices are stored in cents\tThe scheduler sends jobs to the worker",
        ];
        std::fs::write(&path, format!("\u{feff}{}", lines.join("\r\n"))).expect("writes");
        let judged = judge_pairs(&path, &|_| {}).expect("judges");
        let verdicts: Vec<PairVerdict> = judged.iter().map(|pair| pair.judgement.verdict).collect();
        assert_eq!(verdicts, [PairVerdict::Observed, PairVerdict::Conflict, PairVerdict::Related, PairVerdict::Distinct]);
    }
}
