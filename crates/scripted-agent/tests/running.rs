//! Real processes: their events, how they end, and that none of them stays.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod common;

use agent_cli::{AgentError, AgentEvent, AgentSpec, StopCause, WatchLimits, start};
use common::processes::{lives, pid, until};
use common::{Bench, next, rest, texts, until_said};
use ralph_core::run::AgentKind;
use ralph_core::signal::{AgentSignal, Ending};
use std::time::{Duration, Instant};

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"ok"}"#;

/// Shell words that start a process in a session of its own which takes no notice of SIGINT and SIGTERM; its id is then in `file`.
fn stubborn(file: &str) -> String {
    format!("setsid -w sh -c 'trap \"\" INT TERM; echo $$ > {file}.new; mv {file}.new {file}; exec sleep 1000' >/dev/null 2>&1")
}

/// A statement that leaves such a process behind, as a development server is left.
fn left_behind(file: &str) -> String {
    format!("run {} & while [ ! -e {file} ]; do :; done\n", stubborn(file))
}

/// A statement that waits for such a process, which knows nothing of the marks: it is found as a descendant only.
fn waited_for(file: &str) -> String {
    format!("run env -i PATH=$PATH {}\n", stubborn(file))
}

fn watch(silence_millis: u64, grace_millis: u64) -> WatchLimits {
    WatchLimits {
        silence: Duration::from_millis(silence_millis),
        offline: Duration::from_millis(400),
        result_grace: Duration::from_millis(grace_millis),
        stop_step: Duration::from_millis(200),
    }
}

#[tokio::test]
async fn events_come_in_order_and_the_exit_last() {
    let bench = Bench::scripted(
        "expect The prompt.\nthink hm\nsay ${task} ${title} ${attempt} ${iteration} ${feature} ${model}\nusage 10 5 0.25\ndone\n",
    );
    let (signals, exit) = bench.run().await;
    assert!(matches!(&signals[0], AgentSignal::Started { model: Some(model), .. } if model == "test-model"));
    assert_eq!(signals[1], AgentSignal::Thinking { text: "hm".into() });
    assert_eq!(texts(&signals), ["3 Say \"hi\" 2 17 greeting test-model", "<task-done>3</task-done>"]);
    let Some(AgentSignal::TurnEnded { ending: Ending::Completed, usage, .. }) = signals.last() else { panic!("{signals:?}") };
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.cost_usd), (10, 5, Some(0.25)));
    assert_eq!((exit.code, exit.ending, exit.stopped_by, exit.detail.as_str()), (Some(0), Ending::Completed, None, ""));
}

#[tokio::test]
async fn a_stop_leaves_nothing() {
    let bench = Bench::scripted(&format!("ignore-signals\n{}{}hang\n", left_behind("marked"), waited_for("unmarked")));
    let mut agent = bench.start();
    until("both children run", || bench.path("unmarked").exists()).await;
    let family = [agent.pid(), pid(&bench.path("marked")), pid(&bench.path("unmarked"))];
    assert!(family.into_iter().all(lives));
    let asked = Instant::now();
    agent.stop_handle().stop(StopCause::Person);
    let (_, exit) = rest(&mut agent).await;
    let took = asked.elapsed();
    assert_eq!(family.map(lives), [false; 3]);
    assert!(took < common::PATIENCE, "{took:?}");
    assert_eq!((exit.ending, exit.stopped_by, exit.signal), (Ending::Interrupted, Some(StopCause::Person), Some(9)));
}

/// In the background of a script a test inherits that SIGINT is ignored, and so would its agent. Ralph hears it, which nobody inherits.
fn hear_interrupts_if_ignored() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    if u64::from_str_radix(ignored.trim(), 16).unwrap() & 0b10 != 0 {
        drop(tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).unwrap());
    }
}

#[tokio::test]
async fn an_agent_that_obeys_an_interrupt_is_stopped_at_once_and_its_children_with_it() {
    hear_interrupts_if_ignored();
    let mut bench = Bench::scripted(&waited_for("child"));
    // A busy machine may take its time, and nobody waits for the next step once the agent has ended.
    bench.spec.watch.stop_step = common::PATIENCE;
    let mut agent = bench.start();
    until("the child runs", || bench.path("child").exists()).await;
    let asked = Instant::now();
    agent.stop_handle().stop(StopCause::Person);
    let (_, exit) = rest(&mut agent).await;
    assert!(asked.elapsed() < common::PATIENCE);
    assert_eq!((exit.ending, exit.signal, lives(pid(&bench.path("child")))), (Ending::Interrupted, Some(2), false));
}

#[tokio::test]
async fn what_an_agent_leaves_running_ends_with_it() {
    let bench = Bench::scripted(&format!("{}done\n", left_behind("server")));
    let (_, exit) = bench.run().await;
    assert_eq!((exit.ending, lives(pid(&bench.path("server")))), (Ending::Completed, false));
}

#[tokio::test]
async fn dropping_an_agent_stops_it() {
    let bench = Bench::scripted(&format!("{}say ready\nhang\n", left_behind("child")));
    let mut agent = bench.start();
    until_said(&mut agent, "ready").await;
    let family = [agent.pid(), pid(&bench.path("child"))];
    drop(agent);
    until("the dropped agent is gone", || !family.into_iter().any(lives)).await;
}

#[test]
fn the_end_of_the_runtime_kills_it() {
    drop_with_its_runtime(&Bench::scripted(&format!("ignore-signals\n{}say ready\nhang\n", left_behind("child"))));
}

/// Drops the agent and its child when both run; neither may live on.
fn drop_with_its_runtime(bench: &Bench) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let agent = runtime.block_on(async {
        let mut agent = bench.start();
        until_said(&mut agent, "ready").await;
        agent
    });
    let family = [agent.pid(), pid(&bench.path("child"))];
    drop(runtime);
    let began = Instant::now();
    while family.into_iter().any(lives) {
        assert!(began.elapsed() < common::PATIENCE, "it outlived its runtime");
        std::thread::yield_now();
    }
}

/// While a process becomes another program, the system shows no environment of it, and by its marks alone it is known here.
#[test]
fn the_end_of_the_runtime_kills_what_is_just_becoming_another_program() {
    let restless = "trap \"\" INT TERM; [ -e child ] || { echo $$ > child.new; mv child.new child; }; exec sh restless";
    for _ in 0..100 {
        let bench = Bench::scripted("run setsid -w sh restless >/dev/null 2>&1 & while [ ! -e child ]; do :; done\nsay ready\nhang\n");
        std::fs::write(bench.path("restless"), restless).unwrap();
        drop_with_its_runtime(&bench);
    }
}

#[tokio::test]
async fn an_agent_gets_its_marks_and_the_chosen_environment_only() {
    // Cargo sets variables of its own for a test; they stand for everything that is not the agent's business.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let bench = Bench::shell(&format!("env > environment; echo '{RESULT}'"));
    bench.run().await;
    let environment = bench.read("environment");
    for mark in
        ["RALPH_RUN=4", "RALPH_ITERATION=17", "RALPH_TASK=3", "RALPH_ATTEMPT=2", "RALPH_FEATURE=greeting", "RALPH_TASK_TITLE=Say \"hi\""]
    {
        assert!(environment.lines().any(|line| line == mark), "{mark} is not in {environment}");
    }
    let allowed = [
        "PATH",
        "HOME",
        "LANG",
        "LANGUAGE",
        "TMPDIR",
        "USER",
        "LOGNAME",
        "SSH_AUTH_SOCK",
        "TZ",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
        // Tool chains, as whoever runs this test has them.
        "CARGO_HOME",
        "CARGO_TARGET_DIR",
        "LD_LIBRARY_PATH",
        "SHELL",
    ];
    let prefixes = [
        "SSL_CERT_",
        "NIX_SSL_",
        "RUST",
        "PYENV_",
        "NVM_",
        "XDG_",
        "RALPH_",
        "LC_",
        "GIT_",
        "ANTHROPIC_",
        "CLAUDE_",
        "DISABLE_",
        "NODE_EXTRA_",
        "HTTP",
        "http",
        "NO_PROXY",
        "no_proxy",
    ];
    for name in environment.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name) {
        assert!(allowed.contains(&name) || prefixes.iter().any(|prefix| name.starts_with(prefix)), "{name}");
    }
}

#[tokio::test]
async fn a_flood_waits_for_its_reader_and_loses_no_line() {
    const LINES: usize = 200_000;
    let bench = Bench::scripted(&format!("flood {LINES}\nedit over.txt <<EOF\nEOF\n"));
    let mut agent = bench.start();
    until_said(&mut agent, "flood 1000").await;
    assert!(!bench.path("over.txt").exists(), "it went on although no one took its lines");
    let (signals, exit) = rest(&mut agent).await;
    let flood = texts(&signals);
    assert_eq!((flood.len(), flood.last().copied()), (LINES - 1_000, Some("flood 200000")));
    assert_eq!((exit.ending, bench.path("over.txt").exists()), (Ending::Completed, true));
}

#[tokio::test]
async fn junk_and_a_line_of_ten_megabytes_do_not_hide_what_follows() {
    let bench = Bench::shell(&format!("head -c 10485760 /dev/zero | tr '\\0' a; echo; printf 'junk\\377\\000\\n'; echo '{RESULT}'"));
    let (signals, exit) = bench.run().await;
    let [AgentSignal::Garbled { text: long }, AgentSignal::Garbled { .. }, AgentSignal::TurnEnded { .. }] = &signals[..] else {
        panic!("{signals:?}")
    };
    assert!(long.contains("10485760"), "{long}");
    assert_eq!(exit.ending, Ending::Completed);

    let (signals, exit) = Bench::scripted("garble 100\nsay still here\n").run().await;
    assert_eq!((texts(&signals), exit.ending), (vec!["still here"], Ending::Completed));
    let garbled = signals.iter().filter(|signal| matches!(signal, AgentSignal::Garbled { .. })).count();
    assert_eq!(garbled, 100);
}

#[tokio::test]
async fn a_huge_prompt_arrives_whole_and_an_agent_that_ignores_it_is_no_trouble() {
    let prompt = "x".repeat(20 << 20);
    let reads = Bench::shell(&format!("wc -c > count; echo '{RESULT}'"));
    let reads = Bench { spec: AgentSpec { prompt: prompt.clone(), ..reads.spec }, folder: reads.folder };
    assert_eq!(reads.run().await.1.ending, Ending::Completed);
    assert_eq!(reads.read("count").trim(), prompt.len().to_string());

    // Writes more than a pipe holds before it ends, and never reads.
    let deaf = Bench::shell(&format!("head -c 1000000 /dev/zero | tr '\\0' '\\n'; echo '{RESULT}'"));
    let deaf = Bench { spec: AgentSpec { prompt, ..deaf.spec }, folder: deaf.folder };
    assert_eq!(deaf.run().await.1.ending, Ending::Completed);
}

#[tokio::test]
async fn an_agent_that_hangs_after_its_result_has_completed() {
    let mut bench = Bench::scripted("ignore-signals\nsay all done\nresult\nhang\n");
    bench.spec.watch = watch(60_000, 200);
    let (signals, exit) = bench.run().await;
    assert_eq!(texts(&signals), ["all done"]);
    assert_eq!((exit.ending, exit.stopped_by), (Ending::Completed, Some(StopCause::Watchdog)));
    assert!(exit.detail.contains("did not end by itself"), "{}", exit.detail);
}

#[tokio::test]
async fn another_turn_takes_back_the_grace_of_the_first() {
    let mut bench = Bench::scripted("say one\nresult\nturn\npause 900\nsay two\n");
    bench.spec.watch = watch(60_000, 300);
    let (signals, exit) = bench.run().await;
    assert_eq!(texts(&signals), ["one", "two"]);
    assert_eq!((exit.ending, exit.stopped_by), (Ending::Completed, None));
}

#[tokio::test]
async fn what_works_in_the_background_is_waited_for_unless_the_agent_said_how_its_task_ended() {
    let background = |tasks: &str| format!(r#"echo '{{"type":"system","subtype":"background_tasks_changed","tasks":[{tasks}]}}'"#);
    let says = |text: &str| format!(r#"echo '{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{text}"}}]}}}}'"#);
    let begun = format!("{}\n{}\necho '{RESULT}'", background(r#"{"task_id":"b1"}"#), says("The tests run."));
    let mut waits = Bench::shell(&format!("{begun}\nsleep 1\n{}\n{}\necho '{RESULT}'", background(""), says("They pass.")));
    waits.spec.watch = watch(60_000, 300);
    let (signals, exit) = waits.run().await;
    assert_eq!((texts(&signals), exit.stopped_by), (vec!["The tests run.", "They pass."], None), "{}", exit.detail);

    for (script, limit) in [
        (format!("{begun}\nsleep 1000"), "waited for 1 s"),
        (format!("{begun}\n{}\nsleep 1000", background("")), "did not end by itself"),
        (format!("{}\n{begun}\nsleep 1000", says("<task-done></task-done>")), "did not end by itself"),
    ] {
        let mut hangs = Bench::shell(&script);
        hangs.spec.watch = watch(1_000, 300);
        let (_, exit) = hangs.run().await;
        assert_eq!((exit.ending, exit.stopped_by), (Ending::Completed, Some(StopCause::Watchdog)), "{script}");
        assert!(exit.detail.contains(limit), "{script}: {}", exit.detail);
    }
}

#[tokio::test]
async fn silence_is_ended_by_the_watchdog_but_a_slow_reader_is_no_silence() {
    let mut bench = Bench::scripted("say hm\nhang\n");
    bench.spec.watch = watch(300, 60_000);
    let (_, exit) = bench.run().await;
    assert_eq!((exit.ending, exit.stopped_by), (Ending::TimedOut, Some(StopCause::Watchdog)));

    let mut bench = Bench::scripted("flood 100000\n");
    bench.spec.watch = watch(5_000, 60_000);
    let mut agent = bench.start();
    until_said(&mut agent, "flood 1").await;
    let held_up = Instant::now();
    until("longer than the silence that is allowed", || held_up.elapsed() > Duration::from_millis(6_000)).await;
    assert_eq!(rest(&mut agent).await.1.ending, Ending::Completed);
}

#[cfg(unix)]
#[tokio::test]
async fn codex_that_waits_for_the_network_without_end_is_stopped_although_it_is_not_silent() {
    let line = r#"{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}"#;
    // As many lines as are read: it is never silent for long.
    let mut bench = Bench::shell_of(AgentKind::Codex, &format!("echo '{{\"type\":\"turn.started\"}}'\nwhile echo '{line}'; do :; done"));
    bench.spec.watch = watch(60_000, 60_000);
    let (signals, exit) = bench.run().await;
    assert!(signals.iter().any(|signal| matches!(signal, AgentSignal::Retry { status: None, .. })), "{signals:?}");
    assert_eq!((exit.ending, exit.stopped_by), (Ending::Network, Some(StopCause::Watchdog)), "{}", exit.detail);
}

#[tokio::test]
async fn ends_without_a_result_are_crashes_that_tell_why() {
    let (_, aborted) = Bench::scripted("say hm\ncrash\n").run().await;
    assert_eq!((aborted.ending, aborted.signal), (Ending::Crashed, Some(6)));
    let (_, early) = Bench::scripted("exit 7\n").run().await;
    assert_eq!((early.ending, early.code), (Ending::Crashed, Some(7)));
    let (_, told) = Bench::shell("echo 'Error: Invalid MCP configuration' >&2; exit 1").run().await;
    assert_eq!((told.ending, told.code), (Ending::Crashed, Some(1)));
    assert!(told.detail.contains("Invalid MCP configuration"), "{}", told.detail);
    let (_, terminated) = Bench::shell("exit 143").run().await;
    assert_eq!(terminated.ending, Ending::Interrupted);
}

#[tokio::test]
async fn limits_and_errors_that_the_agent_tells_are_its_ending() {
    let (signals, exit) = Bench::scripted("rate-limit 60\n").run().await;
    assert!(signals.iter().any(|signal| matches!(signal, AgentSignal::RateLimit { rejected: true, resets_at: Some(_), .. })));
    assert_eq!((exit.ending, exit.code), (Ending::RateLimited, Some(1)));
    let (_, exit) = Bench::scripted("ends overloaded Try later.\n").run().await;
    assert_eq!(exit.ending, Ending::Overloaded);
}

#[tokio::test]
async fn standard_error_is_told_line_by_line_and_bounded() {
    let bench = Bench::shell(&format!("echo one >&2; head -c 1000000 /dev/zero | tr '\\0' e >&2; echo >&2; echo '{RESULT}'"));
    let mut agent = bench.start();
    let mut lines = Vec::new();
    loop {
        match next(&mut agent).await {
            AgentEvent::Stderr(line) => lines.push(line),
            AgentEvent::Exited(_) => break,
            AgentEvent::Signal(_) => {}
        }
    }
    assert_eq!(lines.iter().map(String::len).collect::<Vec<_>>(), [3, 4_096]);
}

#[tokio::test]
async fn a_start_that_cannot_be_is_an_error_that_names_what_is_missing() {
    let bench = Bench::scripted("");
    let nowhere = AgentSpec { program: "/nowhere/claude".into(), ..bench.spec.clone() };
    let error = start(nowhere).unwrap_err();
    assert!(matches!(error, AgentError::Program { .. }) && error.to_string().contains("/nowhere/claude"), "{error}");
    let homeless = AgentSpec { cwd: "/nowhere".into(), ..bench.spec };
    assert!(matches!(start(homeless).unwrap_err(), AgentError::WorkFolder { .. }));
}
