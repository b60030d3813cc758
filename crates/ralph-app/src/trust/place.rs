//! Whether the folder itself may be used: its owner, and the origin of its database.

use super::store::Record;
use crate::error::{AppError, Result};
use crate::files::{self, Readers};
use crate::outside::user_data;
use crate::paths::Paths;
use git_repo::Repo;
use ralph_core::time::Timestamp;
use ralph_core::trust::{TrustItem, mark_agreed, name};

/// Characters of the name of an origin: a ULID.
const ORIGIN_CHARS: usize = 26;

/// Refuses a database tracked by git, agreed to or not: every pull would bring another.
pub(crate) fn refuse_committed(paths: &Paths, repo: Option<&Repo>) -> Result<()> {
    let database = paths.database();
    if database.exists() && repo.is_some_and(|repo| repo.tracks(&database).unwrap_or(false)) {
        return Err(AppError::CommittedDatabase { path: database });
    }
    Ok(())
}

/// Refuses a folder of another user, and a database from another machine, until the person agreed to them.
pub(crate) fn check(paths: &Paths, record: &Record) -> Result<()> {
    let waiting = waiting(paths, record);
    if waiting.is_empty() { Ok(()) } else { Err(AppError::Untrusted { items: waiting }) }
}

/// Pending items on the folder itself.
pub(crate) fn waiting(paths: &Paths, record: &Record) -> Vec<TrustItem> {
    let mut items = Vec::new();
    if let Some(owner) = other_owner(paths) {
        items.push(TrustItem::new(name::OWNER, owner, "the project is this user's, who can change what runs in it"));
    }
    if paths.database().exists() && !is_known(paths) {
        items.push(TrustItem::new(name::DATABASE, "made elsewhere", "its tasks, prompts, disciplines and learnings are used"));
    }
    mark_agreed(&mut items, &record.agreed);
    items.retain(|item| !item.agreed);
    items
}

/// Records that the database was created here, or that the person uses it as such: a mark next to it, known to this machine. Both
/// move with the folder when it is copied or moved, but not into a clone.
pub(crate) fn note_made_here(paths: &Paths, now: Timestamp) -> Result<()> {
    let origin = crate::clock::next_id(None, now);
    let Some(known) = user_data::folder().map(|folder| folder.join("databases")) else {
        let hint = "set HOME, or RALPH_DATA_HOME to a folder of yours";
        return Err(AppError::invalid("trust", "there is no folder for what this machine knows of its projects", hint));
    };
    user_data::make_private(&known).map_err(|source| AppError::io(&known, source))?;
    let path = known.join(&origin);
    // For people who look into it.
    let content = format!("{}\n", paths.root.display());
    files::write_whole(&path, content.as_bytes(), Readers::Owner).map_err(|source| AppError::io(&path, source))?;
    Ok(paths.files().write(&paths.origin(), origin.as_bytes(), Readers::Owner)?)
}

/// Whether this machine knows the mark next to the database.
fn is_known(paths: &Paths) -> bool {
    let Ok(Some(origin)) = paths.files().read_text(&paths.origin(), ORIGIN_CHARS as u64) else { return false };
    let is_name = origin.len() == ORIGIN_CHARS && origin.bytes().all(|b| b.is_ascii_alphanumeric());
    is_name && user_data::folder().is_some_and(|folder| folder.join("databases").join(origin).is_file())
}

/// The owner of `.ralph/`, if it is neither the user running this program nor the one who called it through sudo.
#[cfg(unix)]
fn other_owner(paths: &Paths) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let owner = paths.root.join(".ralph").symlink_metadata().ok()?.uid();
    let own = rustix::process::geteuid();
    let caller = std::env::var("SUDO_UID").ok().filter(|_| own.is_root()).and_then(|uid| uid.parse::<u32>().ok());
    (owner != own.as_raw() && Some(owner) != caller).then(|| format!("user {owner}"))
}

/// Other systems protect folders by ACLs, which a user id can't represent.
#[cfg(not(unix))]
fn other_owner(_paths: &Paths) -> Option<String> {
    None
}
