//! `ralph audit`: what should not be in the store, or is no longer worth including; and how to remove it or put it away.
//!
//! What is junk is decided purely, by `ralph_rag::junk`; this module gathers its input.

mod days;
mod memories;
mod retire;
mod secrets;
mod sought;

use crate::app::App;
use crate::error::Result;
use memories::AuditedMemories;
use ralph_core::audit::{Audit, AuditClass, AuditFinding, AuditReport, PutAway};
use ralph_rag::act::{UndoableAudit, undoable_audit};
use sought::Sought;

/// Days of history shown on the page.
const SHOWN_DAYS: i64 = 30;

/// What an audit does about secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditPass {
    /// Reports them.
    Look,
    /// Removes them, and reports what was found.
    Wash,
}

impl App {
    /// Audits all classes, or one.
    pub fn audit(&self, class: Option<AuditClass>, pass: AuditPass) -> Result<Audit> {
        let asked = |of: AuditClass| class.is_none_or(|class| class == of);
        let mut audit = Audit::default();
        // Before anything is removed: afterwards it could not be found.
        let audited = self.audited()?;
        if class.is_none() {
            self.keep_audit_day(&audited)?;
        }
        for of in AuditClass::ALL.iter().copied().filter(|of| asked(*of)) {
            let mut finding = audited.finding(of);
            if of == AuditClass::Secret {
                finding = AuditFinding { memories: finding.memories, ..self.audit_store(&Sought::Secrets, pass)? };
            }
            audit.0.insert(of, finding);
        }
        Ok(audit)
    }

    /// Searches the store for a text that a person wants gone, and removes it.
    ///
    /// # Errors
    /// If it can't be removed without destroying something of Ralph's.
    pub fn audit_text(&self, text: &str, pass: AuditPass) -> Result<AuditFinding> {
        self.audit_store(&self.sought_text(text)?, pass)
    }

    /// Data of the Knowledge page: the memories by class, the history, and whether something can be undone.
    pub fn audit_report(&self) -> Result<AuditReport> {
        let audited = self.audited()?;
        Ok(AuditReport {
            memories: audited.count(),
            junk: audited.junk(),
            classes: AuditClass::ALL.iter().map(|class| (*class, audited.finding(*class))).collect(),
            days: self.audit_days(SHOWN_DAYS)?,
            undoable: undoable_audit(self.known_lines()?, None).map(|UndoableAudit { act, class, .. }| PutAway { act, class }),
        })
    }

    fn audited(&self) -> Result<AuditedMemories> {
        Ok(self.audited_until(&|| false)?.expect("nothing stops it"))
    }

    /// `None` once `stopped` says so.
    fn audited_until(&self, stopped: &dyn Fn() -> bool) -> Result<Option<AuditedMemories>> {
        if stopped() {
            return Ok(None);
        }
        Ok(AuditedMemories::of(self.stored_memories()?, stopped))
    }
}
