//! The part of knowledge that an act needs, read from the database.

use crate::error::Result;
use ralph_core::feature::Feature;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::{LearningId, MemoryId, limits};
use ralph_rag::journal::{GateMark, GateRecord, Knowledge};
use sqlite_db::Read;
use sqlite_db::table::LearningFacts;
use std::collections::{BTreeMap, BTreeSet};

/// The knowledge that an act needs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Needs {
    features: BTreeSet<String>,
    learnings: Vec<LearningId>,
    makes_room: bool,
    memories: Vec<MemoryId>,
    /// Kind and subject.
    facts_about: Vec<(String, String)>,
    /// The row number of a feature; `None` for the project.
    episodes_of: Option<Option<u32>>,
    consolidation: Option<String>,
    all_feedback: bool,
    put_away: bool,
}

impl Needs {
    /// Learnings with their related data, and their features.
    pub(crate) fn learnings<'i>(ids: impl IntoIterator<Item = &'i str>) -> Needs {
        Needs { learnings: ids.into_iter().map(str::to_owned).collect(), makes_room: true, ..Needs::default() }
    }

    /// Features with their active and parked learnings.
    pub(crate) fn features<'i>(names: impl IntoIterator<Item = &'i str>) -> Needs {
        Needs { features: names.into_iter().map(str::to_owned).collect(), makes_room: true, ..Needs::default() }
    }

    /// A feature that gets one more learning: its others matter only if that one, or those that wait, could take their places.
    pub(crate) fn newcomer(feature: &str, near: Vec<LearningId>) -> Needs {
        Needs { features: BTreeSet::from([feature.to_owned()]), learnings: near, ..Needs::default() }
    }

    /// Learnings that words may be about, with their related data.
    pub(crate) fn near(near: Vec<LearningId>) -> Needs {
        Needs { learnings: near, ..Needs::default() }
    }

    /// Episodes and facts that a person put away.
    pub(crate) fn and_put_away(mut self) -> Needs {
        self.put_away = true;
        self
    }

    /// An episode or a fact, with the facts on the same subject.
    pub(crate) fn and_memory(mut self, id: &str) -> Needs {
        self.memories.push(id.to_owned());
        self
    }

    /// Facts of a kind about a subject.
    pub(crate) fn and_facts_about(mut self, kind: &str, subject: &str) -> Needs {
        self.facts_about.push((kind.to_owned(), subject.to_owned()));
        self
    }

    /// The active episodes of a feature (by row number), or of the project.
    pub(crate) fn and_episodes_of(mut self, feature_id: Option<u32>) -> Needs {
        self.episodes_of = Some(feature_id);
        self
    }

    /// A consolidation, by its act.
    pub(crate) fn and_consolidation(mut self, act: &str) -> Needs {
        self.consolidation = Some(act.to_owned());
        self
    }

    /// Feedback on all learnings.
    pub(crate) fn and_all_feedback(mut self) -> Needs {
        self.all_feedback = true;
        self
    }

    /// One more feature.
    pub(crate) fn and_feature(mut self, name: &str) -> Needs {
        self.features.insert(name.to_owned());
        self
    }
}

/// Reads the knowledge that an act needs.
pub(crate) fn load(r: &Read<'_>, needs: &Needs, default_cap: u32) -> Result<Knowledge> {
    let mut known = Knowledge::default();
    for name in &needs.features {
        load_feature(&mut known, r, name, needs.makes_room, default_cap)?;
    }
    let asked = insert_named(&mut known, r, &needs.learnings)?;
    if !asked.is_empty() {
        insert_facts(&mut known, r.learning_facts(Some(&asked))?);
    }
    let homes: BTreeSet<String> = known.learnings.values().map(|l| l.feature.clone()).collect();
    for name in homes.iter().filter(|name| !known.features.contains_key(&name.to_ascii_lowercase())).collect::<Vec<_>>() {
        load_feature(&mut known, r, name, needs.makes_room, default_cap)?;
    }
    // Also for those that may have to make room: among equals those that did not help go first.
    let read: Vec<LearningId> = known.learnings.keys().cloned().collect();
    known.feedback.extend(r.feedback(Some(&read))?);
    if needs.all_feedback {
        known.feedback.extend(r.standing_feedback()?);
    }
    insert_memories(&mut known, r, needs)?;
    Ok(known)
}

/// A feature with its active learnings, and with its parked ones if they may return. A new learning affects none of them as long as there
/// is room for it and nothing else waits for that room: then they are only counted.
fn load_feature(known: &mut Knowledge, r: &Read<'_>, name: &str, makes_room: bool, default_cap: u32) -> Result<()> {
    let Some(feature) = r.feature(name)? else { return Ok(()) };
    let saturation = r.saturation_of(&feature, default_cap)?;
    let has_room = saturation.learnings_count < saturation.max_learnings;
    let parked = if makes_room || has_room { r.learnings_in(feature.id, LearningState::Parked)? } else { Vec::new() };
    if makes_room || !has_room || !parked.is_empty() {
        insert(known, r.learnings_in(feature.id, LearningState::Active)?);
    }
    insert(known, parked);
    known.features.insert(feature.name.to_ascii_lowercase(), Feature { id: 0, ..feature });
    Ok(())
}

/// The named learnings, and what replaced them; those that came with a feature have been read already. Returns all their ids.
fn insert_named(known: &mut Knowledge, r: &Read<'_>, ids: &[LearningId]) -> Result<Vec<LearningId>> {
    let mut wanted: BTreeSet<LearningId> = ids.iter().cloned().collect();
    let mut asked: BTreeSet<LearningId> = BTreeSet::new();
    for _ in 0..=limits::REPLACEMENTS {
        let missing: Vec<LearningId> = wanted.iter().filter(|id| !known.learnings.contains_key(*id)).cloned().collect();
        if !missing.is_empty() {
            insert(known, r.learnings_by_id(&missing)?);
        }
        let found: Vec<&FeatureLearning> = wanted.iter().filter_map(|id| known.learnings.get(id)).collect();
        asked.extend(found.iter().map(|l| l.id.clone()));
        wanted = found.iter().filter_map(|l| l.superseded_by.clone()).filter(|by| !asked.contains(by)).collect();
        if wanted.is_empty() {
            break;
        }
    }
    Ok(asked.into_iter().collect())
}

fn insert_memories(known: &mut Knowledge, r: &Read<'_>, needs: &Needs) -> Result<()> {
    let mut facts_about = needs.facts_about.clone();
    if !needs.memories.is_empty() {
        for episode in r.episodes_by_id(&needs.memories)? {
            // A returning one may take another's room.
            let home = episode.feature.as_deref().map(|name| r.feature(name)).transpose()?.flatten().map(|feature| feature.id);
            known.episodes.extend(r.active_episodes(home)?.into_iter().chain([episode]).map(|e| (e.id.clone(), e)));
        }
        facts_about.extend(r.facts_by_id(&needs.memories)?.into_iter().map(|fact| (fact.kind, fact.subject)));
    }
    for (kind, subject) in facts_about {
        known.facts.extend(r.facts_about(&kind, &subject)?.into_iter().map(|fact| (fact.id.clone(), fact)));
    }
    if let Some(act) = &needs.consolidation {
        known.consolidations.extend(r.consolidations(Some(act))?.into_iter().map(|of| (of.id.clone(), of)));
    }
    if needs.put_away {
        known.episodes.extend(r.episodes_put_away()?.into_iter().map(|e| (e.id.clone(), e)));
        known.facts.extend(r.facts_put_away()?.into_iter().map(|fact| (fact.id.clone(), fact)));
    }
    if let Some(home) = needs.episodes_of {
        known.episodes.extend(r.active_episodes(home)?.into_iter().map(|e| (e.id.clone(), e)));
    }
    Ok(())
}

/// Every learning that was replaced, with what holds its lesson now; without those whose replacement says the opposite.
pub(crate) fn replacements(r: &Read<'_>) -> Result<BTreeMap<LearningId, LearningId>> {
    let (mut known, replaced) = (Knowledge::default(), r.replaced_learnings()?);
    let asked = insert_named(&mut known, r, &replaced)?;
    insert_facts(&mut known, r.learning_facts(Some(&asked))?);
    Ok(replaced.into_iter().filter_map(|id| known.heirs(&id).pop().map(|last| (id, last))).collect())
}

/// Reads all knowledge.
pub(crate) fn load_all(r: &Read<'_>) -> Result<Knowledge> {
    let mut known = Knowledge::default();
    for feature in r.features()? {
        known.features.insert(feature.name.to_ascii_lowercase(), Feature { id: 0, ..feature });
    }
    insert(&mut known, r.learnings(None, &[])?);
    insert_facts(&mut known, r.learning_facts(None)?);
    known.episodes.extend(r.episodes(None)?.into_iter().map(|e| (e.id.clone(), e)));
    known.facts.extend(r.facts(None)?.into_iter().map(|fact| (fact.id.clone(), fact)));
    known.feedback.extend(r.feedback(None)?);
    known.landed = r.landed()?;
    known.consolidations.extend(r.consolidations(None)?.into_iter().map(|of| (of.id.clone(), of)));
    known.last_event = r.last_event_id()?;
    Ok(known)
}

fn insert(known: &mut Knowledge, learnings: Vec<FeatureLearning>) {
    for mut learning in learnings {
        // Open conflicts are stored separately: they concern pairs.
        learning.conflicts_with.clear();
        known.learnings.insert(learning.id.clone(), learning);
    }
}

fn insert_facts(known: &mut Knowledge, facts: LearningFacts) {
    known.observations.extend(facts.observations);
    known.open_conflicts.extend(facts.conflicts);
    known.kept_apart.extend(facts.apart);
    known.reconciled.extend(facts.reconciliations.into_iter().map(|found| (found.learning.clone(), found)));
    known.acts.extend(facts.acts.into_iter().filter_map(|found| Some(((found.learning.clone(), found.other.clone()?), found))));
    known.brought_back.extend(facts.brought_back);
    known.put_away.extend(facts.put_away);
    for verdict in facts.gates {
        let mark = GateMark { passed: verdict.report.passed, density: verdict.report.density, refused: verdict.refused };
        known.gates.insert(verdict.learning, GateRecord { at: verdict.at, mark, kept: verdict.kept });
    }
}
