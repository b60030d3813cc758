//! Recovery of a killed Ralph's iterations: read from the event log, judged by the same hooks, and prepared for the same commit.
//!
//! Everything here happens before the write lock is taken. A log that can't be read is reported and skipped: the iteration is then settled
//! without it, and the log stays. A database that can't be read says nothing about a log: the iteration waits until it can be.

use crate::agents::transcript::read_exit;
use crate::app::App;
use crate::driver::commit::Times;
use crate::driver::lane::Ears;
use crate::driver::{Before, settle};
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use crate::learn::{Speaker, keep_in};
use crate::rows::find_task;
use ralph_core::noun::Noun;
use ralph_core::run::hooks::{Claim, IterationCommit, IterationCtx, POST_ITERATION, run_hooks};
use ralph_core::run::{GitRemark, Iteration, Replay};
use ralph_core::settings::Settings;
use ralph_core::sigil::TaskClaim;
use ralph_core::signal::{AgentSignal, Ending, TranscriptEntry, TranscriptSignal};
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, RunId, limits};
use ralph_rag::learn::Detection;
use sqlite_db::{Read, Tx};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

/// Commits of unsettled iterations.
#[derive(Default)]
pub(crate) struct UnsettledCommits {
    commits: BTreeMap<IterationId, Unsettled>,
}

/// A commit of an unsettled iteration.
struct Unsettled {
    commit: IterationCommit,
    settings: Settings,
    /// What failed again and again in it, and did not work since.
    unmended: Vec<Detection>,
    /// When its agent was last heard.
    last_heard: Option<Timestamp>,
}

impl UnsettledCommits {
    /// The iterations about which something is known.
    pub(crate) fn iterations(&self) -> impl Iterator<Item = IterationId> {
        self.commits.keys().copied()
    }

    /// Settles an iteration from what was said in it, as of its end or when its agent was last heard; returns whether anything is known
    /// about it. Later changes, however late they are found, are a person's.
    pub(crate) fn settle(&self, tx: &Tx<'_>, iteration: IterationId, times: Times) -> Result<bool> {
        let Some(Unsettled { commit, settings, unmended, last_heard }) = self.commits.get(&iteration) else { return Ok(false) };
        let ended = last_heard.map_or(times.ended, |heard| heard.max(times.ended)).min(times.now);
        settle(tx, commit.clone(), settings, Times { ended, ..times })?;
        let speaker = Speaker { iteration: Some(iteration), ..Speaker::default() };
        for detection in unmended {
            keep_in(tx, &settings.automatic_learning, &speaker, (detection, 0), times.now)?;
        }
        Ok(true)
    }

    /// Releases with what was said; if that fails, without it: nothing may stay held for data that can't be stored. Where only the place
    /// fails, it waits until that is mended.
    pub(crate) fn or_without<T>(&self, mut release: impl FnMut(Option<&UnsettledCommits>) -> Result<T>) -> Result<T> {
        match release(Some(self)) {
            Err(error) if !self.commits.is_empty() && !error.is_of_the_place() => {
                tracing::error!("what was said can't be committed, and stays in the log: {error}");
                release(None)
            }
            done => done,
        }
    }
}

impl App {
    /// Replays the open iterations of these runs; fails where the place of the database does.
    pub(crate) fn heard(&self, runs: &[RunId]) -> Result<UnsettledCommits> {
        let read = || -> Result<Vec<Iteration>> {
            self.faults.point()?;
            let open = |r: &Read<'_>| runs.iter().map(|run| r.running_iterations(*run)).collect::<sqlite_db::Result<Vec<_>>>();
            Ok(self.db.read(open)?.concat())
        };
        let open = read().or_else(|error| {
            tell_unless_of_the_place(error, || format!("the open iterations of runs {runs:?} could not be read")).map(|()| Vec::new())
        })?;
        let mut commits = BTreeMap::new();
        for row in open {
            match self.heard_in(&row) {
                Ok(commit) => {
                    commits.insert(row.id, commit);
                }
                Err(error) => tell_unless_of_the_place(error, || format!("what was said in iteration {} could not be recovered", row.id))?,
            }
        }
        Ok(UnsettledCommits { commits })
    }

    /// Deletes the state from before iterations that are settled now.
    pub(crate) fn forget_heard(&self, heard: &UnsettledCommits) {
        heard.commits.keys().for_each(|iteration| self.forget_before(*iteration));
    }

    fn heard_in(&self, row: &Iteration) -> Result<Unsettled> {
        // Unreadable settings are not a reason to lose what was said.
        let settings = self.settings().unwrap_or_default();
        let (task, has_check, mcp_claims) = self.db.read(|r| {
            let run = r.run(row.run)?.ok_or_else(|| AppError::not_found(Noun::Run, row.run))?;
            Ok::<_, AppError>((find_task(r, row.task)?, run.check.is_some(), r.iteration_signals(row.id)?))
        })?;
        let attempt = row.attempt.unwrap_or(1);
        let claim = Claim { task: task.id, kind: task.kind, feature: task.feature, iteration: row.id, attempt };
        let mut replay = Replay::new(claim.clone());
        let checkout = self.checkout_of(row);
        // What was mended is stored since it was heard; a failure waits for the end of its session.
        let mut ears = Ears { settings: settings.automatic_learning.clone(), ..Ears::default() };
        let Heard { exited, last: last_heard } = hear(self.paths.files(), &self.log_path(row.id), |signal, at| {
            ears.hear(&signal, at, &checkout.folder);
            replay.hear(signal);
        })?;
        let mcp_claims = mcp_claims.into_iter().map(|done| TaskClaim { done, task: None }).collect();
        let exit = replay.ended(exited, mcp_claims, has_check);
        let before = self.kept_before(row.id).unwrap_or_else(App::unknown_before);
        let learnings: Vec<String> = exit.sigils.learnings.iter().map(|learning| learning.text.clone()).collect();
        let (mut facts, _) = self.facts(&claim, (&checkout, &before), &settings, None, &learnings)?;
        let found = facts.evidence.remarks.iter().any(|remark| *remark != GitRemark::Unversioned);
        if found || !facts.evidence.ralph_files.is_empty() {
            facts.evidence.remarks.insert(0, GitRemark::LookedLate);
        }
        let ctx = IterationCtx { claim, exit, facts, max_attempts: settings.max_attempts, has_check };
        Ok(Unsettled { commit: run_hooks(POST_ITERATION, ctx), settings, unmended: ears.tracker.finish(), last_heard })
    }

    /// Stores the state before an iteration's agent started, for whoever has to settle it if this process can't.
    pub(crate) fn keep_before(&self, iteration: IterationId, before: &Before) {
        // Evidence that can't be stored is missing, which is no reason not to work.
        let kept = serde_json::to_vec(before).map_err(|source| AppError::io(self.before_path(iteration), source.into()));
        let kept = kept.and_then(|kept| Ok(self.paths.files().write(&self.before_path(iteration), &kept, Readers::Owner)?));
        if let Err(error) = kept {
            tracing::warn!("how things stood before iteration {iteration} is not kept: {error}");
        }
    }

    /// Deletes it once the iteration is settled.
    pub(crate) fn forget_before(&self, iteration: IterationId) {
        // It may not exist; a remaining file is harmless.
        let _ = std::fs::remove_file(self.before_path(iteration));
    }

    fn kept_before(&self, iteration: IterationId) -> Option<Before> {
        let read = self.paths.files().read(&self.before_path(iteration), limits::SNAPSHOT_BYTES);
        let kept = read.inspect_err(|error| tracing::warn!("iteration {iteration} has no evidence: {error}")).ok()??;
        serde_json::from_slice(&kept).inspect_err(|error| tracing::warn!("iteration {iteration} has no evidence: {error}")).ok()
    }

    fn before_path(&self, iteration: IterationId) -> PathBuf {
        self.paths.logs.join(format!("{iteration}.before.json"))
    }
}

/// Reports a fault that is not a reason to wait; returns one of the database's place.
fn tell_unless_of_the_place(error: AppError, what: impl FnOnce() -> String) -> Result<()> {
    if error.is_of_the_place() {
        return Err(error);
    }
    tracing::error!("{}: {error}", what());
    Ok(())
}

/// What a log says beyond its signals.
#[derive(Default)]
struct Heard {
    /// How the agent's process ended.
    exited: Option<(Ending, Option<i32>)>,
    /// The time of the last line.
    last: Option<Timestamp>,
}

/// Replays a log. A missing one is empty; a torn line is skipped.
fn hear(files: ProjectFiles<'_>, path: &Path, mut replay: impl FnMut(AgentSignal, Timestamp)) -> Result<Heard> {
    let mut heard = Heard::default();
    let Some(file) = files.open(path)? else { return Ok(heard) };
    let (mut reader, mut line) = (BufReader::new(file), Vec::new());
    while reader.read_until(b'\n', &mut line).map_err(|source| AppError::io(path, source))? > 0 {
        if let Ok(entry) = serde_json::from_slice::<TranscriptEntry>(&line) {
            heard.last = Some(entry.at);
            match entry.signal {
                TranscriptSignal::Agent { signal } => replay(signal, entry.at),
                TranscriptSignal::Ralph { note, text } if note == "exited" => heard.exited = read_exit(&text),
                TranscriptSignal::Ralph { .. } => {}
            }
        }
        line.clear();
    }
    Ok(heard)
}

#[cfg(test)]
mod tests {
    use crate::actor::tests::running_by;
    use crate::clock::Clock;
    use crate::faults::testing::Kind;
    use crate::files::Readers;
    use ralph_core::run::{Outcome, StopReason};
    use ralph_core::signal::{AgentSignal, TranscriptEntry, TranscriptSignal};

    #[test]
    fn a_database_that_can_not_be_read_does_not_stand_for_an_agent_that_said_nothing() {
        let (_folder, app) = running_by(std::process::id(), Clock::system());
        let ended = || app.release_run(1, StopReason::InternalError, None);
        let outcome = || app.db.read(|r| r.iteration(1)).expect("reads").expect("is there").outcome;
        app.faults.plan(Kind::Error, 0);
        assert!(ended().is_err() && app.faults.end());
        assert_eq!(outcome(), Outcome::Running, "its log is heard once it can be");
        ended().expect("is mended");
        assert_eq!(outcome(), Outcome::Interrupted);
    }

    #[test]
    fn what_failed_again_and_again_until_ralph_was_killed_is_told() {
        let (_folder, app) = running_by(std::process::id(), Clock::system());
        let call = |id: &str| AgentSignal::ToolCall {
            id: id.to_owned(),
            name: "Bash".to_owned(),
            summary: "make proto".to_owned(),
            paths: Vec::new(),
            arguments: serde_json::Value::Null,
            of_subagent: false,
        };
        let failed = |id: &str| AgentSignal::ToolResult {
            id: id.to_owned(),
            is_error: true,
            summary: "make: protoc: No such file or directory".to_owned(),
            exit_code: Some(2),
        };
        let line = |signal| {
            let entry = TranscriptEntry { at: app.clock.now(), signal: TranscriptSignal::Agent { signal } };
            serde_json::to_string(&entry).expect("has only strings and numbers") + "\n"
        };
        let log = [call("1"), failed("1"), call("2"), failed("2")].map(line).concat();
        app.paths.files().write(&app.log_path(1), log.as_bytes(), Readers::Owner).expect("is written");
        app.release_run(1, StopReason::Crashed, None).expect("is released");
        app.settle_detections().expect("settles");
        let told: Vec<String> = app.list_episodes(None).expect("reads").into_iter().map(|row| row.episode.lesson).collect();
        assert_eq!(told, ["`make proto` failed 2 times (make: protoc: No such file or directory), and nothing mended it"]);
    }
}
