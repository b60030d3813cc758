//! `cargo xtask run [PROJECT]`: builds the window and opens it; without a display it plays the demo and takes pictures.

use crate::demo;
use crate::fault::Fault;
use crate::install::{self, Need};
use crate::process;
use crate::test;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to open.
#[derive(clap::Args)]
pub struct Args {
    /// Folder of a git repository; a demo project by default.
    project: Option<PathBuf>,
    /// Only make the demo project and play it, without a window.
    #[arg(long, conflicts_with = "project")]
    demo_only: bool,
}

/// Installs, builds, opens.
///
/// # Errors
/// When a part can't be installed, built or opened.
pub fn run(args: &Args) -> Result<(), Fault> {
    if args.demo_only {
        process::show(&mut process::cargo(&["build", "--package", "ralph-cli"]))?;
        let project = demo::make()?;
        demo::play(&project)?;
        println!("{}", project.display());
        return Ok(());
    }
    let screen = has_screen();
    println!("[1/4] install what is missing");
    install::install(if screen { Need::Window } else { Need::DrivenWindow })?;
    println!("[2/4] build the screen, the window and `ralph`");
    process::show(&mut process::npm(&["run", "build"]))?;
    process::show(&mut process::cargo(&["build", "--package", "ralph-desktop", "--package", "ralph-cli"]))?;
    println!("[3/4] project");
    let project = match &args.project {
        Some(path) => std::path::absolute(path).map_err(Fault::io(path))?,
        None => demo::make()?,
    };
    println!("      {}", project.display());
    if screen {
        println!("[4/4] the window; it ends when you close it");
        let mut window = process::command(process::built("ralph-desktop"), &[]);
        if args.project.is_some() {
            with_own_agreements(&mut window);
        }
        return process::show(window.arg(&project).env("RALPH_OPEN_PROJECT", &project));
    }
    println!("[4/4] no display here: a virtual one, and a picture of each page");
    if args.project.is_none() {
        demo::play(&project)?;
    }
    pictures(&project, args.project.is_some())
}

/// A person's own project is opened with their own agreements, not with those of the demo and the tests.
fn with_own_agreements(window: &mut Command) {
    const VARIABLE: &str = "RALPH_DATA_HOME";
    if std::env::var_os(VARIABLE).is_some_and(|folder| Path::new(&folder) == process::root().join("target/data-home")) {
        window.env_remove(VARIABLE);
    }
}

/// Whether a window can be shown.
fn has_screen() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

fn pictures(project: &Path, is_own: bool) -> Result<(), Fault> {
    let folder = process::root().join(if is_own { "artifacts/own-project" } else { "artifacts/screenshots" });
    if folder.exists() {
        // Those of another project, or of a page that is gone.
        std::fs::remove_dir_all(&folder).map_err(Fault::io(&folder))?;
    }
    std::fs::create_dir_all(&folder).map_err(Fault::io(&folder))?;
    let mut walk = test::on_screen(&["run", "demo-screens"]);
    if is_own {
        with_own_agreements(&mut walk);
        walk.env("RALPH_OWN_PROJECT", "1");
    }
    process::show(walk.env("RALPH_OPEN_PROJECT", project).env("RALPH_SCREENSHOTS", &folder))?;
    let entries = std::fs::read_dir(&folder).map_err(Fault::io(&folder))?;
    let mut names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>();
    names.retain(|name| name.ends_with(".png"));
    names.sort();
    println!("{} pictures in {}:", names.len(), folder.display());
    for name in names {
        println!("  {name}");
    }
    Ok(())
}
