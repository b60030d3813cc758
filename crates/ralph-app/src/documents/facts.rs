//! Facts and the files that state them: read when a fact is recorded, and checked with the documents. A fact whose file or line is gone is
//! withdrawn; it returns with them.

use super::find::{own_part, reason, within};
use super::read::stamp_of;
use crate::app::App;
use crate::code_facts::key;
use crate::error::{AppError, Result};
use crate::files::{FileFault, ProjectFiles};
use crate::knowledge::journal::file_name;
use crate::knowledge::projector::perform;
use crate::knowledge::slice::Needs;
use ralph_core::MemoryId;
use ralph_core::limits;
use ralph_core::memory::{Fact, FactSource, WithdrawalReason};
use ralph_core::text::{cut, plain_words};
use ralph_core::time::Timestamp;
use ralph_rag::clean::clean;
use ralph_rag::journal::journal_of;
use sqlite_db::table::SourcedFact;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::PoisonError;

/// Bytes that two forms of one word share: "test" and "tests", "512" and "512K".
const FAMILY: usize = 3;
/// Characters of a line that a refusal repeats.
const QUOTE_CHARS: usize = 80;
/// Characters of a path.
const PATH_CHARS: usize = 1_000;

/// Source of a fact.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Source {
    pub file: Option<String>,
    pub line: Option<u32>,
    pub quote: Option<String>,
}

/// State of a file that facts were read from.
enum SourceState {
    /// Unchanged since the last scan.
    Unchanged,
    /// Gone, or not allowed to be read, with the reason.
    Gone(String),
    /// Its length and modification time, and its text.
    There { stamp: String, text: String },
    /// It can't be inspected at the moment.
    Unknown,
}

/// Finding of a scan on one fact.
enum FactCheck {
    Gone(String),
    Back,
    At { stamp: String, line: Option<u32> },
}

/// Reads the place that a fact names: a file of the project, and optionally a line in it, which must say something of what is `held`
/// against it.
pub(crate) fn source_of(files: ProjectFiles<'_>, root: &Path, file: Option<&str>, line: Option<u32>, held: Option<&str>) -> Result<Source> {
    let Some(file) = file else {
        return match line {
            None => Ok(Source::default()),
            Some(_) => Err(AppError::invalid("line", "stands without a file", "name the file that it is in")),
        };
    };
    let path = within(root, &root.join(file));
    let fault = |fault: String| AppError::invalid("file", format!("'{path}' can't be used: {fault}"), "name a plain file of the project");
    if let Some(own) = own_part(&path) {
        return Err(fault(own.to_owned()));
    }
    if clean(&path, PATH_CHARS).text != path {
        return Err(fault("its name is too long, or holds what is not kept".to_owned()));
    }
    let place = root.join(&path);
    let metadata = files.metadata(&place).map_err(|found| fault(reason(&found)))?;
    if metadata.is_none_or(|metadata| !metadata.is_file()) {
        return Err(fault("there is no such file".to_owned()));
    }
    let Some(number) = line else { return Ok(Source { file: Some(path), ..Source::default() }) };
    let text = files.read_text(&place, limits::DOCUMENT_BYTES).map_err(|found| fault(reason(&found)))?.unwrap_or_default();
    let quote = usize::try_from(number).ok().and_then(|n| text.lines().nth(n.checked_sub(1)?)).map(quote_of);
    match quote.filter(|quote| !quote.is_empty()) {
        Some(quote) if held.is_some_and(|stated| !says_of(&quote, stated)) => Err(AppError::invalid(
            "line",
            format!("line {number} of '{path}' says nothing of that, but: {}", cut(&quote, QUOTE_CHARS)),
            "name the line that says so, from 1, or the file alone",
        )),
        Some(quote) => Ok(Source { file: Some(path), line, quote: Some(quote) }),
        None => Err(AppError::invalid(
            "line",
            format!("line {number} of '{path}' is empty, or there is none"),
            "name the line that says so, from 1, or the file alone",
        )),
    }
}

/// Whether a line has a word of a statement, or a form of one. A statement with letters beyond ASCII is not judged: it may be in a script
/// without spaces between words.
fn says_of(line: &str, stated: &str) -> bool {
    let there: Vec<String> = plain_words(line).collect();
    let one_of = |one: &String, other: &String| {
        one == other || one.len().min(other.len()) >= FAMILY && (one.starts_with(other.as_str()) || other.starts_with(one.as_str()))
    };
    !stated.is_ascii() || plain_words(stated).any(|word| there.iter().any(|other| one_of(&word, other)))
}

/// Text of a line, as stored.
fn quote_of(line: &str) -> String {
    clean(line.trim(), limits::FACT_VALUE_CHARS).text
}

/// The current position of a line: the one closest to the previous.
fn line_of(text: &str, quote: &str, stood: u32) -> Option<u32> {
    let at = |is: &dyn Fn(&str) -> bool| {
        let lines = (1u32..).zip(text.lines()).filter(|(_, line)| is(line));
        lines.map(|(number, _)| number).min_by_key(|number| number.abs_diff(stood))
    };
    // Most lines are stored verbatim; cleaning every line is slow.
    at(&|line| line.trim() == quote).or_else(|| at(&|line| quote_of(line) == quote))
}

impl App {
    /// Checks whether the files of facts still state them.
    pub(super) fn look_at_facts(&self) -> Result<()> {
        let sourced = self.db.read(|r| r.sourced_facts())?;
        // Facts from code return only through a scan of the code: the line may exist and state something else.
        let may_return = |fact: &Fact| fact.source != FactSource::Code;
        let looked_at = |fact: &Fact| fact.withdrawn.as_ref().is_none_or(|w| w.because == WithdrawalReason::SourceGone && may_return(fact));
        let mut by_file: BTreeMap<&str, Vec<&SourcedFact>> = BTreeMap::new();
        for sourced in sourced.iter().filter(|sourced| looked_at(&sourced.fact)) {
            by_file.entry(sourced.fact.file.as_deref().unwrap_or_default()).or_default().push(sourced);
        }
        let now = self.clock.now();
        let mut found = Vec::new();
        for (file, facts) in by_file {
            let standing = standing(self.paths.files(), &self.paths.root, file, &facts, now);
            found.extend(facts.into_iter().flat_map(|sourced| found_of(sourced, file, &standing).into_iter().map(|f| (&sourced.fact, f))));
        }
        if found.is_empty() { Ok(()) } else { self.store_found(&found) }
    }

    /// Active facts whose files no longer state them, with what is gone. Nothing is stored.
    pub(crate) fn stale_facts(&self) -> Result<BTreeMap<MemoryId, String>> {
        let mut sourced = self.db.read(|r| r.sourced_facts())?;
        sourced.retain(|sourced| sourced.fact.withdrawn.is_none());
        let mut by_file: BTreeMap<&str, Vec<&SourcedFact>> = BTreeMap::new();
        for sourced in &sourced {
            by_file.entry(sourced.fact.file.as_deref().unwrap_or_default()).or_default().push(sourced);
        }
        let now = self.clock.now();
        let mut stale = BTreeMap::new();
        for (file, facts) in by_file {
            let standing = standing(self.paths.files(), &self.paths.root, file, &facts, now);
            for sourced in facts {
                let gone = found_of(sourced, file, &standing).into_iter().find_map(|found| match found {
                    FactCheck::Gone(what) => Some(what),
                    FactCheck::Back | FactCheck::At { .. } => None,
                });
                stale.extend(gone.map(|what| (sourced.fact.id.clone(), what)));
            }
        }
        Ok(stale)
    }

    /// Which part of a fact's source is gone, whatever state the fact is in; `None` if none is, or it has no source.
    pub(crate) fn missing_source(&self, id: &str) -> Result<Option<String>> {
        let Some(sourced) = self.db.read(|r| r.sourced_facts())?.into_iter().find(|sourced| sourced.fact.id == id) else { return Ok(None) };
        let fact = Fact { withdrawn: None, ..sourced.fact };
        let file = fact.file.clone().unwrap_or_default();
        // As if it had never been looked at.
        let sourced = SourcedFact { fact, stamp: String::new(), line_now: sourced.line_now };
        let standing = standing(self.paths.files(), &self.paths.root, &file, &[&sourced], self.clock.now());
        Ok(found_of(&sourced, &file, &standing).into_iter().find_map(|found| match found {
            FactCheck::Gone(what) => Some(what),
            FactCheck::Back | FactCheck::At { .. } => None,
        }))
    }

    fn store_found(&self, found: &[(&Fact, FactCheck)]) -> Result<()> {
        let rules = self.knowledge_rules()?;
        let gone = self.write(|tx| {
            let mut gone = Vec::new();
            for (fact, found) in found {
                let journal = journal_of(fact.feature.as_deref());
                if let (FactCheck::Gone(_) | FactCheck::Back, Some(fault)) = (found, tx.newer_journal(journal)?) {
                    tracing::warn!("fact {} stays as it is, since {} can't be written: {fault}", fact.id, file_name(journal));
                    continue;
                }
                let needs = Needs::default().and_memory(&fact.id);
                match found {
                    FactCheck::Gone(what) => {
                        perform(tx, rules, &needs, |draft| draft.withdraw(&fact.id, WithdrawalReason::SourceGone, what))?;
                        gone.push(key(fact));
                    }
                    FactCheck::Back => perform(tx, rules, &needs, |draft| draft.source_is_back(&fact.id))?,
                    FactCheck::At { stamp, line } => tx.set_fact_place(&fact.id, stamp, *line)?,
                }
            }
            Ok(gone)
        })?;
        self.sources_gone.lock().unwrap_or_else(PoisonError::into_inner).extend(gone);
        Ok(())
    }
}

/// State of a file; its text is read only if one of its facts has not been checked against this version.
fn standing(files: ProjectFiles<'_>, root: &Path, file: &str, facts: &[&SourcedFact], now: Timestamp) -> SourceState {
    let place = root.join(file);
    let fault = |fault: FileFault| match fault {
        FileFault::Io { .. } => SourceState::Unknown,
        other => SourceState::Gone(format!("{file}: {}", reason(&other))),
    };
    let metadata = match files.metadata(&place) {
        Ok(Some(metadata)) => metadata,
        Ok(None) => return SourceState::Gone(format!("{file} is gone")),
        Err(found) => return fault(found),
    };
    let stamp = stamp_of(&metadata, now);
    if !stamp.is_empty() && facts.iter().all(|sourced| sourced.stamp == stamp) {
        return SourceState::Unchanged;
    }
    if facts.iter().all(|sourced| sourced.fact.quote.is_none()) {
        return SourceState::There { stamp, text: String::new() };
    }
    match files.read_text(&place, limits::DOCUMENT_BYTES) {
        Ok(Some(text)) => SourceState::There { stamp, text },
        Ok(None) => SourceState::Gone(format!("{file} is gone")),
        Err(found) => fault(found),
    }
}

/// The finding on one fact of a file.
fn found_of(sourced: &SourcedFact, file: &str, standing: &SourceState) -> Vec<FactCheck> {
    let SourcedFact { fact, stamp: seen, line_now } = sourced;
    let active = fact.withdrawn.is_none();
    let (stamp, text) = match standing {
        SourceState::Unchanged | SourceState::Unknown => return Vec::new(),
        // The next scan checks again whether it is back.
        SourceState::Gone(_) if !active => return Vec::new(),
        SourceState::Gone(what) => return vec![FactCheck::Gone(what.clone()), FactCheck::At { stamp: String::new(), line: *line_now }],
        SourceState::There { stamp, text } => (stamp.clone(), text),
    };
    let line = match (&fact.quote, fact.line) {
        (Some(quote), Some(stood)) => match line_of(text, quote, line_now.unwrap_or(stood)) {
            Some(line) => Some(line).filter(|line| *line != stood),
            None => {
                let gone = active.then(|| FactCheck::Gone(format!("what stood in line {stood} of {file} is gone")));
                let place = (*seen != stamp).then_some(FactCheck::At { stamp, line: *line_now });
                return gone.into_iter().chain(place).collect();
            }
        },
        _ => None,
    };
    let back = (!active).then_some(FactCheck::Back);
    let place = (*seen != stamp || *line_now != line).then_some(FactCheck::At { stamp, line });
    back.into_iter().chain(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::running_by;
    use crate::clock::Clock;
    use crate::code_facts::ScanCause;
    use ralph_core::memory::NewFact;

    #[test]
    fn a_look_at_the_code_tells_of_facts_whose_files_are_gone() {
        let (_folder, app) = running_by(4_000_000, Clock::system());
        let file = app.paths.root.join("c.ini");
        std::fs::write(&file, "port = 1\n").expect("is written");
        std::fs::write(app.paths.root.join("app.py"), "").expect("is written");
        let (file_name, line) = (Some("c.ini".to_owned()), Some(1));
        let (subject, value) = ("port".to_owned(), "1".to_owned());
        let new = NewFact { feature: None, kind: None, subject, value, confidence: None, file: file_name, line };
        app.state_fact(&new).expect("is stated");
        std::fs::remove_file(&file).expect("is removed");
        app.look_at_facts().expect("looks");
        let told = || app.learn_facts_of(Path::new("app.py"), ScanCause::Asked).expect("looks").withdrawn;
        assert_eq!([told(), told()], [1, 0]);
    }

    #[test]
    fn a_line_is_known_again_where_it_went() {
        let text = "a\n  b = 1\nc\nb = 1\n";
        assert_eq!([line_of(text, "b = 1", 1), line_of(text, "b = 1", 5), line_of(text, "d", 1)], [Some(2), Some(4), None]);
    }
}
