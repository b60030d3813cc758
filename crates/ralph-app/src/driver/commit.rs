//! The one commit of an iteration: its outcome, its task, its learnings and its journal line, together or not at all.

use super::{Driver, RunEvent};
use crate::App;
use crate::error::{AppError, Result};
use crate::journal::record;
use crate::knowledge::{Admitted, remember};
use ralph_core::learning::{NewLearning, Verdict};
use ralph_core::run::HookNote;
use ralph_core::run::hooks::{IterationCommit, RowEffect};
use ralph_core::task::{TaskKind, TaskProvenance, TaskStatus};
use ralph_core::time::Timestamp;
use ralph_core::{TaskId, limits};
use ralph_rag::clean::{clean, redact};
use ralph_rag::journal::Event;
use sqlite_db::Tx;
use sqlite_db::table::SettledIteration;

/// The hook whose note tells what the door answered.
const HARVEST: &str = "harvest_learnings";

impl Driver {
    /// Commits an iteration and returns the dollars of the run so far.
    pub(super) async fn commit(&mut self, commit: IterationCommit) -> Result<f64> {
        let (run, iteration) = (self.prepared.run.id, commit.claim.iteration);
        if let Some(current) = &mut self.current {
            current.log.flush();
        }
        self.current = None;
        let (settled, cost) = self
            .blocking(move |app| {
                app.commit_iteration(commit)?;
                Ok((app.iteration(iteration)?.iteration, app.run(run)?.run.cost_usd))
            })
            .await?;
        self.tell(RunEvent::IterationSettled { iteration: settled }).await;
        Ok(cost)
    }
}

impl App {
    /// Settles an iteration once: a second settlement of the same one changes nothing.
    fn commit_iteration(&self, commit: IterationCommit) -> Result<()> {
        let now = self.clock.now();
        let default_cap = self.settings()?.max_learnings;
        self.write(|tx| {
            let row = tx.iteration(commit.claim.iteration)?.ok_or_else(|| AppError::not_found("iteration", commit.claim.iteration))?;
            let mut settled = SettledIteration {
                id: commit.claim.iteration,
                outcome: commit.outcome,
                note: None,
                usage: commit.usage,
                denials: commit.denials,
                evidence: commit.evidence,
                exit_code: commit.exit_code,
            };
            for effect in &commit.rows {
                if let RowEffect::SetOutcome { outcome, note } = effect {
                    settled.outcome = *outcome;
                    settled.note = Some(redact(note).0);
                }
            }
            if !tx.settle_iteration(&settled, now)? {
                return Ok(());
            }
            tx.set_last_used(&row.told, now)?;
            let mut notes = commit.hooks;
            // Knowledge first: closing a split task ends the feature's door.
            for effect in &commit.rows {
                if let RowEffect::Remember(candidate) = effect {
                    let answer = harvest(tx, candidate, default_cap, now)?;
                    add_to_note(&mut notes, HARVEST, &answer);
                }
            }
            for effect in &commit.rows {
                if let RowEffect::SettleTask { status, blocked_reason, comment } = effect {
                    settle_task(tx, commit.claim.task, commit.claim.kind, *status, blocked_reason.as_deref(), comment.as_deref(), now)?;
                }
            }
            tx.insert_hook_notes(settled.id, &notes)?;
            let event = Event::Iteration { iteration: row.id, task: row.task, outcome: settled.outcome, model: row.model, told: row.told };
            record(tx, &commit.claim.feature, event, now)
        })
    }
}

/// Hands a candidate to the door; what the door refuses is a note, never a lost iteration.
fn harvest(tx: &Tx<'_>, candidate: &NewLearning, default_cap: u32, now: Timestamp) -> Result<String> {
    match remember(tx, candidate, default_cap, now) {
        Ok(Admitted::Stored(stored)) => Ok(match stored.verdict {
            Verdict::Added => format!("added {}", stored.id),
            Verdict::Observed => format!("observed {}", stored.id),
            Verdict::Conflict => format!("added {}, which contradicts {}", stored.id, stored.conflicts_with.join(", ")),
        }),
        Ok(Admitted::Parked(AppError::KnowledgeFull { parked, .. })) => Ok(format!("parked {parked}: the feature is full")),
        Ok(Admitted::Parked(error)) => Ok(format!("parked: {error}")),
        Err(error @ (AppError::Invalid { .. } | AppError::FeatureClosed { .. } | AppError::NotFound { .. })) => {
            Ok(format!("refused: {error}"))
        }
        Err(error) => Err(error),
    }
}

fn add_to_note(notes: &mut [HookNote], hook: &str, answer: &str) {
    if let Some(note) = notes.iter_mut().find(|n| n.hook == hook) {
        note.note = format!("{}; {answer}", note.note);
    }
}

fn settle_task(
    tx: &Tx<'_>,
    id: TaskId,
    kind: TaskKind,
    status: TaskStatus,
    blocked_reason: Option<&str>,
    comment: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let Some(task) = tx.task(id)? else { return Ok(()) };
    let mut status = status;
    if kind == TaskKind::Split && status == TaskStatus::Done {
        // The children were counted before; one that was archived since then reopens the task.
        match crate::split::close(tx, &task, now) {
            Err(AppError::SplitIncomplete { .. }) => status = TaskStatus::Pending,
            other => other?,
        }
    }
    // A person may have decided about the task meanwhile; only the loop's own claim is ended here.
    if task.status == TaskStatus::InProgress {
        tx.set_task_status(id, status, blocked_reason, now)?;
    }
    if let Some(comment) = comment {
        let text = clean(comment, limits::LONG_TEXT_CHARS).text;
        if !text.is_empty() {
            tx.insert_comment(id, TaskProvenance::System, &text, now)?;
        }
    }
    Ok(())
}
