//! `ralph eval-pairs`.

use crate::output::Output;
use ralph_app::{JudgedPair, judge_pairs};
use ralph_core::quality::PairVerdict;
use ralph_core::view::CommandError;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

/// How many pairs got each verdict, and, without `--out`, the pairs themselves.
#[derive(Serialize)]
struct Judged<'a> {
    verdicts: BTreeMap<PairVerdict, u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<&'a [JudgedPair]>,
}

/// Judges the pairs of a file as the door does.
pub fn eval_pairs(data: &Path, out: Option<&Path>, output: Output) -> Result<(), CommandError> {
    let progress = |line: &str| {
        // Progress is for people who watch; a closed stderr is no fault.
        let _ = writeln!(std::io::stderr(), "{line}");
    };
    let pairs = judge_pairs(data, &progress)?;
    if let Some(path) = out {
        std::fs::write(path, as_tsv(&pairs)).map_err(|e| CommandError {
            code: "io".to_owned(),
            message: format!("{}: {e}", path.display()),
            hint: String::new(),
        })?;
    }
    let mut verdicts: BTreeMap<PairVerdict, u32> = PairVerdict::ALL.iter().map(|verdict| (*verdict, 0)).collect();
    for pair in &pairs {
        *verdicts.entry(pair.judgement.verdict).or_default() += 1;
    }
    let judged = Judged { pairs: out.is_none().then_some(&pairs), verdicts };
    output.answer(&judged, || match out {
        Some(path) => judged
            .verdicts
            .iter()
            .map(|(v, n)| format!("{v}\t{n}"))
            .chain([format!("written to {}", path.display())])
            .collect::<Vec<_>>()
            .join("\n"),
        None => as_tsv(&pairs),
    });
    Ok(())
}

/// One line per pair: id, verdict, cosine, similarity, and the guard's hits as `kind:older/newer`.
fn as_tsv(pairs: &[JudgedPair]) -> String {
    let mut text = "id\tverdict\tcosine\tsimilarity\thits\n".to_owned();
    for JudgedPair { id, judgement } in pairs {
        let hits: Vec<String> = judgement.hits.iter().map(|hit| format!("{}:{}/{}", hit.kind, hit.older, hit.newer)).collect();
        text += &format!("{id}\t{}\t{:.4}\t{:.4}\t{}\n", judgement.verdict, judgement.cosine, judgement.similarity, hits.join("; "));
    }
    text
}
