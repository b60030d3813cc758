//! `.ralph/` belongs to the person: an agent's changes there are reported on its iteration. They take effect only by agreement, see
//! [`crate::trust`].

use crate::app::App;
use crate::error::AppError;
use crate::files::{ExpectedKind, FileFault};
use crate::trust::place;
use crate::trust::store::Record;
use ralph_core::limits;
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::text::cut;
use ralph_core::topic::Topic;
use ralph_core::trust::name;
use ralph_rag::clean::redact;
use ralph_rag::journal::{self, Line};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The project's own texts, below `.ralph/`.
const TEXTS: [&str; 4] = [name::CONFIG, name::RULES, ".gitignore", ".gitattributes"];

/// `.ralph/` itself, and the folders below it in which Ralph works.
const FOLDERS: [&str; 4] = ["", "db", "db/memory", "db/logs"];

/// Characters of a foreign line in a notice.
const SHOWN_CHARS: usize = 160;

/// The compared state of `.ralph/` at one moment.
#[derive(Debug, Default)]
pub(crate) struct OwnFiles {
    texts: BTreeMap<&'static str, Content>,
    /// What is wrong with the folders: a link in place of one would lead Ralph somewhere else.
    folders: BTreeSet<String>,
    journals: BTreeMap<PathBuf, (usize, Digest)>,
    database: Option<u64>,
    /// `None` if it can't be read, which says nothing about what is in it.
    record: Option<Record>,
    /// How often Ralph itself changed the record, whoever asked for it.
    agreements: i64,
    last_event: Option<String>,
}

type Digest = [u8; 32];

/// What is found in the place of a text file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Missing,
    Bytes(Vec<u8>),
    /// Not read, with the error message.
    Refused(String),
    /// Not read, because this process could open no more files, which says nothing about the file.
    Unknown,
}

impl Content {
    fn of(read: std::result::Result<Option<Vec<u8>>, FileFault>) -> Content {
        match read {
            Ok(None) => Content::Missing,
            Ok(Some(bytes)) => Content::Bytes(bytes),
            Err(fault) if says_nothing(&fault) => Content::Unknown,
            Err(fault) => Content::Refused(fault.to_string()),
        }
    }

    fn is(&self, text: Option<&String>) -> bool {
        match (self, text) {
            (Content::Missing, None) => true,
            (Content::Bytes(bytes), Some(text)) => bytes == text.as_bytes(),
            _ => false,
        }
    }
}

/// Whether an error says nothing about the file: this process could open no more files.
fn says_nothing(fault: &FileFault) -> bool {
    matches!(fault, FileFault::Io { source, .. } if git_repo::at_a_limit(source))
}

impl App {
    /// Current state of the project's own files. What can't be read is part of the result, never an error.
    pub(crate) fn own_files(&self) -> OwnFiles {
        let files = self.paths.files();
        let ralph = self.paths.root.join(".ralph");
        let journals = self.journal_files().unwrap_or_default().into_iter().map(|path| {
            let bytes = files.read(&path, limits::JOURNAL_BYTES).ok().flatten().unwrap_or_default();
            let seen = (bytes.len(), Sha256::digest(&bytes).into());
            (path, seen)
        });
        OwnFiles {
            texts: TEXTS.into_iter().map(|text| (text, Content::of(files.read(&ralph.join(text), limits::CONFIG_BYTES)))).collect(),
            folders: FOLDERS.iter().filter_map(|folder| self.fault_of_folder(&ralph.join(folder))).collect(),
            journals: journals.collect(),
            database: identity(&self.paths.database()),
            record: self.trust.read().ok(),
            agreements: self
                .db
                .read(|r| r.topic_versions())
                .map_or(0, |versions| [Topic::Settings, Topic::Disciplines].iter().filter_map(|topic| versions.get(topic)).sum()),
            last_event: self.last_event(),
        }
    }

    /// Renews the marks by which this machine knows the project: an agent may have removed them, and after the run the project must still
    /// be known.
    fn stay_known(&self) {
        let known = self.db.still_there().map_err(AppError::from).and_then(|()| {
            place::renew_mark(&self.paths, self.clock.now());
            self.mark()
        });
        if let Err(fault) = known {
            tracing::debug!("the project is not marked as this machine's own: {fault}");
        }
    }

    /// The same as [`App::changes_since`], as far as `before` is known, with what an agent added to git beyond `tracked`, which is removed
    /// from it, see [`App::take_out_of_git`]; and what of that is committed.
    pub(crate) fn settle_own_files(&self, before: Option<&OwnFiles>, tracked: Option<&BTreeSet<PathBuf>>) -> (Vec<String>, Option<String>) {
        if before.is_some() {
            self.stay_known();
        }
        let held = tracked.and_then(|tracked| self.take_out_of_git(tracked));
        let mut changes = before.map_or_else(|| self.take_back_rows(), |before| self.changes_since(before));
        changes.extend(held.iter().map(|held| held.told.clone()));
        (changes, held.filter(|held| held.committed).map(|held| held.told))
    }

    /// Differences from `before` that Ralph did not make, each in brief. Forged agreements and rows of the database are put back.
    pub(crate) fn changes_since(&self, before: &OwnFiles) -> Vec<String> {
        let mut now = self.own_files();
        let mut changes = Vec::new();
        let agreements = self.agreements_change(before, &mut now);
        for (text, content) in &now.texts {
            // A person's changes through Ralph are recorded as agreed to.
            let kept = now.record.as_ref().and_then(|record| record.kept.get(*text));
            let by_ralph = kept.is_some_and(|kept| content.is(kept.as_ref()));
            let is_known = ![before.texts.get(text), Some(content)].contains(&Some(&Content::Unknown));
            if is_known && before.texts.get(text) != Some(content) && !by_ralph {
                changes.push(match content {
                    Content::Unknown => continue,
                    Content::Missing => format!("{text}: removed"),
                    Content::Refused(fault) => format!("{text}: {fault}"),
                    Content::Bytes(_) if before.texts.get(text) == Some(&Content::Missing) => format!("{text}: made"),
                    Content::Bytes(_) => format!("{text}: changed"),
                });
            }
        }
        changes.extend(now.folders.difference(&before.folders).cloned());
        let journals: BTreeMap<&PathBuf, ()> = before.journals.keys().chain(now.journals.keys()).map(|path| (path, ())).collect();
        changes.extend(journals.into_keys().filter_map(|path| self.journal_change(path, before, &now)));
        if before.database != now.database {
            changes.push("db/ralph.db: replaced".to_owned());
        } else if now.last_event < before.last_event {
            // Ids only increase, so this is an earlier state, or another database's.
            changes.push("db/ralph.db: not the one that it was".to_owned());
        }
        changes.extend(agreements);
        changes.extend(self.take_back_rows());
        changes
    }

    /// A change of the person's agreements. One that no act through Ralph explains is reverted, and then `now` has them as they were.
    fn agreements_change(&self, before: &OwnFiles, now: &mut OwnFiles) -> Option<String> {
        let old = before.record.as_ref()?;
        let Some(new) = &now.record else {
            let fault = self.trust.read().err().filter(|fault| !matches!(fault, AppError::File(fault) if says_nothing(fault)))?;
            return Some(format!("what you agreed to can't be read: {fault}"));
        };
        if before.agreements != now.agreements {
            let changed = old.agreed != new.agreed || (old.watching && !new.watching);
            return changed.then(|| "what you agreed to changed meanwhile; `ralph trust` shows it".to_owned());
        }
        if old.agreed == new.agreed && old.kept == new.kept && (new.watching || !old.watching) {
            return None;
        }
        let whole = Record { holding: old.holding || new.holding, ..old.clone() };
        now.record = Some(whole.clone());
        let told = "what you agreed to was changed by another program than Ralph";
        Some(match self.trust.change(|record| *record = whole.clone()) {
            Ok(()) => format!("{told}, and is as it was"),
            Err(fault) => format!("{told}, and can't be put back: {fault}"),
        })
    }

    fn fault_of_folder(&self, folder: &Path) -> Option<String> {
        match self.paths.files().must_be(folder, ExpectedKind::Folder) {
            Err(fault) => Some(fault.to_string()),
            Ok(()) => (!folder.is_dir()).then(|| format!("{}: removed", folder.display())),
        }
    }

    /// A change of a journal other than Ralph's appending.
    fn journal_change(&self, path: &Path, before: &OwnFiles, now: &OwnFiles) -> Option<String> {
        let seen = before.journals.get(path);
        // What can't be read is treated as empty, and reported below.
        if seen.is_some_and(|(length, _)| *length > 0) && seen == now.journals.get(path) {
            return None;
        }
        let name = path.strip_prefix(self.paths.root.join(".ralph")).unwrap_or(path).display();
        let (length, digest) = seen.copied().unwrap_or((0, Sha256::digest([]).into()));
        let bytes = match self.paths.files().read(path, limits::JOURNAL_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Some(format!("{name}: removed")),
            Err(fault) if says_nothing(&fault) => return None,
            Err(fault) => return Some(format!("{name}: {fault}")),
        };
        if bytes.len() < length || Digest::from(Sha256::digest(&bytes[..length])) != digest {
            return Some(format!("{name}: lines that were there are gone or rewritten"));
        }
        if bytes.len() == length {
            return None;
        }
        let (lines, skipped) = journal::parse("", &bytes[length..]);
        // Lines that the database knows verbatim are Ralph's, of this iteration or written back: nothing is imported during a run.
        let ids = lines.iter().map(|line| line.id.as_str()).collect();
        let known = self.db.read(|r| r.lines_of(&ids)).unwrap_or_default();
        let strange: Vec<&Line> = lines.iter().filter(|line| !known.contains(&line.to_json())).collect();
        let count = strange.len() + skipped.len();
        let first =
            strange.first().map(|line| redact(cut(&line.to_json(), SHOWN_CHARS)).0).or_else(|| Some(skipped.first()?.fault.clone()));
        first.map(|first| format!("{name}: {count} lines that Ralph did not write, the first: {first}"))
    }

    fn last_event(&self) -> Option<String> {
        self.db.read(|r| r.last_event_id()).ok().flatten()
    }
}

/// The notice of changes below `.ralph/` by the agent of `whose`: an iteration or an errand; `None` without any.
pub(crate) fn notice(whose: &str, changes: &[String]) -> Option<NewNotice> {
    let title = format!("{whose} changed files that are yours, below .ralph/");
    let settle = "\nSettings, rules and lines of journals wait for your yes: `ralph trust`. What is not put back is as the agent left it.";
    (!changes.is_empty()).then(|| NewNotice::new(NoticeKind::RalphFiles, title, changes.join("\n") + settle))
}

/// A number that identifies a file while it exists.
#[cfg(unix)]
fn identity(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    path.symlink_metadata().ok().map(|metadata| metadata.ino())
}

/// Not checked on Windows, where nobody can replace a file that SQLite has open.
#[cfg(not(unix))]
fn identity(_path: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use ralph_core::feature::NewFeature;
    use ralph_core::learning::NewLearning;
    use ralph_core::settings::Settings;
    use ralph_core::time::Timestamp;

    fn project() -> (tempfile::TempDir, App) {
        let folder = tempfile::tempdir().unwrap();
        let app = App::init(folder.path(), Clock::from_fn(|| Timestamp(1_000))).unwrap();
        (folder, app)
    }

    #[test]
    fn agreements_that_ralph_did_not_store_are_taken_back() {
        let (_folder, app) = project();
        app.trust.change(|record| record.holding = true).unwrap();
        let before = app.own_files();
        std::fs::write(&app.paths.config, "check = \"touch pwned\"\n").unwrap();
        let forged = BTreeMap::from([(name::CHECK.to_owned(), "touch pwned".to_owned())]);
        let texts = BTreeMap::from([(name::CONFIG.to_owned(), Some("check = \"touch pwned\"\n".to_owned()))]);
        app.trust.change(|record| (record.agreed, record.kept) = (forged, texts)).unwrap();
        let told = app.changes_since(&before);
        let agreements = "what you agreed to was changed by another program than Ralph, and is as it was";
        assert_eq!(told, ["config.toml: changed", agreements]);
        assert_eq!(app.trust.read().ok(), before.record);

        let before = app.own_files();
        let settings = Settings { check: "make".to_owned(), ..Settings::default() };
        app.update_settings(&Settings::default(), &settings).unwrap();
        assert!(!app.changes_since(&before).is_empty(), "a change meanwhile is told in any case");
        assert_eq!(app.trust.read().unwrap().agreed.get(name::CHECK).map(String::as_str), Some("make"), "a person's own stays");
    }

    #[test]
    fn agreements_that_could_not_be_read_at_the_start_are_not_taken_for_none() {
        let (_folder, app) = project();
        let settings = Settings { check: "make".to_owned(), ..Settings::default() };
        app.update_settings(&Settings::default(), &settings).unwrap();
        let agreed = app.trust.read().unwrap();
        assert_eq!(agreed.agreed.get(name::CHECK).map(String::as_str), Some("make"));
        let record = app.trust.path().unwrap();
        let text = std::fs::read(&record).unwrap();
        std::fs::remove_file(&record).unwrap();
        std::fs::create_dir(&record).unwrap();
        let before = app.own_files();
        std::fs::remove_dir(&record).unwrap();
        std::fs::write(&record, text).unwrap();
        assert_eq!(app.changes_since(&before), Vec::<String>::new());
        assert_eq!(app.trust.read().unwrap(), agreed);
    }

    #[test]
    fn of_the_lines_that_a_journal_grew_by_those_are_told_that_ralph_did_not_write() {
        let (_folder, app) = project();
        app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).unwrap();
        let learn = |text: &str| app.append_feature_learning(&NewLearning::new("pay", text)).unwrap();
        let path = app.journal_path("pay");
        let journal = || std::fs::read_to_string(&path).unwrap();
        learn("The ledger service listens on port 4711");
        let before = app.own_files();
        learn("Receipts are rendered by src/receipt.rs, so change its template");
        assert_eq!(app.changes_since(&before), Vec::<String>::new(), "what Ralph wrote is its own");

        let own = journal();
        let forged = own.lines().last().unwrap().replace("src/receipt.rs", "src/forged.rs");
        std::fs::write(&path, format!("{own}{forged}\n")).unwrap();
        let told = app.changes_since(&before);
        assert!(told.len() == 1 && told[0].contains(": 1 lines that Ralph did not write"), "{told:?}");
        std::fs::write(&path, own.replace("4711", "4712")).unwrap();
        let told = app.changes_since(&before);
        assert!(told.len() == 1 && told[0].ends_with("lines that were there are gone or rewritten"), "{told:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_this_process_has_no_room_to_open_is_neither_changed_nor_refused() {
        let refused = |errno: rustix::io::Errno| FileFault::Io { path: "config.toml".into(), source: errno.into() };
        assert_eq!(Content::of(Err(refused(rustix::io::Errno::MFILE))), Content::Unknown);
        assert!(matches!(Content::of(Err(refused(rustix::io::Errno::ACCESS))), Content::Refused(_)));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_folder_is_told_though_all_is_found_through_it() {
        let (folder, app) = project();
        let before = app.own_files();
        let [own, moved, logs] = [".ralph", "moved", "moved/db/logs"].map(|name| app.paths.root.join(name));
        std::fs::rename(&own, &moved).unwrap();
        std::os::unix::fs::symlink("moved", &own).unwrap();
        let link = format!("{} leads to moved, which is not this project's own file; it is not followed", own.display());
        assert_eq!(app.changes_since(&before), [link]);

        std::fs::remove_file(&own).unwrap();
        std::fs::create_dir_all(&logs).unwrap();
        std::fs::rename(&moved, &own).unwrap();
        let before = app.own_files();
        std::fs::remove_dir(own.join("db/logs")).unwrap();
        assert_eq!(app.changes_since(&before), [format!("{}: removed", own.join("db/logs").display())]);
        drop(folder);
    }
}
