//! Consolidations, and their undoing, killed at seeded moments: all of one has landed, or nothing.
//!
//! `cargo xtask soak` asks for a hundred (`RALPH_SOAK_CONSOLIDATIONS`, `RALPH_SOAK_SEED`); an ordinary test does a few.
#![cfg(unix)]

use journeys::{LIMIT, Seeded, assert_sound, feature, is_git_at_work, learn, list, marked, soak, spin, text};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::Value;
use std::path::PathBuf;

const LEARNT: &str =
    "# L\n\n## Ports\n- The port 8080 must be free for `make serve`\n\n## Last\n- The newest one stays where it is for now\n";
const MONEY: &str = "# Money\n\n- Prices are integers in cents as `price_cents`\n";
const DOCUMENT: &str = "docs/knowledge/money.md";
/// Says every entry of the batch in one document.
const SCRIPT: &str = "run while IFS=\"$(printf '\\t')\" read -r key words; do printf -- '- %s <!-- ralph:%s -->\\n' \"$words\" \"$key\"; done < \"$RALPH_BATCH\" >> docs/knowledge/money.md\n";
const CONSOLIDATE: [&str; 5] = ["consolidate", "--agent", "scripted", "--script", ".ralph/test.script"];

/// A project whose entries go into a document and come back, again and again.
struct World {
    sandbox: Sandbox,
    ids: Vec<String>,
    seeded: Seeded,
    /// Kills that hit a process at work.
    met: u64,
}

impl World {
    fn new(seed: u64) -> World {
        let sandbox = Sandbox::with_project();
        sandbox.write("learnings.md", LEARNT);
        sandbox.write(DOCUMENT, MONEY);
        sandbox.write("docs/knowledge/INDEX.md", "# Index\n\n- [Money](money.md)\n");
        sandbox.write(".ralph/test.script", SCRIPT);
        let config = sandbox.read(".ralph/config.toml");
        let config = config
            .replace("keep_newest = 3", "keep_newest = 1")
            .replace("consolidate_review = \"person\"", "consolidate_review = \"auto\"");
        sandbox.write(".ralph/config.toml", &config);
        sandbox.trust();
        sandbox.write(".gitignore", ".ralph/\n");
        sandbox.commit("before");
        feature(&sandbox, "pay", &["--max-learnings", "5"]);
        let texts = [
            "Refund windows are compared in the provider time zone",
            "Retry refunds with `Idempotency-Key`",
            "The ledger closes at midnight UTC",
        ];
        let ids = texts.map(|said| text(&learn(&sandbox, "pay", said, &["--source", "human"])["id"])).to_vec();
        for day in 1..=8 {
            let date = format!("2099-01-{day:02}T12:00:00+0000");
            let mut command = sandbox.command("git");
            command.args(["commit", "-q", "--allow-empty", "-m", "work"]).env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
            assert!(sandbox.run(&mut command).status.success());
        }
        World { sandbox, ids, seeded: Seeded::new(seed), met: 0 }
    }

    /// Starts a command and kills it after at most this many microseconds; half of the time its git goes with it.
    fn cut(&mut self, args: &[&str], longest: u64) {
        let process = Running::start(&mut self.sandbox.ralph_command(args), None);
        spin(self.seeded.below(longest));
        if self.seeded.below(2) == 0 {
            let children = "for p in $(cat /proc/$0/task/*/children); do kill -9 $p; done";
            self.sandbox.run(self.sandbox.command("sh").args(["-c", children, &process.id().to_string()]));
        }
        process.signal("KILL");
        self.met += u64::from(process.wait(LIMIT).status.code().is_none());
        let folders = [self.sandbox.project(), self.sandbox.home()];
        let folders: Vec<&std::path::Path> = folders.iter().map(PathBuf::as_path).collect();
        wait_until("git ends", LIMIT, || (!is_git_at_work(&folders)).then_some(()));
    }

    fn state(&self, id: &str) -> String {
        text(&self.sandbox.ralph_ok(&["learning", "show", id])["state"])
    }

    /// Whether a consolidation stands; everything must agree on that.
    fn consolidated(&self, what: &str) -> bool {
        let over = || list(self.sandbox.ralph_ok(&["errand", "list"])).iter().all(|errand| errand["state"] != "running").then_some(());
        wait_until(&format!("{what}: the end of its errand"), LIMIT, over);
        let states = [self.state(&self.ids[0]), self.state(&self.ids[1])];
        let stands = states[0] == "consolidated";
        assert_eq!(states, if stands { ["consolidated", "consolidated"] } else { ["active", "active"] }, "{what}");
        assert_eq!(self.state(&self.ids[2]), "active", "{what}");
        let committed = |file: &str| self.sandbox.git(&["show", &format!("main:{file}")]);
        assert_eq!(committed(DOCUMENT).matches("<!-- ralph:").count(), if stands { 3 } else { 0 }, "{what}: {}", committed(DOCUMENT));
        assert_eq!(committed("learnings.md").contains("## Ports"), !stands, "{what}");
        assert_eq!(self.sandbox.git(&["status", "--porcelain"]), "", "{what}: the person's checkout");
        let rows = list(self.sandbox.ralph_ok(&["consolidate", "--list"]));
        let standing: Vec<&Value> = rows.iter().filter(|row| row["undone"].is_null()).collect();
        assert_eq!(standing.len(), if stands { 2 } else { 0 }, "{what}: {rows:?}");
        wait_until("the end of every process", LIMIT, || marked(&self.sandbox).is_empty().then_some(()));
        assert_sound(&self.sandbox);
        stands
    }

    /// The name of a proposal that waits.
    fn waiting(&self) -> Option<String> {
        let rows = list(self.sandbox.ralph_ok(&["worktree", "list"]));
        rows.iter().find(|row| row["state"] == "in_review").map(|row| format!("e{}", row["errand"]))
    }

    fn round(&mut self, what: &str) {
        self.cut(&CONSOLIDATE, 700_000);
        if !self.consolidated(what) {
            match self.waiting() {
                Some(proposal) => drop(self.sandbox.ralph_ok(&["merge", &proposal])),
                None => drop(self.sandbox.ralph_ok(&CONSOLIDATE)),
            }
            assert!(self.consolidated(&format!("{what}, once more")));
        }
        let rows = list(self.sandbox.ralph_ok(&["consolidate", "--list"]));
        let act = text(&rows[0]["act"]);
        let undo = ["consolidate", "--undo", act.as_str()];
        self.cut(&undo, 250_000);
        assert!(self.consolidated(&format!("{what}, undo")), "an undo that is not merged changes nothing");
        if self.waiting().is_none() {
            self.sandbox.ralph_ok(&undo);
        }
        let proposal = self.waiting().expect("a proposal");
        self.cut(&["merge", &proposal], 250_000);
        if self.consolidated(&format!("{what}, merge of the undo")) {
            self.sandbox.ralph_ok(&["merge", &proposal]);
            assert!(!self.consolidated(&format!("{what}, merge of the undo once more")));
        }
        assert_eq!((self.sandbox.read("learnings.md").as_str(), self.sandbox.read(DOCUMENT).as_str()), (LEARNT, MONEY), "{what}");
    }
}

#[test]
fn a_consolidation_that_is_killed_anywhere_landed_whole_or_not_at_all() {
    let (rounds, seed) = (soak("RALPH_SOAK_CONSOLIDATIONS", 3), soak("RALPH_SOAK_SEED", 20_261_122));
    let mut world = World::new(seed);
    for round in 0..rounds {
        world.round(&format!("seed {seed}, round {round}"));
    }
    eprintln!("{rounds} rounds of three kills with seed {seed}: {} kills met a process at work", world.met);
    assert!(world.met >= rounds, "the kills must meet processes at work");
}
