//! One lane of a run in the driver: its iteration, its agent, and background work for it.

use super::repository::RepoBefore;
use crate::agents::hearing::Hearing;
use crate::agents::transcript::EventLog;
use crate::driver::guard::OwnFiles;
use crate::error::{AppError, Result};
use crate::learn::OpenCalls;
use crate::review::FollowUpEnd;
use crate::worktrees::checkout::Checkout;
use agent_cli::{AgentEvent, AgentSpec, RunMarks, StopHandle};
use ralph_core::TaskId;
use ralph_core::discipline::Discipline;
use ralph_core::run::Iteration;
use ralph_core::run::hooks::{Claim, IterationFacts};
use ralph_core::run::machine::{Event, LaneNumber};
use ralph_core::settings::AutomaticLearning;
use ralph_core::signal::Usage;
use ralph_core::task::Task;
use ralph_core::time::Timestamp;
use ralph_rag::learn::Tracker;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::task::JoinHandle;

/// The state before the agent started.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Before {
    #[serde(with = "shared")]
    pub(super) repo: Option<Arc<RepoBefore>>,
    /// Which of this machine's private files git tracked. `None` if an earlier version of Ralph stored this.
    #[serde(default, with = "as_texts")]
    pub(super) tracked: Option<BTreeSet<PathBuf>>,
    /// Not stored: after a kill an agent's changes can't be distinguished from a person's, and changes need an agreement anyway.
    #[serde(skip)]
    pub(super) own_files: Option<Arc<OwnFiles>>,
}

/// Serializes the content of an `Arc`.
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

/// Paths as texts, since JSON can hold only Unicode.
mod as_texts {
    use super::{BTreeSet, Deserialize, PathBuf, Serialize};
    use git_repo::{path_from_text, path_to_text};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(paths: &Option<BTreeSet<PathBuf>>, serializer: S) -> Result<S::Ok, S::Error> {
        let texts = paths.as_ref().map(|paths| paths.iter().map(|path| path_to_text(path)).collect::<Vec<String>>());
        texts.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BTreeSet<PathBuf>>, D::Error> {
        let texts = Option::<Vec<String>>::deserialize(deserializer)?;
        Ok(texts.map(|texts| texts.iter().map(|text| path_from_text(text)).collect()))
    }
}

/// A claimed task, and what was found out before the start of its agent.
pub(super) struct ClaimedTask {
    pub claim: Claim,
    pub task: Task,
    pub iteration: Iteration,
    pub checkout: Checkout,
    pub checkout_fault: Option<AppError>,
    pub before: Before,
    pub log: EventLog,
    /// Id of its database.
    pub replica: String,
}

/// Input to start an agent, once its prompt is composed.
pub(super) struct ComposedPrompt {
    pub prompt: String,
    pub discipline: Option<Discipline>,
    /// Dollars of the run's budget reserved for it.
    pub max_usd: Option<f64>,
}

/// The running iteration.
pub(super) struct Current {
    pub claim: Claim,
    pub iteration: Iteration,
    pub marks: RunMarks,
    pub checkout: Checkout,
    /// Why there is no checkout.
    pub checkout_fault: Option<AppError>,
    pub before: Before,
    pub log: EventLog,
    /// How its agent was started.
    pub spec: Option<AgentSpec>,
    /// Its usage when last written, and when that was last tried.
    pub used: (Usage, Timestamp),
    /// Automatic learning from its agent.
    pub ears: Ears,
    /// Whether everything that it left is committed, once that has been looked at.
    pub committed: bool,
}

/// Automatic learning from an agent.
#[derive(Default)]
pub(super) struct Ears {
    pub calls: OpenCalls,
    pub tracker: Tracker,
    /// Operations not counted yet.
    pub heard: u32,
    /// As they were when the iteration began.
    pub settings: AutomaticLearning,
}

/// One lane.
pub(super) struct Lane {
    pub number: LaneNumber,
    pub current: Option<Current>,
    pub agent: Option<Hearing>,
    /// Stops the check, or the preparation of the checkout.
    pub stop: StopHandle,
    /// Background work for it while the loop continues with the others.
    pub beside: Option<JoinHandle<LaneResult>>,
}

/// Result of background work.
pub(super) enum LaneResult {
    /// A task was claimed, or none is ready.
    Claimed(Result<Option<Box<ClaimedTask>>>),
    /// The agent can be started.
    Composed(Result<Box<ComposedPrompt>>),
    /// The facts are gathered, and whether all work is committed.
    Gathered(Result<(Box<IterationFacts>, bool)>),
    /// The follow-up of work in a worktree is done, or put off, and what comes next.
    FollowedUp { task: TaskId, end: FollowUpEnd, then: Event },
    /// The provider was asked why it refused, after the agent's exit.
    Exited(Box<Event>),
}

/// News of a lane.
pub(super) enum News {
    Agent(Vec<AgentEvent>),
    Done(Box<LaneResult>),
}

impl Lane {
    pub fn new(number: LaneNumber) -> Lane {
        Lane { number, current: None, agent: None, stop: StopHandle::new(), beside: None }
    }

    /// Whether its agent is working, or there is nothing for it to do.
    pub fn is_calm(&self) -> bool {
        self.beside.is_none() && (self.agent.is_some() || self.current.is_none())
    }

    /// Waits for news; forever if nothing is in progress. Cancel-safe.
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
        // It has finished, possibly by a panic: it must not be polled again.
        self.beside = None;
        match joined {
            Ok(done) => News::Done(Box::new(done)),
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

/// The next news of any lane, with its number. `after` is the last lane served: the others come first. Cancel-safe.
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
