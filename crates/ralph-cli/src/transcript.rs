//! `ralph parse`: the signals in a recorded transcript.

use crate::output::{Answered, Output};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ParseArgs {
    /// Whose transcript: claude, codex, opencode, gemini, qwen or scripted.
    #[arg(long)]
    agent: String,
    /// The file.
    file: PathBuf,
}

/// Runs `ralph parse`.
pub fn parse(args: &ParseArgs, output: Output) -> Answered {
    let signals = ralph_app::parse_transcript(&args.agent, &args.file)?;
    output.answer(&signals, || signals.iter().map(|s| serde_json::to_string(s).unwrap_or_default()).collect::<Vec<_>>().join("\n"));
    Ok(())
}
