//! Endpoints of routers that another file mounts: `app.include_router(users.router, prefix="/users")` beside
//! `from .routers import users`.

mod places;

use super::endpoints::below;
use super::found::{FactKind, FoundFact};
use super::holes;
use super::routers::{Mount, Router};
use places::{Places, place};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Steps from file to file that are followed: more is a circle.
const DEEPEST: usize = 8;

impl FoundFact {
    /// A mount below a path. It tells nothing by itself.
    pub(super) fn mount(path: &str, mount: Mount, line: u32) -> FoundFact {
        let subject = if path.is_empty() { "/" } else { path };
        FoundFact::tie(FactKind::Mount, subject, mount, line)
    }

    /// What a file hands on from another under a name, or all of it: `*`. It tells nothing by itself.
    pub(super) fn export(name: &str, of: Mount, line: u32) -> FoundFact {
        FoundFact::tie(FactKind::Export, name, of, line)
    }

    fn tie(kind: FactKind, subject: &str, mount: Mount, line: u32) -> FoundFact {
        let value = format!("{}#{}", mount.module, mount.name);
        FoundFact { mount: Some(mount), ..FoundFact::new(kind, subject, value, line, 1.0) }
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

/// A router: the file that makes it, of Go its folder, and its name there.
type Key<'f> = (&'f str, String);

/// Where the routers of a project's files are mounted by other files. The first mount of a router counts.
pub(super) struct Across<'f> {
    places: Places<'f>,
    mounts: BTreeMap<Key<'f>, (&'f str, &'f FoundFact, &'f Mount)>,
    exports: BTreeMap<Key<'f>, (&'f str, &'f Mount)>,
    /// Files from which a file hands on everything.
    stars: BTreeMap<&'f str, Vec<(&'f str, &'f Mount)>>,
    /// Names of the routers of each file.
    routers: BTreeMap<&'f str, Vec<&'f str>>,
    /// Texts by file and name; `None`: there are several.
    constants: BTreeMap<(&'f str, &'f str), Option<&'f str>>,
    /// Texts that classes and objects hold, by the ending of their files and their names; `None`: there are several.
    held: BTreeMap<(&'f str, &'f str), Option<&'f str>>,
}

impl<'f> Across<'f> {
    pub(super) fn of(files: &BTreeMap<&'f str, &'f [FoundFact]>) -> Across<'f> {
        let (mounts, exports, stars) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (routers, constants, held) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let places = Places::of(files.keys().copied());
        let mut across = Across { places, mounts, exports, stars, routers, constants, held };
        let all = || files.iter().flat_map(|(path, facts)| facts.iter().map(|fact| (*path, fact)));
        all().for_each(|(path, fact)| across.note(path, fact));
        // Whatever is handed on must be known before.
        let mounts = all().filter(|(_, fact)| fact.kind == FactKind::Mount);
        for (path, fact, mount) in mounts.filter_map(|(path, fact)| Some((path, fact, fact.mount.as_ref()?))) {
            if let Some(router) = across.target(path, mount) {
                across.mounts.entry(router).or_insert((path, fact, mount));
            }
        }
        across
    }

    fn note(&mut self, path: &'f str, fact: &'f FoundFact) {
        let place = place(path);
        let mut router = |name: &'f str| self.routers.entry(place).or_default().push(name);
        match (fact.kind, &fact.mount) {
            (FactKind::Endpoint, _) => fact.router.iter().for_each(|by| router(&by.name)),
            (FactKind::Mount, Some(mount)) => router(&mount.on),
            (FactKind::Export, Some(mount)) if fact.subject == "*" => self.stars.entry(place).or_default().push((path, mount)),
            (FactKind::Export, Some(mount)) => {
                self.exports.entry((place, fact.subject.clone())).or_insert((path, mount));
            }
            (FactKind::Constant, _) => {
                let text = fact.value.as_str();
                let one = |known: &mut Option<&'f str>| *known = known.filter(|known| *known == text);
                self.constants.entry((place, &fact.subject)).and_modify(one).or_insert(Some(text));
                if fact.subject.starts_with('.') {
                    self.held.entry((ending(path), &fact.subject)).and_modify(one).or_insert(Some(text));
                }
            }
            _ => {}
        }
    }

    /// The router that a mount or an export names, where it is made.
    fn target(&self, from: &str, mount: &Mount) -> Option<Key<'f>> {
        let (mut place, mut name) = (self.places.named(from, &mount.module, mount.exact), mount.name.clone());
        for _ in 0..DEEPEST {
            let Some(at) = place else { break };
            if self.makes(at, &name) {
                return Some((at, name));
            }
            let by_name = self.exports.get(&(at, name.clone())).map(|(file, of)| (*file, *of, of.name.clone()));
            let all = || self.stars.get(at).into_iter().flatten().map(|(file, of)| (*file, *of, name.clone()));
            let makes = |(file, of, name): &(&str, &Mount, String)| {
                self.places
                    .named(file, &of.module, of.exact)
                    .is_some_and(|at| self.makes(at, name) || self.exports.contains_key(&(at, name.clone())))
            };
            let Some((file, of, named)) = by_name.or_else(|| all().find(makes)) else { break };
            place = self.places.named(file, &of.module, of.exact);
            name = named;
        }
        // The only one of its name, where the type is known to nobody.
        let method = mount.name.split_once('.').filter(|_| from.ends_with(".go"))?.1;
        let of_place = |at: &'f str| self.methods(at, method).map(move |name| (at, name.to_owned()));
        let found: Vec<Key<'f>> = match place {
            Some(at) => of_place(at).collect(),
            None => self.routers.keys().copied().flat_map(of_place).collect(),
        };
        let first = found.first()?.clone();
        found.iter().all(|router| *router == first).then_some(first)
    }

    fn makes(&self, place: &str, name: &str) -> bool {
        self.routers.get(place).is_some_and(|routers| routers.contains(&name))
    }

    /// The methods of a name, of any type.
    fn methods<'s>(&'s self, place: &str, method: &'s str) -> impl Iterator<Item = &'f str> + 's {
        let of_name = move |name: &&'f str| name.split_once('.').is_some_and(|(_, own)| own == method);
        self.routers.get(place).into_iter().flatten().copied().filter(of_name)
    }

    /// An endpoint of a file below the paths that its router is mounted on, any other fact as it is. `None`: nobody knows its path.
    pub(super) fn placed(&self, path: &'f str, fact: &'f FoundFact) -> Option<Cow<'f, FoundFact>> {
        if fact.kind != FactKind::Endpoint {
            return Some(Cow::Borrowed(fact));
        }
        let (method, served) = fact.subject.split_once(' ').unwrap_or(("", &fact.subject));
        let mounted = fact.router.as_ref().and_then(|router| Some((router, *self.mounts.get(&(place(path), router.name.clone()))?)));
        let whole = match mounted {
            Some((router, at)) => self.mounted(path, router, at, served),
            None => self.fill(path, served),
        }?;
        let subject = format!("{method} {}", if whole.is_empty() { "/" } else { &whole });
        Some(if subject == fact.subject { Cow::Borrowed(fact) } else { Cow::Owned(FoundFact { subject, ..fact.clone() }) })
    }

    /// A path below those that its router is mounted on, from mount to mount.
    fn mounted(&self, path: &'f str, router: &Router, mut at: (&'f str, &'f FoundFact, &'f Mount), served: &str) -> Option<String> {
        let own = Some(router.own.as_str()).filter(|own| at.2.replaces && !own.is_empty() && !is_root(&at.1.subject));
        let served = own.and_then(|own| served.strip_prefix(own)).unwrap_or(served);
        // Only frameworks of Python and Go tell the path with a slash at the end from the one without.
        let bare = router.bare || !matches!(ending(path), "py" | "go");
        let mut whole = if served == "/" && bare { String::new() } else { self.fill(path, served)? };
        let mut passed = vec![(place(path), router.name.clone())];
        loop {
            let (file, prefix, mount) = at;
            let prefix = self.fill(file, &prefix.subject)?;
            whole = below(if is_root(&prefix) { "" } else { &prefix }, &whole);
            let on = (place(file), mount.on.clone());
            // Routers that mount each other end where they meet again.
            match self.mounts.get(&on).filter(|_| !passed.contains(&on)) {
                Some(next) => at = *next,
                None => return Some(whole),
            }
            passed.push(on);
        }
    }

    /// A path with the parts that other files state.
    fn fill(&self, from: &str, path: &str) -> Option<String> {
        holes::fill(path, &|module, exact, name| self.constant(from, module, exact, name).map(str::to_owned))
    }

    /// A text that a file knows by a name. Of `settings.API` the object may be made anywhere: then the only text counts that a class or an
    /// object holds by this name.
    fn constant(&self, from: &str, module: &str, exact: bool, name: &str) -> Option<&'f str> {
        let rests = || std::iter::successors(name.split_once('.').map(|(_, rest)| rest), |rest| rest.split_once('.').map(|(_, rest)| rest));
        let one = |place: &str, name: &str| self.constants.get(&(place, name)).copied().flatten();
        let held = |place: &str| rests().find_map(|rest| one(place, rest).or_else(|| one(place, &format!(".{rest}"))));
        let named = |module: &str| self.places.named(from, module, exact);
        let in_file = |place: &'f str| {
            let made = || {
                self.exports
                    .get(&(place, name.to_owned()))
                    .and_then(|(file, of)| one(self.places.named(file, &of.module, of.exact)?, &of.name))
            };
            one(place, name).or_else(|| held(place)).or_else(made)
        };
        // `from app import config`: the first name can be a module.
        let in_module = || {
            let (inner, rest) = name.split_once('.')?;
            let place = named(&format!("{module}/{inner}"))?;
            one(place, rest).or_else(|| held(place))
        };
        let known = if module.is_empty() { None } else { named(module).and_then(in_file).or_else(in_module) };
        let anywhere = || rests().find_map(|rest| self.held.get(&(ending(from), format!(".{rest}").as_str())).copied().flatten());
        known.or_else(anywhere)
    }
}

fn is_root(path: &str) -> bool {
    path == "/"
}

/// The ending of a file, the same for all scripts.
fn ending(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("py") => "py",
        Some("rs") => "rs",
        Some("go") => "go",
        _ => "js",
    }
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
