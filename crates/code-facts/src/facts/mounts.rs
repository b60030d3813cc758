//! Prefixes of routers that a file states somewhere other than beside the route: `app.include_router(users, prefix="/users")`.

use super::endpoints::below;
use std::collections::BTreeMap;

/// Routers within routers that are followed: more is a circle.
const DEEPEST: usize = 8;
/// Ways through routers that are mounted several times: more come from generated code.
const WAYS: usize = 16;

/// Where the routers of a file are mounted, by name. For a router that is mounted several times one mount holds at a time, depending on the
/// way that was chosen last.
#[derive(Debug, Default)]
pub(super) struct Mounts {
    by_router: BTreeMap<String, Vec<Mount>>,
    way: usize,
}

#[derive(Debug, PartialEq, Eq)]
struct Mount {
    /// The router it is mounted on; empty = nobody knows more about it.
    on: String,
    path: String,
    /// Whether the path takes the place of the prefix that the router was made with.
    replaces: bool,
}

impl Mounts {
    /// A mount of what may be several routers with one name: the first counts.
    pub(super) fn note(&mut self, router: &str, on: &str, path: String) {
        if !self.knows(router) {
            self.note_each(router, on, path, false);
        }
    }

    /// Whether a router is mounted.
    pub(super) fn knows(&self, router: &str) -> bool {
        self.by_router.contains_key(router)
    }

    /// A mount of the one router with a name, besides its others.
    pub(super) fn note_each(&mut self, router: &str, on: &str, path: String, replaces: bool) {
        let mount = Mount { on: on.to_owned(), path, replaces };
        let known = self.by_router.entry(router.to_owned()).or_default();
        if router != on && !known.contains(&mount) {
            known.push(mount);
        }
    }

    /// In how many ways the mounts can be chosen.
    pub(super) fn ways(&self) -> usize {
        self.by_router.values().fold(1, |ways: usize, mounts| ways.saturating_mul(mounts.len().max(1))).min(WAYS)
    }

    /// Chooses one of the [`ways`](Mounts::ways).
    pub(super) fn choose(&mut self, way: usize) {
        self.way = way;
    }

    /// The mount that holds. The ways are counted like numbers, each router a digit.
    fn of(&self, router: &str) -> Option<&Mount> {
        let mounts = self.by_router.get(router).filter(|mounts| !mounts.is_empty())?;
        let before = self.by_router.range(..router.to_owned()).fold(1, |ways: usize, (_, mounts)| ways.saturating_mul(mounts.len().max(1)));
        mounts.get(self.way / before % mounts.len())
    }

    /// The prefix of what a router serves: `own` returns the prefix that a router was made with.
    pub(super) fn prefix(&self, router: &str, own: &dyn Fn(&str) -> String) -> String {
        let (mut prefix, mut router) = (String::new(), router);
        for _ in 0..DEEPEST {
            let Some(mount) = self.of(router) else { break };
            let made_with = if mount.replaces { String::new() } else { own(router) };
            prefix = below(&mount.path, &below(&made_with, &prefix));
            router = &mount.on;
        }
        below(&own(router), &prefix)
    }

    /// The router that a router of this file ends up on.
    pub(super) fn root<'r>(&'r self, router: &'r str) -> &'r str {
        let mut router = router;
        for _ in 0..DEEPEST {
            match self.of(router) {
                Some(mount) => router = &mount.on,
                None => break,
            }
        }
        router
    }
}
