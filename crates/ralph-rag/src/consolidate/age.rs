//! Freshness: whether one entry is old enough. Whether a consolidation is due is a separate question.

use ralph_core::active_days::{ActiveDays, Day};
use ralph_core::consolidation::HistoryKind;

/// The known days of a project.
#[derive(Debug, Clone, Copy)]
pub struct KnownDays<'a> {
    /// How much of the history is available.
    pub history: HistoryKind,
    /// The days with commits.
    pub days: &'a ActiveDays,
    /// Active days from which an entry is eligible.
    pub fresh_days: u32,
}

/// The age of what was written on a day, in active days, whether that is enough, and why. `None` = not committed yet.
pub fn age(written: Option<Day>, known: KnownDays<'_>) -> (Option<u32>, bool, String) {
    let KnownDays { history, days, fresh_days } = known;
    if history == HistoryKind::Unknown {
        return (None, false, "its age is not known: git tells no days of it".to_owned());
    }
    let Some(written) = written else { return (Some(0), false, "not committed yet, so no active day has passed".to_owned()) };
    let age = days.after(written);
    let eligible = age >= fresh_days;
    let least = if history == HistoryKind::Shallow { " at least (the clone is shallow)" } else { "" };
    let reason = match eligible {
        true => format!("{age} active days since {written}{least}, {fresh_days} are enough"),
        false => format!("{age} of {fresh_days} active days since {written}{least}"),
    };
    (Some(age), eligible, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_eligible_from_the_seventh_active_day_after_its_own() {
        let days: ActiveDays = (10..17).map(Day).collect();
        let known = |history| KnownDays { history, days: &days, fresh_days: 7 };
        let complete = known(HistoryKind::Complete);
        for (written, expected) in
            [(Some(9), (Some(7), true)), (Some(10), (Some(6), false)), (Some(16), (Some(0), false)), (None, (Some(0), false))]
        {
            let (age, eligible, reason) = super::age(written.map(Day), complete);
            assert_eq!((age, eligible), expected, "{reason}");
        }
        let (age, eligible, reason) = super::age(Some(Day(3)), known(HistoryKind::Unknown));
        assert!(age.is_none() && !eligible && reason.contains("git"));
        assert!(super::age(Some(Day(3)), known(HistoryKind::Shallow)).2.contains("shallow"));
    }
}
