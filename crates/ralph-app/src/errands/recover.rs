//! Recovery of errands whose Ralph was killed.

use crate::app::App;
use crate::error::Result;
use crate::owner::lives_alone;
use ralph_core::errand::{ErrandId, ErrandKind, ErrandState};
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
        // An errand whose leftovers can't be removed waits for the next look, and does not hold up the others.
        let cleared = |owner: &&ErrandOwner| {
            let cleared = self.clear_after_errand(owner.id);
            cleared.inspect_err(|fault| tracing::warn!("what errand {} left waits: {fault}", owner.id)).is_ok()
        };
        let cleared: Vec<_> = dead.into_iter().filter(cleared).collect();
        let Some(mut writer) = self.db.try_writer()? else { return Ok(()) };
        writer.transaction(|tx| {
            for ErrandOwner { id, heartbeat, .. } in cleared {
                let answer = tx.errand(*id)?.map(|errand| errand.answer).unwrap_or_default();
                // As of its last heartbeat: nothing is known about later times, however late it is found.
                let ended = (*heartbeat).min(now);
                tx.end_errand(*id, ErrandState::Failed, &answer, Some("Ralph's own process ended during it"), ended)?;
            }
            Ok::<_, crate::error::AppError>(())
        })
    }

    /// Rolls back what a dead errand left in its worktree.
    fn clear_after_errand(&self, id: ErrandId) -> Result<()> {
        let errand = self.errand(id)?;
        match (errand.kind, errand.task) {
            (ErrandKind::ResolveConflict, Some(task)) => self.recover_resolution(task),
            (ErrandKind::Consolidate | ErrandKind::UndoConsolidation | ErrandKind::ReviewLearnings | ErrandKind::Review, _) => {
                self.drop_proposal(id)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::running_by;
    use crate::clock::Clock;
    use crate::owner::this_process;
    use ralph_core::errand::Errand;
    use ralph_core::run::owner::Owner;
    use ralph_core::signal::Usage;

    #[test]
    fn a_dead_errand_whose_leavings_stay_keeps_no_other_from_its_end() {
        const GONE: u32 = 4_000_000;
        let (_folder, app) = running_by(GONE, Clock::system());
        let errand = |kind| Errand {
            id: 0,
            kind,
            state: ErrandState::Running,
            task: Some(1),
            run: None,
            title: "Look".to_owned(),
            agent: None,
            model: String::new(),
            folder: String::new(),
            max_usd: None,
            max_minutes: 1,
            answer: String::new(),
            note: None,
            usage: Usage::default(),
            started: app.clock.now(),
            ended: None,
        };
        let owner = Owner { pid: GONE, ..this_process() };
        // The first one's task has no worktree, so that nothing can be rolled back there.
        let [stuck, other] = [ErrandKind::ResolveConflict, ErrandKind::Extract]
            .map(|kind| app.write(|tx| Ok(tx.insert_errand(&errand(kind), &owner)?)).expect("is stored"));
        app.recover_errands().expect("looks");
        let state = |id| app.errand(id).expect("is there").state;
        assert_eq!((state(stuck), state(other)), (ErrandState::Running, ErrandState::Failed));
    }
}
