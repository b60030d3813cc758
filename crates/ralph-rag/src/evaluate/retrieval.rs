//! Quality of answers: by selections and by labels.

use super::orders::mrr;
use ralph_core::evaluation::{Label, LabelSource, QueryRecord, Retrieval, RetrievalWeek, SelectionRecord};
use ralph_core::feedback::{SelectionSource, source_of};
use ralph_core::limits;
use ralph_core::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Milliseconds of a week.
const WEEK: i64 = 7 * 86_400_000;

/// Relevant memories by question id. A person's label overrides everything else; then selections that stand; a judge's label only if it
/// counts.
#[derive(Debug, Clone, Default)]
pub struct Truth(BTreeMap<String, BTreeSet<String>>);

impl Truth {
    /// The ground truth from selections and labels.
    pub fn of(selections: &[SelectionRecord], labels: &[Label], judge_counts: bool) -> Truth {
        let mut truth: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for selection in standing(selections) {
            if let Some(query) = &selection.query {
                truth.entry(query.clone()).or_default().insert(selection.memory.clone());
            }
        }
        let trusted = |label: &&Label| match label.by {
            LabelSource::Person => true,
            LabelSource::Judge => judge_counts,
            LabelSource::Synthetic | LabelSource::Selection => false,
        };
        // The judge first, so that a person's label overrides it.
        let mut labels: Vec<&Label> = labels.iter().filter(trusted).collect();
        labels.sort_by_key(|label| label.by == LabelSource::Person);
        for label in labels {
            let relevant = truth.entry(label.query.clone()).or_default();
            if label.relevant {
                relevant.insert(label.memory.clone());
            } else {
                relevant.remove(&label.memory);
            }
        }
        truth.retain(|_, relevant| !relevant.is_empty());
        Truth(truth)
    }

    /// Memories that answer a question; `None` if unknown.
    pub fn on(&self, query: &str) -> Option<&BTreeSet<String>> {
        self.0.get(query)
    }
}

/// The memories of an answer, in order.
pub fn order(query: &QueryRecord) -> Vec<&str> {
    let mut placed: Vec<(u32, &str)> = query.results.iter().filter_map(|r| Some((r.rank?, r.memory.as_str()))).collect();
    placed.sort_unstable();
    placed.into_iter().map(|(_, memory)| memory).collect()
}

/// Retrieval over some questions.
pub fn retrieval<'q>(queries: impl IntoIterator<Item = &'q QueryRecord>, truth: &Truth, selections: &[SelectionRecord]) -> Retrieval {
    let mut ids = BTreeSet::new();
    let (mut reciprocal, mut hits) = (Vec::new(), Vec::new());
    for query in queries {
        ids.insert(query.id.as_str());
        let Some(relevant) = truth.on(&query.id) else { continue };
        let order = order(query);
        reciprocal.push(mrr(&order, |memory| relevant.contains(*memory)));
        hits.push(if order.iter().take(10).any(|memory| relevant.contains(*memory)) { 1.0 } else { 0.0 });
    }
    let chosen = chosen(selections).into_iter().filter(|s| s.query.as_deref().is_some_and(|query| ids.contains(query)));
    let ranks: Vec<f64> = chosen.filter_map(|s| s.rank).map(f64::from).collect();
    Retrieval {
        queries: u32::try_from(ids.len()).unwrap_or(u32::MAX),
        judged: u32::try_from(reciprocal.len()).unwrap_or(u32::MAX),
        mrr_5: mean(&reciprocal),
        hit_10: mean(&hits),
        selection_rank: mean(&ranks),
    }
}

/// The selections that stand, in the order in which they were made: a refusal takes back its maker's own for the same question, and those
/// of weaker sources. The success of an attempt selects nothing.
pub(crate) fn standing(selections: &[SelectionRecord]) -> Vec<&SelectionRecord> {
    let mut of: BTreeMap<(&Option<String>, &String), Vec<usize>> = BTreeMap::new();
    for (at, selection) in selections.iter().enumerate().filter(|(_, selection)| is_heard(selection)) {
        let behind = of.entry((&selection.query, &selection.memory)).or_default();
        if selection.weight >= limits::SELECTION_WEIGHT {
            behind.push(at);
        } else if selection.weight < 0.0 {
            // Opened, and then said not to help. A person outranks an agent, and an agent the loop.
            let by = selection.by.as_str();
            let is_weaker = |other: &str| source_of(other) > source_of(by);
            behind.retain(|at| selections[*at].by != by && !is_weaker(&selections[*at].by));
        }
    }
    let left: BTreeSet<usize> = of.into_values().flatten().collect();
    left.into_iter().map(|at| &selections[at]).collect()
}

/// What somebody chose and did not take back, each memory once per question: saying the same sixty times counts once.
pub fn chosen(selections: &[SelectionRecord]) -> Vec<&SelectionRecord> {
    let mut seen = BTreeSet::new();
    standing(selections).into_iter().filter(|s| seen.insert((&s.query, &s.memory))).collect()
}

/// The same by week, oldest first.
pub fn by_week(queries: &[QueryRecord], truth: &Truth, selections: &[SelectionRecord]) -> Vec<RetrievalWeek> {
    let mut weeks: BTreeMap<i64, Vec<&QueryRecord>> = BTreeMap::new();
    for query in queries {
        weeks.entry(week_of(query.at)).or_default().push(query);
    }
    let week =
        |(week, of): (i64, Vec<&QueryRecord>)| RetrievalWeek { from: Timestamp(week * WEEK), retrieval: retrieval(of, truth, selections) };
    weeks.into_iter().map(week).collect()
}

/// Number of a time's week since the epoch.
pub fn week_of(at: Timestamp) -> i64 {
    at.0.div_euclid(WEEK)
}

/// The mean of each question's values, by its words: asking the same thirty times is one question, however often it is answered.
pub fn by_words<'q>(values: impl IntoIterator<Item = (&'q str, f64)>) -> Vec<f64> {
    let mut of: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (words, value) in values {
        of.entry(words).or_default().push(value);
    }
    of.values().filter_map(|values| mean(values)).collect()
}

/// Whether a selection counts. What an agent says too often, or about too much, was refused when it said it.
fn is_heard(selection: &SelectionRecord) -> bool {
    selection.counted || source_of(&selection.by) != SelectionSource::Agent
}

/// The mean; `None` for no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    #[allow(clippy::cast_precision_loss, reason = "some ten thousand questions")]
    let mean = || values.iter().sum::<f64>() / values.len() as f64;
    (!values.is_empty()).then(mean)
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use ralph_core::evaluation::{Arm, ResultRecord};
    use ralph_core::feedback::SelectionKind;
    use ralph_core::recall::{Channel, ChannelScore, MemoryKind, RecallOrigin};

    /// A memory, and the contribution of each channel that found it.
    type Answer<'a> = (&'a str, &'a [(Channel, f64)]);

    /// A question with answers, each with the channels that found it.
    pub fn query(id: &str, at: i64, answers: &[Answer<'_>]) -> QueryRecord {
        let result = |(place, (memory, channels)): (usize, &Answer<'_>)| ResultRecord {
            kind: MemoryKind::Learning,
            memory: (*memory).to_owned(),
            rank: Some(place as u32 + 1),
            other_rank: None,
            score: channels.iter().map(|(_, part)| part).sum(),
            channels: channels
                .iter()
                .map(|(channel, contribution)| ChannelScore { channel: *channel, rank: 1, raw: 1.0, contribution: *contribution })
                .collect(),
            terms: Vec::new(),
            shown: true,
        };
        QueryRecord {
            id: id.to_owned(),
            at: Timestamp(at),
            origin: RecallOrigin::Cli,
            text: "a question".to_owned(),
            feature: None,
            iteration: None,
            configuration: "c".to_owned(),
            arm: Arm::Plain,
            drawn: false,
            micros: 1,
            results: answers.iter().enumerate().map(result).collect(),
        }
    }

    /// A selection of a memory.
    pub fn selection(query: &str, memory: &str, rank: u32) -> SelectionRecord {
        SelectionRecord {
            id: format!("{query}{memory}"),
            at: Timestamp(0),
            query: Some(query.to_owned()),
            memory: memory.to_owned(),
            kind: SelectionKind::Useful,
            weight: 1.0,
            by: "person".to_owned(),
            rank: Some(rank),
            channels: Vec::new(),
            counted: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{query, selection};
    use super::*;

    #[test]
    fn a_person_has_the_last_word_and_an_unproven_judge_none() {
        let label = |memory: &str, by, relevant| Label { query: "Q1".into(), memory: memory.into(), by, relevant, at: Timestamp(0) };
        let labels = [label("a", LabelSource::Person, false), label("b", LabelSource::Judge, true), label("a", LabelSource::Judge, true)];
        assert!(Truth::of(&[], &labels, false).on("Q1").is_none());
        let of = |counts| Truth::of(&[selection("Q1", "c", 3)], &labels, counts).on("Q1").cloned().unwrap_or_default();
        assert_eq!(of(false), BTreeSet::from(["c".to_owned()]));
        assert_eq!(of(true), BTreeSet::from(["b".to_owned(), "c".to_owned()]));
    }

    #[test]
    fn what_was_opened_and_then_refused_answers_nothing_and_a_flood_counts_once() {
        let of = |weight: f64| SelectionRecord { weight, ..selection("Q1", "a", 4) };
        assert!(Truth::of(&[of(0.3), of(-1.0)], &[], false).on("Q1").is_none());
        assert!(chosen(&[of(0.3), of(-1.0)]).is_empty() && chosen(&[of(-1.0), of(1.0)]).len() == 1, "nor was it chosen");
        assert!(Truth::of(&[of(-1.0), of(1.0)], &[], false).on("Q1").is_some(), "the last word counts");
        assert!(Truth::of(&[of(0.1)], &[], false).on("Q1").is_none(), "a success has many causes");
        assert!(chosen(&[of(0.1)]).is_empty(), "nor did anybody choose what it was told");
        let flood: Vec<SelectionRecord> = (0..60).map(|_| of(1.0)).chain([selection("Q1", "b", 1)]).collect();
        let queries = [query("Q1", 0, &[("b", &[])])];
        assert_eq!(retrieval(&queries, &Truth::default(), &flood).selection_rank, Some(2.5));
    }

    #[test]
    fn an_agent_takes_back_its_own_word_and_no_person_s() {
        let said = |by: &str, weight| SelectionRecord { weight, by: by.to_owned(), ..selection("Q1", "a", 4) };
        for (words, answers) in [
            (vec![said("person", 1.0), said("agent:7@R", -1.0)], true),
            (vec![said("agent:7@R", 0.7), said("agent:8@R", -1.0)], true),
            (vec![said("agent:7@R", 0.7), said("agent:7@R", -1.0)], false),
            (vec![said("agent:7@R", 0.7), said("person", -1.0)], false),
            (vec![said("person", 0.3), said("agent:7@R", 0.7), said("person", -1.0)], false),
        ] {
            assert_eq!(Truth::of(&words, &[], false).on("Q1").is_some(), answers, "{words:?}");
        }
    }

    #[test]
    fn what_an_agent_was_refused_answers_nothing() {
        let said = |by: &str, counted| SelectionRecord { by: by.to_owned(), counted, ..selection("Q1", "a", 4) };
        for (word, heard) in [
            (said("agent:7@R", false), false),
            (said("agent:7@R", true), true),
            // A person's repetition, and what they open, adds nothing to the learning but still shows what answers the question.
            (said("person", false), true),
        ] {
            let words = [word];
            assert_eq!((Truth::of(&words, &[], false).on("Q1").is_some(), chosen(&words).len()), (heard, usize::from(heard)), "{words:?}");
        }
    }

    #[test]
    fn retrieval_counts_what_it_knows_and_says_how_much_that_is() {
        let answers: [(&str, &[_]); 2] = [("a", &[]), ("b", &[])];
        let queries = [query("Q1", 0, &answers), query("Q2", WEEK, &answers), query("Q3", WEEK, &answers)];
        let selections = [selection("Q1", "b", 2), selection("Q2", "a", 1)];
        let truth = Truth::of(&selections, &[], false);
        let all = retrieval(&queries, &truth, &selections);
        assert_eq!((all.queries, all.judged, all.mrr_5, all.hit_10, all.selection_rank), (3, 2, Some(0.75), Some(1.0), Some(1.5)));
        let weeks = by_week(&queries, &truth, &selections);
        assert_eq!(weeks.iter().map(|w| w.retrieval.mrr_5).collect::<Vec<_>>(), [Some(0.5), Some(1.0)]);
        assert_eq!(retrieval(&[], &truth, &selections), Retrieval::default());
    }
}
