//! What agents load from a project by themselves, whoever starts them, and without asking: each file is an item of its own.

use crate::error::Result;
use crate::paths::Paths;
use ralph_core::limits;
use ralph_core::run::AgentKind;
use ralph_core::trust::{self, TrustItem};

/// Settings of Claude Code; it does not ask about them when started by a program.
const CLAUDE: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
/// Settings of OpenCode. Ralph switches their loading off, but parts of OpenCode load plugins that they name all the same.
const OPENCODE: [&str; 4] = ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"];
/// Folders of programs that OpenCode runs within itself.
const OPENCODE_FOLDERS: [&str; 4] = [".opencode/plugin", ".opencode/plugins", ".opencode/tool", ".opencode/tools"];
/// What such programs end with.
const PROGRAMS: [&str; 2] = ["js", "ts"];

/// The agent that loads the file of an item; `None` for any other item.
pub(super) fn reader_of(item: &str) -> Option<AgentKind> {
    if CLAUDE.contains(&item) {
        return Some(AgentKind::Claude);
    }
    (OPENCODE.contains(&item) || item.starts_with(".opencode/")).then_some(AgentKind::Opencode)
}

/// The files that are there.
pub(super) fn items(paths: &Paths) -> Result<Vec<TrustItem>> {
    let mut named: Vec<String> = CLAUDE.into_iter().chain(OPENCODE).map(str::to_owned).collect();
    for folder in OPENCODE_FOLDERS {
        for ending in PROGRAMS {
            let found = paths.files().list(&paths.root.join(folder), ending)?;
            named.extend(found.iter().filter_map(|path| path.file_name()).map(|name| format!("{folder}/{}", name.to_string_lossy())));
        }
    }
    let mut items = Vec::new();
    for path in named {
        let text = paths.files().read_text(&paths.root.join(&path), limits::CONFIG_BYTES)?;
        let agent = if reader_of(&path) == Some(AgentKind::Claude) { "Claude Code" } else { "OpenCode" };
        items.extend(text.map(|text| trust::of_agent_settings(&path, &text, agent)));
    }
    Ok(items)
}
