//! Facts of a `Gemfile`.

use super::found::{DECLARED, FactKind, FoundFact, place, quoted};
use super::frameworks::{self, Ecosystem};

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let mut found = Vec::new();
    for (line, number) in source.lines().zip(1..) {
        let Some((name, version)) = gem(line) else { continue };
        found.extend(frameworks::declared(Ecosystem::Ruby, name, &version, number));
        found.push(FoundFact::dependency(name, &version, number));
    }
    let line_of = |names: [&str; 2]| found.iter().find(|fact| names.contains(&fact.subject.as_str())).map(|fact| fact.line);
    let rspec = line_of(["rspec-rails", "rspec"]).map(|line| ("bundle exec rspec", line));
    let (folder, behind) = place(path);
    if let Some((program, line)) = rspec.or_else(|| line_of(["rails", "rails"]).map(|line| ("bin/rails test", line))) {
        let value = if folder.is_empty() { program.to_owned() } else { format!("cd {} && {program}", quoted(&folder)) };
        found.push(FoundFact::new(FactKind::TestCommand, format!("Ruby tests{behind}"), value, line, DECLARED));
    }
    found
}

/// Name and versions of `gem "rails", "~> 7.1", ">= 7.1.2"`.
fn gem(line: &str) -> Option<(&str, String)> {
    let rest = line.trim().strip_prefix("gem")?;
    let mut parts = rest.strip_prefix([' ', '('])?.split(',').map(str::trim);
    let name = text(parts.next()?)?;
    let versions: Vec<&str> =
        parts.map_while(text).filter(|part| part.starts_with(|c: char| c.is_ascii_digit() || "~><=!".contains(c))).collect();
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    (is_name && !name.is_empty()).then(|| (name, versions.join(", ")))
}

/// The text that a part is, in quotes.
fn text(part: &str) -> Option<&str> {
    let quote = part.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    part[1..].split_once(quote).map(|(text, _)| text)
}
