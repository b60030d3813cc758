//! The command line's top level: one line per subcommand; its arguments, in a [`Later`], are in the file of its noun.

use crate::agents_file::AgentsFileArgs;
use crate::audit::AuditArgs;
use crate::consolidate::ConsolidateArgs;
use crate::control::{AnswerArgs, GuideArgs, LaneArgs, StopArgs};
use crate::discipline::DisciplineCommand;
use crate::document::{DocumentCommand, IngestArgs};
use crate::errand::ErrandCommand;
use crate::eval::{EvalArgs, EvalPairsArgs};
use crate::eval_leave_out::EvalLeaveOutArgs;
use crate::feature::FeatureCommand;
use crate::feedback::FeedbackArgs;
use crate::insights::InsightsArgs;
use crate::key::KeyCommand;
use crate::later::Later;
use crate::learn::LearnCommand;
use crate::learning::LearningCommand;
use crate::memory::{EpisodeCommand, FactCommand, ListArgs as MemoryListArgs};
use crate::merge::{DiffArgs, DiscardArgs, MergeArgs, SendBackArgs};
use crate::notice::NoticeCommand;
use crate::number;
use crate::project::{ExportArgs, InitArgs};
use crate::prompt::PromptArgs;
use crate::recall::RecallArgs;
use crate::restore::RestoreArgs;
use crate::review::ReviewArgs;
use crate::review_run::ReviewRunArgs;
use crate::run::RunArgs;
use crate::saturation::SaturationArgs;
use crate::snapshot::SnapshotCommand;
use crate::task::TaskCommand;
use crate::transcript::ParseArgs;
use crate::trust::TrustArgs;
use crate::worktree::WorktreeCommand;
use clap::{Parser, Subcommand};
use ralph_core::limits;
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
    Init(Later<InitArgs>),
    /// Features: scopes of work and their knowledge.
    #[command(subcommand)]
    Feature(Later<FeatureCommand>),
    /// Tasks: units of work.
    #[command(subcommand)]
    Task(Later<TaskCommand>),
    /// Learnings: what was learnt about a feature.
    #[command(subcommand, alias = "learnings")]
    Learning(Later<LearningCommand>),
    /// The facts that hold, oldest first: the same as `ralph fact list`.
    Facts(Later<MemoryListArgs>),
    /// Facts: what is true of the project, each with the file that says so.
    #[command(subcommand)]
    Fact(Later<FactCommand>),
    /// Episodes, oldest first: the same as `ralph episode list`.
    Episodes(Later<MemoryListArgs>),
    /// Automatic learning: what is learnt without anybody asking for it.
    #[command(subcommand)]
    Learn(Later<LearnCommand>),
    /// Episodes: what iterations did.
    #[command(subcommand)]
    Episode(Later<EpisodeCommand>),
    /// Disciplines: how work is done, and with which tools.
    #[command(subcommand)]
    Discipline(Later<DisciplineCommand>),
    /// How full each feature's knowledge is.
    Saturation(Later<SaturationArgs>),
    /// Work on ready tasks until a limit is reached or nothing is ready.
    #[command(after_help = crate::run::exit_codes())]
    Run(Later<RunArgs>),
    /// Stop the active run at once, whoever started it.
    Stop(Later<StopArgs>),
    /// Pause the active run after the current iteration.
    Pause(Later<LaneArgs>),
    /// Resume a paused run.
    Resume(Later<LaneArgs>),
    /// Tell the next iteration something: it is included in its prompt, once.
    Guide(Later<GuideArgs>),
    /// Answer an agent's request for permission with yes or no; without arguments, list the open requests
    Answer(Later<AnswerArgs>),
    /// The exact prompt of the next iteration on a task.
    Prompt(Later<PromptArgs>),
    /// Attempts at a task: model, cost, reason of failure, suggestion.
    Attempts {
        #[arg(value_parser = number::task)]
        task: u32,
    },
    /// What the project's history shows: models, costs, failures, the effect of memory; `eval`: retrieval and learning from selections.
    Insights(Later<InsightsArgs>),
    /// Say whether a learning helped, or undo what was learnt from such feedback.
    Feedback(Later<FeedbackArgs>),
    /// What is known about a question or a task, best first, each with the reasons for its rank.
    Recall(Later<RecallArgs>),
    /// Let recall search files and folders of the project too, by section; changed ones are read again automatically.
    Ingest(Later<IngestArgs>),
    /// Documents: the ingested files.
    #[command(subcommand)]
    Document(Later<DocumentCommand>),
    /// Measure retrieval on a judged collection (BEIR's layout), which needs no project, or on the project's own records.
    Eval(Later<EvalArgs>),
    /// Compute missing vectors and compare learnings by them: duplicates are merged, contradictions are settled or listed.
    Reconcile,
    /// Calibrate the configured embedding model with the labelled pairs that ship with Ralph: what its cosines mean.
    Calibrate,
    /// Have an agent move proven learnings into documents; its proposal waits for `ralph merge`.
    Consolidate(Later<ConsolidateArgs>),
    /// What needs a person: contradictions, warnings of the quality gate, parked learnings; and what Ralph did that can be undone.
    Review(Later<ReviewArgs>),
    /// Have an agent check learnings that nobody has reviewed: those that hold are marked as reviewed, doubts wait in `ralph review`.
    ReviewRun(Later<ReviewRunArgs>),
    /// The verdict of `remember` on each pair of texts (columns id, a, b); needs no project.
    EvalPairs(Later<EvalPairsArgs>),
    /// Measure retrieval on questions that its constants were not chosen on: each repository, conversation or domain is left out in turn.
    EvalLeaveOut(Later<EvalLeaveOutArgs>),
    /// Notices for you: proposals of agents, and what they did to the repository.
    #[command(subcommand)]
    Notice(Later<NoticeCommand>),
    /// Your uncommitted work, saved before an agent started.
    #[command(subcommand)]
    Snapshot(Later<SnapshotCommand>),
    /// Worktrees: folders in which tasks are worked on side by side.
    #[command(subcommand)]
    Worktree(Later<WorktreeCommand>),
    /// Errands: agent runs that belong to no task, such as resolving a conflict or writing documents.
    #[command(subcommand)]
    Errand(Later<ErrandCommand>),
    /// The difference between the work on a task, or an errand's proposal, and its base.
    Diff(Later<DiffArgs>),
    /// Merge the reviewed work on a task, or an errand's proposal, into its base: merged, checked and landed, or refused without a trace.
    Merge(Later<MergeArgs>),
    /// Discard the work on a task, or an errand's proposal; it can be restored until its branch is pruned.
    Discard(Later<DiscardArgs>),
    /// Send the work on a task back to the agents, with the requested changes.
    SendBack(Later<SendBackArgs>),
    /// What is running, and what needs you.
    Status,
    /// Serve the MCP tools on standard input and output.
    Mcp(Later<McpArgs>),
    /// Print the signals in a recorded transcript.
    Parse(Later<ParseArgs>),
    /// What the project's folder would execute, obey or send, and your agreement to it on this machine.
    Trust(Later<TrustArgs>),
    /// Keys of model servers, in the keyring of your system.
    #[command(subcommand)]
    Key(Later<KeyCommand>),
    /// Check git, the agents, the database and the journals.
    Doctor,
    /// Restore a missing or damaged project from this machine's copies and from its journals.
    Restore(Later<RestoreArgs>),
    /// Restore knowledge from the journals.
    Rebuild,
    /// Print everything but transcripts and prompts as one JSON document.
    Export(Later<ExportArgs>),
    /// Copy the database to `.ralph/db/backups`.
    Backup,
    /// Look for junk in the store: duplicates, boilerplate, unused memories, secrets …; put it away, or remove secrets.
    Audit(Later<AuditArgs>),
    /// The section of AGENTS.md or CLAUDE.md for agents outside of Ralph: shown as a difference, then written.
    #[command(name = "agents-md")]
    AgentsFile(Later<AgentsFileArgs>),
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

#[derive(Debug, clap::Args)]
pub struct McpArgs {
    /// Tools to offer: core (features, tasks, learnings) or full (also search, episodes, facts and documents).
    #[arg(long, default_value = "core")]
    profile: McpProfile,
    /// Also let the client request the person's permission, and wait this many minutes for it: for the agents of runs.
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(0..=i64::from(limits::ASK_MINUTES_MOST)))]
    ask: Option<u32>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum McpProfile {
    Core,
    Full,
}

impl McpArgs {
    /// What is offered.
    pub fn offer(&self) -> ralph_mcp::Offer {
        let profile = match self.profile {
            McpProfile::Core => ralph_mcp::Profile::Core,
            McpProfile::Full => ralph_mcp::Profile::Full,
        };
        ralph_mcp::Offer { profile, ask_minutes: self.ask }
    }
}
