//! `cargo xtask bench`: figures of one run, each beside its floor: the least that any program would need for the same work.
//!
//! **Never here:** code of the product, or a test. A figure is a median and a ratio; nothing fails because it took long.
//! Both sides of a ratio are measured in turns, in one process, so that a busy machine slows both.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool talks to a person")]

mod ages;
mod append;
mod documents;
mod figure;
mod history;
mod learning;
mod machine;
mod peers;
mod programs;
mod project;
mod prompt;
mod recall;
mod recording;
mod saturations;
mod scale;
mod transcript;
mod window;
mod worktrees;
mod world;

use figure::Figure;
use std::error::Error;
use std::process::ExitCode;

/// A measurement, or why it could not be made.
type Measured = Result<Vec<Figure>, Box<dyn Error>>;

/// What to measure.
#[derive(Default)]
struct Wish {
    /// Print one JSON document.
    json: bool,
    /// Few rounds, to try the benches themselves.
    quick: bool,
    /// The window too.
    window: bool,
    /// Ralph beside other stores instead of the figures.
    peers: bool,
    /// The simulated world instead of the figures.
    world: bool,
    /// Only this part.
    only: Option<String>,
}

/// A name and its measurement, which takes whether to be quick.
type Part = (&'static str, fn(bool) -> Measured);

/// Heavy ones last, so that they do not warm or tire the machine for the others.
const PARTS: [Part; 15] = [
    ("saturations", saturations::measure),
    ("append", append::measure),
    ("prompt", prompt::measure),
    ("recall", recall::measure),
    ("recording", recording::measure),
    ("documents", documents::measure),
    ("learning", learning::measure),
    ("ages", ages::measure),
    ("transcript", transcript::measure),
    ("flood", programs::measure_flood),
    ("start", programs::measure_start),
    ("loop", programs::measure_loop),
    ("worktrees", worktrees::measure),
    ("scale", scale::measure),
    (WINDOW, window::measure),
];
/// The part that is measured only on request.
const WINDOW: &str = "window";

fn main() -> ExitCode {
    let mut wish = Wish::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => wish.json = true,
            "--quick" => wish.quick = true,
            "--window" => wish.window = true,
            "--peers" => wish.peers = true,
            "--world" => wish.world = true,
            "--only" => wish.only = arguments.next(),
            // How the measurement of peers starts this program for itself.
            "--peer" => return ended(serve(arguments)),
            other => {
                eprintln!("error: '{other}' is no argument; there are --json, --quick, --window, --peers, --world and --only PART");
                return ExitCode::from(2);
            }
        }
    }
    let printed = if wish.world {
        world::measure(wish.quick).map(|rows| printed(&wish, &rows, world::table))
    } else {
        let figures = if wish.peers { watched("peers", || peers::measure(wish.quick, wish.only.as_deref())) } else { measure(&wish) };
        figures.and_then(|figures| kept(&wish, &figures).map(|()| printed(&wish, &figures, figure::table)))
    };
    ended(printed.map(|text| println!("{text}")))
}

fn ended(result: Result<(), Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `--peer KIND FOLDER`.
fn serve(mut arguments: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let (Some(kind), Some(folder)) = (arguments.next(), arguments.next()) else { return Err("--peer needs a kind and a folder".into()) };
    peers::serve(&kind, folder.as_ref())
}

/// Puts the figures beside those of other commits, where `cargo xtask` says that they are of a commit; few rounds are not worth it.
fn kept(wish: &Wish, figures: &[Figure]) -> Result<(), Box<dyn Error>> {
    match (std::env::var_os("BENCH_HISTORY"), std::env::var("BENCH_COMMIT")) {
        (Some(folder), Ok(commit)) if !wish.quick => history::keep(folder.as_ref(), &commit, figures),
        _ => Ok(()),
    }
}

/// One part, with what others took of the machine meanwhile.
fn watched(name: &str, part: impl FnOnce() -> Measured) -> Measured {
    eprintln!("measuring: {name}");
    let before = machine::Load::now();
    let mut figures = part()?;
    let others = before.zip(machine::Load::now()).map(|(before, after)| before.others_pct(after));
    if let Some(pct) = others.filter(|pct| *pct >= machine::BUSY_PCT) {
        eprintln!(
            "warning: the machine is busy: other programs took {pct:.0} % of its processors while {name} was measured; only ratios mean anything"
        );
    }
    for figure in &mut figures {
        figure.others_pct = others;
    }
    Ok(figures)
}

/// As one JSON document, or as a table for people.
fn printed<T: serde::Serialize>(wish: &Wish, rows: &[T], table: fn(&[T]) -> String) -> String {
    if wish.json { serde_json::to_string_pretty(rows).unwrap_or_default() } else { table(rows) }
}

fn measure(wish: &Wish) -> Measured {
    let wanted = |name: &str| match &wish.only {
        Some(only) => name == only,
        None => name != WINDOW || wish.window,
    };
    let parts: Vec<&Part> = PARTS.iter().filter(|(name, _)| wanted(name)).collect();
    if parts.is_empty() {
        let known: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        return Err(format!("no part has that name; the parts are {}", known.join(", ")).into());
    }
    let mut figures = Vec::new();
    for (name, part) in parts {
        figures.extend(watched(name, || part(wish.quick))?);
    }
    Ok(figures)
}
