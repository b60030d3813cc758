//! What an agent has used, over its turns.

use crate::signal::{AgentSignal, Usage};

/// What an agent has used so far, as its signals tell it.
#[derive(Debug, Clone, Default)]
pub struct Spending {
    over: Usage,
    turn: Usage,
    model: Option<String>,
}

impl Spending {
    /// Takes one signal; all but those that tell of usage are passed over.
    pub fn hear(&mut self, signal: &AgentSignal) {
        match signal {
            AgentSignal::Spent { model, usage } => {
                self.model = model.clone().or_else(|| self.model.take());
                self.turn = *usage;
            }
            AgentSignal::TurnEnded { usage, .. } => {
                // A result that knows of no cost, such as an interrupted one, does not make undone what was counted before.
                let told = usage.cost_usd.is_some_and(|cost| cost > 0.0) || usage.output_tokens > 0;
                self.over.add(if told { usage } else { &self.turn });
                self.turn = Usage::default();
            }
            _ => {}
        }
    }

    /// Turns that are over, and the open one as far as it was told.
    pub fn total(&self) -> Usage {
        let mut total = self.over;
        total.add(&self.turn);
        total
    }

    /// The model that answered last, as the provider names it.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }
}
