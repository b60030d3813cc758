//! The batch: which entries move into documents, decided with reasons before any agent sees them.

use super::by_word::ByWord;
use super::order::{is_newer, newest};
use super::units::{Statement, statements};
use crate::calibrate::Calibration;
use crate::reconcile::{judge_pair, rounded};
use crate::relation::Relation;
use crate::words::Words;
use ralph_core::LearningId;
use ralph_core::consolidation::{Decision, Entry, Fate};
use ralph_core::quality::{PairJudgement, PairVerdict};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A statement of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetStatement {
    /// Path of the document, relative to the project.
    pub file: String,
    /// Line in it, from 1.
    pub line: u32,
    /// Its words.
    pub text: String,
}

/// Decisions of people on pairs of learnings.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    /// Pairs that contradict each other and await a person.
    pub conflicts: BTreeSet<(LearningId, LearningId)>,
    /// Pairs that a person decided to keep apart, whatever the comparison says.
    pub apart: BTreeSet<(LearningId, LearningId)>,
}

/// Input to select a batch from.
#[derive(Debug)]
pub struct Candidates<'a> {
    /// All entries of all sources, grouped by source.
    entries: Vec<&'a Entry>,
    pairs: &'a Pairs,
    keep_newest: usize,
    /// The newest of each source, which stay.
    stay: BTreeSet<usize>,
    units: Vec<Unit>,
    /// Per entry: its units.
    of_entry: Vec<Range<usize>>,
    targets: &'a [TargetStatement],
    /// Where the documents hold an entry by its mark, whatever its words became.
    held: &'a BTreeMap<String, TargetStatement>,
    target_words: Vec<Words>,
    /// Per unit of an entry that may go: units of other entries, and targets, that deserve a closer comparison.
    near: Vec<(Vec<usize>, Vec<usize>)>,
}

/// A statement of an entry.
#[derive(Debug)]
struct Unit {
    entry: usize,
    /// Whether it is the heading of an entry with more text below it.
    title: bool,
    text: String,
    words: Words,
}

/// Similarity by vectors: the cosine of two texts, and its calibration. Without either, words alone decide.
pub struct Meaning<'a> {
    /// The cosine of two texts from [`Candidates::texts`].
    pub cosine: &'a dyn Fn(&str, &str) -> Option<f64>,
    /// Meaning of the model's cosines.
    pub calibration: Option<Calibration>,
}

/// What decided on an entry.
struct Finding {
    fate: Fate,
    reason: String,
    other: Option<(String, String)>,
    score: Option<f64>,
}

impl<'a> Candidates<'a> {
    /// Parses the statements of entries, by source, and of documents, which hold the entries of the marks in `held`.
    pub fn new(
        sources: &[&'a [Entry]],
        (targets, held): (&'a [TargetStatement], &'a BTreeMap<String, TargetStatement>),
        pairs: &'a Pairs,
        keep_newest: usize,
    ) -> Candidates<'a> {
        let entries: Vec<&Entry> = sources.iter().flat_map(|source| source.iter()).collect();
        let stay = newest(&entries, keep_newest);
        let may_go = |at: usize| entries[at].eligible && !stay.contains(&at);
        // Usually all are young, and then nothing is compared.
        let compares = (0..entries.len()).any(may_go);
        let targets = if compares { targets } else { &[] };
        let (mut units, mut of_entry) = (Vec::new(), Vec::new());
        for (at, entry) in entries.iter().enumerate().filter(|_| compares) {
            let first = units.len();
            units.extend(units_of(at, entry));
            of_entry.push(first..units.len());
        }
        let target_words: Vec<Words> = targets.iter().map(|target| Words::of(&target.text)).collect();
        let mut among_units = ByWord::of(units.iter().map(|unit| &unit.words));
        let mut among_targets = ByWord::of(target_words.iter());
        let near = |unit: &Unit| {
            if !may_go(unit.entry) {
                return (Vec::new(), Vec::new());
            }
            let own = &of_entry[unit.entry];
            (among_units.nearest(&unit.words, own), among_targets.nearest(&unit.words, &(0..0)))
        };
        let near = units.iter().map(near).collect();
        Candidates { entries, pairs, keep_newest, stay, units, of_entry, targets, held, target_words, near }
    }

    /// Every text whose vector is useful, once.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts: BTreeSet<&str> = BTreeSet::new();
        for (unit, (others, targets)) in self.units.iter().zip(&self.near) {
            if !others.is_empty() || !targets.is_empty() {
                texts.insert(&unit.text);
            }
            texts.extend(others.iter().map(|at| self.units[*at].text.as_str()));
            texts.extend(targets.iter().map(|at| self.targets[*at].text.as_str()));
        }
        texts.into_iter().collect()
    }

    /// The decision on each entry, in order.
    pub fn decide(&self, meaning: &Meaning<'_>) -> Vec<Decision> {
        let known = self.known_conflicts();
        let mut taken: BTreeMap<usize, bool> = BTreeMap::new();
        let mut found: Vec<Finding> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let open = entry.eligible && !self.stay.contains(&at);
            let fate = match (entry.eligible, open) {
                (false, _) => Finding { fate: Fate::Young, reason: entry.reason.clone(), other: None, score: None },
                (true, false) => {
                    let reason = format!("one of the newest {} of {}, which stay", self.keep_newest, entry.source);
                    Finding { fate: Fate::Newest, reason, other: None, score: None }
                }
                _ => self.fate(at, &taken, &known, meaning),
            };
            taken.insert(at, fate.fate == Fate::Goes);
            found.push(fate);
        }
        let decision = |(entry, found): (&&Entry, Finding)| {
            let (other, other_text) = found.other.unzip();
            let Entry { key, id, title, source, .. } = (**entry).clone();
            Decision { key, id, title, source, decision: found.fate, reason: found.reason, other, other_text, score: found.score }
        };
        self.entries.iter().zip(found).map(decision).collect()
    }

    /// The decision on an eligible entry. What a person must decide takes precedence over what merely stays.
    fn fate(&self, at: usize, taken: &BTreeMap<usize, bool>, known: &Conflicts, meaning: &Meaning<'_>) -> Finding {
        let entry = self.entries[at];
        let among = self.against_entries(at, known, meaning);
        let known = among.iter().find(|(_, verdict, _)| *verdict == Clash::Known);
        let undecided = among.iter().find(|(_, verdict, _)| *verdict == Clash::Undecided);
        if let Some((other, _, score)) = known.or(undecided) {
            let other = self.entries[*other];
            let why = match (known.is_some(), other.protected || entry.protected) {
                (true, _) => "their contradiction waits for a person",
                (false, true) => "a person or three iterations stand behind the older one",
                (false, false) => "which of them is newer is not known",
            };
            return Finding {
                fate: Fate::Contradiction,
                reason: format!("contradicts {} of {}, and {why}", other.key, other.source),
                other: Some((other.key.clone(), words_of(other))),
                score: *score,
            };
        }
        let (contradicted, repeated) = self.against_targets(at, meaning);
        if let Some((target, score)) = contradicted {
            let target = &self.targets[target];
            return Finding {
                fate: Fate::Contradiction,
                reason: format!("contradicts {}:{}; which of them is right is a person's to say", target.file, target.line),
                other: Some((format!("{}:{}", target.file, target.line), target.text.clone())),
                score,
            };
        }
        if let Some((other, _, score)) = among.iter().find(|(_, verdict, _)| *verdict == Clash::Outdated) {
            let other = self.entries[*other];
            return Finding {
                fate: Fate::Superseded,
                reason: format!("{} of {} is newer and says otherwise", other.key, other.source),
                other: Some((other.key.clone(), words_of(other))),
                score: *score,
            };
        }
        if let Some(place) = self.held.get(&entry.key) {
            let at = format!("{}:{}", place.file, place.line);
            let reason = format!("{at} holds it");
            return Finding { fate: Fate::Redundant, reason, other: Some((at, place.text.clone())), score: None };
        }
        if let Some((target, score)) = repeated {
            let target = &self.targets[target];
            return Finding {
                fate: Fate::Redundant,
                reason: format!("{}:{} says it already", target.file, target.line),
                other: Some((format!("{}:{}", target.file, target.line), target.text.clone())),
                score,
            };
        }
        let same = |other: usize| taken.get(&other) == Some(&true) && !self.stay.contains(&other);
        if let Some((other, _, score)) = among.iter().find(|(other, verdict, _)| *verdict == Clash::Same && same(*other)) {
            let other = self.entries[*other];
            return Finding {
                fate: Fate::Redundant,
                reason: format!("{} of {} says the same and goes", other.key, other.source),
                other: Some((other.key.clone(), words_of(other))),
                score: *score,
            };
        }
        Finding { fate: Fate::Goes, reason: entry.reason.clone(), other: None, score: None }
    }

    /// The relations of an entry to others on the same subject.
    fn against_entries(&self, at: usize, known: &Conflicts, meaning: &Meaning<'_>) -> Vec<(usize, Clash, Option<f64>)> {
        let mut found: BTreeMap<usize, (Clash, Option<f64>)> = BTreeMap::new();
        let mut note = |other: usize, clash: Clash, score: Option<f64>| {
            let entry = found.entry(other).or_insert((clash, score));
            if clash < entry.0 {
                *entry = (clash, score);
            }
        };
        for other in known.get(&at).into_iter().flatten() {
            note(*other, Clash::Known, None);
        }
        let mut repeated: BTreeMap<usize, Vec<Option<f64>>> = BTreeMap::new();
        let own = self.of_entry[at].clone();
        for (unit, (near, _)) in self.units[own.clone()].iter().zip(&self.near[own.clone()]) {
            let mut seen: BTreeMap<usize, Option<f64>> = BTreeMap::new();
            for other in near.iter().map(|near| &self.units[*near]) {
                if self.paired(&self.pairs.apart, at, other.entry) {
                    continue;
                }
                let (verdict, score) = judge(&other.words, &unit.words, &other.text, &unit.text, meaning);
                match verdict {
                    PairVerdict::Conflict => note(other.entry, self.clash(at, other.entry), score),
                    PairVerdict::Observed if !unit.title => drop(seen.insert(other.entry, score)),
                    _ => {}
                }
            }
            seen.into_iter().for_each(|(other, score)| repeated.entry(other).or_default().push(score));
        }
        let whole = self.units[own].iter().filter(|unit| !unit.title).count();
        for (other, scores) in repeated.into_iter().filter(|(_, scores)| scores.len() >= whole) {
            note(other, Clash::Same, least(&scores));
        }
        found.into_iter().map(|(other, (clash, score))| (other, clash, score)).filter(|(_, clash, _)| *clash != Clash::Newer).collect()
    }

    /// A place in a document that contradicts an entry, and one that already says all of it.
    fn against_targets(&self, at: usize, meaning: &Meaning<'_>) -> (Place, Place) {
        let mut contradicted: Place = None;
        let mut repeated: Vec<(usize, Option<f64>)> = Vec::new();
        let (mut whole, mut said) = (0, 0);
        let own = self.of_entry[at].clone();
        for (unit, (_, near)) in self.units[own.clone()].iter().zip(&self.near[own]) {
            whole += usize::from(!unit.title);
            let judged = near.iter().map(|near| {
                let target = &self.targets[*near];
                let (verdict, score) = judge(&self.target_words[*near], &unit.words, &target.text, &unit.text, meaning);
                (*near, verdict, score)
            });
            let judged: Vec<_> = judged.collect();
            let same = judged.iter().filter(|(_, verdict, _)| *verdict == PairVerdict::Observed);
            match same.max_by(|a, b| a.2.unwrap_or(1.0).total_cmp(&b.2.unwrap_or(1.0))) {
                // A document that contains the same words does not contradict them, whatever is next to them.
                Some((near, _, score)) => {
                    said += usize::from(!unit.title);
                    repeated.push((*near, *score));
                }
                None => {
                    let clash = judged.iter().find(|(_, verdict, _)| *verdict == PairVerdict::Conflict);
                    contradicted = contradicted.or(clash.map(|(near, _, score)| (*near, *score)));
                }
            }
        }
        let all = whole > 0 && said == whole;
        let place = repeated.first().map(|(near, _)| *near).filter(|_| all);
        let scores: Vec<Option<f64>> = repeated.iter().map(|(_, score)| *score).collect();
        (contradicted, place.map(|near| (near, least(&scores))))
    }

    /// What a contradiction of two entries means for the first.
    fn clash(&self, at: usize, other: usize) -> Clash {
        let (mine, theirs) = (self.entries[at], self.entries[other]);
        match (is_newer(theirs, mine), is_newer(mine, theirs)) {
            (true, _) if !mine.protected => Clash::Outdated,
            (_, true) if !theirs.protected => Clash::Newer,
            _ => Clash::Undecided,
        }
    }

    /// Per entry: those with which its contradiction is known.
    fn known_conflicts(&self) -> Conflicts {
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            entry.id.iter().for_each(|id| places.entry(id).or_default().push(at));
        }
        let at = |id: &LearningId| places.get(id.as_str()).into_iter().flatten().copied();
        let mut known = Conflicts::new();
        for (one, other) in &self.pairs.conflicts {
            for (one, other) in at(one).flat_map(|one| at(other).map(move |other| (one, other))) {
                if self.entries[one].key != self.entries[other].key {
                    known.entry(one).or_default().insert(other);
                    known.entry(other).or_default().insert(one);
                }
            }
        }
        known
    }

    fn paired(&self, pairs: &BTreeSet<(LearningId, LearningId)>, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (&self.entries[one].id, &self.entries[other].id) else { return false };
        pairs.contains(&(one.clone(), other.clone())) || pairs.contains(&(other.clone(), one.clone()))
    }
}

/// Entries by entry.
type Conflicts = BTreeMap<usize, BTreeSet<usize>>;

/// A statement of a document, with a score.
type Place = Option<(usize, Option<f64>)>;

/// Relation of an entry to another, most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Clash {
    /// A known contradiction that awaits a person.
    Known,
    /// They contradict each other, and a person must decide which is right.
    Undecided,
    /// The other is newer and contradicts it.
    Outdated,
    /// The other is older and contradicts it: this one is the final state.
    Newer,
    /// The other says everything it says.
    Same,
}

/// The statements of an entry: its heading and its bullets, or the learning's text.
fn units_of(at: usize, entry: &Entry) -> Vec<Unit> {
    let unit = |title: bool, text: String| Unit { entry: at, title, words: Words::of(&text), text };
    let Some(title) = &entry.title else { return vec![unit(false, entry.text.clone())] };
    let below = statements(&entry.text);
    let head = statements(title).into_iter().map(|s| unit(!below.is_empty(), s.text));
    let mut units: Vec<Unit> = head.collect();
    units.extend(below.iter().map(|Statement { text, .. }| unit(false, text.clone())));
    if units.is_empty() {
        units.push(unit(false, format!("{title} {}", entry.text)));
    }
    units
}

fn words_of(entry: &Entry) -> String {
    entry.title.clone().unwrap_or_else(|| entry.text.clone())
}

/// Relation of a newer statement to an older one, and their similarity.
fn judge(older: &Words, newer: &Words, older_text: &str, newer_text: &str, meaning: &Meaning<'_>) -> (PairVerdict, Option<f64>) {
    let vectors = meaning.calibration.zip((meaning.cosine)(older_text, newer_text));
    if let Some((calibration, cosine)) = vectors {
        let PairJudgement { verdict, similarity, .. } = judge_pair(older, newer, cosine, calibration);
        return (verdict, Some(similarity));
    }
    let verdict = match older.relation(newer) {
        Relation::Duplicate if newer.names_more(older) => PairVerdict::Merged,
        Relation::Duplicate => PairVerdict::Observed,
        Relation::Opposite => PairVerdict::Conflict,
        Relation::Distinct => PairVerdict::Distinct,
    };
    (verdict, Some(rounded(older.jaccard(newer))))
}

/// The minimum of some scores: the whole is at least that similar.
fn least(scores: &[Option<f64>]) -> Option<f64> {
    scores.iter().copied().flatten().min_by(f64::total_cmp)
}
