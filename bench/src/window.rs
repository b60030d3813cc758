//! The window: from its start to the first text on the screen, and its memory, beside an empty window of the same versions.
//!
//! Both are shown on a virtual screen whose pixels lie in a file, so that "on the screen" is looked at and not asked for.

use crate::Measured;
use crate::figure::{Aim, Figure};
use crate::project::{Project, lesson, programs};
use ralph_core::learning::NewLearning;
use std::collections::HashSet;
use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// More colours than a screen with a blank window has: the soft edges of letters.
const COLOURS_OF_TEXT: usize = 12;
/// How often the screen is checked.
const LOOK: Duration = Duration::from_millis(5);
/// Longest wait for text.
const PATIENCE: Duration = Duration::from_secs(60);
/// From the first text to the look at memory: fonts, scripts and data have come by then.
const SETTLE: Duration = Duration::from_secs(4);
/// Features of the project that Ralph opens, and learnings of each.
const FEATURES: u32 = 8;
const LEARNINGS: u32 = 20;

/// In turns, each on a screen of its own.
pub fn measure(quick: bool) -> Measured {
    let folder = programs()?;
    let ralph = folder.join("ralph-desktop");
    let empty = folder.join("examples").join("empty-window");
    let project = Project::new()?;
    for feature in 0..FEATURES {
        let name = format!("f{feature}");
        project.feature(&name)?;
        for number in 0..LEARNINGS {
            project.app.append_feature_learning(&NewLearning::new(&name, &lesson(number)))?;
        }
    }
    let (mut starts, mut sizes, mut empty_starts, mut empty_sizes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // The first of each reads its files from the disk and does not count.
    for round in 0..if quick { 2 } else { 8 } {
        let (start, size) = show(&ralph, &[project.root()])?;
        let (empty_start, empty_size) = show(&empty, &[])?;
        if round > 0 {
            starts.push(start);
            sizes.push(size);
            empty_starts.push(empty_start);
            empty_sizes.push(empty_size);
        }
    }
    let start = format!("window: start to the first text, project of {FEATURES} features");
    Ok(vec![
        Figure::new(start, "ms", starts, ("empty Tauri window", empty_starts), Aim::RatioAtMost(1.3)),
        Figure::new("window: PSS of all its processes", "MB", sizes, ("empty Tauri window", empty_sizes), Aim::RatioAtMost(1.2)),
    ])
}

/// Milliseconds until there is text on the screen, and megabytes of the program and its descendants some seconds later.
fn show(program: &Path, args: &[&Path]) -> Result<(f64, f64), Box<dyn Error>> {
    if !program.is_file() {
        return Err(format!("{} is missing: cargo xtask bench --window builds it", program.display()).into());
    }
    let screen = Screen::open()?;
    let home = tempfile::tempdir()?;
    let start = Instant::now();
    let mut command = Command::new(program);
    command.args(args).env("DISPLAY", &screen.display).env("HOME", home.path()).env_remove("WAYLAND_DISPLAY");
    // Ralph chooses this renderer by itself; the other takes far more memory without a graphics card.
    command.env("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
    for folder in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
        command.env(folder, home.path().join(folder));
    }
    let mut window = Ended(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?);
    while screen.colours()? < COLOURS_OF_TEXT {
        if start.elapsed() > PATIENCE {
            return Err(format!("{} shows no text within {} s", program.display(), PATIENCE.as_secs()).into());
        }
        if let Some(status) = window.0.try_wait()? {
            return Err(format!("{} ended ({status})", program.display()).into());
        }
        pause(LOOK);
    }
    let shown = start.elapsed().as_secs_f64() * 1_000.0;
    pause(SETTLE);
    Ok((shown, pss_megabytes(window.0.id())?))
}

#[allow(clippy::disallowed_methods, reason = "a measurement samples the screen at times of its own; no condition tells of a painted frame")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// Proportional memory of a process and its descendants: pages that they share count once.
fn pss_megabytes(root: u32) -> Result<f64, Box<dyn Error>> {
    let mut parents = Vec::new();
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // After the name in parentheses: state, then the parent.
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)).and_then(|word| word.parse::<u32>().ok());
        parents.extend(parent.map(|parent| (id, parent)));
    }
    let mut family = vec![root];
    let mut next = 0;
    while let Some(&member) = family.get(next) {
        family.extend(parents.iter().filter(|(_, parent)| *parent == member).map(|(id, _)| *id));
        next += 1;
    }
    let mut kilobytes = 0.0;
    for id in family {
        // One that ended meanwhile holds nothing.
        let rollup = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).unwrap_or_default();
        let pss = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).and_then(|rest| rest.split_whitespace().next());
        kilobytes += pss.and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
    }
    Ok(kilobytes / 1_024.0)
}

/// A process that ends with its owner.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // If it has ended already, so much the better.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A virtual screen.
struct Screen {
    display: String,
    pixels: PathBuf,
    _server: Ended,
    _folder: TempDir,
}

impl Screen {
    fn open() -> Result<Screen, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-fbdir"]).arg(folder.path());
        let mut server = Ended(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
        let mut number = String::new();
        if let Some(output) = server.0.stdout.take() {
            BufReader::new(output).read_line(&mut number)?;
        }
        if number.trim().is_empty() {
            return Err("Xvfb tells no display: is the package xvfb installed?".into());
        }
        Ok(Screen { display: format!(":{}", number.trim()), pixels: folder.path().join("Xvfb_screen0"), _server: server, _folder: folder })
    }

    /// Colours on the screen, at most a few more than those of text.
    fn colours(&self) -> Result<usize, Box<dyn Error>> {
        let mut colours = HashSet::new();
        let bytes = std::fs::read(&self.pixels)?;
        // An XWD file: the length of the header, at 76 the entries of a table of colours (12 bytes each), then the pixels.
        let header = bytes.get(..4).and_then(|head| head.try_into().ok()).map_or(0, u32::from_be_bytes) as usize;
        let table = bytes.get(76..80).and_then(|word| word.try_into().ok()).map_or(0, u32::from_be_bytes) as usize;
        for pixel in bytes.get(header + table * 12..).unwrap_or_default().chunks_exact(4) {
            colours.insert([pixel[0], pixel[1], pixel[2]]);
            if colours.len() > COLOURS_OF_TEXT {
                break;
            }
        }
        Ok(colours.len())
    }
}
