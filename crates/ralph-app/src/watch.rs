//! Which topics changed, whoever wrote: this process, the CLI, an agent's MCP server.

use crate::App;
use crate::error::Result;
use ralph_core::topic::Topic;
use sqlite_db::table::Watch;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Looks for changed topics; cheap enough for ten looks a second.
pub struct TopicWatch {
    app: Arc<App>,
    watch: Watch,
    seen: BTreeMap<Topic, i64>,
    /// Whether the database stood in its place at the last look.
    there: bool,
}

impl App {
    /// A watch that tells what changes from now on.
    pub fn watch(self: &Arc<Self>) -> Result<TopicWatch> {
        let watch = self.db.watch()?;
        let seen = self.db.read(|r| r.topic_versions())?;
        Ok(TopicWatch { app: Arc::clone(self), watch, seen, there: true })
    }
}

impl TopicWatch {
    /// Topics that changed since the last call; all of them when the database is gone, or there again: whoever asks for one learns why.
    pub fn changed(&mut self) -> Result<Vec<Topic>> {
        let there = self.app.db.still_there().is_ok();
        if there != self.there {
            self.there = there;
            if !there && let Err(error) = self.app.save_what_is_open() {
                tracing::warn!("what was last written may be missing after `ralph restore`: {error}");
            }
            return Ok(Topic::ALL.to_vec());
        }
        if !there {
            return Ok(Vec::new());
        }
        if !self.watch.moved()? {
            return Ok(Vec::new());
        }
        let now = self.app.db.read(|r| r.topic_versions())?;
        let changed = now.iter().filter(|(topic, version)| self.seen.get(*topic) != Some(*version)).map(|(topic, _)| *topic).collect();
        self.seen = now;
        Ok(changed)
    }
}
