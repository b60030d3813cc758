//! Scripted tests of the run machine: one event per line, with the expected effects.

mod owed;
mod setbacks;
mod work;

use super::hooks::testing::{check as check_result, facts};
use super::hooks::{Claim, RowEffect};
use super::machine::{Effect, Event, Machine, MachineConfig, Setback};
use super::{RunControl, RunLimits};
use crate::limits;
use crate::sigil::TaskClaim;
use crate::signal::{AgentSignal, Usage};
use crate::task::TaskKind;
use crate::time::Timestamp;

fn no_limits() -> MachineConfig {
    let limits = RunLimits { max_iterations: None, max_minutes: None, max_usd: None };
    MachineConfig { limits, only_task: None, max_attempts: 3, has_check: false, stall_stop: None, workers: 1 }
}

fn minutes(max_minutes: u32) -> MachineConfig {
    MachineConfig { limits: RunLimits { max_minutes: Some(max_minutes), ..no_limits().limits }, ..no_limits() }
}

fn checked() -> MachineConfig {
    MachineConfig { has_check: true, ..no_limits() }
}

/// Feeds `event → effects` lines and compares the effects. `+60s event` advances the clock by a minute first, `+-60s` sets it back.
/// `iteration ENDING, WORDS` stands for all events from the claim to the facts, and shows the effects of the last.
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
                now.0 += seconds.parse::<i64>().expect("seconds") * 1_000;
                event
            }
            None => given.trim(),
        };
        let mut effects = Vec::new();
        for event in read_events(event.trim(), now) {
            effects = step(&mut machine, event, now);
        }
        let effects: Vec<String> = effects.iter().map(|effect| show(effect, now)).collect();
        played.push(format!("{} → {}", given.trim(), effects.join(", ")).trim_end().to_owned());
    }
    let expected: Vec<String> =
        lines.iter().map(|line| line.split('→').map(str::trim).collect::<Vec<_>>().join(" → ").trim_end().to_owned()).collect();
    assert_eq!(played, expected, "\nplayed:\n{}\n", played.join("\n"));
}

/// Lines of a script whose last one has the run wait, and what it goes on with then.
fn wait_after(lines: &str, seconds: u64, then: &str) -> String {
    format!("{lines} → state waiting {seconds}s, wake {seconds}s\n +{seconds}s tick → state running, {then}\n")
}

/// Steps a run with one lane.
fn step(machine: &mut Machine, event: Event, now: Timestamp) -> Vec<Effect> {
    let effects = machine.step(1, event, now);
    assert!(effects.iter().all(|(lane, _)| *lane == 1), "{effects:?}");
    effects.into_iter().map(|(_, effect)| effect).collect()
}

fn read_events(text: &str, now: Timestamp) -> Vec<Event> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let signal = |signal| vec![Event::Signal(signal)];
    match word {
        "start" => vec![Event::Started { owed: rest.split_whitespace().map(|task| task.parse().expect("task")).collect() }],
        "followed-up" => vec![Event::FollowedUp { cost_usd: rest.parse().unwrap_or(0.0) }],
        "put-off" => {
            let (task, how) = rest.split_once(' ').unwrap_or((rest, ""));
            let limit = Setback::Limit { resets_at: read_offset(how, now) };
            let setback = if how == "offline" { Setback::Offline } else { limit };
            vec![Event::PutOff { task: task.parse().expect("task"), setback }]
        }
        "claimed" => vec![Event::Claimed(Some(claim(rest.parse().expect("task"))))],
        "nothing" => vec![Event::Claimed(None)],
        "started" => vec![Event::AgentStarted],
        "unavailable" => vec![Event::AgentUnavailable { message: rest.to_owned() }],
        "no-checkout" => vec![Event::NoCheckout { message: rest.to_owned() }],
        "say" => signal(AgentSignal::Text { text: rest.to_owned() }),
        "think" => signal(AgentSignal::Thinking { text: rest.to_owned() }),
        "subagent" => signal(AgentSignal::SubagentText { text: rest.to_owned() }),
        "turn" => signal(turn(rest)),
        "tool" => {
            let (id, name, summary) = ("1".to_owned(), "Bash".to_owned(), "ls".to_owned());
            signal(AgentSignal::ToolCall { id, name, summary, paths: Vec::new(), arguments: serde_json::Value::Null, of_subagent: false })
        }
        "spent" => {
            let usage = Usage { cost_usd: rest.parse().ok(), output_tokens: 1, ..Usage::default() };
            signal(AgentSignal::Spent { model: Some("opus".to_owned()), usage })
        }
        "retry" => signal(AgentSignal::Retry { attempt: 1, status: rest.parse().ok(), delay_ms: 500, words: String::new() }),
        "turn-begins" => signal(AgentSignal::Started { session: None, model: None, mcp_servers: Vec::new() }),
        "warned" => {
            signal(AgentSignal::RateLimit { rejected: false, resets_at: Some(now.plus_millis(60_000)), resets_in_ms: None, limit: None })
        }
        "refused" => signal(AgentSignal::RateLimit { rejected: true, resets_at: read_offset(rest, now), resets_in_ms: None, limit: None }),
        "refused-opus" => {
            let (resets_at, limit) = (read_offset(rest, now), Some("seven_day_opus".to_owned()));
            signal(AgentSignal::RateLimit { rejected: true, resets_at, resets_in_ms: None, limit })
        }
        "exit" => vec![exit(rest, Vec::new())],
        "exit-after-mcp-done" => vec![exit(rest, vec![TaskClaim { done: true, task: Some(7) }])],
        "facts" => vec![Event::Gathered(Box::new(read_facts(rest)))],
        "committed" => vec![Event::Committed { cost_usd: rest.parse().unwrap_or(0.0) }],
        "effect-failed" => vec![Event::EffectFailed { message: rest.to_owned() }],
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

fn read_facts(text: &str) -> super::hooks::IterationFacts {
    let mut facts = facts();
    match text.split_once(' ') {
        Some(("check", passed)) => facts.evidence.check = Some(check_result(passed == "passed")),
        Some(("changed", file)) => facts.evidence.changed_files = vec![file.to_owned()],
        Some(("committed", subject)) => facts.evidence.commits = vec![subject.to_owned()],
        Some(("exposed", files)) => facts.exposed = Some(files.to_owned()),
        Some(("another", "model")) => facts.another_model = true,
        Some(("spared", model)) => facts.spared = Some(model.to_owned()),
        Some(("failures", count)) => facts.consecutive_failures = count.parse().expect("count"),
        _ => facts.taught = text == "taught",
    }
    facts
}

fn show(effect: &Effect, now: Timestamp) -> String {
    let seconds = |at: &Timestamp| format!("{}s", (at.0 - now.0) / 1_000);
    match effect {
        Effect::ClaimNext { limited, .. } if !limited.is_empty() => format!("claim without {}", limited.join(", ")),
        Effect::ClaimNext { only: None, .. } => "claim".to_owned(),
        Effect::ClaimNext { only: Some(task), .. } => format!("claim only {task}"),
        Effect::FollowUp { task } => format!("follow-up {task}"),
        Effect::StartAgent { .. } => "start-agent".to_owned(),
        Effect::StopAgent => "stop-agent".to_owned(),
        Effect::Gather { run_check: false, .. } => "gather".to_owned(),
        Effect::Gather { run_check: true, .. } => "gather and check".to_owned(),
        Effect::Cancel => "cancel".to_owned(),
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
