//! What can wait until agents are working again: removing worktrees that are finished or exceed the limit, scanning the code they left,
//! preparing worktrees, copying the database. Done at once, it would take the processor from lanes whose next agents are being started.

use super::caught::{caught, not_now};
use super::lane::Lane;
use super::{Driver, blocking};
use crate::app::App;
use crate::runs::slots::Workplace;
use ralph_core::time::Timestamp;
use ralph_core::worktree::Worktree;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// The longest that it waits: some lane may always be between two agents.
const PATIENCE_MILLIS: u64 = 2_000;
/// Time for which all lanes must have been at work before it begins: agents that began together end together, one soon after the other.
const CALM_MILLIS: u64 = 250;

/// What waits.
#[derive(Default)]
pub(super) struct Later {
    /// Merged worktrees to be removed.
    pub removals: Vec<Worktree>,
    /// Whether the code is to be looked at.
    pub scan: bool,
    /// Whether worktrees may take more room than they should.
    pub room: bool,
    /// Whether worktrees are to be made ahead.
    pub spares: bool,
    /// Those being made.
    making: Option<JoinHandle<()>>,
    /// Since when something waits.
    since: Option<Timestamp>,
    /// Since when no lane is between two agents.
    calm_since: Option<Timestamp>,
}

impl Later {
    fn is_empty(&self) -> bool {
        self.removals.is_empty() && !self.scan && !self.room && !self.spares
    }
}

impl Driver {
    /// Begins what waits, once no lane has been between two agents for a moment, or some lane always is.
    pub(super) async fn do_what_waits(&mut self, now: Timestamp) {
        let is_calm = self.queue.is_empty() && self.lanes.iter().all(Lane::is_calm);
        self.later.calm_since = is_calm.then(|| self.later.calm_since.unwrap_or(now));
        let copies = self.app.is_copy_due();
        if self.later.is_empty() && !copies {
            self.later.since = None;
            return;
        }
        let since = *self.later.since.get_or_insert(now);
        let stays_calm = self.later.calm_since.is_some_and(|since| now.millis_since(since) >= CALM_MILLIS);
        if stays_calm || now.millis_since(since) >= PATIENCE_MILLIS {
            self.later.since = None;
            self.remove_what_is_merged().await;
            if copies {
                let app = Arc::clone(&self.app);
                drop(tokio::task::spawn_blocking(move || app.copy_outside_if_due()));
            }
            if std::mem::take(&mut self.later.scan) {
                let app = Arc::clone(&self.app);
                drop(tokio::task::spawn_blocking(move || app.learn_from_code_or_warn()));
            }
            if std::mem::take(&mut self.later.room) {
                let app = Arc::clone(&self.app);
                drop(tokio::task::spawn_blocking(move || app.keep_to_room_or_warn()));
            }
            if std::mem::take(&mut self.later.spares) {
                self.make_spares();
            }
        }
    }

    async fn remove_what_is_merged(&mut self) {
        for worktree in std::mem::take(&mut self.later.removals) {
            self.app.let_go_beside(worktree).await;
        }
    }

    /// Makes worktrees for the next tasks, in the background, unless that is in progress.
    fn make_spares(&mut self) {
        let is_making = self.later.making.as_ref().is_some_and(|making| !making.is_finished());
        if is_making || self.prepared.place != Workplace::Worktrees {
            return;
        }
        let (app, base) = (Arc::clone(&self.app), self.prepared.base.clone());
        let (lanes, left) = (self.prepared.run.workers.max(1), self.machine.iterations_left());
        self.later.making = Some(tokio::spawn(async move {
            let made = blocking(&app, move |app| app.make_spares(lanes, left, base)).await;
            // The next task's is made when it is claimed.
            let _ = made.or_else(|error| not_now("no worktree was made ahead", &error));
        }));
    }

    /// Ends it at the end of the run: merged worktrees go, and nobody needs those made ahead.
    pub(super) async fn finish_later(&mut self) {
        self.remove_what_is_merged().await;
        if let Some(making) = self.later.making.take() {
            // A panic there has been reported; what it left behind is found from state.
            let _ = making.await;
        }
        self.app.removals_done().await;
        if self.app.has_spares() {
            let dropped = caught(self.blocking(App::drop_spares)).await;
            let _ = dropped.or_else(|error| not_now("worktrees made ahead stay until the next look", &error));
        }
    }
}
