//! Facts that a file states: the project's dependencies, frameworks, endpoints, entry points, test and
//! build commands. Taken from manifests and from syntax trees, never from comments or from strings that look like code.

mod across;
mod aside;
mod cargo;
mod composer;
mod dotnet;
mod endpoints;
mod found;
mod frameworks;
mod gemfile;
mod go;
mod go_mod;
mod gradle;
mod holes;
mod java;
mod json;
mod make;
mod maven;
mod mounts;
mod package;
mod project;
mod pyproject;
mod python;
mod requirements;
mod routers;
mod rust;
mod script;
mod setup_cfg;
mod standard;
mod toml;
mod tools;
mod tree;
mod xml;

pub use found::{FactKind, FoundFact};
pub use project::of_project;

use crate::Language;

/// Version of the rules; incremented to read all files again.
pub const RULES: u32 = 10;

/// Kind of a file, by its name.
enum File {
    Cargo,
    Package,
    Pyproject,
    Requirements,
    SetupCfg,
    GoMod,
    Pom,
    Gradle,
    GradleCatalog,
    Composer,
    Gemfile,
    DotNet,
    DotNetVersions,
    Solution,
    Targets(make::Runner),
    /// Its name says all.
    Tool(&'static str),
    Source(Language),
}

fn file(path: &str) -> Option<File> {
    if aside::is_aside(path) {
        return None;
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let lists =
        |name: &str| name.strip_suffix(".txt").is_some_and(|stem| stem.starts_with("requirements") || stem.ends_with("requirements"));
    match name {
        "Cargo.toml" => Some(File::Cargo),
        "package.json" => Some(File::Package),
        "pyproject.toml" => Some(File::Pyproject),
        "setup.cfg" => Some(File::SetupCfg),
        "go.mod" => Some(File::GoMod),
        "pom.xml" => Some(File::Pom),
        "build.gradle" | "build.gradle.kts" | "settings.gradle" | "settings.gradle.kts" => Some(File::Gradle),
        "libs.versions.toml" => Some(File::GradleCatalog),
        "composer.json" => Some(File::Composer),
        "Gemfile" => Some(File::Gemfile),
        "Directory.Packages.props" => Some(File::DotNetVersions),
        name if make::Runner::of(name).is_some() => make::Runner::of(name).map(File::Targets),
        name if tools::of_file(name).is_some() => tools::of_file(name).map(File::Tool),
        name if lists(name) => Some(File::Requirements),
        name if name.ends_with(".txt") && folder.rsplit('/').next() == Some("requirements") => Some(File::Requirements),
        _ => match name.rsplit_once('.') {
            Some((_, "csproj" | "fsproj" | "vbproj")) => Some(File::DotNet),
            Some((_, "sln" | "slnx")) => Some(File::Solution),
            _ => Language::of(path).map(File::Source),
        },
    }
}

/// Whether a file can contain facts, by its path relative to the project, with `/`. Excludes vendored and generated files,
/// tests and examples.
pub fn reads(path: &str) -> bool {
    file(path).is_some()
}

/// Whether the content of a file is read: some files state their fact by their name alone.
pub fn is_read(path: &str) -> bool {
    !matches!(file(path), None | Some(File::Tool(_) | File::Solution))
}

/// The facts of a file, in line order; each kind and subject once, endpoints once for each handler.
pub fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    // A byte order mark is not part of the text.
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let mut found = match file(path) {
        None => return Vec::new(),
        Some(File::Cargo) => cargo::facts(path, source),
        Some(File::Package) => package::facts(path, source),
        Some(File::Pyproject) => pyproject::facts(path, source),
        Some(File::Requirements) => requirements::facts(path, source),
        Some(File::SetupCfg) => setup_cfg::facts(path, source),
        Some(File::GoMod) => go_mod::facts(path, source),
        Some(File::Pom) => maven::facts(path, source),
        Some(File::Gradle) => gradle::facts(path, source),
        Some(File::GradleCatalog) => gradle::catalog(source),
        Some(File::Composer) => composer::facts(path, source),
        Some(File::Gemfile) => gemfile::facts(path, source),
        Some(File::DotNet) => dotnet::project(path, source),
        Some(File::DotNetVersions) => dotnet::versions(source),
        Some(File::Solution) => dotnet::solution(path),
        Some(File::Targets(runner)) => make::facts(runner, path, source),
        Some(File::Tool(tool)) => vec![tools::fact(tool, path)],
        Some(File::Source(language)) => match language {
            Language::Python => python::facts(path, source),
            Language::Rust => rust::facts(path, source),
            Language::Go => go::facts(path, source),
            Language::Java => java::facts(path, source),
            Language::JavaScript | Language::TypeScript | Language::Tsx => script::facts(language, path, source),
        },
    };
    let mut seen = std::collections::BTreeSet::new();
    // Functions of a file can register the same path below different prefixes, and several routers are mounted at one path.
    let apart = |fact: &FoundFact| match fact.kind {
        FactKind::Endpoint => (fact.value.clone(), fact.router.as_ref().map(|router| router.name.clone())),
        kind if !kind.is_told() => (format!("{} {}", fact.subject, fact.value), fact.mount.as_ref().map(|mount| mount.on.clone())),
        _ => (String::new(), None),
    };
    let is_new = |fact: &FoundFact| (fact.kind, found::key(&fact.subject), apart(fact));
    found.retain(|fact| !fact.subject.is_empty() && !fact.value.is_empty() && seen.insert(is_new(fact)));
    let lines: Vec<&str> = source.lines().collect();
    for fact in &mut found {
        let line = usize::try_from(fact.line).ok().and_then(|line| lines.get(line.checked_sub(1)?));
        line.map_or("", |line| line.trim()).clone_into(&mut fact.quote);
    }
    found.sort_by(|a, b| (a.line, a.kind, &a.subject).cmp(&(b.line, b.kind, &b.subject)));
    found
}

#[cfg(test)]
mod tests;
