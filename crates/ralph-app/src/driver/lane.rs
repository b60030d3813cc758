//! One lane of a run, as the driver holds it: its iteration, its agent, and what is done beside the loop for it.

use super::hearing::Hearing;
use super::repository::RepoBefore;
use crate::checkout::Checkout;
use crate::driver::transcript::EventLog;
use crate::error::{AppError, Result};
use crate::guard::OwnFiles;
use crate::learn::OpenCalls;
use agent_cli::{AgentEvent, AgentSpec, RunMarks, StopHandle};
use ralph_core::discipline::Discipline;
use ralph_core::run::Iteration;
use ralph_core::run::hooks::{Claim, Facts};
use ralph_core::run::machine::{Event, LaneNumber};
use ralph_core::signal::Usage;
use ralph_core::task::Task;
use ralph_core::time::Timestamp;
use ralph_rag::learn::Tracker;
use serde::{Deserialize, Serialize};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::task::JoinHandle;

/// How things stood before the agent started.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Before {
    #[serde(with = "shared")]
    pub(super) repo: Option<Arc<RepoBefore>>,
    /// Not kept: after a kill nobody can tell an agent's changes from a person's, and what was changed waits for a yes all the same.
    #[serde(skip)]
    pub(super) own_files: Option<Arc<OwnFiles>>,
}

/// What is behind an `Arc`, kept by itself.
mod shared {
    use super::{Arc, Deserialize, RepoBefore, Serialize};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(shared: &Option<Arc<RepoBefore>>, serializer: S) -> Result<S::Ok, S::Error> {
        shared.as_deref().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<RepoBefore>>, D::Error> {
        Ok(Option::<RepoBefore>::deserialize(deserializer)?.map(Arc::new))
    }
}

/// A claimed task, and what was found out before its agent starts.
pub(super) struct ClaimedTask {
    pub claim: Claim,
    pub task: Task,
    pub iteration: Iteration,
    pub checkout: Checkout,
    pub checkout_fault: Option<AppError>,
    pub before: Before,
    pub log: EventLog,
    /// Which database knows it.
    pub replica: String,
}

/// What an agent is started with, once its prompt is composed.
pub(super) struct ComposedPrompt {
    pub prompt: String,
    pub discipline: Option<Discipline>,
    /// Dollars of the run's that are kept for it.
    pub max_usd: Option<f64>,
}

/// The iteration at work.
pub(super) struct Current {
    pub claim: Claim,
    pub iteration: Iteration,
    pub marks: RunMarks,
    pub checkout: Checkout,
    /// Why there is no checkout to work in.
    pub checkout_fault: Option<AppError>,
    pub before: Before,
    pub log: EventLog,
    /// How its agent was started.
    pub spec: Option<AgentSpec>,
    /// What it had used when that was last written, and when.
    pub used: (Usage, Timestamp),
    /// What automatic learning hears of its agent.
    pub ears: Ears,
}

/// What automatic learning hears of an agent.
#[derive(Default)]
pub(super) struct Ears {
    pub calls: OpenCalls,
    pub tracker: Tracker,
    /// Operations that are not counted yet.
    pub heard: u32,
}

/// One lane.
pub(super) struct Lane {
    pub number: LaneNumber,
    pub current: Option<Current>,
    pub agent: Option<Hearing>,
    /// Ends the check, or what prepares the checkout.
    pub stop: StopHandle,
    /// What is done for it while the loop goes on with the others.
    pub beside: Option<JoinHandle<LaneResult>>,
}

/// What was done beside the loop.
pub(super) enum LaneResult {
    /// A task was claimed, or none is ready.
    Claimed(Result<Option<Box<ClaimedTask>>>),
    /// The agent can be started.
    Composed(Result<Box<ComposedPrompt>>),
    /// The facts are there.
    Gathered(Result<Box<Facts>>),
    /// What follows a commit in a worktree is done; dollars of the run's iterations that are over.
    Reviewed { cost_usd: f64 },
    /// The provider was asked for its words, after the agent's end.
    Exited(Box<Event>),
}

/// What there is to hear of a lane.
pub(super) enum News {
    Agent(Vec<AgentEvent>),
    Done(Box<LaneResult>),
}

impl Lane {
    pub fn new(number: LaneNumber) -> Lane {
        Lane { number, current: None, agent: None, stop: StopHandle::new(), beside: None }
    }

    /// Waits for news; for ever where nothing goes on. May be cancelled.
    async fn news(&mut self) -> News {
        let (agent, beside) = (&mut self.agent, &mut self.beside);
        let events = async {
            match agent {
                Some(agent) => agent.next().await,
                None => std::future::pending().await,
            }
        };
        let done = async {
            match beside {
                Some(handle) => handle.await,
                None => std::future::pending().await,
            }
        };
        let joined = tokio::select! {
            events = events => return News::Agent(events),
            joined = done => joined,
        };
        // It is over, also when it panicked: nobody may ask for it again.
        self.beside = None;
        match joined {
            Ok(done) => News::Done(Box::new(done)),
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

/// The next news of any lane, with its number. `after` is the lane that was heard last: the others come first. May be cancelled.
pub(super) async fn news_of(lanes: &mut [Lane], after: LaneNumber) -> (LaneNumber, News) {
    let first = after as usize;
    std::future::poll_fn(|context| {
        for step in 0..lanes.len() {
            let at = (first + step) % lanes.len();
            let number = lanes[at].number;
            if let Poll::Ready(news) = pin!(lanes[at].news()).poll(context) {
                return Poll::Ready((number, news));
            }
        }
        Poll::Pending
    })
    .await
}
