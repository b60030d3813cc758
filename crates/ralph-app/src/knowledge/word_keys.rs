//! The keys by which equal and opposite learnings are found, as today's rules about words make them.

use crate::app::App;
use crate::error::Result;
use ralph_core::LearningId;
use ralph_rag::keys;

impl App {
    /// Recomputes the keys of all learnings if another version of Ralph stored them, whose rules read words differently: by those keys a
    /// new learning would not find an old one that says the same.
    pub(crate) fn renew_keys(&self) -> Result<()> {
        if self.db.read(|r| r.keys_version())? == Some(keys::VERSION) {
            return Ok(());
        }
        self.write(|tx| {
            let learnings = tx.learnings(None, &[])?;
            let all: Vec<(LearningId, Vec<i64>)> = learnings.into_iter().map(|l| (l.id, keys::of(&l.text))).collect();
            tx.renew_keys(keys::VERSION, &all)?;
            Ok(tx.lost_words()?.said.iter().try_for_each(|(id, said)| tx.insert_keys(id, &keys::of(said)))?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::running_by;
    use crate::clock::Clock;
    use ralph_core::learning::{NewLearning, Verdict};

    #[test]
    fn what_another_ralph_stored_is_found_by_the_rules_of_now() {
        let (_folder, app) = running_by(4_000_000, Clock::system());
        let again = NewLearning::new("pay", "The nightly refund job starts at 14:00 on the worker");
        let known = app.append_feature_learning(&again).expect("is stored").id;
        // As made by a rule that has another word for the time.
        app.write(|tx| Ok(tx.renew_keys(keys::VERSION - 1, &[(known.clone(), vec![1])])?)).expect("is stored");
        assert_eq!(app.append_feature_learning(&again).expect("is stored").verdict, Verdict::Added, "its keys are not found");
        app.write(|tx| Ok(tx.renew_keys(keys::VERSION - 1, &[])?)).expect("is stored");
        let app = App::open(&app.paths.root, Clock::system()).expect("opens");
        assert_eq!(app.append_feature_learning(&again).expect("is stored").verdict, Verdict::Observed);
    }
}
