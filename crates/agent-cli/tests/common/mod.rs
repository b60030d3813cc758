//! Shared by the tests of real processes.
#![allow(dead_code)] // Each test program uses a part of it.

use std::path::Path;
use std::time::{Duration, Instant};

/// Maximum time for anything here on a loaded machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The process id in a file that a script wrote.
pub fn pid(file: &Path) -> u32 {
    std::fs::read_to_string(file).unwrap().trim().parse().unwrap()
}

/// Whether a process is alive; a zombie is not.
pub fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, fields)| !fields.starts_with(['Z', 'X']))
}

/// Polls until `holds`, which must happen in time.
pub async fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        tokio::task::yield_now().await;
    }
}
