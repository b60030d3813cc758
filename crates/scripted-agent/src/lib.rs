//! The scripted agent: a real program that plays a small text script in an agent's place. The demo runs on it, and tests do.
//!
//! It reads its prompt from standard input, takes the iteration's marks from `RALPH_…` variables, prints one
//! [`AgentSignal`](ralph_core::signal::AgentSignal) as JSON per line, writes real files, makes real commits and calls real MCP tools.
//!
//! # The script
//!
//! Blocks begin with a header in brackets; the first whose conditions all hold is played. Conditions: `task 3`, `task "part of the
//! title"`, `feature NAME`, `attempt 2`, `iteration 4`, `told "words of the prompt"`; `[*]` always holds. A script without a header is
//! one block. Lines that begin with `#` are remarks.
//!
//! ```text
//! # The first attempt at any task fails, the next one works.
//! [task "Add login" attempt 1]
//! think The tests need a database.
//! say I could not connect.
//! failed
//!
//! [*]
//! edit src/${task}.txt <<EOF
//! Work on ${title}, attempt ${attempt}.
//! EOF
//! commit Do ${title}
//! mcp append_feature_learning {"feature": "${feature}", "text": "Migrations run before the server starts."}
//! say The learning is ${mcp.id}.
//! repeat 3
//!   say Step ${n}
//!   pause 200
//! end
//! learn gotcha db, tests: The test database listens on port 5433.
//! usage 1200 340 0.02
//! done
//! ```
//!
//! | statement | what it does |
//! | --- | --- |
//! | `say TEXT`, `think TEXT` | speaks; thinks |
//! | `say <<WORD` … `WORD` | says a text of several lines verbatim |
//! | `edit PATH <<WORD` … `WORD` | writes a file below the work folder |
//! | `append PATH TEXT` | adds a line to a file below the work folder |
//! | `run COMMAND` | runs it with `sh -c`, as an agent's Bash tool does |
//! | `commit MESSAGE` | `git add -A` and `git commit`, with an author of its own where none is configured |
//! | `mcp TOOL {JSON}` | calls a tool of the first MCP server; `${mcp.a.b}` is a field of the last answer |
//! | `learn CATEGORY TAGS: TEXT` | says a `<learning>` sigil |
//! | `done`, `failed` | says `<task-done>`, `<task-failed>` for its task |
//! | `sigil RAW` | says RAW verbatim; consecutive lines are one text |
//! | `usage IN OUT USD` | adds tokens and dollars to the turn |
//! | `expect TEXT` | ends with exit code 3 unless the prompt holds TEXT |
//! | `pause MILLIS` | works silently, for at most a minute |
//! | `repeat N` … `end` | plays the lines between N times; `${n}` counts from 1 |
//! | `flood N`, `garble N` | N lines of text, of binary junk, as fast as they go |
//! | `result`, `turn` | ends the turn without ending; begins another |
//! | `rate-limit [SECONDS]` | meets a usage limit that ends in that many seconds |
//! | `ends ENDING [TEXT]` | ends with an error of that kind (`overloaded`, `network` …) |
//! | `ignore-signals` | ignores SIGINT and SIGTERM from now on |
//! | `hang` | never ends |
//! | `exit CODE` | ends at once, without a result |
//! | `crash` | dies at once, without a result |
//!
//! At the end of a block the turn ends `completed` and the program with 0. Variables: `${task}`, `${title}`, `${feature}`, `${attempt}`,
//! `${iteration}`, `${model}`, `${n}`, `${mcp.…}`; `$${` is a plain `${`. A fault in the script is reported on standard error with its
//! line, exit code 2.
//!
//! **Never here:** SQL, Tauri, rules of the product.

mod mcp;
mod parse;
mod player;
mod script;
mod variables;

use std::io::Read;
use std::path::PathBuf;

/// What the program was started with: `agent-script FILE --model M --mcp-config FILE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayArgs {
    /// The script.
    pub script: PathBuf,
    /// Model it claims to be.
    pub model: String,
    /// File that names the MCP servers.
    pub mcp_config: Option<PathBuf>,
}

/// Exit code for a script that cannot be played.
const BAD_SCRIPT: u8 = 2;

/// Plays a script as this process's whole work: reads standard input, writes standard output and error. Returns the exit code.
/// Marks are taken from the environment, files are written below the current folder.
pub async fn play(args: PlayArgs) -> u8 {
    match try_play(&args).await {
        Ok(code) => code,
        Err(error) => {
            tell(&format!("agent-script: {}: {error}", args.script.display()));
            match error {
                PlayError::Unexpected { .. } => 3,
                _ => BAD_SCRIPT,
            }
        }
    }
}

async fn try_play(args: &PlayArgs) -> Result<u8, PlayError> {
    let text = std::fs::read_to_string(&args.script)?;
    let blocks = parse::parse(&text)?;
    let mut prompt = Vec::new();
    std::io::stdin().lock().read_to_end(&mut prompt)?;
    let variables = variables::Variables::from_marks(&args.model, |name| std::env::var(name).ok());
    let prompt = String::from_utf8_lossy(&prompt).into_owned();
    let block = script::choose(&blocks, &variables, &prompt).ok_or_else(|| PlayError::NoBlock {
        task: variables.task,
        title: variables.title.clone(),
        attempt: variables.attempt,
        iteration: variables.iteration,
    })?;
    player::Player::new(args, variables, prompt)?.play(block).await
}

fn tell(fault: &str) {
    // With standard error closed there is nowhere to report it.
    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{fault}\n"));
}

/// Why a script was not played to its end.
#[derive(Debug, thiserror::Error)]
enum PlayError {
    #[error("line {line}: {fault}")]
    Line { line: usize, fault: String },
    #[error("no block for task {task} '{title}', attempt {attempt}, iteration {iteration}; add one with the header [*]")]
    NoBlock { task: u32, title: String, attempt: u32, iteration: u32 },
    #[error("line {line}: the prompt does not hold '{text}'")]
    Unexpected { line: usize, text: String },
    #[error("{0}")]
    Io(#[from] std::io::Error),
}
