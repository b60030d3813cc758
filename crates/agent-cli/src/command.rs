//! The specification of an agent's invocation, and the file that lists its MCP servers.

use crate::error::AgentError;
use ralph_core::limits::{AGENT_OFFLINE_MILLIS, AGENT_RESULT_GRACE_MILLIS, AGENT_SILENCE_MILLIS, STOP_STEP_MILLIS};
use ralph_core::permission::PermissionProfile;
use ralph_core::run::AgentKind;
use ralph_core::{IterationId, RunId, TaskId};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Whether an agent reads its MCP servers from a file; the others get them on the command line or in a variable.
fn reads_mcp_file(agent: AgentKind) -> bool {
    matches!(agent, AgentKind::Claude | AgentKind::Scripted)
}

/// One agent invocation.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// Which agent; decides arguments, environment and dialect.
    pub kind: AgentKind,
    /// Its program, as found by [`find`](crate::find()); for the scripted agent the `ralph` binary.
    pub program: PathBuf,
    /// The prompt, written to its standard input as plain text.
    pub prompt: String,
    /// Model name as the agent knows it.
    pub model: String,
    /// Working folder.
    pub cwd: PathBuf,
    /// Git's data of the working folder; `None` without a repository.
    pub repository: Option<GitFolders>,
    /// Marks of its iteration; set in its environment, and in that of its MCP servers.
    pub marks: RunMarks,
    /// MCP servers it may use, and no others.
    pub mcp_servers: Vec<McpServerSpec>,
    /// What it may do without asking.
    pub permissions: PermissionProfile,
    /// The MCP tool that its program asks before it uses a tool that is not allowed; `None` = that is denied at once.
    pub ask_tool: Option<String>,
    /// The project's check, which it may run in any profile; empty when there is none.
    pub check: String,
    /// Claude's permission mode (`acceptEdits` …), which no other agent has; empty = its own default.
    pub permission_mode: String,
    /// Tools it may use without asking, by Claude's names (`Bash`, `mcp__ralph`); for other agents the commands and the web follow from it.
    pub allowed_tools: Vec<String>,
    /// Dollar limit, enforced by the agent itself if it can (Claude). Under one the others start no subagents, whose cost they don't
    /// report.
    pub max_usd: Option<f64>,
    /// JSON schema that the result text must follow, enforced by the agent itself, where it can (Claude); `None` = any words.
    pub answer_schema: Option<String>,
    /// Script of the scripted agent.
    pub script: Option<PathBuf>,
    /// Folder for the MCP configuration file, which is removed when the agent has ended.
    pub scratch_dir: PathBuf,
    /// Limits of the watchdog.
    pub watch: WatchLimits,
    /// Variables that the person passes on.
    pub pass_env: Vec<String>,
    /// Number of the agent's own retries of a refused request, if it can be set (Claude); `None` = its default.
    pub max_retries: Option<u32>,
}

/// Where git keeps its data of a working folder, absolute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GitFolders {
    /// Of this work tree: its index, its checked-out commit.
    pub own: PathBuf,
    /// Of the repository: objects, branches, settings, hooks. The same as `own`, but in a linked work tree.
    pub common: PathBuf,
}

/// The iteration that an agent, a check, and every process below them belong to. Set in their environment as `RALPH_…`, by
/// which leftover processes are identified.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunMarks {
    /// The project's folder: runs of different projects have the same numbers (`RALPH_PROJECT`).
    pub project: PathBuf,
    /// `RALPH_RUN`.
    pub run: RunId,
    /// `RALPH_ITERATION`.
    pub iteration: IterationId,
    /// `RALPH_TASK`.
    pub task: TaskId,
    /// From 1 (`RALPH_ATTEMPT`).
    pub attempt: u32,
    /// `RALPH_TASK_TITLE`.
    pub task_title: String,
    /// The feature's name (`RALPH_FEATURE`).
    pub feature: String,
    /// The run's database, which identifies it even if the folder is moved (`RALPH_REPLICA`).
    pub replica: String,
    /// Further variables that keep concurrent agents from colliding.
    pub more: Vec<(String, String)>,
    /// Distinguishes this process from others that belong to no iteration either (`RALPH_APART`).
    pub apart: Option<String>,
}

impl RunMarks {
    /// The names of the variables by which processes are identified.
    pub(crate) const OWN: [&str; 4] = ["RALPH_PROJECT", "RALPH_RUN", "RALPH_ITERATION", "RALPH_APART"];

    /// Marks of what belongs to no iteration: an errand, a set-up, a merge's check. Several may go on at once, in several processes.
    pub fn apart(project: PathBuf) -> RunMarks {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        RunMarks { project, apart: Some(format!("{}-{number}", crate::process::owner::this_owner())), ..RunMarks::default() }
    }

    /// The values of [`RunMarks::OWN`].
    pub(crate) fn own(&self) -> [Option<String>; 4] {
        let project = self.project.to_string_lossy().into_owned();
        [Some(project), Some(self.run.to_string()), Some(self.iteration.to_string()), self.apart.clone()]
    }

    /// The variables to set.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let about = [
            ("RALPH_TASK", self.task.to_string()),
            ("RALPH_ATTEMPT", self.attempt.to_string()),
            ("RALPH_TASK_TITLE", without_nul(&self.task_title)),
            ("RALPH_FEATURE", without_nul(&self.feature)),
            ("RALPH_REPLICA", without_nul(&self.replica)),
            // The process that sets them.
            ("RALPH_OWNER", crate::process::owner::this_owner()),
        ];
        let more = self.more.iter().map(|(name, value)| (name.clone(), without_nul(value)));
        let own = RunMarks::OWN.into_iter().zip(self.own()).filter_map(|(name, value)| Some((name, value?)));
        own.chain(about).map(|(name, value)| (name.to_owned(), value)).chain(more).collect()
    }
}

/// A variable can't contain a NUL; a title must not make the start fail.
fn without_nul(text: &str) -> String {
    text.replace('\0', " ")
}

/// An MCP server that the agent starts over stdio.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct McpServerSpec {
    /// Its name: tools appear as `mcp__<name>__<tool>`.
    pub name: String,
    /// Program.
    pub command: PathBuf,
    /// Arguments.
    pub args: Vec<String>,
    /// Variables beyond the marks, which every server gets.
    pub env: Vec<(String, String)>,
    /// Its tools are loaded into the model's context at once. Claude defers the schemas of other servers until its model searches for them.
    pub always_load: bool,
}

/// Time limits of the watchdog and of a stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchLimits {
    /// Without any output.
    pub silence: Duration,
    /// Without a connection to its model, as it says itself again and again.
    pub offline: Duration,
    /// From a turn's end to the end of output, unless another turn starts.
    pub result_grace: Duration,
    /// Each step of the stop ladder.
    pub stop_step: Duration,
}

impl Default for WatchLimits {
    fn default() -> Self {
        WatchLimits {
            silence: Duration::from_millis(AGENT_SILENCE_MILLIS),
            offline: Duration::from_millis(AGENT_OFFLINE_MILLIS),
            result_grace: Duration::from_millis(AGENT_RESULT_GRACE_MILLIS),
            stop_step: Duration::from_millis(STOP_STEP_MILLIS),
        }
    }
}

impl AgentSpec {
    /// With absolute paths, valid also in the agent's working folder. A program's bare name is left to PATH.
    pub(crate) fn with_whole_paths(self) -> AgentSpec {
        // A path that can't be made absolute is used as is: the start reports the error.
        let whole = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let is_name = self.program.components().count() == 1;
        AgentSpec {
            program: if is_name { self.program } else { whole(self.program) },
            script: self.script.map(whole),
            scratch_dir: whole(self.scratch_dir),
            ..self
        }
    }
}

/// The MCP configuration file. It may contain keys, so only its owner can read it, and it is removed with the agent.
#[derive(Debug)]
pub(crate) struct McpConfigFile {
    pub path: PathBuf,
}

impl McpConfigFile {
    /// `None` if the agent gets no servers, or gets them otherwise.
    pub fn write(spec: &AgentSpec) -> Result<Option<McpConfigFile>, AgentError> {
        if spec.mcp_servers.is_empty() || !reads_mcp_file(spec.kind) {
            return Ok(None);
        }
        let path = spec.scratch_dir.join(format!("mcp-{}.json", spec.marks.iteration));
        let failed = |source| AgentError::McpConfig { file: path.clone(), source };
        std::fs::create_dir_all(&spec.scratch_dir).map_err(failed)?;
        // A file left by a killed Ralph would keep its old mode.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(failed)?;
        let written = file.write_all(mcp_config(spec).to_string().as_bytes());
        let guard = McpConfigFile { path: path.clone() };
        written.map_err(failed)?;
        Ok(Some(guard))
    }
}

impl Drop for McpConfigFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(file = %self.path.display(), %error, "the MCP configuration could not be removed");
        }
    }
}

fn mcp_config(spec: &AgentSpec) -> Value {
    let servers: serde_json::Map<String, Value> = spec
        .mcp_servers
        .iter()
        .map(|server| {
            // Not every agent passes its own environment on to its servers.
            let marks = spec.marks.variables().into_iter().map(|(name, value)| (name, Value::from(value)));
            let own = server.env.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
            let env: serde_json::Map<String, Value> = marks.into_iter().chain(own).collect();
            let command = server.command.to_string_lossy();
            let mut config = json!({ "type": "stdio", "command": command, "args": server.args, "env": env });
            if server.always_load {
                config["alwaysLoad"] = true.into();
            }
            (server.name.clone(), config)
        })
        .collect();
    json!({ "mcpServers": servers })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn spec(kind: AgentKind, scratch_dir: PathBuf) -> AgentSpec {
        AgentSpec {
            kind,
            program: "agent".into(),
            prompt: String::new(),
            model: "opus".into(),
            cwd: ".".into(),
            repository: None,
            marks: RunMarks { run: 1, iteration: 7, task: 3, attempt: 2, task_title: "Add\0login".into(), ..RunMarks::default() },
            mcp_servers: vec![McpServerSpec {
                name: "ralph".into(),
                command: "/bin/ralph".into(),
                args: vec!["mcp".into()],
                env: vec![("KEY".into(), "secret".into())],
                always_load: true,
            }],
            permissions: PermissionProfile::Normal,
            ask_tool: None,
            check: String::new(),
            permission_mode: "acceptEdits".into(),
            allowed_tools: vec!["mcp__ralph".into(), "Bash".into()],
            max_usd: Some(1.5),
            answer_schema: None,
            script: Some("demo.script".into()),
            scratch_dir,
            watch: WatchLimits::default(),
            pass_env: Vec::new(),
            max_retries: None,
        }
    }

    #[test]
    fn relative_paths_are_those_of_ralph_not_of_the_work_folder() {
        let here = std::env::current_dir().unwrap();
        let spec = AgentSpec { program: "bin/agent".into(), ..spec(AgentKind::Scripted, "scratch".into()) }.with_whole_paths();
        assert_eq!(
            (spec.program, spec.script, spec.scratch_dir),
            (here.join("bin/agent"), Some(here.join("demo.script")), here.join("scratch"))
        );
        let named = self::spec(AgentKind::Claude, "/tmp".into()).with_whole_paths();
        assert_eq!(named.program, PathBuf::from("agent"));
    }

    #[test]
    fn the_mcp_file_is_private_names_the_marks_and_goes_away() {
        let folder = tempfile::tempdir().unwrap();
        let spec = spec(AgentKind::Claude, folder.path().join("deep/scratch"));
        let file = McpConfigFile::write(&spec).unwrap().unwrap();
        let path = file.path.clone();
        let config: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let server = &config["mcpServers"]["ralph"];
        assert_eq!(server["args"][0], "mcp");
        assert_eq!((&server["env"]["KEY"], &server["alwaysLoad"]), (&json!("secret"), &json!(true)));
        assert_eq!(server["env"]["RALPH_ITERATION"], "7");
        assert_eq!(server["env"]["RALPH_TASK_TITLE"], "Add login");
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&path).unwrap()) & 0o777, 0o600);
        drop(file);
        assert!(!path.exists());
        let none = AgentSpec { mcp_servers: vec![], ..spec };
        assert!(McpConfigFile::write(&none).unwrap().is_none());
    }
}
