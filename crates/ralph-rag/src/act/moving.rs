//! Moving learnings: with their task, or alone.

use super::{Draft, Refusal};
use crate::journal::Event;
use ralph_core::feature::Feature;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::memory::Episode;
use ralph_core::quality::{BY_WORDS, PairJudgement, PairVerdict};
use ralph_core::{LearningId, MemoryId, TaskId};

impl Draft<'_> {
    /// Moves the learnings of a task of this database with it, even those that were put away: if they are said again in the task's new
    /// feature, they are known there. Those without room in the target are parked. One that the target knows counts as observed there. The
    /// task's episodes go along.
    pub fn move_with_task(&mut self, task: TaskId, from: &str, to: &str) -> Result<(), Refusal> {
        let (from, to) = (self.feature(from)?, self.open_feature(to)?);
        let own = self.occasion.own;
        let of_task = |l: &&FeatureLearning| l.is_from(task, own) && l.feature.eq_ignore_ascii_case(&from.name);
        let mut moving: Vec<FeatureLearning> = self.known.learnings.values().filter(of_task).cloned().collect();
        // Protected ones first.
        moving.sort_by(|a, b| (a.is_auto_prunable(), &a.id).cmp(&(b.is_auto_prunable(), &b.id)));
        for learning in moving {
            let (id, lives) = (learning.id.clone(), matches!(learning.state, LearningState::Active | LearningState::Parked));
            self.move_to(learning, &to);
            if lives {
                self.meet(&id)?;
            }
        }
        self.move_episodes(task, &from, &to);
        Ok(())
    }

    fn move_episodes(&mut self, task: TaskId, from: &Feature, to: &Feature) {
        let (own, home) = (self.occasion.own, from.name.as_str());
        let of_task = |e: &&Episode| e.is_from(task, own) && e.feature.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(home));
        let moving: Vec<MemoryId> = self.known.episodes.values().filter(of_task).map(|episode| episode.id.clone()).collect();
        if !moving.is_empty() {
            for episode in moving {
                self.tell(home, Event::EpisodeMoved { episode, to: to.name.clone() });
            }
            // Its journal may get no line, and then settling the act would not look there.
            self.bound_episodes(&to.name);
        }
    }

    /// A learning that came with its task is compared with those known there as if it were new: of two that say the same, one becomes an
    /// observation of the other, and a person decides if they contradict each other or both are protected. It can be undone like any
    /// comparison.
    fn meet(&mut self, id: &LearningId) -> Result<(), Refusal> {
        let arrived = self.learning(id)?;
        let (equal, opposites) = self.compare_beside(&arrived, std::slice::from_ref(id));
        let (equal, opposites) = (equal.map(|known| known.id.clone()), opposites.into_iter().collect::<Vec<_>>());
        if let Some(equal) = equal.filter(|equal| !self.known.are_kept_apart(equal, id)) {
            let judgement = PairJudgement { verdict: PairVerdict::Observed, cosine: 1.0, similarity: 1.0, hits: Vec::new() };
            self.reconcile(id, BY_WORDS, Some((equal, judgement)))?;
        }
        if self.learning(id)?.state != LearningState::Superseded {
            self.ask_about(&arrived, &opposites);
        }
        Ok(())
    }

    /// Lets a person decide between a learning and those that say the opposite in its feature.
    fn ask_about(&mut self, there: &FeatureLearning, opposites: &[LearningId]) {
        for other in opposites.iter().filter_map(|other| self.known.learnings.get(other)).cloned().collect::<Vec<_>>() {
            if !self.known.are_kept_apart(&other.id, &there.id) {
                let (older, newer) = if other.age() < there.age() { (&other, there) } else { (there, &other) };
                self.tell(&there.feature, Event::Conflict { older: older.id.clone(), newer: newer.id.clone() });
            }
        }
    }

    /// Moves one learning to another feature. It keeps its state as far as there is room. Refused if a learning there says the same.
    pub fn move_learning(&mut self, id: &str, to: &str) -> Result<(), Refusal> {
        let learning = self.learning(id)?;
        let to = self.open_feature(to)?;
        if learning.feature.eq_ignore_ascii_case(&to.name) {
            return Err(Refusal::Invalid {
                field: "to",
                fault: format!("the learning is in '{}' already", to.name),
                hint: "name another feature: `ralph feature list`",
            });
        }
        let lives = matches!(learning.state, LearningState::Active | LearningState::Parked);
        let there = FeatureLearning { feature: to.name.clone(), ..learning.clone() };
        let conflicts = if lives { self.contradicted_beside(&there, std::slice::from_ref(&there.id))? } else { Vec::new() };
        self.move_to(learning, &to);
        self.ask_about(&there, &conflicts);
        Ok(())
    }

    fn move_to(&mut self, learning: FeatureLearning, to: &Feature) {
        let has_room = self.active_count(&to.name) < self.cap(to) as usize;
        let state = match learning.state {
            LearningState::Active | LearningState::Parked if has_room => LearningState::Active,
            LearningState::Active | LearningState::Parked => LearningState::Parked,
            put_away => put_away,
        };
        let from = learning.feature.clone();
        self.tell(&from, Event::MovedOut { learning: learning.id.clone(), to: to.name.clone() });
        let arrived = FeatureLearning { feature: to.name.clone(), state, conflicts_with: Vec::new(), ..learning };
        self.tell(&to.name, Event::MovedIn { learning: Box::new(arrived), from });
    }
}
