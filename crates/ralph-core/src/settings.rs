//! Settings of a project.

mod agent;
mod ranges;

pub use ranges::{RANGES, SettingRange, range_of, usd_limit};

use crate::feedback::FeedbackMode;
use crate::limits;
use crate::permission::PermissionProfile;
use crate::quality::GateMode;
use crate::recall::{EmbeddingSource, Tuning};
use crate::run::AgentKind;
use crate::strategy::Strategy;
use crate::worktree::{DependencyStart, MergeStrategy, ResolvePolicy, ReviewPolicy};
use serde::{Deserialize, Serialize};

/// The project's settings, as stored in `config.toml`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Settings {
    /// Agent of a new run.
    pub agent: AgentKind,
    /// Model of a new run.
    pub model: String,
    /// Path of the Claude Code binary; searched for when empty.
    pub claude_path: String,
    /// Path of the Codex binary; searched for when empty.
    pub codex_path: String,
    /// Path of the OpenCode binary; searched for when empty.
    pub opencode_path: String,
    /// Permission mode given to Claude Code, one of [`CLAUDE_MODES`](crate::permission::CLAUDE_MODES); its own when empty.
    pub permission_mode: String,
    /// What agents may do without asking.
    pub permissions: PermissionProfile,
    /// Minutes that an agent waits for a person's answer when it asks; then the answer is no. 0 = it is no at once.
    pub ask_minutes: u32,
    /// Tools that Claude Code may use without asking.
    pub allowed_tools: Vec<String>,
    /// Script of the scripted agent, relative to the project.
    pub script: String,
    /// Command that must pass before a task counts as done; none when empty.
    pub check: String,
    /// Iterations of a run.
    pub max_iterations: u32,
    /// Minutes of a run; 0 = no limit.
    pub max_minutes: u32,
    /// Dollars of a run; 0 = no limit.
    pub max_usd: f64,
    /// Consecutive failures after which a task needs a person.
    pub max_attempts: u32,
    /// Consecutive failures from which a task counts as stuck: its prompt has a warning, and lists mark it.
    pub stuck_after: u32,
    /// Learnings a feature holds.
    pub max_learnings: u32,
    /// How the model of each attempt is chosen.
    pub strategy: Strategy,
    /// Models from weak to strong, by the names that the agent uses.
    pub models: Vec<String>,
    /// Consecutive iterations without effect after which a run ends; 0 = never.
    pub stall_stop: u32,
    /// Percent of attempts held out from learnings, so that their effect can be measured; 0 = none.
    pub hold_out: u32,
    /// Source of the vectors for search.
    pub embedding: EmbeddingSource,
    /// The endpoint's model; unused for `bundled`.
    pub embedding_model: String,
    /// The endpoint's address, on this machine or https; unused for `bundled`.
    pub embedding_url: String,
    /// How the quality gate treats a candidate that does not pass.
    pub gate: GateMode,
    /// Whether learnings are compared by their vectors and duplicates merged.
    pub reconcile: bool,
    /// Learning from selections.
    pub feedback: FeedbackMode,
    /// Days of recorded time in which learned terms run in shadow mode; 7 or more.
    pub feedback_shadow_days: u32,
    /// Weights of recall's channels and factors: the file's table `[recall]`, read only.
    pub recall: Tuning,
    /// Names of variables that agents and checks get in addition to the usual ones.
    pub pass_env: Vec<String>,
    /// Where concurrent work is done, and how it is merged.
    pub worktrees: WorktreeSettings,
    /// When learnings move into documents.
    pub consolidation: ConsolidationSettings,
    /// Automatic learning: the file's table `[automatic_learning]`.
    pub automatic_learning: AutomaticLearning,
}

/// The settings of an empty file.
impl Default for Settings {
    fn default() -> Settings {
        Settings {
            agent: AgentKind::Claude,
            model: "sonnet".into(),
            claude_path: String::new(),
            codex_path: String::new(),
            opencode_path: String::new(),
            permission_mode: "acceptEdits".into(),
            permissions: PermissionProfile::Normal,
            ask_minutes: limits::ASK_MINUTES,
            allowed_tools: vec!["mcp__ralph".into(), "Bash".into()],
            script: String::new(),
            check: String::new(),
            max_iterations: limits::DEFAULT_MAX_ITERATIONS,
            max_minutes: 0,
            max_usd: 0.0,
            max_attempts: limits::MAX_ATTEMPTS,
            stuck_after: limits::STUCK_AFTER,
            max_learnings: limits::MAX_LEARNINGS,
            strategy: Strategy::Escalate,
            models: vec!["haiku".into(), "sonnet".into(), "opus".into()],
            stall_stop: 5,
            hold_out: 0,
            embedding: EmbeddingSource::Bundled,
            embedding_model: "nomic-embed-text".into(),
            embedding_url: "http://localhost:11434".into(),
            gate: GateMode::Warn,
            reconcile: true,
            feedback: FeedbackMode::Shadow,
            feedback_shadow_days: limits::TERM_SHADOW_DAYS,
            recall: Tuning::default(),
            pass_env: Vec::new(),
            worktrees: WorktreeSettings::default(),
            consolidation: ConsolidationSettings::default(),
            automatic_learning: AutomaticLearning::default(),
        }
    }
}

crate::word_enum! {
    /// Scope of automatic learning.
    LearningMode {
        /// Everything that is detected.
        Aggressive = "aggressive",
        /// Completed tasks, and repeated failures.
        Moderate = "moderate",
        /// Facts of the code, and explicit statements.
        Minimal = "minimal",
    }
}

crate::word_enum! {
    /// What extracts a lesson from a detection.
    LearningExtractor {
        /// Rules alone: what failed, and what fixed it.
        Rules = "rules",
        /// The project's agent, in an errand.
        Agent = "agent",
        /// A model server.
        Endpoint = "endpoint",
    }
}

crate::word_enum! {
    /// API of a model server.
    ExtractorApi {
        /// OpenAI's, also offered by other servers.
        Openai = "openai",
        /// Ollama's own.
        Ollama = "ollama",
    }
}

/// Automatic learning. The mode decides; the switches only narrow it. A file without the table disables it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default, deny_unknown_fields)]
pub struct AutomaticLearning {
    /// Whether it is enabled.
    pub enabled: bool,
    /// Its scope.
    pub mode: LearningMode,
    /// Learn from completed tasks.
    pub track_tasks: bool,
    /// Learn from changed files.
    pub track_code_changes: bool,
    /// Learn from tool calls.
    pub track_operations: bool,
    /// Minimum confidence of a stored episode, from 0 to 1.
    pub min_episode_confidence: f64,
    /// Whether already known lessons are skipped.
    pub episode_deduplication: bool,
    /// What extracts lessons. Sending anything anywhere needs a person's agreement, see [`crate::trust`].
    pub extractor: LearningExtractor,
    /// Address of the model server, for `endpoint`; its key comes from the environment, never from here.
    pub extractor_url: String,
    /// Its API.
    pub extractor_api: ExtractorApi,
    /// Model of the agent or the server; empty = the project's `model`, for an agent.
    pub extractor_model: String,
    /// Calls per day, from 1; beyond them rules alone handle failures.
    pub extractor_calls: u32,
    /// Dollars per day, as far as the agent reports or the prices estimate them.
    pub extractor_usd: f64,
    /// Timeout of one call in seconds.
    pub extractor_seconds: u32,
    /// Whether ten detections are combined in one call.
    pub extractor_batch: bool,
    /// Minimum operations of a task.
    pub task_operations: u32,
    /// Operations in which a pattern is looked for.
    pub pattern_operations: u32,
    /// Failures of one tool that make a pattern.
    pub pattern_failures: u32,
    /// Successes of one tool, and repetitions of one query, that make a pattern.
    pub pattern_successes: u32,
    /// How certain it is that ingesting files completes a task, from 0 to 1.
    pub ingested_confidence: f64,
    /// How certain it is that looking something up and changing it completes one.
    pub changed_confidence: f64,
    /// How certain it is of what failed again and again, mended or not.
    pub failed_confidence: f64,
    /// How certain it is of what worked again and again.
    pub worked_confidence: f64,
}

impl Default for AutomaticLearning {
    fn default() -> AutomaticLearning {
        let mut settings = AutomaticLearning::of_a_new_project();
        settings.enabled = false;
        settings
    }
}

impl AutomaticLearning {
    /// The defaults written into a new project's file.
    pub fn of_a_new_project() -> AutomaticLearning {
        AutomaticLearning {
            enabled: true,
            mode: LearningMode::Moderate,
            track_tasks: true,
            track_code_changes: true,
            track_operations: true,
            min_episode_confidence: 0.6,
            episode_deduplication: true,
            extractor: LearningExtractor::Rules,
            extractor_url: "http://localhost:11434".to_owned(),
            extractor_api: ExtractorApi::Openai,
            extractor_model: String::new(),
            extractor_calls: limits::EXTRACTOR_CALLS,
            extractor_usd: limits::EXTRACTOR_USD,
            extractor_seconds: limits::EXTRACTOR_SECONDS,
            extractor_batch: false,
            task_operations: 3,
            pattern_operations: 5,
            pattern_failures: 2,
            pattern_successes: 3,
            ingested_confidence: 0.8,
            changed_confidence: 0.75,
            failed_confidence: 0.85,
            worked_confidence: 0.8,
        }
    }
}

/// When learnings move into documents, and which.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct ConsolidationSettings {
    /// File that people and agents write learnings into, relative to the project.
    pub learnings_file: String,
    /// Folder of the documents that they move into, relative to the project.
    pub knowledge_folder: String,
    /// Lines from which a source is too long.
    pub lines: u32,
    /// Active days after the last consolidation from which the next one is due; more than `fresh_days`.
    pub stale_days: u32,
    /// Active days from which an entry is eligible.
    pub fresh_days: u32,
    /// Minimum eligible entries for a consolidation.
    pub min_entries: u32,
    /// The newest entries of each source, which stay.
    pub keep_newest: u32,
    /// Model of the agent that writes the documents.
    pub model: String,
    /// Who accepts its proposals.
    pub review: ReviewPolicy,
}

impl Default for ConsolidationSettings {
    fn default() -> ConsolidationSettings {
        ConsolidationSettings {
            learnings_file: "learnings.md".into(),
            knowledge_folder: "docs/knowledge".into(),
            lines: crate::limits::CONSOLIDATION_LINES,
            stale_days: crate::limits::CONSOLIDATION_STALE_DAYS,
            fresh_days: crate::limits::CONSOLIDATION_FRESH_DAYS,
            min_entries: crate::limits::CONSOLIDATION_MIN_ENTRIES,
            keep_newest: crate::limits::CONSOLIDATION_KEEP_NEWEST,
            model: "sonnet".into(),
            review: ReviewPolicy::Person,
        }
    }
}

/// How worktrees are created and kept, and how their work is merged.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct WorktreeSettings {
    /// Folder for worktrees, absolute; the person's data folder when empty.
    pub folder: String,
    /// Name of a branch: `{task}` and `{slug}` are replaced.
    pub branch: String,
    /// Base branch that they start from and are merged into; the one that is checked out when empty.
    pub base: String,
    /// Command that prepares a new worktree; none when empty.
    pub setup: String,
    /// Ignored files and folders that are copied into a worktree, relative to the project.
    pub bring_along: Vec<String>,
    /// First assigned port.
    pub port_base: u32,
    /// Ports of each worktree; 0 = none.
    pub ports: u32,
    /// Days after which an unmerged one may be removed, if nothing would be lost.
    pub keep_days: u32,
    /// Total gigabytes above which the oldest may be removed, if nothing would be lost; 0 = no limit.
    pub keep_gb: u32,
    /// Who accepts finished work.
    pub review: ReviewPolicy,
    /// How it is merged into its base.
    pub merge: MergeStrategy,
    /// When dependent tasks may begin.
    pub dependencies: DependencyStart,
    /// Who resolves a merge conflict.
    pub resolve: ResolvePolicy,
    /// Which agent reviews work before a person does; `None` = none.
    pub reviewer: Option<AgentKind>,
    /// Its model; the project's strongest when empty.
    pub reviewer_model: String,
    /// How often it may send the work on one task back.
    pub reviewer_send_backs: u32,
}

impl Default for WorktreeSettings {
    fn default() -> WorktreeSettings {
        WorktreeSettings {
            folder: String::new(),
            branch: "ralph/{task}-{slug}".into(),
            base: String::new(),
            setup: String::new(),
            bring_along: Vec::new(),
            port_base: crate::limits::PORT_BASE,
            ports: crate::limits::WORKTREE_PORTS,
            keep_days: crate::limits::WORKTREE_DAYS,
            keep_gb: crate::limits::WORKTREE_GB,
            review: ReviewPolicy::Person,
            merge: MergeStrategy::Merge,
            dependencies: DependencyStart::Merged,
            resolve: ResolvePolicy::Ask,
            reviewer: None,
            reviewer_model: String::new(),
            reviewer_send_backs: crate::limits::REVIEWER_SEND_BACKS,
        }
    }
}
