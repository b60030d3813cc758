//! Points in time as values; the clock itself is in the application.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A point in time in milliseconds since the Unix epoch; RFC 3339 in UTC on the wire and in the database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds from `earlier` to `self`; 0 if `earlier` is later.
    pub fn millis_since(self, earlier: Timestamp) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// Milliseconds between this time and another, whichever came first.
    pub fn distance_millis(self, other: Timestamp) -> u64 {
        self.millis_since(other).max(other.millis_since(self))
    }

    /// This time plus `millis` milliseconds.
    pub fn plus_millis(self, millis: u64) -> Timestamp {
        Timestamp(self.0.saturating_add(i64::try_from(millis).unwrap_or(i64::MAX)))
    }

    /// Parses RFC 3339, as written by [`fmt::Display`] or by another tool.
    pub fn parse(text: &str) -> Option<Timestamp> {
        text.parse::<jiff::Timestamp>().ok().map(|t| Timestamp(t.as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Out-of-range values (year > 9999) can't come from a clock; show the epoch rather than panic.
        let time = jiff::Timestamp::from_millisecond(self.0).unwrap_or_default();
        write!(f, "{time:.3}")
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("'{text}' is not an RFC 3339 time")))
    }
}

#[cfg(feature = "specta")]
impl specta::Type for Timestamp {
    fn definition(types: &mut specta::Types) -> specta::datatype::DataType {
        <String as specta::Type>::definition(types)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_and_reads_rfc_3339_with_milliseconds() {
        let time = Timestamp(1_795_000_000_123);
        assert_eq!(time.to_string(), "2026-11-18T11:06:40.123Z");
        assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::parse("yesterday"), None);
    }
}
