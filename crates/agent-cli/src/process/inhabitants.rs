//! Processes with their working folder in a folder.

use super::table;
use std::path::Path;

/// A process in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inhabitant {
    /// Its id.
    pub pid: u32,
    /// The beginning of its program's name.
    pub name: String,
}

/// The processes with their working folder in `folder`, except this one; none if the system does not report it.
pub fn inhabitants(folder: &Path) -> Vec<Inhabitant> {
    let own = std::process::id();
    // A process that has ended no longer has a folder.
    let inside = table::pids().into_iter().filter(|pid| *pid != own && table::folder(*pid).is_some_and(|of| of.starts_with(folder)));
    inside.map(|pid| Inhabitant { pid, name: table::name(pid).unwrap_or_default() }).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn who_lives_in_a_folder_is_found_also_below_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let top = folder.path().canonicalize().expect("stands");
        std::fs::create_dir(top.join("deep")).expect("folder");
        let mut child = std::process::Command::new("sh")
            .args(["-c", "read line"])
            .current_dir(top.join("deep"))
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("starts");
        assert_eq!(inhabitants(&top), [Inhabitant { pid: child.id(), name: "sh".into() }]);
        assert_eq!(inhabitants(&top.join("dee")), vec![]);
        drop(child.stdin.take());
        child.wait().expect("ends");
        assert_eq!(inhabitants(&top), vec![]);
    }
}
