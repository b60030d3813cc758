//! Output: one JSON document, or text for people. It may contain what agents wrote, so no terminal sequence in it gets through.

use ralph_core::view::{CommandError, DoctorReport, DoctorStatus};
use ralph_core::visible::{printable_json, visible};
use serde::Serialize;
use std::io::{ErrorKind, Write as _};
use std::sync::OnceLock;

/// The first fault of stdout.
static UNWRITTEN: OnceLock<std::io::Error> = OnceLock::new();

/// The result of a subcommand that prints its own answer.
pub type Answered = Result<(), CommandError>;

/// How to print.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// One JSON document.
    pub json: bool,
}

impl Output {
    /// Prints an answer: the document, or the text that `text` makes.
    pub fn answer<T: Serialize>(self, value: &T, text: impl FnOnce() -> String) {
        if self.json {
            write_to_stdout(&json_line(value));
        } else {
            to_stdout(&(text() + "\n"));
        }
    }

    /// Prints an error as the last line of stderr.
    pub fn error(self, error: &CommandError) {
        let line = if self.json {
            return write_to_stderr(&printable_json(&serde_json::json!({ "error": error }).to_string()));
        } else if error.hint.is_empty() {
            format!("error: {}", error.message)
        } else {
            format!("error: {}\n  → {}", error.message, error.hint)
        };
        to_stderr(&line);
    }

    /// Prints the doctor's report.
    pub fn doctor(self, report: &DoctorReport) {
        self.answer(report, || {
            let lines = report.checks.iter().map(|check| {
                let mark = match check.status {
                    DoctorStatus::Ok => "ok     ",
                    DoctorStatus::Warning => "warning",
                    DoctorStatus::Error => "error  ",
                };
                let hint = check.hint.as_ref().map(|h| format!("\n         → {h}")).unwrap_or_default();
                format!("{mark}  {}: {}{hint}", check.name, check.detail)
            });
            lines.collect::<Vec<_>>().join("\n")
        });
    }
}

/// Writes a text for people to stdout, without terminal sequences.
pub fn to_stdout(text: &str) {
    write_to_stdout(&visible(text));
}

/// A document as one line that is safe to print.
pub fn json_line<T: Serialize>(document: &T) -> String {
    printable_json(&serde_json::to_string(document).unwrap_or_default()).into_owned() + "\n"
}

/// Why something could not be written to stdout, such as onto a full disk: the process ends with it as its error, once it has done its
/// work.
pub fn unwritten() -> Option<&'static std::io::Error> {
    UNWRITTEN.get()
}

/// A reader that has closed the pipe (`ralph … | head`) is not an error.
fn write_to_stdout(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    if let Err(fault) = written.or_else(|fault| if fault.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(fault) }) {
        // The first one says enough.
        let _ = UNWRITTEN.set(fault);
    }
}

/// Shows people the progress of something; a closed stderr is not an error.
pub fn to_stderr(line: &str) {
    write_to_stderr(&visible(line));
}

fn write_to_stderr(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A text with its line feeds replaced by spaces.
pub fn unbroken(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// A length of time: 42 s, 12 min, 3 h 5 min.
pub fn duration(millis: u64) -> String {
    let (seconds, minutes) = (millis / 1_000, millis / 60_000);
    match minutes {
        0 => format!("{seconds} s"),
        1..60 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

/// Rows as columns of equal width.
pub fn table(rows: &[Vec<String>], empty: &str) -> String {
    let Some(columns) = rows.iter().map(Vec::len).max() else { return empty.to_owned() };
    let width = |column: usize| rows.iter().filter_map(|r| r.get(column)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}
