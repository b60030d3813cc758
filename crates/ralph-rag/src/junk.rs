//! Junk: which of the memories that are told are not worth it, and why. Nothing here puts anything away.

mod repeats;
#[cfg(test)]
mod tests;

use crate::clean::redact;
use crate::gate;
use crate::relation::Relation;
use crate::words::Words;
use ralph_core::audit::AuditClass;
use ralph_core::limits;
use ralph_core::quality::GateFault;
use ralph_core::recall::MemoryKind;
use ralph_core::time::Timestamp;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Words from which a text that stands in a prompt is a repetition of it: fewer are a name or a phrase that anybody may use.
const REPEATED_WORDS: usize = 5;

/// What agents are told before any work begins: whoever stores it has stored no lesson.
static INSTRUCTIONS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)</?system[-_ ]reminder>|^\W*you are (?:claude|codex|an? (?:ai|expert|helpful|interactive|autonomous|coding)\b)|\bcontents of \S*(?:claude|agents|gemini)\.md\b|^\W*(?:today['’]s date|(?:current )?working directory|is directory a git repo|platform)\s*:|\bimportant: this context may or may not be relevant\b",
    )
    .expect("a constant pattern")
});

/// A memory that is told, with what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct JunkSubject {
    /// Its id.
    pub id: String,
    /// Learning, episode or fact.
    pub kind: MemoryKind,
    /// The feature that it belongs to; `None` = the project.
    pub feature: Option<String>,
    /// Its words; of a fact what is so.
    pub text: String,
    /// Of a fact its kind and its subject: only facts about the same can repeat each other.
    pub about: Option<(String, String)>,
    /// Why it holds, where that is told.
    pub reason: Option<String>,
    /// Whether a person wrote it.
    pub by_person: bool,
    /// Whether it is put away by name alone: a person's, reviewed, or with much behind it.
    pub protected: bool,
    /// When it was written.
    pub created: Timestamp,
    /// Active days since it was written, told or chosen last; `None` where no history tells.
    pub unused_days: Option<u32>,
    /// What the agent that said it had been told by Ralph: texts of memories, and the prompt.
    pub told: Vec<String>,
    /// Why what it tells of did not last.
    pub dead_end: Option<String>,
    /// Why its source no longer says so.
    pub stale: Option<String>,
}

/// A memory in a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Junk {
    /// Its id.
    pub id: String,
    /// Why it is in the class.
    pub why: String,
}

/// The memories of each class, oldest first. A memory may be in several classes, but in one of the two of duplicates.
pub fn classify(stored: &[JunkSubject]) -> BTreeMap<AuditClass, Vec<Junk>> {
    let mut in_order: Vec<&JunkSubject> = stored.iter().collect();
    in_order.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
    let mut classes: BTreeMap<AuditClass, Vec<Junk>> = AuditClass::ALL.iter().map(|class| (*class, Vec::new())).collect();
    let repeats = repeats::repeats(&in_order);
    for memory in in_order {
        let repeat = repeats.get(memory.id.as_str()).cloned();
        for (class, why) in reasons(memory).into_iter().chain(repeat) {
            classes.entry(class).or_default().push(Junk { id: memory.id.clone(), why });
        }
    }
    classes
}

/// Why a memory is junk by itself, whatever else is stored.
fn reasons(memory: &JunkSubject) -> Vec<(AuditClass, String)> {
    let mut found = Vec::new();
    let faults = faults(memory);
    if faults.contains(&GateFault::Injected) {
        found.push((AuditClass::RecallLoop, "it holds words of Ralph's own prompt".to_owned()));
    } else if let Some(why) = repeated(memory) {
        found.push((AuditClass::RecallLoop, why));
    }
    if let Some(fault) = faults.iter().find(|fault| **fault != GateFault::Injected) {
        found.push((AuditClass::Boilerplate, format!("it says what every session says ({fault})")));
    } else if INSTRUCTIONS.is_match(&memory.text) {
        found.push((AuditClass::Boilerplate, "it repeats an agent's own instructions".to_owned()));
    }
    let secrets = redact(&memory.text).1;
    if secrets > 0 {
        found.push((AuditClass::Secret, format!("it holds what looks like a secret ({secrets})")));
    }
    found.extend(memory.dead_end.clone().map(|why| (AuditClass::DeadEnd, why)));
    found.extend(memory.stale.clone().map(|why| (AuditClass::StaleFact, why)));
    // What a person wrote waits for its day, however long that takes.
    if let Some(days) = memory.unused_days.filter(|days| *days >= limits::UNUSED_ACTIVE_DAYS && !memory.by_person) {
        found.push((AuditClass::NeverUsed, format!("told to nobody and chosen by nobody for {days} active days")));
    }
    found
}

/// What the gate finds wrong with the words. The value of a fact is often one word, and no lesson.
fn faults(memory: &JunkSubject) -> Vec<GateFault> {
    let mut faults = gate::inspect(&memory.text, memory.reason.as_deref(), &[]).faults;
    if memory.kind == MemoryKind::Fact {
        faults.retain(|fault| matches!(fault, GateFault::Injected | GateFault::Refusal));
    }
    faults
}

/// What it repeats of what the agent that said it had been told.
fn repeated(memory: &JunkSubject) -> Option<String> {
    if memory.by_person || memory.kind == MemoryKind::Fact {
        return None;
    }
    let (words, said) = (Words::of(&memory.text), plain(&memory.text));
    let long_enough = said.split(' ').count() >= REPEATED_WORDS;
    let repeats = |told: &&String| {
        let whole = plain(told);
        (long_enough && format!(" {whole} ").contains(&format!(" {said} ")))
            // A whole prompt is about anything; a memory is one text that can be said in other words.
            || (told.len() <= limits::FACT_VALUE_CHARS && words.relation(&Words::of(told)) == Relation::Duplicate)
    };
    memory.told.iter().find(repeats).map(|_| "the agent that said it had been told so by Ralph".to_owned())
}

/// The relative paths of files that a text names: with a folder and an ending, and no part of an address or of an absolute path.
pub fn named_files(text: &str) -> Vec<&str> {
    text.split_whitespace().filter_map(file_in).collect()
}

/// The path that a word is, without the marks around it.
fn file_in(word: &str) -> Option<&str> {
    let is_mark = |c: char| matches!(c, '`' | '\'' | '"' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ';' | ':' | '.' | '!' | '?');
    let path = word.trim_matches(is_mark);
    let (folder, file) = path.rsplit_once('/')?;
    let (stem, ending) = file.rsplit_once('.')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let is_path = path.chars().all(plain) && !folder.is_empty() && !folder.starts_with('/') && !path.split('/').any(|part| part == "..");
    let has_ending = ending.len() <= 5 && ending.chars().all(|c| c.is_ascii_alphanumeric()) && ending.chars().any(char::is_alphabetic);
    (is_path && !stem.is_empty() && has_ending).then_some(path)
}

/// The words of a text, in lower case, with one blank between them.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
