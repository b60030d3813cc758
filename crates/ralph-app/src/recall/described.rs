//! The memories behind the rows of a ranking: each with its place and its words.

use crate::error::Result;
use ralph_core::feature::Feature;
use ralph_core::learning::FeatureLearning;
use ralph_core::recall::{MemoryKind, RecallHit};
use ralph_rag::recall::RankedMemory;
use sqlite_db::Read;
use sqlite_db::table::{PassageText, SourcePlace};
use std::collections::BTreeMap;

/// Fills in the displayed data of each hit: two queries, however many hits.
pub(crate) fn described(r: &Read<'_>, hits: Vec<RankedMemory>, features: &[Feature]) -> Result<Vec<RecallHit>> {
    let learnings: Vec<i64> = hits.iter().filter(|h| h.kind == MemoryKind::Learning).map(|h| h.source).collect();
    let known: BTreeMap<i64, FeatureLearning> = r.learnings_by_row(&learnings)?.into_iter().collect();
    let rows: Vec<i64> = hits.iter().flat_map(|h| h.rows.iter().copied()).collect();
    let passages: BTreeMap<i64, PassageText> = r.passage_texts(&rows)?.into_iter().map(|p| (p.row, p)).collect();
    let name = |id: Option<u32>| features.iter().find(|f| Some(f.id) == id).map(|f| f.name.clone()).unwrap_or_default();
    let hit = |hit: RankedMemory| {
        let of: Vec<&PassageText> = hit.rows.iter().filter_map(|row| passages.get(row)).collect();
        let first = of.first()?;
        let learning = known.get(&hit.source).filter(|_| hit.kind == MemoryKind::Learning);
        let place = first.place.as_ref();
        let id = match (learning, &first.memory, place) {
            (Some(learning), _, _) => learning.id.clone(),
            (None, Some(memory), _) => memory.clone(),
            (None, None, Some(SourcePlace { file, line: Some(line), part: 1, .. })) => format!("{file}:{line}"),
            (None, None, Some(SourcePlace { file, line: Some(line), part, .. })) => format!("{file}:{line}.{part}"),
            (None, None, _) => hit.source.to_string(),
        };
        Some(RecallHit {
            kind: hit.kind,
            id,
            task: first.task,
            file: place.map(|place| place.file.clone()),
            line: place.and_then(|place| place.line),
            heading: place.map(|place| place.heading.clone()).filter(|heading| !heading.is_empty()),
            feature: name(first.feature_id),
            text: learning.map_or_else(|| of.iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join("\n"), |l| l.text.clone()),
            state: first.state.clone(),
            conflicts_with: learning.map(|l| l.conflicts_with.clone()).unwrap_or_default(),
            created: first.created,
            score: hit.score,
        })
    };
    Ok(hits.into_iter().filter_map(hit).collect())
}
