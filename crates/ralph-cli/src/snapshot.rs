//! `ralph snapshot`: a person's uncommitted work, saved before an agent started.

use crate::output::{Output, table};
use clap::Subcommand;
use ralph_app::App;
use ralph_core::snapshot::{SnapshotEffect, SnapshotFile, SnapshotInfo};
use ralph_core::text::on_one_line;
use ralph_core::view::CommandError;

/// What to do with snapshots.
#[derive(Debug, Subcommand)]
pub enum SnapshotCommand {
    /// Snapshots, named after the iteration before which they were made, newest first.
    List,
    /// What restoring it would do to each of its files.
    Show {
        /// The iteration, or another name from the list.
        name: String,
        /// Only this file or folder (repeat for several).
        #[arg(long = "path")]
        paths: Vec<String>,
    },
    /// Restore uncommitted work; the current state is saved as a snapshot first.
    Restore {
        /// The iteration, or another name from the list.
        name: String,
        /// Only this file or folder (repeat for several).
        #[arg(long = "path")]
        paths: Vec<String>,
    },
}

/// Lists snapshots, shows what restoring one would do, or does it.
pub fn snapshot(app: &App, command: &SnapshotCommand, output: Output) -> Result<(), CommandError> {
    match command {
        SnapshotCommand::List => {
            let all = app.snapshots()?;
            let task = |s: &SnapshotInfo| s.iteration.as_ref().map(|of| format!("#{} {}", of.task, on_one_line(&of.task_title)));
            let row = |s: &SnapshotInfo| vec![s.name.clone(), s.made.to_string(), task(s).unwrap_or_default()];
            output.answer(&all, || table(&all.iter().map(row).collect::<Vec<_>>(), "no snapshots are kept"));
        }
        SnapshotCommand::Show { name, paths } => {
            let view = app.snapshot_view(name, paths)?;
            let row = |file: &SnapshotFile| vec![in_words(file.effect).to_owned(), on_one_line(&file.path)];
            output.answer(&view, || {
                let more = if view.more > 0 { format!("\nand {} more files", view.more) } else { String::new() };
                table(&view.files.iter().map(row).collect::<Vec<_>>(), "it holds no such file") + &more
            });
        }
        SnapshotCommand::Restore { name, paths } => {
            let restored = app.restore_snapshot(name, paths)?;
            output.answer(&restored, || {
                let written = restored.written.iter().map(|path| format!("restored {}", on_one_line(path)));
                let removed = restored.removed.iter().map(|path| format!("removed {}, as it was then", on_one_line(path)));
                let kept = restored.kept_first.iter().map(|kept| format!("what stood there is snapshot {kept}"));
                written.chain(removed).chain(kept).collect::<Vec<_>>().join("\n")
            });
        }
    }
    Ok(())
}

fn in_words(effect: SnapshotEffect) -> &'static str {
    match effect {
        SnapshotEffect::InTheWay => "is in the way",
        SnapshotEffect::Replaced => "would be replaced",
        SnapshotEffect::Removed => "would be removed",
        SnapshotEffect::ComesBack => "would come back",
        SnapshotEffect::Unchanged => "is so already",
    }
}
