//! The judgement that several hooks share: what became of an iteration.

use super::{AgentExit, Claim, CutShort, IterationCtx};
use crate::run::{CheckResult, Outcome};
use crate::sigil::TaskClaim;
use crate::signal::Ending;
use crate::task::TaskKind;
use crate::text::cut;

/// Children that a split must have made (RULINGS 000.6).
pub const SPLIT_CHILDREN: u32 = 2;
/// Characters of an agent's or a check's last words that a note quotes: one line on screen.
const QUOTE_CHARS: usize = 200;

/// What became of an iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The outcome.
    pub outcome: Outcome,
    /// One sentence on why.
    pub note: String,
}

/// Judges an iteration.
///
/// In this order: what Ralph cut short; limits, keys and network, which are no attempts; then the agent's last claim for its task.
/// A done claim needs more than words:
/// - a split task needs its children;
/// - with a check, the check must pass. A check that passes is stronger evidence than the way the agent ended, so it also saves a done
///   claim that was followed by a crash or by the agent's own limit;
/// - without a check, the agent must have ended its last turn by itself; a process that hung after that is still a success.
pub fn judge(ctx: &IterationCtx) -> Judgement {
    let exit = &ctx.exit;
    if let Some(judgement) = no_attempt(&ctx.claim, exit) {
        return judgement;
    }
    match last_claim(&ctx.claim, exit) {
        Some(true) => done_claim(ctx),
        Some(false) => judgement(Outcome::Failed, format!("the agent says it failed{}", reason_given(exit))),
        None if exit.ending == Ending::Completed => {
            judgement(Outcome::NoSigil, "the agent ended without saying whether the task is done".to_owned())
        }
        None => judgement(Outcome::Error, how_it_ended(exit)),
    }
}

/// Whether the check is worth running: the agent claims the task done, and nothing stands against calling it an attempt.
pub fn wants_check(claim: &Claim, exit: &AgentExit) -> bool {
    no_attempt(claim, exit).is_none() && last_claim(claim, exit) == Some(true)
}

/// The agent's last claim for the current task: done or failed. MCP claims come first, since the words after them are the last.
fn last_claim(claim: &Claim, exit: &AgentExit) -> Option<bool> {
    claims(exit).filter(|c| c.task.is_none_or(|task| task == claim.task)).last().map(|c| c.done)
}

fn claims(exit: &AgentExit) -> impl Iterator<Item = &TaskClaim> {
    exit.mcp_claims.iter().chain(&exit.sigils.claims)
}

/// What was said and not heard: claims for other tasks, malformed sigils.
pub(super) fn ignored(claim: &Claim, exit: &AgentExit) -> Vec<String> {
    let mut others: Vec<u32> = claims(exit).filter_map(|c| c.task).filter(|task| *task != claim.task).collect();
    others.sort_unstable();
    others.dedup();
    let others = others.into_iter().map(|task| format!("a claim for task {task}, which is not the current one"));
    others.chain(exit.sigils.faults.iter().cloned()).collect()
}

fn no_attempt(claim: &Claim, exit: &AgentExit) -> Option<Judgement> {
    // A refusal that the agent got over, as its completed claim shows, did not decide the iteration.
    let got_over_it = exit.ending == Ending::Completed && last_claim(claim, exit).is_some();
    let (outcome, note) = match (exit.cut_short, exit.ending) {
        (Some(CutShort::ByPerson), _) => (Outcome::Stopped, "stopped by a person".to_owned()),
        (Some(CutShort::MinutesOver), _) => (Outcome::Stopped, "stopped because the run's minutes were over".to_owned()),
        (Some(CutShort::NotStarted), _) => (Outcome::Interrupted, with_detail("the agent could not be started", exit)),
        (None, Ending::RateLimited) => (Outcome::RateLimited, with_detail("a usage limit was reached", exit)),
        (None, Ending::Overloaded) => (Outcome::RateLimited, with_detail("the provider is overloaded", exit)),
        (None, Ending::Authentication) => (Outcome::Authentication, with_detail("key, login or credit is missing", exit)),
        (None, Ending::Network) => (Outcome::Network, with_detail("the connection failed", exit)),
        (None, Ending::Interrupted) => (Outcome::Stopped, with_detail("interrupted from outside Ralph", exit)),
        (None, _) if exit.limit_refused && !got_over_it => (Outcome::RateLimited, with_detail("a usage limit was reached", exit)),
        (None, _) => return None,
    };
    Some(judgement(outcome, note))
}

fn done_claim(ctx: &IterationCtx) -> Judgement {
    let exit = &ctx.exit;
    let ended_well = exit.ending == Ending::Completed || (exit.ending == Ending::TimedOut && exit.turn_completed);
    let children = ctx.facts.split_children;
    if ctx.claim.kind == TaskKind::Split && children < SPLIT_CHILDREN {
        let note = format!(
            "claimed done, but the split needs at least {SPLIT_CHILDREN} child features and feature '{}' has {children}",
            ctx.claim.feature
        );
        return judgement(Outcome::Failed, note);
    }
    match (&ctx.facts.evidence.check, ctx.has_check) {
        (Some(check), _) if check.passed => judgement(Outcome::Done, format!("check `{}` passed; {}", cut(&check.command, 100), left(ctx))),
        (Some(check), _) if ended_well => judgement(Outcome::Failed, format!("claimed done, but {}", quote_check(check))),
        (Some(check), _) => judgement(Outcome::Error, format!("{}, and {}", how_it_ended(exit), quote_check(check))),
        (None, true) => judgement(Outcome::Failed, "claimed done, but the check did not run".to_owned()),
        (None, false) if ended_well => judgement(Outcome::Done, format!("done by the agent's own word; {}", left(ctx))),
        (None, false) => judgement(Outcome::Error, format!("claimed done, but then {}", how_it_ended(exit))),
    }
}

fn judgement(outcome: Outcome, note: String) -> Judgement {
    Judgement { outcome, note }
}

/// The evidence in a few words.
fn left(ctx: &IterationCtx) -> String {
    let evidence = &ctx.facts.evidence;
    format!("{}, {}", counted(evidence.commits.len(), "commit"), counted(evidence.changed_files.len(), "changed file"))
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn quote_check(check: &CheckResult) -> String {
    let how = check.exit_code.map_or("was killed or could not start".to_owned(), |code| format!("exited with {code}"));
    let last_line = check.output_tail.lines().map(str::trim).rfind(|line| !line.is_empty());
    let quote = last_line.map_or(String::new(), |line| format!(": {}", cut(line, QUOTE_CHARS)));
    format!("check `{}` {how}{quote}", cut(&check.command, 100))
}

fn reason_given(exit: &AgentExit) -> String {
    let report = exit.sigils.failure_report.as_ref();
    report.map_or(String::new(), |report| format!(": {}", one_line(&report.why_it_failed)))
}

fn how_it_ended(exit: &AgentExit) -> String {
    let how = match exit.ending {
        Ending::MaxTurns => "the agent reached its own limit of turns",
        Ending::MaxBudget => "the agent reached its own dollar limit",
        Ending::TimedOut => "the watchdog stopped a silent agent",
        Ending::Crashed => "the agent died without a result",
        _ => "the agent failed",
    };
    with_detail(how, exit)
}

fn with_detail(what: &str, exit: &AgentExit) -> String {
    let detail = one_line(&exit.detail);
    if detail.is_empty() { what.to_owned() } else { format!("{what}: {detail}") }
}

/// The beginning of a text, as one line.
fn one_line(text: &str) -> String {
    // Cut before and after: the first bounds the work, the second the result.
    let words: Vec<&str> = cut(text, 4 * QUOTE_CHARS).split_whitespace().collect();
    cut(&words.join(" "), QUOTE_CHARS).to_owned()
}
