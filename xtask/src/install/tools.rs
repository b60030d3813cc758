//! Tools of the tests, each pinned and kept below `target/tools`.

use crate::fault::Fault;
use crate::process::{self, cargo, command, npm, target};
use std::path::PathBuf;

/// WebDriver bridge of Tauri.
const TAURI_DRIVER: &str = "2.1.0";
/// Claude Code, the agent CLI that the journeys drive.
const CLAUDE: &str = "2.1.330";
/// Codex, another agent CLI that runs start.
const CODEX: &str = "0.169.0";
/// OpenCode, an MCP client of its own.
const OPENCODE: &str = "1.18.33";
/// Spelling.
const TYPOS: &str = "1.52.0";

/// Whether `cargo <command>` exists; minimal installations of Rust lack rustfmt and clippy.
pub fn has_cargo(subcommand: &str) -> bool {
    process::works(&mut cargo(&[subcommand, "--version"]))
}

/// Adds a Rust component through rustup. Without it the step that needs it is skipped with a note: it judges the text
/// of the code, not what the code does.
pub fn rust_component(component: &str, subcommand: &str) {
    if has_cargo(subcommand) {
        println!("      {component}: present");
        return;
    }
    println!("      {component}: asking rustup for it");
    if let Err(fault) = process::show(&mut command("rustup", &["component", "add", component])) {
        println!("      note: {fault}");
    }
}

fn tools() -> PathBuf {
    target().join("tools")
}

/// The tauri-driver program.
pub fn tauri_driver_path() -> PathBuf {
    tools().join("bin").join(format!("tauri-driver{}", std::env::consts::EXE_SUFFIX))
}

/// The typos program.
pub fn typos_path() -> PathBuf {
    tools().join("typos/bin").join(format!("typos{}", std::env::consts::EXE_SUFFIX))
}

/// Builds tauri-driver, about a minute. macOS has no driver for its web view.
pub fn tauri_driver() -> Result<(), Fault> {
    if cfg!(target_os = "macos") {
        return Ok(());
    }
    // Cargo keeps the list of what it installed below the root, by version.
    let installed = std::fs::read_to_string(tools().join(".crates.toml")).unwrap_or_default();
    if tauri_driver_path().is_file() && installed.contains(&format!("tauri-driver {TAURI_DRIVER} ")) {
        println!("      tauri-driver {TAURI_DRIVER}: present");
        return Ok(());
    }
    println!("      tauri-driver {TAURI_DRIVER}: building it, about a minute");
    let tools = tools();
    let args = ["install", "tauri-driver", "--version", TAURI_DRIVER, "--locked", "--debug", "--force", "--root"];
    process::show(cargo(&args).arg(&tools))
}

/// Installs the native Claude Code of this platform. The package of the platform is taken alone: it needs no Node, while
/// the package that wraps it asks for a newer Node than the rest of the repository does.
pub fn claude() -> Result<(), Fault> {
    let Some(platform) = npm_platform() else {
        println!("      Claude Code: not published for this platform; its journeys will fail");
        return Ok(());
    };
    npm_program("claude", &format!("@anthropic-ai/claude-code-{platform}"), CLAUDE, "about 80 MB")
}

/// Installs the native Codex of this platform: a version of the one package, named after the platform.
pub fn codex() -> Result<(), Fault> {
    let Some(platform) = npm_platform() else {
        println!("      Codex: not published for this platform; its journeys will fail");
        return Ok(());
    };
    npm_program("codex", "@openai/codex", &format!("{CODEX}-{platform}"), "about 400 MB unpacked")
}

/// Installs the native OpenCode of this platform, an agent of runs, and the client that tests learning outside of them.
pub fn opencode() -> Result<(), Fault> {
    let Some(platform) = npm_platform() else {
        println!("      OpenCode: not published for this platform; its journey will fail");
        return Ok(());
    };
    let platform = platform.replace("win32", "windows");
    npm_program("opencode", &format!("opencode-{platform}"), OPENCODE, "about 180 MB unpacked")
}

/// Installs one package without its dependencies, unless this version is installed already.
fn npm_program(name: &str, package: &str, version: &str, size: &str) -> Result<(), Fault> {
    let folder = tools().join(name);
    let manifest = folder.join("node_modules").join(package).join("package.json");
    if std::fs::read_to_string(manifest).is_ok_and(|text| text.contains(&format!("\"version\": \"{version}\""))) {
        println!("      {name} {version}: present");
        return Ok(());
    }
    println!("      {name} {version}: installing {package}, {size}");
    std::fs::create_dir_all(&folder).map_err(Fault::io(&folder))?;
    let args = ["install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--prefix"];
    process::show(npm(&args).arg(&folder).arg(format!("{package}@{version}")))
}

/// The platform in the names of packages.
fn npm_platform() -> Option<&'static str> {
    Some(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        ("windows", "x86_64") => "win32-x64",
        ("windows", "aarch64") => "win32-arm64",
        _ => return None,
    })
}

/// Installs typos from its wheel; building it would take minutes.
pub fn typos() -> Result<(), Fault> {
    if process::read(&mut command(typos_path(), &["--version"])).is_ok_and(|version| version.ends_with(TYPOS)) {
        println!("      typos {TYPOS}: present");
        return Ok(());
    }
    if !has_pip() {
        let way_out = "install Python 3 with pip".to_owned();
        return Err(Fault::Missing { what: "pip".to_owned(), way_out });
    }
    println!("      typos {TYPOS}: installing its wheel");
    let folder = tools().join("typos");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(Fault::io(&folder))?;
    }
    // A separate folder needs neither a virtual environment nor the system's consent.
    let args = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--root-user-action=ignore",
        "--no-deps",
        "--only-binary=:all:",
        "--target",
    ];
    process::show(command(python(), &args).arg(&folder).arg(format!("typos=={TYPOS}")))
}

/// Python's program on this system.
pub fn python() -> &'static str {
    if cfg!(windows) { "python" } else { "python3" }
}

/// Whether pip is there.
pub fn has_pip() -> bool {
    process::works(&mut command(python(), &["-m", "pip", "--version"]))
}
