//! `ralph eval-leave-out`: what recall finds for questions that its constants were not chosen on.

use crate::output::{Answered, Output, to_stderr};
use clap::Args;
use ralph_core::recall::EvalMode;
use ralph_core::view::CommandError;
use ralph_eval::{Collection, LeaveOutReport, MeanInterval, axes, leave_out};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct EvalLeaveOutArgs {
    /// A judged collection and how it is asked, such as data/lessons:self (repeat for several; modes as of `ralph eval`).
    #[arg(long = "collection", value_name = "DIR:MODE", required = true)]
    collections: Vec<String>,
    /// Keep the vectors of the texts in this folder for the next evaluation.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// Leaves out each fold in turn, and prints the results.
pub fn eval_leave_out(args: &EvalLeaveOutArgs, output: Output) -> Answered {
    let mut collections = Vec::new();
    for named in &args.collections {
        let (data, mode) = collection(named)?;
        let name = data.file_name().map_or_else(|| named.clone(), |name| format!("{}:{mode}", name.to_string_lossy()));
        collections.push((name, Collection::read(data, mode, args.keep.as_deref(), &to_stderr)?));
    }
    let found = leave_out(&collections, &axes(), &to_stderr)?;
    output.answer(&found, || in_words(&found));
    Ok(())
}

fn collection(named: &str) -> Result<(&Path, EvalMode), CommandError> {
    let fault = |message: String| CommandError::new("invalid", message, "name a folder and self, prior or all, such as data/lessons:self");
    let (data, mode) = named.rsplit_once(':').ok_or_else(|| fault(format!("--collection '{named}' has no mode")))?;
    let mode = mode.parse().map_err(|_| fault(format!("--collection '{named}': '{mode}' is not a mode")))?;
    Ok((Path::new(data), mode))
}

fn in_words(found: &LeaveOutReport) -> String {
    let interval = |of: &MeanInterval| format!("{:.3} [{:.3}, {:.3}]", of.mean, of.low, of.high);
    let mut lines = vec!["fold\tquestions\tleft out nDCG@10\tdefaults\tbest channel\tover it\tchosen".to_owned()];
    lines.extend(found.folds.iter().map(|fold| {
        let chosen: Vec<String> = fold.chosen.iter().map(|(key, number)| format!("{key}={number}")).collect();
        let worse = if fold.worse_than_a_channel { " WORSE" } else { "" };
        format!(
            "{}\t{}\t{}\t{:.3}\t{} {:.3}\t{}{worse}\t{}",
            fold.name,
            fold.questions,
            interval(&fold.left_out),
            fold.defaults,
            fold.best_channel.0,
            fold.best_channel.1,
            interval(&fold.over_best_channel),
            chosen.join(" ")
        )
    }));
    lines.push("constant\tdefault\tbeside\tgives (mean over folds)\thelps\tcosts".to_owned());
    lines.extend(
        found
            .constants
            .iter()
            .map(|c| format!("{}\t{}\t{}\t{}\t{}\t{}", c.key, c.default, c.without, interval(&c.gives), c.helps, c.costs)),
    );
    lines.join("\n")
}
