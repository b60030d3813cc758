//! What every act on knowledge of one commit goes by.

use crate::App;
use crate::error::Result;
use ralph_core::time::Timestamp;
use ralph_core::view::Settings;

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
        Ok(self.rules_by(&self.kept_settings()?.in_force))
    }

    /// The same by settings that were read already.
    pub(crate) fn rules_by(&self, settings: &Settings) -> Rules {
        Rules { now: self.clock.now(), default_cap: settings.max_learnings }
    }
}
