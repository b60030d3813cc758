//! Active days: ages counted in days with at least one commit, so that weekends and vacations don't count and several commits count once.

use crate::time::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

const DAY_MILLIS: i64 = 86_400_000;

/// A day of its author's own calendar, in days since 1970-01-01; `YYYY-MM-DD` on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Day(pub i32);

impl Day {
    /// The date shown by a clock that is `offset` minutes ahead of UTC.
    pub fn of(at: Timestamp, offset: i32) -> Day {
        let local = at.0.saturating_add(i64::from(offset) * 60_000);
        Day(i32::try_from(local.div_euclid(DAY_MILLIS)).unwrap_or(i32::MAX))
    }

    /// When this day begins in a zone: at midnight, or later where clocks were put forward at midnight.
    pub fn begin(self, zone: &TimeZone) -> Timestamp {
        let local = self.date().to_zoned(zone.clone());
        Timestamp(local.map_or(i64::from(self.0) * DAY_MILLIS, |midnight| midnight.timestamp().as_millisecond()))
    }

    fn date(self) -> Date {
        let midnight = jiff::Timestamp::from_millisecond(i64::from(self.0) * DAY_MILLIS).unwrap_or_default();
        midnight.to_zoned(TimeZone::UTC).date()
    }

    /// Reads `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Option<Day> {
        let midnight = text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp();
        Some(Day::of(Timestamp(midnight.as_millisecond()), 0))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.date())
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Day::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("'{text}' is not a day like 2026-03-04")))
    }
}

#[cfg(feature = "specta")]
impl specta::Type for Day {
    fn definition(types: &mut specta::Types) -> specta::datatype::DataType {
        <String as specta::Type>::definition(types)
    }
}

/// The days of a history with at least one commit.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ActiveDays(Vec<Day>);

impl ActiveDays {
    /// Active days strictly after `written`: the age of what was written on that day. The only place where ages are computed.
    pub fn after(&self, written: Day) -> u32 {
        let young = self.0.len() - self.0.partition_point(|day| *day <= written);
        u32::try_from(young).unwrap_or(u32::MAX)
    }

    /// The earliest of the newest `count` days; `None` when there are fewer.
    pub fn first_of_newest(&self, count: usize) -> Option<Day> {
        self.0.len().checked_sub(count).and_then(|at| self.0.get(at)).copied()
    }

    /// Number of active days.
    pub fn count(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
}

impl FromIterator<Day> for ActiveDays {
    fn from_iter<I: IntoIterator<Item = Day>>(days: I) -> ActiveDays {
        let mut days: Vec<Day> = days.into_iter().collect();
        days.sort_unstable();
        days.dedup();
        ActiveDays(days)
    }
}

impl Extend<Day> for ActiveDays {
    fn extend<I: IntoIterator<Item = Day>>(&mut self, more: I) {
        *self = std::mem::take(self).0.into_iter().chain(more).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_day_is_its_authors() {
        let at = Timestamp::parse("2026-01-31T23:30:00Z").expect("a time");
        for (offset, day) in [(0, "2026-01-31"), (60, "2026-02-01"), (-1_410, "2026-01-31"), (-1_411, "2026-01-30"), (840, "2026-02-01")] {
            assert_eq!(Day::of(at, offset).to_string(), day, "{offset}");
        }
        for day in ["1969-12-31", "1970-01-01", "2024-02-29", "2100-03-01"] {
            assert_eq!(Day::parse(day).map(|d| d.to_string()).as_deref(), Some(day));
        }
        assert_eq!((Day::parse("1970-01-02"), Day::parse("2026-02-30"), Day::parse("")), (Some(Day(1)), None, None));
    }

    #[test]
    fn a_day_begins_where_the_clock_first_tells_it_also_when_clocks_are_changed() {
        // Central Europe changes at night; Chile at midnight, back to 23:00; Cuba at 1:00, back to midnight.
        let zones = ["CET-1CEST,M3.5.0,M10.5.0/3", "<-04>4<-03>,M9.1.6/24,M4.1.6/24", "CST5CDT,M3.2.0/0,M11.1.0/1", "<+13>-13"];
        for zone in zones.map(|rule| TimeZone::posix(rule).expect("a rule")) {
            let told = |at: i64| {
                let time = jiff::Timestamp::from_millisecond(at).expect("in range");
                Day::of(Timestamp(at), zone.to_offset(time).seconds() / 60)
            };
            for day in (20_454..20_819).map(Day) {
                let begin = day.begin(&zone).0;
                assert_eq!((told(begin), told(begin - 1)), (day, Day(day.0 - 1)), "{zone:?}: {day}");
            }
        }
        let chile = TimeZone::posix(zones[1]).expect("a rule");
        let forward = Day::parse("2026-09-06").expect("a day").begin(&chile);
        assert_eq!(forward.to_string(), "2026-09-06T04:00:00.000Z", "at 1:00, since there is no midnight");
    }

    #[test]
    fn only_days_strictly_after_count_each_once() {
        let mut days: ActiveDays = [9, 1, 2, 2, 9].map(Day).into_iter().collect();
        for (written, age) in [(0, 3), (1, 2), (2, 1), (5, 1), (8, 1), (9, 0), (20, 0)] {
            assert_eq!(days.after(Day(written)), age, "{written}");
        }
        days.extend([Day(9), Day(4)]);
        assert_eq!((days.after(Day(2)), days.count()), (2, 4));
        assert_eq!([1, 3, 4, 5].map(|count| days.first_of_newest(count)), [Some(Day(9)), Some(Day(2)), Some(Day(1)), None]);
        assert_eq!(ActiveDays::default().after(Day(0)), 0);
    }

    proptest! {
        #[test]
        fn an_age_is_the_size_of_a_set(days in proptest::collection::vec(-30..400_i32, 0..80), written in -40..410_i32) {
            let slow: std::collections::BTreeSet<i32> = days.iter().copied().filter(|day| *day > written).collect();
            let known: ActiveDays = days.into_iter().map(Day).collect();
            prop_assert_eq!(known.after(Day(written)) as usize, slow.len());
        }
    }
}
