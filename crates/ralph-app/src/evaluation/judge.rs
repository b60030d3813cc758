//! An agent CLI as judge: an errand that labels pairs. Its answer is data, and counts only once it agrees with a person.

use crate::app::App;
use crate::errands::Order;
use crate::error::{AppError, Result};
use agent_cli::StopHandle;
use ralph_core::authority::Act;
use ralph_core::errand::{ErrandAgent, ErrandId, ErrandKind, ErrandState};
use ralph_core::evaluation::{Agreement, Label, LabelSource, LabelledPair};
use ralph_core::limits;
use ralph_core::text::dollars;
use ralph_rag::evaluate::judge::{JudgeFault, prompt, read_answer, schema};
use ralph_rag::evaluate::truth::{said_by, to_label};
use serde::Serialize;
use std::sync::Arc;

/// Result of a judge.
#[derive(Debug, Serialize)]
pub struct JudgeOutcome {
    /// Its errands.
    pub errands: Vec<ErrandId>,
    /// Submitted pairs.
    pub asked: u32,
    /// Pairs labeled now.
    pub labelled: u32,
    /// Dollars; `None` if the agent does not report them.
    pub cost_usd: Option<f64>,
    /// Dollar limit after which no further errand is started, and each is stopped.
    pub max_usd: f64,
    /// Why no more were labeled, where that is not obvious.
    pub faults: Vec<String>,
    /// Agreement of the judge with the person.
    pub agreement: Agreement,
}

impl App {
    /// Has an agent label up to `limit` pairs of recorded questions, those labeled by a person first. Ends when `max_usd` dollars
    /// are used.
    pub async fn judge(self: &Arc<Self>, by: &ErrandAgent, limit: usize, max_usd: Option<f64>, stop: &StopHandle) -> Result<JudgeOutcome> {
        self.allowed(&Act::SteerRun)?;
        let max_usd = max_usd.unwrap_or(limits::JUDGE_USD);
        if !max_usd.is_finite() || max_usd <= 0.0 {
            return Err(AppError::invalid("max_usd", format!("is {max_usd}"), "name dollars above 0"));
        }
        if limit == 0 {
            return Err(AppError::invalid("limit", "is 0", "name a number of pairs above 0"));
        }
        let program = self.errand_program(ErrandKind::Judge, by).await?;
        let pairs = self.blocking(move |app| app.to_judge(limit)).await?;
        let mut judged = JudgeOutcome {
            errands: Vec::new(),
            asked: 0,
            labelled: 0,
            cost_usd: None,
            max_usd,
            faults: Vec::new(),
            agreement: Agreement::default(),
        };
        if pairs.is_empty() {
            judged.faults.push("there is no pair to judge: nothing was asked yet, or all of it is labelled".to_owned());
        }
        let mut unpriced = false;
        for batch in pairs.chunks(limits::JUDGE_BATCH) {
            let left = max_usd - judged.cost_usd.unwrap_or(0.0);
            if unpriced {
                judged.faults.push("it ended after one errand: the agent reports no cost, so no limit of dollars holds it".to_owned());
                break;
            }
            if left <= 0.0 || stop.asked().is_some() {
                judged.faults.push(format!("it ended at {} of {}", dollars(judged.cost_usd.unwrap_or(0.0), 0, 2), dollars(max_usd, 0, 2)));
                break;
            }
            let title = format!("Judge {} pairs of question and memory", batch.len());
            let order = Order {
                tools: Some(Vec::new()),
                max_usd: Some(left),
                answer_schema: Some(schema(batch.len()).to_string()),
                ..program.order(title, self.scratch_checkout())
            };
            let errand = self.run_errand(order, &prompt(batch), stop).await?;
            judged.errands.push(errand.id);
            judged.asked += u32::try_from(batch.len()).unwrap_or(u32::MAX);
            match errand.usage.cost_usd {
                Some(cost) => judged.cost_usd = Some(judged.cost_usd.unwrap_or(0.0) + cost),
                // An agent that reports no cost can't be stopped at a limit of dollars: it gets only one errand, whose pairs and minutes
                // are limited.
                None => unpriced = true,
            }
            if errand.state != ErrandState::Done {
                judged.faults.push(format!("errand {}: {}", errand.id, errand.note.as_deref().unwrap_or(errand.state.as_str())));
                continue;
            }
            match self.keep_labels(&errand.answer, batch).await? {
                Ok(labelled) => judged.labelled += labelled,
                Err(fault) => judged.faults.push(format!("errand {}: {fault}", errand.id)),
            }
        }
        judged.agreement = self.blocking(|app| Ok(app.recorded()?.agreement())).await?;
        Ok(judged)
    }

    /// Stores the labels of an answer, and returns their number, or why it gives none.
    async fn keep_labels(self: &Arc<Self>, answer: &str, batch: &[LabelledPair]) -> Result<std::result::Result<u32, JudgeFault>> {
        let labels = match read_answer(answer, batch.len()) {
            Ok(labels) => labels,
            Err(fault) => return Ok(Err(fault)),
        };
        let at = self.clock.now();
        let label = |(place, relevant): (usize, bool)| {
            let LabelledPair { query, memory, .. } = batch[place].clone();
            Label { query, memory, by: LabelSource::Judge, relevant, at }
        };
        let labels: Vec<Label> = labels.into_iter().map(label).collect();
        let count = u32::try_from(labels.len()).unwrap_or(u32::MAX);
        self.blocking(move |app| app.put_labels(&labels)).await?;
        Ok(Ok(count))
    }

    /// Pairs for a judge: those labeled by a person first, so that the two can be compared.
    fn to_judge(&self, limit: usize) -> Result<Vec<LabelledPair>> {
        let history = self.recorded()?;
        let (person, judge) = (said_by(&history.labels, LabelSource::Person), said_by(&history.labels, LabelSource::Judge));
        let pairs = to_label(&history.queries, &judge, &person, limit);
        self.pairs(&pairs, &history)
    }
}
