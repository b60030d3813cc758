//! The ending derived from an agent's exit. Its own report on the last turn takes precedence over the exit code: a finished turn may
//! have any code, and an interrupted one has 0.

use super::pulse::Turns;
use crate::command::WatchLimits;
use crate::dialect::is_logged_out;
use crate::stop::StopCause;
use ralph_core::signal::Ending;
use ralph_core::text::cut;

/// Characters of the sentence about an exit.
const DETAIL_CHARS: usize = 600;
/// Exit code with which Windows ends a program by Ctrl-C, or with its terminal: `STATUS_CONTROL_C_EXIT`.
const CONTROL_C_EXIT: i32 = 0xC000_013A_u32.cast_signed();

/// The facts about an exit.
pub(super) struct ExitFacts {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stopped_by: Option<StopCause>,
    /// As of the stop, or the end.
    pub turns: Turns,
    /// As of the stop: it only said that it had no connection.
    pub offline: bool,
    /// As of the stop: the last thing it said is that a usage limit refused it.
    pub limited: bool,
    /// When it was stopped its turn was over, and it was waiting for background work.
    pub in_background: bool,
    pub last_words: Vec<String>,
    pub watch: WatchLimits,
}

/// The ending, and one sentence if it is not self-explanatory.
pub(super) fn ending_of(facts: &ExitFacts) -> (Ending, String) {
    let (ending, detail) = match (facts.stopped_by, facts.turns.last) {
        (Some(StopCause::Person | StopCause::Run), _) => (Ending::Interrupted, String::new()),
        (Some(StopCause::Watchdog), Some(last)) if !facts.turns.open && facts.in_background => {
            let silent = facts.watch.silence.as_secs();
            (last, format!("It was stopped, because it waited for {silent} s for what it had left working in the background."))
        }
        (Some(StopCause::Watchdog), Some(last)) if !facts.turns.open => {
            (last, format!("It was stopped {} s after its result, because it did not end by itself.", facts.watch.result_grace.as_secs()))
        }
        (Some(StopCause::Watchdog), _) if facts.offline => {
            (Ending::Network, format!("It was stopped, because it had no connection for {} s.", facts.watch.offline.as_secs()))
        }
        (Some(StopCause::Watchdog), _) if facts.limited => {
            let silent = facts.watch.silence.as_secs();
            (Ending::RateLimited, format!("It was stopped, because it waited for {silent} s after a usage limit refused it."))
        }
        (Some(StopCause::Watchdog), _) => {
            (Ending::TimedOut, format!("It was stopped, because nothing was heard of it for {} s.", facts.watch.silence.as_secs()))
        }
        (None, Some(last)) if !facts.turns.open => (last, String::new()),
        // A turn ends with its result: one without is not over, whatever came before it and whatever the exit code says.
        (None, _) => without_result(facts),
    };
    (ending, cut(&detail, DETAIL_CHARS).to_owned())
}

fn without_result(facts: &ExitFacts) -> (Ending, String) {
    // 130 and 143 are the usual exit codes for SIGINT and SIGTERM.
    let from_outside = matches!(facts.signal, Some(1 | 2 | 15)) || matches!(facts.code, Some(130 | 143 | CONTROL_C_EXIT));
    let how = match (facts.code, facts.signal) {
        (Some(code), _) => format!("It ended with exit code {code} and without a result"),
        (None, Some(signal)) => format!("It was ended by signal {signal}, without a result"),
        (None, None) => "It ended without a result".to_owned(),
    };
    let detail = if facts.last_words.is_empty() { format!("{how}.") } else { format!("{how}: {}", facts.last_words.join(" / ")) };
    // Before its first turn a CLI speaks for itself: no model and no command has said anything yet.
    let refused_to_start = facts.turns == Turns::default() && facts.code.is_some_and(|code| code != 0);
    let ending = if from_outside {
        Ending::Interrupted
    } else if refused_to_start && is_logged_out(&facts.last_words.join("\n")) {
        Ending::Authentication
    } else {
        Ending::Crashed
    };
    (ending, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(code: i32, stopped_by: Option<StopCause>, last: Option<Ending>, open: bool) -> Ending {
        let (code, signal) = if (-64..0).contains(&code) { (None, Some(-code)) } else { (Some(code), None) };
        let turns = Turns { last, open };
        ending_of(&ExitFacts {
            code,
            signal,
            stopped_by,
            turns,
            offline: false,
            limited: false,
            in_background: false,
            last_words: Vec::new(),
            watch: WatchLimits::default(),
        })
        .0
    }

    #[test]
    fn the_last_turn_wins_unless_it_was_stopped_or_died_without_one() {
        use Ending::*;
        let (person, run, watchdog) = (Some(StopCause::Person), Some(StopCause::Run), Some(StopCause::Watchdog));
        let cases = [
            // (exit code or -signal, stopped by, last turn, another one open) → ending
            ((0, None, Some(Completed), false), Completed),
            ((1, None, Some(Completed), false), Completed),
            ((0, None, Some(Interrupted), false), Interrupted),
            ((1, None, Some(RateLimited), false), RateLimited),
            ((0, None, None, true), Crashed),
            ((0, None, None, false), Crashed),
            ((0, None, Some(Completed), true), Crashed),
            ((1, None, Some(RateLimited), true), Crashed),
            ((1, None, None, false), Crashed),
            ((-9, None, None, true), Crashed),
            ((-15, None, None, true), Interrupted),
            ((143, None, None, true), Interrupted),
            ((CONTROL_C_EXIT, None, None, true), Interrupted),
            ((0, person, Some(Completed), false), Interrupted),
            ((-9, person, None, true), Interrupted),
            ((-9, run, None, true), Interrupted),
            ((-9, watchdog, None, true), TimedOut),
            ((-9, watchdog, Some(Completed), false), Completed),
            ((-9, watchdog, Some(Completed), true), TimedOut),
            ((-9, watchdog, Some(RateLimited), false), RateLimited),
        ];
        for ((code, stopped_by, last, open), expected) in cases {
            assert_eq!(judged(code, stopped_by, last, open), expected, "{code} {stopped_by:?} {last:?} {open}");
        }
    }

    #[test]
    fn a_login_that_is_missing_at_the_start_is_no_crash() {
        let login = "Not logged in. Run `codex login`.";
        let cases = [
            // (last words, exit code, a turn has begun) → ending
            (login, Some(1), false, Ending::Authentication),
            ("Error: Not logged in · Please run /login", Some(1), false, Ending::Authentication),
            (login, Some(1), true, Ending::Crashed),
            (login, Some(0), false, Ending::Crashed),
            (login, None, false, Ending::Crashed),
            (login, Some(143), false, Ending::Interrupted),
            ("Please log in to the admin page", Some(1), false, Ending::Crashed),
            ("npm error 401 Unauthorized: log in to the registry", Some(1), false, Ending::Crashed),
        ];
        for (words, code, open, expected) in cases {
            let facts = ExitFacts {
                code,
                signal: code.is_none().then_some(9),
                stopped_by: None,
                turns: Turns { last: None, open },
                offline: false,
                limited: false,
                in_background: false,
                last_words: vec![words.to_owned()],
                watch: WatchLimits::default(),
            };
            assert_eq!(ending_of(&facts).0, expected, "{words} {code:?} {open}");
        }
    }

    #[test]
    fn who_was_silent_after_a_usage_limit_waited_for_its_end() {
        for (stopped_by, open, limited, ending) in [
            (Some(StopCause::Watchdog), true, true, Ending::RateLimited),
            (Some(StopCause::Watchdog), true, false, Ending::TimedOut),
            (Some(StopCause::Person), true, true, Ending::Interrupted),
            (None, true, true, Ending::Crashed),
        ] {
            let turns = Turns { last: None, open };
            let watch = WatchLimits::default();
            let facts = ExitFacts {
                code: Some(1),
                signal: None,
                stopped_by,
                turns,
                offline: false,
                limited,
                in_background: false,
                last_words: Vec::new(),
                watch,
            };
            assert_eq!(ending_of(&facts).0, ending, "{stopped_by:?} {limited}");
        }
    }

    #[test]
    fn a_crash_is_told_with_its_last_words() {
        let last_words = vec!["Error: Invalid MCP configuration".to_owned(), "mcp.json: no such file".to_owned()];
        let facts = ExitFacts {
            code: Some(1),
            signal: None,
            stopped_by: None,
            turns: Turns::default(),
            offline: false,
            limited: false,
            in_background: false,
            last_words,
            watch: WatchLimits::default(),
        };
        let told = "It ended with exit code 1 and without a result: Error: Invalid MCP configuration / mcp.json: no such file";
        assert_eq!(ending_of(&facts), (Ending::Crashed, told.to_owned()));
    }
}
