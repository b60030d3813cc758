//! `cargo xtask bench`: figures of one run, each beside its floor: the least that any program would need for the same work.
//!
//! **Never here:** code of the product, or a test. A figure is a median and a ratio; nothing fails because it took long.
//! Both sides of a ratio are measured in turns, in one process, so that a busy machine slows both.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool talks to a person")]

mod append;
mod figure;
mod programs;
mod project;
mod saturations;
mod transcript;
mod window;

use figure::Figure;
use std::error::Error;
use std::process::ExitCode;

/// A measurement, or why it could not be made.
type Measured = Result<Vec<Figure>, Box<dyn Error>>;

/// How much is measured.
#[derive(Clone, Copy, Default)]
struct Wish {
    /// Print one JSON document.
    json: bool,
    /// Few rounds, to try the benches themselves.
    quick: bool,
    /// The window too.
    window: bool,
}

fn main() -> ExitCode {
    let mut wish = Wish::default();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--json" => wish.json = true,
            "--quick" => wish.quick = true,
            "--window" => wish.window = true,
            other => {
                eprintln!("error: '{other}' is no argument; there are --json, --quick and --window");
                return ExitCode::from(2);
            }
        }
    }
    match measure(wish) {
        Ok(figures) if wish.json => println!("{}", serde_json::to_string_pretty(&figures).unwrap_or_default()),
        Ok(figures) => println!("{}", figure::table(&figures)),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn measure(wish: Wish) -> Measured {
    let parts: [(&str, fn(bool) -> Measured); 6] = [
        ("saturations", saturations::measure),
        ("append", append::measure),
        ("transcript", transcript::measure),
        ("flood", programs::measure_flood),
        ("start", programs::measure_start),
        ("loop", programs::measure_loop),
    ];
    let mut figures = Vec::new();
    for (name, part) in parts {
        eprintln!("measuring: {name}");
        figures.extend(part(wish.quick)?);
    }
    if wish.window {
        eprintln!("measuring: window");
        figures.extend(window::measure(wish.quick)?);
    }
    Ok(figures)
}
