//! `ralph` as a whole process: its start, an MCP client's first answer, the loop around an agent, a flood of output.

use crate::Measured;
use crate::figure::{Aim, Figure, Samples, in_turns, millis};
use crate::project::{Project, ralph, run};
use ralph_core::limits::TRANSCRIPT_BATCH;
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Lines that an agent's flood must not fall below, so that the window can show 20,000 in a second.
const FLOOD_PER_SECOND: f64 = 20_000.0;
/// What an MCP client says first.
const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
    "\n"
);

/// Start of a process until its answer, against the start of a program that does nothing.
pub fn measure_start(quick: bool) -> Measured {
    let project = Project::new()?;
    for feature in 0..20 {
        project.feature(&format!("f{feature}"))?;
    }
    let root = project.root();
    let rounds = if quick { 5 } else { 41 };
    let mut figures = Vec::new();
    let programs = [("ralph --version", &["--version"][..], Aim::None), ("ralph status, 20 features", &["status"], Aim::RatioAtMost(6.0))];
    for (name, args, aim) in programs {
        let (value, floor) = in_turns(rounds, || run(&mut ralph(root, args)?), || run(&mut Command::new("true")))?;
        figures.push(Figure::new(name, "ms", value, ("true(1)", floor), aim));
    }
    let (value, floor) = in_turns(rounds, || initialize(&mut ralph(root, &["mcp"])?), || initialize(&mut Command::new("cat")))?;
    let floor = ("cat(1) sends it back", floor);
    figures.push(Figure::new("ralph mcp, start to the answer of initialize", "ms", value, floor, Aim::RatioAtMost(4.0)));
    Ok(figures)
}

/// A server that answered; its end is waited for.
struct Answered(Child);

impl Drop for Answered {
    fn drop(&mut self) {
        // Without its input it ends.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Starts a server, asks, and reads one line.
fn initialize(command: &mut Command) -> Result<Answered, Box<dyn Error>> {
    let mut server = Answered(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?);
    let (Some(input), Some(output)) = (&mut server.0.stdin, server.0.stdout.take()) else { return Err("no pipes".into()) };
    input.write_all(INITIALIZE.as_bytes())?;
    let mut answer = String::new();
    BufReader::new(output).read_line(&mut answer)?;
    if answer.contains("jsonrpc") { Ok(server) } else { Err(format!("no answer to initialize: {answer:?}").into()) }
}

/// A run over tasks whose agent works for a second, against the agent alone. What the run does at its start and end is part of it.
pub fn measure_loop(quick: bool) -> Measured {
    let tasks = if quick { 2 } else { 10 };
    let (mut per_iteration, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..if quick { 1 } else { 5 } {
        let project = Project::new()?;
        project.feature("shop")?;
        for task in 0..tasks {
            project.task("shop", &format!("Task {task}"))?;
        }
        let script = project.write(".ralph/bench.script", "pause 1000\ndone\n")?;
        let script = script.to_string_lossy();
        let (took, ()) = millis(|| run(&mut ralph(project.root(), &["run", "--agent", "scripted", "--script", &script, "--json"])?))?;
        per_iteration.push(took / f64::from(tasks));
        for _ in 0..3 {
            alone.push(millis(|| run(&mut ralph(project.root(), &["agent-script", &script])?))?.0);
        }
        let done = project.app.run(1)?.run.iterations;
        if done != tasks {
            return Err(format!("{done} iterations instead of {tasks}").into());
        }
    }
    let name = format!("ralph run per iteration, agent of one second, {tasks} tasks");
    let floor = ("the agent alone", alone);
    Ok(vec![Figure::new(name, "ms", per_iteration, floor, Aim::RatioAtMost(1.05))])
}

/// A flood through a whole run, against its source alone; then the batches that the window reads of it.
pub fn measure_flood(quick: bool) -> Measured {
    let lines: u32 = if quick { 20_000 } else { 200_000 };
    let (mut through, mut alone) = (Vec::new(), Vec::new());
    let mut figures = Vec::new();
    for round in 0..if quick { 1 } else { 5 } {
        let project = Project::new()?;
        project.feature("shop")?;
        project.task("shop", "Flood")?;
        let script = project.write(".ralph/bench.script", &format!("flood {lines}\ndone\n"))?;
        let script = script.to_string_lossy();
        let args = ["run", "--agent", "scripted", "--script", &script, "--max-iterations", "1", "--json"];
        through.push(millis(|| run(&mut ralph(project.root(), &args)?))?.0);
        alone.push(millis(|| source(project.root(), &script))?.0);
        if round == 0 {
            figures.push(batches(&project, lines)?);
        }
    }
    let per_second = |millis: f64| f64::from(lines) / millis * 1_000.0;
    let name = format!("flood of {lines} lines through ralph run, start and end of the run included");
    let floor = ("the scripted agent, its output thrown away", Samples::from(alone).map(per_second));
    figures.insert(0, Figure::new(name, "lines/s", Samples::from(through).map(per_second), floor, Aim::ValueAtLeast(FLOOD_PER_SECOND)));
    Ok(figures)
}

/// The flood read from a pipe and dropped.
fn source(folder: &Path, script: &str) -> Result<(), Box<dyn Error>> {
    let mut agent = ralph(folder, &["agent-script", script])?.stdout(Stdio::piped()).spawn()?;
    if let Some(mut output) = agent.stdout.take() {
        std::io::copy(&mut output, &mut std::io::sink())?;
    }
    agent.wait()?;
    Ok(())
}

/// The log of the first iteration as a page is fed with it: read in batches, each made JSON for the channel.
fn batches(project: &Project, lines: u32) -> Result<Figure, Box<dyn Error>> {
    let (mut offset, mut times, mut entries, mut floors) = (0, Vec::new(), 0, Vec::new());
    loop {
        let (took, page) = millis(|| {
            let page = project.app.transcript(1, offset, TRANSCRIPT_BATCH)?;
            std::hint::black_box(serde_json::to_string(&page.entries)?);
            Ok::<_, Box<dyn Error>>(page)
        })?;
        offset = page.next_offset.parse()?;
        entries += page.entries.len();
        if page.entries.len() < TRANSCRIPT_BATCH {
            break;
        }
        times.push(took);
        floors.push(millis(|| serde_json::to_string(&page.entries))?.0);
    }
    if entries < lines as usize {
        return Err(format!("{entries} entries of {lines} lines").into());
    }
    let name = format!("batch of {TRANSCRIPT_BATCH} entries for a page, read and made JSON");
    Ok(Figure::new(name, "ms", times, ("making the JSON alone", floors), Aim::None))
}
