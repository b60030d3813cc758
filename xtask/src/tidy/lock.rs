//! The lock file of npm: complete for every platform, and independent of the machine that wrote it.
//!
//! `npm install` leaves out a platform's optional package that the registry did not provide, and `npm ci` then refuses the lock; with
//! `node_modules` in place nobody notices before a fresh machine does.

use super::{Finding, Source};
use serde_json::Value;

/// Where packages come from, if the lock says so at all.
const REGISTRY: &str = "https://registry.npmjs.org/";

/// Checks one file.
pub fn check(source: &Source) -> Vec<Finding> {
    if !source.path.ends_with("package-lock.json") {
        return Vec::new();
    }
    let lock = match serde_json::from_str::<Value>(&source.text) {
        Ok(lock) => lock,
        Err(error) => return vec![Finding::new(source, error.line(), format!("can't be read: {error}"))],
    };
    let mut findings = Vec::new();
    for (path, package) in lock["packages"].as_object().into_iter().flatten() {
        for optional in package["optionalDependencies"].as_object().into_iter().flat_map(|all| all.keys()) {
            if !is_locked(&lock, path, optional) {
                let way_out = "take a version that the registry has for every platform, and run `npm install` without node_modules";
                findings.push(Finding::new(source, 0, format!("{path} names {optional}, which the lock lacks: {way_out}")));
            }
        }
        if let Some(url) = package["resolved"].as_str().filter(|url| !url.starts_with(REGISTRY)) {
            findings.push(Finding::new(source, 0, format!("{path} comes from {url}: only {REGISTRY} is known to every machine")));
        }
    }
    findings
}

/// Whether a package that `path` uses is in the lock: below it, or below one of the folders above it.
fn is_locked(lock: &Value, path: &str, name: &str) -> bool {
    let mut folder = path;
    loop {
        let separator = if folder.is_empty() { "" } else { "/" };
        if lock["packages"].get(format!("{folder}{separator}node_modules/{name}")).is_some() {
            return true;
        }
        if folder.is_empty() {
            return false;
        }
        folder = folder.rfind("node_modules/").map_or("", |at| folder[..at].trim_end_matches('/'));
    }
}

#[cfg(test)]
mod tests {
    use super::super::planted::source;
    use super::*;
    use serde_json::json;

    #[test]
    fn a_lock_holds_every_platform_and_no_machine() {
        let uses = json!({"optionalDependencies": {"@x/linux": "1"}});
        for (packages, expected) in [
            (json!({"node_modules/x": uses}), 1),
            (json!({"node_modules/x": uses, "node_modules/@x/linux": {}}), 0),
            (json!({"node_modules/a/node_modules/x": uses, "node_modules/a/node_modules/@x/linux": {}}), 0),
            (json!({"node_modules/a/node_modules/x": uses, "node_modules/a/node_modules/x/node_modules/@x/linux": {}}), 0),
            (json!({"node_modules/a/node_modules/x": uses, "node_modules/b/node_modules/@x/linux": {}}), 1),
            (json!({"node_modules/x": {"resolved": "https://registry.npmjs.org/x/-/x-1.tgz"}}), 0),
            (json!({"node_modules/x": {"resolved": "http://mirror.local/x-1.tgz"}}), 1),
        ] {
            let text = json!({"packages": packages}).to_string();
            assert_eq!(check(&source("package-lock.json", &text)).len(), expected, "{text}");
        }
        assert_eq!(check(&source("package-lock.json", "{\n")).len(), 1);
        assert_eq!(check(&source("tests/mcp-sdk/package-lock.json", "{\n")).len(), 1);
        assert!(check(&source("package.json", "{\n")).is_empty());
    }
}
