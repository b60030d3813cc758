//! Usage limits, network failures, and what a person must fix.
//!
//! Length: one script per way in which a run is set back, each with every event and effect.

use super::*;

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
fn at_the_limit_of_one_model_the_run_goes_on_with_another() {
    let limited = |facts: &str, then: &str| {
        let begins = "claimed 7 → start-agent\n started →\n refused-opus 7200s →\n exit failed → gather";
        format!("{begins}\n facts {facts} → commit rate_limited pending\n committed → {then}\n")
    };
    let first = format!("start → claim\n{}", limited("spared claude-opus-5-5", "claim without claude-opus-5-5"));
    let ends = "nothing → end nothing_ready";
    check(
        no_limits(),
        &format!("{first}iteration completed → commit no_sigil pending\n committed → claim without claude-opus-5-5\n{ends}"),
    );
    let worked =
        "claimed 7 → start-agent\n started →\n +7205s exit completed → gather\n facts → commit no_sigil pending\n committed → claim\n";
    check(no_limits(), &format!("{first}{worked}{ends}"));
    // There is no other one; it was another model's limit; it is used in spite of the limit.
    for facts in ["", "spared sonnet"] {
        check(no_limits(), &format!("start → claim\n{}", limited(facts, "state waiting 7205s, wake 7205s")).replace("facts  →", "facts →"));
    }
    check(no_limits(), &format!("{first}{}", limited("spared claude-opus-5-5", "state waiting 7205s, wake 7205s")));
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
    let round = |ending, seconds| wait_after(&format!("iteration {ending} → commit rate_limited pending\n committed"), seconds, "claim");
    let (first, rest) =
        (round("rate_limited", 60), [round("overloaded", 300), round("rate_limited", 900), round("rate_limited", 1_800)].concat());
    let attempt = "iteration completed → commit no_sigil pending\n committed → claim\n";
    check(no_limits(), &format!("start → claim\n{first}{rest}{}{attempt}{first}", round("rate_limited", 1_800)));
}

#[test]
fn a_provider_that_tells_a_few_seconds_again_and_again_is_asked_ever_more_rarely() {
    let refused = |told| format!("claimed 7 → start-agent\n started →\n refused {told} →\n exit rate_limited → gather");
    let committed = "facts → commit rate_limited pending\n committed";
    let round = |told, seconds| wait_after(&format!("{}\n{committed}", refused(told)), seconds, "claim");
    check(
        no_limits(),
        &format!("start → claim\n{}", [round("20s", 25), round("20s", 60), round("20s", 300), round("3600s", 3_605)].concat()),
    );
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
fn the_reset_time_of_a_warning_is_not_the_one_of_a_refusal() {
    check(
        no_limits(),
        "start             → claim
         claimed 7         → start-agent
         warned            →
         exit rate_limited → gather
         facts             → commit rate_limited pending
         committed         → state waiting 60s, wake 60s",
    );
}

#[test]
fn an_answer_shows_that_the_network_is_there() {
    check(
        no_limits(),
        "start                  → claim
         iteration network      → commit network pending
         committed              → state waiting 60s, wake 60s
         +60s tick              → state running, claim
         iteration rate_limited → commit rate_limited pending
         committed              → state waiting 60s, wake 60s
         +60s tick              → state running, claim
         iteration network      → commit network pending
         committed              → state waiting 60s, wake 60s",
    );
}

#[test]
fn a_clock_set_back_does_not_bring_a_wait_again() {
    check(
        no_limits(),
        "start                  → claim
         iteration rate_limited → commit rate_limited pending
         committed              → state waiting 60s, wake 60s
         +60s tick              → state running, claim
         iteration completed    → commit no_sigil pending
         +-30s committed        → claim",
    );
}

#[test]
fn a_network_that_stays_away_ends_the_run() {
    let mut script = "start → claim\n".to_owned();
    for wait in limits::RATE_LIMIT_WAITS_MILLIS.map(|millis| millis / 1_000) {
        script += &wait_after("iteration network → commit network pending\n committed", wait, "claim");
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
        "start                         → claim
         claimed 7                     → start-agent
         no-checkout the base is gone  → gather
         facts                         → commit interrupted pending
         committed                     → end no_checkout: the base is gone",
    );
    check(
        no_limits(),
        "start                 → claim
         iteration interrupted → commit stopped pending
         committed             → end stopped_now: the agent was interrupted from outside Ralph",
    );
    check(
        no_limits(),
        "start                  → claim
         claimed 7              → start-agent
         started                →
         exit completed         → gather
         facts exposed ralph.db → commit no_sigil pending
         committed              → end private_files: ralph.db",
    );
    check(no_limits(), "start → claim\n effect-failed disk full → end internal_error: disk full\n nothing →");
    check(
        no_limits(),
        "start → claim\n iteration completed → commit no_sigil pending\n effect-failed disk full → end internal_error: disk full",
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
fn a_run_that_leaves_nothing_behind_ends_as_stalled() {
    let config = |stall_stop| MachineConfig { stall_stop, ..no_limits() };
    let idle = "iteration completed → commit no_sigil pending\n committed → claim\n";
    let end = "committed → end stalled: 2 iterations in a row left no commit, no changed file and nothing new: look at the last one, then start again\n";
    let last = format!("iteration crashed → commit error pending\n {end}");
    check(config(Some(2)), &format!("start → claim\n {idle}{last}"));
    check(config(None), &format!("start → claim\n {}", idle.repeat(9)));
    // A new signal, a change or a commit resets the count.
    for active in [
        "iteration completed, <task-failed/> → commit failed pending\n committed → claim\n",
        "iteration completed, <task-done/> → commit done done\n committed → claim\n",
        "claimed 7 → start-agent\n started →\n exit completed → gather\n facts taught → commit no_sigil pending\n committed → claim\n",
        "claimed 7 → start-agent\n started →\n exit completed → gather\n facts changed a.rs → commit no_sigil pending\n committed → claim\n",
        "claimed 7 → start-agent\n started →\n exit completed → gather\n facts committed x → commit no_sigil pending\n committed → claim\n",
    ] {
        check(config(Some(2)), &format!("start → claim\n {idle}{active}{idle}{last}"));
    }
}

#[test]
fn one_task_that_leads_nowhere_does_not_end_the_run_for_the_others() {
    let config = || MachineConfig { stall_stop: Some(2), max_attempts: 2, ..no_limits() };
    let idle = |task: u32, failures: u32, then: &str| {
        let facts =
            format!("claimed {task} → start-agent\n started →\n exit completed → gather\n facts failures {failures} → commit no_sigil");
        format!("{facts} {}\n committed → {then}\n", if failures > 0 { "blocked" } else { "pending" })
    };
    let stalled = |iterations: u32| {
        format!(
            "end stalled: {iterations} iterations in a row left no commit, no changed file and nothing new: look at the last one, then start again"
        )
    };
    let nowhere = format!("start → claim\n {}{}", idle(7, 0, "claim"), idle(7, 1, "claim"));
    // A second one in a row is a stall, and so is the first if it was the only one.
    check(config(), &format!("{nowhere}{}{}", idle(8, 0, "claim"), idle(8, 1, &stalled(4))));
    check(config(), &format!("{nowhere}nothing → {}", stalled(2)));
    // What another leaves behind begins the count anew.
    let done = "iteration completed, <task-done/> → commit done done\n committed → claim\n";
    let again = format!("{}{}", idle(8, 0, "claim"), idle(8, 1, "claim"));
    check(config(), &format!("{nowhere}{done}{again}{done}nothing → end nothing_ready"));
}

#[test]
fn what_is_no_attempt_neither_stalls_nor_hides_a_stall() {
    check(
        MachineConfig { stall_stop: Some(2), ..no_limits() },
        "start                  → claim
         iteration completed    → commit no_sigil pending
         committed              → claim
         iteration rate_limited → commit rate_limited pending
         committed              → state waiting 60s, wake 60s
         +60s tick              → state running, claim
         iteration completed    → commit no_sigil pending
         committed              → end stalled: 2 iterations in a row left no commit, no changed file and nothing new: look at the last one, then start again",
    );
}

#[test]
fn the_runs_own_dollars_cost_no_attempt() {
    let budget = |max_usd, has_check| MachineConfig { limits: RunLimits { max_usd, ..no_limits().limits }, has_check, ..no_limits() };
    let begins = "start → claim\n claimed 7 → start-agent\n started →";
    let end = "gather\n facts → commit stopped pending\n committed 2.1 → end max_usd: $2.10 of $2.00 were spent";
    check(budget(Some(2.0), false), &format!("{begins}\n spent 1.9 →\n exit max_budget → {end}"));
    // Where a helper met them, its agent ends as if it had completed.
    check(budget(Some(2.0), false), &format!("{begins}\n turn completed →\n spent 2.1 →\n exit completed → {end}"));
    // What it said before is judged where that can be; a limit of its own is its own failure.
    let said = |word: &str| format!("{begins}\n say <task-{word}/> →\n exit max_budget →");
    check(budget(Some(2.0), true), &format!("{} gather and check\n facts check passed → commit done done", said("done")));
    check(budget(Some(2.0), false), &format!("{} gather\n facts → commit stopped pending", said("done")));
    check(budget(Some(2.0), false), &format!("{} gather\n facts → commit failed pending", said("failed")));
    check(budget(None, false), "start → claim\n iteration max_budget → commit error pending");
}

#[test]
fn dollars_are_counted_while_they_are_spent() {
    let config = || MachineConfig { limits: RunLimits { max_usd: Some(1.0), ..no_limits().limits }, ..no_limits() };
    check(
        config(),
        "start            → claim
         claimed 7        → start-agent
         started          →
         spent 0.4        →
         spent 0.99       →
         spent 1.2        → stop-agent, state stopping
         spent 1.3        →
         exit interrupted → gather
         facts            → commit stopped pending
         committed 1.3    → end max_usd: $1.30 of $1.00 were spent",
    );
    // Costs of earlier iterations count too; a turn that has ended is judged by its result.
    check(
        config(),
        "start               → claim
         iteration completed → commit no_sigil pending
         committed 0.7       → claim
         claimed 7           → start-agent
         started             →
         spent 0.2           →
         say <task-done/>    →
         turn completed      →
         spent 0.5           →
         exit completed      → gather
         facts               → commit done done
         committed 1.2       → end max_usd: $1.20 of $1.00 were spent",
    );
}

#[test]
fn agents_for_which_the_dollars_may_not_suffice_wait_for_those_at_work() {
    // What the first iteration cost, out of a dollar for three lanes, and the lanes that then begin another.
    for (cost, then) in [(0.4, vec![1]), (0.1, vec![1, 2, 3]), (0.3, vec![1, 2]), (1.0, vec![])] {
        let limits = RunLimits { max_usd: Some(1.0), ..no_limits().limits };
        let now = Timestamp(1_795_000_000_000);
        let mut machine = Machine::new(MachineConfig { limits, workers: 3, ..no_limits() }, now);
        let mut claims = |event| -> Vec<u32> {
            let effects = machine.step(1, event, now).into_iter();
            effects.filter(|(_, effect)| matches!(effect, Effect::ClaimNext { .. })).map(|(lane, _)| lane).collect()
        };
        assert_eq!(claims(Event::Started { owed: Vec::new() }), [1], "nothing is known yet of what an iteration costs");
        for words in ["claimed 7", "started", &format!("spent {cost}"), "exit completed", "facts"] {
            read_events(words, now).into_iter().for_each(|event| drop(claims(event)));
        }
        assert_eq!(claims(Event::Committed { cost_usd: cost }), then, "after ${cost}");
    }
}

#[test]
fn a_commit_that_is_told_late_takes_no_dollars_back() {
    let limits = RunLimits { max_usd: Some(10.0), ..no_limits().limits };
    let now = Timestamp(1_795_000_000_000);
    let mut machine = Machine::new(MachineConfig { limits, workers: 2, ..no_limits() }, now);
    machine.step(1, Event::Started { owed: Vec::new() }, now);
    for (lane, task) in [(1, 7), (2, 8)] {
        for words in [format!("claimed {task}"), "started".to_owned(), "exit completed".to_owned(), "facts".to_owned()] {
            read_events(&words, now).into_iter().for_each(|event| drop(machine.step(lane, event, now)));
        }
    }
    machine.step(2, Event::Committed { cost_usd: 11.0 }, now);
    // The first lane's was read before the second's, and its merge took longer.
    let effects = machine.step(1, Event::Committed { cost_usd: 1.0 }, now);
    assert!(!effects.iter().any(|(_, effect)| matches!(effect, Effect::ClaimNext { .. })), "{effects:?}");
}

#[test]
fn rows_that_deny_what_was_spent_do_not_lift_the_limit() {
    let limits = RunLimits { max_usd: Some(1.0), ..no_limits().limits };
    check(
        MachineConfig { limits, ..no_limits() },
        "start               → claim
         claimed 7           → start-agent
         started             →
         spent 0.7           →
         exit completed      → gather
         facts               → commit no_sigil pending
         committed 0         → claim
         claimed 7           → start-agent
         started             →
         turn completed      →
         spent 0.5           →
         exit completed      → gather
         facts               → commit stopped pending
         committed 0         → end max_usd: $1.20 of $1.00 were spent",
    );
}

#[test]
fn a_key_that_is_refused_again_is_not_tried_ten_times() {
    check(
        no_limits(),
        "start            → claim
         claimed 7        → start-agent
         started          →
         retry 401        →
         retry 529        →
         retry 401        →
         retry 401        → stop-agent, state stopping
         retry 401        →
         exit interrupted → gather
         facts            → commit authentication pending
         committed        → end authentication: the agent's key, login or credit is missing: log in with the agent's own command line, or set its API key, then start again. It said: as told (HTTP 401)",
    );
}

#[test]
fn an_agent_whose_turns_fail_one_after_another_is_stopped_and_judged_by_them() {
    check(
        no_limits(),
        "start                   → claim
         claimed 7               → start-agent
         started                 →
         turn failed             →
         turn failed             →
         tool                    →
         turn context_too_long   →
         turn completed          →
         turn context_too_long   →
         turn completed          →
         turn context_too_long   → stop-agent, state stopping
         turn completed          →
         exit interrupted        → gather
         facts                   → commit error blocked
         committed               → state running, claim",
    );
    check(
        no_limits(),
        "start                   → claim
         claimed 7               → start-agent
         started                 →
         turn rate_limited       →
         turn rate_limited       →
         turn rate_limited       → stop-agent, state stopping
         exit interrupted        → gather
         facts                   → commit rate_limited pending
         committed               → state waiting 60s, wake 60s",
    );
}

#[test]
fn what_no_further_attempt_mends_is_asked_once_of_another_model_and_then_of_a_person() {
    check(
        no_limits(),
        "start                       → claim
         claimed 7                   → start-agent
         started                     →
         turn model_unavailable      →
         exit model_unavailable      → gather
         facts another model         → commit error pending
         committed                   → claim
         iteration model_unavailable → commit error pending
         committed                   → end agent_unavailable: the model is not available: name another one with `--model` or in `.ralph/config.toml`, then start again. It said: as told",
    );
    check(
        no_limits(),
        "start                      → claim
         claimed 7                  → start-agent
         started                    →
         turn context_too_long      →
         exit context_too_long      → gather
         facts another model        → commit error pending
         committed                  → claim
         iteration context_too_long → commit error blocked
         committed                  → claim
         nothing                    → end nothing_ready",
    );
}

#[test]
fn what_can_t_be_begun_after_agents_have_worked_is_tried_again_before_the_run_ends() {
    let again = "claimed 7          → start-agent
         unavailable it is being upgraded → gather
         facts              → commit interrupted pending";
    let worked = "iteration completed → commit no_sigil pending\n committed → claim\n";
    let tried: String = [60, 300].map(|seconds| wait_after(&format!("{again}\n committed"), seconds, "claim")).concat();
    let end = "committed → end agent_unavailable: it is being upgraded";
    check(no_limits(), &format!("start → claim\n{worked}{tried}{worked}{tried}{again}\n{end}"));
}

#[test]
fn a_lane_that_looked_before_another_committed_looks_again_instead_of_ending_the_run() {
    let now = Timestamp(1_795_000_000_000);
    let mut machine = Machine::new(MachineConfig { workers: 2, ..no_limits() }, now);
    let mut step = |lane, event| -> Vec<String> {
        machine.step(lane, event, now).iter().map(|(lane, effect)| format!("{lane}: {}", show(effect, now))).collect()
    };
    assert_eq!(step(1, Event::Started { owed: Vec::new() }), ["1: claim", "2: claim"]);
    for event in [Event::Claimed(Some(claim(7))), Event::AgentStarted, exit("rate_limited", Vec::new()), Event::Gathered(Box::new(facts()))]
    {
        step(1, event);
    }
    // The other lane read the rows before this commit, when the only task was at work.
    step(1, Event::Committed { cost_usd: 0.0 });
    assert_eq!(step(2, Event::Claimed(None)), ["2: state waiting 60s", "2: wake 60s"]);
}
