//! Documents: files of the project that recall searches section by section.
//!
//! Derived from files: those that a person ingested, those that hold consolidated learnings, and the `knowledge_paths` of features.
//! Files are checked for changes, and only changed ones are read, whenever a project is opened, a run starts, a prompt is made or somebody
//! reconciles, and every few seconds while a process is asked for knowledge.

mod facts;
mod find;
mod read;

pub(crate) use facts::source_of;
pub(crate) use find::{reason, within};
pub(crate) use read::stamp_of;

use crate::app::App;
use crate::error::{AppError, Result};
use find::{FileSelection, PathRequest};
use ralph_core::authority::Act;
use ralph_core::document::{Document, Forgotten, IngestOutcome, IngestedFile, SkippedFile};
use ralph_core::feature::FeatureState;
use ralph_core::limits;
use ralph_core::noun::Noun;
use ralph_rag::consolidate::place_of_index;
use read::{Reading, read};
use sqlite_db::Read;
use sqlite_db::table::{DocumentRow, NewDocument, NewSection, SourcedFact};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

/// Files per commit, so that others can write in between.
const COMMIT_FILES: usize = 20;
/// Time between two looks of a process that is asked again and again, since git lists the files each time.
const LOOK_MILLIS: u64 = 2_000;

/// Changes found by a scan.
enum Change {
    /// The file is new or changed.
    Put { path: String, feature: Option<u32>, stamp: String, digest: String, sections: Vec<NewSection> },
    /// Its content is unchanged.
    Keep { id: i64, stamp: String, feature: Option<u32> },
    /// It is gone, or no longer requested.
    Remove { id: i64 },
}

impl App {
    /// Ingests files and folders, by paths absolute or relative to the project, and scans all documents; without paths it
    /// only scans. Skipped files are returned with the reason. New files in a folder are found by later scans.
    pub fn ingest(&self, paths: &[PathBuf]) -> Result<IngestOutcome> {
        self.allowed(&Act::Ingest)?;
        let asked: Vec<PathRequest> = match paths {
            [] => self.db.read(wanted)?,
            paths => paths.iter().map(|path| self.asked_for(path)).collect(),
        };
        let found = self.find_files(&asked)?;
        let known = self.db.read(|r| r.document_sources())?;
        let named = asked.iter().filter(|wanted| !paths.is_empty() && found.is_source(wanted));
        let sources: Vec<&str> = named.map(|wanted| wanted.path.as_str()).collect();
        let new: Vec<&str> = sources.iter().copied().filter(|path| !known.iter().any(|known| known == path)).collect();
        if known.len() + new.len() > limits::DOCUMENT_SOURCES {
            return Err(AppError::invalid(
                "paths",
                format!("a project's documents come from at most {} files and folders", limits::DOCUMENT_SOURCES),
                "bring in the folders that hold them, or forget some with `ralph document forget`",
            ));
        }
        if !new.is_empty() {
            let now = self.clock.now();
            self.write(|tx| Ok(new.iter().try_for_each(|path| tx.add_document_source(path, now))?))?;
        }
        let mut skipped = self.look_at_documents()?;
        skipped.retain(|path, _| found.files.contains_key(path));
        skipped.extend(found.skipped);
        let remembered = sources.iter().any(|path| found.empty.contains(*path) || !skipped.contains_key(*path));
        let documents = self.db.read(|r| r.documents())?;
        let ingested = documents.into_iter().filter(|document| found.files.contains_key(&document.path));
        Ok(IngestOutcome {
            ingested: ingested.map(|document| IngestedFile { path: document.path, sections: document.sections }).collect(),
            skipped: told(skipped),
            remembered,
        })
    }

    /// All documents by path.
    pub fn documents(&self) -> Result<Vec<Document>> {
        self.look_again();
        self.db.read(|r| {
            let features = r.features()?;
            let name = |id: u32| features.iter().find(|feature| feature.id == id).map(|feature| feature.name.clone());
            let document = |row: DocumentRow| Document {
                path: row.path,
                feature: row.feature_id.and_then(name),
                sections: row.sections,
                read: row.read,
            };
            Ok(r.documents()?.into_iter().map(document).collect())
        })
    }

    /// Current text of a document, or of a fact's file, without secrets, by its path relative to the project.
    pub fn document_text(&self, path: &str) -> Result<String> {
        let known = self.db.read(|r| {
            let of_fact = |sourced: &SourcedFact| sourced.fact.file.as_deref() == Some(path);
            Ok::<_, AppError>(r.documents()?.iter().any(|document| document.path == path) || r.sourced_facts()?.iter().any(of_fact))
        })?;
        if !known {
            return Err(AppError::not_found(Noun::Document, path));
        }
        let text = self.paths.files().read_text(&self.paths.root.join(path), limits::DOCUMENT_BYTES)?;
        text.map(|text| crate::secrets::wash::text(&text)).ok_or_else(|| AppError::not_found(Noun::Document, path))
    }

    /// Forgets what was ingested at some paths, absolute or relative to the project, and below them. Files that a parent folder or a
    /// feature still requests stay, and so do those that hold consolidated learnings.
    pub fn forget_documents(&self, paths: &[PathBuf]) -> Result<Forgotten> {
        self.allowed(&Act::Curate)?;
        let asked: Vec<String> = paths.iter().map(|path| self.asked_for(path).path).collect();
        let of_asked = |path: &str| asked.iter().any(|asked| find::is_within(path, asked));
        let (sources, before) = self.db.read(|r| Ok::<_, AppError>((r.document_sources()?, r.documents()?)))?;
        if let Some(stranger) = asked.iter().find(|asked| {
            !sources.iter().any(|path| find::is_within(path, asked)) && !before.iter().any(|row| find::is_within(&row.path, asked))
        }) {
            return Err(AppError::not_found(Noun::Document, stranger));
        }
        let standing = self.sources_that_stand()?;
        let given_up: Vec<String> = sources.into_iter().filter(|path| of_asked(path) && !standing.contains(path)).collect();
        // What a link led to is known by its own name.
        let named = given_up.iter().map(|path| PathRequest { path: path.clone(), feature: None }).collect::<Vec<_>>();
        let named = self.find_files(&named)?.files;
        self.write(|tx| Ok(given_up.iter().try_for_each(|path| tx.remove_document_source(path))?))?;
        self.look_at_documents()?;
        let (left, after) = self.db.read(|r| Ok::<_, AppError>((wanted(r)?, r.documents()?)))?;
        let mut answer = Forgotten::default();
        // What each leads to, which matters only if a link does: it starts git for each.
        let led = LazyCell::new(|| left.iter().map(|wanted| self.find_files(from_ref(wanted)).unwrap_or_default()).collect::<Vec<_>>());
        for document in before.iter().filter(|row| of_asked(&row.path) || named.contains_key(&row.path)) {
            if after.iter().any(|row| row.path == document.path) {
                let names = left.iter().position(|wanted| find::is_within(&document.path, &wanted.path));
                let by = names.or_else(|| led.iter().position(|found| found.files.contains_key(&document.path)));
                let by = by.map_or("it", |at| left[at].path.as_str());
                let reason = match standing.contains(by) {
                    true => format!("'{by}' holds consolidated learnings, told nowhere else: `ralph consolidate --undo` takes them back"),
                    false => format!("'{by}' is still asked for, by a person or by a feature's knowledge_paths"),
                };
                answer.kept.push(SkippedFile { path: document.path.clone(), reason });
            } else {
                answer.forgotten.push(document.path.clone());
            }
        }
        Ok(answer)
    }

    /// Looks at what other programs may have changed since this process last looked: journals and documents. Every few seconds at most, and
    /// not while another thread does; then the caller gets what is known already.
    pub(crate) fn look_again(&self) {
        let Ok(mut looked) = self.looked.try_lock() else { return };
        if looked.is_some_and(|looked| self.clock.steady().millis_since(looked) < LOOK_MILLIS) {
            return;
        }
        self.pull_or_warn();
        self.look_at_documents_or_warn();
        *looked = Some(self.clock.steady());
    }

    /// The same scan in the background: an error is logged, and existing data stays.
    pub(crate) fn look_at_documents_or_warn(&self) {
        let free = || Ok::<_, AppError>(!self.is_read_only() && self.db.try_writer()?.is_some());
        if let Err(error) = free().and_then(|free| if free { self.look_at_documents().map(drop) } else { Ok(()) }) {
            tracing::warn!("the documents could not be looked at: {error}");
        }
    }

    /// Checks which documents changed, disappeared or are new, and reads those; also whether the files of facts still state them. Returns
    /// the skipped files.
    pub(crate) fn look_at_documents(&self) -> Result<BTreeMap<String, String>> {
        self.look_at_facts()?;
        self.ask_for_consolidated()?;
        let (wanted, known) = self.db.read(|r| Ok::<_, AppError>((wanted(r)?, r.documents()?)))?;
        if wanted.is_empty() && known.is_empty() {
            return Ok(BTreeMap::new());
        }
        let found = self.find_files(&wanted)?;
        let mut skipped = found.skipped;
        let mut gone: BTreeMap<String, DocumentRow> = known.into_iter().map(|row| (row.path.clone(), row)).collect();
        let mut waiting = Vec::new();
        for (path, owners) in found.files {
            let known = gone.get(&path);
            let feature = owners.feature();
            match read(self.paths.files(), &self.paths.root, &path, known, self.clock.now()) {
                Reading::Unchanged if known.is_some_and(|row| row.feature_id == feature) => {}
                Reading::Unchanged => {
                    waiting.extend(known.map(|row| Change::Keep { id: row.id, stamp: row.stamp.clone(), feature }));
                }
                Reading::Same { stamp } => waiting.extend(known.map(|row| Change::Keep { id: row.id, stamp, feature })),
                Reading::New { stamp, digest, sections } => {
                    waiting.push(Change::Put { path: path.clone(), feature, stamp, digest, sections });
                }
                Reading::Skipped(reason) => {
                    skipped.insert(path, reason);
                    continue;
                }
            }
            gone.remove(&path);
            if waiting.len() >= COMMIT_FILES {
                self.store_documents(&waiting)?;
                waiting.clear();
            }
        }
        waiting.extend(gone.into_values().map(|row| Change::Remove { id: row.id }));
        self.store_documents(&waiting)?;
        Ok(skipped)
    }

    fn store_documents(&self, changes: &[Change]) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let read = self.clock.now();
        self.write(|tx| {
            for change in changes {
                match change {
                    Change::Put { path, feature, stamp, digest, sections } => {
                        tx.put_document(&NewDocument { path, feature_id: *feature, stamp, digest, read, sections })?;
                    }
                    Change::Keep { id, stamp, feature } => tx.set_document(*id, stamp, *feature)?,
                    Change::Remove { id } => tx.remove_document(*id)?,
                }
            }
            Ok(())
        })
    }

    fn asked_for(&self, path: &Path) -> PathRequest {
        PathRequest { path: find::within(&self.paths.root, &self.paths.root.join(path)), feature: None }
    }

    fn find_files(&self, wanted: &[PathRequest]) -> Result<FileSelection> {
        let mut found = find::find(self.paths.files(), &self.paths.root, self.repo.as_ref(), wanted)?;
        // The index says what the documents beside it say, and would be found before them.
        found.leave_out(&place_of_index(&self.settings()?.consolidation.knowledge_folder), "Ralph writes it from the documents beside it");
        Ok(found)
    }
}

/// The requested paths: ingested by a person, or named by features that are not archived.
fn wanted(r: &Read<'_>) -> Result<Vec<PathRequest>> {
    let mut wanted: Vec<PathRequest> = r.document_sources()?.into_iter().map(|path| PathRequest { path, feature: None }).collect();
    for feature in r.features()?.into_iter().filter(|feature| feature.state != FeatureState::Archived) {
        wanted.extend(feature.knowledge_paths.iter().map(|path| PathRequest { path: find::tidy(path), feature: Some(feature.id) }));
    }
    Ok(wanted)
}

fn told(skipped: BTreeMap<String, String>) -> Vec<SkippedFile> {
    skipped.into_iter().map(|(path, reason)| SkippedFile { path, reason }).collect()
}
