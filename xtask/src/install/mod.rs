//! Installs what the repository needs and lacks, saying what it does.
//!
//! System packages go to the system; everything else stays below `target/tools`, `node_modules` and `models`.

mod peers;
mod system;
pub mod tools;
mod weights;

pub use peers::peers;

use crate::fault::Fault;
use crate::process;

/// What a command needs besides Rust and Node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Building the window and opening it on a screen.
    Window,
    /// The same on a virtual screen, driven by WebDriver.
    DrivenWindow,
    /// Every tool of the tests.
    Tests,
}

/// Installs what is missing for `need`.
///
/// # Errors
/// When something can't be installed; the message says what to do by hand.
pub fn install(need: Need) -> Result<(), Fault> {
    node()?;
    system::packages(need)?;
    npm_packages()?;
    weights::weights()?;
    if need != Need::Window {
        tools::tauri_driver()?;
    }
    if need == Need::Tests {
        tools::rust_component("rustfmt", "fmt");
        tools::rust_component("clippy", "clippy");
        tools::claude()?;
        tools::codex()?;
        tools::opencode()?;
        tools::typos()?;
    }
    Ok(())
}

/// Oldest Node that the packages of the window run on.
const NODE_MAJOR: u32 = 20;

fn node() -> Result<(), Fault> {
    let way_out = format!("install Node {NODE_MAJOR} or newer (https://nodejs.org) so that `node` and `npm` are on PATH");
    let missing = |what: String| Fault::Missing { what, way_out: way_out.clone() };
    let version = process::read(&mut process::command("node", &["--version"])).map_err(|_| missing("Node".to_owned()))?;
    match major(&version) {
        Some(major) if major >= NODE_MAJOR => Ok(()),
        _ => Err(missing(format!("Node {NODE_MAJOR} (found {version})"))),
    }
}

/// The first number of `v20.1.2`.
fn major(version: &str) -> Option<u32> {
    version.trim_start_matches('v').split('.').next()?.parse().ok()
}

/// `npm ci` when `node_modules` is missing or older than the lock file.
fn npm_packages() -> Result<(), Fault> {
    let root = process::root();
    let changed = |path: &str| std::fs::metadata(root.join(path)).and_then(|m| m.modified()).ok();
    // npm writes this file at the end of an installation.
    let installed = changed("node_modules/.package-lock.json");
    let locked = changed("package-lock.json");
    if installed.is_some() && installed >= locked {
        println!("      npm packages: present");
        return Ok(());
    }
    println!("      npm packages: installing what package-lock.json names");
    process::show(&mut process::npm(&["ci", "--no-audit", "--no-fund"]))
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn reads_the_major_version_of_node() {
        for (version, expected) in [("v20.20.2", Some(20)), ("v8.0.0", Some(8)), ("24.1.0", Some(24)), ("", None), ("nightly", None)] {
            assert_eq!(major(version), expected, "{version}");
        }
    }
}
