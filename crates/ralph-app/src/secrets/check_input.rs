//! Input validation: cleaned, bounded, and rejected by field name.

use crate::error::{AppError, Result};
use ralph_core::limits;
use ralph_rag::clean::clean;
use std::path::{Component, Path};

/// One non-empty line.
pub(crate) fn title(field: &'static str, text: &str) -> Result<String> {
    let line = clean(&text.split_whitespace().collect::<Vec<_>>().join(" "), limits::TITLE_CHARS);
    if line.text.is_empty() {
        return Err(AppError::invalid(field, "is empty", format!("give a {field} of one line")));
    }
    if line.cut {
        return Err(AppError::invalid(
            field,
            format!("is longer than {} characters", limits::TITLE_CHARS),
            "put the details into the description",
        ));
    }
    Ok(line.text)
}

/// Free text of any number of lines.
pub(crate) fn long(field: &'static str, text: &str) -> Result<String> {
    let cleaned = clean(text, limits::LONG_TEXT_CHARS);
    if cleaned.cut {
        return Err(AppError::invalid(
            field,
            format!("is longer than {} characters", limits::LONG_TEXT_CHARS),
            "keep it in a file of the project and name the file",
        ));
    }
    Ok(cleaned.text)
}

/// A list of short texts; empty entries are dropped.
pub(crate) fn list(field: &'static str, items: &[String], max_chars: usize) -> Result<Vec<String>> {
    if items.len() > limits::LIST_ITEMS {
        return Err(AppError::invalid(field, format!("has more than {} entries", limits::LIST_ITEMS), "keep the important ones"));
    }
    let mut kept = Vec::new();
    for item in items {
        let cleaned = clean(item.trim(), max_chars);
        if cleaned.cut {
            let fault = format!("'{}…' is longer than {max_chars} characters", ralph_core::text::cut(&cleaned.text, 40));
            return Err(AppError::invalid(field, fault, "say it shorter, or in several entries"));
        }
        kept.push(cleaned.text);
    }
    kept.retain(|item| !item.is_empty());
    Ok(kept)
}

/// Paths inside the project, relative and without `..`.
pub(crate) fn paths(field: &'static str, items: &[String]) -> Result<Vec<String>> {
    let items = list(field, items, 1_000)?;
    for item in &items {
        // On Windows `\x` and `C:x` leave the folder, too, though neither is absolute.
        let mut parts = Path::new(item).components();
        let leaves = item.starts_with('~') || !parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if leaves {
            return Err(AppError::invalid(field, format!("'{item}' is outside the project"), "give paths relative to the project folder"));
        }
    }
    Ok(items)
}
