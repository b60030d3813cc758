//! Remarks in the words in which a person is told them.

use super::GitRemark;
use serde::{Deserialize, Serialize};

/// A remark as the iteration's page shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RemarkLine {
    /// The finding in one line.
    pub text: String,
    /// Whether it may have lost work or exposed something.
    pub harms: bool,
    /// How a person can recover what was lost.
    pub way_back: Option<String>,
    /// The snapshot that holds it, if the way back is to restore that.
    pub snapshot: Option<String>,
}

/// The remarks of an iteration in words.
pub fn lines(remarks: &[GitRemark]) -> Vec<RemarkLine> {
    let line = |remark: &GitRemark| {
        let way_back = remark.way_back().filter(|_| remark.harms());
        RemarkLine { text: remark.in_words(), harms: remark.harms(), way_back, snapshot: remark.holding_snapshot().map(str::to_owned) }
    };
    remarks.iter().map(line).collect()
}

/// The harm done by an iteration or an errand (`whose`), for a person: a title, and each remark with how to recover. `None` when there is none.
pub fn harm_in_words(whose: &str, remarks: &[GitRemark]) -> Option<(String, String)> {
    let harms: Vec<&GitRemark> = remarks.iter().filter(|remark| remark.harms()).collect();
    let first = harms.first()?;
    let more = if harms.len() > 1 { format!(" (and {} more)", harms.len() - 1) } else { String::new() };
    let told = harms.iter().flat_map(|remark| {
        let way_back = remark.way_back().map(|way| format!("  → {way}"));
        std::iter::once(remark.in_words()).chain(way_back)
    });
    let late = remarks.iter().find(|remark| **remark == GitRemark::LookedLate);
    let who = if late.is_some() { ", or a person since" } else { "" };
    let told = late.map(GitRemark::in_words).into_iter().chain(told);
    Some((format!("{whose}{who}: {}{more}", first.in_words()), told.collect::<Vec<_>>().join("\n")))
}
