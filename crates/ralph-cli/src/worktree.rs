//! `ralph worktree`: the folders in which tasks are worked on side by side.

use crate::number;
use crate::output::{Output, table};
use clap::Subcommand;
use ralph_app::{App, RemoveMode};
use ralph_core::view::{CommandError, WorktreeRow};
use ralph_core::worktree::WorktreeStanding;
use std::sync::Arc;

/// What to do with worktrees.
#[derive(Debug, Subcommand)]
pub enum WorktreeCommand {
    /// Worktrees with their task, state and size.
    List,
    /// Make the worktree of a task, or find the existing one, and print its folder.
    Open {
        /// The task.
        #[arg(value_parser = number::task)]
        task: u32,
    },
    /// Remove a worktree's folder; a branch that is not merged stays.
    Remove {
        /// Its task, path or branch.
        name: String,
        /// Also with changes that are not committed: they are kept as a snapshot.
        #[arg(long)]
        force: bool,
    },
    /// Remove what is merged, and what is older or larger than the settings say, if nothing would be lost.
    Prune {
        /// Also with changes that are not committed: they are kept as snapshots.
        #[arg(long)]
        force: bool,
        /// Only show what would go and what would stay.
        #[arg(long)]
        dry_run: bool,
    },
}

/// Lists, opens or removes worktrees.
pub async fn worktree(app: &Arc<App>, command: WorktreeCommand, output: Output) -> Result<(), CommandError> {
    let mode = |force: bool| if force { RemoveMode::WithSnapshot } else { RemoveMode::Safely };
    match command {
        WorktreeCommand::List => {
            let all = app.worktree_rows()?;
            output.answer(&all, || table(&all.iter().map(line).collect::<Vec<_>>(), "no worktrees"));
        }
        WorktreeCommand::Open { task } => {
            let row = app.open_worktree(task).await?;
            output.answer(&row, || row.path.clone());
        }
        WorktreeCommand::Remove { name, force } => {
            let row = app.remove_worktree(&name, mode(force))?;
            output.answer(&row, || format!("removed {}", row.path));
        }
        WorktreeCommand::Prune { force, dry_run } => {
            let pruned = if dry_run { app.prunable_worktrees(mode(force))? } else { app.prune_worktrees(mode(force))? };
            let does = if dry_run { "would remove" } else { "removed" };
            output.answer(&pruned, || {
                let removed = pruned.removed.iter().map(|row| format!("{does} {}", row.path));
                let kept = pruned.kept.iter().map(|row| format!("kept {}: {}", row.path, row.kept.as_deref().unwrap_or_default()));
                let lines: Vec<String> = removed.chain(kept).collect();
                if lines.is_empty() { "no worktrees".to_owned() } else { lines.join("\n") }
            });
        }
    }
    Ok(())
}

#[allow(clippy::cast_precision_loss, reason = "one digit is shown")]
fn line(row: &WorktreeRow) -> Vec<String> {
    let megabytes = format!("{:.1} MB", row.bytes as f64 / 1_000_000.0);
    let kept = row.kept.as_ref().map(|why| format!("kept: {why}")).unwrap_or_default();
    let work = match (row.task, row.errand) {
        (Some(task), _) => format!("#{task}"),
        (None, errand) => errand.map_or_else(String::new, |errand| format!("e{errand}")),
    };
    let state = if row.state == WorktreeStanding::InReview { "waits for review" } else { row.state.as_str() };
    let state = row.under_way.as_deref().unwrap_or(state);
    vec![work, state.to_owned(), megabytes, row.branch.clone(), row.path.clone(), kept]
}
