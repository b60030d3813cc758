//! `cargo xtask tidy`: the rules of the house that no compiler checks. A test like any other.
//!
//! Each rule is a pure function from sources to findings, with a planted example in its tests.

mod bans;
mod circles;
mod citations;
mod edges;
mod lock;
mod names;
mod paths;
mod screen;
mod size;
mod unused;

use crate::fault::Fault;
use crate::install::tools;
use crate::process;

/// What to check.
#[derive(clap::Args)]
pub struct Args {
    /// Check licences and sources of the dependencies too (needs `cargo install cargo-deny --locked`, some minutes).
    #[arg(long)]
    deny: bool,
}

/// A text file of the repository.
pub struct Source {
    /// Path from the root, with `/`.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// One broken rule.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    /// The file.
    pub path: String,
    /// Line from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and the way out.
    pub message: String,
}

impl Finding {
    fn new(source: &Source, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: source.path.clone(), line, message: message.into() }
    }
}

impl Source {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    fn is_script(&self) -> bool {
        [".ts", ".tsx", ".mjs", ".js"].iter().any(|end| self.path.ends_with(end))
    }

    /// Written by a program, so rules for people do not apply.
    fn is_generated(&self) -> bool {
        self.path == "src/ipc/bindings.ts" || self.path.ends_with(".gen.ts")
    }

    /// Holds nothing of the product: tests, benches, examples.
    fn is_test_file(&self) -> bool {
        let inside = |folder: &str| self.path.starts_with(folder) || self.path.contains(&format!("/{folder}"));
        let named = self.path.contains(".test.") || self.path.ends_with("tests.rs");
        named || ["tests/", "benches/", "examples/"].into_iter().any(inside)
    }

    /// Lines of code with their numbers: no comment lines, and whether the line belongs to a test.
    fn code(&self) -> impl Iterator<Item = (usize, &str, bool)> {
        let mut in_tests = self.is_test_file();
        let mut lines = self.text.lines().enumerate().peekable();
        std::iter::from_fn(move || {
            let (index, line) = lines.next()?;
            // By the convention of this repository a test module that is written here is the last thing of a file.
            let for_tests = line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test, ");
            let opens = for_tests && lines.peek().is_some_and(|(_, next)| !(next.contains("mod ") && next.ends_with(';')));
            in_tests = in_tests || opens;
            Some((index, line, in_tests))
        })
        .filter_map(|(index, line, in_tests)| {
            let start = line.trim_start();
            let comment = start.starts_with("//") || start.starts_with("/*") || start.starts_with("* ");
            (!comment).then_some((index + 1, line, in_tests))
        })
    }
}

/// Runs `cargo xtask tidy`.
///
/// # Errors
/// When a rule is broken or a tool is missing.
pub fn run(args: &Args) -> Result<(), Fault> {
    tools::typos()?;
    check()?;
    if args.deny {
        if !process::works(&mut process::cargo(&["deny", "--version"])) {
            let way_out = "cargo install cargo-deny --locked".to_owned();
            return Err(Fault::Missing { what: "cargo-deny".to_owned(), way_out });
        }
        process::show(&mut process::cargo(&["deny", "check", "bans", "licenses", "sources"]))?;
    }
    Ok(())
}

/// Checks every rule and the spelling.
///
/// # Errors
/// [`Fault::Tidy`] with the number of broken rules, after printing each.
pub fn check() -> Result<(), Fault> {
    let sources = sources()?;
    let metadata = process::metadata()?;
    let mut findings = edges::check(&metadata);
    findings.extend(unused::check(&sources, &metadata));
    findings.extend(circles::check(&sources));
    findings.extend(paths::check(&sources));
    for source in &sources {
        findings.extend(bans::check(source));
        findings.extend(citations::check(source));
        findings.extend(names::check(source));
        findings.extend(size::check(source));
        findings.extend(screen::check(source));
        findings.extend(lock::check(source));
    }
    findings.sort();
    for finding in &findings {
        println!("{}:{}: {}", finding.path, finding.line, finding.message);
    }
    println!("      {} files read, {} findings", sources.len(), findings.len());
    process::show(&mut process::command(tools::typos_path(), &["--config", "typos.toml"]))?;
    if findings.is_empty() { Ok(()) } else { Err(Fault::Tidy(findings.len())) }
}

/// Every text file that git tracks or would track.
fn sources() -> Result<Vec<Source>, Fault> {
    // A checkout may belong to another user than the one that CI runs as.
    let args = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = process::read(&mut process::command("git", &args))?;
    let root = process::root();
    let mut sources = Vec::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        // Tracked but deleted, a picture, a font: nothing to read.
        if let Ok(text) = std::fs::read_to_string(root.join(path)) {
            sources.push(Source { path: path.to_owned(), text });
        }
    }
    Ok(sources)
}

#[cfg(test)]
pub mod planted {
    //! Sources for the tests of the rules.

    use super::{Finding, Source};

    pub fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    /// The lines of the findings.
    pub fn lines(findings: &[Finding]) -> Vec<usize> {
        findings.iter().map(|finding| finding.line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::planted::source;

    #[test]
    fn code_leaves_out_comments_and_knows_tests() {
        let text = "//! Doc.\nlet a = 1;\n    // note\n#[cfg(test)]\nmod tests {}\n";
        let lines = source("crates/x/src/a.rs", text).code().map(|(line, _, test)| (line, test)).collect::<Vec<_>>();
        assert_eq!(lines, [(2, false), (4, true), (5, true)]);
        let on_one_system = source("crates/x/src/a.rs", "#[cfg(all(test, unix))]\nmod tests {}\n");
        assert!(on_one_system.code().all(|(_, _, test)| test));
        for path in ["tests/split.rs", "crates/a/tests/b.rs", "crates/a/src/machine_tests.rs", "crates/a/benches/b.rs", "src/ui/a.test.tsx"]
        {
            assert!(source(path, "let a = 1;").code().all(|(_, _, test)| test), "{path}");
        }
    }
}
