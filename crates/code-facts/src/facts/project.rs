//! Facts of a project, merged from its files: one value for each subject.

use super::across::Across;
use super::found::{ANY, DECLARED, FactKind, FoundFact, OF_WORKSPACE, file_name, folder, folders_up, key};
use super::frameworks::{self, Ecosystem};
use super::tools::{Tools, in_folder};
use super::{gradle, maven, package};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The facts of a project from those of its files, each with its file. Of several about one subject the most certain wins, then the one
/// higher up, then the first by path; another version or ecosystem of a requirement is reported beside it, with its file. A mere import
/// counts only if no manifest states the dependencies, and if it is not a module of the project itself. Endpoints are below the paths
/// that other files mount their routers on.
pub fn of_project<'f>(files: impl IntoIterator<Item = (&'f str, &'f [FoundFact])>) -> Vec<(&'f str, FoundFact)> {
    let files: BTreeMap<&str, &[FoundFact]> = files.into_iter().collect();
    let declares = |manifests: &[&str]| {
        let is_one = |path: &str| manifests.iter().any(|end| file_name(path).ends_with(end));
        files.iter().any(|(path, facts)| is_one(path) && facts.iter().any(|fact| fact.kind == FactKind::Dependency))
    };
    let (python, node) = (declares(&["pyproject.toml", "setup.cfg", ".txt"]), declares(&["package.json"]));
    let own = own_modules(files.keys().copied());
    let holds = |path: &str, fact: &FoundFact| match &fact.imported {
        None => true,
        Some(module) if path.ends_with(".py") => !python && !own.contains(module.as_str()),
        Some(_) => !node,
    };
    let across = Across::of(&files);
    let tools = Tools::of_files(&files);
    let workspaces = workspaces(&files);
    let is_covered = |path: &'f str, fact: &FoundFact| {
        let Some(tool) = covering(path).filter(|_| is_command(fact)) else { return false };
        // A solution is beside its projects as often as above them.
        let own = tool == ".NET" && !path.ends_with(".sln") && !path.ends_with(".slnx") && workspaces.contains(&(tool, folder(path)));
        own || !workspaces.contains(&(tool, folder(path))) && folders_up(path).skip(1).any(|folder| workspaces.contains(&(tool, folder)))
    };
    let mut facts: Vec<(&str, Cow<'_, FoundFact>)> = Vec::new();
    for (path, found) in &files {
        let told = found.iter().filter(|fact| fact.kind.is_told() && holds(path, fact) && !is_covered(path, fact));
        let placed = told.flat_map(|fact| across.placed(path, fact));
        facts.extend(placed.map(|fact| (*path, run_by(&tools, path, fact))));
    }
    // In thousandths: confidences are constants with few digits.
    let sure = |fact: &FoundFact| Reverse((fact.confidence * 1_000.0).round() as u32);
    facts.sort_by_key(|(path, fact)| (fact.kind, key(&fact.subject), sure(fact), path.matches('/').count(), *path, fact.line));
    let told: BTreeSet<&str> =
        facts.iter().filter(|(_, fact)| fact.kind == FactKind::Framework).map(|(_, fact)| fact.subject.as_str()).collect();
    let is_part = |fact: &FoundFact| {
        let whole = frameworks::whole_of(&fact.subject).is_some_and(|whole| told.contains(whole));
        fact.kind == FactKind::Framework && fact.value == ANY && fact.confidence < DECLARED && whole
    };
    // The source of a program that a manifest names states the same program again.
    let named: BTreeSet<&str> = facts
        .iter()
        .filter(|(_, fact)| fact.kind == FactKind::EntryPoint && fact.confidence >= DECLARED)
        .map(|(_, fact)| fact.value.as_str())
        .collect();
    let is_named = |path: &str, fact: &FoundFact| fact.kind == FactKind::EntryPoint && fact.confidence < DECLARED && named.contains(path);
    let mut taken = BTreeSet::new();
    let mut required = Required::default();
    let mut held = Vec::new();
    for (path, fact) in facts.iter().filter(|(path, fact)| !is_part(fact) && !is_named(path, fact)) {
        if !required.adds(path, fact) {
            continue;
        }
        if let Some(subject) = subjects(path, fact).into_iter().find(|subject| taken.insert((fact.kind, key(subject)))) {
            held.push((*path, FoundFact { subject, ..FoundFact::clone(fact) }));
        }
    }
    held
}

/// What has been reported about required packages and frameworks: for each, the ecosystem and the version.
#[derive(Default)]
struct Required<'f>(BTreeMap<(FactKind, String), Vec<(Ecosystem, &'f str)>>);

impl<'f> Required<'f> {
    /// Whether a fact adds to what has been reported: a version of its own, or a package of the same name in another ecosystem. Facts of
    /// other kinds do in any case.
    fn adds(&mut self, path: &str, fact: &'f FoundFact) -> bool {
        if !matches!(fact.kind, FactKind::Dependency | FactKind::Framework) {
            return true;
        }
        let told = self.0.entry((fact.kind, key(&fact.subject))).or_default();
        let (ecosystem, value) = (Ecosystem::of(path), fact.value.as_str());
        let says_no_version = matches!(value, ANY | OF_WORKSPACE);
        if told.iter().any(|(other, known)| *other == ecosystem && (says_no_version || *known == value)) {
            return false;
        }
        told.push((ecosystem, value));
        true
    }
}

/// Subjects of a fact in order of preference: an endpoint stated by several files gets its file appended, since its prefix
/// is stated elsewhere, and so does what is required in several versions or ecosystems.
fn subjects(path: &str, fact: &FoundFact) -> Vec<String> {
    let FoundFact { subject, value, .. } = fact;
    let mut subjects = vec![subject.clone()];
    if matches!(fact.kind, FactKind::Endpoint | FactKind::Dependency | FactKind::Framework) {
        subjects.push(format!("{subject} in {path}"));
    }
    if fact.kind == FactKind::Endpoint {
        subjects.push(format!("{subject} in {path} ({value})"));
    }
    subjects
}

fn is_command(fact: &FoundFact) -> bool {
    matches!(fact.kind, FactKind::TestCommand | FactKind::BuildCommand)
}

/// A command as the tool that the project's files show runs it; any other fact as it is.
fn run_by<'f>(tools: &Tools<'f>, path: &'f str, fact: Cow<'f, FoundFact>) -> Cow<'f, FoundFact> {
    let by_wrapper = |wrapper: &str| tools.of(path, &[wrapper]).map(|(wrapper, at)| in_folder(wrapper, at));
    let command = match file_name(path) {
        _ if !is_command(&fact) => None,
        "package.json" => tools.of(path, &package::MANAGERS).map(|(manager, _)| package::command(fact.kind, manager, path, fact.line)),
        "pom.xml" => by_wrapper("mvnw").map(|program| maven::command(fact.kind, &program, path, fact.line)),
        _ if covering(path) == Some("Gradle") => by_wrapper("gradlew").map(|program| gradle::command(fact.kind, &program, path, fact.line)),
        _ => None,
    };
    match command {
        Some(command) => Cow::Owned(FoundFact { quote: fact.quote.clone(), ..command }),
        None => fact,
    }
}

/// The tool that runs the commands of a manifest together with those of the manifests below, if one of these says so.
fn covering(path: &str) -> Option<&'static str> {
    match file_name(path) {
        "Cargo.toml" => Some("cargo"),
        "pom.xml" => Some("Maven"),
        name if name.ends_with(".gradle") || name.ends_with(".gradle.kts") => Some("Gradle"),
        name if [".csproj", ".fsproj", ".vbproj", ".sln", ".slnx"].iter().any(|end| name.ends_with(end)) => Some(".NET"),
        _ => None,
    }
}

/// The folders of manifests whose commands cover what is below them, by their tool.
fn workspaces<'f>(files: &BTreeMap<&'f str, &[FoundFact]>) -> BTreeSet<(&'static str, &'f str)> {
    let states = |facts: &[FoundFact]| facts.iter().any(|fact| fact.kind == FactKind::Workspace);
    files.iter().filter(|(_, facts)| states(facts)).filter_map(|(path, _)| Some((covering(path)?, folder(path)))).collect()
}

/// Python modules of the project itself: its files, and their parent folders.
fn own_modules<'f>(paths: impl Iterator<Item = &'f str>) -> BTreeSet<&'f str> {
    let python = paths.filter_map(|path| path.strip_suffix(".py"));
    python.flat_map(|path| path.split('/')).collect()
}
