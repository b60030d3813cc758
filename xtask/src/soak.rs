//! `cargo xtask soak`: the journeys that kill, throw away and attack, with larger numbers than an ordinary test's.

use crate::fault::Fault;
use crate::process::{self, cargo};

/// Kills to a round of consolidations: a round takes as long as some of the others.
const KILLS_OF_A_ROUND: u32 = 10;

/// Kills to one in the middle of a merge: each takes a second, and the merge that follows it.
const KILLS_OF_A_MERGE: u32 = 5;

/// Tests of which `cargo xtask test` plays a part: what is counted, the variable that says how much of it, how much, and the test.
const WHOLE: [(&str, &str, u32, &[&str]); 4] = [
    ("worlds of 250 acts in two clones", "RALPH_SOAK_WORLDS", 400, &["--package", "ralph-rag", "--lib", "act::simulation"]),
    ("random learnings through the door", "RALPH_SOAK_LEARNINGS", 10_000, &["--package", "ralph-app", "--test", "many"]),
    ("days of automatic learning", "RALPH_SOAK_DAYS", 30, &["--package", "ralph-app", "--lib", "learn::month"]),
    ("weeks of a busy feature", "RALPH_SOAK_WEEKS", 30, &["--package", "ralph-app", "--test", "weeks"]),
];

/// Lines of a journal that come at once.
const LINES: u32 = 100_000;

/// How much, and with which seed.
#[derive(clap::Args)]
pub struct Args {
    /// Processes that are killed.
    #[arg(long, default_value_t = 1_000)]
    kills: u32,
    /// Seed of the random numbers: the same seed kills the same processes after the same times. Random by default.
    #[arg(long)]
    seed: Option<u32>,
}

/// Builds `ralph` and its journeys, then runs them and shows their counts and times.
///
/// # Errors
/// When something can't be built, or a journey fails: its message names the seed.
pub fn run(args: &Args) -> Result<(), Fault> {
    let seed = args.seed.unwrap_or_else(std::process::id);
    println!("      {} kills, seed {seed}", args.kills);
    process::show(&mut cargo(&["build", "--package", "ralph-cli"]))?;
    for journey in ["soak::", "crash::a_writer", "held::a_flood", "thrown_away::", "hostile::", "consolidation_kills::", "merge_kills::"] {
        process::show(
            cargo(&["test", "--quiet", "--package", "journeys", "--test", "journeys", "--", "--nocapture", journey])
                .env("RALPH_BIN", process::built("ralph"))
                .env("RALPH_SOAK_KILLS", args.kills.to_string())
                .env("RALPH_SOAK_SEED", seed.to_string())
                .env("RALPH_SOAK_WRITER_KILLS", (args.kills / KILLS_OF_A_ROUND).max(1).to_string())
                .env("RALPH_SOAK_MERGE_KILLS", (args.kills / KILLS_OF_A_MERGE).max(1).to_string())
                .env("RALPH_SOAK_CONSOLIDATIONS", (args.kills / KILLS_OF_A_ROUND).max(1).to_string())
                .env("RALPH_SOAK_LINES", LINES.to_string())
                .env("RALPH_SOAK_GIT", "1"),
        )?;
    }
    for (what, variable, how_much, test) in WHOLE {
        println!("      {how_much} {what}, seed {seed}");
        let mut whole = cargo(&["test", "--quiet"]);
        whole.args(test).args(["--", "--nocapture"]);
        process::show(whole.env(variable, how_much.to_string()).env("RALPH_SOAK_SEED", seed.to_string()))?;
    }
    Ok(())
}
