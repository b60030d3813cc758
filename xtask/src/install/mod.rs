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

/// The beginning of a version range in `package.json`: this version, or newer.
const OR_NEWER: &str = ">=";

fn node() -> Result<(), Fault> {
    let oldest = oldest_node(include_str!("../../../package.json")).unwrap_or_default();
    let way_out = format!("install Node {oldest} or newer (https://nodejs.org) so that `node` and `npm` are on PATH");
    let missing = |what: String| Fault::Missing { what, way_out: way_out.clone() };
    let version = process::read(&mut process::command("node", &["--version"])).map_err(|_| missing("Node".to_owned()))?;
    match numbers(&version) {
        Some(found) if Some(found) >= numbers(&oldest) => Ok(()),
        _ => Err(missing(format!("Node {oldest} (found {version})"))),
    }
}

/// The oldest Node that the packages of the window run on, which `package.json` states.
fn oldest_node(package: &str) -> Option<String> {
    let package: serde_json::Value = serde_json::from_str(package).ok()?;
    Some(package["engines"]["node"].as_str()?.strip_prefix(OR_NEWER)?.to_owned())
}

/// The first two numbers of `v20.1.2`.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.trim_start_matches('v').split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
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
    use super::{numbers, oldest_node};

    #[test]
    fn a_node_that_is_older_than_package_json_says_is_found_by_both_numbers() {
        let package = include_str!("../../../package.json");
        let oldest = oldest_node(package).expect("states one");
        for (version, is_enough) in
            [("v20.19.0", true), ("v20.10.0", false), ("v8.99.0", false), ("24.1.0", true), ("", false), ("nightly", false)]
        {
            assert_eq!(numbers(version).is_some_and(|found| Some(found) >= numbers(&oldest)), is_enough, "{version}");
        }
        for text in ["README.md", "CONTRIBUTING.md"] {
            let said = std::fs::read_to_string(crate::process::root().join(text)).expect("reads");
            assert!(said.contains(&format!("{oldest} or newer")), "{text} names another Node");
        }
    }
}
