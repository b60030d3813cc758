//! Projects to measure on: in the target folder, so on a real disk and not in memory.

use ralph_app::{App, Clock};
use ralph_core::feature::NewFeature;
use ralph_core::learning::{FeatureLearning, LearningSource};
use ralph_core::task::NewTask;
use ralph_core::time::Timestamp;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// A git repository with Ralph's files, removed when it is dropped.
pub struct Project {
    /// The project, open.
    pub app: Arc<App>,
    folder: TempDir,
}

impl Project {
    /// A repository with one commit, and a project without features.
    pub fn new() -> Result<Project, Box<dyn Error>> {
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(programs()?)?;
        std::fs::write(folder.path().join("README.md"), "# Measured\n")?;
        for args in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["add", "--all"],
            &["-c", "user.name=Bench", "-c", "user.email=bench@example.com", "commit", "--quiet", "--message", "begin"],
        ] {
            let status = Command::new("git").args(args).current_dir(folder.path()).status()?;
            if !status.success() {
                return Err(format!("git {} failed ({status})", args.join(" ")).into());
            }
        }
        let app = Arc::new(App::init(folder.path(), Clock::system())?);
        Ok(Project { app, folder })
    }

    /// Makes a feature.
    pub fn feature(&self, name: &str) -> Result<(), Box<dyn Error>> {
        self.app.create_feature(&NewFeature { name: name.to_owned(), display_name: name.to_owned(), ..NewFeature::default() })?;
        Ok(())
    }

    /// Makes a ready task.
    pub fn task(&self, feature: &str, title: &str) -> Result<u32, Box<dyn Error>> {
        let new = NewTask { feature: feature.to_owned(), title: title.to_owned(), ..NewTask::default() };
        Ok(self.app.create_task(&new)?.id)
    }

    /// Writes a file of the project and returns its path.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, Box<dyn Error>> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }

    /// Its root.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Its database.
    pub fn database(&self) -> PathBuf {
        self.app.paths().db.join("ralph.db")
    }
}

/// A learning like those of a working project; two numbers give two different lessons.
pub fn learning(feature: &str, number: u32) -> FeatureLearning {
    let created = Timestamp(1_700_000_000_000 + i64::from(number));
    FeatureLearning {
        category: "pitfall".to_owned(),
        tags: vec!["cache".to_owned(), format!("mod{number}.rs")],
        source: if number.is_multiple_of(3) { LearningSource::Human } else { LearningSource::Agent },
        task_id: Some(number % 40),
        iteration: Some(number),
        ..FeatureLearning::new(format!("{number:026}"), feature, lesson(number), created)
    }
}

/// The text of a learning: two sentences of ordinary length about a subject of its own.
pub fn lesson(number: u32) -> String {
    format!(
        "Module m{number} keeps its own cache of parsed settings, so reload it after every change of `src/mod{number}.rs`. \
         The test `reloads_{number}` fails with a stale value otherwise, and only when the whole suite runs."
    )
}

/// Where this program and `ralph` lie.
pub fn programs() -> Result<PathBuf, Box<dyn Error>> {
    let own = std::env::current_exe()?;
    Ok(own.parent().ok_or("this program lies in no folder")?.to_owned())
}

/// `ralph` with these arguments, in `folder`, without input and output.
pub fn ralph(folder: &Path, args: &[&str]) -> Result<Command, Box<dyn Error>> {
    let program = programs()?.join(format!("ralph{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        return Err(format!("{} is missing: run `cargo build --release -p ralph-cli`", program.display()).into());
    }
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}

/// Runs to the end.
pub fn run(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed ({status})").into()) }
}
