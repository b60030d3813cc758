//! What every act on knowledge of one commit goes by.

use crate::App;
use crate::error::Result;
use ralph_core::time::Timestamp;

/// What is the same for every act of one commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Now.
    pub now: Timestamp,
    /// The project's cap.
    pub default_cap: u32,
}

impl App {
    /// The rules as they are now.
    pub(crate) fn knowledge_rules(&self) -> Result<Rules> {
        Ok(Rules { now: self.clock.now(), default_cap: self.settings()?.max_learnings })
    }
}
