//! One errand from its order to its end.

use crate::App;
use crate::checkout::Checkout;
use crate::driver::hearing::Hearing;
use crate::driver::transcript::{EventLog, exit_words, remark};
use crate::error::Result;
use crate::files::Readers;
use crate::owner::this_process;
use agent_cli::{AgentEvent, AgentExit, AgentSpec, RunMarks, StopHandle, WatchLimits};
use ralph_core::errand::{Errand, ErrandId, ErrandKind, ErrandState};
use ralph_core::run::{AgentKind, Spending};
use ralph_core::signal::{AgentSignal, Ending, TranscriptEntry, TranscriptSignal, Usage};
use ralph_core::text::cut;
use ralph_core::time::Timestamp;
use ralph_core::{TaskId, limits, prices};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often an errand looks whether it is to stop, and gives a sign of life.
const LOOK: Duration = Duration::from_millis(250);

/// What is asked of an agent.
pub(crate) struct Order {
    pub kind: ErrandKind,
    pub task: Option<TaskId>,
    pub prompt: String,
    pub checkout: Checkout,
    /// Tools that it may use without asking; `None` = the project's setting.
    pub tools: Option<Vec<String>>,
    pub agent: AgentKind,
    pub program: PathBuf,
    pub script: Option<PathBuf>,
    pub model: String,
    pub max_usd: Option<f64>,
    pub max_minutes: u32,
}

/// What an errand has come to so far.
struct Work {
    log: EventLog,
    spending: Spending,
    /// What it said last.
    answer: String,
    /// Why it is being ended.
    cut_short: Option<String>,
    began: Instant,
}

impl App {
    /// Runs an errand to its end, whatever that is. What the agent said is washed, kept in a log and answered; nothing of it counts by itself.
    ///
    /// # Errors
    /// When it could not be started, or not be stored.
    pub(crate) async fn run_errand(self: &Arc<Self>, order: Order, stop: &StopHandle) -> Result<Errand> {
        let now = self.clock.now();
        let new = Errand {
            id: 0,
            kind: order.kind,
            state: ErrandState::Running,
            task: order.task,
            agent: order.agent,
            model: order.model.clone(),
            folder: order.checkout.folder.to_string_lossy().into_owned(),
            max_usd: order.max_usd,
            max_minutes: order.max_minutes,
            answer: String::new(),
            note: None,
            usage: Usage::default(),
            started: now,
            ended: None,
        };
        let prompt = crate::wash::text(&order.prompt);
        let (id, log, replica) = self.blocking(move |app| app.begin_errand(&new, &prompt)).await?;
        let mut work = Work { log, spending: Spending::default(), answer: String::new(), cut_short: None, began: Instant::now() };
        let exit = match self.start_errand(&order, &replica) {
            Ok(agent) => self.hear_errand(id, &order, agent, &mut work, stop).await,
            Err(error) => AgentExit {
                code: None,
                signal: None,
                ending: Ending::Failed,
                stopped_by: None,
                detail: crate::wash::text(&error.to_string()),
            },
        };
        work.note(self.clock.now(), "exited", exit_words(exit.ending, exit.code, &exit.detail));
        work.log.flush();
        let usage = prices::with_cost(work.spending.model().unwrap_or(&order.model), work.spending.total());
        let (state, note) = match (work.cut_short, exit.ending) {
            (Some(why), _) => (ErrandState::Stopped, Some(why)),
            (None, Ending::Completed) => (ErrandState::Done, None),
            (None, ending) => (ErrandState::Failed, Some(format!("{ending}: {}", exit.detail).trim_end_matches([':', ' ']).to_owned())),
        };
        let answer = work.answer;
        self.blocking(move |app| {
            let now = app.clock.now();
            app.write(|tx| {
                tx.beat_errand(id, &usage, now)?;
                Ok(tx.end_errand(id, state, &answer, note.as_deref(), now)?)
            })?;
            app.errand(id)
        })
        .await
    }

    fn begin_errand(&self, new: &Errand, prompt: &str) -> Result<(ErrandId, EventLog, String)> {
        let id = self.write(|tx| Ok(tx.insert_errand(new, &this_process())?))?;
        self.paths.files().write(&self.errand_prompt(id), prompt.as_bytes(), Readers::Owner)?;
        self.paths.files().make_folder(&self.paths.scratch())?;
        Ok((id, EventLog::create(self.paths.files(), &self.errand_log(id))?, self.db.read(|r| r.own())?.replica))
    }

    /// Marks without a run and an iteration: whoever carries them may change nothing of the project.
    fn start_errand(&self, order: &Order, replica: &str) -> Result<Hearing> {
        let settings = self.settings()?;
        let marks = RunMarks {
            project: self.paths.root.clone(),
            task: order.task.unwrap_or(0),
            replica: replica.to_owned(),
            more: order.checkout.variables.clone(),
            ..RunMarks::default()
        };
        let spec = AgentSpec {
            kind: order.agent,
            program: order.program.clone(),
            prompt: order.prompt.clone(),
            model: order.model.clone(),
            cwd: order.checkout.folder.clone(),
            marks,
            mcp_servers: Vec::new(),
            permission_mode: settings.permission_mode.clone(),
            allowed_tools: order.tools.clone().unwrap_or_else(|| settings.allowed_tools.clone()),
            max_usd: order.max_usd,
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
        work: &mut Work,
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
                    let used = prices::with_cost(work.spending.model().unwrap_or(&order.model), work.spending.total());
                    let asked = self.look_after_errand(id, used).await;
                    if let Some(why) = work.why_to_end(order, &used, asked || stop.asked().is_some()) {
                        work.cut_short.get_or_insert(why);
                        agent.stop();
                    }
                }
            }
        }
    }

    /// Gives a sign of life, and answers whether a person asked for the end. Who can't write or read just now looks again soon.
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

impl Work {
    /// Takes one event; the exit, when it is that.
    fn take(&mut self, event: AgentEvent, now: Timestamp) -> Option<AgentExit> {
        match event {
            AgentEvent::Signal(signal) => {
                self.spending.hear(&signal);
                let said = match &signal {
                    AgentSignal::Text { text } | AgentSignal::TurnEnded { text, .. } if !text.trim().is_empty() => Some(text),
                    _ => None,
                };
                if let Some(text) = said {
                    self.answer = cut(text.trim(), limits::ERRAND_ANSWER_CHARS).to_owned();
                }
                self.log.add(&TranscriptEntry { at: now, signal: TranscriptSignal::Agent { signal } });
                None
            }
            AgentEvent::Stderr(line) => {
                self.note(now, "stderr", line);
                None
            }
            AgentEvent::Exited(exit) => Some(exit),
        }
    }

    fn note(&mut self, now: Timestamp, kind: &str, text: String) {
        self.log.add(&remark(now, kind, text));
    }

    /// Why it must end now.
    fn why_to_end(&self, order: &Order, used: &Usage, asked: bool) -> Option<String> {
        if asked {
            return Some("a person stopped it".to_owned());
        }
        if self.began.elapsed() > Duration::from_secs(60 * u64::from(order.max_minutes)) {
            return Some(format!("it took longer than {} minutes", order.max_minutes));
        }
        let limit = order.max_usd?;
        used.cost_usd
            .is_some_and(|cost| cost >= limit)
            .then(|| format!("it used ${:.2}, and may use ${limit:.2}", used.cost_usd.unwrap_or_default()))
    }
}
