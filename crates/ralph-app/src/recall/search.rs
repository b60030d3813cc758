//! One search with a prepared question: both rankings, if learned terms make a difference.

use super::described::described;
use super::{PreparedRecall, Searcher, age_in_active_days};
use crate::error::Result;
use ralph_core::TaskId;
use ralph_core::evaluation::Arm;
use ralph_core::feature::Feature;
use ralph_core::recall::{Channel, ChannelWeight, MemoryKind, MissingChannel, RecallHit};
use ralph_core::time::Timestamp;
use ralph_rag::evaluate::trial::arm;
use ralph_rag::recall::{
    ChannelHits, LateInteraction, LearnedTerms, MANY, RankQuery, RankedMemory, Scope, any_learned, learned_terms, rank,
};
use sqlite_db::Read;
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;
use text_embed::dot;

/// Learned terms in the context of a question.
pub(crate) struct LearnedQuestion {
    pub(super) words: Vec<String>,
    /// Whether validations count.
    pub(super) counts: bool,
    /// Whether learned terms count as well: every gate is open.
    pub(super) in_force: bool,
    pub(super) now: Timestamp,
}

impl LearnedQuestion {
    /// Which ranking is returned, by a draw that is deterministic for a question.
    pub(crate) fn arm(&self, stratum: u64, key: &str) -> Arm {
        if self.in_force { arm(stratum, key) } else { Arm::Plain }
    }

    fn of(&self, arm: Arm) -> Option<LearnedTerms<'_>> {
        let words = if arm == Arm::Learned { self.words.as_slice() } else { &[] };
        self.counts.then_some(LearnedTerms { words, now: self.now })
    }
}

/// Result of a search.
pub(crate) struct SearchResult {
    pub hits: Vec<RankedMemory>,
    pub weights: Vec<ChannelWeight>,
    pub missing: Vec<MissingChannel>,
    /// The ranking that is not returned, if learned terms make one.
    pub other: Vec<RankedMemory>,
    pub arm: Arm,
    /// Passages within scope, counted only up to the number beyond which the confidence no longer changes.
    pub within: usize,
    /// Duration of the search in microseconds.
    pub micros: u32,
}

impl PreparedRecall {
    /// Searches memories of the kinds and states that are `wanted`, in features with a weight. If learned terms could change the
    /// ranking, both are computed; that of `arm` is returned.
    pub(crate) fn search(
        &self,
        r: &Read<'_>,
        weights: &BTreeMap<u32, f64>,
        wanted: impl Fn(MemoryKind, i64, bool) -> bool,
        limit: usize,
        arm: Arm,
    ) -> Result<SearchResult> {
        let begin = Instant::now();
        let stories = self.closeness(r)?;
        let scope = |kind: MemoryKind, source: i64, feature: Option<u32>, active: bool, created: i64| {
            // Memories without a feature belong to the project.
            let weight = feature.map_or(1.0, |f| weights.get(&f).copied().unwrap_or(0.0));
            // The time at which a file was read, or a fact recorded, is not its age.
            let age_days =
                if matches!(kind, MemoryKind::Document | MemoryKind::Fact) { None } else { age_in_active_days(&self.days, created) };
            Scope {
                weight: if wanted(kind, source, active) { weight } else { 0.0 },
                age_days,
                closeness: stories.get(&source).copied().filter(|_| kind == MemoryKind::Learning),
            }
        };
        let searcher = Searcher { read: r, index: &self.index, reach: self.reach, model: &self.model, tokens: Some(&self.kept_tokens) };
        let channels = searcher.channel_hits(&self.question, self.vector.as_deref().ok())?;
        let mut missing = self.missing(&channels);
        let late = searcher.late(&self.tokens);
        let both = self.learned.of(Arm::Learned).is_some_and(|learned| any_learned(&self.index, learned));
        let order = |found: ChannelHits, arm: Arm| {
            rank(
                &self.index,
                &RankQuery {
                    found,
                    late: Some(LateInteraction { near: &late, tokens: self.tokens.tokens() }),
                    scope: &scope,
                    limit,
                    diverse: Some(&|learning| searcher.words_of(learning)),
                    learned: self.learned.of(arm),
                },
                &self.tuning,
            )
        };
        let other_arm = if arm == Arm::Plain { Arm::Learned } else { Arm::Plain };
        let other = if both { order(channels.clone(), other_arm).0 } else { Vec::new() };
        let (hits, weights) = order(channels, arm);
        if !hits.is_empty() {
            missing.extend(self.without_tokens(&weights));
        }
        let micros = u32::try_from(begin.elapsed().as_micros()).unwrap_or(u32::MAX);
        let within = self.index.within(&scope, MANY);
        Ok(SearchResult { hits, weights, missing, other, arm, within, micros })
    }

    /// Similarity of the asking task to the tasks of learnings, by the learnings' rows; empty for a question that
    /// is not a story.
    fn closeness(&self, r: &Read<'_>) -> Result<HashMap<i64, f64>> {
        let Ok(vector) = self.vector.as_ref() else { return Ok(HashMap::new()) };
        if !self.is_story || self.tuning.provenance <= 0.0 {
            return Ok(HashMap::new());
        }
        let close: HashMap<TaskId, f64> =
            r.story_vectors(&self.model)?.into_iter().map(|(task, story)| (task, dot(&story, vector))).collect();
        let of = r.learnings_of_tasks()?.into_iter().filter_map(|(learning, task)| Some((learning, *close.get(&task)?)));
        Ok(of.collect())
    }

    /// Channels that did not take part, each with the reason.
    fn missing(&self, found: &ChannelHits) -> Vec<MissingChannel> {
        let reason = match &self.vector {
            Err(reason) => reason.to_string(),
            Ok(_) if found.vector.is_none() => {
                "the vectors are of another dimension than the question's; `ralph reconcile` makes them anew".to_owned()
            }
            Ok(_) => match self.index.without_vector() {
                0 => return Vec::new(),
                1 => "for 1 passage, which has no vector yet; `ralph reconcile` makes it".to_owned(),
                waiting => format!("for {waiting} passages, which have no vector yet; `ralph reconcile` makes them"),
            },
        };
        vec![MissingChannel { channel: Channel::Vector, reason }]
    }

    /// Reports that late interaction did not take part, although vectors did.
    fn without_tokens(&self, weights: &[ChannelWeight]) -> Option<MissingChannel> {
        let has = |channel| weights.iter().any(|weight| weight.channel == channel);
        let wanted = self.tuning.tokens > 0.0;
        let reason = if self.tokens.is_empty() {
            "the model has no vectors of the question's words"
        } else {
            "no text that was found has vectors of its words yet; `ralph reconcile` makes them"
        };
        (wanted && has(Channel::Vector) && !has(Channel::Tokens))
            .then(|| MissingChannel { channel: Channel::Tokens, reason: reason.to_owned() })
    }

    /// Both rankings with their displayed data, and the matching learned terms.
    pub(crate) fn in_words(&self, r: &Read<'_>, found: &SearchResult, features: &[Feature]) -> Result<InWords> {
        let hits = described(r, found.hits.clone(), features)?;
        let other = described(r, found.other.clone(), features)?;
        let mut terms = BTreeMap::new();
        if let Some(learned) = self.learned.of(Arm::Learned).filter(|_| !found.other.is_empty()) {
            for (ranked, hit) in found.hits.iter().zip(&hits).chain(found.other.iter().zip(&other)) {
                terms.insert((hit.kind, hit.id.clone()), learned_terms(&self.index, (ranked.kind, ranked.source), learned));
            }
        }
        Ok((hits, other, terms))
    }
}

/// Hits, those of the ranking that is not returned, and learned terms by memory.
type InWords = (Vec<RecallHit>, Vec<RecallHit>, BTreeMap<(MemoryKind, String), Vec<String>>);
