//! Projects whose work is reviewed and merged.

use crate::feature;
use ralph_testkit::Sandbox;
use std::path::Path;

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

/// What of the person's checkout must not change.
pub fn persons_checkout(sandbox: &Sandbox) -> (String, String) {
    (sandbox.git(&["rev-parse", "HEAD", "main"]), sandbox.git(&["status", "--porcelain", "--untracked-files=all"]))
}
