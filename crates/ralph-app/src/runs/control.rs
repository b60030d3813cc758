//! What any process asks of active runs, and which run is meant.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::owner::wake;
use ralph_core::RunId;
use ralph_core::authority::Act;
use ralph_core::noun::Noun;
use ralph_core::run::{Run, RunControl, RunState};
use ralph_core::view::RunWithLanes;

impl App {
    /// Asks something of a run, or of one lane of it; any process may ask. Without a number the active run is meant, which must be the only
    /// one. A run whose process turns out to be dead is ended, which is what a stop asked for: the answer is how that run ended. An
    /// immediate stop can't be withdrawn, also before the run has seen it.
    pub fn control_run(&self, run: Option<RunId>, lane: Option<u32>, control: RunControl) -> Result<Run> {
        self.allowed(&Act::SteerRun)?;
        let asked_of = match run {
            Some(id) => Some(self.db.read(|r| r.run(id))?.ok_or_else(|| AppError::not_found(Noun::Run, id))?.id),
            None => self.only_active_run()?,
        };
        self.recover()?;
        let asked = self.write(|tx| {
            let asked = asked_of.map(|id| tx.run(id)).transpose()?.flatten().ok_or(AppError::NoRun)?;
            if asked.ended.is_some() {
                return match control {
                    RunControl::StopNow | RunControl::StopAfter => Ok(asked),
                    RunControl::Pause | RunControl::None => Err(AppError::RunOver { run: asked.id, why: asked.why_over() }),
                };
            }
            if let Some(lane) = lane.filter(|lane| !(1..=asked.workers).contains(lane)) {
                return Err(AppError::not_found(Noun::Lane, lane));
            }
            let of_lane = |(of, known): &(u32, RunControl)| Some(*of) == lane && *known == RunControl::StopNow;
            if asked.control == RunControl::StopNow || tx.lane_controls(asked.id)?.iter().any(of_lane) {
                return match control {
                    RunControl::StopNow | RunControl::StopAfter => Ok(asked),
                    RunControl::Pause | RunControl::None => Err(being_stopped(asked.id, lane)),
                };
            }
            if let Some(lane) = lane {
                tx.set_lane_control(asked.id, lane, control)?;
                return Ok(asked);
            }
            tx.set_run_control(asked.id, control)?;
            if control == RunControl::StopNow {
                tx.set_run_state(asked.id, RunState::Stopping, None, None)?;
            }
            tx.run(asked.id)?.ok_or(AppError::NoRun)
        })?;
        if asked.ended.is_none() && matches!(control, RunControl::StopNow | RunControl::StopAfter) {
            let owners = self.db.read(|r| r.run_owners())?.into_iter();
            owners.filter(|run| run.run == asked.id).filter_map(|run| run.owner).for_each(|owner| wake(&owner));
        }
        Ok(asked)
    }

    /// Asks something of every active run. Returns those that were asked, and the first fault: none keeps it from asking the others.
    ///
    /// # Errors
    /// If it can't be read which runs are active.
    pub fn control_all(&self, control: RunControl) -> Result<(Vec<Run>, Option<AppError>)> {
        // A run that is being stopped neither pauses nor resumes.
        let stops = matches!(control, RunControl::StopNow | RunControl::StopAfter);
        let meant = self.active_runs()?.into_iter().filter(|run| stops || run.control != RunControl::StopNow);
        Ok(self.control_each(meant.map(|run| run.id), control))
    }

    fn control_each(&self, runs: impl Iterator<Item = RunId>, control: RunControl) -> (Vec<Run>, Option<AppError>) {
        let (mut asked, mut fault) = (Vec::new(), None);
        for run in runs {
            match self.control_run(Some(run), None, control) {
                Ok(run) => asked.push(run),
                // It ended since it was listed.
                Err(AppError::RunOver { .. }) => {}
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        (asked, fault)
    }

    /// The active run, if there is one; several are refused with their numbers.
    fn only_active_run(&self) -> Result<Option<RunId>> {
        let mut active: Vec<RunId> = self.db.read(|r| r.active_runs())?.iter().map(|run| run.id).collect();
        if active.len() > 1 {
            // One of them may be dead, and then it is clear which one is meant.
            self.recover()?;
            active = self.db.read(|r| r.active_runs())?.iter().map(|run| run.id).collect();
        }
        if active.len() > 1 {
            active.sort_unstable();
            let numbers = active.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let fault = format!("{} runs go on: {numbers}", active.len());
            return Err(AppError::invalid("run", fault, "say which with `--run ID`, or `--all`"));
        }
        Ok(active.pop())
    }

    /// A run that was asked to stop, as it stands now. One whose process is gone is ended first, which fails where it can't be stored:
    /// whoever waits for the end would wait in vain.
    pub fn stopping_run(&self, id: RunId) -> Result<RunWithLanes> {
        self.end_if_gone(id)?;
        self.run_with_lanes(id)
    }

    /// The runs that are not over, the newest first.
    pub fn active_runs(&self) -> Result<Vec<Run>> {
        self.try_recover()?;
        Ok(self.db.read(|r| r.active_runs())?)
    }

    /// The run that is not over; of several the newest.
    pub fn active_run(&self) -> Result<Option<Run>> {
        Ok(self.active_runs()?.into_iter().next())
    }
}

fn being_stopped(run: RunId, lane: Option<u32>) -> AppError {
    let what = lane.map_or_else(|| format!("run {run}"), |lane| format!("lane {lane} of run {run}"));
    AppError::invalid("run", format!("{what} is being stopped"), "wait for its end, then start another with `ralph run`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::testing::Kind;
    use crate::runs::testing::{played, prepared};
    use ralph_core::run::StopReason;
    use sqlite_db::DbError;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_stop_that_the_run_has_not_seen_yet_is_not_withdrawn_by_a_pause_or_a_resume() {
        let (_folder, app, prepared) = prepared().await;
        let asked = |lane, control| app.control_run(None, lane, control);
        let lane = || app.db.read(|r| r.lane_controls(prepared.run.id)).unwrap();

        asked(Some(1), RunControl::StopNow).unwrap();
        for withdrawn in [RunControl::None, RunControl::Pause] {
            let refused = asked(Some(1), withdrawn).unwrap_err().to_string();
            assert!(refused.contains("being stopped"), "{refused}");
        }
        asked(Some(1), RunControl::StopAfter).unwrap();
        assert_eq!(lane(), [(1, RunControl::StopNow)], "at once is sooner than after the iteration");
        assert_eq!(asked(None, RunControl::Pause).unwrap().control, RunControl::Pause, "the run itself goes on");

        asked(None, RunControl::StopNow).unwrap();
        for withdrawn in [RunControl::None, RunControl::Pause] {
            let refused = asked(None, withdrawn).unwrap_err().to_string();
            assert!(refused.contains("being stopped"), "{refused}");
        }
        assert_eq!(asked(None, RunControl::StopAfter).unwrap().control, RunControl::StopNow);
        assert_eq!(asked(None, RunControl::StopNow).unwrap().control, RunControl::StopNow, "a second stop is not an error");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_run_that_can_not_be_asked_does_not_keep_the_others_from_it() {
        let (_folder, app, over) = prepared().await;
        app.release_run(over.run.id, StopReason::StoppedNow, None).unwrap();
        drop(over);
        let prepared = app.start_run(&played(None)).await.unwrap();
        let at_work = prepared.run.id;
        let asked = |runs: [RunId; 2]| {
            let (asked, fault) = app.control_each(runs.into_iter(), RunControl::Pause);
            (asked.iter().map(|run| run.id).collect::<Vec<_>>(), fault.map(|fault| fault.to_string()))
        };
        assert_eq!(asked([1, at_work]), (vec![at_work], None), "one has ended since it was listed");
        let (reached, fault) = asked([99, at_work]);
        assert!(reached == [at_work] && fault.is_some_and(|fault| fault.contains("99")));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn whoever_waits_for_the_end_of_a_run_learns_that_a_full_disk_keeps_it_from_being_stored() {
        let (_folder, app, prepared) = prepared().await;
        let run = prepared.run.id;
        app.faults.plan(Kind::Stays, 0);
        assert_eq!(app.stopping_run(run).expect("lives, and nothing is written").run.ended, None);

        drop(prepared);
        let refused = app.stopping_run(run);
        assert!(matches!(refused, Err(AppError::Db(DbError::DiskFull))), "{refused:?}");
        app.faults.end();
        assert!(app.stopping_run(run).expect("there is room again").run.ended.is_some());
    }
}
