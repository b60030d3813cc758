//! The counts of the rail, the state of the loop, and what needs a person.

pub(crate) mod insights;
pub(crate) mod since;

use crate::app::App;
use crate::error::Result;
use crate::knowledge::queue::doubted_or_said_again;
use crate::review::planted::holds_merges;
use crate::runs::result::row as run_row;
use crate::worktrees::under_way;
use ralph_core::announce::{Announcement, Announcer, ProjectState};
use ralph_core::feature::{FeatureRow, FeatureState};
use ralph_core::limits;
use ralph_core::run::{Iteration, Run, RunControl, StopReason};
use ralph_core::task::TaskStatus;
use ralph_core::view::{IdleLane, LaneRow, NeedsYou, Overview, RunAtWork};
use ralph_core::worktree::{Refusal, Work};
use ralph_core::{TaskId, count};
use sqlite_db::Read;
use std::collections::BTreeMap;

impl App {
    /// Data shown on every page.
    pub fn overview(&self) -> Result<Overview> {
        self.pull_or_warn();
        let rows = self.feature_rows()?;
        let (waiting, now) = (self.waiting(), self.clock.now());
        self.db.read(|r| {
            let runs_at_work = r.active_runs()?.into_iter().map(|run| at_work(r, run)).collect::<Result<Vec<_>>>()?;
            let newest = runs_at_work.first().cloned();
            let active_iteration = match &newest {
                Some(RunAtWork { run, .. }) => r.running_iterations(run.id)?.into_iter().min_by_key(|row| row.id),
                None => None,
            };
            let (active_run, lanes, idle_lanes) =
                newest.map_or_else(Default::default, |newest| (Some(newest.run), newest.lanes, newest.idle_lanes));
            let last = if active_run.is_none() { r.last_ended_run()? } else { None };
            let rests_after = last.map(|run| run_row(r, run)).transpose()?;
            // First of all: an agent is waiting for it, and not for long.
            let questions = r.waiting_questions(now)?.into_iter().map(|question| NeedsYou::Question { question });
            let mut needs_you: Vec<NeedsYou> = questions.chain(r.runs_not_followed()?.iter().filter_map(stopped_badly)).collect();
            if !waiting.is_empty() {
                needs_you.push(NeedsYou::Untrusted { items: waiting });
            }
            let (mut holding, mut notices) = (Vec::new(), Vec::new());
            let open = r.open_notices(limits::NOTICE_ROWS)?;
            let not_shown = r.open_notice_count()?.saturating_sub(count(open.len()));
            for notice in open {
                if holds_merges(r, &notice)? {
                    holding.push(NeedsYou::HoldsMerges { notice });
                } else {
                    notices.push(NeedsYou::Notice { notice });
                }
            }
            // Before the work that they hold up.
            needs_you.extend(holding);
            needs_you.extend(work_for_a_person(r)?);
            needs_you.extend(notices);
            for row in &rows {
                needs_you.extend(knowledge_for_a_person(r, row)?);
            }
            let for_later = doubted_or_said_again(r)?;
            // Nothing is asked about a feature that was put away, and what is in it counts as little as the feature does.
            let open = || rows.iter().filter(|row| row.feature.state != FeatureState::Archived);
            let asked: u32 = open().map(|row| row.parked_count + row.review_count).sum();
            Ok(Overview {
                features: count(open().count()),
                open_tasks: open().map(|row| row.tasks.open()).sum(),
                learnings: open().map(|row| row.saturation.learnings_count).sum(),
                reviews: asked + for_later,
                for_later,
                active_run,
                active_iteration,
                lanes,
                idle_lanes,
                runs_at_work,
                errands_at_work: r.running_errands()?,
                guidance: r.waiting_guidance(None)?,
                needs_you_count: count(needs_you.iter().filter(|item| item.is_actionable()).count()).saturating_add(not_shown),
                needs_you,
                rests_after,
                own_replicas: r.own()?.replicas(),
            })
        })
    }
}

/// A run that is not over, with what its workers do.
pub(crate) fn at_work(r: &Read<'_>, run: Run) -> Result<RunAtWork> {
    let lanes = lanes_of(r, &run, r.running_iterations(run.id)?)?;
    Ok(RunAtWork { idle_lanes: idle_lanes(r, &run, &lanes)?, lanes, run })
}

/// Tasks, and proposals of errands, that go no further without a person.
fn work_for_a_person(r: &Read<'_>) -> Result<Vec<NeedsYou>> {
    let mut standing: BTreeMap<TaskId, (Option<String>, Option<Refusal>)> = BTreeMap::new();
    let mut proposed = Vec::new();
    for (worktree, _) in r.worktrees_in_review()? {
        let under_way = under_way(r, &worktree)?;
        match worktree.work {
            Work::Task(task) => {
                standing.insert(task, (under_way, worktree.refusal));
            }
            Work::Errand(id) => {
                let Some(errand) = r.errand(id)? else { continue };
                let since = errand.ended.unwrap_or(errand.started);
                let (refused, way_out) = told(worktree.refusal, worktree.work);
                proposed.push(NeedsYou::Proposed { errand: id, title: errand.title, refused, way_out, under_way, since });
            }
        }
    }
    let blocked = r.tasks_of_status(TaskStatus::Blocked)?.into_iter().map(|task| NeedsYou::BlockedTask {
        task: task.id,
        title: task.title,
        feature: task.feature,
        reason: task.blocked_reason.unwrap_or_else(|| "blocked by a person".to_owned()),
        since: task.updated,
    });
    let in_review = r.tasks_of_status(TaskStatus::InReview)?.into_iter().map(|task| {
        let (under_way, refusal) = standing.remove(&task.id).unwrap_or_default();
        let (refused, way_out) = told(refusal, Work::Task(task.id));
        NeedsYou::InReview { task: task.id, title: task.title, feature: task.feature, refused, way_out, under_way, since: task.updated }
    });
    let stranded = r.stranded_tasks()?.into_iter().map(|task| NeedsYou::StrandedTask {
        task: task.id,
        title: task.title,
        feature: task.feature,
        waiting_on: task.waiting_on,
        since: task.updated,
    });
    Ok(blocked.chain(in_review).chain(proposed).chain(stranded).collect())
}

/// Why work was not merged, and what to do about it.
fn told(refusal: Option<Refusal>, work: Work) -> (Option<String>, Option<String>) {
    refusal.map(|refusal| (refusal.message.clone(), refusal.hint(work))).unzip()
}

/// What only a person, or more room, can settle in a feature.
fn knowledge_for_a_person(r: &Read<'_>, row: &FeatureRow) -> Result<Vec<NeedsYou>> {
    let feature = || row.feature.name.clone();
    let conflicts = (row.review_count > 0).then(|| NeedsYou::Conflicts { feature: feature(), count: row.review_count });
    let mut all: Vec<NeedsYou> = conflicts.into_iter().collect();
    if row.parked_count > 0 && row.feature.state != FeatureState::Archived {
        let split = row.split_task.map(|task| r.task(task)).transpose()?.flatten();
        all.push(NeedsYou::Parked {
            feature: feature(),
            count: row.parked_count,
            split_task: row.split_task,
            split_waits: split.is_some_and(|split| split.status.waits_for_person()),
        });
    }
    Ok(all)
}

/// The iterations of a run, by lane.
pub(crate) fn lanes_of(r: &Read<'_>, run: &Run, iterations: Vec<Iteration>) -> Result<Vec<LaneRow>> {
    let asked: BTreeMap<u32, RunControl> = r.lane_controls(run.id)?.into_iter().collect();
    let control = |lane: u32| asked.get(&lane).copied().unwrap_or(RunControl::None);
    let mut lanes: Vec<LaneRow> = iterations.into_iter().map(|row| LaneRow::of(run, row.clone(), control(row.lane))).collect();
    lanes.sort_by_key(|row| row.lane);
    Ok(lanes)
}

/// The lanes of a run without a task.
fn idle_lanes(r: &Read<'_>, run: &Run, at_work: &[LaneRow]) -> Result<Vec<IdleLane>> {
    let asked: BTreeMap<u32, RunControl> = r.lane_controls(run.id)?.into_iter().collect();
    let idle = (1..=run.workers).filter(|lane| at_work.iter().all(|row| row.lane != *lane));
    Ok(idle.map(|lane| IdleLane { lane, control: asked.get(&lane).copied().unwrap_or(RunControl::None) }).collect())
}

impl App {
    /// Starts desktop notifications: the current state is not announced.
    pub fn announcer(&self) -> Result<Announcer> {
        let (needs_you, last_ended) = self.announced()?;
        Ok(Announcer::new(&ProjectState { needs_you: &needs_you, last_ended: last_ended.as_ref() }))
    }

    /// What is to be announced now; while `silent`, everything counts as seen.
    pub fn announcements(&self, announcer: &mut Announcer, silent: bool) -> Result<Vec<Announcement>> {
        let (needs_you, last_ended) = self.announced()?;
        Ok(announcer.hear(&ProjectState { needs_you: &needs_you, last_ended: last_ended.as_ref() }, silent, self.clock.now()))
    }

    fn announced(&self) -> Result<(Vec<NeedsYou>, Option<Run>)> {
        Ok((self.overview()?.needs_you, self.db.read(|r| r.last_ended_run())?))
    }
}

/// A run whose end a person should know about.
fn stopped_badly(run: &Run) -> Option<NeedsYou> {
    let reason = run.stop_reason.filter(|reason| reason.needs_person())?;
    let note = run.note.clone().unwrap_or_else(|| match reason {
        StopReason::Stalled => "iterations in a row left nothing behind".to_owned(),
        reason => format!("the run ended: {reason}"),
    });
    Some(NeedsYou::RunStopped { run: run.id, reason, note, since: run.ended.unwrap_or(run.started) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::a_run;
    use crate::clock::Clock;
    use ralph_core::RunId;
    use ralph_core::authority::Wish;
    use ralph_core::notice::{NewNotice, NoticeKind};
    use ralph_core::run::RunResult;
    use ralph_core::time::Timestamp;
    use sqlite_db::table::NewRun;

    /// Begin of the next run, or the end of one, and the time that the clock told then.
    type Act = (i64, Option<(RunId, StopReason)>);

    /// Runs that worked beside each other, by start, end and reason.
    fn after(runs: &[(i64, Option<(i64, StopReason)>)]) -> Overview {
        let begins = runs.iter().map(|(started, _)| (*started, None));
        let ends = (1..).zip(runs).filter_map(|(run, (_, end))| end.map(|(ended, reason)| (ended, Some((run, reason)))));
        let mut acts: Vec<Act> = ends.chain(begins).collect();
        acts.sort_by_key(|(at, _)| *at);
        after_acts(&acts)
    }

    fn after_acts(acts: &[Act]) -> Overview {
        let folder = tempfile::tempdir().unwrap();
        let app = App::init(folder.path(), Clock::from_fn(|| Timestamp(1_000))).unwrap();
        app.write(|tx| {
            for (slot, (at, end)) in (0..).zip(acts) {
                match end {
                    Some((run, reason)) => tx.end_run(*run, *reason, None, Timestamp(*at))?,
                    None => drop(tx.insert_run(&NewRun { in_place: false, slot, ..a_run(std::process::id()) }, Timestamp(*at))?),
                }
            }
            Ok(())
        })
        .unwrap();
        app.overview().unwrap()
    }

    fn stopped(overview: &Overview) -> Vec<RunId> {
        let run = |item: &NeedsYou| if let NeedsYou::RunStopped { run, .. } = item { Some(*run) } else { None };
        overview.needs_you.iter().filter_map(run).collect()
    }

    #[test]
    fn a_run_that_died_is_told_though_one_that_was_started_later_has_ended_or_goes_on() {
        let (died, done) = (Some((20, StopReason::Crashed)), Some((30, StopReason::NothingReady)));
        let overview = after(&[(1, died), (2, done)]);
        assert_eq!((stopped(&overview), overview.rests_after.map(|row| row.run.id)), (vec![1], Some(2)));
        let overview = after(&[(1, Some((40, StopReason::Crashed))), (2, done)]);
        assert_eq!((stopped(&overview), overview.rests_after.map(|row| row.run.id)), (vec![1], Some(1)), "the one that ended last");
        let overview = after(&[(1, died), (2, None)]);
        assert_eq!((stopped(&overview), overview.active_run.map(|run| run.id)), (vec![1], Some(2)));
        assert_eq!(stopped(&after(&[(1, died), (2, died), (3, None)])), [2, 1]);
    }

    #[test]
    fn what_tells_of_harm_is_seen_and_holds_merges_behind_however_many_proposals() {
        let folder = tempfile::tempdir().unwrap();
        let app = App::init(folder.path(), Clock::from_fn(|| Timestamp(1_000))).unwrap();
        let run = app.write(|tx| {
            let run = tx.insert_run(&NewRun { in_place: false, ..a_run(std::process::id()) }, Timestamp(1))?;
            for number in 0..limits::NOTICE_ROWS + 20 {
                let wish = Some(Wish::ReviewLearning { id: number.to_string() });
                tx.insert_notice(
                    &NewNotice { wish, ..NewNotice::new(NoticeKind::Proposal, number.to_string(), String::new()) },
                    Timestamp(1),
                )?;
            }
            let harm = NewNotice { run: Some(run), ..NewNotice::new(NoticeKind::MachineryChanged, "a hook", String::new()) };
            tx.insert_notice(&harm, Timestamp(2))?;
            Ok(run)
        });
        assert!(app.nothing_planted().is_err(), "a merge would run it");
        let overview = app.overview().unwrap();
        assert_eq!(overview.needs_you_count, limits::NOTICE_ROWS + 21);
        assert!(matches!(&overview.needs_you[..], [NeedsYou::HoldsMerges { .. }, rest @ ..] if rest.len() == limits::NOTICE_ROWS as usize));
        app.release_run(run.unwrap(), StopReason::NothingReady, None).unwrap();
        assert_eq!(app.overview().unwrap().rests_after.and_then(|row| row.result), Some(RunResult::NeedsYou));
    }

    #[test]
    fn who_starts_a_run_after_one_that_died_has_seen_it() {
        assert_eq!(stopped(&after(&[(1, Some((20, StopReason::Crashed))), (20, None)])), Vec::<RunId>::new());
    }

    #[test]
    fn a_run_that_ended_while_the_clock_was_ahead_is_not_the_last_one_once_another_has_ended() {
        let crashed = |run| Some((run, StopReason::Crashed));
        let overview = after_acts(&[(1_000, None), (9_000, crashed(1)), (10, None), (20, crashed(2))]);
        assert_eq!((stopped(&overview), overview.rests_after.map(|row| row.run.id)), (vec![2], Some(2)));
    }
}
