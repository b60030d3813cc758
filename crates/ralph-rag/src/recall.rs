//! The door out, by words: which learnings of a feature (and of the feature it was split from) a task is told, best first.

use crate::words::Words;
use ralph_core::learning::FeatureLearning;

/// Weight of what was learnt before a split, for the children (RULINGS 000.6: recalled at lower weight).
pub const PARENT_WEIGHT: f64 = 0.5;
/// A shared path, identifier, name or number says more than a shared word.
const EXACT_WEIGHT: f64 = 4.0;
/// What three observations or a review add: as much as two shared words, so that relevance still leads.
const PROTECTED_BONUS: f64 = 2.0;

/// A learning that may be told.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The learning.
    pub learning: FeatureLearning,
    /// 1 for the feature's own, [`PARENT_WEIGHT`] for its parent's.
    pub weight: f64,
}

/// Orders the candidates for a query, best first; ties go to more evidence, then to the newer one. All are kept: the budget decides.
pub fn rank(query: &str, candidates: Vec<Candidate>) -> Vec<FeatureLearning> {
    let query = Words::of(query);
    let mut scored: Vec<(f64, FeatureLearning)> = candidates
        .into_iter()
        .map(|c| {
            let about = format!("{} {} {}", c.learning.text, c.learning.tags.join(" "), c.learning.reason.as_deref().unwrap_or_default());
            let (plain, exact) = query.shared(&Words::of(&about));
            let evidence = if c.learning.is_auto_prunable() { 0.0 } else { PROTECTED_BONUS };
            let score = c.weight * (plain as f64 + EXACT_WEIGHT * exact as f64 + evidence);
            (score, c.learning)
        })
        .collect();
    scored.sort_by(|(a, l), (b, m)| b.total_cmp(a).then_with(|| (m.hit_count, m.created, &m.id).cmp(&(l.hit_count, l.created, &l.id))));
    scored.into_iter().map(|(_, learning)| learning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::learning::{LearningSource, LearningState};
    use ralph_core::time::Timestamp;

    fn candidate(id: &str, text: &str, source: LearningSource, weight: f64) -> Candidate {
        let learning = FeatureLearning {
            id: id.into(),
            feature: "pay".into(),
            text: text.into(),
            reason: None,
            category: "pitfall".into(),
            tags: vec![],
            source,
            task_id: None,
            iteration: None,
            created: Timestamp(1),
            last_used: None,
            hit_count: 1,
            reviewed_by: None,
            review_count: 0,
            state: LearningState::Active,
            superseded_by: None,
            conflicts_with: vec![],
        };
        Candidate { learning, weight }
    }

    fn order(query: &str, candidates: Vec<Candidate>) -> Vec<String> {
        rank(query, candidates).into_iter().map(|l| l.id).collect()
    }

    #[test]
    fn what_names_the_task_s_files_comes_first_then_shared_words_then_evidence() {
        use LearningSource::{Agent, Human};
        let candidates = vec![
            candidate("evidence", "Sums are in cents everywhere", Human, 1.0),
            candidate("words", "A refund retry needs a fresh idempotency key", Agent, 1.0),
            candidate("path", "src/refund.rs keeps the retry table", Agent, 1.0),
            candidate("unrelated", "The search index is rebuilt at night", Agent, 1.0),
        ];
        assert_eq!(order("Refund retry in src/refund.rs with a fresh key", candidates), ["path", "words", "evidence", "unrelated"]);
    }

    #[test]
    fn of_equals_the_feature_s_own_comes_before_its_parent_s() {
        let parent = candidate("parent", "Refund retry uses the provider clock", LearningSource::Agent, PARENT_WEIGHT);
        let own = candidate("own", "Refund retry uses the provider clock", LearningSource::Agent, 1.0);
        assert_eq!(order("refund retry", vec![parent, own]), ["own", "parent"]);
    }
}
