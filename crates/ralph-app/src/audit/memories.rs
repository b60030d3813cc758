//! Active memories with everything needed to judge them: who said it, what that agent had been shown, last use, and what happened since.

use crate::app::App;
use crate::clock::day_of;
use crate::error::{AppError, Result};
use crate::learn::ToldTexts;
use ralph_core::active_days::Day;
use ralph_core::audit::{AuditClass, AuditFinding, AuditedMemory};
use ralph_core::feedback::{Feedback, Importance, SelectionKind};
use ralph_core::learning::{FeatureLearning, LearningSource, LearningState};
use ralph_core::memory::{Episode, Fact, FactSource};
use ralph_core::recall::MemoryKind;
use ralph_core::replica::{Own, ReplicaId};
use ralph_core::run::{Iteration, Outcome};
use ralph_core::task::{Task, TaskStatus};
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, MemoryId, count, limits};
use ralph_rag::clean::redact;
use ralph_rag::junk::{Junk, JunkSubject, classify, named_files};
use std::collections::{BTreeMap, BTreeSet};

/// The memories with their classes.
pub(super) struct AuditedMemories {
    stored: BTreeMap<MemoryId, JunkSubject>,
    classes: BTreeMap<AuditClass, Vec<Junk>>,
}

impl AuditedMemories {
    /// `None` once `stopped` says so.
    pub(super) fn of(stored: Vec<JunkSubject>, stopped: &dyn Fn() -> bool) -> Option<AuditedMemories> {
        let classes = classify(&stored, stopped)?;
        Some(AuditedMemories { stored: stored.into_iter().map(|memory| (memory.id.clone(), memory)).collect(), classes })
    }

    /// Number of active memories.
    pub(super) fn count(&self) -> u32 {
        count(self.stored.len())
    }

    /// Number of junk ones. A memory that was never used may still be needed, and is not counted.
    pub(super) fn junk(&self) -> u32 {
        let classes = self.classes.iter().filter(|(class, _)| **class != AuditClass::NeverUsed);
        count(classes.flat_map(|(_, junk)| junk).map(|junk| &junk.id).collect::<BTreeSet<_>>().len())
    }

    pub(super) fn finding(&self, class: AuditClass) -> AuditFinding {
        let memories: Vec<AuditedMemory> = self.classes.get(&class).into_iter().flatten().filter_map(|junk| self.shown(junk)).collect();
        let count = count(memories.len());
        AuditFinding { count, share: f64::from(count) / f64::from(self.count().max(1)), memories, ..AuditFinding::default() }
    }

    fn shown(&self, junk: &Junk) -> Option<AuditedMemory> {
        let memory = self.stored.get(&junk.id)?;
        let words = memory.about.as_ref().map_or_else(|| memory.text.clone(), |(_, subject)| format!("{subject}: {}", memory.text));
        Some(AuditedMemory {
            id: memory.id.clone(),
            kind: memory.kind,
            feature: memory.feature.clone(),
            text: redact(&words).0,
            why: junk.why.clone(),
            protected: memory.protected,
        })
    }
}

/// Project data that is read once for all memories.
struct ProjectFacts {
    own: Own,
    iterations: BTreeMap<IterationId, Iteration>,
    tasks: BTreeMap<u32, Task>,
    feedback: BTreeMap<MemoryId, Feedback>,
    /// Texts by id of everything that was ever shown.
    texts: BTreeMap<MemoryId, String>,
    /// Prompts by iteration, each with the answers to the agent's calls of Ralph's tools.
    prompts: BTreeMap<IterationId, (Option<String>, ToldTexts)>,
    used: BTreeMap<MemoryId, Timestamp>,
    stale: BTreeMap<MemoryId, String>,
}

impl App {
    /// Every active memory.
    pub(super) fn stored_memories(&self) -> Result<Vec<JunkSubject>> {
        let (learnings, episodes, facts) =
            self.db.read(|r| Ok::<_, AppError>((r.learnings(None, &[])?, r.episodes(None)?, r.facts(None)?)))?;
        let known = self.known_of(&learnings, &episodes, &facts)?;
        let learnings =
            learnings.iter().filter(|learning| learning.state == LearningState::Active).map(|learning| known.learning(learning));
        let episodes = episodes.iter().filter(|episode| episode.withdrawn.is_none()).map(|episode| known.episode(episode));
        let facts = facts.iter().filter(|fact| fact.withdrawn.is_none()).map(|fact| known.fact(fact));
        let mut stored: Vec<JunkSubject> = learnings.chain(episodes).chain(facts).collect();
        let (days, offsets) = (self.commit_days(), self.db.read(|r| r.learned_offsets())?);
        // Without a history nothing ages.
        if days.count() > 0 {
            for memory in &mut stored {
                let last = known.used.get(&memory.id).copied().into_iter().chain([memory.created]).max().unwrap_or(memory.created);
                // The author's day, as in `learning ages`: every reader counts the same.
                let ahead = offsets.get(&memory.id).copied().filter(|_| last == memory.created);
                memory.unused_days = Some(days.after(ahead.map_or_else(|| day_of(last), |ahead| Day::of(last, ahead))));
            }
        }
        Ok(stored)
    }

    fn known_of(&self, learnings: &[FeatureLearning], episodes: &[Episode], facts: &[Fact]) -> Result<ProjectFacts> {
        let (own, feedback, told) = self.db.read(|r| Ok::<_, AppError>((r.own()?, r.feedback(None)?, r.last_told()?)))?;
        let active = learnings.iter().filter(|learning| learning.state == LearningState::Active);
        let of_learnings = active.filter(|learning| own.gave(learning.replica.as_deref())).filter_map(|learning| learning.iteration);
        let of_episodes = episodes.iter().filter(|e| e.withdrawn.is_none() && own.gave(e.replica.as_deref())).filter_map(|e| e.iteration);
        let spoke: BTreeSet<IterationId> = of_learnings.chain(of_episodes).collect();
        let (iterations, tasks) = self.db.read(|r| {
            let rows = spoke.iter().map(|id| r.iteration(*id)).collect::<sqlite_db::Result<Vec<_>>>()?;
            let iterations: BTreeMap<IterationId, Iteration> = rows.into_iter().flatten().map(|row| (row.id, row)).collect();
            let ids: BTreeSet<u32> = iterations.values().map(|row| row.task).collect();
            let tasks = ids.into_iter().map(|id| r.task(id)).collect::<sqlite_db::Result<Vec<_>>>()?;
            Ok::<_, AppError>((iterations, tasks.into_iter().flatten().map(|task| (task.id, task)).collect()))
        })?;
        let mut texts: BTreeMap<MemoryId, String> = learnings.iter().map(|l| (l.id.clone(), l.text.clone())).collect();
        texts.extend(episodes.iter().map(|e| (e.id.clone(), e.lesson.clone())));
        texts.extend(facts.iter().map(|fact| (fact.id.clone(), format!("{}: {}", fact.subject, fact.value))));
        let mut used = told;
        let of_learnings = learnings.iter().filter_map(|learning| Some((learning.id.clone(), learning.last_used?)));
        for (memory, at) in self.chosen().into_iter().chain(of_learnings) {
            let last = used.entry(memory).or_insert(at);
            *last = at.max(*last);
        }
        let prompts = self.prompts_of(iterations.keys().rev().take(limits::AUDITED_PROMPTS).copied());
        Ok(ProjectFacts {
            own,
            iterations,
            tasks,
            feedback: feedback.into_iter().collect(),
            texts,
            prompts,
            used,
            stale: self.stale(facts)?,
        })
    }

    /// Facts whose files no longer state them, and those of people and agents that name a missing file in an existing folder.
    fn stale(&self, facts: &[Fact]) -> Result<BTreeMap<MemoryId, String>> {
        let mut stale = self.stale_facts()?;
        // A folder where a file is expected is an error, so the path exists.
        let is_missing = |path: &str| matches!(self.paths.files().metadata(&self.paths.root.join(path)), Ok(None));
        let is_gone = |file: &&str| {
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            is_missing(file) && !is_missing(folder)
        };
        for fact in facts.iter().filter(|fact| fact.withdrawn.is_none() && fact.source != FactSource::Code) {
            if let Some(file) = named_files(&fact.value).into_iter().find(is_gone) {
                stale.entry(fact.id.clone()).or_insert_with(|| format!("it names {file}, which is gone"));
            }
        }
        Ok(stale)
    }

    /// Selections, with time. Without that history a memory only seems less used.
    fn chosen(&self) -> Vec<(MemoryId, Timestamp)> {
        let recorded = self.read_history(|r| Ok(r.selections()?)).unwrap_or_else(|fault| {
            tracing::warn!("the history of retrieval can't be read: {fault}");
            None
        });
        let chosen = recorded.unwrap_or_default().into_iter().filter(|selection| selection.kind != SelectionKind::NotUseful);
        chosen.map(|selection| (selection.memory, selection.at)).collect()
    }

    /// The prompts and answers that still exist.
    fn prompts_of(&self, iterations: impl Iterator<Item = IterationId>) -> BTreeMap<IterationId, (Option<String>, ToldTexts)> {
        let read = |id| self.paths.files().read_text(&self.prompt_path(id), limits::PROMPT_BYTES).ok().flatten();
        iterations.map(|id| (id, (read(id), self.told_by_tools(id)))).collect()
    }
}

impl ProjectFacts {
    fn learning(&self, learning: &FeatureLearning) -> JunkSubject {
        let critical = self.feedback.get(&learning.id).is_some_and(|feedback| feedback.importance == Importance::Critical);
        JunkSubject {
            id: learning.id.clone(),
            kind: MemoryKind::Learning,
            feature: Some(learning.feature.clone()),
            text: learning.text.clone(),
            about: None,
            reason: learning.reason.clone(),
            by_person: learning.source == LearningSource::Human,
            protected: critical || !learning.is_auto_prunable(),
            created: learning.created,
            unused_days: None,
            told: self.told_to(learning.iteration, learning.replica.as_ref(), (&learning.id, learning.created)),
            dead_end: None,
            stale: None,
        }
    }

    fn episode(&self, episode: &Episode) -> JunkSubject {
        let by_person = episode.source == LearningSource::Human;
        JunkSubject {
            id: episode.id.clone(),
            kind: MemoryKind::Episode,
            feature: episode.feature.clone(),
            text: episode.lesson.clone(),
            about: None,
            reason: None,
            by_person,
            protected: by_person,
            created: episode.created,
            unused_days: None,
            told: self.told_to(episode.iteration, episode.replica.as_ref(), (&episode.id, episode.created)),
            dead_end: self.dead_end(episode),
            stale: None,
        }
    }

    fn fact(&self, fact: &Fact) -> JunkSubject {
        let by_person = fact.source == FactSource::Human;
        JunkSubject {
            id: fact.id.clone(),
            kind: MemoryKind::Fact,
            feature: fact.feature.clone(),
            text: fact.value.clone(),
            about: Some((fact.kind.clone(), fact.subject.clone())),
            reason: None,
            by_person,
            protected: by_person,
            created: fact.created,
            unused_days: None,
            told: Vec::new(),
            dead_end: None,
            stale: self.stale.get(&fact.id).cloned(),
        }
    }

    /// What the agent of an iteration had been shown before it said a memory: other memories, the prompt, and answers of Ralph's tools, as
    /// far as they still exist.
    fn told_to(&self, iteration: Option<IterationId>, replica: Option<&ReplicaId>, (id, said): (&str, Timestamp)) -> Vec<String> {
        let Some(row) = self.iteration(iteration, replica) else { return Vec::new() };
        let memories = row.told.iter().filter(|told| told.id != id).filter_map(|told| self.texts.get(&told.id).cloned());
        let (prompt, answers) = self.prompts.get(&row.id).map(|(prompt, answers)| (prompt.clone(), answers)).unzip();
        let answers = answers.into_iter().flat_map(|answers| answers.until(said).map(str::to_owned));
        memories.chain(prompt.flatten()).chain(answers).collect()
    }

    /// Why what an episode records did not last: the task that its iteration completed is open again.
    fn dead_end(&self, episode: &Episode) -> Option<String> {
        let row = self.iteration(episode.iteration, episode.replica.as_ref()).filter(|row| row.outcome == Outcome::Done)?;
        let task = self.tasks.get(&row.task)?;
        let again = task.status.is_open() && task.status != TaskStatus::InReview;
        again.then(|| format!("task #{} that it was learnt from was done and is {} again", task.id, task.status))
    }

    fn iteration(&self, iteration: Option<IterationId>, replica: Option<&ReplicaId>) -> Option<&Iteration> {
        self.iterations.get(&iteration?).filter(|_| self.own.gave(replica.map(String::as_str)))
    }
}
