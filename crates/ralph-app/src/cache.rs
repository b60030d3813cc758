//! Values that are costly to compute, kept as long as their input stays the same.

use ralph_core::time::Timestamp;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A cached value with its key, recomputed when the key differs.
pub(crate) type Cached<K, V> = Mutex<Option<(K, Arc<V>)>>;

/// The cached value for `key`, or the result of `make`. A fault is not kept.
pub(crate) fn keep<K: PartialEq, V, E>(place: &Cached<K, V>, key: K, make: impl FnOnce(&K) -> Result<V, E>) -> Result<Arc<V>, E> {
    let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, value)) = kept.as_ref().filter(|(known, _)| *known == key) {
        return Ok(Arc::clone(value));
    }
    let value = Arc::new(make(&key)?);
    *kept = Some((key, Arc::clone(&value)));
    Ok(value)
}

/// Several things that are costly to make, the youngest last.
pub(crate) type LastAsked<K, V> = Mutex<VecDeque<(K, Arc<V>)>>;

/// The value kept for `key`, if it is among the last `most` requested ones; otherwise the one that `make` creates.
pub(crate) fn keep_recent<K: PartialEq, V, E>(
    place: &LastAsked<K, V>,
    most: usize,
    key: K,
    make: impl FnOnce() -> Result<V, E>,
) -> Result<Arc<V>, E> {
    let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
    let known = kept.iter().position(|(known, _)| *known == key).and_then(|at| kept.remove(at));
    let (key, value) = match known {
        Some(known) => known,
        None => (key, Arc::new(make()?)),
    };
    while kept.len() >= most.max(1) {
        kept.pop_front();
    }
    kept.push_back((key, Arc::clone(&value)));
    Ok(value)
}

/// A look that many request at the same time, and that is done once for all of them.
pub(crate) struct SharedLook<T> {
    /// How often it was asked for.
    asked: AtomicU64,
    last: Mutex<Option<Look<T>>>,
}

/// A look that was taken.
struct Look<T> {
    /// How often it had been asked for when it began.
    asked: u64,
    /// When it began, by the monotonic clock.
    began: Timestamp,
    found: T,
}

impl<T> Default for SharedLook<T> {
    fn default() -> SharedLook<T> {
        SharedLook { asked: AtomicU64::new(0), last: Mutex::new(None) }
    }
}

impl<T: Clone> SharedLook<T> {
    /// What `look` finds, in a look that began after this was called, whoever does it. Errors are not shared.
    pub fn take<E>(&self, now: Timestamp, look: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let own = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        self.unless(|last| last.asked >= own, now, look)
    }

    /// The same by a look that began `millis` ago or later.
    pub fn recent<E>(&self, millis: u64, now: Timestamp, look: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.unless(|last| now.millis_since(last.began) <= millis, now, look)
    }

    fn unless<E>(&self, serves: impl Fn(&Look<T>) -> bool, now: Timestamp, look: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = last.as_ref().filter(|known| serves(known)) {
            return Ok(known.found.clone());
        }
        let asked = self.asked.load(Ordering::SeqCst);
        let found = look()?;
        *last = Some(Look { asked, began: now, found: found.clone() });
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::sync::mpsc;

    const NOW: Timestamp = Timestamp(1_000);

    #[test]
    fn who_asks_during_a_look_shares_the_next_one_and_never_gets_an_older_one() {
        let (shared, looks) = (SharedLook::default(), AtomicU32::new(0));
        let next = || Ok::<_, ()>(looks.fetch_add(1, Ordering::SeqCst) + 1);
        assert_eq!((shared.take(NOW, next), shared.take(NOW, next)), (Ok(1), Ok(2)), "one after the other, each has its own");
        let (begun, begins) = mpsc::channel();
        let (go_on, waits) = mpsc::channel();
        let found: Vec<u32> = std::thread::scope(|threads| {
            let first = threads.spawn(|| {
                shared.take(NOW, move || {
                    begun.send(()).expect("is waited for");
                    waits.recv().expect("goes on");
                    Ok::<_, ()>(0)
                })
            });
            begins.recv().expect("begins");
            let others: Vec<_> = (0..3).map(|_| threads.spawn(|| shared.take(NOW, next))).collect();
            while shared.asked.load(Ordering::SeqCst) < 6 {
                std::thread::yield_now();
            }
            go_on.send(()).expect("is waited for");
            assert_eq!(first.join().expect("ends"), Ok(0));
            others.into_iter().map(|other| other.join().expect("ends").expect("looks")).collect()
        });
        assert_eq!((found, looks.load(Ordering::SeqCst)), (vec![3; 3], 3), "one look for all three");
        assert_eq!(shared.take(NOW, || Err::<u32, _>("gone")), Err("gone"));
    }

    #[test]
    fn a_look_serves_for_a_while_where_that_is_enough() {
        let shared = SharedLook::default();
        let at = |now: i64, found: u32| shared.recent(500, Timestamp(now), || Ok::<_, ()>(found));
        assert_eq!((at(1_000, 1), at(1_500, 2), at(1_501, 3), at(1_600, 4)), (Ok(1), Ok(1), Ok(3), Ok(3)));
        assert_eq!(shared.take(Timestamp(1_600), || Ok::<_, ()>(5)), Ok(5));
    }
}
