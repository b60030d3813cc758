//! Why a run ended, if the disk was too full for its database to store that: kept in a file beside the lock of its slot, created when the
//! run begins. The end overwrites what is there, which needs no room even on a full disk.

use super::{Outside, user_data};
use crate::files::{Readers, write_whole};
use ralph_core::RunId;
use ralph_core::run::StopReason;
use ralph_core::text::cut;
use ralph_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

/// Bytes of the file.
const ROOM: usize = 4_096;
/// Characters of a note, each of up to six bytes in JSON.
const NOTE_CHARS: usize = 600;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastWords {
    pub run: RunId,
    /// Its database: a run's number alone may be any database's.
    pub replica: String,
    pub reason: StopReason,
    pub note: String,
    pub at: Timestamp,
}

impl Outside {
    fn words(&self, slot: u32) -> PathBuf {
        self.lock(slot).with_extension("words")
    }

    /// Makes room for the last words of the run that begins in a slot; those of the run before it are forgotten.
    pub fn make_room_for_words(&self, slot: u32) -> std::io::Result<()> {
        user_data::make_private(&self.folder)?;
        write_whole(&self.words(slot), &[b' '; ROOM], Readers::Owner)
    }

    /// Keeps the last words of a slot's run.
    pub fn keep_last_words(&self, slot: u32, words: &LastWords) -> std::io::Result<()> {
        let note = cut(&words.note, NOTE_CHARS).to_owned();
        let mut text = serde_json::to_vec(&LastWords { note, ..words.clone() })?;
        // Room that is not needed stays reserved.
        text.resize(text.len().max(ROOM), b' ');
        let mut file = OpenOptions::new().write(true).open(self.words(slot))?;
        file.write_all(&text)?;
        file.sync_data()
    }

    /// The last words of a slot's run, if it kept any.
    pub fn last_words(&self, slot: u32, run: RunId, replica: &str) -> Option<LastWords> {
        let mut text = Vec::new();
        std::fs::File::open(self.words(slot)).ok()?.take(ROOM as u64).read_to_end(&mut text).ok()?;
        let words: LastWords = serde_json::from_slice(&text).ok()?;
        (words.run == run && words.replica == replica).then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_need_no_more_room_than_was_made_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let outside = Outside { folder: folder.path().to_owned() };
        let words = |note: &str| LastWords {
            run: 7,
            replica: "A".into(),
            reason: StopReason::InternalError,
            note: note.to_owned(),
            at: Timestamp(5),
        };
        assert!(outside.keep_last_words(1, &words("full")).is_err() && outside.last_words(1, 7, "A").is_none(), "nothing was made");
        outside.make_room_for_words(1).unwrap();
        assert_eq!(outside.last_words(1, 7, "A"), None);
        let length = || std::fs::metadata(outside.words(1)).unwrap().len();
        for note in ["\"full\"\n".repeat(1_000), "full".to_owned()] {
            outside.keep_last_words(1, &words(&note)).unwrap();
            let kept = outside.last_words(1, 7, "A").expect("kept");
            assert_eq!((length(), note.starts_with(&kept.note), kept.at), (ROOM as u64, true, Timestamp(5)));
        }
        for (slot, run, replica) in [(0, 7, "A"), (1, 8, "A"), (1, 7, "B")] {
            assert_eq!(outside.last_words(slot, run, replica), None, "another's");
        }
        outside.make_room_for_words(1).unwrap();
        assert_eq!(outside.last_words(1, 7, "A"), None, "forgotten by the next run");
    }
}
