//! Weeks of work on one feature, with and without consolidation: what that does to its saturation, that no lesson is lost, and how well
//! lessons are found once they stand in documents. `RALPH_SOAK_WEEKS` plays more weeks than an ordinary test.
#![allow(clippy::unwrap_used, reason = "a fault here fails the test")]
#![cfg(unix)]

use ralph_app::{App, Clock, StopHandle};
use ralph_core::errand::ErrandAgent;
use ralph_core::feature::NewFeature;
use ralph_core::learning::{LearningState, NewLearning};
use ralph_core::recall::RecallQuery;
use ralph_core::run::AgentKind;
use ralph_core::settings::Settings;
use ralph_core::time::Timestamp;
use ralph_core::worktree::ReviewPolicy;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tempfile::TempDir;

/// Weeks of an ordinary test: a little more than it takes to fill a feature.
const WEEKS: u32 = 12;
/// Active days of a week, on each of which something is learned.
const DAYS: u32 = 5;
const DAY_MILLIS: i64 = 86_400_000;
/// The fifth of January 2026, at noon.
const START: i64 = 1_767_614_400_000;
/// The document that the lessons go into.
const DOCUMENT: &str = "docs/knowledge/lessons.md";
/// Writes every entry of the batch into that document, each below a heading of its own.
const SCRIPT: &str = "run while IFS=\"$(printf '\\t')\" read -r key words; do printf '\\n## About %s\\n\\n- %s <!-- ralph:%s -->\\n' \
                      \"$(echo $words | cut -c1-60)\" \"$words\" \"$key\"; done < \"$RALPH_BATCH\" >> docs/knowledge/lessons.md\n";

/// A project whose days go by as the test says.
struct World {
    app: Arc<App>,
    folder: TempDir,
    time: Arc<AtomicI64>,
    lessons: BTreeMap<String, u32>,
    /// The greatest saturation at the end of a day, and the week in which a split was asked for.
    most: u32,
    split: Option<u32>,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("docs/knowledge")).unwrap();
        std::fs::write(folder.path().join(DOCUMENT), "# Lessons\n\nWhat has proved true.\n").unwrap();
        std::fs::write(folder.path().join(".gitignore"), ".ralph/\n").unwrap();
        git(folder.path(), &["init", "--quiet", "--initial-branch=main"], START);
        git(folder.path(), &["config", "user.name", "Person"], START);
        git(folder.path(), &["config", "user.email", "person@example.org"], START);
        git(folder.path(), &["add", "--all"], START);
        git(folder.path(), &["commit", "--quiet", "--message", "begin"], START);
        let time = Arc::new(AtomicI64::new(START));
        let shown = Arc::clone(&time);
        let app = Arc::new(App::init(folder.path(), Clock::from_fn(move || Timestamp(shown.load(Ordering::SeqCst)))).unwrap());
        app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).unwrap();
        std::fs::write(folder.path().join("play.script"), SCRIPT).unwrap();
        let mut settings = Settings { agent: AgentKind::Scripted, script: "play.script".into(), ..app.written_settings().unwrap() };
        settings.consolidation.review = ReviewPolicy::Auto;
        app.update_settings(&app.written_settings().unwrap(), &settings).unwrap();
        World { app, folder, time, lessons: BTreeMap::new(), most: 0, split: None }
    }

    /// A day of work: a commit, and a lesson.
    fn work(&mut self, week: u32, day: u32) {
        let number = week * DAYS + day;
        let now = START + DAY_MILLIS * i64::from(7 * week + day + 1);
        self.time.store(now, Ordering::SeqCst);
        git(self.folder.path(), &["commit", "--quiet", "--allow-empty", "--message", "work"], now);
        let told = self.app.append_feature_learning(&NewLearning::new("pay", &lesson(number))).unwrap();
        self.lessons.insert(told.id, number);
        self.most = self.most.max(told.saturation.saturation_pct);
        if told.split_task.is_some() {
            self.split.get_or_insert(week);
        }
    }

    /// The end of a week: whatever is due is consolidated. Answers the lessons that went, and how well they were found just before.
    async fn consolidate(&self) -> (Vec<u32>, f64) {
        let preview = self.app.consolidation_preview(None).unwrap();
        assert_eq!(self.app.learnings_to_consolidate("pay").unwrap() as usize, preview.batch.len());
        if !preview.trigger.sources.iter().any(|source| source.due) {
            return (Vec::new(), 0.0);
        }
        let batch: Vec<u32> = preview.batch.iter().map(|entry| self.lessons[&entry.key]).collect();
        let found = self.ndcg(&batch);
        let (_, ordered) = self.app.consolidate(None, &[], &ErrandAgent::default(), &StopHandle::new()).await.unwrap();
        assert!(ordered.merged && ordered.entries.len() == batch.len(), "{ordered:?}");
        (batch, found)
    }

    fn in_state(&self, state: LearningState) -> Vec<String> {
        self.app.learnings(Some("pay"), &[state]).unwrap().into_iter().map(|learning| learning.id).collect()
    }

    /// How well some lessons are found: the mean of `1 / log2(1 + place)` over them, 0 where one is not among the first ten.
    fn ndcg(&self, lessons: &[u32]) -> f64 {
        let gain = |number: &u32| {
            let query = RecallQuery { query: question(*number), feature: Some("pay".into()), limit: 10, ..RecallQuery::default() };
            let hits = self.app.recall(&query).unwrap().hits;
            let place = hits.iter().position(|hit| hit.text.contains(&token(*number)));
            place.map_or(0.0, |place| 1.0 / (place as f64 + 2.0).log2())
        };
        lessons.iter().map(gain).sum::<f64>() / lessons.len().max(1) as f64
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn weeks_of_a_busy_feature() {
    let weeks = ralph_testkit::soak("RALPH_SOAK_WEEKS", WEEKS);
    let (mut with, mut without) = (World::new(), World::new());
    let (mut rounds, mut before, mut after, mut went) = (0, 0.0, 0.0, 0.0);
    for week in 0..weeks {
        for day in 0..DAYS {
            with.work(week, day);
            without.work(week, day);
        }
        let (gone, found) = with.consolidate().await;
        if !gone.is_empty() {
            let count = gone.len() as f64;
            (rounds, before, after, went) = (rounds + 1, before + found * count, after + with.ndcg(&gone) * count, went + count);
        }
    }
    let document = std::fs::read_to_string(with.folder.path().join(DOCUMENT)).unwrap_or_default();
    let (active, consolidated) = (with.in_state(LearningState::Active), with.in_state(LearningState::Consolidated));
    let left = without.in_state(LearningState::Active).len();
    eprintln!(
        "{} lessons in {weeks} weeks. With: {rounds} consolidations, at most {} %, {} active, {} in documents, nDCG@10 {:.3} before and \
         {:.3} after. Without: at most {} %, split in week {:?}, {left} active.",
        with.lessons.len(),
        with.most,
        active.len(),
        consolidated.len(),
        before / went,
        after / went,
        without.most,
        without.split.map(|week| week + 1),
    );
    assert_eq!(active.len() + consolidated.len(), with.lessons.len(), "no lesson is lost");
    let files = documents(&with.folder.path().join("docs/knowledge"));
    for id in &consolidated {
        assert_eq!(files.matches(&format!("<!-- ralph:{id} -->")).count(), 1, "{id}: {document}");
    }
    assert!(with.most < 90 && with.split.is_none(), "{} %", with.most);
    assert!(without.split.is_some(), "the same world without consolidation splits");
    assert!(after >= 0.95 * before, "{after} of {before}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_was_years_ahead_at_one_consolidation_holds_up_none() {
    let mut world = World::new();
    for week in 0..4 {
        (0..DAYS).for_each(|day| world.work(week, day));
    }
    let today = world.time.load(Ordering::SeqCst);
    world.time.store(today + 3_650 * DAY_MILLIS, Ordering::SeqCst);
    assert!(!world.consolidate().await.0.is_empty());
    world.time.store(today, Ordering::SeqCst);
    let since = |world: &World| {
        let of = world.app.consolidation_preview(None).unwrap().trigger.leading.unwrap();
        (of.last.map(|day| day.to_string()), of.active_days_since)
    };
    assert_eq!(since(&world), (Some("2026-01-31".to_owned()), Some(1)), "git dates the merge itself by its own clock");
    for week in 4..8 {
        (0..DAYS).for_each(|day| world.work(week, day));
    }
    assert_eq!(since(&world), (Some("2026-02-03".to_owned()), Some(20)), "as old as the first line since");
}

/// A lesson unlike any other: what it is about, what holds there, and where.
fn lesson(number: u32) -> String {
    let (about, rule) = parts(number);
    format!("{about} {rule}, see `{}` for why", token(number))
}

fn question(number: u32) -> String {
    let (about, rule) = parts(number);
    format!("why do {about} {rule}?").to_lowercase()
}

fn token(number: u32) -> String {
    format!("check_{number}.rs")
}

fn parts(number: u32) -> (&'static str, &'static str) {
    const ABOUT: [&str; 15] = [
        "Refunds",
        "Webhooks",
        "Invoices",
        "Ledger rows",
        "Currency rates",
        "Coupons",
        "Chargebacks",
        "Payout batches",
        "Receipts",
        "Card tokens",
        "Tax tables",
        "Dunning letters",
        "Subscriptions",
        "Trial periods",
        "Bank statements",
    ];
    const RULE: [&str; 10] = [
        "are locked before they are written",
        "arrive twice on Mondays",
        "need the provider's clock",
        "are rounded half to even",
        "must be sorted by booking day",
        "expire after ninety minutes",
        "are signed with the second key",
        "can't be cancelled at night",
        "are counted by the worker alone",
        "keep the merchant's old name",
    ];
    (ABOUT[number as usize % ABOUT.len()], RULE[number as usize / ABOUT.len() % RULE.len()])
}

fn documents(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        all += &if entry.path().is_dir() { documents(&entry.path()) } else { std::fs::read_to_string(entry.path()).unwrap() };
    }
    all
}

/// Runs git at a time.
fn git(folder: &Path, args: &[&str], now: i64) {
    let date = format!("{} +0000", now / 1_000);
    let status = Command::new("git").args(args).current_dir(folder).env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date).status();
    assert!(status.unwrap().success(), "git {args:?}");
}
