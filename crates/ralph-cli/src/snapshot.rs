//! `ralph snapshot`: a person's uncommitted work, saved before an agent started.

use crate::output::{Output, table};
use clap::Subcommand;
use ralph_app::App;
use ralph_core::snapshot::SnapshotInfo;
use ralph_core::text::on_one_line;
use ralph_core::view::CommandError;

/// What to do with snapshots.
#[derive(Debug, Subcommand)]
pub enum SnapshotCommand {
    /// Snapshots, named after the iteration before which they were made, newest first.
    List,
    /// Restore uncommitted work; the current state is saved as a snapshot first.
    Restore {
        /// The iteration, or another name from the list.
        name: String,
        /// Only this file or folder (repeat for several).
        #[arg(long = "path")]
        paths: Vec<String>,
    },
}

/// Lists snapshots, or restores one.
pub fn snapshot(app: &App, command: &SnapshotCommand, output: Output) -> Result<(), CommandError> {
    match command {
        SnapshotCommand::List => {
            let all = app.snapshots()?;
            let row = |s: &SnapshotInfo| vec![s.name.clone(), s.made.to_string()];
            output.answer(&all, || table(&all.iter().map(row).collect::<Vec<_>>(), "no snapshots are kept"));
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
