//! Settling detections: what rules can tell becomes an episode, once, however many processes look.

use super::admit::admit;
use super::refusal_of;
use crate::App;
use crate::error::Result;
use crate::knowledge::rules::Rules;
use ralph_core::active_days::Day;
use ralph_core::detection::{DetectionRefusal, DetectionState};
use ralph_core::learning::{LearningSource, Verdict};
use ralph_core::limits;
use ralph_core::memory::Episode;
use ralph_core::settings::AutomaticLearning;
use ralph_core::worktree::WorktreeState;
use ralph_rag::gate;
use ralph_rag::learn::{Detection, lesson_of};
use serde::Serialize;
use sqlite_db::Tx;
use sqlite_db::table::KeptDetection;

/// Detections that are settled in one round.
const ROUND: u32 = 100;
/// Detections that came to nothing, and are kept so that a person can see why.
const KEPT: u32 = 1_000;

/// What became of the detections that waited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Settled {
    /// Episodes that were told.
    pub stored: u32,
    /// Lessons that were known.
    pub known: u32,
    /// What became nothing.
    pub refused: u32,
    /// What waits for its branch.
    pub waiting: u32,
}

/// Whose knowledge a detection belongs to.
struct Home {
    /// Name and row number of the feature; `None` = the project's.
    feature: Option<(String, u32)>,
    task: Option<u32>,
}

enum Decision {
    Stored,
    Known,
    Refused(DetectionRefusal),
    Wait,
}

impl App {
    /// Settles what waits, one commit each.
    pub fn settle_detections(&self) -> Result<Settled> {
        let mut settled = Settled::default();
        let waiting = self.db.read(|r| r.waiting_detections(ROUND))?;
        if waiting.is_empty() {
            return Ok(settled);
        }
        let settings = self.settings()?.automatic_learning;
        let rules = self.knowledge_rules()?;
        for kept in waiting {
            match self.write(|tx| settle(tx, &kept, &settings, rules))? {
                Decision::Stored => settled.stored += 1,
                Decision::Known => settled.known += 1,
                Decision::Refused(_) => settled.refused += 1,
                Decision::Wait => settled.waiting += 1,
            }
        }
        self.write(|tx| Ok(tx.thin_detections(KEPT)?))?;
        Ok(settled)
    }
}

fn settle(tx: &Tx<'_>, kept: &KeptDetection, settings: &AutomaticLearning, rules: Rules) -> Result<Decision> {
    let day = i64::from(Day::of(rules.now, 0).0);
    let (decision, episode) = decide(tx, kept, settings, rules)?;
    let (outcome, counted) = match &decision {
        Decision::Wait => return Ok(decision),
        Decision::Stored => (Ok((DetectionState::Stored, episode.as_str())), "stored".to_owned()),
        Decision::Known => (Ok((DetectionState::Known, episode.as_str())), "known".to_owned()),
        Decision::Refused(refusal) => (Err(*refusal), format!("refused:{refusal}")),
    };
    tx.settle_detection(kept.id, outcome)?;
    tx.count_learning(day, &counted, 1)?;
    Ok(decision)
}

/// What becomes of a detection, with the id of its episode. An episode is told here, in the transaction that settles.
fn decide(tx: &Tx<'_>, kept: &KeptDetection, settings: &AutomaticLearning, rules: Rules) -> Result<(Decision, String)> {
    let refused = |why| Ok((Decision::Refused(why), String::new()));
    let Ok(detection) = serde_json::from_value::<Detection>(kept.record.clone()) else { return refused(DetectionRefusal::Gate) };
    // Another process may have settled it since it was listed.
    if !tx.waits(kept.id)? {
        return Ok((Decision::Wait, String::new()));
    }
    let home = match home_of(tx, kept)? {
        Ok(home) => home,
        Err(decision) => return Ok((decision, String::new())),
    };
    if let Some(why) = refusal_of(settings, &detection) {
        return refused(why);
    }
    let Some((lesson_type, lesson)) = lesson_of(&detection) else { return refused(DetectionRefusal::NeedsModel) };
    if !gate::inspect(&lesson, Some(&detection.situation), &[]).faults.is_empty() {
        return refused(DetectionRefusal::Gate);
    }
    let episode = Episode {
        id: String::new(),
        feature: home.feature.as_ref().map(|(name, _)| name.clone()),
        lesson,
        lesson_type,
        confidence: detection.confidence,
        source: LearningSource::Auto,
        task_id: home.task,
        iteration: kept.iteration,
        replica: kept.iteration.map(|_| tx.own().map(|own| own.replica)).transpose()?,
        files: detection.files(limits::EPISODE_FILES),
        created: rules.now,
        withdrawn: None,
    };
    let home = home.feature.map(|(_, id)| id);
    match admit(tx, rules, home, episode, settings.episode_deduplication)? {
        (Verdict::Observed, id) => Ok((Decision::Known, id)),
        (Verdict::PutAway, _) => refused(DetectionRefusal::PutAway),
        (_, id) => Ok((Decision::Stored, id)),
    }
}

/// Whose it is; or that it waits for its branch, or went with it.
fn home_of(tx: &Tx<'_>, kept: &KeptDetection) -> Result<std::result::Result<Home, Decision>> {
    let project = Home { feature: None, task: None };
    let Some(row) = kept.iteration.map(|iteration| tx.iteration(iteration)).transpose()?.flatten() else { return Ok(Ok(project)) };
    if row.worktree.is_some()
        && let Some(worktree) = tx.worktree_of(row.task)?
    {
        match worktree.state {
            WorktreeState::Ready => return Ok(Err(Decision::Wait)),
            WorktreeState::Discarded => return Ok(Err(Decision::Refused(DetectionRefusal::Discarded))),
            _ => {}
        }
    }
    let Some(task) = tx.task(row.task)? else { return Ok(Ok(project)) };
    let Some(feature) = tx.feature(&task.feature)? else { return Ok(Ok(project)) };
    if tx.newer_journal(&feature.name)?.is_some() {
        return Ok(Err(Decision::Wait));
    }
    Ok(Ok(Home { feature: Some((feature.name, feature.id)), task: Some(task.id) }))
}
