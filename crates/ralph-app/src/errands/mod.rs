//! Errands: agent runs that belong to no task, with the same environment, cleaning, limits, stop ladder and recovery as those that do.
//!
//! **To add an errand:** a word in `ErrandKind`, and a use case that orders it ([`App::run_errand`]) and judges its result.

mod attended;
mod outside;
mod program;
mod progress;
mod recover;
mod run;

pub(crate) use attended::Attended;
pub(crate) use run::{ErrandEnd, Order, Purse, Running};

use crate::app::App;
use crate::error::{AppError, Result};
use ralph_core::authority::Act;
use ralph_core::errand::{Errand, ErrandId, ErrandState};
use ralph_core::limits;
use ralph_core::noun::Noun;
use ralph_core::worktree::Work;
use sqlite_db::Read;
use std::path::PathBuf;

impl App {
    /// The newest errands, newest first.
    pub fn errands(&self) -> Result<Vec<Errand>> {
        Ok(self.db.read(|r| r.errands(limits::ERRANDS_SHOWN))?)
    }

    /// One errand.
    pub fn errand(&self, id: ErrandId) -> Result<Errand> {
        self.db.read(|r| r.errand(id))?.ok_or_else(|| AppError::not_found(Noun::Errand, id))
    }

    /// Asks an errand to stop, in whichever process it runs. No effect on one that is over.
    pub fn stop_errand(&self, id: ErrandId) -> Result<Errand> {
        self.allowed(&Act::SteerRun)?;
        let errand = self.errand(id)?;
        self.write(|tx| Ok(tx.ask_errand_to_stop(id)?))?;
        Ok(errand)
    }

    /// The event log of an errand.
    pub fn errand_log(&self, id: ErrandId) -> PathBuf {
        self.paths.logs.join(format!("errand-{id}.jsonl"))
    }

    /// The exact prompt of an errand's agent, for the first request or a later one after an invalid result.
    pub fn errand_prompt(&self, id: ErrandId, asked: u32) -> PathBuf {
        let turn = if asked > 1 { format!(".{asked}") } else { String::new() };
        self.paths.logs.join(format!("errand-{id}{turn}.prompt.md"))
    }
}

/// Refuses changes to a worktree while an errand is running in it.
pub(crate) fn no_errand_in(r: &Read<'_>, work: Work) -> Result<()> {
    let at_work = match work {
        Work::Task(task) => r.running_errand_of(task)?,
        Work::Errand(errand) => r.errand(errand)?.filter(|errand| errand.state == ErrandState::Running).map(|errand| errand.id),
    };
    let Some(errand) = at_work else { return Ok(()) };
    Err(AppError::invalid(
        "task",
        format!("errand {errand} is at work in the worktree of {work}"),
        format!("`ralph errand stop {errand}` ends it"),
    ))
}
