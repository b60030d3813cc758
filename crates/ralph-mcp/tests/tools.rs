//! Every tool, as called by an agent.

mod common;

use common::{AGENT, Project};
use ralph_app::Actor;
use ralph_core::learning::NewLearning;
use ralph_mcp::Profile;
use serde_json::json;

#[tokio::test]
async fn features_are_made_changed_and_listed() {
    let project = Project::new();
    let mut client = project.ready().await;
    let long = "é".repeat(500);
    let child =
        json!({"name": "pay-refunds", "display_name": "Refunds", "parent": "pay", "description": long, "context_files": ["src/refund.rs"]});
    let made = client.ok("create_feature", child).await;
    assert_eq!((&made["name"], &made["parent"], &made["state"]), (&json!("pay-refunds"), &json!("pay"), &json!("active")));
    assert_eq!(made["description"], long, "an object comes whole");

    let changed = client.ok("update_feature", json!({"name": "pay", "boundaries": "no ledger", "max_learnings": 10})).await;
    assert_eq!(
        (&changed["boundaries"], &changed["max_learnings"], &changed["display_name"]),
        (&json!("no ledger"), &json!(10), &json!("Payments"))
    );

    client.ok("create_task", json!({"feature": "pay", "title": "Retry"})).await;
    let listed = client.ok("list_features", json!({})).await;
    assert_eq!(listed["more"], 0);
    let fill = json!({"learnings_count": 0, "max_learnings": 10, "protected_count": 0, "saturation_pct": 0, "level": "low"});
    let pay = json!({"name": "pay", "display_name": "Payments", "state": "active", "saturation": fill, "open_tasks": 1});
    assert_eq!(listed["features"][0], pay);
    assert_eq!(listed["features"][1]["parent"], "pay");
    assert_eq!(listed["features"][1]["description"], "é".repeat(160), "a list is for choosing");
}

#[tokio::test]
async fn tasks_are_made_changed_remarked_and_read() {
    let project = Project::new();
    let mut client = project.ready().await;
    let first =
        client.ok("create_task", json!({"feature": "pay", "title": "Ledger", "priority": "high", "acceptance_criteria": ["sums"]})).await;
    assert_eq!((&first["id"], &first["status"], &first["provenance"]), (&json!(1), &json!("pending"), &json!("agent")));
    let second = client.ok("create_task", json!({"feature": "pay", "title": "Refund", "depends_on": [1], "tags": null})).await;
    assert_eq!((&second["readiness"], &second["waiting_on"]), (&json!("waiting"), &json!([1])));

    let listed = client.ok("list_tasks", json!({"feature": "pay", "readiness": "waiting"})).await;
    let row = json!({"id": 2, "feature": "pay", "title": "Refund", "status": "pending", "priority": "medium", "readiness": "waiting", "waiting_on": [1]});
    assert_eq!(listed, json!({"tasks": [row], "more": 0}));

    let done = client.ok("update_task", json!({"id": 1, "status": "done"})).await;
    assert_eq!((&done["status"], &done["note"]), (&json!("done"), &json!(null)), "outside a run the word counts at once");
    assert_eq!(client.ok("list_tasks", json!({"status": "done"})).await["tasks"][0]["id"], 1);
    assert_eq!(client.ok("list_tasks", json!({"text": "refu"})).await["tasks"][0]["readiness"], "ready");

    for number in 1..=12 {
        client.ok("add_comment", json!({"id": 2, "text": format!("remark {number} {}", "x".repeat(3_000))})).await;
    }
    let task = client.ok("get_task", json!({"id": 2})).await;
    let comments = task["comments"].as_array().expect("comments");
    assert_eq!((comments.len(), &task["more_comments"], &task["iterations"]), (10, &json!(2), &json!([])));
    let newest = comments[9]["text"].as_str().expect("text");
    assert!(newest.starts_with("remark 12 ") && newest.ends_with(" […]") && newest.chars().count() < 2_100, "{newest}");
}

#[tokio::test]
async fn learnings_are_kept_with_a_true_verdict_and_listed() {
    let project = Project::new();
    let mut client = project.ready().await;
    let text = "Refund windows use the provider clock, see src/refund.rs";
    let of_task = json!({"feature": "pay", "text": text, "tags": ["src/refund.rs"], "task_id": "#1"});
    client.ok("create_task", json!({"feature": "pay", "title": "Refund"})).await;
    let kept = client.ok("append_feature_learning", of_task).await;
    assert_eq!((&kept["verdict"], &kept["saturation"]["learnings_count"]), (&json!("added"), &json!(1)));
    let again = client.ok("append_feature_learning", json!({"feature": "pay", "text": text})).await;
    assert_eq!((&again["verdict"], &again["id"]), (&json!("observed"), &kept["id"]));

    let listed = client.ok("list_learnings", json!({"feature": "pay"})).await;
    let row =
        json!({"id": kept["id"], "feature": "pay", "text": text, "category": "general", "source": "agent", "hit_count": 1, "task_id": 1});
    assert_eq!(listed, json!({"learnings": [row], "more": 0}));
    assert_eq!(client.ok("list_learnings", json!({"limit": 1.0})).await, listed, "to JSON Schema an integer");
    assert_eq!(client.ok("list_learnings", json!({"state": "pruned"})).await["learnings"], json!([]));
}

#[tokio::test]
async fn a_question_lists_the_learnings_that_answer_it_best_first() {
    let project = Project::new();
    let mut client = project.ready().await;
    for text in ["Vouchers are rounded in voucher.rs", "Refund windows use the provider clock", "The ledger is kept in ledger.rs"] {
        client.ok("append_feature_learning", json!({"feature": "pay", "text": text})).await;
    }
    let listed = client.ok("list_learnings", json!({"query": "which clock has the refund?"})).await;
    assert_eq!(listed["learnings"][0]["text"], "Refund windows use the provider clock", "{listed}");
    assert_eq!(listed["learnings"].as_array().map(Vec::len), Some(1), "what says nothing of it is left out: {listed}");
    let parked = client.ok("list_learnings", json!({"query": "refund clock", "state": "parked"})).await;
    assert_eq!(parked["learnings"], json!([]));
}

#[tokio::test]
async fn a_question_about_one_state_is_not_answered_by_the_places_of_another() {
    let project = Project::new();
    let mut client = project.ready().await;
    client.ok("update_feature", json!({"name": "pay", "max_learnings": 500})).await;
    let keep = |text: &str| project.app.append_feature_learning(&NewLearning::new("pay", text)).expect("room").id;
    let retired = keep("A rest is needed in dough.rs");
    project.app.retire_learning(&retired).expect("put away");
    for number in 0..201 {
        keep(&format!("Lesson {number}: call `step_{number}` before the rest"));
    }
    let found = client.ok("list_learnings", json!({"query": "call the step before the rest", "state": "retired"})).await;
    assert_eq!(found["learnings"][0]["id"], json!(retired), "{found}");
    let active = client.ok("list_learnings", json!({"query": "call the step before the rest", "limit": 200})).await;
    assert_eq!(active["learnings"].as_array().map(Vec::len), Some(200));
}

#[tokio::test]
async fn one_learning_is_moved_outside_of_the_ten_tools_and_that_is_undone() {
    let project = Project::new();
    project.ready().await;
    let mut client = project.client_with(AGENT, Profile::Full);
    client.initialize().await;
    client.ok("create_feature", json!({"name": "shop", "display_name": "Shop"})).await;
    let id = client.ok("append_feature_learning", json!({"feature": "pay", "text": "Baskets are kept in basket.rs"})).await["id"].clone();
    let moved = client.ok("move_learning", json!({"id": id, "to": "SHOP"})).await;
    assert_eq!(moved, json!({"id": id, "feature": "shop", "state": "active"}));
    for (wrong, code) in [
        (json!({"id": id, "to": "shop"}), "invalid"),
        (json!({"id": id, "to": "nowhere"}), "not_found"),
        (json!({"id": "none", "to": "pay"}), "not_found"),
    ] {
        assert_eq!(client.refused("move_learning", wrong).await["code"], code);
    }
    let id = id.as_str().expect("an id");
    assert_eq!(project.app.undo_learning(id).expect("a person undoes it").feature, "pay");
}

#[tokio::test]
async fn a_full_feature_refuses_and_names_the_parked_learning() {
    let project = Project::new();
    let mut client = project.ready().await;
    client.ok("update_feature", json!({"name": "pay", "max_learnings": 5})).await;
    for subject in ["clock", "ledger", "tax", "basket", "voucher"] {
        let mut new = NewLearning::new("pay", &format!("The {subject} is kept in {subject}.rs"));
        project.app.sign(&mut new, None).expect("a person signs");
        project.app.append_feature_learning(&new).expect("room");
    }
    let error = client.refused("append_feature_learning", json!({"feature": "pay", "text": "Receipts are printed by receipt.rs"})).await;
    assert_eq!(error["code"], "knowledge_full");
    let hint = error["hint"].as_str().expect("a hint");
    assert!(hint.contains("#1"), "{error}");
    let parked = client.ok("list_learnings", json!({"state": "parked"})).await;
    let id = parked["learnings"][0]["id"].as_str().expect("the parked learning");
    assert!(error["message"].as_str().is_some_and(|message| message.contains(id)), "{error}");
}

#[tokio::test]
async fn a_split_moves_tasks_and_learnings_and_closes_the_parent() {
    let project = Project::new();
    let mut client = project.ready().await;
    client.ok("update_feature", json!({"name": "pay", "max_learnings": 5})).await;
    client.ok("create_task", json!({"feature": "pay", "title": "Refund"})).await;
    for subject in ["clock", "ledger", "tax", "basket", "voucher"] {
        let new = json!({"feature": "pay", "text": format!("The {subject} is kept in {subject}.rs"), "task_id": 1});
        client.ok("append_feature_learning", new).await;
    }
    let error = client.refused("update_task", json!({"id": 2, "status": "done"})).await;
    assert_eq!(error["code"], "split_incomplete");
    for child in ["pay-refund", "pay-rest"] {
        client.ok("create_feature", json!({"name": child, "display_name": child, "parent": "pay"})).await;
    }
    client.ok("update_task", json!({"id": "1", "feature": "pay-refund"})).await;
    let moved = client.ok("list_learnings", json!({"feature": "pay-refund"})).await;
    assert_eq!(moved["learnings"].as_array().map(Vec::len), Some(5));
    client.ok("update_task", json!({"id": 2, "status": "done"})).await;
    let error = client.refused("append_feature_learning", json!({"feature": "pay", "text": "One more thing"})).await;
    assert_eq!(error["code"], "feature_closed");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("pay-refund, pay-rest")), "{error}");
}

#[tokio::test]
async fn calls_from_a_run_carry_its_iteration_and_task_whatever_they_claim() {
    let project = Project::new();
    drop(project.ready().await);
    let mut client = project.client(Actor::Agent { working_on: Some((17, 4)) });
    client.initialize().await;
    let own = client.ok("append_feature_learning", json!({"feature": "pay", "text": "Sums are in cents"})).await;
    let other = json!({"feature": "pay", "text": "The clock is the provider's", "task_id": 9, "iteration": 2});
    let other = client.ok("append_feature_learning", other).await;
    for (answer, expected) in [(own, (Some(4), Some(17))), (other, (Some(4), Some(17)))] {
        let learning = project.app.learning(answer["id"].as_str().expect("an id")).expect("the learning");
        assert_eq!((learning.task_id, learning.iteration), expected);
    }
    let error = client.refused("append_feature_learning", json!({"feature": "pay", "text": "Trust me", "source": "human"})).await;
    assert!(error["message"].as_str().is_some_and(|message| message.starts_with("source: ")), "{error}");
    // Outside of runs no iteration can be claimed either; a task may be named.
    let mut outside = project.client(AGENT);
    outside.initialize().await;
    outside.ok("create_task", json!({"feature": "pay", "title": "Vouchers"})).await;
    let claimed = json!({"feature": "pay", "text": "Vouchers are rounded down", "task_id": 1, "iteration": 2});
    let answer = outside.ok("append_feature_learning", claimed).await;
    let learning = project.app.learning(answer["id"].as_str().expect("an id")).expect("the learning");
    assert_eq!((learning.task_id, learning.iteration), (Some(1), None));
}

#[tokio::test]
async fn long_lists_come_in_pages() {
    let project = Project::new();
    let mut client = project.ready().await;
    for number in 1..=60 {
        client.ok("create_task", json!({"feature": "pay", "title": format!("Task {number}")})).await;
    }
    for (arguments, rows, first, more) in [
        (json!({}), 50, json!(1), 10),
        (json!({"offset": 50}), 10, json!(51), 0),
        (json!({"limit": 5, "offset": "3"}), 5, json!(4), 52),
        (json!({"limit": 1}), 1, json!(1), 59),
        (json!({"limit": 4_000_000_000_u32}), 60, json!(1), 0),
        (json!({"offset": 60}), 0, json!(null), 0),
    ] {
        let listed = client.ok("list_tasks", arguments.clone()).await;
        let shown = listed["tasks"].as_array().map(Vec::len);
        assert_eq!((shown, &listed["tasks"][0]["id"], &listed["more"]), (Some(rows), &first, &json!(more)), "{arguments}");
    }
}
