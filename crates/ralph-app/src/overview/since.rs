//! What happened since the person's last look. The time of that look is stored outside of the project, since it belongs to the person.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::outside::Outside;
use ralph_core::limits;
use ralph_core::saturation::SaturationHistory;
use ralph_core::time::Timestamp;
use ralph_core::view::{SaturationMove, SinceLook};
use std::cmp::Reverse;

impl App {
    /// What happened since the last look, or since `from` if what came after that has been shown but not dismissed; `None` before the first
    /// look.
    pub fn since_look(&self, from: Option<Timestamp>) -> Result<Option<SinceLook>> {
        let Some(at) = from.or_else(|| self.outside()?.last_look()) else { return Ok(None) };
        let (work, (learnt, put_away)) = self.db.read(|r| Ok::<_, AppError>((r.work_since(at)?, r.learnt_since(at)?)))?;
        let mut saturation: Vec<SaturationMove> =
            self.saturation_history(None)?.into_iter().filter_map(|history| moved_since(history, at)).collect();
        saturation.sort_by_key(|moved| Reverse(moved.before_pct.abs_diff(moved.now_pct)));
        Ok(Some(SinceLook { at, work, learnt, put_away, saturation }))
    }

    /// Stores and returns the time of the person's look. Failing to store it is harmless.
    pub fn look(&self) -> Timestamp {
        let now = self.clock.now();
        if let Some(Err(fault)) = self.outside().map(|outside| outside.keep_look(now)) {
            tracing::warn!("the time of the last look was not kept: {fault}");
        }
        now
    }

    /// Whether the person's last look is a while ago; `false` before the first.
    pub fn is_away(&self) -> bool {
        let last = self.outside().and_then(|outside| outside.last_look());
        last.is_some_and(|at| self.clock.now().millis_since(at) >= limits::AWAY_MILLIS)
    }

    fn outside(&self) -> Option<Outside> {
        Outside::of(&self.paths.root)
    }
}

/// Change of a feature's saturation; `None` if unchanged.
fn moved_since(history: SaturationHistory, at: Timestamp) -> Option<SaturationMove> {
    let now_pct = history.points.last()?.saturation_pct;
    let before_pct = history.points.iter().rfind(|point| point.at <= at).map_or(0, |point| point.saturation_pct);
    (now_pct != before_pct).then_some(SaturationMove { feature: history.feature, before_pct, now_pct })
}
