//! Where there is no `/proc`, no process is known but the child itself: its group stands for its family.

/// A process that lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    pub group: u32,
    pub started: u64,
}

/// None is known.
pub fn living() -> Vec<Process> {
    Vec::new()
}

/// None is known.
pub fn process(_pid: u32) -> Option<Process> {
    None
}

/// None is told.
pub fn name(_pid: u32) -> Option<String> {
    None
}

/// None is told.
pub fn folder(_pid: u32) -> Option<std::path::PathBuf> {
    None
}

/// None is told.
pub fn parent(_pid: u32) -> Option<u32> {
    None
}

/// None can be read.
pub fn variables<const N: usize>(_pid: u32, _names: [&str; N]) -> Option<[Option<String>; N]> {
    None
}
