//! The counts of the rail, the state of the loop, and what waits for a person.

use crate::App;
use crate::error::Result;
use ralph_core::announce::{Announcement, Announcer, Standing};
use ralph_core::feature::FeatureState;
use ralph_core::limits;
use ralph_core::run::{Iteration, Run, RunControl, StopReason};
use ralph_core::task::{TaskFilter, TaskStatus};
use ralph_core::view::{LaneRow, NeedsYou, Overview};
use sqlite_db::Read;
use std::collections::BTreeMap;

impl App {
    /// Everything that stands on every page.
    pub fn overview(&self) -> Result<Overview> {
        self.pull_or_warn();
        let rows = self.feature_rows()?;
        let waiting = self.waiting();
        self.db.read(|r| {
            let (learnings, parked, conflicts) = r.learning_totals()?;
            let active_run = r.active_run(None)?;
            let at_work = match &active_run {
                Some(run) => r.running_iterations(run.id)?,
                None => Vec::new(),
            };
            let active_iteration = at_work.iter().min_by_key(|row| row.id).cloned();
            let lanes = match &active_run {
                Some(run) => lanes_of(r, run, at_work)?,
                None => Vec::new(),
            };
            let blocked = r.tasks(&TaskFilter { statuses: vec![TaskStatus::Blocked], ..TaskFilter::default() })?;
            let mut needs_you: Vec<NeedsYou> = Vec::new();
            if active_run.is_none() {
                needs_you.extend(r.runs(1)?.into_iter().next().and_then(|run| stopped_badly(&run)));
            }
            if !waiting.is_empty() {
                needs_you.push(NeedsYou::Untrusted { items: waiting });
            }
            needs_you.extend(blocked.into_iter().map(|task| NeedsYou::BlockedTask {
                task: task.id,
                title: task.title,
                reason: task.blocked_reason.unwrap_or_else(|| "blocked by a person".to_owned()),
            }));
            needs_you.extend(r.stranded_tasks()?.into_iter().map(|task| NeedsYou::StrandedTask {
                task: task.id,
                title: task.title,
                waiting_on: task.waiting_on,
            }));
            needs_you.extend(r.open_notices(limits::NOTICE_ROWS)?.into_iter().map(|notice| NeedsYou::Notice { notice }));
            for row in &rows {
                if row.review_count > 0 {
                    needs_you.push(NeedsYou::Conflicts { feature: row.feature.name.clone(), count: row.review_count });
                }
                if row.parked_count > 0 && row.feature.state != FeatureState::Archived {
                    needs_you.push(NeedsYou::Parked {
                        feature: row.feature.name.clone(),
                        count: row.parked_count,
                        split_task: row.split_task,
                    });
                }
            }
            Ok(Overview {
                features: u32::try_from(rows.iter().filter(|row| row.feature.state != FeatureState::Archived).count()).unwrap_or(u32::MAX),
                open_tasks: r.open_task_count()?,
                learnings,
                reviews: parked + conflicts,
                active_run,
                active_iteration,
                lanes,
                guidance: r.waiting_guidance(None)?,
                needs_you,
                own_replicas: r.own()?.replicas(),
            })
        })
    }
}

/// What these iterations of a run do, by lane.
pub(crate) fn lanes_of(r: &Read<'_>, run: &Run, iterations: Vec<Iteration>) -> Result<Vec<LaneRow>> {
    let asked: BTreeMap<u32, RunControl> = r.lane_controls(run.id)?.into_iter().collect();
    let control = |lane: u32| asked.get(&lane).copied().unwrap_or(RunControl::None);
    let mut lanes: Vec<LaneRow> = iterations.into_iter().map(|row| LaneRow::of(run, row.clone(), control(row.lane))).collect();
    lanes.sort_by_key(|row| row.lane);
    Ok(lanes)
}

impl App {
    /// Begins to tell the desktop: what stands now is no news.
    pub fn announcer(&self) -> Result<Announcer> {
        let (needs_you, last_run) = self.announced()?;
        Ok(Announcer::new(&Standing { needs_you: &needs_you, last_run: last_run.as_ref() }))
    }

    /// What the desktop is to be told now; while `silent`, everything counts as seen.
    pub fn announcements(&self, announcer: &mut Announcer, silent: bool) -> Result<Vec<Announcement>> {
        let (needs_you, last_run) = self.announced()?;
        Ok(announcer.hear(&Standing { needs_you: &needs_you, last_run: last_run.as_ref() }, silent, self.clock.now()))
    }

    fn announced(&self) -> Result<(Vec<NeedsYou>, Option<Run>)> {
        Ok((self.overview()?.needs_you, self.runs(1)?.into_iter().next()))
    }
}

/// A run whose end a person should know of.
fn stopped_badly(run: &Run) -> Option<NeedsYou> {
    let reason = run.stop_reason.filter(|reason| reason.needs_person())?;
    let note = run.note.clone().unwrap_or_else(|| match reason {
        StopReason::Stalled => "iterations in a row left nothing behind".to_owned(),
        reason => format!("the run ended: {reason}"),
    });
    Some(NeedsYou::RunStopped { run: run.id, reason, note })
}
