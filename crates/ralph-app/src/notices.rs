//! Notices: listing and settling.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::rows::find_task;
use crate::secrets::wash;
use ralph_core::TaskId;
use ralph_core::authority::{Act, Wish, as_it_is, changed_since, is_moot};
use ralph_core::limits;
use ralph_core::notice::{NewNotice, Notice, NoticeId};
use ralph_core::noun::Noun;
use ralph_core::task::TaskStatus;
use ralph_core::text::cut_visibly;
use ralph_core::time::Timestamp;
use ralph_rag::clean::{clean, redact};
use serde::Serialize;
use sqlite_db::Tx;
use std::collections::BTreeSet;

impl App {
    /// Open notices, oldest first, with no more than a screenful of proposals; with `all` also the settled ones, newest first.
    pub fn notices(&self, all: bool) -> Result<Vec<Notice>> {
        Ok(self.db.read(|r| if all { r.notices(limits::NOTICE_ROWS) } else { r.open_notices(limits::NOTICE_ROWS) })?)
    }

    /// One notice.
    pub fn notice(&self, id: NoticeId) -> Result<Notice> {
        self.db.read(|r| r.notice(id)?.ok_or_else(|| AppError::not_found(Noun::Notice, id)))
    }

    /// Settles a notice. Accepting a proposal makes its change as the act of the person who accepts it; if that is no longer possible, it
    /// is refused with the reason, and the proposal stays open.
    pub fn settle_notice(&self, id: NoticeId, accept: bool) -> Result<Notice> {
        self.allowed(&Act::SettleNotice)?;
        let notice = self.notice(id)?;
        if let Some(accepted) = notice.accepted {
            let said = if accepted { "accepted" } else { "dismissed" };
            return Err(AppError::invalid("id", format!("notice {id} was {said} already"), "those that wait: `ralph notice list`"));
        }
        if let Some(wish) = notice.wish.filter(|_| accept) {
            // The change first: if it fails, the proposal stays open, and making it twice changes nothing.
            self.grant(&wish)?;
        }
        let now = self.clock.now();
        self.write(|tx| Ok(tx.settle_notice(id, accept, now)?))?;
        self.notice(id)
    }

    /// Puts a settled notice back among those that wait: one that was dismissed, or only marked as seen. An accepted proposal has already
    /// made its change, which is undone where the change was made.
    pub fn reopen_notice(&self, id: NoticeId) -> Result<Notice> {
        self.allowed(&Act::SettleNotice)?;
        let notice = self.notice(id)?;
        match notice.accepted {
            None => return Err(AppError::invalid("id", format!("notice {id} waits already"), "those that wait: `ralph notice list`")),
            Some(true) if notice.wish.is_some() => {
                let fault = format!("notice {id} was accepted, and its change is made");
                return Err(AppError::invalid(
                    "id",
                    fault,
                    "undo the change itself, such as with `ralph learning undo` or `ralph task update`",
                ));
            }
            Some(_) => {}
        }
        self.write(|tx| Ok(tx.reopen_notice(id)?))?;
        self.notice(id)
    }

    /// Makes the change that an agent requested.
    fn grant(&self, wish: &Wish) -> Result<()> {
        match wish {
            Wish::UpdateTask { task, patch, before } => {
                let now = as_it_is(&self.task(*task)?, patch.as_ref());
                must_stand_as_proposed(before.as_ref(), &now, patch.as_ref())?;
                self.update_task(*task, patch).map(drop)
            }
            Wish::CreateFeature { new } => self.create_feature(new).map(drop),
            Wish::UpdateFeature { feature, patch, before } => {
                let now = as_it_is(&self.feature(feature)?, patch.as_ref());
                must_stand_as_proposed(before.as_ref(), &now, patch.as_ref())?;
                self.update_feature(feature, patch).map(drop)
            }
            Wish::ReviewLearning { id } => self.review_learning(id).map(drop),
            Wish::RetireLearning { id } => self.retire_learning(id).map(drop),
            Wish::RestoreLearning { id } => self.restore_learning(id).map(drop),
            Wish::MoveLearning { id, to } => self.move_learning(id, to).map(drop),
            Wish::EditLearning { id, text, reason } => self.edit_learning(id, text, reason.as_deref()).map(drop),
            Wish::MergeLearnings { ids, text, reason } => self.merge_learnings(ids, text, reason.as_deref()).map(drop),
            Wish::ResolveConflict { older, newer, choice } => self.resolve_conflict(older, newer, *choice),
            Wish::ReopenConflict { older, newer } => self.reopen_conflict(older, newer),
            Wish::DecideGate { id, kept } => self.decide_gate(id, *kept).map(drop),
            Wish::ReopenWarning { id } => self.reopen_warning(id).map(drop),
            Wish::UndoReconciliation { id } => self.undo_reconciliation(id),
        }
    }
}

/// Refuses a proposal whose fields were changed since.
fn must_stand_as_proposed<P: Serialize>(before: &P, now: &P, new: &P) -> Result<()> {
    let moved = changed_since(before, now, new);
    if moved.is_empty() {
        return Ok(());
    }
    Err(AppError::invalid(
        "id",
        format!("what it would change has changed since: {}", moved.join(", ")),
        "dismiss the proposal, and make the change yourself if you still want it",
    ))
}

/// Sets the status of a task by anything but an edit; proposals that asked for just that are settled.
pub(crate) fn set_task_status(tx: &Tx<'_>, task: TaskId, status: TaskStatus, blocked_reason: Option<&str>, now: Timestamp) -> Result<()> {
    tx.set_task_status(task, status, blocked_reason, now)?;
    settle_moot(tx, task, now)
}

/// Settles the proposals whose change of a task has been made by other means: nothing is left to decide.
pub(crate) fn settle_moot(tx: &Tx<'_>, task: TaskId, now: Timestamp) -> Result<()> {
    for notice in tx.open_proposals_on(task)? {
        let Some(Wish::UpdateTask { patch, .. }) = &notice.wish else { continue };
        if is_moot(&find_task(tx, task)?, patch) {
            tx.settle_notice(notice.id, true, now)?;
        }
    }
    Ok(())
}

/// Adds a notice, cleaned and bounded like everything stored.
pub(crate) fn put_before_person(tx: &Tx<'_>, new: NewNotice, now: Timestamp) -> Result<NoticeId> {
    let title = clean(&new.title, limits::TITLE_CHARS).text;
    let detail = redact(&cut_visibly(&new.detail, limits::NOTICE_DETAIL_CHARS)).0;
    let wish = new.wish.map(wash::wish);
    Ok(tx.insert_notice(&NewNotice { title, detail, wish, ..new }, now)?)
}

/// The notice about some learnings or lines, by their ids: a new one once they are others, and none when some of those in a settled one are
/// gone from it.
pub(crate) fn tell_again(
    tx: &Tx<'_>,
    (before, told): (&BTreeSet<String>, Option<NoticeId>),
    found: &BTreeSet<String>,
    words: impl FnOnce() -> NewNotice,
    now: Timestamp,
) -> Result<Option<NoticeId>> {
    if found == before {
        return Ok(told);
    }
    let was_open = told.map(|id| tx.settle_notice(id, true, now)).transpose()?.unwrap_or(false);
    let tells = !found.is_empty() && (was_open || !found.is_subset(before));
    tells.then(|| put_before_person(tx, words(), now)).transpose()
}
