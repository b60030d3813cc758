//! Parts of a search that run in parallel.

use std::thread::{Builder, Scope};

/// Passages from which on parts of a search are worth threads of their own: with fewer, each ends too fast for that.
pub(super) const AT_ONCE: usize = 30_000;

/// Begins work on a thread of its own; the returned function waits for it. If no thread can be started, the work is done then.
pub(super) fn beside<'s, T: Send + 's>(threads: &'s Scope<'s, '_>, work: impl Fn() -> T + Copy + Send + 's) -> impl FnOnce() -> T + 's {
    let begun = Builder::new().name("recall".into()).spawn_scoped(threads, work);
    move || match begun {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => work(),
    }
}
