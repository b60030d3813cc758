//! Recall: known memories ranked for a question, each with the reasons for its rank.
//!
//! [`Question`] holds the queries to each channel; [`Index`] holds what fusion needs of every passage; [`rank`] fuses the channels,
//! joins chunks into memories and weights them. The same steps for prompts, search and evaluation:
//! channels → [`fusion`] → chunks into memories ([`mpab`]) → neighbors → factors → diversity.

mod chunk;
mod fusion;
mod index;
mod late;
mod mpab;
mod question;
mod rank;
mod scope;
#[cfg(test)]
mod tests;
mod told;

pub use chunk::chunks;
pub use fusion::{ChannelHits, channel_order};
pub use index::{Index, Passage};
pub use late::{Late, TokenQuestion};
pub use mpab::aggregate;
pub use question::Question;
pub use question::is_stop_word;
pub(crate) use question::spoken_words;
pub use rank::{LearnedTerms, RankQuery, RankedMemory, any_learned, learned_terms, rank};
pub use scope::{Scope, ScopeOf};
pub use told::{share_a_name, without_repeats};
