//! Whether the folder itself may be used: its owner, and the origin of its database.

use super::store::Record;
use crate::error::{AppError, Result};
use crate::files::{self, Readers};
use crate::outside::{Outside, user_data};
use crate::owner::{lock_file, look_at_locks};
use crate::paths::Paths;
use crate::private_files;
use git_repo::Repo;
use ralph_core::limits;
use ralph_core::run::owner::LockSeen;
use ralph_core::time::Timestamp;
use ralph_core::trust::{TrustItem, mark_agreed, name};

/// Characters of the name of an origin: a ULID.
const ORIGIN_CHARS: usize = 26;

/// Refuses a database that git tracks, agreed to or not; but not that of a live run, whose agent may have added it a moment ago: it must
/// still be possible to stop the run.
pub(crate) fn refuse_tracked_at_rest(paths: &Paths, repo: Option<&Repo>) -> Result<()> {
    private_files::refuse_tracked(paths, repo).or_else(|refusal| if is_at_work(paths) { Ok(()) } else { Err(refusal) })
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
    if paths.database().exists() && !is_known(paths) && !is_at_work(paths) {
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
    user_data::make_private(&known).map_err(|source| {
        let hint = "what this machine knows of its projects is kept there: RALPH_DATA_HOME can name another folder of yours";
        AppError::invalid("trust", format!("{} can't be made: {source}", known.display()), hint)
    })?;
    let path = known.join(&origin);
    // For people who look into it.
    let content = format!("{}\n", paths.root.display());
    files::write_whole(&path, content.as_bytes(), Readers::Owner).map_err(|source| AppError::io(&path, source))?;
    Ok(paths.files().write(&paths.origin(), origin.as_bytes(), Readers::Owner)?)
}

/// Restores the mark of a database that an agent removed, beside it or in the person's data, as far as possible.
pub(crate) fn renew_mark(paths: &Paths, now: Timestamp) {
    if !is_marked(paths)
        && let Err(error) = note_made_here(paths, now)
    {
        tracing::debug!("the database has no mark of this machine: {error}");
    }
}

/// Whether this machine knows the database: by its mark, or by its second name outside, which no folder brings along.
fn is_known(paths: &Paths) -> bool {
    is_marked(paths) || Outside::of(&paths.root).and_then(|outside| outside.is_last_state(&paths.database())).unwrap_or(false)
}

/// Whether a living run works with this very database.
fn is_at_work(paths: &Paths) -> bool {
    let outside = Outside::of(&paths.root);
    if outside.as_ref().and_then(|outside| outside.is_last_state(&paths.database())) == Some(false) {
        return false;
    }
    let of_slot = |slot| [Some(paths.db.join(lock_file(slot))), outside.as_ref().map(|outside| outside.lock(slot))];
    let locks: Vec<_> = (0..limits::RUNS).flat_map(of_slot).flatten().collect();
    look_at_locks(&locks) == LockSeen::Held
}

/// Whether this machine knows the mark next to the database.
fn is_marked(paths: &Paths) -> bool {
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
