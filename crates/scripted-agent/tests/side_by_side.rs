//! Agents of several runs in one process, as in a window with two projects: the end of one is not the end of another.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod common;

use common::Bench;
use ralph_core::signal::Ending;

const AGENTS: usize = 60;

#[test]
fn an_agent_that_begins_while_another_ends_is_not_taken_for_its_leftover() {
    let run_many = || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        for number in 0..AGENTS {
            let (_, exit) = runtime.block_on(Bench::scripted("say hm\ndone\n").run());
            assert_eq!((exit.ending, exit.code), (Ending::Completed, Some(0)), "agent {number}: {exit:?}");
        }
    };
    std::thread::scope(|scope| {
        let lanes = [scope.spawn(run_many), scope.spawn(run_many)];
        assert!(lanes.into_iter().all(|lane| lane.join().is_ok()), "an agent was ended by another's end");
    });
}
