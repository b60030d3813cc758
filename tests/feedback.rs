//! Feedback and evaluation from outside: what people, agents and runs say about learnings, what is recorded, and what follows. Length: one
//! way of asking and answering serves all cases.

use journeys::{assert_sound, feature, journal, learn, list, play, refused, task, text};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};

const BERRIES: [&str; 6] = ["apricot", "bilberry", "cranberry", "damson", "elderberry", "feijoa"];

fn project() -> Sandbox {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    for berry in BERRIES {
        learn(&sandbox, "pay", &format!("The {berry} queue takes the ledger lock in src/{berry}.rs before it retries"), &[]);
    }
    sandbox
}

fn recall(sandbox: &Sandbox, question: &str) -> (String, Vec<String>) {
    let answer = sandbox.ralph_ok(&["recall", question]);
    (text(&answer["query"]), list(answer["hits"].clone()).iter().map(|hit| text(&hit["id"])).collect())
}

fn insights(sandbox: &Sandbox) -> Value {
    sandbox.ralph_ok(&["insights", "eval"])
}

fn selections(sandbox: &Sandbox) -> Vec<(String, String, Value)> {
    let all = list(sandbox.ralph_ok(&["export"])["evaluation"]["selections"].take());
    all.iter().map(|s| (text(&s["kind"]), text(&s["by"]), s["query"].clone())).collect()
}

#[test]
fn of_learnings_with_equally_little_evidence_the_one_that_did_not_help_makes_room() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &["--max-learnings", "5"]);
    let say =
        |berry: &str| learn(&sandbox, "pay", &format!("The {berry} queue takes the ledger lock in src/{berry}.rs"), &["--source", "agent"]);
    let ids: Vec<String> = BERRIES[..5].iter().map(|berry| text(&say(berry)["id"])).collect();
    sandbox.ralph_ok(&["feedback", &ids[2], "--not-useful"]);
    assert_eq!(say(BERRIES[5])["pruned"], json!([ids[2]]));
}

#[test]
fn a_word_about_a_learning_counts_once_moves_it_and_is_taken_back() {
    let sandbox = project();
    let (query, hits) = recall(&sandbox, "ledger lock of the chargeback reconciliation");
    let last = hits.last().expect("hits");
    let said = sandbox.ralph_ok(&["feedback", last, "--useful", "--query", &query]);
    assert_eq!((&said["counted"], &said["by"], &said["rank"]), (&json!(true), &json!("person"), &json!(6)), "{said}");
    assert!(text(&said["not_learnt"]).contains("72 hours"), "what was written today learns nothing: {said}");
    assert_eq!(sandbox.ralph_ok(&["feedback", last, "--useful", "--query", &query])["counted"], json!(false));

    sandbox.ralph_ok(&["learning", "show", last, "--query", &query]);
    let error = refused(&sandbox.ralph(&["learning", "show", last, "--query", "nonsense"]), "invalid");
    assert!(text(&error["message"]).starts_with("query: 'nonsense'"), "{error}");
    assert!(selections(&sandbox).iter().any(|(kind, by, of)| kind == "opened" && by == "person" && *of == query.as_str()));

    let first = &recall(&sandbox, "ledger lock").1[0];
    let said = sandbox.ralph_ok(&["feedback", first, "--not-useful"]);
    assert!(said["factor"].as_f64().is_some_and(|factor| (factor - 0.9).abs() < 0.001), "{said}");
    assert_eq!(recall(&sandbox, "ledger lock").1.last(), Some(first), "it falls at once, and is not lost");
    assert_eq!(journal(&sandbox, "pay").iter().filter(|line| line["event"] == "validated").count(), 2);

    for (args, code) in [
        (vec!["feedback", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--useful"], "not_found"),
        (vec!["feedback", "rollback", "--since", "yesterday"], "invalid"),
        (vec!["feedback", first, "--useful", "--not-useful"], "usage"),
        (vec!["feedback", first], "usage"),
        (vec!["feedback", "rollback", "--source", "robot"], "usage"),
    ] {
        refused(&sandbox.ralph(&args), code);
    }

    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(recall(&sandbox, "ledger lock").1.last(), Some(first), "a rebuild ranks the same");
    assert_eq!(sandbox.ralph_ok(&["feedback", "rollback", "--source", "agent"])["validations"], json!(0));
    assert_eq!(sandbox.ralph_ok(&["feedback", "rollback", "--since", "2020-01-01"])["validations"], json!(2));
    assert_ne!(recall(&sandbox, "ledger lock").1.last(), Some(first));
    assert_sound(&sandbox);
}

#[test]
fn a_day_from_which_on_feedback_is_taken_back_is_one_of_the_person_s_clock() {
    let mut sandbox = project();
    // Ahead of UTC by fourteen hours: it is tomorrow there for most of the day.
    sandbox.set("TZ", "LINT-14");
    let today = sandbox.run(sandbox.command("date").arg("+%F")).stdout;
    let id = text(&learn(&sandbox, "pay", "Take the ledger lock before the audit lock", &[])["id"]);
    sandbox.ralph_ok(&["feedback", &id, "--useful"]);
    assert_eq!(sandbox.ralph_ok(&["feedback", "rollback", "--since", today.trim()])["validations"], json!(1), "since {today}");
}

#[test]
fn every_gate_is_measured_and_a_new_project_claims_nothing() {
    let sandbox = project();
    recall(&sandbox, "ledger lock");
    let told = insights(&sandbox);
    let gates = list(told["gates"].clone());
    assert!(gates.len() >= 10, "{told:#}");
    for gate in &gates {
        assert!(["name", "required", "measured"].iter().all(|key| gate[key].as_str().is_some_and(|text| !text.is_empty())), "{gate}");
        assert!(gate["open"].is_boolean(), "{gate}");
    }
    let of = |name: &str| gates.iter().find(|gate| gate["name"] == name).unwrap_or_else(|| panic!("no gate {name}"));
    assert_eq!(of("separate_column")["open"], json!(true));
    assert!(text(&of("eval_cycles")["measured"]).contains("1 of 100 queries, 0 of 14 days"), "{}", of("eval_cycles"));
    assert_eq!((&of("eval_cycles")["open"], &told["terms_count"]), (&json!(false), &json!(false)));
    assert!(told["channels"]["lexical"]["found"].as_u64().is_some_and(|found| found > 0), "{told:#}");
    for key in ["learned_terms", "effects"] {
        assert_eq!(told[key], json!([]), "{key}");
    }
    assert_eq!(told["cycles"][0]["complete"], json!(false));
    assert_eq!(told["retrieval"]["mrr_5"], Value::Null, "nothing is judged, so nothing is claimed");
    assert!(list(told["provisional"].clone()).iter().any(|weight| text(weight).starts_with("chunk_bonus")));
    assert_eq!(list(sandbox.ralph_ok(&["eval", "gate"])).len(), gates.len());
    assert_eq!(sandbox.ralph_ok(&["insights"])["attempts"]["trials"], json!(0), "without a word it is as before");
    refused(&sandbox.ralph(&["eval"]), "usage");
}

#[test]
fn loss_of_the_history_costs_history_alone() {
    let sandbox = project();
    let (query, hits) = recall(&sandbox, "ledger lock");
    sandbox.ralph_ok(&["feedback", &hits[5], "--useful", "--query", &query]);
    sandbox.ralph_ok(&["backup"]);
    let path = sandbox.project().join(".ralph/db/eval.db");
    for harm in ["gone", "no database", "damaged within"] {
        let before = std::fs::read(&path).expect("is there");
        std::fs::remove_file(&path).expect("is there");
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(sandbox.project().join(format!(".ralph/db/eval.db{ending}")));
        }
        match harm {
            "no database" => std::fs::write(&path, "no database at all, but some bytes".repeat(500)).expect("writes"),
            // It opens, and can't be read.
            "damaged within" => std::fs::write(&path, [&before[..8_192], &vec![0xA5; before.len() - 8_192]].concat()).expect("writes"),
            _ => {}
        }
        assert_eq!(recall(&sandbox, "ledger lock").1.len(), 6);
        let said = sandbox.ralph_ok(&["feedback", &hits[4], "--not-useful", "--query", &query]);
        assert!(said["rank"].is_null(), "its question is forgotten: {said}");
        assert_eq!(insights(&sandbox)["recorded"]["queries"], json!(1), "{harm}");
        assert_sound(&sandbox);
    }
    // What is read first may also be what reveals the damage.
    let before = std::fs::read(&path).expect("is there");
    std::fs::write(&path, [&before[..8_192], &vec![0xA5; before.len() - 8_192]].concat()).expect("writes");
    assert_eq!(insights(&sandbox)["recorded"]["queries"], json!(0), "it is put aside, not told as damage of the project");
    let copies = std::fs::read_dir(sandbox.project().join(".ralph/db/backups")).expect("lists");
    let names: Vec<String> = copies.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().any(|name| name.starts_with("regular-")), "{names:?}");
    let history = names.iter().find(|name| name.starts_with("evaluation-")).expect("a copy of the history");
    let from = format!(".ralph/db/backups/{history}");
    let error = refused(&sandbox.ralph(&["restore", "--from", &from, "--yes"]), "invalid");
    assert!(text(&error["message"]).contains("not the project") && text(&error["hint"]).contains("eval.db"), "it is sound: {error}");
}

#[test]
fn whatever_stands_in_the_place_of_the_history_stops_nothing_and_is_left_alone() {
    let sandbox = project();
    let (_, hits) = recall(&sandbox, "ledger lock");
    let path = sandbox.project().join(".ralph/db/eval.db");
    let outside = sandbox.project().join("../outside.db");
    for harm in ["a folder", "a link"] {
        let _ = std::fs::remove_file(&path);
        match harm {
            "a folder" => std::fs::create_dir(&path).expect("a folder"),
            #[cfg(unix)]
            _ => std::os::unix::fs::symlink(&outside, &path).expect("a link"),
            #[cfg(not(unix))]
            _ => continue,
        }
        assert_eq!(recall(&sandbox, "ledger lock").1.len(), 6, "{harm}");
        assert_eq!(sandbox.ralph_ok(&["feedback", &hits[3], "--useful"])["by"], json!("person"));
        let error = refused(&sandbox.ralph(&["insights", "eval"]), "no_file");
        assert!(text(&error["message"]).contains(harm) && text(&error["hint"]).contains("move it away"), "{error}");
        let checks = list(sandbox.ralph_ok(&["doctor"])["checks"].clone());
        assert!(checks.iter().any(|check| check["name"] == "history" && check["status"] == "warning"), "{checks:#?}");
        if harm == "a folder" {
            std::fs::remove_dir(&path).expect("nothing was put into it");
        }
    }
    assert!(!outside.exists(), "no link is followed");
    std::fs::remove_file(&path).expect("the link");
    recall(&sandbox, "ledger lock");
    let recorded = insights(&sandbox)["recorded"].clone();
    assert_eq!(recorded["queries"], json!(1));
    assert!(recorded["dropped"].as_u64().is_some_and(|dropped| dropped >= 4), "what was lost meanwhile is counted: {recorded}");
}

#[test]
fn a_question_is_named_by_its_words_too() {
    let sandbox = project();
    // They are compared as they are stored: without the secret.
    let words = format!("ledger lock of the token ghp_{}", "a1B2".repeat(9));
    let (query, hits) = recall(&sandbox, &words);
    let said = sandbox.ralph_ok(&["feedback", &hits[4], "--useful", "--query", &format!(" {words} ")]);
    assert_eq!((&said["counted"], &said["rank"]), (&json!(true), &json!(5)), "{said}");
    let again = sandbox.ralph_ok(&["feedback", &hits[4], "--useful", "--query", &query]);
    assert_eq!(again["counted"], json!(false), "the same question by its id");
    assert!(selections(&sandbox).iter().all(|(.., of)| *of == query.as_str()));
}

#[test]
fn words_of_a_question_that_is_not_recorded_cost_no_statement() {
    let sandbox = project();
    let (_, hits) = recall(&sandbox, "ledger lock");
    for entry in std::fs::read_dir(sandbox.project().join(".ralph/db")).expect("a folder").flatten() {
        if entry.file_name().to_string_lossy().starts_with("eval.db") {
            std::fs::remove_file(entry.path()).expect("removes");
        }
    }
    let said = sandbox.ralph_ok(&["feedback", &hits[4], "--useful", "--query", "ledger lock"]);
    assert_eq!((&said["counted"], &said["rank"], &said["not_learnt"]), (&json!(true), &Value::Null, &json!("its question is not known")));
    for words in ["what nobody asked", ""] {
        let again = sandbox.ralph_ok(&["feedback", &hits[4], "--useful", "--query", words]);
        assert_eq!(again["counted"], json!(false), "made-up words make of one statement no second");
    }
    assert!(selections(&sandbox).iter().all(|(.., of)| of.is_null()), "they name no question");
}

#[test]
fn a_run_records_its_question_what_it_told_what_was_cited_and_that_it_came_out_well() {
    let sandbox = project();
    let id = text(&list(sandbox.ralph_ok(&["learning", "list", "--feature", "pay"]))[2]["id"]);
    task(&sandbox, "pay", "Make the cranberry queue take the ledger lock", &[]);
    play(&sandbox, &format!("say As {id} says, the lock comes first.\ndone\n"), &["--max-iterations", "1"]);
    let export = sandbox.ralph_ok(&["export"]);
    let query = list(export["evaluation"]["queries"].clone()).into_iter().find(|query| query["origin"] == "prompt").expect("a question");
    assert_eq!(query["iteration"], json!(1));
    let told = list(query["results"].clone()).into_iter().find(|result| result["memory"] == id.as_str()).expect("was found");
    assert_eq!(told["shown"], json!(true), "{query:#}");
    let all = selections(&sandbox);
    let cited: Vec<_> = all.iter().filter(|(kind, ..)| kind == "cited").collect();
    assert!(cited.len() == 1 && cited[0].1.starts_with("agent:1@") && cited[0].2 == query["id"], "{all:?}");
    assert!(all.iter().any(|(kind, by, _)| kind == "succeeded" && by == "run"), "{all:?}");
    let effects = list(insights(&sandbox)["effects"].clone());
    let effect = effects.iter().find(|effect| effect["learning"] == id.as_str()).expect("its row");
    assert_eq!((&effect["shown"], &effect["succeeded"], &effect["failed"]), (&json!(1), &json!(1), &json!(0)), "{effect}");
    assert_eq!(effect["effect"]["kind"], "not_enough", "one attempt proves nothing");
    assert_sound(&sandbox);
}

#[test]
fn what_an_agent_looked_up_for_itself_and_cited_is_recorded_with_its_own_question() {
    let sandbox = project();
    feature(&sandbox, "web", &[]);
    let id = text(&list(sandbox.ralph_ok(&["learning", "list", "--feature", "pay"]))[2]["id"]);
    task(&sandbox, "web", "Paint the button", &[]);
    let ralph = sandbox.ralph_command(&[]).get_program().to_string_lossy().into_owned();
    let acts = format!("run {ralph} recall 'ledger lock'\nsay As {id} says, the lock comes first.\ndone\n");
    play(&sandbox, &acts, &["--max-iterations", "1"]);
    let queries = list(sandbox.ralph_ok(&["export"])["evaluation"]["queries"].clone());
    let own = queries.iter().find(|query| query["origin"] == "agent").expect("its question");
    assert_eq!(own["iteration"], json!(1));
    let all = selections(&sandbox);
    let cited: Vec<_> = all.iter().filter(|(kind, ..)| kind == "cited").collect();
    assert!(cited.len() == 1 && cited[0].1.starts_with("agent:1@") && cited[0].2 == own["id"], "{all:?}");
}

#[test]
fn an_agent_that_names_a_learning_to_call_it_wrong_has_not_chosen_it() {
    let sandbox = project();
    let ralph = sandbox.ralph_command(&[]).get_program().to_string_lossy().into_owned();
    let known = list(sandbox.ralph_ok(&["learning", "list", "--feature", "pay"]));
    let [id, other] = [2, 3].map(|at: usize| text(&known[at]["id"]));
    task(&sandbox, "pay", "Make the cranberry queue take the ledger lock", &[]);
    let words = format!("say {id} is wrong, the lock comes last.\nsay I ignored {other}, since it is about another queue.\n");
    let acts = format!("run '{ralph}' feedback {id} --not-useful\n{words}done\n");
    play(&sandbox, &acts, &["--max-iterations", "1"]);
    let said = list(sandbox.ralph_ok(&["learning", "show", &id])["feedback"]["validations"].clone());
    assert!(said.len() == 1 && said[0]["useful"] == json!(false) && text(&said[0]["by"]).starts_with("agent:1@"), "{said:?}");
    let all = selections(&sandbox);
    assert!(all.iter().all(|(kind, ..)| kind != "cited"), "{all:?}");
}

#[test]
fn a_judge_labels_pairs_and_counts_only_once_it_agrees_with_a_person() {
    let sandbox = project();
    let (query, hits) = recall(&sandbox, "the apricot queue and its lock");
    let next = list(sandbox.ralph_ok(&["eval", "ground-truth"])["next"].clone());
    assert!(next.iter().any(|pair| pair["query"] == query.as_str() && pair["memory"] == hits[0].as_str()), "{next:?}");
    sandbox.ralph_ok(&["eval", "label", &query, &hits[0], "--relevant"]);
    sandbox.ralph_ok(&["eval", "label", &query, &hits[1], "--not-relevant"]);
    refused(&sandbox.ralph(&["eval", "label", &query, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--relevant"]), "invalid");
    refused(&sandbox.ralph(&["eval", "label", "01ARZ3NDEKTSV4RRFFQ69G5FAV", &hits[0], "--relevant"]), "not_found");
    let judge = |said: &str| {
        sandbox.write(".ralph/judge.script", &format!("usage 100 20 0.01\nsay {said}\n"));
        sandbox.ralph_ok(&["eval", "judge", "--agent", "scripted", "--script", ".ralph/judge.script", "--limit", "2"])
    };
    for junk in ["I would rather not judge that.", "[{\"pair\": 9, \"relevant\": true}]", "[]"] {
        let judged = judge(junk);
        assert_eq!((&judged["labelled"], list(judged["faults"].clone()).len()), (&json!(0), 1), "{judged}");
    }
    let judged = judge("[{\"pair\": 1, \"relevant\": true}, {\"pair\": 2, \"relevant\": true}]");
    assert_eq!((&judged["labelled"], &judged["cost_usd"]), (&json!(2), &json!(0.01)), "{judged}");
    let agreement = &judged["agreement"];
    assert_eq!((&agreement["pairs"], &agreement["agreement"], &agreement["counts"]), (&json!(2), &json!(0.5), &json!(false)), "{judged}");
    let truth = sandbox.ralph_ok(&["eval", "ground-truth"]);
    assert_eq!((&truth["judged"], &truth["labelled"], list(truth["disagreements"].clone()).len()), (&json!(2), &json!(2), 1), "{truth:#}");
    let run = sandbox.ralph_ok(&["eval", "shadow", "--set", "chunk_bonus=0.3"]);
    let trial = list(run["trials"].clone()).remove(0);
    assert_eq!((&run["judged"], &trial["other"], &trial["answer"]), (&json!(1), &json!("chunk_bonus=0.3"), &json!("wait")), "{run:#}");
    let gate = list(sandbox.ralph_ok(&["eval", "gate"])).into_iter().find(|gate| gate["name"] == "chunk_aggregation").expect("its row");
    assert!(text(&gate["required"]).contains("with chunk_bonus=0 ") && text(&gate["measured"]).contains("on 1 judged"), "{gate}");
    assert!((trial["overlap"].as_f64().unwrap_or(0.0) - 1.0).abs() < 1e-9, "one chunk each: the bonus changes nothing");
    refused(&sandbox.ralph(&["eval", "shadow", "--set", "chunk_bonus=lots"]), "invalid");
    refused(&sandbox.ralph(&["eval", "shadow", "--limit", "0"]), "invalid");
    refused(&sandbox.ralph(&["eval", "judge", "--limit", "0", "--agent", "scripted", "--script", ".ralph/judge.script"]), "invalid");
    refused(&sandbox.ralph(&["eval", "judge", "--max-usd", "0", "--agent", "scripted", "--script", ".ralph/judge.script"]), "invalid");
}

#[test]
fn every_figure_opens_down_to_as_many_rows_as_it_says() {
    let sandbox = project();
    let (query, hits) = recall(&sandbox, "ledger lock of the apricot");
    recall(&sandbox, "who retries");
    for _ in 0..3 {
        sandbox.ralph_ok(&["learning", "show", &hits[1], "--query", &query]);
    }
    let told = insights(&sandbox);
    let rows = |args: &[&str]| {
        let found = sandbox.ralph_ok(&[&["eval", "questions"], args].concat());
        assert_eq!(found["total"], json!(list(found["rows"].clone()).len()), "{found:#}");
        found
    };
    assert_eq!(rows(&[])["total"], told["recorded"]["queries"]);
    assert_eq!(rows(&["--judged"])["total"], told["retrieval"]["judged"]);
    assert_eq!(rows(&["--cycle", "1"])["total"], told["cycles"][0]["queries"]);
    for (channel, share) in told["channels"].as_object().expect("channels") {
        assert_eq!(rows(&["--channel", channel])["total"], share["found"], "{channel}");
        assert_eq!(rows(&["--channel", channel, "--alone"])["total"], share["exclusive"], "{channel}");
        assert_eq!(rows(&["--channel", channel, "--chosen"])["total"], share["selected"], "{channel}");
    }
    assert_eq!(told["channels"]["lexical"]["selected"], json!(1), "what was opened three times was chosen once");
    let week = text(&told["weeks"][0]["from"]);
    let of_week = rows(&["--week", &week, "--judged"]);
    assert_eq!(of_week["total"], told["weeks"][0]["retrieval"]["judged"]);
    let row = &of_week["rows"][0];
    assert_eq!((&row["query"], &row["memory"], &row["rank"]), (&json!(query), &json!(hits[1]), &json!(2)), "{row}");
    sandbox.ralph_ok(&["eval", "shadow", "--set", "recency=0"]);
    let of_trial = rows(&["--alternative", "recency=0"]);
    assert_eq!(of_trial["total"], json!(2));
    assert!(list(of_trial["rows"].clone()).iter().any(|row| row["other_mrr_5"].is_number()), "{of_trial:#}");
    assert_eq!(rows(&["--alternative", "recency=0.5"])["total"], json!(0));
}

#[test]
fn what_was_taken_back_or_rolled_back_is_neither_chosen_nor_judged() {
    let sandbox = project();
    let (query, hits) = recall(&sandbox, "ledger lock of the apricot");
    let say = |id: &str, word: &str| sandbox.ralph_ok(&["feedback", id, word, "--query", &query]);
    let figures = || {
        let told = insights(&sandbox);
        let rows = sandbox.ralph_ok(&["eval", "questions", "--channel", "lexical", "--chosen"]);
        assert_eq!(rows["total"], told["channels"]["lexical"]["selected"]);
        [told["retrieval"]["judged"].clone(), rows["total"].clone(), sandbox.ralph_ok(&["eval", "ground-truth"])["selections"].clone()]
    };
    say(&hits[0], "--useful");
    assert_eq!(figures(), [1, 1, 1].map(Value::from));
    say(&hits[0], "--not-useful");
    assert_eq!(figures(), [0, 0, 0].map(Value::from));
    say(&hits[1], "--useful");
    assert_eq!(figures(), [1, 1, 1].map(Value::from));
    sandbox.ralph_ok(&["feedback", "rollback"]);
    assert_eq!(figures(), [0, 0, 0].map(Value::from));
    assert_eq!(selections(&sandbox).len(), 3, "the history stays");
    say(&hits[1], "--useful");
    assert_eq!(figures(), [1, 1, 1].map(Value::from), "what is said since counts");
    sandbox.ralph_ok(&["feedback", "rollback"]);
    sandbox.ralph_ok(&["learning", "show", &hits[1], "--query", &query]);
    assert_eq!(figures(), [1, 1, 1].map(Value::from));
    sandbox.ralph_ok(&["feedback", "rollback"]);
    assert_eq!(figures(), [0, 0, 0].map(Value::from), "what was only opened, too");
}

#[test]
fn every_figure_of_effects_and_days_opens_down_to_as_many_attempts_as_it_says() {
    let sandbox = project();
    // Told in runs with or without a hold-out: the figures of a learning count both, and so do the rows.
    for title in ["Take the ledger lock of the apricot", "Wait for the ledger lock in src/apricot.rs", "Hold the ledger lock"] {
        task(&sandbox, "pay", title, &[]);
    }
    let half = "\
[attempt 1]
sigil <failure-report>
sigil what_was_tried: a second try
sigil why_it_failed: src/apricot.rs retries too early
sigil </failure-report>
failed

[*]
done
";
    play(&sandbox, half, &["--max-iterations", "6"]);
    play(&sandbox, "done\n", &["--max-iterations", "6", "--hold-out", "50"]);
    let effects = list(insights(&sandbox)["effects"].clone());
    assert!(effects.iter().any(|effect| effect["failed_as_warned"] != json!(0)), "{effects:#?}");
    for effect in &effects {
        let id = text(&effect["learning"]);
        for figure in ["shown", "succeeded", "failed", "failed_as_warned", "avoided"] {
            let page = sandbox.ralph_ok(&["insights", "iterations", "--learning", &id, "--effect", figure]);
            assert_eq!(page["sums"]["iterations"], effect[figure], "{figure} of {id}");
        }
        let page = sandbox.ralph_ok(&["insights", "iterations", "--learning", &id, "--effect", "withheld"]);
        assert_eq!(page["sums"]["iterations"], effect["withheld"]["trials"]);
    }
    let work = sandbox.ralph_ok(&["insights", "days"]);
    let today = &list(work["days"].clone())[0];
    let (day, of_feature) = (text(&today["day"]), &list(work["features"].clone())[0]);
    for (narrow, figures) in [(["--day", &day], today), (["--feature", "pay"], of_feature)] {
        for (args, figure) in [(&["--done"][..], "done"), (&["--failed", "--attempts"], "failed")] {
            let page = sandbox.ralph_ok(&[&["insights", "iterations"], &narrow[..], args].concat());
            assert_eq!(page["sums"]["iterations"], figures[figure], "{narrow:?} {figure}");
        }
    }
    for (args, code) in [
        (vec!["insights", "iterations", "--day", "2026-11-31"], "invalid"),
        (vec!["insights", "iterations", "--day", "today"], "invalid"),
        (vec!["insights", "iterations", "--effect", "shown"], "usage"),
        (vec!["insights", "iterations", "--learning", "nothing", "--effect", "shown"], "not_found"),
        (vec!["insights", "iterations", "--learning", "nothing", "--effect", "luck"], "usage"),
        (vec!["insights", "iterations", "--learning", "nothing"], "not_found"),
        (vec!["insights", "iterations", "--feature", "nothing"], "not_found"),
        (vec!["eval", "questions", "--learning", "nothing"], "not_found"),
        (vec!["eval", "questions", "--alone"], "usage"),
        (vec!["eval", "questions", "--channel", "smell"], "usage"),
        (vec!["eval", "questions", "--week", "someday"], "invalid"),
    ] {
        refused(&sandbox.ralph(&args), code);
    }
    let error = refused(&sandbox.ralph(&["eval", "questions", "--alternative", "nothing"]), "invalid");
    assert!(text(&error["message"]).starts_with("alternative: "), "the field of this very command line: {error}");
}

#[test]
fn a_made_up_question_makes_of_one_word_no_second_and_terms_are_taken_back_by_name() {
    let sandbox = project();
    let first = &recall(&sandbox, "ledger lock").1[0];
    let said = |query: &str| sandbox.ralph_ok(&["feedback", first, "--useful", "--query", query])["counted"].clone();
    assert_eq!(said("01ARZ3NDEKTSV4RRFFQ69G5FAV"), json!(true));
    assert_eq!(said("01ARZ3NDEKTSV4RRFFQ69G5FAW"), json!(false), "a question that nobody asked is none");
    let shown = sandbox.ralph_ok(&["learning", "show", first]);
    assert_eq!((list(shown["feedback"]["validations"].clone()).len(), &shown["effect"]), (1, &Value::Null), "{shown:#}");
    let rollback = |args: &[&str]| sandbox.ralph(&[&["feedback", "rollback"], args].concat());
    refused(&rollback(&["--learning", first, "--term", "nothing"]), "not_found");
    refused(&rollback(&["--term", "nothing"]), "usage");
    refused(&rollback(&["--learning", first, "--source", "agent"]), "usage");
    refused(&rollback(&["--learning", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]), "not_found");
    assert_eq!(sandbox.ralph_ok(&["feedback", "rollback", "--learning", first])["terms"], json!(0));
}

#[test]
fn a_learning_that_does_harm_falls_by_itself_and_is_put_before_a_person_once() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let learnt = learn(&sandbox, "pay", "The misleading ledger check in src/ledger.rs is skipped before each refund", &[]);
    let id = text(&learnt["id"]);
    for number in 0..60 {
        task(&sandbox, "pay", &format!("Mend refund {number} in the ledger"), &[]);
    }
    let effect = || list(insights(&sandbox)["effects"].clone()).into_iter().find(|effect| effect["learning"] == id.as_str());
    // Failures in a row end a run: several, until there is enough on either side.
    for _ in 0..30 {
        play(&sandbox, "[told \"misleading ledger check\"]\nfailed\n\n[*]\ndone\n", &["--hold-out", "50", "--max-iterations", "30"]);
        if effect().is_some_and(|effect| effect["harmful"] == json!(true)) {
            break;
        }
    }
    let effect = effect().expect("its row");
    assert_eq!((&effect["harmful"], &effect["effect"]["kind"]), (&json!(true), &json!("measured")), "{effect:#}");
    play(&sandbox, "[told \"misleading ledger check\"]\nfailed\n\n[*]\ndone\n", &["--hold-out", "1", "--max-iterations", "2"]);
    let shown = sandbox.ralph_ok(&["learning", "show", &id]);
    let said = list(shown["feedback"]["validations"].clone());
    assert_eq!(said.len(), 1, "once a day: {shown:#}");
    assert_eq!((&said[0]["useful"], &said[0]["by"]), (&json!(false), &json!("run")));
    assert!(shown["factor"].as_f64().is_some_and(|factor| factor < 1.0), "{shown:#}");
    let notices = list(sandbox.ralph_ok(&["notice", "list"]));
    let harm: Vec<&Value> = notices.iter().filter(|notice| notice["kind"] == "harm").collect();
    assert!(harm.len() == 1 && text(&harm[0]["detail"]).contains(&id), "{notices:#?}");
    assert_eq!(sandbox.ralph_ok(&["feedback", "rollback", "--source", "run"])["validations"], json!(1), "there is a way back");
    assert_sound(&sandbox);
}
