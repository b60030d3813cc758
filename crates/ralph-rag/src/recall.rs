//! The door out, by words: which learnings of a feature (and of the feature it was split from) a task is told, best first.

use crate::words::{Relation, Words};
use ralph_core::learning::FeatureLearning;

/// Weight of what was learnt before a split, for the children (RULINGS 000.6: recalled at lower weight).
pub const PARENT_WEIGHT: f64 = 0.5;
/// Weight of what another feature learnt; it is told only where it names the same path, identifier or name.
pub const OTHER_WEIGHT: f64 = 0.3;
/// Words of a query that a search is asked for: the longest say most.
const KEYWORDS: usize = 24;
/// A shared path, identifier, name or number says more than a shared word.
const EXACT_WEIGHT: f64 = 4.0;
/// What three observations or a review add: as much as two shared words, so that relevance still leads.
const PROTECTED_BONUS: f64 = 2.0;

/// A learning that may be told.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The learning.
    pub learning: FeatureLearning,
    /// 1 for the feature's own, [`PARENT_WEIGHT`] for its parent's, [`OTHER_WEIGHT`] for another's.
    pub weight: f64,
}

/// Words to search other features' learnings for: exact ones first, then the longest.
pub fn keywords(query: &str) -> Vec<String> {
    Words::of(query).telling(KEYWORDS)
}

/// Orders the candidates for a query, best first; ties go to more evidence, then to the newer one. Of near-duplicates (two features
/// may know the same) only the best is kept; otherwise the budget decides.
pub fn rank(query: &str, candidates: Vec<Candidate>) -> Vec<FeatureLearning> {
    let query = Words::of(query);
    let mut scored: Vec<(f64, FeatureLearning)> = candidates
        .into_iter()
        .filter_map(|c| {
            let about = format!("{} {} {}", c.learning.text, c.learning.tags.join(" "), c.learning.reason.as_deref().unwrap_or_default());
            let (plain, exact) = query.shared(&Words::of(&about));
            let evidence = if c.learning.is_auto_prunable() { 0.0 } else { PROTECTED_BONUS };
            let score = c.weight * (plain as f64 + EXACT_WEIGHT * exact as f64 + evidence);
            let foreign = c.weight <= OTHER_WEIGHT && exact == 0;
            (!foreign).then_some((score, c.learning))
        })
        .collect();
    scored.sort_by(|(a, l), (b, m)| b.total_cmp(a).then_with(|| (m.hit_count, m.created, &m.id).cmp(&(l.hit_count, l.created, &l.id))));
    let mut kept: Vec<(Words, FeatureLearning)> = Vec::new();
    for (_, learning) in scored {
        let words = Words::of(&learning.text);
        if !kept.iter().any(|(other, _)| words.relation(other) == Relation::Duplicate) {
            kept.push((words, learning));
        }
    }
    kept.into_iter().map(|(_, learning)| learning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::learning;
    use ralph_core::learning::LearningSource;

    fn candidate(id: &str, text: &str, source: LearningSource, weight: f64) -> Candidate {
        Candidate { learning: FeatureLearning { source, ..learning(id, text) }, weight }
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
    fn another_feature_s_learning_is_told_only_where_it_names_the_same_thing() {
        let words = candidate("words", "A refund retry needs a fresh key", LearningSource::Human, OTHER_WEIGHT);
        let file = candidate("file", "src/refund.rs is generated, so change its template", LearningSource::Human, OTHER_WEIGHT);
        assert_eq!(order("refund retry with a fresh key in src/refund.rs", vec![words, file]), ["file"]);
    }

    #[test]
    fn of_near_duplicates_only_the_best_is_told() {
        let own = candidate("own", "Refund retry uses the provider clock", LearningSource::Agent, 1.0);
        let same = candidate("same", "refund retry uses the provider clock.", LearningSource::Agent, PARENT_WEIGHT);
        assert_eq!(order("refund retry", vec![same, own]), ["own"]);
    }

    #[test]
    fn keywords_are_the_exact_words_first_then_the_longest() {
        assert_eq!(
            keywords("Fix the retry in src/refund.rs for idempotency"),
            ["src/refund.rs", "idempotency", "retry", "fix", "for", "the"]
        );
    }

    #[test]
    fn of_equals_the_feature_s_own_comes_before_its_parent_s() {
        let parent = candidate("parent", "Refund retry waits for the webhook", LearningSource::Agent, PARENT_WEIGHT);
        let own = candidate("own", "Refund retry uses the provider clock", LearningSource::Agent, 1.0);
        assert_eq!(order("refund retry", vec![parent, own]), ["own", "parent"]);
    }
}
