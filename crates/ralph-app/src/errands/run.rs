//! One errand from its order to its end.

use super::progress::{Progress, setback_of};
use crate::agents::hearing::Hearing;
use crate::agents::transcript::{EventLog, exit_words};
use crate::app::App;
use crate::driver::guard;
use crate::error::{AppError, Result};
use crate::files::Readers;
use crate::notices::put_before_person;
use crate::owner::this_process;
use crate::worktrees::checkout::Checkout;
use agent_cli::{AgentExit, AgentSpec, RunMarks, StopCause, StopHandle, WatchLimits};
use ralph_core::errand::{Errand, ErrandId, ErrandKind, ErrandState};
use ralph_core::notice::NewNotice;
use ralph_core::permission::PermissionProfile;
use ralph_core::run::AgentKind;
use ralph_core::run::machine::Setback;
use ralph_core::settings::usd_limit;
use ralph_core::signal::{Ending, Usage};
use ralph_core::text::one_line;
use ralph_core::time::Timestamp;
use ralph_core::{RunId, TaskId, prices};
use sqlite_db::Tx;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Interval at which an errand checks for a stop request, and writes its heartbeat.
pub(super) const LOOK: Duration = Duration::from_millis(250);

/// Characters of an agent's last words in the note of a failed errand.
const NOTE_CHARS: usize = 300;

/// What to ask an agent.
pub(crate) struct Order {
    pub kind: ErrandKind,
    pub task: Option<TaskId>,
    /// The run whose work causes it.
    pub run: Option<RunId>,
    /// Its purpose, in words.
    pub title: String,
    pub checkout: Checkout,
    /// Tools that it may use without asking; `None` = the project's setting.
    pub tools: Option<Vec<String>>,
    pub agent: AgentKind,
    pub program: PathBuf,
    pub script: Option<PathBuf>,
    pub model: String,
    pub max_usd: Option<f64>,
    pub max_minutes: u32,
    /// JSON schema of its answer, enforced by agents that can; whoever ordered it still reads the answer as data.
    pub answer_schema: Option<String>,
}

impl Order {
    /// The row of the errand.
    fn row(&self, now: Timestamp) -> Errand {
        Errand {
            id: 0,
            kind: self.kind,
            state: ErrandState::Running,
            task: self.task,
            run: self.run,
            title: self.title.clone(),
            agent: Some(self.agent),
            model: self.model.clone(),
            folder: self.checkout.folder.to_string_lossy().into_owned(),
            max_usd: self.max_usd,
            max_minutes: self.max_minutes,
            answer: String::new(),
            note: None,
            usage: Usage::default(),
            started: now,
            ended: None,
        }
    }
}

/// The run whose work causes errands, and how much of its dollars they may take together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purse {
    pub run: RunId,
    /// `None` = the run has no limit.
    pub left_usd: Option<f64>,
}

impl Purse {
    /// Takes what an errand cost.
    pub fn pay(&mut self, errand: &Errand) {
        self.left_usd = self.left_usd.map(|left| left - errand.usage.cost_usd.unwrap_or_default());
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.left_usd.is_some_and(|left| left <= 0.0)
    }

    /// What the next errand may cost: what is left here, and no more than the project's limit for one; 0 is not a limit there.
    ///
    /// # Errors
    /// If nothing is left.
    pub fn open(purse: Option<Purse>, max_usd: f64) -> Result<Option<f64>> {
        let left = purse.and_then(|purse| purse.left_usd);
        if purse.is_some_and(|purse| purse.is_empty()) {
            let fault = "nothing is left of the run's dollars for another agent";
            return Err(AppError::invalid("max_usd", fault, "raise the run's limit, or look at the work yourself"));
        }
        Ok(left.into_iter().chain(usd_limit(max_usd)).reduce(f64::min))
    }
}

/// A running errand. Its agent may be asked more than once, when a result is invalid.
pub(crate) struct Running {
    pub id: ErrandId,
    pub order: Order,
    replica: String,
    asked: u32,
    work: Progress,
}

impl Running {
    /// The agent's last answer; empty before the first.
    pub fn answer(&self) -> &str {
        &self.work.answer
    }

    /// What last kept its agent from answering, if that passes by itself.
    pub fn setback(&self) -> Option<Setback> {
        self.work.setback
    }
}

/// Result of asking its agent once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ErrandEnd {
    /// It ended by itself.
    Answered,
    /// It did not, with the reason.
    Failed(ErrandState, Option<String>),
}

impl App {
    /// Runs an errand to its end, whatever that is. The agent's words are cleaned, logged and returned; they have no effect by themselves.
    ///
    /// # Errors
    /// If it could not be started or stored.
    pub(crate) async fn run_errand(self: &Arc<Self>, order: Order, prompt: &str, stop: &StopHandle) -> Result<Errand> {
        let running = self.blocking(move |app| app.begin_errand(order, |_, _| Ok(()))).await?;
        Ok(self.see_errand_through(running, prompt, stop).await?.0)
    }

    /// The same for an errand that has begun, with what kept its agent from answering, if that passes by itself.
    pub(crate) async fn see_errand_through(
        self: &Arc<Self>,
        mut running: Running,
        prompt: &str,
        stop: &StopHandle,
    ) -> Result<(Errand, Option<Setback>)> {
        let asked = self.ask_errand(&mut running, prompt, stop).await?;
        let (state, note) = match asked {
            ErrandEnd::Answered => (ErrandState::Done, None),
            ErrandEnd::Failed(state, note) => (state, note),
        };
        let setback = running.setback();
        let errand = self.blocking(move |app| app.end_errand(running, state, note.as_deref(), |_| Ok(()))).await?;
        Ok((errand, setback))
    }

    /// Stores a new errand, and in the same commit the effect of `with` on its number, which may refuse.
    pub(crate) fn begin_errand(&self, order: Order, with: impl FnOnce(&Tx<'_>, ErrandId) -> Result<()>) -> Result<Running> {
        let new = order.row(self.clock.now());
        let store = |tx: &Tx<'_>| {
            let id = tx.insert_errand(&new, &this_process())?;
            with(tx, id)?;
            Ok(id)
        };
        let id = self.begin_held(&self.standing()?, || self.write(store))?;
        self.paths.files().make_folder(&self.paths.scratch())?;
        let log = EventLog::create(self.paths.files(), &self.errand_log(id))?;
        let work = Progress::new(log);
        Ok(Running { id, order, replica: self.db.read(|r| r.own())?.replica, asked: 0, work })
    }

    /// Asks the agent of an errand, which starts from scratch and knows only the prompt.
    pub(crate) async fn ask_errand(self: &Arc<Self>, running: &mut Running, prompt: &str, stop: &StopHandle) -> Result<ErrandEnd> {
        let prompt = crate::secrets::wash::text(prompt);
        running.asked += 1;
        running.work.answer.clear();
        running.work.limit = None;
        let (place, text) = (self.errand_prompt(running.id, running.asked), prompt.clone());
        self.blocking(move |app| Ok(app.paths.files().write(&place, text.as_bytes(), Readers::Owner)?)).await?;
        let Running { id, order, replica, work, .. } = running;
        let (errand, task, checkout) = (*id, order.task, order.checkout.clone());
        let (checkout, before, files) = self
            .blocking(move |app| {
                let before = app.around_errand(errand, &checkout);
                // Changes during an iteration are reported on that iteration.
                let files = app.db.read(|r| r.active_runs())?.is_empty().then(|| (app.own_files(), app.tracked_private_files()));
                Ok((checkout, before, files))
            })
            .await?;
        let exit = match self.start_errand(order, prompt, replica) {
            Ok(agent) => self.hear_errand(*id, order, agent, work, stop).await,
            Err(error) => AgentExit {
                code: None,
                signal: None,
                ending: Ending::Failed,
                stopped_by: None,
                detail: crate::secrets::wash::text(&error.to_string()),
            },
        };
        work.note(self.clock.now(), "exited", exit_words(exit.ending, exit.code, &exit.detail));
        work.log.flush();
        let found = self
            .blocking(move |app| {
                let found = before.map(|before| app.tell_around(errand, task, &checkout, &before)).transpose()?.unwrap_or_default();
                let changes = files.map(|(files, tracked)| app.settle_own_files(Some(&files), Some(&tracked)).0).unwrap_or_default();
                if let Some(notice) = guard::notice(&format!("errand {errand}"), &changes) {
                    let now = app.clock.now();
                    app.write(|tx| put_before_person(tx, NewNotice { task, ..notice }, now))?;
                }
                Ok(found)
            })
            .await?;
        work.found.extend(found);
        work.setback = setback_of(exit.ending, work.limit).filter(|_| work.cut_short.is_none());
        Ok(match (work.cut_short.clone(), exit.ending) {
            (Some(why), _) => ErrandEnd::Failed(ErrandState::Stopped, Some(why)),
            (None, Ending::Completed) => ErrandEnd::Answered,
            (None, ending) => {
                // An agent that ended by itself says why in its last words.
                let detail = if exit.detail.trim().is_empty() { one_line(&work.answer, NOTE_CHARS) } else { exit.detail };
                let note = format!("{ending}: {detail}");
                ErrandEnd::Failed(ErrandState::Failed, Some(note.trim_end_matches([':', ' ']).to_owned()))
            }
        })
    }

    /// Ends an errand, with further changes in the same commit.
    pub(crate) fn end_errand(
        &self,
        running: Running,
        state: ErrandState,
        note: Option<&str>,
        with: impl FnOnce(&Tx<'_>) -> Result<()>,
    ) -> Result<Errand> {
        let Running { id, order, work, .. } = running;
        let usage = prices::with_cost(work.spending.model().unwrap_or(&order.model), work.spending.total());
        let note: Vec<&str> = note.into_iter().chain(work.found.iter().map(String::as_str)).collect();
        let note = (!note.is_empty()).then(|| crate::secrets::wash::text(&note.join("\n")));
        let now = self.clock.now();
        self.write(|tx| {
            tx.beat_errand(id, &usage, now)?;
            tx.end_errand(id, state, &work.answer, note.as_deref(), now)?;
            with(tx)
        })?;
        self.end_hold_when_idle()?;
        self.errand(id)
    }

    /// Marks without a run and an iteration: processes with them may change nothing in the project.
    fn start_errand(&self, order: &Order, prompt: String, replica: &str) -> Result<Hearing> {
        let settings = self.settings()?;
        let marks = RunMarks {
            task: order.task.unwrap_or(0),
            replica: replica.to_owned(),
            more: order.checkout.variables.clone(),
            ..RunMarks::apart(self.paths.root.clone())
        };
        let spec = AgentSpec {
            kind: order.agent,
            program: order.program.clone(),
            prompt,
            model: order.model.clone(),
            cwd: order.checkout.folder.clone(),
            repository: order.checkout.git_folders_for(order.agent),
            marks,
            mcp_servers: Vec::new(),
            // The tools that an errand names are all that it needs.
            permissions: if order.tools.is_some() { PermissionProfile::Normal } else { settings.permissions },
            ask_tool: None,
            check: settings.check.clone(),
            permission_mode: settings.permission_mode.clone(),
            allowed_tools: order.tools.clone().unwrap_or_else(|| settings.allowed_tools.clone()),
            max_usd: order.max_usd,
            answer_schema: order.answer_schema.clone(),
            script: order.script.clone(),
            scratch_dir: self.paths.scratch(),
            watch: WatchLimits::default(),
            pass_env: settings.pass_env,
            max_retries: None,
        };
        Ok(Hearing::of(agent_cli::start(spec)?))
    }

    async fn hear_errand(
        self: &Arc<Self>,
        id: ErrandId,
        order: &Order,
        mut agent: Hearing,
        work: &mut Progress,
        stop: &StopHandle,
    ) -> AgentExit {
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                events = agent.next() => {
                    for event in events {
                        if let Some(exit) = work.take(event, self.clock.now()) {
                            return exit;
                        }
                    }
                    work.log.flush();
                }
                _ = look.tick() => {
                    if let Some(why) = self.why_to_end(id, order, work, stop).await {
                        work.cut_short.get_or_insert(why);
                        agent.stop();
                    }
                }
            }
        }
    }

    /// Why a running errand must be stopped now. Whoever asks also writes its heartbeat.
    pub(super) async fn why_to_end_errand(self: &Arc<Self>, running: &Running, stop: &StopHandle) -> Option<String> {
        self.why_to_end(running.id, &running.order, &running.work, stop).await
    }

    async fn why_to_end(self: &Arc<Self>, id: ErrandId, order: &Order, work: &Progress, stop: &StopHandle) -> Option<String> {
        let used = prices::with_cost(work.spending.model().unwrap_or(&order.model), work.spending.total());
        let by_row = self.look_after_errand(id, used).await;
        work.why_to_end((order.max_minutes, order.max_usd), &used, by_row.then_some(StopCause::Person).or(stop.asked()))
    }

    /// Writes the heartbeat, and returns whether a person requested a stop. If the database is busy, the next check comes soon.
    async fn look_after_errand(self: &Arc<Self>, id: ErrandId, used: Usage) -> bool {
        let looked = self.blocking(move |app| {
            let now = app.clock.now();
            if let Some(mut writer) = app.db.try_writer()? {
                writer.transaction(|tx| tx.beat_errand(id, &used, now))?;
            }
            Ok(app.db.read(|r| r.is_errand_to_stop(id))?)
        });
        looked.await.unwrap_or_else(|error| {
            tracing::debug!("an errand could not be looked after: {error}");
            false
        })
    }
}
