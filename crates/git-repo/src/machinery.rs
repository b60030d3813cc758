//! What git runs or obeys by itself in a repository: hooks, and settings that name programs or places. Who changes them lets the next git
//! command of somebody else do what they say.

use crate::command::{own_programs, place_around};
use crate::plain::{Place, Texts};
use crate::{GitError, Repo, programs};
use ralph_core::text::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Bytes of a hook that are compared.
const HOOK_BYTES: u64 = 256 * 1_024;
/// Bytes kept of a digest.
const DIGEST_BYTES: usize = 16;
/// Names of settings, in lower case, that name a program, a place or other settings.
const NAMES: [&str; 14] = [
    "core.askpass",
    "core.attributesfile",
    // With it git takes the folder for none that has files.
    "core.bare",
    "core.editor",
    "core.fsmonitor",
    "core.gitproxy",
    "core.hookspath",
    "core.pager",
    "core.sshcommand",
    "core.worktree",
    "diff.external",
    "gpg.program",
    "interactive.difffilter",
    "sequence.editor",
];
/// Beginnings of such names, with the ends that they have; an empty end stands for any.
const FAMILIES: [(&str, &str); 20] = [
    ("alias.", ""),
    ("credential.", ""),
    ("diff.", ".command"),
    ("diff.", ".textconv"),
    ("difftool.", ".cmd"),
    ("extensions.", ""),
    ("filter.", ""),
    ("gpg.", ".program"),
    ("include.", ""),
    ("includeif.", ""),
    ("merge.", ".driver"),
    ("mergetool.", ".cmd"),
    ("pager.", ""),
    ("protocol.", ""),
    ("remote.", ".receivepack"),
    ("remote.", ".uploadpack"),
    ("remote.", "url"),
    ("remote.", ".vcs"),
    ("submodule.", ".update"),
    ("url.", ""),
];

/// A setting of the repository itself, as git tells it.
type Setting = (String, String);

/// What git listed last, with the texts that it was read from.
static LISTED: Mutex<Option<(Texts, Vec<Setting>)>> = Mutex::new(None);

/// Hooks and such settings of a repository, by what they are called, with a digest of each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machinery {
    /// What no commit holds.
    apart: BTreeMap<String, String>,
    /// Hooks in the work tree itself: what an agent changes of them is its work, and is looked at with it.
    tracked: BTreeMap<String, String>,
}

impl Machinery {
    /// What is new, different or gone since `before`, in words, without what is part of the work.
    pub fn changed_since(&self, before: &Machinery) -> Vec<String> {
        let now = self.apart.iter().filter(|(name, digest)| before.apart.get(*name) != Some(digest));
        let gone = before.apart.keys().filter(|name| !self.apart.contains_key(*name)).map(|name| format!("{name} (gone)"));
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
        let mut found = Machinery { apart: digests_of_hooks(&common.join("hooks")), tracked: BTreeMap::new() };
        if common.join("info/attributes").exists() {
            found.apart.insert("info/attributes".to_owned(), digest_of(&common.join("info/attributes")));
        }
        for (name, value) in self.own_settings()? {
            if name == "core.hookspath" && Path::new(&value).is_relative() {
                found.tracked = digests_of_hooks(&self.root().join(&value));
            }
            if runs_or_points(&name.to_lowercase()) {
                // A name may have several values.
                let known = found.apart.entry(format!("setting {name}")).or_default();
                *known = digest(&[known.as_bytes(), b"\n", value.as_bytes()].concat());
            }
        }
        Ok(found)
    }

    /// Filters and merge drivers in the repository's own configuration, as key (`filter.lfs.clean`) and command. Those of the person's own
    /// configuration are excluded.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn own_programs(&self) -> Result<Vec<(String, String)>, GitError> {
        let Some(place) = place_around(self.root()) else { return Ok(Vec::new()) };
        let named = programs::named(&place, self.root(), own_programs)?;
        Ok(named.into_iter().map(|(key, command)| (key.to_string_lossy().into_owned(), command.to_string_lossy().into_owned())).collect())
    }

    /// Those that may run in this process from now on, by their exact values; all others are left out.
    pub fn agree_to_programs(&self, agreed: impl IntoIterator<Item = (String, String)>) {
        if let Some(place) = place_around(self.root()) {
            programs::agree(place.common, agreed.into_iter().collect());
        }
    }

    /// The settings of the repository and of this work tree; git is asked only after their files have changed.
    fn own_settings(&self) -> Result<Vec<Setting>, GitError> {
        let texts = Place::of(self.root()).and_then(|place| place.config());
        let last = LISTED.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let (Some(texts), Some((of, known))) = (&texts, last)
            && of == *texts
        {
            return Ok(known);
        }
        let listed = self.reading().args(["config", "--list", "--show-scope", "-z"]).output("config")?;
        let listed = String::from_utf8_lossy(&listed);
        let mut parts = listed.split_terminator('\0');
        let mut settings = Vec::new();
        while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
            if matches!(scope, "local" | "worktree") {
                let (name, value) = entry.split_once('\n').unwrap_or((entry, ""));
                settings.push((name.to_owned(), value.to_owned()));
            }
        }
        *LISTED.lock().unwrap_or_else(PoisonError::into_inner) = texts.map(|texts| (texts, settings.clone()));
        Ok(settings)
    }
}

/// The hooks in a folder. One that can't be read has none that git could run.
fn digests_of_hooks(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    named.filter(|(name, _)| !name.ends_with(".sample")).map(|(name, path)| (format!("hook {name}"), digest_of(&path))).collect()
}

fn runs_or_points(name: &str) -> bool {
    NAMES.contains(&name) || FAMILIES.iter().any(|(begin, end)| name.starts_with(begin) && name.ends_with(end))
}

/// A digest of a file's beginning; of a link, of where it leads.
fn digest_of(path: &Path) -> String {
    if let Ok(target) = std::fs::read_link(path) {
        return digest(target.as_os_str().as_encoded_bytes());
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

/// The same in every build of Ralph: it is stored, and compared by the one that recovers a killed run.
fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes)[..DIGEST_BYTES])
}
