//! A finished iteration for tests to vary.

use super::{AgentExit, Claim, IterationCtx, IterationFacts};
use crate::run::{CheckResult, Evidence};
use crate::sigil;
use crate::signal::{Ending, Usage};
use crate::split::SplitProgress;
use crate::task::TaskKind;

/// Iteration 70 on task 7, first attempt, whose agent said `text` and ended normally; no check, no earlier failures.
pub(crate) fn ctx(text: &str) -> IterationCtx {
    let mut sigils = sigil::parse(text);
    let claims = std::mem::take(&mut sigils.claims);
    IterationCtx {
        claim: Claim { task: 7, kind: TaskKind::Work, feature: "billing".to_owned(), iteration: 70, attempt: 1 },
        exit: AgentExit {
            ending: Ending::Completed,
            exit_code: Some(0),
            detail: String::new(),
            last_words: String::new(),
            last_error: String::new(),
            cut_short: None,
            turn_completed: true,
            limit_refused: false,
            limited_model: None,
            resets_at: None,
            sigils,
            claims,
            usage: Usage::default(),
            model: None,
            denials: Vec::new(),
            remarks: Vec::new(),
        },
        facts: facts(),
        max_attempts: 5,
        has_check: false,
    }
}

/// No changes, no earlier failures.
pub(crate) fn facts() -> IterationFacts {
    IterationFacts {
        evidence: Evidence::default(),
        consecutive_failures: 0,
        stalled_before: 0,
        taught: false,
        known_failures: Vec::new(),
        another_model: false,
        spared: None,
        split: SplitProgress::default(),
        learns_work: true,
        exposed: None,
    }
}

/// The result of the check `make test`.
pub(crate) fn check(passed: bool) -> CheckResult {
    let (exit_code, output_tail) = if passed { (Some(0), "ok\n") } else { (Some(2), "2 tests\nFAILED total_is_rounded\n") };
    CheckResult { command: "make test".to_owned(), passed, exit_code, output_tail: output_tail.to_owned() }
}
