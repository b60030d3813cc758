//! Steps of a long command: a header before, the seconds after, a summary at the end.

use crate::fault::Fault;
use std::time::Instant;

/// A named piece of work.
pub struct Step {
    /// One word, for the command line.
    pub name: &'static str,
    /// What it does, for the header.
    pub title: &'static str,
    /// Others rest on it: it runs even when not named, and its failure ends the whole.
    pub essential: bool,
    /// The work.
    pub work: fn() -> Result<(), Fault>,
}

/// What to do after a step failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnFailure {
    /// End at once.
    Stop,
    /// Run the other steps and fail at the end.
    KeepGoing,
}

/// Runs the steps in order. The last line printed is the summary.
///
/// # Errors
/// [`Fault::Steps`] when one or more failed.
pub fn run(steps: &[&Step], on_failure: OnFailure) -> Result<(), Fault> {
    let (mut passed, mut failed) = (0, Vec::new());
    let begin = Instant::now();
    for (index, step) in steps.iter().enumerate() {
        println!("\n[{}/{}] {}: {}", index + 1, steps.len(), step.name, step.title);
        let start = Instant::now();
        let result = (step.work)();
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(()) => {
                passed += 1;
                println!("      ok, {seconds:.1} s");
            }
            Err(fault) => {
                println!("      FAILED after {seconds:.1} s: {fault}");
                println!("      again alone: cargo xtask test {}", step.name);
                failed.push(step.name);
                if step.essential || on_failure == OnFailure::Stop {
                    break;
                }
            }
        }
    }
    let not_run = steps.len() - passed - failed.len();
    println!();
    if !failed.is_empty() {
        println!("failed: {}", failed.join(", "));
    }
    println!("{passed} passed, {} failed, {not_run} not run, {:.0} s", failed.len(), begin.elapsed().as_secs_f64());
    if failed.is_empty() { Ok(()) } else { Err(Fault::Steps(failed.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Step = Step { name: "good", title: "passes", essential: false, work: || Ok(()) };
    const BAD: Step = Step { name: "bad", title: "fails", essential: false, work: || Err(Fault::Tidy(1)) };
    const BASE: Step = Step { name: "base", title: "fails, and others rest on it", essential: true, work: || Err(Fault::Tidy(1)) };

    #[test]
    fn one_failed_step_fails_the_whole() {
        for on_failure in [OnFailure::Stop, OnFailure::KeepGoing] {
            assert!(run(&[&GOOD, &GOOD], on_failure).is_ok());
            assert!(matches!(run(&[&BAD, &GOOD], on_failure), Err(Fault::Steps(1))));
        }
        assert!(matches!(run(&[&BAD, &BAD], OnFailure::KeepGoing), Err(Fault::Steps(2))));
        assert!(matches!(run(&[&BASE, &BAD], OnFailure::KeepGoing), Err(Fault::Steps(1))), "what rests on a failed step is not run");
        assert!(matches!(run(&[&BAD, &BAD], OnFailure::Stop), Err(Fault::Steps(1))));
    }
}
