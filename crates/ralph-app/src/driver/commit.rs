//! The single commit of an iteration: its outcome, its task, its learnings and its journal line, atomically.

use super::lane::LaneResult;
use super::{Driver, LaneNumber, RunEvent, blocking};
use crate::app::App;
use crate::code_facts::learns_from_code;
use crate::errands::Purse;
use crate::error::{AppError, Result};
use crate::knowledge::projector::perform;
use crate::knowledge::remember::remember_from_task;
use crate::knowledge::rules::Rules;
use crate::knowledge::slice::Needs;
use crate::knowledge::staged::{branch_of, stage};
use crate::knowledge::work_episode;
use crate::notices::{put_before_person, set_task_status};
use crate::review::FollowUpEnd;
use agent_cli::{StopCause, StopHandle};
use ralph_core::learning::{NewLearning, Verdict};
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::noun::Noun;
use ralph_core::recall::learnings_of;
use ralph_core::run::hooks::{Claim, HARVEST_LEARNINGS, IterationCommit, NOTE_SATURATION, RowEffect, TELL_EPISODE};
use ralph_core::run::machine::Event;
use ralph_core::run::{Evidence, GitRemark, HookNote, Iteration, RunControl, harm_in_words};
use ralph_core::settings::Settings;
use ralph_core::signal::Usage;
use ralph_core::task::{TaskKind, TaskStatus};
use ralph_core::time::Timestamp;
use ralph_core::worktree::WorktreeState;
use ralph_core::{IterationId, RunId, TaskId, prices};
use ralph_rag::act::IterationEnd;
use sqlite_db::Tx;
use sqlite_db::table::SettledIteration;
use std::sync::Arc;

impl Driver {
    /// Commits an iteration; for one completed in a worktree also the follow-up there, in the background, before its lane continues.
    pub(super) async fn commit_and_review(&mut self, lane: LaneNumber, commit: IterationCommit) -> Result<()> {
        let task = commit.claim.task;
        let current = self.lane(lane).current.as_ref();
        let away = current.is_some_and(|current| current.checkout.worktree.is_some());
        let all_committed = current.is_some_and(|current| current.committed);
        let committed = self.commit(lane, commit).await;
        // A request made while the iteration ended applies before the next claim.
        self.look().await?;
        match committed {
            Ok((cost_usd, used)) if away && !self.is_stopped_now(lane) => {
                let app = Arc::clone(&self.app);
                let run = self.prepared.run.id;
                let purse = Purse { run, left_usd: self.machine.left_usd(lane, used) };
                let lane = self.lane(lane);
                lane.stop = StopHandle::new();
                let stop = lane.stop.clone();
                lane.beside = Some(tokio::spawn(async move {
                    let (spent, end) = follow_up_and_count(&app, task, all_committed, purse, &stop).await;
                    LaneResult::FollowedUp { task, end, then: Event::Committed { cost_usd: spent.unwrap_or(cost_usd) } }
                }));
            }
            Ok((cost_usd, _)) => self.queue.push_back((lane, Event::Committed { cost_usd })),
            Err(error) => self.queue.push_back((lane, Event::EffectFailed { message: error.to_string() })),
        }
        Ok(())
    }

    /// Begins with the follow-ups that earlier runs did not live to do, or had to put off. Tasks may depend on their merges.
    pub(super) async fn begin_with_what_is_owed(&mut self) -> Result<()> {
        let only = self.prepared.run.task;
        let owed = self.blocking(move |app| Ok(app.db.read(|r| r.owed_follow_ups(only))?)).await?;
        self.put(Event::Started { owed });
        Ok(())
    }

    /// Does one of them in the background, unless another run has taken it over meanwhile.
    pub(super) fn do_what_is_owed(&mut self, lane: LaneNumber, task: TaskId) {
        let (app, run) = (Arc::clone(&self.app), self.prepared.run.id);
        let purse = Purse { run, left_usd: self.machine.left_usd(lane, 0.0) };
        let is_stopped = self.is_stopped_now(lane);
        let lane = self.lane(lane);
        lane.stop = StopHandle::new();
        if is_stopped {
            lane.stop.stop(StopCause::Person);
        }
        let stop = lane.stop.clone();
        lane.beside = Some(tokio::spawn(async move {
            let is_ours = stop.asked().is_none() && take_over(&app, task, run).await;
            let (spent, end) =
                if is_ours { follow_up_and_count(&app, task, false, purse, &stop).await } else { (None, FollowUpEnd::Done(None)) };
            LaneResult::FollowedUp { task, end, then: Event::FollowedUp { cost_usd: spent.unwrap_or_default() } }
        }));
    }

    /// Whether a person asked for an immediate stop of the run or of this lane: that stopped what was running, and nothing begins after it.
    fn is_stopped_now(&self, lane: LaneNumber) -> bool {
        [Some(&self.control), self.lane_controls.get(&lane)].contains(&Some(&RunControl::StopNow))
    }

    /// Commits an iteration and returns the dollars that the run has spent, and those of this iteration.
    async fn commit(&mut self, lane: LaneNumber, commit: IterationCommit) -> Result<(f64, f64)> {
        let (run, iteration) = (self.prepared.run.id, commit.claim.iteration);
        self.flush_logs();
        let ears = self.lane(lane).current.take().map(|current| current.ears).unwrap_or_default();
        self.commit_whole_or_in_parts(commit).await?;
        let learning = self.learning_settings().await;
        self.settle_learning(ears, iteration, learning.clone()).await;
        let (settled, cost) = self
            .persistently(move |app| {
                let (settled, cost) = app.db.read(|r| Ok::<_, AppError>((r.iteration(iteration)?, r.settled_usd(run)?)))?;
                Ok((settled.ok_or_else(|| AppError::not_found(Noun::Iteration, iteration))?, cost))
            })
            .await?;
        let used = settled.usage.cost_usd.unwrap_or_default();
        self.tell(RunEvent::IterationSettled { iteration: settled, run_cost_usd: cost }).await;
        self.later.scan = learns_from_code(&learning);
        Ok((cost, used))
    }
}

/// Whether this run is the one that does what an ended run owes: several runs may begin at the same time.
async fn take_over(app: &Arc<App>, task: TaskId, run: RunId) -> bool {
    let taken = blocking(app, move |app| app.write(|tx| Ok(tx.take_over(task, run)?))).await;
    taken.unwrap_or_else(|error| {
        tracing::warn!("what an earlier run left of the work on task {task} waits for the next: {error}");
        false
    })
}

/// Follows up a successful attempt in a worktree. Returns what the run has spent by then, errands included, if that can be read, and what
/// became of the work.
async fn follow_up_and_count(
    app: &Arc<App>,
    task: TaskId,
    all_committed: bool,
    purse: Purse,
    stop: &StopHandle,
) -> (Option<f64>, FollowUpEnd) {
    let end = app.settle_follow_up(task, all_committed, purse, stop).await.unwrap_or_else(|error| {
        // The task stays in review, where a person finds it.
        tracing::warn!("the work on task {task} waits as it is: {error}");
        FollowUpEnd::Done(None)
    });
    let spent = app.blocking(move |app| Ok(app.db.read(|r| r.settled_usd(purse.run))?)).await;
    (spent.ok(), end)
}

impl App {
    /// Settles an iteration once; a second settlement changes nothing.
    pub(super) fn commit_iteration(&self, commit: IterationCommit, settings: &Settings) -> Result<()> {
        let (now, iteration) = (self.clock.now(), commit.claim.iteration);
        self.write(|tx| settle(tx, commit, settings, Times::at(now)))?;
        self.forget_before(iteration);
        self.hear_iteration(iteration);
        Ok(())
    }
}

/// When something ended, and when that is stored, which may be later.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub ended: Timestamp,
    pub now: Timestamp,
}

impl Times {
    /// Both at once.
    pub(crate) fn at(now: Timestamp) -> Times {
        Times { ended: now, now }
    }
}

/// The rows of an iteration, if it is still open.
pub(crate) fn settle(tx: &Tx<'_>, commit: IterationCommit, settings: &Settings, Times { ended, now }: Times) -> Result<()> {
    let commit = crate::secrets::wash::commit(commit);
    let row = tx.iteration(commit.claim.iteration)?.ok_or_else(|| AppError::not_found(Noun::Iteration, commit.claim.iteration))?;
    let worked = commit.model.as_deref().unwrap_or(&row.model);
    let mut settled = SettledIteration {
        id: commit.claim.iteration,
        outcome: commit.outcome,
        note: None,
        // Usage recorded while it worked is kept if its log has less, as when that was removed.
        usage: if commit.usage == Usage::default() { row.usage } else { prices::with_cost(worked, commit.usage) },
        denials: commit.denials,
        evidence: commit.evidence,
        exit_code: commit.exit_code,
        difficulty: None,
        next_model: None,
    };
    for effect in &commit.rows {
        match effect {
            RowEffect::SetOutcome { outcome, note } => {
                (settled.outcome, settled.note) = (*outcome, Some(note.clone()));
            }
            RowEffect::NoteEstimate { difficulty, next_model } => {
                settled.difficulty = *difficulty;
                settled.next_model = next_model.clone();
            }
            _ => {}
        }
    }
    if !tx.settle_iteration(&settled, ended)? {
        return Ok(());
    }
    let rules = Rules { now, default_cap: settings.max_learnings };
    let since = if settled.evidence.remarks.contains(&GitRemark::LookedLate) { ", or a person since," } else { "" };
    if let Some(notice) = crate::driver::guard::notice(&format!("iteration {}{since}", row.id), &settled.evidence.ralph_files) {
        let (run, iteration, task) = (Some(row.run), Some(row.id), Some(row.task));
        put_before_person(tx, NewNotice { run, iteration, task, ..notice }, now)?;
    }
    let mut notes = commit.hooks;
    // Knowledge first: closing a split task closes the feature to new learnings.
    for effect in &commit.rows {
        if let RowEffect::Remember(candidate) = effect {
            let answer = harvest(tx, candidate, settings, now)?;
            add_to_note(&mut notes, HARVEST_LEARNINGS, &answer);
        }
    }
    for effect in &commit.rows {
        match effect {
            RowEffect::NoteSaturation => {
                let told = note_saturation(tx, &row, &commit.claim, settings)?;
                add_to_note(&mut notes, NOTE_SATURATION, &told);
            }
            RowEffect::SettleTask { status, blocked_reason } => {
                settle_task(tx, (&commit.claim, &row), *status, blocked_reason.as_deref(), rules)?;
            }
            RowEffect::ReportFailure(failure) => {
                tx.insert_failure(settled.id, commit.claim.task, commit.claim.attempt, failure, now)?;
            }
            _ => {}
        }
    }
    if let Some((title, detail)) = harm_in_words(&format!("Iteration {}", settled.id), &settled.evidence.remarks) {
        let (run, iteration, task) = (Some(row.run), Some(settled.id), Some(row.task));
        let notice = NewNotice { run, iteration, task, ..NewNotice::new(NoticeKind::GitHarm, title, detail) };
        put_before_person(tx, notice, now)?;
    }
    let told = tells_episode(tx, (commit.claim.iteration, &commit.rows), &mut notes)?;
    tx.insert_hook_notes(settled.id, &notes)?;
    let end = IterationEnd { iteration: row.id, task: row.task, outcome: settled.outcome, model: row.model, told: learnings_of(&row.told) };
    tell_end(tx, rules, &commit.claim, end, told.then_some(&settled.evidence))
}

/// Whether an episode is recorded now. On a branch that waits until the merge, and the hook's note says so.
fn tells_episode(tx: &Tx<'_>, (iteration, rows): (IterationId, &[RowEffect]), notes: &mut [HookNote]) -> Result<bool> {
    if !rows.contains(&RowEffect::TellEpisode) {
        return Ok(false);
    }
    let waits = branch_of(tx, iteration)?.is_some();
    if waits {
        add_to_note(notes, TELL_EPISODE, "once its branch is merged");
    }
    Ok(!waits)
}

/// Journals an iteration, unless a newer Ralph has written to the journal: the iteration itself is settled all the same. One that was
/// `done` becomes an episode.
fn tell_end(tx: &Tx<'_>, rules: Rules, claim: &Claim, end: IterationEnd, done: Option<&Evidence>) -> Result<()> {
    let feature = &claim.feature;
    if let Some(fault) = tx.newer_journal(feature)? {
        tracing::warn!("the journal of '{feature}' is not told of iteration {}: {fault}", end.iteration);
        return Ok(());
    }
    let mut needs = Needs::learnings(end.told.iter().map(String::as_str));
    let of = (claim.task, claim.iteration);
    let episode = done.map(|evidence| work_episode::of_iteration(tx, rules, of, evidence)).transpose()?.flatten();
    if let Some((home, _)) = &episode {
        needs = needs.and_episodes_of(Some(*home));
    }
    perform(tx, rules, &needs, |draft| {
        draft.end_iteration(feature, end);
        if let Some((_, episode)) = episode {
            draft.tell_episode(episode);
        }
        Ok(())
    })
}

/// Passes a candidate to `remember`; a rejection is a note, never a lost iteration.
pub(super) fn harvest(tx: &Tx<'_>, candidate: &NewLearning, settings: &Settings, now: Timestamp) -> Result<String> {
    let rules = Rules { now, default_cap: settings.max_learnings };
    let remembered = match candidate.iteration.map(|iteration| branch_of(tx, iteration)).transpose()?.flatten() {
        Some(worktree) => stage(tx, candidate, &worktree, rules),
        None => remember_from_task(tx, candidate, settings.gate, rules),
    };
    match remembered {
        Ok(stored) => Ok(match stored.verdict {
            Verdict::Added => format!("added {}", stored.id),
            Verdict::Observed => format!("observed {}", stored.id),
            Verdict::Refused => format!("refused {} by the quality gate", stored.id),
            Verdict::Parked => format!("parked {}: there is no room for it", stored.id),
            Verdict::Staged => format!("staged {} until its branch is merged", stored.id),
            Verdict::PutAway => format!("left {} away, as it was put away", stored.id),
            Verdict::Conflict => format!("added {}, which contradicts {}", stored.id, stored.conflicts_with.join(", ")),
        }),
        Err(error @ AppError::NewerJournal { .. }) => {
            // If it is settled again, after only a part of the iteration could be stored, it is still reported once: equal notices are not
            // repeated.
            put_before_person(tx, unlearnt(candidate, &error), now)?;
            Ok(format!("refused: {error}; its words are put before a person"))
        }
        Err(error @ (AppError::Invalid { .. } | AppError::FeatureClosed { .. } | AppError::NotFound { .. })) => {
            Ok(format!("refused: {error}"))
        }
        Err(error) => Err(error),
    }
}

/// The words of a lesson that can't be stored, since they exist nowhere else.
fn unlearnt(lesson: &NewLearning, fault: &AppError) -> NewNotice {
    let place = lesson.iteration.map_or_else(String::new, |iteration| format!("Iteration {iteration}: "));
    let title = format!("{place}a lesson for '{}' could not be stored", lesson.feature);
    let reason = lesson.reason.as_ref().map_or_else(String::new, |reason| format!("\nBecause: {reason}"));
    let detail = format!("{}{reason}\n\n{fault}. Then: `ralph learning add --feature {}`", lesson.text, lesson.feature);
    NewNotice { iteration: lesson.iteration, task: lesson.task_id, ..NewNotice::new(NoticeKind::Unlearnt, title, detail) }
}

fn add_to_note(notes: &mut [HookNote], hook: &str, answer: &str) {
    if let Some(note) = notes.iter_mut().find(|n| n.hook == hook) {
        note.note = format!("{}; {answer}", note.note);
    }
}

/// Stores the saturation after the iteration's learnings were remembered, and adds it to the note.
fn note_saturation(tx: &Tx<'_>, row: &Iteration, claim: &Claim, settings: &Settings) -> Result<String> {
    // A missing feature has no knowledge.
    let Some(feature) = tx.feature(&claim.feature)? else { return Ok("the feature is gone".to_owned()) };
    let after = tx.saturation_of(&feature, settings.max_learnings)?.saturation_pct;
    let split_task = tx.split_task_since(feature.id, row.started)?;
    tx.set_saturation_after(row.id, after, split_task)?;
    let before = row.saturation_before.map_or_else(String::new, |before| format!("{before} % before, "));
    let split = split_task.map_or_else(String::new, |task| format!(", which made the split task {task}"));
    Ok(format!("{before}{after} % after{split}"))
}

fn settle_task(
    tx: &Tx<'_>,
    (claim, row): (&Claim, &Iteration),
    status: TaskStatus,
    blocked_reason: Option<&str>,
    rules: Rules,
) -> Result<()> {
    let Some(task) = tx.task(claim.task)? else { return Ok(()) };
    let (mut status, mut blocked_reason) = (status, blocked_reason.map(str::to_owned));
    if claim.kind == TaskKind::Split && status == TaskStatus::Done {
        // The split was checked before; a feature archived or a task added since then reopens the task.
        match crate::knowledge::split::close(tx, &task, rules) {
            Err(AppError::SplitIncomplete { .. } | AppError::FeatureClosed { .. }) => status = TaskStatus::Pending,
            // Only a newer Ralph may close it: another agent would be paid for the same end.
            Err(fault @ AppError::NewerJournal { .. }) => (status, blocked_reason) = (TaskStatus::Blocked, Some(fault.to_string())),
            other => other?,
        }
    }
    // Work in a worktree is done when its base contains it.
    if status == TaskStatus::Done
        && row.worktree.is_some()
        && tx.worktree_of(task.id)?.is_some_and(|worktree| worktree.state == WorktreeState::Ready)
    {
        status = TaskStatus::InReview;
        tx.set_owed(task.id, Some(row.run))?;
    }
    // A person may have decided on the task meanwhile; only the loop's own claim is ended here.
    if task.status == TaskStatus::InProgress {
        set_task_status(tx, claim.task, status, blocked_reason.as_deref(), rules.now)?;
    }
    if claim.kind == TaskKind::Split && status == TaskStatus::Pending {
        // Meanwhile a person, or another clone, may have split the feature.
        crate::knowledge::split_task::maybe_create_split_task(tx, &task.feature, rules)?;
    }
    Ok(())
}
