//! Restoring a missing or damaged project from this machine's data: first previewed, then done.

use crate::app::App;
use crate::clock::{Clock, local_minute};
use crate::error::{AppError, Result};
use crate::files::ExpectedKind;
use crate::outside::{
    Outside, all_markers, bring_back_logs, changed, database_of, is_same_file, nearest_root, repository_of, root_of_linked,
};
use crate::owner::{RESTORE_LOCK, RunLock, lock_file};
use crate::paths::{Paths, canonical};
use crate::trust::place;
use crate::trust::store::Store;
use agent_cli::Descent;
use git_repo::real_path;
use ralph_core::restoration::Restoration;
use ralph_core::task::TaskFilter;
use ralph_core::text::counted;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, count};
use sqlite_db::{
    CopyFacts, DbError, bring_log_into_file, is_evaluation_copy, look_at_copy, look_at_mendable, look_at_usable_copy, put_aside,
    put_in_place, put_mended_in_place, without_writers,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A usable copy.
struct Candidate {
    path: PathBuf,
    made: Timestamp,
    facts: CopyFacts,
}

impl App {
    /// Creates a project in place of an incomplete one: its remains are set aside.
    pub fn init_fresh(folder: &Path, clock: Clock) -> Result<App> {
        let root = canonical(folder)?;
        let root = root_of_linked(&root).unwrap_or(root);
        begin_anew(&Paths::of(&root))?;
        App::init(&root, clock)
    }

    /// What [`App::restore`] would do for the project that contains, or contained, `folder`.
    pub fn restoration(folder: &Path, from: Option<&Path>) -> Result<Restoration> {
        let root = root_of(folder)?;
        plan(&root, from, &unmade(&Paths::of(&root)))
    }

    /// Restores the project: the copy replaces the database, the existing one is set aside, and the journals are merged.
    pub fn restore(folder: &Path, from: Option<&Path>, clock: Clock) -> Result<Restoration> {
        let root = PathBuf::from(App::restoration(folder, from)?.path);
        refuse_agents(&root)?;
        let paths = Paths::of(&root);
        let unmade = unmade(&paths);
        paths.make()?;
        let outside = Outside::of(&root);
        let _alone = alone(&paths, outside.as_ref())?;
        let runs = without_a_run(&paths, outside.as_ref())?;
        let told = without_writers(&database_of(&root), || replace(&paths, from, &unmade, outside.as_ref(), clock.now()))?;
        if let (Some(outside), Some(replica)) = (&outside, look_at_copy(&database_of(&root)).ok().and_then(|facts| facts.replica)) {
            // Before anybody settles their iterations.
            bring_back_logs(&paths, outside, &replica)?;
        }
        let app = App::open(&root, clock)?;
        if told.from.is_some() {
            // The union of both: each is completed from the other.
            app.rebuild()?;
        }
        drop(runs);
        // The copy may contain a run without an owner, or be older than it.
        app.recover()?;
        app.sweep_unknown()?;
        app.db.read(|r| {
            Ok::<_, AppError>(Restoration {
                features: count(r.features()?.len()),
                tasks: count(r.tasks(&TaskFilter::default())?.len()),
                learnings: count(r.learnings(None, &[])?.len()),
                ..told
            })
        })
    }
}

/// What a restoration of the project at `root` would do, when `unmade` parts are rebuilt.
fn plan(root: &Path, from: Option<&Path>, unmade: &[String]) -> Result<Restoration> {
    let paths = Paths::of(root);
    paths.files().must_be(&root.join(".ralph"), ExpectedKind::Folder)?;
    let found = candidate(root, from)?;
    let journals = !paths.files().list(&paths.memory, "jsonl")?.is_empty();
    if found.is_none() && !journals {
        return Err(nothing_left(root));
    }
    let replaced = look_at_copy(&database_of(root)).ok();
    let mut missing = missing(&paths, found.as_ref(), journals, replaced.as_ref())?;
    missing.extend_from_slice(unmade);
    Ok(Restoration {
        path: root.to_string_lossy().into_owned(),
        from: found.as_ref().map(|copy| copy.path.to_string_lossy().into_owned()),
        made: found.as_ref().map(|copy| copy.made),
        features: found.as_ref().map_or(0, |copy| copy.facts.features),
        tasks: found.as_ref().map_or(0, |copy| copy.facts.tasks),
        learnings: found.as_ref().map_or(0, |copy| copy.facts.learnings),
        missing,
        others: others(root, found.as_ref()),
        replaces: replaced.is_some(),
    })
}

/// Puts the copy in the place of the database while nobody writes, and says which copy that is and what is missing in it: more may have
/// been written since the preview.
fn replace(paths: &Paths, from: Option<&Path>, unmade: &[String], outside: Option<&Outside>, now: Timestamp) -> Result<Restoration> {
    let database = database_of(&paths.root);
    if let Err(error) = bring_log_into_file(&database) {
        // Then it lacks what is in the log, if the copy is a second name of it.
        tracing::debug!("{} is set aside with its log: {error}", database.display());
    }
    let told = plan(&paths.root, from, unmade)?;
    if let Some(copy) = &told.from {
        let make_room = || Ok::<_, AppError>(put_aside(&database)?);
        if Path::new(copy) == database {
            put_mended_in_place(&database, make_room)
        } else {
            put_in_place(Path::new(copy), &database, make_room)
        }?;
        // The person wants to use it here, whoever created it.
        place::note_made_here(paths, now)?;
    } else {
        put_aside(&database)?;
    }
    if let Some(outside) = outside {
        outside.forget().map_err(|source| AppError::io(&paths.root, source))?;
    }
    Ok(told)
}

/// The project that contains, or contained, a folder; the folder itself if neither is known.
fn root_of(folder: &Path) -> Result<PathBuf> {
    let start = canonical(folder)?;
    Ok(nearest_root(&start).unwrap_or(start))
}

/// What to use: the named copy, else the database itself if it can be repaired without a loss, else the newest sound copy of this very
/// project.
fn candidate(root: &Path, from: Option<&Path>) -> Result<Option<Candidate>> {
    if let Some(path) = from {
        let path = named_copy(root, path)?;
        let facts = look_at_usable_copy(&path)?;
        return Ok(Some(Candidate { made: changed(&path).unwrap_or_default(), path, facts }));
    }
    let outside = Outside::of(root);
    let known = outside.as_ref().and_then(Outside::marker).map(|marker| marker.replica);
    let path = database_of(root);
    if let Ok(facts) = look_at_mendable(&path)
        && (known.is_none() || facts.replica == known)
    {
        return Ok(Some(Candidate { made: changed(&path).unwrap_or_default(), path, facts }));
    }
    let mut paths = sqlite_db::copies(&Paths::of(root).db);
    paths.extend(outside.iter().flat_map(|outside| outside.copies().into_iter().chain([outside.last_state()])));
    let mut copies: Vec<(Timestamp, PathBuf)> = paths.into_iter().filter_map(|path| Some((changed(&path)?, path))).collect();
    // Newest first; the first sound one suffices. Copies of the same time are equal. A time in the future says nothing: such a copy comes
    // after all others, and among several the newest state is known by its name.
    let (now, last_state) = (Clock::system().now(), outside.as_ref().map(Outside::last_state));
    let rank = |(made, path): &(Timestamp, PathBuf)| (*made <= now, *made > now && last_state.as_ref() == Some(path), *made, path.clone());
    copies.sort_by_key(|copy| std::cmp::Reverse(rank(copy)));
    let mut newer = None;
    for (made, path) in copies {
        match look_at_usable_copy(&path) {
            Ok(facts) if known.is_none() || facts.replica.is_none() || facts.replica == known => {
                return Ok(Some(Candidate { path, made, facts }));
            }
            Err(fault @ DbError::Newer { .. }) => newer = newer.or(Some(fault)),
            Ok(_) | Err(_) => {}
        }
    }
    // Then more than the journals is left, and a newer Ralph can use it.
    newer.map_or(Ok(None), |fault| Err(fault.into()))
}

/// The copy named by a person, if it is valid: a separate, complete file.
fn named_copy(root: &Path, path: &Path) -> Result<PathBuf> {
    let refuse = |fault: &str, hint: &str| Err(AppError::invalid("from", format!("{} {fault}", path.display()), hint));
    let Ok(found) = real_path(path) else {
        return refuse("can't be found", "name a file, or leave --from out to use the newest sound copy");
    };
    if !found.is_file() {
        return refuse("is not a file", "name a copy of the database, or leave --from out to use the newest sound one");
    }
    if found == database_of(root) {
        return refuse("is the project's database itself", "name a copy of it, or leave --from out to use the newest sound one");
    }
    if is_evaluation_copy(&found) {
        return refuse(
            "holds what was asked and chosen, not the project",
            "name a copy of the project, or leave --from out; to have that history back, put the file at .ralph/db/eval.db while no `ralph` runs",
        );
    }
    Ok(found)
}

fn missing(paths: &Paths, found: Option<&Candidate>, journals: bool, replaced: Option<&CopyFacts>) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    // A repaired database is its own copy, and its second name outside is the very same file.
    let database = database_of(&paths.root);
    let (own, copy) = match found {
        Some(found) if is_same_file(&found.path, &database) => (Some(found), None),
        found => (None, found),
    };
    if let (Some(replaced), None) = (replaced, own) {
        let counts = [(replaced.features, "feature"), (replaced.tasks, "task"), (replaced.learnings, "learning")];
        let counts = counts.map(|(rows, noun)| counted(rows, noun)).join(", ");
        missing.push(format!("the database that stands there, with {counts}; it is set aside"));
    }
    match (own, copy) {
        (Some(own), _) if own.path == database => {
            missing.push("nothing of the database: an index of full text is damaged in it, and made anew".to_owned());
        }
        (Some(_), _) => missing.push("nothing of the database: it is sound, and this is its second name".to_owned()),
        (None, Some(copy)) => missing.push(format!("what was changed after {} in tasks, comments and runs", local_minute(copy.made))),
        (None, None) => missing.push("tasks, comments and runs: only journals are left, which tell of knowledge".to_owned()),
    }
    if let (Some(copy), false) = (copy, journals) {
        missing.push(format!("what was learnt after {}: no journal is left", local_minute(copy.made)));
    }
    let logs = logged_iterations(paths)?;
    let (known, replica) = found.map_or((0, None), |copy| (copy.facts.last_iteration, copy.facts.replica.as_deref()));
    let held = Outside::of(&paths.root).zip(replica).map(|(outside, replica)| outside.held_logs(replica)).unwrap_or_default();
    let held: BTreeSet<IterationId> = held.into_iter().map(|(iteration, _)| iteration).collect();
    if logs.is_empty() {
        let but = if held.is_empty() { "" } else { ", but for what the agents had said that were at work" };
        missing.push(format!("the event logs and prompts of iterations{but}"));
    }
    let logs: BTreeSet<IterationId> = &logs | &held;
    let unknown: Vec<String> = logs.range(known + 1..).map(|number| format!("{number}.jsonl")).collect();
    if !unknown.is_empty() {
        missing.push(format!("what came of the iterations whose logs alone are left, in .ralph/db/logs: {}", unknown.join(", ")));
    }
    Ok(missing)
}

/// What a restoration rebuilds, in words: called before it begins.
fn unmade(paths: &Paths) -> Vec<String> {
    let settings = (!paths.config.exists()).then_some("the settings: .ralph/config.toml is made anew");
    let history = (!paths.db.exists()).then_some("the history of retrieval: what was asked, chosen and labelled");
    settings.into_iter().chain(history).map(str::to_owned).collect()
}

/// The iterations with an event log.
fn logged_iterations(paths: &Paths) -> Result<BTreeSet<IterationId>> {
    let logs = paths.files().list(&paths.logs, "jsonl")?;
    Ok(logs.iter().filter_map(|path| path.file_stem()?.to_str()?.parse().ok()).collect())
}

/// Earlier projects in this place: the newest sound copy of each other database, such as from before `ralph init --fresh`, and the last
/// state of each database that was replaced.
fn of_earlier(root: &Path) -> Vec<(Timestamp, PathBuf)> {
    let Some(outside) = Outside::of(root) else { return Vec::new() };
    let mut known: BTreeSet<String> = outside.marker().into_iter().map(|marker| marker.replica).collect();
    if known.is_empty() {
        // Then any copy may be used without being named.
        return Vec::new();
    }
    let copies = sqlite_db::copies(&Paths::of(root).db).into_iter().chain(outside.copies());
    let mut copies: Vec<(Timestamp, PathBuf)> = copies.filter_map(|path| Some((changed(&path)?, path))).collect();
    copies.sort_by(|a, b| b.cmp(a));
    copies.retain(|(_, path)| {
        let Some(replica) = look_at_copy(path).ok().and_then(|facts| facts.replica) else { return false };
        known.insert(replica) || outside.was_last_state(path)
    });
    copies
}

/// Copies beside the chosen one that may belong to the same project: of earlier states in its place, and of other paths with the same
/// repository or database.
fn others(root: &Path, chosen: Option<&Candidate>) -> Vec<String> {
    let own = Outside::of(root).and_then(|outside| outside.marker());
    let repository = repository_of(root);
    let path = root.to_string_lossy();
    let related = all_markers().into_iter().filter(|(_, marker)| {
        let same =
            own.as_ref().is_some_and(|own| own.replica == marker.replica) || (repository.is_some() && repository == marker.repository);
        marker.path != path && same
    });
    let mut copies: Vec<(Timestamp, PathBuf)> = related
        .flat_map(|(outside, _)| outside.copies().into_iter().chain([outside.last_state()]))
        .filter_map(|path| Some((changed(&path)?, path)))
        .chain(of_earlier(root))
        .collect();
    copies.retain(|(_, path)| chosen.is_none_or(|chosen| chosen.path != *path));
    copies.sort_by(|a, b| b.cmp(a));
    copies.into_iter().map(|(_, path)| path.to_string_lossy().into_owned()).collect()
}

fn nothing_left(root: &Path) -> AppError {
    let others = others(root, None);
    let hint = if others.is_empty() {
        "name a copy with --from FILE, or begin anew with `ralph init --fresh`".to_owned()
    } else {
        format!("copies of other places that may be the same project: {}; name one with --from", others.join(", "))
    };
    AppError::invalid("restore", format!("neither a sound copy nor a journal is left of {}", root.display()), hint)
}

/// An agent of the project, recognized by its origin alone, may not replace anything: the database that would say more is missing.
fn refuse_agents(root: &Path) -> Result<()> {
    let descent = Descent::of_this_process();
    let here = descent.marks.is_empty() || descent.marks.iter().any(|mark| mark.project.as_deref() == Some(root));
    if descent.is_of_an_agent() && here { Err(AppError::Forbidden { what: "replace its project's database" }) } else { Ok(()) }
}

/// Keeps other restorations away until the end of this one: its last steps need the locks of runs to be free.
fn alone(paths: &Paths, outside: Option<&Outside>) -> Result<RunLock> {
    let locks = [Some(paths.db.join(RESTORE_LOCK)), outside.map(Outside::restore_lock)];
    take(locks.into_iter().flatten())?.ok_or(AppError::Db(DbError::Busy))
}

/// Keeps runs away, including one that continues without its folder.
fn without_a_run(paths: &Paths, outside: Option<&Outside>) -> Result<RunLock> {
    let of_slot = |slot| [Some(paths.db.join(lock_file(slot))), outside.map(|outside| outside.lock(slot))];
    take((0..ralph_core::limits::RUNS).flat_map(of_slot).flatten())?.ok_or(AppError::RunActive { run: None })
}

/// Takes those of the locks for which there is a folder.
fn take(locks: impl Iterator<Item = PathBuf>) -> Result<Option<RunLock>> {
    RunLock::take(&locks.filter(|lock| lock.parent().is_some_and(Path::is_dir)).collect::<Vec<_>>())
}

/// Makes room for a new project: the remains of the previous one are set aside.
fn begin_anew(paths: &Paths) -> Result<()> {
    refuse_agents(&paths.root)?;
    let outside = Outside::of(&paths.root);
    let _alone = alone(paths, outside.as_ref())?;
    let _runs = without_a_run(paths, outside.as_ref())?;
    let database = database_of(&paths.root);
    let mut goes_on = false;
    if database.symlink_metadata().is_ok() {
        without_writers(&database, || {
            goes_on = look_at_copy(&database).is_ok();
            if goes_on { Ok(()) } else { put_aside(&database) }
        })?;
    }
    if let Some(outside) = outside {
        if !goes_on {
            // Nobody has looked at what is here now.
            Store::of(&paths.root).forget()?;
        }
        let io = |source| AppError::io(&paths.root, source);
        outside.put_last_state_aside(&database).map_err(io)?;
        outside.forget().map_err(io)?;
    }
    Ok(())
}
