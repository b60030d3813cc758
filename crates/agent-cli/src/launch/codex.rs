//! Codex: `codex exec --json`; everything for one invocation is passed as `-c key=value`.
//!
//! Codex has no rules by command that could be given for one invocation. Its sandbox takes their place: in it commands can write to
//! the checkout, to git's data and to the folder for temporary files; git's hooks and settings are read-only.

use super::{Launch, model_option, named_model};
use crate::command::{AgentSpec, McpServerSpec};
use crate::environment;
use crate::permission::{Rights, rights};
use ralph_core::permission::PermissionProfile;
use ralph_core::run::AgentKind;
use std::ffi::OsString;
use std::path::Path;

/// Variables that Codex needs itself, and the commands that it runs do not.
const KEPT_FROM_COMMANDS: [&str; 3] = ["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN"];
/// Variables by which `ralph mcp` finds what the person agreed to. Codex passes only a few on to servers.
const FOR_SERVERS: [&str; 4] = ["RALPH_DATA_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "TMPDIR"];
/// Seconds that a server may take to start: on a cold disk more than Codex's own ten.
const SERVER_SECONDS: u32 = 30;

pub(super) fn launch(spec: &AgentSpec) -> Launch {
    let mut launch = Launch::default();
    launch.add(["exec", "--json", "--skip-git-repo-check", "--color", "never"]);
    let mut setting = |key: &str, value: String| launch.add(["-c", &format!("{key}={value}")]);
    setting("approval_policy", text("never"));
    setting("shell_environment_policy.inherit", text("all"));
    setting("shell_environment_policy.exclude", list(KEPT_FROM_COMMANDS));
    let rights = rights(spec.permissions, &spec.allowed_tools, &spec.check);
    setting("default_permissions", text("ralph"));
    setting("permissions.ralph.filesystem", filesystem(spec));
    setting("permissions.ralph.network.enabled", rights.network().to_string());
    // What the folder brings along for Codex (servers, hooks) would run without the person's agreement.
    setting("projects", format!("{{{}={{trust_level={}}}}}", path(&spec.cwd), text("untrusted")));
    if spec.max_usd.is_some() {
        // It does not report the tokens of subagents, so a limit in dollars would not hold.
        setting("features.multi_agent", "false".to_owned());
    }
    if !spec.mcp_servers.is_empty() {
        setting("mcp_servers", table(spec.mcp_servers.iter().map(|known| (text(&known.name), server(spec, known)))));
    }
    if let Some(model) = named_model(spec) {
        launch.add([model_option(model).as_str()]);
    }
    launch.add(["-"]);
    for server in &spec.mcp_servers {
        server.env.iter().for_each(|(name, value)| launch.set(name, value));
    }
    refuse_pushes(&mut launch, &environment::chosen(Some(AgentKind::Codex), &spec.pass_env, std::env::vars_os()));
    launch
}

impl Rights {
    /// Whether commands reach the network: where not every command is allowed, Codex can only close it to all.
    fn network(&self) -> bool {
        self.commands.is_none()
    }
}

/// What commands may read and write. The person's own checkout is never written, unless it is the one to work in.
fn filesystem(spec: &AgentSpec) -> String {
    let everywhere = spec.permissions == PermissionProfile::Unattended;
    let mut entries = vec![(text(":root"), text(if everywhere { "write" } else { "read" }))];
    // The project may be in a writable folder, such as the one for temporary files.
    if !spec.cwd.starts_with(&spec.marks.project) {
        entries.push((path(&spec.marks.project), text("read")));
    }
    entries.extend([":tmpdir", ":slash_tmp"].map(|place| (text(place), text("write"))));
    let roots = [".", ".git"].map(|place| (text(place), text("write")));
    entries.push((text(":workspace_roots"), table(roots)));
    if let Some(git) = &spec.repository {
        let mut writable = vec![git.common.clone()];
        if git.own != git.common {
            writable.push(git.own.clone());
        }
        entries.extend(writable.iter().map(|folder| (path(folder), text("write"))));
        // What git runs by itself stays as it is.
        entries.extend(["hooks", "config"].map(|name| (path(&git.common.join(name)), text("read"))));
    }
    table(entries)
}

fn server(spec: &AgentSpec, server: &McpServerSpec) -> String {
    let marks = spec.marks.variables().into_iter().map(|(name, value)| (text(&name), text(&value)));
    // Values that may be keys are passed by name: every user of the machine can read arguments.
    let names = FOR_SERVERS.into_iter().chain(server.env.iter().map(|(name, _)| name.as_str()));
    format!(
        "{{command={},args={},env={},env_vars={},default_tools_approval_mode={},startup_timeout_sec={SERVER_SECONDS}}}",
        path(&server.command),
        list(server.args.iter().map(String::as_str)),
        table(marks),
        list(names),
        text("approve"),
    )
}

/// Makes git refuse to push to any address, unless a remote has an address of its own for pushes. `given` are the other variables that it
/// gets.
fn refuse_pushes(launch: &mut Launch, given: &[(OsString, OsString)]) {
    // The person's own settings of this kind stay in force. Those that hold a secret are not among them, and with a gap in their numbers
    // git refuses every command.
    let count = given.iter().find(|(name, _)| name == "GIT_CONFIG_COUNT").and_then(|(_, count)| count.to_str()?.parse::<u32>().ok());
    let count = count.unwrap_or(0);
    launch.set("GIT_CONFIG_COUNT", count.saturating_add(1).to_string());
    launch.set(&format!("GIT_CONFIG_KEY_{count}"), "url.agents-of-ralph-do-not-push://.pushInsteadOf");
    launch.set(&format!("GIT_CONFIG_VALUE_{count}"), "");
}

/// A text in TOML: the same as in JSON, except for one character that TOML requires to be escaped.
fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn path(path: &Path) -> String {
    text(&path.to_string_lossy())
}

fn list<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    format!("[{}]", texts.into_iter().map(text).collect::<Vec<_>>().join(","))
}

fn table(entries: impl IntoIterator<Item = (String, String)>) -> String {
    let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    format!("{{{}}}", entries.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_against_pushes_comes_after_those_that_are_passed_on() {
        for (header, own, count) in
            [("X-Team: pay", "GIT_CONFIG_KEY_1", "2"), ("Authorization: Basic cGF5OnBheQ==", "GIT_CONFIG_KEY_0", "1")]
        {
            let all = [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "http.extraHeader"), ("GIT_CONFIG_VALUE_0", header)];
            let given = all.map(|(name, value)| (OsString::from(name), OsString::from(value)));
            let mut launch = Launch::default();
            refuse_pushes(&mut launch, &environment::chosen(Some(AgentKind::Codex), &[], given));
            let set: Vec<&str> = launch.variables.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!((set[1], launch.variables[0].1.as_str()), (own, count), "{header}");
        }
    }
}
