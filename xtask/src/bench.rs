//! `cargo xtask bench`: builds the release programs and lets `ralph-bench` measure them.

use crate::fault::Fault;
use crate::process::{self, cargo};

/// What to measure.
#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Few rounds: to try the benches themselves, not for figures to keep.
    #[arg(long)]
    quick: bool,
    /// Start-up and memory of the window too; builds it in release, which takes minutes.
    #[arg(long)]
    window: bool,
    /// Instead: whether memory helps, in a simulated world over twelve seeds and three arms; takes minutes.
    #[arg(long)]
    world: bool,
    /// Measure this part alone: saturations, append, prompt, transcript, flood, start, loop or window.
    #[arg(long, value_name = "PART")]
    only: Option<String>,
}

/// Builds, measures, prints.
///
/// # Errors
/// When something can't be built or measured.
pub fn run(args: &Args) -> Result<(), Fault> {
    // Only the figures go to standard output; what cargo says goes to standard error.
    quietly(&mut cargo(&["build", "--release", "--package", "ralph-cli", "--package", "ralph-bench"]))?;
    if args.window || args.only.as_deref() == Some("window") {
        quietly(process::npm(&["run", "build"]).stdout(std::io::stderr()))?;
        quietly(&mut cargo(&["build", "--release", "--package", "ralph-desktop", "--bins", "--example", "empty-window"]))?;
    }
    let program = process::target().join("release").join(format!("ralph-bench{}", std::env::consts::EXE_SUFFIX));
    let mut bench = process::command(program, &[]);
    // The testkit's sandboxes start it.
    bench.env("RALPH_BIN", process::target().join("release").join(format!("ralph{}", std::env::consts::EXE_SUFFIX)));
    for (wanted, name) in [(args.json, "--json"), (args.quick, "--quick"), (args.window, "--window"), (args.world, "--world")] {
        if wanted {
            bench.arg(name);
        }
    }
    if let Some(part) = &args.only {
        bench.args(["--only", part]);
    }
    quietly(&mut bench)
}

/// Runs to the end without telling the command line on standard output.
fn quietly(command: &mut std::process::Command) -> Result<(), Fault> {
    eprintln!("      $ {}", process::line(command));
    let status = command.status().map_err(|source| Fault::Start { command: process::line(command), source })?;
    if status.success() { Ok(()) } else { Err(Fault::Failed { command: process::line(command), status }) }
}
