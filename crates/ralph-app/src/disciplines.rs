//! Disciplines: listing, creation, changes. Agents obey their text and start their MCP servers, so only a person changes them, and
//! changes by a person through Ralph need no further agreement.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::secrets::check_input;
use crate::secrets::names as secret_names;
use ralph_core::authority::Act;
use ralph_core::discipline::{Discipline, DisciplinePatch, McpServer, OWN_SERVER};
use ralph_core::feature::check_name;
use ralph_core::limits;
use ralph_core::noun::Noun;
use ralph_rag::clean::redact;

impl App {
    /// All disciplines by name.
    pub fn disciplines(&self) -> Result<Vec<Discipline>> {
        Ok(self.db.read(|r| r.disciplines())?)
    }

    /// One discipline.
    pub fn discipline(&self, name: &str) -> Result<Discipline> {
        self.db.read(|r| r.discipline(&key(name)))?.ok_or_else(|| AppError::not_found(Noun::Discipline, name))
    }

    /// Changes a discipline, or creates it if there is none of that name.
    pub fn set_discipline(&self, name: &str, patch: &DisciplinePatch) -> Result<Discipline> {
        self.allowed(&Act::ChangeSettings)?;
        // As it was given: in lower case a secret may not be recognized.
        secret_names::refuse(name.trim())?;
        let name = key(name);
        secret_names::refuse(&name)?;
        check_name(&name).map_err(|fault| AppError::invalid("name", fault.to_string(), "use letters, digits, '-', '_' and '.'"))?;
        // Held until it is agreed to: another process may change another field of it, and each continues from what the other stored and
        // agreed to.
        let mut writer = self.db.writer()?;
        let (before, after) = writer.transaction(|tx| {
            let before = tx.discipline(&name)?;
            let after = apply(before.clone().unwrap_or_else(|| fresh(&name)), patch)?;
            tx.put_discipline(&after)?;
            Ok::<_, AppError>((before, after))
        })?;
        self.agree_to_discipline(before.as_ref(), &after)?;
        Ok(after)
    }
}

/// A name as it is stored.
pub(crate) fn key(name: &str) -> String {
    name.trim().to_ascii_lowercase()
}

fn fresh(name: &str) -> Discipline {
    Discipline {
        name: name.to_owned(),
        display_name: name.to_owned(),
        persona: String::new(),
        conventions: String::new(),
        skills: Vec::new(),
        mcp_servers: Vec::new(),
    }
}

fn apply(mut discipline: Discipline, patch: &DisciplinePatch) -> Result<Discipline> {
    if let Some(text) = &patch.display_name {
        discipline.display_name = check_input::title("display_name", text)?;
    }
    for (field, from, to) in
        [("persona", &patch.persona, &mut discipline.persona), ("conventions", &patch.conventions, &mut discipline.conventions)]
    {
        if let Some(text) = from {
            *to = check_input::long(field, text)?;
        }
    }
    if let Some(skills) = &patch.skills {
        discipline.skills = check_input::list("skills", skills, limits::TITLE_CHARS)?;
    }
    if let Some(servers) = &patch.mcp_servers {
        discipline.mcp_servers = checked_servers(servers)?;
    }
    Ok(discipline)
}

fn checked_servers(servers: &[McpServer]) -> Result<Vec<McpServer>> {
    let fault = |fault: String, hint: &str| Err(AppError::invalid("mcp_servers", fault, hint));
    if servers.len() > limits::LIST_ITEMS {
        return fault(format!("has more than {} entries", limits::LIST_ITEMS), "keep the important ones");
    }
    for (at, server) in servers.iter().enumerate() {
        let name = ralph_core::text::cut(&server.name, limits::NAME_CHARS);
        let plain = server.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if server.name.is_empty() || server.name.len() > limits::NAME_CHARS || !plain {
            return fault(format!("'{name}' can't be a server's name"), "use letters, digits, '-' and '_'");
        }
        if server.name.eq_ignore_ascii_case(OWN_SERVER) {
            return fault(format!("'{name}' is the name of Ralph's own server"), "choose another name");
        }
        if servers[..at].iter().any(|other| other.name == server.name) {
            return fault(format!("'{name}' stands there twice"), "give each server a name of its own");
        }
        if server.command.trim().is_empty() {
            return fault(format!("'{name}' has no command"), "name the program that serves it");
        }
        for text in std::iter::once(&server.command).chain(&server.args) {
            if text.chars().any(char::is_control) || redact(text).0 != *text {
                return fault(
                    format!("the command of '{name}' holds what looks like a secret, or what a terminal would obey"),
                    "hand secrets on by the environment: name the variable in pass_env",
                );
            }
        }
    }
    Ok(servers.to_vec())
}
