//! The settings of a project, as written and as far as its person has agreed to them.

use crate::error::{AppError, Result};
use ralph_core::settings::Settings;
use ralph_core::trust::TrustItem;

/// Settings at one moment.
pub(crate) struct StandingSettings {
    /// As in the text in force, agreed to or not.
    pub written: Settings,
    /// As far as they have been agreed to.
    pub in_force: Settings,
    /// What awaits agreement, and what has been agreed to.
    pub(super) items: Vec<TrustItem>,
}

impl StandingSettings {
    /// Refuses to continue while a setting awaits agreement: nobody would notice that it is not in force.
    ///
    /// # Errors
    /// [`AppError::Untrusted`] if the setting of that name awaits agreement.
    pub(crate) fn must_be_agreed(&self, name: &str) -> Result<()> {
        let items: Vec<TrustItem> = self.items.iter().filter(|item| item.name == name && !item.agreed).cloned().collect();
        if items.is_empty() { Ok(()) } else { Err(AppError::Untrusted { items }) }
    }
}
