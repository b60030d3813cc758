//! `cargo xtask test`: every check and test, on a bare machine too.

use crate::demo;
use crate::fault::Fault;
use crate::install::{self, Need, tools};
use crate::process::{self, cargo, npm};
use crate::steps::{self, OnFailure, Step};
use crate::tidy;

/// What to test.
#[derive(clap::Args)]
pub struct Args {
    /// Steps to run (with those they need); all by default.
    steps: Vec<String>,
    /// Run the other steps after one failed.
    #[arg(long)]
    keep_going: bool,
}

/// Cheap steps first, so that slips show early. Everything is built once, in one profile and with one set of
/// features: a second set would build Tauri again. xtask stays out of it, since it runs and has features of its own.
const STEPS: &[Step] = &[
    Step { name: "install", title: "install what is missing", needs: &[], work: || install::install(Need::Tests) },
    Step { name: "tidy", title: "rules of the house and spelling", needs: &["install"], work: house },
    Step { name: "fmt", title: "cargo fmt --check", needs: &["install"], work: fmt },
    Step { name: "check", title: "lint and types of the screen", needs: &["install"], work: || process::show(&mut npm(&["run", "check"])) },
    Step { name: "vitest", title: "tests of the screen", needs: &["install"], work: || process::show(&mut npm(&["run", "test"])) },
    Step { name: "build", title: "the screen, the window and `ralph`", needs: &["install"], work: build },
    Step { name: "clippy", title: "cargo clippy, warnings are errors", needs: &["build"], work: clippy },
    Step { name: "test", title: "tests of the crates", needs: &["build"], work: crates },
    Step { name: "journeys", title: "journeys over the CLI, agents and MCP", needs: &["build"], work: journeys },
    Step { name: "demo", title: "the demo project, made and played", needs: &["build"], work: play_demo },
    Step { name: "window", title: "journey through the real window", needs: &["build"], work: window },
];

/// Runs the steps.
///
/// # Errors
/// When a step fails or a named step does not exist.
pub fn run(args: &Args) -> Result<(), Fault> {
    let steps = steps::choose(STEPS, &args.steps)?;
    steps::run(&steps, if args.keep_going { OnFailure::KeepGoing } else { OnFailure::Stop })
}

/// Builds the screen, then the window that holds it, `ralph` and every test.
fn build() -> Result<(), Fault> {
    process::show(&mut npm(&["run", "build"]))?;
    process::show(&mut cargo(&["build", "--workspace", "--exclude", "xtask", "--all-targets"]))
}

/// The rules are tested before they are applied.
fn house() -> Result<(), Fault> {
    process::show(&mut cargo(&["test", "--quiet", "--package", "xtask"]))?;
    tidy::check()
}

fn fmt() -> Result<(), Fault> {
    if !tools::has_cargo("fmt") {
        println!("      left out: rustfmt is not installed (`rustup component add rustfmt`)");
        return Ok(());
    }
    process::show(&mut cargo(&["fmt", "--all", "--check"]))
}

fn clippy() -> Result<(), Fault> {
    if !tools::has_cargo("clippy") {
        println!("      left out: clippy is not installed (`rustup component add clippy`)");
        return Ok(());
    }
    process::show(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]))
}

/// All suites, even after one fails: one run reports every fault.
fn crates() -> Result<(), Fault> {
    process::show(&mut cargo(&["test", "--no-fail-fast", "--workspace", "--exclude", "xtask", "--exclude", "journeys"]))
}

/// Journeys at once for each processor: half of their time they wait for an agent, a signal or git.
const JOURNEYS_PER_PROCESSOR: usize = 2;

/// Chosen by the name of their program, not by their package: a package alone has other features than the workspace, and
/// everything below it would be built a second time.
fn journeys() -> Result<(), Fault> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    process::show(
        cargo(&["test", "--no-fail-fast", "--workspace", "--exclude", "xtask", "--test", "journeys"])
            .env("RUST_TEST_THREADS", (JOURNEYS_PER_PROCESSOR * processors).to_string())
            .env("RALPH_BIN", process::built("ralph")),
    )
}

/// Twice, since an earlier demo must not be in the way.
fn play_demo() -> Result<(), Fault> {
    demo::make()?;
    demo::play(&demo::make()?)
}

fn window() -> Result<(), Fault> {
    if cfg!(target_os = "macos") {
        println!("      left out: the web view of macOS has no WebDriver");
        return Ok(());
    }
    process::show(&mut on_screen(&["run", "journey"]))
}

/// Time limit of a walk through the window in seconds; a hanging window must not block CI.
const WALK_SECONDS: &str = "900";

/// An npm script that drives the window, on a virtual screen where the system has one.
pub fn on_screen(npm_args: &[&str]) -> std::process::Command {
    let mut command = if cfg!(target_os = "linux") {
        // timeout(1) ends the whole group of processes: screen, driver and window.
        let screen = ["--kill-after=10", WALK_SECONDS, "xvfb-run", "--auto-servernum", "--server-args=-screen 0 1280x900x24", "npm"];
        let mut limited = process::command("timeout", &screen);
        limited.args(npm_args);
        limited
    } else {
        npm(npm_args)
    };
    command
        .env("RALPH_BIN", process::built("ralph"))
        .env("RALPH_DESKTOP_BIN", process::built("ralph-desktop"))
        .env("TAURI_DRIVER", tools::tauri_driver_path());
    command
}
