//! The actor of a request, detected and never claimed; and the only place where the rules of authority are applied.
//!
//! An agent is recognized by the marks that Ralph set in its environment or in that of an ancestor, or by its ancestry: the process that
//! owns an active run or errand is among its ancestors, or another `ralph`. If a system hides ancestry, or a process has another service
//! start its commands, only its own marks remain. That is the best possible without sandboxing agents; a missing terminal proves nothing.

use crate::app::App;
use crate::clock::Clock;
use crate::error::{AppError, Result};
use crate::notices::put_before_person;
use crate::owner::lives_alone;
use agent_cli::{Descent, Mark};
use ralph_core::authority::{Act, Actor, Ruling, Wish, may};
use ralph_core::learning::{LearningSource, NewLearning};
use ralph_core::limits;
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::task::{Task, TaskKind};
use sqlite_db::Read;
use std::path::Path;

impl App {
    /// Opens a project for the caller of this process: a person, or the agent found by ancestry or environment.
    pub fn open_for_caller(folder: &Path, clock: Clock) -> Result<App> {
        let app = App::open(folder, clock)?;
        let caller = app.caller()?;
        Ok(app.acting_as(caller))
    }

    /// The same project, with every act attributed to `actor`.
    pub fn acting_as(self, actor: Actor) -> App {
        App { actor, ..self }
    }

    /// The same project for a program: whoever acts through it is not taken for a person.
    pub fn for_a_program(self) -> App {
        match self.actor {
            Actor::Human => self.acting_as(Actor::Agent { working_on: None }),
            Actor::Agent { .. } | Actor::Leftover => self,
        }
    }

    /// The actor of this project.
    pub fn actor(&self) -> Actor {
        self.actor
    }

    /// Signs a learning: with the requested source, otherwise the actor's. The iteration of an agent is known, not claimed.
    pub fn sign(&self, learning: &mut NewLearning, asked: Option<LearningSource>) -> Result<()> {
        learning.source = asked.unwrap_or(self.actor.source());
        if let Ruling::Refused(what) = may(self.actor, &Act::WriteAs(learning.source), None) {
            return Err(AppError::invalid("source", format!("an agent can't {what}"), "leave it out, or use 'agent'"));
        }
        match self.actor {
            Actor::Human => {}
            Actor::Agent { working_on: None } => learning.iteration = None,
            Actor::Agent { working_on: Some((iteration, task)) } => {
                learning.iteration = Some(iteration);
                learning.task_id = Some(task);
            }
            Actor::Leftover => {
                learning.iteration = None;
                learning.task_id = None;
            }
        }
        Ok(())
    }

    /// Permits an act that needs no proposal, or refuses it.
    pub(crate) fn allowed(&self, act: &Act<'_>) -> Result<()> {
        match may(self.actor, act, None) {
            Ruling::Allowed => Ok(()),
            Ruling::Propose => Err(AppError::Forbidden { what: "do that without a person" }),
            Ruling::Refused(what) => Err(AppError::Forbidden { what }),
        }
    }

    /// Permits an act, or turns it into a proposal and returns that as the error. `detail` is what the person bases the decision on.
    pub(crate) fn allowed_or_proposed(&self, act: &Act<'_>, wish: impl FnOnce() -> Result<(Wish, String)>) -> Result<()> {
        if self.actor == Actor::Human {
            return Ok(());
        }
        let split = self.db.read(|r| split_of(r, self.actor))?;
        match may(self.actor, act, split.as_deref()) {
            Ruling::Allowed => Ok(()),
            Ruling::Refused(what) => Err(AppError::Forbidden { what }),
            Ruling::Propose => {
                let (wish, detail) = wish()?;
                Err(self.propose(wish, detail)?)
            }
        }
    }

    /// Creates a proposal; the returned error is for the requester.
    fn propose(&self, wish: Wish, detail: String) -> Result<AppError> {
        let iteration = self.actor.iteration();
        let now = self.clock.now();
        let title = wish.title();
        if detail.chars().nth(limits::NOTICE_DETAIL_CHARS).is_some() {
            return Err(AppError::invalid(
                "proposal",
                format!("would show a person more than {} characters", limits::NOTICE_DETAIL_CHARS),
                "propose less at once; a long text belongs into a file of the project",
            ));
        }
        let new =
            NewNotice { iteration, task: wish.task(), wish: Some(wish), ..NewNotice::new(NoticeKind::Proposal, title.clone(), detail) };
        self.write(|tx| {
            if tx.notices_of(iteration)? >= limits::PROPOSALS {
                return Err(AppError::invalid(
                    "proposal",
                    format!("{} proposals wait for a person already", limits::PROPOSALS),
                    "go on with your own task; a person decides about those first",
                ));
            }
            let run = match iteration {
                Some(iteration) => tx.iteration(iteration)?.map(|row| row.run),
                None => None,
            };
            let notice = put_before_person(tx, NewNotice { run, ..new }, now)?;
            Ok(AppError::Proposed { notice, title })
        })
    }

    /// The caller of this process.
    fn caller(&self) -> Result<Actor> {
        self.caller_by(&Descent::of_this_process())
    }

    /// The same, given the origin of a process.
    fn caller_by(&self, descent: &Descent) -> Result<Actor> {
        let is_here = |mark: &&Mark| mark.project.as_ref().is_none_or(|project| *project == self.paths.root);
        let marked = descent.marks.iter().find(is_here).map(|mark| mark.iteration);
        let is_above = |pid: u32| pid != std::process::id() && descent.pids.contains(&pid);
        let now = self.clock.now();
        self.db.read(|r| {
            let above = r.run_owners()?.into_iter().find(|owner| !owner.over && is_above(owner.pid));
            let errands = r.errand_owners()?;
            let on_errand = errands.iter().any(|errand| is_above(errand.owner.pid) && lives_alone(&errand.owner, errand.heartbeat, now));
            let running = match (&above, marked) {
                (Some(owner), _) => r.running_iterations(owner.run)?,
                (None, _) if on_errand => return Ok(Actor::Leftover),
                (None, Some(_)) => r.all_running_iterations()?,
                (None, None) if !descent.marks.is_empty() => return Ok(Actor::Agent { working_on: None }),
                (None, None) if descent.from_own_program => return Ok(Actor::Leftover),
                (None, None) => return Ok(Actor::Human),
            };
            // The task comes from the row: a mark may be forged, but it can only name one of the running iterations.
            let own = running.iter().find(|row| Some(row.id) == marked).or(match running.as_slice() {
                [only] if above.is_some() && marked != Some(0) && !on_errand => Some(only),
                _ => None,
            });
            Ok(own.map_or(Actor::Leftover, |row| Actor::Agent { working_on: Some((row.id, row.task)) }))
        })
    }
}

/// The feature that the actor's own task splits.
fn split_of(read: &Read<'_>, actor: Actor) -> Result<Option<String>> {
    let Some(task) = actor.task() else { return Ok(None) };
    Ok(read.task(task)?.filter(|task: &Task| task.kind == TaskKind::Split).map(|task| task.feature))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ralph_core::feature::NewFeature;
    use ralph_core::run::hooks::{Claim, IterationCommit, RowEffect};
    use ralph_core::run::owner::Owner;
    use ralph_core::run::{Evidence, Outcome};
    use ralph_core::signal::Usage;
    use ralph_core::strategy::Strategy;
    use ralph_core::task::{NewTask, TaskKind};
    use sqlite_db::table::{NewIteration, NewRun};

    /// A project whose run is owned by `owner` and works on task 1 in iteration 1.
    fn running(owner: u32) -> (tempfile::TempDir, App) {
        running_by(owner, Clock::system())
    }

    /// A run in place that is owned by `owner`.
    pub(crate) fn a_run(owner: u32) -> NewRun {
        let owner = Owner { pid: owner, ..crate::owner::this_process() };
        NewRun { strategy: Strategy::Fixed, owner, ..NewRun::scripted("here") }
    }

    /// The same by another clock.
    pub(crate) fn running_by(owner: u32, clock: Clock) -> (tempfile::TempDir, App) {
        let folder = tempfile::tempdir().unwrap();
        let app = App::init(folder.path(), clock).unwrap();
        app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).unwrap();
        app.create_task(&NewTask { feature: "pay".into(), title: "Refund".into(), ..NewTask::default() }).unwrap();
        let run = a_run(owner);
        let iteration = |run| NewIteration {
            run,
            task: 1,
            task_title: "Refund".into(),
            attempt: 1,
            model: "sonnet".into(),
            rationale: String::new(),
            held_out: false,
            lane: 1,
            scheduled: None,
        };
        let now = app.clock.now();
        app.write(|tx| Ok(tx.insert_iteration(&iteration(tx.insert_run(&run, now)?), now)?)).unwrap();
        (folder, app)
    }

    /// Iteration 1 of such a run, done on a task, with these changes of rows.
    pub(crate) fn done(task: ralph_core::TaskId, kind: TaskKind, rows: Vec<RowEffect>) -> IterationCommit {
        IterationCommit {
            claim: Claim { task, kind, feature: "pay".into(), iteration: 1, attempt: 1 },
            idle: false,
            outcome: Outcome::Done,
            attempt: Some(1),
            rows,
            hooks: Vec::new(),
            usage: Usage::default(),
            model: None,
            denials: Vec::new(),
            exit_code: Some(0),
            evidence: Evidence::default(),
        }
    }

    #[test]
    fn a_caller_is_known_by_marks_and_by_ancestry_and_claims_nothing() {
        const OWNER: u32 = 4_000_000;
        let (_folder, app) = running(OWNER);
        let here = app.paths().root.clone();
        let at_work = Actor::Agent { working_on: Some((1, 1)) };
        let below = [9_000_001, OWNER, 1];
        let mark = |project: &Path, iteration| Mark { project: Some(project.to_owned()), iteration };
        let (bare, elsewhere) = (|iteration| Mark { project: None, iteration }, Path::new("/elsewhere"));
        for (marks, pids, expected) in [
            (vec![], &[9_000_001, 1][..], Actor::Human),
            (vec![mark(&here, 1)], &[1], at_work),
            (vec![bare(1)], &[1], at_work),
            // Without marks, or with forged ones: the ancestry decides.
            (vec![], &below, at_work),
            (vec![bare(99)], &below, at_work),
            (vec![mark(elsewhere, 1)], &below, at_work),
            // What a process was started with outranks what it says about itself.
            (vec![mark(&here, 0), mark(&here, 1)], &[1], Actor::Leftover),
            (vec![mark(elsewhere, 7), mark(&here, 1)], &[1], at_work),
            // Besides an agent that belongs to no iteration others may be running.
            (vec![mark(&here, 0)], &below, Actor::Leftover),
            // Outdated or invalid marks don't make the caller a person.
            (vec![bare(99)], &[1], Actor::Leftover),
            (vec![bare(0)], &[1], Actor::Leftover),
            (vec![mark(elsewhere, 1)], &[1], Actor::Agent { working_on: None }),
        ] {
            let descent = Descent { pids: pids.to_vec(), marks, from_own_program: false };
            assert_eq!(app.caller_by(&descent).unwrap(), expected, "{descent:?}");
        }
        let below_ralph = Descent { from_own_program: true, ..Descent::default() };
        assert_eq!(app.caller_by(&below_ralph).unwrap(), Actor::Leftover, "a check or a set-up that lost its marks");
    }

    #[test]
    fn where_an_agent_learnt_something_is_known_and_not_claimed() {
        let (folder, app) = running(std::process::id());
        drop(app);
        let signed = |actor| {
            let mut new = NewLearning { iteration: Some(2), task_id: Some(9), ..NewLearning::new("pay", "Sums are in cents") };
            App::open(folder.path(), Clock::system()).unwrap().acting_as(actor).sign(&mut new, None).unwrap();
            (new.source, new.iteration, new.task_id)
        };
        assert_eq!(signed(Actor::Human), (LearningSource::Human, Some(2), Some(9)));
        assert_eq!(signed(Actor::Agent { working_on: None }), (LearningSource::Agent, None, Some(9)));
        assert_eq!(signed(Actor::Agent { working_on: Some((1, 1)) }), (LearningSource::Agent, Some(1), Some(1)));
        assert_eq!(signed(Actor::Leftover), (LearningSource::Agent, None, None));
    }
}
