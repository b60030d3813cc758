//! `cargo xtask soak`: the journeys that kill, throw away and attack, with larger numbers than an ordinary test's.

use crate::fault::Fault;
use crate::process::{self, cargo};

/// Kills to a round of consolidations: a round takes as long as some of the others.
const KILLS_OF_A_ROUND: u32 = 10;

/// Days of work that automatic learning observes.
const MONTH_DAYS: u32 = 30;

/// Weeks of work on one feature, with and without consolidation.
const WEEKS: u32 = 30;

/// Kills to one in the middle of a merge: each takes a second, and the merge that follows it.
const KILLS_OF_A_MERGE: u32 = 5;

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
    for journey in ["soak", "thrown_away", "hostile", "consolidation_kills", "merge_kills"] {
        process::show(
            cargo(&["test", "--quiet", "--package", "journeys", "--test", journey, "--", "--nocapture"])
                .env("RALPH_BIN", process::built("ralph"))
                .env("RALPH_SOAK_KILLS", args.kills.to_string())
                .env("RALPH_SOAK_SEED", seed.to_string())
                .env("RALPH_SOAK_MERGE_KILLS", (args.kills / KILLS_OF_A_MERGE).max(1).to_string())
                .env("RALPH_SOAK_CONSOLIDATIONS", (args.kills / KILLS_OF_A_ROUND).max(1).to_string())
                .env("RALPH_SOAK_GIT", "1"),
        )?;
    }
    println!("      a month of automatic learning, seed {seed}");
    process::show(
        cargo(&["test", "--quiet", "--package", "ralph-app", "--lib", "learn::month", "--", "--nocapture"])
            .env("RALPH_SOAK_DAYS", MONTH_DAYS.to_string())
            .env("RALPH_SOAK_SEED", seed.to_string()),
    )?;
    println!("      {WEEKS} weeks of a busy feature");
    process::show(
        cargo(&["test", "--quiet", "--package", "ralph-app", "--test", "weeks", "--", "--nocapture"])
            .env("RALPH_SOAK_WEEKS", WEEKS.to_string()),
    )
}
