//! The rows behind a figure, by the same rules as the figure, so that their number is the one it says.

use super::cycles::cycles;
use super::orders::{FIRST, mrr};
use super::retrieval::{Truth, chosen, order, week_of};
use ralph_core::evaluation::{Arm, QueryRecord, QuestionFilter, QuestionRow, ResultRecord, SelectionRecord, ShadowRecord};
use ralph_core::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Everything rows are taken from.
pub struct Recorded<'h> {
    /// Questions in the order they were recorded.
    pub queries: &'h [QueryRecord],
    /// Selections.
    pub selections: &'h [SelectionRecord],
    /// Comparisons with alternatives.
    pub comparisons: &'h [ShadowRecord],
    /// What answers which question.
    pub truth: &'h Truth,
    /// Ids of the questions that confirm the learned term of the filter.
    pub confirming: &'h BTreeSet<&'h str>,
}

/// The rows of a figure, newest first.
pub fn rows(of: &Recorded<'_>, filter: &QuestionFilter) -> Vec<QuestionRow> {
    let in_cycle = filter.cycle.map(|number| ids_of_cycle(of.queries, number));
    let compared: BTreeMap<&str, &ShadowRecord> =
        of.comparisons.iter().filter(|c| filter.alternative.as_ref() == Some(&c.other)).map(|c| (c.query.as_str(), c)).collect();
    let by_query = chosen(of.selections).into_iter().fold(BTreeMap::<&str, Vec<&SelectionRecord>>::new(), |mut all, selection| {
        if let Some(query) = &selection.query {
            all.entry(query).or_default().push(selection);
        }
        all
    });
    let mut rows = Vec::new();
    for query in of.queries.iter().rev() {
        let wanted = filter.week.is_none_or(|week| week_of(week) == week_of(query.at))
            && in_cycle.as_ref().is_none_or(|ids| ids.contains(query.id.as_str()))
            && (!filter.judged || of.truth.on(&query.id).is_some())
            && filter.alternative.as_ref().is_none_or(|_| compared.contains_key(query.id.as_str()))
            && filter.arm.is_none_or(|arm| query.drawn && query.arm == arm && query.results.iter().any(|r| r.other_rank.is_some()));
        if !wanted {
            continue;
        }
        let row = row(query, of.truth, compared.get(query.id.as_str()).copied());
        if filter.chosen && filter.term.is_some() {
            let results = query.results.iter().filter(|result| filter.learning.as_ref().is_some_and(|id| *id == result.memory));
            let confirmed = results.take(1).filter(|_| of.confirming.contains(query.id.as_str()));
            rows.extend(confirmed.map(|result| of_result(&row, result)));
        } else if filter.chosen {
            let selected = by_query.get(query.id.as_str()).into_iter().flatten();
            let fits = |s: &&&SelectionRecord| {
                filter.channel.is_none_or(|channel| s.channels.contains(&channel))
                    && filter.learning.as_ref().is_none_or(|id| *id == s.memory)
            };
            rows.extend(selected.filter(fits).map(|s| QuestionRow {
                memory: Some(s.memory.clone()),
                rank: s.rank,
                channels: s.channels.clone(),
                ..row.clone()
            }));
        } else if filter.channel.is_some() || filter.learning.is_some() {
            let results = query.results.iter().filter(|result| is_counted(query, result, filter));
            rows.extend(results.map(|result| of_result(&row, result)));
        } else {
            rows.push(row);
        }
    }
    rows
}

/// The first `limit` rows beyond those of the question `before`, and their last question if there are more; `None` if `before` has no row.
/// The rows of a question stay together.
pub fn page(mut rows: Vec<QuestionRow>, before: Option<&str>, limit: usize) -> Option<(Vec<QuestionRow>, Option<String>)> {
    if let Some(before) = before {
        let last = rows.iter().rposition(|row| row.query == before)?;
        rows.drain(..=last);
    }
    let mut next = None;
    if let Some(cut) = rows.get(limit).map(|row| row.query.clone()) {
        let whole = rows[..limit].iter().rposition(|row| row.query != cut).map_or(limit, |at| at + 1);
        rows.truncate(whole);
        next = rows.last().map(|row| row.query.clone());
    }
    Some((rows, next))
}

/// The row of a question for one of its results.
fn of_result(row: &QuestionRow, result: &ResultRecord) -> QuestionRow {
    QuestionRow { memory: Some(result.memory.clone()), rank: result.rank, channels: channels_of(result), ..row.clone() }
}

/// Whether a figure of results counts this one.
fn is_counted(query: &QueryRecord, result: &ResultRecord, filter: &QuestionFilter) -> bool {
    let found = channels_of(result);
    let among_first = |rank: Option<u32>| rank.is_some_and(|rank| rank as usize <= FIRST);
    let by_channel = filter
        .channel
        .is_none_or(|channel| among_first(result.rank) && found.contains(&channel) && (!filter.alone || result.is_found_only_by(channel)));
    let by_term = filter.term.as_ref().is_none_or(|term| {
        let (with, without) = match query.arm {
            Arm::Plain => (result.other_rank, result.rank),
            Arm::Learned => (result.rank, result.other_rank),
        };
        result.terms.contains(term) && among_first(with) && !among_first(without)
    });
    by_channel && by_term && filter.learning.as_ref().is_none_or(|id| *id == result.memory)
}

fn channels_of(result: &ResultRecord) -> Vec<ralph_core::recall::Channel> {
    result.channels.iter().map(|score| score.channel).collect()
}

/// A question's own row, with the first result that answers it.
fn row(query: &QueryRecord, truth: &Truth, compared: Option<&ShadowRecord>) -> QuestionRow {
    let relevant = truth.on(&query.id);
    let answering = relevant.and_then(|relevant| query.results.iter().find(|r| r.rank.is_some() && relevant.contains(&r.memory)));
    let own = relevant.map(|relevant| mrr(&order(query), |memory| relevant.contains(*memory)));
    QuestionRow {
        query: query.id.clone(),
        at: query.at,
        origin: query.origin,
        text: query.text.clone(),
        iteration: query.iteration,
        arm: query.arm,
        results: u32::try_from(query.results.iter().filter(|result| result.rank.is_some()).count()).unwrap_or(u32::MAX),
        memory: answering.map(|result| result.memory.clone()),
        memory_text: None,
        rank: answering.and_then(|result| result.rank),
        channels: answering.map(channels_of).unwrap_or_default(),
        // An alternative is shown beside what the same replay measured for the configuration in force.
        mrr_5: compared.map_or(own, |compared| compared.live_mrr),
        other_mrr_5: compared.and_then(|compared| compared.other_mrr),
    }
}

/// The questions of a cycle, by the times that it counts.
fn ids_of_cycle(queries: &[QueryRecord], number: u32) -> BTreeSet<&str> {
    let times: Vec<Timestamp> = queries.iter().map(|query| query.at).collect();
    let places = crate::recorded::places(&times);
    let counted: Vec<&QueryRecord> = queries.iter().zip(places).filter_map(|(query, place)| place.map(|_| query)).collect();
    let (mut start, mut ids) = (0, BTreeSet::new());
    for cycle in cycles(&times) {
        let end = (start + cycle.queries as usize).min(counted.len());
        if cycle.number == number {
            ids.extend(counted[start..end].iter().map(|query| query.id.as_str()));
        }
        start = end;
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::super::channels::channels;
    use super::super::retrieval::testing::{query, selection};
    use super::*;
    use ralph_core::recall::Channel;

    const DAY: i64 = 86_400_000;

    #[test]
    fn a_figure_has_as_many_rows_as_it_says() {
        let queries = [
            query("Q1", 0, &[("a", &[(Channel::Lexical, 0.6), (Channel::Vector, 0.3)]), ("b", &[(Channel::Vector, 0.5)])]),
            query("Q2", 8 * DAY, &[("c", &[(Channel::Vector, 0.5)])]),
        ];
        let of_vectors = |id: &str, memory: &str| SelectionRecord { channels: vec![Channel::Vector], ..selection(id, memory, 1) };
        let selections = [of_vectors("Q1", "b"), of_vectors("Q1", "b"), selection("Q2", "c", 1)];
        let truth = Truth::of(&selections, &[], false);
        let confirming = BTreeSet::from(["Q1"]);
        let of = Recorded { queries: &queries, selections: &selections, comparisons: &[], truth: &truth, confirming: &confirming };
        let of_term = QuestionFilter { chosen: true, learning: Some("b".into()), term: Some("t".into()), ..QuestionFilter::default() };
        let confirmed = rows(&of, &of_term);
        assert_eq!((confirmed.len(), confirmed[0].query.as_str(), confirmed[0].rank), (1, "Q1", Some(2)));
        let shares = channels(&queries, &selections, &truth);
        for (channel, share) in &shares {
            let filter = QuestionFilter { channel: Some(*channel), ..QuestionFilter::default() };
            let count = |filter: &QuestionFilter| rows(&of, filter).len();
            assert_eq!(count(&filter), share.found as usize, "{channel}");
            assert_eq!(count(&QuestionFilter { alone: true, ..filter.clone() }), share.exclusive as usize, "{channel}");
            assert_eq!(count(&QuestionFilter { chosen: true, ..filter }), share.selected as usize, "{channel}");
        }
        let results = rows(&of, &QuestionFilter { channel: Some(Channel::Vector), ..QuestionFilter::default() });
        let pages = |before, limit| {
            let (rows, next) = page(results.clone(), before, limit).expect("is a row");
            (rows.into_iter().map(|row| row.query).collect::<Vec<_>>().join(" "), next)
        };
        assert_eq!(pages(None, 2), ("Q2".to_owned(), Some("Q2".to_owned())), "the rows of a question stay together");
        assert_eq!((pages(Some("Q2"), 2), pages(None, 3)), (("Q1 Q1".to_owned(), None), ("Q2 Q1 Q1".to_owned(), None)));
        assert_eq!(page(results.clone(), Some("Q3"), 2), None);
        let week = QuestionFilter { week: Some(Timestamp(7 * DAY)), ..QuestionFilter::default() };
        let found = rows(&of, &week);
        assert_eq!((found.len(), found[0].query.as_str(), found[0].memory.as_deref(), found[0].mrr_5), (1, "Q2", Some("c"), Some(1.0)));
        assert_eq!(rows(&of, &QuestionFilter { cycle: Some(1), ..QuestionFilter::default() }).len(), 2);
        assert_eq!(rows(&of, &QuestionFilter { cycle: Some(2), ..QuestionFilter::default() }), vec![]);
        assert_eq!(rows(&of, &QuestionFilter { judged: true, ..QuestionFilter::default() })[0].query, "Q2", "newest first");
    }
}
