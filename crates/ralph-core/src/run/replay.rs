//! An iteration whose Ralph died: its event log, replayed as it was received.

use super::collect::CollectedOutput;
use super::hooks::{AgentExit, Claim, CutShort, judge};
use crate::sigil::TaskClaim;
use crate::signal::{AgentSignal, Ending};

/// An agent's part of an iteration, replayed.
#[derive(Debug)]
pub struct Replay(CollectedOutput);

impl Replay {
    /// An empty replay.
    pub fn new(claim: Claim) -> Replay {
        Replay(CollectedOutput::new(claim))
    }

    /// Handles the next signal of the log.
    pub fn hear(&mut self, signal: AgentSignal) {
        self.0.hear(signal);
    }

    /// How the agent's part ended. `exited` is the end of its process, if logged; `mcp_claims` are its claims through MCP, in
    /// order.
    ///
    /// Its statements count as usual, but the iteration settles its task only if a claim holds and the agent ended by itself; and a
    /// claim of success that a check must confirm waits for the next attempt: nothing is run here.
    pub fn ended(self, exited: Option<(Ending, Option<i32>)>, mcp_claims: Vec<TaskClaim>, has_check: bool) -> AgentExit {
        let turn_ending = if self.0.turn_completed() { Ending::Completed } else { Ending::Interrupted };
        let (ending, exit_code) = exited.unwrap_or((turn_ending, None));
        let (claim, exit) = self.0.exited(ending, exit_code, String::new(), mcp_claims);
        let settles = ending == Ending::Completed
            && match judge::last_claim(&claim, &exit) {
                Some(done) => !(done && has_check),
                None => false,
            };
        AgentExit { cut_short: (!settles).then_some(CutShort::RalphDied), ..exit }
    }
}

#[cfg(test)]
mod tests {
    use super::judge::judge;
    use super::*;
    use crate::run::Outcome;
    use crate::run::hooks::testing;
    use crate::signal::Usage;

    fn text(words: &str) -> AgentSignal {
        AgentSignal::Text { text: words.to_owned() }
    }

    fn replay(signals: impl IntoIterator<Item = AgentSignal>) -> Replay {
        let mut replay = Replay::new(testing::ctx("").claim);
        signals.into_iter().for_each(|signal| replay.hear(signal));
        replay
    }

    fn turn(ending: Ending) -> AgentSignal {
        let usage = Usage { output_tokens: 7, ..Usage::default() };
        AgentSignal::TurnEnded { ending, text: String::new(), usage, denials: 0 }
    }

    #[test]
    fn only_a_claim_with_a_clean_end_settles_the_task() {
        let completed = || turn(Ending::Completed);
        let (done, failed) = (|| text("<task-done/>"), || text("<task-failed/>"));
        for (name, signals, exited, has_check, outcome) in [
            ("nothing said", vec![], None, false, Outcome::Interrupted),
            ("in the middle", vec![done()], None, false, Outcome::Interrupted),
            ("done, and ended", vec![done(), completed()], None, false, Outcome::Done),
            ("done, and exited", vec![done(), completed()], Some((Ending::Completed, Some(0))), false, Outcome::Done),
            ("done, to be checked", vec![done(), completed()], Some((Ending::Completed, Some(0))), true, Outcome::Interrupted),
            ("failed, with a check", vec![failed(), completed()], None, true, Outcome::Failed),
            ("ended without a word", vec![completed()], None, false, Outcome::Interrupted),
            ("done, and crashed", vec![done()], Some((Ending::Crashed, None)), false, Outcome::Interrupted),
            ("done, and limited", vec![done(), turn(Ending::RateLimited)], None, false, Outcome::Interrupted),
        ] {
            let mut ctx = testing::ctx("");
            ctx.exit = replay(signals).ended(exited, Vec::new(), has_check);
            ctx.has_check = has_check;
            assert_eq!(judge(&ctx).outcome, outcome, "{name}");
        }
    }

    #[test]
    fn what_was_said_and_used_is_kept_whatever_came_after_it() {
        let signals = [text("<learning>Use UTC</learning>"), turn(Ending::Completed), text("<learning>Count cents</learning>")];
        let exit = replay(signals).ended(None, vec![TaskClaim { done: true, task: None }], true);
        assert_eq!(exit.sigils.learnings.len(), 2);
        assert_eq!((exit.usage.output_tokens, exit.claims.len(), exit.cut_short), (7, 1, Some(CutShort::RalphDied)));
    }
}
