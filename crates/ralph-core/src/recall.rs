//! What recall is asked, and what it answers: hits with the reasons for their places.

use crate::time::Timestamp;
use crate::{LearningId, TaskId};
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// What is found.
    MemoryKind {
        /// A learning of a feature.
        Learning = "learning",
        /// What an iteration did.
        Episode = "episode",
        /// What is so in the project.
        Fact = "fact",
        /// A section of a file of the project.
        Document = "document",
        /// Why an attempt at a task failed.
        FailureReport = "failure_report",
    }
}

/// What is searched. There is a failure report for every failed attempt: who asks for knowledge alone does not pay for their number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// All but failure reports.
    Knowledge,
    /// Failure reports too.
    Everything,
}

impl Reach {
    /// What these kinds need; none named means all.
    pub fn of(kinds: &[MemoryKind]) -> Reach {
        if kinds.is_empty() || kinds.contains(&MemoryKind::FailureReport) { Reach::Everything } else { Reach::Knowledge }
    }
}

/// By what of a passage's text it is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextIndex {
    /// Stemmed words of text and terms.
    Words,
    /// Stemmed words of the terms alone.
    Terms,
    /// Fragments of the text.
    Trigrams,
}

crate::word_enum! {
    /// One way to find candidates.
    // The wire has a `Channel` of its own: the one that streams.
    #[serde(rename = "RecallChannel")]
    Channel {
        /// Words, stemmed, without stop words; words that stand side by side count once more (BM25).
        Lexical = "lexical",
        /// Fragments of words and paths: trigrams (BM25).
        Trigram = "trigram",
        /// Tags, error categories and the parts of paths and identifiers (BM25).
        Trigger = "trigger",
        /// Files that the question names, as they stand in a memory or as its own file (BM25).
        Path = "path",
        /// Cosine of the embeddings.
        Vector = "vector",
        /// What stands beside it: memories of the same iteration, task or session.
        Neighbours = "neighbours",
        /// Terms that were learnt from selections.
        Learned = "learned",
        /// Late interaction: each word of the question beside the nearest word of the text, by the vectors of tokens.
        Tokens = "tokens",
        /// The task it was learnt in is like the task that asks.
        Story = "story",
    }
}

crate::word_enum! {
    /// Of a judged collection: which documents are candidates, and which grades are relevant.
    EvalMode {
        /// All documents; relevant = grade 2.
        Own = "self",
        /// Earlier documents of the query's group; relevant = grade 1.
        Prior = "prior",
        /// Documents of the query's group, if it has one; relevant = any grade above 0.
        All = "all",
    }
}

crate::word_enum! {
    /// What makes the vectors.
    EmbeddingSource {
        /// all-MiniLM-L6-v2 in this process.
        Bundled = "bundled",
        /// An Ollama server.
        Ollama = "ollama",
        /// A server that speaks OpenAI's API for embeddings.
        Openai = "openai",
    }
}

/// How far the index is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IndexState {
    /// Id of the model.
    pub model: String,
    /// Why it can't be used; search then goes by words.
    pub fault: Option<String>,
    /// Numbers in a vector; not known of an endpoint before its first answer.
    pub dimension: Option<u32>,
    /// Passages of active and parked memories.
    pub passages: u32,
    /// Those that have a vector of this model.
    pub embedded: u32,
    /// Memory that the vectors take now, in MiB; 0 = nothing was searched in this process yet.
    pub vector_mib: f64,
    /// Memory that the model's weights take now, in MiB; 0 = not loaded in this process.
    pub model_mib: f64,
}

crate::word_enum! {
    /// On whose behalf is asked.
    #[derive(Default)]
    RecallOrigin {
        /// The prompt of an attempt.
        Prompt = "prompt",
        /// An agent, by a tool.
        Agent = "agent",
        /// A person, in the window.
        #[default]
        Person = "person",
        /// The command line, unless an agent uses it.
        Cli = "cli",
    }
}

/// What recall is asked.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RecallQuery {
    /// What is asked, in any words; may be empty where a task is named.
    pub query: String,
    /// Only this feature, the one it was split from, those it builds on, and what is the project's; otherwise everything.
    pub feature: Option<String>,
    /// The task's own text and last failure are the question, or join it.
    pub task: Option<TaskId>,
    /// Only these kinds; all when empty.
    pub kinds: Vec<MemoryKind>,
    /// Learnings in other states than active too.
    pub all_states: bool,
    /// At most so many hits.
    pub limit: u32,
    /// On whose behalf is asked; an agent's question is an agent's, whatever stands here.
    #[serde(default)]
    pub origin: RecallOrigin,
}

/// What recall answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RecallResponse {
    /// Id of this question: a ULID, by which its log line and what follows from it are found.
    pub query: String,
    /// On whose behalf was asked.
    pub origin: RecallOrigin,
    /// Best first.
    pub hits: Vec<RecallHit>,
    /// How likely it is that the hits hold an answer, in 0..=1; `None` where that can't be judged: vectors are missing, or the model is an
    /// endpoint's.
    pub confidence: Option<f64>,
    /// Nothing that is known answers the question: the hits are the nearest there are, and a prompt would tell none of them.
    pub nothing_known: bool,
    /// Channels that had no part, each with the reason. Empty when all had.
    pub missing: Vec<MissingChannel>,
    /// What the channels weighed on this query.
    pub weights: Vec<ChannelWeight>,
    /// Passages that were looked at.
    pub searched: u32,
}

/// A channel that had no part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MissingChannel {
    /// Which.
    pub channel: Channel,
    /// Why, and what to do.
    pub reason: String,
}

/// What a channel weighed on one query, and why.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ChannelWeight {
    /// Which.
    pub channel: Channel,
    /// Its share, in 0..=1.
    pub weight: f64,
    /// How sure it was: for vectors how far the best stands above chance, for words how steeply the scores fall.
    pub confidence: f64,
}

/// A memory that a prompt tells, or would tell, and how it was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ToldMemory {
    /// What it is.
    pub kind: MemoryKind,
    /// As a hit's id.
    pub id: String,
    /// Place among all that was found, from 1; what nothing speaks for comes after.
    pub rank: u32,
    /// Channels that found it; none where nothing speaks for it but its feature.
    pub channels: Vec<Channel>,
}

/// Ids of the learnings among what was told.
pub fn learnings_of(told: &[ToldMemory]) -> Vec<LearningId> {
    told.iter().filter(|told| told.kind == MemoryKind::Learning).map(|told| told.id.clone()).collect()
}

/// One memory that was found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RecallHit {
    /// What it is.
    pub kind: MemoryKind,
    /// The id of a learning, an episode or a fact, `FILE:LINE` of a document's section, or the number of the iteration that failed.
    pub id: String,
    /// The task whose attempt failed, or whose end an episode tells of; none where another clone numbered it.
    pub task: Option<TaskId>,
    /// Name of the feature that holds it; empty for what is the project's.
    pub feature: String,
    /// The file that a document's section stands in, or that a fact was read from, relative to the project.
    pub file: Option<String>,
    /// The section's first line there, or the fact's, from 1.
    pub line: Option<u32>,
    /// Headings above the section, or the name of what it defines.
    pub heading: Option<String>,
    /// Its text, whole.
    pub text: String,
    /// Where a learning stands; `active` for all else.
    pub state: String,
    /// When it was written.
    pub created: Timestamp,
    /// Where it stands in the answer, and why.
    pub score: ScoreBreakdown,
}

/// Why a hit stands where it stands. `total` = (`fused` + `neighbours` + the parts of the learned channel and of the story), aggregated
/// over its chunks, times every factor.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ScoreBreakdown {
    /// What it is ordered by.
    pub total: f64,
    /// Each channel's part in the best chunk.
    pub channels: Vec<ChannelScore>,
    /// Sum of the channels' contributions, in 0..=1.
    pub fused: f64,
    /// What its neighbours add.
    pub neighbours: f64,
    /// Chunks that matched; 1 for a learning.
    pub chunks: u32,
    /// What further chunks add (MPAB).
    pub chunk_bonus: f64,
    /// Bounded factors, 1 = no effect.
    pub factors: Vec<ScoreFactor>,
    /// How near it is to the question whatever else was found, in 0..=2: the cosine, and how near the words are. `None` where the words
    /// could not be compared.
    pub likeness: Option<f64>,
}

/// One channel's part in a hit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ChannelScore {
    /// Which.
    pub channel: Channel,
    /// Place among the channel's own hits, from 1.
    pub rank: u32,
    /// The channel's own score: BM25, or the cosine.
    pub raw: f64,
    /// Weight × the score relative to the channel's best.
    pub contribution: f64,
}

/// A factor on the fused score.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ScoreFactor {
    /// Which.
    pub name: FactorName,
    /// By what the score is multiplied.
    pub factor: f64,
}

crate::word_enum! {
    /// What weighs a memory after fusion.
    FactorName {
        /// Its feature: the task's own, the one that was split, another.
        Scope = "scope",
        /// It was observed, or a person stands behind it.
        Evidence = "evidence",
        /// It is young, in active days.
        Recency = "recency",
        /// It names a file.
        NamesAFile = "names_a_file",
        /// People and agents said that it helped, or that it did not.
        Feedback = "feedback",
        /// Another hit above it says nearly the same.
        Diversity = "diversity",
    }
}

/// What channels and factors weigh: measured on several sets at once (docs/measurements.md), settable per project.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default, deny_unknown_fields)]
pub struct Tuning {
    /// Least and greatest share of the vector channel; the rest is the text channels'.
    pub vector_min: f64,
    /// See `vector_min`.
    pub vector_max: f64,
    /// How sure the vector channel must be to get half of that span: its best cosine in standard deviations above the mean, relative to
    /// what the best of as many random draws would reach (1 = no better than chance).
    pub vector_middle: f64,
    /// How fast its share rises with that.
    pub vector_steepness: f64,
    /// How fast its share falls where word scores fall steeply: a few passages then hold the question's words.
    pub text_steepness: f64,
    /// Share of trigrams in the text channels.
    pub trigram: f64,
    /// Share of triggers in the text channels.
    pub trigger: f64,
    /// Share of paths in the text channels, where the question names a file. Provisional: not measured yet.
    pub path: f64,
    /// What late interaction takes of the text channels' share among the first 100 passages, and half as much of the vectors': so much of
    /// a question of hardly a word, half of it at ten (0 turns it off).
    pub tokens: f64,
    /// What learned terms add when all words of a question are such. Provisional: not justified by attribution yet.
    pub learned: f64,
    /// What the neighbour before adds of its score, and half of that the one before it: what was said before is the context.
    pub neighbour_before: f64,
    /// The same for those after.
    pub neighbour_after: f64,
    /// What further chunks of a memory add (MPAB). 0 = nothing, which long texts speak for.
    pub chunk_bonus: f64,
    /// What a memory that is found gets more when the task it was learnt in is as like the one that asks as can be (0 turns it off).
    pub provenance: f64,
    /// Factor − 1 of a memory that names a file: it can be acted on.
    pub names_a_file: f64,
    /// Factor − 1 of what was written today.
    pub recency: f64,
    /// Active days after which that has fallen to 1/e.
    pub recency_days: f64,
    /// Factor − 1 of what is protected: a person or three iterations stand behind it.
    pub evidence: f64,
    /// Weight of what was learnt before a split, for the children.
    pub parent: f64,
    /// Weight of what a feature that this one builds on learnt. Provisional: not measured yet.
    pub dependency: f64,
    /// Weight of what another feature learnt.
    pub other: f64,
    /// Cosine from which a hit counts as saying nearly the same as one above it.
    pub near_duplicate: f64,
    /// Factor of such a hit.
    pub near_duplicate_factor: f64,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            vector_min: 0.05,
            vector_max: 0.95,
            vector_middle: 1.02,
            vector_steepness: 5.0,
            text_steepness: 1.5,
            trigram: 0.5,
            trigger: 0.02,
            path: 0.1,
            tokens: 0.7,
            learned: 0.7,
            neighbour_before: 0.39,
            neighbour_after: 0.21,
            chunk_bonus: 0.0,
            provenance: 0.1,
            names_a_file: 0.1,
            recency: 0.5,
            recency_days: 15.0,
            evidence: 0.1,
            parent: 0.5,
            dependency: 0.4,
            other: 0.3,
            near_duplicate: 0.92,
            near_duplicate_factor: 0.5,
        }
    }
}
