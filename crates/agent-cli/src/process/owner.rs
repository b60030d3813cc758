//! The process that starts an agent, as the agent's marks tell of it.

use super::table;

/// This process, as what it starts can tell it from a later one with the same number.
pub(crate) fn this_owner() -> String {
    let pid = std::process::id();
    format!("{pid}:{}", table::process(pid).map_or(0, |process| process.started))
}

/// Whether the process that [`this_owner`] described lives. One that can't be looked for does.
pub(super) fn is_there(owner: &str) -> bool {
    let described = owner.split_once(':').and_then(|(pid, started)| Some((pid.parse().ok()?, started.parse().ok()?)));
    described.is_none_or(|(pid, started): (u32, u64)| started == 0 || table::process(pid).is_some_and(|process| process.started == started))
}
