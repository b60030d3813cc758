//! Queries to recall, and its answers: hits with the reasons for their ranks.

mod tuning;

use crate::time::Timestamp;
use crate::{LearningId, TaskId};
use serde::{Deserialize, Serialize};
pub use tuning::{Tuning, TuningFault};

crate::word_enum! {
    /// Kind of memory.
    MemoryKind {
        /// A learning of a feature.
        Learning = "learning",
        /// What an iteration did.
        Episode = "episode",
        /// What is true of the project.
        Fact = "fact",
        /// A section of a file of the project.
        Document = "document",
        /// Why an attempt at a task failed.
        FailureReport = "failure_report",
    }
}

/// What is searched. There is a failure report for every failed attempt: queries for knowledge alone should not pay for their number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Everything except failure reports.
    Knowledge,
    /// Including failure reports.
    Everything,
}

impl Reach {
    /// The reach that these kinds need; an empty slice means all.
    pub fn of(kinds: &[MemoryKind]) -> Reach {
        if kinds.is_empty() || kinds.contains(&MemoryKind::FailureReport) { Reach::Everything } else { Reach::Knowledge }
    }
}

/// In which part of a passage's text it was found.
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
    // The wire type is not named `Channel`, which is Tauri's streaming channel.
    #[serde(rename = "RecallChannel")]
    Channel {
        /// Words, stemmed, without stop words; adjacent words count extra (BM25).
        Lexical = "lexical",
        /// Fragments of words and paths: trigrams (BM25).
        Trigram = "trigram",
        /// Tags, error categories and the parts of paths and identifiers (BM25).
        Trigger = "trigger",
        /// Files that the question names, as mentioned in a memory or as its own file (BM25).
        Path = "path",
        /// Cosine of the embeddings.
        Vector = "vector",
        /// Neighbors: memories of the same iteration, task or session.
        Neighbours = "neighbours",
        /// Terms learned from selections.
        Learned = "learned",
        /// Late interaction: each word of the question against the closest word of the text, by token vectors.
        Tokens = "tokens",
        /// Similarity of the task it was learned in to the task that asks.
        Story = "story",
    }
}

impl Channel {
    /// Whether it finds memories; the other channels only rank those that were found.
    pub fn finds(self) -> bool {
        !matches!(self, Channel::Neighbours | Channel::Tokens | Channel::Story)
    }
}

crate::word_enum! {
    /// Candidates and relevant grades of a judged collection.
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
    /// Source of the vectors.
    EmbeddingSource {
        /// all-MiniLM-L6-v2 in this process.
        Bundled = "bundled",
        /// An Ollama server.
        Ollama = "ollama",
        /// A server with OpenAI's embeddings API.
        Openai = "openai",
    }
}

/// Progress of the index.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IndexState {
    /// Id of the model.
    pub model: String,
    /// Why it can't be used; search then falls back to words.
    pub fault: Option<String>,
    /// Vector dimension; for an endpoint unknown before its first answer.
    pub dimension: Option<u32>,
    /// Passages of active and parked memories.
    pub passages: u32,
    /// Those with a vector of this model.
    pub embedded: u32,
    /// Memory used by the vectors, in MiB; 0 = nothing was searched in this process yet.
    pub vector_mib: f64,
    /// Memory used by the model's weights, in MiB; 0 = not loaded in this process.
    pub model_mib: f64,
}

crate::word_enum! {
    /// Who asks.
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

/// A query to recall.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RecallQuery {
    /// The question in any words; may be empty where a task is named.
    pub query: String,
    /// Only this feature, its parent, its dependencies, and the project; otherwise everything.
    pub feature: Option<String>,
    /// The text and last failure of this task are the question, or are added to it.
    pub task: Option<TaskId>,
    /// Only these kinds; all when empty.
    pub kinds: Vec<MemoryKind>,
    /// Include learnings that are not active.
    pub all_states: bool,
    /// Maximum number of hits.
    pub limit: u32,
    /// Who asks; for a query by an agent it is always the agent, whatever is given here.
    #[serde(default)]
    pub origin: RecallOrigin,
}

/// The answer of recall.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RecallResponse {
    /// Id of this query: a ULID, by which its record and what followed from it are found.
    pub query: String,
    /// Who asked.
    pub origin: RecallOrigin,
    /// Best first.
    pub hits: Vec<RecallHit>,
    /// How likely it is that the hits hold an answer, in 0..=1; `None` where that can't be judged: vectors are missing, or the model is an
    /// endpoint's.
    pub confidence: Option<f64>,
    /// Nothing that is known answers the question: the hits are merely the nearest, and a prompt would include none of them.
    pub nothing_known: bool,
    /// Channels that had no part, each with the reason. Empty when all had.
    pub missing: Vec<MissingChannel>,
    /// Weights of the channels on this query.
    pub weights: Vec<ChannelWeight>,
    /// Number of passages searched.
    pub searched: u32,
}

/// A channel that did not take part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MissingChannel {
    /// Which.
    pub channel: Channel,
    /// The reason, and what to do.
    pub reason: String,
}

/// Weight of a channel on one query, and its confidence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ChannelWeight {
    /// Which.
    pub channel: Channel,
    /// Its share, in 0..=1.
    pub weight: f64,
    /// Its confidence: for vectors how far the best hit is above chance, for words how steeply the scores fall.
    pub confidence: f64,
}

/// A memory included in a prompt, or withheld from it, and how it was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ToldMemory {
    /// Its kind.
    pub kind: MemoryKind,
    /// Same format as a hit's id.
    pub id: String,
    /// Rank among everything found, from 1; memories without a match follow.
    pub rank: u32,
    /// Channels that found it; empty when it was included only for its feature.
    pub channels: Vec<Channel>,
}

/// Ids of the learnings among these memories.
pub fn learnings_of(told: &[ToldMemory]) -> Vec<LearningId> {
    told.iter().filter(|told| told.kind == MemoryKind::Learning).map(|told| told.id.clone()).collect()
}

/// One memory found by recall.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RecallHit {
    /// Its kind.
    pub kind: MemoryKind,
    /// The id of a learning, an episode or a fact, `FILE:LINE` of a document's section (`FILE:LINE.2` of the second one
    /// that begins on a line), or the number of the iteration that failed.
    pub id: String,
    /// The task whose attempt failed, or that an episode completed; `None` if another clone numbered it.
    pub task: Option<TaskId>,
    /// Name of the feature that holds it; empty for the project's.
    pub feature: String,
    /// The file of a document's section, or of a fact, relative to the project.
    pub file: Option<String>,
    /// First line of the section, or line of the fact, from 1.
    pub line: Option<u32>,
    /// Headings above the section, or the name of what it defines.
    pub heading: Option<String>,
    /// Its full text.
    pub text: String,
    /// State of a learning; `active` for everything else.
    pub state: String,
    /// Learnings that a learning contradicts, until a person decides; empty for everything else.
    pub conflicts_with: Vec<LearningId>,
    /// When it was written.
    pub created: Timestamp,
    /// Its score, broken down.
    pub score: ScoreBreakdown,
}

/// Why a hit has its rank. `total` = (`fused` + `neighbours` + the parts of the learned channel and of the story), aggregated
/// over its chunks, times all factors.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ScoreBreakdown {
    /// The score it is ranked by.
    pub total: f64,
    /// Contribution of each channel in the best chunk.
    pub channels: Vec<ChannelScore>,
    /// Sum of the channels' contributions, in 0..=1.
    pub fused: f64,
    /// Contribution of its neighbors.
    pub neighbours: f64,
    /// Chunks that matched; 1 for a learning.
    pub chunks: u32,
    /// Contribution of further chunks (MPAB).
    pub chunk_bonus: f64,
    /// Bounded factors, 1 = no effect.
    pub factors: Vec<ScoreFactor>,
    /// How near it is to the question whatever else was found, in 0..=2: the cosine, and how near the words are. `None` where the words
    /// could not be compared.
    pub likeness: Option<f64>,
}

/// Contribution of one channel to a hit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ChannelScore {
    /// Which.
    pub channel: Channel,
    /// Rank among the channel's own hits, from 1.
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
    /// The multiplier.
    pub factor: f64,
}

crate::word_enum! {
    /// Factors applied after fusion.
    FactorName {
        /// Its feature: the task's own, its parent, another.
        Scope = "scope",
        /// It was observed, or a person vouched for it.
        Evidence = "evidence",
        /// It is recent, in active days.
        Recency = "recency",
        /// It names a file.
        NamesAFile = "names_a_file",
        /// Feedback of people and agents on whether it helped.
        Feedback = "feedback",
        /// A higher hit says nearly the same.
        Diversity = "diversity",
    }
}
