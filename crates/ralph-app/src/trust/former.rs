//! Agreements to what the folder no longer says: they keep the texts of settings and rules.

use super::store::{Record, Texts};
use crate::app::App;
use crate::error::Result;
use ralph_core::trust::TrustItem;

impl App {
    /// Number of agreements and kept texts in which `is_found` finds something, and that the folder no longer says. What it still says is
    /// its person's to change first. With `forgets` they are forgotten, so that saying it again asks again.
    pub(crate) fn former_agreements(&self, is_found: &dyn Fn(&str) -> bool, forgets: bool) -> Result<usize> {
        let standing = self.standing()?;
        let count = former(&mut self.trust.read()?, &standing.items, &standing.texts, is_found);
        if forgets && count > 0 {
            return self.trust.change(|record| former(record, &standing.items, &standing.texts, is_found));
        }
        Ok(count)
    }
}

/// Takes them out of a record. While changes await agreement, the kept texts are those in force.
fn former(record: &mut Record, items: &[TrustItem], texts: &Texts, is_found: &dyn Fn(&str) -> bool) -> usize {
    let count = |record: &Record| record.agreed.len() + record.kept.len();
    let before = count(record);
    let is_said = |name: &str, value: &str| items.iter().any(|item| item.name == name && item.value == value);
    record.agreed.retain(|name, value| !is_found(value) || is_said(name, value));
    if !record.holding {
        record.kept.retain(|file, kept| !kept.as_deref().is_some_and(is_found) || texts.get(file) == Some(kept));
    }
    before - count(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_folder_no_longer_says_is_forgotten_unless_it_is_in_force() {
        let is_found = |text: &str| text.contains("token");
        let text = |text: &str| Some(text.to_owned());
        let record = Record {
            agreed: [("check", "use token 1"), ("setup", "use token 2"), ("rules.md", "old token"), ("owner", "me")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            kept: [("config.toml", text("token")), ("rules.md", text("old token"))].map(|(file, kept)| (file.to_owned(), kept)).into(),
            ..Record::default()
        };
        let items = [TrustItem::new("check", "use token 1", ""), TrustItem::new("setup", "use something else", "")];
        let texts: Texts = [("config.toml", text("token")), ("rules.md", None)].map(|(file, now)| (file.to_owned(), now)).into();
        for (holding, kept) in [(false, ["config.toml"].as_slice()), (true, &["config.toml", "rules.md"])] {
            let mut record = Record { holding, ..record.clone() };
            assert_eq!(former(&mut record, &items, &texts, &is_found), 4 - kept.len());
            assert_eq!(record.agreed.keys().collect::<Vec<_>>(), ["check", "owner"]);
            assert_eq!(record.kept.keys().collect::<Vec<_>>(), kept);
        }
    }
}
