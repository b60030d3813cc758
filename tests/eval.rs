//! The evaluations, over small collections of our own: what they print, what they read, and what they refuse.

use journeys::{refused, text};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};

/// Id, group, place in time, text.
type Document = (&'static str, &'static str, i64, &'static str);
/// The same of a question, and its relevant documents with their grades.
type Question = (&'static str, &'static str, i64, &'static str, &'static [(&'static str, u32)]);

const DOCUMENTS: [Document; 6] = [
    ("shop/0", "shop", 0, "Refunds are settled at midnight in the time zone of the shop, see src/refund.rs"),
    ("shop/1", "shop", 1, "The basket keeps prices in cents, never as floats"),
    ("shop/2", "shop", 2, "Invoices get their numbers from one sequence, so two writers never share one"),
    ("blog/0", "blog", 0, "Drafts are saved every ten seconds to the browser's own storage"),
    ("blog/1", "blog", 1, "The feed is rebuilt when a post changes its address"),
    ("blog/2", "blog", 2, "Pictures are scaled on upload, since phones send twelve megapixels"),
];

const QUESTIONS: [Question; 3] = [
    ("q/money", "shop", 2, "in which unit is an amount of money stored", &[("shop/1", 2), ("shop/0", 1)]),
    ("q/images", "blog", 3, "uploading large photos", &[("blog/2", 2)]),
    ("q/none", "blog", 3, "nothing is relevant to this", &[]),
];

fn collection() -> Sandbox {
    let sandbox = Sandbox::new();
    let lines = |records: Vec<Value>| records.iter().map(|record| format!("{record}\n")).collect::<String>();
    // Labels of other programs are not read, whatever their type; names may be numbers.
    let document = |(id, group, seq, text): &Document| json!({"_id": id, "title": null, "text": text, "group": group, "session": 7, "seq": seq, "label": [1]});
    sandbox.write("set/corpus.jsonl", &lines(DOCUMENTS.iter().map(document).collect()));
    let question = |(id, group, seq, text, _): &Question| json!({"_id": id, "text": text, "group": group, "seq": seq});
    sandbox.write("set/queries.jsonl", &lines(QUESTIONS.iter().map(question).collect()));
    let judged = QUESTIONS.iter().flat_map(|(id, .., relevant)| relevant.iter().map(move |(of, grade)| format!("{id}\t{of}\t{grade}\n")));
    sandbox.write("set/qrels.tsv", &format!("query-id\tcorpus-id\tscore\n{}", judged.collect::<String>()));
    sandbox
}

#[test]
fn each_mode_measures_what_it_says_and_the_run_lists_the_hits() {
    let sandbox = collection();
    let measured = |mode: &str| sandbox.ralph_ok(&["eval", "--data", "set", "--mode", mode, "--run", "run.tsv"]);
    for (mode, queries) in [("self", 2), ("prior", 1), ("all", 2)] {
        let found = measured(mode);
        assert_eq!(found["queries"], json!(queries), "{mode}: questions without a relevant document are passed over");
        let hit = if mode == "prior" { "HitRate@10" } else { "HitRate@1" };
        assert_eq!(found["fused"][hit], json!(1.0), "{mode}: {found}");
        for of in [&found["fused"], &found["channels"]["lexical"], &found["channels"]["trigram"], &found["channels"]["vector"]] {
            for name in ["MRR@5", "nDCG@10", "Recall@10", "Recall@20", "HitRate@1", "HitRate@10"] {
                assert!(of[name].as_f64().is_some_and(|value| (0.0..=1.0).contains(&value)), "{mode} {name}: {found}");
            }
        }
    }
    let run = sandbox.read("run.tsv");
    let first: Vec<Vec<&str>> = run.lines().map(|line| line.split('\t').collect::<Vec<_>>()).filter(|row| row[2] == "1").collect();
    let found: Vec<(&str, &str)> = first.iter().map(|row| (row[0], row[1])).collect();
    assert_eq!(found, [("q/money", "shop/1"), ("q/images", "blog/2")]);
    assert!(run.lines().all(|line| line.split('\t').nth(3).is_some_and(|score| score.parse::<f64>().is_ok_and(|s| s > 0.0))), "{run}");
    assert!(run.lines().all(|line| line.contains("q/money\tshop/") || line.contains("q/images\tblog/")), "a group is a store of its own");
}

#[test]
fn what_is_judged_and_not_in_the_corpus_counts_as_never_found() {
    let sandbox = collection();
    for file in ["corpus.jsonl", "queries.jsonl"] {
        sandbox.write(format!("part/{file}"), &sandbox.read(format!("set/{file}")));
    }
    sandbox.write("part/qrels.tsv", "q/money\tshop/1\t1\nq/money\tgone\t1\nq/images\tgone\t1\n");
    let found = sandbox.ralph_ok(&["eval", "--data", "part", "--mode", "all"]);
    assert_eq!((&found["queries"], &found["missing"]), (&json!(2), &json!(2)), "{found}");
    assert_eq!((&found["fused"]["Recall@10"], &found["fused"]["HitRate@1"]), (&json!(0.25), &json!(0.5)), "{found}");
}

#[test]
fn a_collection_that_is_broken_is_refused_by_name_and_line() {
    let mut sandbox = collection();
    let fault =
        |sandbox: &Sandbox, set: &str| text(&refused(&sandbox.ralph(&["eval", "--data", set, "--mode", "all"]), "invalid")["message"]);
    sandbox.write("bad/queries.jsonl", &sandbox.read("set/queries.jsonl"));
    sandbox.write("bad/qrels.tsv", "q/money\tshop/1\n");
    sandbox.write("bad/corpus.jsonl", "{\"_id\": \"a\", \"text\": \"fine\"}\n{\"_id\": ");
    assert!(fault(&sandbox, "bad").contains("corpus.jsonl line 2"), "{}", fault(&sandbox, "bad"));
    sandbox.write("bad/corpus.jsonl", "{\"_id\": \"a\", \"text\": \"fine\"}\n");
    assert!(fault(&sandbox, "bad").contains("qrels.tsv line 1"), "{}", fault(&sandbox, "bad"));
    refused(&sandbox.ralph(&["eval", "--data", "nowhere", "--mode", "all"]), "io");
    let line = "{\"_id\": \"a\", \"text\": \"fine\"}\n";
    for (corpus, judged, named) in [
        (line.repeat(2), "q/money\ta\t1\n", "corpus.jsonl line 2: the _id 'a'"),
        (line.to_owned(), "q/money\ta\t2.0\nq/images\ta\t1\n", "qrels.tsv line 1"),
        (line.to_owned(), "q/money\ta\t1\nq/money\ta\t2\n", "qrels.tsv line 2: 'a' is judged for 'q/money'"),
    ] {
        sandbox.write("bad/corpus.jsonl", &corpus);
        sandbox.write("bad/qrels.tsv", judged);
        assert!(fault(&sandbox, "bad").contains(named), "{}", fault(&sandbox, "bad"));
    }
    sandbox.write("bad/corpus.jsonl", &format!("\u{feff}{line}"));
    sandbox.write("bad/qrels.tsv", "q/money\ta\t1\nq/money\tgone\t1\n");
    let found = sandbox.ralph_ok(&["eval", "--data", "bad", "--mode", "all"]);
    assert_eq!((&found["queries"], &found["missing"]), (&json!(1), &json!(1)), "{found}");

    // Without vectors a figure would be something other than it says.
    for file in ["tokenizer.json", "model.safetensors"] {
        sandbox.write(format!("models/all-MiniLM-L6-v2/{file}"), "");
    }
    let models = sandbox.project().join("models");
    sandbox.set("RALPH_MODELS", models);
    assert!(!sandbox.ralph(&["eval", "--data", "set", "--mode", "all"]).status.success());
}

#[test]
fn a_weight_that_makes_no_sense_is_refused_by_its_name() {
    let sandbox = collection();
    for (set, named) in [
        ("trigram=nan", "trigram"),
        ("tokens=-5", "tokens = -5"),
        ("vector_min=7", "vector_min = 7"),
        ("recency_days=0", "recency_days"),
        ("foo=1", "foo"),
        ("trigram=", "trigram"),
    ] {
        let said = sandbox.ralph(&["eval", "--data", "set", "--mode", "all", "--set", set]);
        let message = text(&refused(&said, "invalid")["message"]);
        assert!(message.contains("--set") && message.contains(named), "{set}: {message}");
    }
    let twice = sandbox.ralph(&["eval", "--data", "set", "--mode", "all", "--set", "trigram=0", "--set", "trigram=0.1"]);
    assert!(text(&refused(&twice, "invalid")["message"]).contains("'trigram' is named twice"));
}

#[test]
fn pairs_get_the_verdict_of_the_door() {
    let sandbox = Sandbox::new();
    let pairs = [
        ("same", "Use pnpm to install packages", "Install packages using pnpm", "observed merged"),
        ("turned", "Use pnpm, never npm", "Use npm, never pnpm", "conflict"),
        ("count", "Retry a refund 3 times", "Retry a refund 5 times", "conflict"),
        ("apart", "Refunds are settled at midnight", "The feed is rebuilt when a post moves", "distinct"),
    ];
    let lines: String = pairs.iter().map(|(id, a, b, _)| format!("{id}\t{a}\t{b}\t0\tlabel\n")).collect();
    sandbox.write("pairs.tsv", &format!("id\ta\tb\tscore\tlabel\n{lines}"));
    sandbox.ralph_ok(&["eval-pairs", "--data", "pairs.tsv", "--out", "out.tsv"]);
    let out = sandbox.read("out.tsv");
    for (id, .., verdicts) in pairs {
        let row = out.lines().find(|line| line.starts_with(&format!("{id}\t"))).unwrap_or_else(|| panic!("{id} in {out}"));
        assert!(row.split('\t').any(|cell| verdicts.split(' ').any(|verdict| verdict == cell)), "{row}");
    }
}

#[test]
fn a_collection_in_which_no_query_qualifies_is_refused() {
    let sandbox = collection();
    sandbox.write("set/qrels.tsv", "query-id\tcorpus-id\tscore\n");
    for mode in ["self", "prior", "all"] {
        let error = refused(&sandbox.ralph(&["eval", "--data", "set", "--mode", mode]), "invalid");
        assert!(text(&error["message"]).contains(&format!("no query qualifies for '{mode}'")), "{error}");
    }
}

#[test]
fn what_was_left_out_is_measured_with_what_the_others_chose() {
    let sandbox = collection();
    let ask = ["eval-leave-out", "--collection", "set:self", "--collection", "set:all", "--keep", "kept"];
    let found = sandbox.ralph_ok(&ask);
    let folds = found["folds"].as_array().expect("folds");
    let names: Vec<String> = folds.iter().map(|fold| text(&fold["name"])).collect();
    assert_eq!(names, ["set:self/others", "set:all/others"], "groups of so few questions are one");
    for fold in folds {
        let [low, mean, high] = ["low", "mean", "high"].map(|part| fold["left_out"][part].as_f64().expect("a number"));
        assert!(0.0 < low && low <= mean && mean <= high && high <= 1.0, "{fold}");
        assert_eq!((&fold["questions"], &fold["worse_than_a_channel"]), (&json!(2), &json!(false)), "{fold}");
    }
    let constants = found["constants"].as_array().expect("constants");
    assert!(constants.iter().any(|constant| constant["key"] == "tokens" && constant["default"] == json!(0.6)), "{found}");
    assert_eq!(sandbox.ralph_ok(&ask), found, "what was kept is what was made");
    for bad in ["set", "set:wrong"] {
        let error = refused(&sandbox.ralph(&["eval-leave-out", "--collection", bad]), "invalid");
        assert!(text(&error["message"]).contains(bad.trim_start_matches("set:")) && text(&error["hint"]).contains("prior"), "{error}");
    }
}
