//! The process that starts an agent, as recorded in the agent's marks.

use super::table;

/// This process, distinguishable from a later one with the same id.
pub(crate) fn this_owner() -> String {
    let pid = std::process::id();
    format!("{pid}:{}", table::process(pid).map_or(0, |process| process.started))
}

/// Whether the process described by [`this_owner`] is alive. If that can't be determined, it is assumed to be.
pub(super) fn is_there(owner: &str) -> bool {
    let described = owner.split_once(':').and_then(|(pid, started)| Some((pid.parse().ok()?, started.parse().ok()?)));
    described.is_none_or(|(pid, started): (u32, u64)| started == 0 || table::process(pid).is_some_and(|process| process.started == started))
}
