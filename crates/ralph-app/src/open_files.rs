//! How many files and pipes this process may have open at once.

/// What Linux gives a process. macOS gives 256, which several agents with their pipes, the databases and a window use up.
#[cfg(unix)]
const USUAL: u64 = 1_024;

/// Raises a lower limit of open files to the usual one, as far as the system allows; to be called before any work. Agents inherit it.
pub fn make_room_for_open_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let most = limit.maximum.map_or(USUAL, |most| most.min(USUAL));
        if limit.current.is_some_and(|current| current < most)
            && let Err(fault) = setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..limit })
        {
            tracing::warn!("no more than the few files that the system gives can be open at once: {fault}");
        }
    }
}
