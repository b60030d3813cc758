//! `.ralph/config.toml`: read as typed settings, written so that comments and order survive.

mod automatic_learning;
mod consolidation;
mod feedback;
#[cfg(test)]
mod tests;
mod worktrees;

use crate::files::{FileFault, ProjectFiles, Readers};
use ralph_core::feedback::FeedbackMode;
use ralph_core::limits;
use ralph_core::permission::PermissionProfile;
use ralph_core::quality::GateMode;
use ralph_core::recall::{EmbeddingSource, Tuning};
use ralph_core::run::AgentKind;
use ralph_core::settings::{AutomaticLearning, ConsolidationSettings, WorktreeSettings, range_of};
use ralph_core::strategy::Strategy;
use ralph_core::text::UnknownWord;
use ralph_core::time::Timestamp;
use ralph_core::view::Settings;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};
use toml_edit::{DocumentMut, Item, Value};

/// The file of a new project.
pub const TEMPLATE: &str = include_str!("config.toml");

/// Why the file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFault {
    /// Not TOML.
    #[error("{}: {fault}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The parser's message, with the line.
        fault: String,
    },
    /// A key with an invalid value.
    #[error("{}: '{key}' {fault}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// Which key.
        key: &'static str,
        /// What is wrong.
        fault: String,
    },
    /// The file can't be read or written.
    #[error("{0}")]
    File(#[from] FileFault),
}

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

/// The settings of a project with an empty file.
pub fn defaults() -> Settings {
    Settings {
        agent: AgentKind::Claude,
        model: "sonnet".into(),
        claude_path: String::new(),
        permission_mode: "acceptEdits".into(),
        permissions: PermissionProfile::Normal,
        allowed_tools: vec!["mcp__ralph".into(), "Bash".into()],
        script: String::new(),
        check: String::new(),
        max_iterations: limits::DEFAULT_MAX_ITERATIONS,
        max_minutes: 0,
        max_usd: 0.0,
        max_attempts: limits::MAX_ATTEMPTS,
        stuck_after: limits::STUCK_AFTER,
        max_learnings: limits::MAX_LEARNINGS,
        strategy: Strategy::Escalate,
        models: vec!["haiku".into(), "sonnet".into(), "opus".into()],
        stall_stop: 5,
        hold_out: 0,
        embedding: EmbeddingSource::Bundled,
        embedding_model: "nomic-embed-text".into(),
        embedding_url: "http://localhost:11434".into(),
        gate: GateMode::Warn,
        reconcile: true,
        pass_env: Vec::new(),
        feedback: FeedbackMode::Shadow,
        feedback_shadow_days: limits::TERM_SHADOW_DAYS,
        recall: Tuning::default(),
        worktrees: WorktreeSettings::default(),
        consolidation: ConsolidationSettings::default(),
        automatic_learning: AutomaticLearning::default(),
    }
}

/// Parses the settings from a text, with defaults for missing keys; `path` is used in error messages.
pub fn read(path: &Path, text: &str) -> Result<Settings, ConfigFault> {
    let document = parse(path, text)?;
    let reader = Reader { path, document: &document };
    let mut settings = defaults();
    reader.set_word("agent", &mut settings.agent)?;
    reader.set_text("model", &mut settings.model)?;
    reader.set_text("claude_path", &mut settings.claude_path)?;
    reader.set_text("permission_mode", &mut settings.permission_mode)?;
    reader.set_word("permissions", &mut settings.permissions)?;
    reader.set_text("script", &mut settings.script)?;
    reader.set_text("check", &mut settings.check)?;
    reader.set_word("strategy", &mut settings.strategy)?;
    if let Some(models) = reader.list("models")? {
        settings.models = models;
    }
    reader.set_word("embedding", &mut settings.embedding)?;
    reader.set_word("gate", &mut settings.gate)?;
    feedback::read(&reader, &mut settings)?;
    if let Some(names) = reader.list("pass_env")? {
        settings.pass_env = names;
    }
    if let Some(item) = document.get("reconcile") {
        settings.reconcile = item.as_bool().ok_or_else(|| reader.fault("reconcile", "must be true or false"))?;
    }
    reader.set_text("embedding_model", &mut settings.embedding_model)?;
    reader.set_text("embedding_url", &mut settings.embedding_url)?;
    reader.set_ranged("stall_stop", &mut settings.stall_stop)?;
    reader.set_ranged("hold_out", &mut settings.hold_out)?;
    if let Some(tools) = reader.list("allowed_tools")? {
        settings.allowed_tools = tools;
    }
    reader.set_ranged("max_iterations", &mut settings.max_iterations)?;
    reader.set_ranged("max_minutes", &mut settings.max_minutes)?;
    reader.set_ranged("max_attempts", &mut settings.max_attempts)?;
    reader.set_ranged("stuck_after", &mut settings.stuck_after)?;
    reader.set_ranged("max_learnings", &mut settings.max_learnings)?;
    if let Some(usd) = reader.dollars("max_usd")? {
        settings.max_usd = usd;
    }
    worktrees::read(&reader, &mut settings.worktrees)?;
    consolidation::read(&reader, &mut settings.consolidation)?;
    if let Some(table) = document.get("recall") {
        settings.recall = reader.tuning(table)?;
    }
    automatic_learning::read(&reader, &mut settings.automatic_learning)?;
    check(path, &settings)?;
    Ok(settings)
}

/// Writes the settings into the file, keeping its comments, order and unknown keys.
pub fn save(files: ProjectFiles<'_>, path: &Path, settings: &Settings) -> Result<(), ConfigFault> {
    check(path, settings)?;
    let text = files.read_text(path, limits::CONFIG_BYTES)?;
    let mut document = parse(path, text.as_deref().unwrap_or(TEMPLATE))?;
    put(&mut document, "agent", settings.agent.as_str());
    put(&mut document, "model", settings.model.as_str());
    put(&mut document, "strategy", settings.strategy.as_str());
    put(&mut document, "models", settings.models.iter().collect::<toml_edit::Array>());
    put(&mut document, "stall_stop", i64::from(settings.stall_stop));
    put(&mut document, "hold_out", i64::from(settings.hold_out));
    put(&mut document, "embedding", settings.embedding.as_str());
    put(&mut document, "embedding_model", settings.embedding_model.as_str());
    put(&mut document, "embedding_url", settings.embedding_url.as_str());
    put(&mut document, "claude_path", settings.claude_path.as_str());
    put(&mut document, "permission_mode", settings.permission_mode.as_str());
    put(&mut document, "permissions", settings.permissions.as_str());
    put(&mut document, "allowed_tools", settings.allowed_tools.iter().collect::<toml_edit::Array>());
    put(&mut document, "script", settings.script.as_str());
    put(&mut document, "check", settings.check.as_str());
    put(&mut document, "max_iterations", i64::from(settings.max_iterations));
    put(&mut document, "max_minutes", i64::from(settings.max_minutes));
    put(&mut document, "max_usd", settings.max_usd);
    put(&mut document, "max_attempts", i64::from(settings.max_attempts));
    put(&mut document, "stuck_after", i64::from(settings.stuck_after));
    put(&mut document, "max_learnings", i64::from(settings.max_learnings));
    put(&mut document, "gate", settings.gate.as_str());
    put(&mut document, "reconcile", settings.reconcile);
    feedback::put_all(&mut document, settings);
    put(&mut document, "pass_env", settings.pass_env.iter().collect::<toml_edit::Array>());
    worktrees::put_all(&mut document, &settings.worktrees);
    consolidation::put_all(&mut document, &settings.consolidation);
    automatic_learning::put_all(path, &mut document, &settings.automatic_learning)?;
    Ok(files.write(path, document.to_string().as_bytes(), Readers::Anyone)?)
}

fn parse(path: &Path, text: &str) -> Result<DocumentMut, ConfigFault> {
    text.parse().map_err(|e: toml_edit::TomlError| ConfigFault::Syntax {
        path: path.to_owned(),
        fault: e.to_string().trim_end().replace('\n', " "),
    })
}

/// Replaces a value only if it differs, and keeps the comment after it.
fn put(document: &mut DocumentMut, key: &str, value: impl Into<Value>) {
    let mut value: Value = value.into();
    if let Some(Item::Value(old)) = document.get(key) {
        if old.to_string().trim() == value.to_string().trim() {
            return;
        }
        *value.decor_mut() = old.decor().clone();
    }
    document[key] = Item::Value(value);
}

fn check(path: &Path, settings: &Settings) -> Result<(), ConfigFault> {
    let fault = |key, fault: &str| Err(ConfigFault::Value { path: path.to_owned(), key, fault: fault.to_owned() });
    if settings.model.trim().is_empty() {
        return fault("model", "is empty; name a model, for example \"sonnet\"");
    }
    if !settings.max_usd.is_finite() || settings.max_usd < 0.0 {
        return fault("max_usd", "must be 0 or more");
    }
    if !limits::MAX_LEARNINGS_RANGE.contains(&settings.max_learnings) {
        return fault("max_learnings", "must be between 5 and 1000");
    }
    if settings.embedding != EmbeddingSource::Bundled && settings.embedding_model.trim().is_empty() {
        return fault("embedding_model", "is empty; name a model that the server has, for example \"nomic-embed-text\"");
    }
    if settings.hold_out > 90 {
        return fault("hold_out", "must be between 0 and 90 percent");
    }
    feedback::check(path, settings)?;
    let is_name = |name: &String| !name.is_empty() && !name.starts_with("RALPH_") && !name.contains(['=', '\0']);
    if !settings.pass_env.iter().all(is_name) {
        return fault("pass_env", "must name variables, for example [\"DATABASE_URL\"]; Ralph's own (RALPH_…) are not passed on");
    }
    if settings.max_iterations == 0 || settings.max_attempts == 0 {
        return fault("max_iterations", "and max_attempts must be 1 or more");
    }
    worktrees::check(path, &settings.worktrees)?;
    consolidation::check(path, &settings.consolidation)?;
    automatic_learning::check(path, &settings.automatic_learning)?;
    if settings.stuck_after == 0 {
        return fault("stuck_after", "must be 1 or more");
    }
    Ok(())
}

struct Reader<'a> {
    path: &'a Path,
    document: &'a DocumentMut,
}

impl Reader<'_> {
    fn fault(&self, key: &'static str, fault: impl Into<String>) -> ConfigFault {
        ConfigFault::Value { path: self.path.to_owned(), key, fault: fault.into() }
    }

    fn text(&self, key: &'static str) -> Result<Option<String>, ConfigFault> {
        let Some(item) = self.document.get(key) else { return Ok(None) };
        item.as_str().map(|s| Some(s.to_owned())).ok_or_else(|| self.fault(key, "must be a text in quotes"))
    }

    fn set_text(&self, key: &'static str, target: &mut String) -> Result<(), ConfigFault> {
        if let Some(value) = self.text(key)? {
            *target = value;
        }
        Ok(())
    }

    fn set_word<W: FromStr<Err = UnknownWord>>(&self, key: &'static str, target: &mut W) -> Result<(), ConfigFault> {
        if let Some(word) = self.text(key)? {
            *target = word.parse().map_err(|e: UnknownWord| self.fault(key, e.to_string()))?;
        }
        Ok(())
    }

    fn list(&self, key: &'static str) -> Result<Option<Vec<String>>, ConfigFault> {
        let Some(item) = self.document.get(key) else { return Ok(None) };
        let fault = || self.fault(key, "must be a list of texts, for example [\"Bash\"]");
        let array = item.as_array().ok_or_else(fault)?;
        array.iter().map(|v| v.as_str().map(str::to_owned).ok_or_else(fault)).collect::<Result<_, _>>().map(Some)
    }

    fn set_ranged(&self, key: &'static str, target: &mut u32) -> Result<(), ConfigFault> {
        self.set_number(key, range_of(key), target)
    }

    fn set_number(&self, key: &'static str, range: std::ops::RangeInclusive<u32>, target: &mut u32) -> Result<(), ConfigFault> {
        let Some(item) = self.document.get(key) else { return Ok(()) };
        let number = item.as_integer().and_then(|n| u32::try_from(n).ok()).filter(|n| range.contains(n));
        *target = number.ok_or_else(|| self.fault(key, format!("must be a whole number between {} and {}", range.start(), range.end())))?;
        Ok(())
    }

    /// The table `[recall]`: omitted keys keep their measured defaults.
    fn tuning(&self, item: &Item) -> Result<Tuning, ConfigFault> {
        let table = item.as_table().ok_or_else(|| self.fault("recall", "must be a table"))?;
        let text = DocumentMut::from(table.clone()).to_string();
        toml_edit::de::from_str(&text).map_err(|e| self.fault("recall", e.message().to_owned()))
    }

    fn dollars(&self, key: &'static str) -> Result<Option<f64>, ConfigFault> {
        let Some(item) = self.document.get(key) else { return Ok(None) };
        #[allow(clippy::cast_precision_loss, reason = "dollars")]
        let number = item.as_float().or_else(|| item.as_integer().map(|n| n as f64));
        number.map(Some).ok_or_else(|| self.fault(key, "must be a number of dollars"))
    }
}
