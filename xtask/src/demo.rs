//! The demo project: a small git repository with features, tasks, learnings and a script for the scripted agent.

use crate::fault::Fault;
use crate::process;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the project, and of its folder below `target/demo`.
const NAME: &str = "corner-shop";

/// Files of the sample repository.
const FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("../demo/README.md")),
    ("shop/checkout.py", include_str!("../demo/checkout.py")),
    ("shop/catalogue.py", include_str!("../demo/catalogue.py")),
];

/// What the scripted agent plays.
const SCRIPT: &str = include_str!("../demo/demo.script");

/// Feature, its display name, its purpose, and its own cap of learnings, if any.
const FEATURES: &[(&str, &str, &str, Option<&str>)] = &[
    ("checkout", "Checkout", "From the basket to the paid order.", None),
    ("catalogue", "Catalogue", "Products, prices and stock.", None),
    ("search", "Search", "Finding a product by what people type.", None),
    ("accounts", "Accounts", "Sign-in, addresses and order history.", None),
    ("returns", "Returns", "Parcels and money that go back.", Some("5")),
];

/// Initial learnings, one per line: `feature|source|task|text`.
const LEARNINGS: &str = include_str!("../demo/learnings.txt");

/// Tasks in the order of their numbers, from 1: feature, status, priority, title, description.
const TASKS: &[(&str, &str, &str, &str, &str)] = &[
    ("checkout", "done", "high", "Pay through the new provider", "The old provider closes at the end of the year."),
    ("checkout", "done", "medium", "Take vouchers", "A voucher lowers the total of an order."),
    ("checkout", "pending", "high", "Refuse an empty basket", "Paying an empty basket gives an order of 0.00. Refuse it and say why."),
    ("checkout", "pending", "medium", "Round the tax once per order", "Tax is rounded on each line, so totals are off by cents."),
    ("catalogue", "pending", "medium", "Show when a product is back in stock", "Keep the date of the next delivery with the product."),
    ("search", "pending", "low", "Find products despite a typing slip", "One wrong or missing letter should still find the umbrella."),
    ("accounts", "draft", "low", "Sign in with a passkey", "To be described: which browsers, and what happens to passwords."),
    ("catalogue", "done", "medium", "Import the supplier's list", "Every night, as a CSV file."),
    ("returns", "done", "medium", "Take parcels back", "A label to print, and the way of the money."),
    ("catalogue", "pending", "low", "Tell people when a product is back", "A mail to everybody who has asked for it."),
    ("accounts", "pending", "low", "Let people close their account", "Receipts stay, everything else goes."),
];

/// Tasks that wait for others.
const DEPENDENCIES: &[(u32, &str)] = &[(4, "3"), (5, "8"), (10, "5"), (11, "7")];

/// Why the split of the feature that is full from the start is blocked.
const SPLIT_WAITS: &str = "Five rules about returns belong together. Split all the same, or raise the cap?";

/// Cap of learnings in the demo: low, so that its bars fill while one watches.
const CAP: &str = "20";

/// Runs that show each part once: a completed task, a split, a failed and a repeated attempt, a feature that fills up; then a stuck task.
const RUNS: &[&[&str]] = &[&["--max-iterations", "5"], &["--task", "6", "--max-iterations", "3"]];

/// Recreates the project.
///
/// # Errors
/// When git or `ralph` refuses.
pub fn make() -> Result<PathBuf, Fault> {
    let folder = process::target().join("demo").join(NAME);
    println!("      making the demo project anew");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(Fault::io(&folder))?;
    }
    for (path, text) in FILES {
        write(&folder.join(path), text)?;
    }
    git(&folder, &["init", "--quiet", "--initial-branch=main"])?;
    commit(&folder, "A small shop")?;
    // This machine may remember an earlier demo here.
    ralph(&folder, &["init", "--fresh"])?;
    write(&folder.join(".ralph/demo.script"), SCRIPT)?;
    settings(&folder)?;
    ralph(&folder, &["trust", "--yes"])?;
    ralph(&folder, &["ingest", "README.md", "shop"])?;
    for (name, display_name, description, cap) in FEATURES {
        let mut args = vec!["feature", "create", name, "--display-name", display_name, "--description", description];
        args.extend(cap.iter().flat_map(|cap| ["--max-learnings", cap]));
        ralph(&folder, &args)?;
    }
    for (index, (feature, status, priority, title, description)) in TASKS.iter().enumerate() {
        let args = ["task", "create", "--feature", feature, "--priority", priority, "--title", title, "--description", description];
        ralph(&folder, &args)?;
        if *status != "pending" {
            ralph(&folder, &["task", "update", &(index + 1).to_string(), "--status", status])?;
        }
    }
    for (task, others) in DEPENDENCIES {
        ralph(&folder, &["task", "update", &task.to_string(), "--depends-on", others])?;
    }
    for line in LEARNINGS.lines() {
        if let [feature, source, task, text] = line.splitn(4, '|').collect::<Vec<_>>()[..] {
            ralph(&folder, &["learning", "add", "--feature", feature, "--source", source, "--task", task, "--text", text])?;
        }
    }
    // Ralph's first task belongs to the first full feature.
    let split = (TASKS.len() + 1).to_string();
    ralph(&folder, &["task", "update", &split, "--status", "blocked", "--blocked-reason", SPLIT_WAITS])?;
    commit(&folder, "Ralph")?;
    Ok(folder)
}

/// Lets the scripted agent work on the tasks, and compares what it learnt with what was known.
///
/// # Errors
/// When a run can't be started, or the embedding model can't.
pub fn play(folder: &Path) -> Result<(), Fault> {
    println!("      playing the demo");
    for limits in RUNS {
        match process::show(ralph_in(folder).args(["run", "--agent", "scripted"]).args(*limits)) {
            // A reached limit, a task that waits for a person, and one that always fails are parts of the demo.
            Err(Fault::Failed { status, .. }) if matches!(status.code(), Some(4 | 5 | 7)) => {}
            played => played?,
        }
    }
    process::show(ralph_in(folder).arg("reconcile"))
}

/// Sets what the demo needs in `config.toml`, leaving the rest of the file as it is.
fn settings(folder: &Path) -> Result<(), Fault> {
    let path = folder.join(".ralph/config.toml");
    let text = std::fs::read_to_string(&path).map_err(Fault::io(&path))?;
    let set = [("agent", "\"scripted\""), ("script", "\".ralph/demo.script\""), ("max_learnings", CAP)];
    write(&path, &with_settings(&text, &set))
}

/// The text with the value of each key replaced; missing keys are added at the top, before any table.
fn with_settings(text: &str, settings: &[(&str, &str)]) -> String {
    let mut lines = text.lines().map(str::to_owned).collect::<Vec<_>>();
    for (key, value) in settings {
        let line = format!("{key} = {value}");
        match lines.iter_mut().find(|line| line.split('=').next().is_some_and(|word| word.trim() == *key)) {
            Some(old) => *old = line,
            None => lines.insert(0, line),
        }
    }
    lines.join("\n") + "\n"
}

fn commit(folder: &Path, message: &str) -> Result<(), Fault> {
    git(folder, &["add", "--all"])?;
    git(folder, &["-c", "user.name=Demo", "-c", "user.email=demo@example.com", "commit", "--quiet", "--message", message])
}

fn git(folder: &Path, args: &[&str]) -> Result<(), Fault> {
    process::read(process::command("git", args).current_dir(folder)).map(drop)
}

fn ralph(folder: &Path, args: &[&str]) -> Result<(), Fault> {
    process::read(ralph_in(folder).args(args)).map(drop)
}

fn ralph_in(folder: &Path) -> Command {
    let mut command = process::command(process::built("ralph"), &[]);
    command.current_dir(folder);
    command
}

fn write(path: &Path, text: &str) -> Result<(), Fault> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Fault::io(folder))?;
    }
    std::fs::write(path, text).map_err(Fault::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_replace_their_line_and_keep_the_comments() {
        let text = "# The agent.\nagent = \"claude\"\n\n[limits]\nminutes = 1\n";
        let expected = "script = \"a\"\n# The agent.\nagent = \"scripted\"\n\n[limits]\nminutes = 1\n";
        assert_eq!(with_settings(text, &[("agent", "\"scripted\""), ("script", "\"a\"")]), expected);
    }

    #[test]
    fn every_learning_belongs_to_a_task_of_its_feature() {
        for line in LEARNINGS.lines() {
            let parts = line.splitn(4, '|').collect::<Vec<_>>();
            let task = parts[2].parse::<usize>().unwrap();
            assert!(parts.len() == 4 && ["human", "agent", "auto"].contains(&parts[1]), "{line}");
            assert_eq!(TASKS[task - 1].0, parts[0], "{line}");
        }
        assert!(TASKS.iter().all(|(feature, ..)| FEATURES.iter().any(|(name, ..)| name == feature)));
    }

    #[test]
    fn a_split_in_the_script_moves_every_task_of_its_feature() {
        for (feature, display_name, ..) in FEATURES {
            let header = format!("[task \"Decompose feature '{display_name}'\"]");
            let Some(block) = SCRIPT.split_once(&header).and_then(|(_, rest)| rest.split("\n[").next()) else { continue };
            for (index, _) in TASKS.iter().enumerate().filter(|(_, (of, ..))| of == feature) {
                assert!(block.contains(&format!("update_task {{\"id\": {}, ", index + 1)), "{feature}: #{}", index + 1);
            }
        }
    }

    fn count(feature: &str) -> usize {
        LEARNINGS.lines().filter(|line| line.starts_with(&format!("{feature}|"))).count()
    }

    #[test]
    fn one_feature_is_full_of_what_people_wrote_so_that_the_next_learning_is_parked() {
        let full = |(name, _, _, cap): &&(&str, &str, &str, Option<&str>)| cap.is_some_and(|cap| cap == count(name).to_string());
        assert_eq!(FEATURES.iter().filter(full).map(|(name, ..)| *name).collect::<Vec<_>>(), ["returns"]);
        assert!(LEARNINGS.lines().filter(|line| line.starts_with("returns|")).all(|line| line.starts_with("returns|human|")));
    }

    #[test]
    fn the_first_task_brings_the_checkout_to_the_split() {
        assert_eq!((CAP, count("checkout"), count("catalogue"), count("search"), count("accounts")), ("20", 16, 17, 13, 10));
    }
}
