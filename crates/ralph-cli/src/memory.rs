//! `ralph fact` and `ralph episode`: what is true, and what iterations did.

use crate::output::{Answered, Output, table, unbroken};
use crate::path::{absolute, absolute_name};
use clap::{Args, Subcommand};
use ralph_app::{App, ScanCause};
use ralph_core::memory::{CodeScan, EpisodeRow, FactRow, MemoryState, NewFact, OperationBehind, Withdrawal};
use ralph_core::text::{UnknownWord, counted};
use ralph_core::view::CommandError;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What to do with facts.
#[derive(Debug, Subcommand)]
pub enum FactCommand {
    /// State a fact. It replaces earlier statements about the same subject.
    Add {
        /// What it is about, such as 'test command'.
        subject: String,
        /// The fact.
        value: String,
        /// What kind of fact, in one word such as `test_command`.
        #[arg(long, default_value = ralph_core::memory::NOTE)]
        kind: String,
        /// The feature it holds for; by default, the project.
        #[arg(long)]
        feature: Option<String>,
        /// The file that says so, optionally with the line. The fact is withdrawn when they are gone.
        #[arg(long, value_name = "FILE[:LINE]")]
        file: Option<String>,
        /// How certain it is, from 0 to 1.
        #[arg(long, default_value_t = 1.0)]
        confidence: f64,
    },
    /// Facts, oldest first.
    List(ListArgs),
    /// Extract facts from manifests and code: dependencies, frameworks, endpoints, entry points, commands. Only changed files are read.
    Scan {
        /// Undo the newest scan that added facts: those are put away and stay so, and what it withdrew returns.
        #[arg(long)]
        undo: bool,
        /// Scan only this file.
        #[arg(long, conflicts_with = "undo")]
        file: Option<PathBuf>,
    },
    /// One fact.
    Show { id: String },
    /// Put it away: it is no longer recalled.
    Retire { id: String },
    /// Restore it; it replaces what has been stated about the same subject since.
    Restore { id: String },
}

/// What to do with episodes.
#[derive(Debug, Subcommand)]
pub enum EpisodeCommand {
    /// Episodes, oldest first.
    List(ListArgs),
    /// One episode.
    Show { id: String },
    /// Put it away: it is no longer recalled.
    Retire { id: String },
    /// Restore it.
    Restore { id: String },
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Those of this feature and of the project; all by default.
    #[arg(long)]
    feature: Option<String>,
    /// active, withdrawn or all.
    #[arg(long, default_value = "active")]
    state: StateFilter,
    /// Only those that came with a clone, a pull or a merge.
    #[arg(long)]
    outside: bool,
}

/// A state, or all of them.
#[derive(Debug, Clone, Copy)]
struct StateFilter(Option<MemoryState>);

impl std::str::FromStr for StateFilter {
    type Err = UnknownWord;
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        if word == "all" { Ok(StateFilter(None)) } else { word.parse().map(|state| StateFilter(Some(state))).map_err(UnknownWord::or_all) }
    }
}

impl ListArgs {
    fn lists(&self, state: MemoryState, outside: bool) -> bool {
        self.state.0.is_none_or(|wanted| wanted == state) && (outside || !self.outside)
    }
}

/// A record with its file and line. Its origin stays out: two clones with the same knowledge list the same.
#[derive(Serialize)]
struct Listed<'a, T> {
    #[serde(flatten)]
    record: &'a T,
    state: MemoryState,
}

/// Runs `ralph fact`.
pub fn fact(app: &App, command: FactCommand, output: Output) -> Answered {
    match command {
        FactCommand::Add { subject, value, kind, feature, file, confidence } => {
            let (file, line) = file.as_deref().map(place_of).transpose()?.unwrap_or_default();
            let new = NewFact { feature, kind: Some(kind), subject, value, confidence: Some(confidence), file, line };
            let stated = app.state_fact(&new)?;
            let words = |fact: Option<&FactRow>| fact.map_or_else(|| stated.id.clone(), fact_in_words);
            output.answer(&stated, || format!("{}: {}", stated.verdict, words(stated.fact.as_ref())));
        }
        FactCommand::List(args) => {
            let mut rows = app.list_facts(args.feature.as_deref())?;
            rows.retain(|row| args.lists(row.state, row.outside));
            let records: Vec<_> = rows.iter().map(|row| listed(&row.fact, row.state, &["feature", "file", "line"])).collect();
            let row = |row: &FactRow| {
                let FactRow { fact, state, .. } = row;
                let home = fact.feature.clone().unwrap_or_default();
                vec![fact.id.clone(), state.to_string(), fact.kind.clone(), home, format!("{}: {}", fact.subject, unbroken(&fact.value))]
            };
            output.answer(&records, || table(&rows.iter().map(row).collect::<Vec<_>>(), "no facts: `ralph fact add` states one"));
        }
        FactCommand::Scan { undo: true, .. } => {
            let scan = app.undo_code_scan()?;
            output.answer(&scan, || format!("{} put away, {} told again", counted(scan.withdrawn, "fact"), scan.returned));
        }
        FactCommand::Scan { file, .. } => {
            let file = file.map(|file| absolute(&file)).transpose()?;
            let scan = file.map_or_else(|| app.learn_from_code(), |file| app.learn_facts_of(&file, ScanCause::Settings))?;
            output.answer(&scan, || scan_in_words(&scan));
        }
        FactCommand::Show { id } => show_fact(app, &id, output)?,
        FactCommand::Retire { id } => {
            app.fact(&id)?;
            app.withdraw_memory(&id)?;
            show_fact(app, &id, output)?;
        }
        FactCommand::Restore { id } => {
            app.fact(&id)?;
            app.restore_memory(&id)?;
            show_fact(app, &id, output)?;
        }
    }
    Ok(())
}

/// Runs `ralph episode`.
pub fn episode(app: &App, command: EpisodeCommand, output: Output) -> Answered {
    match command {
        EpisodeCommand::List(args) => {
            let mut rows = app.list_episodes(args.feature.as_deref())?;
            rows.retain(|row| args.lists(row.state, row.outside));
            let records: Vec<_> = rows.iter().map(|row| listed(&row.episode, row.state, &["feature"])).collect();
            let row = |row: &EpisodeRow| {
                let EpisodeRow { episode, state, .. } = row;
                let home = episode.feature.clone().unwrap_or_default();
                vec![episode.id.clone(), state.to_string(), episode.lesson_type.to_string(), home, unbroken(&episode.lesson)]
            };
            output.answer(&records, || {
                table(&rows.iter().map(row).collect::<Vec<_>>(), "no episodes: a run tells one of each task that it brings to its end")
            });
        }
        EpisodeCommand::Show { id } => show_episode(app, &id, output)?,
        EpisodeCommand::Retire { id } => {
            app.episode(&id)?;
            app.withdraw_memory(&id)?;
            show_episode(app, &id, output)?;
        }
        EpisodeCommand::Restore { id } => {
            app.episode(&id)?;
            app.restore_memory(&id)?;
            show_episode(app, &id, output)?;
        }
    }
    Ok(())
}

/// The file and the line that `FILE[:LINE]` names; relative paths are meant from where the command works. A file with exactly that name
/// takes precedence over a line of another.
fn place_of(place: &str) -> Result<(Option<String>, Option<u32>), CommandError> {
    let split = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let (file, line) = match split {
        Some((file, line)) if !file.is_empty() && !Path::new(place).exists() => (file, Some(line)),
        _ => (place, None),
    };
    Ok((Some(absolute_name(Path::new(file))?), line))
}

/// A record as it is listed: absent fields are null, so that every row has them.
fn listed<T: Serialize>(record: &T, state: MemoryState, always: &[&str]) -> serde_json::Value {
    let mut listed = serde_json::json!(Listed { record, state });
    if let Some(fields) = listed.as_object_mut() {
        for key in always {
            fields.entry(*key).or_insert(serde_json::Value::Null);
        }
    }
    listed
}

fn scan_in_words(scan: &CodeScan) -> String {
    if !scan.enabled {
        let how = "enabled = true and track_code_changes = true in [automatic_learning] of .ralph/config.toml";
        return format!("facts are not learnt from code here: set {how}");
    }
    let CodeScan { files, read, facts, added, updated, returned, withdrawn, left, cut, .. } = scan;
    let mut words = format!(
        "{}, {read} of them read: {}, {added} added, {updated} updated, {returned} told again, {withdrawn} withdrawn",
        counted(files, "file"),
        counted(facts, "fact")
    );
    if *left > 0 {
        words += &format!("; {left} left away, since a person said otherwise");
    }
    if *cut > 0 {
        words += &format!("; {cut} above the bound of {} left away", ralph_core::limits::CODE_FACTS);
    }
    scan.skipped.iter().fold(words, |words, file| format!("{words}\npassed over: {}: {}", unbroken(&file.path), file.reason))
}

fn show_fact(app: &App, id: &str, output: Output) -> Answered {
    let row = app.fact(id)?;
    output.answer(&row, || fact_in_words(&row));
    Ok(())
}

fn fact_in_words(row: &FactRow) -> String {
    let FactRow { fact, state, outside, .. } = row;
    let place = match (&fact.file, fact.line) {
        (Some(file), Some(line)) => format!("\nsaid by {file}:{line}"),
        (Some(file), None) => format!("\nsaid by {file}"),
        _ => String::new(),
    };
    let home = fact.feature.as_deref().unwrap_or("the project");
    let origin = if *outside { ", from outside" } else { "" };
    let sure = fact.confidence * 100.0;
    format!(
        "{} ({state}, {} of {home}, by {}{origin}, {sure:.0} % sure)\n{}: {}{place}{}",
        fact.id,
        fact.kind,
        fact.source,
        fact.subject,
        fact.value,
        why(fact.withdrawn.as_ref())
    )
}

/// An episode with the tool calls that it was learnt from.
#[derive(Serialize)]
struct EpisodeShown<'a> {
    #[serde(flatten)]
    row: &'a EpisodeRow,
    operations: Vec<OperationBehind>,
}

fn show_episode(app: &App, id: &str, output: Output) -> Answered {
    let row = app.episode(id)?;
    let shown = EpisodeShown { row: &row, operations: app.operations_behind(id)? };
    output.answer(&shown, || {
        let EpisodeRow { episode, state, outside, .. } = &row;
        let home = episode.feature.as_deref().unwrap_or("the project");
        let origin = if *outside { ", from outside" } else { "" };
        let why = why(episode.withdrawn.as_ref());
        let call = |of: &OperationBehind| {
            let outcome = of.error.as_ref().map_or_else(|| "worked".to_owned(), |error| format!("failed: {}", unbroken(error)));
            vec![format!("  {}", of.at), of.tool.clone(), unbroken(&of.arguments), outcome]
        };
        let behind = match shown.operations.is_empty() {
            true => String::new(),
            false => format!("\nlearnt from\n{}", table(&shown.operations.iter().map(call).collect::<Vec<_>>(), "")),
        };
        let sure = episode.confidence * 100.0;
        format!("{} ({state}, {} of {home}{origin}, {sure:.0} % sure)\n{}{why}{behind}", episode.id, episode.lesson_type, episode.lesson)
    });
    Ok(())
}

/// Why something was withdrawn, as a line of its own.
fn why(withdrawn: Option<&Withdrawal>) -> String {
    let detail = |w: &Withdrawal| if w.detail.is_empty() { String::new() } else { format!(": {}", w.detail) };
    withdrawn.map_or_else(String::new, |w| format!("\nwithdrawn at {} ({}){}", w.at, w.because, detail(w)))
}
