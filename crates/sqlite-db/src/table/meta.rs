//! `meta`: single values.

use crate::backup::{CopyFacts, facts};
use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::consolidation::LostWords;
use ralph_core::recall::Reach;
use ralph_core::replica::{LostLines, Own};
use rusqlite::OptionalExtension as _;

impl Read<'_> {
    /// The greatest event id assigned here.
    pub fn last_event_id(&self) -> Result<Option<String>> {
        Ok(self.connection.prepare_cached("SELECT value FROM meta WHERE key = 'last_event'")?.query_row([], |r| r.get(0)).optional()?)
    }

    /// Which task and iteration numbers were assigned here; empty before the database is initialized.
    pub fn own(&self) -> Result<Own> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        let mut value = |key: &str| statement.query_row([key], |r| r.get::<_, String>(0)).optional();
        Ok(Own { replica: value("replica")?.unwrap_or_default(), adopts_unknown: value("adopts_unknown")?.is_some() })
    }

    /// What the database holds, to be compared with copies of it.
    pub fn copy_facts(&self) -> Result<CopyFacts> {
        facts(self.connection)
    }

    /// The mark of the last snapshot of the index that was kept, if any.
    pub fn index_mark(&self, reach: Reach) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        Ok(statement.query_row([mark_of(reach)], |r| r.get(0)).optional()?)
    }

    /// The project's cap with which saturations were last settled.
    pub fn settled_cap(&self) -> Result<Option<u32>> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = 'settled_cap'")?;
        let kept: Option<String> = statement.query_row([], |r| r.get(0)).optional()?;
        Ok(kept.and_then(|cap| cap.parse().ok()))
    }

    /// The version of the rules that made the stored keys of learnings.
    pub fn keys_version(&self) -> Result<Option<u32>> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = 'keys'")?;
        let kept: Option<String> = statement.query_row([], |r| r.get(0)).optional()?;
        Ok(kept.and_then(|version| version.parse().ok()))
    }

    /// What was last found about consolidated learnings whose words are gone.
    pub fn lost_words(&self) -> Result<LostWords> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = 'lost_words'")?;
        let kept: Option<String> = statement.query_row([], |r| r.get(0)).optional()?;
        // Looked for again where it can't be read.
        Ok(kept.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default())
    }

    /// What was last found about lines that the journals have lost.
    pub fn lost_lines(&self) -> Result<LostLines> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = 'lost_lines'")?;
        let kept: Option<String> = statement.query_row([], |r| r.get(0)).optional()?;
        Ok(kept.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default())
    }

    /// What SQLite finds wrong with the file, at most 20 lines; empty when it is sound.
    pub fn integrity_faults(&self) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare("PRAGMA integrity_check(20)")?;
        let mut faults: Vec<String> = statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        faults.retain(|line| line != "ok");
        let mut statement = self.connection.prepare("PRAGMA foreign_key_check")?;
        let broken = statement.query_map([], |r| {
            Ok(format!("row of '{}' refers to a missing row of '{}'", r.get::<_, String>(0)?, r.get::<_, String>(2)?))
        })?;
        for line in broken.take(20) {
            faults.push(line?);
        }
        Ok(faults)
    }
}

impl Tx<'_> {
    /// Stores the greatest event id, so that the next one is greater even if the clock is set back.
    pub fn set_last_event_id(&self, id: &str) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO meta (key, value) VALUES ('last_event', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1")?
            .execute([id])?;
        Ok(())
    }

    /// Stores the project's cap with which saturations are settled.
    pub fn set_settled_cap(&self, cap: u32) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO meta (key, value) VALUES ('settled_cap', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1")?
            .execute([cap.to_string()])?;
        Ok(())
    }

    /// Stores what was found about consolidated learnings whose words are gone.
    pub fn set_lost_words(&self, found: &LostWords) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO meta (key, value) VALUES ('lost_words', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1")?
            .execute([row::to_json(found)])?;
        Ok(())
    }

    /// Stores what was found about lines that the journals have lost.
    pub fn set_lost_lines(&self, found: &LostLines) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO meta (key, value) VALUES ('lost_lines', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1")?
            .execute([row::to_json(found)])?;
        Ok(())
    }

    /// Marks the database as the one that a snapshot of the index belongs to.
    pub fn set_index_mark(&self, reach: Reach, mark: &str) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2")?
            .execute([mark_of(reach), mark])?;
        Ok(())
    }
}

fn mark_of(reach: Reach) -> &'static str {
    match reach {
        Reach::Knowledge => "index_of_knowledge",
        Reach::Everything => "index_of_everything",
    }
}
