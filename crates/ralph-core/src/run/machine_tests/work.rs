//! The normal course of a run: work, limits, and a person's requests.

use super::*;

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
         nothing → end nothing_ready",
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
fn minutes_stop_the_preparation_of_a_checkout_and_what_follows_a_commit() {
    check(
        minutes(2),
        "start            → wake 120s, claim
         +119s tick       →
         +1s tick         → cancel
         claimed 7        → gather
         facts            → commit stopped pending
         committed        → end max_minutes",
    );
    check(
        minutes(2),
        "start                              → wake 120s, claim
         iteration completed, <task-done/>  → commit done done
         +119s tick                         →
         +1s tick                           → cancel
         +5s tick                           → cancel
         committed                          → end max_minutes: the run's limit is 2 min",
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
         stop-now           → cancel, state stopping
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
fn a_persons_stop_is_the_reason_whatever_else_happened() {
    check(
        no_limits(),
        "start                    → claim
         iteration authentication → commit authentication pending
         stop-now                 →
         committed                → end stopped_now",
    );
}

#[test]
fn a_hang_counts_as_done_only_after_the_last_turn() {
    check(
        no_limits(),
        "start            → claim
         claimed 7        → start-agent
         turn-begins      →
         say <task-done/> →
         turn completed   →
         exit timed_out   → gather
         facts            → commit done done",
    );
    check(
        no_limits(),
        "start            → claim
         claimed 7        → start-agent
         turn-begins      →
         say <task-done/> →
         turn completed   →
         turn-begins      →
         exit timed_out   → gather
         facts            → commit error pending",
    );
}

#[test]
fn words_of_two_messages_do_not_run_together() {
    check(
        no_limits(),
        "start              → claim
         claimed 7          → start-agent
         say I end in <task- →
         say done/>         →
         exit completed     → gather
         facts              → commit no_sigil pending",
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
         effect-failed  →
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
fn what_was_said_in_a_flood_of_text_is_heard() {
    let mut machine = Machine::new(no_limits(), Timestamp(0));
    let mut step = |event| step(&mut machine, event, Timestamp(1));
    step(Event::Started { owed: Vec::new() });
    step(Event::Claimed(Some(claim(7))));
    step(Event::AgentStarted);
    step(Event::Signal(AgentSignal::Text { text: "<learning>Use UTC</learning>\n<task-failed/>".to_owned() }));
    for _ in 0..3_000 {
        step(Event::Signal(AgentSignal::Text { text: "ä".repeat(512) }));
    }
    step(Event::Signal(AgentSignal::Text { text: "ä".repeat(limits::AGENT_TEXT_BYTES) }));
    step(Event::Signal(AgentSignal::Text { text: "```\nnever closed".to_owned() }));
    step(Event::Signal(AgentSignal::Text { text: "<task-done/>".to_owned() }));
    step(exit("completed", Vec::new()));
    let effects = step(Event::Gathered(Box::new(facts())));
    let [Effect::Commit(commit)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(commit.outcome, crate::run::Outcome::Done);
    assert!(commit.rows.iter().any(|row| matches!(row, RowEffect::Remember(_))), "also what was said before it");
}

#[test]
fn usage_is_summed_and_denials_are_told() {
    let mut machine = Machine::new(no_limits(), Timestamp(0));
    let mut step = |event| step(&mut machine, event, Timestamp(1));
    step(Event::Started { owed: Vec::new() });
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
