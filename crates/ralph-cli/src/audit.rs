//! `ralph audit`.

use crate::output::{Answered, Output, table};
use clap::Args;
use ralph_app::{App, AuditFinding};
use ralph_core::audit::AuditClass;

#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Look for this alone.
    #[arg(long)]
    class: Option<AuditClass>,
    /// Take out what is found: database, journals, logs, prompts, exports and backups are rewritten.
    #[arg(long)]
    wash: bool,
}

/// Answers `ralph audit`.
pub fn audit(app: &App, args: &AuditArgs, output: Output) -> Answered {
    let audit = app.audit(args.class, args.wash)?;
    output.answer(&audit, || audit.0.iter().map(|(class, finding)| text(*class, finding)).collect::<Vec<_>>().join("\n"));
    Ok(())
}

fn text(class: AuditClass, finding: &AuditFinding) -> String {
    if finding.count == 0 {
        return format!("{class}: none found");
    }
    let rows: Vec<Vec<String>> = finding
        .places
        .iter()
        .map(|place| {
            let note = if place.yours { "your own file: change it by hand" } else { "" };
            vec![format!("  {}", place.count), place.place.clone(), note.to_owned()]
        })
        .collect();
    let done = if finding.washed { "taken out" } else { "`ralph audit --wash` takes them out" };
    format!("{class}: {} found, in {:.1} % of all texts; {done}\n{}", finding.count, 100.0 * finding.share, table(&rows, ""))
}
