//! Projects whose work is reviewed and merged.

use crate::{feature, play, status_of, task, text};
use ralph_testkit::Sandbox;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A project with settings that are agreed to, and a feature.
pub fn project_with(settings: &str) -> Sandbox {
    let sandbox = Sandbox::with_project();
    let config = sandbox.read(".ralph/config.toml");
    let keys: Vec<&str> = settings.lines().filter_map(|line| line.split(" = ").next()).collect();
    let is_set = |line: &str| keys.iter().any(|key| line.starts_with(&format!("{key} = ")));
    let kept: Vec<&str> = config.lines().filter(|line| !is_set(line)).collect();
    sandbox.write(".ralph/config.toml", &format!("{settings}\n{}\n", kept.join("\n")));
    sandbox.trust();
    sandbox.write(".gitignore", ".ralph/\n.env\ncache/\n");
    sandbox.write("a.txt", "a\n");
    sandbox.commit("files");
    feature(&sandbox, "pay", &[]);
    sandbox
}

/// Runs git in a folder.
pub fn git_in(sandbox: &Sandbox, folder: &Path, args: &[&str]) -> String {
    let folder = folder.to_string_lossy().into_owned();
    sandbox.git(&[&["-C", folder.as_str()], args].concat())
}

/// The parts of the person's checkout that must not change.
pub fn persons_checkout(sandbox: &Sandbox) -> (String, String) {
    (sandbox.git(&["rev-parse", "HEAD", "main"]), sandbox.git(&["status", "--porcelain", "--untracked-files=all"]))
}

/// Opens the worktree of a task: its folder, and its row.
pub fn open_worktree(sandbox: &Sandbox, task: u64) -> (PathBuf, Value) {
    let row = sandbox.ralph_ok(&["worktree", "open", &task.to_string()]);
    (PathBuf::from(text(&row["path"])), row)
}

/// A task whose work, `file` with `content`, is committed in its worktree and waits for its review.
pub fn in_review(sandbox: &Sandbox, title: &str, file: &str, content: &str) -> (u64, PathBuf) {
    let task = task(sandbox, "pay", title, &[]);
    let (path, _) = open_worktree(sandbox, task);
    std::fs::write(path.join(file), content).expect("writes");
    git_in(sandbox, &path, &["add", "--all"]);
    git_in(sandbox, &path, &["commit", "--quiet", "--message", title]);
    play(sandbox, "done\n", &["--max-iterations", "1", "--task", &task.to_string()]);
    assert_eq!(status_of(sandbox, task), "in_review");
    (task, path)
}

/// From now on something happens before those git commands that match a pattern, until the search path is set back to what this returns.
///
/// # Panics
/// If the program that stands in for git can't be written.
pub fn before_git(sandbox: &mut Sandbox, pattern: &str, happens: &str) -> String {
    let (real, path) =
        (sandbox.run(sandbox.command("sh").args(["-c", "command -v git"])).stdout, std::env::var("PATH").expect("a search path"));
    let programs = sandbox.home().join("programs");
    let program = programs.join("git");
    std::fs::create_dir(&programs).expect("a folder");
    let words = format!("#!/bin/sh\ngit={}\ncase \"$*\" in {pattern}) {happens};; esac\nexec $git \"$@\"\n", real.trim());
    std::fs::write(&program, words).expect("a program");
    sandbox.run(sandbox.command("chmod").arg("+x").arg(&program));
    sandbox.set("PATH", format!("{}:{path}", programs.display()));
    path
}
