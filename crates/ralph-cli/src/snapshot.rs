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
    /// Snapshots, newest first, named after an iteration, or after an errand behind an `e`.
    List,
    /// What restoring it would do to each of its files.
    Show {
        /// Its name in the list.
        name: String,
        /// Only this file or folder (repeat for several).
        #[arg(long = "path")]
        paths: Vec<String>,
    },
    /// Restore uncommitted work; the current state is saved as a snapshot first.
    Restore {
        /// Its name in the list.
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
            let row = |s: &SnapshotInfo| vec![s.name.clone(), s.made.to_string(), about(s)];
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
                let changed: Vec<String> = written.chain(removed).collect();
                if changed.is_empty() {
                    "all of it was so already".into()
                } else {
                    changed.into_iter().chain(kept).collect::<Vec<_>>().join("\n")
                }
            });
        }
    }
    Ok(())
}

/// What it was made around.
fn about(snapshot: &SnapshotInfo) -> String {
    let task = snapshot.iteration.as_ref().map(|of| format!("#{} {}", of.task, on_one_line(&of.task_title)));
    task.or_else(|| snapshot.errand.map(|errand| format!("errand {errand}"))).unwrap_or_default()
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
