//! Steps of a long command: a header before, the seconds after, a summary at the end.

use crate::fault::Fault;
use std::time::Instant;

/// A named piece of work.
pub struct Step {
    /// One word, for the command line.
    pub name: &'static str,
    /// What it does, for the header.
    pub title: &'static str,
    /// Earlier steps that it depends on.
    pub needs: &'static [&'static str],
    /// The work.
    pub work: fn() -> Result<(), Fault>,
}

/// What to do after a step failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnFailure {
    /// Stop at once.
    Stop,
    /// Run the steps that do not depend on it, and fail at the end.
    KeepGoing,
}

/// The named steps and those they need, in order; all by default.
///
/// # Errors
/// [`Fault::UnknownStep`] when a name is none of theirs.
pub fn choose<'a>(steps: &'a [Step], names: &[String]) -> Result<Vec<&'a Step>, Fault> {
    let known = |name: &str| steps.iter().any(|step| step.name == name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        let known = steps.iter().map(|step| step.name).collect::<Vec<_>>().join(", ");
        return Err(Fault::UnknownStep { name: name.clone(), known });
    }
    let mut chosen = Vec::new();
    // Backwards, so that the needs of later steps are known first.
    for step in steps.iter().rev() {
        let needed = chosen.iter().any(|later: &&Step| later.needs.contains(&step.name));
        if names.is_empty() || needed || names.iter().any(|name| name == step.name) {
            chosen.push(step);
        }
    }
    chosen.reverse();
    Ok(chosen)
}

/// Runs the steps in order. The last line printed is the summary.
///
/// # Errors
/// [`Fault::Steps`] when one or more failed.
pub fn run(steps: &[&Step], on_failure: OnFailure) -> Result<(), Fault> {
    let (mut passed, mut failed, mut left_out) = (0, Vec::new(), Vec::new());
    let begin = Instant::now();
    for (index, step) in steps.iter().enumerate() {
        println!("\n[{}/{}] {}: {}", index + 1, steps.len(), step.name, step.title);
        if let Some(missing) = step.needs.iter().find(|need| failed.contains(*need) || left_out.contains(*need)) {
            println!("      not run: it needs '{missing}'");
            left_out.push(step.name);
            continue;
        }
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
                if on_failure == OnFailure::Stop {
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
    use std::sync::atomic::{AtomicU32, Ordering};

    const GOOD: Step = Step { name: "good", title: "passes", needs: &[], work: || Ok(()) };
    const BAD: Step = Step { name: "bad", title: "fails", needs: &[], work: || Err(Fault::Tidy(1)) };

    #[test]
    fn one_failed_step_fails_the_whole() {
        for on_failure in [OnFailure::Stop, OnFailure::KeepGoing] {
            assert!(run(&[&GOOD, &GOOD], on_failure).is_ok());
            assert!(matches!(run(&[&BAD, &GOOD], on_failure), Err(Fault::Steps(1))));
        }
        assert!(matches!(run(&[&BAD, &BAD], OnFailure::KeepGoing), Err(Fault::Steps(2))));
        assert!(matches!(run(&[&BAD, &BAD], OnFailure::Stop), Err(Fault::Steps(1))));
    }

    #[test]
    fn what_needs_a_failed_step_is_not_run() {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        fn count() -> Result<(), Fault> {
            RUNS.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
        let needs_bad = Step { name: "second", title: "needs one that fails", needs: &["bad"], work: count };
        let needs_second = Step { name: "third", title: "needs one that was not run", needs: &["second"], work: count };
        assert!(matches!(run(&[&BAD, &needs_bad, &needs_second], OnFailure::KeepGoing), Err(Fault::Steps(1))));
        assert_eq!(RUNS.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn named_steps_bring_what_they_need() {
        let step = |name, needs| Step { name, title: "", needs, work: || Ok(()) };
        let steps = [step("install", &[]), step("fmt", &[]), step("build", &["install"]), step("window", &["build"])];
        for (names, expected) in [
            (vec![], "install fmt build window"),
            (vec!["fmt"], "fmt"),
            (vec!["window"], "install build window"),
            (vec!["window", "fmt"], "install fmt build window"),
        ] {
            let names = names.into_iter().map(str::to_owned).collect::<Vec<_>>();
            let chosen = choose(&steps, &names).unwrap().iter().map(|step| step.name).collect::<Vec<_>>();
            assert_eq!(chosen.join(" "), expected);
        }
        assert!(matches!(choose(&steps, &["typo".to_owned()]), Err(Fault::UnknownStep { .. })));
    }
}
