//! A simulated quarter of questions and selections, seeded: good terms lead further, a noisy one is contained and taken back, a flood is
//! capped, and neither clocks nor restarts nor clones shorten a period or count anything twice. Length: one world serves them all.
#![allow(clippy::unwrap_used, reason = "a test's helpers")]

mod common;

use common::Project;
use ralph_app::{Actor, App, Clock};
use ralph_core::evaluation::{Gate, QuestionFilter, TrialAnswer};
use ralph_core::feedback::{FeedbackMode, Importance, NewSelection, SelectionKind, SelectionSource};
use ralph_core::learning::NewLearning;
use ralph_core::recall::{RecallOrigin, RecallQuery, RecallResponse};
use ralph_core::stats::SplitMix64;
use ralph_core::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

const DAY: i64 = 86_400_000;
const START: i64 = 1_795_000_000_000;
const TOPICS: [&str; 14] = [
    "apricot",
    "bilberry",
    "cranberry",
    "damson",
    "elderberry",
    "feijoa",
    "gooseberry",
    "hawthorn",
    "jujube",
    "kumquat",
    "loquat",
    "mulberry",
    "nectarine",
    "olive",
];

struct World {
    project: Project,
    time: Arc<AtomicI64>,
    ids: Vec<String>,
    chance: SplitMix64,
}

impl World {
    fn new(seed: u64) -> World {
        let time = Arc::new(AtomicI64::new(START));
        let project = Project::with_this_clock("pay", clock(&time));
        let add = |topic: &&str| {
            let text = format!("The {topic} queue takes the ledger lock in src/{topic}.rs before it retries");
            project.add(&NewLearning::new("pay", &text)).id
        };
        let ids = TOPICS.iter().map(add).collect();
        let mut settings = project.app.settings().unwrap();
        settings.feedback = FeedbackMode::On;
        project.app.update_settings(&project.app.written_settings().unwrap(), &settings).unwrap();
        let world = World { project, time, ids, chance: SplitMix64(seed) };
        world.at(4.0);
        world
    }

    /// Turns the clock to this many days after the start.
    fn at(&self, days: f64) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "days of a quarter")]
        self.time.store(START + (days * DAY as f64) as i64, Ordering::SeqCst);
    }

    fn later(&self, millis: i64) {
        self.time.fetch_add(millis, Ordering::SeqCst);
    }

    fn app(&self) -> &App {
        &self.project.app
    }

    fn ask(&self, question: &str) -> RecallResponse {
        self.app().recall(&RecallQuery { query: question.to_owned(), limit: 30, ..RecallQuery::default() }).unwrap()
    }

    /// Somebody asks about a topic in their own words, and picks what they were after.
    fn work(&mut self) {
        // The first is what nobody is ever after.
        let topic = 1 + self.chance.index(TOPICS.len() - 1);
        // Now and then somebody asks about something else, and picks nothing.
        if self.chance.index(6) == 0 {
            self.ask("midnight ledger lock");
            self.later(5_000);
        }
        // Asked differently it is another question, which finds the same.
        let orders = ["ledger lock {}a {}b", "lock ledger {}a {}b", "ledger lock {}b {}a"];
        let turn = usize::try_from(self.time.load(Ordering::SeqCst) / 5_000).unwrap() % orders.len();
        let question = orders[turn].replace("{}", &format!("symptom{topic}"));
        let found = self.ask(&question);
        self.later(5_000);
        let outcome = self.app().give_feedback(&self.ids[topic], true, Some(&found.query)).unwrap();
        assert!(outcome.learnt.len() <= 3);
        self.later(5_000);
    }

    /// A day's work, within ten minutes.
    fn day(&mut self, day: i64) {
        #[allow(clippy::cast_precision_loss, reason = "days of a quarter")]
        self.at(day as f64 + 0.3);
        for _ in 0..8 {
            self.work();
        }
    }

    /// Somebody takes the wrong learning for a question that is about something else.
    fn plant(&self, wrong: &str) -> Vec<String> {
        let found = self.ask("midnight ledger lock");
        assert!(World::place(&found, wrong) >= 3, "the planted one stands far enough down");
        self.app().give_feedback(wrong, true, Some(&found.query)).unwrap().learnt
    }

    fn gates(&self) -> BTreeMap<String, Gate> {
        self.app().eval_gates().unwrap().into_iter().map(|gate| (gate.name.clone(), gate)).collect()
    }

    fn place(found: &RecallResponse, id: &str) -> usize {
        found.hits.iter().position(|hit| hit.id == id).unwrap()
    }
}

fn clock(time: &Arc<AtomicI64>) -> Clock {
    let shown = Arc::clone(time);
    Clock::from_fn(move || Timestamp(shown.load(Ordering::SeqCst)))
}

/// Length: one quarter from its first day to its last.
#[test]
fn a_quarter_of_selections_leads_further_under_every_lock() {
    let mut world = World::new(7);
    // The noisy one: somebody takes the wrong learning, for a word that stands in questions about everything.
    let wrong = world.ids[0].clone();
    assert_eq!(world.plant(&wrong), ["midnight"]);

    for day in 5..12 {
        world.day(day);
    }
    // A clock that jumps ahead and comes back opens nothing.
    let before = world.gates();
    world.at(500.0);
    world.ask("ledger lock");
    world.ask("ledger lock symptom1a");
    world.at(12.0);
    let after = world.gates();
    assert!(!after["eval_cycles"].open && !after["sprint_order"].open);
    assert_eq!(before["eval_cycles"].open, after["eval_cycles"].open);
    assert!(!world.app().eval_insights().unwrap().terms_count, "asked for, but the gates are closed");
    let plain = world.ask("ledger lock symptom2a symptom2b");
    let ranked_by_terms =
        |found: &RecallResponse| found.hits.iter().any(|hit| hit.score.channels.iter().any(|c| c.channel.as_str() == "learned"));
    assert!(!ranked_by_terms(&plain), "in the shadow no order follows a term");

    // A restart in the middle, and another process beside this one.
    let other = App::open(&world.app().paths().root, clock(&world.time)).unwrap();
    for day in 12..40 {
        world.day(day);
        if day == 25 {
            world.plant(&wrong);
        }
        other.recall(&RecallQuery { query: "ledger lock".into(), limit: 3, ..RecallQuery::default() }).unwrap();
    }
    drop(other);
    let run = world.app().eval_shadow(&[], None).unwrap();
    let learned = run.trials.iter().find(|trial| trial.other == "learned").unwrap();
    assert!(learned.interval.unwrap().low > 0.0, "MRR@5 is up, and the interval excludes 0: {learned:?}");
    assert_eq!(learned.answer, TrialAnswer::Promote, "{learned:?}");

    let insights = world.app().eval_insights().unwrap();
    let noisy: Vec<&str> = insights.learned_terms.iter().filter(|row| row.noise).map(|row| row.term.term.as_str()).collect();
    assert!(noisy == ["midnight"] && insights.noise_rate.unwrap() < 0.05, "contained: {noisy:?} of {}", insights.learned_terms.len());
    assert_eq!(insights.recorded.dropped, 0);
    let closed: Vec<&Gate> = insights.gates.iter().filter(|gate| !gate.open).collect();
    assert!(closed.is_empty() && insights.terms_count, "{closed:?}");
    assert!(insights.gates.len() >= 10 && insights.cycles.iter().filter(|cycle| cycle.complete).count() >= 2);

    // Now they count: what was found late comes first, except in the share that is held out.
    world.at(41.0);
    let places: Vec<usize> = (1..TOPICS.len())
        .map(|topic| World::place(&world.ask(&format!("ledger lock symptom{topic}a symptom{topic}b")), &world.ids[topic]))
        .collect();
    let first = places.iter().filter(|place| **place == 0).count();
    assert!(first >= TOPICS.len() / 2 && first < TOPICS.len(), "{places:?}");

    // A rebuild keeps what was learned, and ranks the same; a clone learns it from the journals alone.
    let order = |app: &App| {
        let found = app.recall(&RecallQuery { query: "ledger lock symptom5a".into(), limit: 30, ..RecallQuery::default() }).unwrap();
        found.hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    let before = order(world.app());
    world.project.rebuilds_to_the_same();
    assert_eq!(order(world.app()), before);
    let clone = world.project.clone_without_database();
    assert_eq!(clone.app.export().unwrap().feedback, world.app().export().unwrap().feedback, "nothing is lost, and nothing counted twice");

    // What was asked there says nothing of terms that came later from elsewhere: their week in the shadow begins with the first that
    // matches.
    let there = App::open(&clone.app.paths().root, clock(&world.time)).unwrap();
    for day in 0..10 {
        world.at(50.0 + f64::from(day));
        there.recall(&RecallQuery { query: "what nobody learnt".into(), limit: 3, ..RecallQuery::default() }).unwrap();
    }
    let shadow = there.eval_gates().unwrap().into_iter().find(|gate| gate.name == "shadow").unwrap();
    assert!(!shadow.open && shadow.measured.starts_with("0.0 of 7 days"), "{shadow:?}");

    // One act takes all of it back.
    let back = world.app().roll_feedback_back(None, None).unwrap();
    assert!(back.terms > 20 && back.validations > 100, "{back:?}");
    let insights = world.app().eval_insights().unwrap();
    assert_eq!(insights.learned_terms, vec![]);
    assert!(!insights.terms_count, "nothing was learnt, so nothing counts");
    assert!(world.app().export().unwrap().feedback.is_empty());
    world.project.rebuilds_to_the_same();
}

#[test]
fn a_flood_of_one_agent_is_capped_and_taken_back_by_its_source_alone() {
    let world = World::new(3);
    let agent = App::open(&world.app().paths().root, clock(&world.time)).unwrap().acting_as(Actor::Agent { working_on: None });
    let mut taught = 0;
    for (n, id) in world.ids.iter().cycle().take(60).enumerate() {
        let found = agent.recall(&RecallQuery { query: format!("ledger lock flood{n}word"), limit: 30, ..RecallQuery::default() }).unwrap();
        taught += usize::from(!agent.give_feedback(id, true, Some(&found.query)).unwrap().learnt.is_empty());
        world.later(1_000);
    }
    assert!(taught <= 3, "an agent teaches three times in eight hours: {taught}");
    let feedback = world.app().export().unwrap().feedback;
    assert!(feedback.values().all(|of| of.useful() == 1 && of.importance == Importance::Normal), "the same word counts once a day");

    let found = world.ask("ledger lock persimmon");
    let last = found.hits.last().unwrap().id.clone();
    world.app().give_feedback(&last, true, Some(&found.query)).unwrap();
    let back = world.app().roll_feedback_back(Some(SelectionSource::Agent), None).unwrap();
    assert_eq!(back.validations as usize, TOPICS.len());
    let left = world.app().export().unwrap().feedback;
    assert_eq!(left.keys().collect::<Vec<_>>(), [&last], "what a person said stays");
    assert!(agent.roll_feedback_back(None, None).is_err(), "an agent takes nothing back");
}

#[test]
fn what_counts_raises_and_what_does_not_help_lets_fall_and_off_means_off() {
    let world = World::new(5);
    let id = world.ids[0].clone();
    for n in 0..5 {
        let found = world.ask(&format!("ledger lock case{n}"));
        world.app().give_feedback(&id, true, Some(&found.query)).unwrap();
        world.later(1_000);
    }
    let important = world.app().give_feedback(&id, false, None).unwrap();
    assert_eq!(important.importance, Importance::Important);
    assert!((important.factor - 1.05 * 0.9).abs() < 1e-6, "{important:?}");

    // Three promotions within eight hours are enough for the whole project.
    for topic in 1..4 {
        for n in 0..5 {
            let found = world.ask(&format!("ledger lock topic{topic}case{n}"));
            let outcome = world.app().give_feedback(&world.ids[topic], true, Some(&found.query)).unwrap();
            let raised = outcome.importance == Importance::Important;
            assert_eq!(raised, n == 4 && topic < 3, "{topic} {n}");
        }
    }
    let mut settings = world.app().settings().unwrap();
    settings.feedback = FeedbackMode::Off;
    world.app().update_settings(&world.app().written_settings().unwrap(), &settings).unwrap();
    let refused = world.app().give_feedback(&world.ids[9], true, None).unwrap();
    assert!(!refused.counted && refused.not_learnt.is_some());
    let told = [world.app().give_feedback(&id, false, None).unwrap().factor, world.app().learning_evidence(&id).unwrap().factor];
    assert_eq!(told, [1.0, 1.0], "no factor is told that is not applied");
    let found = world.ask("ledger lock");
    assert!(found.hits.iter().all(|hit| hit.score.factors.iter().all(|f| f.name.as_str() != "feedback")));
    assert!(world.app().give_feedback("01ARZ3NDEKTSV4RRFFQ69G5FAV", true, None).is_err());
    assert!(world.app().give_feedback(&id, true, Some("words of no question")).is_ok(), "they cost no statement");
}

#[test]
fn a_screen_that_asks_again_asked_once_and_a_replay_beside_a_process_compares_every_question() {
    let world = World::new(11);
    let first = world.ask("ledger lock apricot");
    world.app().give_feedback(&world.ids[1], true, Some(&first.query)).unwrap();
    let again = world.ask("ledger lock apricot");
    assert_eq!(again.query, first.query, "what follows a mark is the same question");
    assert!(!world.app().give_feedback(&world.ids[1], true, Some(&again.query)).unwrap().counted);
    world.ask("ledger lock damson");
    world.later(700_000);
    assert_ne!(world.ask("ledger lock damson").query, first.query);
    assert_eq!(world.app().eval_insights().unwrap().recorded.queries, 3);

    let run = world.app().eval_shadow(&[], None).unwrap();
    let names: Vec<&str> = run.trials.iter().map(|trial| trial.other.as_str()).collect();
    assert!(names.contains(&"chunk_bonus=0.3") && run.trials.iter().all(|trial| trial.queries == 3), "{names:?}");
    // With other weights in force, what was compared before says nothing.
    let path = world.app().paths().root.join(".ralph/config.toml");
    let written = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{written}\n[recall]\nchunk_bonus = 0.3\n")).unwrap();
    assert_eq!(world.app().settings().unwrap().recall.chunk_bonus, 0.3);
    let insights = world.app().eval_insights().unwrap();
    assert_eq!(insights.trials, vec![]);
    let chunks = insights.gates.iter().find(|gate| gate.name == "chunk_aggregation").unwrap();
    assert!(chunks.required.contains("chunk_bonus=0.3 ") && chunks.required.contains("chunk_bonus=0,"), "{chunks:?}");
}

#[test]
fn pauses_while_typing_are_no_questions_and_what_was_opened_on_the_way_stays_one() {
    let world = World::new(13);
    let typed = |text: &str| {
        world.later(300);
        world.ask(text)
    };
    let questions = || {
        let rows = world.app().question_rows(&QuestionFilter::default()).unwrap().rows;
        rows.into_iter().map(|row| row.text).collect::<Vec<_>>()
    };
    for text in ["l", "ledg", "ledgre", "ledger", "ledger lo", "ledger lock"] {
        typed(text);
    }
    assert_eq!(questions(), ["ledger lock"]);
    let found = world.ask("ledger lock");
    let opened = NewSelection { learning: world.ids[2].clone(), kind: SelectionKind::Opened, query: Some(found.query) };
    world.app().select_memory(&opened).unwrap();
    typed("ledger lock of");
    typed("ledger lock of the damson");
    assert_eq!(questions(), ["ledger lock of the damson", "ledger lock"]);
    world.later(2_000);
    typed("refund");
    assert_eq!(questions(), ["refund", "ledger lock of the damson", "ledger lock"], "it stood there for a while");
    // What a program asks is asked, whatever it asks next.
    for query in ["key", "keys"] {
        let request = RecallQuery { query: query.into(), limit: 3, origin: RecallOrigin::Cli, ..RecallQuery::default() };
        world.app().recall(&request).unwrap();
    }
    assert_eq!(questions().len(), 5);
}

#[test]
fn a_clock_that_jumped_ahead_makes_no_learning_old_enough() {
    let world = World::new(17);
    // By this clock the learnings are four days old; by the previous one they are some hours old.
    assert_eq!(world.plant(&world.ids[0]), ["midnight"]);
    let terms = || world.app().eval_insights().unwrap().learned_terms.len();
    assert_eq!(terms(), 1);
    world.at(0.2);
    assert_eq!(terms(), 0, "the clock is set back");
    let found = world.ask("twilight ledger lock");
    assert_eq!(
        world.app().give_feedback(&world.ids[0], true, Some(&found.query)).unwrap().not_learnt.as_deref(),
        Some("it is younger than 72 hours")
    );
    world.at(4.1);
    assert_eq!(terms(), 1, "it has waited for its date");
    world.at(34.1);
    assert_eq!(terms(), 0, "and lives no longer than any other");
}

#[test]
fn a_clock_that_was_wrong_when_a_learning_was_written_makes_it_neither_older_nor_younger() {
    let world = World::new(19);
    let add = |at: f64, topic: &str| {
        world.at(at);
        let text = format!("The {topic} queue takes the ledger lock in src/{topic}.rs before it retries");
        world.project.add(&NewLearning::new("pay", &text)).id
    };
    // Ten days behind, thirty days ahead, and right again.
    let written = [add(-6.0, "papaya"), add(34.0, "quince"), add(4.1, "rambutan")];
    let teach = |at: f64, id: &str, word: &str| {
        world.at(at);
        let found = world.ask(&format!("apricot bilberry cranberry damson ledger lock {word}"));
        assert!(World::place(&found, id) >= 3, "it stands far enough down");
        world.app().give_feedback(id, true, Some(&found.query)).unwrap()
    };
    for (at, id) in [4.2, 4.3, 4.4].into_iter().zip(&written) {
        let said = teach(at, id, "midnight");
        assert_eq!(said.not_learnt.as_deref(), Some("it is younger than 72 hours"), "{at}: {said:?}");
    }
    for (at, id) in [7.2, 7.3, 7.4].into_iter().zip(&written) {
        let said = teach(at, id, "twilight");
        assert!(!said.learnt.is_empty(), "{at}: {said:?}");
    }
    assert!(world.gates()["learning_age"].open, "{:?}", world.gates()["learning_age"]);
}

#[test]
fn what_was_learned_survives_an_edit_with_every_proof_and_is_in_force_for_active_learnings_alone() {
    let world = World::new(17);
    let found = world.ask("midnight ledger lock");
    let last = found.hits.last().unwrap().id.clone();
    let in_small_letters = found.query.to_lowercase();
    let outcome = world.app().give_feedback(&last, true, Some(&in_small_letters)).unwrap();
    assert_eq!((outcome.rank, &*outcome.learnt), (u32::try_from(found.hits.len()).ok(), &["midnight".to_owned()][..]));
    world.later(2 * DAY);
    assert!(!world.app().give_feedback(&last, true, Some(&in_small_letters)).unwrap().counted, "one question, one word");
    let edited = world.app().edit_learning(&last, "This queue takes the ledger lock before it retries", None).unwrap().id;
    let insights = world.app().eval_insights().unwrap();
    let terms: Vec<_> = insights.learned_terms.iter().map(|row| (&row.learning, row.term.term.as_str())).collect();
    assert_eq!(terms, [(&edited, "midnight")]);
    let gates = world.gates();
    assert!(["audit_log", "learning_age", "caps"].iter().all(|name| gates[*name].open), "{gates:#?}");
    assert_eq!(world.app().question_rows(&QuestionFilter { learning: Some(last), ..QuestionFilter::default() }).unwrap().total, 1);
    world.app().retire_learning(&edited).unwrap();
    assert_eq!(world.app().eval_insights().unwrap().learned_terms, vec![]);
}

#[test]
fn what_was_said_of_a_learning_is_not_said_of_its_opposite_and_pages_are_found_in_any_case() {
    let world = World::new(18);
    let found = world.ask("midnight ledger lock");
    let id = found.hits[0].id.clone();
    world.app().give_feedback(&id, true, Some(&found.query)).unwrap();
    let opposite = world.app().learning(&id).unwrap().text.replace("before", "after");
    let edited = world.app().edit_learning(&id, &opposite, None).unwrap().id;
    let rows = |of: QuestionFilter| world.app().question_rows(&of);
    let of = |learning: &str| rows(QuestionFilter { learning: Some(learning.to_owned()), ..QuestionFilter::default() }).unwrap().total;
    assert_eq!((of(&id), of(&edited)), (1, 0));
    let before = |id: &str| rows(QuestionFilter { before: Some(id.to_owned()), ..QuestionFilter::default() });
    let newest = rows(QuestionFilter::default()).unwrap().rows.remove(0).query;
    assert_eq!(before(&newest.to_lowercase()).unwrap().rows, vec![]);
    assert_eq!(before("none").unwrap_err().to_string(), "there is no recorded question 'NONE'");
}
