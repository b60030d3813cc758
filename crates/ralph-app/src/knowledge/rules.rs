//! Parameters of every act on knowledge in one commit.

use crate::app::App;
use crate::error::Result;
use ralph_core::settings::Settings;
use ralph_core::time::Timestamp;

/// Parameters shared by all acts of one commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Now.
    pub now: Timestamp,
    /// The project's cap.
    pub default_cap: u32,
}

impl App {
    /// The current parameters.
    pub(crate) fn knowledge_rules(&self) -> Result<Rules> {
        Ok(self.rules_by(&self.kept_settings()?.in_force))
    }

    /// The same from settings that are already read.
    pub(crate) fn rules_by(&self, settings: &Settings) -> Rules {
        Rules { now: self.clock.now(), default_cap: settings.max_learnings }
    }
}
