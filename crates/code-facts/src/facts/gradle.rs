//! Facts of Gradle's scripts, in Groovy or Kotlin, and of its catalog of versions. A script is a program: what it writes out is read, and
//! what it computes is not.

use super::found::{DECLARED, FactKind, FoundFact, file_name, in_quotes, place, quoted};
use super::frameworks::{self, Ecosystem};
use super::toml::{Manifest, text, text_of};
use toml_edit::TableLike;

/// Words that require a package, as they are or at the end of one such as `testImplementation`.
const REQUIRING: [&str; 9] =
    ["implementation", "api", "compileOnly", "runtimeOnly", "compile", "annotationProcessor", "developmentOnly", "kapt", "ksp"];

/// The facts of a `build.gradle` or `settings.gradle`.
pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let is_settings = file_name(path).starts_with("settings.");
    let mut found = Vec::new();
    let lines = code(source);
    for (line, number) in &lines {
        let (word, rest) = line.split_at(line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len()));
        match word {
            "include" if is_settings => found.push(FoundFact::new(FactKind::Workspace, "Gradle projects", path, *number, DECLARED)),
            _ if is_settings => {}
            "id" => found.extend(plugin(rest, *number)),
            word => {
                let Some((name, version)) = requires(word).then(|| package(rest)).flatten() else { continue };
                if !word.to_ascii_lowercase().contains("test") {
                    found.extend(frameworks::declared(Ecosystem::Jvm, &name, version, *number));
                }
                found.push(FoundFact::dependency(name, version, *number));
            }
        }
    }
    // Settings that include nothing only name a project, whose own script states the commands.
    if !is_settings || !found.is_empty() {
        let first = lines.first().map_or(1, |(_, number)| *number);
        found.extend([FactKind::TestCommand, FactKind::BuildCommand].map(|kind| command(kind, "gradle", path, first)));
    }
    found
}

/// The packages of a `libs.versions.toml`.
pub(super) fn catalog(source: &str) -> Vec<FoundFact> {
    let manifest = Manifest::of(source);
    let version_of = |table: &dyn TableLike| {
        let shared = |name: &str| manifest.item(&["versions", name]).and_then(text_of).unwrap_or_default().to_owned();
        match table.get("version") {
            Some(version) => match version.as_table_like() {
                Some(version) => text(version, "ref").map_or_else(String::new, shared),
                None => text_of(version).unwrap_or_default().to_owned(),
            },
            None => String::new(),
        }
    };
    let mut found = Vec::new();
    for entry in manifest.entries(&["libraries"]) {
        let (name, version) = match entry.item.as_table_like() {
            Some(table) => {
                let module = text(table, "module").map(str::to_owned);
                let parts = || Some(format!("{}:{}", text(table, "group")?, text(table, "name")?));
                let Some(name) = module.or_else(parts) else { continue };
                (name, version_of(table))
            }
            None => match text_of(entry.item).and_then(coordinates) {
                Some((name, version)) => (name, version.to_owned()),
                None => continue,
            },
        };
        found.extend(frameworks::declared(Ecosystem::Jvm, &name, &version, entry.line));
        found.push(FoundFact::dependency(name, &version, entry.line));
    }
    for entry in manifest.entries(&["plugins"]) {
        if let Some((id, version)) = entry.item.as_table_like().and_then(|table| Some((text(table, "id")?, version_of(table)))) {
            found.extend(frameworks::declared(Ecosystem::Jvm, id, &version, entry.line));
        }
    }
    found
}

/// The command that tests or builds a project by Gradle or its wrapper.
pub(super) fn command(kind: FactKind, program: &str, path: &str, line: u32) -> FoundFact {
    let (folder, behind) = place(path);
    let at = if folder.is_empty() { String::new() } else { format!(" -p {}", quoted(&folder)) };
    let (what, task) = if kind == FactKind::BuildCommand { ("build", "build") } else { ("tests", "test") };
    FoundFact::new(kind, format!("Gradle {what}{behind}"), format!("{program}{at} {task}"), line, DECLARED)
}

fn requires(word: &str) -> bool {
    REQUIRING.iter().any(|known| {
        let ends_so = || word.len() > known.len() && word.to_ascii_lowercase().ends_with(&known.to_ascii_lowercase());
        word == *known || ends_so()
    })
}

/// `("org.acme:pay:1.0")`, ` 'org.acme:pay:1.0'`, ` group: 'org.acme', name: 'pay', version: '1.0'`.
fn package(rest: &str) -> Option<(String, &str)> {
    let rest = rest.trim_start().trim_start_matches('(').trim_start();
    if let Some(text) = in_quotes(rest) {
        return coordinates(text);
    }
    let part = |name: &str| {
        let (_, after) = rest.split_once(name)?;
        in_quotes(after.trim_start().strip_prefix([':', '='])?.trim_start())
    };
    Some((format!("{}:{}", part("group")?, part("name")?), part("version").unwrap_or_default()))
}

/// Name and version of `group:artifact:version`; a version that is computed is none.
fn coordinates(text: &str) -> Option<(String, &str)> {
    let mut parts = text.split(':');
    let (group, artifact) = (parts.next()?, parts.next()?);
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let version = parts.next().unwrap_or_default().split('@').next().filter(|version| !version.contains('$')).unwrap_or_default();
    (is_name(group) && is_name(artifact)).then(|| (format!("{group}:{artifact}"), version))
}

/// `("org.springframework.boot") version "3.4.0"`.
fn plugin(rest: &str, line: u32) -> Option<FoundFact> {
    let rest = rest.trim_start().trim_start_matches('(').trim_start();
    let id = in_quotes(rest)?;
    let version = rest.split_once("version").and_then(|(_, after)| in_quotes(after.trim_start())).filter(|version| !version.contains('$'));
    frameworks::declared(Ecosystem::Jvm, id, version.unwrap_or_default(), line)
}

/// The lines of a script without comments, trimmed, each with its number; empty ones are left out.
fn code(source: &str) -> Vec<(String, u32)> {
    let (mut lines, mut in_comment) = (Vec::new(), false);
    for (line, number) in source.lines().zip(1..) {
        let (mut code, mut quote, mut rest) = (String::new(), None, line);
        while let Some(c) = rest.chars().next() {
            let mut taken = c.len_utf8();
            match quote {
                _ if in_comment => {
                    in_comment = !rest.starts_with("*/");
                    taken += usize::from(!in_comment);
                }
                Some(open) => {
                    quote = (c != open).then_some(open);
                    code.push(c);
                }
                None if rest.starts_with("//") => break,
                None if rest.starts_with("/*") => (in_comment, taken) = (true, 2),
                None => {
                    quote = matches!(c, '"' | '\'').then_some(c);
                    code.push(c);
                }
            }
            rest = &rest[taken..];
        }
        // What stands in one line with its block: `dependencies { implementation("a:b:1") }`.
        let statements = code.split(['{', ';', '}']).map(str::trim).filter(|statement| !statement.is_empty());
        lines.extend(statements.map(|statement| (statement.to_owned(), number)));
    }
    lines
}
