//! The real Claude Code proposes documents: of good, lossy, repeated, contradicting, overlong and out-of-bounds changes only the good one
//! lands.

use journeys::{assert_sound, feature, learn, list, refused, text};
use ralph_testkit::{Block, ModelServer, Reply, Sandbox, within_namespace};
use serde_json::{Value, json};

const MODEL: &str = "claude-sonnet-4-5";
const MONEY: &str = "# Money\n\n- Prices are integers in cents as `price_cents`\n";
const DOCUMENT: &str = "docs/knowledge/money.md";

/// What the model writes when it is asked for the first time, by the words of a task that chose it, and afterwards.
#[derive(Clone)]
struct Plan {
    first: String,
    then: String,
}

fn write(text: &str) -> String {
    format!("mkdir -p docs/knowledge && cat > {DOCUMENT} <<'END'\n{text}END\n")
}

/// A model that makes its change with the shell, then says that it is done.
fn model(plan: Plan) -> ModelServer {
    let mut done = [false; 2];
    ModelServer::choosing(move |request| {
        let said = request.body["messages"].to_string();
        if !said.contains("What to do") {
            return Reply::text("Which documents?");
        }
        let again = usize::from(said.contains("You were here before"));
        if std::mem::replace(&mut done[again], true) && said.contains("tool_result") {
            return Reply::text("The documents are written.");
        }
        let command = if again == 1 { &plan.then } else { &plan.first };
        Reply::message([Block::ToolUse { name: "Bash".into(), input: json!({ "command": command, "description": "write" }) }])
    })
}

/// Two learnings that have proved themselves, and one that stays.
fn proved(sandbox: &Sandbox) -> Vec<String> {
    sandbox.write(DOCUMENT, MONEY);
    let config = sandbox.read(".ralph/config.toml").replace("keep_newest = 3", "keep_newest = 1");
    sandbox.write(".ralph/config.toml", &config);
    sandbox.trust();
    sandbox.commit("before");
    feature(sandbox, "pay", &[]);
    let texts = [
        "Refund windows are compared in the provider time zone",
        "Retry refunds with `Idempotency-Key`",
        "The ledger closes at midnight UTC",
    ];
    let ids = texts.map(|said| text(&learn(sandbox, "pay", said, &["--source", "human"])["id"])).to_vec();
    for day in 1..=8 {
        let date = format!("2099-01-{day:02}T12:00:00+0000");
        let mut command = sandbox.command("git");
        command.args(["commit", "-q", "--allow-empty", "-m", "work"]).env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        assert!(sandbox.run(&mut command).status.success());
    }
    ids
}

fn good(ids: &[String]) -> String {
    format!(
        "{MONEY}\n## Refunds\n\n- Compare refund windows in the zone of the provider <!-- ralph:{} -->\n- Retries of refunds carry an `Idempotency-Key` <!-- ralph:{} -->\n",
        ids[0], ids[1]
    )
}

/// List items that no learning says.
fn tables(part: u32, count: u32) -> String {
    (0..count).map(|line| format!("- The table `part{part}_{line}` has an owner\n")).collect()
}

#[test]
fn of_what_the_real_agent_proposes_only_what_holds_lands() {
    within_namespace(|| {
        let mut sandbox = Sandbox::with_project();
        let ids = proved(&sandbox);
        let good = good(&ids);
        let consolidate = ["consolidate", "--agent", "claude", "--model", MODEL];
        let before = sandbox.git(&["rev-parse", "main"]);
        // Overlong: what no entry says is refused, however well the entries are said.
        let overlong = format!("{good}{}", tables(0, 500));
        let lossy = good.replace("- Prices are integers in cents as `price_cents`\n", "");
        for (name, change, why) in [
            ("lossy", write(&lossy), "a line is lost"),
            (
                "repeated",
                write(&good.replace("## Refunds", &format!("- Refunds <!-- ralph:{} -->\n\n## Refunds", ids[0]))),
                "lands 2 times",
            ),
            (
                "contradicting",
                write(&good.replace("Retries of refunds carry an `Idempotency-Key`", "Never retry refunds with `Idempotency-Key`")),
                "opposite",
            ),
            ("overlong", write(&overlong), "and 499 more: no entry says that"),
            ("out of bounds", format!("{}echo x >> README.md\n", write(&good)), "README.md: is changed"),
        ] {
            let server = model(Plan { first: change.clone(), then: change });
            sandbox.use_claude(&server);
            let error = refused(&sandbox.ralph(&consolidate), "invalid");
            assert!(text(&error["message"]).contains(why), "{name}: {error}");
            assert_eq!((sandbox.git(&["rev-parse", "main"]), sandbox.read(DOCUMENT).as_str()), (before.clone(), MONEY), "{name}");
            assert_eq!(sandbox.ralph_ok(&["worktree", "list"]), json!([]), "{name}");
        }
        // An agent that is told what is wrong mends it; a document that becomes too long by that is divided.
        let chapters = format!("\n## Chapter 1\n\n{}\n## Chapter 2\n\n{}", tables(1, 195), tables(2, 195));
        sandbox.write(DOCUMENT, &format!("{MONEY}{chapters}"));
        sandbox.commit("chapters by a person");
        let long = format!("{good}{chapters}");
        let server = model(Plan { first: write(&lossy), then: write(&long) });
        sandbox.use_claude(&server);
        let ordered = sandbox.ralph_ok(&consolidate);
        assert_eq!(
            (&ordered["state"], &ordered["agent"], &ordered["model"]),
            (&json!("done"), &json!("claude"), &json!(MODEL)),
            "{ordered}"
        );
        sandbox.ralph_ok(&["merge", &text(&ordered["review"])]);
        for id in &ids[..2] {
            let shown = sandbox.ralph_ok(&["learning", "show", id]);
            assert_eq!(
                (&shown["state"], &shown["consolidated_into"]["heading"]),
                (&json!("consolidated"), &json!("Money › Refunds")),
                "{shown}"
            );
        }
        let documents = std::fs::read_dir(sandbox.project().join("docs/knowledge")).expect("lists").flatten();
        let lines: Vec<usize> = documents.map(|file| std::fs::read_to_string(file.path()).expect("reads").lines().count()).collect();
        assert!(lines.len() > 2 && lines.iter().all(|lines| *lines <= 400), "{lines:?}");
        let errands: Vec<Value> = list(sandbox.ralph_ok(&["errand", "list"]));
        assert_eq!(
            errands.iter().map(|errand| text(&errand["state"])).collect::<Vec<_>>(),
            ["done", "failed", "failed", "failed", "failed", "failed"]
        );
        assert_sound(&sandbox);
    });
}
