//! Recall: one search for prompts, the CLI, MCP and the screen.

pub(crate) mod asked;
pub(crate) mod described;
pub(crate) mod embedding;
pub(crate) mod fresh;
pub(crate) mod history_file;
pub mod indexer;
mod kept_index;
mod owed;
pub(crate) mod prompt_knowledge;
pub(crate) mod recorder;
mod search;
pub(crate) mod story;
pub mod texts;
pub mod tokens;
pub(crate) mod unfinished;

use crate::app::App;
use crate::cache::keep_recent;
use crate::error::{AppError, Result};
use crate::recall::asked::AnswerRecord;
use crate::rows::find_task;
use ralph_core::active_days::{ActiveDays, Day};
use ralph_core::authority::Actor;
use ralph_core::evaluation::Arm;
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::feedback::FeedbackMode;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::limits;
use ralph_core::recall::{ChannelWeight, MemoryKind, Reach, RecallOrigin, RecallQuery, RecallResponse, Tuning};
use ralph_core::settings::Settings;
use ralph_core::time::Timestamp;
use ralph_rag::clean::composed;
use ralph_rag::evaluate::visit::Sequel;
use ralph_rag::feedback::terms::words_of;
use ralph_rag::recall::{
    ChannelHits, Index, LateInteraction, Nearness, Question, RankQuery, RankedMemory, ScopeOf, TokenQuestion, asked_part, channel_hits,
    confidence, nothing_known, rank,
};
use ralph_rag::words::Words;
use search::LearnedQuestion;
use sqlite_db::Read;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};
use story::task_question;
use text_embed::Embedder;
use texts::{AskedVectors, question_of};
use tokens::KeptTokens;

/// Number of hits that decide whether anything is known, however many are asked for: as many as are shown by default.
const JUDGED: usize = limits::MCP_HITS as usize;

/// One search over a snapshot of the store.
pub struct Searcher<'a> {
    /// The snapshot.
    pub read: &'a Read<'a>,
    /// Data on every passage within reach.
    pub index: &'a Index,
    /// What is searched.
    pub reach: Reach,
    /// The model whose vectors are searched.
    pub model: &'a str,
    /// Tokens that have been read before; `None` = read them all.
    pub tokens: Option<&'a KeptTokens>,
}

impl Searcher<'_> {
    /// Runs every channel.
    pub fn channel_hits(&self, question: &Question, vector: Option<&[f32]>) -> Result<ChannelHits> {
        channel_hits(self.index, question, vector, |query| {
            let ask = |phrases: &[String]| self.read.search_passages(query.index, self.reach, phrases);
            Ok(self.index.matches(summed(ask(query.phrases)?, ask(query.subject)?)))
        })
    }

    /// Ranks memories.
    pub fn rank(
        &self,
        found: ChannelHits,
        tokens: &TokenQuestion,
        scope: &ScopeOf<'_>,
        limit: usize,
        tuning: &Tuning,
    ) -> (Vec<RankedMemory>, Vec<ChannelWeight>) {
        let near = self.late(tokens);
        let late = Some(LateInteraction { near: &near, tokens: tokens.tokens() });
        let said = |learning| self.words_of(learning);
        rank(self.index, &RankQuery { found, late, scope, limit, diverse: Some(&said), learned: None }, tuning)
    }

    /// The words of a learning; one that can't be read is not kept apart from any other.
    fn words_of(&self, learning: i64) -> Option<Words> {
        let of = self.read.learnings_by_row(&[learning]).ok()?.pop();
        of.map(|(_, learning)| Words::of(&learning.text))
    }

    /// How near texts' tokens are to a question's, by the rows of the texts.
    pub fn nearness(&self, question: &TokenQuestion, rows: &[i64]) -> Vec<Option<Nearness>> {
        self.late(question)(rows)
    }

    /// Nearness of texts' tokens to a question's. A text with unreadable token vectors counts as one without.
    fn late(&self, question: &TokenQuestion) -> impl Fn(&[i64]) -> Vec<Option<Nearness>> {
        let none = KeptTokens::default();
        let tokens = move |row: &i64| self.tokens.unwrap_or(&none).get(self.read, *row, self.model);
        move |rows| {
            if question.is_empty() { vec![None; rows.len()] } else { question.nearness(&rows.iter().map(&tokens).collect::<Vec<_>>()) }
        }
    }
}

/// Hits of the whole question, with what they gain from its subject.
fn summed(mut hits: Vec<(i64, f64)>, subject: Vec<(i64, f64)>) -> Vec<(i64, f64)> {
    if !subject.is_empty() {
        let more: BTreeMap<i64, f64> = subject.into_iter().collect();
        hits.iter_mut().for_each(|(row, score)| *score += more.get(row).copied().unwrap_or(0.0));
    }
    hits
}

/// Why a question has no vector. It takes a channel away, never the answer.
#[derive(Debug, thiserror::Error)]
enum NoVector {
    #[error("no passage has a vector yet; `ralph reconcile` makes them")]
    NoneYet,
    #[error("{}", crate::recall::embedding::WAITS)]
    Waits,
    #[error("the model gave no vector")]
    Empty,
    #[error("{0}")]
    Model(#[from] AppError),
}

/// A question ready for searching: its vector computed, the index read.
pub(crate) struct PreparedRecall {
    question: Question,
    /// The question's vector, or why there is none.
    vector: std::result::Result<Vec<f32>, NoVector>,
    /// Whether it is a task's text, which is compared with the tasks of learnings.
    pub is_story: bool,
    /// Its tokens, if the model provides them.
    tokens: TokenQuestion,
    reach: Reach,
    index: Arc<Index>,
    kept_tokens: Arc<KeptTokens>,
    /// Days on which there were commits.
    days: Arc<ActiveDays>,
    pub tuning: Tuning,
    /// The embedding model.
    pub model: String,
    pub learned: LearnedQuestion,
}

impl App {
    /// Searches knowledge. A missing channel degrades the answer, which says so.
    pub fn recall(&self, request: &RecallQuery) -> Result<RecallResponse> {
        self.look_again();
        let (text, task) = self.db.read(|r| -> Result<_> {
            let task = request.task.map(|id| find_task(r, id)).transpose()?;
            let about = task.as_ref().map(|t| task_question(r, t)).transpose()?.unwrap_or_default();
            Ok((format!("{} {about}", request.query), task))
        })?;
        if !text.chars().any(char::is_alphanumeric) {
            // Whatever is nearest to the vector of an empty question answers nothing.
            return Err(AppError::invalid("query", "there is no word in the question", "ask in words, or for a task"));
        }
        let text = composed(&text).into_owned();
        let settings = self.settings()?;
        let mut prepared = self.prepare_recall(&text, Reach::of(&request.kinds), &settings)?;
        prepared.is_story = request.task.is_some();
        let key = if request.task.is_some() { format!("task {}", request.task.unwrap_or_default()) } else { text.clone() };
        let feature = request.feature.clone().or_else(|| task.map(|t| t.feature));
        let limit = usize::try_from(request.limit).unwrap_or(usize::MAX).clamp(1, limits::RECALL_HITS);
        self.db.read(|r| {
            let features = r.features()?;
            let home = feature.as_deref().map(|name| crate::rows::find_feature(r, name)).transpose()?;
            let weights = scope_weights(&features, home.as_ref(), request.feature.is_some(), &prepared.tuning);
            let wanted =
                |kind, _, active: bool| (active || request.all_states) && (request.kinds.is_empty() || request.kinds.contains(&kind));
            let mut found = prepared.search(r, &weights, wanted, limit.max(JUDGED), prepared.learned.arm(0, &key))?;
            let confidence = confidence(found.hits.iter().take(JUDGED).map(|hit| &hit.score), found.within, prepared.tokens.says_nothing());
            [&mut found.hits, &mut found.other].into_iter().for_each(|hits| hits.truncate(limit));
            let (hits, other, terms) = prepared.in_words(r, &found, &features)?;
            let origin = if self.actor() == Actor::Human { request.origin } else { RecallOrigin::Agent };
            let sequel = self.evaluation.sequel(request, origin, self.clock.now());
            let (repeated, superseded) = match sequel {
                Some((Sequel::Again, id)) => (Some(id), None),
                Some((Sequel::Instead, id)) => (None, Some(id)),
                _ => (None, None),
            };
            let query = repeated.clone().unwrap_or_else(|| crate::clock::next_id(None, self.clock.now()));
            tracing::debug!(query, %origin, hits = hits.len(), "recall");
            let answered = AnswerRecord {
                id: query.clone(),
                origin,
                text: &text,
                feature: request.feature.as_deref(),
                arm: found.arm,
                drawn: prepared.learned.in_force,
                micros: found.micros,
                hits: &hits,
                other: &other,
                terms,
                shown: true,
                iteration: self.actor().iteration(),
            };
            if repeated.is_none() {
                self.evaluation.note(request, origin, self.clock.now(), &query);
                self.record(self.asked(answered, &settings, &prepared.model), superseded);
            }
            Ok(RecallResponse {
                query,
                origin,
                hits,
                confidence,
                nothing_known: nothing_known(confidence),
                missing: found.missing,
                weights: found.weights,
                searched: prepared.index.passages() as u32,
            })
        })
    }

    /// Learnings in one state that match a question, best first. Only that state is searched, so that no other takes a
    /// place among the first `limit`.
    pub fn matching_learnings(&self, query: &str, feature: Option<&str>, state: LearningState, limit: u32) -> Result<Vec<FeatureLearning>> {
        self.look_again();
        let prepared = self.prepare_recall(query, Reach::Knowledge, &self.settings()?)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).clamp(1, limits::RECALL_HITS);
        self.db.read(|r| {
            let features = r.features()?;
            // A list of one feature's learnings excludes those of its dependencies.
            let home = feature.map(|name| crate::rows::find_feature(r, name)).transpose()?;
            let home = home.map(|home| Feature { dependencies: Vec::new(), ..home });
            let weights = scope_weights(&features, home.as_ref(), feature.is_some(), &prepared.tuning);
            let of_state: Option<BTreeSet<i64>> = match state {
                LearningState::Active => None,
                other => Some(r.learning_rows(other)?.into_iter().collect()),
            };
            let wanted = |kind, source, active| {
                kind == MemoryKind::Learning && of_state.as_ref().map_or(active, |rows: &BTreeSet<i64>| rows.contains(&source))
            };
            let found = prepared.search(r, &weights, wanted, limit, Arm::Plain)?;
            let rows: Vec<i64> = found.hits.iter().map(|hit| hit.source).collect();
            Ok(r.learnings_by_row(&rows)?.into_iter().map(|(_, learning)| learning).collect())
        })
    }

    pub(crate) fn prepare_recall(&self, text: &str, reach: Reach, settings: &Settings) -> Result<PreparedRecall> {
        let asked = asked_part(text);
        let text = &*composed(&asked);
        let tuning = settings.recall;
        let embedder = self.embedder_of(settings)?;
        let waits = self.embedding_waits()?;
        let asked = || self.asked_vectors(&embedder, text);
        let starts = !waits && self.index_is_new(reach) && self.db.read(|r| r.has_vectors(embedder.id()))?;
        // A process that asks once loads the model while it reads the index: each takes as long as the other.
        let (index, early) = if starts {
            std::thread::scope(|scope| {
                let early = scope.spawn(asked);
                (self.index(reach, embedder.id()), early.join().ok())
            })
        } else {
            (self.index(reach, embedder.id()), None)
        };
        let mut question = Question::of(text, &tuning);
        question.names_alone |= question.spelt && embedder.gives_tokens();
        // Asked again, the index learns its words.
        let learns = |index: &Index| question.needs_lists() && !index.knows_words();
        let (index, kept_tokens) = index.and_then(|known| if learns(&known.0) { self.index(reach, embedder.id()) } else { Ok(known) })?;
        let made = if waits {
            Err(NoVector::Waits)
        } else if let Err(mistake) = embedder.is_as_named() {
            Err(NoVector::Model(mistake.into()))
        } else if index.with_vector() == 0 {
            Err(NoVector::NoneYet)
        } else {
            early.unwrap_or_else(asked)
        };
        let (vector, tokens) = match made {
            Ok((vector, tokens)) => (Ok(vector), tokens),
            Err(reason) => (Err(reason), TokenQuestion::default()),
        };
        Ok(PreparedRecall {
            question,
            vector,
            is_story: false,
            tokens,
            reach,
            index,
            kept_tokens,
            days: self.commit_days(),
            tuning,
            model: embedder.id().to_owned(),
            learned: LearnedQuestion {
                words: if settings.feedback == FeedbackMode::Off { Vec::new() } else { words_of(text) },
                counts: settings.feedback != FeedbackMode::Off,
                in_force: self.terms_count(settings),
                now: self.clock.now(),
            },
        })
    }

    /// A question's vectors, from the cache if it was asked recently.
    fn asked_vectors(&self, embedder: &Embedder, text: &str) -> std::result::Result<AskedVectors, NoVector> {
        let key = (embedder.id().to_owned(), text.to_owned());
        let made = keep_recent(&self.questions, limits::QUESTIONS_KEPT, key, || question_of(embedder, text))?;
        (*made).clone().ok_or(NoVector::Empty)
    }

    /// Version of the index's input: the passages, and the model of their vectors.
    pub(crate) fn passages_version(&self) -> Result<(i64, String)> {
        Ok((self.db.read(|r| r.passages_version())?, self.embedder()?.id().to_owned()))
    }

    /// Days with commits; none without git. Read at most once in ten minutes: one more day changes little.
    pub(crate) fn commit_days(&self) -> Arc<ActiveDays> {
        const KEPT_MILLIS: u64 = 600_000;
        let now = self.clock.now();
        let mut kept = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((read_at, days)) = kept.as_ref()
            && now.millis_since(*read_at) < KEPT_MILLIS
        {
            return Arc::clone(days);
        }
        let days = Arc::new(self.repo.as_ref().and_then(|repo| repo.active_days().ok()).unwrap_or_default());
        *kept = Some((now, Arc::clone(&days)));
        days
    }
}

/// Weight of each feature for a question from `home`; omitted ones are not searched.
pub(crate) fn scope_weights(features: &[Feature], home: Option<&Feature>, only_home: bool, tuning: &Tuning) -> BTreeMap<u32, f64> {
    let weight = |f: &Feature| match home {
        _ if f.state == FeatureState::Archived && home.is_none_or(|h| h.id != f.id) => 0.0,
        None => 1.0,
        Some(home) if f.id == home.id => 1.0,
        Some(home) if home.parent.as_deref() == Some(&f.name) => tuning.parent,
        Some(home) if home.builds_on(&f.name) => tuning.dependency,
        Some(_) if only_home => 0.0,
        Some(_) => tuning.other,
    };
    features.iter().map(|f| (f.id, weight(f))).collect()
}

/// Active days since something was written; `None` if no day is known. The day is in UTC, so that everybody gets the same ranking: most
/// passages don't record their author's time zone, and a day more or less changes only a few percent.
fn age_in_active_days(days: &ActiveDays, created: i64) -> Option<f64> {
    (days.count() > 0).then(|| f64::from(days.after(Day::of(Timestamp(created), 0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    const DAY: i64 = 86_400_000;

    #[test]
    fn ages_of_many_memories_over_a_long_history_take_no_time() {
        let days: ActiveDays = (0..20_000).map(Day).collect();
        let begin = Instant::now();
        let sum: f64 = (0..50_000).filter_map(|memory| age_in_active_days(&days, memory % 100 * DAY)).sum();
        assert!(sum > 0.0 && begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
        assert_eq!(age_in_active_days(&ActiveDays::default(), 0), None);
        let of = |created| age_in_active_days(&days, created);
        assert_eq!([of(19_990 * DAY - 1), of(19_990 * DAY)], [Some(10.0), Some(9.0)], "wherever its reader's clock stands");
    }
}
