//! Reconciliation: the relation of a new learning to a known one, by words, by calibrated similarity, and subject to the guard.

use crate::calibrate::{Calibration, MERGE, REDUNDANT, SAME_SUBJECT};
use crate::guard;
use crate::relation::Relation;
use crate::words::{FAR_JACCARD, Words};
use ralph_core::learning::FeatureLearning;
use ralph_core::quality::{HitKind, PairJudgement, PairVerdict};
use std::collections::BTreeSet;

/// Number of known learnings that a new one is compared with: the most similar ones.
pub const CANDIDATES: usize = 3;

/// The relation of `newer` to `older`, given the cosine of their vectors.
///
/// A pair with a guard hit is never a duplicate, nor is one that the rules can't read. A different path, identifier or name makes the two
/// related, whatever else differs. A newer text with more names is merged rather than only counted, so that no name is lost.
pub fn judge_pair(older: &Words, newer: &Words, cosine: f64, calibration: Calibration) -> PairJudgement {
    let similarity = calibration.similarity(cosine);
    let hits = guard::hits(older, newer);
    let same_or_merged = if newer.names_more(older) { PairVerdict::Merged } else { PairVerdict::Observed };
    let verdict = match older.relation(newer) {
        Relation::Duplicate if similarity >= SAME_SUBJECT => same_or_merged,
        // The words are similar, but the vectors are not: one important word differs.
        Relation::Duplicate => PairVerdict::Related,
        Relation::Opposite => PairVerdict::Conflict,
        Relation::Distinct if similarity < SAME_SUBJECT => PairVerdict::Distinct,
        Relation::Distinct if hits.iter().any(|hit| hit.kind == HitKind::Other) => PairVerdict::Related,
        Relation::Distinct if !hits.is_empty() => PairVerdict::Conflict,
        Relation::Distinct if !guard::can_read(older, newer) => PairVerdict::Related,
        Relation::Distinct if similarity > REDUNDANT => same_or_merged,
        Relation::Distinct if similarity >= MERGE => PairVerdict::Merged,
        Relation::Distinct => PairVerdict::Related,
    };
    PairJudgement { verdict, cosine: rounded(cosine), similarity: rounded(similarity), hits }
}

/// The relation of two learnings if it has consequences: they say the same, nearly the same, or the opposite.
pub fn consequence(older: &Words, newer: &Words, cosine: f64, calibration: Calibration) -> Option<PairJudgement> {
    // In most pairs neither the vectors nor the words are near, and finding that out costs little.
    if calibration.similarity(cosine) < SAME_SUBJECT && older.jaccard(newer) <= FAR_JACCARD {
        return None;
    }
    let judgement = judge_pair(older, newer, cosine, calibration);
    matches!(judgement.verdict, PairVerdict::Observed | PairVerdict::Merged | PairVerdict::Conflict).then_some(judgement)
}

/// Rounded to four digits: enough to compare, and stable through JSON.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

/// The verdict that decides among several known learnings: a duplicate first, then a conflict, then the most similar one.
pub fn decisive(judged: Vec<(usize, PairJudgement)>) -> Option<(usize, PairJudgement)> {
    let rank = |verdict: PairVerdict| match verdict {
        PairVerdict::Observed => 4,
        PairVerdict::Merged => 3,
        PairVerdict::Conflict => 2,
        PairVerdict::Related => 1,
        PairVerdict::Distinct => 0,
    };
    judged.into_iter().max_by(|(_, a), (_, b)| rank(a.verdict).cmp(&rank(b.verdict)).then(a.similarity.total_cmp(&b.similarity)))
}

/// The content of the merged record: the text that names more, else the longer one, with its reason or else the other's, and the tags of
/// both. Both texts stay readable as superseded records.
pub fn merged(older: &FeatureLearning, newer: &FeatureLearning, max_tags: usize) -> (String, Option<String>, Vec<String>) {
    let (old, new) = (Words::of(&older.text), Words::of(&newer.text));
    let newer_says_more = match (new.names_more(&old), old.names_more(&new)) {
        (true, false) => true,
        (false, true) => false,
        _ => newer.text.chars().count() > older.text.chars().count(),
    };
    let (lead, other) = if newer_says_more { (newer, older) } else { (older, newer) };
    let mut seen = BTreeSet::new();
    let tags = lead.tags.iter().chain(&other.tags).filter(|tag| seen.insert(tag.to_lowercase())).take(max_tags).cloned().collect();
    (lead.text.clone(), lead.reason.clone().or_else(|| other.reason.clone()), tags)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::learning;

    fn verdict(older: &str, newer: &str, similarity: f64) -> PairVerdict {
        // The cosine with this similarity, by bisection: similarity is increasing.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if Calibration::MINI_LM.similarity(middle) < similarity { low = middle } else { high = middle }
        }
        judge_pair(&Words::of(older), &Words::of(newer), high, Calibration::MINI_LM).verdict
    }

    #[test]
    fn the_ruled_thresholds_hold_where_the_guard_is_silent() {
        let (a, b) = ("Seed the database before the integration suite", "Integration suites want a filled database");
        for (similarity, expected) in [
            (0.95, PairVerdict::Observed),
            (0.921, PairVerdict::Observed),
            (0.919, PairVerdict::Merged),
            (0.881, PairVerdict::Merged),
            (0.879, PairVerdict::Related),
            (0.751, PairVerdict::Related),
            (0.749, PairVerdict::Distinct),
            (0.1, PairVerdict::Distinct),
        ] {
            assert_eq!(verdict(a, b, similarity), expected, "{similarity}");
        }
    }

    #[test]
    fn a_guard_hit_is_never_a_duplicate_whatever_the_similarity() {
        for (a, b, expected) in [
            ("Retry the upload three times", "The upload is tried again 5 times", PairVerdict::Conflict),
            ("Use pnpm, never npm", "Use npm, never pnpm", PairVerdict::Conflict),
            ("Never deploy the ledger on Fridays", "Deploy the ledger on Fridays (Иван)", PairVerdict::Conflict),
            ("Open the file inside the lock", "Outside the lock the file is opened", PairVerdict::Conflict),
            ("Payments settle at night", "Payments settle at night unless disputed", PairVerdict::Related),
            ("Settings come from config.ts after 3 tries", "Settings come from settings.ts after 5 tries", PairVerdict::Related),
        ] {
            assert_eq!(verdict(a, b, 0.99), expected, "{a} | {b}");
        }
    }

    #[test]
    fn siblings_that_a_number_or_an_opposite_tells_apart_are_related() {
        for (a, b) in [
            ("Exit code 2 means wrong usage", "Exit code 3 means a stalled run"),
            ("Step 1 builds the image", "Step 2 pushes the image"),
            ("Migration 12 adds the email column", "Migration 15 drops the email column"),
            ("Version 1 of the API is frozen", "Version 2 of the API is not frozen"),
            ("Lock the row before the update", "Unlock the row after the update"),
            ("The first call opens the socket", "The last call closes the socket"),
            ("For small files use memory", "For large files use disk"),
            ("The API returns 409 when a slug is taken", "The API returns 422 when a slug is invalid"),
            ("The free tier allows 100 requests", "The paid tier allows 5000 requests"),
        ] {
            assert_eq!(verdict(a, b, 0.95), PairVerdict::Related, "{a} | {b}");
        }
        for (a, b) in [
            ("The service listens on port 8080", "The service listens on port 9090"),
            ("The job needs Node 18", "The job needs Node 20"),
            ("Retry a refund 3 times", "Retry a refund 5 times"),
            ("Keep the index near the rows", "Keep the index far from the rows"),
            ("Session cookies expire after 30 minutes", "Session cookies expire after 2 hours"),
            ("Backups are kept for 10 days", "Backups are kept for 3 weeks"),
            ("Set `strict` to `true` in tsconfig.json", "Set `strict` to `false` in tsconfig.json"),
            ("`cache.enabled = on` is the default", "`cache.enabled = off` is the default"),
            ("Set `DEBUG=1` in staging", "Set `DEBUG=0` in staging"),
            ("Set use_tls to True in settings.py", "Set use_tls to False in settings.py"),
        ] {
            assert_eq!(verdict(a, b, 0.95), PairVerdict::Conflict, "{a} | {b}");
        }
    }

    #[test]
    fn alike_words_alone_make_no_duplicate() {
        let (a, b) = ("Refunds are sent to the provider at night", "Refunds are always sent to the provider at night");
        assert_eq!(verdict(a, a, 0.99), PairVerdict::Observed);
        assert_eq!(Words::of(a).relation(&Words::of(b)), Relation::Duplicate);
        assert_eq!(verdict(a, b, 0.74), PairVerdict::Related);
    }

    #[test]
    fn what_names_more_than_the_older_one_is_merged_not_only_counted() {
        let (short, long) = ("The server reads its settings at start", "The server reads its settings at start from config.ts");
        assert_eq!(verdict(short, long, 0.97), PairVerdict::Merged);
        assert_eq!(verdict(long, short, 0.97), PairVerdict::Observed);
        let (older, newer) = (learning("A", short), FeatureLearning { tags: vec!["Server".into()], ..learning("B", long) });
        assert_eq!(merged(&older, &newer, 12), (long.to_owned(), None, vec!["Server".to_owned()]));
        assert_eq!(merged(&newer, &older, 12).0, long);
    }

    #[test]
    fn a_duplicate_decides_before_a_conflict_and_a_conflict_before_what_is_only_near() {
        let judged = |verdict, similarity| PairJudgement { verdict, cosine: 0.0, similarity, hits: vec![] };
        let all =
            vec![(0, judged(PairVerdict::Related, 0.9)), (1, judged(PairVerdict::Conflict, 0.95)), (2, judged(PairVerdict::Merged, 0.89))];
        assert_eq!(decisive(all).map(|(at, _)| at), Some(2));
        assert_eq!(decisive(vec![]), None);
    }
}
