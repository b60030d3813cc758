//! Remarks in the words in which a person is told them.

use super::{GitOperation, GitRemark, short};
use crate::text::in_shell;
use serde::{Deserialize, Serialize};

/// Beginnings of the names, in a remark on what git runs by itself, of what `ralph trust` asks about.
const GIT_PROGRAMS: [&str; 2] = ["setting filter.", "setting merge."];

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

impl GitRemark {
    /// How a person can recover what was lost, in one line: a command, or a sentence with commands in backticks.
    pub fn way_back(&self) -> Option<String> {
        match self {
            GitRemark::BranchSwitched { from: Some(from), behind: true, .. } => Some(format!("git switch {}", in_shell(from))),
            GitRemark::BranchSwitched { from: None, head: Some(head), .. } => Some(format!("git branch before {}", short(head))),
            GitRemark::HistoryMoved { branch: Some(branch), from, .. } => {
                Some(format!("git branch {} {}", in_shell(&format!("{branch}-before")), short(from)))
            }
            GitRemark::CommittedElsewhere { branch, from: Some(from), to, .. } => {
                Some(format!("`git log {}..{}`, then keep '{branch}' or set it back", short(from), short(to)))
            }
            GitRemark::HistoryMoved { branch: None, from, .. } => Some(format!("git branch before {}", short(from))),
            GitRemark::Unfinished { operation } => match operation {
                GitOperation::Bisect => Some("git bisect reset".to_owned()),
                other => Some(format!("`git {0} --continue`, or `git {0} --abort`", other.as_str().replace('_', "-"))),
            },
            GitRemark::LeftInConflict { .. } => Some("settle them there, then `git add` them".to_owned()),
            GitRemark::StashDropped { commits } => commits.first().map(|id| format!("git stash store -m back {}", short(id))),
            GitRemark::SecretCommitted { .. } => Some("change the secret, then take it out of the history before it is pushed".to_owned()),
            GitRemark::Unreadable => Some("see what `git fsck` says; bring .git back from a clone or a backup".to_owned()),
            GitRemark::MachineryChanged { what, .. } => {
                let asked = what.iter().any(|name| GIT_PROGRAMS.iter().any(|program| name.starts_with(program)));
                let agree = if asked { ", and `ralph trust --yes` if filters and merge drivers are to run" } else { "" };
                Some(format!(
                    "look at it (settings are in .git/config, hooks without a path in .git/hooks), then settle its notice{agree}: \
                     until then Ralph merges nothing, which would run it"
                ))
            }
            GitRemark::WorkGone { paths, kept, .. }
            | GitRemark::WorkChanged { paths, kept, .. }
            | GitRemark::ConflictEnded { paths, kept, .. }
            | GitRemark::OutsideGone { paths, kept, .. } => kept.way_back(paths),
            GitRemark::BranchSwitched { .. }
            | GitRemark::BranchRenamed { .. }
            | GitRemark::CommittedElsewhere { from: None, .. }
            | GitRemark::Stashed { .. }
            | GitRemark::Pushed { .. }
            | GitRemark::OutsideChanged { .. }
            | GitRemark::OutsideSwitched { .. }
            | GitRemark::Unwatched { .. }
            | GitRemark::Unversioned
            | GitRemark::LookedLate => None,
        }
    }
}
