//! Partial clones: objects that are only at a remote. Git fetches them when it needs them, but Ralph does not, since a fetch runs programs
//! that the configuration names. So Ralph looks without them, and an error for lack of one says so.

use crate::{GitError, Repo, plain};
use ralph_core::text::in_shell;
use std::collections::BTreeMap;

/// Arguments by which git lists what makes a clone partial.
pub(crate) const LISTED_BY: [&str; 4] =
    ["config", "-z", "--get-regexp", r"^(remote\..*\.(promisor|partialclonefilter)|extensions\.partialclone)$"];
/// How git says that it did not fetch an object, or may not.
const NOT_FETCHED: [&str; 2] = ["lazy fetching disabled", "promisor remote"];
/// How git says that an object, given by its id, is not there.
const NOT_THERE: [&str; 3] = ["read", "missing", "bad tree"];

/// A repository that leaves objects at a remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialClone {
    /// The remote.
    pub remote: String,
    /// What its fetches leave out, as git writes it.
    pub filter: String,
}

impl PartialClone {
    /// The commands that make it complete. The missing objects come first: if the second command is not run, the clone is still known to be
    /// partial.
    pub fn way_out(&self) -> String {
        let PartialClone { remote, .. } = self;
        let bringing = bringing_all(remote);
        let setting = in_shell(&format!("remote.{remote}.partialclonefilter"));
        format!("{bringing} brings all that a whole clone has; then `git config --unset-all {setting}` keeps it so")
    }
}

/// The command that fetches what was left at a remote, whatever its fetches usually leave out.
fn bringing_all(remote: &str) -> String {
    format!("`git fetch --refetch --no-filter {}`", in_shell(remote))
}

impl Repo {
    /// What fetches leave at a remote; `None` where they bring all.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn partial_clone(&self) -> Result<Option<PartialClone>, GitError> {
        let listed = self.reading().args(LISTED_BY).run()?;
        let found = promisors(&listed.text()).into_iter().find_map(|(remote, filter)| Some(PartialClone { remote, filter: filter? }));
        Ok(found)
    }
}

/// The message about a command that failed because it fetches nothing, with the way out and git's own words; `None` if that is not why.
/// `listed` answers what git lists by [`LISTED_BY`].
pub(crate) fn lacking(message: &str, listed: impl FnOnce() -> Option<String>) -> Option<String> {
    if !is_about_an_object(message) {
        return None;
    }
    let (remote, _) = promisors(&listed()?).pop_first()?;
    let words: Vec<&str> = message.lines().filter(|line| !line.contains(NOT_FETCHED[0])).collect();
    Some(format!(
        "this partial clone lacks an object, and Ralph fetches none by itself: {} brings all that a whole clone has; git says: {}",
        bringing_all(&remote),
        words.join("\n")
    ))
}

fn is_about_an_object(message: &str) -> bool {
    let names_one = || message.split(|letter: char| !letter.is_ascii_hexdigit()).any(plain::is_commit);
    NOT_FETCHED.iter().any(|words| message.contains(words)) || NOT_THERE.iter().any(|words| message.contains(words)) && names_one()
}

/// The remotes that objects are left at, each with its filter as far as there is one. A person copies their names to a shell, so that
/// names that mean more to a shell are left out.
fn promisors(listed: &str) -> BTreeMap<String, Option<String>> {
    let mut found: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (key, value) in listed.split('\0').filter_map(|entry| entry.split_once('\n')) {
        let remote = key.strip_prefix("remote.").and_then(|rest| rest.rsplit_once('.'));
        match remote {
            Some((remote, "promisor")) if value != "false" => drop(found.entry(remote.to_owned()).or_default()),
            Some((remote, "partialclonefilter")) => drop(found.insert(remote.to_owned(), Some(value.to_owned()))),
            Some(_) => {}
            None => drop(found.entry(value.to_owned()).or_default()),
        }
    }
    let is_plain =
        |name: &String| !name.starts_with('-') && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte));
    found.retain(|name, _| is_plain(name));
    found
}
