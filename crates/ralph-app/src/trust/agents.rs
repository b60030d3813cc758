//! Files that agents load from a project by themselves and without asking, whoever starts them: each is a trust item of its own.

use crate::error::Result;
use crate::paths::Paths;
use ralph_core::limits;
use ralph_core::run::AgentKind;
use ralph_core::trust::{self, CLAUDE_FILES, OPENCODE_FILES, TrustItem, TrustSubject};

/// Folders of programs that OpenCode runs within itself.
const OPENCODE_FOLDERS: [&str; 4] = [".opencode/plugin", ".opencode/plugins", ".opencode/tool", ".opencode/tools"];
/// The file extensions of such programs.
const PROGRAMS: [&str; 2] = ["js", "ts"];

/// The files that are there.
pub(super) fn items(paths: &Paths) -> Result<Vec<TrustItem>> {
    let mut named: Vec<String> = CLAUDE_FILES.into_iter().chain(OPENCODE_FILES).map(str::to_owned).collect();
    for folder in OPENCODE_FOLDERS {
        for ending in PROGRAMS {
            let found = paths.files().list(&paths.root.join(folder), ending)?;
            named.extend(found.iter().filter_map(|path| path.file_name()).map(|name| format!("{folder}/{}", name.to_string_lossy())));
        }
    }
    let mut items = Vec::new();
    for path in named {
        let text = paths.files().read_text(&paths.root.join(&path), limits::CONFIG_BYTES)?;
        let agent = if TrustSubject::of(&path) == TrustSubject::AgentFile(AgentKind::Claude) { "Claude Code" } else { "OpenCode" };
        items.extend(text.map(|text| trust::of_agent_settings(&path, &text, agent)));
    }
    Ok(items)
}
