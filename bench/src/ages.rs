//! Ages of a learnings file over a long history: the first look, and what later ones save.

use crate::Measured;
use crate::figure::{Aim, Figure, in_turns, millis};
use git_repo::{Ages, Repo};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Commits of the history.
const COMMITS: u32 = 10_000;
/// Commits between two entries.
const ENTRY_EVERY: u32 = 50;
/// Files beside it that the commits change.
const FILES: u32 = 200;
const FILE: &str = "learnings.md";

/// The first look against a bare `git blame` and `git log`, and two later ones against the first.
pub fn measure(quick: bool) -> Measured {
    let commits = if quick { 500 } else { COMMITS };
    let folder = tempfile::Builder::new().prefix("bench-ages-").tempdir_in(crate::project::programs()?)?;
    let root = folder.path();
    let text = history(root, commits)?;
    let repo = Repo::discover(root)?;
    let look = |known: Ages| repo.learning_ages(Some((Path::new(FILE), "digest")), known);
    let rounds = if quick { 2 } else { 7 };
    let (first, bare) = in_turns(
        rounds,
        || look(Ages::default()).map(drop).map_err(Box::<dyn Error>::from),
        || git(root, &["blame", FILE]).and_then(|()| git(root, &["log", "--format=%ad", "--date=short"])),
    )?;
    let known = look(Ages::default())?;
    let mut again = Vec::new();
    for _ in 0..rounds {
        again.push(millis(|| look(known.clone()))?.0);
    }
    let mut after = Vec::new();
    for number in 0..rounds {
        std::fs::write(root.join("new.txt"), number.to_string())?;
        git(root, &["add", "new.txt"])?;
        git(root, &["-c", "user.name=b", "-c", "user.email=b@example.com", "commit", "--quiet", "--message", "more"])?;
        after.push(millis(|| look(known.clone()))?.0);
    }
    let lines = text.matches('\n').count();
    let first_name = format!("ages of {lines} lines over {commits} commits, the first look");
    let of_first = || ("the first look", first.clone());
    Ok(vec![
        Figure::new(first_name, "ms", first.clone(), ("git blame and git log", bare), Aim::RatioAtMost(2.0)),
        Figure::new("… a second look", "ms", again, of_first(), Aim::RatioAtMost(0.1)),
        Figure::new("… a look after some more commits", "ms", after, of_first(), Aim::RatioAtMost(0.1)),
    ])
}

/// A history of so many commits, four a day, that changes some file each time, adds an entry now and then, and renames the file half-way.
/// Returns the file's text.
fn history(root: &Path, commits: u32) -> Result<String, Box<dyn Error>> {
    git(root, &["init", "--quiet", "--initial-branch=main"])?;
    let mut importing = Command::new("git").args(["fast-import", "--quiet"]).current_dir(root).stdin(Stdio::piped()).spawn()?;
    let mut input = importing.stdin.take().ok_or("no pipe")?;
    let (mut notes, mut stream) = ("# Learnings\n".to_owned(), String::new());
    for number in 0..commits {
        stream.clear();
        let at = 1_600_000_000 + u64::from(number) * 21_600;
        let renames = number == commits / 2;
        let name = if number < commits / 2 { "notes.md" } else { FILE };
        write!(stream, "commit refs/heads/main\ncommitter B <b@example.com> {at} +0100\ndata 4\nwork\n")?;
        if renames {
            writeln!(stream, "R notes.md {FILE}")?;
        }
        if number.is_multiple_of(ENTRY_EVERY) {
            write!(notes, "\n## Entry {number}\n- Module m{number} keeps a cache of its own, so reload it after each change\n")?;
            write!(stream, "M 644 inline {name}\ndata {}\n{notes}\n", notes.len())?;
        }
        let body: String = (0..20).map(|line| format!("line {line} of change {}\n", number / FILES)).collect();
        write!(stream, "M 644 inline src/file_{}.rs\ndata {}\n{body}\n", number % FILES, body.len())?;
        input.write_all(stream.as_bytes())?;
    }
    drop(input);
    if !importing.wait()?.success() {
        return Err("git fast-import failed".into());
    }
    git(root, &["reset", "--quiet", "--hard", "main"])?;
    Ok(notes)
}

fn git(folder: &Path, args: &[&str]) -> Result<(), Box<dyn Error>> {
    let output = Command::new("git").args(args).current_dir(folder).output()?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("git {} failed: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)).into())
    }
}
