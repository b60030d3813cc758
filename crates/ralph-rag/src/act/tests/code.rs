//! Test cases of facts from files.

use super::super::code::{FromCode, undoable_scan};
use super::{Desk, desk};
use crate::testing::fact;
use ralph_core::memory::{Fact, FactSource, WithdrawalReason};

impl Desk {
    fn said(&mut self, value: &str) -> FromCode {
        let code = Fact { value: value.into(), source: FactSource::Code, file: Some("Cargo.toml".into()), ..fact("") };
        self.act(|draft| draft.state_from_code(code)).expect("is no refusal")
    }

    fn holds(&self) -> Vec<&str> {
        self.known.facts.values().filter(|fact| fact.withdrawn.is_none()).map(|fact| fact.value.as_str()).collect()
    }

    fn id_of(&self, value: &str) -> String {
        self.known.facts.values().find(|fact| fact.value == value).map(|fact| fact.id.clone()).expect("a fact")
    }

    fn undo(&mut self) -> bool {
        let Some(scan) = undoable_scan(self.lines.clone()) else { return false };
        self.act(|draft| draft.undo_scan(&scan)).expect("can be taken back");
        true
    }
}

#[test]
fn what_a_file_says_is_told_once_and_follows_it() {
    let mut desk = desk(50);
    assert_eq!((desk.said("1"), desk.said("1"), desk.said("2")), (FromCode::Added, FromCode::Known, FromCode::Updated));
    assert_eq!(desk.holds(), ["2"]);
    assert_eq!(desk.said("1"), FromCode::Returned, "what was said before is not a new fact");
    assert_eq!((desk.holds(), desk.known.facts.len()), (vec!["1"], 2));
    let id = desk.id_of("1");
    desk.act(|draft| draft.withdraw(&id, WithdrawalReason::SourceGone, "Cargo.toml is gone")).expect("is withdrawn");
    assert_eq!(desk.said("1"), FromCode::Returned);
}

#[test]
fn a_person_s_word_stands_above_what_a_file_says() {
    let mut desk = desk(50);
    desk.said("1");
    desk.state_fact("mine", FactSource::Human).expect("is stated");
    assert_eq!((desk.said("1"), desk.said("2"), desk.holds()), (FromCode::Left, FromCode::Left, vec!["mine"]));
    let mine = desk.id_of("mine");
    desk.act(|draft| draft.withdraw(&mine, WithdrawalReason::Person, "")).expect("is put away");
    assert_eq!(desk.said("2"), FromCode::Updated);
    let second = desk.id_of("2");
    desk.act(|draft| draft.withdraw(&second, WithdrawalReason::Person, "")).expect("is put away");
    assert_eq!((desk.said("2"), desk.holds()), (FromCode::Left, vec![]), "what a person put away stays away");
    desk.state_fact("theirs", FactSource::Agent).expect("is stated");
    assert_eq!((desk.said("3"), desk.holds()), (FromCode::Updated, vec!["3"]));
}

#[test]
fn a_look_is_taken_back_whole_and_stays_so() {
    let mut desk = desk(50);
    desk.said("1");
    desk.said("2");
    assert!(desk.undo());
    assert_eq!(desk.holds(), ["1"], "what was replaced is there again");
    assert_eq!((desk.said("2"), desk.holds()), (FromCode::Left, vec!["1"]));
    assert!(desk.undo());
    assert_eq!(desk.holds(), Vec::<&str>::new());
    assert!(!desk.undo(), "nothing is left to take back");
}
