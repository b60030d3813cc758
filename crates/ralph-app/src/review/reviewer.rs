//! Review of a task's work by an agent before the person's: in a separate worktree that is discarded, so that it changes
//! nothing. Its findings are data; a rule decides whether the work is sent back.

use super::give_back::give_back;
use crate::app::App;
use crate::errands::{ErrandEnd, Order, Purse, Running};
use crate::error::{AppError, Result};
use crate::rows::find_task;
use agent_cli::StopHandle;
use ralph_core::diff_review::{DiffFinding, DiffReview, FindingWeight, ask, findings, has_must, sends_back};
use ralph_core::errand::{Errand, ErrandAgent, ErrandId, ErrandKind, ErrandState};
use ralph_core::limits;
use ralph_core::noun::Noun;
use ralph_core::run::AgentKind;
use ralph_core::run::machine::Setback;
use ralph_core::task::{Task, TaskProvenance, TaskStatus};
use ralph_core::view::LineComment;
use ralph_core::worktree::{Work, Worktree};
use ralph_core::{TaskId, count};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// The matter of an errand that reviewed work: stored with it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct WorkMatter {
    /// The reviewed commit.
    tip: String,
    sent_back: bool,
    findings: Vec<DiffFinding>,
}

/// The note of an errand whose agent answered without judging anything.
const NO_VERDICT: &str = "it gave no verdict: neither a finding nor that there is none";

/// Consequence of an agent's review.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ReviewerVerdict {
    /// No review was configured, or nothing has to be changed.
    GoOn,
    /// Nobody has looked yet: the provider or the network was not there.
    PutOff(Setback),
    /// It was sent back, or a person has to look: something must be changed, or the review failed.
    Waits,
}

/// Work to be reviewed.
struct Desk {
    task: Task,
    worktree: Worktree,
    fork: String,
    tip: String,
    files: Vec<String>,
}

impl Desk {
    /// The title of its review.
    fn title(&self) -> String {
        format!("Review the work on task #{}", self.task.id)
    }
}

impl App {
    /// Has an agent review the work on a task, if configured; once for each state of the branch. Its cost is taken from `purse`.
    ///
    /// # Errors
    /// If its findings can't be stored. A failing agent is reported on its errand.
    pub(super) async fn review_by_agent(self: &Arc<Self>, task: TaskId, purse: &mut Purse, stop: &StopHandle) -> Result<ReviewerVerdict> {
        let Some(agent) = self.settings()?.worktrees.reviewer else { return Ok(ReviewerVerdict::GoOn) };
        let desk = self.blocking(move |app| app.review_desk(task)).await?;
        let order = match self.review_order(&desk, agent, *purse).await {
            Ok(order) => order,
            Err(fault) => {
                // The work awaits a person, as without a reviewer.
                tracing::warn!("no agent looked at the work on task {task}: {fault}");
                let purse = *purse;
                if !purse.is_empty() {
                    self.blocking(move |app| app.note_no_review(&desk, agent, purse, &fault)).await?;
                }
                return Ok(ReviewerVerdict::Waits);
            }
        };
        let mut running = self.blocking(move |app| app.begin_errand(order, |_, _| Ok(()))).await?;
        let (state, note) = match self.look_at_work(&mut running, &desk, stop).await {
            Ok(ErrandEnd::Answered) => (ErrandState::Done, None),
            Ok(ErrandEnd::Failed(state, note)) => (state, note),
            Err(fault) => (ErrandState::Failed, Some(fault.to_string())),
        };
        let setback = running.setback().filter(|_| state == ErrandState::Failed);
        let (errand, verdict) = self.blocking(move |app| app.end_work_review(running, desk, state, note.as_deref())).await?;
        purse.pay(&errand);
        Ok(setback.map_or(verdict, ReviewerVerdict::PutOff))
    }

    fn review_desk(&self, task: TaskId) -> Result<Desk> {
        let (task, worktree) = (self.db.read(|r| find_task(r, task))?, self.worktree_of(Work::Task(task))?);
        let repo = self.repository_for("task")?;
        let sides = self.sides(repo, &worktree)?;
        let files = repo.changes_between(&sides.fork, &sides.tip)?.into_iter().map(|change| change.path).collect();
        Ok(Desk { task, worktree, fork: sides.fork, tip: sides.tip, files })
    }

    async fn review_order(self: &Arc<Self>, desk: &Desk, agent: AgentKind, purse: Purse) -> Result<Order> {
        let by = ErrandAgent { agent: Some(agent), ..ErrandAgent::default() };
        let program = self.errand_program(ErrandKind::Review, &by).await?;
        let named = program.settings.worktrees.reviewer_model.as_str();
        let model = if named.trim().is_empty() { program.strongest() } else { named };
        Ok(Order {
            task: Some(desk.task.id),
            run: Some(purse.run),
            // It may read, which needs no permission, and report.
            tools: Some(Vec::new()),
            model: model.to_owned(),
            max_usd: Purse::open(Some(purse), program.settings.max_usd)?,
            ..program.order(desk.title(), self.own_checkout())
        })
    }

    /// Stores a review that could not be ordered as a failed errand, so that the reason can be found there.
    fn note_no_review(&self, desk: &Desk, agent: AgentKind, purse: Purse, fault: &AppError) -> Result<()> {
        let order = Order {
            kind: ErrandKind::Review,
            task: Some(desk.task.id),
            run: Some(purse.run),
            title: desk.title(),
            checkout: self.own_checkout(),
            tools: None,
            agent,
            program: PathBuf::new(),
            script: None,
            model: String::new(),
            max_usd: None,
            max_minutes: limits::ERRAND_MINUTES,
            answer_schema: None,
        };
        let running = self.begin_errand(order, |_, _| Ok(()))?;
        self.end_errand(running, ErrandState::Failed, Some(&fault.to_string()), |_| Ok(())).map(drop)
    }

    /// Asks in a separate worktree with the work checked out and no branch: any changes there are discarded.
    async fn look_at_work(self: &Arc<Self>, running: &mut Running, desk: &Desk, stop: &StopHandle) -> Result<ErrandEnd> {
        let title = running.order.title.clone();
        let checkout = self.make_worktree((Work::Errand(running.id), &title), Some(&desk.worktree.base), stop).await?;
        let (id, tip, place) = (running.id, desk.tip.clone(), checkout.clone());
        self.blocking(move |app| {
            let repo = place.repo.as_ref().ok_or_else(|| AppError::not_found(Noun::Worktree, place.folder.display()))?;
            repo.check_out_apart(&tip)?;
            app.write(|tx| Ok(tx.set_errand_folder(id, &place.folder.to_string_lossy())?))
        })
        .await?;
        running.order.checkout = checkout;
        self.ask_errand(running, &ask(&desk.task, (&desk.fork, &desk.tip), &desk.files), stop).await
    }

    /// Ends the errand with its findings, and in the same commit sends the work back if the rule says so.
    fn end_work_review(&self, running: Running, desk: Desk, state: ErrandState, note: Option<&str>) -> Result<(Errand, ReviewerVerdict)> {
        let Desk { task, worktree, tip, .. } = desk;
        self.drop_proposal(running.id)?;
        let most = self.settings()?.worktrees.reviewer_send_backs;
        let found = if state == ErrandState::Done { findings(running.answer()) } else { None };
        let (state, note) = match &found {
            None if state == ErrandState::Done => (ErrandState::Failed, Some(NO_VERDICT)),
            _ => (state, note),
        };
        let (id, now) = (running.id, self.clock.now());
        let mut waits = found.as_deref().is_none_or(has_must);
        let errand = self.end_errand(running, state, note, |tx| {
            let Some(found) = found else { return Ok(()) };
            let times = reviews_of(tx, task.id)?.iter().filter(|(_, matter)| matter.sent_back).count();
            // A decision made meanwhile has precedence.
            let is_open = find_task(tx, task.id)?.status == TaskStatus::InReview;
            waits |= !is_open;
            let sent_back = is_open && sends_back(&found, count(times), most);
            if sent_back {
                let said: Vec<LineComment> = found.iter().map(as_comment).collect();
                give_back(tx, task.id, &worktree, TaskProvenance::Agent, ("", &said), now)?;
            }
            let matter = WorkMatter { tip, sent_back, findings: found };
            Ok(tx.set_errand_matter(id, &serde_json::to_string(&matter).expect("findings hold only strings and numbers"))?)
        })?;
        Ok((errand, if waits { ReviewerVerdict::Waits } else { ReviewerVerdict::GoOn }))
    }

    /// The last review by an agent of a task's work, whose branch is at `tip` now.
    pub(super) fn last_diff_review(&self, work: Work, tip: &str) -> Result<Option<DiffReview>> {
        let Some(task) = work.task() else { return Ok(None) };
        let newest = self.db.read(|r| Ok::<_, AppError>(reviews_of(r, task)?.into_iter().next()))?;
        Ok(newest.map(|(errand, matter)| DiffReview {
            errand: errand.id,
            model: errand.model,
            current: matter.tip == tip,
            sent_back: matter.sent_back,
            findings: matter.findings,
        }))
    }
}

/// The errands that reviewed the work on a task, newest first.
fn reviews_of(r: &sqlite_db::Read<'_>, task: TaskId) -> Result<Vec<(Errand, WorkMatter)>> {
    let known = r.errand_matters_of(ErrandKind::Review, task, limits::ERRANDS_SHOWN)?;
    let read = |(errand, matter): (ErrandId, String)| Ok(r.errand(errand)?.zip(serde_json::from_str(&matter).ok()));
    known.into_iter().filter_map(|row| read(row).transpose()).collect()
}

/// A finding as shown to the next attempt.
fn as_comment(finding: &DiffFinding) -> LineComment {
    let weight = if finding.weight == FindingWeight::Note { "(a note) " } else { "" };
    LineComment { file: finding.file.clone(), line: finding.line, text: format!("{weight}{}", finding.text) }
}
