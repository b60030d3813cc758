//! Every rule about knowledge, as pure functions over values.
//!
//! **Never here:** async, a clock, randomness, files, environment, SQL. Every change of knowledge is an [`act`], which decides on events
//! from what is known; events are interpreted in one place, [`journal::Knowledge::apply`]. A candidate passes [`clean`] → [`gate`] → the
//! act (by [`words`], the [`guard`] and the room from [`admit`]) → saturation → [`split`], and later, once it has a vector,
//! [`reconcile`] (by [`calibrate`]d similarity and the guard). Knowledge is read by [`recall`]. [`learn`] makes candidates
//! of what agents do; by [`feedback`], what people and agents chose of the hits counts in later rankings.

pub mod act;
pub mod admit;
pub mod agents_file;
pub mod calibrate;
pub mod clean;
pub mod consolidate;
pub mod document;
pub mod episode;
pub mod evaluate;
pub mod feedback;
pub mod gate;
pub mod guard;
pub mod history;
pub mod journal;
pub mod junk;
pub mod keys;
pub mod learn;
pub mod merge;
pub mod recall;
pub mod reconcile;
pub mod recorded;
pub mod relation;
pub mod review;
pub mod split;
#[cfg(test)]
mod testing;
pub mod words;
