//! How much of a large test is played.

use std::str::FromStr;

/// A number that `cargo xtask soak` sets in the environment, or the one for an ordinary test.
///
/// # Panics
/// When the variable holds no such number.
pub fn soak<T: FromStr>(variable: &str, ordinarily: T) -> T {
    std::env::var(variable).map_or(ordinarily, |value| value.parse().unwrap_or_else(|_| panic!("{variable} holds no number: {value}")))
}
