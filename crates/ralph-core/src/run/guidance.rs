//! Guidance: a person's words for the next iteration, used once.

use crate::time::Timestamp;
use crate::{IterationId, TaskId};
use serde::{Deserialize, Serialize};

/// Number of a piece of guidance; never reused.
pub type GuidanceId = u32;

/// What a person wants the next iteration to know.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Guidance {
    /// Its number.
    pub id: GuidanceId,
    /// The task whose next iteration gets it; `None` = the next one of any task.
    pub task: Option<TaskId>,
    /// The words.
    pub text: String,
    /// When it was given.
    pub created: Timestamp,
    /// The iteration that got it; `None` = pending.
    pub iteration: Option<IterationId>,
}
