//! An event log entry with its parsed content, so that no page has to parse it again.

use crate::sigil::{SpokenPiece, pieces};
use crate::signal::{AgentSignal, TranscriptEntry, TranscriptSignal};
use serde::{Deserialize, Serialize};

/// An entry with its parsed content.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ShownEntry {
    /// The entry.
    #[serde(flatten)]
    pub entry: TranscriptEntry,
    /// The agent's own words, as prose and sigils; empty for anything else.
    pub spoken: Vec<SpokenPiece>,
    /// The result of `remember`, if the entry contains one.
    pub answer: Option<DoorAnswer>,
}

/// The result of remembering a lesson.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DoorAnswer {
    /// The verdict.
    pub verdict: String,
    /// Active learnings of the feature afterwards.
    pub learnings_count: u32,
    /// The feature's cap.
    pub max_learnings: u32,
}

impl ShownEntry {
    /// Parses an entry.
    pub fn of(entry: TranscriptEntry) -> ShownEntry {
        let (mut spoken, mut answer) = (Vec::new(), None);
        if let TranscriptSignal::Agent { signal } = &entry.signal {
            match signal {
                AgentSignal::Text { text } => spoken = pieces(text),
                AgentSignal::ToolResult { is_error: false, summary, .. } => answer = door_answer(summary),
                _ => {}
            }
        }
        ShownEntry { entry, spoken, answer }
    }
}

/// Parses the result of `append_feature_learning`; `None` for any other result, or a truncated one.
fn door_answer(text: &str) -> Option<DoorAnswer> {
    #[derive(Deserialize)]
    struct Answer {
        verdict: String,
        saturation: Fill,
    }
    #[derive(Deserialize)]
    struct Fill {
        learnings_count: u32,
        max_learnings: u32,
    }
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let Answer { verdict, saturation: Fill { learnings_count, max_learnings } } = serde_json::from_str(text).ok()?;
    Some(DoorAnswer { verdict, learnings_count, max_learnings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    fn shown(signal: AgentSignal) -> ShownEntry {
        ShownEntry::of(TranscriptEntry { at: Timestamp(0), signal: TranscriptSignal::Agent { signal } })
    }

    #[test]
    fn only_the_agent_s_own_words_are_read() {
        let words = "<task-done></task-done>".to_owned();
        assert_eq!(shown(AgentSignal::Text { text: words.clone() }).spoken.len(), 1);
        assert_eq!(shown(AgentSignal::Thinking { text: words.clone() }).spoken, []);
        assert_eq!(shown(AgentSignal::SubagentText { text: words }).spoken, []);
    }

    #[test]
    fn the_door_s_answer_is_read_where_it_stands_whole() {
        let answer = |summary: &str| {
            let result = AgentSignal::ToolResult { id: "1".into(), is_error: false, summary: summary.into(), exit_code: None };
            shown(result).answer.map(|answer| (answer.verdict, answer.learnings_count, answer.max_learnings))
        };
        let whole = r#"{"id":"01","saturation":{"feature":"f","learnings_count":12,"max_learnings":50},"verdict":"added"}"#;
        assert_eq!(answer(whole), Some(("added".into(), 12, 50)));
        assert_eq!([answer(&whole[..60]), answer("stored"), answer(r#"{"verdict":"added"}"#), answer("[1]")], [None, None, None, None]);
    }
}
