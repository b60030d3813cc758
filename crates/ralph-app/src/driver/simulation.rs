//! A run with a fault injected at each possible place in turn: afterwards nothing is left locked or claimed, and what was said is kept.

use crate::app::App;
use crate::clock::Clock;
use crate::faults::testing::Kind;
use crate::runs::testing::played;
use ralph_core::feature::NewFeature;
use ralph_core::run::owner::Recovery;
use ralph_core::run::{Outcome, RunLimits, RunState, StopReason};
use ralph_core::task::{NewTask, TaskFilter, TaskStatus};
use ralph_core::time::Timestamp;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const LESSON: &str = "Run `migrate` before the server starts, or the first request fails";
/// More places than a run has.
const ENOUGH: usize = 60;
/// Longest that another writer may take.
const PATIENCE: Duration = Duration::from_secs(20);

fn project(folder: &Path) -> Arc<App> {
    let app = Arc::new(App::init(folder, Clock::system()).expect("a project"));
    app.create_feature(&NewFeature { name: "pay".into(), display_name: "Pay".into(), ..NewFeature::default() }).expect("a feature");
    let task = NewTask { feature: "pay".into(), title: "Refund".into(), ..NewTask::default() };
    app.create_task(&task).expect("a task");
    std::fs::write(folder.join("play.script"), format!("say I work\nlearn pitfall db: {LESSON}\ndone\n")).expect("a script");
    app
}

/// Plays a run with a fault after `place` others; `false` if it met none.
fn play(kind: Kind, place: usize) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let app = project(folder.path());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    let (ended, met) = runtime.block_on(async {
        let prepared = app.start_run(&played(Some(1))).await.expect("starts: is `ralph` built beside the tests?");
        app.faults.plan(kind, place);
        let ended = app.drive(prepared, None).await;
        (ended, app.faults.end())
    });
    let case = format!("{kind:?} at place {place}, which ended as {ended:?}");
    // The process continues, as the window does, and the disk has room again.
    recover(&app, &case);
    let iterations = app.db.read(|r| r.all_iterations()).expect("reads");
    assert!(iterations.iter().all(|row| row.outcome != Outcome::Running && row.ended.is_some()), "{case}: {iterations:?}");
    let task = app.tasks(&TaskFilter::default()).expect("reads").remove(0);
    let done = iterations.iter().any(|row| row.outcome == Outcome::Done);
    assert_eq!(task.status, if done { TaskStatus::Done } else { TaskStatus::Pending }, "{case}: {iterations:?}");
    let known = app.learnings(None, &[]).expect("reads").iter().any(|learning| learning.text == LESSON);
    assert!(known || !done, "{case}: a task is done, and what was learnt with it is not there");
    if let Some(row) = iterations.first() {
        let log = std::fs::read_to_string(app.log_path(row.id)).unwrap_or_default();
        assert!(
            known || log.contains("migrate") || !log.contains("I work"),
            "{case}: what was said is neither known nor in the log: {log}"
        );
    }
    if let Ok(run) = &ended {
        assert!(run.ended.is_some() && (run.stop_reason.is_some()), "{case}");
    }
    // And the next run does the work.
    if !done {
        let again =
            runtime.block_on(async { app.drive(app.start_run(&played(Some(1))).await.expect("starts"), None).await.expect("ends") });
        assert_eq!(again.iterations, 1, "{case}");
        let rows = app.db.read(|r| r.all_iterations()).expect("reads");
        assert_eq!(
            app.tasks(&TaskFilter::default()).expect("reads").remove(0).status,
            TaskStatus::Done,
            "{case}, then {again:?}: {rows:?}"
        );
    }
    met
}

/// Looks until nothing is held, as the window does again and again: another writer may prevent one look, and a program that another thread
/// is starting also holds the run's lock, from its fork to its exec.
fn recover(app: &App, case: &str) {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        app.try_recover().unwrap_or_else(|fault| panic!("{case}: {fault}"));
        if app.recovery() == Recovery::Done && app.active_run().expect("reads").is_none() {
            return;
        }
        std::thread::yield_now();
    }
    panic!("{case}: {:?} is {:?}", app.active_run(), app.recovery());
}

fn play_all(kind: Kind) {
    let places = (0..ENOUGH).take_while(|place| play(kind, *place)).count();
    eprintln!("{places} places met {kind:?}");
    assert!((10..ENOUGH).contains(&places), "{places}");
}

#[test]
fn an_error_at_any_place_of_a_run_leaves_nothing_held() {
    play_all(Kind::Error);
}

#[test]
fn a_panic_at_any_place_of_a_run_leaves_nothing_held() {
    play_all(Kind::Panic);
}

#[test]
fn a_disk_that_is_full_from_any_place_on_leaves_nothing_held_once_it_has_room() {
    play_all(Kind::Stays);
}

#[test]
fn a_clock_that_jumps_ends_no_run_and_declares_none_dead() {
    use std::sync::atomic::{AtomicI64, Ordering};
    const DAY: i64 = 86_400_000;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let off = Arc::new(AtomicI64::new(0));
    let jumping = || {
        let (real, off) = (Clock::system(), Arc::clone(&off));
        let steady = real.clone();
        Clock::from_fn(move || Timestamp(real.now().0 + off.load(Ordering::SeqCst))).with_steady(move || steady.steady())
    };
    drop(project(folder.path()));
    let app = Arc::new(App::open(folder.path(), jumping()).expect("opens"));
    std::fs::write(folder.path().join("play.script"), "run touch began; until [ -e go ]; do sleep 0.02; done\ndone\n").expect("a script");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    let ended = runtime.block_on(async {
        let mut wanted = played(Some(1));
        wanted.limits.max_minutes = Some(30);
        let prepared = app.start_run(&wanted).await.expect("starts");
        let jumps = async {
            let mut look = tokio::time::interval(std::time::Duration::from_millis(10));
            while !folder.path().join("began").exists() {
                look.tick().await;
            }
            for jump in [3_600_000, -3_600_000, DAY, -DAY, 365 * DAY] {
                off.store(jump, Ordering::SeqCst);
                let other = App::open(folder.path(), jumping()).expect("opens");
                let active = other.active_run().expect("reads").unwrap_or_else(|| panic!("declared dead after {jump} ms"));
                assert_eq!(active.ended, None);
                // Long enough for the loop to check its clock.
                for _ in 0..15 {
                    look.tick().await;
                }
            }
            std::fs::write(folder.path().join("go"), "").expect("writes");
        };
        let (ended, ()) = tokio::join!(app.drive(prepared, None), jumps);
        ended.expect("ends")
    });
    assert_eq!(ended.stop_reason, Some(StopReason::MaxIterations), "{ended:?}");
    assert_eq!(app.tasks(&TaskFilter::default()).expect("reads").remove(0).status, TaskStatus::Done);
}

#[test]
fn waits_and_limits_are_measured_by_the_steady_clock_alone() {
    use std::sync::atomic::{AtomicI64, Ordering};
    const HOUR: i64 = 3_600_000;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (wall, steady) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicI64::new(0)));
    let clock = {
        let (real, wall, gone) = (Clock::system(), Arc::clone(&wall), Arc::clone(&steady));
        let by_steady = real.clone();
        Clock::from_fn(move || Timestamp(real.now().0 + wall.load(Ordering::SeqCst)))
            .with_steady(move || Timestamp(by_steady.steady().0 + gone.load(Ordering::SeqCst)))
    };
    drop(project(folder.path()));
    let app = Arc::new(App::open(folder.path(), clock).expect("opens"));
    let script = "[attempt 1 iteration 1]\nrate-limit 3600\n\n[*]\nrun touch again; until [ -e go ]; do sleep 0.02; done\nhang\n";
    std::fs::write(folder.path().join("play.script"), script).expect("a script");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    let ended = runtime.block_on(async {
        let mut wanted = played(Some(1));
        wanted.limits = RunLimits { max_iterations: Some(3), max_minutes: Some(90), max_usd: None };
        let prepared = app.start_run(&wanted).await.expect("starts");
        let turns = async {
            let mut look = tokio::time::interval(std::time::Duration::from_millis(10));
            let state = || app.active_run().expect("reads").map(|run| run.state);
            while state() != Some(RunState::Waiting) {
                look.tick().await;
            }
            for jump in [HOUR, -HOUR, 24 * HOUR, -24 * HOUR] {
                wall.store(jump, Ordering::SeqCst);
                // Long enough for the loop to check its clock.
                for _ in 0..15 {
                    look.tick().await;
                }
                assert_eq!(state(), Some(RunState::Waiting), "a jump of {jump} ms ended the wait");
            }
            // The hour is over, while the wall clock is a day behind.
            steady.fetch_add(HOUR + 60_000, Ordering::SeqCst);
            while !folder.path().join("again").exists() {
                look.tick().await;
            }
            wall.store(365 * 24 * HOUR, Ordering::SeqCst);
            for _ in 0..15 {
                look.tick().await;
            }
            assert_eq!(state(), Some(RunState::Running), "a year on the wall is not a minute of work");
            wall.store(-24 * HOUR, Ordering::SeqCst);
            steady.fetch_add(HOUR, Ordering::SeqCst);
            std::fs::write(folder.path().join("go"), "").expect("writes");
        };
        let (ended, ()) = tokio::join!(app.drive(prepared, None), turns);
        ended.expect("ends")
    });
    assert_eq!((ended.stop_reason, ended.iterations), (Some(StopReason::MaxMinutes), 2), "{ended:?}");
    assert_eq!(app.tasks(&TaskFilter::default()).expect("reads").remove(0).status, TaskStatus::Pending);
}

#[test]
fn a_run_that_is_dropped_frees_its_task_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let app = project(folder.path());
    std::fs::write(folder.path().join("play.script"), "run touch began\nhang\n").expect("a script");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    runtime.block_on(async {
        let prepared = app.start_run(&played(Some(1))).await.expect("starts");
        let began = async {
            let mut look = tokio::time::interval(std::time::Duration::from_millis(10));
            while !folder.path().join("began").exists() {
                look.tick().await;
            }
        };
        tokio::select! {
            ended = app.drive(prepared, None) => panic!("it hangs: {ended:?}"),
            () = began => {}
        }
    });
    assert_eq!(app.db.read(|r| r.active_runs()).expect("reads"), [], "without any recovery");
    assert_eq!(app.tasks(&TaskFilter::default()).expect("reads").remove(0).status, TaskStatus::Pending);
    let dropped = app.runs(1).expect("reads").remove(0);
    assert!(dropped.note.as_deref().is_some_and(|note| note.contains("closed")), "{dropped:?}");
    // A run that was prepared but never driven holds nothing either.
    drop(runtime.block_on(app.start_run(&played(Some(1)))).expect("starts"));
    // A child that another test is just starting also holds the lock's file, until it becomes its program.
    let begin = std::time::Instant::now();
    while app.active_run().expect("reads").is_some() {
        assert!(begin.elapsed() < std::time::Duration::from_secs(60), "it is still held");
        std::thread::yield_now();
    }
}
