//! The chosen environment: what a child process gets of Ralph's own variables. Everything else is dropped, because an agent hands
//! its whole environment on to every command that it runs.

use ralph_core::run::AgentKind;
use std::ffi::OsString;

/// Exact names that every child gets.
const COMMON: [&str; 11] = [
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "TMPDIR",
    "USER",
    "LOGNAME",
    "SSH_AUTH_SOCK",
    "TZ",
    // Where the `ralph` that an agent calls finds what its person agreed to.
    "XDG_DATA_HOME",
    "RALPH_DATA_HOME",
];
/// Without these hardly any program starts on Windows.
const WINDOWS: [&str; 11] = [
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PATHEXT",
    "COMSPEC",
    "TEMP",
    "TMP",
];
/// Beginnings of names that every child gets.
const COMMON_PREFIXES: [&str; 2] = ["LC_", "GIT_"];

/// What an agent that talks to a model server needs to reach it.
const NETWORK: [&str; 7] = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS"];
const CLAUDE_PREFIXES: [&str; 2] = ["ANTHROPIC_", "CLAUDE_"];
const CLAUDE_SWITCHES: [&str; 3] = ["DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "ENABLE_TOOL_SEARCH"];
/// A claude that inherits these believes to run inside another one, and refuses (`CLAUDECODE` has no underscore: it is not chosen).
const CLAUDE_NEVER: [&str; 2] = ["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"];

/// Of `variables`, those that `agent` gets; with no agent, those that a check command gets.
pub(crate) fn chosen(agent: Option<AgentKind>, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let variables: Vec<(OsString, OsString)> = variables.into_iter().collect();
    let is_set = |wanted: &str| variables.iter().any(|(name, value)| name == wanted && !value.is_empty() && value != "0");
    let cloud: &[&str] = match (is_set("CLAUDE_CODE_USE_BEDROCK"), is_set("CLAUDE_CODE_USE_VERTEX")) {
        (true, true) => &["AWS_", "GOOGLE_", "CLOUD_ML_"],
        (true, false) => &["AWS_"],
        (false, true) => &["GOOGLE_", "CLOUD_ML_"],
        (false, false) => &[],
    };
    let is_chosen = |name: &str| {
        is_common(name)
            || match agent {
                Some(AgentKind::Claude) => is_claudes(name, cloud),
                Some(AgentKind::Scripted) | None => false,
            }
    };
    // A name that is no Unicode is none of the list's.
    let chosen: Vec<bool> = variables.iter().map(|(name, _)| name.to_str().is_some_and(is_chosen)).collect();
    variables.into_iter().zip(chosen).filter_map(|(variable, chosen)| chosen.then_some(variable)).collect()
}

fn is_common(name: &str) -> bool {
    COMMON.contains(&name) || starts_with_one(name, &COMMON_PREFIXES) || (cfg!(windows) && is_windows(name))
}

fn is_windows(name: &str) -> bool {
    // Names there have no case: `Path` is PATH.
    let upper = name.to_uppercase();
    WINDOWS.contains(&upper.as_str()) || upper == "PATH"
}

fn is_claudes(name: &str, cloud: &[&str]) -> bool {
    let own = starts_with_one(name, &CLAUDE_PREFIXES) && !CLAUDE_NEVER.contains(&name);
    own || CLAUDE_SWITCHES.contains(&name) || NETWORK.contains(&name) || starts_with_one(name, cloud)
}

fn starts_with_one(name: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(agent: Option<AgentKind>, variables: &[&str]) -> Vec<String> {
        let given = variables.iter().map(|name| (OsString::from(name), OsString::from("1")));
        chosen(agent, given).into_iter().map(|(name, _)| name.into_string().unwrap()).collect()
    }

    #[test]
    fn a_child_gets_the_chosen_variables_and_no_others() {
        let all = [
            "PATH",
            "HOME",
            "LANG",
            "LC_ALL",
            "TMPDIR",
            "GIT_SSH_COMMAND",
            "SSH_AUTH_SOCK",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_MAX_RETRIES",
            "CLAUDECODE",
            "CLAUDE_CODE_ENTRYPOINT",
            "DISABLE_TELEMETRY",
            "HTTPS_PROXY",
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "DATABASE_URL",
            "LD_PRELOAD",
            "RALPH_RUN",
        ];
        let common = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "GIT_SSH_COMMAND", "SSH_AUTH_SOCK"];
        assert_eq!(names(None, &all), common);
        assert_eq!(names(Some(AgentKind::Scripted), &all), common);
        let claudes = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_MAX_RETRIES", "DISABLE_TELEMETRY", "HTTPS_PROXY"];
        assert_eq!(names(Some(AgentKind::Claude), &all), [&common[..], &claudes[..]].concat());
    }

    #[test]
    fn cloud_keys_go_to_claude_only_when_it_is_told_to_use_that_cloud() {
        let claude = Some(AgentKind::Claude);
        let keys = ["AWS_REGION", "GOOGLE_CLOUD_PROJECT"];
        assert!(names(claude, &keys).is_empty());
        assert_eq!(names(claude, &["CLAUDE_CODE_USE_BEDROCK", "AWS_REGION", "GOOGLE_X"]), ["CLAUDE_CODE_USE_BEDROCK", "AWS_REGION"]);
        assert_eq!(names(claude, &["CLAUDE_CODE_USE_VERTEX", "AWS_REGION", "GOOGLE_X"]), ["CLAUDE_CODE_USE_VERTEX", "GOOGLE_X"]);
        assert!(names(None, &["CLAUDE_CODE_USE_BEDROCK", "AWS_REGION"]).is_empty());
    }
}
