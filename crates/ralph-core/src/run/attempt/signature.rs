//! The signature of a failure: what stays of its words when everything that differs between two runs is taken away.

use super::ErrorCategory;
use crate::text::cut;

/// Characters of a signature: one line on screen.
pub(super) const SIGNATURE_CHARS: usize = 160;
/// Lines that tell the failure; more are usually its consequences.
const LINES: usize = 3;
/// Words of a line that count.
const LINE_WORDS: usize = 24;
/// Words that a line has when it tells of a failure.
const TELLING: [&str; 12] =
    ["error", "fail", "panic", "assert", "exception", "expected", "fatal", "undefined", "cannot", "not found", "no such", "●"];
/// Lines that count failures or say that a failure was the reason to stop. The lines before them tell the failure itself.
const SUMMARIES: [&str; 9] = [
    "test result:",
    "tests:",
    "test suites:",
    "npm err! code",
    "failures:",
    "could not compile",
    "short test summary",
    "compilation terminated",
    "error: test failed",
];
/// Endings of file names that are written without their folder.
const EXTENSIONS: [&str; 29] = [
    "c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "json", "jsx", "kt", "lock", "log", "md", "mjs", "php", "py",
    "rb", "rs", "sh", "sql", "toml", "ts", "tsx", "yaml", "yml",
];

/// The signature of a failure that a text tells: its category and the words of the lines that tell it, lower case and readable.
///
/// Paths, file names, numbers, hexadecimal words, times and quotation marks are left out, since they differ from run to run. Names of
/// tests and identifiers, numbered or not, and codes such as `E0308` stay: another test that fails is another failure. At most
/// 160 characters; a longer one ends in a hash of the whole.
pub fn signature(category: ErrorCategory, text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in telling_lines(text) {
        let line = normalised(line);
        if !line.is_empty() && !lines.contains(&line) {
            lines.push(line);
        }
        if lines.len() == LINES {
            break;
        }
    }
    let whole = if lines.is_empty() { category.to_string() } else { format!("{category}: {}", lines.join(" | ")) };
    if whole.chars().count() <= SIGNATURE_CHARS {
        return whole;
    }
    let hash = format!(" #{:016x}", fnv(&whole));
    format!("{}{hash}", cut(&whole, SIGNATURE_CHARS - hash.len()))
}

/// The lines that tell of a failure, in order; the last line that says anything when none does.
fn telling_lines(text: &str) -> Vec<&str> {
    let lines = || text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let telling: Vec<&str> = lines().filter(|line| tells(line)).collect();
    if telling.is_empty() { lines().next_back().into_iter().collect() } else { telling }
}

fn tells(line: &str) -> bool {
    let line = line.to_lowercase();
    TELLING.iter().any(|word| line.contains(word)) && !SUMMARIES.iter().any(|summary| line.starts_with(summary))
}

/// The words of a line without what differs between two runs.
fn normalised(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for token in line.split_whitespace() {
        // A test's full name is its file's path and the names inside it; only the path differs between machines.
        for part in token.split("::").filter(|part| !is_path(part)) {
            words.extend(part.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| is_lasting(word)).map(str::to_lowercase));
        }
    }
    words.truncate(LINE_WORDS);
    words.join(" ")
}

fn is_path(token: &str) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '\\');
    if token.contains(['/', '\\']) {
        return true;
    }
    // `money.rs:12:5`, `app.ts(3,4)`
    let name = token.split([':', '(']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && EXTENSIONS.contains(&ending))
}

/// Whether a word is the same in every run: no number, amount or time, no hexadecimal word.
fn is_lasting(word: &str) -> bool {
    let is_hex = word.chars().all(|c| c.is_ascii_hexdigit());
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) && !(is_hex && (word.len() >= 8 || has_digit && word.len() >= 6))
}

/// FNV-1a: stable over versions and platforms, since signatures are stored.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
