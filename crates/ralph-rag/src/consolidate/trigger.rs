//! The trigger: whether a source, a feature or the learnings file, is due for consolidation. Which entries move is a separate question.

use ralph_core::active_days::Day;
use ralph_core::consolidation::{Entry, SourceKind, SourceTrigger, TriggerCause};
use ralph_core::count;
use ralph_core::settings::ConsolidationSettings;

/// Current state of a source.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Name of the feature, or path of the file.
    pub name: &'a str,
    /// Kind of source.
    pub kind: SourceKind,
    /// Its lines.
    pub lines: u32,
    /// Its entries.
    pub entries: &'a [&'a Entry],
    /// How many of them would move into documents: the newest stay, however old they are, and so does what waits for a person.
    pub goes: usize,
    /// The last consolidation, and the active days since.
    pub last: Option<(Day, Option<u32>)>,
}

/// Whether a source is due for consolidation: too many lines, or too many active days since the last one, and enough entries that are old
/// enough, at least one of which would move. Before the first consolidation the days count from the oldest entry. Too many lines without
/// such entries need a person.
pub fn trigger(source: Source<'_>, settings: &ConsolidationSettings) -> SourceTrigger {
    let fresh = count(source.entries.iter().filter(|entry| entry.eligible).count());
    let since = match source.last {
        Some((_, since)) => since,
        None => source.entries.iter().filter_map(|entry| entry.age_active_days).max(),
    };
    let mut causes = Vec::new();
    causes.extend((source.lines >= settings.lines).then_some(TriggerCause::Size));
    causes.extend(since.is_some_and(|days| days >= settings.stale_days).then_some(TriggerCause::Stale));
    let goes = count(source.goes);
    let enough = fresh >= settings.min_entries && goes > 0;
    let needs_person = causes.contains(&TriggerCause::Size) && !enough;
    let mut found = SourceTrigger {
        source: source.name.to_owned(),
        kind: source.kind,
        due: !causes.is_empty() && enough,
        causes,
        lines: source.lines,
        lines_limit: settings.lines,
        active_days_since: since,
        stale_days: settings.stale_days,
        last: source.last.map(|(day, _)| day),
        entries: count(source.entries.len()),
        fresh,
        min_entries: settings.min_entries,
        fresh_days: settings.fresh_days,
        needs_person,
        why: String::new(),
    };
    found.why = in_words(&found, goes);
    found
}

fn in_words(found: &SourceTrigger, goes: u32) -> String {
    let SourceTrigger { lines, lines_limit, fresh, entries, min_entries, fresh_days, stale_days, .. } = found;
    let since = match (found.active_days_since, found.last) {
        (Some(days), Some(last)) => format!("{days} of {stale_days} active days since the last consolidation on {last}"),
        (Some(days), None) => format!("{days} of {stale_days} active days since the oldest entry, and none consolidated yet"),
        (None, _) => "active days not known".to_owned(),
    };
    let old = format!("{fresh} of {entries} entries are {fresh_days} active days old");
    let numbers = format!("{lines} of {lines_limit} lines; {since}; {old}, and {goes} of them can go");
    let too_few = fresh < min_entries;
    if found.needs_person {
        let lacking = if too_few { format!("fewer than {min_entries} are old enough") } else { "none can go".to_owned() };
        return format!("{numbers}: too long, but {lacking}; shorten it by hand, or wait");
    }
    match (found.due, found.causes.is_empty()) {
        (true, _) => format!("{numbers}: due"),
        (false, true) => format!("{numbers}: not due"),
        (false, false) if too_few => format!("{numbers}: not due, {min_entries} old ones are needed"),
        (false, false) => format!("{numbers}: not due"),
    }
}

/// Lines of a learning written as an entry of a file: a heading, its text, the reason, a blank line.
pub fn lines_of(text: &str, reason: Option<&str>) -> u32 {
    let words = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    count(2 + words(text) + reason.map_or(0, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::entry;

    fn found(lines: u32, ages: &[u32], last: Option<Option<u32>>) -> SourceTrigger {
        found_of(lines, ages, last, ages.iter().filter(|age| **age >= 7).count())
    }

    fn found_of(lines: u32, ages: &[u32], last: Option<Option<u32>>, goes: usize) -> SourceTrigger {
        let entries: Vec<Entry> = ages.iter().map(|age| Entry { age_active_days: Some(*age), eligible: *age >= 7, ..entry("x") }).collect();
        let entries: Vec<&Entry> = entries.iter().collect();
        let last = last.map(|since| (Day(0), since));
        let source = Source { name: "learnings.md", kind: SourceKind::File, lines, entries: &entries, goes, last };
        trigger(source, &ConsolidationSettings::default())
    }

    #[test]
    fn each_threshold_holds_at_its_own_number() {
        use TriggerCause::{Size, Stale};
        for (lines, ages, last, due, causes, person) in [
            (150, &[7, 7, 7][..], None, true, &[Size][..], false),
            (149, &[7, 7, 7], None, false, &[], false),
            (150, &[7, 7, 6], None, false, &[Size], true),
            (10, &[14, 7, 7], None, true, &[Stale], false),
            (10, &[13, 13, 13], None, false, &[], false),
            (10, &[30, 7, 7], Some(Some(13)), false, &[], false),
            (10, &[30, 7, 7], Some(Some(14)), true, &[Stale], false),
            (10, &[30, 7], Some(Some(99)), false, &[Stale], false),
            (150, &[30, 7, 7], Some(Some(14)), true, &[Size, Stale], false),
            (10, &[30, 7, 7], Some(None), false, &[], false),
            (0, &[], None, false, &[], false),
        ] {
            let found = found(lines, ages, last);
            assert_eq!((found.due, &found.causes[..], found.needs_person), (due, causes, person), "{}", found.why);
            assert_eq!(found.fresh as usize, ages.iter().filter(|age| **age >= 7).count());
        }
    }

    #[test]
    fn what_stays_counts_as_old_and_makes_no_source_due_alone() {
        for (lines, goes, due, person) in [(10, 3, true, false), (10, 1, true, false), (10, 0, false, false), (150, 0, false, true)] {
            let found = found_of(lines, &[30, 30, 30], None, goes);
            assert_eq!((found.due, found.needs_person, found.fresh), (due, person, 3), "{}", found.why);
            assert!(found.why.contains(&format!("{goes} of them can go")), "{}", found.why);
        }
    }

    #[test]
    fn a_learning_takes_the_lines_of_an_entry() {
        assert_eq!((lines_of("one line", None), lines_of("two\n\nlines", Some("because"))), (3, 5));
    }
}
