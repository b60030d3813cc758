//! Journals and database brought together: the union of their lines by event id, so that neither side ever loses one.
//!
//! What only a file has (another clone's lines) is read in as soon as the file is seen to have changed, but for what came while a run was
//! at work ([`super::held`]). What only the database has (after a file was put back to an older state) is written back by a rebuild, which
//! a person asks for.

use super::journal::{EXTENSION, file_name, parsed};
use super::projector::perform_on;
use super::rules::Rules;
use super::slice::load_all;
use super::staged::land_files;
use crate::App;
use crate::error::{AppError, Result};
use crate::secret_names;
use ralph_core::authority::Act;
use ralph_core::feature::Feature;
use ralph_core::limits;
use ralph_rag::act::Draft;
use ralph_rag::clean::redact;
use ralph_rag::journal::{Event, Knowledge, Line, PROJECT_JOURNAL, SkippedLine, parse, replay, wash_line};
use serde::Serialize;
use sqlite_db::table::{EventLine, JournalFile};
use sqlite_db::{BackupReason, Tx, Writer};
use std::collections::{BTreeMap, BTreeSet};

/// What a rebuild did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// Features that are known now.
    pub features: u32,
    /// Learnings that are known now, in all states.
    pub learnings: u32,
    /// Episodes and facts that are known now, in all states.
    pub memories: u32,
    /// Lines that only the journal files had.
    pub read_in: u32,
    /// Lines that the files had lost.
    pub written_back: u32,
    /// Lines that were left in the files: they came while a run was at work, and wait for the person's yes.
    pub held: u32,
    /// Lines that could not be read; each was left where it is.
    pub skipped: Vec<SkippedLine>,
    /// Features of which no journal tells and that learnings, episodes or facts name; one with just that name was made for them.
    pub nameless_features: Vec<String>,
}

/// How files and database differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JournalDifference {
    /// Lines that the database knows and that are in no file.
    pub only_in_database: u32,
    /// Lines that are in a file and that the database does not know.
    pub only_in_files: u32,
    /// Lines that wait for the person's yes; they are in a file, and the database does not know them.
    pub held: u32,
    /// Lines that could not be read.
    pub skipped: Vec<SkippedLine>,
    /// All lines that are known on either side.
    pub lines: u32,
    /// Rows that are not what the lines tell, each in a few words.
    pub rows: Vec<String>,
}

/// Which lines of the files may not be taken over.
pub(super) struct HeldLines {
    /// A run is at work, or ended without a word: whatever the database does not know yet.
    pub watching: bool,
    /// Those that came during earlier runs.
    pub ids: BTreeSet<String>,
}

/// One journal file as it is now.
pub(super) struct JournalOnDisk {
    pub feature: String,
    stamp: String,
    pub lines: Vec<Line>,
    skipped: Vec<SkippedLine>,
}

impl App {
    /// Brings journals and database together and applies every line anew, in one commit, after a copy. Tasks and runs stay.
    pub fn rebuild(&self) -> Result<Rebuilt> {
        self.allowed(&Act::Rebuild)?;
        self.bring_together()
    }

    /// What a rebuild does, also where nobody asks for it: a new database needs it.
    pub(crate) fn bring_together(&self) -> Result<Rebuilt> {
        let rules = self.knowledge_rules()?;
        let mut writer = self.db.writer()?;
        // Lines that a killed process left belong to the journals.
        self.flush_journal(&mut writer)?;
        writer.backup(&self.paths.db, BackupReason::Rebuild)?;
        let files = self.read_files(&BTreeMap::new())?;
        let staged = self.read_staged(&BTreeMap::new())?;
        let merged = self.landable(&staged)?;
        let lost = lost_lines(&writer, &files)?;
        // A new database knows nothing: what stands in the files is all that there is.
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
            skipped: files.into_iter().flat_map(|file| file.skipped).collect(),
            nameless_features,
        })
    }

    /// Reads in what others wrote into the journal files since they were seen last, such as by `git pull`. Cheap when nothing changed.
    /// Answers how many lines were new; none while somebody else writes.
    pub fn pull_journals(&self) -> Result<u32> {
        if !self.journals_changed()? {
            return Ok(0);
        }
        // Whoever only looks waits for no writer: the next look finds the same.
        let Some(mut writer) = self.db.try_writer()? else { return Ok(0) };
        self.pull_with(&mut writer)
    }

    /// The same with the right to write.
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

    /// Which lines wait for the person.
    pub(super) fn held(&self) -> Result<HeldLines> {
        Ok(HeldLines { watching: self.trust.read()?.watching, ids: self.db.read(|r| r.held_lines())? })
    }

    /// The same where it is not asked for: a fault is told, and what is known already goes on.
    pub(crate) fn pull_or_warn(&self) {
        if let Err(error) = self.pull_journals() {
            tracing::warn!("the journals could not be looked at: {error}");
        }
    }

    /// How journal files and database differ; nothing changes. Whoever writes meanwhile makes no difference: a line is committed before it is
    /// written, and counts as written after it is in its file. So what the database knew *before* the files were read must be in them, and
    /// what is in them must be known *after*.
    pub fn journal_difference(&self) -> Result<JournalDifference> {
        let (events, waiting, stored) = self.db.read(|r| Ok::<_, AppError>((r.events()?, r.waiting_events()?, load_all(r)?)))?;
        let files = self.read_files(&BTreeMap::new())?;
        let held = count(self.waiting_lines()?.len());
        let ids = |events: &[EventLine]| events.iter().map(|event| event.id.clone()).collect::<BTreeSet<_>>();
        let (before, after, waiting) = (ids(&events), ids(&self.db.read(|r| r.events())?), ids(&waiting));
        let in_files: BTreeSet<String> = files.iter().flat_map(|file| file.lines.iter().map(|line| line.id.clone())).collect();
        Ok(JournalDifference {
            only_in_database: count(before.difference(&in_files).filter(|id| !waiting.contains(*id)).count()),
            only_in_files: count(in_files.difference(&after).count()).saturating_sub(held),
            held,
            lines: count(in_files.union(&before).count()),
            rows: differing_rows(&replay(events.iter().filter_map(parsed)), &stored),
            skipped: files.into_iter().flat_map(|file| file.skipped).collect(),
        })
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

    /// The stamp of a journal; of one that may not be read, why.
    fn stamp_or_fault(&self, feature: &str) -> Result<String> {
        match self.journal_stamp(feature) {
            Err(AppError::File(fault)) => Ok(fault.to_string()),
            stamp => Ok(stamp?.unwrap_or_default()),
        }
    }

    /// The features that have a journal file.
    fn journal_features(&self) -> Result<Vec<String>> {
        let files = self.journal_files()?;
        let name = |path: &std::path::PathBuf| Some(path.file_name()?.to_str()?.strip_suffix(&format!(".{EXTENSION}"))?.to_owned());
        Ok(files.iter().filter_map(name).collect())
    }

    /// Reads the journal files that differ from how they were seen. One that may not be read (a pipe, a link out of the project, too long)
    /// is told as skipped and keeps nobody from the others.
    pub(super) fn read_files(&self, seen: &BTreeMap<String, String>) -> Result<Vec<JournalOnDisk>> {
        self.read_named(self.journal_features()?, seen)
    }

    /// The same of the files of branches that are merged into the project's own checkout.
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
            let (lines, mut skipped) = match self.paths.files().read(&self.journal_path(&feature), limits::JOURNAL_BYTES) {
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

    /// The lines of such files that may pass the door now.
    fn landable<'f>(&self, files: &'f [JournalOnDisk]) -> Result<Vec<&'f Line>> {
        // Whoever has the branch itself checked out in the project's folder has not merged it.
        let here = self.repo.as_ref().and_then(|repo| repo.branch().ok().flatten());
        let merged = |line: &&Line| matches!(&line.event, Event::Staged { branch, .. } if Some(branch) != here.as_ref());
        Ok(files.iter().flat_map(|file| &file.lines).filter(merged).collect())
    }

    /// Leaves out the lines that this database does not know and that hold a name like a secret: washed, they would tell of no feature.
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

/// Rows that are not what the lines tell, each in a few words.
fn differing_rows(told: &Knowledge, stored: &Knowledge) -> Vec<String> {
    let features = told.features.keys().chain(stored.features.keys()).collect::<BTreeSet<_>>().into_iter();
    let features = features.filter(|key| told.features.get(*key) != stored.features.get(*key)).map(|key| format!("feature {key}"));
    let learnings = told.learnings.keys().chain(stored.learnings.keys()).collect::<BTreeSet<_>>().into_iter();
    let learnings = learnings.filter(|id| told.learnings.get(*id) != stored.learnings.get(*id)).map(|id| format!("learning {id}"));
    let parts = [
        ("episodes", told.episodes == stored.episodes),
        ("facts", told.facts == stored.facts),
        ("observations", told.observations == stored.observations),
        ("open conflicts", told.open_conflicts == stored.open_conflicts),
        ("the gate's verdicts", told.gates == stored.gates),
        ("comparisons by vectors", told.reconciled == stored.reconciled),
        ("pairs kept apart", told.kept_apart == stored.kept_apart),
        ("what landed", told.landed == stored.landed),
        ("feedback", told.feedback == stored.feedback),
        ("what was put away", told.put_away == stored.put_away),
    ];
    let parts = parts.into_iter().filter(|(_, same)| !same).map(|(name, _)| name.to_owned());
    features.chain(learnings).chain(parts).collect()
}

/// Lines that were flushed once and are in no file any more.
fn lost_lines(writer: &Writer<'_>, files: &[JournalOnDisk]) -> Result<Vec<String>> {
    let there: BTreeSet<&str> = files.iter().flat_map(|file| file.lines.iter().map(|line| line.id.as_str())).collect();
    let events = writer.read().events()?;
    Ok(events.into_iter().filter(|event| !there.contains(event.id.as_str())).map(|event| event.id).collect())
}

/// Takes the lines of files over but for those that are held, and remembers the files as they are. Answers how many were new.
fn take(tx: &Tx<'_>, files: &[JournalOnDisk], held: &HeldLines) -> Result<u32> {
    if held.watching {
        // Not remembered either: what came meanwhile is still to be looked at.
        return Ok(0);
    }
    let known: BTreeSet<String> = tx.events()?.into_iter().map(|event| event.id).collect();
    let mut new = 0;
    for file in files {
        for line in file.lines.iter().filter(|line| !held.ids.contains(&line.id) && !known.contains(&line.id)) {
            new += u32::from(take_line(tx, &file.feature, line)?);
        }
        let newer = file.skipped.iter().find(|skipped| skipped.newer).map(|skipped| format!("line {}: {}", skipped.line, skipped.fault));
        tx.set_journal_file(&JournalFile { feature: file.feature.clone(), stamp: file.stamp.clone(), newer })?;
    }
    Ok(new)
}

/// Lets what was learnt on merged branches through the door, and remembers their files as they are. A file of which something must wait
/// is looked at again.
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

/// Takes over a line that this database does not know; whether it was new. It passes the wash of the door whatever it says of its origin:
/// what was written here is known here, and a replica's id can be copied.
pub(super) fn take_line(tx: &Tx<'_>, feature: &str, line: &Line) -> Result<bool> {
    let washed = Line { event: wash_line(line.event.clone()), ..line.clone() };
    Ok(tx.take_event(&EventLine { id: line.id.clone(), feature: feature.to_owned(), line: washed.to_json() })?)
}

/// Applies every line that is known, stores the difference, and settles what follows. Rows of which no line tells get one: they are
/// older than the events. Answers the features that were made for learnings alone.
pub(super) fn apply_all(tx: &Tx<'_>, rules: Rules) -> Result<Vec<String>> {
    let known = replay(tx.events()?.iter().filter_map(parsed));
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
    // Nothing is added to a journal that a newer Ralph has written to.
    let newer: BTreeSet<String> = tx.journal_files()?.into_iter().filter(|file| file.newer.is_some()).map(|file| file.feature).collect();
    let open = |feature: &str| !newer.contains(feature);
    perform_on(tx, rules, &stored, known, |draft: &mut Draft<'_>| {
        untold.features.values().chain(nameless.values()).filter(|f| open(&f.name)).for_each(|feature| draft.set_feature(feature));
        for learning in untold.learnings.values().filter(|l| open(&l.feature)) {
            draft.adopt(learning, stored.gates.get(&learning.id).map(|gate| gate.mark.clone()));
        }
        let features = draft.known().features.values().map(|f| f.name.clone());
        let features: Vec<String> = features.chain([PROJECT_JOURNAL.to_owned()]).collect();
        features.iter().filter(|name| open(name)).for_each(|name| draft.settle_feature(name));
        Ok(())
    })?;
    for feature in tx.features()? {
        super::split_task::follow(tx, &feature.name, rules)?;
    }
    Ok(names)
}

/// Features and learnings that are stored and of which no line tells.
fn untold(stored: &Knowledge, known: &Knowledge) -> Knowledge {
    let features = stored.features.iter().filter(|(key, _)| !known.features.contains_key(*key));
    let learnings = stored.learnings.iter().filter(|(id, _)| !known.learnings.contains_key(*id));
    Knowledge {
        features: features.map(|(key, feature)| (key.clone(), feature.clone())).collect(),
        learnings: learnings.map(|(id, learning)| (id.clone(), learning.clone())).collect(),
        ..Knowledge::default()
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
