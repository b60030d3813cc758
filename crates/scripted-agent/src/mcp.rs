//! The scripted agent's MCP client: the first server of the configuration, over stdio.

use rmcp::model::{CallToolRequestParams, ContentBlock};
use rmcp::service::{RoleClient, RunningService, ServiceExt};
use rmcp::transport::TokioChildProcess;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tokio::process::Command;

/// Longest that a server may take to start, and to answer a call: concurrent writers may wait half a minute.
const PATIENCE: Duration = Duration::from_secs(60);

/// The configuration file, as agents read it.
#[derive(Debug, Default, Deserialize)]
struct Config {
    #[serde(rename = "mcpServers")]
    servers: BTreeMap<String, Server>,
}

#[derive(Debug, Deserialize)]
struct Server {
    command: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// The servers, of which the first is started by the first call.
#[derive(Debug, Default)]
pub struct McpClient {
    config: Config,
    session: Option<RunningService<RoleClient, ()>>,
}

/// What a tool answered.
pub struct Answer {
    pub is_error: bool,
    /// Structured content, or the text read as JSON, or the text.
    pub value: Value,
    pub text: String,
}

/// A call that got no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("no MCP server is configured")]
    NoServer,
    #[error("the MCP server could not be started: {0}")]
    Start(String),
    #[error("the MCP call failed: {0}")]
    Call(String),
    #[error("no answer within {} s", PATIENCE.as_secs())]
    TooLate,
}

impl McpClient {
    pub fn read(config: Option<&Path>) -> std::io::Result<McpClient> {
        let config = match config {
            Some(file) => serde_json::from_slice(&std::fs::read(file)?)?,
            None => Config::default(),
        };
        Ok(McpClient { config, session: None })
    }

    /// Names of the configured servers.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.config.servers.keys().map(String::as_str)
    }

    pub async fn call(&mut self, tool: &str, arguments: Map<String, Value>) -> Result<Answer, CallError> {
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(connect(self.config.servers.values().next().ok_or(CallError::NoServer)?).await?),
        };
        let call = session.call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments));
        let answer = tokio::time::timeout(PATIENCE, call).await.map_err(|_| CallError::TooLate)?;
        let result = answer.map_err(|error| CallError::Call(error.to_string()))?;
        let texts: Vec<&str> = result
            .content
            .iter()
            .filter_map(|block| match block {
                ContentBlock::Text(text) => Some(text.text.as_str()),
                _ => None,
            })
            .collect();
        let text = texts.join("\n");
        let read = || serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.clone()));
        let value = result.structured_content.clone().unwrap_or_else(read);
        Ok(Answer { is_error: result.is_error == Some(true), value, text })
    }

    /// Ends the server, which does so at the end of its input.
    pub async fn close(self) {
        if let Some(session) = self.session {
            // Otherwise it is killed with this process's group.
            let _ = session.cancel().await;
        }
    }
}

async fn connect(server: &Server) -> Result<RunningService<RoleClient, ()>, CallError> {
    let mut command = Command::new(&server.command);
    command.args(&server.args).envs(&server.env);
    let transport = TokioChildProcess::new(command).map_err(|error| CallError::Start(format!("{}: {error}", server.command)))?;
    let session = tokio::time::timeout(PATIENCE, ().serve(transport)).await.map_err(|_| CallError::TooLate)?;
    session.map_err(|error| CallError::Start(error.to_string()))
}
