//! `ralph learning`: what was learnt about a feature.

use crate::consolidate;
use crate::number;
use crate::output::{Answered, Output, table};
use clap::Subcommand;
use ralph_app::{Actor, App};
use ralph_core::evaluation::LearningEvidence;
use ralph_core::feedback::{NewSelection, SelectionKind};
use ralph_core::learning::{ConflictChoice, FeatureLearning, LearningRow, LearningSource, LearningState, NewLearning, StagedLearning};
use serde::Serialize;

/// What to do with learnings.
#[derive(Debug, Subcommand)]
pub enum LearningCommand {
    /// Add a learning; the verdict says what became of it.
    Add {
        #[arg(long)]
        feature: String,
        #[arg(long)]
        text: String,
        /// human, agent or auto; human unless an agent runs the command.
        #[arg(long)]
        source: Option<LearningSource>,
        /// The task it came from.
        #[arg(long, value_parser = number::task)]
        task: Option<u32>,
        /// The iteration it came from; any number.
        #[arg(long)]
        iteration: Option<u32>,
        /// Why it holds.
        #[arg(long)]
        reason: Option<String>,
        #[arg(long)]
        category: Option<String>,
        #[arg(long, value_delimiter = ',')]
        tags: Vec<String>,
    },
    /// Learnings: the active ones by default.
    List {
        #[arg(long)]
        feature: Option<String>,
        /// active, parked, pruned, retired, superseded, consolidated, or all.
        #[arg(long, value_delimiter = ',')]
        state: Vec<StateFilter>,
        /// Only those that came with a clone, a pull or a merge.
        #[arg(long)]
        outside: bool,
    },
    /// What is known on branches only: it becomes a learning when its branch is merged.
    Staged {
        #[arg(long)]
        feature: Option<String>,
    },
    /// How old each is in active days (days with commits), and whether it has proved itself; entries of the learnings file too.
    Ages {
        #[arg(long)]
        feature: Option<String>,
        /// Only the counts.
        #[arg(long)]
        summary: bool,
    },
    /// One learning.
    Show {
        id: String,
        /// The id of the question that led to it: opening it is recorded as a weak vote for it.
        #[arg(long, value_name = "ID")]
        query: Option<String>,
    },
    /// Mark it as reviewed: it is never pruned automatically.
    Review { id: String },
    /// Put it away.
    Retire { id: String },
    /// Make it active again.
    Restore { id: String },
    /// Reword it: a new record supersedes the old one.
    Edit {
        id: String,
        #[arg(long)]
        text: String,
        /// Why it holds; without it the known reason stays, and an empty one clears it.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Learnings on the same subject, offered for merging above 200 active ones.
    MergeOffers,
    /// Merge several learnings of one feature into a new one, which supersedes them.
    Merge {
        #[arg(required = true, num_args = 2..)]
        ids: Vec<String>,
        #[arg(long)]
        text: String,
        #[arg(long)]
        reason: Option<String>,
    },
    /// Move it to another feature. Without room it is parked there.
    Move {
        id: String,
        /// The feature it belongs to.
        #[arg(long)]
        to: String,
    },
    /// Undo a person's last act on it: a review, an edit, a merge, a move, a retirement or a restoration.
    Undo { id: String },
    /// Pairs that contradict each other.
    Conflicts,
    /// Decide a conflict.
    Resolve {
        older: String,
        newer: String,
        /// keep_older, keep_newer or keep_both.
        choice: ConflictChoice,
    },
}

/// A state, or all of them.
#[derive(Debug, Clone, Copy)]
pub enum StateFilter {
    All,
    Is(LearningState),
}

impl std::str::FromStr for StateFilter {
    type Err = ralph_core::text::UnknownWord;
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        if word == "all" { Ok(StateFilter::All) } else { word.parse().map(StateFilter::Is).map_err(ralph_core::text::UnknownWord::or_all) }
    }
}

/// Runs `ralph learning`.
pub fn learning(app: &App, command: LearningCommand, output: Output) -> Answered {
    match command {
        LearningCommand::Add { feature, text, source, task, iteration, reason, category, tags } => {
            // A number that does not exist would be stored as its origin.
            task.map(|task| app.task(task)).transpose()?;
            let mut new = NewLearning { reason, category, tags, task_id: task, iteration, ..NewLearning::new(&feature, &text) };
            app.sign(&mut new, source)?;
            let remembered = app.append_feature_learning(&new)?;
            let cut = if remembered.cut { "; it was longer than is kept, and only its beginning is stored" } else { "" };
            output.answer(&remembered, || match &remembered.put_away {
                Some(note) => format!("{}: {} ({}, {}){cut}", remembered.verdict, remembered.id, note.by, note.at),
                None => format!("{}: {}{cut}", remembered.verdict, remembered.id),
            });
        }
        LearningCommand::List { feature, state, outside } => {
            let states: Vec<LearningState> = if state.is_empty() {
                vec![LearningState::Active]
            } else if state.iter().any(|s| matches!(s, StateFilter::All)) {
                Vec::new()
            } else {
                state.iter().filter_map(|s| if let StateFilter::Is(state) = s { Some(*state) } else { None }).collect()
            };
            let mut rows = app.learning_rows(feature.as_deref(), &states)?;
            rows.retain(|row| row.outside || !outside);
            // Their origin stays out of the output: two clones with the same knowledge list the same.
            let learnings: Vec<&FeatureLearning> = rows.iter().map(|row| &row.learning).collect();
            output.answer(&learnings, || table(&rows.iter().map(listed).collect::<Vec<_>>(), "no learnings"));
        }
        LearningCommand::Staged { feature } => {
            let staged = app.staged(feature.as_deref())?;
            let row = |s: &StagedLearning| vec![s.id.clone(), s.standing.to_string(), s.branch.clone(), s.learning.text.clone()];
            output.answer(&staged, || table(&staged.iter().map(row).collect::<Vec<_>>(), "nothing is known on a branch only"));
        }
        LearningCommand::Ages { feature, summary } => consolidate::ages(app, feature.as_deref(), summary, output)?,
        LearningCommand::Show { id, query } => {
            let row = app.learning_row(&id)?;
            if query.is_some() && app.actor() == Actor::Human {
                app.select_memory(&NewSelection { learning: id, kind: SelectionKind::Opened, query })?;
            }
            show_row(&row, &app.learning_evidence(&row.learning.id)?, output);
        }
        LearningCommand::Review { id } => show_learning(&app.review_learning(&id)?, output),
        LearningCommand::Retire { id } => show_learning(&app.retire_learning(&id)?, output),
        LearningCommand::Restore { id } => show_learning(&app.restore_learning(&id)?, output),
        LearningCommand::Edit { id, text, reason } => show_learning(&app.edit_learning(&id, &text, reason.as_deref())?, output),
        LearningCommand::MergeOffers => {
            let offers = app.merge_offers()?;
            let row = |o: &ralph_core::learning::MergeOffer| {
                let ids: Vec<&str> = o.learnings.iter().map(|l| l.id.as_str()).collect();
                vec![o.feature.clone(), o.category.clone(), ids.join(" ")]
            };
            output.answer(&offers, || table(&offers.iter().map(row).collect::<Vec<_>>(), "nothing to merge"));
        }
        LearningCommand::Merge { ids, text, reason } => show_learning(&app.merge_learnings(&ids, &text, reason.as_deref())?, output),
        LearningCommand::Move { id, to } => show_learning(&app.move_learning(&id, &to)?, output),
        LearningCommand::Undo { id } => show_learning(&app.undo_learning(&id)?, output),
        LearningCommand::Conflicts => {
            let conflicts = app.conflicts()?;
            let text = |c: &ralph_core::learning::Conflict| format!("{}  {}\n{}  {}", c.older.id, c.older.text, c.newer.id, c.newer.text);
            output.answer(&conflicts, || conflicts.iter().map(text).collect::<Vec<_>>().join("\n\n"));
        }
        LearningCommand::Resolve { older, newer, choice } => {
            app.resolve_conflict(&older, &newer, choice)?;
            output.answer(&serde_json::json!({ "older": older, "newer": newer, "choice": choice }), || format!("decided: {choice}"));
        }
    }
    Ok(())
}

fn listed(row: &LearningRow) -> Vec<String> {
    let LearningRow { learning: l, outside, .. } = row;
    let source = if *outside { format!("{}, from outside", l.source) } else { l.source.to_string() };
    vec![l.id.clone(), l.state.to_string(), source, format!("×{}", l.hit_count), l.text.clone()]
}

/// A learning with what is known about its use.
#[derive(Serialize)]
struct Shown<'s> {
    #[serde(flatten)]
    row: &'s LearningRow,
    #[serde(flatten)]
    evidence: &'s LearningEvidence,
}

fn show_row(row: &LearningRow, evidence: &LearningEvidence, output: Output) {
    let origin = match (row.outside, &row.outside_replica) {
        (false, _) => String::new(),
        (true, None) => "\nfrom outside".to_owned(),
        (true, Some(replica)) => format!("\nfrom outside, by replica {replica}"),
    };
    let LearningEvidence { feedback, useful, not_useful, factor, effect } = evidence;
    let mut words = vec![format!("{}{origin}", in_words(&row.learning))];
    if !feedback.is_empty() {
        let terms: Vec<&str> = feedback.terms.iter().map(|term| term.term.as_str()).collect();
        let learnt = if terms.is_empty() { String::new() } else { format!("; learned terms: {}", terms.join(", ")) };
        words.push(format!("{}, useful {useful}, not useful {not_useful}, its score ×{factor:.2}{learnt}", feedback.importance));
    }
    words.extend(effect.as_ref().map(|of| {
        let harm = if of.harmful { "HARMFUL: " } else { "" };
        format!(
            "{harm}told {}, succeeded {}, failed {} ({} as it warns), avoided {}; {}",
            of.shown, of.succeeded, of.failed, of.failed_as_warned, of.avoided, of.effect
        )
    }));
    output.answer(&Shown { row, evidence }, || words.join("\n"));
}

fn show_learning(learning: &FeatureLearning, output: Output) {
    output.answer(learning, || in_words(learning));
}

fn in_words(learning: &FeatureLearning) -> String {
    format!("{} ({}, {}, seen ×{})\n{}", learning.id, learning.state, learning.source, learning.hit_count, learning.text)
}
