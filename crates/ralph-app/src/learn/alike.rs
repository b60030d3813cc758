//! Episodes that say the same in other words: found by their vectors once these exist, each compared once with the earlier ones.

use crate::app::App;
use crate::error::Result;
use crate::knowledge::projector::perform;
use crate::knowledge::rules::Rules;
use crate::knowledge::slice::Needs;
use ralph_core::MemoryId;
use ralph_core::learning::LearningSource;
use ralph_core::memory::{Episode, LessonType};
use ralph_core::quality::PairVerdict;
use ralph_rag::calibrate::Calibration;
use ralph_rag::reconcile::{CANDIDATES, judge_pair};
use ralph_rag::words::Words;
use sqlite_db::Tx;
use text_embed::dot;

/// Episodes compared in one round.
const ROUND: u32 = 32;

impl App {
    /// Compares a batch of episodes by their vectors; of two with the same meaning the older one stays, unless the newer one names more.
    /// Returns how many were withdrawn, and how many were compared.
    pub(crate) fn reconcile_episodes(&self, model: &str, calibration: Calibration, rules: Rules) -> Result<(u32, u32)> {
        let waiting = self.db.read(|r| r.episodes_to_compare(model, ROUND))?;
        let (mut gone, mut compared) = (0, 0);
        for id in waiting {
            // One commit each: nobody waits for a whole round.
            gone += u32::from(self.write(|tx| compare(tx, &id, model, calibration, rules))?);
            compared += 1;
        }
        Ok((gone, compared))
    }
}

/// Compares one, and returns whether one of two gave way.
fn compare(tx: &Tx<'_>, id: &str, model: &str, calibration: Calibration, rules: Rules) -> Result<bool> {
    tx.set_episode_compared(id)?;
    let beside = tx.episodes_beside(id, model)?;
    let Some(own) = beside.iter().find(|other| other.id == id) else { return Ok(false) };
    let mut near: Vec<(f64, &MemoryId)> =
        beside.iter().take_while(|other| other.id != id).map(|other| (dot(&other.vector, &own.vector), &other.id)).collect();
    near.sort_by(|(a, i), (b, j)| b.total_cmp(a).then_with(|| i.cmp(j)));
    near.truncate(CANDIDATES);
    let Some(newer) = tx.episodes_by_id(&[id.to_owned()])?.pop().filter(may_give_way) else { return Ok(false) };
    for (cosine, other) in near {
        let Some(older) = tx.episodes_by_id(std::slice::from_ref(other))?.pop().filter(|older| older.lesson_type == newer.lesson_type)
        else {
            continue;
        };
        let judgement = judge_pair(&Words::of(&older.lesson), &Words::of(&newer.lesson), cosine, calibration);
        let (kept, gone) = match judgement.verdict {
            PairVerdict::Observed => (&older.id, &newer.id),
            PairVerdict::Merged if may_give_way(&older) => (&newer.id, &older.id),
            _ => continue,
        };
        let needs = Needs::default().and_memory(kept).and_memory(gone);
        perform(tx, rules, &needs, |draft| draft.replace_episode(kept, gone))?;
        return Ok(true);
    }
    Ok(false)
}

/// Whether an episode may be withdrawn for another one: not if a person wrote or restored it, nor if it records the completion of a task.
fn may_give_way(episode: &Episode) -> bool {
    episode.source != LearningSource::Human && !episode.kept && episode.lesson_type != LessonType::Success
}
