//! What automatic learning costs a caller: a tracked operation, and a tool call while the lesson model hangs.

use crate::Measured;
use crate::figure::{Aim, Figure, in_turns};
use crate::project::{Project, ralph};
use ralph_core::time::Timestamp;
use ralph_rag::learn::{Operation, Tracker};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

/// Operations in one round, and microseconds that one of them may take.
const OPERATIONS: u32 = 10_000;
const AIM_MICROS: f64 = 5.0;
/// The share of calls that the slow one is not slower than, and its aim.
const SLOW: f64 = 0.99;
const SLOW_MILLIS: f64 = 50.0;
/// Time that a session has behind it before its calls count. Settings that were changed within the last two seconds are read again by each
/// call, and those of a session in use were not.
const WARM: Duration = Duration::from_millis(2_500);

/// Looks, each a start of `ralph`, until the server must have kept something.
const LOOKS: u32 = 500;

/// Both.
pub fn measure(quick: bool) -> Measured {
    let mut figures = vec![tracked(quick)?];
    figures.extend(called(quick)?);
    Ok(figures)
}

/// A session of searches, edits, failures and successes, against making its operations alone.
fn tracked(quick: bool) -> Result<Figure, Box<dyn Error>> {
    let of = |number: u32| {
        let (tool, arguments) = match number % 5 {
            0 => ("Grep", json!({ "pattern": format!("fn item_{}", number % 50) })),
            1 => ("Read", json!({ "file_path": format!("src/module_{}.rs", number % 30) })),
            2 => ("Edit", json!({ "file_path": format!("src/module_{}.rs", number % 30) })),
            3 => ("Bash", json!({ "command": format!("cargo test -p crate-{} 2>&1 | tail -20", number % 7) })),
            _ => ("Bash", json!({ "command": "cargo check" })),
        };
        let error = number.is_multiple_of(8).then(|| "error[E0308]: mismatched types\n  --> src/lib.rs:40:9".to_owned());
        Operation { error, ..Operation::of(tool, arguments, Timestamp(i64::from(number))) }
    };
    let value = || -> Result<(), Box<dyn Error>> {
        let mut tracker = Tracker::default();
        let found = (0..OPERATIONS).filter_map(|number| tracker.track_operation(of(number))).count();
        if found == 0 { Err("nothing was detected".into()) } else { Ok(()) }
    };
    let floor = || -> Result<(), Box<dyn Error>> {
        let texts: usize = (0..OPERATIONS).map(|number| of(number).tool.len()).sum();
        if texts == 0 { Err("no operation was made".into()) } else { Ok(()) }
    };
    let (value, floor) = in_turns(if quick { 3 } else { 21 }, value, floor)?;
    let micros = |millis: f64| millis * 1_000.0 / f64::from(OPERATIONS);
    let (value, floor) = (value.map(micros), floor.map(micros));
    let aim = Aim::ValueAtMost(AIM_MICROS);
    Ok(Figure::new("automatic learning: one operation tracked", "µs", value.minus(&floor), ("making it", floor), aim))
}

/// One call through a session of `ralph mcp` whose project's model server hangs while it is asked for a lesson, against the same in a
/// project that asks none.
fn called(quick: bool) -> Result<[Figure; 2], Box<dyn Error>> {
    // It takes connections into its backlog and never answers.
    let silent = TcpListener::bind("127.0.0.1:0")?;
    let (asking, alone) = (Project::new()?, Project::new()?);
    let keys = format!(
        "[automatic_learning]\nextractor = \"endpoint\"\nextractor_url = \"http://{}\"\nextractor_model = \"m\"\nextractor_seconds = 600",
        silent.local_addr()?
    );
    let config = asking.app.paths().config.clone();
    std::fs::write(&config, std::fs::read_to_string(&config)?.replace("[automatic_learning]", &keys))?;
    asking.app.agree(None)?;
    let (mut with, mut without) = (Session::start(&asking)?, Session::start(&alone)?);
    for session in [&mut with, &mut without] {
        for status in ["finished", "finished", "blocked"] {
            session.call("update_task", &json!({ "id": 1, "status": status }))?;
        }
    }
    let begun = Instant::now();
    while begun.elapsed() < WARM {
        for session in [&mut with, &mut without] {
            session.call("get_task", &json!({ "id": 1 }))?;
        }
    }
    until_it_waits(&asking)?;
    let mut settling = ralph(asking.root(), &["learn", "settle"])?.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let hangs = silent.accept()?;
    let get = |session: &mut Session| session.call("get_task", &json!({ "id": 1 })).map(|_| ());
    let measured = in_turns(if quick { 51 } else { 1_001 }, || get(&mut with), || get(&mut without));
    settling.kill()?;
    settling.wait()?;
    drop(hangs);
    let (value, floor) = measured?;
    let slow = ("the same without an extractor", floor.quantile(SLOW));
    Ok([
        Figure::new("slowest call of a hundred while the extractor hangs", "ms", value.quantile(SLOW), slow, Aim::ValueAtMost(SLOW_MILLIS)),
        Figure::new(
            "call of a tool while the extractor hangs",
            "ms",
            value,
            ("the same without an extractor", floor),
            Aim::RatioAtMost(1.05),
        ),
    ])
}

/// Waits until the server has kept what its calls show: it does so when they pause.
fn until_it_waits(project: &Project) -> Result<(), Box<dyn Error>> {
    for _ in 0..LOOKS {
        let status: Value =
            serde_json::from_slice(&ralph(project.root(), &["learn", "status", "--json"])?.stdout(Stdio::piped()).output()?.stdout)?;
        if status["waiting"].as_u64().is_some_and(|waiting| waiting > 0) {
            return Ok(());
        }
    }
    Err("nothing waits for a lesson".into())
}

/// A session of `ralph mcp` over a project with one task.
struct Session {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    calls: u32,
}

impl Session {
    fn start(project: &Project) -> Result<Session, Box<dyn Error>> {
        project.feature("shop")?;
        project.task("shop", "Refund")?;
        let mut server = ralph(project.root(), &["mcp"])?.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (server.stdin.take(), server.stdout.take()) else { return Err("no pipes".into()) };
        let mut session = Session { server, input, output: BufReader::new(output), calls: 0 };
        let client = json!({ "name": "bench", "version": "1" });
        session.ask("initialize", &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }))?;
        writeln!(session.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(session)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Box<dyn Error>> {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Box<dyn Error>> {
        self.calls += 1;
        writeln!(self.input, "{}", json!({ "jsonrpc": "2.0", "id": self.calls, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(format!("the server ended at {method}").into());
            }
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == self.calls {
                return Ok(answer);
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Nothing is learnt from a bench, so nobody waits for its end.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
