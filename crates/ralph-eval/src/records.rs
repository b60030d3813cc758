//! Judged collections on disk, in the layout of BEIR (Thakur et al. 2021).

use ralph_app::{AppError, Result};
use serde::{Deserialize, Deserializer};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A document or query. Any other key is a label and is ignored.
#[derive(Debug, Deserialize)]
pub struct Record {
    /// Its name.
    #[serde(rename = "_id", deserialize_with = "word")]
    pub id: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    text: Option<String>,
    /// Its project.
    #[serde(default, deserialize_with = "some_word")]
    pub group: Option<String>,
    #[serde(default, deserialize_with = "some_word")]
    session: Option<String>,
    /// Its position in time within the group.
    #[serde(default)]
    pub seq: Option<i64>,
}

/// A name; collections use numbers as well.
#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Number(serde_json::Number),
}

impl From<Word> for String {
    fn from(word: Word) -> String {
        match word {
            Word::Text(text) => text,
            Word::Number(number) => number.to_string(),
        }
    }
}

fn word<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<String, D::Error> {
    Word::deserialize(from).map(String::from)
}

fn some_word<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<String>, D::Error> {
    Ok(Option::<Word>::deserialize(from)?.map(String::from))
}

impl Record {
    /// Title and text.
    pub fn whole(&self) -> String {
        format!("{} {}", self.title.as_deref().unwrap_or_default(), self.text.as_deref().unwrap_or_default()).trim().to_owned()
    }

    /// Shared by neighbors.
    pub fn series(&self) -> Option<String> {
        self.session.clone().or_else(|| Some(format!("{}\u{1f}{}", self.group.as_deref()?, self.seq?)))
    }
}

/// The text of a file, without the byte order mark that some editors write.
pub(crate) fn read(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).map_err(|source| AppError::io(path, source))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Reads a file of documents or queries, each with an id of its own.
pub fn records(path: &Path) -> Result<Vec<Record>> {
    let text = read(path)?;
    let mut ids = BTreeSet::new();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let record: Record = serde_json::from_str(line).map_err(|e| fault(path, number, &e.to_string()))?;
            if ids.insert(record.id.clone()) {
                Ok(record)
            } else {
                Err(fault(path, number, &format!("the _id '{}' is there already", record.id)))
            }
        })
        .collect()
}

/// Grades of documents by query, each pair once; a first line without a number is a heading.
pub fn judgements(path: &Path) -> Result<BTreeMap<String, BTreeMap<String, u32>>> {
    let text = read(path)?;
    let mut judged: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        // TREC's layout has an unused second column.
        let (query, document, grade) = match fields[..] {
            [query, document, grade] => (query, document, grade),
            [query, _, document, grade] => (query, document, grade),
            _ => return Err(fault(path, number, "needs query, document and grade, divided by tabs")),
        };
        let grade = match grade.trim().parse::<u32>() {
            Ok(grade) => grade,
            Err(_) if number == 0 && grade.trim().parse::<f64>().is_err() => continue,
            Err(_) => return Err(fault(path, number, "the grade must be a whole number from 0")),
        };
        if judged.entry(query.to_owned()).or_default().insert(document.to_owned(), grade).is_some() {
            return Err(fault(path, number, &format!("'{document}' is judged for '{query}' already")));
        }
    }
    Ok(judged)
}

fn fault(path: &Path, number: usize, fault: &str) -> AppError {
    AppError::invalid(
        "data",
        format!("{} line {}: {fault}", path.display(), number + 1),
        "see BEIR's layout: corpus.jsonl, queries.jsonl, qrels.tsv",
    )
}
