//! Facts of .NET's projects, solutions and lists of versions.

use super::found::{DECLARED, FactKind, FoundFact, file_name, place, quoted};
use super::frameworks::{self, Ecosystem};
use super::xml::{Element, Elements};

/// The facts of a `.csproj`, `.fsproj` or `.vbproj`.
pub(super) fn project(path: &str, source: &str) -> Vec<FoundFact> {
    let xml = Elements::of(source);
    let Some(project) = xml.at(&["Project"]).next() else { return Vec::new() };
    let sdk = project.attribute("Sdk").unwrap_or_default();
    let mut found: Vec<FoundFact> = frameworks::declared(Ecosystem::DotNet, sdk, "", project.line).into_iter().collect();
    let packages = packages(&xml, "PackageReference");
    // A project of tests is run by what it requires.
    let is_tests =
        packages.iter().any(|fact| fact.subject == "Microsoft.NET.Test.Sdk") || xml.named("IsTestProject").any(|it| it.text == "true");
    for package in packages {
        if !is_tests {
            found.extend(frameworks::declared(Ecosystem::DotNet, &package.subject, &package.value, package.line));
        }
        found.push(package);
    }
    let kind = if is_tests { FactKind::TestCommand } else { FactKind::BuildCommand };
    found.push(command(kind, path, project.line));
    found
}

/// The packages of a `Directory.Packages.props`, which states the versions of all projects.
pub(super) fn versions(source: &str) -> Vec<FoundFact> {
    packages(&Elements::of(source), "PackageVersion")
}

/// The commands of a solution, which are those of all its projects.
pub(super) fn solution(path: &str) -> Vec<FoundFact> {
    let all = FoundFact::new(FactKind::Workspace, "solution", path, 1, DECLARED);
    let commands = [FactKind::TestCommand, FactKind::BuildCommand].map(|kind| command(kind, path, 1));
    commands.into_iter().chain([all]).collect()
}

fn command(kind: FactKind, path: &str, line: u32) -> FoundFact {
    let (name, (_, behind)) = (file_name(path), place(path));
    let (what, verb) = if kind == FactKind::BuildCommand { ("build of", "build") } else { ("tests of", "test") };
    FoundFact::new(kind, format!(".NET {what} {name}{behind}"), format!("dotnet {verb} {}", quoted(path)), line, DECLARED)
}

/// `<PackageReference Include="Dapper" Version="2.1" />`, the version also as an element within.
fn packages(xml: &Elements, name: &str) -> Vec<FoundFact> {
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    let package = |element: &Element| {
        let named = element.attribute("Include").filter(is_name)?;
        let version = element.attribute("Version").or_else(|| xml.text(element, "Version")).unwrap_or_default();
        // `$(AspireVersion)` is a property, which any of several files can state.
        let version = if version.contains('$') { "" } else { version };
        Some(FoundFact::dependency(named, version, element.line))
    };
    xml.named(name).filter_map(package).collect()
}
