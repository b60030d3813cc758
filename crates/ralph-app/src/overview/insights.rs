//! Insights: statistics of the project's own history, with intervals, and "not enough yet" where data is missing.

use crate::app::App;
use crate::clock::{DAY_CHARS, begin_of, local_day, named_day};
use crate::error::{AppError, Result};
use crate::knowledge::projector::perform;
use crate::knowledge::slice::Needs;
use ralph_core::active_days::Day;
use ralph_core::run::attempt::Attempt;
use ralph_core::stats::{Comparison, Proportion, SplitMix64, Strata, wilson};
use ralph_core::time::Timestamp;
use ralph_core::view::{CategoryInsight, Insights, IterationFilter, IterationPage, LearningInsight, ModelInsight, WorkOverTime};
use ralph_core::{IterationId, LearningId, TaskId, text};
use sqlite_db::table::{Among, HeldOutAttempt};
use std::collections::BTreeMap;

/// Attempts shown in a task's history.
const ATTEMPTS_SHOWN: u32 = 100;
/// Learnings whose effect is listed.
const LEARNINGS_SHOWN: usize = 50;
/// Recurring failures that are listed.
const RETURNING_SHOWN: u32 = 10;
/// Iterations per page of a list.
const ROWS_SHOWN: u32 = 100;
/// Characters of a learning shown in its row.
const TEXT_CHARS: usize = 120;
/// Active days for which the details of a done task's failures are kept.
const KEPT_ACTIVE_DAYS: usize = 30;
/// Seed of the bootstrap: the same rows give the same interval.
const SEED: u64 = 0x5241_4c50_4821;

impl App {
    /// Attempts at a task with their failure records, and the iterations on it that were not attempts, newest first.
    pub fn attempts(&self, task: TaskId) -> Result<Vec<Attempt>> {
        self.db.read(|r| {
            crate::rows::find_task(r, task)?;
            let mut all = r.attempts(task, ATTEMPTS_SHOWN)?;
            all.extend(r.no_attempts(task, ATTEMPTS_SHOWN)?);
            all.sort_by_key(|attempt| std::cmp::Reverse(attempt.iteration));
            Ok(all)
        })
    }

    /// Deletes the details of failed attempts at done tasks after 30 active days, and journals that. Their outcomes
    /// stay.
    pub(crate) fn thin_failures(&self) -> Result<()> {
        let Some(repo) = &self.repo else { return Ok(()) };
        // Without a readable history nothing has aged.
        let days = repo.active_days().unwrap_or_default();
        let Some(oldest_kept) = days.first_of_newest(KEPT_ACTIVE_DAYS) else { return Ok(()) };
        let before = begin_of(oldest_kept);
        let rules = self.knowledge_rules()?;
        self.write(|tx| {
            for (task, attempts) in tx.thin_failures(before)? {
                let feature = crate::rows::find_task(tx, task)?.feature;
                perform(tx, rules, &Needs::features([feature.as_str()]), |draft| {
                    draft.thin(&feature, task, attempts);
                    Ok(())
                })?;
            }
            Ok(())
        })
    }

    /// Iterations that match a filter, newest first, in pages: those before `before`, or the newest.
    pub fn iterations_where(&self, filter: &IterationFilter, before: Option<IterationId>) -> Result<IterationPage> {
        // A name that does not exist would look like one that nobody worked on.
        let learning = filter.learning.as_deref().map(|id| self.learning(id)).transpose()?.map(|learning| learning.id);
        let feature = self.db.read(|r| crate::rows::spelled(r, filter.feature.as_deref()))?;
        let filter = &IterationFilter { learning, feature, ..filter.clone() };
        let iterations = match (&filter.effect, &filter.learning) {
            (Some(figure), Some(learning)) => Some(self.attempts_behind(learning, *figure)?),
            (Some(_), None) => return Err(AppError::invalid("effect", "needs a learning", "name the learning whose effect it is")),
            (None, _) => None,
        };
        let ended = filter.day.as_deref().map(App::times_of).transpose()?;
        let now = self.clock.now();
        let at_work = ended.is_some_and(|(from, until)| from <= now && now < until);
        let among = Among { iterations: iterations.as_deref(), ended, at_work };
        Ok(self.db.read(|r| r.iteration_page(filter, &among, before, ROWS_SHOWN))?)
    }

    /// When a day of the person's clock begins, and when the next one does.
    fn times_of(day: &str) -> Result<(Timestamp, Timestamp)> {
        let day = named_day(day).ok_or_else(|| {
            AppError::invalid("day", format!("'{}' is not a day", text::cut(day, DAY_CHARS * 2)), "write it as 2026-11-01")
        })?;
        Ok((begin_of(day), begin_of(Day(day.0.saturating_add(1)))))
    }

    /// Totals of each day, by the person's own clock, and of each feature.
    pub fn work_over_time(&self) -> Result<WorkOverTime> {
        let now = self.clock.now();
        let (days, features) = self.db.read(|r| Ok::<_, AppError>((r.work_by_day(local_day, now)?, r.work_by_feature()?)))?;
        Ok(WorkOverTime { days, features, today: local_day(now) })
    }

    /// Everything the Insights page shows.
    pub fn insights(&self) -> Result<Insights> {
        self.db.read(|r| {
            let totals = r.totals()?;
            let (failures, repeated_failures) = r.failure_counts()?;
            let attempts = r.held_out_attempts()?;
            let models = r.model_records()?.into_iter().map(|record| {
                let success = wilson(Proportion { trials: record.attempts, successes: record.successes });
                ModelInsight { record, success }
            });
            let mut learnings = Vec::new();
            for (id, effect) in by_learning(&attempts) {
                if matches!(effect, Comparison::Measured { .. })
                    && let Some(learning) = r.learning(&id)?
                {
                    learnings.push(LearningInsight { id, text: text::cut(&learning.text, TEXT_CHARS).to_owned(), effect });
                }
                if learnings.len() == LEARNINGS_SHOWN {
                    break;
                }
            }
            Ok(Insights {
                attempts: totals.attempts,
                models: models.collect(),
                cost: totals.cost,
                cost_estimated: totals.cost.estimated_usd > 0.0,
                done_tasks: totals.done_tasks,
                // What has no known price did not cost 0.
                cost_per_done_task: (totals.done_tasks > 0 && (totals.cost.unpriced == 0 || totals.cost.cost_usd > 0.0))
                    .then(|| totals.cost.cost_usd / f64::from(totals.done_tasks)),
                repeated_failures,
                failures,
                categories: r.failure_categories()?.into_iter().map(|(category, count)| CategoryInsight { category, count }).collect(),
                returning: r.returning_failures(RETURNING_SHOWN)?,
                memory_on_success: Comparison::of_rates(&successes(&attempts)),
                memory_on_cost: Comparison::of_means(&costs(&attempts), &mut SplitMix64(SEED)),
                learnings,
            })
        })
    }
}

fn successes(attempts: &[HeldOutAttempt]) -> Strata<Proportion> {
    let mut strata = Strata::default();
    attempts.iter().for_each(|a| strata.count(a.hold_out, a.held_out, a.done));
    strata
}

fn costs(attempts: &[HeldOutAttempt]) -> Strata<Vec<f64>> {
    let mut strata = Strata::<Vec<f64>>::default();
    attempts.iter().for_each(|a| strata.side(a.hold_out, a.held_out).extend(a.cost_usd));
    strata
}

/// For each learning the attempts that were shown it against those it was withheld from; most attempts first.
fn by_learning(attempts: &[HeldOutAttempt]) -> Vec<(LearningId, Comparison)> {
    let mut sums: BTreeMap<&LearningId, Strata<Proportion>> = BTreeMap::new();
    for attempt in attempts {
        for id in &attempt.learnings {
            sums.entry(id).or_default().count(attempt.hold_out, attempt.held_out, attempt.done);
        }
    }
    let mut rows: Vec<_> = sums.into_iter().map(|(id, strata)| (id.clone(), strata)).collect();
    rows.sort_by_key(|(_, strata)| std::cmp::Reverse(strata.comparable(|side| side.trials)));
    rows.into_iter().map(|(id, strata)| (id, Comparison::of_rates(&strata))).collect()
}
