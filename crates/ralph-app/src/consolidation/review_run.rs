//! Review of unreviewed learnings by an agent: those it confirms are reviewed, those it doubts await a person. It
//! rewrites nothing and puts nothing away.

use crate::app::App;
use crate::errands::{ErrandEnd, Order, Running};
use crate::error::Result;
use crate::knowledge::doubts::{ReviewMatter, doubts};
use crate::knowledge::projector::perform;
use crate::knowledge::slice::Needs;
use agent_cli::StopHandle;
use ralph_core::LearningId;
use ralph_core::authority::Act;
use ralph_core::doubt::{ReviewFinding, ReviewRun, ReviewVerdict};
use ralph_core::errand::{Errand, ErrandAgent, ErrandKind, ErrandState};
use ralph_core::learning::{FeatureLearning, LearningSource, LearningState};
use ralph_core::limits;
use ralph_core::text::counted;
use ralph_core::worktree::Work;
use ralph_rag::review::{ask, findings};
use std::collections::BTreeSet;
use std::sync::Arc;

impl App {
    /// Has an agent review unreviewed learnings, oldest first, of one feature or of all; with the strongest model unless another
    /// one is given. Without such learnings no agent is started.
    pub async fn review_run(self: &Arc<Self>, feature: Option<&str>, by: &ErrandAgent, stop: &StopHandle) -> Result<ReviewRun> {
        self.allowed(&Act::Curate)?;
        let name = feature.map(str::to_owned);
        let waiting = self.blocking(move |app| app.unreviewed(name.as_deref())).await?;
        if waiting.is_empty() {
            return Ok(ReviewRun::default());
        }
        self.base_of(self.repository_for("review")?, &self.settings()?)?;
        let program = self.errand_program(ErrandKind::ReviewLearnings, by).await?;
        let order = Order {
            // It may read, which needs no permission, and report.
            tools: Some(Vec::new()),
            model: program.model_or(program.strongest()),
            ..program.order(format!("Review {}", counted(waiting.len(), "learning")), self.own_checkout())
        };
        let mut running = self.blocking(move |app| app.begin_errand(order, |_, _| Ok(()))).await?;
        let id = running.id;
        let (state, note, found) = self.ask_about(&mut running, &waiting, stop).await;
        let row = {
            let found = found.clone();
            self.blocking(move |app| app.end_review(running, state, note.as_deref(), found)).await?
        };
        let answered: BTreeSet<&LearningId> = found.iter().map(|finding| &finding.learning).collect();
        let unanswered = waiting.iter().map(|learning| &learning.id).filter(|id| !answered.contains(id)).cloned().collect();
        Ok(ReviewRun { errand: Some(id), row: Some(row), findings: found, unanswered })
    }

    /// Asks in batches, in a separate worktree, so that any changes there are discarded with it.
    async fn ask_about(
        self: &Arc<Self>,
        running: &mut Running,
        waiting: &[FeatureLearning],
        stop: &StopHandle,
    ) -> (ErrandState, Option<String>, Vec<ReviewFinding>) {
        let mut found = Vec::new();
        let title = running.order.title.clone();
        match self.make_worktree((Work::Errand(running.id), &title), None, stop).await {
            Ok(checkout) => running.order.checkout = checkout,
            Err(error) => return (ErrandState::Failed, Some(error.to_string()), found),
        }
        for batch in waiting.chunks(limits::REVIEWED_AT_ONCE) {
            match self.ask_errand(running, &ask(batch), stop).await {
                Ok(ErrandEnd::Answered) => {}
                Ok(ErrandEnd::Failed(state, note)) => return (state, note, found),
                Err(error) => return (ErrandState::Failed, Some(error.to_string()), found),
            }
            let asked: BTreeSet<LearningId> = batch.iter().map(|learning| learning.id.clone()).collect();
            found.extend(findings(running.answer(), &asked));
        }
        (ErrandState::Done, None, found)
    }

    /// Confirmed learnings are reviewed; the other findings are stored with the errand. Findings before a failure count, too.
    fn end_review(&self, running: Running, state: ErrandState, note: Option<&str>, found: Vec<ReviewFinding>) -> Result<Errand> {
        self.drop_proposal(running.id)?;
        let rules = self.knowledge_rules()?;
        let hold = found.iter().filter(|finding| finding.verdict == ReviewVerdict::Reviewed);
        let hold: Vec<LearningId> = hold.map(|finding| finding.learning.clone()).collect();
        let (id, by) = (running.id, format!("agent: {}", running.order.model));
        let matter = ReviewMatter { findings: found };
        let matter = serde_json::to_string(&matter).expect("findings hold only strings");
        self.end_errand(running, state, note, |tx| {
            if !hold.is_empty() {
                let needs = Needs::learnings(hold.iter().map(String::as_str));
                perform(tx, rules, &needs, |draft| draft.reviewed_by(&hold, &by))?;
            }
            Ok(tx.set_errand_matter(id, &matter)?)
        })
    }

    /// Active learnings of agents that nobody has reviewed and no agent has doubted, oldest first.
    fn unreviewed(&self, feature: Option<&str>) -> Result<Vec<FeatureLearning>> {
        let name = feature.map(|name| self.feature(name)).transpose()?.map(|feature| feature.name);
        self.db.read(|r| {
            let doubted: BTreeSet<LearningId> = doubts(r)?.into_iter().map(|doubt| doubt.learning.id).collect();
            let mut waiting = r.learnings(name.as_deref(), &[LearningState::Active])?;
            waiting.retain(|l| l.reviewed_by.is_none() && l.source != LearningSource::Human && !doubted.contains(&l.id));
            waiting.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
            waiting.truncate(limits::REVIEWED_IN_ALL);
            Ok(waiting)
        })
    }
}
