//! Which program the agent of a run or an errand is.

use crate::app::App;
use crate::error::{AppError, Result};
use git_repo::real_path;
use ralph_core::limits;
use ralph_core::run::AgentKind;
use ralph_core::settings::Settings;
use ralph_core::trust::name;
use std::path::{Path, PathBuf};

/// What is started as the agent.
#[derive(Debug)]
pub(crate) struct AgentProgram {
    pub program: PathBuf,
    /// Of the scripted agent.
    pub script: Option<PathBuf>,
}

impl App {
    /// The program at `path`, if given, and the named `script`; otherwise those of the settings, or the program where it is found.
    ///
    /// # Errors
    /// If one of them is missing, or is not for this agent.
    pub(crate) async fn program_of(
        &self,
        agent: AgentKind,
        path: Option<&str>,
        script: Option<&str>,
        settings: &Settings,
    ) -> Result<AgentProgram> {
        refuse_unused(agent, path, script)?;
        Ok(match agent {
            AgentKind::Scripted => AgentProgram { program: ralph_program()?, script: Some(self.script_named(script, settings)?) },
            agent => {
                let found = agent_cli::find(agent, path.unwrap_or(settings.path_of(agent)), &self.paths.root).await?;
                AgentProgram { program: found.path, script: None }
            }
        })
    }

    /// The named script, otherwise the project's.
    fn script_named(&self, named: Option<&str>, settings: &Settings) -> Result<PathBuf> {
        let hint = "give --script FILE, or set script in .ralph/config.toml";
        if let Some(named) = named.map(str::trim).filter(|named| !named.is_empty()) {
            let path = self.paths.root.join(named);
            // A path on the command line is relative to the person's working folder.
            let path = if path.is_file() { path } else { PathBuf::from(named) };
            return real_path(&path).map_err(|source| match source.kind() {
                std::io::ErrorKind::NotFound => AppError::invalid("script", format!("{named} does not exist"), hint),
                _ => AppError::io(named, source),
            });
        }
        if settings.script.trim().is_empty() {
            self.standing_settings()?.must_be_agreed(name::SCRIPT)?;
            return Err(AppError::invalid("script", "the scripted agent has no script", hint));
        }
        let path = self.paths.root.join(settings.script.trim());
        match self.paths.files().read(&path, limits::SCRIPT_BYTES)? {
            Some(_) => Ok(path),
            None => Err(AppError::invalid("script", format!("{} does not exist", path.display()), hint)),
        }
    }
}

/// Refuses a path or a script that the agent would not use: whoever gives one means another agent.
pub(super) fn refuse_unused(agent: AgentKind, path: Option<&str>, script: Option<&str>) -> Result<()> {
    let is_given = |named: Option<&str>| named.is_some_and(|named| !named.trim().is_empty());
    match agent {
        AgentKind::Scripted if is_given(path) => Err(AppError::invalid(
            "agent_path",
            "the scripted agent is part of Ralph, and no other program",
            "leave `--agent-path` out, or name the agent whose program it is with `--agent`",
        )),
        AgentKind::Claude | AgentKind::Codex | AgentKind::Opencode if is_given(script) => {
            let hint = "leave `--script` out, or have it played with `--agent scripted`";
            Err(AppError::invalid("script", format!("{agent} plays no script"), hint))
        }
        _ => Ok(()),
    }
}

/// The `ralph` binary: this program, or the one next to it (the window ships both). It provides agents' MCP server and the scripted agent.
pub(crate) fn ralph_program() -> Result<PathBuf> {
    let name = if cfg!(windows) { "ralph.exe" } else { "ralph" };
    let own = std::env::current_exe().map_err(|source| AppError::io("the running program", source))?;
    let beside = |folder: &Path| Some(folder.join(name)).filter(|p| p.is_file());
    let folder = own.parent().unwrap_or(Path::new("."));
    if own.file_name().is_some_and(|n| n == name) {
        return Ok(own);
    }
    // Test programs are one folder below.
    beside(folder).or_else(|| beside(folder.parent()?)).ok_or_else(|| {
        AppError::invalid(
            "installation",
            format!("'{name}' is missing beside {}", own.display()),
            "install Ralph again, or build it with `cargo build -p ralph-cli`",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_agent_has_no_use_for_is_refused() {
        for (agent, path, script, refused) in [
            (AgentKind::Scripted, None, Some("a.script"), None),
            (AgentKind::Scripted, Some("/bin/claude"), Some("a.script"), Some("agent_path")),
            (AgentKind::Scripted, Some(" "), None, None),
            (AgentKind::Claude, Some("/bin/claude"), None, None),
            (AgentKind::Claude, None, Some("a.script"), Some("script")),
            (AgentKind::Codex, None, Some("a.script"), Some("script")),
            (AgentKind::Opencode, None, Some(""), None),
        ] {
            let field = match refuse_unused(agent, path, script) {
                Err(AppError::Invalid { field, .. }) => Some(field),
                _ => None,
            };
            assert_eq!(field, refused, "{agent} {path:?} {script:?}");
        }
    }
}
