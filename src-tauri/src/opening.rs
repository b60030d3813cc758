//! Creating the window: its page learns which project is being opened before it asks for anything.

use std::path::Path;
use tauri::{App, WebviewWindowBuilder};

/// Shows the configured window. The page gets `folder` as `ralphOpens`, with which `public/start.js` finds the counts that it last showed
/// for this project.
///
/// # Errors
/// If the system has no web view.
pub fn show_window(app: &App, folder: Option<&Path>) -> tauri::Result<()> {
    let Some(window) = app.config().app.windows.first() else { return Ok(()) };
    let builder = WebviewWindowBuilder::from_config(app, window)?;
    match folder {
        Some(folder) => builder.initialization_script(opens(folder)),
        None => builder,
    }
    .build()?;
    Ok(())
}

/// A path is data: whatever its name, it stays within the quotes.
fn opens(folder: &Path) -> String {
    let whole = ralph_app::real_path(folder).unwrap_or_else(|_| folder.to_owned());
    format!("window.ralphOpens = {};", serde_json::Value::from(whole.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_quotes_in_its_name_is_no_code() {
        // A folder that is gone is passed on as it was named; nothing is known about it.
        let odd = r#"/gone/a"; alert(1); ""#;
        let script = opens(Path::new(odd));
        let value = script.strip_prefix("window.ralphOpens = ").and_then(|rest| rest.strip_suffix(';')).unwrap();
        assert_eq!(serde_json::from_str::<String>(value).unwrap(), odd);
    }

    #[test]
    fn a_folder_is_told_as_its_project_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let whole = ralph_app::real_path(folder.path()).unwrap();
        let script = opens(&folder.path().join("."));
        assert_eq!(script, format!("window.ralphOpens = {};", serde_json::Value::from(whole.to_string_lossy())));
    }
}
