//! Permission profiles translated into each agent's own rules.
//!
//! Rules restrain a well-meaning agent: whoever may run any command can write anywhere. An agent's changes outside of its checkout
//! are found by comparison, whatever the profile.

use ralph_core::permission::PermissionProfile;

/// Permission options of Claude Code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ClaudeRules {
    /// `--permission-mode`; empty = its own default.
    pub mode: String,
    /// `--allowedTools`.
    pub allowed: Vec<String>,
    /// `--disallowedTools`: these override whatever is allowed, in every mode.
    pub denied: Vec<String>,
}

/// What an agent may do besides edits in its checkout, in terms that translate into every agent's own rules.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rights {
    /// Beginnings of the only commands it may run; `None` = all but the denied ones.
    pub commands: Option<Vec<String>>,
    /// Whether it may fetch and search on the web.
    pub web: bool,
}

/// The rights of a profile; `tools` and `check` are those of the settings.
pub(crate) fn rights(profile: PermissionProfile, tools: &[String], check: &str) -> Rights {
    let has = |name: &str| tools.iter().any(|tool| tool == name);
    let every = match profile {
        PermissionProfile::Careful => false,
        PermissionProfile::Normal => has("Bash"),
        PermissionProfile::Unattended => true,
    };
    let named = || CAREFUL.iter().map(|command| command.trim_end_matches(":*")).chain(simple(check)).map(str::to_owned).collect();
    let web = match profile {
        PermissionProfile::Careful => false,
        PermissionProfile::Normal => has("WebFetch") || has("WebSearch"),
        PermissionProfile::Unattended => true,
    };
    Rights { commands: (!every).then(named), web }
}

/// Only edits inside the working folder are permitted without asking.
const EDITS: &str = "acceptEdits";
/// Commands that a careful agent needs to do its work and hand it over.
const CAREFUL: [&str; 12] = [
    "git status:*",
    "git diff:*",
    "git log:*",
    "git show:*",
    "git add:*",
    "git commit:*",
    "git mv:*",
    "git rm:*",
    "ls:*",
    "cat:*",
    "mkdir:*",
    "pwd",
];
/// Permissions of an unattended agent beyond the settings.
const UNATTENDED: [&str; 3] = ["Bash", "WebFetch", "WebSearch"];
/// Commands that no profile allows, as prefixes: they publish, rewrite history, reach into another checkout or change
/// settings beyond it.
pub(crate) const DENIED: [&str; 22] = [
    "git push",
    "git rebase",
    "git commit --amend",
    "git filter-branch",
    "git filter-repo",
    "git replace",
    "git reflog expire",
    "git reflog delete",
    "git update-ref",
    "git branch -D",
    "git branch -f",
    "git worktree",
    "git config --global",
    "git config --system",
    "git -C",
    "git --git-dir",
    "git --work-tree",
    "gh pr",
    "gh release",
    "npm publish",
    "cargo publish",
    "sudo",
];

/// Tools of Claude Code that make sense only if somebody sits in front of it, or if it continues afterwards. A question about what to do
/// can't be answered with yes, and a plan waits for a yes; a session that enters a worktree leaves its checkout, and can't commit there;
/// what is scheduled for later never happens, since the process ends with its turn, or happens in a session of the person's own.
const INTERACTIVE: [&str; 5] = ["AskUserQuestion", "EnterPlanMode", "EnterWorktree", "CronCreate", "ScheduleWakeup"];

/// Permission options for a profile: `mode` and `tools` are those of the settings, `check` the project's check.
pub(crate) fn claude(profile: PermissionProfile, mode: &str, tools: &[String], check: &str) -> ClaudeRules {
    let mut allowed = match profile {
        PermissionProfile::Careful => {
            let servers = tools.iter().filter(|tool| tool.starts_with("mcp__")).cloned();
            let commands = CAREFUL.iter().map(|command| format!("Bash({command})"));
            servers.chain(commands).chain(simple(check).map(|check| format!("Bash({check}:*)"))).collect()
        }
        PermissionProfile::Normal => tools.to_vec(),
        PermissionProfile::Unattended => {
            tools.iter().cloned().chain(UNATTENDED.iter().map(|tool| (*tool).to_owned())).collect::<Vec<String>>()
        }
    };
    let mut seen = std::collections::BTreeSet::new();
    allowed.retain(|tool| seen.insert(tool.clone()));
    let mode = if profile == PermissionProfile::Careful { EDITS } else { mode };
    let interactive = INTERACTIVE.iter().map(|tool| (*tool).to_owned());
    let denied = DENIED.iter().map(|command| format!("Bash({command}:*)")).chain(interactive).collect();
    ClaudeRules { mode: mode.to_owned(), allowed, denied }
}

/// A check that is one simple command: for another, a rule could permit too much.
fn simple(check: &str) -> Option<&str> {
    let check = check.trim();
    (!check.is_empty() && !check.contains(|c: char| "&|;<>()$`*\"'\\\n".contains(c))).then_some(check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_say_of_every_profile_which_commands_and_whether_the_web() {
        let tools = ["mcp__ralph", "Bash"].map(str::to_owned);
        let careful = rights(PermissionProfile::Careful, &tools, "cargo test -q");
        let commands = careful.commands.unwrap();
        assert!(commands.contains(&"git commit".to_owned()) && commands.contains(&"cargo test -q".to_owned()) && !careful.web);
        assert_eq!(rights(PermissionProfile::Normal, &tools, ""), Rights { commands: None, web: false });
        assert!(rights(PermissionProfile::Normal, &tools[..1], "").commands.is_some(), "without Bash in the settings");
        assert!(rights(PermissionProfile::Normal, &["WebFetch".to_owned()], "").web);
        assert_eq!(rights(PermissionProfile::Unattended, &[], ""), Rights { commands: None, web: true });
    }

    #[test]
    fn a_careful_agent_gets_no_command_but_the_named_and_an_unattended_one_is_stopped_by_nothing_but_the_denied() {
        let tools = ["mcp__ralph", "Bash"].map(str::to_owned);
        let careful = claude(PermissionProfile::Careful, "bypassPermissions", &tools, "cargo test -q");
        assert_eq!(careful.mode, "acceptEdits", "whatever the settings say");
        assert!(!careful.allowed.contains(&"Bash".to_owned()) && careful.allowed.contains(&"mcp__ralph".to_owned()));
        assert!(careful.allowed.contains(&"Bash(cargo test -q:*)".to_owned()), "{careful:?}");
        for check in ["", "make && curl x", "a | b", "$(x)"] {
            assert_eq!(claude(PermissionProfile::Careful, "", &tools, check).allowed.len(), CAREFUL.len() + 1, "{check}");
        }
        let normal = claude(PermissionProfile::Normal, "default", &tools, "make");
        assert_eq!((normal.mode.as_str(), normal.allowed.as_slice()), ("default", &tools[..]));
        let unattended = claude(PermissionProfile::Unattended, "acceptEdits", &tools, "");
        assert_eq!(unattended.allowed, ["mcp__ralph", "Bash", "WebFetch", "WebSearch"]);
        for rules in [careful, normal, unattended] {
            for denied in [
                "AskUserQuestion",
                "EnterWorktree",
                "Bash(git push:*)",
                "Bash(git rebase:*)",
                "Bash(git commit --amend:*)",
                "Bash(git -C:*)",
            ] {
                assert!(rules.denied.contains(&denied.to_owned()), "{denied}");
            }
        }
    }
}
