//! Hooks: decisions after an iteration, each in its own file.
//!
//! All hooks see the same [`IterationCtx`] but not each other's effects, and none decides what the run does next: the machine does.
//! Never here: side effects. A hook returns rows for the driver to commit together.

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
pub use judge::{Judgement, judge, tells_words_left};

use super::attempt::FailureRecord;
use super::{Evidence, HookNote, Outcome};
use crate::learning::NewLearning;
use crate::sigil::{Difficulty, Sigils, TaskClaim};
use crate::signal::{Ending, Usage};
use crate::split::SplitProgress;
use crate::task::{TaskKind, TaskStatus};
use crate::time::Timestamp;
use crate::{IterationId, TaskId};

/// Decides one thing after an iteration. `None` = not applicable.
pub type HookFn = fn(&mut Effects, &IterationCtx) -> Option<()>;

/// A named hook.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// The name shown on its note.
    pub name: &'static str,
    /// The decision.
    pub run: HookFn,
}

/// The hook whose note states how an attempt ended, and what did not count.
pub const RECORD_OUTCOME: &str = "record_outcome";
/// The hook whose note lists the verdicts on learnings; completed at commit.
pub const HARVEST_LEARNINGS: &str = "harvest_learnings";
/// The hook whose note states the saturation; completed at commit.
pub const NOTE_SATURATION: &str = "note_saturation";
/// The hook whose note says that an episode is recorded; completed at commit.
pub const TELL_EPISODE: &str = "tell_episode";

/// The hooks after an iteration, in the order their notes are shown.
pub const POST_ITERATION: &[Hook] = &[
    Hook { name: RECORD_OUTCOME, run: record_outcome::run },
    Hook { name: "settle_task", run: settle_task::run },
    Hook { name: "report_failure", run: report_failure::run },
    Hook { name: "note_estimate", run: note_estimate::run },
    Hook { name: HARVEST_LEARNINGS, run: harvest_learnings::run },
    Hook { name: NOTE_SATURATION, run: note_saturation::run },
    Hook { name: TELL_EPISODE, run: tell_episode::run },
    Hook { name: "detect_stall", run: detect_stall::run },
];

/// A change of rows; all changes of an iteration are committed together.
#[derive(Clone, PartialEq, Debug)]
pub enum RowEffect {
    /// Closes the iteration.
    SetOutcome {
        /// The outcome.
        outcome: Outcome,
        /// The reason in one sentence.
        note: String,
    },
    /// Ends the claim on the task.
    SettleTask {
        /// The task's new status.
        status: TaskStatus,
        /// Why it is blocked, if it is.
        blocked_reason: Option<String>,
    },
    /// Stores why this attempt failed, with its iteration. At most one per iteration, and only for attempts.
    ReportFailure(FailureRecord),
    /// Stores the agent's estimate with its iteration. At most one per iteration, and only for attempts; at least one field is set.
    NoteEstimate {
        /// How hard it found the task.
        difficulty: Option<Difficulty>,
        /// Model requested for the next attempt; never after a success.
        next_model: Option<String>,
    },
    /// Passes a candidate to `remember`.
    Remember(NewLearning),
    /// Stores the saturation of the feature's knowledge with the iteration, once its learnings are remembered, and the resulting split
    /// task.
    NoteSaturation,
    /// Records what the iteration did as an episode of its task's feature.
    TellEpisode,
}

/// Effects of one hook.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Effects {
    /// Rows to change.
    pub rows: Vec<RowEffect>,
    /// One sentence for the iteration's page.
    pub note: String,
}

/// A claimed task, and the iteration that works on it.
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
    /// Number of this attempt at the task, from 1.
    pub attempt: u32,
}

/// Why an agent was interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutShort {
    /// A person stopped the run.
    ByPerson,
    /// The run's time limit was reached.
    MinutesOver,
    /// The agent could not be started.
    NotStarted,
    /// There was no checkout to start it in.
    NoCheckout,
    /// The run's dollar limit was reached.
    DollarsOver,
    /// The provider kept refusing the key.
    Unauthorized,
    /// It began turn after turn, and each failed: it ended as these did, and is judged accordingly.
    KeepsFailing,
    /// Ralph ended: it was killed, closed, or failed. Detected when the run was released.
    RalphDied,
}

/// How the agent ended, and everything it said.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentExit {
    /// How the process ended.
    pub ending: Ending,
    /// Its exit code; `None` when it was killed or never ran.
    pub exit_code: Option<i32>,
    /// The last error, as worded by the agent or the system; may be empty.
    pub detail: String,
    /// What it said last apart from its sigils, bounded; empty when it said nothing else.
    pub last_words: String,
    /// The last result that one of its tools reported as an error, bounded; may be empty.
    pub last_error: String,
    /// Set when Ralph interrupted it, or could not start it.
    pub cut_short: Option<CutShort>,
    /// Whether its last turn ended normally, without an error, before the process did.
    pub turn_completed: bool,
    /// Whether the last report on a usage limit was a refusal.
    pub limit_refused: bool,
    /// The family of models that this limit is of alone.
    pub limited_model: Option<String>,
    /// When that limit ends, if reported.
    pub resets_at: Option<Timestamp>,
    /// Sigils in its own text, except claims.
    pub sigils: Sigils,
    /// Its claims about tasks, in its own text or through MCP, in order.
    pub claims: Vec<TaskClaim>,
    /// Tokens and dollars over all turns.
    pub usage: Usage,
    /// The last model that answered, as named by the provider, if reported.
    pub model: Option<String>,
    /// Tools it was denied.
    pub denials: Vec<String>,
    /// Remarks for a person on its start, such as a missing MCP server.
    pub remarks: Vec<String>,
}

/// What the driver found after the agent ended.
#[derive(Clone, PartialEq, Debug)]
pub struct IterationFacts {
    /// Its traces in the repository, with the check's result if one ran.
    pub evidence: Evidence,
    /// Consecutive failed attempts at the task before this one.
    pub consecutive_failures: u32,
    /// Consecutive idle iterations (see [`is_idle`]) of the task before this one.
    pub stalled_before: u32,
    /// Whether the agent said something new: a learning by a sigil that will be added, or through MCP a learning, a task or a remark.
    pub taught: bool,
    /// Failure signatures of earlier attempts at the task.
    pub known_failures: Vec<String>,
    /// Whether the next attempt would use another model if this one's was refused; `false` if the previous attempt was refused too:
    /// one change is enough to see that it does not help.
    pub another_model: bool,
    /// Its model, if the next attempt would use another one while this one is at its own usage limit.
    pub spared: Option<String>,
    /// Progress of the split of the task's feature; relevant for a split task.
    pub split: SplitProgress,
    /// Whether the settings of automatic learning let it become an episode.
    pub learns_work: bool,
    /// Which of this machine's private files the agent committed, in words. Only a person can undo that, and a `git
    /// stash` of the next agent would put the old database in the place of the newer one.
    pub exposed: Option<String>,
}

/// Input of every hook.
#[derive(Clone, PartialEq, Debug)]
pub struct IterationCtx {
    /// The task and the iteration.
    pub claim: Claim,
    /// The agent's part.
    pub exit: AgentExit,
    /// What was found afterwards.
    pub facts: IterationFacts,
    /// Consecutive failures after which a task needs a person.
    pub max_attempts: u32,
    /// Whether a check command must pass before a task counts as done.
    pub has_check: bool,
}

/// Everything to commit, in one transaction, when an iteration ends.
#[derive(Clone, PartialEq, Debug)]
pub struct IterationCommit {
    /// The task and the iteration.
    pub claim: Claim,
    /// Whether it had no effect (see [`is_idle`]).
    pub idle: bool,
    /// The outcome; the same as in its [`RowEffect::SetOutcome`], and set even if that hook failed.
    pub outcome: Outcome,
    /// Number of the attempt; `None` if it was not an attempt.
    pub attempt: Option<u32>,
    /// Changes of rows, in the order of the hooks.
    pub rows: Vec<RowEffect>,
    /// One note per hook.
    pub hooks: Vec<HookNote>,
    /// Tokens and dollars.
    pub usage: Usage,
    /// The model that answered, as named by the provider, if reported: used for pricing.
    pub model: Option<String>,
    /// Tools that the agent was denied.
    pub denials: Vec<String>,
    /// Exit code of the agent.
    pub exit_code: Option<i32>,
    /// Its traces in the repository.
    pub evidence: Evidence,
}

/// Runs hooks over a finished iteration.
///
/// A hook that panics changes no rows and leaves a note; the others are unaffected.
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
        harvest_learnings true: learnings reported for feature 'billing': 1
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
