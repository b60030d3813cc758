//! Learning from selections, under ten safeguards: each has a file with its rule and its row in the list of gates.
//!
//! [`column`]: learned terms are separate from every full-text index · [`denylist`]: meaningless words are never learned · [`caps`]: few
//! per selection, learning and source · [`lifetime`]: they fade within thirty days · [`top_ranks`]: what was found well enough
//! teaches nothing · [`shadow`]: they run in shadow mode for a week · [`age`]: learnings younger than three days learn nothing ·
//! [`rollback`]: everything can be rolled back · [`audit`]: each has a journal line · [`measured`]: they count only if measurements allow.
//!
//! [`cited`]: what an agent says of a learning that it names.

pub mod age;
pub mod audit;
pub mod caps;
pub mod cited;
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
