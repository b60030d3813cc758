//! What each channel is asked, and where: in the index if it has lists, else in the store's full-text tables.

use super::beside::{AT_ONCE, beside};
use super::fusion::ChannelHits;
use super::index::Index;
use super::matches::Matches;
use super::question::Question;
use ralph_core::recall::TextIndex;

/// What a text channel asks: passages with any of the phrases, and a bonus for the question's subject.
#[derive(Debug, Clone, Copy)]
pub struct TextQuery<'q> {
    /// What is searched.
    pub index: TextIndex,
    /// A passage with any of them is found.
    pub phrases: &'q [String],
    /// Adds to the score of what was found.
    pub subject: &'q [String],
}

/// What each text channel asks; `None` = the question has nothing for it.
struct TextQueries<'q> {
    lexical: Option<TextQuery<'q>>,
    trigram: Option<TextQuery<'q>>,
    trigger: Option<TextQuery<'q>>,
    path: Option<TextQuery<'q>>,
}

impl Question {
    fn queries(&self) -> TextQueries<'_> {
        let alone = |index, phrases| Some(TextQuery { index, phrases, subject: &[] }).filter(|query| !query.phrases.is_empty());
        TextQueries {
            lexical: Some(TextQuery { index: TextIndex::Words, phrases: &self.phrases, subject: &self.subject.phrases }),
            trigram: Some(TextQuery { index: TextIndex::Trigrams, phrases: &self.fragments, subject: &self.subject.fragments }),
            trigger: alone(TextIndex::Terms, &self.triggers),
            path: alone(TextIndex::Words, &self.paths),
        }
    }
}

/// Asks every channel; where the index has no lists, the text channels by `search`.
///
/// # Errors
/// Those of `search`.
pub fn channel_hits<E>(
    index: &Index,
    question: &Question,
    vector: Option<&[f32]>,
    search: impl Fn(TextQuery<'_>) -> Result<Matches, E>,
) -> Result<ChannelHits, E> {
    if index.knows_words() && index.passages() >= AT_ONCE {
        return Ok(at_once(index, question, vector));
    }
    let of = |query: TextQuery<'_>| index.search(query.index, query.phrases, query.subject).map_or_else(|| search(query), Ok);
    let search = |query: Option<TextQuery<'_>>| query.map(of).transpose();
    let TextQueries { lexical, trigram, trigger, path } = question.queries();
    let (lexical, trigram, trigger, path) = (search(lexical)?, search(trigram)?, search(trigger)?, search(path)?);
    let vector = vector.and_then(|vector| index.near(vector));
    Ok(ChannelHits { lexical, trigram, trigger, path, vector, names_alone: question.names_alone })
}

/// The same by the index alone, words and fragments on threads of their own.
fn at_once(index: &Index, question: &Question, vector: Option<&[f32]>) -> ChannelHits {
    let search = |query: Option<TextQuery<'_>>| query.and_then(|query| index.search(query.index, query.phrases, query.subject));
    let TextQueries { lexical, trigram, trigger, path } = question.queries();
    std::thread::scope(|threads| {
        let trigram = beside(threads, || search(trigram));
        let words = beside(threads, || [lexical, trigger, path].map(search));
        let vector = vector.and_then(|vector| index.near(vector));
        let [lexical, trigger, path] = words();
        ChannelHits { lexical, trigram: trigram(), trigger, path, vector, names_alone: question.names_alone }
    })
}

#[cfg(test)]
mod tests {
    use super::super::index::Passage;
    use super::*;
    use ralph_core::recall::{MemoryKind, Tuning};

    #[test]
    fn asked_at_once_the_channels_find_what_they_find_in_turn() {
        let texts = ["Refunds retry twice", "the ledger of src/payments/refund_table.rs", "nothing of it", "webhooks retry"];
        let passage = |row: i64| Passage {
            row,
            memory: (MemoryKind::Learning, row),
            feature: Some(1),
            active: true,
            series: None,
            created: row,
            names_a_file: false,
            protected: false,
            feedback: None,
            vector: Some(vec![0.6, 0.8]),
            words: None,
        };
        let mut index = Index::build((0..4).map(passage));
        let question =
            Question::of("Why do refunds retry? See src/payments/refund_table.rs", &Tuning { trigger: 0.1, ..Tuning::default() });
        let by_tables = |index: &Index| {
            channel_hits(index, &question, None, |query| Ok::<_, String>(Matches::new([(query.phrases.len() as u32, 1.0)].into_iter())))
        };
        assert!(
            by_tables(&index).is_ok_and(|found| found.lexical.is_some_and(|found| found.len() == 1)),
            "without lists the tables are asked"
        );

        let mut lists = index.lists();
        (0..).zip(texts).for_each(|(row, text)| lists.add(row, text, text));
        lists.end();
        let asked = Some(&[1.0, 0.0][..]);
        let in_turn = channel_hits(&index, &question, asked, |_| Err::<Matches, _>("the tables are not asked")).unwrap();
        let at_once = at_once(&index, &question, asked);
        let of_text = |found: &ChannelHits| [&found.lexical, &found.trigram, &found.trigger, &found.path].map(Clone::clone);
        assert!(of_text(&in_turn).iter().flatten().all(|found| found.len() > 0));
        assert_eq!(of_text(&in_turn), of_text(&at_once));
        let cosines = |found: &ChannelHits| found.vector.as_ref().and_then(|near| near.all().map(<[f32]>::to_vec));
        assert_eq!(cosines(&in_turn), cosines(&at_once));
    }
}
