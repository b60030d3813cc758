//! What a trust item is about, according to its name.

use super::name;
use crate::run::{AgentKind, RunRequest};

/// Settings of Claude Code; it does not ask about them when started by a program.
pub const CLAUDE_FILES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
/// Settings of OpenCode. Ralph switches their loading off, but parts of OpenCode load plugins that they name all the same.
pub const OPENCODE_FILES: [&str; 4] = ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"];
/// Where everything else that OpenCode loads is.
const OPENCODE_FOLDER: &str = ".opencode/";

/// What a trust item is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrustSubject {
    /// A setting, or all of them.
    Settings,
    /// The rules for all work.
    Rules,
    /// A discipline.
    Discipline,
    /// A file that this agent loads by itself.
    AgentFile(AgentKind),
    /// A program of the repository's own git configuration.
    Git,
    /// Lines of the journals.
    Journals,
    /// Where the folder or its database comes from.
    Origin,
}

impl TrustSubject {
    /// Reads it from the name of an item.
    pub fn of(item: &str) -> TrustSubject {
        match item {
            name::RULES => TrustSubject::Rules,
            name::DATABASE | name::OWNER => TrustSubject::Origin,
            name::JOURNALS => TrustSubject::Journals,
            item if item.starts_with(name::DISCIPLINE) => TrustSubject::Discipline,
            item if item.starts_with(name::GIT) => TrustSubject::Git,
            item if CLAUDE_FILES.contains(&item) => TrustSubject::AgentFile(AgentKind::Claude),
            item if OPENCODE_FILES.contains(&item) || item.starts_with(OPENCODE_FOLDER) => TrustSubject::AgentFile(AgentKind::Opencode),
            // Every other name is that of a setting.
            _ => TrustSubject::Settings,
        }
    }

    /// The project's own text that an item is in, if it is in one.
    pub fn text(self) -> Option<&'static str> {
        match self {
            TrustSubject::Settings => Some(name::CONFIG),
            TrustSubject::Rules => Some(name::RULES),
            _ => None,
        }
    }
}

/// Whether a run may begin while an item is pending: the run has its own value for it, or does without it.
pub fn needs_no_yes(item: &str, request: &RunRequest) -> bool {
    match (item, TrustSubject::of(item)) {
        (name::CHECK, _) => request.check.is_some(),
        (name::SCRIPT, _) => request.script.is_some(),
        (name::CLAUDE_PATH | name::CODEX_PATH | name::OPENCODE_PATH, _) => request.agent_path.is_some(),
        (_, TrustSubject::Journals) => true,
        (_, TrustSubject::AgentFile(agent)) => agent != request.agent,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunLimits;

    fn request(agent: AgentKind) -> RunRequest {
        RunRequest {
            agent,
            model: None,
            script: None,
            agent_path: None,
            task: None,
            limits: RunLimits { max_iterations: None, max_minutes: None, max_usd: None },
            check: None,
            strategy: None,
            hold_out: None,
            checkout: None,
            permissions: None,
            workers: None,
            in_place: None,
        }
    }

    #[test]
    fn an_item_is_put_back_in_the_text_that_it_is_in() {
        for (item, text) in [
            ("check", Some("config.toml")),
            ("extractor", Some("config.toml")),
            ("config.toml", Some("config.toml")),
            ("rules.md", Some("rules.md")),
            ("discipline backend", None),
            ("git filter.lfs.clean", None),
            (".claude/settings.json", None),
            (".opencode/plugin/own.ts", None),
            ("journals", None),
            ("ralph.db", None),
            ("owner", None),
        ] {
            assert_eq!(TrustSubject::of(item).text(), text, "{item}");
        }
    }

    #[test]
    fn a_run_waits_for_all_but_what_it_overrides_or_does_without() {
        let claude = request(AgentKind::Claude);
        let own = RunRequest { check: Some(String::new()), agent_path: Some("claude".to_owned()), ..claude.clone() };
        for (item, in_claude_s, in_own, in_opencode_s) in [
            ("check", false, true, false),
            ("codex_path", false, true, false),
            ("script", false, false, false),
            ("setup", false, false, false),
            ("rules.md", false, false, false),
            ("discipline backend", false, false, false),
            (".claude/settings.json", false, false, true),
            ("opencode.json", true, true, false),
            (".opencode/plugin/own.ts", true, true, false),
            ("journals", true, true, true),
            ("ralph.db", false, false, false),
        ] {
            let found = [&claude, &own, &request(AgentKind::Opencode)].map(|request| needs_no_yes(item, request));
            assert_eq!(found, [in_claude_s, in_own, in_opencode_s], "{item}");
        }
    }
}
