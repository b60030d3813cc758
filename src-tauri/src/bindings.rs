//! The commands and events on the wire, and their TypeScript bindings.

use crate::closing::*;
use crate::commands::consolidation::*;
use crate::commands::documents::*;
use crate::commands::features::*;
use crate::commands::history::*;
use crate::commands::knowledge::*;
use crate::commands::learnings::*;
use crate::commands::memories::*;
use crate::commands::notices::*;
use crate::commands::projects::*;
use crate::commands::recall::*;
use crate::commands::restore::*;
use crate::commands::review::*;
use crate::commands::review_queue::*;
use crate::commands::runs::*;
use crate::commands::settings::*;
use crate::commands::snapshots::*;
use crate::commands::surroundings::*;
use crate::commands::tasks::*;
use crate::commands::trust::*;
use crate::commands::worktrees::*;
use crate::places::*;
use crate::watcher::TopicsChanged;
use ralph_core::limits;
use ralph_core::run::StopReason;
use ralph_core::saturation::{CRITICAL_PCT, HIGH_PCT};
use tauri_specta::{Builder, ErrorHandlingMode, collect_commands, collect_events};

/// Every command and event.
///
/// Length: one line per command.
pub fn builder() -> Builder<tauri::Wry> {
    let builder = Builder::<tauri::Wry>::new()
        // One type per noun: readers and writers agree, since every optional field is an `Option`.
        .disable_serde_phases()
        .error_handling(ErrorHandlingMode::Throw)
        .commands(collect_commands![
            current_project,
            refused_project,
            recent_projects,
            open_project,
            restoration,
            restore_project,
            begin_anew,
            write_refusal,
            overview,
            since_look,
            look,
            name_window,
            tell_unsaved,
            announce_choice,
            choose_announce,
            list_notices,
            settle_notice,
            reopen_notice,
            list_features,
            get_feature,
            create_feature,
            update_feature,
            get_feature_saturations,
            saturation_history,
            get_split,
            list_learnings,
            learning_page,
            learning_categories,
            learnings_by_id,
            list_staged,
            append_feature_learning,
            edit_learning,
            review_learning,
            retire_learning,
            restore_learning,
            review_queue,
            learning_qualities,
            decide_gate,
            reopen_warning,
            undo_reconciliation,
            resolve_conflict,
            reopen_conflict,
            list_merge_offers,
            count_merge_offers,
            merge_learnings,
            move_learning,
            undo_learning,
            list_journal,
            recall,
            index_state,
            consolidation_view,
            learnings_to_consolidate,
            consolidate,
            undo_consolidation,
            list_documents,
            ingest_documents,
            forget_documents,
            read_document,
            agents_file,
            list_facts,
            list_episodes,
            operations_behind,
            learning_status,
            audit_report,
            retire_class,
            undo_audit,
            state_fact,
            withdraw_memory,
            restore_memory,
            list_tasks,
            get_task,
            next_prompt,
            create_task,
            listed_tasks,
            import_tasks,
            update_task,
            put_back,
            undo_put_back,
            add_comment,
            list_disciplines,
            set_discipline,
            list_runs,
            get_run,
            get_iteration,
            iteration_diff,
            start_run,
            control_run,
            guide,
            withdraw_guidance,
            answer_question,
            lane_signals,
            list_errands,
            get_errand,
            stop_errand,
            follow_transcript,
            follow_errand,
            stop_following,
            get_insights,
            iterations_where,
            work_over_time,
            get_eval_insights,
            learning_effects,
            pairs_to_label,
            label_pair,
            question_rows,
            unlearn,
            select_memory,
            learning_evidence,
            get_settings,
            get_trust,
            agree,
            restore_agreed,
            get_trust_of,
            agree_to_folder,
            list_snapshots,
            get_snapshot,
            restore_snapshot,
            list_reviews,
            get_review,
            review_diff,
            merge_work,
            stop_merge,
            discard_work,
            undo_discard,
            send_back_task,
            pull_request_text,
            open_pull_request,
            list_worktrees,
            empty_in_worktrees,
            hooks_missing_in_worktrees,
            show_worktree,
            remove_worktree,
            prunable_worktrees,
            prune_worktrees,
            update_settings,
            doctor,
            look_at_folder,
            check_agent,
            open_settings_file,
            export_project,
        ])
        .events(collect_events![TopicsChanged, PlaceOpened])
        .typ::<ralph_core::view::CommandError>();
    with_rules(builder)
}

/// Limits and rules used by the page, defined once in the backend.
fn with_rules(builder: Builder<tauri::Wry>) -> Builder<tauri::Wry> {
    builder
        .constant("ACRONYM_CHARS", limits::ACRONYM_CHARS)
        .constant("AWAY_MILLIS", u32::try_from(limits::AWAY_MILLIS).unwrap_or(u32::MAX))
        .constant("CLAUDE_MODES", ralph_core::permission::CLAUDE_MODES)
        .constant("CRITICAL_PCT", CRITICAL_PCT)
        .constant("EVIDENCE_ITEMS", limits::EVIDENCE_ITEMS)
        .constant("HIGH_PCT", HIGH_PCT)
        .constant("LEARNING_TEXT_CHARS", limits::LEARNING_TEXT_CHARS)
        .constant("NOT_LOOKED_AT", ralph_core::trust::NOT_LOOKED_AT)
        .constant("PROTECTING_HITS", limits::PROTECTING_HITS)
        .constant("SETTING_RANGES", ralph_core::settings::RANGES)
        .constant("SPLIT_CHILDREN", limits::SPLIT_CHILDREN)
        .constant("STOPS_FOR_A_PERSON", StopReason::ALL.iter().filter(|reason| reason.needs_person()).collect::<Vec<_>>())
        .constant("UNUSED_ACTIVE_DAYS", limits::UNUSED_ACTIVE_DAYS)
        .constant("WORKERS", limits::WORKERS)
}

#[cfg(test)]
mod tests {
    use super::builder;
    use specta_typescript::Typescript;
    use std::path::Path;

    #[test]
    fn the_committed_bindings_are_those_of_the_commands() {
        let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/ipc/bindings.ts");
        let folder = tempfile::tempdir().expect("a folder");
        let fresh = folder.path().join("bindings.ts");
        builder().export(Typescript::default(), &fresh).expect("every type has a TypeScript form");
        let fresh = std::fs::read_to_string(fresh).expect("just written");
        if std::env::var_os("RALPH_WRITE_BINDINGS").is_some() {
            std::fs::write(&committed, &fresh).expect("bindings written");
        }
        let stored = std::fs::read_to_string(&committed).unwrap_or_default();
        assert!(stored == fresh, "src/ipc/bindings.ts is stale: run `cargo xtask codegen`");
    }
}
