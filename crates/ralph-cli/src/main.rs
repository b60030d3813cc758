//! The `ralph` binary: everything the product does, without a window.
//!
//! **Never here:** rules, SQL. A subcommand reads its arguments, calls one use case of `ralph_app::App`, and prints.
//! stdout carries the answer (one JSON document with `--json`), stderr everything else; an error is the last line of stderr.

mod agents_file;
mod args;
mod attempts;
mod audit;
mod consolidate;
mod control;
mod discipline;
mod document;
mod errand;
mod eval;
mod eval_leave_out;
mod eval_project;
mod feature;
mod feedback;
mod follow;
mod insights;
mod insights_iterations;
mod key;
mod later;
mod learn;
mod learning;
mod memory;
mod merge;
mod needs_you;
mod notice;
mod number;
mod output;
mod path;
mod project;
mod prompt;
mod recall;
mod reconcile;
mod restore;
mod review;
mod review_run;
mod run;
mod saturation;
mod signals;
mod snapshot;
mod status;
mod task;
mod transcript;
mod trust;
mod worktree;

use crate::memory::EpisodeCommand;
use args::{Cli, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use later::Later;
use output::{Output, to_stderr};
use ralph_core::run::RunControl;
use ralph_core::view::CommandError;
use scripted_agent::PlayArgs;
use signals::Signals;
use std::process::ExitCode;

/// How long background work may delay the end of the process.
const LAST_WAIT: std::time::Duration = std::time::Duration::from_secs(1);

fn main() -> ExitCode {
    log_to_stderr();
    ralph_app::make_room_for_open_files();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let misplaced = match &cli.command {
        Command::Feedback(Later(args)) => args.are_misplaced(),
        Command::Eval(Later(args)) => args.are_misplaced(),
        _ => false,
    };
    if misplaced {
        return usage(&Cli::command().error(ErrorKind::ArgumentConflict, "these arguments can't be used with a subcommand"));
    }
    let output = Output { json: cli.json };
    let unwritten = |fault: &std::io::Error| {
        let message = format!("the answer could not be written to stdout: {fault}");
        Err(CommandError::new("io", message, "what was asked for is done; make room where stdout goes"))
    };
    match dispatch(in_its_folder(cli), output).and_then(|code| output::unwritten().map_or(Ok(code), unwritten)) {
        Ok(code) => code,
        Err(error) => {
            output.error(&error);
            ExitCode::FAILURE
        }
    }
}

/// Changes to the folder given by `-C`, as git does: relative paths start there. A folder that can't be entered is reported by whoever
/// opens it.
fn in_its_folder(cli: Cli) -> Cli {
    match std::env::set_current_dir(&cli.directory) {
        Ok(()) => Cli { directory: ".".into(), ..cli },
        Err(_) => cli,
    }
}

fn dispatch(cli: Cli, output: Output) -> Result<ExitCode, CommandError> {
    let open = || project::open(&cli.directory);
    match cli.command {
        Command::Init(Later(args)) => project::init(&cli.directory, &args, output)?,
        Command::Feature(Later(command)) => feature::feature(&*open()?, command, output)?,
        Command::Task(Later(command)) => task::task(&*open()?, command, output)?,
        Command::Learning(Later(command)) => learning::learning(&*open()?, command, output)?,
        Command::Saturation(Later(args)) => saturation::saturation(&*open()?, &args, output)?,
        Command::Discipline(Later(command)) => discipline::discipline(&*open()?, command, output)?,
        Command::Run(Later(args)) => return run_loop(open, &args, output),
        Command::Stop(Later(args)) => return runtime()?.block_on(control::stop(&open()?, &args, output)),
        Command::Pause(Later(args)) => control::control(&*open()?, &args, RunControl::Pause, output)?,
        Command::Resume(Later(args)) => control::control(&*open()?, &args, RunControl::None, output)?,
        Command::Guide(Later(args)) => control::guide(&*open()?, &args, output)?,
        Command::Answer(Later(args)) => control::answer(&*open()?, &args, output)?,
        Command::Prompt(Later(args)) => prompt::prompt(&*open()?, &args, output)?,
        Command::Attempts { task } => attempts::attempts(&*open()?, task, output)?,
        Command::Insights(Later(args)) => insights::insights(&*open()?, &args, output)?,
        Command::Feedback(Later(args)) => feedback::feedback(&*open()?, args, output)?,
        Command::Recall(Later(args)) => recall::recall(&*open()?, args, output)?,
        Command::Ingest(Later(args)) => document::ingest(&*open()?, &args, output)?,
        Command::Facts(Later(args)) => memory::fact(&*open()?, memory::FactCommand::List(args), output)?,
        Command::Fact(Later(command)) => memory::fact(&*open()?, command, output)?,
        Command::Episode(Later(command)) => memory::episode(&*open()?, command, output)?,
        Command::Episodes(Later(args)) => memory::episode(&*open()?, EpisodeCommand::List(args), output)?,
        Command::Learn(Later(command)) => return stoppable(output, async |stop| learn::learn(&open()?, &command, stop, output).await),
        Command::Document(Later(command)) => document::document(&*open()?, &command, output)?,
        Command::Eval(Later(eval::EvalArgs { command: Some(command), .. })) => {
            return stoppable(output, async |stop| eval_project::eval(&open()?, command, stop, output).await);
        }
        Command::Eval(Later(args)) => eval::eval(&args, output)?,
        Command::EvalPairs(Later(args)) => eval::eval_pairs(&args, output)?,
        Command::EvalLeaveOut(Later(args)) => eval_leave_out::eval_leave_out(&args, output)?,
        Command::Calibrate => reconcile::calibrate(&*open()?, output)?,
        Command::Reconcile => return stoppable(output, async |stop| reconcile::reconcile(&open()?, stop, output).await),
        Command::Consolidate(Later(args)) => {
            return stoppable(output, async |stop| consolidate::consolidate(&open()?, &args, stop, output).await);
        }
        Command::ReviewRun(Later(args)) => {
            return stoppable(output, async |stop| review_run::review_run(&open()?, &args, stop, output).await);
        }
        Command::Review(Later(args)) => review::review(&*open()?, args, output)?,
        Command::Notice(Later(command)) => notice::notice(&*open()?, &command, output)?,
        Command::Snapshot(Later(command)) => snapshot::snapshot(&*open()?, &command, output)?,
        Command::Worktree(Later(command)) => runtime()?.block_on(worktree::worktree(&open()?, command, output))?,
        Command::Errand(Later(command)) => errand::errand(&*open()?, &command, output)?,
        Command::Diff(Later(args)) => merge::diff(&*open()?, &args, output)?,
        Command::Merge(Later(args)) => return stoppable(output, async |stop| merge::merge(&open()?, &args, stop, output).await),
        Command::Discard(Later(args)) => merge::discard(&*open()?, &args, output)?,
        Command::SendBack(Later(args)) => merge::send_back(&*open()?, &args, output)?,
        Command::Status => status::status(&*open()?, output)?,
        Command::Mcp(Later(args)) => return serve_mcp(project::open_for_a_program(&cli.directory)?, args.offer()),
        Command::Parse(Later(args)) => transcript::parse(&args, output)?,
        Command::Trust(Later(args)) => trust::trust(&cli.directory, &args, output)?,
        Command::Key(Later(command)) => key::key(&*open()?, command, output)?,
        Command::Doctor => return Ok(runtime()?.block_on(project::doctor(&cli.directory, output))),
        Command::Restore(Later(args)) => restore::restore(&cli.directory, &args, output)?,
        Command::Rebuild => project::rebuild(&*open()?, output)?,
        Command::Export(Later(args)) => project::export(&*open()?, &args, output)?,
        Command::AgentsFile(Later(args)) => agents_file::agents_file(&*open()?, &args, output)?,
        Command::Audit(Later(args)) => audit::audit(&*open()?, &args, output)?,
        Command::Backup => project::backup(&*open()?, output)?,
        Command::AgentScript { script, model, mcp_config } => {
            return Ok(ExitCode::from(runtime()?.block_on(scripted_agent::play(PlayArgs { script, model, mcp_config }))));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn run_loop(
    open: impl Fn() -> Result<std::sync::Arc<ralph_app::App>, CommandError>,
    args: &run::RunArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    ralph_app::compile_beside();
    let (app, runtime) = (open()?, runtime()?);
    let ended = runtime.block_on(run::run(app, args, output));
    // Work that waits for another process to write is abandoned.
    runtime.shutdown_timeout(LAST_WAIT);
    ended
}

/// Runs a command that starts agents or checks, which end before it does.
fn stoppable(output: Output, work: impl AsyncFnOnce(&ralph_app::StopHandle) -> output::Answered) -> Result<ExitCode, CommandError> {
    let (runtime, signals) = (runtime()?, Signals::default());
    let ended = runtime.block_on(signals.stopping(work));
    runtime.shutdown_timeout(LAST_WAIT);
    match (ended, signals.first()) {
        (Err(error), Some(code)) => {
            output.error(&error);
            Ok(ExitCode::from(code))
        }
        (ended, _) => Ok(ended?.map_or(ExitCode::SUCCESS, ExitCode::from)),
    }
}

fn serve_mcp(app: std::sync::Arc<ralph_app::App>, offer: ralph_mcp::Offer) -> Result<ExitCode, CommandError> {
    let runtime = runtime()?;
    let signals = Signals::default();
    let served = runtime.block_on(ralph_mcp::serve(app, offer, signals.any()));
    if signals.first().is_some() {
        // Standard input is still being read, and a call may be waiting for an answer of the person.
        runtime.shutdown_background();
    }
    served.map_err(|fault| CommandError::new("mcp", fault.to_string(), "what was answered is stored; start the server again"))?;
    Ok(signals.first().map_or(ExitCode::SUCCESS, ExitCode::from))
}

fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let way_out = "end other programs, or raise the limit of processes (`ulimit -u` shows it)";
    threads.map_err(|fault| CommandError::new("io", format!("no threads can be started: {fault}"), way_out))
}

/// Wrong usage: help and version as clap prints them, anything else in the requested format, with clap's own way out.
fn usage(error: &clap::Error) -> ExitCode {
    let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if asked_for || !std::env::args_os().any(|a| a == "--json") {
        if asked_for {
            // If the terminal is gone, there is nowhere left to report it.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        // It repeats the arguments, which can contain another program's text.
        to_stderr(error.render().to_string().trim_end());
        return ExitCode::from(2);
    }
    let text = error.to_string();
    // The first paragraph is the fault; it has several lines if it lists what is missing.
    let fault: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    // Of a command that only has subcommands, clap shows the help.
    let shows_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    let message = if shows_help { "a subcommand is missing".to_owned() } else { fault.join(" ").trim_start_matches("error: ").to_owned() };
    let ways = ["tip: ", "Usage: "];
    let hint: Vec<&str> = text.lines().map(str::trim).filter(|line| ways.iter().any(|way| line.starts_with(way))).collect();
    let hint = if hint.is_empty() { "see `ralph --help`".to_owned() } else { hint.join("; ") };
    Output { json: true }.error(&CommandError::new("usage", message, hint));
    ExitCode::from(2)
}

/// Warnings by default; `RALPH_LOG=debug` for more.
fn log_to_stderr() {
    let filter =
        tracing_subscriber::EnvFilter::try_from_env("RALPH_LOG").unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,rmcp=error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().with_target(false).init();
}
