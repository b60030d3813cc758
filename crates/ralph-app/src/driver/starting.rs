//! How an agent is started on a claimed task: its prompt, its servers, its part of the budget.

use super::Driver;
use super::hearing::Hearing;
use crate::error::{AppError, Result};
use crate::files::Readers;
use crate::runs::ralph_program;
use agent_cli::{AgentSpec, McpServerSpec, WatchLimits};
use ralph_core::discipline::{Discipline, OWN_SERVER};
use std::path::PathBuf;
use std::sync::Arc;

impl Driver {
    /// Composes the prompt and starts the agent.
    pub(super) async fn start_agent(&mut self) -> Result<()> {
        let Some(current) = &self.current else { return Err(AppError::NoRun) };
        let (row, prepared) = (current.iteration.clone(), Arc::clone(&self.prepared));
        let (prompt, discipline, spent) = self
            .blocking(move |app| {
                let (prompt, discipline) = app.prompt_of(&row, &prepared)?;
                let path = app.prompt_path(row.id);
                app.paths.files().write(&path, prompt.text.as_bytes(), Readers::Owner)?;
                app.paths.files().make_folder(&app.paths.scratch())?;
                app.write(|tx| Ok(tx.set_told(row.id, &prompt.told, &prompt.withheld)?))?;
                Ok((prompt, discipline, app.run(prepared.run.id)?.run.cost_usd))
            })
            .await?;
        let (prepared, model) = (&self.prepared, current.iteration.model.clone());
        let spec = AgentSpec {
            kind: prepared.run.agent,
            program: prepared.program.clone(),
            prompt: prompt.text,
            model: model.clone(),
            cwd: self.app.paths.root.clone(),
            marks: current.marks.clone(),
            mcp_servers: self.mcp_servers(discipline)?,
            permission_mode: prepared.settings.permission_mode.clone(),
            allowed_tools: prepared.settings.allowed_tools.clone(),
            // What is left of the run's budget; a cent at least, since 0 would mean no limit.
            max_usd: prepared.run.limits.max_usd.map(|max| (max - spent).max(0.01)),
            script: prepared.script.clone(),
            scratch_dir: self.app.paths.scratch(),
            watch: WatchLimits::default(),
            pass_env: prepared.settings.pass_env.clone(),
            max_retries: None,
        };
        let agent = agent_cli::start(spec.clone())?;
        if let Some(current) = &mut self.current {
            current.spec = Some(spec);
        }
        self.note("started", format!("{} {model} as process {}", prepared.run.agent, agent.pid())).await;
        self.agent = Some(Hearing::of(agent));
        Ok(())
    }

    /// Ralph's own server, and those of the task's discipline.
    fn mcp_servers(&self, discipline: Option<Discipline>) -> Result<Vec<McpServerSpec>> {
        let server = |name: String, command: PathBuf, args: Vec<String>| McpServerSpec {
            // Ten small schemas, which agents rarely search for; a discipline's servers may have hundreds.
            always_load: name == OWN_SERVER,
            name,
            command,
            args,
            env: Vec::new(),
        };
        let own = server(OWN_SERVER.to_owned(), ralph_program()?, vec!["-C".to_owned(), self.app.checkout(), "mcp".to_owned()]);
        let others = discipline.into_iter().flat_map(|d| d.mcp_servers).map(|s| server(s.name, s.command.into(), s.args));
        Ok(std::iter::once(own).chain(others).collect())
    }
}
