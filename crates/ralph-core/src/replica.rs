//! Replicas: each database of a project gives out task and iteration numbers of its own, and knowledge travels between them.

use serde::{Deserialize, Deserializer, Serialize};

/// Id of one database of a project, made with it. Numbers of tasks and iterations mean something only together with it.
pub type ReplicaId = String;

/// Which numbers are this database's own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Own {
    /// The id of this database.
    pub replica: ReplicaId,
    /// Whether numbers without a replica are its own as well: it is older than replicas, so they were given out here.
    pub adopts_unknown: bool,
}

impl Own {
    /// Whether a number that comes from `replica` was given out here.
    pub fn gave(&self, replica: Option<&str>) -> bool {
        replica.map_or(self.adopts_unknown, |replica| replica == self.replica)
    }

    /// Every replica whose numbers were given out here, as records name it.
    pub fn replicas(&self) -> Vec<Option<ReplicaId>> {
        let unknown = self.adopts_unknown.then_some(None);
        std::iter::once(Some(self.replica.clone())).chain(unknown).collect()
    }
}

/// An iteration of any replica. Journals that are older than replicas give the number alone, of one unknown replica.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IterationRef {
    /// The database that gave out the number.
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
