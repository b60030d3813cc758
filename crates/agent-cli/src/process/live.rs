//! What every system reveals about a live process.

/// A live process. `pid` and `started` together are unique, `pid` alone is not; by `ps` they are unless a number comes around within a second,
/// which no system's does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    pub group: u32,
    /// Grows with its start time: clock ticks since boot, or the local time as `ps` prints it.
    pub started: u64,
}
