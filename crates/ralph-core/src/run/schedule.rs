//! Scheduling: which ready task a free lane takes while others are busy.
//!
//! Never here: which tasks are ready (computed from their rows), limits (the machine's), or starting anything.

#[cfg(test)]
mod simulation;

use crate::TaskId;
use crate::task::Task;
use std::collections::BTreeSet;

/// Characters of a file's name quoted in a reason.
const NAME_CHARS: usize = 80;
/// Words of a task's texts that are searched for file names.
const WORDS: usize = 20_000;
/// Files of one task that are compared.
const FILES: usize = 500;

/// A task, with the files that work on it is likely to touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Load {
    /// The task.
    pub task: TaskId,
    /// Files and folders, relative to the repository, with `/`.
    pub files: BTreeSet<String>,
}

impl Load {
    /// The files named in the task's own text, and those changed by earlier attempts at it.
    pub fn new(task: &Task, changed: impl IntoIterator<Item = String>) -> Load {
        let texts = [task.title.as_str(), &task.description];
        let named = texts.into_iter().chain(task.acceptance_criteria.iter().map(String::as_str)).flat_map(named_files);
        Load { task: task.id, files: named.chain(changed.into_iter().map(|file| plain(&file).to_owned())).take(FILES).collect() }
    }

    /// The first file that both are likely to touch.
    fn shared_with(&self, other: &Load) -> Option<&str> {
        self.files.iter().find(|file| other.files.iter().any(|theirs| meet(file, theirs))).map(String::as_str)
    }
}

/// The choice for a free lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The task.
    pub task: TaskId,
    /// Why not the first of the list, or why despite a busy lane's task; `None` when the order of the list alone decided.
    pub reason: Option<String>,
}

/// The task for a free lane: the first of `ready` that touches none of the files of those in progress, otherwise the first of
/// all. `None` when nothing is ready. A task in progress is never chosen.
pub fn choose(ready: &[Load], at_work: &[Load]) -> Option<Choice> {
    let mut passed: Option<String> = None;
    let free = || ready.iter().filter(|load| at_work.iter().all(|other| other.task != load.task));
    for load in free() {
        let clash = at_work.iter().find_map(|other| load.shared_with(other).map(|file| (other.task, file)));
        match clash {
            None => return Some(Choice { task: load.task, reason: passed }),
            Some((other, file)) => {
                passed.get_or_insert_with(|| {
                    format!("#{} waits: it is likely to touch {}, as #{other} does, which is at work", load.task, shown(file))
                });
            }
        }
    }
    let first = free().next()?;
    let (other, file) = at_work.iter().find_map(|other| first.shared_with(other).map(|file| (other.task, file)))?;
    let reason = format!("nothing else is ready, though it is likely to touch {}, as #{other} does, which is at work", shown(file));
    Some(Choice { task: first.task, reason: Some(reason) })
}

/// Worktrees to have ready for the tasks that lanes take next: at most one for each of the run's `lanes`, for each iteration that its
/// limits leave, and for each of the `ready` tasks that has none yet. None while the existing ones, together with one more of their average
/// size, would exceed the limit on their bytes (0 = no limit).
pub fn spares(lanes: u32, iterations: u32, ready: u32, (bytes, worktrees, limit): (u64, u32, u64)) -> u32 {
    let wanted = lanes.min(iterations).min(ready);
    let next = bytes / u64::from(worktrees.max(1));
    let room = if limit == 0 { u64::from(wanted) } else { limit.saturating_sub(bytes).checked_div(next).unwrap_or(u64::from(wanted)) };
    wanted.min(u32::try_from(room).unwrap_or(u32::MAX))
}

fn shown(file: &str) -> &str {
    crate::text::cut(file, NAME_CHARS)
}

/// Whether two names may denote the same file, or one the folder of the other. A name without folders may denote any that ends with it.
fn meet(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    long == short
        || long.strip_prefix(short).is_some_and(|rest| rest.starts_with('/'))
        || long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'))
}

/// Names of files and folders in a text, in the spellings of people and agents.
pub fn named_files(text: &str) -> impl Iterator<Item = String> + '_ {
    let ends = |c: char| c.is_whitespace() || "`'\"()[]{}<>,;|=".contains(c);
    text.split(ends).take(WORDS).filter_map(|word| {
        let word = plain(word.trim_end_matches(['.', ':', '!', '?']));
        // `src/pay.rs:12:3` denotes a position in the file.
        let word = word.split(':').next().unwrap_or_default();
        is_file_name(word).then(|| word.to_owned())
    })
}

/// Strips what carries no information: a leading `./`, a trailing `/` or `**`.
fn plain(name: &str) -> &str {
    let mut name = name;
    while let Some(rest) = name.strip_prefix("./") {
        name = rest;
    }
    name.trim_end_matches(['*', '/'])
}

fn is_file_name(word: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "._-+@#~*".contains(c));
    let parts: Vec<&str> = word.split('/').collect();
    if word.starts_with('/') || word.contains("//") || !parts.iter().all(|part| is_part(part)) || parts.contains(&"..") {
        return false;
    }
    let last = parts.last().copied().unwrap_or_default();
    let has_ending = last.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=10).contains(&ending.len())
            && ending.chars().all(char::is_alphanumeric)
            && ending.chars().any(char::is_alphabetic)
    });
    // `and/or` is not a path; a folder has two separators or a file in it, or a trailing one, already stripped here.
    let is_letters = |part: &&str| part.chars().all(|c| c.is_alphabetic());
    if parts.len() == 1 {
        // `e.g` and `i.e` are not file names; neither is the end of a sentence without a following space.
        return has_ending && last.len() > 3;
    }
    has_ending || parts.len() > 2 || !parts.iter().all(is_letters) || parts[0] == "src"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    fn load(task: TaskId, files: &[&str]) -> Load {
        Load { task, files: files.iter().map(|file| (*file).to_owned()).collect() }
    }

    #[test]
    fn files_are_found_in_the_words_of_a_task() {
        for (text, expected) in [
            ("Fix `src/pay.rs` and ./lib/money.ts.", &["src/pay.rs", "lib/money.ts"][..]),
            ("see src/pay.rs:12:3: wrong (README.md)", &["src/pay.rs", "README.md"]),
            ("everything below crates/ralph-core/ and docs/**", &["crates/ralph-core"]),
            ("either and/or both, e.g. https://example.org/a.html, i.e. 1.5 or 3/4 of v2.0.1", &["3/4"]),
            ("Cargo.toml, package.json; .github/workflows/ci.yml", &["Cargo.toml", "package.json", ".github/workflows/ci.yml"]),
            ("not ../outside.rs nor /etc/passwd", &[]),
            ("src/pay", &["src/pay"]),
        ] {
            assert_eq!(named_files(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn a_task_is_loaded_with_what_it_names_and_what_its_attempts_changed() {
        let task = Task {
            id: 3,
            description: "In src/pay.rs".to_owned(),
            acceptance_criteria: vec!["tests/pay.rs is green".to_owned()],
            ..Task::new("pay", "Round totals", Timestamp(1))
        };
        assert_eq!(Load::new(&task, ["src/money.rs".to_owned()]), load(3, &["src/money.rs", "src/pay.rs", "tests/pay.rs"]));
    }

    #[test]
    fn as_many_worktrees_are_made_ahead_as_will_be_taken_and_have_room() {
        const NO_LIMIT: (u64, u32, u64) = (500, 5, 0);
        for (lanes, iterations, ready, room, expected, case) in [
            (4, u32::MAX, 20, NO_LIMIT, 4, "one for each lane"),
            (4, 2, 20, NO_LIMIT, 2, "no more iterations than the limits leave"),
            (4, 0, 20, NO_LIMIT, 0, "the run ends"),
            (4, u32::MAX, 1, NO_LIMIT, 1, "no more than are ready"),
            (4, u32::MAX, 20, (500, 5, 750), 2, "of the size that they have"),
            (4, u32::MAX, 20, (500, 5, 500), 0, "the limit is reached"),
            (4, u32::MAX, 20, (900, 5, 500), 0, "and exceeded"),
            (4, u32::MAX, 20, (0, 0, 500), 4, "of the first nothing is known"),
        ] {
            assert_eq!(spares(lanes, iterations, ready, room), expected, "{case}");
        }
    }

    #[test]
    fn a_lane_takes_what_nobody_at_work_is_likely_to_touch() {
        let choice = |task, reason: Option<&str>| Some(Choice { task, reason: reason.map(str::to_owned) });
        let (pay, dock, any) = (load(1, &["src/pay.rs"]), load(2, &["docs/guide.md"]), load(3, &[]));
        let busy = load(9, &["src"]);
        assert_eq!(choose(&[], std::slice::from_ref(&busy)), None);
        assert_eq!(choose(&[pay.clone(), dock.clone()], &[]), choice(1, None), "alone, the order decides");
        let waits = "#1 waits: it is likely to touch src/pay.rs, as #9 does, which is at work";
        assert_eq!(choose(&[pay.clone(), dock.clone()], std::slice::from_ref(&busy)), choice(2, Some(waits)));
        assert_eq!(
            choose(&[pay.clone(), any], std::slice::from_ref(&busy)),
            choice(3, Some(waits)),
            "of a task that names nothing nothing is known"
        );
        let alone = "nothing else is ready, though it is likely to touch src/pay.rs, as #9 does, which is at work";
        assert_eq!(choose(std::slice::from_ref(&pay), std::slice::from_ref(&busy)), choice(1, Some(alone)));
        assert_eq!(choose(std::slice::from_ref(&pay), std::slice::from_ref(&pay)), None, "no task twice");
        assert_eq!(choose(&[pay, dock], &[load(9, &["pay.rs"]), load(8, &["guide.md", "a"])]), choice(1, Some(alone)));
    }
}
