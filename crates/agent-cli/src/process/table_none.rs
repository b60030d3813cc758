//! Windows tells of processes by calls alone. A family is not looked at there: a [`job`](super::job) holds it.

use super::live::Process;

/// Not available.
pub fn pids() -> Vec<u32> {
    Vec::new()
}

/// Not available.
pub fn living() -> Vec<Process> {
    Vec::new()
}

/// Not available.
pub fn process(_pid: u32) -> Option<Process> {
    None
}

/// Not available.
pub fn name(_pid: u32) -> Option<String> {
    None
}

/// Not available.
pub fn folder(_pid: u32) -> Option<std::path::PathBuf> {
    None
}

/// Not available.
pub fn program(_pid: u32) -> Option<std::path::PathBuf> {
    None
}

/// Not available.
pub fn parents() -> impl Fn(u32) -> Option<u32> {
    |_| None
}

/// Not available.
pub fn variables<const N: usize>(_pid: u32, _names: [&str; N]) -> Option<[Option<String>; N]> {
    None
}
