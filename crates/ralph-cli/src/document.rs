//! `ralph ingest` and `ralph document`: files of the project that recall searches by section.

use crate::output::{Answered, Output, table};
use crate::path::absolute;
use clap::{Args, Subcommand};
use ralph_app::{App, AppError};
use ralph_core::document::{Document, SkippedFile};
use ralph_core::text::counted;
use ralph_core::view::CommandError;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct IngestArgs {
    /// Files and folders of the project; without any, everything ingested before is checked again.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
}

/// What to do with documents.
#[derive(Debug, Subcommand)]
pub enum DocumentCommand {
    /// Documents by path.
    List,
    /// Stop searching ingested files and folders; the files themselves stay.
    Forget {
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<PathBuf>,
    },
}

/// Ingests files and folders.
pub fn ingest(app: &App, args: &IngestArgs, output: Output) -> Answered {
    let all = app.ingest(&all_absolute(&args.paths)?)?;
    if !args.paths.is_empty() && all.ingested.is_empty() && !all.remembered {
        let why: Vec<String> = all.skipped.iter().map(|file| format!("{}: {}", file.path, file.reason)).collect();
        let fault = format!("hold nothing to bring in: {}", why.join("; "));
        return Err(AppError::invalid("paths", fault, "name text files or folders of the project that git does not ignore").into());
    }
    output.answer(&all, || {
        let sections: u32 = all.ingested.iter().map(|file| file.sections).sum();
        let files = all.ingested.iter().map(|file| format!("{}: {}", file.path, counted(file.sections, "section")));
        let sum = format!("{} with {}", counted(all.ingested.len(), "document"), counted(sections, "section"));
        files.chain(passed_over(&all.skipped)).chain([sum]).collect::<Vec<_>>().join("\n")
    });
    Ok(())
}

/// Lists documents, or forgets some.
pub fn document(app: &App, command: &DocumentCommand, output: Output) -> Answered {
    match command {
        DocumentCommand::List => {
            let all = app.documents()?;
            let row = |d: &Document| vec![d.path.clone(), counted(d.sections, "section"), d.feature.clone().unwrap_or_default()];
            output.answer(&all, || {
                table(&all.iter().map(row).collect::<Vec<_>>(), "no documents: `ralph ingest PATH` brings files and folders in")
            });
        }
        DocumentCommand::Forget { paths } => {
            let answer = app.forget_documents(&all_absolute(paths)?)?;
            output.answer(&answer, || {
                let gone = answer.forgotten.iter().map(|path| format!("forgotten {path}"));
                let kept = answer.kept.iter().map(|file| format!("kept {}: {}", file.path, file.reason));
                let lines: Vec<String> = gone.chain(kept).collect();
                if lines.is_empty() { "nothing was known of it".to_owned() } else { lines.join("\n") }
            });
        }
    }
    Ok(())
}

fn passed_over(skipped: &[SkippedFile]) -> impl Iterator<Item = String> {
    skipped.iter().map(|file| format!("skipped {}: {}", file.path, file.reason))
}

fn all_absolute(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    paths.iter().map(|path| absolute(path)).collect()
}
