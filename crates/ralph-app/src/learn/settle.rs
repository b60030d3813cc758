//! Settling detections: what rules can state becomes an episode, once, however many processes are active.

use super::over::withdraw_answered;
use super::record_episode::record_episode;
use super::{Speaker, out_of_question, untold_by_rules};
use crate::app::App;
use crate::clock::day_number;
use crate::error::Result;
use crate::knowledge::rules::Rules;
use ralph_core::detection::{DetectionKind, DetectionRefusal, DetectionState, LearningCount, LearningTotal};
use ralph_core::learning::{LearningSource, Verdict};
use ralph_core::limits;
use ralph_core::memory::{Episode, LessonType};
use ralph_core::run::Outcome;
use ralph_core::settings::{AutomaticLearning, LearningExtractor};
use ralph_core::shell_words::Try;
use ralph_core::worktree::WorktreeState;
use ralph_rag::clean::clean;
use ralph_rag::learn::extract::ExtractedLesson;
use ralph_rag::learn::{Candidate, Detection, Fingerprints, Operation, lesson_of, validate};
use serde::Serialize;
use sqlite_db::Tx;
use sqlite_db::table::KeptDetection;

/// Detections settled per round.
const ROUND: u32 = 100;
/// Rejected detections that are kept so that a person can see why.
const KEPT: u32 = 1_000;

/// Results of the undecided detections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SettleOutcome {
    /// Recorded episodes.
    pub stored: u32,
    /// Lessons that were already known.
    pub known: u32,
    /// Rejected.
    pub refused: u32,
    /// Waiting for the end of their iteration, or for their branch.
    pub waiting: u32,
}

/// Owner of a detection's knowledge.
pub(super) struct Home {
    /// Name and row number of the feature; `None` = the project's.
    feature: Option<(String, u32)>,
    task: Option<u32>,
}

/// Result of a detection.
#[derive(Clone, Copy)]
pub(super) enum DetectionOutcome {
    Stored,
    Known,
    Refused(DetectionRefusal),
    Wait,
}

/// Source of a detection's lesson.
#[derive(Clone, Copy)]
pub(super) enum Teller<'a> {
    /// Rules, as far as they can.
    Rules,
    /// A model that was asked: its lesson, or that there is none.
    Model(Option<&'a ExtractedLesson>),
}

impl App {
    /// Settles undecided detections by rules, one commit each. Those queued for a model stay.
    pub fn settle_detections(&self) -> Result<SettleOutcome> {
        let mut settled = SettleOutcome::default();
        let settings = self.settings()?.automatic_learning;
        let for_rules = settings.extractor != LearningExtractor::Rules;
        let mut after = 0;
        loop {
            let waiting = self.db.read(|r| r.waiting_detections(after, ROUND, for_rules))?;
            let Some(last) = waiting.last() else { break };
            after = last.id;
            let rules = self.knowledge_rules()?;
            for kept in waiting {
                settled.count(self.settle_one(&kept, &settings, rules, Teller::Rules)?);
            }
        }
        if settled.refused + settled.known > 0 {
            self.write(|tx| Ok(tx.thin_detections(KEPT)?))?;
        }
        Ok(settled)
    }

    /// Settles one detection, in one commit.
    pub(super) fn settle_one(
        &self,
        kept: &KeptDetection,
        settings: &AutomaticLearning,
        rules: Rules,
        teller: Teller<'_>,
    ) -> Result<DetectionOutcome> {
        let told = self.told_in(kept);
        self.write(|tx| settle(tx, kept, settings, rules, teller, &told))
    }

    /// What Ralph showed in the session of a detection: its tools' answers, and the prompt.
    fn told_in(&self, kept: &KeptDetection) -> Fingerprints {
        let answered = serde_json::from_value::<Detection>(kept.record.clone()).map(|detection| detection.told).unwrap_or_default();
        let mut told = Fingerprints::of_hashes(answered);
        let prompt = kept.iteration.map(|iteration| self.paths.files().read_text(&self.prompt_path(iteration), limits::PROMPT_READ_BYTES));
        // A deleted prompt contributes nothing.
        if let Some(Ok(Some(prompt))) = prompt {
            told.add(&prompt);
        }
        if let Some(iteration) = kept.iteration {
            self.told_by_tools(iteration).all().for_each(|text| told.add(text));
        }
        told
    }
}

impl std::ops::AddAssign for SettleOutcome {
    fn add_assign(&mut self, more: SettleOutcome) {
        self.stored += more.stored;
        self.known += more.known;
        self.refused += more.refused;
        self.waiting += more.waiting;
    }
}

impl SettleOutcome {
    pub(super) fn count(&mut self, decision: DetectionOutcome) {
        match decision {
            DetectionOutcome::Stored => self.stored += 1,
            DetectionOutcome::Known => self.known += 1,
            DetectionOutcome::Refused(_) => self.refused += 1,
            DetectionOutcome::Wait => self.waiting += 1,
        }
    }
}

fn settle(
    tx: &Tx<'_>,
    kept: &KeptDetection,
    settings: &AutomaticLearning,
    rules: Rules,
    teller: Teller<'_>,
    told: &Fingerprints,
) -> Result<DetectionOutcome> {
    let day = day_number(rules.now);
    let (decision, episode) = decide(tx, kept, settings, rules, teller, told)?;
    let (outcome, counted) = match &decision {
        DetectionOutcome::Wait => return Ok(decision),
        DetectionOutcome::Stored => (Ok((DetectionState::Stored, episode.as_str())), LearningCount::Total(LearningTotal::Stored)),
        DetectionOutcome::Known => (Ok((DetectionState::Known, episode.as_str())), LearningCount::Total(LearningTotal::Known)),
        DetectionOutcome::Refused(refusal) => (Err(*refusal), LearningCount::Refused(*refusal)),
    };
    if tx.settle_detection(kept.id, outcome)? {
        tx.count_learning(day, counted, 1)?;
        match teller {
            Teller::Model(_) if matches!(decision, DetectionOutcome::Refused(_)) => {}
            Teller::Model(_) => tx.count_learning(day, LearningTotal::Extracted, 1)?,
            Teller::Rules if kept.by_rules.is_some() => tx.count_learning(day, LearningTotal::Fallback, 1)?,
            Teller::Rules => {}
        }
    }
    Ok(decision)
}

/// Decides on a detection, with the id of its episode. An episode is recorded here, in the settling transaction.
fn decide(
    tx: &Tx<'_>,
    kept: &KeptDetection,
    settings: &AutomaticLearning,
    rules: Rules,
    teller: Teller<'_>,
    told: &Fingerprints,
) -> Result<(DetectionOutcome, String)> {
    let refused = |why| Ok((DetectionOutcome::Refused(why), String::new()));
    let Ok(detection) = serde_json::from_value::<Detection>(kept.record.clone()) else { return refused(DetectionRefusal::Gate) };
    // Another process may have settled it meanwhile.
    if !tx.waits(kept.id)? {
        return Ok((DetectionOutcome::Wait, String::new()));
    }
    let home = match home_of(tx, kept)? {
        Ok(home) => home,
        Err(decision) => return Ok((decision, String::new())),
    };
    if let Some(why) = out_of_question(settings, &detection) {
        return refused(why);
    }
    if failed_again(tx, kept, &detection)? {
        return refused(DetectionRefusal::FailedAgain);
    }
    let lesson = match lesson_by(teller, kept, &detection, told) {
        Ok(lesson) if lesson.confidence < settings.min_episode_confidence => return refused(DetectionRefusal::Unsure),
        Ok(lesson) => lesson,
        Err(why) => return refused(why),
    };
    let episode = Episode {
        kept: false,
        seen: Vec::new(),
        id: String::new(),
        feature: home.feature.as_ref().map(|(name, _)| name.clone()),
        lesson: lesson.text,
        lesson_type: lesson.lesson_type,
        confidence: lesson.confidence,
        source: LearningSource::Auto,
        task_id: home.task,
        iteration: kept.iteration,
        replica: kept.iteration.map(|_| tx.own().map(|own| own.replica)).transpose()?,
        files: detection.files(limits::EPISODE_FILES),
        created: rules.now,
        withdrawn: None,
    };
    let home = home.feature.map(|(_, id)| id);
    let told = episode.lesson.clone();
    let (outcome, id) = match record_episode(tx, rules, home, episode, settings.episode_deduplication)? {
        (Verdict::Observed, id) => (DetectionOutcome::Known, id),
        (Verdict::PutAway, _) => return refused(DetectionRefusal::PutAway),
        (_, id) => (DetectionOutcome::Stored, id),
    };
    withdraw_answered(tx, rules, home, &told, &id)?;
    Ok((outcome, id))
}

/// Whether something that seemed fixed failed again later in the same iteration: repeatedly, or as its check.
fn failed_again(tx: &Tx<'_>, kept: &KeptDetection, detection: &Detection) -> Result<bool> {
    let worked = detection.operations.last().filter(|_| detection.kind == DetectionKind::MendedFailure);
    let (Some(worked), Some(iteration)) = (worked, kept.iteration) else { return Ok(false) };
    let tried = worked.tried();
    let unmended = |later: Detection| later.operations.last().is_some_and(|failed| failed.tried().is_like(&tried));
    let later = tx.detections_after(kept.id, iteration, DetectionKind::RepeatedFailure)?;
    if later.into_iter().filter_map(|record| serde_json::from_value(record).ok()).any(unmended) {
        return Ok(true);
    }
    let check = tx.iteration(iteration)?.and_then(|row| row.evidence.check).filter(|check| !check.passed);
    Ok(check.is_some_and(|check| worked.command().is_some() && Try::of(&check.command).is_like(&tried)))
}

/// Refuses pending lessons about something that a call of this speaker had mended but that later failed as before.
pub(super) fn refuse_refuted(tx: &Tx<'_>, speaker: &Speaker, worked: &Operation, day: i64) -> Result<()> {
    let mut after = 0;
    loop {
        let waiting = tx.waiting_detections(after, ROUND, false)?;
        let Some(last) = waiting.last() else { return Ok(()) };
        after = last.id;
        let of_speaker = |kept: &&KeptDetection| kept.iteration == speaker.iteration && kept.session == speaker.session;
        for kept in waiting.iter().filter(|kept| kept.kind == DetectionKind::MendedFailure).filter(of_speaker) {
            let told = serde_json::from_value::<Detection>(kept.record.clone());
            let refusal = DetectionRefusal::FailedAgain;
            if told.is_ok_and(|told| told.operations.last() == Some(worked)) && tx.settle_detection(kept.id, Err(refusal))? {
                tx.count_learning(day, LearningCount::Refused(refusal), 1)?;
            }
        }
    }
}

/// A lesson that may be stored.
struct Lesson {
    text: String,
    lesson_type: LessonType,
    confidence: f64,
}

fn lesson_by(
    teller: Teller<'_>,
    kept: &KeptDetection,
    detection: &Detection,
    told: &Fingerprints,
) -> std::result::Result<Lesson, DetectionRefusal> {
    let Detection { situation, action, outcome, .. } = detection;
    let mut happened = vec![situation.as_str(), action.as_str(), outcome.as_str()];
    let (lesson, most_chars) = match teller {
        Teller::Model(None) => return Err(DetectionRefusal::NothingToLearn),
        Teller::Model(Some(said)) => {
            happened.extend([said.situation.as_str(), said.action.as_str()]);
            let confidence = said.confidence_in(detection);
            let lesson = Lesson { text: said.lesson.clone(), lesson_type: said.lesson_type, confidence };
            (lesson, limits::EXTRACTED_CHARS)
        }
        Teller::Rules => {
            let untold = untold_by_rules(detection).map(|untold| match untold {
                DetectionRefusal::NeedsModel => kept.by_rules.unwrap_or(untold),
                other => other,
            });
            let (lesson_type, text) = lesson_of(detection).ok_or(untold.unwrap_or(DetectionRefusal::NeedsModel))?;
            (Lesson { text, lesson_type, confidence: detection.confidence }, limits::EPISODE_CHARS)
        }
    };
    validate(Candidate { lesson: &lesson.text, happened: &happened, most_chars }, told)?;
    match teller {
        Teller::Model(Some(said)) if !said.is_of(detection) => Err(DetectionRefusal::Supposed),
        // A model may write what a terminal obeys.
        _ => Ok(Lesson { text: clean(&lesson.text, most_chars).text, ..lesson }),
    }
}

/// Its owner; or that it waits for the end of its iteration or for its branch, or was discarded with that.
pub(super) fn home_of(tx: &Tx<'_>, kept: &KeptDetection) -> Result<std::result::Result<Home, DetectionOutcome>> {
    let project = Home { feature: None, task: None };
    let Some(row) = kept.iteration.map(|iteration| tx.iteration(iteration)).transpose()?.flatten() else { return Ok(Ok(project)) };
    // While its agent works, what seems mended may fail again.
    if row.outcome == Outcome::Running {
        return Ok(Err(DetectionOutcome::Wait));
    }
    if let Some(worktree) = tx.worktree_of_iteration(&row)? {
        match worktree.state {
            WorktreeState::Ready => return Ok(Err(DetectionOutcome::Wait)),
            WorktreeState::Discarded => return Ok(Err(DetectionOutcome::Refused(DetectionRefusal::Discarded))),
            _ => {}
        }
    }
    let Some(task) = tx.task(row.task)? else { return Ok(Ok(project)) };
    let Some(feature) = tx.feature(&task.feature)? else { return Ok(Ok(project)) };
    if tx.newer_journal(&feature.name)?.is_some() {
        return Ok(Err(DetectionOutcome::Wait));
    }
    Ok(Ok(Home { feature: Some((feature.name, feature.id)), task: Some(task.id) }))
}
