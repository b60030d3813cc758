//! `ralph restore`: restoring a missing or damaged project.

use crate::output::{Answered, Output};
use clap::Args;
use ralph_app::{App, Clock, local_minute};
use ralph_core::restoration::Restoration;
use ralph_core::text::counted;
use ralph_core::view::CommandError;
use serde::Serialize;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// Use this copy instead of the newest sound one.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Ask nothing, even if a working database is replaced; that one is kept aside.
    #[arg(long)]
    yes: bool,
    /// Only show what would be restored, and what would be missing.
    #[arg(long, conflicts_with = "yes")]
    show: bool,
}

#[derive(Serialize)]
struct Restored {
    #[serde(flatten)]
    restoration: Restoration,
    restored: bool,
}

/// Runs `ralph restore`: says what will be lost, asks a person at a terminal, and restores. Elsewhere nobody can be asked: what is already
/// lost is restored at once, and a working database is replaced only with `--yes`.
pub fn restore(directory: &Path, args: &RestoreArgs, output: Output) -> Answered {
    let restoration = App::restoration(directory, args.from.as_deref())?;
    if args.show {
        let text = told(&restoration);
        output.answer(&Restored { restoration, restored: false }, || text);
        return Ok(());
    }
    let asks = !args.yes && !output.json && std::io::stdin().is_terminal();
    if asks && !agreed(&restoration) {
        output.answer(&Restored { restoration, restored: false }, || "nothing was changed".to_owned());
        return Ok(());
    }
    if restoration.replaces && !args.yes && !asks {
        return Err(CommandError::new(
            "invalid",
            format!("a database that works stands in {}; in its place there would be:\n{}", restoration.path, told(&restoration)),
            "add --yes to replace it all the same; it is kept aside",
        ));
    }
    let restoration = App::restore(directory, args.from.as_deref(), Clock::system())?;
    let text = format!("restored\n{}", told(&restoration));
    output.answer(&Restored { restoration, restored: true }, || text);
    Ok(())
}

fn agreed(restoration: &Restoration) -> bool {
    let mut stderr = std::io::stderr();
    let _ = write!(stderr, "{}\nRestore? [y/N] ", told(restoration)).and_then(|()| stderr.flush());
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

fn told(restoration: &Restoration) -> String {
    let mut lines = vec![match (&restoration.from, &restoration.made) {
        (Some(from), Some(made)) => format!(
            "{} from {from} of {}: {}, {}, {}",
            restoration.path,
            local_minute(*made),
            counted(restoration.features, "feature"),
            counted(restoration.tasks, "task"),
            counted(restoration.learnings, "learning")
        ),
        _ => format!("{} from its journals alone", restoration.path),
    }];
    lines.extend(restoration.missing.iter().map(|missing| format!("  missing: {missing}")));
    lines.extend(restoration.others.iter().map(|other| format!("  another copy, with --from: {other}")));
    lines.join("\n")
}
