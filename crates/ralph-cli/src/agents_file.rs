//! `ralph agents-md`.

use crate::output::{Answered, Output};
use clap::Args;
use ralph_app::App;
use ralph_core::document::{AgentsFileAct, AgentsFileChange};

#[derive(Debug, Args)]
pub struct AgentsFileArgs {
    /// Write or update the section. Without this, only the difference is shown.
    #[arg(long)]
    write: bool,
    /// Remove the section.
    #[arg(long, conflicts_with = "write")]
    remove: bool,
    /// AGENTS.md or CLAUDE.md; by default, the one that exists.
    #[arg(long)]
    file: Option<String>,
}

/// Runs `ralph agents-md`.
pub fn agents_file(app: &App, args: &AgentsFileArgs, output: Output) -> Answered {
    let act = match (args.write, args.remove) {
        (true, _) => AgentsFileAct::Write,
        (_, true) => AgentsFileAct::Remove,
        _ => AgentsFileAct::Show,
    };
    let change = app.agents_file(args.file.as_deref(), act)?;
    output.answer(&change, || in_words(&change));
    Ok(())
}

fn in_words(change: &AgentsFileChange) -> String {
    let AgentsFileChange { file, changed, diff, written, left_out } = change;
    let told = match (changed, written) {
        (false, _) => format!("{file} is as it should be"),
        (true, true) => format!("{diff}\n\n{file} is written; only what is between the marks is Ralph's"),
        (true, false) => format!("{diff}\n\n`ralph agents-md --write` writes that into {file}"),
    };
    match left_out {
        0 => told,
        some => format!(
            "{told}\nleft out: {some} from a clone or a pull that nobody vouched for here. `ralph learning review ID` does so for a \
             learning, `ralph fact retire ID` and `restore` for a fact, and `ralph fact scan` finds what files state"
        ),
    }
}
