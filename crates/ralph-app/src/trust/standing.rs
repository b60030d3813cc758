//! The settings of a project, as written and as far as its person has agreed to them.

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
