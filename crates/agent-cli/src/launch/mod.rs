//! How each agent is started: its arguments, and environment variables in place of arguments that it does not have. One file per agent.
//!
//! What applies to one invocation is passed with that invocation: the person's own settings of the agent are not changed.

mod claude;
mod codex;
mod opencode;

use crate::command::AgentSpec;
use crate::error::AgentError;
use ralph_core::run::{AgentKind, DEFAULT_MODEL};
use std::path::Path;

/// The command line of an invocation without its program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Launch {
    pub arguments: Vec<String>,
    /// Variables beside the chosen ones and the marks.
    pub variables: Vec<(String, String)>,
}

impl Launch {
    /// The command line for a specification; `mcp_config` is the file of its servers, where the agent reads one.
    ///
    /// # Errors
    /// If the specification lacks something that its agent needs.
    pub fn of(spec: &AgentSpec, mcp_config: Option<&Path>) -> Result<Launch, AgentError> {
        match spec.kind {
            AgentKind::Claude => Ok(claude::launch(spec, mcp_config)),
            AgentKind::Codex => Ok(codex::launch(spec)),
            AgentKind::Opencode => Ok(opencode::launch(spec)),
            AgentKind::Scripted => {
                let script = spec.script.as_ref().ok_or(AgentError::NoScript)?;
                let mut launch = Launch::default();
                launch.add(["agent-script", &script.to_string_lossy(), "--model", &spec.model]);
                if let Some(config) = mcp_config {
                    launch.add(["--mcp-config", &config.to_string_lossy()]);
                }
                Ok(launch)
            }
        }
    }

    fn add<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        self.arguments.extend(words.into_iter().map(str::to_owned));
    }

    fn set(&mut self, name: &str, value: impl Into<String>) {
        self.variables.push((name.to_owned(), value.into()));
    }
}

/// The model to ask for; `None` = whichever the agent chooses.
fn named_model(spec: &AgentSpec) -> Option<&str> {
    Some(spec.model.as_str()).filter(|model| !model.is_empty() && *model != DEFAULT_MODEL)
}

/// The option that asks for a model, in one word: what begins with a dash would be read as an option of its own.
fn model_option(model: &str) -> String {
    format!("--model={model}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{GitFolders, McpServerSpec, RunMarks};
    use ralph_core::permission::PermissionProfile;
    use serde_json::Value;

    pub(super) fn spec(kind: AgentKind) -> AgentSpec {
        let server = McpServerSpec {
            name: "ralph".into(),
            command: "/bin/ralph".into(),
            args: vec!["-C".into(), "/a \"b\"".into(), "mcp".into()],
            env: vec![("KEY".into(), "secret".into())],
            always_load: true,
        };
        AgentSpec {
            cwd: "/checkouts/tree".into(),
            repository: Some(GitFolders { own: "/project/.git/worktrees/tree".into(), common: "/project/.git".into() }),
            marks: RunMarks { project: "/project".into(), run: 1, iteration: 7, task: 3, attempt: 2, ..RunMarks::default() },
            mcp_servers: vec![server],
            ..crate::command::tests::spec(kind, "/tmp".into())
        }
    }

    fn line(spec: &AgentSpec, config: Option<&Path>) -> String {
        Launch::of(spec, config).unwrap().arguments.join(" ")
    }

    /// The arguments without the rules that every profile denies.
    fn without_denied(spec: &AgentSpec, config: Option<&Path>) -> String {
        let args = Launch::of(spec, config).unwrap().arguments;
        let first = args.iter().position(|arg| arg == "--disallowedTools").expect("some are always denied");
        let rest = args[first + 1..].iter().skip_while(|arg| !arg.starts_with("--"));
        args[..first].iter().chain(rest).map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn claude_and_the_scripted_agent_get_their_own_command_lines() {
        let claude = spec(AgentKind::Claude);
        assert_eq!(
            without_denied(&claude, Some(Path::new("/tmp/mcp.json"))),
            "-p --verbose --output-format stream-json --include-partial-messages --model=opus --permission-mode acceptEdits --allowedTools mcp__ralph Bash \
             --mcp-config /tmp/mcp.json --strict-mcp-config --max-budget-usd 1.5"
        );
        let plain = AgentSpec { allowed_tools: vec![], permission_mode: String::new(), max_usd: None, ..claude };
        let expected = "-p --verbose --output-format stream-json --include-partial-messages --model=opus --strict-mcp-config";
        assert_eq!(without_denied(&plain, None), expected);
        let asked = AgentSpec { answer_schema: Some("{\"type\": \"object\"}".into()), ..plain.clone() };
        assert!(line(&asked, None).ends_with(" --strict-mcp-config --json-schema {\"type\": \"object\"}"));
        let retries = AgentSpec { max_retries: Some(0), ..plain };
        assert_eq!(Launch::of(&retries, None).unwrap().variables, [("CLAUDE_CODE_MAX_RETRIES".to_owned(), "0".to_owned())]);
        let scripted = spec(AgentKind::Scripted);
        assert_eq!(line(&scripted, None), "agent-script demo.script --model opus");
        let without = AgentSpec { script: None, ..scripted };
        assert!(matches!(Launch::of(&without, None), Err(AgentError::NoScript)));
    }

    #[test]
    fn no_models_name_becomes_an_option_of_its_own() {
        for kind in [AgentKind::Claude, AgentKind::Codex, AgentKind::Opencode] {
            let named = AgentSpec { model: "--attach=http://127.0.0.1:1".into(), ..spec(kind) };
            let arguments = Launch::of(&named, None).unwrap().arguments;
            assert!(arguments.contains(&"--model=--attach=http://127.0.0.1:1".to_owned()), "{kind}: {arguments:?}");
            assert!(!arguments.contains(&named.model), "{kind}: {arguments:?}");
        }
    }

    // Elsewhere such paths are written otherwise.
    #[cfg(unix)]
    #[test]
    fn codex_gets_a_sandbox_that_holds_the_checkout_and_git_but_no_hooks() {
        let normal = line(&spec(AgentKind::Codex), None);
        assert!(normal.starts_with("exec --json ") && normal.ends_with(" --model=opus -"), "{normal}");
        for part in [
            "approval_policy=\"never\"",
            "\":workspace_roots\"={\".\"=\"write\",\".git\"=\"write\"}",
            "\"/project/.git\"=\"write\"",
            "\"/project/.git/worktrees/tree\"=\"write\"",
            "\"/project/.git/hooks\"=\"read\"",
            "\"/project/.git/config\"=\"read\"",
            "permissions.ralph.network.enabled=true",
            "projects={\"/checkouts/tree\"={trust_level=\"untrusted\"}}",
            "\"ralph\"={command=\"/bin/ralph\",args=[\"-C\",\"/a \\\"b\\\"\",\"mcp\"],",
            "\"RALPH_ITERATION\"=\"7\"",
            "default_tools_approval_mode=\"approve\"",
        ] {
            assert!(normal.contains(part), "{part} in {normal}");
        }
        assert!(!normal.contains("secret"), "arguments can be read by every user of the machine");
        let careful = line(&AgentSpec { permissions: PermissionProfile::Careful, ..spec(AgentKind::Codex) }, None);
        assert!(careful.contains("network.enabled=false") && careful.contains("\":root\"=\"read\""), "{careful}");
        let unattended = line(&AgentSpec { permissions: PermissionProfile::Unattended, ..spec(AgentKind::Codex) }, None);
        assert!(unattended.contains("\":root\"=\"write\"") && unattended.contains("\"/project\"=\"read\""), "{unattended}");
        let in_place = AgentSpec { cwd: "/project".into(), permissions: PermissionProfile::Unattended, ..spec(AgentKind::Codex) };
        assert!(!line(&in_place, None).contains("\"/project\"=\"read\""), "its own checkout is not closed to it");
        let own_choice = AgentSpec { model: DEFAULT_MODEL.into(), ..spec(AgentKind::Codex) };
        assert!(!line(&own_choice, None).contains(" --model"));
    }

    #[test]
    fn opencode_gets_servers_and_rules_in_a_variable_and_no_settings_of_the_folder() {
        let launch = Launch::of(&spec(AgentKind::Opencode), None).unwrap();
        assert_eq!(launch.arguments.join(" "), "run --format json --model=opus");
        let value = |name: &str| launch.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap();
        assert_eq!(value("OPENCODE_DISABLE_PROJECT_CONFIG"), "1");
        let config: Value = serde_json::from_str(&value("OPENCODE_CONFIG_CONTENT")).unwrap();
        let server = &config["mcp"]["ralph"];
        assert_eq!((server["command"][0].as_str(), server["environment"]["RALPH_ITERATION"].as_str()), (Some("/bin/ralph"), Some("7")));
        let rules = &config["permission"];
        assert_eq!(
            (&rules["bash"]["*"], &rules["bash"]["git push*"], &rules["webfetch"]),
            (&"allow".into(), &"deny".into(), &"deny".into())
        );
        assert!(!rules.to_string().contains("\"ask\""), "a refused question ends its run");
        let careful = AgentSpec { permissions: PermissionProfile::Careful, check: "make test".into(), ..spec(AgentKind::Opencode) };
        let launch = Launch::of(&careful, None).unwrap();
        let config: Value = serde_json::from_str(&launch.variables[0].1).unwrap();
        let bash = &config["permission"]["bash"];
        assert_eq!((&bash["*"], &bash["git commit*"], &bash["make test*"]), (&"deny".into(), &"allow".into(), &"allow".into()));
        assert_eq!(bash["git commit --amend*"], "deny");
        let text = &launch.variables[0].1;
        let place = |rule: &str| text.find(rule).unwrap_or_else(|| panic!("{rule} in {text}"));
        let last = place("\"git commit --amend*\":\"deny\"");
        assert!(last > place("\"git commit*\":\"allow\"") && last > place("\"*\":\"deny\""), "the last rule that matches decides");
    }

    #[test]
    fn under_a_limit_in_dollars_nobody_works_whose_cost_is_not_told() {
        for (kind, denial) in [(AgentKind::Codex, "features.multi_agent=false"), (AgentKind::Opencode, "\"task\":\"deny\"")] {
            let denies = |max_usd: Option<f64>| {
                let launch = Launch::of(&AgentSpec { max_usd, ..spec(kind) }, None).unwrap();
                let values = launch.variables.iter().map(|(_, value)| value);
                launch.arguments.iter().chain(values).any(|word| word.contains(denial))
            };
            assert_eq!((denies(Some(1.5)), denies(None)), (true, false), "{kind}");
        }
    }

    #[test]
    fn who_has_no_rules_of_its_own_against_pushes_gets_them_from_git() {
        for kind in [AgentKind::Codex, AgentKind::Opencode] {
            let launch = Launch::of(&spec(kind), None).unwrap();
            let has = launch.variables.iter().any(|(_, value)| value.contains("pushInsteadOf"));
            assert_eq!(has, kind == AgentKind::Codex, "{kind}");
        }
    }
}
