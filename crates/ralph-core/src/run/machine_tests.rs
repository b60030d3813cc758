//! Scripts for the run machine: one event per line, with the effects that must follow.

use super::hooks::testing::{check as check_result, facts};
use super::hooks::{Claim, RowEffect};
use super::machine::{Effect, Event, Machine, MachineConfig};
use super::{RunControl, RunLimits};
use crate::limits;
use crate::sigil::TaskClaim;
use crate::signal::{AgentSignal, Usage};
use crate::task::TaskKind;
use crate::time::Timestamp;

fn no_limits() -> MachineConfig {
    let limits = RunLimits { max_iterations: None, max_minutes: None, max_usd: None };
    MachineConfig { limits, only_task: None, max_attempts: 3, has_check: false }
}

fn minutes(max_minutes: u32) -> MachineConfig {
    MachineConfig { limits: RunLimits { max_minutes: Some(max_minutes), ..no_limits().limits }, ..no_limits() }
}

fn checked() -> MachineConfig {
    MachineConfig { has_check: true, ..no_limits() }
}

/// Plays `event → effects` lines and compares the effects. `+60s event` lets a minute pass first. `iteration ENDING, WORDS` stands for all
/// events from the claim to the facts, and shows the effects of the last.
#[track_caller]
fn check(config: MachineConfig, script: &str) {
    let mut now = Timestamp(1_795_000_000_000);
    let mut machine = Machine::new(config, now);
    let mut played = Vec::new();
    let lines: Vec<&str> = script.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    for line in &lines {
        let (given, _) = line.split_once('→').expect("an arrow");
        let event = match given.trim().strip_prefix('+').and_then(|rest| rest.split_once("s ")) {
            Some((seconds, event)) => {
                now = now.plus_millis(seconds.parse::<u64>().expect("seconds") * 1_000);
                event
            }
            None => given.trim(),
        };
        let mut effects = Vec::new();
        for event in read_events(event.trim(), now) {
            effects = machine.step(event, now);
        }
        let effects: Vec<String> = effects.iter().map(|effect| show(effect, now)).collect();
        played.push(format!("{} → {}", given.trim(), effects.join(", ")).trim_end().to_owned());
    }
    let expected: Vec<String> =
        lines.iter().map(|line| line.split('→').map(str::trim).collect::<Vec<_>>().join(" → ").trim_end().to_owned()).collect();
    assert_eq!(played, expected, "\nplayed:\n{}\n", played.join("\n"));
}

fn read_events(text: &str, now: Timestamp) -> Vec<Event> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let signal = |signal| vec![Event::Signal(signal)];
    match word {
        "start" => vec![Event::Started],
        "claimed" => vec![Event::Claimed(Some(claim(rest.parse().expect("task"))))],
        "nothing" => vec![Event::Claimed(None)],
        "started" => vec![Event::AgentStarted],
        "unavailable" => vec![Event::AgentUnavailable { message: rest.to_owned() }],
        "say" => signal(AgentSignal::Text { text: rest.to_owned() }),
        "think" => signal(AgentSignal::Thinking { text: rest.to_owned() }),
        "subagent" => signal(AgentSignal::SubagentText { text: rest.to_owned() }),
        "turn" => signal(turn(rest)),
        "warned" => signal(AgentSignal::RateLimit { rejected: false, resets_at: Some(now.plus_millis(60_000)), limit: None }),
        "refused" => signal(AgentSignal::RateLimit { rejected: true, resets_at: read_offset(rest, now), limit: None }),
        "exit" => vec![exit(rest, Vec::new())],
        "exit-after-mcp-done" => vec![exit(rest, vec![TaskClaim { done: true, task: Some(7) }])],
        "facts" => vec![Event::Gathered(Box::new(read_facts(rest)))],
        "committed" => vec![Event::Committed { cost_usd: rest.parse().unwrap_or(0.0) }],
        "commit-failed" => vec![Event::CommitFailed { message: rest.to_owned() }],
        "iteration" => {
            let (ending, words) = rest.split_once(", ").unwrap_or((rest, ""));
            let said = Event::Signal(AgentSignal::Text { text: words.to_owned() });
            vec![Event::Claimed(Some(claim(7))), Event::AgentStarted, said, exit(ending, Vec::new()), Event::Gathered(Box::new(facts()))]
        }
        "pause" => vec![Event::Control(RunControl::Pause)],
        "resume" => vec![Event::Control(RunControl::None)],
        "stop-after" => vec![Event::Control(RunControl::StopAfter)],
        "stop-now" => vec![Event::Control(RunControl::StopNow)],
        "tick" => vec![Event::Tick],
        _ => panic!("no such event: {text}"),
    }
}

fn claim(task: u32) -> Claim {
    Claim { task, kind: TaskKind::Work, feature: "billing".to_owned(), iteration: task * 10, attempt: 1 }
}

fn turn(ending: &str) -> AgentSignal {
    let text = "<task-done/> as the result line repeats".to_owned();
    AgentSignal::TurnEnded { ending: ending.parse().expect("ending"), text, usage: Usage::default(), denials: 0 }
}

fn exit(ending: &str, mcp_claims: Vec<TaskClaim>) -> Event {
    Event::AgentExited { ending: ending.parse().expect("ending"), exit_code: Some(1), detail: "as told".to_owned(), mcp_claims }
}

/// `3600s` from now, `-60s` before now, or nothing.
fn read_offset(text: &str, now: Timestamp) -> Option<Timestamp> {
    text.strip_suffix('s').map(|seconds| Timestamp(now.0 + seconds.parse::<i64>().expect("seconds") * 1_000))
}

fn read_facts(text: &str) -> super::hooks::Facts {
    let mut facts = facts();
    match text.split_once(' ') {
        Some(("check", passed)) => facts.evidence.check = Some(check_result(passed == "passed")),
        Some(("failures", count)) => facts.consecutive_failures = count.parse().expect("count"),
        _ => {}
    }
    facts
}

fn show(effect: &Effect, now: Timestamp) -> String {
    let seconds = |at: &Timestamp| format!("{}s", (at.0 - now.0) / 1_000);
    match effect {
        Effect::ClaimNext { only: None } => "claim".to_owned(),
        Effect::ClaimNext { only: Some(task) } => format!("claim only {task}"),
        Effect::StartAgent => "start-agent".to_owned(),
        Effect::StopAgent => "stop-agent".to_owned(),
        Effect::Gather { run_check: false } => "gather".to_owned(),
        Effect::Gather { run_check: true } => "gather and check".to_owned(),
        Effect::CancelCheck => "cancel-check".to_owned(),
        Effect::Commit(commit) => {
            let status = commit.rows.iter().find_map(|row| match row {
                RowEffect::SettleTask { status, .. } => Some(*status),
                _ => None,
            });
            format!("commit {} {}", commit.outcome, status.expect("a settled task"))
        }
        Effect::SetState { state, waiting_until, .. } => {
            format!("state {state}{}", waiting_until.as_ref().map_or(String::new(), |at| format!(" {}", seconds(at))))
        }
        Effect::WakeAt(at) => format!("wake {}", seconds(at)),
        Effect::End { reason, note: None } => format!("end {reason}"),
        Effect::End { reason, note: Some(note) } => format!("end {reason}: {note}"),
    }
}

#[test]
fn a_task_is_worked_and_then_nothing_is_ready() {
    check(
        no_limits(),
        "start            → claim
         claimed 7        → start-agent
         started          →
         say working      →
         say <task-done/> →
         turn completed   →
         exit completed   → gather
         facts            → commit done done
         committed 0.25   → claim
         nothing          → end nothing_ready
         tick             →",
    );
}

#[test]
fn only_the_agents_own_text_claims() {
    check(
        no_limits(),
        "start                 → claim
         claimed 7             → start-agent
         think <task-done/>    →
         subagent <task-done/> →
         turn completed        →
         exit completed        → gather
         facts                 → commit no_sigil pending",
    );
}

#[test]
fn a_claim_through_mcp_is_settled_like_any_other() {
    check(
        checked(),
        "start                         → claim
         claimed 7                     → start-agent
         started                       →
         exit-after-mcp-done completed → gather and check
         facts check failed            → commit failed pending",
    );
}

#[test]
fn a_run_for_one_task_claims_only_that() {
    check(
        MachineConfig { only_task: Some(7), ..no_limits() },
        "start   → claim only 7
         nothing → end nothing_ready: task 7 is not ready",
    );
}

#[test]
fn the_check_runs_only_after_a_done_claim_and_decides() {
    for (words, ending, gather, facts, commit) in [
        ("<task-done/>", "completed", "gather and check", "facts check passed", "commit done done"),
        ("<task-done/>", "completed", "gather and check", "facts check failed", "commit failed pending"),
        ("<task-done/>", "crashed", "gather and check", "facts check passed", "commit done done"),
        ("<task-done/>", "crashed", "gather and check", "facts check failed", "commit error pending"),
        ("<task-done/>", "network", "gather", "facts", "commit network pending"),
        ("<task-failed/>", "completed", "gather", "facts", "commit failed pending"),
        ("nothing to say", "completed", "gather", "facts", "commit no_sigil pending"),
    ] {
        let script =
            format!("start → claim\n claimed 7 → start-agent\n started →\n say {words} →\n exit {ending} → {gather}\n {facts} → {commit}");
        check(checked(), &script);
    }
}

#[test]
fn a_task_that_fails_too_often_is_blocked() {
    check(
        no_limits(),
        "start             → claim
         claimed 7         → start-agent
         started           →
         exit crashed      → gather
         facts failures 2  → commit error blocked
         committed         → claim",
    );
}

#[test]
fn limits_are_looked_at_before_each_claim() {
    let with = |max_iterations, max_usd| MachineConfig { limits: RunLimits { max_iterations, max_minutes: None, max_usd }, ..no_limits() };
    check(with(Some(0), None), "start → end max_iterations: the run's limit of iterations is 0");
    check(
        with(Some(2), Some(9.0)),
        "start               → claim
         iteration completed → commit no_sigil pending
         committed 1         → claim
         iteration completed → commit no_sigil pending
         committed 2         → end max_iterations: the run's limit of iterations is 2",
    );
    check(
        with(None, Some(0.5)),
        "start               → claim
         iteration completed → commit no_sigil pending
         committed 0.49      → claim
         iteration completed → commit no_sigil pending
         committed 0.51      → end max_usd: $0.51 of $0.50 were spent",
    );
}

#[test]
fn minutes_stop_the_agent_and_count_no_attempt() {
    check(
        minutes(2),
        "start            → wake 120s, claim
         claimed 7        → start-agent
         started          →
         +119s tick       →
         +1s tick         → stop-agent, state stopping
         say <task-done/> →
         tick             →
         exit interrupted → gather
         facts            → commit stopped pending
         committed        → end max_minutes",
    );
    check(
        minutes(2),
        "start           → wake 120s, claim
         +120s claimed 7 → gather
         facts           → commit stopped pending
         committed       → end max_minutes",
    );
    check(
        minutes(2),
        "start      → wake 120s, claim
         pause      →
         iteration completed → commit no_sigil pending
         committed  → state paused, wake 120s
         +120s tick → end max_minutes: the run's limit is 2 min",
    );
}

#[test]
fn pause_comes_after_the_iteration_and_resume_goes_on() {
    check(
        no_limits(),
        "start          → claim
         claimed 7      → start-agent
         started        →
         pause          →
         exit completed → gather
         facts          → commit no_sigil pending
         committed      → state paused
         pause          →
         tick           →
         resume         → state running, claim
         nothing        → end nothing_ready",
    );
}

#[test]
fn stop_after_ends_at_the_next_pause_between_iterations() {
    check(
        no_limits(),
        "start               → claim
         claimed 7           → start-agent
         started             →
         stop-after          →
         say <task-done/>    →
         exit completed      → gather
         facts               → commit done done
         committed           → end stopped_after_iteration",
    );
    check(
        no_limits(),
        "start      → claim
         stop-after →
         claimed 7  → gather
         facts      → commit stopped pending
         committed  → end stopped_after_iteration",
    );
}

#[test]
fn stop_now_works_at_any_moment() {
    check(no_limits(), "stop-now →\n start → end stopped_now\n stop-now →");
    check(no_limits(), "start → claim\n stop-now →\n nothing → end stopped_now");
    check(no_limits(), "start → claim\n stop-now →\n claimed 7 → gather\n facts → commit stopped pending\n committed → end stopped_now");
    check(
        no_limits(),
        "start            → claim
         claimed 7        → start-agent
         stop-now         → state stopping
         started          → stop-agent
         exit interrupted → gather
         facts            → commit stopped pending
         committed        → end stopped_now",
    );
    check(
        no_limits(),
        "start            → claim
         claimed 7        → start-agent
         started          →
         say <task-done/> →
         stop-now         → stop-agent, state stopping
         stop-now         →
         resume           →
         exit interrupted → gather
         facts            → commit stopped pending
         committed        → end stopped_now",
    );
    check(
        no_limits(),
        "start → claim\n pause →\n iteration completed → commit no_sigil pending\n committed → state paused\n stop-now → end stopped_now",
    );
}

#[test]
fn stop_now_cancels_a_check_but_keeps_a_result_that_is_whole() {
    check(
        checked(),
        "start              → claim
         claimed 7          → start-agent
         started            →
         say <task-done/>   →
         exit completed     → gather and check
         stop-now           → cancel-check, state stopping
         facts check failed → commit stopped pending
         committed          → end stopped_now",
    );
    check(
        no_limits(),
        "start            → claim
         claimed 7        → start-agent
         started          →
         say <task-done/> →
         exit completed   → gather
         stop-now         →
         facts            → commit done done
         committed        → end stopped_now",
    );
}

#[test]
fn a_usage_limit_waits_until_its_reset_time() {
    check(
        no_limits(),
        "start             → claim
         claimed 7         → start-agent
         started           →
         refused 3600s     →
         exit failed       → gather
         facts             → commit rate_limited pending
         committed         → state waiting 3605s, wake 3605s
         +3600s tick       → wake 5s
         +5s tick          → state running, claim",
    );
}

#[test]
fn a_reset_time_that_makes_no_sense_is_not_believed() {
    for offset in ["", "-60s", "0s", "604801s"] {
        let script = format!(
            "start → claim\n claimed 7 → start-agent\n started →\n refused {offset} →\n exit rate_limited → gather\n facts → commit rate_limited pending\n \
             committed → state waiting 60s, wake 60s"
        );
        check(no_limits(), &script.replace("refused  →", "refused →"));
    }
}

#[test]
fn waits_grow_until_an_attempt_shows_that_the_limit_is_over() {
    let round = |ending: &str, seconds: u32| {
        format!(
            "iteration {ending} → commit rate_limited pending\n committed → state waiting {seconds}s, wake {seconds}s\n \
             +{seconds}s tick → state running, claim\n"
        )
    };
    let (first, rest) =
        (round("rate_limited", 60), [round("overloaded", 300), round("rate_limited", 900), round("rate_limited", 1_800)].concat());
    let attempt = "iteration completed → commit no_sigil pending\n committed → claim\n";
    check(no_limits(), &format!("start → claim\n{first}{rest}{}{attempt}{first}", round("rate_limited", 1_800)));
}

#[test]
fn limits_and_network_count_no_iteration() {
    check(
        MachineConfig { limits: RunLimits { max_iterations: Some(1), ..no_limits().limits }, ..no_limits() },
        "start                  → claim
         iteration rate_limited → commit rate_limited pending
         committed              → state waiting 60s, wake 60s
         +60s tick              → state running, claim
         iteration network      → commit network pending
         committed              → state waiting 60s, wake 60s
         +60s tick              → state running, claim
         iteration completed    → commit no_sigil pending
         committed              → end max_iterations: the run's limit of iterations is 1",
    );
}

#[test]
fn a_warning_or_a_refusal_that_was_got_over_has_no_effect() {
    for said in ["warned", "refused 60s"] {
        let script = format!(
            "start → claim\n claimed 7 → start-agent\n started →\n {said} →\n say <task-done/> →\n exit completed → gather\n facts → commit done done\n \
             committed → claim"
        );
        check(no_limits(), &script);
    }
    check(
        no_limits(),
        "start       → claim
         claimed 7   → start-agent
         refused 60s →
         warned      →
         exit failed → gather
         facts       → commit error pending",
    );
}

#[test]
fn a_network_that_stays_away_ends_the_run() {
    let mut script = "start → claim\n".to_owned();
    for wait in limits::RATE_LIMIT_WAITS_MILLIS.map(|millis| millis / 1_000) {
        script += &format!(
            "iteration network → commit network pending\n committed → state waiting {wait}s, wake {wait}s\n +{wait}s tick → state running, claim\n"
        );
    }
    script += "iteration network → commit network pending\n";
    script += "committed → end network: the connection failed 5 times in a row: check the network, then start again. Last error: as told";
    check(no_limits(), &script);
}

#[test]
fn what_a_person_must_mend_ends_the_run() {
    check(
        no_limits(),
        "start                    → claim
         iteration authentication → commit authentication pending
         committed                → end authentication: the agent's key, login or credit is missing: log in with the agent's own command line, or set its API key, then start again. It said: as told",
    );
    check(
        no_limits(),
        "start                       → claim
         claimed 7                   → start-agent
         unavailable no such program → gather
         facts                       → commit interrupted pending
         committed                   → end agent_unavailable: no such program",
    );
    check(
        no_limits(),
        "start                 → claim
         iteration interrupted → commit stopped pending
         committed             → end stopped_now: the agent was interrupted from outside Ralph",
    );
    check(no_limits(), "start → claim\n commit-failed disk full → end internal_error: disk full\n nothing →");
    check(
        no_limits(),
        "start → claim\n iteration completed → commit no_sigil pending\n commit-failed disk full → end internal_error: disk full",
    );
}

#[test]
fn a_person_can_pause_and_stop_a_wait() {
    let waiting = "start → claim\n iteration rate_limited → commit rate_limited pending\n committed → state waiting 60s, wake 60s\n";
    check(no_limits(), &format!("{waiting} stop-now → end stopped_now"));
    check(no_limits(), &format!("{waiting} stop-after → end stopped_after_iteration"));
    check(
        no_limits(),
        &format!(
            "{waiting} pause → state paused\n +10s resume → state waiting 50s, wake 50s\n pause → state paused\n +50s resume → state running, claim"
        ),
    );
    check(
        minutes(1),
        "start                  → wake 60s, claim
         iteration rate_limited → commit rate_limited pending
         +1s committed          → state waiting 60s, wake 59s
         +59s tick              → end max_minutes: the run's limit is 1 min",
    );
}

#[test]
fn events_that_come_too_late_are_ignored() {
    check(
        no_limits(),
        "tick           →
         claimed 7      →
         exit completed →
         start          → claim
         start          →
         committed      →
         claimed 7      → start-agent
         claimed 8      →
         started        →
         unavailable x  →
         commit-failed  →
         facts          →
         exit completed → gather
         exit completed →
         say late       →
         facts          → commit no_sigil pending
         facts          →
         committed      → claim",
    );
}

#[test]
fn a_flood_of_text_keeps_its_end() {
    let mut machine = Machine::new(no_limits(), Timestamp(0));
    let mut step = |event| machine.step(event, Timestamp(1));
    step(Event::Started);
    step(Event::Claimed(Some(claim(7))));
    step(Event::AgentStarted);
    step(Event::Signal(AgentSignal::Text { text: "<task-failed/>".to_owned() }));
    for _ in 0..3_000 {
        step(Event::Signal(AgentSignal::Text { text: "ä".repeat(512) }));
    }
    step(Event::Signal(AgentSignal::Text { text: "ä".repeat(limits::AGENT_TEXT_BYTES) + "<task-done/>" }));
    step(exit("completed", Vec::new()));
    let effects = step(Event::Gathered(Box::new(facts())));
    let [Effect::Commit(commit)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(commit.outcome, super::Outcome::Done);
}

#[test]
fn usage_is_summed_and_denials_are_told() {
    let mut machine = Machine::new(no_limits(), Timestamp(0));
    let mut step = |event| machine.step(event, Timestamp(1));
    step(Event::Started);
    step(Event::Claimed(Some(claim(7))));
    step(Event::Signal(AgentSignal::Denied { tool: "Bash".to_owned(), summary: "rm -rf build".to_owned() }));
    for cost in [0.25, 0.5] {
        let usage = Usage { input_tokens: 10, cost_usd: Some(cost), ..Usage::default() };
        let ending = "completed".parse().expect("ending");
        step(Event::Signal(AgentSignal::TurnEnded { ending, text: String::new(), usage, denials: 1 }));
    }
    step(exit("completed", Vec::new()));
    let effects = step(Event::Gathered(Box::new(facts())));
    let [Effect::Commit(commit)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!((commit.usage.input_tokens, commit.usage.cost_usd), (20, Some(0.75)));
    assert_eq!(commit.denials, ["Bash: rm -rf build", "refused tool calls that were only counted: 1"]);
    assert_eq!(commit.attempt, Some(1));
}
