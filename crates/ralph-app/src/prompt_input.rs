//! What the prompt of an iteration is made of, read in one view.

use crate::App;
use crate::error::{AppError, Result};
use ralph_core::TaskId;
use ralph_core::discipline::Discipline;
use ralph_core::learning::LearningState;
use ralph_core::run::prompt::{DependencyResult, ProjectRules, Prompt, PromptInput, compose};
use ralph_rag::recall::{Candidate, PARENT_WEIGHT, rank};
use sqlite_db::Read;

/// Rules of the project for all work, when this file exists under `.ralph/`.
const RULES_FILE: &str = "rules.md";

impl App {
    /// The exact prompt for a task now, and its discipline.
    pub(crate) fn prompt(&self, task: TaskId, check: Option<&str>) -> Result<(Prompt, Option<Discipline>)> {
        let rules = std::fs::read_to_string(self.paths.root.join(".ralph").join(RULES_FILE)).unwrap_or_default();
        self.db.read(|r| {
            let task = crate::tasks::find_task(r, task)?;
            let feature = crate::features::find(r, &task.feature)?;
            let discipline = task.discipline.as_deref().map(|name| r.discipline(name)).transpose()?.flatten();
            let comments = r.comments(task.id)?;
            let dependencies = dependency_results(r, &task.depends_on)?;
            let mut candidates: Vec<Candidate> = r
                .learnings(Some(&feature.name), &[LearningState::Active])?
                .into_iter()
                .map(|learning| Candidate { learning, weight: 1.0 })
                .collect();
            if let Some(parent) = &feature.parent {
                let inherited = r.learnings(Some(parent), &[LearningState::Active])?;
                candidates.extend(inherited.into_iter().map(|learning| Candidate { learning, weight: PARENT_WEIGHT }));
            }
            let query = format!("{} {} {}", task.title, task.description, task.acceptance_criteria.join(" "));
            let learnings = rank(&query, candidates);
            let prompt = compose(&PromptInput {
                discipline: discipline.as_ref(),
                rules: Some(ProjectRules { origin: ".ralph/rules.md", text: &rules }).filter(|r| !r.text.trim().is_empty()),
                feature: &feature,
                task: &task,
                comments: &comments,
                dependencies: &dependencies,
                learnings: &learnings,
                check,
            });
            Ok::<_, AppError>((prompt, discipline))
        })
    }
}

fn dependency_results(r: &Read<'_>, tasks: &[TaskId]) -> Result<Vec<DependencyResult>> {
    let finishing = r.finishing_iterations(tasks)?;
    let of = |task: TaskId| finishing.iter().find(|i| i.task == task).map(|i| i.evidence.clone()).unwrap_or_default();
    Ok(r.tasks_by_id(tasks)?
        .into_iter()
        .map(|task| {
            let evidence = of(task.id);
            DependencyResult { id: task.id, title: task.title, commits: evidence.commits, changed_files: evidence.changed_files }
        })
        .collect())
}
