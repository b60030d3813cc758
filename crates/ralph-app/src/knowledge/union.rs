//! Union of journals and database by event id, so that neither side ever loses a line.
//!
//! Lines only in a file (another clone's) are imported as soon as the file is seen to have changed, except those that appeared during a
//! run ([`super::held`]). Lines only in the database (after a file was reset to an older state) are written back by a rebuild, which
//! a person requests.

use super::edited::{LineIds, other_lines, told, told_held_back};
use super::journal::{EXTENSION, file_name, parsed};
use super::lost_lines::note_missing;
use super::projector::perform_on;
use super::rules::Rules;
use super::slice::load_all;
use super::staged::land_files;
use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::ExpectedKind;
use crate::secrets::names as secret_names;
use ralph_core::authority::Act;
use ralph_core::count;
use ralph_core::feature::Feature;
use ralph_core::limits;
use ralph_rag::act::Draft;
use ralph_rag::clean::redact;
use ralph_rag::journal::{Event, Knowledge, Line, PROJECT_JOURNAL, SkippedLine, numbers_of, parse, replay, wash_line};
use serde::Serialize;
use sqlite_db::table::{EventLine, JournalFile};
use sqlite_db::{BackupReason, Tx, Writer};
use std::collections::{BTreeMap, BTreeSet};

/// Result of a rebuild.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// Features now.
    pub features: u32,
    /// Learnings now, in all states.
    pub learnings: u32,
    /// Episodes and facts now, in all states.
    pub memories: u32,
    /// Lines that only the journal files had.
    pub read_in: u32,
    /// Lines that the files had lost, or had in another form. None from a file that a newer Ralph wrote to.
    pub written_back: u32,
    /// Lines left in the files: they appeared during a run, and await the person's agreement.
    pub held: u32,
    /// Lines that can't be read, or whose id belongs to another line, left where they are.
    pub skipped: Vec<SkippedLine>,
    /// Features named by learnings, episodes or facts but without a journal record; created with just the name.
    pub nameless_features: Vec<String>,
}

/// Lines of the files that must not be imported.
pub(super) struct HeldLines {
    /// A run is in progress, or ended abnormally: all unknown lines.
    pub watching: bool,
    /// Those that appeared during earlier runs.
    pub ids: BTreeSet<String>,
}

/// Current content of one journal file.
pub(super) struct JournalOnDisk {
    pub feature: String,
    stamp: String,
    pub lines: Vec<Line>,
    pub skipped: Vec<SkippedLine>,
}

impl App {
    /// Merges journals and database and replays every line, in one commit, after a copy. Tasks and runs stay.
    pub fn rebuild(&self) -> Result<Rebuilt> {
        self.allowed(&Act::Rebuild)?;
        self.bring_together()
    }

    /// The work of a rebuild, also without a request: a new database needs it.
    pub(crate) fn bring_together(&self) -> Result<Rebuilt> {
        let rules = self.knowledge_rules()?;
        let mut writer = self.db.writer()?;
        // Lines left by a killed process belong to the journals.
        self.flush_journal(&mut writer)?;
        writer.backup(&self.paths.db, BackupReason::Rebuild)?;
        let files = self.read_files(&BTreeMap::new())?;
        let staged = self.read_staged(&BTreeMap::new())?;
        let merged = self.landable(&staged)?;
        let lost = lost_lines(&writer, &files)?;
        let mut others = other_lines(&writer.read().events()?, files.iter().map(lines_of));
        // A file that a newer Ralph wrote to is left as it is.
        let newer = |feature: &String| files.iter().any(|file| file.feature == *feature && file.skipped.iter().any(|line| line.newer));
        let (held_back, mut lost): (LineIds, LineIds) = lost.into_iter().partition(|(feature, _)| newer(feature));
        others.edited.retain(|feature, _| !newer(feature));
        for (feature, ids) in others.edited {
            self.take_out(&feature, &ids)?;
            lost.entry(feature).or_default().extend(ids);
        }
        let lost: Vec<String> = lost.into_values().flatten().collect();
        // A new database is empty: the files are all there is.
        let held = HeldLines { watching: self.trust.read()?.watching && writer.read().has_events()?, ids: writer.read().held_lines()? };
        let (read_in, nameless_features) = writer.transaction(|tx| {
            tx.mark_waiting(&lost)?;
            let read_in = take(tx, &files, &held)?;
            let nameless = apply_all(tx, rules)?;
            Ok::<_, AppError>((read_in + take_staged(tx, (&staged, &merged), &held, rules)?, nameless))
        })?;
        self.flush_journal(&mut writer)?;
        let held = count(self.waiting_lines()?.len());
        let known = load_all(&writer.read())?;
        Ok(Rebuilt {
            features: count(known.features.len()),
            learnings: count(known.learnings.len()),
            memories: count(known.episodes.len() + known.facts.len()),
            read_in,
            written_back: count(lost.len()),
            held,
            skipped: files
                .into_iter()
                .flat_map(|file| file.skipped)
                .chain(told(&others.clashing))
                .chain(told_held_back(&held_back))
                .collect(),
            nameless_features,
        })
    }

    /// Imports what others wrote into the journal files since they were last seen, such as by `git pull`. Cheap if nothing changed. Returns
    /// the number of new lines; none while somebody else is writing.
    pub fn pull_journals(&self) -> Result<u32> {
        if !self.journals_changed()? {
            return Ok(0);
        }
        // A reader waits for no writer: the next check finds the same.
        let Some(mut writer) = self.db.try_writer()? else { return Ok(0) };
        self.pull_with(&mut writer)
    }

    /// The same while holding the write lock.
    pub(super) fn pull_with(&self, writer: &mut Writer<'_>) -> Result<u32> {
        let held = self.held()?;
        if held.watching {
            return Ok(0);
        }
        let rules = self.knowledge_rules()?;
        self.flush_journal(writer)?;
        let seen = writer.read().journal_files()?.into_iter().map(|file| (file.feature, file.stamp)).collect();
        let files = self.read_files(&seen)?;
        let staged = self.read_staged(&seen)?;
        let merged = self.landable(&staged)?;
        let read_in = writer.transaction(|tx| {
            let read_in = take(tx, &files, &held)?;
            if read_in > 0 {
                apply_all(tx, rules)?;
            }
            Ok::<_, AppError>(read_in + take_staged(tx, (&staged, &merged), &held, rules)?)
        })?;
        self.flush_journal(writer)?;
        Ok(read_in)
    }

    /// The lines held for the person.
    pub(super) fn held(&self) -> Result<HeldLines> {
        Ok(HeldLines { watching: self.trust.read()?.watching, ids: self.db.read(|r| r.held_lines())? })
    }

    /// The same in the background: an error is logged, and existing data stays.
    pub(crate) fn pull_or_warn(&self) {
        if let Err(error) = self.pull_journals().and_then(|_| self.find_lost_lines(false)) {
            tracing::warn!("the journals could not be looked at: {error}");
        }
    }

    pub(super) fn journals_changed(&self) -> Result<bool> {
        let seen: BTreeMap<String, String> =
            self.db.read(|r| r.journal_files())?.into_iter().map(|file| (file.feature, file.stamp)).collect();
        for feature in self.journal_features()?.into_iter().chain(self.staged_names()?) {
            if Some(&self.stamp_or_fault(&feature)?) != seen.get(&feature) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The stamp of a journal, or why it must not be read.
    fn stamp_or_fault(&self, feature: &str) -> Result<String> {
        match self.journal_stamp(feature) {
            Err(AppError::File(fault)) => Ok(fault.to_string()),
            stamp => Ok(stamp?.unwrap_or_default()),
        }
    }

    /// The features with a journal file.
    fn journal_features(&self) -> Result<Vec<String>> {
        let files = self.journal_files()?;
        let name = |path: &std::path::PathBuf| Some(path.file_name()?.to_str()?.strip_suffix(&format!(".{EXTENSION}"))?.to_owned());
        Ok(files.iter().filter_map(name).collect())
    }

    /// Reads the journal files that changed since last seen. One that must not be read (a pipe, a link, too long)
    /// is reported as skipped and does not block the others.
    pub(super) fn read_files(&self, seen: &BTreeMap<String, String>) -> Result<Vec<JournalOnDisk>> {
        self.read_named(self.journal_features()?, seen)
    }

    /// The same for branch files that are merged into the project's own checkout.
    pub(super) fn read_staged(&self, seen: &BTreeMap<String, String>) -> Result<Vec<JournalOnDisk>> {
        self.read_named(self.staged_names()?, seen)
    }

    fn read_named(&self, names: Vec<String>, seen: &BTreeMap<String, String>) -> Result<Vec<JournalOnDisk>> {
        let mut files = Vec::new();
        for feature in names {
            let stamp = self.stamp_or_fault(&feature)?;
            if seen.get(&feature) == Some(&stamp) {
                continue;
            }
            let name = redact(&file_name(&feature)).0;
            let (path, of_project) = (self.journal_path(&feature), self.paths.files());
            // Ralph does not write through links, and the target of one is not examined when a branch adds lines.
            let read = of_project.must_be(&path, ExpectedKind::File).and_then(|()| of_project.read(&path, limits::JOURNAL_BYTES));
            let (lines, mut skipped) = match read {
                Ok(Some(bytes)) => parse(&name, &bytes),
                Ok(None) => continue,
                Err(fault) => (
                    Vec::new(),
                    vec![SkippedLine { file: name.clone(), line: 0, fault: fault.to_string(), newer: false, secret_name: false }],
                ),
            };
            let (lines, refused) = self.without_secret_names(&name, lines)?;
            skipped.extend(refused);
            files.push(JournalOnDisk { feature, stamp, lines, skipped });
        }
        Ok(files)
    }

    /// The lines of such files that may be remembered now.
    fn landable<'f>(&self, files: &'f [JournalOnDisk]) -> Result<Vec<&'f Line>> {
        // A branch that is checked out in the project's folder itself is not merged.
        let here = self.repo.as_ref().and_then(|repo| repo.branch().ok().flatten());
        let merged = |line: &&Line| matches!(&line.event, Event::Staged { branch, .. } if Some(branch) != here.as_ref());
        Ok(files.iter().flat_map(|file| &file.lines).filter(merged).collect())
    }

    /// Skips unknown lines with a name that looks like a secret: cleaned, they would belong to no feature.
    fn without_secret_names(&self, file: &str, lines: Vec<Line>) -> Result<(Vec<Line>, Vec<SkippedLine>)> {
        let names: BTreeSet<&str> = lines.iter().flat_map(Line::names).collect();
        let secret: BTreeSet<String> = names.into_iter().filter(|name| secret_names::is_one(name)).map(str::to_owned).collect();
        if secret.is_empty() {
            return Ok((lines, Vec::new()));
        }
        let known: BTreeSet<String> = self.db.read(|r| r.events())?.into_iter().map(|event| event.id).collect();
        let fits = |line: &Line| known.contains(&line.id) || !line.names().iter().any(|name| secret.contains(*name));
        let (kept, left): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(fits);
        let fault = "the feature's name holds what looks like a secret";
        let told = |_| SkippedLine { file: file.to_owned(), line: 0, fault: fault.to_owned(), newer: false, secret_name: true };
        Ok((kept, left.iter().map(told).collect()))
    }
}

/// Lines that were flushed but are no longer in any file.
fn lost_lines(writer: &Writer<'_>, files: &[JournalOnDisk]) -> Result<LineIds> {
    let there: BTreeSet<&str> = files.iter().flat_map(|file| file.lines.iter().map(|line| line.id.as_str())).collect();
    let mut lost = LineIds::new();
    for event in writer.read().events()?.into_iter().filter(|event| !there.contains(event.id.as_str())) {
        lost.entry(event.feature).or_default().insert(event.id);
    }
    Ok(lost)
}

/// Imports the lines of files except held ones, and stores the files' state. Returns the number of new lines.
fn take(tx: &Tx<'_>, files: &[JournalOnDisk], held: &HeldLines) -> Result<u32> {
    if held.watching {
        // The state is not stored either: lines from the meantime are still to be read.
        return Ok(0);
    }
    let events = tx.events()?;
    // The content of a file that can't be read, or that a newer Ralph wrote to, is unknown.
    let read = files.iter().filter(|file| !file.skipped.iter().any(|line| line.newer || line.line == 0));
    note_missing(tx, &events, read.map(lines_of))?;
    let known: BTreeSet<&str> = events.iter().map(|event| event.id.as_str()).collect();
    let mut new = 0;
    for file in files {
        for line in file.lines.iter().filter(|line| !held.ids.contains(&line.id) && !known.contains(line.id.as_str())) {
            new += u32::from(take_line(tx, &file.feature, line)?);
        }
        let newer = file.skipped.iter().find(|skipped| skipped.newer).map(|skipped| format!("line {}: {}", skipped.line, skipped.fault));
        tx.set_journal_file(&JournalFile { feature: file.feature.clone(), stamp: file.stamp.clone(), newer })?;
    }
    Ok(new)
}

/// Remembers staged lessons of merged branches, and stores their files' state. A file with a line that must wait
/// is read again.
fn take_staged(tx: &Tx<'_>, (files, merged): (&[JournalOnDisk], &[&Line]), held: &HeldLines, rules: Rules) -> Result<u32> {
    if held.watching {
        return Ok(0);
    }
    let landed = land_files(tx, merged, &held.ids, rules)?;
    let known = tx.landed()?;
    for file in files.iter().filter(|file| file.lines.iter().all(|line| known.contains(&line.id))) {
        tx.set_journal_file(&JournalFile { feature: file.feature.clone(), stamp: file.stamp.clone(), newer: None })?;
    }
    Ok(landed)
}

/// Imports an unknown line; returns whether it was new. It is cleaned whatever origin it claims:
/// lines written here are known here, and a replica's id can be copied.
pub(super) fn take_line(tx: &Tx<'_>, feature: &str, line: &Line) -> Result<bool> {
    let mut event = wash_line(line.event.clone());
    if let Event::Feature { feature: told, changed: None } = &mut event
        && let Some(known) = tx.feature(&told.name)?
        && told.has_the_words_of(&known)
    {
        // Words that are recorded here as a person's stay theirs: a database older than the table of events finds its own lines here.
        told.author = known.author;
    }
    let washed = Line { event, ..line.clone() };
    Ok(tx.take_event(&EventLine { id: line.id.clone(), feature: feature.to_owned(), line: washed.to_json() })?)
}

/// Replays every known line, stores the difference, and settles the consequences. Rows without a line get one: they are
/// older than the events. Returns the features that were created only for their learnings.
pub(super) fn apply_all(tx: &Tx<'_>, rules: Rules) -> Result<Vec<String>> {
    let lines: Vec<Line> = tx.events()?.iter().filter_map(parsed).collect();
    let known = replay(lines.iter().cloned());
    // A restored copy may be older than the lines: the task that they name differs from the next one made here.
    let (task, iteration) = numbers_of(&tx.own()?.replica, &known, lines.iter());
    tx.number_tasks_above(task)?;
    tx.number_iterations_above(iteration)?;
    let stored = load_all(tx)?;
    let of_learnings = known.learnings.values().map(|l| (&l.feature, l.created));
    let of_episodes = known.episodes.values().filter_map(|e| Some((e.feature.as_ref()?, e.created)));
    let of_facts = known.facts.values().filter_map(|fact| Some((fact.feature.as_ref()?, fact.created)));
    let nameless: BTreeMap<String, Feature> = of_learnings
        .chain(of_episodes)
        .chain(of_facts)
        .filter(|(name, _)| known.feature(name).is_none() && stored.feature(name).is_none())
        .map(|(name, created)| (name.clone(), Feature::new(name, created)))
        .collect();
    let names = nameless.keys().cloned().collect();
    let untold = untold(&stored, &known);
    // A journal with lines of a newer Ralph is not added to.
    let newer: BTreeSet<String> = tx.journal_files()?.into_iter().filter(|file| file.newer.is_some()).map(|file| file.feature).collect();
    let open = |feature: &str| !newer.contains(feature);
    perform_on(tx, rules, (&stored, known), None, |draft: &mut Draft<'_>| {
        untold.features.values().chain(nameless.values()).filter(|f| open(&f.name)).for_each(|feature| draft.set_feature(feature));
        for learning in untold.learnings.values().filter(|l| open(&l.feature)) {
            draft.adopt(learning, stored.gates.get(&learning.id).map(|gate| gate.mark.clone()));
        }
        draft.hand_observations_on(open);
        let features = draft.known().features.values().map(|f| f.name.clone());
        let features: Vec<String> = features.chain([PROJECT_JOURNAL.to_owned()]).collect();
        features.iter().filter(|name| open(name)).for_each(|name| draft.settle_feature(name));
        Ok(())
    })?;
    for feature in tx.features()? {
        super::split_task::maybe_create_split_task(tx, &feature.name, rules)?;
    }
    Ok(names)
}

/// Stored features and learnings without a line.
fn untold(stored: &Knowledge, known: &Knowledge) -> Knowledge {
    let features = stored.features.iter().filter(|(key, _)| !known.features.contains_key(*key));
    let learnings = stored.learnings.iter().filter(|(id, _)| !known.learnings.contains_key(*id));
    Knowledge {
        features: features.map(|(key, feature)| (key.clone(), feature.clone())).collect(),
        learnings: learnings.map(|(id, learning)| (id.clone(), learning.clone())).collect(),
        ..Knowledge::default()
    }
}

pub(super) fn lines_of(file: &JournalOnDisk) -> (&str, &[Line]) {
    (&file.feature, &file.lines)
}
