//! What a run shows while it is in progress: every event as a line of JSON, or text for a person.

use crate::output::{Output, duration, json_line, to_stdout, unbroken};
use ralph_app::{Clock, RunEvent, RunEvents, local_time};
use ralph_core::run::{Iteration, Run, RunState, Spending};
use ralph_core::signal::{AgentSignal, Ending, TranscriptEntry, TranscriptSignal, Usage};
use ralph_core::{IterationId, TaskId};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time without output after which a line says what is being done.
const QUIET: Duration = Duration::from_secs(10);

/// How a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStyle {
    /// Every event as a line of JSON.
    Lines,
    /// In words.
    Words,
    /// Not at all: only the answer matters.
    Silent,
}

impl OutputStyle {
    /// As requested.
    pub fn of(jsonl: bool, output: Output) -> OutputStyle {
        match (jsonl, output.json) {
            (true, _) => OutputStyle::Lines,
            (false, true) => OutputStyle::Silent,
            (false, false) => OutputStyle::Words,
        }
    }
}

/// Shows a run's events until it ends.
pub async fn follow(mut events: RunEvents, shown: OutputStyle) {
    let mut story = Story::new(Instant::now());
    loop {
        // Without output there is nobody to reassure.
        let quiet = tokio::time::sleep_until((story.spoke + QUIET).into());
        let words = tokio::select! {
            event = events.next() => match event {
                None => return,
                Some(event) if shown == OutputStyle::Lines => json_line(&event),
                Some(event) => story.tell(&event, Instant::now()),
            },
            () = quiet, if shown == OutputStyle::Words => story.still(Instant::now()),
        };
        if !words.is_empty() && shown != OutputStyle::Silent {
            to_stdout(&words);
        }
    }
}

/// What was shown so far, and what is being done.
#[derive(Debug)]
struct Story {
    /// Time of the last output.
    spoke: Instant,
    /// Dollars that the run had spent when its last iteration was settled, those of reviewers included.
    settled_usd: f64,
    /// Whether there is one whose cost is unknown.
    unpriced: bool,
    /// Shown once, until it changes.
    rationale: Option<String>,
    /// Whether several agents are at work: each line then begins with its agent.
    several: bool,
    /// Those at work, by iteration.
    agents: BTreeMap<IterationId, Agent>,
}

/// One iteration at work.
#[derive(Debug)]
struct Agent {
    task: TaskId,
    /// Whether the agent has ended, and its work is being checked.
    ended: bool,
    since: Instant,
    /// The last tool it called, and when.
    tool: Option<(String, Instant)>,
    /// What it waits for before it tries again, if that is the last thing it said.
    awaits: Option<String>,
    spending: Spending,
}

impl Story {
    fn new(now: Instant) -> Story {
        Story { spoke: now, settled_usd: 0.0, unpriced: false, rationale: None, several: false, agents: BTreeMap::new() }
    }

    /// An event in words; empty if it does not concern a person.
    fn tell(&mut self, event: &RunEvent, now: Instant) -> String {
        let words = match event {
            RunEvent::RunStarted { run } => {
                self.several = run.workers > 1;
                let workers = if self.several { format!(", {} workers", run.workers) } else { String::new() };
                format!("run {} with {}, strategy {}{workers}\n", run.id, run.agent, run.strategy)
            }
            RunEvent::RunChanged { run } => changed(run),
            RunEvent::IterationStarted { iteration } => self.begin(iteration, now),
            RunEvent::IterationSettled { iteration, run_cost_usd } => {
                self.settled_usd = *run_cost_usd;
                let words = self.settle(iteration);
                self.by(iteration.task, words)
            }
            RunEvent::RunEnded { .. } => String::new(),
            RunEvent::Entry { iteration, entry } => {
                let agent = self.agents.entry(*iteration).or_insert_with(|| Agent::new(0, now));
                let (task, words) = (agent.task, agent.entry(entry, now));
                self.by(task, words)
            }
        };
        if !words.is_empty() {
            self.spoke = now;
        }
        words
    }

    /// The same words, each line with its agent if there are several.
    fn by(&self, task: TaskId, words: String) -> String {
        if self.several { words.lines().map(|line| format!("#{task} │ {line}\n")).collect() } else { words }
    }

    /// What is being done while there is no other output.
    fn still(&mut self, now: Instant) -> String {
        self.spoke = now;
        let passed = |since: Instant| duration(u64::try_from((now - since).as_millis()).unwrap_or(u64::MAX));
        let spent: Vec<Usage> = self.agents.values().map(|agent| agent.spending.total()).collect();
        let dollars = self.settled_usd + spent.iter().filter_map(|usage| usage.cost_usd).sum::<f64>();
        let cost = cost(dollars, self.unpriced || spent.iter().any(Usage::lacks_cost));
        let lines = self.agents.values().map(|agent| {
            let what = match (agent.ended, &agent.awaits, &agent.tool) {
                (true, ..) => "checks what the agent left".to_owned(),
                (false, Some(what), _) => format!("waits for {what}"),
                (false, None, None) => "no tool used yet".to_owned(),
                (false, None, Some((tool, at))) => format!("last tool {tool} {} ago", passed(*at)),
            };
            self.by(agent.task, format!("  … still working: {what}, {}, {cost}\n", passed(agent.since)))
        });
        lines.collect()
    }

    fn begin(&mut self, iteration: &Iteration, now: Instant) -> String {
        self.agents.insert(iteration.id, Agent::new(iteration.task, now));
        let place = format!("iteration {} (number {} of this run)", iteration.id, iteration.number);
        let mut words = format!("── {place} · #{} {}\n", iteration.task, unbroken(&iteration.task_title));
        if iteration.rationale.is_some() && iteration.rationale != self.rationale {
            self.rationale.clone_from(&iteration.rationale);
            words += &format!("   {}\n", self.rationale.as_deref().unwrap_or_default());
        }
        for more in [&iteration.scheduled, &iteration.worktree].into_iter().flatten() {
            words += &format!("   {}\n", unbroken(more));
        }
        words
    }

    fn settle(&mut self, iteration: &Iteration) -> String {
        self.agents.remove(&iteration.id);
        self.unpriced |= iteration.usage.lacks_cost();
        let note = iteration.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        let remarks = iteration.evidence.remarks.iter().map(|remark| format!("   {}\n", unbroken(&remark.in_words())));
        format!("── {}{note} ({} so far)\n{}", iteration.outcome, cost(self.settled_usd, self.unpriced), remarks.collect::<String>())
    }
}

impl Agent {
    fn new(task: TaskId, now: Instant) -> Agent {
        Agent { task, ended: false, since: now, tool: None, awaits: None, spending: Spending::default() }
    }

    fn entry(&mut self, entry: &TranscriptEntry, now: Instant) -> String {
        match &entry.signal {
            TranscriptSignal::Agent { signal } => self.signal(signal, now),
            TranscriptSignal::Ralph { note, text } if note == "stderr" => format!("  {text}\n"),
            TranscriptSignal::Ralph { note, .. } => {
                if note == "exited" {
                    (self.ended, self.since) = (true, now);
                }
                String::new()
            }
        }
    }

    fn signal(&mut self, signal: &AgentSignal, now: Instant) -> String {
        self.spending.hear(signal);
        match signal {
            AgentSignal::Retry { status, .. } => self.awaits = Some(awaited(*status)),
            AgentSignal::Unknown { .. } | AgentSignal::Garbled { .. } => {}
            _ => self.awaits = None,
        }
        match signal {
            AgentSignal::Text { text } => format!("{text}\n"),
            AgentSignal::ToolCall { name, summary, .. } => {
                self.tool = Some((name.clone(), now));
                format!("  {name} {summary}\n")
            }
            AgentSignal::ToolResult { is_error: true, summary, .. } => format!("  ✗ {summary}\n"),
            AgentSignal::Denied { tool, .. } => format!("  denied: {tool}\n"),
            AgentSignal::Retry { attempt, status, delay_ms, .. } => {
                let why = status.map_or_else(|| "no connection".to_owned(), |status| format!("HTTP {status}"));
                let when = if *delay_ms == 0 { String::new() } else { format!(" in {}", duration((*delay_ms).into())) };
                format!("  retry {attempt}{when}: {why}\n")
            }
            AgentSignal::RateLimit { rejected: true, resets_at, limit, .. } => {
                let limit = limit.as_ref().map(|limit| format!(" ({limit})")).unwrap_or_default();
                format!(
                    "  usage limit{limit}{}\n",
                    resets_at.map(|at| format!(" until {}", local_time(at, Clock::system().now()))).unwrap_or_default()
                )
            }
            AgentSignal::Dropped { kib, .. } => format!("  {kib} KiB of output were passed over\n"),
            // After a success the final text repeats earlier output; otherwise it is the provider's reason.
            AgentSignal::TurnEnded { ending, text, .. } if *ending != Ending::Completed => format!("  ✗ {ending}: {text}\n"),
            _ => String::new(),
        }
    }
}

/// What an agent waits for that was refused with this status, or had no answer.
pub fn awaited(status: Option<u16>) -> String {
    match status {
        None => "a connection".to_owned(),
        Some(429) => "the provider's limit to be over (HTTP 429)".to_owned(),
        Some(status) => format!("the provider (HTTP {status})"),
    }
}

/// Dollars in words; unknown costs are not shown as none.
fn cost(dollars: f64, unpriced: bool) -> String {
    ralph_core::text::dollars(dollars, u32::from(unpriced), 2)
}

/// What the run is doing, if not working.
fn changed(run: &Run) -> String {
    let note = run.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
    match (run.state, run.waiting_until) {
        (RunState::Waiting, Some(until)) => format!("── waiting until {}{note}\n", local_time(until, Clock::system().now())),
        (RunState::Waiting, None) => format!("── waiting{note}\n"),
        (RunState::Paused, _) => "── paused: `ralph resume` goes on\n".to_owned(),
        (RunState::Stopping, _) => "── stopping\n".to_owned(),
        (RunState::Running, Some(until)) => format!("── begins nothing until {}{note}\n", local_time(until, Clock::system().now())),
        (RunState::Running, None) => format!("── {}\n", run.note.as_deref().unwrap_or("goes on")),
        (RunState::Ended, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::run::GitRemark;
    use ralph_core::time::Timestamp;

    fn of_agent(signal: AgentSignal) -> RunEvent {
        let entry = TranscriptEntry { at: Timestamp::default(), signal: TranscriptSignal::Agent { signal } };
        RunEvent::Entry { iteration: 7, entry }
    }

    fn iteration(rationale: &str) -> Iteration {
        let row = serde_json::json!({
            "id": 7, "run": 1, "number": 1, "task": 4, "task_title": "Refund", "attempt": 1, "model": "opus", "rationale": rationale,
            "outcome": "failed", "note": "the check failed", "usage": Usage { cost_usd: Some(0.25), ..Usage::default() }, "denials": [],
            "evidence": ralph_core::run::Evidence::default(), "told": [], "withheld": [], "held_out": false, "difficulty": null,
            "started": Timestamp::default(), "ended": null, "exit_code": null, "lane": 1, "worktree": null, "scheduled": null,
        });
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn a_quiet_run_says_what_it_does_for_how_long_and_for_how_much() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut story = Story::new(start);
        assert_eq!(story.still(after(10)), "", "nothing is done yet");
        let begun = story.tell(&RunEvent::IterationStarted { iteration: iteration("the default") }, start);
        assert!(begun.starts_with("── iteration 7 (number 1 of this run) · #4 Refund\n"), "by the number that leads to it: {begun}");
        assert_eq!(story.still(after(10)), "  … still working: no tool used yet, 10 s, $0.00\n");
        let usage = Usage { cost_usd: Some(0.31), ..Usage::default() };
        story.tell(
            &of_agent(AgentSignal::ToolCall {
                id: "1".into(),
                name: "Bash".into(),
                summary: "cargo test".into(),
                paths: vec![],
                arguments: serde_json::Value::Null,
                of_subagent: false,
            }),
            after(18),
        );
        let counted = Usage { cost_usd: Some(0.2), ..Usage::default() };
        story.tell(&of_agent(AgentSignal::Spent { model: None, usage: counted }), after(19));
        assert_eq!(story.still(after(19)), "  … still working: last tool Bash 1 s ago, 19 s, $0.20\n");
        story.tell(&of_agent(AgentSignal::TurnEnded { ending: Ending::Completed, text: "ok".into(), usage, denials: 0 }), after(20));
        assert_eq!(story.still(after(60)), "  … still working: last tool Bash 42 s ago, 1 min, $0.31\n");
        assert_eq!(story.spoke, after(60), "the next one comes as much later");
        let exited = TranscriptSignal::Ralph { note: "exited".into(), text: String::new() };
        let entry = TranscriptEntry { at: Timestamp::default(), signal: exited };
        assert_eq!(story.tell(&RunEvent::Entry { iteration: 7, entry }, after(61)), "");
        assert_eq!(story.still(after(75)), "  … still working: checks what the agent left, 14 s, $0.31\n");
        let settled = story.tell(&RunEvent::IterationSettled { iteration: iteration("the default"), run_cost_usd: 0.75 }, after(80));
        assert_eq!(settled, "── failed: the check failed ($0.75 so far)\n", "with what a reviewer took");
        story.tell(&RunEvent::IterationStarted { iteration: iteration("the default") }, after(80));
        let untold = Usage { unpriced: true, ..Usage::default() };
        story.tell(&of_agent(AgentSignal::Spent { model: None, usage: untold }), after(80));
        assert_eq!(story.still(after(90)), "  … still working: no tool used yet, 10 s, more than $0.75\n");
        story.tell(&of_agent(AgentSignal::Retry { attempt: 1, status: Some(429), delay_ms: 0, words: String::new() }), after(91));
        assert!(story.still(after(101)).starts_with("  … still working: waits for the provider's limit to be over (HTTP 429), 21 s"));
        story.tell(&of_agent(AgentSignal::Thinking { text: "on".into() }), after(102));
        assert!(story.still(after(112)).starts_with("  … still working: no tool used yet"));
        story.agents.clear();
        let mut reached = iteration("the default");
        reached.evidence.remarks = vec![GitRemark::OutsideChanged { paths: vec!["a.txt".into()], more: 0 }];
        let settled = Story::new(start).tell(&RunEvent::IterationSettled { iteration: reached, run_cost_usd: 0.25 }, start);
        assert!(
            settled.ends_with("so far)\n   uncommitted files of the project's own checkout changed while it worked elsewhere: a.txt\n"),
            "{settled}"
        );
        assert_eq!(story.still(after(95)), "");
    }

    #[test]
    fn a_rationale_is_told_once_until_it_changes() {
        let now = Instant::now();
        let mut story = Story::new(now);
        let mut told = |rationale: &str| story.tell(&RunEvent::IterationStarted { iteration: iteration(rationale) }, now).lines().count();
        assert_eq!([told("the default"), told("the default"), told("two failures"), told("two failures")], [2, 1, 2, 1]);
    }

    #[test]
    fn waits_retries_and_the_provider_s_reasons_are_told() {
        let now = Instant::now();
        let mut story = Story::new(now);
        let until = Timestamp::parse("2026-03-01T14:05:30Z").unwrap();
        let limit = format!("  usage limit (five_hour) until {}\n", local_time(until, Clock::system().now()));
        for (signal, expected) in [
            (AgentSignal::Retry { attempt: 2, status: Some(529), delay_ms: 4_000, words: String::new() }, "  retry 2 in 4 s: HTTP 529\n"),
            (AgentSignal::Retry { attempt: 1, status: Some(429), delay_ms: 0, words: String::new() }, "  retry 1: HTTP 429\n"),
            (AgentSignal::Retry { attempt: 1, status: None, delay_ms: 500, words: String::new() }, "  retry 1 in 0 s: no connection\n"),
            (
                AgentSignal::RateLimit { rejected: true, resets_at: Some(until), resets_in_ms: None, limit: Some("five_hour".into()) },
                limit.as_str(),
            ),
            (
                AgentSignal::TurnEnded {
                    ending: Ending::Authentication,
                    text: "Invalid API key".into(),
                    usage: Usage::default(),
                    denials: 0,
                },
                "  ✗ authentication: Invalid API key\n",
            ),
        ] {
            assert_eq!(story.tell(&of_agent(signal), now), expected);
        }
    }
}
