//! Automatic learning from a run: it only sees the driver's stream of signals. An error is logged, and the run continues.

use super::lane::Ears;
use super::{Driver, LaneNumber};
use crate::app::App;
use crate::error::Result;
use crate::learn::{HeardCall, Speaker, take_auto_learn};
use ralph_core::IterationId;
use ralph_core::settings::AutomaticLearning;
use ralph_core::signal::AgentSignal;
use ralph_core::time::Timestamp;
use ralph_rag::learn::{Detection, Tracker};
use std::path::Path;

impl Driver {
    /// Processes one signal; a completed detection becomes a row at once.
    pub(super) async fn learn_from(&mut self, lane: LaneNumber, signal: &AgentSignal) {
        let now = self.app.clock.now();
        let Some(current) = self.lane(lane).current.as_mut() else { return };
        let Some(detection) = current.ears.hear(signal, now, &current.checkout.folder) else { return };
        let settings = current.ears.settings.clone();
        let speaker = Speaker { iteration: Some(current.claim.iteration), ..Speaker::default() };
        let heard = std::mem::take(&mut current.ears.heard);
        self.log_fault(move |app| app.keep_detection(&settings, &speaker, &detection, heard)).await;
    }

    /// Settles the detections of a committed iteration, including its unfixed failures, and counts its operations.
    pub(super) async fn settle_learning(&self, ears: Ears, iteration: IterationId, settings: AutomaticLearning) {
        self.log_fault(move |app| app.settle_session(ears.tracker, ears.heard, iteration, &settings)).await;
    }

    /// The settings as they are now: a person may change them during a run. If they can't be read, those that the run began with.
    pub(super) async fn learning_settings(&self) -> AutomaticLearning {
        match self.blocking(|app| app.settings()).await {
            Ok(settings) => settings.automatic_learning,
            Err(error) => {
                tracing::warn!("automatic learning: {error}");
                self.prepared.settings.automatic_learning.clone()
            }
        }
    }

    async fn log_fault<T: Send + 'static>(&self, act: impl FnOnce(&App) -> Result<T> + Send + 'static) {
        if let Err(error) = self.blocking(act).await {
            tracing::warn!("automatic learning: {error}");
        }
    }
}

impl Ears {
    /// Processes one signal of an agent that works in `folder`, and returns what it completes.
    pub(super) fn hear(&mut self, signal: &AgentSignal, at: Timestamp, folder: &Path) -> Option<Detection> {
        let HeardCall { mut operation, of_subagent } = self.calls.hear(signal, at, folder)?;
        let auto_learn = take_auto_learn(&mut operation);
        // What another agent does at the same time is not part of its story: nobody knows which of them saw the other's changes.
        if of_subagent || !auto_learn.unwrap_or(self.settings.enabled) {
            self.tracker.pass_over(&operation);
            return None;
        }
        operation.asked = auto_learn == Some(true);
        self.heard += 1;
        self.tracker.tune(&self.settings);
        self.tracker.track_operation(operation)
    }
}

impl App {
    /// Stores what an iteration's session amounts to, settles what can be, and withdraws failures whose command works now.
    pub(super) fn settle_session(
        &self,
        mut tracker: Tracker,
        heard: u32,
        iteration: IterationId,
        settings: &AutomaticLearning,
    ) -> Result<()> {
        self.count_operations(heard, 0)?;
        let worked: Vec<String> = tracker.worked().map(str::to_owned).collect();
        let speaker = Speaker { iteration: Some(iteration), ..Speaker::default() };
        for detection in tracker.finish() {
            self.keep_detection(settings, &speaker, &detection, 0)?;
        }
        self.settle_detections()?;
        self.withdraw_what_works(&worked, iteration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_subagent_changed_is_not_told_as_the_cause() {
        let story = |of_subagent: bool| {
            let mut ears = Ears { settings: AutomaticLearning::of_a_new_project(), ..Ears::default() };
            let check = json!({ "command": "sh check.sh" });
            let edit = json!({ "file_path": "docs/guide.toml" });
            let steps = [("Bash", &check, true), ("Bash", &check, true), ("Edit", &edit, false), ("Bash", &check, false)];
            let mut found = Vec::new();
            for (name, arguments, is_error) in steps {
                let (id, summary) = ("1".to_owned(), "error: nothing is built".to_owned());
                let of_subagent = of_subagent && name == "Edit";
                let (arguments, name) = (arguments.clone(), name.to_owned());
                let call =
                    AgentSignal::ToolCall { id: id.clone(), name, summary: String::new(), paths: Vec::new(), arguments, of_subagent };
                let result = AgentSignal::ToolResult { id, is_error, summary, exit_code: None };
                found.extend([call, result].iter().filter_map(|signal| ears.hear(signal, Timestamp(1), Path::new("/p"))));
            }
            found.iter().filter_map(ralph_rag::learn::lesson_of).count()
        };
        assert_eq!((story(false), story(true)), (1, 0));
    }
}
