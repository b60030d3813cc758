//! Checking what an errand's agent left behind.

use super::run::{LOOK, Running};
use crate::app::App;
use crate::error::Result;
use agent_cli::StopHandle;
use std::sync::Arc;
use tokio::time::{Instant, interval_at};

/// What became of a look.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Attended<T> {
    /// It ended, with this result.
    Seen(T),
    /// The errand was stopped before that, and why.
    Stopped(String),
}

impl App {
    /// A look at what an errand's agent left, as long as nobody stops the errand and its time is not over. Otherwise the errand ends as it
    /// would while its agent works, and this returns why. The look must change nothing, since it may continue for a while after nobody
    /// waits for it.
    pub(crate) async fn attended<T: Send + 'static>(
        self: &Arc<Self>,
        running: &Running,
        stop: &StopHandle,
        look_at: impl FnOnce(&App) -> Result<T> + Send + 'static,
    ) -> Result<Attended<T>> {
        let seen = self.blocking(look_at);
        tokio::pin!(seen);
        let mut look = interval_at(Instant::now() + LOOK, LOOK);
        loop {
            tokio::select! {
                seen = &mut seen => return seen.map(Attended::Seen),
                _ = look.tick() => {
                    if let Some(why) = self.why_to_end_errand(running, stop).await {
                        return Ok(Attended::Stopped(why));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::running_by;
    use crate::clock::Clock;
    use crate::errands::Order;
    use agent_cli::StopCause;
    use ralph_core::errand::ErrandKind;
    use ralph_core::run::AgentKind;
    use std::sync::mpsc::channel;

    #[tokio::test]
    async fn whoever_stops_an_errand_does_not_wait_for_the_look_at_its_result() {
        let (_folder, app) = running_by(4_000_000, Clock::system());
        let app = Arc::new(app);
        let order = Order {
            kind: ErrandKind::Consolidate,
            task: None,
            run: None,
            title: "look".to_owned(),
            checkout: app.own_checkout(),
            tools: None,
            agent: AgentKind::Scripted,
            program: "none".into(),
            script: None,
            model: String::new(),
            max_usd: None,
            max_minutes: 30,
            answer_schema: None,
        };
        let errand = app.begin_errand(order, |_, _| Ok(())).unwrap();
        let stop = StopHandle::new();
        assert_eq!(app.attended(&errand, &stop, |_| Ok(1)).await.unwrap(), Attended::Seen(1));
        // Each of the three looks ends only when this end of its channel is dropped.
        let (by_handle, waits) = channel::<()>();
        stop.stop(StopCause::Person);
        let ended = app.attended(&errand, &stop, move |_| Ok(waits.recv().is_err())).await.unwrap();
        assert_eq!(ended, Attended::Stopped("a person stopped it".to_owned()));
        let (by_run, waits) = channel::<()>();
        let stop = StopHandle::new();
        stop.stop(StopCause::Run);
        let ended = app.attended(&errand, &stop, move |_| Ok(waits.recv().is_err())).await.unwrap();
        assert_eq!(ended, Attended::Stopped("its run ended or reached a limit".to_owned()), "nobody asked for that");
        let (by_row, waits) = channel::<()>();
        app.stop_errand(errand.id).unwrap();
        let ended = app.attended(&errand, &StopHandle::new(), move |_| Ok(waits.recv().is_err())).await.unwrap();
        assert_eq!(ended, Attended::Stopped("a person stopped it".to_owned()), "from another process");
        drop((by_handle, by_run, by_row));
    }
}
