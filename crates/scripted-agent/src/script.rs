//! A script, read.

use super::variables::Variables;
use ralph_core::signal::Ending;

/// Statements under a header.
#[derive(Debug, PartialEq)]
pub struct Block {
    pub conditions: Vec<Condition>,
    pub steps: Vec<Step>,
}

/// Condition of a block.
#[derive(Debug, PartialEq)]
pub enum Condition {
    Task(u32),
    Title(String),
    Feature(String),
    Attempt(u32),
    Iteration(u32),
    /// The prompt holds these words.
    Told(String),
}

/// A statement and its line, from 1.
#[derive(Debug, PartialEq)]
pub struct Step {
    pub line: usize,
    pub statement: Statement,
}

/// What to do. Texts still hold their variables.
#[derive(Debug, PartialEq)]
pub enum Statement {
    Say(String),
    Think(String),
    Edit { path: String, content: String },
    Append { path: String, text: String },
    Run(String),
    Commit(String),
    Mcp { tool: String, arguments: String },
    Usage { input: u32, output: u32, usd: f64 },
    Expect(String),
    Pause(u64),
    Repeat { times: u32, body: Vec<Step> },
    Flood(u32),
    Garble(u32),
    Result,
    Turn,
    RateLimit(Option<u64>),
    Ends { ending: Ending, text: String },
    IgnoreSignals,
    Hang,
    Exit(u8),
    Crash,
}

/// The first block whose conditions all hold for an iteration with these variables and this prompt.
pub fn choose<'a>(blocks: &'a [Block], of: &Variables, prompt: &str) -> Option<&'a Block> {
    blocks.iter().find(|block| {
        block.conditions.iter().all(|condition| match condition {
            Condition::Task(task) => *task == of.task,
            Condition::Title(part) => of.title.contains(part.as_str()),
            Condition::Feature(name) => *name == of.feature,
            Condition::Attempt(attempt) => *attempt == of.attempt,
            Condition::Iteration(iteration) => *iteration == of.iteration,
            Condition::Told(words) => prompt.contains(words.as_str()),
        })
    })
}
