//! A month of work on a real database: agents' recorded transcripts, mixed with typical sessions of other projects, run after run.
//! What is stored must be worth keeping.
//!
//! `RALPH_SOAK_DAYS` plays more days than an ordinary test, `RALPH_SOAK_SEED` another month.

use super::{HeardCall, OpenCalls, Speaker};
use crate::app::App;
use crate::clock::Clock;
use ralph_core::feature::NewFeature;
use ralph_core::learning::{LearningSource, LearningState, NewLearning};
use ralph_core::limits;
use ralph_core::signal::AgentSignal;
use ralph_core::stats::SplitMix64;
use ralph_core::time::Timestamp;
use ralph_rag::learn::Tracker;
use ralph_testkit::soak;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

const RUNS_A_DAY: usize = 40;
const START: i64 = 1_795_000_000_000;
const MINUTE: i64 = 60_000;
/// Maximum share of junk (2 % more are a warning already, 97.8 % were found elsewhere).
const MOST_JUNK: f64 = 0.05;

const COMMANDS: [&str; 10] = [
    "cargo test -p ledger",
    "npm run lint",
    "make seed",
    "pytest tests/api",
    "go vet ./...",
    "cargo clippy",
    "pnpm build",
    "docker compose up -d",
    "terraform plan",
    "just migrate",
];
const FAULTS: [&str; 6] = [
    "error: no rule to make target",
    "connection refused on port 5432",
    "TypeError: undefined is not a function",
    "expected `;`, found `}`",
    "permission denied: ./target",
    "snapshot differs from the stored one",
];
const AREAS: [&str; 8] = ["ledger", "refund", "receipt", "webhook", "search", "login", "export", "queue"];
/// Unprompted statements of agents: some are not lessons.
const SAYINGS: [&str; 5] = [
    "The {area} table is locked during the nightly export, so write to src/{area}.rs before two o'clock",
    "Run `make seed` before tests of the {area}, or they read an empty clock table",
    "Handlers of the {area} answer 404 and not 403 for foreign rows",
    "Call `{area}::reset` between tests, since its cache outlives them",
    "Prices of the {area} are integers in cents, never floats",
];

struct Month {
    app: Arc<App>,
    chance: SplitMix64,
    transcripts: Vec<Vec<AgentSignal>>,
    now: Arc<AtomicI64>,
    _folder: tempfile::TempDir,
}

/// Every recorded transcript that a dialect reads, by file name.
fn transcripts() -> Vec<Vec<AgentSignal>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agent-cli/tests/transcripts");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the transcripts").flatten().map(|entry| entry.path()).collect();
    files.sort();
    let agent = |file: &Path| file.file_name()?.to_str()?.split('-').next().map(str::to_owned);
    files.iter().filter_map(|file| crate::parse_transcript(&agent(file)?, file).ok()).collect()
}

impl Month {
    fn new(seed: u64) -> Month {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let now = Arc::new(AtomicI64::new(START));
        let shown = Arc::clone(&now);
        let clock = Clock::from_fn(move || Timestamp(shown.load(Ordering::SeqCst)));
        let app = Arc::new(App::init(folder.path(), clock).expect("a project"));
        app.create_feature(&NewFeature { name: "pay".into(), display_name: "Pay".into(), ..NewFeature::default() }).expect("a feature");
        for area in AREAS {
            let text = format!("A person deploys src/{area}.rs by hand, since its key is on a card");
            let own = NewLearning { source: LearningSource::Human, ..NewLearning::new("pay", &text) };
            app.append_feature_learning(&own).expect("is stored");
        }
        let transcripts = transcripts();
        assert!(transcripts.len() >= 20, "the transcripts are read: {}", transcripts.len());
        Month { app, chance: SplitMix64(seed), transcripts, now, _folder: folder }
    }

    fn one_of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.chance.index(of.len())]
    }

    fn play(&mut self, days: u64) {
        for _ in 0..days {
            for _ in 0..RUNS_A_DAY {
                self.run();
            }
            self.now.fetch_add(16 * 60 * MINUTE, Ordering::SeqCst);
        }
    }

    /// One run: a transcript as recorded, additional work, and occasionally a statement of the agent.
    fn run(&mut self) {
        let settings = self.app.settings().expect("reads").automatic_learning;
        let (mut calls, mut tracker) = (OpenCalls::default(), Tracker::default());
        let mut signals = self.transcripts[self.chance.index(self.transcripts.len())].clone();
        for _ in 0..self.chance.index(3) {
            signals.extend(self.work());
        }
        let (speaker, mut heard) = (Speaker { session: "agent".into(), ..Speaker::default() }, 0);
        for signal in &signals {
            let at = Timestamp(self.now.fetch_add(1_000, Ordering::SeqCst));
            let Some(HeardCall { operation, .. }) = calls.hear(&crate::secrets::wash::kept(signal), at, Path::new("/project")) else {
                continue;
            };
            heard += 1;
            if let Some(detection) = tracker.track_operation(operation) {
                self.app.keep_detection(&settings, &speaker, &detection, 0).expect("is kept");
            }
        }
        for detection in tracker.finish() {
            self.app.keep_detection(&settings, &speaker, &detection, 0).expect("is kept");
        }
        self.app.count_operations(heard, 0).expect("is counted");
        self.app.settle_detections().expect("is settled");
        if self.chance.index(4) == 0 {
            let text = self.one_of(&SAYINGS).replace("{area}", self.one_of(&AREAS));
            // A full feature parks new learnings, which is a valid result as well.
            let _ = self.app.append_feature_learning(&NewLearning::new("pay", &text));
        }
        self.now.fetch_add(5 * MINUTE, Ordering::SeqCst);
    }

    /// A piece of work: searches without results, a command that succeeds, one that fails and is fixed, one that is never fixed.
    fn work(&mut self) -> Vec<AgentSignal> {
        let (command, fault) = (self.one_of(&COMMANDS).to_owned(), self.one_of(&FAULTS).to_owned());
        let file = format!("/project/src/{}.rs", self.one_of(&AREAS));
        let run = json!({"command": command});
        let fails = ("Bash", run.clone(), Some(fault));
        let passes = ("Bash", run, None);
        let edits = ("Edit", json!({"file_path": file}), None);
        let reads = ("Read", json!({"file_path": file}), None);
        let looks = ("Grep", json!({"pattern": "lock"}), None);
        let steps: Vec<(&str, Value, Option<String>)> = match self.chance.index(6) {
            0 => vec![looks.clone(), reads, looks],
            1 => vec![reads, edits, passes],
            2 => vec![passes.clone(), passes.clone(), passes],
            3 => vec![fails.clone(), fails.clone(), reads, edits, passes],
            4 => vec![fails.clone(), reads, fails.clone(), passes],
            _ => vec![fails.clone(), fails.clone(), fails],
        };
        steps.into_iter().flat_map(|(tool, arguments, error)| self.call(tool, arguments, error)).collect()
    }

    fn call(&mut self, tool: &str, arguments: Value, error: Option<String>) -> [AgentSignal; 2] {
        let id = format!("call-{}", self.chance.next_u64());
        let summary = error.clone().unwrap_or_else(|| "fine".into());
        [
            AgentSignal::ToolCall {
                id: id.clone(),
                name: tool.into(),
                summary: String::new(),
                paths: Vec::new(),
                arguments,
                of_subagent: false,
            },
            AgentSignal::ToolResult { id, is_error: error.is_some(), summary, exit_code: error.map(|_| 1) },
        ]
    }
}

/// Active texts, with the time they were learned; ids are random.
fn active_texts(app: &App) -> Vec<(String, Timestamp)> {
    let episodes = app.list_episodes(None).expect("reads").into_iter().map(|row| row.episode);
    let told = episodes.filter(|episode| episode.withdrawn.is_none()).map(|episode| (episode.lesson, episode.created));
    let learnings =
        app.learnings(None, &[LearningState::Active]).expect("reads").into_iter().map(|learning| (learning.text, learning.created));
    let mut texts: Vec<(String, Timestamp)> = told.chain(learnings).collect();
    texts.sort();
    texts
}

#[test]
fn a_month_of_runs_leaves_little_junk_in_a_bounded_store_and_loses_nothing_that_is_protected() {
    let (days, seed) = (soak("RALPH_SOAK_DAYS", 2), soak("RALPH_SOAK_SEED", 7));
    let mut month = Month::new(seed);
    month.play(days);
    let status = month.app.learning_status().expect("reads");
    let report = month.app.audit_report().expect("reads");
    let (junk, memories) = (report.junk, report.memories);
    let share = f64::from(junk) / f64::from(memories.max(1));
    let runs = days * RUNS_A_DAY as u64;
    eprintln!(
        "{runs} runs, seed {seed}: {} calls, {} detections, {} episodes; {junk} of {memories} memories are junk ({:.1} %)",
        status.counts.operations,
        status.counts.detections,
        status.counts.episodes_created,
        100.0 * share
    );
    assert!(status.counts.detections > 20 && status.counts.episodes_created > 5, "{status:?}");
    assert!(share <= MOST_JUNK, "seed {seed}: {:#?}", report.classes);
    assert_eq!(status.waiting, 0, "what rules can settle is settled");

    let episodes = month.app.list_episodes(None).expect("reads");
    let active = episodes.iter().filter(|row| row.episode.withdrawn.is_none()).count();
    assert!(active <= limits::EPISODES, "{active} episodes are told");
    let learnings = month.app.learnings(Some("pay"), &[LearningState::Active]).expect("reads");
    assert!(learnings.len() <= limits::MAX_LEARNINGS as usize);
    assert_eq!(learnings.iter().filter(|learning| learning.source == LearningSource::Human).count(), AREAS.len(), "a person's words stay");

    let mut again = Month::new(seed);
    again.play(days);
    assert_eq!(active_texts(&again.app), active_texts(&month.app), "the same month comes to the same store");
}
