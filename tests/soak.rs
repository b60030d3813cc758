//! Every kind of process killed at seeded moments: no acknowledged word is lost, nothing is in progress without an owner after the next
//! command, the database is sound, and no process is left.
//!
//! `cargo xtask soak` asks for many kills (`RALPH_SOAK_KILLS`, `RALPH_SOAK_SEED`); an ordinary test does a few of each kind.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a fault here fails the test")]

use journeys::{
    LIMIT, McpClient, Seeded, assert_sound, feature, journal, learnings, lesson, list, marked, scripted, soak, spin, task, text,
};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Instant;

/// Kills of an ordinary test: three of each kind.
const KILLS: u64 = 21;
/// Kills in one project: what is known grows with them, and so does the time to ask for it.
const KILLS_OF_A_PROJECT: u64 = 35;
/// Calls that lie before the MCP server, so that it is always at work.
const AHEAD: u64 = 8;
const JOURNAL: &str = ".ralph/db/memory/pay.jsonl";

/// What a killed process was about to do, and the longest time until the kill in microseconds.
type Kind = (&'static str, fn(&mut World), u64);

const KINDS: [Kind; 7] = [
    ("run", World::run, 500_000),
    ("mcp", World::mcp, 8_000),
    ("append", World::append, 30_000),
    ("rebuild", World::rebuild, 60_000),
    ("reconcile", World::reconcile, 300_000),
    ("backup", World::backup, 30_000),
    ("merge of journals", World::merge, 60_000),
];

/// A project that processes are killed in, and what it must know.
struct World {
    sandbox: Sandbox,
    seeded: Seeded,
    /// The longest time until the kill of the kind whose turn it is.
    longest: u64,
    number: usize,
    /// Ids and texts of learnings that somebody was told are kept, or that stand in a file that Ralph reads.
    acknowledged: BTreeSet<String>,
    /// Kills that hit a process at work.
    met: u64,
}

impl World {
    fn new(seeded: Seeded, number: usize) -> World {
        let sandbox = Sandbox::with_project();
        feature(&sandbox, "pay", &["--max-learnings", "30"]);
        let mut world = World { sandbox, seeded, longest: 0, number, acknowledged: BTreeSet::new(), met: 0 };
        let first = world.lesson();
        journeys::learn(&world.sandbox, "pay", &first, &[]);
        world.acknowledged.insert(first);
        world
    }

    fn lesson(&mut self) -> String {
        self.number += 1;
        lesson(self.number)
    }

    /// Starts a command and kills it after a while; what it printed until then.
    fn cut(&mut self, args: &[&str]) -> Option<Value> {
        let process = Running::start(&mut self.sandbox.ralph_command(args), None);
        spin(self.seeded.below(self.longest));
        process.signal("KILL");
        let output = process.wait(LIMIT);
        self.met += u64::from(output.status.code().is_none());
        serde_json::from_str(&output.stdout).ok()
    }

    fn append(&mut self) {
        let lesson = self.lesson();
        if let Some(answer) = self.cut(&["learning", "add", "--feature", "pay", "--text", &lesson]) {
            self.acknowledged.insert(text(&answer["id"]));
        }
    }

    fn mcp(&mut self) {
        let mut client = McpClient::start(&mut self.sandbox.ralph_command(&["mcp"]));
        for _ in 0..AHEAD {
            let lesson = self.lesson();
            client.send_call("append_feature_learning", &json!({"feature": "pay", "text": lesson}));
        }
        let mut answers: Vec<Value> = (0..self.seeded.below(AHEAD)).filter_map(|_| client.answer()).collect();
        spin(self.seeded.below(self.longest));
        answers.extend(client.kill());
        self.met += u64::from((answers.len() as u64) < AHEAD);
        for answer in answers {
            match journeys::told(&answer) {
                Ok(answer) => self.acknowledged.insert(text(&answer["id"])),
                // Kept all the same, though there is no room for it.
                Err(error) => self.acknowledged.insert(text(&error["data"]["parked"])),
            };
        }
    }

    fn run(&mut self) {
        let lesson = self.lesson();
        task(&self.sandbox, "pay", &format!("Work {}", self.number), &[]);
        let script =
            format!("edit work.txt <<EOF\n{}\nEOF\nlearn pitfall: {lesson}\nrun true\nsay still at work\ncommit work\ndone\n", self.number);
        let args = scripted(&self.sandbox, &script, &["--max-iterations", "2"]);
        let process = Running::start(&mut self.sandbox.ralph_command(&args), None);
        spin(self.seeded.below(self.longest));
        process.signal("KILL");
        self.met += u64::from(process.wait(LIMIT).status.code().is_none());
        // What stands in a log was said.
        let logs = std::fs::read_dir(self.sandbox.project().join(".ralph/db/logs")).into_iter().flatten().flatten();
        let logs = logs.map(|log| log.path()).filter(|log| log.extension().is_some_and(|ending| ending == "jsonl"));
        let said = |log: &String| log.rsplit_once('\n').is_some_and(|(whole, _)| whole.contains(&lesson));
        if logs.filter_map(|log| std::fs::read_to_string(log).ok()).any(|log| said(&log)) {
            self.acknowledged.insert(lesson);
        }
    }

    /// As after `git checkout`: the file lacks lines, which a rebuild writes back.
    fn rebuild(&mut self) {
        let lines = self.sandbox.read(JOURNAL);
        let kept: Vec<&str> = lines.split_inclusive('\n').filter(|_| self.seeded.below(2) == 0).collect();
        self.sandbox.write(JOURNAL, &kept.concat());
        self.cut(&["rebuild"]);
        self.sandbox.ralph_ok(&["rebuild"]);
    }

    fn reconcile(&mut self) {
        self.cut(&["reconcile"]);
    }

    fn backup(&mut self) {
        self.cut(&["backup"]);
        let copies = self.sandbox.run(self.sandbox.command("sh").args(["-c", "ls .ralph/db/backups/*.db 2>/dev/null"])).stdout;
        // Copies of the history of retrieval belong to another database, from which no project is restored.
        for copy in copies.lines().filter(|copy| !copy.contains("/evaluation-")) {
            let output = self.sandbox.ralph(&["restore", "--from", copy]);
            assert!(output.stderr.contains("--yes"), "a torn copy stands among the good ones: {copy}: {output:?}");
        }
    }

    /// As after `git pull`: the file has lines that the database does not know, and the next process takes them over.
    fn merge(&mut self) {
        let template = journal(&self.sandbox, "pay").into_iter().find(|line| line["event"] == "learned").unwrap();
        let mut lines = self.sandbox.read(JOURNAL);
        for _ in 0..40 {
            let lesson = self.lesson();
            let mut line = template.clone();
            for (name, id) in [("id", "01M0"), ("act", "01M0")] {
                line[name] = json!(format!("{id}{:0>22}", self.number));
            }
            line["replica"] = json!("TEAMMATE00");
            line["learning"]["id"] = json!(format!("01M1{:0>22}", self.number));
            line["learning"]["text"] = json!(lesson);
            lines += &format!("{line}\n");
            self.acknowledged.insert(lesson);
        }
        self.sandbox.write(JOURNAL, &lines);
        self.cut(&["status"]);
    }

    /// What holds after every kill and one more command.
    fn check(&self, what: &str) {
        // A process that the killed one had just forked holds the run's lock until it becomes another program; only then do its marks show
        // what is left to be ended, so a look before that leaves the run alone.
        let over = || (self.sandbox.ralph_ok(&["status"])["active_run"] == Value::Null).then_some(());
        wait_until(&format!("{what}: the end of its run"), LIMIT, over);
        let tasks = list(self.sandbox.ralph_ok(&["task", "list"]));
        assert!(tasks.iter().all(|task| task["status"] != "in_progress"), "{what}: {tasks:?}");
        let stored = learnings(&self.sandbox, "pay", "all");
        let stored: BTreeSet<String> = stored.iter().flat_map(|learning| [text(&learning["id"]), text(&learning["text"])]).collect();
        let missing: Vec<&String> = self.acknowledged.difference(&stored).collect();
        assert!(missing.is_empty(), "{what}: {missing:?} were acknowledged and are gone");
        assert_sound(&self.sandbox);
        wait_until("the end of every process", LIMIT, || marked(&self.sandbox).is_empty().then_some(()));
    }
}

#[test]
fn no_kill_of_any_process_loses_what_was_acknowledged() {
    let (kills, seed) = (soak("RALPH_SOAK_KILLS", KILLS), soak("RALPH_SOAK_SEED", 20_261_122));
    let begin = Instant::now();
    let mut world = World::new(Seeded::new(seed), 0);
    let mut of_kinds = [(0_u64, 0_u64); KINDS.len()];
    for kill in 0..kills {
        if kill > 0 && kill % KILLS_OF_A_PROJECT == 0 {
            world = World::new(world.seeded, world.number);
        }
        // With few kills, each kind is hit equally often.
        let turn = if kills > KILLS { world.seeded.below(KINDS.len() as u64) } else { kill % KINDS.len() as u64 } as usize;
        let (name, act, longest) = KINDS[turn];
        (world.longest, world.met) = (longest, 0);
        act(&mut world);
        of_kinds[turn] = (of_kinds[turn].0 + 1, of_kinds[turn].1 + world.met);
        world.check(&format!("seed {seed}, kill {kill}, {name}"));
    }
    for ((name, _, _), (all, met)) in KINDS.iter().zip(of_kinds) {
        eprintln!("{name}: {all} kills, {met} met it at work");
        assert!(all < 20 || met * 3 >= all, "{name}: the kills must meet it at work");
    }
    eprintln!("{kills} kills in {} s with seed {seed}: nothing acknowledged is missing", begin.elapsed().as_secs());
    assert!(of_kinds.iter().map(|(_, met)| met).sum::<u64>() > kills / 3, "the kills must meet processes at work");
}
