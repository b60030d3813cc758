//! Junk: which active memories are not worth including in prompts, and why. Nothing here puts anything away.

mod repeats;
#[cfg(test)]
mod tests;

use crate::clean::redact;
use crate::gate;
use crate::learn::says_nothing;
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

/// Minimum words of a text for its occurrence in a prompt to be a repetition: fewer are a name or a common phrase.
const REPEATED_WORDS: usize = 5;

/// Instructions that agents get before any work: storing them is not a lesson.
static INSTRUCTIONS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)</?system[-_ ]reminder>|^\W*you are (?:claude|codex|an? (?:ai|expert|helpful|interactive|autonomous|coding)\b)|\bcontents of \S*(?:claude|agents|gemini)\.md\b|^\W*(?:today['’]s date|(?:current )?working directory|is directory a git repo|platform)\s*:|\bimportant: this context may or may not be relevant\b",
    )
    .expect("a constant pattern")
});

/// An active memory with everything needed to judge it.
#[derive(Debug, Clone, PartialEq)]
pub struct JunkSubject {
    /// Its id.
    pub id: String,
    /// Learning, episode or fact.
    pub kind: MemoryKind,
    /// The feature that it belongs to; `None` = the project.
    pub feature: Option<String>,
    /// Its text; for a fact, the value.
    pub text: String,
    /// Kind and subject of a fact: only facts on the same subject can repeat each other.
    pub about: Option<(String, String)>,
    /// Why it holds, if given.
    pub reason: Option<String>,
    /// Whether a person wrote it.
    pub by_person: bool,
    /// Whether it is put away only by id: a person's, reviewed, or well supported.
    pub protected: bool,
    /// When it was written.
    pub created: Timestamp,
    /// Active days since it was last written, shown or selected; `None` if unknown.
    pub unused_days: Option<u32>,
    /// What Ralph had shown the agent that said it: texts of memories, and the prompt.
    pub told: Vec<String>,
    /// Why the work it records did not last.
    pub dead_end: Option<String>,
    /// Why its source no longer states it.
    pub stale: Option<String>,
}

/// A memory in a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Junk {
    /// Its id.
    pub id: String,
    /// Why it belongs to the class.
    pub why: String,
}

/// The memories of each class, oldest first; `None` once `stopped` says that nobody waits for it. A memory may be in several classes, but
/// only in one of the two of duplicates.
pub fn classify(stored: &[JunkSubject], stopped: &dyn Fn() -> bool) -> Option<BTreeMap<AuditClass, Vec<Junk>>> {
    let mut in_order: Vec<&JunkSubject> = stored.iter().collect();
    in_order.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
    let mut classes: BTreeMap<AuditClass, Vec<Junk>> = AuditClass::ALL.iter().map(|class| (*class, Vec::new())).collect();
    let repeats = repeats::repeats(&in_order, stopped)?;
    for memory in in_order {
        if stopped() {
            return None;
        }
        let repeat = repeats.get(memory.id.as_str()).cloned();
        for (class, why) in reasons(memory).into_iter().chain(repeat) {
            classes.entry(class).or_default().push(Junk { id: memory.id.clone(), why });
        }
    }
    Some(classes)
}

/// Why a memory is junk by itself, regardless of others.
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
    } else if let Some(why) = says_nothing(&memory.text, &[]).filter(|_| memory.kind == MemoryKind::Episode) {
        found.push((AuditClass::Boilerplate, format!("it says nothing ({why})")));
    } else if INSTRUCTIONS.is_match(&memory.text) {
        found.push((AuditClass::Boilerplate, "it repeats an agent's own instructions".to_owned()));
    }
    let secrets = redact(&memory.text).1;
    if secrets > 0 {
        found.push((AuditClass::Secret, format!("it holds what looks like a secret ({secrets})")));
    }
    found.extend(memory.dead_end.clone().map(|why| (AuditClass::DeadEnd, why)));
    found.extend(memory.stale.clone().map(|why| (AuditClass::StaleFact, why)));
    // What a person wrote is kept, however long it is unused.
    if let Some(days) = memory.unused_days.filter(|days| *days >= limits::UNUSED_ACTIVE_DAYS && !memory.by_person) {
        found.push((AuditClass::NeverUsed, format!("told to nobody and chosen by nobody for {days} active days")));
    }
    found
}

/// Faults found by the gate. The value of a fact is often one word, which is not a lesson.
fn faults(memory: &JunkSubject) -> Vec<GateFault> {
    let mut faults = gate::inspect(&memory.text, memory.reason.as_deref(), &[]).faults;
    if memory.kind == MemoryKind::Fact {
        faults.retain(|fault| matches!(fault, GateFault::Injected | GateFault::Refusal));
    }
    faults
}

/// Which of the things that Ralph had shown the agent it repeats.
fn repeated(memory: &JunkSubject) -> Option<String> {
    if memory.by_person || memory.kind == MemoryKind::Fact || memory.told.is_empty() {
        return None;
    }
    let (words, said) = (Words::of(&memory.text), plain(&memory.text));
    let long_enough = said.split(' ').count() >= REPEATED_WORDS;
    let repeats = |told: &&String| {
        let whole = plain(told);
        (long_enough && format!(" {whole} ").contains(&format!(" {said} ")))
            // A whole prompt is about anything; a memory is one text that can be rephrased.
            || (told.len() <= limits::FACT_VALUE_CHARS && words.relation(&Words::of(told)) == Relation::Duplicate)
    };
    memory.told.iter().find(repeats).map(|_| "the agent that said it had been told so by Ralph".to_owned())
}

/// Relative paths of files in a text: with a folder and an extension, and not part of an address or of an absolute path.
pub fn named_files(text: &str) -> Vec<&str> {
    text.split_whitespace().filter_map(file_in).collect()
}

/// The path in a word, without surrounding punctuation.
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

/// The words of a text, in lower case, separated by single blanks.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
