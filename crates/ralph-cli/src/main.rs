//! The `ralph` binary: everything the product does, without a window.
//!
//! **Never here:** rules, SQL. A subcommand reads its arguments, calls one use case of `ralph_app::App`, and prints.
//! stdout carries the answer (one JSON document with `--json`), stderr everything else; an error is the last line of stderr.

mod args;
mod commands;
mod history;
mod output;
mod pairs;
mod recall;
mod review;
mod run;

use args::{Cli, Command};
use clap::Parser as _;
use clap::error::ErrorKind;
use output::Output;
use ralph_app::App;
use ralph_core::view::CommandError;
use std::process::ExitCode;

fn main() -> ExitCode {
    log_to_stderr();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let output = Output { json: cli.json };
    match dispatch(cli, output) {
        Ok(code) => code,
        Err(error) => {
            output.error(&error);
            ExitCode::FAILURE
        }
    }
}

fn dispatch(cli: Cli, output: Output) -> Result<ExitCode, CommandError> {
    match cli.command {
        Command::AgentScript { script, model, mcp_config } => {
            let code = runtime()?.block_on(ralph_app::play_script(script, model, mcp_config));
            Ok(ExitCode::from(code))
        }
        Command::Run(request) => {
            let app = commands::open(&cli.directory)?;
            runtime()?.block_on(run::run(app, &request, output))
        }
        Command::Stop { after } => {
            let app = commands::open(&cli.directory)?;
            runtime()?.block_on(run::stop(&app, after, output))
        }
        Command::Mcp => {
            let app = commands::open(&cli.directory)?;
            runtime()?.block_on(ralph_mcp::serve(app)).map_err(|e| CommandError {
                code: "mcp".to_owned(),
                message: e.to_string(),
                hint: String::new(),
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Doctor => {
            let report = runtime()?.block_on(App::doctor(&cli.directory, ralph_app::Clock::system()));
            output.doctor(&report);
            Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        command => {
            commands::answer(&cli.directory, command, output)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|e| CommandError {
        code: "io".to_owned(),
        message: format!("no threads can be started: {e}"),
        hint: String::new(),
    })
}

/// Wrong usage: help and version as clap prints them, anything else in the form that was asked for.
fn usage(error: &clap::Error) -> ExitCode {
    let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if asked_for || !std::env::args_os().any(|a| a == "--json") {
        // Nowhere is left to tell that the terminal is gone.
        let _ = error.print();
        return if asked_for { ExitCode::SUCCESS } else { ExitCode::from(2) };
    }
    let text = error.to_string();
    let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    Output { json: true }.error(&CommandError { code: "usage".to_owned(), message, hint: "see `ralph --help`".to_owned() });
    ExitCode::from(2)
}

/// Warnings by default; `RALPH_LOG=debug` for more.
fn log_to_stderr() {
    let filter =
        tracing_subscriber::EnvFilter::try_from_env("RALPH_LOG").unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,rmcp=error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().with_target(false).init();
}
