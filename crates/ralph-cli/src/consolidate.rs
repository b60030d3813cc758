//! `ralph consolidate` and `ralph learning ages`: which learnings have proved themselves, and what would become of them.

use crate::errand::ErrandAgentArgs;
use crate::output::{Answered, Output, table, unbroken};
use clap::Args;
use ralph_app::{App, StopHandle};
use ralph_core::consolidation::{
    AgeSummary, Consolidation, ConsolidationOrdered, ConsolidationPreview, Decision, Divergence, Entry, Fate, LearningAges, SourceTrigger,
    Trigger,
};
use ralph_core::text::{counted, cut};
use serde::Serialize;
use std::sync::Arc;

/// Characters of an entry in a list.
const SHOWN_CHARS: usize = 80;

/// What to consolidate.
#[derive(Debug, Args)]
pub struct ConsolidateArgs {
    /// Only the learnings of this feature.
    #[arg(long)]
    feature: Option<String>,
    /// Dry run: nothing is written, and no agent is started.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    by: ErrandAgentArgs,
    /// Leave out the entry with this key, such as one that made a proposal fail; may be given several times.
    #[arg(long, value_name = "KEY", conflicts_with = "dry_run")]
    except: Vec<String>,
    /// Every consolidation, the newest first.
    #[arg(long, conflicts_with_all = ["feature", "dry_run", "except"])]
    list: bool,
    /// Propose to undo a consolidation, given by its id or its errand.
    #[arg(long, value_name = "ID", conflicts_with_all = ["feature", "dry_run", "except", "list", "agent", "model", "script"])]
    undo: Option<String>,
}

/// What a consolidation did, and why.
#[derive(Serialize)]
struct Consolidated<'a> {
    #[serde(flatten)]
    ordered: &'a ConsolidationOrdered,
    trigger: &'a Trigger,
    batch: &'a [Entry],
    decisions: &'a [Decision],
}

/// Runs `ralph consolidate`.
pub async fn consolidate(app: &Arc<App>, args: &ConsolidateArgs, stop: &StopHandle, output: Output) -> Answered {
    let feature = args.feature.as_deref();
    if let Some(id) = &args.undo {
        let ordered = app.undo_consolidation(id, stop).await?;
        output.answer(&ordered, || ordered_in_words(&ordered));
    } else if args.list {
        let all = app.consolidations()?;
        output.answer(&all, || table(&all.iter().map(listed).collect::<Vec<_>>(), "nothing was consolidated yet"));
    } else if args.dry_run {
        let preview = app.consolidation_preview(feature)?;
        output.answer(&preview, || [vec![preview_in_words(&preview, "would go")], notes_in_words(&preview.notes)].concat().join("\n"));
    } else {
        let (preview, ordered) = app.consolidate(feature, &args.except, &(&args.by).into(), stop).await?;
        let ConsolidationPreview { trigger, batch, decisions, .. } = &preview;
        let told = Consolidated { ordered: &ordered, trigger, batch, decisions };
        output.answer(&told, || format!("{}\n{}", preview_in_words(&preview, "go"), ordered_in_words(&ordered)));
    }
    Ok(())
}

/// A source that is due, for people who work without the window.
pub fn due_in_words(source: &SourceTrigger) -> String {
    format!("{} can become documents, `ralph consolidate`: {}", unbroken(&source.source), source.why)
}

fn listed(of: &Consolidation) -> Vec<String> {
    let state = if of.undone.is_some() { "taken back" } else { "" };
    vec![of.act.clone(), of.day.to_string(), of.source.clone(), counted(of.entries.len(), "entry"), of.files.join(", "), state.to_owned()]
}

fn ordered_in_words(ordered: &ConsolidationOrdered) -> String {
    let mut lines = notes_in_words(&ordered.notes);
    lines.extend(ordered.divergences.iter().map(compared));
    lines.push(match (&ordered.review, ordered.merged) {
        (Some(_), true) => "merged: they are consolidated".to_owned(),
        (Some(name), false) => format!("waits for its review: ralph diff {name}, ralph merge {name}, ralph discard {name}"),
        (None, _) => "nothing is ready to go, so nobody was sent".to_owned(),
    });
    lines.join("\n")
}

fn compared(divergence: &Divergence) -> String {
    let Divergence { file, line, text, entry } = divergence;
    let learnt = if entry.is_empty() { String::new() } else { format!("\n  learnt: {}", unbroken(entry)) };
    format!("compare {file}:{line}: perhaps {}{learnt}", unbroken(text))
}

fn preview_in_words(preview: &ConsolidationPreview, go: &str) -> String {
    let mut lines: Vec<String> = preview.trigger.sources.iter().map(|source| format!("{}: {}", source.source, source.why)).collect();
    if lines.is_empty() {
        lines.push("there are no learnings yet".to_owned());
    }
    let rows: Vec<Vec<String>> = preview
        .decisions
        .iter()
        .filter(|decision| decision.decision != Fate::Young)
        .map(|d| vec![d.decision.to_string(), d.source.clone(), shown(d.title.as_ref().unwrap_or(&d.key)), d.reason.clone()])
        .collect();
    lines.push(String::new());
    lines.push(table(&rows, "no entry has proved itself yet"));
    lines.push(format!("{} of {} entries {go}", preview.batch.len(), preview.decisions.len()));
    lines.join("\n")
}

fn notes_in_words(notes: &[String]) -> Vec<String> {
    notes.iter().map(|note| format!("note: {note}")).collect()
}

/// Runs `ralph learning ages`.
pub fn ages(app: &App, feature: Option<&str>, summary: bool, output: Output) -> Answered {
    let ages = app.learning_ages(feature)?;
    output.answer(&ages, || {
        let counts = summary_in_words(&ages.summary);
        if summary { counts } else { format!("{}\n\n{counts}", entries_in_words(&ages)) }
    });
    Ok(())
}

fn entries_in_words(ages: &LearningAges) -> String {
    let row = |entry: &Entry| {
        let age = entry.age_active_days.map_or_else(|| "?".to_owned(), |age| age.to_string());
        let mark = if entry.eligible { "eligible" } else { "" };
        let warned = if entry.warnings.is_empty() { String::new() } else { format!(" (warning: {})", entry.warnings.join("; ")) };
        let place = entry.line.map_or_else(|| entry.source.clone(), |line| format!("{}:{line}", entry.source));
        vec![age, mark.to_owned(), place, shown(entry.title.as_ref().unwrap_or(&entry.text)), format!("{}{warned}", entry.reason)]
    };
    table(&ages.entries.iter().map(row).collect::<Vec<_>>(), "no entries")
}

fn summary_in_words(summary: &AgeSummary) -> String {
    let AgeSummary { active_days, fresh_days, entries, eligible, uncommitted, oldest, notes, .. } = summary;
    let oldest = oldest.map_or_else(|| "unknown".to_owned(), |days| counted(days, "active day"));
    let mut lines = vec![format!(
        "{}, {eligible} of them at least {fresh_days} active days old, {uncommitted} not committed; the oldest: {oldest}; {} in all",
        counted(*entries, "entry"),
        counted(*active_days, "active day")
    )];
    lines.extend(notes_in_words(notes));
    lines.join("\n")
}

fn shown(text: &str) -> String {
    cut(&unbroken(text), SHOWN_CHARS).to_owned()
}
