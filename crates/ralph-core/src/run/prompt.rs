//! The prompt: composed from values.
//!
//! Words of people appear verbatim; words of agents, including in tasks and features, and everything from earlier work are fenced. Without
//! history, the prompt has no trace of memory.

mod attempts;
mod bounds;
mod cut_short;
mod fence;
mod learnings;
mod memory;
mod others;
mod share;
mod status;
#[cfg(test)]
mod tests;

pub use cut_short::CutShortWork;

use crate::discipline::Discipline;
use crate::feature::Feature;
use crate::learning::FeatureLearning;
use crate::recall::ToldMemory;
use crate::run::Guidance;
use crate::run::attempt::Attempt;
use crate::stats::Proportion;
use crate::task::{Task, TaskComment, TaskKind, TaskProvenance};
use crate::{TaskId, count, limits, sigil};
pub use fence::{fenced_list, neutral};

use bounds::{bounded, bounded_to, bullets, fitting, hanging, line_list, title_line};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Everything that goes into a prompt. Lists are in display order.
#[derive(Clone, Copy, Debug)]
pub struct PromptInput<'a> {
    /// How to work, if the task names a discipline.
    pub discipline: Option<&'a Discipline>,
    /// The project's own rules, if any.
    pub rules: Option<ProjectRules<'a>>,
    /// The task's feature.
    pub feature: &'a Feature,
    /// The task.
    pub task: &'a Task,
    /// Remarks on the task, oldest first; the newest are shown.
    pub comments: &'a [TaskComment],
    /// Pending guidance for this iteration, oldest first.
    pub guidance: &'a [Guidance],
    /// Results of the tasks it depends on.
    pub dependencies: &'a [DependencyResult],
    /// The previous iteration, if it was interrupted and left something.
    pub cut_short: Option<&'a CutShortWork>,
    /// Learnings of the feature, best first; as many are included as the budget allows.
    pub learnings: &'a [FeatureLearning],
    /// Memories of other kinds, best first; they get what learnings leave of the budget, up to a limit for each kind.
    pub others: &'a [OtherMemory],
    /// How recall found the learnings; learnings it did not find may be missing here.
    pub found: &'a [ToldMemory],
    /// Whether knowledge is held out: selected as usual and listed as withheld, but not included.
    pub withhold_learnings: bool,
    /// Earlier attempts at the task, newest first.
    pub attempts: &'a [Attempt],
    /// Status of the loop; included only when there is history.
    pub status: Option<&'a LoopStatus>,
    /// Command that must pass before the task counts as done.
    pub check: Option<&'a str>,
}

/// A memory that is not a learning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherMemory {
    /// Its kind and how it was found.
    pub told: ToldMemory,
    /// Its origin, in a few words.
    pub origin: String,
    /// Its text.
    pub text: String,
    /// Parts of the text, those nearest to the task first: of a text that is too long, as many are included as there is room for. Without
    /// any, the text is cut.
    pub nearest: Vec<Range<usize>>,
}

/// Status of the loop when an iteration begins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LoopStatus {
    /// Position of the iteration in its run, from 1.
    pub iteration: u32,
    /// Iteration limit of the run.
    pub max_iterations: Option<u32>,
    /// Number of this attempt at the task, from 1.
    pub attempt: u32,
    /// Consecutive failed attempts at the task before this one.
    pub consecutive_failures: u32,
    /// Consecutive failures from which the task counts as stuck.
    pub stuck_after: u32,
    /// The project's latest attempts at any task, and how many succeeded.
    pub recent: Proportion,
    /// Model in use.
    pub model: String,
    /// Why it was chosen.
    pub rationale: String,
}

/// Rules for all work in a project.
#[derive(Clone, Copy, Debug)]
pub struct ProjectRules<'a> {
    /// The file they come from, relative to the project.
    pub origin: &'a str,
    /// The rules.
    pub text: &'a str,
}

/// Result of a finished task, for the tasks that depend on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DependencyResult {
    /// The task.
    pub id: TaskId,
    /// Its title.
    pub title: String,
    /// Its commits, newest first: short hash and subject.
    pub commits: Vec<String>,
    /// Files it changed.
    pub changed_files: Vec<String>,
}

/// A prompt and its components.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Prompt {
    /// The exact text.
    pub text: String,
    /// Its parts, in order.
    pub sections: Vec<PromptSection>,
    /// Memories included in it.
    pub told: Vec<ToldMemory>,
    /// Memories that would be included if they were not held out.
    pub withheld: Vec<ToldMemory>,
}

/// One part of a prompt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PromptSection {
    /// Its name: `discipline`, `rules`, `feature`, `task`, `remarks`, `agent_remarks`, `guidance`, `dependencies`, `cut_short`,
    /// `attempts`, `learnings`, `knowledge`, `status`, `warning`, `report`.
    pub name: String,
    /// Number of characters.
    pub chars: u32,
    /// Origin of its content, for a person.
    pub origin: String,
}

/// Composes the prompt of one iteration. Everything in it is bounded; empty sections are omitted.
pub fn compose(input: &PromptInput<'_>) -> Prompt {
    let memory = memory::memory(input);
    let before = [
        input.discipline.map(discipline),
        input.rules.filter(|rules| !rules.text.trim().is_empty()).map(rules),
        Some(feature(input.feature)),
        Some(task(input.task, input.check)),
        remarks_by_people(input.comments),
        remarks_by_agents(input.comments),
        guidance(input.guidance),
        dependencies(input.dependencies),
        cut_short::part(input),
    ];
    let parts = before.into_iter().flatten().chain(memory.parts).chain([report(input.task)]);
    let parts: Vec<Part> = parts.filter(|part| !part.body.trim().is_empty()).collect();
    let texts: Vec<String> = parts.iter().map(Part::text).collect();
    let section = |(part, text): (&Part, &String)| PromptSection {
        name: part.name.to_owned(),
        chars: count(text.chars().count()),
        origin: part.origin.clone(),
    };
    Prompt {
        sections: parts.iter().zip(&texts).map(section).collect(),
        text: texts.join("\n\n") + "\n",
        told: memory.told,
        withheld: memory.withheld,
    }
}

/// A section that is being written.
#[derive(Clone)]
struct Part {
    name: &'static str,
    /// With its `#` markers.
    heading: String,
    origin: String,
    body: String,
}

impl Part {
    fn text(&self) -> String {
        format!("{}\n{}", self.heading, self.body.trim_end())
    }
}

fn discipline(discipline: &Discipline) -> Part {
    let mut body = bounded(&discipline.persona);
    body.push('\n');
    body.push_str(&bullets(discipline.conventions.lines()));
    if !discipline.skills.is_empty() {
        body.push_str(&format!("Skills you may use: {}\n", line_list(&discipline.skills)));
    }
    Part {
        name: "discipline",
        heading: format!("# How you work: {}", title_line(&discipline.display_name)),
        origin: format!("discipline {}", discipline.name),
        body,
    }
}

fn rules(rules: ProjectRules<'_>) -> Part {
    Part { name: "rules", heading: "# Rules of this project".to_owned(), origin: rules.origin.to_owned(), body: bounded(rules.text) }
}

fn feature(feature: &Feature) -> Part {
    let mut body = String::new();
    for (label, text) in [("", &feature.description), ("Architecture: ", &feature.architecture), ("Boundaries: ", &feature.boundaries)] {
        if !text.trim().is_empty() {
            body.push_str(&format!("{label}{}\n", bounded(text)));
        }
    }
    if !feature.context_files.is_empty() {
        body.push_str(&format!("Read first:\n{}", bullets(feature.context_files.iter().map(String::as_str))));
    }
    let (mut heading, origin) =
        (format!("# Feature: {} ({})", title_line(&feature.display_name), feature.name), format!("feature {}", feature.name));
    if feature.author != TaskProvenance::Human {
        heading = format!("# Feature: {}", feature.name);
        body = fence::wished(&format!("{}\n{body}", title_line(&feature.display_name)));
    } else if body.is_empty() {
        body.push_str("No description yet.");
    }
    Part { name: "feature", heading, origin, body }
}

fn task(task: &Task, check: Option<&str>) -> Part {
    // A split's description is written by Ralph and lists everything to be divided; cut, it would lose its instructions.
    let max_chars = if task.kind == TaskKind::Split { limits::LONG_TEXT_CHARS } else { limits::PROMPT_FIELD_CHARS };
    let mut paragraphs = vec![bounded_to(&task.description, max_chars)];
    if !task.acceptance_criteria.is_empty() {
        paragraphs.push(format!("Done means:\n{}", bullets(task.acceptance_criteria.iter().map(String::as_str))));
    }
    let title = title_line(&task.title);
    let heading = match task.author {
        TaskProvenance::Human => format!("# Your task: {title} (task {})", task.id),
        TaskProvenance::System => format!("# Your task: {} (task {})", fence::neutral(&title), task.id),
        TaskProvenance::Agent => {
            let told = [vec![title], paragraphs].concat().join("\n\n");
            paragraphs = vec![fence::wished(&told)];
            format!("# Your task (task {})", task.id)
        }
    };
    if let Some(check) = check.filter(|check| !check.trim().is_empty()) {
        paragraphs.push(format!("After you say that it is done, this command must pass: {}", title_line(check)));
    }
    let body: Vec<&str> = paragraphs.iter().map(|paragraph| paragraph.trim()).filter(|paragraph| !paragraph.is_empty()).collect();
    let body = if body.is_empty() { "The title says it all.".to_owned() } else { body.join("\n\n") };
    Part { name: "task", heading, origin: format!("task {}", task.id), body }
}

fn remarks_by_people(comments: &[TaskComment]) -> Option<Part> {
    let remarks = newest(comments, |author| author == TaskProvenance::Human);
    (!remarks.is_empty()).then(|| Part {
        name: "remarks",
        heading: "# Remarks by people on this task".to_owned(),
        origin: "comments of the task".to_owned(),
        body: remarks.concat(),
    })
}

fn remarks_by_agents(comments: &[TaskComment]) -> Option<Part> {
    let remarks = newest(comments, |author| author != TaskProvenance::Human);
    (!remarks.is_empty()).then(|| Part {
        name: "agent_remarks",
        heading: "# Remarks by agents on this task".to_owned(),
        origin: "comments of the task".to_owned(),
        body: fence::fenced(&remarks.concat()),
    })
}

/// All of it, each piece cut if necessary: it is included only once.
fn guidance(words: &[Guidance]) -> Option<Part> {
    let share = limits::PROMPT_REMARKS_CHARS / words.len().max(1);
    (!words.is_empty()).then(|| Part {
        name: "guidance",
        heading: "# What a person asks of you now".to_owned(),
        origin: "guidance for this iteration".to_owned(),
        body: words.iter().map(|guidance| hanging(&bounded_to(&guidance.text, share))).collect(),
    })
}

/// The newest remarks of some authors, oldest first, complete, within a budget; the newest one always, cut if necessary.
fn newest(comments: &[TaskComment], wanted: impl Fn(TaskProvenance) -> bool) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut room = limits::PROMPT_REMARKS_CHARS;
    for comment in comments.iter().rev().filter(|comment| wanted(comment.author)) {
        let remark = hanging(&bounded_to(&comment.text, limits::PROMPT_REMARKS_CHARS));
        let chars = remark.chars().count();
        if remarks.contains(&remark) {
            continue;
        }
        if chars > room && !remarks.is_empty() {
            break;
        }
        room = room.saturating_sub(chars);
        remarks.push(remark);
    }
    remarks.reverse();
    remarks
}

fn dependencies(results: &[DependencyResult]) -> Option<Part> {
    let items: Vec<String> = results.iter().map(dependency).collect();
    let chosen = fitting(&items, limits::PROMPT_DEPENDENCIES_CHARS);
    if items.is_empty() {
        return None;
    }
    let mut body: String = chosen.iter().map(|i| items[*i].as_str()).collect();
    if chosen.len() < items.len() {
        body.push_str(&format!("- and {} more; `get_task` tells of them\n", items.len() - chosen.len()));
    }
    Some(Part {
        name: "dependencies",
        heading: "# What this task builds on".to_owned(),
        origin: "finished tasks it depends on".to_owned(),
        body: fence::fenced(&body),
    })
}

fn dependency(result: &DependencyResult) -> String {
    let mut item = format!("task {}: {}", result.id, title_line(&result.title));
    for (label, list) in [("commits", &result.commits), ("files", &result.changed_files)] {
        if !list.is_empty() {
            item.push_str(&format!("\n{label}: {}", line_list(list)));
        }
    }
    hanging(&item)
}

fn report(task: &Task) -> Part {
    let body = format!(
        "Work on this one task. Nobody answers questions while you work: decide, or fail with a report.\n{}\n\nThe MCP server `ralph` has tools for tasks, features and learnings, such as `get_task`, `create_task`, `add_comment` and \
         `append_feature_learning`. A lesson counts once, by the tool or by the mark. Here, ID is {}.",
        sigil::GUIDE,
        task.id
    );
    Part { name: "report", heading: "# How to report".to_owned(), origin: "Ralph".to_owned(), body }
}
