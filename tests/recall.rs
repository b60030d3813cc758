//! Recall with the bundled model, with another one behind an endpoint, and with none.

use journeys::{McpClient, feature, journal, learn, list, plain, refused, task, text};
use ralph_testkit::{EmbeddingServer, Sandbox};
use serde_json::{Value, json};

const LESSONS: [&str; 3] = [
    "Refunds are settled at midnight in the time zone of the shop",
    "The parser of src/parse.rs keeps the byte order mark",
    "Snapshots of the layout differ between WebKit versions",
];

fn project() -> Sandbox {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    for lesson in LESSONS {
        learn(&sandbox, "pay", lesson, &[]);
    }
    sandbox
}

fn recall(sandbox: &Sandbox) -> Value {
    let answer = sandbox.ralph_ok(&["recall", "when are refunds settled"]);
    assert_eq!(text(&answer["hits"][0]["text"]), LESSONS[0], "{answer}");
    answer
}

/// Why the vectors had no part; `None` when they had.
fn without_vectors(answer: &Value) -> Option<String> {
    let missing = answer["missing"].as_array()?;
    missing.iter().find(|missing| missing["channel"] == "vector").map(|missing| text(&missing["reason"]))
}

#[test]
fn another_model_makes_every_vector_anew_and_has_a_calibration_of_its_own() {
    let sandbox = project();
    assert!(without_vectors(&recall(&sandbox)).is_some_and(|why| why.contains("ralph reconcile")), "nothing is embedded yet");
    assert_eq!(sandbox.ralph_ok(&["reconcile"])["distinct"], json!(3));
    let answer = recall(&sandbox);
    assert_eq!(answer["missing"], json!([]));
    let channels = answer["hits"][0]["score"]["channels"].as_array().expect("channels");
    assert!(channels.iter().any(|channel| channel["channel"] == "tokens"), "word by word: {answer}");

    let server = EmbeddingServer::start();
    let config = sandbox.read(".ralph/config.toml");
    let own = format!("embedding = \"openai\"\nembedding_model = \"hashed\"\nembedding_url = \"{}\"\n", server.url());
    let others = config.lines().filter(|line| !line.starts_with("embedding"));
    sandbox.write(".ralph/config.toml", &format!("{own}{}\n", others.collect::<Vec<_>>().join("\n")));
    let waits = without_vectors(&recall(&sandbox));
    assert!(waits.is_some_and(|why| why.contains("ralph trust")) && server.texts() == 0, "nothing is sent before a person agreed");
    assert!(!sandbox.ralph(&["calibrate"]).status.success() && server.texts() == 0, "a calibration sends nothing either");
    sandbox.trust();
    assert!(without_vectors(&recall(&sandbox)).is_some(), "the vectors of one model say nothing to another's question");
    let round = sandbox.ralph_ok(&["reconcile"]);
    assert_eq!((&round["distinct"], &round["left"]), (&json!(3), &json!(0)), "compared anew: {round}");
    assert!(server.texts() > 2 * 200, "the pairs that calibrate were embedded too: {}", server.texts());
    let known = server.texts();
    let answer = recall(&sandbox);
    assert_eq!(without_vectors(&answer), None);
    assert_eq!(answer["missing"][0]["channel"], "tokens", "an endpoint gives one vector for a text: {answer}");
    assert_eq!(server.texts(), known + 1, "the question alone");
    let compared: Vec<Value> = journal(&sandbox, "pay").into_iter().filter(|line| line["event"] == "reconciled").collect();
    assert!(compared.iter().any(|line| line.to_string().contains("hashed")), "{compared:?}");

    let calibrated = sandbox.ralph_ok(&["calibrate"]);
    let cosine = |key: &str| calibrated[key].as_f64().expect("a cosine");
    assert!(text(&calibrated["model"]).contains("hashed") && server.texts() > known + 2 * 200, "calibrated anew: {calibrated}");
    assert!(cosine("same_subject") < cosine("merge") && cosine("merge") < cosine("redundant"), "{calibrated}");

    server.change_model();
    assert!(without_vectors(&recall(&sandbox)).is_some_and(|why| why.contains("another dimension")));
    sandbox.ralph_ok(&["reconcile"]);
    assert_eq!(without_vectors(&recall(&sandbox)), None, "made anew by the model behind the name");

    let embedding = || {
        let report = sandbox.ralph_ok(&["doctor"]);
        let found = list(report["checks"].clone()).into_iter().find(|check| check["name"] == "embedding");
        found.unwrap_or_else(|| panic!("{report}"))
    };
    assert!(text(&embedding()["detail"]).contains(&server.url()), "{}", embedding());
    learn(&sandbox, "pay", "Are settled refunds at midnight of the shop in the time zone", &[]);
    drop(server);
    assert!(embedding()["state"] != "ok" && text(&embedding()["detail"]).contains("127.0.0.1"), "{}", embedding());
    let answer = recall(&sandbox);
    assert!(without_vectors(&answer).is_some_and(|why| why.contains("127.0.0.1")), "the server is gone, words still answer: {answer}");
}

#[test]
fn a_wrong_name_of_the_models_folder_is_told_by_whatever_asks_for_the_model() {
    let mut sandbox = project();
    sandbox.ralph_ok(&["reconcile"]);
    let nowhere = sandbox.project().join("nowhere");
    sandbox.set("RALPH_MODELS", &nowhere);
    // Every text has its vector, so that nothing would be embedded.
    refused(&sandbox.ralph(&["reconcile"]), "embedding");
    assert!(without_vectors(&recall(&sandbox)).is_some_and(|why| why.contains("RALPH_MODELS")));
    let mut other = project();
    other.set("RALPH_MODELS", &nowhere);
    refused(&other.ralph(&["reconcile"]), "embedding");
    assert!(without_vectors(&recall(&other)).is_some_and(|why| why.contains("RALPH_MODELS")), "and not that it could be made up for");
    assert!(!other.ralph(&["doctor"]).status.success());
}

#[test]
fn nothing_known_is_an_answer_and_its_prompt_is_the_one_without_memory() {
    let unrelated = "Paint the aquarium of the penguins";
    let asked = |sandbox: &Sandbox, question: &str| {
        let answer = sandbox.ralph_ok(&["recall", question]);
        (answer["nothing_known"].clone(), answer["confidence"].clone())
    };
    let told = |sandbox: &Sandbox| text(&sandbox.ralph_ok(&["prompt", "1"])["text"]);
    let plain = Sandbox::with_project();
    feature(&plain, "pay", &[]);
    task(&plain, "pay", unrelated, &[]);

    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    for lesson in LESSONS {
        learn(&sandbox, "pay", lesson, &["--source", "agent"]);
    }
    let unrelated_task = task(&sandbox, "pay", unrelated, &[]);
    assert_eq!(asked(&sandbox, "when are refunds settled"), (json!(false), Value::Null), "without vectors nothing is judged");
    assert!(told(&sandbox).contains(LESSONS[0]), "so that all may be told");
    sandbox.ralph_ok(&["reconcile"]);
    let (nothing, sure) = asked(&sandbox, "when are refunds settled");
    assert!(nothing == json!(false) && sure.as_f64().is_some_and(|sure| sure > 0.5), "{sure}");
    let (nothing, sure) = asked(&sandbox, "how do penguins sleep in the aquarium");
    assert!(nothing == json!(true) && sure.as_f64().is_some_and(|sure| sure < 0.13), "{sure}");
    assert_eq!(unrelated_task, 1);
    assert_eq!(told(&sandbox), told(&plain), "as without memory, to the byte");

    let related = task(&sandbox, "pay", "Settle refunds at midnight in the shop's time zone", &[]);
    let prompt = text(&sandbox.ralph_ok(&["prompt", &related.to_string()])["text"]);
    assert!(prompt.contains(LESSONS[0]) && !prompt.contains("### Previous Attempts"), "{prompt}");

    let own = "Never paint what the customer has not paid for";
    learn(&sandbox, "pay", own, &[]);
    sandbox.ralph_ok(&["reconcile"]);
    assert!(told(&sandbox).contains(own), "a person's words are told in any case");
}

#[test]
fn whether_anything_is_known_does_not_depend_on_how_many_hits_are_asked_for() {
    let sandbox = project();
    let made = sandbox.ralph(&["reconcile"]);
    assert!(made.status.success() && !made.stderr.contains("vector"), "none was left: {made:?}");
    let sure = || {
        ["1", "10", "200"].map(|limit| {
            let answer = sandbox.ralph_ok(&["recall", "when are refunds settled", "--limit", limit]);
            assert!(limit != "1" || answer["hits"].as_array().map(Vec::len) == Some(1), "{answer}");
            (answer["confidence"].as_f64(), answer["nothing_known"].clone())
        })
    };
    refused(&sandbox.ralph(&["recall", "refunds", "--limit", "0"]), "invalid");
    let [first, rest @ ..] = sure();
    assert!(first.0.is_some() && rest.iter().all(|other| *other == first), "{first:?} {rest:?}");
    learn(&sandbox, "pay", "Slips of refunds are green, except those of the fair", &[]);
    assert!(sure().iter().all(|(sure, _)| sure.is_none()), "what was just learnt may be the answer: {:?}", sure());
}

#[test]
fn a_question_in_other_words_is_known_in_a_small_store_and_an_unrelated_one_is_not() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    for lesson in [
        "Run the database migrations inside a transaction so a failed step leaves nothing behind",
        "The CI cache key has to contain the lockfile hash, otherwise stale packages are restored",
        "Money amounts are stored as integer cents; floats lost a cent in the refund report",
        "Retry calls to the payment provider with an idempotency key, or the customer is charged twice",
        "The session cookie needs SameSite=Lax, with Strict the login redirect from Google drops it",
    ] {
        learn(&sandbox, "pay", lesson, &[]);
    }
    sandbox.ralph_ok(&["reconcile"]);
    for (question, lesson) in [
        ("our build uses outdated dependencies", "lockfile"),
        ("rollback of schema changes", "migrations"),
        ("what datatype for currency", "cents"),
        ("Why are we billing people two times?", "idempotency"),
        ("users get logged out after signing in through a third party", "SameSite"),
    ] {
        let answer = sandbox.ralph_ok(&["recall", question]);
        assert_eq!(answer["nothing_known"], json!(false), "{question}: {answer}");
        assert!(text(&answer["hits"][0]["text"]).contains(lesson), "{question}: {answer}");
    }
    for question in ["which camera lens is best for portraits", "translate the menu into French", "the graph view flickers when zooming"] {
        assert_eq!(sandbox.ralph_ok(&["recall", question])["nothing_known"], json!(true), "{question}");
    }
}

#[test]
fn a_memory_in_letters_that_the_model_has_no_words_of_stops_no_answer_from_being_nothing_known() {
    let sandbox = project();
    learn(
        &sandbox,
        "pay",
        "\u{767b}\u{5f55}\u{5931}\u{8d25}\u{4e09}\u{6b21}\u{4e4b}\u{540e}\u{8d26}\u{6237}\u{4f1a}\u{88ab}\u{9501}\u{5b9a}",
        &[],
    );
    sandbox.ralph_ok(&["reconcile"]);
    let answer = sandbox.ralph_ok(&["recall", "how do penguins sleep in the aquarium"]);
    assert_eq!(answer["nothing_known"], json!(true), "{answer}");
    let answer = sandbox.ralph_ok(&["recall", "\u{8d26}\u{6237}\u{9501}\u{5b9a}"]);
    assert!(text(&answer["hits"][0]["text"]).contains('\u{8d26}'), "{answer}");
}

#[test]
fn a_question_without_a_word_is_refused_and_what_finds_nothing_lacks_no_channel() {
    let sandbox = project();
    sandbox.ralph_ok(&["reconcile"]);
    for question in ["", "  ", "?!", "((\"*"] {
        let error = refused(&sandbox.ralph(&["recall", question]), "invalid");
        assert!(text(&error["message"]).contains("query"), "{question:?}: {error}");
    }
    let answer = sandbox.ralph_ok(&["recall", "refunds", "--kind", "fact"]);
    assert_eq!((&answer["hits"], &answer["missing"]), (&json!([]), &json!([])), "{answer}");
}

#[test]
fn whoever_is_told_one_of_two_that_contradict_each_other_is_told_that_until_a_person_decides() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Mend the nightly deploy", &[]);
    let ids = [("before", "human"), ("after", "agent")].map(|(order, source)| {
        let said = format!("The nightly deploy runs migrations {order} the restart.");
        text(&learn(&sandbox, "pay", &said, &["--source", source])["id"])
    });
    let remark = "another learning contradicts this, and no person has decided yet";
    let told = || {
        let asked = ["recall", "nightly deploy migrations"];
        let found = list(sandbox.ralph_ok(&asked)["hits"].take());
        let disputed: Vec<Value> = found.iter().filter(|hit| hit["conflicts_with"] != json!([])).map(|hit| hit["id"].clone()).collect();
        let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp", "--profile", "full"]));
        let context = client.call("get_context", &json!({"query": asked[1]})).expect("a context");
        let searched = list(client.call("search", &json!({"query": asked[1]})).expect("hits")["hits"].take());
        client.close();
        let prompt = text(&sandbox.ralph_ok(&["prompt", "1"])["text"]);
        let words = plain(&sandbox, &asked).stdout;
        let counts = [words, prompt, text(&context["context"])].map(|told| told.matches(remark).count());
        (disputed.len(), searched.iter().filter(|hit| hit["conflicts_with"] != json!([])).count(), counts)
    };
    assert_eq!(told(), (2, 2, [2; 3]));
    sandbox.ralph_ok(&["review", "decide", &ids[0], &ids[1], "keep_older"]);
    assert_eq!(told(), (0, 0, [0; 3]));
}

#[test]
fn a_word_of_two_letters_is_found_in_a_sentence_without_spaces_and_outweighs_what_the_model_spells() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "shop", &[]);
    let lessons = [
        "在庫の引き当ては楽観ロックで行い、更新を忘れると二重販売になる",
        "環境変数はデプロイ時に読み込まれるので、変更したらコンテナを再起動する",
        "画像のアップロードは署名付きのアドレスを使い、サーバーを経由させない",
    ];
    for lesson in lessons {
        learn(&sandbox, "shop", lesson, &[]);
    }
    sandbox.ralph_ok(&["reconcile"]);
    for (question, place) in [("在庫", 0), ("変数", 1), ("画像のサーバー", 2)] {
        let answer = sandbox.ralph_ok(&["recall", question]);
        assert_eq!(text(&answer["hits"][0]["text"]), lessons[place], "{question}: {answer}");
        let weights = list(answer["weights"].clone());
        let share = |channel: &str| weights.iter().find(|weight| weight["channel"] == channel).and_then(|weight| weight["weight"].as_f64());
        assert!(share("vector") < share("trigram"), "{question}: {answer}");
    }
}
