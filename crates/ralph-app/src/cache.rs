//! Values that are made at cost and kept for as long as what they were made from stays the same.

use crate::error::Result;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// A cached value with its key, recomputed when the key differs.
pub(crate) type Cached<K, V> = Mutex<Option<(K, Arc<V>)>>;

/// The cached value for `key`, or the result of `make`.
pub(crate) fn keep<K: PartialEq, V>(place: &Cached<K, V>, key: K, make: impl FnOnce() -> Result<V>) -> Result<Arc<V>> {
    let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, value)) = kept.as_ref().filter(|(known, _)| *known == key) {
        return Ok(Arc::clone(value));
    }
    let value = Arc::new(make()?);
    *kept = Some((key, Arc::clone(&value)));
    Ok(value)
}

/// Several things made at cost, the youngest last.
pub(crate) type LastAsked<K, V> = Mutex<VecDeque<(K, Arc<V>)>>;

/// What is kept for `key` among the `most` that were asked for last, or what `make` makes for it.
pub(crate) fn keep_recent<K: PartialEq, V>(
    place: &LastAsked<K, V>,
    most: usize,
    key: K,
    make: impl FnOnce() -> Result<V>,
) -> Result<Arc<V>> {
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
