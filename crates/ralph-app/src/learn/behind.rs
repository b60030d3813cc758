//! The tool calls behind an episode.

use crate::app::App;
use crate::error::Result;
use ralph_core::limits::TITLE_CHARS;
use ralph_core::memory::OperationBehind;
use ralph_core::text::cut;
use ralph_rag::learn::{Detection, Operation};

impl App {
    /// The tool calls that an episode was derived from, oldest first; none if a run or somebody recorded it.
    pub fn operations_behind(&self, episode: &str) -> Result<Vec<OperationBehind>> {
        self.episode(episode)?;
        let kept = self.db.read(|r| r.detections_of(episode))?;
        let detections = kept.into_iter().filter_map(|kept| serde_json::from_value::<Detection>(kept.record).ok());
        Ok(detections.flat_map(|detection| detection.operations).map(behind).collect())
    }
}

fn behind(operation: Operation) -> OperationBehind {
    let arguments = operation.command().map_or_else(|| operation.arguments.to_string(), str::to_owned);
    OperationBehind {
        tool: operation.tool,
        arguments: cut(&arguments, TITLE_CHARS).to_owned(),
        error: operation.error.map(|error| cut(&error, TITLE_CHARS).to_owned()),
        exit_code: operation.exit_code,
        at: operation.at,
        duration_ms: operation.duration_ms,
    }
}
