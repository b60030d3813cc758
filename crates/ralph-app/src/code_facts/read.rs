//! Reading changed files and their facts.

use crate::app::App;
use crate::documents::{reason, stamp_of};
use crate::error::Result;
use crate::files::ProjectFiles;
use code_facts::{FoundFact, RULES, facts, is_read};
use ralph_core::document::SkippedFile;
use ralph_core::limits;
use ralph_core::memory::CodeScan;
use ralph_core::text::hex;
use ralph_core::time::Timestamp;
use ralph_rag::clean::clean;
use sha2::{Digest as _, Sha256};
use sqlite_db::table::CodeFile;
use std::collections::BTreeMap;
use std::path::Path;

/// Files per commit, so that others can write in between.
const COMMIT_FILES: usize = 100;

/// State of a file.
enum FileState {
    /// Unchanged since the last scan.
    Unchanged,
    /// Missing.
    Gone,
    /// Read. Its content may still be the same.
    Read(CodeFile),
}

impl App {
    /// Reads those files that changed, until `stopped`. If they are `all`, others are removed.
    pub(super) fn read_code(&self, paths: &[String], all: bool, stopped: &dyn Fn() -> bool, scan: &mut CodeScan) -> Result<()> {
        let known = self.db.read(|r| r.code_files())?;
        let mut gone: BTreeMap<&str, &CodeFile> = known.iter().map(|file| (file.path.as_str(), file)).collect();
        let (looked_at, too_many) = paths.split_at(paths.len().min(limits::CODE_FILES));
        if let Some(first) = too_many.first() {
            let reason = format!("{} files are looked at for facts at most; this one and what follows are not", limits::CODE_FILES);
            scan.skipped.push(SkippedFile { path: first.clone(), reason });
        }
        let now = self.clock.now();
        let mut waiting = Vec::new();
        for path in looked_at {
            if stopped() {
                return self.store_code(&waiting, &[]);
            }
            let known = gone.get(path.as_str()).copied();
            let skipped = match read(self.paths.files(), &self.paths.root, path, known, now) {
                FileState::Gone => continue,
                FileState::Unchanged => known.and_then(|file| file.skipped.clone()),
                FileState::Read(file) => {
                    let skipped = file.skipped.clone();
                    scan.read += u32::from(known.is_none_or(|known| known.digest != file.digest));
                    if known != Some(&file) {
                        waiting.push(file);
                    }
                    skipped
                }
            };
            gone.remove(path.as_str());
            scan.files += 1;
            scan.skipped.extend(skipped.map(|reason| SkippedFile { path: path.clone(), reason }));
            if waiting.len() >= COMMIT_FILES {
                self.store_code(&std::mem::take(&mut waiting), &[])?;
            }
        }
        let asked_for = |path: &&str| all || paths.iter().any(|asked| asked == path);
        let gone: Vec<&str> = gone.into_keys().filter(asked_for).collect();
        self.store_code(&waiting, &gone)
    }

    fn store_code(&self, files: &[CodeFile], gone: &[&str]) -> Result<()> {
        if files.is_empty() && gone.is_empty() {
            return Ok(());
        }
        self.write(|tx| {
            files.iter().try_for_each(|file| tx.put_code_file(file))?;
            Ok(gone.iter().try_for_each(|path| tx.remove_code_file(path))?)
        })
    }
}

/// Reads a file as far as needed.
fn read(files: ProjectFiles<'_>, root: &Path, path: &str, known: Option<&CodeFile>, now: Timestamp) -> FileState {
    let place = root.join(path);
    let known = known.filter(|file| file.digest.starts_with(&format!("{RULES}:")));
    let passed_over = |stamp: String, reason: String| {
        let digest = format!("{RULES}:");
        FileState::Read(CodeFile { path: path.to_owned(), stamp, digest, facts: "[]".to_owned(), skipped: Some(reason) })
    };
    let metadata = match files.metadata(&place) {
        Ok(Some(metadata)) if metadata.is_file() => metadata,
        Ok(_) => return FileState::Gone,
        Err(fault) => return passed_over(String::new(), reason(&fault)),
    };
    let stamp = stamp_of(&metadata, now);
    if known.is_some_and(|file| !stamp.is_empty() && file.stamp == stamp) {
        return FileState::Unchanged;
    }
    let content = if is_read(path) { files.read_text(&place, limits::DOCUMENT_BYTES) } else { Ok(Some(String::new())) };
    let text = match content {
        Ok(Some(text)) => text,
        Ok(None) => return FileState::Gone,
        Err(fault) => return passed_over(stamp, reason(&fault)),
    };
    let digest = format!("{RULES}:{}", hex(&Sha256::digest(text.as_bytes())));
    if let Some(file) = known.filter(|file| file.digest == digest) {
        return FileState::Read(CodeFile { stamp, ..file.clone() });
    }
    let found = facts(path, &text);
    let skipped = (found.len() > limits::CODE_FILE_FACTS).then(|| format!("it states more than {} facts", limits::CODE_FILE_FACTS));
    let kept: Vec<FoundFact> = if skipped.is_some() { Vec::new() } else { found.into_iter().filter_map(washed).collect() };
    let facts = serde_json::to_string(&kept).unwrap_or_else(|_| "[]".to_owned());
    FileState::Read(CodeFile { path: path.to_owned(), stamp, digest, facts, skipped })
}

/// A fact without secrets and control sequences; `None` if nothing is left.
fn washed(fact: FoundFact) -> Option<FoundFact> {
    let subject = clean(&fact.subject, limits::TITLE_CHARS).text.trim().to_owned();
    let value = clean(&fact.value, limits::FACT_VALUE_CHARS).text.trim().to_owned();
    // A line too long to be found again, as in a one-line manifest, changes whenever anything in it does.
    let short = fact.quote.chars().count() <= limits::FACT_VALUE_CHARS;
    let quote = if short { clean(&fact.quote, limits::FACT_VALUE_CHARS).text } else { String::new() };
    (!subject.is_empty() && !value.is_empty()).then_some(FoundFact { subject, value, quote, ..fact })
}
