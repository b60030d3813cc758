//! Which failures of an operation are considered, and which of them belong together.

use super::Operation;
use super::commands::only_looks;
use super::evading::gets_round;
use ralph_core::detection::ToolKind;

/// Whether failures of an operation are considered: a search without results, a missing path, or an edit whose text is not
/// found are not failures of the work.
pub(super) fn counts(operation: &Operation) -> bool {
    let by_kind = !matches!(operation.kind(), ToolKind::Search | ToolKind::Read | ToolKind::Edit);
    by_kind && operation.command().is_none_or(|command| !only_looks(command))
}

/// The places of the failures of what an operation tries, with the same thing, since it last worked: a success before them is unrelated.
pub(super) fn failures_of(operation: &Operation, before: &[Operation]) -> Vec<usize> {
    let tried = operation.tried();
    let is_the_same = |other: &Operation| other.is_about_that_of(operation) || other.is_answered_by(operation);
    let is_again = |other: &Operation| other.tried().is_like(&tried) && counts(other) && is_the_same(other);
    let again: Vec<usize> = (0..before.len()).filter(|at| is_again(&before[*at])).collect();
    // If only a part of it worked, the rest may still have failed.
    let is_part = |other: &Operation| operation.command().zip(other.command()).is_some_and(|(whole, part)| gets_round(whole, "", part));
    let worked = |other: &Operation| other.worked() && other.tried().says(&tried) && !is_part(other);
    let since = again.iter().rposition(|at| worked(&before[*at])).map_or(0, |at| at + 1);
    let mut failures: Vec<usize> = again[since..].iter().copied().filter(|at| !before[*at].succeeded()).collect();
    // A wrong id is the same mistake only if it was the same id.
    if let Some(last) = failures.last().map(|at| &before[*at]).filter(|last| last.command().is_none()) {
        let refused = last.refused_argument();
        let alike = |other: &Operation| other.is_about_that_of(last) || refused.is_some() && other.refused_argument() == refused;
        failures.retain(|at| alike(&before[*at]));
    }
    failures
}
