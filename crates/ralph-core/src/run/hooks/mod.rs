//! Hooks: what is decided after an iteration, each in a file of its own.
//!
//! All hooks see the same [`IterationCtx`]; none sees another's effects, and none chooses what the run does next: the machine does.
//! Never here: performing anything. A hook returns rows for the driver to commit together.

mod detect_stall;
mod harvest_learnings;
pub mod judge;
mod note_estimate;
mod note_saturation;
mod record_outcome;
mod report_failure;
mod settle_task;
mod tell_episode;
#[cfg(test)]
pub(crate) mod testing;

pub use detect_stall::{is_idle, tells_new_failure};
pub use judge::{Judgement, judge};

use super::attempt::FailureRecord;
use super::{Evidence, HookNote, Outcome};
use crate::learning::NewLearning;
use crate::sigil::{Difficulty, Sigils, TaskClaim};
use crate::signal::{Ending, Usage};
use crate::split::SplitProgress;
use crate::task::{TaskKind, TaskStatus};
use crate::time::Timestamp;
use crate::{IterationId, TaskId};

/// Decides one thing after an iteration. `None` = "not my case".
pub type HookFn = fn(&mut Effects, &IterationCtx) -> Option<()>;

/// A named hook.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// The name on its note.
    pub name: &'static str,
    /// The decision.
    pub run: HookFn,
}

/// The hook whose note tells how an attempt ended, and what did not count.
pub const RECORD_OUTCOME: &str = "record_outcome";
/// The hook whose note tells the saturation; completed by whoever commits.
pub const NOTE_SATURATION: &str = "note_saturation";

/// The hooks after an iteration, in the order in which their notes are shown.
pub const POST_ITERATION: &[Hook] = &[
    Hook { name: RECORD_OUTCOME, run: record_outcome::run },
    Hook { name: "settle_task", run: settle_task::run },
    Hook { name: "report_failure", run: report_failure::run },
    Hook { name: "note_estimate", run: note_estimate::run },
    Hook { name: "harvest_learnings", run: harvest_learnings::run },
    Hook { name: NOTE_SATURATION, run: note_saturation::run },
    Hook { name: "tell_episode", run: tell_episode::run },
    Hook { name: "detect_stall", run: detect_stall::run },
];

/// A change of rows; the driver commits all of an iteration together.
#[derive(Clone, PartialEq, Debug)]
pub enum RowEffect {
    /// Closes the iteration.
    SetOutcome {
        /// What became of it.
        outcome: Outcome,
        /// One sentence on why.
        note: String,
    },
    /// Ends the claim on the task.
    SettleTask {
        /// The status it gets.
        status: TaskStatus,
        /// Why it is blocked, when it is.
        blocked_reason: Option<String>,
    },
    /// Keeps why this attempt failed, beside its iteration. At most one per iteration, and only for attempts.
    ReportFailure(FailureRecord),
    /// Keeps what the agent estimated, beside its iteration. At most one per iteration, and only for attempts; one of the two is there.
    NoteEstimate {
        /// How hard it found the task.
        difficulty: Option<Difficulty>,
        /// Model it wishes for the next attempt; never after a success.
        next_model: Option<String>,
    },
    /// Hands a candidate to the one door of knowledge.
    Remember(NewLearning),
    /// Keeps the saturation of the feature's knowledge beside the iteration, once its learnings have passed the door, and the split task
    /// that followed from them.
    NoteSaturation,
    /// Tells what the iteration did, as an episode of its task's feature.
    TellEpisode,
}

/// What one hook wants.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Effects {
    /// Rows to change.
    pub rows: Vec<RowEffect>,
    /// One sentence for the iteration's page.
    pub note: String,
}

/// A task that was claimed, and the iteration that works it.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    /// The task.
    pub task: TaskId,
    /// Ordinary work or a split.
    pub kind: TaskKind,
    /// Name of the task's feature when it was claimed.
    pub feature: String,
    /// The iteration's row.
    pub iteration: IterationId,
    /// Which attempt at the task this is, from 1.
    pub attempt: u32,
}

/// Why an agent did not come to its own end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutShort {
    /// A person stopped the run.
    ByPerson,
    /// The run's minutes were over.
    MinutesOver,
    /// The agent could not be started.
    NotStarted,
    /// The run's dollars were over.
    DollarsOver,
    /// The provider refused the key again and again.
    Unauthorized,
    /// Ralph ended: it was killed, closed, or failed. Found by whoever released the run.
    RalphDied,
}

/// How an agent's part of an iteration ended, and everything it said on the way.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentExit {
    /// How the process ended.
    pub ending: Ending,
    /// Its exit code; `None` when it was killed or never ran.
    pub exit_code: Option<i32>,
    /// The last error in the agent's or the system's words; may be empty.
    pub detail: String,
    /// Set when Ralph ended it, or could not begin it.
    pub cut_short: Option<CutShort>,
    /// Whether its last turn had ended by itself, without an error, before the process did.
    pub turn_completed: bool,
    /// Whether the last word about a usage limit was a refusal.
    pub limit_refused: bool,
    /// When the refused limit ends, if told.
    pub resets_at: Option<Timestamp>,
    /// What it said in its own text, but for its claims.
    pub sigils: Sigils,
    /// How it said tasks ended, in its own text or through MCP, in order.
    pub claims: Vec<TaskClaim>,
    /// Tokens and dollars over all turns.
    pub usage: Usage,
    /// The model that answered last, as the provider names it, when that was told.
    pub model: Option<String>,
    /// Tools it was refused.
    pub denials: Vec<String>,
    /// What a person should know about its start, such as an MCP server that is missing.
    pub remarks: Vec<String>,
}

/// What the driver found out after the agent ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// What it left behind in the repository, with the check's result when one ran.
    pub evidence: Evidence,
    /// Attempts at the task that failed in a row before this one.
    pub consecutive_failures: u32,
    /// Iterations in a row before this one that were idle (see [`is_idle`]), over the task.
    pub stalled_before: u32,
    /// Whether the agent taught something that was not known: by a sigil that the door will add, or through MCP.
    pub taught: bool,
    /// Signatures of the failures that earlier attempts at the task ended with.
    pub known_failures: Vec<String>,
    /// Whether the next attempt would use another model, should this one's be refused; `false` where the attempt before was refused too:
    /// one change is enough to see that it does not help.
    pub another_model: bool,
    /// How far the split of the task's feature is; matters for a split task.
    pub split: SplitProgress,
}

/// What every hook sees.
#[derive(Clone, PartialEq, Debug)]
pub struct IterationCtx {
    /// The task and the iteration.
    pub claim: Claim,
    /// The agent's part.
    pub exit: AgentExit,
    /// What was found afterwards.
    pub facts: Facts,
    /// Failures in a row after which a task needs a person.
    pub max_attempts: u32,
    /// Whether a check command must pass before a task counts as done.
    pub has_check: bool,
}

/// Everything to commit, in one transaction, when an iteration ends.
#[derive(Clone, PartialEq, Debug)]
pub struct IterationCommit {
    /// The task and the iteration.
    pub claim: Claim,
    /// Whether it left nothing behind (see [`is_idle`]).
    pub idle: bool,
    /// What became of it; the same as in its [`RowEffect::SetOutcome`], and there even when that hook failed.
    pub outcome: Outcome,
    /// Which attempt it was; `None` when it was no attempt.
    pub attempt: Option<u32>,
    /// Changes of rows, in the hooks' order.
    pub rows: Vec<RowEffect>,
    /// One note per hook.
    pub hooks: Vec<HookNote>,
    /// Tokens and dollars.
    pub usage: Usage,
    /// The model that answered, as the provider names it, when that was told: the one to price it by.
    pub model: Option<String>,
    /// Tools the agent was refused.
    pub denials: Vec<String>,
    /// Exit code of the agent.
    pub exit_code: Option<i32>,
    /// What it left behind.
    pub evidence: Evidence,
}

/// Runs hooks over a finished iteration.
///
/// A hook that panics changes no rows and leaves a note; the others are not touched by it.
pub fn run_hooks(hooks: &[Hook], ctx: IterationCtx) -> IterationCommit {
    let outcome = judge(&ctx).outcome;
    let idle = detect_stall::leaves_nothing(&ctx);
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for hook in hooks {
        let decided = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut effects = Effects::default();
            (hook.run)(&mut effects, &ctx).map(|()| effects)
        }));
        let (applied, note) = match decided {
            Ok(Some(effects)) => {
                rows.extend(effects.rows);
                (true, effects.note)
            }
            Ok(None) => (false, "not its case".to_owned()),
            Err(_) => (false, "failed by a fault of its own; it changed nothing".to_owned()),
        };
        notes.push(HookNote { hook: hook.name.to_owned(), applied, note });
    }
    IterationCommit {
        idle,
        outcome,
        attempt: outcome.is_attempt().then_some(ctx.claim.attempt),
        rows,
        hooks: notes,
        usage: ctx.exit.usage,
        model: ctx.exit.model,
        denials: ctx.exit.denials,
        exit_code: ctx.exit.exit_code,
        evidence: ctx.facts.evidence,
        claim: ctx.claim,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hook_leaves_a_note_and_its_rows() {
        let commit = run_hooks(POST_ITERATION, testing::ctx("<task-done/>\n<learning>Use UTC</learning>"));
        let notes: Vec<String> = commit.hooks.iter().map(|n| format!("{} {}: {}", n.hook, n.applied, n.note)).collect();
        insta::assert_snapshot!(notes.join("\n"), @"
        record_outcome true: done: on the agent's own word; 0 commits, 0 changed files
        settle_task true: the task is done
        report_failure false: not its case
        note_estimate false: not its case
        harvest_learnings true: learnings handed to the door of feature 'billing': 1
        note_saturation true: saturation of feature 'billing'
        tell_episode false: not its case
        detect_stall false: not its case
        ");
        assert_eq!((commit.outcome, commit.attempt, commit.rows.len()), (Outcome::Done, Some(1), 4));
    }

    #[test]
    fn a_hook_that_fails_is_a_note_and_changes_nothing() {
        fn fails(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
            effects.rows.push(RowEffect::SetOutcome { outcome: Outcome::Done, note: String::new() });
            assert!(ctx.max_attempts > 1_000, "a fault of its own");
            Some(())
        }
        let hooks = [Hook { name: "fails", run: fails }, POST_ITERATION[0]];
        let commit = run_hooks(&hooks, testing::ctx(""));
        assert_eq!(commit.hooks.iter().map(|note| note.applied).collect::<Vec<_>>(), [false, true]);
        assert!(matches!(commit.rows.as_slice(), [RowEffect::SetOutcome { outcome: Outcome::NoSigil, .. }]));
    }

    #[test]
    fn what_is_no_attempt_gets_no_number() {
        let mut ctx = testing::ctx("");
        ctx.exit.ending = Ending::Network;
        assert_eq!(run_hooks(POST_ITERATION, ctx).attempt, None);
    }
}
