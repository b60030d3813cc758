//! Worktrees: making one, looking at many, and several workers at once.

use crate::Measured;
use crate::figure::{Aim, Figure, in_turns, millis};
use crate::project::{Project, ralph, run};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Files of the repository: as many as a middling application has.
const FILES: usize = 2_000;
/// Lines of each.
const LINES: usize = 100;
/// Worktrees to look at.
const MANY: u32 = 50;
/// Concurrent workers.
const WORKERS: u32 = 4;

/// Making a worktree against `git worktree add`, and looking at many against `git status` in each.
pub fn measure(quick: bool) -> Measured {
    let project = repository(if quick { 200 } else { FILES })?;
    let rounds = if quick { 3 } else { 15 };
    let bare = tempfile::Builder::new().prefix("bench-worktrees-").tempdir_in(project.root().parent().ok_or("a folder above")?)?;
    let mut number = 0;
    let (made, added) = in_turns(
        rounds,
        || {
            let task = project.task("shop", "Work")?;
            open(&project, task)
        },
        || {
            number += 1;
            let (path, branch) = (bare.path().join(number.to_string()), format!("bare-{number}"));
            git(project.root(), &["worktree", "add", "--quiet", "-b", &branch, &path.to_string_lossy(), "main"])
        },
    )?;
    let name = format!("ralph worktree open, {} files, start of the program included", if quick { 200 } else { FILES });
    let mut figures = vec![Figure::new(name, "ms", made, ("git worktree add", added), Aim::RatioAtMost(1.2))];

    let many = if quick { 5 } else { MANY };
    let standing = u32::try_from(project.app.worktree_rows()?.len())?;
    for _ in standing..many {
        let task = project.task("shop", "Work")?;
        open(&project, task)?;
    }
    let rows = project.app.worktree_rows()?;
    for row in &rows {
        std::fs::write(Path::new(&row.path).join("changed.txt"), "changed\n")?;
    }
    let (looked, status) = in_turns(
        if quick { 2 } else { 5 },
        || project.app.worktree_rows().map(drop).map_err(Into::into),
        || rows.iter().try_for_each(|row| git(Path::new(&row.path), &["status", "--porcelain"])),
    )?;
    let name = format!("status and size of {} worktrees, each with a change", rows.len());
    figures.push(Figure::new(name, "ms", looked, ("git status in each", status), Aim::RatioAtMost(1.3)));
    figures.push(workers(quick)?);
    Ok(figures)
}

fn open(project: &Project, task: u32) -> Result<(), Box<dyn Error>> {
    run(&mut ralph(project.root(), &["worktree", "open", &task.to_string(), "--json"])?)
}

/// A run of several workers whose agents work for a second each, against the agent alone, for each round of them.
fn workers(quick: bool) -> Result<Figure, Box<dyn Error>> {
    let tasks = if quick { WORKERS } else { 5 * WORKERS };
    let (mut per_round, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..if quick { 1 } else { 5 } {
        let project = Project::new()?;
        project.feature("shop")?;
        for task in 0..tasks {
            project.task("shop", &format!("Task {task}"))?;
        }
        let script = project.write(".ralph/bench.script", "pause 1000\ndone\n")?;
        let script = script.to_string_lossy();
        let args = ["run", "--agent", "scripted", "--script", &script, "--workers", &WORKERS.to_string(), "--json"];
        let (took, ()) = millis(|| run(&mut ralph(project.root(), &args)?))?;
        per_round.push(took / f64::from(tasks / WORKERS));
        for _ in 0..3 {
            alone.push(millis(|| run(&mut ralph(project.root(), &["agent-script", &script])?))?.0);
        }
    }
    let name = format!("ralph run per round of {WORKERS} workers, agents of one second, {tasks} tasks");
    Ok(Figure::new(name, "ms", per_round, ("the agent alone", alone), Aim::RatioAtMost(1.05)))
}

/// A project with a feature and files that are committed.
fn repository(files: usize) -> Result<Project, Box<dyn Error>> {
    let project = Project::new()?;
    project.feature("shop")?;
    for file in 0..files {
        let folder = project.root().join(format!("src/part{}", file % 40));
        std::fs::create_dir_all(&folder)?;
        let mut text = String::new();
        for line in 0..LINES {
            writeln!(text, "line {line} of file {file}: what a program says in a line")?;
        }
        std::fs::write(folder.join(format!("file{file}.txt")), text)?;
    }
    git(project.root(), &["add", "--all", "src"])?;
    git(project.root(), &["-c", "user.name=Bench", "-c", "user.email=bench@example.com", "commit", "--quiet", "--message", "files"])?;
    Ok(project)
}

fn git(folder: &Path, args: &[&str]) -> Result<(), Box<dyn Error>> {
    run(Command::new("git").arg("-C").arg(folder).args(args).stdout(Stdio::null()))
}
