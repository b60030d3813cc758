//! `cargo xtask bench`: builds the release programs and lets `ralph-bench` measure them.

use crate::fault::Fault;
use crate::install;
use crate::process::{self, cargo, quietly};

/// Where the figures of each commit are kept and drawn.
const HISTORY: &str = "docs/bench/";

/// What to measure.
#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Few rounds: to test the benches themselves, not for real figures.
    #[arg(long)]
    quick: bool,
    /// Start-up and memory of the window too; builds it in release, which takes minutes.
    #[arg(long)]
    window: bool,
    /// Instead: Ralph compared with chromadb, mem0, lancedb, qdrant and sqlite-vec, which are installed below `target/tools` from PyPI;
    /// takes ten minutes.
    #[arg(long, conflicts_with_all = ["world", "window"])]
    peers: bool,
    /// Instead: whether memory helps, in a simulated world over twelve seeds and three arms; takes minutes.
    #[arg(long)]
    world: bool,
    /// Measure only this part: saturations, append, prompt, recall, learning, ages, transcript, flood, start, loop, worktrees, scale or
    /// window; with `--peers`, embedding.
    #[arg(long, value_name = "PART")]
    only: Option<String>,
}

/// Builds, measures, prints.
///
/// # Errors
/// When something can't be built or measured.
pub fn run(args: &Args) -> Result<(), Fault> {
    let python = args.peers.then(install::peers).transpose()?;
    // Only the figures go to standard output; what cargo says goes to standard error.
    quietly(&mut cargo(&["build", "--release", "--package", "ralph-cli", "--package", "ralph-bench"]))?;
    if args.window || args.only.as_deref() == Some("window") {
        quietly(process::npm(&["run", "build"]).stdout(std::io::stderr()))?;
        quietly(&mut cargo(&["build", "--release", "--package", "ralph-desktop", "--bins", "--example", "empty-window"]))?;
    }
    let program = process::target().join("release").join(format!("ralph-bench{}", std::env::consts::EXE_SUFFIX));
    let mut bench = process::command(program, &[]);
    // The bench's worktrees and markers stay out of the person's data.
    bench.env("RALPH_DATA_HOME", process::target().join("bench-data"));
    // The testkit's sandboxes start it.
    bench.env("RALPH_BIN", process::target().join("release").join(format!("ralph{}", std::env::consts::EXE_SUFFIX)));
    if let Some(commit) = commit()? {
        bench.env("BENCH_COMMIT", commit).env("BENCH_HISTORY", process::root().join(HISTORY));
    } else {
        eprintln!("the figures are not kept in {HISTORY}, since the tree has changes of no commit");
    }
    if let Some(python) = python {
        bench.env("PEERS_PYTHON", python);
    }
    let flags =
        [(args.json, "--json"), (args.quick, "--quick"), (args.window, "--window"), (args.peers, "--peers"), (args.world, "--world")];
    for (wanted, name) in flags {
        if wanted {
            bench.arg(name);
        }
    }
    if let Some(part) = &args.only {
        bench.args(["--only", part]);
    }
    quietly(&mut bench)
}

/// The measured commit; `None` if the tree has changes other than to the history of figures.
fn commit() -> Result<Option<String>, Fault> {
    let changes = process::read(&mut process::command("git", &["status", "--porcelain", "--untracked-files=all"]))?;
    if changes.lines().any(|line| !line.get(3..).is_some_and(|path| path.starts_with(HISTORY))) {
        return Ok(None);
    }
    let commit = process::read(&mut process::command("git", &["log", "-1", "--format=%cs %h", "--abbrev=10"]))?;
    Ok(Some(commit.trim().to_owned()))
}
