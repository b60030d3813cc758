//! What is learnt from selections, under ten safeguards: each a file with its rule and its row on the screen of gates.
//!
//! [`column`]: learned terms stand apart from every full-text index · [`denylist`]: words that say nothing are never learnt · [`caps`]: few
//! for each selection, each learning and each hand · [`lifetime`]: they fade within thirty days · [`top_ranks`]: what was found well enough
//! teaches nothing · [`shadow`]: they are only tried for a week · [`age`]: what is younger than three days learns nothing · [`rollback`]:
//! all of it can be taken back · [`audit`]: each has a line in a journal · [`measured`]: they count only while measurements allow it.

pub mod age;
pub mod audit;
pub mod caps;
pub mod column;
pub mod denylist;
pub mod gate;
pub mod lifetime;
pub mod measured;
pub mod promotion;
pub mod rollback;
pub mod score;
pub mod shadow;
pub mod terms;
pub mod top_ranks;
