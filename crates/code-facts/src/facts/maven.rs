//! Facts of a `pom.xml`.

use super::found::{DECLARED, FactKind, FoundFact, place, quoted};
use super::frameworks::{self, Ecosystem};
use super::xml::{Element, Elements};
use std::collections::BTreeMap;

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let xml = Elements::of(source);
    let Some(project) = xml.at(&["project"]).next() else { return Vec::new() };
    let pom = Pom::of(&xml);
    let mut found = Vec::new();
    // A parent and what is imported tell the version of a framework, which its parts then leave out.
    let managed = xml.at(&["project", "dependencyManagement", "dependencies", "dependency"]);
    for element in xml.at(&["project", "parent"]).chain(managed.filter(|managed| xml.text(managed, "scope") == Some("import"))) {
        if let Some((name, version)) = pom.package(element) {
            found.extend(frameworks::declared(Ecosystem::Jvm, &name, &version, element.line));
        }
    }
    for element in xml.at(&["project", "dependencies", "dependency"]) {
        let Some((name, version)) = pom.package(element) else { continue };
        if xml.text(element, "scope") != Some("test") {
            found.extend(frameworks::declared(Ecosystem::Jvm, &name, &version, element.line));
        }
        found.push(FoundFact::dependency(name, &version, element.line));
    }
    if xml.at(&["project", "modules", "module"]).next().is_some() {
        found.push(FoundFact::new(FactKind::Workspace, "Maven modules", path, project.line, DECLARED));
    }
    found.extend([FactKind::TestCommand, FactKind::BuildCommand].map(|kind| command(kind, "mvn", path, project.line)));
    found
}

/// The command that tests or builds a project by Maven or its wrapper.
pub(super) fn command(kind: FactKind, program: &str, path: &str, line: u32) -> FoundFact {
    let (folder, behind) = place(path);
    let at = if folder.is_empty() { String::new() } else { format!(" -f {}", quoted(path)) };
    let (what, goal) = if kind == FactKind::BuildCommand { ("build", "package") } else { ("tests", "test") };
    FoundFact::new(kind, format!("Maven {what}{behind}"), format!("{program}{at} {goal}"), line, DECLARED)
}

struct Pom<'x> {
    xml: &'x Elements,
    /// What `${…}` can name: properties, and what the project says of itself.
    properties: BTreeMap<String, &'x str>,
}

impl<'x> Pom<'x> {
    fn of(xml: &'x Elements) -> Pom<'x> {
        let (of_parent, own) = (xml.at(&["project", "parent"]), xml.at(&["project"]));
        let said = of_parent.chain(own).flat_map(|outer| xml.within(outer)).map(|element| (format!("project.{}", element.name), element));
        let stated = xml.at(&["project", "properties"]).flat_map(|outer| xml.within(outer)).map(|element| (element.name.clone(), element));
        Pom { xml, properties: said.chain(stated).map(|(name, element)| (name, element.text.as_str())).collect() }
    }

    /// Name (`group:artifact`) and version of a dependency; no version: something else states it.
    fn package(&self, element: &Element) -> Option<(String, String)> {
        let text = |name: &str| self.xml.text(element, name).map(|text| self.filled(text));
        let (group, artifact) = (text("groupId")?, text("artifactId")?);
        let is_known = |part: &str| !part.contains(['$', ' ']);
        (is_known(&group) && is_known(&artifact)).then(|| (format!("{group}:{artifact}"), text("version").unwrap_or_default()))
    }

    /// A text with the properties of this file, as in `${spring.version}`.
    fn filled(&self, text: &str) -> String {
        let Some((before, rest)) = text.split_once("${") else { return text.to_owned() };
        let Some((name, after)) = rest.split_once('}') else { return text.to_owned() };
        // A property of another property stays unknown.
        self.properties.get(name).map_or_else(|| text.to_owned(), |value| format!("{before}{value}{after}"))
    }
}
