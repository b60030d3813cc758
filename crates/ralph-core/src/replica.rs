//! Replicas: each database of a project assigns its own task and iteration numbers, while knowledge travels between databases.

use crate::NoticeId;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Id of one database of a project, created with it. Task and iteration numbers are meaningful only together with it.
pub type ReplicaId = String;

/// Which numbers belong to this database.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Own {
    /// The id of this database.
    pub replica: ReplicaId,
    /// Whether numbers without a replica are also its own: the database is older than replicas, so it assigned them.
    pub adopts_unknown: bool,
}

impl Own {
    /// Whether a number from `replica` was assigned by this database.
    pub fn gave(&self, replica: Option<&str>) -> bool {
        replica.map_or(self.adopts_unknown, |replica| replica == self.replica)
    }

    /// Every replica whose numbers belong to this database, as stored in records.
    pub fn replicas(&self) -> Vec<Option<ReplicaId>> {
        let unknown = self.adopts_unknown.then_some(None);
        std::iter::once(Some(self.replica.clone())).chain(unknown).collect()
    }
}

/// Lines that a database knows and the journals beside it have lost, as after a switch of branches. Internal data.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LostLines {
    /// Their ids, by journal.
    pub missing: BTreeMap<String, BTreeSet<String>>,
    /// The commits that were searched for them; nothing since the journals last changed.
    pub looked_at: Option<Vec<String>>,
    /// Those that are on no branch.
    pub nowhere: BTreeSet<String>,
    /// The notice that tells a person of these.
    pub notice: Option<NoticeId>,
}

/// An iteration of any replica. Journals older than replicas hold the number alone, which is then of an unknown replica.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IterationRef {
    /// The database that assigned the number.
    pub replica: Option<ReplicaId>,
    /// The number.
    pub iteration: u32,
}

impl<'de> Deserialize<'de> for IterationRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(u32),
            Whole { replica: Option<ReplicaId>, iteration: u32 },
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Number(iteration) => IterationRef { replica: None, iteration },
            Either::Whole { replica, iteration } => IterationRef { replica, iteration },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_an_old_journal_is_of_the_unknown_replica() {
        let seen: Vec<IterationRef> = serde_json::from_str(r#"[4,{"replica":"K7","iteration":4}]"#).expect("reads");
        assert_eq!(seen, [IterationRef { replica: None, iteration: 4 }, IterationRef { replica: Some("K7".into()), iteration: 4 }]);
    }

    #[test]
    fn only_a_database_that_is_older_than_replicas_owns_numbers_without_one() {
        let (new, old) = (Own { replica: "A".into(), adopts_unknown: false }, Own { replica: "A".into(), adopts_unknown: true });
        assert_eq!([new.gave(Some("A")), new.gave(Some("B")), new.gave(None)], [true, false, false]);
        assert_eq!((new.replicas(), old.replicas()), (vec![Some("A".into())], vec![Some("A".into()), None]));
        assert_eq!([old.gave(Some("A")), old.gave(Some("B")), old.gave(None)], [true, false, true]);
    }
}
