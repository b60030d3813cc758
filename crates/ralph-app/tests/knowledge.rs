//! Remembering, the split, the move and the rebuild, on real files.

mod common;

use common::{Project, by_person, human, learning};
use ralph_app::{Actor, AppError};
use ralph_core::feature::{FeaturePatch, FeatureState, NewFeature};
use ralph_core::learning::{ConflictChoice, LearningFilter, LearningSource, LearningState, NewLearning, Verdict};
use ralph_core::limits;
use ralph_core::recall::RecallQuery;
use ralph_core::saturation::SaturationLevel;
use ralph_core::task::{NewTask, TaskFilter, TaskKind, TaskPatch, TaskProvenance, TaskStatus};

#[test]
fn forty_five_protected_learnings_make_exactly_one_split_task() {
    let project = Project::with_feature("pay");
    for number in 0..44 {
        assert_eq!(project.add(&human("pay", number)).split_task, None);
    }
    let at_90 = project.add(&human("pay", 44));
    assert_eq!((at_90.saturation.saturation_pct, at_90.saturation.level), (90, SaturationLevel::Critical));
    let split = at_90.split_task.expect("the split task is there");
    assert_eq!(project.add(&human("pay", 45)).split_task, Some(split), "the same one");
    let task = project.app.task(split).expect("exists").task;
    assert_eq!(task.title, "Decompose feature 'pay' — knowledge saturation at 90%");
    assert_eq!((task.provenance, task.kind, task.status), (TaskProvenance::System, TaskKind::Split, TaskStatus::Pending));
    assert_eq!(project.app.tasks(&TaskFilter::default()).expect("lists").len(), 1);
}

#[test]
fn a_list_is_searched_by_the_same_words_in_other_characters() {
    let project = Project::with_feature("pay");
    project.add(&human("pay", 1));
    let id = project.add(&by_person("환불은 재무팀의 두 번째 승인이 필요합니다.")).id;
    let syllables_in_parts = "\u{1112}\u{116a}\u{11ab}\u{1107}\u{116e}\u{11af}";
    let found = project.app.matching_learnings(syllables_in_parts, None, LearningState::Active, 1).expect("searches");
    assert_eq!(found.into_iter().map(|learning| learning.id).collect::<Vec<_>>(), [id]);
}

#[test]
fn a_split_task_tells_what_its_feature_holds_when_it_is_worked_on_unless_somebody_gave_it_other_words() {
    let project = Project::with_feature("pay");
    let made: Vec<_> = (0..45).filter_map(|number| project.add(&human("pay", number)).split_task).collect();
    let [split] = made[..] else { panic!("one split task, at 90 %: {made:?}") };
    let prompt = || project.app.next_prompt(split).expect("composes").text;
    assert!(prompt().contains("45 of 50 learnings") && prompt().contains("- none\n"));
    let late =
        project.app.create_task(&NewTask { feature: "pay".into(), title: "Late refunds".into(), ..NewTask::default() }).expect("creates");
    let lesson = project.add(&human("pay", 45)).id;
    let gone = project.app.learning_rows(Some("pay"), &[]).expect("lists").remove(0).learning.id;
    project.app.retire_learning(&gone).expect("retires");
    project.add(&human("pay", 46));
    let told = prompt();
    assert!(
        told.contains("46 of 50 learnings") && told.contains(&format!("- #{} [pending] Late refunds (0 learnings)", late.id)),
        "{told}"
    );
    assert!(told.contains(&format!("- {lesson} (no task)")) && !told.contains(&gone), "{told}");

    let patch = TaskPatch { description: Some("Split it by country.".to_owned()), ..TaskPatch::default() };
    project.app.update_task(split, &patch).expect("edits");
    assert!(prompt().contains("Split it by country.") && !prompt().contains("46 of 50"), "a person's words stay");
}

#[test]
fn the_pages_of_a_list_are_the_whole_in_pieces_and_named_ones_come_as_they_were_named() {
    let project = Project::with_feature("pay");
    let ids: Vec<String> = (0..7).map(|n| project.add(&human("pay", n)).id).collect();
    project.app.retire_learning(&ids[1]).expect("retires");
    let page = |filter: &LearningFilter, from| project.app.learning_page(filter, from, 3).expect("lists");
    for states in [&[][..], &[LearningState::Active]] {
        for feature in [None, Some("pay")] {
            let whole = project.app.learning_rows(feature, states).expect("lists");
            let filter = LearningFilter { feature: feature.map(str::to_owned), states: states.to_vec(), ..LearningFilter::default() };
            let pages = [0, 3, 6, 9].map(|from| page(&filter, from));
            assert!(pages.iter().all(|page| page.total as usize == whole.len()), "{feature:?} {states:?}");
            assert_eq!(pages.map(|page| page.rows).concat(), whole, "{feature:?} {states:?}");
        }
    }
    let unknown = LearningFilter { feature: Some("nothing".to_owned()), ..LearningFilter::default() };
    assert!(project.app.learning_page(&unknown, 0, 3).is_err(), "as for the whole list");
    let asked = [ids[4].clone(), "unknown".to_owned(), ids[1].clone()];
    let named = project.app.learning_rows_by_id(&asked).expect("lists");
    let found: Vec<&str> = named.iter().map(|row| row.learning.id.as_str()).collect();
    assert_eq!(found, [ids[4].as_str(), ids[1].as_str()]);
}

#[test]
fn a_page_of_learnings_obeys_each_part_of_its_filter() {
    let project = Project::with_feature("pay");
    let added = |text: &str, category: &str, source: LearningSource| {
        let tags = vec!["Größe".to_owned()];
        let new = NewLearning { category: Some(category.to_owned()), tags, source, ..NewLearning::new("pay", text) };
        project.add(&new).id
    };
    let rule = added("The ÄRMEL of a refund are cut by the provider's clock.", "rule", LearningSource::Human);
    let gotcha = added("src/sizes.rs rounds 50 % down while the cache is cold.", "gotcha", LearningSource::Agent);
    let passing = |filter: LearningFilter| {
        let page = project.app.learning_page(&filter, 0, 10).expect("lists");
        assert_eq!(page.total as usize, page.rows.len());
        page.rows.into_iter().map(|row| row.learning.id).collect::<Vec<_>>()
    };
    let words = |words: &[&str]| LearningFilter { words: words.iter().map(|&word| word.to_owned()).collect(), ..LearningFilter::default() };
    assert_eq!(passing(words(&["ärmel", "REFUND"])), [rule.as_str()], "in any case, also beyond ASCII");
    assert_eq!(passing(words(&["größe", "Pay"])), [rule.as_str(), gotcha.as_str()], "tags and the feature's name, too");
    assert_eq!(passing(words(&["50 %"])), [gotcha.as_str()], "no letter means anything else");
    assert_eq!(passing(words(&["ärmel", "cache"])), [""; 0], "every word");
    assert_eq!(passing(LearningFilter { category: Some("gotcha".to_owned()), ..LearningFilter::default() }), [gotcha.as_str()]);
    assert_eq!(passing(LearningFilter { sources: vec![LearningSource::Human], ..LearningFilter::default() }), [rule.as_str()]);
    project.app.retire_learning(&rule).expect("retires");
    let categories = |states: &[LearningState]| project.app.learning_categories(Some("pay"), states).expect("lists");
    assert_eq!(categories(&[]), ["gotcha", "rule"]);
    assert_eq!(categories(&[LearningState::Active]), ["gotcha"]);
}

#[test]
fn with_everything_protected_the_newcomer_is_parked_and_returns_when_there_is_room() {
    let project = Project::with_feature("pay");
    let first = project.add(&human("pay", 0)).id;
    (1..50).for_each(|n| drop(project.add(&human("pay", n))));
    let error = project.app.append_feature_learning(&human("pay", 50)).expect_err("is full");
    let AppError::KnowledgeFull { parked, saturation, split_task } = error else { panic!("{error}") };
    assert_eq!((saturation.learnings_count, saturation.protected_count), (50, 50));
    let split = split_task.expect("the split task is there");
    let waiting = || project.app.overview().expect("reads").needs_you_count;
    assert_eq!((project.state(&parked), waiting()), (LearningState::Parked, 0), "the loop will split it");
    for (status, count) in [(TaskStatus::Draft, 1), (TaskStatus::Pending, 0)] {
        let patch = TaskPatch { status: Some(status), ..TaskPatch::default() };
        project.app.update_task(split, &patch).expect("changes");
        assert_eq!(waiting(), count, "a split that is {status}");
    }
    project.app.retire_learning(&first).expect("retires");
    assert_eq!(project.state(&parked), LearningState::Active);
    project.rebuilds_to_the_same();
}

#[test]
fn every_contradiction_can_be_decided_however_many_there_are() {
    let project = Project::with_feature("pay");
    project.app.update_feature("pay", &FeaturePatch { max_learnings: Some(200), ..FeaturePatch::default() }).expect("caps");
    let says = |text: String| project.add(&NewLearning { source: LearningSource::Human, ..NewLearning::new("pay", &text) });
    for number in 0..=limits::REVIEW_ROWS {
        says(format!("Never edit src/part{number}.rs by hand"));
        says(format!("Edit src/part{number}.rs by hand"));
    }
    let pairs = project.app.review_queue().expect("lists").pairs;
    assert_eq!(u32::try_from(pairs.len()), Ok(limits::REVIEW_ROWS + 1));
}

#[test]
fn what_the_review_does_not_list_yet_is_counted() {
    let project = Project::with_feature("pay");
    project.app.update_feature("pay", &FeaturePatch { max_learnings: Some(200), ..FeaturePatch::default() }).expect("caps");
    for number in 0..limits::REVIEW_ROWS + 3 {
        project.add(&NewLearning::new("pay", &format!("Be careful with part{number}.")));
    }
    let queue = project.app.review_queue().expect("lists");
    assert_eq!((u32::try_from(queue.warnings.len()), queue.more.warnings, queue.more.acts), (Ok(limits::REVIEW_ROWS), 3, 0));
    project.app.decide_gate(&queue.warnings[0].learning.id, false).expect("decides");
    let queue = project.app.review_queue().expect("lists");
    assert_eq!((u32::try_from(queue.warnings.len()), queue.more.warnings), (Ok(limits::REVIEW_ROWS), 2));
}

#[test]
fn at_the_cap_the_oldest_unprotected_one_gives_its_place_and_can_come_back() {
    let project = Project::with_feature("pay");
    let oldest = project.add(&learning("pay", 0)).id;
    (1..50).for_each(|n| drop(project.add(&learning("pay", n))));
    let added = project.add(&learning("pay", 50));
    assert_eq!((added.verdict, added.pruned.as_slice()), (Verdict::Added, std::slice::from_ref(&oldest)));
    assert_eq!(added.saturation.learnings_count, 50);
    project.app.restore_learning(&oldest).expect("comes back");
    assert_eq!(project.state(&oldest), LearningState::Active);
    assert_eq!(project.app.learnings(Some("pay"), &[LearningState::Pruned]).expect("lists").len(), 1);
    project.rebuilds_to_the_same();
}

#[test]
fn a_learning_seen_in_three_distinct_iterations_is_protected() {
    let project = Project::with_feature("pay");
    let seen_in = |iteration| NewLearning { iteration: Some(iteration), ..learning("pay", 1) };
    let id = project.add(&seen_in(1)).id;
    for (iteration, hits) in [(1, 1), (2, 2), (2, 2), (3, 3)] {
        let again = project.add(&seen_in(iteration));
        assert_eq!((again.verdict, &again.id), (Verdict::Observed, &id));
        assert_eq!(project.app.learning(&id).expect("exists").hit_count, hits, "after iteration {iteration}");
    }
    assert!(!project.app.learning(&id).expect("exists").is_auto_prunable());
    project.rebuilds_to_the_same();
}

#[test]
fn a_contradiction_is_kept_named_and_decided_by_a_person() {
    let project = Project::with_feature("pay");
    let older = project.add(&NewLearning::new("pay", "Never mock the clock in tests")).id;
    let newer = project.add(&NewLearning::new("pay", "Mock the clock in tests"));
    assert_eq!((newer.verdict, newer.conflicts_with.as_slice()), (Verdict::Conflict, std::slice::from_ref(&older)));
    assert_eq!(project.app.conflicts().expect("lists").len(), 1);
    project.rebuilds_to_the_same();
    project.app.resolve_conflict(&older, &newer.id, ConflictChoice::KeepNewer).expect("decides");
    assert_eq!(project.state(&older), LearningState::Superseded);
    assert_eq!(project.app.conflicts().expect("lists").len(), 0);
    project.rebuilds_to_the_same();
}

#[test]
fn a_person_saying_what_an_agent_said_protects_it_and_leaves_its_source() {
    let project = Project::with_feature("pay");
    let id = project.add(&learning("pay", 1)).id;
    let again = project.add(&NewLearning { source: LearningSource::Human, ..learning("pay", 1) });
    assert_eq!(again.verdict, Verdict::Observed);
    let known = project.app.learning(&id).expect("exists");
    assert_eq!((known.source, known.reviewed_by.as_deref(), known.is_auto_prunable()), (LearningSource::Agent, Some("human"), false));
}

#[test]
fn an_edit_supersedes_and_never_overwrites() {
    let project = Project::with_feature("pay");
    let old = project.add(&learning("pay", 1)).id;
    let new = project.app.edit_learning(&old, "Said better than before", None).expect("edits");
    assert_eq!(new.source, LearningSource::Human);
    let old = project.app.learning(&old).expect("is still there");
    assert_eq!((old.state, old.superseded_by.as_deref()), (LearningState::Superseded, Some(new.id.as_str())));
    project.rebuilds_to_the_same();
}

#[test]
fn a_merge_supersedes_all_that_it_says_and_frees_their_room() {
    let project = Project::with_feature("pay");
    let ids: Vec<String> = (1..4).map(|n| project.add(&learning("pay", n)).id).collect();
    let merged = project.app.merge_learnings(&ids, "Every module keeps a cache: reload after a change", None).expect("merges");
    assert_eq!(merged.source, LearningSource::Human);
    for id in &ids {
        assert_eq!(project.app.learning(id).expect("is still there").superseded_by.as_deref(), Some(merged.id.as_str()));
    }
    assert_eq!(project.app.get_feature_saturations().expect("counts")[0].learnings_count, 1);
    let error = project.app.merge_learnings(&ids, "again", None).expect_err("is refused").to_string();
    assert!(error.contains("superseded"), "{error}");
    assert!(project.app.merge_learnings(&[merged.id.clone(), merged.id], "once", None).is_err());
    project.rebuilds_to_the_same();
}

#[test]
fn secrets_are_gone_before_anything_is_stored() {
    let project = Project::with_feature("pay");
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let stored = project.add(&NewLearning::new("pay", &format!("The deploy script needs {secret} in its environment")));
    assert_eq!(stored.redacted, 1);
    let journal = std::fs::read_to_string(project.app.paths().memory.join("pay.jsonl")).expect("reads");
    assert!(!journal.contains(&secret) && journal.contains("[redacted:"), "{journal}");
    let database = std::fs::read(project.app.paths().db.join("ralph.db-wal")).unwrap_or_default();
    assert!(!String::from_utf8_lossy(&database).contains(&secret));
    let new = NewLearning { tags: vec!["deploy".into(), secret.clone()], category: Some(secret), ..NewLearning::new("pay", "Seed first") };
    assert_eq!(project.add(&new).redacted, 2, "those of a tag and of the category, too");
}

/// A full feature `pay` with 45 protected learnings over three tasks, and its split task.
fn saturated() -> (Project, [u32; 3], u32) {
    let project = Project::with_feature("pay");
    let tasks = [1, 2, 3].map(|n| project.task("pay", &format!("part {n}")));
    let mut split = None;
    for number in 0..45 {
        let task_id = Some(tasks[number as usize % 3]);
        split = project.add(&NewLearning { task_id, ..human("pay", number) }).split_task;
    }
    (project, tasks, split.expect("critical"))
}

#[test]
fn a_split_moves_tasks_with_their_learnings_and_ends_the_parent() {
    let (project, tasks, split) = saturated();
    let done = TaskPatch { status: Some(TaskStatus::Done), ..TaskPatch::default() };
    let refused = project.app.update_task(split, &done).expect_err("has no children");
    assert!(matches!(&refused, AppError::SplitIncomplete { left, .. } if left.contains("0 child features")), "{refused}");
    for child in ["pay-in", "pay-out"] {
        let new = NewFeature { name: child.into(), display_name: child.into(), parent: Some("pay".into()), ..NewFeature::default() };
        project.app.create_feature(&new).expect("makes");
    }
    let to = |name: &str| TaskPatch { feature: Some(name.into()), ..TaskPatch::default() };
    project.app.update_task(tasks[0], &to("pay-in")).expect("moves");
    project.app.update_task(tasks[1], &to("pay-out")).expect("moves");
    let refused = project.app.update_task(split, &done).expect_err("a task is open there");
    assert!(matches!(&refused, AppError::SplitIncomplete { left, .. } if left.contains(&format!("#{}", tasks[2]))), "{refused}");
    project.app.update_task(tasks[2], &done).expect("what is done stays, as history");
    project.app.update_task(split, &done).expect("closes");
    let counts: Vec<(String, u32)> =
        project.app.get_feature_saturations().expect("counts").into_iter().map(|s| (s.feature, s.learnings_count)).collect();
    assert_eq!(counts, [("pay".to_owned(), 15), ("pay-in".to_owned(), 15), ("pay-out".to_owned(), 15)]);
    assert_eq!(project.app.feature("pay").expect("exists").state, FeatureState::Decomposed);
    let error = project.app.append_feature_learning(&human("pay", 99)).expect_err("is closed");
    assert!(matches!(&error, AppError::FeatureClosed { children, .. } if *children == ["pay-in", "pay-out"]), "{error}");
    project.rebuilds_to_the_same();
}

#[test]
fn what_finds_no_room_in_the_target_waits_there() {
    let (project, tasks, _) = saturated();
    project.app.create_feature(&NewFeature { name: "small".into(), max_learnings: Some(10), ..NewFeature::default() }).expect("makes");
    project.app.update_task(tasks[0], &TaskPatch { feature: Some("small".into()), ..TaskPatch::default() }).expect("moves");
    let in_state = |state| project.app.learnings(Some("small"), &[state]).expect("lists").len();
    assert_eq!((in_state(LearningState::Active), in_state(LearningState::Parked)), (10, 5));
    project.app.update_feature("small", &FeaturePatch { max_learnings: Some(12), ..FeaturePatch::default() }).expect("raises");
    assert_eq!((in_state(LearningState::Active), in_state(LearningState::Parked)), (12, 3));
    project.rebuilds_to_the_same();
}

#[test]
fn what_was_put_away_goes_with_its_task_and_is_known_there() {
    let project = Project::with_feature("pay");
    let task = project.task("pay", "part");
    let say = |feature: &str, number: u32| NewLearning { task_id: Some(task), ..learning(feature, number) };
    let retired = project.add(&say("pay", 1)).id;
    let old = project.add(&say("pay", 2)).id;
    project.app.retire_learning(&retired).expect("retires");
    let reworded = project.app.edit_learning(&old, "Reload module m2 whenever f2.rs changes", None).expect("rewords").id;
    project.app.create_feature(&NewFeature { name: "shop".into(), ..NewFeature::default() }).expect("makes");
    project.app.update_task(task, &TaskPatch { feature: Some("shop".into()), ..TaskPatch::default() }).expect("moves");
    for (number, verdict, id) in [(1, Verdict::PutAway, &retired), (2, Verdict::Observed, &reworded)] {
        let again = project.add(&say("shop", number));
        assert_eq!((again.verdict, &again.id), (verdict, id));
    }
    project.rebuilds_to_the_same();
    assert_eq!(project.clone_without_database().knowledge(), project.knowledge());
}

#[test]
fn a_fresh_clone_knows_what_the_journals_tell() {
    let (project, _, _) = saturated();
    let before = project.knowledge();
    let clone = project.clone_without_database();
    assert_eq!(clone.knowledge(), before);
    let split = clone.app.tasks(&TaskFilter::default()).expect("lists");
    assert_eq!(split.len(), 1, "the saturated feature asks for its split again");
    let error = clone.app.append_feature_learning(&NewLearning::new("nowhere", "x")).expect_err("is refused");
    assert!(matches!(error, AppError::NotFound { .. }), "{error}");
    assert_eq!(clone.add(&human("pay", 90)).verdict, Verdict::Added);
}

#[test]
fn a_torn_last_line_is_skipped_told_and_loses_only_itself() {
    let project = Project::with_feature("pay");
    project.add(&human("pay", 1));
    let path = project.app.paths().memory.join("pay.jsonl");
    let mut bytes = std::fs::read(&path).expect("reads");
    bytes.extend_from_slice(b"{\"v\":1,\"id\":\"torn");
    std::fs::write(&path, bytes).expect("writes");
    let after = project.add(&human("pay", 2)).id;
    let rebuilt = project.app.rebuild().expect("rebuilds");
    assert_eq!((rebuilt.learnings, rebuilt.skipped.len()), (2, 1));
    assert_eq!(project.state(&after), LearningState::Active);
}

#[test]
fn outside_of_runs_a_person_s_program_closes_any_task() {
    let project = Project::with_feature("pay");
    let id = project.task("pay", "a");
    let client = project.acting_as(Actor::Agent { working_on: None });
    let done = TaskPatch { status: Some(TaskStatus::Done), ..TaskPatch::default() };
    assert_eq!(client.update_task(id, &done).expect("no run works on it").status, TaskStatus::Done);
}

#[test]
fn bad_input_names_the_field_and_stores_nothing() {
    let project = Project::with_feature("pay");
    let task = |change: fn(&mut NewTask)| {
        let mut new = NewTask { feature: "pay".into(), title: "t".into(), ..NewTask::default() };
        change(&mut new);
        project.app.create_task(&new).expect_err("is refused").to_string()
    };
    assert!(task(|t| t.title = "  ".into()).starts_with("title"));
    assert!(task(|t| t.title = "x".repeat(500)).starts_with("title"));
    assert!(task(|t| t.depends_on = vec![7]).starts_with("depends_on"));
    assert!(task(|t| t.parent = Some(7)).starts_with("parent"));
    assert!(task(|t| t.discipline = Some("magic".into())).starts_with("discipline"));
    assert!(task(|t| t.feature = "nope".into()).contains("nope"));
    assert!(task(|t| t.status = Some(TaskStatus::InProgress)).starts_with("status"));
    assert_eq!(project.app.tasks(&TaskFilter::default()).expect("lists"), vec![]);
    for text in ["", "  \u{0} \u{200b} "] {
        let error = project.app.append_feature_learning(&NewLearning::new("pay", text)).expect_err("is refused");
        assert!(error.to_string().starts_with("text"), "{error}");
    }
    let (a, b) = (project.task("pay", "a"), project.task("pay", "b"));
    let wait = |on: u32| TaskPatch { depends_on: Some(vec![on]), ..TaskPatch::default() };
    project.app.update_task(a, &wait(b)).expect("waits");
    let error = project.app.update_task(b, &wait(a)).expect_err("is a cycle").to_string();
    assert!(error.contains(&format!("#{b} → #{a} → #{b}")), "{error}");
}

#[test]
fn what_was_chosen_far_down_was_found_there() {
    let project = Project::with_feature("pay");
    for number in 0..30 {
        project.add(&learning("pay", number));
    }
    let query = RecallQuery { query: "module cache reload".into(), limit: 30, ..RecallQuery::default() };
    let found = project.app.recall(&query).expect("answers");
    let last = found.hits.last().expect("is there");
    let outcome = project.app.give_feedback(&last.id, true, Some(&found.query)).expect("is heard");
    assert_eq!((found.hits.len(), outcome.rank), (30, Some(30)));
}
