//! Usage of an agent over its turns.

use crate::signal::{AgentSignal, Usage};

/// Usage of an agent so far, from its signals.
#[derive(Debug, Clone, Default)]
pub struct Spending {
    over: Usage,
    turn: Usage,
    model: Option<String>,
}

impl Spending {
    /// Handles one signal; those without usage are ignored.
    pub fn hear(&mut self, signal: &AgentSignal) {
        match signal {
            AgentSignal::Spent { model, usage } => {
                self.model = model.clone().or_else(|| self.model.take());
                self.turn = *usage;
            }
            AgentSignal::TurnEnded { usage, .. } => {
                // A result without a cost, such as an interrupted one, does not cancel what was counted before.
                let told = usage.cost_usd.is_some_and(|cost| cost > 0.0) || usage.output_tokens > 0;
                self.over.add(if told { usage } else { &self.turn });
                self.over.unpriced |= usage.unpriced;
                self.turn = Usage::default();
            }
            _ => {}
        }
    }

    /// Finished turns, plus the open one as far as reported.
    pub fn total(&self) -> Usage {
        let mut total = self.over;
        total.add(&self.turn);
        total
    }

    /// The last model that answered, as named by the provider.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }
}
