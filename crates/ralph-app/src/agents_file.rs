//! `ralph agents-md`: the section of `AGENTS.md` or `CLAUDE.md` that agents outside of Ralph read.

use crate::app::App;
use crate::code_facts::{stated_by_code, statement};
use crate::error::{AppError, Result};
use crate::files::Readers;
use ralph_core::authority::Act;
use ralph_core::document::{AgentsFileAct, AgentsFileChange};
use ralph_core::learning::LearningState;
use ralph_core::limits;
use ralph_core::memory::FactSource;
use ralph_rag::agents_file::{section, with_section};
use similar::TextDiff;
use std::collections::BTreeSet;

/// Files that agents read of their own accord, the most common first.
const FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

impl App {
    /// Shows, writes or removes the section: of the named file, or of the existing one.
    pub fn agents_file(&self, file: Option<&str>, act: AgentsFileAct) -> Result<AgentsFileChange> {
        let file = self.agents_file_name(file)?;
        let path = self.paths.root.join(file);
        let text = self.paths.files().read_text(&path, limits::DOCUMENT_BYTES)?;
        let section = (act != AgentsFileAct::Remove).then(|| self.agents_section()).transpose()?;
        let (section, left_out) = section.unzip();
        let before = text.unwrap_or_default();
        let after = with_section(&before, section.as_deref()).map_err(|fault| {
            AppError::invalid("file", format!("{file} {fault}"), "put the marks right, or delete both with what is between them")
        })?;
        let (changed, written) = (before != after, before != after && act != AgentsFileAct::Show);
        if written {
            self.allowed(&Act::Curate)?;
            // A link was made by a person: its target within the project is changed.
            let path = self.paths.files().real(&path)?.unwrap_or(path);
            if self.paths.files().metadata(&path)?.is_some_and(|found| found.permissions().readonly()) {
                let fault = format!("{file} is write-protected");
                return Err(AppError::invalid("file", fault, "make it writable, or name the other one with `--file`"));
            }
            self.paths.files().write(&path, after.as_bytes(), Readers::Anyone)?;
        }
        let diff = TextDiff::from_lines(&before, &after).unified_diff().header(file, file).to_string();
        let left_out = left_out.map_or(0, |left_out| u32::try_from(left_out).unwrap_or(u32::MAX));
        Ok(AgentsFileChange { file: file.to_owned(), changed, diff, written, left_out })
    }

    /// The section, and the number of facts and learnings that are left out of it.
    fn agents_section(&self) -> Result<(String, usize)> {
        self.db.read(|r| {
            let (facts, learnings) = (r.facts(None)?, r.learnings(None, &[LearningState::Active])?);
            let mut strange: BTreeSet<String> = r.outside_learnings()?.into_keys().chain(r.outside_memories()?.into_keys()).collect();
            let vouched = r.vouched_for()?;
            strange.retain(|id| !vouched.contains(id));
            // What a file of the project states counts, whoever was the first to record it.
            let stated = stated_by_code(r)?;
            for fact in facts.iter().filter(|fact| fact.source == FactSource::Code && stated.contains(&statement(fact))) {
                strange.remove(&fact.id);
            }
            Ok(section(&facts, &learnings, &strange))
        })
    }

    fn agents_file_name(&self, asked: Option<&str>) -> Result<&'static str> {
        if let Some(asked) = asked {
            return FILES.into_iter().find(|file| *file == asked).ok_or_else(|| {
                AppError::invalid(
                    "file",
                    format!("'{}' is not one of them", ralph_core::text::cut(asked, 80)),
                    "use AGENTS.md or CLAUDE.md",
                )
            });
        }
        for file in FILES {
            if self.paths.files().metadata(&self.paths.root.join(file))?.is_some() {
                return Ok(file);
            }
        }
        Ok(FILES[0])
    }
}
