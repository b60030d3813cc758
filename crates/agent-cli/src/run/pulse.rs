//! Time of an agent's last output, and the state of its turns: the basis of the watchdog and of judging its exit.

use crate::command::WatchLimits;
use ralph_core::sigil::Sigils;
use ralph_core::signal::{AgentSignal, Ending};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// A consumer that blocks a reader for longer hides what the agent says meanwhile. Shorter waits are normal for an agent that says much.
const LONG_WAIT: Duration = Duration::from_secs(1);

/// Shared by the readers, which update it, and the supervisor, which waits on it.
#[derive(Debug)]
pub(super) struct Pulse {
    heard: Mutex<PulseState>,
    turned: Notify,
}

#[derive(Debug)]
struct PulseState {
    last_output: Instant,
    /// Readers blocked by the consumer of events; that does not count as the agent's silence.
    held_up: u32,
    /// When the first of them was.
    held_since: Option<Instant>,
    /// When its turn ended. Here and in `offline`, long waits of the reader do not count.
    turn_ended: Option<Instant>,
    /// Since when it has only said that it has no connection.
    offline: Option<Instant>,
    /// Whether the last thing it said is that a usage limit refused it: it may wait silently until that ends.
    limited: bool,
    /// Whether something it started works on in the background.
    in_background: bool,
    /// Whether it has said how its task ended: then there is nothing left to wait for.
    claimed: bool,
    turns: Turns,
    process_ended: bool,
}

/// State of an agent's turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Turns {
    /// Ending of the last finished turn.
    pub last: Option<Ending>,
    /// Whether another turn has begun since.
    pub open: bool,
}

impl PulseState {
    /// Whether another turn follows what works in the background.
    fn awaits_background(&self) -> bool {
        self.in_background && !self.claimed && self.turn_ended.is_some()
    }

    /// For how long a reader has been waiting, if that is long.
    fn hidden(&self) -> Duration {
        self.held_since.map(|since| since.elapsed()).filter(|waited| *waited >= LONG_WAIT).unwrap_or_default()
    }
}

impl Pulse {
    pub fn new() -> Pulse {
        let heard = PulseState {
            last_output: Instant::now(),
            held_up: 0,
            held_since: None,
            turn_ended: None,
            offline: None,
            limited: false,
            in_background: false,
            claimed: false,
            turns: Turns::default(),
            process_ended: false,
        };
        Pulse { heard: Mutex::new(heard), turned: Notify::new() }
    }

    /// Output arrived.
    pub fn output(&self) {
        self.lock().last_output = Instant::now();
    }

    /// A reader starts, or stops, waiting for the consumer of events.
    pub fn held_up(&self, waits: bool) {
        let mut heard = self.lock();
        heard.held_up = if waits { heard.held_up + 1 } else { heard.held_up.saturating_sub(1) };
        heard.last_output = Instant::now();
        if heard.held_up == 0 {
            let hidden = heard.hidden();
            heard.offline = heard.offline.map(|began| began + hidden);
            heard.turn_ended = heard.turn_ended.map(|ended| ended + hidden);
            heard.held_since = None;
        } else {
            heard.held_since.get_or_insert_with(Instant::now);
        }
    }

    /// Background work began, or the last of it ended; from then on the time after a result counts.
    pub fn works_in_background(&self, works: bool) {
        let mut heard = self.lock();
        if heard.in_background == works {
            return;
        }
        heard.in_background = works;
        heard.turn_ended = heard.turn_ended.map(|_| Instant::now());
        drop(heard);
        self.turned.notify_one();
    }

    /// A signal was passed on.
    pub fn signal(&self, signal: &AgentSignal) {
        let mut heard = self.lock();
        if !matches!(signal, AgentSignal::Unknown { .. } | AgentSignal::Garbled { .. }) {
            heard.limited = matches!(signal, AgentSignal::Retry { status: Some(429), .. });
        }
        match signal {
            AgentSignal::Retry { status: None, .. } if heard.offline.is_none() => {
                heard.offline = Some(Instant::now());
                drop(heard);
                return self.turned.notify_one();
            }
            AgentSignal::Retry { status: None, .. } | AgentSignal::Unknown { .. } | AgentSignal::Garbled { .. } => return,
            _ => heard.offline = None,
        }
        heard.claimed |= tells_an_end(signal);
        match signal {
            AgentSignal::Started { .. } => {
                heard.turns.open = true;
                heard.turn_ended = None;
            }
            AgentSignal::TurnEnded { ending, .. } => {
                heard.turns = Turns { last: Some(*ending), open: false };
                heard.turn_ended = Some(Instant::now());
            }
            // What it says after a result belongs to a turn without a result, which gets no extra time.
            AgentSignal::Text { .. } if heard.turns.last.is_some() => {
                heard.turns.open = true;
                return;
            }
            _ => return,
        }
        drop(heard);
        self.turned.notify_one();
    }

    /// Waits until a turn began or ended or the connection was lost, which changes the deadline.
    pub async fn turned(&self) {
        self.turned.notified().await;
    }

    /// The deadline for output, as far as known now.
    pub fn due(&self, limits: &WatchLimits) -> Instant {
        let heard = self.lock();
        let last_output = if heard.held_up > 0 { Instant::now() } else { heard.last_output };
        let silence = last_output + limits.silence;
        let hidden = heard.hidden();
        let offline = heard.offline.map_or(silence, |began| silence.min(began + hidden + limits.offline));
        heard.turn_ended.filter(|_| !heard.awaits_background()).map_or(offline, |ended| offline.min(ended + hidden + limits.result_grace))
    }

    pub fn turns(&self) -> Turns {
        self.lock().turns
    }

    /// Whether the last thing it said is that it has no connection.
    pub fn is_offline(&self) -> bool {
        self.lock().offline.is_some()
    }

    /// Whether the last thing it said is that a usage limit refused it.
    pub fn is_limited(&self) -> bool {
        self.lock().limited
    }

    /// Whether its turn is over, and it is waiting for background work.
    pub fn awaits_background(&self) -> bool {
        self.lock().awaits_background()
    }

    /// The process is gone; any further output was buffered in its pipe.
    pub fn process_ended(&self) {
        self.lock().process_ended = true;
    }

    pub fn has_process_ended(&self) -> bool {
        self.lock().process_ended
    }

    /// Whether nothing arrived for `span`, although events were consumed.
    pub fn is_quiet_for(&self, span: Duration) -> bool {
        let heard = self.lock();
        heard.held_up == 0 && heard.last_output.elapsed() >= span
    }

    fn lock(&self) -> MutexGuard<'_, PulseState> {
        // Plain values: a panic elsewhere can't leave them inconsistent.
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the agent says how its task ended, by a mark or by Ralph's tool.
fn tells_an_end(signal: &AgentSignal) -> bool {
    match signal {
        AgentSignal::Text { text } => {
            let mut said = Sigils::default();
            said.hear(text);
            !said.claims.is_empty()
        }
        AgentSignal::ToolCall { name, arguments, .. } => {
            name.ends_with("ralph__update_task") && matches!(arguments["status"].as_str(), Some("done" | "failed"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::signal::Usage;
    use tokio::time::advance;

    const OFFLINE: AgentSignal = AgentSignal::Retry { attempt: 1, delay_ms: 0, status: None, words: String::new() };

    /// Whether the deadline has passed.
    fn is_due(pulse: &Pulse) -> bool {
        let minute = Duration::from_secs(60);
        let limits = WatchLimits { silence: 10 * minute, offline: minute, result_grace: minute, ..WatchLimits::default() };
        pulse.due(&limits) <= Instant::now()
    }

    #[tokio::test(start_paused = true)]
    async fn an_agent_without_a_connection_is_stopped_also_if_it_says_so_faster_than_anybody_reads() {
        let pulse = Pulse::new();
        pulse.signal(&OFFLINE);
        flood(&pulse, &OFFLINE).await;
        assert!(is_due(&pulse), "a minute without a connection");
    }

    #[tokio::test(start_paused = true)]
    async fn a_usage_limit_is_the_last_word_until_something_else_is_said() {
        let pulse = Pulse::new();
        let retry = |status| AgentSignal::Retry { attempt: 1, delay_ms: 0, status, words: String::new() };
        let noise = AgentSignal::Garbled { text: "noise".into() };
        let text = AgentSignal::Text { text: "On it.".into() };
        for (signal, limited) in [
            (&retry(Some(429)), true),
            (&noise, true),
            (&text, false),
            (&retry(Some(503)), false),
            (&retry(Some(429)), true),
            (&OFFLINE, false),
        ] {
            pulse.signal(signal);
            assert_eq!(pulse.is_limited(), limited, "{signal:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_agent_that_has_ended_its_turn_is_ended_also_if_it_goes_on_printing_faster_than_anybody_reads() {
        let pulse = Pulse::new();
        pulse.signal(&over());
        flood(&pulse, &AgentSignal::Garbled { text: "noise".into() }).await;
        assert!(is_due(&pulse), "a minute after its result");
    }

    #[tokio::test(start_paused = true)]
    async fn words_after_a_result_are_of_a_turn_without_one_and_buy_no_time() {
        let pulse = Pulse::new();
        pulse.signal(&over());
        pulse.signal(&AgentSignal::ToolResult { id: String::new(), is_error: false, summary: String::new(), exit_code: None });
        assert!(!pulse.turns().open, "of a command in the background");
        pulse.signal(&AgentSignal::Text { text: "<task-done></task-done>".into() });
        assert_eq!(pulse.turns(), Turns { last: Some(Ending::Completed), open: true });
        advance(Duration::from_secs(60)).await;
        assert!(is_due(&pulse));
        pulse.signal(&over());
        assert!(!pulse.turns().open);
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_could_read_does_not_count_as_time_without_a_connection_or_after_the_result() {
        for signal in [OFFLINE, over()] {
            let pulse = Pulse::new();
            pulse.signal(&signal);
            advance(Duration::from_secs(30)).await;
            pulse.held_up(true);
            advance(Duration::from_secs(300)).await;
            assert!(!is_due(&pulse));
            pulse.held_up(false);
            advance(Duration::from_secs(29)).await;
            assert!(!is_due(&pulse));
            advance(Duration::from_secs(1)).await;
            assert!(is_due(&pulse));
        }
    }

    /// A minute in which a reader waits again after each signal.
    async fn flood(pulse: &Pulse, signal: &AgentSignal) {
        for _ in 0..60_000 {
            pulse.held_up(true);
            advance(Duration::from_millis(1)).await;
            pulse.signal(signal);
            pulse.held_up(false);
        }
        pulse.held_up(true);
    }

    fn over() -> AgentSignal {
        AgentSignal::TurnEnded { ending: Ending::Completed, text: String::new(), usage: Usage::default(), denials: 0 }
    }
}
