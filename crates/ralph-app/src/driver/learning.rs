//! Automatic learning from a run: it only sees the driver's stream of signals. An error is logged, and the run continues.

use super::lane::Ears;
use super::{Driver, LaneNumber};
use crate::app::App;
use crate::learn::{Speaker, take_auto_learn};
use ralph_core::IterationId;
use ralph_core::settings::AutomaticLearning;
use ralph_core::signal::AgentSignal;

impl Driver {
    /// Processes one signal; a completed detection becomes a row at once.
    pub(super) async fn learn_from(&mut self, lane: LaneNumber, signal: &AgentSignal) {
        let now = self.app.clock.now();
        let Some(current) = self.lane(lane).current.as_mut() else { return };
        let Some(mut operation) = current.ears.calls.hear(signal, now, &current.checkout.folder) else { return };
        let auto_learn = take_auto_learn(&mut operation);
        let settings = current.ears.settings.clone();
        if !auto_learn.unwrap_or(settings.enabled) {
            current.ears.tracker.pass_over(&operation);
            return;
        }
        operation.asked = auto_learn == Some(true);
        current.ears.heard += 1;
        current.ears.tracker.tune(settings.detectors());
        let Some(detection) = current.ears.tracker.track_operation(operation) else { return };
        let speaker = Speaker { iteration: Some(current.claim.iteration), ..Speaker::default() };
        let heard = std::mem::take(&mut current.ears.heard);
        self.log_fault(move |app| app.keep_detection(&settings, &speaker, &detection, heard)).await;
    }

    /// Settles the detections of a committed iteration, including its unfixed failures, and counts its operations.
    pub(super) async fn settle_learning(&self, mut ears: Ears, iteration: IterationId, settings: AutomaticLearning) {
        let speaker = Speaker { iteration: Some(iteration), ..Speaker::default() };
        self.log_fault(move |app| {
            app.count_operations(ears.heard, 0)?;
            for detection in ears.tracker.finish() {
                app.keep_detection(&settings, &speaker, &detection, 0)?;
            }
            app.settle_detections()
        })
        .await;
    }

    /// The settings as they are now: a person may change them during a run. Where they can't be read, those that the run began with.
    pub(super) async fn learning_settings(&self) -> AutomaticLearning {
        match self.blocking(|app| app.settings()).await {
            Ok(settings) => settings.automatic_learning,
            Err(error) => {
                tracing::warn!("automatic learning: {error}");
                self.prepared.settings.automatic_learning.clone()
            }
        }
    }

    async fn log_fault<T: Send + 'static>(&self, act: impl FnOnce(&App) -> crate::error::Result<T> + Send + 'static) {
        if let Err(error) = self.blocking(act).await {
            tracing::warn!("automatic learning: {error}");
        }
    }
}
