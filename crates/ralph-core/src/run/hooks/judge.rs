//! The judgement shared by several hooks: the outcome of an iteration.

use super::{AgentExit, Claim, CutShort, IterationCtx};
use crate::run::attempt::quoted_line;
use crate::run::{CheckResult, Outcome};
use crate::signal::Ending;
use crate::task::TaskKind;
use crate::text::{cut, one_line};

/// Near misses listed in a note: one is usual, and the reason of a failure has room for little more.
const NEAR_MISSES: usize = 3;
/// Characters quoted of an agent's or a check's last words: one line on screen.
const QUOTE_CHARS: usize = 200;

/// The outcome of an iteration, with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The outcome.
    pub outcome: Outcome,
    /// The reason in one sentence.
    pub note: String,
}

/// Judges an iteration.
///
/// In this order: what Ralph interrupted; limits, authentication and network, which are not attempts; then the agent's last claim for its
/// task. A claim of success needs evidence:
/// - a split task must have its children;
/// - a configured check must pass. A passing check is stronger evidence than how the agent ended, so a claim of success also holds
///   if a crash or the agent's own limit followed it;
/// - without a check, the agent must have ended its last turn normally; a process that hung after that is still a success. An incomplete
///   text with the sigil does not count.
///
/// If no claim counts, the note lists near misses, so that the next attempt does not redo the work.
pub fn judge(ctx: &IterationCtx) -> Judgement {
    let exit = &ctx.exit;
    if let Some(Judgement { outcome, note }) = no_attempt(&ctx.claim, exit) {
        // An iteration that is not an attempt leaves no report, and what its agent wrote for the next one would be lost.
        return judgement(outcome, note + said_of_it(&ctx.claim, exit) + &words_left(exit));
    }
    match last_claim(&ctx.claim, exit) {
        Some(true) => done_claim(ctx),
        Some(false) => judgement(Outcome::Failed, format!("the agent says it failed{}", reason_given(exit))),
        None => {
            let near_misses = near_misses(&ctx.claim, exit);
            match (exit.ending == Ending::Completed, near_misses.is_empty()) {
                (true, true) => judgement(Outcome::NoSigil, "the agent ended without saying whether the task is done".to_owned()),
                (true, false) => {
                    judgement(Outcome::NoSigil, format!("the agent ended without a mark that counts: {}", advice(&near_misses)))
                }
                (false, true) => judgement(Outcome::Error, how_it_ended(exit)),
                (false, false) => judgement(Outcome::Error, format!("{}; no mark counted: {}", how_it_ended(exit), advice(&near_misses))),
            }
        }
    }
}

/// How an agent's words for the next attempt begin, in the note on an iteration that was not one.
const WORDS_LEFT: &str = "; the agent left word: ";
/// What it had said about the task before, in the same note.
const SAID_DONE: &str = "; the agent had said that the task is done, which nothing has confirmed";
const SAID_FAILED: &str = "; the agent had said that it failed";

/// Whether the note on an iteration that was not an attempt holds words of its agent for the next one.
pub fn tells_words_left(note: &str) -> bool {
    [WORDS_LEFT, SAID_DONE, SAID_FAILED].iter().any(|words| note.contains(words))
}

/// What it tried, the reason in its report, and its suggestion.
fn words_left(exit: &AgentExit) -> String {
    let report = exit.sigils.failure_report.as_ref();
    let suggestion = exit.sigils.retry_suggestion.as_ref().or(report.and_then(|report| report.retry_suggestion.as_ref()));
    let tried = report.map(|report| format!("tried: {}", one_line(&report.what_was_tried, QUOTE_CHARS)));
    let why = report.map(|report| one_line(&report.why_it_failed, QUOTE_CHARS));
    let next = suggestion.map(|words| format!("next time: {}", one_line(words, QUOTE_CHARS)));
    let words: Vec<String> = tried.into_iter().chain(why).chain(next).collect();
    if words.is_empty() { String::new() } else { format!("{WORDS_LEFT}{}", words.join("; ")) }
}

/// What the agent had said about the task when its iteration was cut short.
fn said_of_it(claim: &Claim, exit: &AgentExit) -> &'static str {
    match last_claim(claim, exit) {
        Some(true) => SAID_DONE,
        Some(false) => SAID_FAILED,
        None => "",
    }
}

/// The near misses, and what the next attempt should do about them.
fn advice(near_misses: &[String]) -> String {
    let named = near_misses[..near_misses.len().min(NEAR_MISSES)].join("; ");
    format!("{named}. The work may be done already: look at what is there first, and if it holds, say so on a line of its own")
}

/// Whether only a person can help: the provider refused what every further attempt would request, and there is no other model.
pub fn needs_person(ctx: &IterationCtx, outcome: Outcome) -> bool {
    outcome == Outcome::Error && ctx.exit.ending.needs_another_model() && !ctx.facts.another_model
}

/// Whether to run the check: the agent claims success, and nothing prevents the iteration from being an attempt.
pub fn wants_check(claim: &Claim, exit: &AgentExit) -> bool {
    no_attempt(claim, exit).is_none() && last_claim(claim, exit) == Some(true)
}

/// The agent's last claim for the current task: done or failed.
pub(crate) fn last_claim(claim: &Claim, exit: &AgentExit) -> Option<bool> {
    exit.claims.iter().rfind(|c| c.task.is_none_or(|task| task == claim.task)).map(|c| c.done)
}

/// Near misses for the task: claims for other tasks, and sigils that are malformed or only quoted.
fn near_misses(claim: &Claim, exit: &AgentExit) -> Vec<String> {
    let mut others: Vec<u32> = exit.claims.iter().filter_map(|c| c.task).filter(|task| *task != claim.task).collect();
    others.sort_unstable();
    others.dedup();
    let others = others.into_iter().map(|task| format!("a claim for task {task}, which is not the current one"));
    others.chain(exit.sigils.near_misses.iter().cloned()).collect()
}

/// Whether near misses belong in the attempt's report besides the agent's own reason, because no claim counted.
pub(crate) fn is_near_miss(claim: &Claim, exit: &AgentExit) -> bool {
    last_claim(claim, exit).is_none() && !near_misses(claim, exit).is_empty()
}

/// Statements that were ignored, unless the judgement already mentions them.
pub(super) fn ignored(claim: &Claim, exit: &AgentExit) -> Vec<String> {
    let near_misses = if is_near_miss(claim, exit) { Vec::new() } else { near_misses(claim, exit) };
    near_misses.into_iter().chain(exit.sigils.told_faults()).collect()
}

fn no_attempt(claim: &Claim, exit: &AgentExit) -> Option<Judgement> {
    // A refusal that the agent recovered from, as its completed claim shows, did not decide the iteration.
    let got_over_it = exit.ending == Ending::Completed && last_claim(claim, exit).is_some();
    let (outcome, note) = match (exit.cut_short, exit.ending) {
        (Some(CutShort::ByPerson), _) => (Outcome::Stopped, "stopped by a person".to_owned()),
        (Some(CutShort::MinutesOver), _) => (Outcome::Stopped, "stopped because the run's minutes were over".to_owned()),
        (Some(CutShort::DollarsOver), _) => (Outcome::Stopped, "stopped because the run's dollars were over".to_owned()),
        (Some(CutShort::Unauthorized), _) => {
            (Outcome::Authentication, with_detail("key, login or credit is missing: the provider refuses the key", exit))
        }
        (Some(CutShort::RalphDied), _) => (Outcome::Interrupted, "Ralph ended during it, so this is not an attempt".to_owned()),
        (Some(CutShort::NotStarted), _) => (Outcome::Interrupted, with_detail("the agent could not be started", exit)),
        (Some(CutShort::NoCheckout), _) => (Outcome::Interrupted, with_detail("no checkout could be made", exit)),
        (None, Ending::RateLimited) => (Outcome::RateLimited, with_detail("a usage limit was reached", exit)),
        (None, Ending::Overloaded) => (Outcome::RateLimited, with_detail("the provider is overloaded", exit)),
        (None, Ending::Authentication) => (Outcome::Authentication, with_detail("key, login or credit is missing", exit)),
        (None, Ending::Network) => (Outcome::Network, with_detail("the connection failed", exit)),
        (None, Ending::Interrupted) => (Outcome::Stopped, with_detail("interrupted from outside Ralph", exit)),
        (None, _) if exit.limit_refused && !got_over_it => (Outcome::RateLimited, with_detail("a usage limit was reached", exit)),
        // The latter is judged by how its turns ended.
        (None | Some(CutShort::KeepsFailing), _) => return None,
    };
    Some(judgement(outcome, note))
}

fn done_claim(ctx: &IterationCtx) -> Judgement {
    let exit = &ctx.exit;
    let ended_well = exit.ending == Ending::Completed || (exit.ending == Ending::TimedOut && exit.turn_completed);
    if ctx.claim.kind == TaskKind::Split && !ctx.facts.split.is_complete() {
        let note = format!("claimed done, but feature '{}' is not split yet: {}", ctx.claim.feature, ctx.facts.split.left());
        return judgement(Outcome::Failed, note);
    }
    match (&ctx.facts.evidence.check, ctx.has_check) {
        (Some(check), _) if check.passed => judgement(Outcome::Done, format!("check `{}` passed; {}", cut(&check.command, 100), left(ctx))),
        (Some(check), _) if ended_well => judgement(Outcome::Failed, format!("claimed done, but {}", quote_check(check))),
        (Some(check), _) => judgement(Outcome::Error, format!("{}, and {}", how_it_ended(exit), quote_check(check))),
        (None, true) => judgement(Outcome::Failed, "claimed done, but the check did not run".to_owned()),
        (None, false) if ended_well => judgement(Outcome::Done, format!("on the agent's own word; {}", left(ctx))),
        (None, false) => judgement(Outcome::Error, format!("claimed done, but then {}", how_it_ended(exit))),
    }
}

fn judgement(outcome: Outcome, note: String) -> Judgement {
    Judgement { outcome, note }
}

/// The evidence in brief.
fn left(ctx: &IterationCtx) -> String {
    let evidence = &ctx.facts.evidence;
    if evidence.is_unknown() { "what it changed is not known".to_owned() } else { evidence.counted() }
}

fn quote_check(check: &CheckResult) -> String {
    let how = check.exit_code.map_or("was killed or could not start".to_owned(), |code| format!("exited with {code}"));
    let quote = quoted_line(&check.output_tail).map_or(String::new(), |line| format!(": {}", cut(line, QUOTE_CHARS)));
    format!("check `{}` {how}{quote}", cut(&check.command, 100))
}

fn reason_given(exit: &AgentExit) -> String {
    let reason = exit.sigils.failure_report.as_ref().map_or(&exit.last_words, |report| &report.why_it_failed);
    let reason = one_line(reason, QUOTE_CHARS);
    if reason.is_empty() { reason } else { format!(": {reason}") }
}

fn how_it_ended(exit: &AgentExit) -> String {
    let how = match exit.ending {
        Ending::MaxTurns => "the agent reached its own limit of turns",
        Ending::MaxBudget => "the agent reached its own dollar limit",
        Ending::TimedOut => "the watchdog stopped a silent agent",
        Ending::ModelUnavailable => "the model is not available",
        Ending::ContextTooLong => "the model can't read as much as it was given",
        Ending::Crashed => "the agent died without a result",
        _ => "the agent failed",
    };
    with_detail(how, exit)
}

fn with_detail(what: &str, exit: &AgentExit) -> String {
    let detail = one_line(&exit.detail, QUOTE_CHARS);
    if detail.is_empty() { what.to_owned() } else { format!("{what}: {detail}") }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, ctx};
    use super::*;
    use crate::run::GitRemark;
    use crate::split::SplitProgress;

    #[track_caller]
    fn expect(ctx: &IterationCtx, outcome: Outcome, note: &str) {
        assert_eq!(judge(ctx), judgement(outcome, note.to_owned()));
    }

    #[test]
    fn the_last_claim_for_the_current_task_wins() {
        for (text, outcome) in [
            ("<task-done/>", Outcome::Done),
            ("<task-done>7</task-done>", Outcome::Done),
            ("<task-failed/>\nGot it.\n<task-done/>", Outcome::Done),
            ("<task-done/>\nNo.\n<task-failed/>", Outcome::Failed),
            ("<task-done/>\n<task-failed>8</task-failed>", Outcome::Done),
            ("<task-failed/>\nI may not write `<task-done/>` yet.", Outcome::Failed),
            ("<task-done>8</task-done>", Outcome::NoSigil),
            ("done", Outcome::NoSigil),
        ] {
            assert_eq!(judge(&ctx(text)).outcome, outcome, "{text}");
        }
    }

    #[test]
    fn what_only_looked_like_a_claim_is_told() {
        for (text, note) in [
            (
                "I may not write <task-done>7</task-done> yet.",
                "the agent ended without a mark that counts: <task-done> stood inside a sentence. The work may be done already: look at what is \
                 there first, and if it holds, say so on a line of its own",
            ),
            (
                "<task-done>ID</task-done>\n<task-done>8</task-done>",
                "the agent ended without a mark that counts: a claim for task 8, which is not the current one; <task-done> 'ID' is not a task id. \
                 The work may be done already: look at what is there first, and if it holds, say so on a line of its own",
            ),
            ("Use <task-done> and <learning>a</learning>.", "the agent ended without saying whether the task is done"),
        ] {
            expect(&ctx(text), Outcome::NoSigil, note);
        }
        let mut crashed = ctx("```\n<task-done/>\n```");
        crashed.exit.ending = Ending::Crashed;
        let note = judge(&crashed).note;
        assert!(note.starts_with("the agent died without a result; no mark counted: <task-done> stood in a code fence."), "{note}");
        expect(&ctx("`<task-done/>`\n<task-failed/>"), Outcome::Failed, "the agent says it failed");
    }

    #[test]
    fn when_ralph_died_nothing_but_a_clean_end_is_an_attempt() {
        for (text, note) in [
            ("", "Ralph ended during it, so this is not an attempt"),
            (
                "<task-done/>",
                "Ralph ended during it, so this is not an attempt; the agent had said that the task is done, which nothing has confirmed",
            ),
            ("<task-failed/>", "Ralph ended during it, so this is not an attempt; the agent had said that it failed"),
        ] {
            let mut ctx = ctx(text);
            ctx.exit.cut_short = Some(CutShort::RalphDied);
            expect(&ctx, Outcome::Interrupted, note);
        }
    }

    #[test]
    fn what_an_agent_wrote_for_the_next_attempt_survives_a_usage_limit() {
        let report = "<failure-report>\nwhat_was_tried: f64\nwhy_it_failed: cents are lost\nretry_suggestion: integers\n</failure-report>";
        for (text, left) in [
            (report, "; the agent left word: tried: f64; cents are lost; next time: integers"),
            ("<task-done/>", "; the agent had said that the task is done, which nothing has confirmed"),
            ("<task-failed/>", "; the agent had said that it failed"),
            ("<retry-suggestion>Count cents</retry-suggestion>", "; the agent left word: next time: Count cents"),
            ("", ""),
        ] {
            let mut ctx = ctx(text);
            ctx.exit.ending = Ending::RateLimited;
            let note = judge(&ctx).note;
            assert_eq!(note, format!("a usage limit was reached{left}"));
            assert_eq!(tells_words_left(&note), !left.is_empty());
        }
    }

    #[test]
    fn without_a_check_the_way_the_agent_ended_decides_what_a_done_claim_is_worth() {
        for (ending, turn_completed, outcome) in [
            (Ending::Completed, true, Outcome::Done),
            (Ending::TimedOut, true, Outcome::Done),
            (Ending::TimedOut, false, Outcome::Error),
            (Ending::MaxTurns, false, Outcome::Error),
            (Ending::MaxBudget, false, Outcome::Error),
            (Ending::Failed, true, Outcome::Error),
            (Ending::Crashed, false, Outcome::Error),
        ] {
            let mut ctx = ctx("<task-done/>");
            (ctx.exit.ending, ctx.exit.turn_completed) = (ending, turn_completed);
            assert_eq!(judge(&ctx).outcome, outcome, "{ending}");
            ctx.exit.claims.clear();
            let without_claim = if ending == Ending::Completed { Outcome::NoSigil } else { Outcome::Error };
            assert_eq!(judge(&ctx).outcome, without_claim, "{ending} without a claim");
        }
    }

    #[test]
    fn with_a_check_the_check_decides() {
        let mut ctx = ctx("<task-done/>");
        ctx.has_check = true;
        ctx.facts.evidence.commits = vec!["1a2b3c round totals".to_owned()];
        expect(&ctx, Outcome::Failed, "claimed done, but the check did not run");
        ctx.facts.evidence.check = Some(check(true));
        expect(&ctx, Outcome::Done, "check `make test` passed; 1 commit, 0 changed files");
        ctx.exit.ending = Ending::Crashed;
        expect(&ctx, Outcome::Done, "check `make test` passed; 1 commit, 0 changed files");
        ctx.facts.evidence.check = Some(check(false));
        expect(&ctx, Outcome::Error, "the agent died without a result, and check `make test` exited with 2: FAILED total_is_rounded");
        ctx.exit.ending = Ending::Completed;
        expect(&ctx, Outcome::Failed, "claimed done, but check `make test` exited with 2: FAILED total_is_rounded");
    }

    #[test]
    fn what_nobody_could_look_at_is_unknown_and_not_nothing() {
        let mut ctx = ctx("<task-done/>");
        for remark in [GitRemark::Unreadable, GitRemark::Unseen { why: "too many open files".into() }] {
            ctx.facts.evidence.remarks = vec![remark];
            expect(&ctx, Outcome::Done, "on the agent's own word; what it changed is not known");
        }
    }

    #[test]
    fn a_split_is_done_only_with_its_children() {
        let mut ctx = ctx("<task-done/>");
        ctx.claim.kind = TaskKind::Split;
        ctx.facts.split.children = 1;
        let note = "claimed done, but feature 'billing' is not split yet: it has 1 child feature and needs at least 2";
        expect(&ctx, Outcome::Failed, note);
        ctx.facts.split = SplitProgress { children: 2, open_tasks: vec![8, 9] };
        let note = "claimed done, but feature 'billing' is not split yet: open tasks are still in it: #8, #9";
        expect(&ctx, Outcome::Failed, note);
        ctx.facts.split.open_tasks.clear();
        expect(&ctx, Outcome::Done, "on the agent's own word; 0 commits, 0 changed files");
    }

    #[test]
    fn what_says_nothing_about_the_task_is_no_attempt() {
        for (ending, cut_short, outcome) in [
            (Ending::Completed, Some(CutShort::ByPerson), Outcome::Stopped),
            (Ending::Crashed, Some(CutShort::MinutesOver), Outcome::Stopped),
            (Ending::Interrupted, Some(CutShort::NotStarted), Outcome::Interrupted),
            (Ending::Interrupted, Some(CutShort::NoCheckout), Outcome::Interrupted),
            (Ending::RateLimited, None, Outcome::RateLimited),
            (Ending::Overloaded, None, Outcome::RateLimited),
            (Ending::Authentication, None, Outcome::Authentication),
            (Ending::Network, None, Outcome::Network),
            (Ending::Interrupted, None, Outcome::Stopped),
        ] {
            let mut ctx = ctx("<task-done/>");
            (ctx.exit.ending, ctx.exit.cut_short) = (ending, cut_short);
            assert_eq!(judge(&ctx).outcome, outcome, "{ending} {cut_short:?}");
            assert!(!outcome.is_attempt() && !wants_check(&ctx.claim, &ctx.exit));
        }
    }

    #[test]
    fn a_refusal_by_a_usage_limit_decides_unless_the_agent_got_over_it() {
        for (text, ending, outcome) in [
            ("", Ending::Completed, Outcome::RateLimited),
            ("", Ending::Failed, Outcome::RateLimited),
            ("<task-done/>", Ending::Crashed, Outcome::RateLimited),
            ("<task-done/>", Ending::Completed, Outcome::Done),
        ] {
            let mut ctx = ctx(text);
            (ctx.exit.ending, ctx.exit.limit_refused) = (ending, true);
            assert_eq!(judge(&ctx).outcome, outcome, "{text} {ending}");
        }
    }

    #[test]
    fn notes_quote_one_bounded_line() {
        let mut ctx = ctx("");
        ctx.exit.ending = Ending::Failed;
        ctx.exit.detail = "no\n such\ttool ".to_owned() + &"x".repeat(100_000);
        let note = judge(&ctx).note;
        assert!(note.starts_with("the agent failed: no such tool x") && note.chars().count() < 300, "{note}");
    }
}
