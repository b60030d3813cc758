//! An errand so far: its agent's words, its cost, and what keeps the agent from continuing.

use crate::agents::transcript::{EventLog, remark};
use agent_cli::{AgentEvent, AgentExit, StopCause};
use ralph_core::limits;
use ralph_core::run::Spending;
use ralph_core::run::machine::Setback;
use ralph_core::signal::{AgentSignal, Ending, TranscriptEntry, TranscriptSignal, Usage};
use ralph_core::text::{cut, dollars};
use ralph_core::time::Timestamp;
use std::time::{Duration, Instant};

/// Progress of an errand.
pub(super) struct Progress {
    pub log: EventLog,
    pub spending: Spending,
    /// Its last answer.
    pub answer: String,
    /// What its agent did besides its work, in words.
    pub found: Vec<String>,
    /// Why it is being stopped.
    pub cut_short: Option<String>,
    /// The usage limit at which its provider refused it, with the limit's end if known.
    pub limit: Option<Option<Timestamp>>,
    /// What last kept its agent from answering, if that passes by itself.
    pub setback: Option<Setback>,
    pub began: Instant,
}

/// What an ending says about a provider or a network that will be available again; `limit` is the usage limit that was met.
pub(super) fn setback_of(ending: Ending, limit: Option<Option<Timestamp>>) -> Option<Setback> {
    match ending {
        Ending::Completed => None,
        Ending::RateLimited | Ending::Overloaded => Some(Setback::Limit { resets_at: limit.flatten() }),
        Ending::Network => Some(Setback::Offline),
        _ => limit.map(|resets_at| Setback::Limit { resets_at }),
    }
}

impl Progress {
    pub fn new(log: EventLog) -> Progress {
        Progress {
            log,
            spending: Spending::default(),
            answer: String::new(),
            found: Vec::new(),
            cut_short: None,
            limit: None,
            setback: None,
            began: Instant::now(),
        }
    }

    /// Handles one event; returns the exit.
    pub fn take(&mut self, event: AgentEvent, now: Timestamp) -> Option<AgentExit> {
        match event {
            AgentEvent::Signal(signal) => {
                let signal = signal.dated(now);
                self.spending.hear(&signal);
                if let AgentSignal::RateLimit { rejected, resets_at, .. } = &signal {
                    self.limit = rejected.then_some(*resets_at);
                }
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

    pub fn note(&mut self, now: Timestamp, kind: &str, text: String) {
        self.log.add(&remark(now, kind, text));
    }

    /// Why it must be stopped now, with its limits in minutes and dollars.
    pub fn why_to_end(&self, (max_minutes, max_usd): (u32, Option<f64>), used: &Usage, asked: Option<StopCause>) -> Option<String> {
        match asked {
            Some(StopCause::Run) => return Some("its run ended or reached a limit".to_owned()),
            Some(_) => return Some("a person stopped it".to_owned()),
            None => {}
        }
        if self.began.elapsed() > Duration::from_secs(60 * u64::from(max_minutes)) {
            return Some(format!("it took longer than {max_minutes} minutes"));
        }
        let limit = max_usd?;
        used.cost_usd
            .is_some_and(|cost| cost >= limit)
            .then(|| format!("it used {}, and may use {}", dollars(used.cost_usd.unwrap_or_default(), 0, 2), dollars(limit, 0, 2)))
    }
}
