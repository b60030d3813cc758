//! Endpoints of routers that another file mounts: `app.include_router(users.router, prefix="/users")` beside
//! `from .routers import users`.

use super::endpoints::below;
use super::found::{FactKind, FoundFact};
use super::routers::{Mount, Router};
use std::collections::BTreeMap;

/// Endings of the files that a module may be, by the ending of the file that names it.
const PYTHON: [&str; 2] = [".py", "/__init__.py"];
const RUST: [&str; 2] = [".rs", "/mod.rs"];
const SCRIPT: [&str; 11] = ["", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".mts", "/index.js", "/index.ts", "/index.mjs"];

impl FoundFact {
    /// A mount below a path. It tells nothing by itself.
    pub(super) fn mount(path: &str, mount: Mount, line: u32) -> FoundFact {
        let value = format!("{}#{}", mount.module, mount.name);
        let subject = if path.is_empty() { "/" } else { path };
        FoundFact { mount: Some(mount), ..FoundFact::new(FactKind::Mount, subject, value, line, 1.0) }
    }

    /// An endpoint of a router.
    pub(super) fn served_by(self, name: impl Into<String>, own: impl Into<String>) -> FoundFact {
        FoundFact { router: Some(Router { name: name.into(), own: own.into(), bare: false }), ..self }
    }

    /// The same endpoint, whose router serves it without any path of its own.
    pub(super) fn bare(self) -> FoundFact {
        FoundFact { router: self.router.map(|router| Router { bare: true, ..router }), ..self }
    }
}

/// Where the routers of a project's files are mounted by other files. The first mount of a router counts.
pub(super) struct Across<'f>(BTreeMap<(&'f str, &'f str), (&'f str, &'f FoundFact, &'f Mount)>);

impl<'f> Across<'f> {
    pub(super) fn of(files: &BTreeMap<&'f str, &'f [FoundFact]>) -> Across<'f> {
        let mut mounts = BTreeMap::new();
        for (path, facts) in files {
            for (fact, mount) in facts.iter().filter_map(|fact| Some((fact, fact.mount.as_ref()?))) {
                if let Some(file) = file_of(files, path, mount) {
                    mounts.entry((file, mount.name.as_str())).or_insert((*path, fact, mount));
                }
            }
        }
        Across(mounts)
    }

    /// An endpoint of a file below the paths that its router is mounted on; `None` where it is mounted nowhere else.
    pub(super) fn placed(&self, path: &'f str, fact: &'f FoundFact) -> Option<String> {
        let router = fact.router.as_ref()?;
        let (method, served) = fact.subject.split_once(' ')?;
        let mut at = self.0.get(&(path, router.name.as_str()))?;
        let own = Some(router.own.as_str()).filter(|own| at.2.replaces && !own.is_empty() && !is_root(&at.1.subject));
        let served = own.and_then(|own| served.strip_prefix(own)).unwrap_or(served);
        // Only Python's frameworks tell the path with a slash at the end from the one without.
        let bare = router.bare || !path.ends_with(".py");
        let mut whole = if served == "/" && bare { String::new() } else { served.to_owned() };
        let mut passed = vec![(path, router.name.as_str())];
        loop {
            let (file, prefix, mount) = at;
            whole = below(if is_root(&prefix.subject) { "" } else { &prefix.subject }, &whole);
            let on = (*file, mount.on.as_str());
            // Routers that mount each other end where they meet again.
            match self.0.get(&on).filter(|_| !passed.contains(&on)) {
                Some(next) => at = next,
                None => break,
            }
            passed.push(on);
        }
        Some(format!("{method} {}", if whole.is_empty() { "/" } else { &whole }))
    }
}

fn is_root(path: &str) -> bool {
    path == "/"
}

/// The file that a mount names: of several the one nearest to the file that mounts it.
fn file_of<'f>(files: &BTreeMap<&'f str, &'f [FoundFact]>, from: &str, mount: &Mount) -> Option<&'f str> {
    let endings: &[&str] = match from.rsplit('.').next() {
        Some("py") => &PYTHON,
        Some("rs") => &RUST,
        _ => &SCRIPT,
    };
    let known = |path: &str| files.get_key_value(path).map(|(path, _)| *path);
    if mount.exact {
        return endings.iter().find_map(|ending| known(&format!("{}{ending}", mount.module)));
    }
    // A module may begin with the name of its package, which is no folder.
    let inner = mount.module.split_once('/').map(|(_, inner)| inner);
    [Some(mount.module.as_str()), inner].into_iter().flatten().find_map(|module| {
        let ends = |path: &&&str| {
            endings.iter().any(|ending| {
                let rest = path.strip_suffix(&format!("{module}{ending}"));
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            })
        };
        let near = |path: &str| path.split('/').zip(from.split('/')).take_while(|(a, b)| a == b).count();
        files.keys().filter(ends).filter(|path| **path != from).max_by_key(|path| (near(path), std::cmp::Reverse(path.len()))).copied()
    })
}

/// A path beside a file of the project: `./routes/users` in `src/app.js` is `src/routes/users`. `None` outside of the project.
pub(super) fn beside(file: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
