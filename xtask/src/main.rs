//! Automation of the repository: `cargo xtask run`, `test`, `bench`, `soak`, `tidy` and `codegen`.
//!
//! Knows files, tools and processes of this repository. Must never contain product code.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool talks to a person")]

mod bench;
mod codegen;
mod demo;
mod fault;
mod install;
mod process;
mod run;
mod soak;
mod steps;
mod test;
mod tidy;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Automation of the Ralph repository", disable_version_flag = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what is missing, build the window and open it on a project (without one: on a demo project).
    Run(run::Args),
    /// Install what is missing and run every check and test.
    Test(test::Args),
    /// Measure, each figure beside its floor.
    Bench(bench::Args),
    /// Kill processes of every kind, throw work away, open a hostile repository: many times more than the tests do.
    Soak(soak::Args),
    /// Check the rules of this repository: dependency edges, bans, sizes, names.
    Tidy(tidy::Args),
    /// Regenerate the TypeScript bindings.
    Codegen,
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Soak(args) => soak::run(&args),
        Command::Tidy(args) => tidy::run(&args),
        Command::Codegen => codegen::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}
