//! A consolidation lands: what stands in the documents now is checked, and what holds is told to the journals.
//!
//! The files come first, then the one commit. Whatever is killed in between is done by landing once more: what is there already is found.

use super::report::batch_file;
use crate::App;
use crate::error::{AppError, Result};
use crate::files::Readers;
use crate::knowledge::slice::Needs;
use ralph_core::authority::Act;
use ralph_core::consolidation::{Consolidated, Consolidation, ConsolidationUndone, Entry, KnowledgePlace, PreparedBatch};
use ralph_core::learning::LearningState;
use ralph_core::limits;
use ralph_core::settings::ConsolidationSettings;
use ralph_rag::act::Consolidating;
use ralph_rag::consolidate::{Documents, INDEX, Proposal, divide, faults, index, places, without_entries};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

impl App {
    /// Checks the documents as they are in the project's folder against those that the batch was prepared from. When every entry landed
    /// and nothing is wrong, the learnings among them are consolidated and the file's entries leave it, else nothing changes and all that
    /// is wrong is told.
    pub fn land_consolidation(&self) -> Result<Consolidated> {
        self.allowed(&Act::Curate)?;
        let settings = self.settings()?.consolidation;
        let prepared = self.prepared_batch()?;
        let before = self.documents_at(prepared.base.as_deref(), &settings)?;
        let after = self.documents_now(&settings)?;
        let changed: BTreeSet<String> =
            before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).cloned().collect();
        let wrong = faults(&Proposal {
            folder: &settings.knowledge_folder,
            before: &before,
            after: &after,
            changed: &changed.into_iter().collect::<Vec<_>>(),
            batch: &prepared.batch,
            exists: &|path| self.paths.root.join(path).exists(),
        });
        if !wrong.is_empty() {
            return Err(AppError::invalid("documents", wrong.join("\n"), "mend them and land once more; nothing was changed"));
        }
        let divided = divide(&after);
        self.write_documents(&settings, &after, divided.documents.clone())?;
        self.leave_learnings_file(&settings, &prepared.batch)?;
        // What a killed landing has told already is not told again.
        let standing = self.consolidations()?.into_iter().filter(|of| of.undone.is_none());
        let told: BTreeMap<String, String> = standing.flat_map(|of| of.entries.into_iter().map(move |key| (key, of.act.clone()))).collect();
        let fresh: Vec<Entry> = prepared.batch.iter().filter(|entry| !told.contains_key(&entry.key)).cloned().collect();
        let places = places(&divided.documents);
        let landed = landed(&fresh, &places, &settings);
        let ids: Vec<&str> = prepared.batch.iter().filter_map(|entry| entry.id.as_deref()).collect();
        let features: Vec<&str> = landed.iter().filter_map(|of| of.feature.as_deref()).collect();
        let needs = features.iter().fold(Needs::learnings(ids), |needs, name| needs.and_feature(name));
        let earlier = prepared.batch.iter().find_map(|entry| told.get(&entry.key)).filter(|_| landed.is_empty());
        let id = match earlier {
            Some(act) => act.clone(),
            None => self.act(&needs, |draft| draft.consolidate(&landed))?,
        };
        self.paths.files().remove(&batch_file(&self.paths))?;
        // What went is found in the documents from now on.
        self.ingest(&[Path::new(&settings.knowledge_folder).to_owned()])?;
        let files: BTreeSet<String> = prepared.batch.iter().filter_map(|entry| Some(places.get(&entry.key)?.file.clone())).collect();
        let entries = prepared.batch.into_iter().map(|entry| entry.key).collect();
        Ok(Consolidated { id, entries, files: files.into_iter().collect(), notes: divided.told })
    }

    /// Every consolidation, the newest first.
    pub fn consolidations(&self) -> Result<Vec<Consolidation>> {
        let mut all = self.db.read(|r| r.consolidations(None))?;
        all.reverse();
        Ok(all)
    }

    /// Takes a consolidation back: its learnings are active again as far as there is room, the rest waits. The documents stay as they are.
    pub fn undo_consolidation(&self, id: &str) -> Result<ConsolidationUndone> {
        self.allowed(&Act::Curate)?;
        let rows = self.db.read(|r| r.consolidations(Some(id)))?;
        let ids = rows.iter().filter(|row| row.feature.is_some()).flat_map(|row| row.entries.iter().map(String::as_str));
        let features = rows.iter().filter_map(|row| row.feature.as_deref());
        let needs = features.fold(Needs::learnings(ids), Needs::and_feature).and_consolidation(id);
        let back = self.act(&needs, |draft| draft.undo_consolidation(id))?;
        let stand = self.db.read(|r| r.learnings_by_id(&back))?;
        let (restored, parked) = stand.into_iter().partition::<Vec<_>, _>(|learning| learning.state == LearningState::Active);
        let ids = |learnings: Vec<ralph_core::learning::FeatureLearning>| learnings.into_iter().map(|learning| learning.id).collect();
        let files: BTreeSet<String> = rows.into_iter().flat_map(|row| row.files).collect();
        Ok(ConsolidationUndone { id: id.to_owned(), restored: ids(restored), parked: ids(parked), files: files.into_iter().collect() })
    }

    fn prepared_batch(&self) -> Result<PreparedBatch> {
        let nothing = |fault: &str| AppError::invalid("batch", fault, "prepare one with `ralph consolidate`");
        let text = self.paths.files().read_text(&batch_file(&self.paths), limits::DOCUMENT_BYTES)?;
        let text = text.ok_or_else(|| nothing("nothing is prepared"))?;
        let prepared: PreparedBatch = serde_json::from_str(&text).map_err(|_| nothing("what was prepared can't be read"))?;
        if prepared.batch.is_empty() {
            return Err(nothing("no entry was ready to go"));
        }
        Ok(prepared)
    }

    /// The documents at a commit, by path from the project, without the index, which Ralph keeps.
    fn documents_at(&self, commit: Option<&str>, settings: &ConsolidationSettings) -> Result<Documents> {
        let (Some(repo), Some(commit)) = (&self.repo, commit) else { return Ok(Documents::new()) };
        let project = self.paths.root.strip_prefix(repo.root()).unwrap_or(Path::new(""));
        let texts = repo.texts_at(commit, &project.join(&settings.knowledge_folder))?;
        let from_project = |path: &str| Some(Path::new(path).strip_prefix(project).ok()?.to_str()?.replace('\\', "/"));
        let named = texts.into_iter().filter_map(|(path, text)| Some((from_project(&path)?, text)));
        Ok(named.filter(|(path, _)| !is_index(path, settings)).collect())
    }

    /// The documents as they are, by path from the project, without the index.
    fn documents_now(&self, settings: &ConsolidationSettings) -> Result<Documents> {
        let (root, files) = (&self.paths.root, self.paths.files());
        let folder = root.join(&settings.knowledge_folder);
        let mut documents = Documents::new();
        if folder.is_dir() {
            for path in files.walk(&folder, limits::DOCUMENTS)? {
                let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str).map(|name| name.replace('\\', "/")) else { continue };
                if let Some(text) = files.read_text(&path, limits::DOCUMENT_BYTES)?.filter(|_| !is_index(&name, settings)) {
                    documents.insert(name, text);
                }
            }
        }
        Ok(documents)
    }

    /// Writes what differs from what is there, and the index of it.
    fn write_documents(&self, settings: &ConsolidationSettings, now: &Documents, mut wanted: Documents) -> Result<()> {
        let place = format!("{}/{INDEX}", settings.knowledge_folder);
        let files = self.paths.files();
        let known = files.read_text(&self.paths.root.join(&place), limits::DOCUMENT_BYTES)?;
        wanted.extend(known.clone().map(|text| (place.clone(), text)));
        let made = index(&settings.knowledge_folder, &wanted);
        wanted.insert(place.clone(), made);
        let is_new = |path: &String, text: &String| if *path == place { known.as_ref() != Some(text) } else { now.get(path) != Some(text) };
        for (path, text) in wanted.iter().filter(|(path, text)| is_new(path, text)) {
            files.write(&self.paths.root.join(path), text.as_bytes(), Readers::Anyone)?;
        }
        Ok(())
    }

    fn leave_learnings_file(&self, settings: &ConsolidationSettings, batch: &[Entry]) -> Result<()> {
        let keys: BTreeSet<String> = batch.iter().filter(|entry| entry.id.is_none()).map(|entry| entry.key.clone()).collect();
        let (place, files) = (self.paths.root.join(&settings.learnings_file), self.paths.files());
        let Some(text) = files.read_text(&place, limits::DOCUMENT_BYTES)?.filter(|_| !keys.is_empty()) else { return Ok(()) };
        let left = without_entries(&text, &keys);
        if left != text {
            files.write(&place, left.as_bytes(), Readers::Anyone)?;
        }
        Ok(())
    }
}

fn is_index(path: &str, settings: &ConsolidationSettings) -> bool {
    path.strip_prefix(settings.knowledge_folder.as_str()).is_some_and(|rest| rest.strip_prefix('/') == Some(INDEX))
}

/// Entries by their sources, each with its place.
fn landed(batch: &[Entry], places: &BTreeMap<String, KnowledgePlace>, settings: &ConsolidationSettings) -> Vec<Consolidating> {
    let mut of_source: BTreeMap<Option<&str>, Vec<(String, KnowledgePlace)>> = BTreeMap::new();
    for entry in batch {
        if let Some(place) = places.get(&entry.key) {
            of_source.entry(entry.id.as_ref().map(|_| entry.source.as_str())).or_default().push((entry.key.clone(), place.clone()));
        }
    }
    let source = |(feature, entries): (Option<&str>, Vec<(String, KnowledgePlace)>)| Consolidating {
        feature: feature.map(str::to_owned),
        source: feature.unwrap_or(&settings.learnings_file).to_owned(),
        entries,
    };
    of_source.into_iter().map(source).collect()
}
