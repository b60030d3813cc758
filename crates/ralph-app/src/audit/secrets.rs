//! Secrets in the store, or a text that a person wants gone: reported by place and count, never by value; and one command that removes them.
//!
//! New texts are cleaned on input. What was stored before a rule existed is found here: in the database and its copies, in journals, logs,
//! prompts and exports. Washing rewrites journals in place, with the same events: the one exception to "a journal only grows".

use super::AuditPass;
use super::sought::Sought;
use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers, UNFINISHED, writer_of};
use crate::knowledge::journal_name;
use crate::knowledge::staged;
use crate::outside::Outside;
use crate::owner::is_left_unfinished;
use crate::paths::Paths;
use crate::secrets::names as secret_names;
use crate::worktrees::lives;
use ralph_core::audit::{AuditFinding, AuditPlace};
use ralph_core::authority::Act;
use ralph_core::topic::Topic;
use ralph_rag::clean::redact;
use sqlite_db::{ColumnAudit, Tx, all_copies, audit_copy, wash_copy};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Bytes of a file that are scanned; the longest possible one, a log at its limit with every character escaped, is shorter.
const FILE_BYTES: u64 = 512 * 1_048_576;
/// Files of a folder that are looked at.
const FILES: usize = 10_000;

/// What is searched for, and the counts by place.
struct Tally<'s> {
    sought: &'s Sought,
    texts: u32,
    affected: u32,
    places: Vec<AuditPlace>,
}

/// Whose a file is.
#[derive(Clone, Copy)]
enum FileOwner {
    /// Ralph's: it can be rewritten, for these readers.
    Ralph(Readers),
    /// The person's: it is only scanned.
    Person,
}

impl<'s> Tally<'s> {
    fn of(sought: &'s Sought) -> Tally<'s> {
        Tally { sought, texts: 0, affected: 0, places: Vec::new() }
    }

    fn add(&mut self, found: ColumnAudit, yours: bool) {
        let ColumnAudit { place, texts, affected, found } = found;
        self.texts += texts;
        self.affected += affected;
        if found > 0 {
            self.places.push(AuditPlace { place, count: found, yours });
        }
    }

    fn columns(&mut self, prefix: &str, columns: Vec<ColumnAudit>) {
        for column in columns {
            self.add(ColumnAudit { place: format!("{prefix}{}", column.place), ..column }, false);
        }
    }

    /// A place that could not be looked at.
    fn unread(&mut self, place: String) {
        self.places.push(AuditPlace { place, count: 0, yours: false });
    }

    fn finding(mut self, washed: bool) -> AuditFinding {
        self.places.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.place.cmp(&b.place)));
        AuditFinding {
            count: self.places.iter().map(|place| place.count).sum(),
            share: f64::from(self.affected) / f64::from(self.texts.max(1)),
            memories: Vec::new(),
            places: self.places,
            washed,
        }
    }
}

impl App {
    /// Searches all places of the store.
    pub(super) fn audit_store(&self, sought: &Sought, pass: AuditPass) -> Result<AuditFinding> {
        if pass == AuditPass::Wash {
            self.allowed(&Act::Rebuild)?;
            // A run keeps its log file open, which would be replaced.
            if let Some(run) = self.active_run()? {
                return Err(AppError::RunActive { run: Some(run.id) });
            }
        }
        let found_in = |place: &str, text: &str| sought.out_of_column(place, text).1;
        let mut tally = Tally::of(sought);
        tally.columns("", self.db.audit(&found_in)?);
        self.audit_history(&mut tally, pass)?;
        self.audit_agreements(&mut tally, pass);
        self.audit_worktrees(&mut tally)?;
        let outside = self.all_outside()?;
        for copy in self.audited_copies(&outside)? {
            let place = self.below_ralph(&copy);
            match audit_copy(&copy, &found_in) {
                Ok(columns) => tally.columns(&format!("{place}: "), columns),
                Err(_) => tally.unread(place),
            }
        }
        if pass == AuditPass::Wash {
            // Held to the end: no line may be appended to a journal that is being rewritten.
            let mut writer = self.db.writer()?;
            self.flush_journal(&mut writer)?;
            self.audit_files(&mut tally, pass)?;
            // Files that will be renamed must be read again.
            writer.transaction::<_, AppError>(|tx| {
                let mut seen = tx.journal_files()?.into_iter().map(|file| file.feature).filter(|name| sought.takes_name(name));
                Ok(seen.try_for_each(|name| tx.forget_journal_file(&name))?)
            })?;
            writer.wash(&sought.wash())?;
            self.remove_unfinished_copies(&writer, &outside);
            self.remove_unfinished_files(&outside)?;
            self.forget_kept_indexes(&outside)?;
            writer.transaction::<_, AppError>(|tx: &Tx<'_>| {
                Topic::ALL.iter().for_each(|topic| tx.touch(*topic));
                Ok(())
            })?;
            for copy in self.audited_copies(&outside)? {
                let holds = |columns: Vec<ColumnAudit>| has_free_pages(&copy) || columns.iter().any(|column| column.found > 0);
                if audit_copy(&copy, &found_in).is_ok_and(holds) {
                    wash_copy(&copy, &sought.wash())?;
                }
            }
        } else {
            self.audit_files(&mut tally, pass)?;
        }
        Ok(tally.finding(pass == AuditPass::Wash))
    }

    /// Databases that nobody has open: copies, also those outside of the project, and those that another one has replaced.
    fn audited_copies(&self, outside: &[Outside]) -> Result<Vec<PathBuf>> {
        let beside = |ending| self.paths.files().list(&self.paths.db, ending);
        let is_aside = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("aside-"));
        let is_plain = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_file());
        let mut copies = all_copies(&self.paths.db);
        copies.extend(outside.iter().flat_map(|outside| outside.all_states(self.db.path())));
        copies.extend(beside("db")?.into_iter().filter(is_aside).chain(beside("damaged")?).filter(is_plain));
        copies.sort();
        Ok(copies)
    }

    /// The history of retrieval, which holds questions, and ids that contain paths.
    fn audit_history(&self, tally: &mut Tally<'_>, pass: AuditPass) -> Result<()> {
        let path = self.evaluation.path();
        if !path.exists() {
            return Ok(());
        }
        let found = self.of_history(|db| {
            let found = db.audit(&|place: &str, text: &str| tally.sought.out_of_column(place, text).1)?;
            if pass == AuditPass::Wash {
                let mut writer = db.writer()?;
                writer.wash(&tally.sought.wash())?;
                writer.remove_unfinished_copies(&[&self.paths.db], true);
            }
            Ok(found)
        })?;
        tally.columns(&format!("{}: ", self.below_ralph(path)), found.unwrap_or_default());
        Ok(())
    }

    /// Copies on this machine of texts that were agreed to and are no longer in the folder.
    fn audit_agreements(&self, tally: &mut Tally<'_>, pass: AuditPass) {
        let has_it = |text: &str| tally.sought.is_in(text);
        // Without the settings nobody can say which are former ones.
        let found = self.former_agreements(&has_it, pass == AuditPass::Wash).unwrap_or_else(|fault| {
            tracing::warn!("what was agreed to is not looked at: {fault}");
            0
        });
        let found = u32::try_from(found).unwrap_or(u32::MAX);
        let place = self.trust.path().unwrap_or_default().to_string_lossy().into_owned();
        tally.add(ColumnAudit { place, texts: found, affected: found, found }, false);
    }

    /// The folders of Ralph's own files, also of those that kills left unfinished.
    fn folders(&self) -> [PathBuf; 5] {
        let paths = &self.paths;
        [paths.root.join(".ralph"), paths.db.clone(), paths.memory.clone(), paths.logs.clone(), self.exports()]
    }

    /// Unfinished files of killed processes, here and outside the project: each holds the texts of the complete file.
    fn remove_unfinished_files(&self, outside: &[Outside]) -> Result<()> {
        let files = self.paths.files();
        for folder in self.folders() {
            let left = files.list(&folder, UNFINISHED)?;
            left.iter().filter(|path| is_left_unfinished(path)).try_for_each(|path| files.remove(path))?;
        }
        for path in outside.iter().flat_map(Outside::unfinished) {
            std::fs::remove_file(&path).map_err(|source| AppError::io(&path, source))?;
        }
        Ok(())
    }

    /// Journals, logs, prompts, exports, reports; and the person's own files, which are only scanned.
    fn audit_files(&self, tally: &mut Tally<'_>, pass: AuditPass) -> Result<()> {
        let own = self.paths.root.join(".ralph");
        let exports = self.exports();
        for folder in self.folders() {
            for path in self.paths.files().list(&folder, UNFINISHED)? {
                // Files with something to remove are deleted as a whole.
                self.audit_file(&path, tally, FileOwner::Ralph(Readers::Owner), AuditPass::Look)?;
            }
        }
        let below = [(self.paths.memory.join(staged::FOLDER), Readers::Anyone), (own.join("tmp"), Readers::Owner)];
        for (folder, readers) in below {
            for path in plain_files_below(self.paths.files(), &folder)? {
                self.audit_file(&path, tally, FileOwner::Ralph(readers), pass)?;
            }
        }
        for (folder, extension, owner) in [
            (&self.paths.memory, "jsonl", FileOwner::Ralph(Readers::Anyone)),
            (&self.paths.logs, "jsonl", FileOwner::Ralph(Readers::Owner)),
            (&self.paths.logs, "json", FileOwner::Ralph(Readers::Owner)),
            (&self.paths.logs, "md", FileOwner::Ralph(Readers::Owner)),
            (&exports, "json", FileOwner::Ralph(Readers::Owner)),
            (&own, "md", FileOwner::Person),
            (&own, "toml", FileOwner::Person),
        ] {
            for path in self.paths.files().list(folder, extension)? {
                self.audit_file(&path, tally, owner, pass)?;
            }
        }
        Ok(())
    }

    /// What was learnt on unmerged branches: such a file belongs to the branch, and is only scanned.
    fn audit_worktrees(&self, tally: &mut Tally<'_>) -> Result<()> {
        for worktree in self.db.read(|r| r.worktrees())?.iter().filter(|worktree| lives(worktree)) {
            let folder = self.checkout_in(worktree).folder;
            let files = ProjectFiles::of(&folder);
            for path in plain_files_below(files, &Paths::of(&folder).memory.join(staged::FOLDER))? {
                // An agent may have put anything in the way.
                if let Ok(Some(bytes)) = files.read(&path, FILE_BYTES) {
                    let found =
                        u32::try_from(tally.sought.out_of_file(&String::from_utf8_lossy(&bytes), true, false).1).unwrap_or(u32::MAX);
                    let place = redact(&path.to_string_lossy()).0;
                    tally.add(ColumnAudit { place, texts: 1, affected: u32::from(found > 0), found }, true);
                }
            }
        }
        Ok(())
    }

    fn audit_file(&self, path: &Path, tally: &mut Tally<'_>, owner: FileOwner, pass: AuditPass) -> Result<()> {
        let Some(bytes) = self.paths.files().read(path, FILE_BYTES)? else { return Ok(()) };
        let text = String::from_utf8_lossy(&bytes);
        let json = path.extension().is_some_and(|extension| extension != "md" && extension != "toml");
        let is_journal = path.starts_with(&self.paths.memory);
        let (mut texts, mut affected, mut found) = (0, 0, 0);
        let mut washed = String::with_capacity(text.len());
        // A JSON document is one text, otherwise each line is.
        let parts: Vec<&str> = if path.extension().is_some_and(|extension| extension == "jsonl") {
            text.split_inclusive('\n').collect()
        } else {
            vec![&*text]
        };
        let has_names = is_journal || path.starts_with(self.exports());
        for part in parts {
            let (kept, count) = tally.sought.out_of_file(part, json, has_names);
            texts += 1;
            affected += u32::from(count > 0);
            found += u32::try_from(count).unwrap_or(u32::MAX);
            washed.push_str(&kept);
        }
        // A journal is named after its feature, unless it is that of a branch.
        let is_of_feature = path.parent() == Some(&*self.paths.memory) && writer_of(path).is_none();
        let renamed = is_of_feature.then(|| renamed(path, tally.sought)).flatten();
        found += u32::from(renamed.is_some());
        if let FileOwner::Ralph(readers) = owner
            && pass == AuditPass::Wash
            && found > 0
        {
            let files = self.paths.files();
            let target = renamed.as_deref().unwrap_or(path);
            if renamed.is_some() {
                let there = files.read(target, FILE_BYTES)?.unwrap_or_default();
                washed = joined(&String::from_utf8_lossy(&there), &washed);
            }
            files.write(target, washed.as_bytes(), readers)?;
            if renamed.is_some() {
                files.remove(path)?;
            }
        }
        let place = redact(&self.below_ralph(path)).0;
        tally.add(ColumnAudit { place, texts, affected, found }, matches!(owner, FileOwner::Person));
        Ok(())
    }

    fn exports(&self) -> PathBuf {
        self.paths.db.join("exports")
    }

    fn below_ralph(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.paths.root.join(".ralph")).unwrap_or(path);
        below.to_string_lossy().replace('\\', "/")
    }
}

/// The plain files below a folder, at any depth.
fn plain_files_below(files: ProjectFiles<'_>, folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = files.walk(folder, FILES)?;
    found.retain(|path| path.symlink_metadata().is_ok_and(|found| found.is_file()));
    Ok(found)
}

/// Whether a copy was once in use as a database, so that its free pages may hold texts that were changed or deleted: other copies were
/// written from scratch.
fn has_free_pages(copy: &Path) -> bool {
    let is_written_anew = |name: &str| copy.parent().is_some_and(|folder| folder.ends_with("backups")) && !name.starts_with("earlier-");
    !copy.file_name().is_some_and(|name| is_written_anew(&name.to_string_lossy()))
}

/// New name of a journal whose name can't stay.
fn renamed(path: &Path, sought: &Sought) -> Option<PathBuf> {
    let feature = path.file_stem()?.to_str()?;
    sought.takes_name(feature).then(|| path.with_file_name(journal_name(&secret_names::kept(feature))))
}

/// The lines of two files, each once.
fn joined(one: &str, other: &str) -> String {
    let known: BTreeSet<&str> = one.lines().collect();
    let more = other.lines().filter(|line| !known.contains(line));
    one.lines().chain(more).flat_map(|line| [line, "\n"]).collect()
}
