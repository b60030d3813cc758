//! A saturated feature is split by an agent: tasks move, learnings follow, the parent closes, and the journals record all of it.

use journeys::{
    assert_sound, feature, id_of, journal, learn, learnings, lesson, list, open_worktree, play, refused, saturation, status_of, task, text,
};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};

/// Protected learnings that make the feature critical: 90 % of 50.
const LEARNINGS: usize = 45;
const TASKS: usize = 5;

const SPLIT: &str = "\
[task \"Decompose feature\"]
expect The knowledge of feature 'shop' is 90% full: 45 of 50 learnings, 45 protected
say Two areas share nothing: the cart and the search.
mcp create_feature {\"name\": \"shop-cart\", \"display_name\": \"Cart\", \"description\": \"What is bought\", \"parent\": \"shop\"}
say Made ${mcp.name}.
mcp create_feature {\"name\": \"shop-search\", \"display_name\": \"Search\", \"parent\": \"shop\"}
mcp update_task {\"id\": 1, \"feature\": \"shop-cart\"}
mcp update_task {\"id\": 2, \"feature\": \"shop-cart\"}
mcp update_task {\"id\": 3, \"feature\": \"shop-search\"}
mcp update_task {\"id\": 4, \"feature\": \"shop-search\"}
done
";

/// A feature with five tasks and 45 learnings of a person, nine of each task; returns the split task.
fn saturated() -> (Sandbox, u64) {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "shop", &[]);
    for number in 1..=TASKS {
        let id = task(&sandbox, "shop", &format!("Part {number}"), &["--discipline", "backend"]);
        assert_eq!(id, number as u64);
    }
    let mut split = Value::Null;
    for number in 0..LEARNINGS {
        let of = (number % TASKS + 1).to_string();
        let answer = learn(&sandbox, "shop", &lesson(number), &["--task", &of]);
        assert_eq!(answer["split_task"].is_null(), number < LEARNINGS - 1, "only at 90 %: {answer}");
        split = answer["split_task"].clone();
    }
    (sandbox, split.as_u64().expect("a split task"))
}

/// What a fresh clone must show as well: features without this database's own numbers, and learnings.
fn knowledge(sandbox: &Sandbox, folder: &str) -> (Vec<Value>, Vec<Value>, Vec<Value>) {
    let mut features = list(sandbox.ralph_ok(&["feature", "list", "-C", folder]));
    // Another clone's words do not count as a person's here.
    features.iter_mut().for_each(|feature| {
        feature["id"] = Value::Null;
        feature["author"] = Value::Null;
    });
    let mut learnings = list(sandbox.ralph_ok(&["learning", "list", "--state", "all", "-C", folder]));
    learnings.sort_by_key(|learning| text(&learning["id"]));
    (features, learnings, list(sandbox.ralph_ok(&["saturation", "-C", folder])))
}

#[test]
fn an_agent_splits_a_saturated_feature() {
    let (sandbox, split) = saturated();
    let shown = sandbox.ralph_ok(&["task", "show", &split.to_string()]);
    assert_eq!((&shown["priority"], &shown["provenance"], &shown["discipline"]), (&json!("high"), &json!("system"), &json!("backend")));
    let description = text(&shown["description"]);
    for number in 1..=TASKS {
        assert!(description.contains(&format!("#{number} [pending] Part {number} (9 learnings)")), "{description}");
    }

    // Its description holds what is to be divided, and its prompt tells nothing of it again.
    let prompt = || text(&sandbox.ralph_ok(&["prompt", &split.to_string()])["text"]);
    assert_eq!((prompt().matches(&lesson(0)).count(), prompt().contains("### Learnings")), (1, false));
    let later = text(&learn(&sandbox, "shop", "The shop window closes at noon on Sundays", &[])["id"]);
    assert!(prompt().contains("at noon on Sundays"), "what came later is told");
    sandbox.ralph_ok(&["learning", "retire", &later]);

    // What is open may not stay behind; what is done stays with its learnings, as history.
    sandbox.ralph_ok(&["task", "update", "5", "--status", "done"]);
    let run = play(&sandbox, SPLIT, &["--max-iterations", "1"]);
    assert_eq!(run["stop_reason"], "max_iterations", "{run}");
    assert_eq!(status_of(&sandbox, split), "done");
    assert_eq!(sandbox.ralph_ok(&["feature", "show", "shop"])["state"], "decomposed");
    for (child, tasks) in [("shop-cart", [1, 2]), ("shop-search", [3, 4])] {
        assert_eq!(sandbox.ralph_ok(&["feature", "show", child])["parent"], "shop");
        let of = list(sandbox.ralph_ok(&["task", "list", "--feature", child])).iter().map(id_of).collect::<Vec<_>>();
        assert_eq!(of, tasks, "{child}");
        let followed = learnings(&sandbox, child, "active");
        assert!(followed.iter().all(|learning| tasks.contains(&learning["task_id"].as_u64().unwrap())), "{followed:?}");
        let full = saturation(&sandbox, child);
        assert_eq!((&full["learnings_count"], &full["protected_count"], &full["level"]), (&json!(18), &json!(18), &json!("low")));
        let events = journal(&sandbox, child);
        assert_eq!(events.iter().filter(|line| line["event"] == "moved_in" && line["from"] == "shop").count(), 18);
    }
    let left = saturation(&sandbox, "shop");
    assert_eq!((&left["learnings_count"], &left["saturation_pct"], &left["level"]), (&json!(9), &json!(18), &json!("low")));
    assert_eq!(journal(&sandbox, "shop").iter().filter(|line| line["event"] == "moved_out").count(), 36);

    let output = sandbox.ralph(&["learning", "add", "--feature", "shop", "--text", "Too late"]);
    let error = refused(&output, "feature_closed");
    assert!(text(&error["hint"]).contains("shop-cart, shop-search"), "{error}");
    refused(&sandbox.ralph(&["task", "create", "--feature", "shop", "--title", "Too late"]), "feature_closed");
    learn(&sandbox, "shop-cart", "The children take new ones", &[]);
    let splits = list(sandbox.ralph_ok(&["task", "list"])).iter().filter(|task| task["kind"] == "split").count();
    assert_eq!(splits, 1, "no further split task");
    assert_sound(&sandbox);

    let before = knowledge(&sandbox, ".");
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(knowledge(&sandbox, "."), before, "the journals tell the same");
    sandbox.commit("Split");
    let clone = sandbox.home().join("clone");
    let clone = clone.to_str().unwrap();
    sandbox.git(&["clone", "--quiet", ".", clone]);
    assert_eq!(knowledge(&sandbox, clone), before, "a clone without a database knows the same");
    sandbox.ralph_ok(&["rebuild", "-C", clone]);
    assert_eq!(knowledge(&sandbox, clone), before);
    assert_eq!(sandbox.ralph_ok(&["doctor", "-C", clone])["ok"], true);
}

#[test]
fn a_child_that_is_archived_while_the_split_is_in_review_holds_up_no_merge() {
    let (sandbox, split) = saturated();
    sandbox.ralph_ok(&["task", "update", "5", "--status", "done"]);
    sandbox.commit("before");
    open_worktree(&sandbox, split);
    let script = SPLIT.replace("\nsay Two", "\nedit notes.txt <<EOF\nTwo areas\nEOF\nsay Two");
    play(&sandbox, &script, &["--max-iterations", "1"]);
    assert_eq!(
        (status_of(&sandbox, split).as_str(), sandbox.ralph_ok(&["feature", "show", "shop"])["state"].take()),
        ("in_review", json!("decomposed"))
    );
    sandbox.ralph_ok(&["feature", "update", "shop-cart", "--state", "archived"]);
    sandbox.ralph_ok(&["merge", &split.to_string()]);
    assert_eq!((status_of(&sandbox, split).as_str(), sandbox.read("notes.txt").as_str()), ("done", "Two areas\n"));
}

#[test]
fn a_feature_that_was_archived_is_not_decomposed_by_its_split_task() {
    let (sandbox, split) = saturated();
    for child in ["shop-cart", "shop-search"] {
        feature(&sandbox, child, &["--parent", "shop"]);
    }
    for task in ["1", "2", "3", "4", "5"] {
        sandbox.ralph_ok(&["task", "update", task, "--status", "failed"]);
    }
    sandbox.ralph_ok(&["feature", "update", "shop", "--state", "archived"]);
    refused(&sandbox.ralph(&["task", "update", &split.to_string(), "--status", "done"]), "feature_closed");
    assert_eq!(sandbox.ralph_ok(&["feature", "show", "shop"])["state"], "archived");
}

#[test]
fn a_split_without_children_is_no_split() {
    let (sandbox, split) = saturated();
    let error = refused(&sandbox.ralph(&["task", "update", &split.to_string(), "--status", "done"]), "split_incomplete");
    assert!(text(&error["hint"]).contains("parent='shop'"), "{error}");
    let one = "\
mcp create_feature {\"name\": \"shop-cart\", \"display_name\": \"Cart\", \"parent\": \"shop\"}
mcp update_task {\"id\": ${task}, \"status\": \"done\"}
done
";
    play(&sandbox, one, &["--max-iterations", "1"]);
    assert_eq!(status_of(&sandbox, split), "pending", "a claim alone does not settle it");
    assert_eq!(sandbox.ralph_ok(&["feature", "show", "shop"])["state"], "active");
    let note = text(&journeys::iterations(&sandbox)[0]["note"]);
    assert!(note.contains("1 child feature and needs at least 2") && note.contains("#1, #2"), "{note}");
    assert_sound(&sandbox);
}

#[test]
fn parked_learnings_move_too_and_what_finds_no_room_waits_there() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "shop", &["--max-learnings", "6"]);
    feature(&sandbox, "small", &["--max-learnings", "5"]);
    let part = task(&sandbox, "shop", "Part", &[]).to_string();
    for number in 0..8 {
        sandbox.ralph(&["learning", "add", "--feature", "shop", "--task", &part, "--text", &lesson(number)]);
    }
    assert_eq!((learnings(&sandbox, "shop", "active").len(), learnings(&sandbox, "shop", "parked").len()), (6, 2));
    sandbox.ralph_ok(&["task", "update", &part, "--feature", "small"]);
    assert_eq!(learnings(&sandbox, "shop", "all").len(), 0);
    assert_eq!((learnings(&sandbox, "small", "active").len(), learnings(&sandbox, "small", "parked").len()), (5, 3));
    assert_sound(&sandbox);
    let before = knowledge(&sandbox, ".");
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(knowledge(&sandbox, "."), before);
}

#[test]
fn what_still_waits_for_room_once_its_feature_is_split_is_led_to_a_child() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "shop", &["--max-learnings", "5"]);
    (0..5).for_each(|number| drop(learn(&sandbox, "shop", &lesson(number), &[])));
    let full = refused(&sandbox.ralph(&["learning", "add", "--feature", "shop", "--text", &lesson(5)]), "knowledge_full");
    let parked = text(&full["data"]["parked"]);
    feature(&sandbox, "cart", &["--parent", "shop"]);
    feature(&sandbox, "search", &["--parent", "shop"]);
    sandbox.ralph_ok(&["task", "update", "1", "--status", "done"]);
    let needs = || list(sandbox.ralph_ok(&["status"])["needs_you"].clone());
    assert_eq!((needs().len(), &needs()[0]["kind"]), (1, &json!("parked")), "{:?}", needs());
    let words = journeys::plain(&sandbox, &["status"]).stdout;
    assert!(words.contains("ralph learning list --feature shop --state parked, then ralph learning move ID --to"), "{words}");
    let closed = refused(&sandbox.ralph(&["learning", "restore", &parked]), "feature_closed");
    assert_eq!(closed["hint"], "use one of its children: cart, search; `ralph learning move` brings a learning there");
    sandbox.ralph_ok(&["learning", "move", &parked, "--to", "cart"]);
    assert_eq!((needs(), learnings(&sandbox, "cart", "active").len(), learnings(&sandbox, "shop", "active").len()), (Vec::new(), 1, 5));
}

#[test]
fn a_split_with_open_tasks_left_behind_is_no_split_and_names_them() {
    let (sandbox, split) = saturated();
    for child in ["shop-cart", "shop-search"] {
        feature(&sandbox, child, &["--parent", "shop"]);
    }
    let close = ["task", "update", &split.to_string(), "--status", "done"];
    let error = refused(&sandbox.ralph(&close), "split_incomplete");
    assert!(text(&error["message"]).contains("#1, #2, #3, #4, #5"), "{error}");
    for task in ["1", "2", "3", "4"] {
        sandbox.ralph_ok(&["task", "update", task, "--feature", "shop-cart"]);
    }
    sandbox.ralph_ok(&["task", "update", "5", "--status", "skipped"]);
    sandbox.ralph_ok(&close);
    assert_eq!(sandbox.ralph_ok(&["feature", "show", "shop"])["state"], "decomposed");
    assert_sound(&sandbox);
}

#[test]
fn a_skipped_split_task_comes_back_only_when_a_person_asks_or_saturation_fell() {
    let (sandbox, split) = saturated();
    sandbox.ralph_ok(&["task", "update", &split.to_string(), "--status", "skipped"]);
    let splits = || list(sandbox.ralph_ok(&["task", "list"])).iter().filter(|task| task["kind"] == "split").count();
    let answer = learn(&sandbox, "shop", &lesson(90), &[]);
    assert_eq!((answer["split_task"].is_null(), splits()), (true, 1), "{answer}");
    let second = sandbox.ralph_ok(&["feature", "split", "shop"])["split_task"].to_string();
    assert_eq!(splits(), 2);

    let open_again = ["task", "update", &split.to_string(), "--status", "pending"];
    let error = refused(&sandbox.ralph(&open_again), "invalid");
    assert!(text(&error["message"]).contains(&format!("another split task at work, #{second}")), "{error}");
    sandbox.ralph_ok(&["task", "update", &second, "--status", "skipped"]);
    sandbox.ralph_ok(&open_again);
    assert_eq!(status_of(&sandbox, split), "pending");
}

#[test]
fn a_closed_task_of_a_feature_that_was_split_opens_again_in_a_child_only() {
    let (sandbox, split) = saturated();
    for child in ["shop-cart", "shop-search"] {
        feature(&sandbox, child, &["--parent", "shop"]);
    }
    for task in ["1", "2", "3", "4", "5"] {
        sandbox.ralph_ok(&["task", "update", task, "--status", "failed"]);
    }
    sandbox.ralph_ok(&["task", "update", &split.to_string(), "--status", "done"]);
    for again in
        [&["task", "update", "1", "--status", "pending"][..], &["task", "put-back", "1"], &["task", "update", "6", "--status", "pending"]]
    {
        let error = refused(&sandbox.ralph(again), "feature_closed");
        assert!(text(&error["hint"]).contains("shop-cart"), "{error}");
    }
    sandbox.ralph_ok(&["task", "update", "1", "--status", "pending", "--feature", "shop-cart"]);
    assert_eq!(learnings(&sandbox, "shop-cart", "active").len(), 9, "its learnings come along");
}

#[test]
fn saturation_is_told_over_time_as_the_journals_know_it() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "shop", &["--max-learnings", "10"]);
    feature(&sandbox, "cart", &[]);
    let first = learn(&sandbox, "shop", &lesson(1), &[]);
    learn(&sandbox, "shop", &lesson(2), &[]);
    sandbox.ralph_ok(&["learning", "move", &text(&first["id"]), "--to", "cart"]);
    sandbox.ralph_ok(&["feature", "update", "shop", "--max-learnings", "5"]);
    let told = |args: &[&str]| -> Vec<(String, Vec<Value>)> {
        let histories = list(sandbox.ralph_ok(&[&["saturation", "--history"], args].concat()));
        let point = |p: &Value| json!([p["learnings_count"], p["max_learnings"], p["saturation_pct"]]);
        histories.iter().map(|h| (text(&h["feature"]), list(h["points"].clone()).iter().map(point).collect())).collect()
    };
    let shop = ("shop".to_owned(), vec![json!([0, 10, 0]), json!([1, 10, 10]), json!([2, 10, 20]), json!([1, 10, 10]), json!([1, 5, 20])]);
    let cart = ("cart".to_owned(), vec![json!([0, 50, 0]), json!([1, 50, 2])]);
    assert_eq!(told(&[]), [cart, shop.clone()]);
    assert_eq!(told(&["--feature", "SHOP"]), [shop]);
    refused(&sandbox.ralph(&["saturation", "--history", "--feature", "nowhere"]), "not_found");
    assert_eq!(list(sandbox.ralph_ok(&["saturation", "--feature", "shop"])).len(), 1);
    let before = sandbox.ralph_ok(&["saturation", "--history"]);
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(sandbox.ralph_ok(&["saturation", "--history"]), before);
    // What was 2 % stays 2 %, whatever the project's cap is now.
    let config = sandbox.read(".ralph/config.toml").replace("max_learnings = 50", "max_learnings = 10");
    sandbox.write(".ralph/config.toml", &config);
    let cart = vec![json!([0, 50, 0]), json!([1, 50, 2]), json!([1, 10, 10])];
    assert_eq!(told(&["--feature", "cart"]), [("cart".to_owned(), cart.clone())]);
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(told(&["--feature", "cart"]), [("cart".to_owned(), cart)]);
}
