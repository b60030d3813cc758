//! Endpoints of routers that another file mounts: `app.include_router(users.router, prefix="/users")` beside
//! `from .routers import users`.

mod places;

use super::endpoints::below;
use super::found::{FactKind, FoundFact};
use super::holes;
use super::routers::{Mount, Router};
use places::{Places, place};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Steps from file to file that are followed: more is a circle.
const DEEPEST: usize = 8;
/// Paths of one endpoint that are looked for: more come from routers that mount each other.
const PATHS: usize = 16;

impl FoundFact {
    /// A mount below a path. It states nothing by itself.
    pub(super) fn mount(path: &str, mount: Mount, line: u32) -> FoundFact {
        let subject = if path.is_empty() { "/" } else { path };
        FoundFact::tie(FactKind::Mount, subject, mount, line)
    }

    /// What a file re-exports from another under a name, or all of it: `*`. It states nothing by itself.
    pub(super) fn export(name: &str, of: Mount, line: u32) -> FoundFact {
        FoundFact::tie(FactKind::Export, name, of, line)
    }

    fn tie(kind: FactKind, subject: &str, mount: Mount, line: u32) -> FoundFact {
        let value = format!("{}#{}", mount.module, mount.name);
        FoundFact { mount: Some(mount), ..FoundFact::new(kind, subject, value, line, 1.0) }
    }

    /// An endpoint of a router.
    pub(super) fn served_by(self, name: impl Into<String>, own: impl Into<String>) -> FoundFact {
        FoundFact { router: Some(Router { name: name.into(), own: own.into(), bare: false, supposed: false }), ..self }
    }

    /// An endpoint that is registered on a router of another file.
    pub(super) fn served_by_other(self, name: &str, (module, exact, of): (String, bool, String)) -> FoundFact {
        let mount = Mount { module, exact, name: of, on: String::new(), replaces: false };
        FoundFact { mount: Some(mount), ..self.served_by(name, "") }
    }

    /// The same endpoint, whose file doesn't show that it is one.
    pub(super) fn supposed(self) -> FoundFact {
        FoundFact { router: self.router.map(|router| Router { supposed: true, ..router }), ..self }
    }

    /// A router that a file makes under a name and puts at a path, on another of its routers or by itself.
    pub(super) fn made(name: &str, path: &str, on: &str, line: u32) -> FoundFact {
        let mount = Mount { module: String::new(), exact: false, name: name.to_owned(), on: on.to_owned(), replaces: false };
        FoundFact::tie(FactKind::Router, if path.is_empty() { "/" } else { path }, mount, line)
    }

    /// The same endpoint, whose router serves it without any path of its own.
    pub(super) fn bare(self) -> FoundFact {
        FoundFact { router: self.router.map(|router| Router { bare: true, ..router }), ..self }
    }
}

/// A router: the file that makes it (in Go, its folder), and its name there.
type Key<'f> = (&'f str, String);

/// A mount of a router: the file that states it, the fact, and what it mounts.
type At<'f> = (&'f str, &'f FoundFact, &'f Mount);

/// Where the routers of a project's files are mounted by other files.
pub(super) struct Across<'f> {
    places: Places<'f>,
    mounts: BTreeMap<Key<'f>, Vec<At<'f>>>,
    made: BTreeMap<Key<'f>, Vec<At<'f>>>,
    exports: BTreeMap<Key<'f>, (&'f str, &'f Mount)>,
    /// Files from which a file re-exports everything.
    stars: BTreeMap<&'f str, Vec<(&'f str, &'f Mount)>>,
    /// Names of the routers of each file.
    routers: BTreeMap<&'f str, Vec<&'f str>>,
    /// Texts by file and name; `None`: there are several.
    constants: BTreeMap<(&'f str, &'f str), Option<&'f str>>,
    /// Texts that classes and objects hold, by the extension of their files and their names; `None`: there are several.
    held: BTreeMap<(&'f str, &'f str), Option<&'f str>>,
}

impl<'f> Across<'f> {
    pub(super) fn of(files: &BTreeMap<&'f str, &'f [FoundFact]>) -> Across<'f> {
        let (mounts, made, exports, stars) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (routers, constants, held) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let places = Places::of(files.keys().copied());
        let mut across = Across { places, mounts, made, exports, stars, routers, constants, held };
        let all = || files.iter().flat_map(|(path, facts)| facts.iter().map(|fact| (*path, fact)));
        all().for_each(|(path, fact)| across.note(path, fact));
        // Whatever is re-exported must be known first.
        let mounts = all().filter(|(_, fact)| fact.kind == FactKind::Mount);
        for (path, fact, mount) in mounts.filter_map(|(path, fact)| Some((path, fact, fact.mount.as_ref()?))) {
            if let Some(router) = across.target(path, mount) {
                across.mounts.entry(router).or_default().push((path, fact, mount));
            }
        }
        // A file that registers endpoints on a router of another has a part of that router.
        let parts = all().filter(|(_, fact)| fact.kind == FactKind::Endpoint);
        for (path, router, of) in parts.filter_map(|(path, fact)| Some((path, fact.router.as_ref()?, fact.mount.as_ref()?))) {
            if let Some(made) = across.target(path, of).and_then(|key| across.made.get(&key).cloned()) {
                across.mounts.entry((place(path), router.name.clone())).or_insert(made);
            }
        }
        across
    }

    fn note(&mut self, path: &'f str, fact: &'f FoundFact) {
        let place = place(path);
        let mut router = |name: &'f str| self.routers.entry(place).or_default().push(name);
        match (fact.kind, &fact.mount) {
            // Registering on another file's router does not make one.
            (FactKind::Endpoint, Some(_)) => {}
            (FactKind::Endpoint, None) => fact.router.iter().for_each(|by| router(&by.name)),
            (FactKind::Router, Some(mount)) => {
                router(&mount.name);
                let made = self.made.entry((place, mount.name.clone())).or_default();
                // Elsewhere several of one name are several routers.
                if made.first().is_none_or(|(first, ..)| *first == path && matches!(ending(path), "py" | "js")) {
                    made.push((path, fact, mount));
                }
            }
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
        // The only one of its name, where nobody knows the type.
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

    /// An endpoint of a file below the paths that its router is mounted on, once for each; any other fact as it is. None: nobody knows its
    /// path.
    pub(super) fn placed(&self, path: &'f str, fact: &'f FoundFact) -> Vec<Cow<'f, FoundFact>> {
        if fact.kind != FactKind::Endpoint {
            return vec![Cow::Borrowed(fact)];
        }
        let (method, served) = fact.subject.split_once(' ').unwrap_or(("", &fact.subject));
        let mounted = fact.router.as_ref().and_then(|router| Some((router, self.mounts.get(&(place(path), router.name.clone()))?)));
        let paths: Vec<String> = match mounted {
            Some((router, mounts)) => self.mounted(path, router, mounts, served).into_iter().collect(),
            None if fact.router.as_ref().is_some_and(|router| router.supposed) => Vec::new(),
            None => self.fill(path, served).into_iter().collect(),
        };
        let of_path = |whole: String| {
            let subject = format!("{method} {}", if whole.is_empty() { "/" } else { &whole });
            if subject == fact.subject { Cow::Borrowed(fact) } else { Cow::Owned(FoundFact { subject, ..fact.clone() }) }
        };
        paths.into_iter().map(of_path).collect()
    }

    /// A path below those that its router is mounted on, from mount to mount.
    fn mounted(&self, path: &'f str, router: &Router, mounts: &[At<'f>], served: &str) -> BTreeSet<String> {
        // Only frameworks of Python and Go distinguish a path with a slash at the end from one without.
        let bare = router.bare || !matches!(ending(path), "py" | "go");
        let mut open: Vec<(At<'f>, String, Vec<Key<'f>>)> = Vec::new();
        for at in mounts {
            let own = Some(router.own.as_str()).filter(|own| at.2.replaces && !own.is_empty() && !is_root(&at.1.subject));
            let served = own.and_then(|own| served.strip_prefix(own)).unwrap_or(served);
            let whole = if served == "/" && bare { Some(String::new()) } else { self.fill(path, served) };
            open.extend(whole.map(|whole| (*at, whole, vec![(place(path), router.name.clone())])));
        }
        let (mut found, mut ends) = (BTreeSet::new(), 0);
        while let Some(((file, prefix, mount), whole, passed)) = open.pop().filter(|_| ends < PATHS) {
            let on = (place(file), mount.on.clone());
            // Routers that mount each other end where they meet again.
            let next = self.mounts.get(&on).filter(|_| !passed.contains(&on)).map_or(&[][..], Vec::as_slice);
            let stated = self.fill(file, &prefix.subject);
            ends += usize::from(next.is_empty() || stated.is_none());
            let Some(stated) = stated else { continue };
            let under = |is_replaced: bool| below(if is_replaced || is_root(&stated) { "" } else { &stated }, &whole);
            if next.is_empty() {
                found.insert(under(false));
            }
            for next in next.iter().take(PATHS) {
                let is_replaced = prefix.kind == FactKind::Router && next.2.replaces && !is_root(&next.1.subject);
                open.push((*next, under(is_replaced), passed.iter().cloned().chain([on.clone()]).collect()));
            }
        }
        found
    }

    /// A path with the parts that other files state.
    fn fill(&self, from: &str, path: &str) -> Option<String> {
        holes::fill(path, &|module, exact, name| self.constant(from, module, exact, name).map(str::to_owned))
    }

    /// A text that a file knows by a name. The object in `settings.API` may be made anywhere: then the only text that a class or an object
    /// holds under this name counts.
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

/// The extension of a file, the same for all scripts.
fn ending(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("py") => "py",
        Some("rs") => "rs",
        Some("go") => "go",
        Some("java") => "java",
        _ => "js",
    }
}

/// A path relative to a file of the project: `./routes/users` in `src/app.js` is `src/routes/users`. `None` outside of the project.
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
