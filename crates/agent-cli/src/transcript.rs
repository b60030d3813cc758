//! Parses a recorded transcript, with the same parser and limits as for a running agent.

use crate::Dialect;
use crate::dialect::Parser;
use crate::lines::LineSplitter;
use ralph_core::signal::AgentSignal;
use std::io::{self, BufRead};

/// Every signal in `lines`, in order. A line that is not JSON becomes [`AgentSignal::Garbled`]. The only possible error is one of reading.
pub fn parse_transcript(dialect: Dialect, mut lines: impl BufRead) -> io::Result<Vec<AgentSignal>> {
    let mut parser = Parser::new(dialect);
    let mut splitter = LineSplitter::json();
    let mut signals = Vec::new();
    loop {
        let chunk = lines.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let length = chunk.len();
        splitter.push(chunk, |line| signals.extend(parser.line(&line)));
        lines.consume(length);
    }
    splitter.finish(|line| signals.extend(parser.line(&line)));
    signals.extend(parser.finish());
    Ok(signals)
}
