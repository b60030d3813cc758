//! Reads a recorded transcript: the same parser and the same bounds as a running agent.

use crate::Dialect;
use crate::dialect::Parser;
use crate::lines::LineSplitter;
use ralph_core::signal::AgentSignal;
use std::io::{self, BufRead};

/// Every signal in `lines`, in order. What a line does not hold in JSON becomes [`AgentSignal::Garbled`]. The only error is that of reading.
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
