//! Recorded time: the duration of something by the times in rows, regardless of clock changes.

use ralph_core::time::Timestamp;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Days between the first and the last of `times`, in the order they were recorded.
///
/// A gap counts as a day at most: days without records prove nothing, and a clock that jumps ahead does not shorten any period. Times out
/// of order, as while a clock was wrong, don't count: the longest ordered subsequence is measured.
pub fn days(times: &[Timestamp]) -> f64 {
    places(times).into_iter().flatten().last().unwrap_or(0.0)
}

/// The position of each time, in days of recorded time after the first; `None` for those out of order.
pub fn places(times: &[Timestamp]) -> Vec<Option<f64>> {
    let mut places = vec![None; times.len()];
    for (at, millis) in elapsed(times) {
        places[at] = Some(in_days(millis));
    }
    places
}

/// The indexes of the longest ordered subsequence, each with the milliseconds of recorded time after its first.
pub fn elapsed(times: &[Timestamp]) -> Vec<(usize, i64)> {
    let (mut millis, mut before) = (0_i64, None);
    let placed = |at: usize| {
        let time = times[at].0;
        millis += before.map_or(0, |before| time.saturating_sub(before).clamp(0, DAY));
        before = Some(time);
        (at, millis)
    };
    agreeing_places(times).into_iter().map(placed).collect()
}

/// Milliseconds as days.
pub fn in_days(millis: i64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "days, to be shown")]
    let days = millis as f64 / DAY as f64;
    days
}

/// When something was written, by the times of the lines around it in the order in which they were written (`place` = its own), and `now`.
///
/// That is its own time if the others agree with it. If they don't, a clock was wrong while it was written, and it is as old as the next
/// one that agrees: a clock that was behind makes nothing older than it is, and nothing waits for the date of one that was ahead.
///
/// Lines with the same time belong to one act: however many they are, they count once for what its clock said.
pub fn written(times: &[Timestamp], place: usize, now: Timestamp) -> Timestamp {
    let own = times[place];
    let begin = times[..place].iter().rposition(|at| *at != own).map_or(0, |at| at + 1);
    let end = times[place..].iter().position(|at| *at != own).map_or(times.len(), |at| place + at);
    let (mut all, place) = ([&times[..begin], &[own], &times[end..], &[now]].concat(), begin);
    let with = agreeing_places(&all).len();
    let own = all.remove(place);
    let others = agreeing_places(&all);
    if others.len() < with {
        return own;
    }
    others.into_iter().find(|at| *at >= place).map_or(now, |at| all[at])
}

/// The indexes of that subsequence (Fredman 1975).
fn agreeing_places(times: &[Timestamp]) -> Vec<usize> {
    // The index of the last time of the best run of each length, and the predecessor of each index in its run.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(times.len());
    for (at, time) in times.iter().enumerate() {
        let length = ends.partition_point(|end| times[*end] <= *time);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut run = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        run.push(at);
        next = before[at];
    }
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(days: &[i64]) -> Vec<Timestamp> {
        days.iter().map(|day| Timestamp(1_795_000_000_000 + day * DAY)).collect()
    }

    #[test]
    fn clock_jumps_shorten_nothing() {
        let honest = of(&[0, 1, 2, 3, 4, 5]);
        assert!((days(&honest) - 5.0).abs() < 1e-9);
        for wrong in [[9_000, 9_001], [-9_000, -8_999]] {
            // Somebody sets the clock, works, and sets it back.
            let mut jumped = of(&[0, 1, 2]);
            jumped.extend(of(&wrong));
            jumped.extend(of(&[3, 4, 5]));
            assert!((days(&jumped) - 5.0).abs() < 1e-9, "{wrong:?}");
        }
        assert_eq!(places(&of(&[0, 1, 9, 2])), [Some(0.0), Some(1.0), None, Some(2.0)], "what is out of order has no place");
        assert!(days(&of(&[0, 400])) <= 1.0, "a year in which nothing was recorded is not a year of evidence");
        assert!((days(&[]) + days(&of(&[3]))).abs() < 1e-9);
    }

    #[test]
    fn what_was_written_while_a_clock_was_wrong_is_as_old_as_what_came_next() {
        let now = |day: i64| of(&[day])[0];
        for (lines, place, today, expected, why) in [
            (&[0, 1, 2][..], 1, 9, 1, "an honest clock"),
            (&[5], 0, 9, 5, "alone it is believed"),
            (&[18, 19, 10, 20, 21], 2, 22, 20, "the clock was behind"),
            (&[18, 19, 10], 2, 20, 20, "and nothing came since"),
            (&[19, 10], 1, 20, 20, "of two that differ the older one is not believed"),
            (&[18, 19, 30, 20, 21], 2, 25, 20, "the clock was ahead"),
            (&[18, 19, 30, 20, 21], 2, 40, 20, "and has come there since"),
            (&[18, 19, 30], 2, 20, 20, "and nothing came since"),
            (&[18, 30, 19, 20], 2, 40, 19, "another line was ahead"),
            (&[18, 30, 30, 30, 19, 20], 2, 20, 19, "an act of several lines is one witness"),
            (&[18, 19, 30, 30, 30], 2, 20, 20, "also where nothing came since"),
            (&[18, 19, 20, 20], 3, 20, 20, "an honest act of several lines"),
            (&[18, 19, 20], 2, 400, 20, "the clock is ahead now: what it teaches waits for its date"),
            (&[18, 19, 20], 2, 3, 20, "the clock is behind now"),
        ] {
            assert_eq!(written(&of(lines), place, now(today)), now(expected), "{why}: {lines:?}");
        }
    }
}
