//! Knowledge for a prompt.

use crate::app::App;
use crate::error::Result;
use crate::knowledge::door::is_left_out;
use crate::knowledge::staged::known_on_branch;
use crate::recall::asked::AnswerRecord;
use crate::recall::scope_weights;
use crate::recall::story::task_question;
use crate::recall::unfinished::UnfinishedRecord;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::recall::{MemoryKind, Reach, RecallHit, RecallOrigin, ToldMemory, learnings_of};
use ralph_core::run::prompt::OtherMemory;
use ralph_core::settings::Settings;
use ralph_core::task::{Task, TaskKind};
use ralph_core::worktree::WorktreeState;
use ralph_core::{LearningId, count};
use ralph_rag::act::words_of_hit;
use ralph_rag::episode::{records_only_work, records_work};
use ralph_rag::recall::{confidence, nearest_parts, nothing_known, share_a_name, without_repeats, worth_telling};
use std::collections::BTreeSet;

/// Hits available to a prompt's budget.
const FOR_A_PROMPT: usize = 60;

/// Knowledge for a prompt, best first.
pub(crate) struct PromptKnowledge {
    pub learnings: Vec<FeatureLearning>,
    /// How the hits were found.
    pub found: Vec<ToldMemory>,
    /// Memories of other kinds.
    pub others: Vec<OtherMemory>,
    /// The record of the question.
    pub asked: UnfinishedRecord,
}

impl App {
    /// Knowledge for the prompt of an attempt, best first. Learnings: those of the task's feature, of the one it was split from and of
    /// its dependencies; another feature's only if both name the same path, identifier or name. The error of the last attempt is part of
    /// the question. Other kinds must share a word with the question. If recall judges that nothing answers it, only protected learnings
    /// of the feature remain; if it can judge at all, hits far behind the best one are left out, unless they are the feature's own
    /// learnings.
    pub(crate) fn knowledge_for(&self, task: &Task, settings: &Settings) -> Result<PromptKnowledge> {
        let text = self.db.read(|r| task_question(r, task))?;
        let mut prepared = self.prepare_recall(&text, Reach::Knowledge, settings)?;
        prepared.is_story = true;
        self.db.read(|r| {
            let features = r.features()?;
            let home = crate::rows::find_feature(r, &task.feature)?;
            let weights = scope_weights(&features, Some(&home), false, &prepared.tuning);
            let draw = prepared.learned.arm(u64::from(task.consecutive_failures), &format!("task {}", task.id));
            let found = prepared.search(r, &weights, |_, _, active| active, FOR_A_PROMPT, draw)?;
            let (hits, other, terms) = prepared.in_words(r, &found, &features)?;
            let answered = AnswerRecord {
                id: crate::clock::next_id(None, self.clock.now()),
                origin: RecallOrigin::Prompt,
                text: &text,
                feature: Some(&home.name),
                arm: found.arm,
                drawn: prepared.learned.in_force,
                micros: found.micros,
                hits: &hits,
                other: &other,
                terms,
                shown: false,
                iteration: None,
            };
            let asked = self.asked(answered, settings, &prepared.model);
            let sure = confidence(hits.iter().map(|hit| &hit.score), found.within, prepared.tokens.says_nothing());
            let judged = sure.is_some() && !hits.is_empty();
            let nothing = judged && nothing_known(sure);
            // The feature's own learnings are included as far as there is room: one may matter to a task without sharing a word with it.
            let is_own = |hit: &RecallHit| hit.kind == MemoryKind::Learning && hit.feature == home.name;
            let worth = |hit: &RecallHit| !nothing && (!judged || is_own(hit) || worth_telling(&hit.score, &hits[0].score));
            let hits: Vec<&RecallHit> = hits.iter().filter(|hit| worth(hit)).collect();
            let told: Vec<ToldMemory> = hits.iter().enumerate().map(|(at, hit)| told_of(hit, at)).collect();
            let speaks = |(hit, told): &(&&RecallHit, &ToldMemory)| {
                let near = hit.feature.is_empty() || hit.feature == home.name || home.builds_on(&hit.feature);
                let spoken = told.channels.iter().any(|channel| prepared.question.shares_a_word(*channel));
                hit.kind != MemoryKind::Learning && near && spoken && !is_told_as_its_ground(task, hit)
            };
            let documents = r.lost_words()?;
            let mut others: Vec<OtherMemory> = Vec::new();
            for (hit, told) in hits.iter().zip(&told).filter(speaks) {
                let is_lesson = matches!(hit.kind, MemoryKind::Episode | MemoryKind::Fact);
                if !(is_lesson && is_left_out(r, &words_of_hit(hit), (&features, &documents), settings.max_learnings)?) {
                    others.push(other_memory(hit, told.clone(), &text));
                }
            }
            let ids: Vec<LearningId> = learnings_of(&told);
            let found = r.learnings_by_id(&ids)?.into_iter();
            let own =
                |l: &FeatureLearning| l.feature == home.name || Some(&l.feature) == home.parent.as_ref() || home.builds_on(&l.feature);
            let mut learnings: Vec<FeatureLearning> = found.filter(|l| own(l) || share_a_name(&text, &l.text)).collect();
            // Learnings of the feature itself without a match are ordered by their evidence.
            let named: BTreeSet<String> = learnings.iter().map(|l| l.id.clone()).collect();
            let mut rest = r.learnings(Some(&home.name), &[LearningState::Active])?;
            // A person's words, and what has often been confirmed, are always included.
            rest.retain(|l| !(named.contains(&l.id) || nothing && l.is_auto_prunable()));
            rest.sort_by_key(|l| (l.is_auto_prunable(), std::cmp::Reverse((l.hit_count, l.created))));
            learnings.extend(rest);
            if let Some(worktree) = r.worktree_of(task.id)?.filter(|worktree| worktree.state == WorktreeState::Ready) {
                learnings.splice(0..0, known_on_branch(r, &worktree)?);
            }
            // The description of a split lists its feature's, as they stand when it is worked on.
            learnings.retain(|l| task.kind != TaskKind::Split || l.feature == home.name && !task.description.contains(&l.id));
            let learnings = without_repeats(std::iter::empty(), learnings, |learning| &learning.text);
            let others = without_repeats(learnings.iter().map(|learning| learning.text.as_str()), others, |other| &other.text);
            Ok(PromptKnowledge { learnings, found: told, others, asked })
        })
    }
}

/// How a hit was found, with its index from 0.
fn told_of(hit: &RecallHit, at: usize) -> ToldMemory {
    let channels = hit.score.channels.iter().map(|channel| channel.channel).collect();
    ToldMemory { kind: hit.kind, id: hit.id.clone(), rank: count(at + 1), channels }
}

fn other_memory(hit: &RecallHit, told: ToldMemory, question: &str) -> OtherMemory {
    let place = |file: &String| hit.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
    let place = hit.file.as_ref().map(place);
    let origin = match hit.kind {
        MemoryKind::Fact => format!("Stated{}", place.map_or(String::new(), |place| format!(" in {place}"))),
        MemoryKind::Episode => {
            let what = if records_work(&hit.text) { "Done" } else { "Learnt" };
            hit.task.map_or_else(|| format!("{what} elsewhere"), |task| format!("{what} in #{task}"))
        }
        _ => format!("{}{}", place.unwrap_or_default(), hit.heading.as_ref().map_or(String::new(), |heading| format!(" ({heading})"))),
    };
    let text = below_its_heading(hit);
    OtherMemory { told, origin, nearest: nearest_parts(question, text), text: text.to_owned() }
}

/// Whether a hit only records work that the task builds on, which its prompt reports in a separate section.
fn is_told_as_its_ground(task: &Task, hit: &RecallHit) -> bool {
    hit.kind == MemoryKind::Episode && hit.task.is_some_and(|done| task.depends_on.contains(&done)) && records_only_work(&hit.text)
}

/// A hit's text without the line that its origin names.
fn below_its_heading(hit: &RecallHit) -> &str {
    let is_heading =
        |line: &str| line.starts_with('#') && hit.heading.as_ref().is_some_and(|names| names.ends_with(line.trim_matches(['#', ' '])));
    match hit.text.split_once('\n') {
        Some((line, rest)) if is_heading(line) && !rest.trim().is_empty() => rest.trim_start(),
        _ => &hit.text,
    }
}
