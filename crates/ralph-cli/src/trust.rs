//! `ralph trust`: what the project's folder brings along, and a person's yes to it.

use crate::output::{Answered, Output};
use clap::Args;
use ralph_app::{App, Clock, TrustAct};
use ralph_core::trust::{NOT_LOOKED_AT, TrustItem, TrustReport};
use ralph_core::visible::escaped;
use serde::Serialize;
use std::path::Path;

/// Without an option it shows.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct TrustArgs {
    /// Show what the folder brings along, and what of that is pending.
    #[arg(long)]
    show: bool,
    /// Agree to everything as it is now, on this machine.
    #[arg(long)]
    yes: bool,
    /// Put settings and rules back as they were when you agreed to them, and take lines that wait out of the journals.
    #[arg(long)]
    restore: bool,
}

impl TrustArgs {
    fn act(&self) -> TrustAct {
        match (self.yes, self.restore) {
            (true, _) => TrustAct::Agree,
            (_, true) => TrustAct::Restore,
            _ => TrustAct::Show,
        }
    }
}

/// Runs `ralph trust`.
pub fn trust(directory: &Path, args: &TrustArgs, output: Output) -> Answered {
    let report = App::trust_in(directory, args.act(), Clock::system())?;
    output.answer(&Shown { report: &report, not_looked_at: NOT_LOOKED_AT }, || text(&report));
    Ok(())
}

/// The report, and what it leaves out.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    report: &'a TrustReport,
    not_looked_at: &'static str,
}

fn text(report: &TrustReport) -> String {
    let waiting = report.items.iter().filter(|item| !item.agreed).count();
    let mut text: String = report.items.iter().map(of_item).collect();
    text += &match (report.items.len(), waiting) {
        (0, _) => "this folder brings nothing along that would be executed, obeyed or sent".to_owned(),
        (_, 0) => "you have agreed to all of this on this machine".to_owned(),
        (all, waiting) => format!(
            "{waiting} of {all} {} for your yes: `ralph trust --yes` agrees, `ralph trust --restore` puts settings and rules back as you \
             agreed to them, and takes lines that wait out of the journals",
            if waiting == 1 { "waits" } else { "wait" }
        ),
    };
    text + "\n" + NOT_LOOKED_AT
}

/// An item with its value, or with how that differs from what was agreed to. None of it may affect the terminal.
fn of_item(item: &TrustItem) -> String {
    let state = if item.agreed { "agreed" } else { "WAITS" };
    let shown = escaped(item.diff.as_deref().unwrap_or(&item.value));
    let lines: String = shown.lines().map(|line| format!("    {line}\n")).collect();
    format!("{}: {state}\n  {}\n{lines}\n", escaped(&item.name), item.effect)
}
