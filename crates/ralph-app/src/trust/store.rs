//! Storage of agreements: one private file per project in the person's own data, so that no folder can bring it along.

use crate::cache::{Cached, keep};
use crate::config::Stamp;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use crate::outside::user_data;
use ralph_core::limits;
use ralph_core::trust::Agreements;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The project's own texts, by name; `None` if the file does not exist.
pub(crate) type Texts = BTreeMap<String, Option<String>>;

/// A person's agreements for one project on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Record {
    /// Path of the project, for people who look into the file.
    pub project: String,
    /// The exact value of each item.
    pub agreed: Agreements,
    /// Settings and rules when all of them were last agreed to: the basis of diffs, and what is restored.
    pub kept: Texts,
    /// Whether any difference from `kept` awaits agreement: an agent is at work, or one left changes.
    pub holding: bool,
    /// Whether an agent is at work, or its run or errand ended abnormally: lines that appear in the journals meanwhile await agreement.
    pub watching: bool,
}

/// The record of one project.
pub(crate) struct Store {
    project: PathBuf,
    folder: Option<PathBuf>,
    /// The file as it was last read, with its parsed content: every request needs it several times.
    last: Cached<Vec<u8>, Record>,
}

impl Store {
    /// That of the project at `root`.
    pub(crate) fn of(root: &Path) -> Store {
        Store { project: root.to_owned(), folder: user_data::of_project(root), last: Mutex::default() }
    }

    /// The record; empty if nothing was ever agreed to, or if the file is damaged: then everything is asked again.
    pub(crate) fn read(&self) -> Result<Record> {
        let Some(folder) = self.folder.as_deref().filter(|folder| folder.is_dir()) else { return Ok(Record::default()) };
        let Some(bytes) = ProjectFiles::of(folder).read(&path_in(folder), limits::AGREEMENTS_BYTES)? else { return Ok(Record::default()) };
        let record = keep(&self.last, bytes, |bytes| serde_json::from_slice(bytes)).unwrap_or_else(|fault| {
            tracing::warn!("{} can't be read, so everything is asked again: {fault}", path_in(folder).display());
            Arc::default()
        });
        Ok(Arc::unwrap_or_clone(record))
    }

    /// Its file; `None` without a folder for it.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        self.folder.as_deref().map(path_in)
    }

    /// The record's stamp; `None` if there is none.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        let folder = self.folder.as_deref()?;
        Stamp::of(ProjectFiles::of(folder), &path_in(folder))
    }

    /// Forgets all agreements: another folder takes the place of the project that they are about.
    pub(crate) fn forget(&self) -> Result<()> {
        self.change(|record| *record = Record { project: std::mem::take(&mut record.project), ..Record::default() })
    }

    /// Changes the record: one process at a time, atomically.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Record) -> T) -> Result<T> {
        let Some(folder) = &self.folder else {
            return Err(AppError::invalid(
                "trust",
                "there is no folder for what you agree to",
                "set HOME, or RALPH_DATA_HOME to a folder of yours",
            ));
        };
        user_data::make_private(folder).map_err(|source| AppError::io(folder, source))?;
        let files = ProjectFiles::of(folder);
        let lock = folder.join("trust.lock");
        // Held until the end of this function, while one small file is written.
        let turn = files.append(&lock, Readers::Owner)?;
        turn.lock().map_err(|source| AppError::io(&lock, source))?;
        let before = self.read()?;
        let mut record = Record { project: self.project.to_string_lossy().into_owned(), ..before.clone() };
        let value = change(&mut record);
        if record != before {
            let json = serde_json::to_vec_pretty(&record).map_err(|fault| AppError::io(path_in(folder), fault.into()))?;
            files.write(&path_in(folder), &json, Readers::Owner)?;
        }
        Ok(value)
    }
}

fn path_in(folder: &Path) -> PathBuf {
    folder.join("trust.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(folder: &Path) -> Store {
        Store { project: "/some/project".into(), folder: Some(folder.join("data/ralph")), last: Mutex::default() }
    }

    #[test]
    fn what_was_agreed_to_is_kept_privately_and_only_written_when_it_changes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = store(folder.path());
        assert_eq!(store.read().expect("reads"), Record::default());
        store.change(|record| record.agreed.insert("check".into(), "make".into())).expect("is kept");
        let record = store.read().expect("reads");
        assert_eq!((record.project.as_str(), record.agreed["check"].as_str()), ("/some/project", "make"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
            let path = folder.path().join("data/ralph/trust.json");
            let before = std::fs::metadata(&path).expect("is there");
            assert_eq!(before.permissions().mode() & 0o777, 0o600);
            store.change(|record| record.holding = false).expect("nothing to change");
            assert_eq!(std::fs::metadata(&path).expect("is there").ino(), before.ino());
        }
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::thread::scope(|scope| {
            for number in 0..8 {
                let store = store(folder.path());
                scope.spawn(move || store.change(|record| record.agreed.insert(format!("item {number}"), String::new())).expect("is kept"));
            }
        });
        assert_eq!(store(folder.path()).read().expect("reads").agreed.len(), 8);
    }

    #[test]
    fn a_damaged_record_agrees_to_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = store(folder.path());
        store.change(|record| record.agreed.insert("check".into(), "make".into())).expect("is kept");
        std::fs::write(folder.path().join("data/ralph/trust.json"), "{\"agreed\": {\"che").expect("writes");
        assert_eq!(store.read().expect("reads"), Record::default());
    }
}
