//! Putting a class away, as one act, and undoing it.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::knowledge::slice::Needs;
use ralph_core::audit::{AuditClass, AuditRetired, AuditUndone, AuditedMemory};
use ralph_core::authority::Act;
use ralph_core::learning::LearningState;
use ralph_core::noun::Noun;
use ralph_core::recall::MemoryKind;
use ralph_rag::act::undoable_audit;
use ralph_rag::journal::Event;

impl App {
    /// Puts the memories of a class away: they are no longer included in prompts, but nothing is lost. Protected ones stay unless
    /// `with_protected`; secrets stay in the texts until they are washed.
    pub fn retire_class(&self, class: AuditClass, with_protected: bool) -> Result<AuditRetired> {
        self.allowed(&Act::Curate)?;
        let memories = self.audited()?.finding(class).memories;
        let (kept, gone): (Vec<_>, Vec<_>) = memories.into_iter().partition(|memory| memory.protected && !with_protected);
        let ids = |of: &[AuditedMemory]| of.iter().map(|memory| memory.id.clone()).collect();
        let mut retired = AuditRetired { act: None, class, retired: ids(&gone), kept: ids(&kept) };
        if gone.is_empty() {
            return Ok(retired);
        }
        let learnings = gone.iter().filter(|memory| memory.kind == MemoryKind::Learning).map(|memory| memory.id.as_str());
        let others = gone.iter().filter(|memory| memory.kind != MemoryKind::Learning);
        // What a member contradicted returns.
        let learnings = self.with_compared(learnings)?;
        let needs = Needs::learnings(learnings.iter().map(String::as_str));
        let needs = others.fold(needs, |needs, memory| needs.and_memory(&memory.id));
        let junk: Vec<(String, String)> = gone.iter().map(|memory| (memory.id.clone(), memory.why.clone())).collect();
        retired.act = self.act(&needs, |draft| draft.put_away_class(class, &junk))?;
        self.keep_audit_day_or_warn();
        Ok(retired)
    }

    /// Restores what an act put away, or the class that was put away last.
    pub fn undo_audit(&self, by: Option<&str>) -> Result<AuditUndone> {
        self.allowed(&Act::Curate)?;
        let lines = self.known_lines()?;
        let is_known = |by: &str| lines.iter().any(|line| line.act.as_deref() == Some(by) && matches!(line.event, Event::Audited { .. }));
        if let Some(stranger) = by.filter(|by| !is_known(by)) {
            return Err(AppError::not_found(Noun::Audit, stranger));
        }
        let audit = undoable_audit(lines, by).ok_or_else(|| match by {
            Some(_) => AppError::invalid("undo", "was done before", "`ralph audit --undo` restores the class that was put away last"),
            None => AppError::invalid("undo", "finds no class that was put away", "`ralph audit --retire CLASS` puts one away"),
        })?;
        let learnings: Vec<&str> = audit.changes.iter().map(|change| change.learning.as_str()).collect();
        let needs = audit.withdrawn.iter().fold(Needs::learnings(learnings), |needs, id| needs.and_memory(id));
        self.act(&needs, |draft| draft.undo_audit(&audit))?;
        self.keep_audit_day_or_warn();
        let put_away = audit.changes.iter().filter(|change| change.before == Some(LearningState::Active)).map(|change| &change.learning);
        let ids: Vec<String> = put_away.chain(&audit.withdrawn).cloned().collect();
        let told = self.db.read(|r| {
            let learnings = r.learnings_by_id(&ids)?.into_iter().filter(|l| l.state == LearningState::Active).map(|l| l.id);
            let episodes = r.episodes_by_id(&ids)?.into_iter().filter(|e| e.withdrawn.is_none()).map(|e| e.id);
            let facts = r.facts_by_id(&ids)?.into_iter().filter(|fact| fact.withdrawn.is_none()).map(|fact| fact.id);
            Ok::<_, AppError>(learnings.chain(episodes).chain(facts).collect::<std::collections::BTreeSet<_>>())
        })?;
        let (returned, left) = ids.into_iter().partition(|id| told.contains(id));
        Ok(AuditUndone { class: audit.class, returned, left })
    }
}
