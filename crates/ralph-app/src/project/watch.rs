//! Changed topics, whoever wrote: this process, the CLI, an agent's MCP server.

use crate::app::App;
use crate::config::Stamp;
use crate::error::Result;
use ralph_core::limits;
use ralph_core::time::Timestamp;
use ralph_core::topic::Topic;
use sqlite_db::table::Watch;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Polls for changed topics; cheap enough for ten calls a second.
pub struct TopicWatch {
    app: Arc<App>,
    watch: Watch,
    seen: BTreeMap<Topic, i64>,
    /// The settings' file at the last check: an editor or a pull changes it behind the database.
    config: Option<Stamp>,
    /// Whether the database was in place at the last check.
    there: bool,
    /// Whether it could be written to.
    writable: bool,
    /// When the next check for dead runs is due, by the monotonic clock.
    look_due: Timestamp,
}

impl App {
    /// A watch for changes from now on.
    pub fn watch(self: &Arc<Self>) -> Result<TopicWatch> {
        let watch = self.db.watch()?;
        let seen = self.db.read(|r| r.topic_versions())?;
        let config = Stamp::of(self.paths.files(), &self.paths.config);
        let writable = self.db.refusal().is_none();
        Ok(TopicWatch { app: Arc::clone(self), watch, seen, config, there: true, writable, look_due: self.clock.steady() })
    }
}

impl TopicWatch {
    /// Topics that changed since the last call; all of them if the database is gone, or back, or was migrated by a newer Ralph: the refetch
    /// then shows why.
    pub fn changed(&mut self) -> Result<Vec<Topic>> {
        let there = self.app.db.still_there().is_ok();
        if there != self.there {
            self.there = there;
            if !there && let Err(error) = self.app.save_what_is_open() {
                tracing::warn!("what was last written may be missing after `ralph restore`: {error}");
            }
            return Ok(Topic::ALL.to_vec());
        }
        if !there {
            return Ok(Vec::new());
        }
        self.find_dead_runs();
        let config = Stamp::of(self.app.paths.files(), &self.app.paths.config);
        let has_new_settings = config != self.config;
        if has_new_settings {
            self.config = config;
            self.app.settle_caps().unwrap_or_else(|fault| tracing::warn!("the changed settings can't be settled: {fault}"));
        }
        if !self.watch.moved()? && !has_new_settings {
            return Ok(Vec::new());
        }
        let writable = self.app.db.refusal().is_none();
        if writable != self.writable {
            self.writable = writable;
            return Ok(Topic::ALL.to_vec());
        }
        let now = self.app.db.read(|r| r.topic_versions())?;
        let is_changed = |topic: &Topic, version| self.seen.get(topic) != Some(version);
        let mut changed: Vec<Topic> = now.iter().filter(|(topic, version)| is_changed(topic, version)).map(|(topic, _)| *topic).collect();
        if has_new_settings && !changed.contains(&Topic::Settings) {
            changed.push(Topic::Settings);
        }
        self.seen = now;
        Ok(changed)
    }

    /// Ends runs whose process died, so that an idle page is correct too.
    fn find_dead_runs(&mut self) {
        let now = self.app.clock.steady();
        if now < self.look_due {
            return;
        }
        self.look_due = now.plus_millis(limits::DEAD_RUN_LOOK_MILLIS);
        if let Err(error) = self.app.try_recover() {
            tracing::warn!("what a dead run holds can't be freed for now: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::runs::testing::played;
    use ralph_core::feature::NewFeature;
    use ralph_core::learning::{LearningSource, NewLearning};
    use ralph_core::run::{RunControl, StopReason};
    use std::sync::atomic::{AtomicI64, Ordering};

    #[tokio::test(flavor = "multi_thread")]
    async fn a_window_that_nobody_touches_learns_that_a_run_s_process_was_killed_and_when() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("play.script"), "done\n").expect("a script");
        let time = Arc::new(AtomicI64::new(1_795_000_000_000));
        let shown = Arc::clone(&time);
        let clock = Clock::from_fn(move || Timestamp(shown.load(Ordering::SeqCst)));
        let app = Arc::new(App::init(folder.path(), clock).expect("a project"));
        let prepared = app.start_run(&played(None)).await.expect("starts: is `ralph` built beside the tests?");
        let run = prepared.run().id;
        let mut watch = app.watch().expect("watches");
        watch.changed().expect("looks");

        // The system releases the lock with the process.
        drop(prepared);
        assert_eq!(watch.changed().expect("looks"), [], "not looked at within the same second");
        time.fetch_add(7 * 3_600_000, Ordering::SeqCst);
        assert!(watch.changed().expect("looks").contains(&Topic::Runs), "whoever shows runs asks again");
        let over = app.run(run).expect("reads").run;
        assert_eq!(
            (over.stop_reason, over.ended),
            (Some(StopReason::Crashed), Some(over.started)),
            "as of its last sign of life: {over:?}"
        );
        let note = over.note.unwrap_or_default();
        assert!(note.starts_with("its process ended at ") && note.contains(':') && note.contains("without telling why"), "{note}");
        assert!(note.contains(&crate::clock::local_minute(over.started)), "it is read days later: {note}");
        assert!(app.control_run(None, None, RunControl::StopNow).is_err(), "it was over before the stop was asked for");
    }

    #[test]
    fn settings_that_an_editor_or_a_pull_changed_are_shown_and_settled() {
        let folder = tempfile::tempdir().expect("a folder");
        let app = Arc::new(App::init(folder.path(), Clock::system()).expect("a project"));
        app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).expect("a feature");
        let set_cap = |cap: u32| {
            let text = std::fs::read_to_string(&app.paths.config).expect("reads");
            let line = text.lines().find(|line| line.starts_with("max_learnings")).expect("a cap");
            std::fs::write(&app.paths.config, text.replace(line, &format!("max_learnings = {cap}"))).expect("writes");
        };
        let mut watch = app.watch().expect("watches");
        watch.changed().expect("looks");
        set_cap(5);
        let changed = watch.changed().expect("looks");
        assert!(
            changed.contains(&Topic::Settings) && changed.contains(&Topic::Learnings),
            "a cap is part of every saturation: {changed:?}"
        );
        assert_eq!(watch.changed().expect("looks"), []);
        for n in 1..=6 {
            let text = format!("The step_{n} call comes before the rest of src/n{n}.rs");
            let said = app.append_feature_learning(&NewLearning { source: LearningSource::Human, ..NewLearning::new("pay", &text) });
            assert_eq!(said.is_err(), n == 6, "nothing can make room for the last: {said:?}");
        }
        watch.changed().expect("looks");
        set_cap(50);
        assert!(watch.changed().expect("looks").contains(&Topic::Settings));
        assert_eq!(app.feature_row("pay").expect("reads").saturation.learnings_count, 6, "the parked one has room");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn stop_on_a_run_whose_process_is_gone_answers_how_it_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("play.script"), "done\n").expect("a script");
        let app = Arc::new(App::init(folder.path(), Clock::system()).expect("a project"));
        drop(app.start_run(&played(None)).await.expect("starts: is `ralph` built beside the tests?"));
        let over = app.control_run(None, None, RunControl::StopNow).expect("is what was asked for");
        assert_eq!(over.stop_reason, Some(StopReason::Crashed), "{over:?}");

        drop(app.start_run(&played(None)).await.expect("starts"));
        let refused = app.control_run(None, None, RunControl::Pause).expect_err("nothing to pause").to_string();
        assert!(refused.contains("run 2 is over: its process ended at "), "{refused}");
    }
}
