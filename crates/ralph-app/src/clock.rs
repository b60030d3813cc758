//! Time and ids: the only place that asks the system for either.

use ralph_core::time::Timestamp;
use std::sync::Arc;

/// Where the time comes from: the system, or a test.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The system's clock.
    #[allow(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn system() -> Clock {
        Clock::from_fn(|| {
            let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
        })
    }

    /// A clock that a test turns.
    pub fn from_fn(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// Now.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

/// The next id after `last` at time `now`: a ULID that grows with every call, also when the clock is set back.
pub fn next_id(last: Option<&str>, now: Timestamp) -> String {
    let fresh = ulid::Ulid::from_parts(u64::try_from(now.0).unwrap_or(0), ulid::Ulid::generate().random());
    match last.and_then(|l| ulid::Ulid::from_string(l).ok()) {
        Some(last) if last >= fresh => last.increment().unwrap_or(fresh).to_string(),
        _ => fresh.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_also_when_the_clock_goes_back() {
        let a = next_id(None, Timestamp(2_000));
        let b = next_id(Some(&a), Timestamp(1_000));
        let c = next_id(Some(&b), Timestamp(2_000));
        assert!(a < b && b < c, "{a} {b} {c}");
        assert_eq!(a.len(), 26);
    }
}
