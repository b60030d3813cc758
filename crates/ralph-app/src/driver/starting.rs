//! Starting an agent on a claimed task: its prompt, its servers, its share of the budget.

use super::lane::{ComposedPrompt, LaneResult};
use super::{Driver, LaneNumber, blocking};
use crate::agents::hearing::Hearing;
use crate::error::{AppError, Result};
use crate::files::Readers;
use crate::runs::ralph_program;
use agent_cli::{AgentSpec, McpServerSpec, WatchLimits};
use ralph_core::discipline::{ASK_TOOL, Discipline, OWN_SERVER};
use ralph_core::limits;
use ralph_core::permission::PermissionProfile;
use ralph_core::run::AgentKind;
use ralph_core::settings::Settings;
use std::path::PathBuf;
use std::sync::Arc;

impl Driver {
    /// Composes the prompt in the background.
    pub(super) fn compose(&mut self, lane: LaneNumber, max_usd: Option<f64>) {
        let (app, prepared) = (Arc::clone(&self.app), Arc::clone(&self.prepared));
        let lane = self.lane(lane);
        let Some(row) = lane.current.as_ref().map(|current| current.iteration.clone()) else { return };
        lane.beside = Some(tokio::spawn(async move {
            let composed = blocking(&app, move |app| {
                // Taken first, in a separate transaction: it is used once, however many agents are started concurrently.
                if !app.db.read(|r| r.waiting_guidance(Some(row.task)))?.is_empty() {
                    app.write(|tx| Ok(tx.take_guidance(row.task, row.id, limits::GUIDANCE_TOLD)?))?;
                }
                let (prompt, discipline) = app.prompt_of(&row, &prepared)?;
                let path = app.prompt_path(row.id);
                app.paths.files().write(&path, prompt.text.as_bytes(), Readers::Owner)?;
                app.paths.files().make_folder(&app.paths.scratch())?;
                app.write(|tx| Ok(tx.set_told(row.id, &prompt.told, &prompt.withheld)?))?;
                Ok(Box::new(ComposedPrompt { prompt: prompt.text, discipline, max_usd }))
            });
            LaneResult::Composed(composed.await)
        }));
    }

    /// Starts the agent in its checkout.
    pub(super) async fn start_agent(&mut self, lane: LaneNumber, composed: Result<Box<ComposedPrompt>>) -> Result<()> {
        let ComposedPrompt { prompt, discipline, max_usd } = *composed?;
        let prepared = Arc::clone(&self.prepared);
        let asks = asks(prepared.run.agent, &prepared.settings);
        let mcp_servers = self.mcp_servers(discipline, asks)?;
        let scratch_dir = self.app.paths.scratch();
        let Some(current) = &mut self.lane(lane).current else { return Err(AppError::NoRun) };
        let model = current.iteration.model.clone();
        let spec = AgentSpec {
            kind: prepared.run.agent,
            program: prepared.program.clone(),
            prompt,
            model: model.clone(),
            cwd: current.checkout.folder.clone(),
            repository: current.checkout.git_folders_for(prepared.run.agent),
            marks: current.marks.clone(),
            mcp_servers,
            permissions: prepared.settings.permissions,
            ask_tool: asks.map(|_| format!("mcp__{OWN_SERVER}__{ASK_TOOL}")),
            check: prepared.check.clone().unwrap_or_default(),
            permission_mode: prepared.settings.permission_mode.clone(),
            allowed_tools: prepared.settings.allowed_tools.clone(),
            max_usd,
            answer_schema: None,
            script: prepared.script.clone(),
            scratch_dir,
            watch: WatchLimits::default(),
            pass_env: prepared.settings.pass_env.clone(),
            max_retries: None,
        };
        let agent = agent_cli::start(spec.clone())?;
        current.spec = Some(spec);
        self.note(lane, "started", format!("{} {model} as process {}", prepared.run.agent, agent.pid())).await;
        self.lane(lane).agent = Some(Hearing::of(agent));
        self.later.spares = true;
        Ok(())
    }

    /// Ralph's own server, and those of the task's discipline.
    fn mcp_servers(&self, discipline: Option<Discipline>, asks: Option<u32>) -> Result<Vec<McpServerSpec>> {
        let server = |name: String, command: PathBuf, args: Vec<String>| McpServerSpec {
            // Ten small schemas, which agents rarely search for; a discipline's servers may have hundreds.
            always_load: name == OWN_SERVER,
            name,
            command,
            args,
            env: Vec::new(),
        };
        let mut args = vec!["-C".to_owned(), self.app.paths.root.to_string_lossy().into_owned(), "mcp".to_owned()];
        args.extend(asks.into_iter().flat_map(|minutes| ["--ask".to_owned(), minutes.to_string()]));
        let own = server(OWN_SERVER.to_owned(), ralph_program()?, args);
        let others = discipline.into_iter().flat_map(|d| d.mcp_servers).map(|s| server(s.name, s.command.into(), s.args));
        Ok(std::iter::once(own).chain(others).collect())
    }
}

/// Minutes that an agent waits for a person's permission; `None` = it asks nobody.
fn asks(agent: AgentKind, settings: &Settings) -> Option<u32> {
    let can = agent == AgentKind::Claude && settings.permissions != PermissionProfile::Unattended;
    Some(settings.ask_minutes).filter(|minutes| can && *minutes > 0)
}
