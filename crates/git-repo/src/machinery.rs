//! What git runs or obeys by itself in a repository: hooks, and settings that name programs or places. Who changes them lets the next git
//! command of somebody else do what they say.

use crate::{GitError, Repo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::Read as _;
use std::path::Path;

/// Bytes of a hook that are compared.
const HOOK_BYTES: u64 = 256 * 1_024;
/// Names of settings, in lower case, that name a program, a place or other settings.
const NAMES: [&str; 12] = [
    "core.askpass",
    "core.attributesfile",
    "core.editor",
    "core.fsmonitor",
    "core.gitproxy",
    "core.hookspath",
    "core.pager",
    "core.sshcommand",
    "core.worktree",
    "gpg.program",
    "interactive.difffilter",
    "sequence.editor",
];
/// Beginnings of such names, with the ends that they have; an empty end stands for any.
const FAMILIES: [(&str, &str); 16] = [
    ("alias.", ""),
    ("credential.", ""),
    ("diff.", ".command"),
    ("diff.", ".textconv"),
    ("difftool.", ".cmd"),
    ("filter.", ""),
    ("gpg.", ".program"),
    ("include.", ""),
    ("includeif.", ""),
    ("merge.", ".driver"),
    ("mergetool.", ".cmd"),
    ("pager.", ""),
    ("remote.", "url"),
    ("remote.", ".vcs"),
    ("submodule.", ".update"),
    ("url.", ""),
];

/// Hooks and such settings of a repository, by what they are called, with a digest of each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machinery(BTreeMap<String, u64>);

impl Machinery {
    /// What is new, different or gone since `before`, in words.
    pub fn changed_since(&self, before: &Machinery) -> Vec<String> {
        let now = self.0.iter().filter(|(name, digest)| before.0.get(*name) != Some(digest));
        let gone = before.0.keys().filter(|name| !self.0.contains_key(*name)).map(|name| format!("{name} (gone)"));
        now.map(|(name, _)| name.clone()).chain(gone).collect()
    }
}

impl Repo {
    /// The hooks and settings by which git runs something, or looks elsewhere.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn machinery(&self) -> Result<Machinery, GitError> {
        let common = self.common_folder()?;
        let mut found: BTreeMap<String, u64> = BTreeMap::new();
        // A folder that can't be read has no hooks that git could run.
        for entry in std::fs::read_dir(common.join("hooks")).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.ends_with(".sample") {
                found.insert(format!("hook {name}"), digest_of(&entry.path()));
            }
        }
        if common.join("info/attributes").exists() {
            found.insert("info/attributes".to_owned(), digest_of(&common.join("info/attributes")));
        }
        let listed = self.reading().args(["config", "--local", "--list", "-z"]).run()?;
        for entry in listed.stdout.split(|&byte| byte == 0).filter(|entry| !entry.is_empty()) {
            let entry = String::from_utf8_lossy(entry);
            let (name, value) = entry.split_once('\n').unwrap_or((&entry, ""));
            if runs_or_points(&name.to_lowercase()) {
                // A name may have several values.
                let known = found.entry(format!("setting {name}")).or_default();
                *known = digest(&(*known, value));
            }
        }
        Ok(Machinery(found))
    }
}

fn runs_or_points(name: &str) -> bool {
    NAMES.contains(&name) || FAMILIES.iter().any(|(begin, end)| name.starts_with(begin) && name.ends_with(end))
}

/// A digest of a file's beginning; of a link, of where it leads.
fn digest_of(path: &Path) -> u64 {
    if let Ok(target) = std::fs::read_link(path) {
        return digest(&target);
    }
    let mut bytes = Vec::new();
    // A pipe would wait for a writer; git runs none.
    if path.is_file()
        && let Ok(file) = File::open(path)
    {
        // What can't be read to its end is compared as far as it was.
        let _ = file.take(HOOK_BYTES).read_to_end(&mut bytes);
    }
    digest(&bytes)
}

fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
