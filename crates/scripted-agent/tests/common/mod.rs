//! What the tests of real processes share.
#![allow(dead_code)] // Each test program uses a part of it.

#[path = "../../../agent-cli/tests/common/mod.rs"]
pub mod processes;

use agent_cli::{AgentEvent, AgentExit, AgentSpec, RunMarks, RunningAgent, WatchLimits, start};
pub use processes::PATIENCE;
use ralph_core::run::AgentKind;
use ralph_core::signal::AgentSignal;
use std::path::PathBuf;
use tempfile::TempDir;

/// A work folder with an agent for it.
pub struct Bench {
    pub folder: TempDir,
    pub spec: AgentSpec,
}

impl Bench {
    /// The scripted agent with `script`.
    pub fn scripted(script: &str) -> Bench {
        let bench = Bench::new(AgentKind::Scripted, PathBuf::from(env!("CARGO_BIN_EXE_agent-script")));
        let file = bench.path("../agent.script");
        std::fs::write(&file, script).unwrap();
        Bench { spec: AgentSpec { script: Some(file), ..bench.spec }, folder: bench.folder }
    }

    /// A shell script in Claude's place.
    #[cfg(unix)]
    pub fn shell(script: &str) -> Bench {
        Bench::shell_of(AgentKind::Claude, script)
    }

    /// A shell script in the place of an agent.
    #[cfg(unix)]
    pub fn shell_of(kind: AgentKind, script: &str) -> Bench {
        let bench = Bench::new(kind, PathBuf::new());
        let program = bench.path("../claude");
        // Another process writes it: a child that is forked meanwhile would hold it open, and no one starts what is open for writing.
        let mut write = std::process::Command::new("sh");
        write.args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod +x \"$2\"", "sh", script]).arg(&program);
        assert!(write.status().unwrap().success());
        Bench { spec: AgentSpec { program, ..bench.spec }, folder: bench.folder }
    }

    fn new(kind: AgentKind, program: PathBuf) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().join("work");
        std::fs::create_dir(&cwd).unwrap();
        let marks = RunMarks {
            project: folder.path().to_owned(),
            run: 4,
            iteration: 17,
            task: 3,
            attempt: 2,
            task_title: "Say \"hi\"".into(),
            feature: "greeting".into(),
            more: Vec::new(),
            apart: None,
            replica: "R1".into(),
        };
        let spec = AgentSpec {
            kind,
            program,
            prompt: "The prompt.".into(),
            model: "test-model".into(),
            cwd,
            repository: None,
            marks,
            mcp_servers: Vec::new(),
            permissions: ralph_core::permission::PermissionProfile::Normal,
            ask_tool: None,
            check: String::new(),
            permission_mode: "acceptEdits".into(),
            allowed_tools: vec!["Bash".into()],
            max_usd: None,
            answer_schema: None,
            script: None,
            scratch_dir: folder.path().join("scratch"),
            watch: WatchLimits::default(),
            pass_env: Vec::new(),
            max_retries: None,
        };
        Bench { folder, spec }
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.spec.cwd.join(below)
    }

    pub fn read(&self, below: &str) -> String {
        std::fs::read_to_string(self.path(below)).unwrap_or_else(|error| panic!("{below}: {error}"))
    }

    pub fn start(&self) -> RunningAgent {
        start(self.spec.clone()).unwrap()
    }

    /// Runs it to its end.
    pub async fn run(&self) -> (Vec<AgentSignal>, AgentExit) {
        rest(&mut self.start()).await
    }
}

/// The next event, which must come.
pub async fn next(agent: &mut RunningAgent) -> AgentEvent {
    tokio::time::timeout(PATIENCE, agent.next()).await.expect("an event in time").expect("an event before the end")
}

/// Everything up to the end.
pub async fn rest(agent: &mut RunningAgent) -> (Vec<AgentSignal>, AgentExit) {
    let mut signals = Vec::new();
    loop {
        match next(agent).await {
            AgentEvent::Signal(signal) => signals.push(signal),
            AgentEvent::Stderr(_) => {}
            AgentEvent::Exited(exit) => {
                assert_eq!(agent.next().await, None, "nothing comes after the exit");
                return (signals, exit);
            }
        }
    }
}

/// Takes events until the agent says `text`.
pub async fn until_said(agent: &mut RunningAgent, text: &str) {
    loop {
        match next(agent).await {
            AgentEvent::Signal(AgentSignal::Text { text: said }) if said == text => return,
            AgentEvent::Exited(exit) => panic!("it ended before it said '{text}': {exit:?}"),
            _ => {}
        }
    }
}

pub fn texts(signals: &[AgentSignal]) -> Vec<&str> {
    signals.iter().filter_map(|signal| if let AgentSignal::Text { text } = signal { Some(text.as_str()) } else { None }).collect()
}
