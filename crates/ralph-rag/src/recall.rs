//! Recall: known memories ranked for a question, each with the reasons for its rank.
//!
//! [`Question`] holds the queries to each channel; [`Index`] holds what fusion needs of every passage; [`rank`] fuses the channels,
//! joins chunks into memories and weights them. The same steps for prompts, search and evaluation:
//! channels → [`fusion`] → chunks into memories ([`mpab`]) → neighbors → factors → diversity.

mod beside;
mod bytes;
mod candidates;
mod channels;
mod chunk;
mod ends;
mod fold;
mod fusion;
mod index;
mod known;
mod late;
mod lists;
mod matches;
mod mpab;
mod parts;
mod question;
mod rank;
mod scope;
mod signs;
mod snapshot;
mod stem;
mod stop_words;
#[cfg(test)]
mod tests;
mod told;
mod vectors;

pub use channels::channel_hits;
pub use chunk::chunks;
pub use ends::asked_part;
pub use fusion::{ChannelHits, channel_order};
pub use index::{Index, Lists, Passage};
pub use known::{MANY, confidence, nothing_known, worth_telling};
pub use late::{LateInteraction, Nearness, TokenQuestion};
pub use lists::PassageWords;
pub use matches::Matches;
pub use mpab::aggregate;
pub use parts::nearest_parts;
pub(crate) use question::spoken_words;
pub use question::{Question, Subject};
pub use rank::{LearnedTerms, RankQuery, RankedMemory, any_learned, learned_terms, rank};
pub use scope::{Scope, ScopeOf};
pub use stop_words::is_stop_word;
pub use told::{share_a_name, without_repeats};
pub use vectors::Near;
