//! `ralph status`: what runs now, how the last run came out, and what needs a person.

use crate::consolidate::due_in_words;
use crate::follow::awaited;
use crate::needs_you;
use crate::output::{Answered, Output, duration, unbroken};
use ralph_app::{App, AppError, Clock, local_time};
use ralph_core::IterationId;
use ralph_core::consolidation::SourceTrigger;
use ralph_core::run::owner::{Recovery, Unrecovered};
use ralph_core::run::{Run, RunControl, RunState};
use ralph_core::signal::{AgentSignal, TranscriptEntry, TranscriptSignal};
use ralph_core::text::counted;
use ralph_core::time::Timestamp;
use ralph_core::view::{IdleLane, LaneRow, LaneSignal, Overview, ProjectInfo, RunAtWork, RunRow};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Status {
    project: ProjectInfo,
    #[serde(flatten)]
    overview: Overview,
    recovery: Recovery,
    /// Why what dead runs hold is not released, and which runs those are.
    unrecovered: Option<Unrecovered>,
    read_only: bool,
    /// The run that ended last, when none is active.
    last_run: Option<RunRow>,
    /// Sources of learnings that are due for consolidation, while no run is active.
    due: Vec<SourceTrigger>,
}

/// Runs `ralph status`.
pub fn status(app: &App, output: Output) -> Answered {
    app.active_run()?;
    let overview = app.overview()?;
    let last_run = overview.rests_after.clone();
    let due = if overview.active_run.is_none() { app.due_sources().unwrap_or_default() } else { Vec::new() };
    let (recovery, unrecovered) = (app.recovery(), app.unrecovered());
    let waits = if overview.active_run.is_none() { Waits::new() } else { app.lane_signals().map(waits).unwrap_or_default() };
    let status = Status { project: app.project(), overview, recovery, unrecovered, read_only: app.is_read_only(), last_run, due };
    output.answer(&status, || in_words(&status, &waits, app.write_refusal(), Clock::system().now()));
    Ok(())
}

/// The agents that said last that they try again, by iteration: with which status they were refused, and when.
type Waits = BTreeMap<IterationId, (Option<u16>, Timestamp)>;

fn waits(signals: Vec<LaneSignal>) -> Waits {
    let refused = |of: LaneSignal| match of.last? {
        TranscriptEntry { at, signal: TranscriptSignal::Agent { signal: AgentSignal::Retry { status, .. } } } => {
            Some((of.iteration, (status, at)))
        }
        _ => None,
    };
    signals.into_iter().filter_map(refused).collect()
}

/// What an agent waits for, to be put behind what it works on.
fn wait(waits: &Waits, iteration: IterationId, now: Timestamp) -> String {
    let words = |(status, at): &(Option<u16>, Timestamp)| format!("; it waits for {} since {}", awaited(*status), local_time(*at, now));
    waits.get(&iteration).map(words).unwrap_or_default()
}

fn in_words(status: &Status, waits: &Waits, refusal: Option<AppError>, now: Timestamp) -> String {
    let o = &status.overview;
    let mut lines = vec![status.project.path.clone()];
    let is_gone = |run: &Run| status.unrecovered.as_ref().is_some_and(|kept| kept.runs.contains(&run.id));
    match (&o.active_run, &status.last_run) {
        (Some(_), _) if o.runs_at_work.len() > 1 => {
            for RunAtWork { run, lanes, idle_lanes } in &o.runs_at_work {
                if is_gone(run) {
                    lines.push(gone(run));
                    continue;
                }
                lines.push(active(run, now));
                lines.extend(lanes.iter().map(|lane| in_lane(lane, now) + &wait(waits, lane.iteration, now)));
                lines.extend(idle_lanes.iter().filter_map(|lane| idle(run, lane)));
            }
        }
        (Some(run), _) if is_gone(run) => lines.push(gone(run)),
        (Some(run), _) => {
            lines.push(active(run, now));
            if run.workers > 1 {
                lines.extend(o.lanes.iter().map(|lane| in_lane(lane, now) + &wait(waits, lane.iteration, now)));
                lines.extend(o.idle_lanes.iter().filter_map(|lane| idle(run, lane)));
            } else {
                lines.extend(o.active_iteration.as_ref().map(|i| {
                    let attempt = i.attempt.map(|attempt| format!(", attempt {attempt}")).unwrap_or_default();
                    format!(
                        "  #{} {}{attempt} with {}, {}{}",
                        i.task,
                        unbroken(&i.task_title),
                        i.model,
                        duration(now.millis_since(i.started)),
                        wait(waits, i.id, now)
                    )
                }));
            }
        }
        (None, Some(last)) => {
            let result = last.result.map_or_else(String::new, |result| format!(" ({result})"));
            lines.push(format!("no run; the last one: {}{result}", crate::run::ended(&last.run)));
        }
        (None, None) => lines.push("no run".to_owned()),
    }
    lines.extend(o.errands_at_work.iter().map(|errand| {
        let since = duration(now.millis_since(errand.started));
        format!("errand {} is at work: {} with {}, {since}", errand.id, unbroken(&errand.title), errand.model)
    }));
    match (refusal, &status.unrecovered) {
        (Some(why), _) => lines.push(format!("nothing can be changed here: {why}")),
        (None, Some(kept)) => lines.push(unrecovered(kept)),
        (None, None) => {}
    }
    lines.push(format!(
        "{}, {}, {}, {} you",
        counted(o.features, "feature"),
        counted(o.open_tasks, "open task"),
        counted(o.learnings, "learning"),
        if o.needs_you_count == 1 { "1 needs".to_owned() } else { format!("{} need", o.needs_you_count) }
    ));
    lines.extend(needs_you::lines(o));
    lines.extend(questions(o));
    lines.extend(status.due.iter().map(due_in_words));
    lines.join("\n")
}

/// What waits in the review queue and is no item of its own.
fn questions(o: &Overview) -> Option<String> {
    (o.for_later > 0)
        .then(|| format!("  {} about what is known, for when you have time\n    → ralph review", counted(o.for_later, "question")))
}

/// Why what dead runs hold is not free yet.
fn unrecovered(Unrecovered { why, .. }: &Unrecovered) -> String {
    match &*why.code {
        "busy" => "another process is writing: what dead runs hold is freed later".to_owned(),
        _ => format!("what dead runs hold is freed once that is mended: {}", why.message),
    }
}

/// A run that only its row says is at work: when it ended is not known until that is stored.
fn gone(run: &Run) -> String {
    format!("run {} is over: its process is gone; iteration {}, {} so far", run.id, run.iterations, run.cost.in_words(2))
}

/// What one worker of several does.
fn in_lane(lane: &LaneRow, now: Timestamp) -> String {
    let place = lane.worktree.as_ref().map(|place| format!(" in {place}")).unwrap_or_default();
    let since = duration(now.millis_since(lane.since));
    let asked = if lane.control == RunControl::None { String::new() } else { format!(" ({} asked)", lane.control) };
    format!("  {}: #{} {} with {}, {since}{place}{asked}", lane.lane, lane.task, unbroken(&lane.task_title), lane.model)
}

/// A worker without a task that something was asked of.
fn idle(run: &Run, lane: &IdleLane) -> Option<String> {
    match lane.control {
        RunControl::None => None,
        RunControl::Pause => Some(format!("  {}: paused, `ralph resume --run {} --lane {0}` goes on", lane.lane, run.id)),
        RunControl::StopAfter | RunControl::StopNow => Some(format!("  {}: stopped", lane.lane)),
    }
}

/// What a run does, why, for how long and for how much.
fn active(run: &Run, now: Timestamp) -> String {
    let until = match (run.state, run.waiting_until) {
        (RunState::Running, Some(until)) => format!(", and begins nothing until {}", local_time(until, now)),
        (_, Some(until)) => format!(" until {}", local_time(until, now)),
        (_, None) => String::new(),
    };
    let note = run.note.as_ref().map(|note| format!(": {}", unbroken(note))).unwrap_or_default();
    let since = duration(now.millis_since(run.started));
    format!("run {} is {}{until}{note}; iteration {}, {since}, {} so far", run.id, run.state, run.iterations, run.cost.in_words(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_waits_for_its_provider_is_told_to() {
        let at = |iteration, signal| LaneSignal {
            lane: iteration,
            iteration,
            last: Some(TranscriptEntry { at: Timestamp(0), signal: TranscriptSignal::Agent { signal } }),
        };
        let retry = AgentSignal::Retry { attempt: 1, status: Some(429), delay_ms: 0, words: String::new() };
        let waits = waits(vec![at(1, retry), at(2, AgentSignal::Thinking { text: String::new() })]);
        let told = |iteration| wait(&waits, iteration, Timestamp(0));
        assert!(told(1).starts_with("; it waits for the provider's limit to be over (HTTP 429) since "), "{}", told(1));
        assert_eq!((told(2), told(3)), (String::new(), String::new()));
    }
}
