//! What git runs or obeys by itself in a repository: hooks, and settings that name programs or places. Whoever changes them decides what
//! somebody else's next git command does.

use crate::command::{Git, own_programs, place_around};
use crate::digest::{digest, digest_of};
use crate::hooks::{Held, Hook, hooks_in_effect, plain_files};
use crate::paths::path_from_bytes;
use crate::plain::{Place, Texts, persons_config};
use crate::{GitError, Hooks, Repo, programs};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Names of settings, in lower case, that name a program, a place or other settings.
const NAMES: [&str; 14] = [
    "core.askpass",
    "core.attributesfile",
    // It makes git treat the folder as one without files.
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

/// The folder of references by which git shows objects in place of others.
const REPLACEMENTS: &str = "refs/replace";

/// Hooks that may refuse a commit or its message.
const COMMIT_HOOKS: [&str; 3] = ["commit-msg", "pre-merge-commit", "pre-commit"];

/// What the configuration of a checkout says.
#[derive(Clone, Default)]
struct Configured {
    /// The settings of the repository itself and of the checkout, as git lists them.
    own: Vec<(String, String)>,
    /// Those that the person has for all repositories.
    persons: Vec<(String, String)>,
    /// The folder of hooks that is in effect, whoever named it; `None` for `.git/hooks`.
    hooks: Option<PathBuf>,
}

/// What git last listed, with the texts that it was read from.
static LISTED: Mutex<Option<(Texts, Configured)>> = Mutex::new(None);

/// Hooks and such settings of a checkout, by what they are called, with a digest of each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machinery {
    /// What all checkouts share, and the settings of this one.
    apart: BTreeMap<String, String>,
    /// Hooks in a folder other than git's own, by their paths.
    #[serde(default)]
    hooks: BTreeMap<String, Hook>,
}

/// The settings that a person has for all repositories, by name, with a digest of their values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersonsSettings(BTreeMap<String, String>);

impl PersonsSettings {
    fn of(configured: &Configured) -> PersonsSettings {
        let mut settings = BTreeMap::new();
        configured.persons.iter().for_each(|(name, value)| add(&mut settings, name.clone(), value));
        PersonsSettings(settings)
    }

    /// The names of those that are new, different or gone since `before`.
    pub fn changed_since(&self, before: &PersonsSettings) -> Vec<String> {
        changes(&self.0, &before.0).collect()
    }
}

impl Machinery {
    /// What is new, different or gone since `before`, in words, without what is part of the work: hooks that git tracks are reviewed with
    /// it. A hook that is now as `another` checkout had it is not reported either: whoever installs a project's hooks writes the same ones.
    pub fn changed_since(&self, before: &Machinery, another: Option<&Machinery>) -> Vec<String> {
        let is_known = |path: &String, hook: &Hook| {
            another.and_then(|another| another.hooks.get(path)).is_some_and(|known| known.digest == hook.digest)
        };
        let hooks = self.hooks_changed_since(before, |path, hook| hook.held == Held::Nowhere && !is_known(path, hook));
        self.apart_changed_since(before).chain(hooks.map(|path| format!("hook {path}"))).collect()
    }

    /// The same for the checkout at `root`, in which nobody was to work: there no uncommitted change is part of any work.
    pub fn changed_beside_since(&self, before: &Machinery, root: &Path) -> Vec<String> {
        let hooks = self.hooks_changed_since(before, |_, hook| hook.held != Held::Commit);
        self.apart_changed_since(before).chain(hooks.map(|path| format!("hook {}", root.join(path).display()))).collect()
    }

    fn apart_changed_since<'m>(&'m self, before: &'m Machinery) -> impl Iterator<Item = String> {
        changes(&self.apart, &before.apart)
    }

    fn hooks_changed_since<'m>(&'m self, before: &'m Machinery, is_told: impl Fn(&String, &Hook) -> bool) -> impl Iterator<Item = String> {
        let is_as_before = |path: &String, hook: &Hook| before.hooks.get(path).is_some_and(|known| known.digest == hook.digest);
        let now = self.hooks.iter().filter(move |(path, hook)| !is_as_before(path, hook) && is_told(path, hook));
        let gone = before.hooks.iter().filter(|(path, hook)| hook.held == Held::Nowhere && !self.hooks.contains_key(*path));
        now.map(|(path, _)| path.clone()).chain(gone.map(|(path, _)| format!("{path} (gone)")))
    }
}

/// The names under which something is new, different or gone.
fn changes<'m>(now: &'m BTreeMap<String, String>, before: &'m BTreeMap<String, String>) -> impl Iterator<Item = String> {
    let changed = now.iter().filter(|(name, digest)| before.get(*name) != Some(digest)).map(|(name, _)| name.clone());
    changed.chain(before.keys().filter(|name| !now.contains_key(*name)).map(|name| format!("{name} (gone)")))
}

/// Adds a setting to the digests of others: a name may have several values.
fn add(settings: &mut BTreeMap<String, String>, name: String, value: &str) {
    let known = settings.entry(name).or_default();
    *known = digest(&[known.as_bytes(), b"\n", value.as_bytes()].concat());
}

/// What git shows in place of other objects (`git replace`): whoever looks at the work would see something other than what lands.
fn replacements(common: &Path) -> BTreeMap<String, String> {
    let (loose, packed) = (plain_files(&common.join(REPLACEMENTS)), std::fs::read_to_string(common.join("packed-refs")));
    let loose = loose.into_iter().map(|(name, path)| (format!("replacement of {}", name.display()), digest_of(&path)));
    let packed = packed.unwrap_or_default();
    let named = packed.lines().filter_map(|line| {
        let (by, name) = line.split_once(' ')?;
        Some((format!("replacement of {}", name.strip_prefix(REPLACEMENTS)?.trim_start_matches('/')), digest(format!("{by}\n").as_bytes())))
    });
    // A loose one outranks a packed one.
    named.collect::<BTreeMap<_, _>>().into_iter().chain(loose).collect()
}

impl Repo {
    /// The hooks and settings by which git runs something, or looks elsewhere.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn machinery(&self) -> Result<Machinery, GitError> {
        let common = self.common_folder()?;
        let own_hooks = plain_files(&common.join("hooks")).into_iter();
        let apart = own_hooks.map(|(name, path)| (format!("hook {}", name.display()), digest_of(&path))).collect();
        let mut found = Machinery { apart, hooks: BTreeMap::new() };
        for file in ["info/attributes", "info/grafts"] {
            if common.join(file).exists() {
                found.apart.insert(file.to_owned(), digest_of(&common.join(file)));
            }
        }
        found.apart.extend(replacements(&common));
        let configured = self.configured()?;
        if let Some(hooks) = configured.hooks {
            found.hooks = hooks_in_effect(self.root(), &hooks);
        }
        for (name, value) in configured.own {
            if runs_or_points(&name.to_lowercase()) {
                add(&mut found.apart, format!("setting {name}"), &value);
            }
        }
        Ok(found)
    }

    /// The settings that the person has for all repositories.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn persons_settings(&self) -> Result<PersonsSettings, GitError> {
        Ok(PersonsSettings::of(&self.configured()?))
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

    /// The merge drivers of files here that are left out because nobody agreed to them, by key.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn left_out_drivers(&self, files: &[String]) -> Result<Vec<String>, GitError> {
        let Some(place) = place_around(self.root()) else { return Ok(Vec::new()) };
        let named = self.own_programs()?.into_iter().filter(|program| !programs::is_agreed(&place, program));
        let left_out: BTreeSet<String> = named.map(|(key, _)| key).collect();
        if left_out.is_empty() {
            return Ok(Vec::new());
        }
        let values = self.attribute("merge", files.iter().map(Path::new))?.into_iter();
        let keys: BTreeSet<String> = values.map(|(_, value)| format!("merge.{value}.driver")).collect();
        Ok(keys.intersection(&left_out).cloned().collect())
    }

    /// Those that may run in this process from now on, by their exact values; all others are left out.
    pub fn agree_to_programs(&self, agreed: impl IntoIterator<Item = (String, String)>) {
        if let Some(place) = place_around(self.root()) {
            programs::agree(place.common, agreed.into_iter().collect());
        }
    }

    /// Whether a hook is in effect here that may refuse a commit or its message.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn has_commit_hooks(&self) -> Result<bool, GitError> {
        let folder =
            self.folder_of_hooks()?.map_or_else(|| Ok(self.common_folder()?.join("hooks")), |named| Ok(self.root().join(named)))?;
        Ok(plain_files(&folder).iter().any(|(name, _)| COMMIT_HOOKS.iter().any(|hook| name == Path::new(hook))))
    }

    /// The folder of hooks in effect here, below the root, that a new work tree lacks: `core.hooksPath` means one in each, and git tracks
    /// nothing in it. `None` if new ones have the hooks, or there are none.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time, or the folder lies outside of the work tree.
    pub fn hooks_only_here(&self) -> Result<Option<PathBuf>, GitError> {
        let Some(named) = self.folder_of_hooks()?.filter(|named| named.is_relative()) else { return Ok(None) };
        if plain_files(&self.root().join(&named)).is_empty() {
            return Ok(None);
        }
        let tracked = self.reading().args(["--literal-pathspecs", "ls-files", "-z", "--"]).args([&named]).output("ls-files")?;
        Ok(tracked.is_empty().then_some(named))
    }

    /// The settings of the repository, of this work tree and of the person; git is asked only after their files have changed.
    fn configured(&self) -> Result<Configured, GitError> {
        let texts = Place::of(self.root()).and_then(|place| Some([place.config()?, persons_config()?].concat()));
        let last = LISTED.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let (Some(texts), Some((of, known))) = (&texts, last)
            && of == *texts
        {
            return Ok(known);
        }
        let listed = self.reading().args(["config", "--list", "--show-scope", "-z"]).output("config")?;
        let (mut found, has_hooks) = read_listed(&String::from_utf8_lossy(&listed));
        found.hooks = if has_hooks { self.folder_of_hooks()? } else { None };
        *LISTED.lock().unwrap_or_else(PoisonError::into_inner) = texts.map(|texts| (texts, found.clone()));
        Ok(found)
    }

    fn folder_of_hooks(&self) -> Result<Option<PathBuf>, GitError> {
        let asked = Git::hooked(self.root(), Hooks::Run).args(["config", "--type=path", "-z", "--get", "core.hooksPath"]).run()?;
        let named = asked.stdout.strip_suffix(b"\0").unwrap_or(&asked.stdout);
        Ok((asked.success && !named.is_empty()).then(|| path_from_bytes(named)))
    }
}

/// What git lists, without the folder of hooks, and whether any setting names one.
fn read_listed(listed: &str) -> (Configured, bool) {
    let (mut found, mut has_hooks) = (Configured::default(), false);
    let mut parts = listed.split_terminator('\0');
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        let (name, value) = entry.split_once('\n').unwrap_or((entry, ""));
        // One of Ralph's own commands also names one.
        has_hooks |= scope != "command" && name == "core.hookspath";
        match scope {
            "local" | "worktree" => found.own.push((name.to_owned(), value.to_owned())),
            "global" => found.persons.push((name.to_owned(), value.to_owned())),
            _ => {}
        }
    }
    (found, has_hooks)
}

fn runs_or_points(name: &str) -> bool {
    NAMES.contains(&name) || FAMILIES.iter().any(|(begin, end)| name.starts_with(begin) && name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_for_all_repositories_is_seen_to_change_and_its_value_is_not_kept() {
        let of = |listed: &str| PersonsSettings::of(&read_listed(listed).0);
        let before = of("system\0core.editor\nvi\0global\0user.email\nme@example.org\0global\0alias.co\ncheckout\0");
        let after = of("global\0user.email\nagent@example.org\0global\0alias.co\ncheckout\0local\0core.bare\nfalse\0");
        assert_eq!(after.changed_since(&before), ["user.email"]);
        assert_eq!(of("").changed_since(&before), ["alias.co (gone)", "user.email (gone)"]);
        assert_eq!(before.changed_since(&before), Vec::<String>::new());
        let stored = serde_json::to_string(&after).expect("is stored");
        assert!(!stored.contains("agent@example.org") && serde_json::from_str::<PersonsSettings>(&stored).expect("is read") == after);
    }
}
