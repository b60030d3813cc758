//! The project as a whole: `ralph init`, `doctor`, `rebuild`, `export`, `backup`.

use crate::output::{Answered, Output, to_stderr};
use clap::Args;
use ralph_app::{App, Clock};
use ralph_core::task::TaskFilter;
use ralph_core::text::counted;
use ralph_core::view::CommandError;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Start over where a project is missing or damaged; its remains are kept aside.
    #[arg(long)]
    fresh: bool,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Write to this file instead.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// The steps from an empty project to agents at work.
const FIRST_STEPS: &str = "\n  → `ralph feature create NAME`, `ralph task create --feature NAME --title …`, then `ralph run`";

/// Opens the project that `directory` is in, as whoever runs this command.
pub fn open(directory: &Path) -> Result<Arc<App>, CommandError> {
    let app = App::open_for_caller(directory, Clock::system())?;
    // What is shown may be less than what is known elsewhere.
    app.newer_journals()?.iter().for_each(|newer| to_stderr(&format!("warning: {newer}; update Ralph")));
    Ok(Arc::new(app))
}

/// The same for a program's request: its actor is not a person, even if no run started it.
pub fn open_for_a_program(directory: &Path) -> Result<Arc<App>, CommandError> {
    Ok(Arc::new(App::open_for_caller(directory, Clock::system())?.for_a_program()))
}

/// Runs `ralph init`.
pub fn init(directory: &Path, args: &InitArgs, output: Output) -> Answered {
    let make = if args.fresh { App::init_fresh } else { App::init };
    let look = || App::restoration(directory, None).ok().filter(|_| args.fresh);
    let was_whole = look().is_some_and(|found| found.replaces);
    let app = make(directory, Clock::system())?;
    let project = app.project();
    if let Some(other) = app.around() {
        let shown = other.display();
        to_stderr(&format!("warning: it lies in another project, {shown}; neither is told what is learnt in the other"));
    }
    if let Some(ignored) = app.ignored_journals() {
        to_stderr(&format!("warning: {ignored}"));
    }
    let fate = match look() {
        _ if was_whole => "; nothing of it is missing, so nothing was begun anew",
        Some(found) if !found.others.is_empty() => "\nwhat stood there before is kept: `ralph restore --show` names its copies",
        _ => "",
    };
    let next = if app.tasks(&TaskFilter::default())?.is_empty() { FIRST_STEPS } else { "" };
    output.answer(&project, || format!("{} is a Ralph project{fate}{next}", project.path));
    Ok(())
}

/// Runs `ralph doctor`; fails if a check fails.
pub async fn doctor(directory: &Path, output: Output) -> ExitCode {
    let report = App::doctor(directory, Clock::system()).await;
    output.doctor(&report);
    if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs `ralph rebuild`.
pub fn rebuild(app: &App, output: Output) -> Answered {
    let rebuilt = app.rebuild()?;
    output.answer(&rebuilt, || {
        let skipped = rebuilt.skipped.iter().map(|s| format!("\nskipped {} line {}: {}", s.file, s.line, s.fault));
        format!(
            "{} and {}; {} written back, {} read in{}{}",
            counted(rebuilt.features, "feature"),
            counted(rebuilt.learnings, "learning"),
            counted(rebuilt.written_back, "line"),
            rebuilt.read_in,
            if rebuilt.held > 0 { format!(", {} wait for your yes: `ralph trust`", rebuilt.held) } else { String::new() },
            skipped.collect::<String>()
        )
    });
    Ok(())
}

/// Runs `ralph export`.
pub fn export(app: &App, args: &ExportArgs, output: Output) -> Answered {
    if let Some(path) = &args.out {
        let path = app.export_to(Some(path))?;
        output.answer(&serde_json::json!({ "path": path.display().to_string() }), || path.display().to_string());
    } else {
        let export = app.export()?;
        Output { json: true }.answer(&export, String::new);
    }
    Ok(())
}

/// Runs `ralph backup`.
pub fn backup(app: &App, output: Output) -> Answered {
    let path = app.backup()?;
    output.answer(&serde_json::json!({ "path": path.display().to_string() }), || path.display().to_string());
    Ok(())
}
