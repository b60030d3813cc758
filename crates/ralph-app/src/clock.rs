//! Time and ids: the only place that asks the system for either.

use ralph_core::active_days::Day;
use ralph_core::time::Timestamp;
use std::sync::Arc;

/// Characters of a day as it is written.
pub const DAY_CHARS: usize = 10;

type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Source of time: the system, or a test.
#[derive(Clone)]
pub struct Clock {
    now: Now,
    steady: Now,
}

impl Clock {
    /// The system's clock.
    #[allow(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn system() -> Clock {
        let now = || {
            let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
        };
        Clock { now: Arc::new(now), steady: Arc::new(since_boot()) }
    }

    /// A clock controlled by a test; both times advance together.
    pub fn from_fn(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Clock {
        let now: Now = Arc::new(now);
        Clock { steady: Arc::clone(&now), now }
    }

    /// The same, with a separately controlled monotonic time.
    pub fn with_steady(self, steady: impl Fn() -> Timestamp + Send + Sync + 'static) -> Clock {
        Clock { steady: Arc::new(steady), ..self }
    }

    /// Current wall-clock time. May jump: people and programs set clocks.
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// A monotonic time to measure durations: it continues while the machine sleeps, and ignores changes of the clock.
    /// Its zero is arbitrary.
    pub fn steady(&self) -> Timestamp {
        (self.steady)()
    }
}

/// Milliseconds since boot, including sleep.
#[cfg(unix)]
fn since_boot() -> impl Fn() -> Timestamp {
    // Only Linux has a monotonic clock that stops during sleep.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const CLOCK: rustix::time::ClockId = rustix::time::ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const CLOCK: rustix::time::ClockId = rustix::time::ClockId::Monotonic;
    || {
        let time = rustix::time::clock_gettime(CLOCK);
        Timestamp(time.tv_sec.saturating_mul(1_000).saturating_add(time.tv_nsec / 1_000_000))
    }
}

/// Milliseconds since this clock was created; on Windows that includes sleep.
#[cfg(not(unix))]
fn since_boot() -> impl Fn() -> Timestamp {
    let begin = std::time::Instant::now();
    move || Timestamp(i64::try_from(begin.elapsed().as_millis()).unwrap_or(i64::MAX))
}

/// Offset of the local clock from UTC in minutes at a time.
pub fn utc_offset_minutes(at: Timestamp) -> i32 {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    jiff::tz::TimeZone::system().to_offset(at).seconds() / 60
}

/// The day of the local clock at a time: what is counted by day is counted by this one.
pub fn day_of(at: Timestamp) -> Day {
    Day::of(at, utc_offset_minutes(at))
}

/// The same as a number, as counts are stored under it.
pub fn day_number(at: Timestamp) -> i64 {
    i64::from(day_of(at).0)
}

/// When a day begins by the local clock.
pub fn begin_of(day: Day) -> Timestamp {
    day.begin(&jiff::tz::TimeZone::system())
}

/// The day that a text names, such as `2026-11-18`; `None` where it names none.
pub fn named_day(text: &str) -> Option<Day> {
    Day::parse(text).filter(|_| text.len() == DAY_CHARS)
}

/// When the day begins by the local clock that a text names.
pub fn begin_of_named(text: &str) -> Option<Timestamp> {
    named_day(text).map(begin_of)
}

/// A time as people read it: by the local clock, with its zone.
struct LocalMinute {
    /// `2026-11-18`.
    day: String,
    /// `11:06 CET`.
    time: String,
}

impl LocalMinute {
    fn of(at: Timestamp) -> LocalMinute {
        let known = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
        let zone = jiff::tz::TimeZone::system().to_offset_info(known).abbreviation().to_owned();
        LocalMinute::with(at, utc_offset_minutes(at), &zone)
    }

    fn with(at: Timestamp, offset_minutes: i32, zone: &str) -> LocalMinute {
        let local = Timestamp(at.0.saturating_add(i64::from(offset_minutes) * 60_000)).to_string();
        // In RFC 3339 day, hours and minutes are at a fixed position.
        let part = |range| local.get(range).unwrap_or_default();
        LocalMinute { day: part(0..10).to_owned(), time: format!("{} {zone}", part(11..16)) }
    }
}

/// The day by the local clock: `2026-11-18`.
pub fn local_day(at: Timestamp) -> String {
    day_of(at).to_string()
}

/// Day and time of day: `2026-11-18 11:06 CET`.
pub fn local_minute(at: Timestamp) -> String {
    let LocalMinute { day, time } = LocalMinute::of(at);
    format!("{day} {time}")
}

/// The same, without the day if that is today's: `11:06 CET`.
pub fn local_time(at: Timestamp, now: Timestamp) -> String {
    without_today(LocalMinute::of(at), &LocalMinute::of(now))
}

fn without_today(at: LocalMinute, now: &LocalMinute) -> String {
    if at.day == now.day { at.time } else { format!("{} {}", at.day, at.time) }
}

/// An id for a new database: ten random characters.
pub fn new_replica() -> String {
    ulid::Ulid::generate().to_string().chars().rev().take(10).collect()
}

/// Bound of the step from one id to the next: large enough that the ids of two clones differ, and small enough that many fit into one
/// millisecond, which is 2^80.
const STEP: u128 = 1 << 64;

/// The next id after `last` at time `now`: a ULID that always increases, even if the clock is set back. The step from `last` is random:
/// if one clone's clock was ahead, several clones may know the same `last`, and each continues from it.
pub fn next_id(last: Option<&str>, now: Timestamp) -> String {
    let random = ulid::Ulid::generate().random();
    let fresh = ulid::Ulid::from_parts(u64::try_from(now.0).unwrap_or(0), random);
    match last.and_then(|l| ulid::Ulid::from_string(l).ok()) {
        Some(last) if last >= fresh => {
            let step = random % STEP + 1;
            last.0.checked_add(step).map_or(fresh, ulid::Ulid).to_string()
        }
        _ => fresh.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steady_time_goes_on() {
        let clock = Clock::system();
        let begin = clock.steady();
        while clock.steady() == begin {
            std::hint::spin_loop();
        }
        assert!((1..1_000).contains(&clock.steady().millis_since(begin)));
    }

    #[test]
    fn a_person_reads_the_minute_of_their_own_clock_with_its_zone() {
        let at = Timestamp(1_795_000_000_123);
        for (offset, zone, day, time) in [(0, "UTC", "2026-11-18", "11:06 UTC"), (780, "+13", "2026-11-19", "00:06 +13")] {
            let local = LocalMinute::with(at, offset, zone);
            assert_eq!((local.day.as_str(), local.time.as_str()), (day, time));
        }
        assert!(!local_minute(at).ends_with(' '), "{}", local_minute(at));
        assert_eq!(local_minute(at).len(), "2026-11-18 ".len() + local_time(at, at).len());
    }

    #[test]
    fn a_time_of_another_day_by_that_clock_says_its_date() {
        let (now, hour) = (Timestamp(1_795_820_400_000), 3_600_000);
        for (ahead, offset, told) in
            [(0, 0, "23:00 UTC"), (2, 0, "2026-11-28 01:00 UTC"), (2, 120, "03:00 CEST"), (-2, 60, "2026-11-27 22:00 CET")]
        {
            let zone = told.rsplit(' ').next().unwrap();
            let at = |hours: i64| LocalMinute::with(Timestamp(now.0 + hours * hour), offset, zone);
            assert_eq!(without_today(at(ahead), &at(0)), told);
        }
    }

    #[test]
    fn ids_grow_also_when_the_clock_goes_back() {
        let a = next_id(None, Timestamp(2_000));
        let b = next_id(Some(&a), Timestamp(1_000));
        let c = next_id(Some(&b), Timestamp(2_000));
        assert!(a < b && b < c, "{a} {b} {c}");
        assert_eq!(a.len(), 26);
    }

    #[test]
    fn two_clones_that_know_an_id_of_the_future_give_different_ones() {
        let ahead = next_id(None, Timestamp(9_000));
        let ids: std::collections::BTreeSet<String> = (0..100).map(|_| next_id(Some(&ahead), Timestamp(1_000))).collect();
        assert!(ids.len() == 100 && ids.iter().all(|id| *id > ahead), "{ahead}: {ids:?}");
    }
}
