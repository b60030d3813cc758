//! Contribution of learned terms to a score: the matched share of the question's words, weighted by current strength.

use super::lifetime::strength;
use ralph_core::feedback::Feedback;
use ralph_core::time::Timestamp;

/// Total strength of the question's words that are learned terms, over all its words, in 0..=1; and which they are.
pub fn matched<'f>(feedback: &'f Feedback, words: &[String], now: Timestamp) -> (f64, Vec<&'f str>) {
    let living = feedback.terms.iter().map(|term| (term, strength(term, now)));
    let hits: Vec<(&str, f64)> =
        living.filter(|(term, strength)| *strength > 0.0 && words.contains(&term.term)).map(|(term, s)| (term.term.as_str(), s)).collect();
    #[allow(clippy::cast_precision_loss, reason = "words of a question")]
    let share = hits.iter().map(|(_, strength)| strength).sum::<f64>() / words.len().max(1) as f64;
    (share.min(1.0), hits.into_iter().map(|(term, _)| term).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::feedback::LearnedTerm;
    use ralph_core::limits;

    #[test]
    fn it_is_the_share_of_the_question_that_was_learnt() {
        let term = |term: &str| LearnedTerm { term: term.into(), learnt: Timestamp(0), by: "person".into(), query: "Q".into(), rank: 4 };
        let feedback = Feedback { terms: vec![term("stripe"), term("ledger")], ..Feedback::default() };
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(matched(&feedback, &words("stripe webhook"), Timestamp(0)), (0.5, vec!["stripe"]));
        assert_eq!(matched(&feedback, &words("stripe ledger"), Timestamp(0)), (1.0, vec!["stripe", "ledger"]));
        let late = Timestamp(i64::try_from(limits::TERM_LIFE_MILLIS).expect("fits"));
        assert_eq!(matched(&feedback, &words("stripe"), late), (0.0, vec![]), "what is dead matches nothing");
        assert_eq!(matched(&feedback, &[], Timestamp(0)), (0.0, vec![]));
    }
}
