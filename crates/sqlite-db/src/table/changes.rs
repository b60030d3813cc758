//! `changes`: one counter per topic.

use crate::connection::Read;
use crate::error::Result;
use ralph_core::topic::Topic;
use std::collections::BTreeMap;
use std::str::FromStr as _;

impl Read<'_> {
    /// How often each topic has changed.
    pub fn topic_versions(&self) -> Result<BTreeMap<Topic, i64>> {
        let mut statement = self.connection.prepare_cached("SELECT topic, version FROM changes")?;
        let rows = statement.query_map([], |r| Ok((r.get::<_, String>(0)?, r.get::<_, i64>(1)?)))?;
        let mut versions = BTreeMap::new();
        for row in rows {
            let (topic, version) = row?;
            // A topic of a newer program on the same file concerns only that program.
            if let Ok(topic) = Topic::from_str(&topic) {
                versions.insert(topic, version);
            }
        }
        Ok(versions)
    }
}

/// A cheap check whether another connection has committed: `PRAGMA data_version` of a separate connection.
pub struct Watch {
    connection: rusqlite::Connection,
    seen: i64,
}

impl Watch {
    /// Whether something was committed since the last call.
    pub fn moved(&mut self) -> Result<bool> {
        let now: i64 = self.connection.prepare_cached("PRAGMA data_version")?.query_row([], |r| r.get(0))?;
        Ok(std::mem::replace(&mut self.seen, now) != now)
    }
}

impl crate::Db {
    /// A watch on commits of every connection, in this process and others.
    pub fn watch(&self) -> Result<Watch> {
        self.still_there()?;
        Ok(Watch { connection: self.open_reader()?, seen: -1 })
    }
}
