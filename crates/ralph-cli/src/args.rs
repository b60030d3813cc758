//! The command line's top level: one line per subcommand; what each takes stands in the file of its noun.

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
use crate::learn::LearnCommand;
use crate::learning::LearningCommand;
use crate::memory::{EpisodeCommand, FactCommand, ListArgs as MemoryListArgs};
use crate::merge::{DiffArgs, DiscardArgs, MergeArgs, SendBackArgs};
use crate::notice::NoticeCommand;
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
    Init(InitArgs),
    /// Features: scopes of work and their knowledge.
    #[command(subcommand)]
    Feature(FeatureCommand),
    /// Tasks: units of work.
    #[command(subcommand)]
    Task(TaskCommand),
    /// Learnings: what was learnt about a feature.
    #[command(subcommand, alias = "learnings")]
    Learning(LearningCommand),
    /// The facts that hold, oldest first: the same as `ralph fact list`.
    Facts(MemoryListArgs),
    /// Facts: what is so in the project, each with the file that says so.
    #[command(subcommand)]
    Fact(FactCommand),
    /// Episodes, oldest first: the same as `ralph episode list`.
    Episodes(MemoryListArgs),
    /// Automatic learning: what is learnt without being asked.
    #[command(subcommand)]
    Learn(LearnCommand),
    /// Episodes: what iterations did.
    #[command(subcommand)]
    Episode(EpisodeCommand),
    /// Disciplines: how work is done, and with which tools.
    #[command(subcommand)]
    Discipline(DisciplineCommand),
    /// How full each feature's knowledge is.
    Saturation(SaturationArgs),
    /// Work on ready tasks, here and now, until a limit is reached or nothing is ready.
    #[command(after_help = crate::run::exit_codes())]
    Run(RunArgs),
    /// Stop the active run at once, whoever started it.
    Stop(StopArgs),
    /// Pause the active run after the current iteration.
    Pause(LaneArgs),
    /// Go on with a paused run.
    Resume(LaneArgs),
    /// Tell the next iteration something, as your words in its prompt; once.
    Guide(GuideArgs),
    /// Answer what an agent asks leave for, yes or no; without words, list what waits for an answer
    Answer(AnswerArgs),
    /// The exact prompt that the next iteration on a task would get.
    Prompt(PromptArgs),
    /// Attempts at a task: model, cost, why each failed, what it suggested.
    Attempts { task: u32 },
    /// What the project's history says: models, costs, failures, the effect of memory; `eval`: retrieval and what is learnt from selections.
    Insights(InsightsArgs),
    /// Say whether a learning helped, or take back what was learnt from such words.
    Feedback(FeedbackArgs),
    /// What is known about a question or a task, best first, each with the reasons for its place.
    Recall(RecallArgs),
    /// Let recall search files and folders of the project too, section by section; changed ones are read again by themselves.
    Ingest(IngestArgs),
    /// Documents: the files that were brought in.
    #[command(subcommand)]
    Document(DocumentCommand),
    /// Measure retrieval: on a judged collection (BEIR's layout), which needs no project, or on what the project recorded of itself.
    Eval(EvalArgs),
    /// Make missing vectors, and compare learnings by them: what says the same becomes one, what contradicts is settled or listed.
    Reconcile,
    /// Find out what the cosines of the set embedding model mean, with labelled pairs that ship with Ralph; duplicates are told by it.
    Calibrate,
    /// Have an agent write the learnings that have proved themselves into documents; what it proposes waits for `ralph merge`.
    Consolidate(ConsolidateArgs),
    /// What waits for a person: contradictions, warnings of the quality gate, parked learnings; and what Ralph did that can be undone.
    Review(ReviewArgs),
    /// Have an agent look at learnings that nobody has reviewed: what holds is reviewed, what it doubts waits in `ralph review`.
    ReviewRun(ReviewRunArgs),
    /// The door's verdict on each pair of texts (columns id, a, b); needs no project.
    EvalPairs(EvalPairsArgs),
    /// Measure retrieval on questions that its constants were not chosen on: each repository, conversation or domain is left out in turn.
    EvalLeaveOut(EvalLeaveOutArgs),
    /// What is put before you: proposals of agents, and what they did to the repository.
    #[command(subcommand)]
    Notice(NoticeCommand),
    /// Uncommitted work of yours that was kept aside before an agent started.
    #[command(subcommand)]
    Snapshot(SnapshotCommand),
    /// Worktrees: folders that tasks are worked on in beside each other.
    #[command(subcommand)]
    Worktree(WorktreeCommand),
    /// Agent runs that belong to no task, such as one that settles a conflict or writes documents.
    #[command(subcommand)]
    Errand(ErrandCommand),
    /// What the work on a task changed, or what an errand proposes, against its base.
    Diff(DiffArgs),
    /// Bring the work on a task that is in review, or what an errand proposes, into its base: merged, checked, landed; or refused with nothing half done.
    Merge(MergeArgs),
    /// Throw the work on a task, or what an errand proposes, away; it can come back until its branch is pruned.
    Discard(DiscardArgs),
    /// Give the work on a task back to the agents, with what is to be changed.
    SendBack(SendBackArgs),
    /// What runs now, and what needs you.
    Status,
    /// Serve the MCP tools on standard input and output.
    Mcp(McpArgs),
    /// Print the signals in a recorded transcript.
    Parse(ParseArgs),
    /// What the project's folder would run, obey or send, and your yes to it on this machine.
    Trust(TrustArgs),
    /// Keys of model servers, in the keyring of your system.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Check git, the agents, the database and the journals.
    Doctor,
    /// Bring back a project that is missing or damaged, from what this machine keeps of it and from its journals.
    Restore(RestoreArgs),
    /// Restore knowledge from the journals.
    Rebuild,
    /// Print everything as one JSON document.
    Export(ExportArgs),
    /// Copy the database to `.ralph/db/backups`.
    Backup,
    /// Look for junk in what is stored: duplicates, boilerplate, what nobody used, secrets …; put it away, or take secrets out.
    Audit(AuditArgs),
    /// The section of AGENTS.md or CLAUDE.md that tells agents outside of Ralph what is known: shown as a difference, then written.
    #[command(name = "agents-md")]
    AgentsFile(AgentsFileArgs),
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
    /// Tools that are offered: core (features, tasks, learnings) or full (also search, episodes, facts and documents).
    #[arg(long, default_value = "core")]
    profile: McpProfile,
    /// Also let the client's program ask the person's leave, and wait so many minutes for it: for the agents of runs.
    #[arg(long, value_name = "MINUTES")]
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
