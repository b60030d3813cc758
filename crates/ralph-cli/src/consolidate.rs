//! `ralph consolidate` and `ralph learning ages`: what has proved itself, and what would become of it.

use crate::output::{Answered, Output, table, unbroken};
use clap::Args;
use ralph_app::App;
use ralph_core::consolidation::{
    AgeSummary, Consolidated, Consolidation, ConsolidationPreview, ConsolidationUndone, Entry, Fate, LearningAges,
};
use ralph_core::text::cut;

/// Characters of an entry in a list.
const SHOWN_CHARS: usize = 80;

/// What to consolidate.
#[derive(Debug, Args)]
pub struct ConsolidateArgs {
    /// Only the learnings of this feature.
    #[arg(long)]
    feature: Option<String>,
    /// Only look: nothing is written.
    #[arg(long)]
    dry_run: bool,
    /// Check the documents as they are now against the batch that was prepared, and consolidate what they hold.
    #[arg(long, conflicts_with_all = ["feature", "dry_run"])]
    land: bool,
    /// Every consolidation, the newest first.
    #[arg(long, conflicts_with_all = ["feature", "dry_run", "land"])]
    list: bool,
    /// Take a consolidation back: its learnings are active again as far as there is room.
    #[arg(long, value_name = "ID", conflicts_with_all = ["feature", "dry_run", "land", "list"])]
    undo: Option<String>,
}

/// Answers `ralph consolidate`.
pub fn consolidate(app: &App, args: &ConsolidateArgs, output: Output) -> Answered {
    let feature = args.feature.as_deref();
    if let Some(id) = &args.undo {
        let undone = app.undo_consolidation(id)?;
        output.answer(&undone, || undone_in_words(&undone));
    } else if args.list {
        let all = app.consolidations()?;
        output.answer(&all, || table(&all.iter().map(listed).collect::<Vec<_>>(), "nothing was consolidated yet"));
    } else if args.land {
        let done = app.land_consolidation()?;
        output.answer(&done, || landed_in_words(&done));
    } else {
        let preview = if args.dry_run { app.consolidation_preview(feature)? } else { app.prepare_consolidation(feature)? };
        output.answer(&preview, || preview_in_words(&preview, args.dry_run));
    }
    Ok(())
}

fn listed(of: &Consolidation) -> Vec<String> {
    let state = if of.undone.is_some() { "taken back" } else { "" };
    vec![
        of.act.clone(),
        of.day.to_string(),
        of.source.clone(),
        format!("{} entries", of.entries.len()),
        of.files.join(", "),
        state.to_owned(),
    ]
}

fn landed_in_words(done: &Consolidated) -> String {
    let mut lines = vec![format!("consolidated {} entries into {}", done.entries.len(), done.files.join(", "))];
    lines.extend(done.notes.iter().map(|note| format!("note: {note}")));
    lines.push(format!("take it back: ralph consolidate --undo {}", done.id));
    lines.join("\n")
}

fn undone_in_words(undone: &ConsolidationUndone) -> String {
    let ConsolidationUndone { restored, parked, files, .. } = undone;
    format!("{} learnings are active again, {} wait for room; their words stay in {}", restored.len(), parked.len(), files.join(", "))
}

fn preview_in_words(preview: &ConsolidationPreview, dry_run: bool) -> String {
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
    lines.push(format!("{} of {} entries would go", preview.batch.len(), preview.decisions.len()));
    lines.extend(preview.notes.iter().map(|note| format!("note: {note}")));
    if !dry_run && !preview.batch.is_empty() {
        lines.push(
            "prepared: say each in a document of the knowledge folder, its last line marked, then `ralph consolidate --land`:".to_owned(),
        );
        lines.extend(
            preview
                .batch
                .iter()
                .map(|entry| format!("<!-- ralph:{} -->  {}", entry.key, shown(entry.title.as_ref().unwrap_or(&entry.text)))),
        );
    }
    lines.join("\n")
}

/// Answers `ralph learning ages`.
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
    let oldest = oldest.map_or_else(|| "unknown".to_owned(), |days| format!("{days} active days"));
    let mut lines = vec![format!(
        "{entries} entries, {eligible} of them at least {fresh_days} active days old, {uncommitted} not committed; the oldest: {oldest}; {active_days} active days in all"
    )];
    lines.extend(notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}

fn shown(text: &str) -> String {
    cut(&unbroken(text), SHOWN_CHARS).to_owned()
}
