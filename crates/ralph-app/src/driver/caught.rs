//! Failures that must not end a run: panics as errors, and what is tried again later anyway.

use crate::error::{AppError, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// A harmless failure: it is retried in a moment, or reported elsewhere.
#[allow(clippy::unnecessary_wraps, reason = "it stands in the place of a result")]
pub(super) fn not_now(what: &str, error: &AppError) -> Result<()> {
    tracing::warn!("{what}: {error}");
    Ok(())
}

/// The same future, with a panic as an error.
pub(super) async fn caught<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let mut work = pin!(work);
    std::future::poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(poll) => poll,
        Err(panic) => Poll::Ready(Err(AppError::Panicked { fault: words_of(panic.as_ref()) })),
    })
    .await
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    ralph_core::text::cut(text.unwrap_or("a fault without words"), 300).to_owned()
}
