//! Automatic learning from a session outside of runs, on a separate thread.

use super::Speaker;
use crate::app::App;
use crate::error::AppError;
use crate::secrets::wash;
use ralph_core::settings::AutomaticLearning;
use ralph_core::time::Timestamp;
use ralph_rag::learn::{Operation, Tracker};
use serde_json::Value;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Queued operations; further ones are dropped and counted.
const QUEUE: usize = 256;
/// Time without a call after which the queue is processed: while calls follow each other, none shares the processor and the database with
/// learning from the previous one.
const QUIET: Duration = Duration::from_millis(20);
/// The most calls that are worked off together: a client that never pauses must not fill the queue, and little is lost when a process dies.
const TOGETHER: usize = 64;
/// Idle time after which detections are settled.
const IDLE: Duration = Duration::from_secs(1);

/// One answered call, with the caller's choice on learning from it.
#[derive(Debug)]
pub struct AnsweredCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// Error message; `None` = success.
    pub error: Option<String>,
    /// Duration.
    pub duration_ms: u32,
    /// Whether to learn from it, overriding the settings.
    pub auto_learn: Option<bool>,
    /// The calling program.
    pub client: String,
    /// Knowledge that Ralph included in its answer; otherwise empty.
    pub told: String,
}

/// A call, and when it was answered.
type Heard = (Instant, AnsweredCall);

/// Processes the calls of one session. No caller waits for it.
#[derive(Debug)]
pub struct Listener {
    /// `None` once it ended.
    queue: Mutex<Option<SyncSender<Heard>>>,
    done: Mutex<Receiver<()>>,
    dropped: Arc<AtomicU32>,
}

impl Listener {
    /// Starts the thread.
    ///
    /// # Errors
    /// If no thread can be created.
    pub fn start(app: Arc<App>) -> Result<Listener, AppError> {
        let (queue, heard) = sync_channel(QUEUE);
        let (end, done) = sync_channel(1);
        let dropped = Arc::new(AtomicU32::new(0));
        let lost = Arc::clone(&dropped);
        let app_root = app.paths.root.clone();
        let listen = move || {
            Ears { app, tracker: Tracker::default(), speaker: Speaker::default(), settings: None, heard: 0, called: false }
                .listen(&heard, &lost);
            // The waiting caller may have given up.
            let _ = end.send(());
        };
        thread::Builder::new().name("automatic-learning".into()).spawn(listen).map_err(|source| AppError::io(&app_root, source))?;
        Ok(Listener { queue: Mutex::new(Some(queue)), done: Mutex::new(done), dropped })
    }

    /// Queues one call without blocking.
    pub fn hear(&self, heard: AnsweredCall) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let full = queue.as_ref().is_some_and(|queue| matches!(queue.try_send((Instant::now(), heard)), Err(TrySendError::Full(_))));
        if full {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Stops, and waits until everything queued is settled, at most for `patience`. The rest stays as rows.
    pub fn end(&self, patience: Duration) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        let _ = self.done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(patience);
    }
}

/// The thread's side.
struct Ears {
    app: Arc<App>,
    tracker: Tracker,
    speaker: Speaker,
    /// As last read.
    settings: Option<AutomaticLearning>,
    /// Operations that are not counted yet.
    heard: u32,
    /// Whether the session made any call.
    called: bool,
}

impl Ears {
    fn listen(mut self, queue: &Receiver<Heard>, dropped: &AtomicU32) {
        let mut settled = true;
        loop {
            match queue.recv_timeout(IDLE) {
                Ok(heard) => {
                    settled = false;
                    together(heard, queue).into_iter().for_each(|heard| self.take(heard));
                }
                Err(RecvTimeoutError::Timeout) if settled => {}
                Err(RecvTimeoutError::Timeout) => {
                    settled = true;
                    self.settle(dropped);
                    // A person may change them during the session.
                    self.settings = None;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let settings = self.settings();
                    for detection in self.tracker.finish() {
                        log(self.app.keep_detection(&settings, &self.speaker, &detection, std::mem::take(&mut self.heard)));
                    }
                    self.settle(dropped);
                    // The session's own changes included. A client that only asked for the list of tools changed nothing.
                    if self.called {
                        self.app.learn_from_code_or_warn();
                    }
                    return;
                }
            }
        }
    }

    fn take(&mut self, (answered, heard): Heard) {
        self.called = true;
        let settings = self.settings();
        let learnt = heard.auto_learn.unwrap_or(settings.enabled);
        let AnsweredCall { tool, arguments, error, duration_ms, auto_learn, client, told } = heard;
        let ago = i64::try_from(answered.elapsed().as_millis()).unwrap_or(i64::MAX).saturating_add(i64::from(duration_ms));
        let at = Timestamp(self.app.clock.now().0.saturating_sub(ago));
        let asked = auto_learn == Some(true);
        let operation = wash::operation(Operation { error, duration_ms, asked, ..Operation::of(tool, arguments, at) });
        if !learnt {
            self.tracker.pass_over(&operation);
            return;
        }
        self.heard += 1;
        self.speaker.session = wash::text(&client);
        self.tracker.was_told(&told);
        self.tracker.tune(&settings);
        if let Some(detection) = self.tracker.track_operation(operation) {
            log(self.app.keep_detection(&settings, &self.speaker, &detection, std::mem::take(&mut self.heard)));
        }
    }

    fn settings(&mut self) -> AutomaticLearning {
        if self.settings.is_none() {
            // Unreadable settings disable learning; the commands report the error.
            self.settings = Some(self.app.settings().map(|settings| settings.automatic_learning).unwrap_or_default());
        }
        self.settings.clone().unwrap_or_default()
    }

    fn settle(&mut self, dropped: &AtomicU32) {
        let heard = std::mem::take(&mut self.heard);
        log(self.app.count_operations(heard, dropped.swap(0, Ordering::Relaxed)));
        log(self.app.settle_detections());
    }
}

/// A call and those that follow it without a pause.
fn together(first: Heard, queue: &Receiver<Heard>) -> Vec<Heard> {
    let mut heard = vec![first];
    while heard.len() < TOGETHER
        && let Ok(next) = queue.recv_timeout(QUIET)
    {
        heard.push(next);
    }
    heard
}

fn log<T>(result: Result<T, AppError>) {
    if let Err(error) = result {
        tracing::warn!("automatic learning: {error}");
    }
}
