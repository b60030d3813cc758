//! Settings as a person writes them by hand, on the command line too: what is wrong with them is reported before an agent starts.
#![allow(clippy::unwrap_used, reason = "a fault here fails the test")]

use journeys::{iterations, refused, scripted, task, text, with_tasks};

const DONE: &str = "say Done.\ndone\n";

#[test]
fn a_misspelt_setting_is_told_before_an_agent_starts() {
    let sandbox = with_tasks(0);
    task(&sandbox, "pay", "One", &[]);
    sandbox.write(".ralph/config.toml", &sandbox.read(".ralph/config.toml").replace("max_usd = 0.0", "max_usdd = 5.0"));
    let told = ".ralph/config.toml has keys that are not settings and have no effect: max_usdd (did you mean max_usd?)";
    for args in [scripted(&sandbox, DONE, &[]), vec!["trust"]] {
        let output = sandbox.ralph(&args);
        assert!(output.status.success() && output.stderr.contains(told), "{args:?}: {output:?}");
    }
    assert_eq!(iterations(&sandbox)[0]["outcome"], "done", "a newer Ralph may know it, so nothing is refused");
}

#[test]
fn what_the_settings_refuse_is_refused_on_the_command_line_too() {
    let sandbox = with_tasks(1);
    for (args, field, way_out) in [
        (["--max-iterations", "0"], "max_iterations", "1 to 100000"),
        (["--max-minutes", "1000001"], "max_minutes", "0 to 1000000"),
        (["--max-usd", "-1"], "max_usd", "0 (no limit)"),
        (["--model", "a b"], "model", "--model sonnet"),
    ] {
        let error = refused(&sandbox.ralph(&scripted(&sandbox, DONE, &args)), "invalid");
        assert!(text(&error["message"]).starts_with(field) && text(&error["hint"]).contains(way_out), "{args:?}: {error}");
    }
    let fault = refused(&sandbox.ralph(&["mcp", "--ask", "21"]), "usage");
    assert!(text(&fault["message"]).contains("0..=20"), "{fault}");
    assert!(iterations(&sandbox).is_empty(), "nothing began");
}

#[test]
fn a_program_that_is_not_there_is_named_with_where_it_can_be_corrected() {
    let sandbox = with_tasks(1);
    let error = refused(&sandbox.ralph(&["run", "--agent", "codex", "--agent-path", "/bin/nope"]), "agent_unavailable");
    assert!(text(&error["message"]).starts_with("the path '/bin/nope' named for Codex is not an executable program"), "{error}");
    assert_eq!(error["hint"], "correct `--agent-path`, or codex_path in .ralph/config.toml", "{error}");
}
