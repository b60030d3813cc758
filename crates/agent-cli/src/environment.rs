//! The filtered environment: which of Ralph's own variables a child process gets. All others are dropped, because an agent passes
//! its whole environment on to every command that it runs.

mod secret_values;
mod windows;

use ralph_core::run::AgentKind;
use ralph_core::secret::names_a_secret;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

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
    // The means by which a `ralph` called by an agent finds the person's agreements.
    "XDG_DATA_HOME",
    "RALPH_DATA_HOME",
];
/// Locations and options of tool chains and compilers: without these a check that passes in the person's shell fails
/// here. None of them holds a key.
const TOOL_CHAINS: &[&str] = &[
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "BUNDLE_PATH",
    "BUN_INSTALL",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "CC",
    "CFLAGS",
    "CMAKE_GENERATOR",
    "CMAKE_PREFIX_PATH",
    "COMPOSER_HOME",
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "CPATH",
    "CPP",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "C_INCLUDE_PATH",
    "DENO_DIR",
    "DEVELOPER_DIR",
    "DOTNET_ROOT",
    "DYLD_LIBRARY_PATH",
    "FNM_DIR",
    "GEM_HOME",
    "GEM_PATH",
    "GOBIN",
    "GOCACHE",
    "GOFLAGS",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "GRADLE_HOME",
    "GRADLE_USER_HOME",
    "JAVA_HOME",
    "JDK_HOME",
    "LDFLAGS",
    "LD_LIBRARY_PATH",
    "LIBCLANG_PATH",
    "LIBRARY_PATH",
    "M2_HOME",
    "MACOSX_DEPLOYMENT_TARGET",
    "MAVEN_HOME",
    "MAVEN_OPTS",
    "MISE_DATA_DIR",
    "NIX_PATH",
    "NIX_PROFILES",
    "NIX_SSL_CERT_FILE",
    "NODE_PATH",
    "NPM_CONFIG_PREFIX",
    "NUGET_PACKAGES",
    "NVM_BIN",
    "NVM_DIR",
    "PIPX_HOME",
    "PKG_CONFIG_PATH",
    "PNPM_HOME",
    "POETRY_HOME",
    "PYENV_ROOT",
    "PYTHONPATH",
    "RBENV_ROOT",
    "RUBYLIB",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SDKMAN_DIR",
    "SDKROOT",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "UV_CACHE_DIR",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
    "XDG_CACHE_HOME",
];
/// Prefixes of names that every child gets.
const COMMON_PREFIXES: [&str; 2] = ["LC_", "GIT_"];
/// Except these: with them a git that runs Ralph (a hook, `git rebase --exec`) or a person's shell points at one repository, one message
/// and one moment. An agent in a worktree would commit what is in the person's own checkout, and nobody is there to use an editor.
const GIT_NEVER: [&str; 16] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_DATE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_EDITOR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// What an agent needs to reach its model server.
const NETWORK: [&str; 7] = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS"];
const CLAUDE_PREFIXES: [&str; 2] = ["ANTHROPIC_", "CLAUDE_"];
const CLAUDE_SWITCHES: [&str; 3] = ["DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "ENABLE_TOOL_SEARCH"];
/// A claude that inherits these assumes that it runs inside another one, and refuses (`CLAUDECODE` has no underscore: it is not included).
const CLAUDE_NEVER: [&str; 2] = ["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"];

/// What Codex needs: its keys, servers and folder. Others with its prefix belong to a Codex that runs Ralph.
const CODEX: [&str; 9] = [
    "CODEX_ACCESS_TOKEN",
    "CODEX_API_KEY",
    "CODEX_CA_CERTIFICATE",
    "CODEX_HOME",
    "CODEX_SQLITE_HOME",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_ORGANIZATION",
    "OPENAI_PROJECT",
];
/// What OpenCode needs: the places of its settings, and the keys of the providers that it knows best. Others have to be in `pass_env`.
const OPENCODE: [&str; 14] = [
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    "OPENCODE_API_KEY",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_MODELS_PATH",
    "OPENCODE_MODELS_URL",
    "OPENROUTER_API_KEY",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
];

/// Those of `variables` that `agent` gets; without an agent, those of a check command. `passed` are names chosen by the person.
pub(crate) fn chosen(
    agent: Option<AgentKind>,
    passed: &[String],
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let variables: Vec<(OsString, OsString)> = variables.into_iter().collect();
    let is_set = |wanted: &str| variables.iter().any(|(name, value)| name == wanted && !value.is_empty() && value != "0");
    let cloud: &[&str] = match (is_set("CLAUDE_CODE_USE_BEDROCK"), is_set("CLAUDE_CODE_USE_VERTEX")) {
        (true, true) => &["AWS_", "GOOGLE_", "CLOUD_ML_"],
        (true, false) => &["AWS_"],
        (false, true) => &["GOOGLE_", "CLOUD_ML_"],
        (false, false) => &[],
    };
    let with_settings = !secret_values::settings_hold_a_secret(&variables);
    let is_chosen = |name: &str, value: &OsStr| {
        // The marks of another run would make this agent appear to belong to it.
        (passed.iter().any(|passed| passed == name) && !name.starts_with("RALPH_"))
            || is_common(name)
            || is_common_by_prefix(name, value, with_settings)
            || match agent {
                Some(AgentKind::Claude) => is_claudes(name, cloud),
                Some(AgentKind::Codex) => CODEX.contains(&name) || NETWORK.contains(&name),
                Some(AgentKind::Opencode) => OPENCODE.contains(&name) || NETWORK.contains(&name),
                Some(AgentKind::Scripted) | None => false,
            }
    };
    // A name that is not Unicode is not in the list.
    let chosen: Vec<bool> = variables.iter().map(|(name, value)| name.to_str().is_some_and(|name| is_chosen(name, value))).collect();
    variables.into_iter().zip(chosen).filter_map(|(variable, chosen)| chosen.then_some(variable)).collect()
}

fn is_common(name: &str) -> bool {
    COMMON.contains(&name) || TOOL_CHAINS.contains(&name) || (cfg!(windows) && windows::is_its_own(name))
}

/// Whether every child gets a variable because of its prefix: neither its name nor its value may be that of a secret.
fn is_common_by_prefix(name: &str, value: &OsStr, with_settings: bool) -> bool {
    // `GIT_TOKEN_OF_BOB` and `GIT_TOKENS` hold one too.
    let is_secret_word = |word: &str| names_a_secret(word) || names_a_secret(word.trim_end_matches(['S', 's']));
    starts_with_one(name, &COMMON_PREFIXES)
        && !GIT_NEVER.contains(&name)
        && !names_a_secret(name)
        && !name.split('_').any(is_secret_word)
        && if secret_values::is_setting(name) { with_settings } else { !secret_values::holds_a_secret(value) }
}

/// Puts the folder of a program first in PATH if it is not in it: what npm installs is a script for the `node` beside it, and a window
/// that was opened from the desktop has a shorter PATH than a terminal, where both are found.
pub(crate) fn lead_to(program: &Path, variables: &mut [(OsString, OsString)]) {
    let Some(folder) = program.parent().filter(|folder| folder.is_absolute()) else { return };
    let is_path = |name: &OsStr| if cfg!(windows) { name.eq_ignore_ascii_case("PATH") } else { name == "PATH" };
    // Without one the system has a search path of its own.
    let Some((_, path)) = variables.iter_mut().find(|(name, _)| is_path(name)) else { return };
    let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    if folders.iter().any(|known| known == folder) {
        return;
    }
    // A folder with a separator in its name can't be part of PATH.
    if let Ok(longer) = std::env::join_paths(std::iter::once(folder).chain(folders.iter().map(PathBuf::as_path))) {
        *path = longer;
    }
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
        chosen(agent, &[], given).into_iter().map(|(name, _)| name.into_string().unwrap()).collect()
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
        assert_eq!(names(Some(AgentKind::Codex), &all), [&common[..], &["HTTPS_PROXY", "OPENAI_API_KEY"]].concat());
        let opencodes = ["ANTHROPIC_API_KEY", "HTTPS_PROXY", "OPENAI_API_KEY"];
        assert_eq!(names(Some(AgentKind::Opencode), &all), [&common[..], &opencodes[..]].concat());
        assert_eq!(names(Some(AgentKind::Codex), &["CODEX_HOME", "CODEX_THREAD_ID", "CODEX_SANDBOX"]), ["CODEX_HOME"]);
    }

    #[test]
    fn tool_chains_are_found_secrets_by_name_stay_and_what_the_person_names_passes() {
        let all = ["RUSTUP_HOME", "JAVA_HOME", "VIRTUAL_ENV", "GOPATH", "NVM_DIR", "CC", "CXX", "SHELL", "DATABASE_URL"];
        assert_eq!(names(None, &all), &all[..8]);
        let git = ["GIT_TOKEN", "GIT_PASSWORD", "GIT_SSH_KEY", "git_secret", "GIT_AUTHOR_NAME", "GIT_CONFIG_KEY_0", "GIT_ASKPASS"];
        assert_eq!(names(None, &git), &git[4..]);
        let more = ["GIT_PAT", "GIT_PASS", "GIT_PWD", "GIT_AUTH", "GIT_BEARER", "GIT_CREDS", "GIT_TOKENS", "GIT_TOKEN_OF_BOB", "GIT_PAGER"];
        assert_eq!(names(None, &more), ["GIT_PAGER"]);
        let given = ["DATABASE_URL", "GIT_TOKEN", "RALPH_ITERATION", "OTHER"].map(|name| (OsString::from(name), OsString::from("1")));
        let passed = ["DATABASE_URL".to_owned(), "GIT_TOKEN".to_owned(), "RALPH_ITERATION".to_owned()];
        for agent in std::iter::once(None).chain(AgentKind::ALL.iter().copied().map(Some)) {
            let found: Vec<OsString> = chosen(agent, &passed, given.clone()).into_iter().map(|(name, _)| name).collect();
            assert_eq!(found, ["DATABASE_URL", "GIT_TOKEN"], "{agent:?}");
        }
        let sorted = TOOL_CHAINS.is_sorted();
        assert!(sorted, "so that one is found by eye");
    }

    #[test]
    fn a_repository_that_a_git_around_ralph_points_at_is_not_an_agents() {
        let around = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_AUTHOR_DATE", "GIT_AUTHOR_NAME", "GIT_EDITOR"];
        assert_eq!(names(None, &around), ["GIT_AUTHOR_NAME"]);
        assert_eq!(names(Some(AgentKind::Claude), &around), ["GIT_AUTHOR_NAME"]);
    }

    #[test]
    fn values_that_log_in_stay_and_settings_of_git_go_together_or_not_at_all() {
        let given = |variables: &[(&str, &str)]| {
            let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
            chosen(None, &[], variables).into_iter().map(|(name, _)| name.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(given(&[("GIT_HTTP_EXTRA_HEADER", "Authorization: bearer x"), ("GIT_AUTHOR_NAME", "Bob")]), ["GIT_AUTHOR_NAME"]);
        let settings = |value| {
            given(&[
                ("GIT_CONFIG_COUNT", "2"),
                ("GIT_CONFIG_KEY_0", "safe.directory"),
                ("GIT_CONFIG_VALUE_0", "*"),
                ("GIT_CONFIG_KEY_1", "http.extraHeader"),
                ("GIT_CONFIG_VALUE_1", value),
                ("GIT_CONFIG_NOSYSTEM", "1"),
            ])
        };
        assert_eq!(settings("Accept-Language: de").len(), 6);
        assert_eq!(settings("AUTHORIZATION: basic eDp5"), ["GIT_CONFIG_NOSYSTEM"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_script_of_npm_finds_the_node_beside_it_though_path_does_not_lead_there() {
        let led = |program: &str, path: Option<&str>| {
            let mut variables = vec![(OsString::from("HOME"), OsString::from("/h"))];
            variables.extend(path.map(|path| (OsString::from("PATH"), OsString::from(path))));
            lead_to(Path::new(program), &mut variables);
            variables.into_iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.into_string().unwrap())
        };
        for (program, path, expected) in [
            ("/h/.nvm/bin/claude", Some("/usr/bin:/bin"), Some("/h/.nvm/bin:/usr/bin:/bin")),
            ("/h/.nvm/bin/claude", Some("/usr/bin:/h/.nvm/bin"), Some("/usr/bin:/h/.nvm/bin")),
            ("/h/.nvm/bin/claude", None, None),
            ("/odd:name/claude", Some("/usr/bin"), Some("/usr/bin")),
            ("claude", Some("/usr/bin"), Some("/usr/bin")),
        ] {
            assert_eq!(led(program, path).as_deref(), expected, "{program} {path:?}");
        }
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
