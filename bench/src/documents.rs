//! A look at documents of which one changed, against git's list of the files and a look at each one's time.

use crate::Measured;
use crate::figure::{Aim, Figure, in_turns};
use crate::project::{Project, lesson};
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// Sections of each file.
const SECTIONS: u32 = 10;

/// In turns, on one project: Ralph reads one file again, and looks at the others only.
pub fn measure(quick: bool) -> Measured {
    let files = if quick { 100 } else { 1_000 };
    let project = Project::new()?;
    std::fs::create_dir(project.root().join("docs"))?;
    for number in 0..files {
        project.write(&name(number), &text(number, 0))?;
    }
    let brought = project.app.ingest(&[PathBuf::from("docs")])?.ingested.len();
    if brought != files as usize {
        return Err(format!("{brought} of {files} files were brought in").into());
    }
    let mut edit = 0;
    let (value, floor) = in_turns(
        if quick { 5 } else { 21 },
        || {
            edit += 1;
            // Its length tells the change, whatever the file system's clock tells.
            project.write(&name(edit % files), &text(edit % files, edit))?;
            project.app.ingest(&[])?;
            Ok(())
        },
        || listed(&project, files),
    )?;
    let name = format!("a look at {files} documents, one of them changed");
    Ok(vec![Figure::new(name, "ms", value, ("git's list and each file's time", floor), Aim::None)])
}

fn name(number: u32) -> String {
    format!("docs/d{number}.md")
}

fn text(number: u32, edit: u32) -> String {
    let mut text = "x".repeat(edit as usize) + "\n";
    for section in 0..SECTIONS {
        let at = number * SECTIONS + section;
        writeln!(text, "# Section {at}\n\n{}\n", lesson(at)).expect("a string takes every word");
    }
    text
}

/// The least that tells which files there are and whether one changed.
fn listed(project: &Project, files: u32) -> Result<(), Box<dyn Error>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "docs"];
    let output = Command::new("git").args(list).current_dir(project.root()).output()?;
    let names = String::from_utf8(output.stdout)?;
    let mut seen = 0;
    for name in names.split_terminator('\0') {
        project.root().join(name).metadata()?.modified()?;
        seen += 1;
    }
    if seen == files { Ok(()) } else { Err(format!("git lists {seen} of {files} files").into()) }
}
