//! Ralph beside other stores on one machine: the same texts and vectors, each in a process of its own, asked in turns.
//!
//! Such a process tells its name in one JSON line and answers the lines `add FROM TO`, `load FROM TO` (many at once) and `search FROM TO`
//! over the items of a data set. It times each item itself, so that the pipe does not count. Ralph's is this program ([`ralph::serve`]); the others' is
//! `bench/peers/peers.py`, for which `cargo xtask bench --peers` installs a Python.

mod data;
mod embedding;
mod ralph;

pub use ralph::serve;

use crate::Measured;
use crate::figure::{Aim, Figure};
use crate::project::{Project, lesson, programs};
use ralph_core::learning::NewLearning;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Numbers in a vector, as all-MiniLM-L6-v2 makes them.
const DIMENSION: usize = 384;
/// Hits of a search.
const HITS: usize = 10;
/// Turns in which memories are added and questions are asked.
const TURNS: u32 = 20;
/// Memories whose add is timed one at a time, at each size; the ones before them are added many at once.
const TIMED_ADDS: u32 = 200;
/// Searches that follow an add at once.
const AFTER_ADD: u32 = 20;
/// Share of the questions whose memory must be the first hit: who finds something else has done less, which its name then says.
const FOUND: f64 = 0.95;
/// The Python that has the peers.
const PYTHON: &str = "PEERS_PYTHON";
/// From the root of the repository, where xtask starts this program.
const SCRIPT: &str = "bench/peers/peers.py";

/// One line of a peer.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Answer {
    /// In the first line: name and version.
    name: String,
    /// Time of each item.
    millis: Vec<f64>,
    /// Number of each question's first hit.
    best: Vec<u32>,
    /// Of Ralph: time of each search by the vector alone, which is what chromadb does.
    by_vector: Vec<f64>,
    /// The first vector of those that were made.
    vector: Vec<f32>,
    /// Of Ralph: memory of its index.
    index_mib: f64,
    /// Size of the store on disk.
    disk_mib: f64,
}

/// A running peer, which ends with its owner.
struct Peer {
    name: String,
    process: Child,
    /// Closed to end it.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// Medians in milliseconds at one size of the store, and the most memory that the process took until then.
#[derive(Default)]
struct Times {
    name: String,
    add: Vec<f64>,
    search: Vec<f64>,
    by_vector: Vec<f64>,
    after_add: Vec<f64>,
    /// Questions whose memory was the first hit.
    found: usize,
    index_mib: f64,
    disk_mib: f64,
    peak_mib: f64,
}

/// Peers beside chromadb and mem0; a hybrid is its store's own way to ask by words and vector at once.
const OTHERS: [&str; 5] = ["lancedb", "lancedb-hybrid", "qdrant", "sqlite-vec", "sqlite-vec-hybrid"];

/// The part that can be measured alone.
const EMBEDDING: &str = "embedding";

/// The stores, then embedding beside another runtime; of these two only the latter where that is wished.
pub fn measure(quick: bool, only: Option<&str>) -> Measured {
    match only {
        None => {
            let mut figures = stores(quick)?;
            figures.extend(embedding(quick)?);
            Ok(figures)
        }
        Some(EMBEDDING) => embedding(quick),
        Some(other) => Err(format!("'{other}' is no part of --peers; there is {EMBEDDING}").into()),
    }
}

fn python() -> Result<std::ffi::OsString, Box<dyn Error>> {
    std::env::var_os(PYTHON).ok_or_else(|| "the peers are not installed: run `cargo xtask bench --peers`".into())
}

fn embedding(quick: bool) -> Measured {
    let python = python()?;
    let folder = tempfile::Builder::new().prefix("embedding-").tempdir_in(programs()?)?;
    let start = |folder: &Path| Peer::start(Command::new(&python).args([SCRIPT, "onnxruntime"]).args([folder, folder]));
    embedding::measure(start, folder.path(), quick)
}

/// All at the smaller size; mem0, which is slow, stays behind at the middle one, and only chromadb goes on to the largest.
fn stores(quick: bool) -> Measured {
    let python = python()?;
    let (small, large, most, questions) = if quick { (200, 1_000, 5_000, 40) } else { (2_000, 10_000, 100_000, 200) };
    let model = model()?;
    let folder = tempfile::Builder::new().prefix("peers-").tempdir_in(programs()?)?;
    data::write(folder.path(), most + AFTER_ADD, questions, small)?;
    let asked = most + AFTER_ADD..most + AFTER_ADD + questions;

    let own = |kind: &str| {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--peer", kind]).arg(folder.path());
        Peer::start(&mut command)
    };
    let other = |kind: &str| {
        let store = folder.path().join(kind);
        std::fs::create_dir(&store)?;
        Peer::start(Command::new(&python).args([SCRIPT, kind]).args([folder.path(), &store]))
    };
    let mut figures = Vec::new();
    let (mut ralph, mut chromadb) = (own(ralph::STORE)?, other("chromadb")?);
    let mut others = OTHERS.iter().map(|kind| other(kind)).collect::<Result<Vec<Peer>, _>>()?;
    {
        let (mut door, mut mem0) = (own(ralph::DOOR)?, other("mem0")?);
        let mut all = vec![&mut ralph, &mut door, &mut chromadb, &mut mem0];
        all.extend(&mut others);
        let times = grow(&mut all, 0..small, &asked, small)?;
        let [ralph, door, chromadb, mem0, others @ ..] = &times[..] else { return Err("a peer is missing".into()) };
        for other in [chromadb, mem0].into_iter().chain(others) {
            compare(&mut figures, small, ralph, other);
            let name = format!("{small} memories: add through the whole door, then its vector");
            figures.push(figure(name, "ms", &door.add, &other.name, &other.add, Aim::RatioAtMost(1.0)));
        }
    }
    let mut all = vec![&mut ralph, &mut chromadb];
    all.extend(&mut others);
    let times = grow(&mut all, small + AFTER_ADD..large, &asked, small)?;
    let (middle, rest) = times.split_first().ok_or("a peer is missing")?;
    rest.iter().for_each(|other| compare(&mut figures, large, middle, other));
    drop(others);
    let times = grow(&mut [&mut ralph, &mut chromadb], large + AFTER_ADD..most, &asked, small)?;
    let [ralph, chromadb] = &times[..] else { return Err("a peer is missing".into()) };
    compare(&mut figures, most, ralph, chromadb);
    let name = format!("{most} memories: search by words, fragments and vector");
    figures.push(figure(name, "ms", &ralph.search, &format!("the same among {large}"), &middle.search, Aim::RatioAtMost(4.0)));
    let count = most + AFTER_ADD;
    let alone = f64::from(count) * (DIMENSION * size_of::<f32>()) as f64 / f64::from(1 << 20);
    figures.push(Figure::new(format!("index of {count} memories"), "MiB", ralph.index_mib, ("its vectors alone", alone), Aim::None));
    figures.push(model);
    Ok(figures)
}

/// Fills, adds, then searches, then adds and searches by turns; every peer has its turn before the next round begins, and who begins it changes.
fn grow(peers: &mut [&mut Peer], add: Range<u32>, asked: &Range<u32>, targets: u32) -> Result<Vec<Times>, Box<dyn Error>> {
    let mut times: Vec<Times> = peers.iter().map(|p| Times { name: p.name.clone(), ..Times::default() }).collect();
    let count = peers.len();
    let order = |round: u32| (0..count).map(move |at| (at + round as usize) % count);
    let timed = add.end.saturating_sub(TIMED_ADDS).max(add.start);
    for part in parts(&(add.start..timed)) {
        for peer in &mut *peers {
            peer.ask("load", &part)?;
        }
    }
    for (round, part) in (0..).zip(parts(&(timed..add.end))) {
        for at in order(round) {
            times[at].add.extend(peers[at].ask("add", &part)?.millis);
        }
    }
    for (round, part) in (0..).zip(parts(asked)) {
        for at in order(round) {
            let answer = peers[at].ask("search", &part)?;
            let right = part.clone().zip(&answer.best).filter(|(question, best)| data::target(*question, targets) == **best);
            times[at].found += right.count();
            times[at].search.extend(answer.millis);
            times[at].by_vector.extend(answer.by_vector);
        }
    }
    for (at, of) in times.iter_mut().enumerate().filter(|(_, of)| (of.found as f64) < FOUND * asked.len() as f64) {
        let short = format!("{} (first hit right {} of {} times)", of.name, of.found, asked.len());
        // Ralph comes first: its times count for nothing if it finds less.
        if at == 0 {
            return Err(short.into());
        }
        of.name = short;
    }
    for round in 0..AFTER_ADD {
        let (number, question) = (add.end + round, asked.start + round);
        for at in order(round) {
            peers[at].ask("add", &(number..number + 1))?;
            let answer = peers[at].ask("search", &(question..question + 1))?;
            times[at].after_add.extend(answer.millis);
            times[at].index_mib = answer.index_mib;
            times[at].disk_mib = answer.disk_mib;
        }
    }
    for (of, peer) in times.iter_mut().zip(peers) {
        of.peak_mib = mebibytes(peer.process.id(), "status", "VmHWM:")?;
    }
    Ok(times)
}

/// The range in [`TURNS`] parts.
fn parts(range: &Range<u32>) -> Vec<Range<u32>> {
    let at = |turn: u32| range.start + (range.end - range.start) * turn / TURNS;
    (0..TURNS).map(|turn| at(turn)..at(turn + 1)).collect()
}

fn compare(figures: &mut Vec<Figure>, count: u32, ralph: &Times, other: &Times) {
    let size = format!("{count} memories");
    let mut push = |what: &str, ours: &[f64], theirs: &[f64], aim| {
        figures.push(figure(format!("{size}: {what}"), "ms", ours, &other.name, theirs, aim));
    };
    push("add text and vector", &ralph.add, &other.add, Aim::RatioAtMost(1.0));
    push("search, Ralph by words, fragments and vector", &ralph.search, &other.search, Aim::RatioAtMost(1.0));
    push("search, Ralph by the vector alone", &ralph.by_vector, &other.search, Aim::RatioAtMost(1.0));
    push("search right after an add", &ralph.after_add, &other.after_add, Aim::RatioAtMost(1.3));
    let name = format!("{size}: most memory that the process took");
    figures.push(figure(name, "MiB", &[ralph.peak_mib], &other.name, &[other.peak_mib], Aim::None));
    let each = |mib: f64| [mib * 1_024.0 / f64::from(count)];
    let name = format!("{size}: on disk, each");
    figures.push(figure(name, "KiB", &each(ralph.disk_mib), &other.name, &each(other.disk_mib), Aim::None));
}

fn figure(name: String, unit: &str, ours: &[f64], other: &str, theirs: &[f64], aim: Aim) -> Figure {
    Figure::new(name, unit, ours.to_vec(), (other, theirs.to_vec()), aim)
}

/// What the embedding model adds to a process, beside what Settings tells of it.
fn model() -> Result<Figure, Box<dyn Error>> {
    let project = Project::new()?;
    project.feature("shop")?;
    project.app.append_feature_learning(&NewLearning::new("shop", &lesson(1)))?;
    let pss = || mebibytes(std::process::id(), "smaps_rollup", "Pss:");
    let before = pss()?;
    project.app.embed_passages()?;
    let taken = pss()? - before;
    let told = project.app.index_state()?.model_mib;
    Ok(Figure::new("memory of the model after its first embedding", "MiB", taken, ("its weights, as Settings tells", told), Aim::None))
}

/// A size that Linux tells of a process, which it does in kB.
fn mebibytes(process: u32, file: &str, key: &str) -> Result<f64, Box<dyn Error>> {
    let path = format!("/proc/{process}/{file}");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}; the memory of a process is measured on Linux only"))?;
    let size = text.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    Ok(size.ok_or_else(|| format!("{path} tells no {key}"))? / 1_024.0)
}

impl Peer {
    fn start(command: &mut Command) -> Result<Peer, Box<dyn Error>> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else { return Err("no pipes".into()) };
        let mut peer = Peer { name: format!("{:?}", command.get_program()), process, input: Some(input), output: BufReader::new(output) };
        peer.name = peer.answer()?.name;
        Ok(peer)
    }

    fn ask(&mut self, what: &str, items: &Range<u32>) -> Result<Answer, Box<dyn Error>> {
        writeln!(self.input.as_ref().ok_or("it has ended")?, "{what} {} {}", items.start, items.end)?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Answer, Box<dyn Error>> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        serde_json::from_str(&line).map_err(|e| format!("{} gave no answer ({e}); its own words are above", self.name).into())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input ends it, and lets it remove its project. If it has ended already, so much the better.
        self.input = None;
        let _ = self.process.wait();
    }
}

/// Where the data set lies, for those who read and write it.
fn paths(folder: &Path) -> [std::path::PathBuf; 2] {
    ["texts.txt", "vectors.f32"].map(|name| folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_range() {
        for range in [0..0, 0..7, 5..45, 2_020..10_000] {
            let parts = parts(&range);
            assert_eq!(parts.len(), TURNS as usize);
            assert_eq!(parts.into_iter().flatten().collect::<Vec<u32>>(), range.collect::<Vec<u32>>());
        }
    }
}
