//! Regenerates `src/projection.bin` from texts of the project: its pairs for calibration, its pages, its sources.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::fs;
use std::path::{Path, PathBuf};
use text_embed::{Embedder, Source};

/// Characters of a piece, about as much as the model reads.
const PIECE: usize = 800;
/// Pieces of each kind of file, so that none dominates.
const PIECES: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = pieces(&[root.join("crates/ralph-rag/src/calibrate/pairs.tsv")])?;
    for ending in ["md", "rs", "tsx", "py"] {
        let mut files = Vec::new();
        for folder in ["docs", "crates", "src", "bench", "tests", "."] {
            collect(&root.join(folder), ending, folder != ".", &mut files)?;
        }
        texts.extend(pieces(&files)?);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    println!("{} pieces", texts.len());
    let numbers = Embedder::new(Source::Bundled).fit_projection(&texts)?;
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(root.join("crates/text-embed/src/projection.bin"), bytes)?;
    Ok(())
}

fn collect(folder: &Path, ending: &str, deep: bool, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && deep {
            collect(&path, ending, deep, files)?;
        } else if path.extension().is_some_and(|e| e == ending) {
            files.push(path);
        }
    }
    Ok(())
}

/// Pieces of the files, evenly spread.
fn pieces(files: &[PathBuf]) -> std::io::Result<Vec<String>> {
    let mut all = Vec::new();
    for file in files {
        let text: Vec<char> = fs::read_to_string(file)?.chars().collect();
        all.extend(text.chunks(PIECE).map(|piece| piece.iter().collect::<String>()));
    }
    let step = (all.len() / PIECES).max(1);
    Ok(all.into_iter().step_by(step).take(PIECES).collect())
}
