//! `.ralph/config.toml`: read as typed settings, written so that comments and order survive.

mod automatic_learning;
mod consolidation;
mod fault;
mod list;
mod slot;
mod table;
#[cfg(test)]
mod tests;
mod unknown;
mod worktrees;

pub use fault::ConfigFault;
pub use unknown::unknown_keys;

use crate::cache::{Cached, keep};
use crate::files::{ProjectFiles, Readers};
use ralph_core::limits;
use ralph_core::permission::CLAUDE_MODES;
use ralph_core::recall::{EmbeddingSource, Tuning};
use ralph_core::settings::Settings;
use ralph_core::text::is_model_name;
use ralph_core::time::Timestamp;
use slot::Slot;
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};
use toml_edit::{DocumentMut, Item, Value};

/// The file of a new project.
pub const TEMPLATE: &str = include_str!("template.toml");

/// The table of how recall is tuned.
const RECALL: &str = "recall";
/// Milliseconds after a file's last change in which another change may be invisible: the resolution of slow file systems.
const TICK_MILLIS: u64 = 2_000;

/// Modification time and length of a file: enough to detect a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    changed: SystemTime,
    length: u64,
}

impl Stamp {
    /// The stamp of a file; `None` if there is none, or the system does not report it.
    pub fn of(files: ProjectFiles<'_>, path: &Path) -> Option<Stamp> {
        let metadata = files.metadata(path).ok()??;
        Some(Stamp { changed: metadata.modified().ok()?, length: metadata.len() })
    }

    /// Whether the file was changed long enough before `now` for another change to be visible.
    pub fn is_older_than(self, now: Timestamp) -> bool {
        let changed = self.changed.duration_since(UNIX_EPOCH).map_or(i64::MAX, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX));
        now.millis_since(Timestamp(changed)) > TICK_MILLIS
    }
}

/// Every key that has a line of its own, with the field that it fills: the one list for reading and writing.
fn keys(settings: &mut Settings) -> Vec<(&'static str, Slot<'_>)> {
    let mut keys = vec![
        ("agent", Slot::Word(&mut settings.agent)),
        ("model", Slot::Text(&mut settings.model)),
        ("strategy", Slot::Word(&mut settings.strategy)),
        ("models", Slot::List(&mut settings.models)),
        ("claude_path", Slot::Text(&mut settings.claude_path)),
        ("codex_path", Slot::Text(&mut settings.codex_path)),
        ("opencode_path", Slot::Text(&mut settings.opencode_path)),
        ("permissions", Slot::Word(&mut settings.permissions)),
        ("ask_minutes", Slot::Number(&mut settings.ask_minutes)),
        ("permission_mode", Slot::Text(&mut settings.permission_mode)),
        ("allowed_tools", Slot::List(&mut settings.allowed_tools)),
        ("script", Slot::Text(&mut settings.script)),
        ("check", Slot::Text(&mut settings.check)),
        ("pass_env", Slot::List(&mut settings.pass_env)),
        ("max_iterations", Slot::Number(&mut settings.max_iterations)),
        ("max_minutes", Slot::Number(&mut settings.max_minutes)),
        ("max_usd", Slot::Dollars(&mut settings.max_usd)),
        ("max_attempts", Slot::Number(&mut settings.max_attempts)),
        ("stuck_after", Slot::Number(&mut settings.stuck_after)),
        ("stall_stop", Slot::Number(&mut settings.stall_stop)),
        ("hold_out", Slot::Number(&mut settings.hold_out)),
        ("max_learnings", Slot::Number(&mut settings.max_learnings)),
        ("gate", Slot::Word(&mut settings.gate)),
        ("reconcile", Slot::Flag(&mut settings.reconcile)),
        ("embedding", Slot::Word(&mut settings.embedding)),
        ("embedding_model", Slot::Text(&mut settings.embedding_model)),
        ("embedding_url", Slot::Text(&mut settings.embedding_url)),
        ("feedback", Slot::Word(&mut settings.feedback)),
        ("feedback_shadow_days", Slot::Number(&mut settings.feedback_shadow_days)),
    ];
    keys.extend(worktrees::keys(&mut settings.worktrees));
    keys.extend(consolidation::keys(&mut settings.consolidation));
    keys
}

/// The text that was read last, with its settings: a process asks for the same ones again and again.
static LAST: Cached<String, Settings> = Mutex::new(None);

/// Parses the settings from a text, with defaults for missing keys; `path` is used in error messages.
pub fn read(path: &Path, text: &str) -> Result<Settings, ConfigFault> {
    Ok(Settings::clone(&*keep(&LAST, text.to_owned(), |text| parsed(path, text))?))
}

fn parsed(path: &Path, text: &str) -> Result<Settings, ConfigFault> {
    let document = parse(path, text)?;
    let mut settings = Settings::default();
    for (key, slot) in keys(&mut settings) {
        if let Some(item) = document.get(key) {
            slot.set(key, item).map_err(|fault| ConfigFault::Value { path: path.to_owned(), key, fault: fault.to_string() })?;
        }
    }
    if let Some(table) = document.get(RECALL) {
        settings.recall = tuning(path, table)?;
    }
    automatic_learning::read(path, &document, &mut settings.automatic_learning)?;
    check(path, &settings)?;
    Ok(settings)
}

/// Writes what differs from `base`, the settings that somebody changed, into the file. Whatever else was written there meanwhile stays,
/// with its comments, order and unknown keys.
pub fn save(files: ProjectFiles<'_>, path: &Path, base: &Settings, settings: &Settings) -> Result<(), ConfigFault> {
    check(path, settings)?;
    let text = files.read_text(path, limits::CONFIG_BYTES)?;
    let text = text.as_deref().unwrap_or(TEMPLATE);
    let mut document = parse(path, text)?;
    let (mut base, mut wanted) = (base.clone(), settings.clone());
    automatic_learning::put_all(path, &mut document, &base.automatic_learning, &wanted.automatic_learning)?;
    for ((key, slot), (_, was)) in keys(&mut wanted).into_iter().zip(keys(&mut base)) {
        let value = slot.value();
        if !is_same(&was.value(), &value) {
            put(&mut document, key, value);
        }
    }
    let new = document.to_string();
    // The parser reads every end of a line as a line feed.
    let new = if text.contains("\r\n") { new.replace("\r\n", "\n").replace('\n', "\r\n") } else { new };
    Ok(files.write(path, new.as_bytes(), Readers::Anyone)?)
}

fn parse(path: &Path, text: &str) -> Result<DocumentMut, ConfigFault> {
    text.parse().map_err(|e: toml_edit::TomlError| ConfigFault::Syntax {
        path: path.to_owned(),
        fault: e.to_string().trim_end().replace('\n', " "),
    })
}

/// Replaces a value only if it differs, and keeps the comments after it and in it.
fn put(document: &mut DocumentMut, key: &str, mut value: Value) {
    if let Some(Item::Value(old)) = document.get(key) {
        if is_same(old, &value) {
            return;
        }
        if let (Value::Array(old), Value::Array(new)) = (old, &mut value) {
            *new = list::laid_out(old, new);
        }
        *value.decor_mut() = old.decor().clone();
    }
    document[key] = Item::Value(value);
}

/// Whether two values mean the same, however they are written.
fn is_same(one: &Value, other: &Value) -> bool {
    #[allow(clippy::cast_precision_loss, reason = "dollars")]
    let number = |value: &Value| value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    match (one, other) {
        (Value::String(one), Value::String(other)) => one.value() == other.value(),
        (Value::Boolean(one), Value::Boolean(other)) => one.value() == other.value(),
        (Value::Array(one), Value::Array(other)) => one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_same(a, b)),
        _ => number(one).is_some_and(|value| number(other) == Some(value)),
    }
}

fn check(path: &Path, settings: &Settings) -> Result<(), ConfigFault> {
    let fault = |key, fault: &str| Err(ConfigFault::Value { path: path.to_owned(), key, fault: fault.to_owned() });
    for (key, slot) in keys(&mut settings.clone()) {
        slot.check(key).or_else(|wrong| fault(key, &wrong.to_string()))?;
    }
    // Agents get them as arguments, and a folder brings them along: none may be an option.
    let required = settings.models.iter().map(|model| ("models", model));
    let mut required = required.chain([("model", &settings.model), ("consolidate_model", &settings.consolidation.model)]);
    if let Some((key, _)) = required.find(|(_, model)| !is_model_name(model)) {
        return fault(key, "must name a model in one word, for example \"sonnet\"");
    }
    let reviewer = &settings.worktrees.reviewer_model;
    if !reviewer.is_empty() && !is_model_name(reviewer) {
        return fault("reviewer_model", "must name a model in one word, for example \"sonnet\", or be empty for the strongest of `models`");
    }
    let mode = settings.permission_mode.as_str();
    if !mode.is_empty() && !CLAUDE_MODES.contains(&mode) {
        return fault("permission_mode", &format!("must be one of {}, or empty for Claude Code's own", CLAUDE_MODES.join(", ")));
    }
    if settings.embedding != EmbeddingSource::Bundled && settings.embedding_model.trim().is_empty() {
        return fault("embedding_model", "is empty; name a model that the server has, for example \"nomic-embed-text\"");
    }
    let is_name = |name: &String| !name.is_empty() && !name.starts_with("RALPH_") && !name.contains(['=', '\0']);
    if !settings.pass_env.iter().all(is_name) {
        return fault("pass_env", "must name variables, for example [\"DATABASE_URL\"]; Ralph's own (RALPH_…) are not passed on");
    }
    worktrees::check(path, &settings.worktrees)?;
    consolidation::check(path, &settings.consolidation)?;
    automatic_learning::check(path, &settings.automatic_learning)
}

/// The table `[recall]`: omitted keys keep their measured defaults.
fn tuning(path: &Path, item: &Item) -> Result<Tuning, ConfigFault> {
    let found: Tuning = table::read(path, RECALL, item)?;
    found.check().map_err(|wrong| ConfigFault::Value { path: path.to_owned(), key: RECALL, fault: wrong.to_string() })?;
    Ok(found)
}
