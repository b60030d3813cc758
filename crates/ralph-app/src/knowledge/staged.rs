//! Staged learnings: what is learned in a worktree belongs to its branch until that branch is merged.
//!
//! It is stored at once, is in a file on its branch, is included only in prompts on that branch, and counts in no feature.
//! When the base contains the branch (merged by Ralph, by hand, or as another clone's file that came with the base), it is
//! remembered in the ordinary way, once.

use super::candidate::{Cleaned, cleaned, near};
use super::projector::perform;
use super::rules::Rules;
use super::slice::Needs;
use crate::app::App;
use crate::clock::utc_offset_minutes;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use crate::rows::find_feature;
use git_repo::Repo;
use ralph_core::learning::{FeatureLearning, LearningSource, NewLearning, StagedLearning, StagedStanding, Verdict};
use ralph_core::noun::Noun;
use ralph_core::remember::RememberOutcome;
use ralph_core::worktree::{Worktree, WorktreeState};
use ralph_core::{IterationId, limits};
use ralph_rag::act::Candidate;
use ralph_rag::gate;
use ralph_rag::journal::{Event, GateMark, Line, VERSION, parse, wash_line};
use sqlite_db::table::StagedRow;
use sqlite_db::{Read, Tx};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The folder of such files, below that of the journals. They are named after the branches.
pub(crate) const FOLDER: &str = "staged";
/// Maximum number of branch files that are read.
const FILES: usize = 10_000;

impl App {
    /// The worktree of the agent's iteration, if its learnings belong to the branch.
    pub(super) fn branch_of_actor(&self, r: &Read<'_>) -> Result<Option<Worktree>> {
        let Some(iteration) = self.actor().iteration() else { return Ok(None) };
        branch_of(r, iteration)
    }

    /// Staged learnings of the agent's branch, newest first; of one feature or of all. Empty for other actors.
    pub fn staged_on_own_branch(&self, feature: Option<&str>) -> Result<Vec<FeatureLearning>> {
        let feature = feature.map(|name| self.feature(name)).transpose()?.map(|feature| feature.name);
        let mut known = self.db.read(|r| match self.branch_of_actor(r)? {
            Some(worktree) => known_on_branch(r, &worktree),
            None => Ok(Vec::new()),
        })?;
        known.retain(|learning| feature.as_ref().is_none_or(|name| learning.feature.eq_ignore_ascii_case(name)));
        Ok(known)
    }

    /// Staged learnings in order; of one feature or of all.
    pub fn staged(&self, feature: Option<&str>) -> Result<Vec<StagedLearning>> {
        let feature = feature.map(|name| self.feature(name)).transpose()?.map(|feature| feature.name);
        let rows = self.db.read(|r| r.staged(None))?;
        let mut all: Vec<StagedLearning> = rows.iter().filter_map(staged_learning).collect();
        all.retain(|staged| feature.as_ref().is_none_or(|name| staged.learning.feature.eq_ignore_ascii_case(name)));
        Ok(all)
    }

    /// Writes staged learnings into the file of their branch, and commits it there. If git ignores that file, they are only in the
    /// database.
    pub(crate) fn keep_staged(&self, worktree: &Worktree) -> Result<()> {
        let rows = self.db.read(|r| r.staged(Some(worktree.id)))?;
        let Some(repo) = self.repo_in(worktree).filter(|_| !rows.is_empty()) else { return Ok(()) };
        let folder = self.checkout_in(worktree).folder;
        let path = file_in(&folder, &worktree.branch);
        if repo.branch()?.as_deref() != Some(&worktree.branch) || repo.is_ignored(&path)? {
            return Ok(());
        }
        let files = ProjectFiles::of(&folder);
        let in_folder = files.read(&path, limits::JOURNAL_BYTES)?;
        let is_new = in_folder.is_none();
        let there = in_folder.map_or_else(|| left_out(&repo, &file_in(&self.place_in(&repo), &worktree.branch)), Ok)?;
        let known: BTreeSet<String> = parse("", &there).0.into_iter().map(|line| line.id).collect();
        let mut more: String = rows.iter().filter(|row| !known.contains(&row.id)).map(|row| row.line.clone() + "\n").collect();
        if more.is_empty() && is_new {
            return Ok(());
        }
        if !more.is_empty() {
            if !there.is_empty() && !there.ends_with(b"\n") {
                more.insert(0, '\n');
            }
            let lines = if is_new { [there.as_slice(), more.as_bytes()].concat() } else { more.into_bytes() };
            let mut file = files.append(&path, Readers::Anyone)?;
            file.write_all(&lines).and_then(|()| file.sync_data()).map_err(|source| AppError::io(&path, source))?;
        }
        repo.commit_file(&path, "Ralph: what was learnt on this branch")?;
        Ok(())
    }

    /// The branch files in the project's own checkout, whose branches are therefore merged.
    pub(super) fn staged_names(&self) -> Result<Vec<String>> {
        let folder = self.paths.memory.join(FOLDER);
        if self.paths.files().real(&folder)?.is_none() {
            return Ok(Vec::new());
        }
        let name = |path: PathBuf| {
            let below = path.strip_prefix(&self.paths.memory).ok()?.to_str()?.strip_suffix(".jsonl")?;
            Some(below.replace(std::path::MAIN_SEPARATOR, "/"))
        };
        Ok(self.paths.files().walk(&folder, FILES)?.into_iter().filter_map(name).collect())
    }
}

/// The worktree of an iteration, if its learnings belong to the branch.
pub(crate) fn branch_of(r: &Read<'_>, iteration: IterationId) -> Result<Option<Worktree>> {
    let Some(row) = r.iteration(iteration)? else { return Ok(None) };
    Ok(r.worktree_of_iteration(&row)?.filter(|worktree| worktree.state == WorktreeState::Ready))
}

/// Stages a lesson for a branch. Reported twice in one iteration, by tool and by sigil, it is stored once.
pub(crate) fn stage(tx: &Tx<'_>, new: &NewLearning, worktree: &Worktree, rules: Rules) -> Result<RememberOutcome> {
    let feature = find_feature(tx, &new.feature)?;
    let Cleaned { learning, redacted, cut } = cleaned(tx, new, &feature, rules)?;
    let report = gate::inspect(&learning.text, learning.reason.as_deref(), &learning.tags);
    let known = tx.staged(Some(worktree.id))?;
    let same = |staged: &StagedLearning| staged.learning.text == learning.text && staged.learning.iteration == learning.iteration;
    let id = match known.iter().filter_map(staged_learning).find(same) {
        Some(known) => known.id,
        None => insert(tx, &learning, worktree, rules)?,
    };
    Ok(RememberOutcome {
        verdict: Verdict::Staged,
        id,
        pruned: Vec::new(),
        conflicts_with: Vec::new(),
        put_away: None,
        redacted,
        cut,
        saturation: tx.saturation_of(&feature, rules.default_cap)?,
        split_task: tx.active_split_task(feature.id)?,
        gate: report,
        reconcile_pending: false,
    })
}

fn insert(tx: &Tx<'_>, learning: &FeatureLearning, worktree: &Worktree, rules: Rules) -> Result<String> {
    let id = crate::clock::next_id(tx.last_event_id()?.as_deref(), rules.now);
    tx.set_last_event_id(&id)?;
    let FeatureLearning { feature, text, reason, category, tags, source, task_id, iteration, .. } = learning.clone();
    let learning = NewLearning { feature, text, reason, category: Some(category), tags, source, task_id, iteration };
    let line = Line {
        v: VERSION,
        id: id.clone(),
        at: rules.now,
        offset: Some(utc_offset_minutes(rules.now)),
        replica: Some(tx.own()?.replica),
        act: None,
        event: Event::Staged { branch: worktree.branch.clone(), learning: Box::new(learning) },
    };
    tx.insert_staged(&id, Some(worktree.id), &line.to_json())?;
    Ok(id)
}

/// Staged learnings of a task's branch for a prompt, newest first.
pub(crate) fn known_on_branch(r: &Read<'_>, worktree: &Worktree) -> Result<Vec<FeatureLearning>> {
    let rows = r.staged(Some(worktree.id))?;
    let waiting = rows.iter().rev().filter(|row| row.standing == StagedStanding::Waiting);
    let record = |StagedLearning { id, at, learning, .. }: StagedLearning| FeatureLearning {
        reason: learning.reason,
        tags: learning.tags,
        source: learning.source,
        task_id: learning.task_id,
        iteration: learning.iteration,
        ..FeatureLearning::new(id, &learning.feature, learning.text, at)
    };
    Ok(waiting.filter_map(staged_learning).map(record).collect())
}

/// Why there is no learning with an id: it may be staged.
pub(super) fn missing(r: &Read<'_>, id: &str) -> Result<AppError> {
    let waits = |row: &StagedRow| row.id == id && row.standing != StagedStanding::Landed;
    let Some(staged) = r.staged(None)?.iter().find(|row| waits(row)).and_then(staged_learning) else {
        return Ok(AppError::not_found(Noun::Learning, id));
    };
    let fault = format!("learning {id} is known on the branch '{}' only", staged.branch);
    Ok(AppError::invalid("id", fault, "merge the branch: then it is a learning of its task's feature; `ralph learning staged` lists these"))
}

/// Remembers the learnings staged in a worktree: the base contains its branch.
pub(crate) fn land(tx: &Tx<'_>, worktree: &Worktree, rules: Rules) -> Result<()> {
    for row in tx.staged(Some(worktree.id))?.iter().filter(|row| row.standing != StagedStanding::Landed) {
        if let Some(line) = line_of(row) {
            land_line(tx, &line, rules)?;
        }
    }
    Ok(())
}

/// The same for lines that came with the base; their replica is kept, so that they count as words from outside.
pub(super) fn land_files(tx: &Tx<'_>, lines: &[&Line], held: &BTreeSet<String>, rules: Rules) -> Result<u32> {
    let mut landed = 0;
    for line in lines.iter().filter(|line| !held.contains(&line.id)) {
        if tx.has_landed(&line.id)? {
            continue;
        }
        let own = tx.staged(None)?.into_iter().find(|row| row.id == line.id);
        let line = match own.as_ref().and_then(line_of) {
            // A line that was written here is known here; the file may differ by now.
            Some(own) => own,
            None => Line { event: wash_line(line.event.clone()), ..(*line).clone() },
        };
        tx.insert_staged(&line.id, None, &line.to_json())?;
        landed += u32::from(land_line(tx, &line, rules)?);
    }
    Ok(landed)
}

/// Remembers one staged lesson, in its task's feature; returns whether that changed anything. A rejected one stays staged, with a warning.
fn land_line(tx: &Tx<'_>, line: &Line, rules: Rules) -> Result<bool> {
    let Event::Staged { learning: new, .. } = &line.event else { return Ok(false) };
    let own = tx.own()?.replica;
    let is_own = line.replica.as_ref() == Some(&own);
    let home = if is_own { new.task_id.map(|task| tx.task(task)).transpose()?.flatten().map(|task| task.feature) } else { None };
    let name = home.unwrap_or_else(|| new.feature.clone());
    let Some(feature) = tx.feature(&name)? else {
        tracing::warn!("what was learnt on a branch waits: there is no feature '{name}'");
        return Ok(false);
    };
    // Only a person at the screen writes as one.
    let source = if new.source == LearningSource::Human { LearningSource::Agent } else { new.source };
    let Cleaned { learning, .. } = cleaned(tx, &NewLearning { source, ..(**new).clone() }, &feature, rules)?;
    let report = gate::inspect(&learning.text, learning.reason.as_deref(), &learning.tags);
    let learning = FeatureLearning { id: line.id.clone(), created: line.at, replica: line.replica.clone(), ..learning };
    let near = near(tx, &feature, &learning.text)?;
    let gate = GateMark { passed: report.passed, density: report.density, refused: false };
    let candidate = Candidate::new(learning, gate);
    let needs = Needs::newcomer(&feature.name, near.clone()).and_put_away();
    match perform(tx, rules, &needs, |draft| draft.land(&candidate, &near)) {
        Ok(done) => Ok(done.is_some()),
        Err(fault @ AppError::NewerJournal { .. }) => {
            tracing::warn!("what was learnt on a branch waits: {fault}");
            Ok(false)
        }
        Err(fault) => Err(fault),
    }
}

fn line_of(row: &StagedRow) -> Option<Line> {
    parse("", row.line.as_bytes()).0.pop()
}

fn staged_learning(row: &StagedRow) -> Option<StagedLearning> {
    let line = line_of(row)?;
    let Event::Staged { branch, learning } = line.event else { return None };
    Some(StagedLearning { id: row.id.clone(), branch, at: line.at, learning: *learning, standing: row.standing })
}

/// The lines that a branch has in its file, a path below the root, where a sparse checkout leaves that out of the folder.
fn left_out(repo: &Repo, path: &Path) -> Result<Vec<u8>> {
    let files = if repo.leaves_out(path)? { repo.files_at("HEAD", path)? } else { Vec::new() };
    Ok(files.into_iter().next().map(|(_, lines)| lines).unwrap_or_default())
}

/// The file of a branch in a checkout.
fn file_in(folder: &Path, branch: &str) -> PathBuf {
    let memory = folder.join(".ralph").join("db").join("memory").join(FOLDER);
    memory.join(format!("{branch}.jsonl"))
}
