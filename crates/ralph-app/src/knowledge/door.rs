//! The way in for episodes and facts: their words are first compared with what features know and with what was put away.

use super::candidate::{near, near_in};
use super::projector::perform;
use super::rules::Rules;
use super::slice::{Needs, load};
use crate::error::Result;
use crate::rows::find_feature;
use ralph_core::consolidation::LostWords;
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::{FeatureLearning, Verdict};
use ralph_core::{LearningId, MemoryId};
use ralph_rag::journal::{Knowledge, PROJECT_JOURNAL};
use sqlite_db::{Read, Tx};

/// The verdict on the words of an episode or a fact, made by `ralph_rag::act::{words_of_episode, words_of_fact}`, with the id of what says
/// them or was put away; `None` if they are new, or a person's.
pub(crate) fn answer(tx: &Tx<'_>, rules: Rules, said: &FeatureLearning) -> Result<Option<(Verdict, MemoryId)>> {
    let near = near_home(tx, said, &tx.features()?)?;
    let home = if said.feature == PROJECT_JOURNAL { None } else { Some(find_feature(tx, &said.feature)?.id) };
    let needs = Needs::near(near.clone()).and_put_away().and_episodes_of(home);
    Ok(perform(tx, rules, &needs, |draft| draft.answer(said, &near))?.map(|done| (done.verdict, done.id)))
}

/// Whether a prompt leaves these words out, see [`Knowledge::leaves_out`]. `all` are the features, and `lost` the consolidated learnings whose
/// words are gone from the documents; both are arguments since one prompt asks about many.
pub(crate) fn is_left_out(
    r: &Read<'_>,
    said: &FeatureLearning,
    (all, documents): (&[Feature], &LostWords),
    default_cap: u32,
) -> Result<bool> {
    let near = near_home(r, said, all)?;
    if near.is_empty() {
        return Ok(false);
    }
    let known: Knowledge = load(r, &Needs::near(near.clone()), default_cap)?;
    Ok(known.leaves_out(said, &near, documents))
}

/// Learnings that may say the same, in any state: of the feature or, for words of the project, of all features in use.
fn near_home(r: &Read<'_>, said: &FeatureLearning, all: &[Feature]) -> Result<Vec<LearningId>> {
    if said.feature != PROJECT_JOURNAL {
        return near(r, &find_feature(r, &said.feature)?, &said.text);
    }
    let in_use: Vec<u32> = all.iter().filter(|feature| feature.state != FeatureState::Archived).map(|feature| feature.id).collect();
    near_in(r, &in_use, &said.text)
}
