//! What Ralph's own tools answered the agent of an iteration: a file beside its prompt, so that neither an extraction nor an audit takes
//! it for something that the agent found out.

use crate::app::App;
use crate::error::Result;
use crate::files::{FileFault, Readers};
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, limits};
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::PathBuf;

/// One answer: a line of the file.
#[derive(Serialize, Deserialize)]
struct ToldAnswer {
    at: Timestamp,
    told: Vec<String>,
}

/// The texts that Ralph's tools returned to the agent of an iteration, each with its time.
#[derive(Debug, Default)]
pub(crate) struct ToldTexts(Vec<(Timestamp, String)>);

impl ToldTexts {
    /// Texts until a moment: what the agent said then can't repeat later ones.
    pub(crate) fn until(&self, moment: Timestamp) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(at, _)| *at <= moment).map(|(_, text)| text.as_str())
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, text)| text.as_str())
    }
}

impl App {
    /// Appends texts that one of Ralph's tools returned to the agent of an iteration, one per line; none outside of iterations, and none
    /// beyond [`limits::TOLD_BYTES`].
    pub fn keep_told(&self, texts: &str) {
        let Some(iteration) = self.actor().iteration() else { return };
        if let Err(fault) = self.write_told(iteration, texts) {
            tracing::warn!("what iteration {iteration} was told is not kept: {fault}");
        }
    }

    fn write_told(&self, iteration: IterationId, texts: &str) -> Result<()> {
        let told: Vec<String> = texts.lines().filter(|text| text.split_whitespace().nth(2).is_some()).map(str::to_owned).collect();
        if told.is_empty() {
            return Ok(());
        }
        let path = self.told_path(iteration);
        let mut file = self.paths.files().append(&path, Readers::Owner)?;
        let failed = |source| FileFault::Io { path: path.clone(), source };
        let mut line = serde_json::to_vec(&ToldAnswer { at: self.clock.now(), told }).unwrap_or_default();
        line.push(b'\n');
        if file.metadata().map_err(failed)?.len() + line.len() as u64 <= limits::TOLD_BYTES {
            // One write: answers of parallel calls don't mix.
            file.write_all(&line).map_err(failed)?;
        }
        Ok(())
    }

    /// The texts returned to the agent of an iteration; none if the file is gone. A torn line is ignored.
    pub(crate) fn told_by_tools(&self, iteration: IterationId) -> ToldTexts {
        let read = self.paths.files().read(&self.told_path(iteration), limits::TOLD_BYTES).ok().flatten().unwrap_or_default();
        let answers = read.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<ToldAnswer>(line).ok());
        ToldTexts(answers.flat_map(|answer| answer.told.into_iter().map(move |text| (answer.at, text))).collect())
    }

    fn told_path(&self, iteration: IterationId) -> PathBuf {
        self.paths.logs.join(format!("{iteration}.told.jsonl"))
    }
}
