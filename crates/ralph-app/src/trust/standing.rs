//! The settings of a project, as they are written and as far as its person agreed to them.

use ralph_core::settings::Settings;
use ralph_core::trust::TrustItem;

/// Settings at one moment.
pub(crate) struct StandingSettings {
    /// As in the text in force, agreed to or not.
    pub written: Settings,
    /// As far as they are agreed to.
    pub in_force: Settings,
    /// What awaits agreement, and what was agreed to.
    pub(super) items: Vec<TrustItem>,
}
