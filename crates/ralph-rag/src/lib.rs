//! Every rule about knowledge, as pure functions over values.
//!
//! **Never here:** async, a clock, randomness, files, environment, SQL. All knowledge enters by one door; these are its
//! rules, in the order in which a candidate meets them: [`clean`] → [`gate`] → [`admit`] (by [`words`] and the [`guard`]) → saturation →
//! [`split`], and later, once it has a vector, [`reconcile`] (by [`calibrate`]d similarity and the guard);
//! and every change is a [`journal`] line. It leaves by one door too: [`recall`].

pub mod admit;
pub mod calibrate;
pub mod clean;
pub mod evaluate;
pub mod gate;
pub mod guard;
pub mod journal;
pub mod merge;
pub mod recall;
pub mod reconcile;
pub mod split;
#[cfg(test)]
mod testing;
pub mod words;
