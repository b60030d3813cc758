//! `ralph prompt`: what the next iteration on a task would be told.

use crate::number;
use crate::output::{Answered, Output, table};
use clap::Args;
use ralph_app::App;
use ralph_core::recall::ToldMemory;

#[derive(Debug, Args)]
pub struct PromptArgs {
    #[arg(value_parser = number::task)]
    task: u32,
    /// Each section with its size and origin, and each memory with how it was found, instead.
    #[arg(long)]
    explain: bool,
}

/// The exact prompt that the next iteration on a task would get; with `explain` its sections.
pub fn prompt(app: &App, args: &PromptArgs, output: Output) -> Answered {
    let prompt = app.next_prompt(args.task)?;
    output.answer(&prompt, || {
        if !args.explain {
            return prompt.text.trim_end().to_owned();
        }
        let rows: Vec<Vec<String>> =
            prompt.sections.iter().map(|s| vec![s.name.clone(), format!("{} characters", s.chars), s.origin.clone()]).collect();
        let told = prompt.told.iter().chain(&prompt.withheld).map(told_in_words);
        std::iter::once(table(&rows, "the prompt is empty")).chain(told).collect::<Vec<_>>().join("\n")
    });
    Ok(())
}

fn told_in_words(told: &ToldMemory) -> String {
    if told.channels.is_empty() {
        return format!("  {} {}: not found, told for its feature", told.kind, told.id);
    }
    let by = told.channels.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    format!("  {} {}: found as #{} by {by}", told.kind, told.id, told.rank)
}
