//! The command line.

use clap::{Args, Parser, Subcommand};
use ralph_core::feature::FeatureState;
use ralph_core::learning::{ConflictChoice, LearningSource, LearningState};
use ralph_core::recall::{EvalMode, MemoryKind};
use ralph_core::run::AgentKind;
use ralph_core::strategy::Strategy;
use ralph_core::task::{Priority, TaskStatus};
use std::path::PathBuf;

/// Runs coding agents in a loop over tasks, and keeps what they learn.
#[derive(Debug, Parser)]
#[command(name = "ralph", version, propagate_version = true)]
pub struct Cli {
    /// Work in the project that this folder is in.
    #[arg(short = 'C', global = true, default_value = ".", value_name = "DIR", hide_default_value = true)]
    pub directory: PathBuf,
    /// Print one JSON document instead of text.
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make this folder a Ralph project.
    Init,
    /// Features: scopes of work and their knowledge.
    #[command(subcommand)]
    Feature(FeatureCommand),
    /// Tasks: units of work.
    #[command(subcommand)]
    Task(TaskCommand),
    /// Learnings: what was learnt about a feature.
    #[command(subcommand)]
    Learning(LearningCommand),
    /// How full each feature's knowledge is.
    Saturation,
    /// Work on ready tasks, here and now, until a limit is reached or nothing is ready.
    Run(RunArgs),
    /// Stop the active run at once, whoever started it.
    Stop {
        /// After the current iteration instead.
        #[arg(long)]
        after: bool,
    },
    /// Pause the active run after the current iteration.
    Pause,
    /// Go on with a paused run.
    Resume,
    /// The exact prompt that the next iteration on a task would get.
    Prompt {
        task: u32,
        /// Each section with its size and origin instead.
        #[arg(long)]
        explain: bool,
    },
    /// Attempts at a task: model, cost, why each failed, what it suggested.
    Attempts { task: u32 },
    /// What the project's history says: models, costs, failures, the effect of memory.
    Insights,
    /// What is known about a question or a task, best first, each with the reasons for its place.
    Recall {
        /// Any words; may be left out with --task.
        #[arg(default_value = "", hide_default_value = true)]
        query: String,
        /// Only this feature and the one it was split from.
        #[arg(long)]
        feature: Option<String>,
        /// As this task would be asked for.
        #[arg(long)]
        task: Option<u32>,
        /// learning or document; all when left out.
        #[arg(long, value_delimiter = ',')]
        kind: Vec<MemoryKind>,
        #[arg(long, default_value_t = 10)]
        limit: u32,
    },
    /// Measure retrieval on a judged collection (BEIR's layout); needs no project.
    Eval {
        /// The folder with corpus.jsonl, queries.jsonl and qrels.tsv.
        #[arg(long)]
        data: PathBuf,
        /// self: all documents, grade 2. prior: earlier ones of the query's group, grade 1. all: those of its group, any grade.
        #[arg(long)]
        mode: EvalMode,
        /// Write the hits here: query, document, rank, score.
        #[arg(long)]
        run: Option<PathBuf>,
        /// Another weight than the measured default, for example trigram=0 (repeat for several).
        #[arg(long = "set", value_name = "KEY=NUMBER")]
        set: Vec<String>,
    },
    /// Make missing vectors, and compare learnings by them: what says the same becomes one, what contradicts is settled or listed.
    Reconcile,
    /// What waits for a person: contradictions, warnings of the quality gate, parked learnings; and what Ralph did that can be undone.
    Review {
        #[command(subcommand)]
        act: Option<crate::review::ReviewAct>,
    },
    /// The door's verdict on each pair of texts (columns id, a, b); needs no project.
    EvalPairs {
        /// The tab-separated file.
        #[arg(long)]
        data: PathBuf,
        /// Write the verdicts here: id, verdict, cosine, similarity, hits.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// What runs now, and what needs you.
    Status,
    /// Serve the MCP tools on standard input and output.
    Mcp,
    /// Print the signals in a recorded transcript.
    Parse {
        /// Whose transcript: claude, codex, opencode, gemini, qwen or scripted.
        #[arg(long)]
        agent: String,
        /// The file.
        file: PathBuf,
    },
    /// Check git, the agents, the database and the journals.
    Doctor,
    /// Restore knowledge from the journals.
    Rebuild,
    /// Print everything as one JSON document.
    Export {
        /// Write into this file instead.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Copy the database to `.ralph/db/backups`.
    Backup,
    /// Play a script in an agent's place (what `run --agent scripted` starts).
    #[command(hide = true)]
    AgentScript {
        script: PathBuf,
        #[arg(long, default_value = "scripted")]
        model: String,
        #[arg(long)]
        mcp_config: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub enum FeatureCommand {
    /// Make a feature.
    Create {
        /// Letters, digits, '-', '_', '.'; also the name of its journal.
        name: String,
        #[arg(long)]
        display_name: Option<String>,
        /// The feature it is split from.
        #[arg(long)]
        parent: Option<String>,
        #[command(flatten)]
        fields: FeatureFields,
    },
    /// All features.
    List,
    /// One feature with its counts.
    Show { name: String },
    /// Change a feature.
    Update {
        name: String,
        #[arg(long)]
        display_name: Option<String>,
        /// active or archived.
        #[arg(long)]
        state: Option<FeatureState>,
        #[command(flatten)]
        fields: FeatureFields,
    },
    /// The newest events of a feature's journal.
    Journal {
        name: String,
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
}

#[derive(Debug, Args)]
pub struct FeatureFields {
    #[arg(long)]
    pub acronym: Option<String>,
    #[arg(long)]
    pub description: Option<String>,
    #[arg(long)]
    pub architecture: Option<String>,
    #[arg(long)]
    pub boundaries: Option<String>,
    /// Files an agent should read first (comma-separated or repeated).
    #[arg(long, value_delimiter = ',')]
    pub context_files: Option<Vec<String>>,
    #[arg(long, value_delimiter = ',')]
    pub knowledge_paths: Option<Vec<String>>,
    /// Features it builds on.
    #[arg(long, value_delimiter = ',')]
    pub dependencies: Option<Vec<String>>,
    /// Its own cap of learnings; 0 returns to the project's.
    #[arg(long)]
    pub max_learnings: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// Make a task; it is pending unless said otherwise.
    Create {
        #[arg(long)]
        feature: String,
        #[arg(long)]
        title: String,
        #[arg(long)]
        status: Option<TaskStatus>,
        #[command(flatten)]
        fields: TaskFields,
    },
    /// All tasks, in all statuses unless filtered.
    List {
        #[arg(long)]
        feature: Option<String>,
        #[arg(long, value_delimiter = ',')]
        status: Vec<TaskStatus>,
        #[arg(long, value_delimiter = ',')]
        priority: Vec<Priority>,
        /// Words that title, description or tags contain.
        #[arg(long)]
        text: Option<String>,
    },
    /// One task with its remarks and iterations.
    Show { id: u32 },
    /// Change a task.
    Update {
        id: u32,
        /// Move it, and its learnings with it.
        #[arg(long)]
        feature: Option<String>,
        #[arg(long)]
        title: Option<String>,
        #[arg(long)]
        status: Option<TaskStatus>,
        /// Why it is blocked.
        #[arg(long)]
        blocked_reason: Option<String>,
        /// Place it directly before this task; 0 places it last.
        #[arg(long)]
        before: Option<u32>,
        #[command(flatten)]
        fields: TaskFields,
    },
    /// Add a remark.
    Comment { id: u32, text: String },
}

#[derive(Debug, Args)]
pub struct TaskFields {
    #[arg(long)]
    pub description: Option<String>,
    /// When it counts as done (repeat for several).
    #[arg(long = "criterion")]
    pub criteria: Option<Vec<String>>,
    #[arg(long)]
    pub priority: Option<Priority>,
    /// Tasks that must be finished first: 1,2; empty clears them.
    #[arg(long)]
    pub depends_on: Option<String>,
    #[arg(long)]
    pub discipline: Option<String>,
    #[arg(long, value_delimiter = ',')]
    pub tags: Option<Vec<String>>,
    /// The task it is a part of; 0 takes it out.
    #[arg(long)]
    pub parent: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub enum LearningCommand {
    /// Hand a learning to the door.
    Add {
        #[arg(long)]
        feature: String,
        #[arg(long)]
        text: String,
        /// human, agent or auto; human unless an agent runs the command.
        #[arg(long)]
        source: Option<LearningSource>,
        /// The task it came from.
        #[arg(long)]
        task: Option<u32>,
        /// The iteration it came from; any number.
        #[arg(long)]
        iteration: Option<u32>,
        /// Why it holds.
        #[arg(long)]
        reason: Option<String>,
        #[arg(long)]
        category: Option<String>,
        #[arg(long, value_delimiter = ',')]
        tags: Vec<String>,
    },
    /// Learnings: the active ones unless states are named.
    List {
        #[arg(long)]
        feature: Option<String>,
        /// active, parked, pruned, retired, superseded, consolidated, or all.
        #[arg(long, value_delimiter = ',')]
        state: Vec<StateFilter>,
    },
    /// One learning.
    Show { id: String },
    /// Mark it as reviewed: never pruned by itself from now on.
    Review { id: String },
    /// Put it away.
    Retire { id: String },
    /// Make it active again.
    Restore { id: String },
    /// Say it better: a new record supersedes the old one.
    Edit {
        id: String,
        #[arg(long)]
        text: String,
        #[arg(long)]
        reason: Option<String>,
    },
    /// Learnings that say much about the same, offered above 200 active ones.
    MergeOffers,
    /// Say several learnings of one feature in one, which supersedes them.
    Merge {
        #[arg(required = true, num_args = 2..)]
        ids: Vec<String>,
        #[arg(long)]
        text: String,
        #[arg(long)]
        reason: Option<String>,
    },
    /// Pairs that contradict each other.
    Conflicts,
    /// Decide a conflict.
    Resolve {
        older: String,
        newer: String,
        /// keep_older, keep_newer or keep_both.
        choice: ConflictChoice,
    },
}

/// A state, or all of them.
#[derive(Debug, Clone, Copy)]
pub enum StateFilter {
    All,
    Is(LearningState),
}

impl std::str::FromStr for StateFilter {
    type Err = ralph_core::text::UnknownWord;
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        if word == "all" { Ok(StateFilter::All) } else { word.parse().map(StateFilter::Is) }
    }
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// claude or scripted; the project's setting when left out.
    #[arg(long)]
    pub agent: Option<AgentKind>,
    /// Script of the scripted agent.
    #[arg(long)]
    pub script: Option<PathBuf>,
    #[arg(long)]
    pub model: Option<String>,
    /// Work on this task only.
    #[arg(long)]
    pub task: Option<u32>,
    #[arg(long)]
    pub max_iterations: Option<u32>,
    /// Dollars over the whole run.
    #[arg(long)]
    pub max_usd: Option<f64>,
    #[arg(long)]
    pub max_minutes: Option<u32>,
    /// Command that must pass before a task counts as done.
    #[arg(long)]
    pub check: Option<String>,
    /// How the model of each attempt is chosen: fixed, escalate, cost_optimized or plan_then_execute.
    #[arg(long)]
    pub strategy: Option<Strategy>,
    /// Percent of the attempts that are told no learnings (0 to 90), to measure whether memory helps.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=90))]
    pub hold_out: Option<u32>,
    /// Print every event as a line of JSON.
    #[arg(long)]
    pub jsonl: bool,
}
