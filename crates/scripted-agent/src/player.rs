//! Plays a block.

use super::mcp::McpClient;
use super::script::{Block, Statement, Step};
use super::variables::Variables;
use super::{PlayArgs, PlayError};
use agent_cli::dialect::call_summary;
use ralph_core::signal::{AgentSignal, Ending, McpServerStatus, Usage};
use ralph_core::text::cut;
use ralph_core::time::Timestamp;
use serde_json::{Map, Value};
use std::io::{BufWriter, Stdout, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::process::Command;

/// Characters of a tool's answer that are shown.
const ANSWER_CHARS: usize = 500;

/// The agent at work.
pub struct Player {
    variables: Variables,
    prompt: String,
    folder: PathBuf,
    mcp: McpClient,
    output: BufWriter<Stdout>,
    calls: u32,
    turn_open: bool,
    usage: Usage,
    last_text: String,
}

/// Next statement of the script.
enum Flow {
    Next,
    End(u8),
}

impl Player {
    pub fn new(args: &PlayArgs, variables: Variables, prompt: String) -> Result<Player, PlayError> {
        Ok(Player {
            variables,
            prompt,
            folder: std::env::current_dir()?,
            mcp: McpClient::read(args.mcp_config.as_deref())?,
            output: BufWriter::new(std::io::stdout()),
            calls: 0,
            turn_open: false,
            usage: Usage::default(),
            last_text: String::new(),
        })
    }

    /// Plays `block` to its end; returns the exit code.
    pub async fn play(mut self, block: &Block) -> Result<u8, PlayError> {
        self.begin_turn()?;
        let flow = self.steps(&block.steps).await?;
        let code = match flow {
            Flow::End(code) => code,
            Flow::Next => {
                self.end_turn(Ending::Completed, None)?;
                0
            }
        };
        self.mcp.close().await;
        Ok(code)
    }

    async fn steps(&mut self, steps: &[Step]) -> Result<Flow, PlayError> {
        for step in steps {
            if let Flow::End(code) = self.step(step).await? {
                return Ok(Flow::End(code));
            }
        }
        Ok(Flow::Next)
    }

    async fn step(&mut self, Step { line, statement }: &Step) -> Result<Flow, PlayError> {
        let line = *line;
        match statement {
            Statement::Say(text) => {
                self.last_text = self.fill(line, text)?;
                self.signal(&AgentSignal::Text { text: self.last_text.clone() })?;
            }
            Statement::Think(text) => self.signal(&AgentSignal::Thinking { text: self.fill(line, text)? })?,
            Statement::Edit { path, content } => self.write(line, "Write", path, &self.fill(line, content)?, false)?,
            Statement::Append { path, text } => self.write(line, "Edit", path, &(self.fill(line, text)? + "\n"), true)?,
            Statement::Run(command) => {
                let command = self.fill(line, command)?;
                self.shell(&command, Command::new("sh").arg("-c").arg(&command)).await?;
            }
            Statement::Commit(message) => self.commit(&self.fill(line, message)?).await?,
            Statement::Mcp { tool, arguments } => self.call(line, tool, arguments).await?,
            Statement::Usage { input, output, usd } => {
                let usage = Usage { input_tokens: *input, output_tokens: *output, cost_usd: Some(*usd), ..Usage::default() };
                self.usage.add(&usage);
            }
            Statement::Expect(text) => {
                let text = self.fill(line, text)?;
                if !self.prompt.contains(&text) {
                    return Err(PlayError::Unexpected { line, text });
                }
            }
            Statement::Pause(millis) => tokio::time::sleep(Duration::from_millis(*millis)).await,
            Statement::Repeat { times, body } => return self.repeat(*times, body).await,
            Statement::Flood(lines) => self.flood(*lines)?,
            Statement::Garble(lines) => self.garble(*lines)?,
            Statement::Result => self.end_turn(Ending::Completed, None)?,
            Statement::Turn => self.begin_turn()?,
            Statement::RateLimit(seconds) => {
                let resets_at = seconds.map(|seconds| now().plus_millis(seconds.saturating_mul(1_000)));
                let limit = Some("scripted".to_owned());
                self.signal(&AgentSignal::RateLimit { rejected: true, resets_at, resets_in_ms: None, limit })?;
                self.end_turn(Ending::RateLimited, Some("The usage limit is reached."))?;
                return Ok(Flow::End(1));
            }
            Statement::Ends { ending, text } => {
                let text = self.fill(line, text)?;
                self.end_turn(*ending, Some(&text))?;
                return Ok(Flow::End(if *ending == Ending::Completed { 0 } else { 1 }));
            }
            Statement::IgnoreSignals => ignore_signals()?,
            Statement::Hang => std::future::pending().await,
            Statement::Exit(code) => return Ok(Flow::End(*code)),
            Statement::Crash => std::process::abort(),
        }
        Ok(Flow::Next)
    }

    async fn repeat(&mut self, times: u32, body: &[Step]) -> Result<Flow, PlayError> {
        let outer = self.variables.n;
        for n in 1..=times {
            self.variables.n = n;
            // The loop is as deep as the script, which is bounded.
            if let Flow::End(code) = Box::pin(self.steps(body)).await? {
                return Ok(Flow::End(code));
            }
        }
        self.variables.n = outer;
        Ok(Flow::Next)
    }

    fn fill(&self, line: usize, text: &str) -> Result<String, PlayError> {
        self.variables.fill(text, str::to_owned).map_err(|error| PlayError::Line { line, fault: error.to_string() })
    }

    fn begin_turn(&mut self) -> Result<(), PlayError> {
        self.turn_open = true;
        let server = |name: &str| McpServerStatus { name: name.to_owned(), status: "pending".to_owned() };
        let mcp_servers = self.mcp.servers().map(server).collect();
        self.signal(&AgentSignal::Started { session: None, model: Some(self.variables.model.clone()), mcp_servers })
    }

    fn end_turn(&mut self, ending: Ending, text: Option<&str>) -> Result<(), PlayError> {
        if !std::mem::take(&mut self.turn_open) {
            return Ok(());
        }
        let text = text.map_or_else(|| std::mem::take(&mut self.last_text), str::to_owned);
        let usage = std::mem::take(&mut self.usage);
        self.signal(&AgentSignal::TurnEnded { ending, text, usage, denials: 0 })
    }

    fn signal(&mut self, signal: &AgentSignal) -> Result<(), PlayError> {
        self.buffer(signal)?;
        Ok(self.output.flush()?)
    }

    fn buffer(&mut self, signal: &AgentSignal) -> Result<(), PlayError> {
        serde_json::to_writer(&mut self.output, signal).map_err(std::io::Error::from)?;
        Ok(self.output.write_all(b"\n")?)
    }

    fn tool_call(&mut self, name: &str, summary: &str, paths: Vec<String>) -> Result<String, PlayError> {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        self.signal(&AgentSignal::ToolCall {
            id: id.clone(),
            name: name.to_owned(),
            summary: summary.to_owned(),
            paths,
            arguments: Value::Null,
            of_subagent: false,
        })?;
        Ok(id)
    }

    fn tool_result(&mut self, id: String, is_error: bool, text: &str) -> Result<(), PlayError> {
        self.signal(&AgentSignal::ToolResult { id, is_error, summary: cut(text, ANSWER_CHARS).to_owned(), exit_code: None })
    }

    fn write(&mut self, line: usize, tool: &str, path: &str, content: &str, append: bool) -> Result<(), PlayError> {
        let path = self.fill(line, path)?;
        let file =
            inside(&self.folder, &path).ok_or_else(|| PlayError::Line { line, fault: format!("'{path}' leads out of the work folder") })?;
        let id = self.tool_call(tool, &path, vec![path.clone()])?;
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(append).write(true).truncate(!append);
        options.open(&file)?.write_all(content.as_bytes())?;
        self.tool_result(id, false, "written")
    }

    async fn commit(&mut self, message: &str) -> Result<(), PlayError> {
        let configured = Command::new("git").args(["config", "user.email"]).output().await?;
        let author: &[&str] = match configured.status.success() {
            true => &[],
            false => &["-c", "user.name=Scripted Agent", "-c", "user.email=agent@example.invalid"],
        };
        self.shell("git add -A", Command::new("git").args(["add", "-A"])).await?;
        let mut commit = Command::new("git");
        commit.args(author).args(["commit", "--quiet", "-m", message]);
        self.shell(&format!("git commit -m {message:?}"), &mut commit).await
    }

    async fn shell(&mut self, told: &str, command: &mut Command) -> Result<(), PlayError> {
        let id = self.tool_call("Bash", told, Vec::new())?;
        let output = command.stdin(std::process::Stdio::null()).output().await?;
        let text = [output.stdout, output.stderr].concat();
        self.tool_result(id, !output.status.success(), &String::from_utf8_lossy(&text))
    }

    async fn call(&mut self, line: usize, tool: &str, arguments: &str) -> Result<(), PlayError> {
        let fault = |fault: String| PlayError::Line { line, fault };
        // A title with quotes must not end the string that it is in.
        let arguments = self.variables.fill(arguments, within_quotes).map_err(|error| fault(error.to_string()))?;
        let object: Map<String, Value> =
            serde_json::from_str(&arguments).map_err(|error| fault(format!("no JSON object: {error}: {arguments}")))?;
        let server = self.mcp.servers().next().unwrap_or("none").to_owned();
        let id = self.tool_call(&format!("mcp__{server}__{tool}"), &call_summary(&Value::Object(object.clone())), Vec::new())?;
        match self.mcp.call(tool, object).await {
            Ok(answer) => {
                self.variables.mcp = answer.value;
                self.tool_result(id, answer.is_error, &answer.text)
            }
            Err(error) => {
                self.variables.mcp = Value::Null;
                self.tool_result(id, true, &error.to_string())
            }
        }
    }

    fn flood(&mut self, lines: u32) -> Result<(), PlayError> {
        for n in 1..=lines {
            self.buffer(&AgentSignal::Text { text: format!("flood {n}") })?;
        }
        Ok(self.output.flush()?)
    }

    fn garble(&mut self, lines: u32) -> Result<(), PlayError> {
        // The same junk every time, so that a fault is reproducible.
        let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
        for _ in 0..lines {
            let junk = (0..40).map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                if state as u8 == b'\n' { 0 } else { state as u8 }
            });
            let line: Vec<u8> = junk.chain([b'\n']).collect();
            self.output.write_all(&line)?;
        }
        Ok(self.output.flush()?)
    }
}

/// `text` as it is written between the quotes of a JSON string.
fn within_quotes(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// `path` below `folder`, also where a part of it is a link; `None` when it leads out.
fn inside(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return None;
    }
    let file = folder.join(path);
    let existing = file.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok())?;
    let real = existing.canonicalize().ok()?;
    real.starts_with(folder.canonicalize().ok()?).then_some(file)
}

#[expect(clippy::disallowed_methods, reason = "a program of its own, which no one hands a clock")]
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(unix)]
fn ignore_signals() -> Result<(), PlayError> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let mut caught = signal(kind)?;
        tokio::spawn(async move { while caught.recv().await.is_some() {} });
    }
    Ok(())
}

#[cfg(not(unix))]
fn ignore_signals() -> Result<(), PlayError> {
    Ok(())
}
