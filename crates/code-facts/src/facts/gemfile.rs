//! Facts of a `Gemfile`.

use super::found::{DECLARED, FactKind, FoundFact, in_quotes, place, run_in};
use super::frameworks::{self, Ecosystem};

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let mut found = Vec::new();
    for (line, number) in source.lines().zip(1..) {
        let Some((name, version)) = gem(line) else { continue };
        found.extend(frameworks::declared(Ecosystem::Ruby, name, &version, number));
        found.push(FoundFact::dependency(name, &version, number));
    }
    let line_of = |names: &[&str]| found.iter().find(|fact| names.contains(&fact.subject.as_str())).map(|fact| fact.line);
    let rspec = line_of(&["rspec-rails", "rspec"]).map(|line| ("bundle exec rspec", line));
    let (folder, behind) = place(path);
    if let Some((program, line)) = rspec.or_else(|| line_of(&["rails"]).map(|line| ("bin/rails test", line))) {
        found.push(FoundFact::new(FactKind::TestCommand, format!("Ruby tests{behind}"), run_in(&folder, program), line, DECLARED));
    }
    found
}

/// Name and versions of `gem "rails", "~> 7.1", ">= 7.1.2"`.
fn gem(line: &str) -> Option<(&str, String)> {
    let rest = line.trim().strip_prefix("gem")?;
    let mut parts = rest.strip_prefix([' ', '('])?.split(',').map(str::trim);
    let name = in_quotes(parts.next()?)?;
    let versions: Vec<&str> =
        parts.map_while(in_quotes).filter(|part| part.starts_with(|c: char| c.is_ascii_digit() || "~><=!".contains(c))).collect();
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    (is_name && !name.is_empty()).then(|| (name, versions.join(", ")))
}
