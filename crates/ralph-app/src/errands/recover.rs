//! Recovery of errands whose Ralph was killed.

use crate::app::App;
use crate::error::Result;
use crate::owner::lives_alone;
use ralph_core::errand::{ErrandKind, ErrandState};
use sqlite_db::table::ErrandOwner;

impl App {
    /// Ends errands whose process is gone, and their leftover agents.
    pub(crate) fn recover_errands(&self) -> Result<()> {
        let now = self.clock.now();
        let owners = self.db.read(|r| r.errand_owners())?;
        let dead: Vec<_> = owners.iter().filter(|owner| !lives_alone(&owner.owner, owner.heartbeat, now)).collect();
        if dead.is_empty() || self.db.is_read_only() {
            return Ok(());
        }
        self.sweep_unknown()?;
        for ErrandOwner { id, .. } in &dead {
            let errand = self.errand(*id)?;
            match (errand.kind, errand.task) {
                (ErrandKind::ResolveConflict, Some(task)) => self.recover_resolution(task)?,
                (ErrandKind::Consolidate | ErrandKind::UndoConsolidation | ErrandKind::ReviewLearnings | ErrandKind::Review, _) => {
                    self.drop_proposal(*id)?;
                }
                _ => {}
            }
        }
        let Some(mut writer) = self.db.try_writer()? else { return Ok(()) };
        writer.transaction(|tx| {
            for ErrandOwner { id, heartbeat, .. } in dead {
                let answer = tx.errand(*id)?.map(|errand| errand.answer).unwrap_or_default();
                // As of its last heartbeat: nothing is known about later times, however late it is found.
                let ended = (*heartbeat).min(now);
                tx.end_errand(*id, ErrandState::Failed, &answer, Some("Ralph's own process ended during it"), ended)?;
            }
            Ok::<_, crate::error::AppError>(())
        })
    }
}
