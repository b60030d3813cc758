//! Guidance: a person's words for the next iteration, of one task or of any.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::rows::find_task;
use crate::secrets::check_input;
use ralph_core::authority::Act;
use ralph_core::noun::Noun;
use ralph_core::run::{Guidance, GuidanceId};
use ralph_core::task::Readiness;
use ralph_core::{TaskId, limits};

impl App {
    /// Gives guidance to the next iteration of a task, or of any; it is used once.
    pub fn guide(&self, task: Option<TaskId>, text: &str) -> Result<Guidance> {
        self.allowed(&Act::SteerRun)?;
        let (now, text) = (self.clock.now(), check_input::long("text", text)?);
        if text.trim().is_empty() {
            return Err(AppError::invalid("text", "is empty", "say what the next iteration should know"));
        }
        self.write(|tx| {
            let task_row = task.map(|task| find_task(tx, task)).transpose()?;
            if let Some(closed) = task_row.filter(|task| task.readiness == Readiness::Closed) {
                let fault = format!("task {} is {}: no iteration follows", closed.id, closed.status);
                let hint = format!("`ralph task update {} --status pending` opens it again", closed.id);
                return Err(AppError::invalid("task", fault, hint));
            }
            if tx.waiting_guidance(None)?.len() >= limits::GUIDANCE_WAITING {
                let fault = format!("{} pieces of guidance wait already", limits::GUIDANCE_WAITING);
                return Err(AppError::invalid("text", fault, "start a run that takes them, or write a remark on the task"));
            }
            let id = tx.insert_guidance(task, &text, now)?;
            Ok(Guidance { id, task, text: text.clone(), created: now, iteration: None })
        })
    }

    /// Withdraws pending guidance.
    pub fn withdraw_guidance(&self, id: GuidanceId) -> Result<Guidance> {
        self.allowed(&Act::SteerRun)?;
        self.write(|tx| {
            let given = tx.guidance(id)?.ok_or_else(|| AppError::not_found(Noun::Guidance, id))?;
            if !tx.delete_waiting_guidance(id)? {
                let told = given.iteration.map_or_else(|| "an iteration".to_owned(), |iteration| format!("iteration {iteration}"));
                return Err(AppError::invalid(
                    "guidance",
                    format!("{told} was told it already"),
                    "stop that iteration, or give more guidance",
                ));
            }
            Ok(given)
        })
    }

    /// Pending guidance, oldest first.
    pub fn waiting_guidance(&self) -> Result<Vec<Guidance>> {
        Ok(self.db.read(|r| r.waiting_guidance(None))?)
    }
}
