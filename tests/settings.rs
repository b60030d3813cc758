//! Settings as a person writes them by hand, on the command line too: what is wrong with them is told before an agent starts.
#![allow(clippy::unwrap_used, reason = "a fault here fails the test")]

use journeys::{iterations, scripted, task, with_tasks};

const DONE: &str = "say Done.\ndone\n";

#[test]
fn a_misspelt_setting_is_told_before_an_agent_starts() {
    let sandbox = with_tasks(0);
    task(&sandbox, "pay", "One", &[]);
    sandbox.write(".ralph/config.toml", &sandbox.read(".ralph/config.toml").replace("max_usd = 0.0", "max_usdd = 5.0"));
    let told = "WARN .ralph/config.toml has keys that are no settings, and have no effect: max_usdd (did you mean max_usd?)";
    for args in [scripted(&sandbox, DONE, &[]), vec!["trust"]] {
        let output = sandbox.ralph(&args);
        assert!(output.status.success() && output.stderr.contains(told), "{args:?}: {output:?}");
    }
    assert_eq!(iterations(&sandbox)[0]["outcome"], "done", "a newer Ralph may know it, so nothing is refused");
}
