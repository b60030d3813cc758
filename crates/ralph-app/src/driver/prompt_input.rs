//! Input of an iteration's prompt, read in one snapshot; and the choice of its model.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::knowledge::split_task::as_it_stands;
use crate::recall::prompt_knowledge::PromptKnowledge;
use crate::rows::find_task;
use crate::runs::PreparedRun;
use crate::secrets::wash;
use ralph_core::discipline::Discipline;
use ralph_core::run::attempt::{Attempt, FailureRecord};
use ralph_core::run::hooks::tells_words_left;
use ralph_core::run::prompt::{CutShortWork, DependencyResult, LoopStatus, ProjectRules, Prompt, PromptInput, compose};
use ralph_core::run::{Evidence, Guidance, Iteration, Outcome};
use ralph_core::settings::Settings;
use ralph_core::stats::Proportion;
use ralph_core::strategy::{ModelChoice, Strategy, StrategyInput, choose, is_planning};
use ralph_core::task::Task;
use ralph_core::{TaskId, limits};
use ralph_rag::clean::redact;
use sqlite_db::Read;

/// Attempts that a prompt counts and looks through for the latest suggestion: as many as may fail in a row. Its budget shows fewer.
const ATTEMPTS_READ: u32 = 1_000;
/// Iterations read to find the last ended one: one may be running.
const ITERATIONS_READ: u32 = 2;
/// Attempts over which the project's recent success is measured.
const RECENT_ATTEMPTS: u32 = 20;

/// Input of a prompt that belongs to its iteration rather than to its task.
struct IterationParts<'a> {
    status: LoopStatus,
    withhold: bool,
    knowledge: &'a PromptKnowledge,
    check: Option<&'a str>,
    rules: &'a str,
    disciplines: &'a [Discipline],
    guidance: Vec<Guidance>,
}

impl App {
    /// The exact prompt of a claimed iteration, and the discipline of its task.
    pub(crate) fn prompt_of(&self, iteration: &Iteration, prepared: &PreparedRun) -> Result<(Prompt, Option<Discipline>)> {
        let PreparedRun { run, settings, rules, disciplines, .. } = prepared;
        self.pull_or_warn();
        // An earlier iteration of the run may have changed what they say.
        self.look_at_documents_or_warn();
        let task = self.db.read(|r| find_task(r, iteration.task))?;
        let found = self.knowledge_for(&task, settings)?;
        let composed: Result<(Prompt, Option<Discipline>)> = self.db.read(|r| {
            let status = LoopStatus {
                iteration: r.counted_before(iteration)?.saturating_add(1),
                max_iterations: run.limits.max_iterations,
                attempt: iteration.attempt.unwrap_or(1),
                consecutive_failures: task.consecutive_failures,
                stuck_after: settings.stuck_after,
                recent: recent(r)?,
                model: iteration.model.clone(),
                rationale: iteration.rationale.clone().unwrap_or_default(),
            };
            let (knowledge, withhold, check) = (&found, iteration.held_out, run.check.as_deref());
            let guidance = r.guidance_of(iteration.id)?;
            compose_for(r, &task, &IterationParts { status, withhold, knowledge, check, rules, disciplines, guidance })
        });
        let (prompt, discipline) = composed?;
        self.record_prompt(found.asked, iteration.id, &prompt.told);
        Ok((prompt, discipline))
    }

    /// The prompt that the next iteration on a task would get, with the project's settings.
    pub fn next_prompt(&self, task: TaskId) -> Result<Prompt> {
        let settings = self.settings()?;
        self.pull_or_warn();
        self.look_again();
        let (rules, disciplines) = (&self.rules_in_force()?, &self.disciplines()?);
        let task = self.db.read(|r| as_it_stands(r, find_task(r, task)?, settings.max_learnings))?;
        let knowledge = &self.knowledge_for(&task, &settings)?;
        self.db.read(|r| {
            let choice = choose_model(r, &task, (settings.strategy, ""), &settings, &[])?;
            let status = LoopStatus {
                iteration: 1,
                max_iterations: Some(settings.max_iterations),
                attempt: r.attempts_at(task.id)? + 1,
                consecutive_failures: task.consecutive_failures,
                stuck_after: settings.stuck_after,
                recent: recent(r)?,
                model: choice.model,
                rationale: choice.rationale,
            };
            let check = Some(settings.check.as_str()).filter(|c| !c.trim().is_empty());
            let mut guidance = r.waiting_guidance(Some(task.id))?;
            guidance.truncate(limits::GUIDANCE_TOLD as usize);
            Ok(compose_for(r, &task, &IterationParts { status, withhold: false, knowledge, check, rules, disciplines, guidance })?.0)
        })
    }
}

/// Chooses the model of the next attempt at a task from the project's measurements. `asked` may be empty; `limited` are models at their own
/// usage limits.
pub(crate) fn choose_model(
    r: &Read<'_>,
    task: &Task,
    how: (Strategy, &str),
    settings: &Settings,
    limited: &[String],
) -> Result<ModelChoice> {
    let last = r.attempts(task.id, 1)?.pop();
    let refused = last.filter(was_refused).map(|attempt| attempt.model);
    choose_model_but(r, task, how, settings, (refused.as_deref(), limited))
}

/// Whether the provider refused for a reason that persists with the same model.
pub(crate) fn was_refused(attempt: &Attempt) -> bool {
    attempt.failure.as_ref().is_some_and(FailureRecord::is_refusal)
}

/// The same, after the provider has refused one model.
pub(crate) fn choose_model_but(
    r: &Read<'_>,
    task: &Task,
    (strategy, asked): (Strategy, &str),
    settings: &Settings,
    (refused, limited): (Option<&str>, &[String]),
) -> Result<ModelChoice> {
    let estimate = r.last_estimate(task.id)?;
    let history = r.model_records()?;
    Ok(choose(&StrategyInput {
        strategy,
        models: &settings.models,
        default_model: &settings.model,
        asked: Some(asked).filter(|a| !a.is_empty()),
        planning: is_planning(task),
        difficulty: estimate.difficulty,
        consecutive_failures: task.consecutive_failures,
        hint: estimate.next_model.as_deref(),
        refused,
        limited,
        history: &history,
    }))
}

fn recent(r: &Read<'_>) -> Result<Proportion> {
    let (trials, successes) = r.recent_successes(RECENT_ATTEMPTS)?;
    Ok(Proportion { trials, successes })
}

fn compose_for(r: &Read<'_>, task: &Task, occasion: &IterationParts<'_>) -> Result<(Prompt, Option<Discipline>)> {
    let feature = crate::rows::find_feature(r, &task.feature)?;
    let discipline = task.discipline.as_deref().and_then(|name| occasion.disciplines.iter().find(|d| d.name == name)).cloned();
    let comments = r.comments(task.id)?;
    let attempts = r.attempts(task.id, ATTEMPTS_READ)?;
    let dependencies = dependency_results(r, &task.depends_on)?;
    let cut_short = cut_short_work(r, task.id)?;
    let check = occasion.check.map(wash::text);
    let rules = wash::text(occasion.rules);
    let prompt = compose(&PromptInput {
        discipline: discipline.as_ref(),
        rules: Some(ProjectRules { origin: ".ralph/rules.md", text: &rules }).filter(|r| !r.text.trim().is_empty()),
        feature: &feature,
        task,
        comments: &comments,
        guidance: &occasion.guidance,
        dependencies: &dependencies,
        cut_short: cut_short.as_ref(),
        learnings: &occasion.knowledge.learnings,
        others: &occasion.knowledge.others,
        found: &occasion.knowledge.found,
        withhold_learnings: occasion.withhold,
        attempts: &attempts,
        status: Some(&occasion.status),
        check: check.as_deref(),
    });
    // A prompt is stored in a file, and rows older than a rule for secrets may still contain what the rule matches.
    Ok((Prompt { text: redact(&prompt.text).0, ..prompt }, discipline))
}

/// What the last iteration left, if it was interrupted: it is not among the task's attempts.
fn cut_short_work(r: &Read<'_>, task: TaskId) -> Result<Option<CutShortWork>> {
    let last = r.iterations_of_task(task, ITERATIONS_READ)?.into_iter().find(|row| row.ended.is_some());
    Ok(last.filter(|row| !row.outcome.is_attempt()).and_then(|row| {
        let Evidence { commits, changed_files, .. } = row.evidence;
        let note = row.note.unwrap_or_default();
        let worked = !commits.is_empty() || !changed_files.is_empty() || tells_words_left(&note);
        (worked || row.outcome == Outcome::Interrupted).then_some(CutShortWork { outcome: row.outcome, note, commits, changed_files })
    }))
}

fn dependency_results(r: &Read<'_>, tasks: &[TaskId]) -> Result<Vec<DependencyResult>> {
    let finishing = r.finishing_iterations(tasks)?;
    let of = |task: TaskId| finishing.iter().find(|i| i.task == task).map(|i| i.evidence.clone()).unwrap_or_default();
    let tasks = r.tasks_by_id(tasks).map_err(AppError::from)?;
    Ok(tasks
        .into_iter()
        .map(|task| {
            let evidence = of(task.id);
            DependencyResult { id: task.id, title: task.title, commits: evidence.commits, changed_files: evidence.changed_files }
        })
        .collect())
}
