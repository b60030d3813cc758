//! Rules that find secrets: a pattern triggered by keywords, narrowed by entropy, allowlists, and a check in code.
//!
//! Most of them are gitleaks' (`gitleaks-rules.json`, its licence beside it); [`super::own_rules`] adds what those miss in prose.

use super::found::SecretCandidate;
use super::value::entropy;
use super::{commands, named, outputs, own_rule, own_rules, value};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::bytes::{Captures, Regex, RegexBuilder};
use serde::Deserialize;
use std::sync::{LazyLock, OnceLock};

/// The test that compiles all rules finds errors in them.
const CHECKED: &str = "rule data is a constant, and a test reads and compiles all of it";

/// A pattern that is compiled on first use: most texts need a handful of the two hundred.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(super) struct Pattern {
    source: String,
    compiled: OnceLock<Regex>,
}

impl From<String> for Pattern {
    fn from(source: String) -> Pattern {
        Pattern { source, compiled: OnceLock::new() }
    }
}

impl Pattern {
    /// The compiled pattern. ASCII classes, as in gitleaks: credentials are ASCII, and the automaton stays small.
    pub(super) fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| RegexBuilder::new(&self.source).unicode(false).build().expect(CHECKED))
    }
}

/// The text that an allowlist is applied to.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Target {
    Secret,
    Match,
    Line,
}

/// Matches of a rule that must be left alone.
#[derive(Deserialize)]
struct Allow {
    target: Target,
    regexes: Vec<Pattern>,
    #[serde(default)]
    stopwords: Vec<String>,
    #[serde(skip)]
    stopword_automaton: OnceLock<AhoCorasick>,
}

impl Allow {
    fn allows(&self, found: &SecretCandidate<'_>) -> bool {
        let target = match self.target {
            Target::Secret => found.secret,
            Target::Match => found.whole,
            Target::Line => found.line(),
        };
        let stopwords = self
            .stopword_automaton
            .get_or_init(|| AhoCorasick::builder().ascii_case_insensitive(true).build(&self.stopwords).expect(CHECKED));
        self.regexes.iter().any(|pattern| pattern.regex().is_match(target.as_bytes()))
            || (!self.stopwords.is_empty() && stopwords.is_match(found.secret))
    }
}

/// One rule.
#[derive(Deserialize)]
pub(super) struct Rule {
    /// Its id, as in the mark it leaves.
    pub id: String,
    regex: Pattern,
    /// Words, one of which must be in the text, in any case. Every match of the pattern contains one.
    keywords: Vec<String>,
    /// Minimum bits per byte of the secret; 0 = none.
    #[serde(default)]
    entropy: f64,
    /// The group that is the secret: 0 the whole match; if absent, the first non-empty unnamed one, otherwise the whole match.
    group: Option<usize>,
    /// Whether the pattern identifies the secret only by a name before it, so that the value must look like one.
    #[serde(default)]
    named: bool,
    #[serde(default)]
    allow: Vec<Allow>,
    /// An additional condition in code.
    #[serde(skip)]
    confirm: Option<fn(&SecretCandidate<'_>) -> bool>,
}

impl Rule {
    fn own(rule: &own_rule::OwnRule) -> Rule {
        Rule {
            id: rule.id.to_owned(),
            regex: Pattern::from(rule.pattern.to_owned()),
            keywords: rule.keywords.iter().map(|&keyword| keyword.to_owned()).collect(),
            entropy: rule.entropy,
            group: None,
            named: false,
            allow: Vec::new(),
            confirm: rule.confirm,
        }
    }

    /// The compiled pattern.
    pub(super) fn regex(&self) -> &Regex {
        self.regex.regex()
    }

    /// The group of a match that is the secret.
    pub(super) fn secret<'m>(&self, groups: &'m Captures<'_>) -> Option<regex::bytes::Match<'m>> {
        match self.group {
            Some(group) => groups.get(group),
            // Named groups describe the context of a secret.
            None => {
                let unnamed = self.regex().capture_names().zip(groups.iter()).skip(1).filter(|(name, _)| name.is_none());
                unnamed.filter_map(|(_, group)| group).find(|group| !group.is_empty()).or_else(|| groups.get(0))
            }
        }
    }

    /// Whether a match of the pattern is a secret.
    pub(super) fn confirms(&self, found: &SecretCandidate<'_>, everywhere: &Everywhere) -> bool {
        (self.entropy == 0.0 || entropy(found.secret) > self.entropy)
            && !(self.named && value::is_no_named_secret(found))
            && self.confirm.is_none_or(|confirm| confirm(found))
            && !self.allow.iter().any(|allow| allow.allows(found))
            && !(self.confirm.is_none() && everywhere.0.allows(found))
    }
}

/// What every gitleaks rule ignores: variables, templates, paths, runs of one character.
pub(super) struct Everywhere(Allow);

/// The rules, and which keywords trigger them.
pub(super) struct RuleSet {
    /// Most specific first: a mark names the first of the rules that matched the same place.
    pub rules: Vec<Rule>,
    pub everywhere: Everywhere,
    /// Finds all keywords in one pass, including overlapping ones.
    pub keywords: AhoCorasick,
    /// For each keyword the rules it triggers.
    pub called: Vec<Vec<usize>>,
    /// For each keyword whether it is a stem of names next to which a secret can occur.
    pub stems: Vec<bool>,
}

/// The rule set of this build.
pub(super) static RULES: LazyLock<RuleSet> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        allow: Allow,
        rules: Vec<Rule>,
    }
    let file: File = serde_json::from_str(include_str!("gitleaks-rules.json")).expect(CHECKED);
    // Our rules that identify a token by its form come after gitleaks', which name the vendor; those by a preceding name come last.
    let (generic, specific): (Vec<Rule>, Vec<Rule>) = file.rules.into_iter().partition(|rule| rule.id == "generic-api-key");
    let own = own_rules::OWN_RULES.iter().chain(commands::RULES).chain(outputs::OUTPUT_RULES).map(Rule::own);
    let rules: Vec<Rule> = specific.into_iter().chain(own).chain(generic).collect();
    let mut keywords: Vec<&str> = rules.iter().flat_map(|rule| rule.keywords.iter().map(String::as_str)).collect();
    named::stems().for_each(|stem| keywords.push(stem));
    keywords.sort_unstable();
    keywords.dedup();
    let called = keywords
        .iter()
        .map(|keyword| rules.iter().enumerate().filter(|(_, rule)| rule.keywords.iter().any(|k| k == keyword)).map(|(i, _)| i).collect())
        .collect();
    let stems = keywords.iter().map(|keyword| named::stems().any(|stem| stem == *keyword)).collect();
    // A DFA: every byte of every transcript goes through it.
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(&keywords)
        .expect(CHECKED);
    RuleSet { everywhere: Everywhere(file.allow), keywords: automaton, called, stems, rules }
});

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn every_rule_compiles_and_has_lowercase_keywords() {
        assert!(RULES.rules.len() > 200);
        for rule in &RULES.rules {
            assert!(!rule.keywords.is_empty(), "{}", rule.id);
            assert!(rule.keywords.iter().all(|keyword| keyword.to_lowercase() == *keyword), "{}", rule.id);
            assert!(rule.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{}", rule.id);
            rule.regex();
            for pattern in rule.allow.iter().flat_map(|allow| &allow.regexes) {
                pattern.regex();
            }
        }
    }
}
