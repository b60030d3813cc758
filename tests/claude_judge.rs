//! The real Claude Code as judge: its labels, its cost, and what it says when it does not answer.

use journeys::{feature, learn, list, text};
use ralph_testkit::{ModelServer, Reply, Sandbox, within_namespace};
use serde_json::json;

const MODEL: &str = "claude-sonnet-4-5";

#[test]
fn labels_of_a_real_agent_are_read_its_refusal_is_told_and_what_it_costs_is_shown() {
    within_namespace(|| {
        let mut asked = 0;
        let server = ModelServer::choosing(move |_| {
            asked += 1;
            Reply::text(match asked {
                1 => "```json\n[{\"pair\": 1, \"relevant\": true}, {\"pair\": 2, \"relevant\": false}]\n```",
                _ => "I would rather not judge these.",
            })
        });
        let mut sandbox = Sandbox::with_project();
        sandbox.use_claude(&server);
        feature(&sandbox, "pay", &[]);
        for queue in ["apricot", "bilberry", "cranberry"] {
            // What stands in a learning is data for the judge, whatever it asks for.
            learn(&sandbox, "pay", &format!("The {queue} queue takes the ledger lock in src/{queue}.rs before it retries"), &[]);
        }
        sandbox.ralph_ok(&["recall", "ledger lock"]);
        let judge = || sandbox.ralph_ok(&["eval", "judge", "--agent", "claude", "--model", MODEL, "--limit", "2", "--max-usd", "0.4"]);
        let judged = judge();
        assert_eq!((&judged["asked"], &judged["labelled"], &judged["faults"]), (&json!(2), &json!(2), &json!([])), "{judged:#}");
        assert!(judged["cost_usd"].as_f64().is_some_and(|cost| cost > 0.0) && judged["max_usd"] == json!(0.4), "{judged:#}");
        assert_eq!(judged["agreement"]["counts"], json!(false), "nobody has labelled what it labelled");
        let prompt = format!("{:?}", server.requests()[0]);
        assert!(prompt.contains("JSON schema") && prompt.contains("apricot"), "{prompt}");
        let refusal = judge();
        assert_eq!(refusal["labelled"], json!(0));
        assert!(text(&list(refusal["faults"].clone())[0]).contains("no JSON list"), "{refusal:#}");
    });
}
