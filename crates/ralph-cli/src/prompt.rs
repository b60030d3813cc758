//! `ralph prompt`: what the next iteration on a task would be told.

use crate::output::{Answered, Output, table};
use clap::Args;
use ralph_app::App;

#[derive(Debug, Args)]
pub struct PromptArgs {
    task: u32,
    /// Each section with its size and origin instead.
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
        table(&rows, "the prompt is empty")
    });
    Ok(())
}
