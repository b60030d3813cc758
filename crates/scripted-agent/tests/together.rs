//! What agents leave behind while others work beside them, so that nobody can tell whose it is.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod common;

use common::processes::{lives, pid, until};
use common::{Bench, rest};

#[tokio::test]
async fn a_daemon_of_one_of_several_agents_ends_with_the_last_of_them() {
    let waits = "run while [ ! -e go ]; do sleep 0.01; done\ndone\n";
    let others = [Bench::scripted(waits), Bench::scripted(waits)];
    let mut working = others.each_ref().map(Bench::start);
    let leaves = "run env -i PATH=$PATH setsid sh -c 'sleep 1000 >/dev/null 2>&1 & echo $! > daemon'\ndone\n";
    let bench = Bench::scripted(leaves);
    rest(&mut bench.start()).await;
    let daemon = pid(&bench.path("daemon"));
    assert!(lives(daemon), "it could be that of an agent that works");
    for other in &others {
        std::fs::write(other.path("go"), "").unwrap();
    }
    let [first, second] = &mut working;
    // Both end at the same time, so that neither is alone with it.
    tokio::join!(rest(first), rest(second));
    drop(working);
    until("the daemon ends", || !lives(daemon)).await;
}
