//! Authority: who may do what, and what an agent may only propose.
//!
//! An agent works on one task and may report only that task as done; the loop, its check and its hooks decide. What a person wrote, decided
//! or configured is changed only by a person: an agent's request for such a change becomes a proposal.
//! Ralph determines the actor itself (from the iteration's row, never from an argument), as reliably as the system identifies a process.

mod changes;
mod proposal;

pub use changes::{changes, feature_changes};
pub use proposal::{as_it_is, changed_since, is_moot};

use crate::feature::{Feature, FeaturePatch, NewFeature};
use crate::learning::{ConflictChoice, LearningSource};
use crate::memory::FactSource;
use crate::task::{NewTask, Task, TaskPatch, TaskProvenance, TaskStatus};
use crate::{IterationId, LearningId, TaskId};
use serde::{Deserialize, Serialize};

/// Who asks for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// A person.
    Human,
    /// An agent or a process it started, with its iteration and task. Without them it is a
    /// program used by a person: an MCP client outside of runs, or the agent of another project.
    Agent {
        /// The iteration and its task.
        working_on: Option<(IterationId, TaskId)>,
    },
    /// A process left behind by an iteration of this project that is no longer running.
    Leftover,
}

impl Actor {
    /// Whether it is the agent of an iteration of this project, running or left behind.
    pub fn is_inside(self) -> bool {
        matches!(self, Actor::Leftover) || self.working_on().is_some()
    }

    /// The iteration and the task that it works on, if it is the agent of a running iteration.
    pub fn working_on(self) -> Option<(IterationId, TaskId)> {
        match self {
            Actor::Agent { working_on } => working_on,
            Actor::Human | Actor::Leftover => None,
        }
    }

    /// The iteration that it works in.
    pub fn iteration(self) -> Option<IterationId> {
        self.working_on().map(|(iteration, _)| iteration)
    }

    /// The task that it works on.
    pub fn task(self) -> Option<TaskId> {
        self.working_on().map(|(_, task)| task)
    }

    /// The author of the words of a task or a feature that come from it.
    pub fn provenance(self) -> TaskProvenance {
        if self == Actor::Human { TaskProvenance::Human } else { TaskProvenance::Agent }
    }

    /// The source recorded for a learning or an episode that it states.
    pub fn source(self) -> LearningSource {
        if self == Actor::Human { LearningSource::Human } else { LearningSource::Agent }
    }

    /// The source of a fact that it states.
    pub fn fact_source(self) -> FactSource {
        if self == Actor::Human { FactSource::Human } else { FactSource::Agent }
    }
}

/// A requested change.
#[derive(Debug, Clone, Copy)]
pub enum Act<'a> {
    /// Makes a task.
    CreateTask(&'a NewTask),
    /// Changes a task.
    UpdateTask {
        /// The task as it is.
        before: &'a Task,
        /// The fields to change.
        patch: &'a TaskPatch,
        /// Parent of the feature that the task is moved to.
        target_parent: Option<&'a str>,
    },
    /// Makes a feature.
    CreateFeature(&'a NewFeature),
    /// Changes a feature.
    UpdateFeature {
        /// The feature as it is.
        before: &'a Feature,
        /// The fields to change.
        patch: &'a FeaturePatch,
    },
    /// Writes a learning with this source.
    WriteAs(LearningSource),
    /// Decides about knowledge: reviews, retires, restores, rewords or merges learnings, settles conflicts and warnings.
    Curate,
    /// Moves one learning to another feature.
    MoveLearning,
    /// Ingests files of the project as documents.
    Ingest,
    /// Puts away or rewords an episode or a fact.
    TidyMemory {
        /// Whether a person stated it.
        by_person: bool,
    },
    /// Asks for the split task of a feature, also after one was skipped.
    RequestSplit,
    /// Starts, pauses, resumes or stops a run.
    SteerRun,
    /// Settles a notice.
    SettleNotice,
    /// Changes the settings.
    ChangeSettings,
    /// Agrees to content of the project's folder, or restores what was agreed to.
    Agree,
    /// Restores knowledge from the journals, which anyone may have edited.
    Rebuild,
    /// Restores a person's uncommitted work.
    RestoreSnapshot,
}

/// Whether an act is permitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// Permitted.
    Allowed,
    /// A person has to decide.
    Propose,
    /// Not permitted; the reason completes "an agent can't …".
    Refused(&'static str),
}

/// Decides who may do what. `split` is the feature that the actor's own task splits, if it is a split task.
pub fn may(actor: Actor, act: &Act<'_>, split: Option<&str>) -> Ruling {
    if actor == Actor::Human {
        return Ruling::Allowed;
    }
    match act {
        Act::WriteAs(LearningSource::Human) => Ruling::Refused("write as a person"),
        Act::WriteAs(LearningSource::Agent | LearningSource::Auto) => Ruling::Allowed,
        Act::Curate => Ruling::Propose,
        Act::SettleNotice => Ruling::Refused("settle what is put before a person"),
        Act::Agree => Ruling::Refused("agree for its person"),
        Act::ChangeSettings => Ruling::Refused("change the settings"),
        Act::Rebuild => Ruling::Refused("rebuild the project's knowledge"),
        Act::RestoreSnapshot => Ruling::Refused("restore a person's work"),
        Act::TidyMemory { by_person: true } => Ruling::Refused("put away or reword what a person stated"),
        // A program used by a person outside of runs acts with the person's authority.
        _ if !actor.is_inside() => Ruling::Allowed,
        Act::MoveLearning => Ruling::Propose,
        Act::Ingest => Ruling::Refused("bring documents in"),
        Act::TidyMemory { by_person: false } => Ruling::Refused("put away what others learnt"),
        Act::RequestSplit => Ruling::Refused("ask for a split, which its person may have skipped"),
        Act::SteerRun => Ruling::Refused("start, pause, resume or stop a run of the project that it works in"),
        Act::CreateTask(new) if new.status.is_some_and(|status| !status.is_open()) => Ruling::Refused("make a task that is closed already"),
        Act::CreateTask(_) => Ruling::Allowed,
        Act::CreateFeature(new) => {
            let parent = new.parent.as_deref().map(str::trim).filter(|parent| !parent.is_empty());
            allowed_if(parent.is_none_or(|parent| split.is_some_and(|split| split.eq_ignore_ascii_case(parent))))
        }
        Act::UpdateFeature { before, patch } => {
            let archived = patch.state.is_some_and(|state| state != before.state);
            let cap = patch.max_learnings.is_some_and(|cap| cap != before.max_learnings.unwrap_or(0));
            allowed_if(!(archived || cap || before.by_person && rewrites(before, patch)))
        }
        Act::UpdateTask { before, patch, target_parent } => {
            allowed_if(may_move(before, patch, *target_parent, split) && may_change(actor.task(), before, patch))
        }
    }
}

fn allowed_if(condition: bool) -> Ruling {
    if condition { Ruling::Allowed } else { Ruling::Propose }
}

/// Whether the task keeps its feature, or is moved by the split of that feature to one of its children.
fn may_move(before: &Task, patch: &TaskPatch, target_parent: Option<&str>, split: Option<&str>) -> bool {
    let moves = patch.feature.as_ref().is_some_and(|feature| !feature.eq_ignore_ascii_case(&before.feature));
    let from = Some(before.feature.as_str());
    !moves || (split == from && target_parent == from)
}

/// Whether an agent may make the remaining changes itself.
fn may_change(own: Option<TaskId>, before: &Task, patch: &TaskPatch) -> bool {
    let differs = |new: &Option<String>, old: &str| new.as_ref().is_some_and(|new| new != old);
    let is_own = own == Some(before.id);
    // For its own task, a status is a signal that the loop settles.
    let claims = !is_own && patch.status.is_some_and(|status| status != before.status);
    let words = differs(&patch.title, &before.title) || differs(&patch.description, &before.description);
    let criteria = patch.acceptance_criteria.as_ref().filter(|new| **new != before.acceptance_criteria);
    let loosens = patch.depends_on.as_ref().is_some_and(|new| before.depends_on.iter().any(|id| !new.contains(id)));
    let lowers = criteria.is_some_and(|new| before.acceptance_criteria.iter().any(|old| !new.contains(old)));
    match (is_own, before.provenance == TaskProvenance::Agent && !before.by_person) {
        // Agents may change what agents created and no person has put into words since, except its status.
        (false, true) => !claims,
        // Another task: unchanged, or moved by a split.
        (false, false) => TaskPatch { feature: None, ..patch.clone() } == TaskPatch::default(),
        // An agent may not loosen the criteria by which it is judged.
        (true, true) => !loosens && !lowers,
        // The text would pass for a person's.
        (true, false) => !loosens && !words && criteria.is_none(),
    }
}

/// Whether a change touches existing words of a feature; filling in what is empty removes nothing.
fn rewrites(before: &Feature, patch: &FeaturePatch) -> bool {
    let text = |new: &Option<String>, old: &str| !old.is_empty() && new.as_ref().is_some_and(|new| new.trim() != old);
    let list = |new: &Option<Vec<String>>, old: &[String]| !old.is_empty() && new.as_ref().is_some_and(|new| new != old);
    text(&patch.display_name, &before.display_name)
        || text(&patch.acronym, &before.acronym)
        || text(&patch.description, &before.description)
        || text(&patch.architecture, &before.architecture)
        || text(&patch.boundaries, &before.boundaries)
        || list(&patch.context_files, &before.context_files)
        || list(&patch.knowledge_paths, &before.knowledge_paths)
        || list(&patch.dependencies, &before.dependencies)
}

/// A change proposed by an agent, for a person to decide.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Wish {
    /// Changes a task.
    UpdateTask {
        /// Which.
        task: TaskId,
        /// The fields to change.
        patch: Box<TaskPatch>,
        /// Their values when it was proposed; earlier proposals have none.
        #[serde(default)]
        before: Box<TaskPatch>,
    },
    /// Makes a feature.
    CreateFeature {
        /// What it is.
        new: Box<NewFeature>,
    },
    /// Changes a feature.
    UpdateFeature {
        /// Which.
        feature: String,
        /// The fields to change.
        patch: Box<FeaturePatch>,
        /// Their values when it was proposed; earlier proposals have none.
        #[serde(default)]
        before: Box<FeaturePatch>,
    },
    /// Marks a learning as reviewed.
    ReviewLearning {
        /// Which.
        id: LearningId,
    },
    /// Puts a learning away.
    RetireLearning {
        /// Which.
        id: LearningId,
    },
    /// Makes a learning active again.
    RestoreLearning {
        /// Which.
        id: LearningId,
    },
    /// Moves a learning to another feature.
    MoveLearning {
        /// Which.
        id: LearningId,
        /// Name of the feature it belongs to.
        to: String,
    },
    /// Rewords a learning.
    EditLearning {
        /// Which.
        id: LearningId,
        /// The new text.
        text: String,
        /// Why it holds.
        reason: Option<String>,
    },
    /// Merges several learnings into one.
    MergeLearnings {
        /// Which.
        ids: Vec<LearningId>,
        /// The new text.
        text: String,
        /// Why it holds.
        reason: Option<String>,
    },
    /// Decides between two learnings that contradict each other.
    ResolveConflict {
        /// The older one.
        older: LearningId,
        /// The newer one.
        newer: LearningId,
        /// The decision.
        choice: ConflictChoice,
    },
    /// Takes back a decision between two learnings.
    ReopenConflict {
        /// The older one.
        older: LearningId,
        /// The newer one.
        newer: LearningId,
    },
    /// Records whether the quality gate was wrong about a learning.
    DecideGate {
        /// Which.
        id: LearningId,
        /// The gate was wrong.
        kept: bool,
    },
    /// Takes back a decision on a warning of the quality gate.
    ReopenWarning {
        /// About which learning.
        id: LearningId,
    },
    /// Undoes the consequences of comparing a learning.
    UndoReconciliation {
        /// Which.
        id: LearningId,
    },
}

/// The fields that a patch sets: `acceptance criteria, title`.
fn fields(patch: &impl Serialize) -> String {
    let fields = serde_json::to_value(patch).unwrap_or_default();
    let set = fields.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    set.map(|(name, _)| name.replace('_', " ")).collect::<Vec<_>>().join(", ")
}

impl Wish {
    /// The proposal in one line.
    pub fn title(&self) -> String {
        match self {
            Wish::UpdateTask { task, patch, .. } => match patch.status {
                Some(TaskStatus::Done) => format!("Close task #{task} as done"),
                Some(status) => format!("Set task #{task} to {status}"),
                None if patch.feature.is_some() => format!("Move task #{task}"),
                None => format!("Change task #{task} ({})", fields(patch.as_ref())),
            },
            Wish::CreateFeature { new } => format!("Make feature '{}' below '{}'", new.name, new.parent.as_deref().unwrap_or_default()),
            Wish::UpdateFeature { feature, patch, .. } => match patch.state {
                Some(state) => format!("Set feature '{feature}' to {state}"),
                None => format!("Change feature '{feature}' ({})", fields(patch.as_ref())),
            },
            Wish::ReviewLearning { id } => format!("Mark learning {id} as reviewed"),
            Wish::RetireLearning { id } => format!("Retire learning {id}"),
            Wish::RestoreLearning { id } => format!("Restore learning {id}"),
            Wish::MoveLearning { id, to } => format!("Move learning {id} to '{to}'"),
            Wish::EditLearning { id, .. } => format!("Reword learning {id}"),
            Wish::MergeLearnings { ids, .. } => format!("Merge {} learnings into one", ids.len()),
            Wish::ResolveConflict { older, newer, choice } => format!("Decide between learnings {older} and {newer}: {choice}"),
            Wish::ReopenConflict { older, newer } => format!("Reopen the conflict between learnings {older} and {newer}"),
            Wish::DecideGate { id, kept: true } => format!("Keep learning {id} against the quality gate"),
            Wish::DecideGate { id, kept: false } => format!("Put learning {id} away as the quality gate says"),
            Wish::ReopenWarning { id } => format!("Reopen the quality gate's warning about learning {id}"),
            Wish::UndoReconciliation { id } => format!("Take back what followed from comparing learning {id}"),
        }
    }

    /// The learnings it concerns, and the text and the reason they would get.
    pub fn about_learnings(&self) -> (Vec<LearningId>, Option<(&str, Option<&str>)>) {
        match self {
            Wish::ReviewLearning { id }
            | Wish::RetireLearning { id }
            | Wish::RestoreLearning { id }
            | Wish::MoveLearning { id, .. }
            | Wish::DecideGate { id, .. }
            | Wish::ReopenWarning { id }
            | Wish::UndoReconciliation { id } => (vec![id.clone()], None),
            Wish::EditLearning { id, text, reason } => (vec![id.clone()], Some((text, reason.as_deref()))),
            Wish::MergeLearnings { ids, text, reason } => (ids.clone(), Some((text, reason.as_deref()))),
            Wish::ResolveConflict { older, newer, .. } | Wish::ReopenConflict { older, newer } => {
                (vec![older.clone(), newer.clone()], None)
            }
            Wish::UpdateTask { .. } | Wish::CreateFeature { .. } | Wish::UpdateFeature { .. } => (Vec::new(), None),
        }
    }

    /// The task it concerns.
    pub fn task(&self) -> Option<TaskId> {
        match self {
            Wish::UpdateTask { task, .. } => Some(*task),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
