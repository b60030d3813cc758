//! Fault injection for tests: places where a write can be made to fail, to check that nothing is left held; inactive in the product.

use crate::error::Result;

/// A planned fault.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    #[cfg(test)]
    plan: std::sync::Mutex<Option<testing::Plan>>,
}

impl Faults {
    /// A place before work, or after a commit whose result was not returned yet.
    #[cfg_attr(not(test), allow(clippy::unnecessary_wraps, clippy::unused_self, reason = "only tests let it fail"))]
    pub(crate) fn point(&self) -> Result<()> {
        #[cfg(test)]
        self.meet()?;
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::Faults;
    use crate::error::{AppError, Result};
    use std::sync::PoisonError;

    /// Kind of failure.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Kind {
        /// Once, with an error.
        Error,
        /// Once, with a panic.
        Panic,
        /// Always from then on, as on a disk that stays full.
        Stays,
    }

    #[derive(Debug)]
    pub(crate) struct Plan {
        kind: Kind,
        left: usize,
        met: bool,
    }

    impl Faults {
        /// Makes the place that comes after `left` others fail.
        pub(crate) fn plan(&self, kind: Kind, left: usize) {
            *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = Some(Plan { kind, left, met: false });
        }

        /// Ends the plan; returns whether its place was reached.
        pub(crate) fn end(&self) -> bool {
            self.plan.lock().unwrap_or_else(PoisonError::into_inner).take().is_some_and(|plan| plan.met)
        }

        pub(super) fn meet(&self) -> Result<()> {
            let mut guard = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(plan) = guard.as_mut() else { return Ok(()) };
            if plan.left > 0 {
                plan.left -= 1;
                return Ok(());
            }
            if plan.met && plan.kind != Kind::Stays {
                return Ok(());
            }
            plan.met = true;
            let kind = plan.kind;
            drop(guard);
            match kind {
                Kind::Panic => panic!("a fault that a test wants"),
                Kind::Error | Kind::Stays => Err(AppError::Db(sqlite_db::DbError::DiskFull)),
            }
        }
    }
}
