//! What earlier runs owe comes before tasks, under the run's own limits.

use super::*;

#[test]
fn what_is_owed_comes_before_tasks_and_one_at_a_time() {
    check(
        no_limits(),
        "start 3 5        → state running, follow-up 3
         followed-up 0.2  → state running, follow-up 5
         followed-up 0.4  → state running, claim
         followed-up 9    →
         start 7          →
         nothing          → end nothing_ready",
    );
}

#[test]
fn a_stop_or_a_pause_holds_between_two_follow_ups() {
    for (wish, then) in [("stop-after", "end stopped_after_iteration"), ("stop-now", "end stopped_now")] {
        check(no_limits(), &format!("start 3 5 → state running, follow-up 3\n {wish} →\n followed-up → {then}"));
    }
    check(
        no_limits(),
        "start 3 5   → state running, follow-up 3
         pause       →
         followed-up → state paused
         resume      → state running, follow-up 5",
    );
}

#[test]
fn the_limits_of_a_run_hold_while_it_follows_up() {
    check(
        minutes(1),
        "start 3 5         → state running, wake 60s, follow-up 3
         +59s tick         →
         +1s tick          → cancel
         followed-up       → end max_minutes: the run's limit is 1 min",
    );
    let limits = RunLimits { max_usd: Some(1.0), ..no_limits().limits };
    check(
        MachineConfig { limits, ..no_limits() },
        "start 3 5       → state running, follow-up 3
         followed-up 1.2 → end max_usd: $1.20 of $1.00 were spent",
    );
}

#[test]
fn one_lane_follows_up_and_is_told_as_long_as_it_does_while_the_others_take_tasks() {
    let now = Timestamp(1_795_000_000_000);
    let mut machine = Machine::new(MachineConfig { workers: 2, ..no_limits() }, now);
    let mut step = |lane, event| -> Vec<String> {
        let told = |effect: &Effect| match effect {
            Effect::SetState { note, .. } => note.clone().unwrap_or_else(|| "works".to_owned()),
            other => show(other, now),
        };
        machine.step(lane, event, now).iter().map(|(lane, effect)| format!("{lane}: {}", told(effect))).collect()
    };
    let left = |task| format!("1: finishes what an earlier run left: the review and the merge of #{task}");
    assert_eq!(step(1, Event::Started { owed: vec![3, 5] }), [left(3), "1: follow-up 3".to_owned(), "2: claim".to_owned()]);
    // It depends on what is merged by the other.
    assert!(step(2, Event::Claimed(None)).is_empty());
    assert_eq!(step(1, Event::FollowedUp { cost_usd: 0.0 }), [left(5), "1: follow-up 5".to_owned(), "2: claim".to_owned()]);
    assert_eq!(step(2, Event::Claimed(Some(claim(7)))), ["2: start-agent"]);
    step(1, Event::LaneControl(RunControl::StopAfter));
    assert_eq!(step(1, Event::FollowedUp { cost_usd: 0.0 }), ["1: works"]);
}

#[test]
fn a_review_that_met_a_usage_limit_is_done_again_once_that_is_over_and_tasks_go_on_meanwhile() {
    check(
        no_limits(),
        "start                                → claim
         iteration completed, <task-done/>    → commit done done
         put-off 7 600s                       →
         committed                            → claim
         iteration completed, <task-done/>    → commit done done
         committed                            → claim
         +60s nothing                         → state waiting 545s, wake 545s
         +544s tick                           → wake 1s
         +1s tick                             → state running, follow-up 7
         put-off 7                            →
         followed-up                          → state running, claim
         nothing                              → state waiting 300s, wake 300s
         +300s tick                           → state running, follow-up 7
         followed-up 0.5                      → state running, claim
         nothing                              → end nothing_ready",
    );
}

#[test]
fn a_review_without_a_connection_is_left_to_the_next_run_in_the_end() {
    let put_off = "put-off 7 offline →\n followed-up → state running, claim\n nothing";
    let rounds = limits::RATE_LIMIT_WAITS_MILLIS.map(|millis| wait_after(put_off, millis / 1_000, "follow-up 7")).concat();
    check(no_limits(), &format!("start 7 → state running, follow-up 7\n{rounds}{put_off} → end nothing_ready"));
}
