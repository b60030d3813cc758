//! A transcript that was recorded elsewhere, parsed.

use crate::error::{AppError, Result};
use agent_cli::Dialect;
use ralph_core::signal::AgentSignal;
use std::io::BufReader;
use std::path::Path;

/// The signals in a recorded transcript of the named agent. Needs no project.
pub fn parse_transcript(agent: &str, file: &Path) -> Result<Vec<AgentSignal>> {
    let dialect = Dialect::named(agent).ok_or_else(|| {
        let known: Vec<&str> = Dialect::ALL.iter().map(|d| d.name()).collect();
        AppError::invalid(
            "agent",
            format!("'{}' is not known", ralph_core::text::cut(agent, 40)),
            format!("use one of: {}", known.join(", ")),
        )
    })?;
    let open = std::fs::File::open(file).map_err(|source| AppError::io(file, source))?;
    agent_cli::parse_transcript(dialect, BufReader::new(open)).map_err(|source| AppError::io(file, source))
}
