//! Prefixes of routers, those that a file states elsewhere than beside the route: `app.include_router(users, prefix="/users")`.

use super::endpoints::below;
use std::collections::BTreeMap;

/// Routers within routers that are followed: more is a circle.
const DEEPEST: usize = 8;

/// Where the routers of a file are mounted, by name. The first mount of a router counts.
#[derive(Debug, Default)]
pub(super) struct Mounts<'p>(BTreeMap<&'p str, Mount<'p>>);

#[derive(Debug)]
struct Mount<'p> {
    /// The router it is mounted on; empty = nobody knows more about it.
    on: &'p str,
    path: String,
}

impl<'p> Mounts<'p> {
    pub(super) fn note(&mut self, router: &'p str, on: &'p str, path: String) {
        if router != on {
            self.0.entry(router).or_insert(Mount { on, path });
        }
    }

    /// The prefix of what a router serves: `own` answers the prefix that a router was made with.
    pub(super) fn prefix(&self, router: &str, own: &dyn Fn(&str) -> String) -> String {
        let (mut prefix, mut router) = (own(router), router);
        for _ in 0..DEEPEST {
            let Some(mount) = self.0.get(router) else { break };
            prefix = below(&own(mount.on), &below(&mount.path, &prefix));
            router = mount.on;
        }
        prefix
    }

    /// The router that a router of this file ends up on.
    pub(super) fn root<'r>(&'r self, router: &'r str) -> &'r str {
        let mut router = router;
        for _ in 0..DEEPEST {
            match self.0.get(router) {
                Some(mount) => router = mount.on,
                None => break,
            }
        }
        router
    }
}
