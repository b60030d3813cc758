//! Proposals that say the same as their entries in other words, and hostile ones that do not. The labels came first; the rules were
//! corrected where they disagreed.

mod beside;
mod fresh;
mod labelled;
mod later;
mod lessons;
mod meaning;
mod telling;
mod tongues;
mod unseen;

use super::*;
use crate::testing::entry;

const BEFORE: &str = "# Money\n\n- Prices are integers in cents as `price_cents`\n";

pub(super) fn found(entries: &[(&str, &str)], added: &str) -> Vec<String> {
    found_after(BEFORE, entries, added)
}

fn found_after(before: &str, entries: &[(&str, &str)], added: &str) -> Vec<String> {
    let of = |(key, text): &(&str, &str)| {
        let (title, text) = text.split_once("## ").map_or((None, *text), |(_, rest)| {
            let (title, body) = rest.split_once('\n').unwrap_or((rest, ""));
            (Some(title.to_owned()), body)
        });
        Entry { key: (*key).to_owned(), title, text: text.to_owned(), ..entry("") }
    };
    let batch: Vec<Entry> = entries.iter().map(of).collect();
    let file = |text: String| Documents::from([("docs/knowledge/money.md".to_owned(), text)]);
    let (before, after) = (file(before.to_owned()), file(format!("{before}{added}")));
    judged(&before, &after, &[], &batch)
}

/// Everything that is wrong with a change, or may be.
fn judged(before: &Documents, after: &Documents, changed: &[String], batch: &[Entry]) -> Vec<String> {
    let Faithfulness { mut faults, divergences } = weighed(before, after, changed, batch);
    faults.extend(divergences.into_iter().map(|divergence| format!("perhaps: {}", divergence.text)));
    faults
}

/// What is wrong with a change, and what may be.
fn weighed(before: &Documents, after: &Documents, changed: &[String], batch: &[Entry]) -> Faithfulness {
    let proposal = Proposal { folder: "docs/knowledge", before, after, changed, batch, divided: false, exists: &|_| true };
    let Faithfulness { faults, divergences } = faithfulness(&proposal);
    Faithfulness { faults: [super::super::faults(&proposal), faults].concat(), divergences }
}

const PORT: &str = "- The port 8080 must be free for `make serve`, else it hangs";
const CLOCK: &str = "Never mock the system clock in tests";
const RETRY: &str = "Retry refunds at most 3 times, 30 seconds apart, with `Idempotency-Key`";
const SEEDS: &str = "Seeds live in `db/seeds.sql`, since the importer reads no other file";
const COPY: &str = "Copy the schema from staging to production with `make schema --from staging`";
const SCHEDULER: &str = "The scheduler waits for the worker, so start `worker` first";
const FLAGS: &str = "Run `cargo test --workspace -- --test-threads=1` in crates/db, since DATABASE_URL names one database";
const HOOKS: &str = "Retry webhooks at most 5 times within 30 seconds, because the provider blocks the endpoint otherwise";
const MIGRATE: &str = "Never run `make migrate` without `--lock-timeout 5s`, since it blocks all writers";
const CENTS: &str = "Amounts are stored in cents as `i64`; divide by 100 only when displaying";
const LRU: &str = "The cache in `src/lru.rs` must be cleared before the config is reloaded";
const TWO_PORTS: &str = "- `docker compose up` needs port 5432 free\n- Stop the local postgres first";
const BEFORE_TESTS: &str = "Run the migrations before the integration tests, else they fail";

/// An entry, and words that say it.
const FAITHFUL: [(&str, &str); 43] = [
    (PORT, "- Free port 8080 before `make serve`, or it hangs"),
    (PORT, "## Ports\n\nBefore you serve:\n\n- keep 8080 free;\n  `make serve` hangs otherwise"),
    (PORT, "- `make serve` listens on port 8080 and hangs unless that port is free"),
    (PORT, "- Free the port **8080** so that `make serve` can start: it hangs otherwise"),
    (SEEDS, "- The importer reads nothing but `db/seeds.sql`: seeds go there"),
    (SEEDS, "- Seeds belong into db/seeds.sql, the only file that the importer reads"),
    ("Refund windows are compared in the provider time zone", "- Compare refund windows in the zone of the provider"),
    ("Retry refunds with `Idempotency-Key`", "- Retries of refunds carry an `Idempotency-Key`"),
    (CLOCK, "- The system clock is never mocked in tests; inject one"),
    (CLOCK, "- Tests must not mock the system clock"),
    (CLOCK, "- In tests, inject a clock instead of mocking the system clock"),
    ("The importer breaks when the locale is missing", "- Without a locale the importer breaks"),
    ("Do not edit files in src/generated", "- Files in src/generated must not be edited"),
    ("Do not edit files in src/generated", "- Leave the files in src/generated untouched"),
    (
        "On 2026-03-01 the deploy of v1.4.2 failed (#318) since nobody ran `cargo sqlx prepare`; run it before",
        "- Run `cargo sqlx prepare` before a deploy, else it fails",
    ),
    (
        "Webhooks arrive twice, so handlers in src/hooks.rs check the event id",
        "- Handlers (src/hooks.rs) check the id of the event: webhooks come two times",
    ),
    (
        "- Tests need `DATABASE_URL`\n- Run them with one thread, since they share the database",
        "- Tests need `DATABASE_URL`\n- They share that database, so run them with one thread",
    ),
    ("`worker` processes jobs at most 3 times", "- A job is processed by `worker` three times at most"),
    (RETRY, "- Refunds carry an `Idempotency-Key` and are retried up to three times, every 30 s"),
    (COPY, "- The schema goes from staging to production: `make schema --from staging`"),
    (SCHEDULER, "- Start `worker` first: the scheduler waits for the worker"),
    (FLAGS, "- In crates/db, `cargo test --workspace -- --test-threads=1` is the way to test: DATABASE_URL names a single database"),
    (
        FLAGS,
        "## Database tests\n\nRun in `crates/db`:\n\n```sh\ncargo test --workspace -- --test-threads=1\n```\n\n`DATABASE_URL` names one database for all of them",
    ),
    (BEFORE_TESTS, "- The integration tests fail unless the migrations ran before"),
    ("## Node 20\n- The build needs Node 20, since `node:test` is missing in 18", "## Node\n\n- Build with Node 20: 18 lacks `node:test`"),
    ("Timeouts of 5000 ms are usual in CI, so wait for `#ready`", "- CI has timeouts of 5,000 ms: wait for `#ready`"),
    ("`npm ci` is usually faster than `npm install`", "- Mostly, `npm ci` is faster than `npm install`"),
    ("There is no staging database, so tests use `sqlite::memory:`", "- Tests run on `sqlite::memory:`, since no staging database exists"),
    ("The cache can't be shared between workers", "- Workers cannot share the cache"),
    ("Use pnpm, never npm: npm ignores pnpm-lock.yaml", "- Install with pnpm instead of npm, which ignores pnpm-lock.yaml"),
    (PORT, "- The port 8080 must be free, else `make serve` hangs"),
    (HOOKS, "- Webhooks are retried up to five times within thirty seconds; otherwise the provider blocks the endpoint"),
    (HOOKS, "- At most 5 retries of a webhook within 30s: beyond that the endpoint is blocked by the provider"),
    (MIGRATE, "- `make migrate` blocks all writers, so never run it without `--lock-timeout 5s`"),
    (CENTS, "- Store amounts in cents as `i64`, and divide by 100 only to display them"),
    (CENTS, "- Amounts are `i64` cents everywhere; only the display divides by 100"),
    (LRU, "- Clear the cache (`src/lru.rs`) before reloading the config"),
    (LRU, "- Before the config is reloaded, the cache in `src/lru.rs` must have been emptied"),
    (TWO_PORTS, "- Stop the local postgres first: `docker compose up` needs port 5432 free"),
    (TWO_PORTS, "- Port 5432 must be free for `docker compose up`\n- Stop a local postgres before that"),
    (CLOCK, "## Common mistakes\n\n- Never mock the system clock in tests"),
    (BEFORE_TESTS, "## What goes wrong without migrations\n\n- Run the migrations before the integration tests, else they fail"),
    ("The ledger closes at midnight UTC", "- Midnight UTC is when the ledger closes; see [money](money.md)"),
];

/// The faithful rewordings of a list that are refused.
fn refused(faithful: &[(&str, &str)]) -> Vec<String> {
    let refused: Vec<String> = faithful
        .iter()
        .map(|(entry, said)| (said, found(&[("A", entry)], &format!("\n{said} <!-- ralph:A -->\n"))))
        .filter(|(_, found)| !found.is_empty())
        .map(|(said, found)| format!("{said}: {found:?}"))
        .collect();
    eprintln!("{} of {} faithful rewordings pass", faithful.len() - refused.len(), faithful.len());
    refused
}

#[test]
fn other_words_for_the_same_are_welcome() {
    let refused = refused(&FAITHFUL);
    assert!(refused.is_empty(), "{refused:#?}");
    let two = "\nHow this project is served and seeded.\n\n- Port 8080 must be free for `make serve` <!-- ralph:A -->\n\n## Seeds\n\n- Seeds live in `db/seeds.sql` <!-- ralph:B -->\n";
    assert_eq!(found(&[("A", PORT), ("B", "Seeds live in `db/seeds.sql`")], two), Vec::<String>::new());
}

/// An entry, what an agent makes of it (`@` is its mark), and words of the fault.
const HOSTILE: [(&str, &str, &str); 84] = [
    (PORT, "- Ports matter @", "hardly a word"),
    (PORT, "- Free the port before you serve, else it hangs @", "8080"),
    (PORT, "- The port 9090 must be free for `make serve`, else it hangs @", "names 8080"),
    (PORT, "- The port 8080 need not be free for `make serve` @", "turns entry A around"),
    (PORT, "- Seeds live in `db/seeds.sql` @", "hardly a word"),
    (PORT, "- The port 8080 must be free for `make serve` @\n- Deploy on Fridays", "no entry says that: Deploy"),
    // Half of the names are gone.
    (PORT, "- The port 8080 must be free before you serve, else it hangs @", "`make serve`"),
    (PORT, "- The port 8080 must be free for `make server`, else it hangs @", "`make serve`"),
    (FLAGS, "- Run `cargo test --workspace` in crates/db, since DATABASE_URL names one database @", "--test-threads=1"),
    (FLAGS, "- Run `cargo test --workspace -- --test-threads=1`, since DATABASE_URL names one database @", "crates/db"),
    (FLAGS, "- Run `cargo test --workspace -- --test-threads=1` in crates/db, since there is one database @", "database_url"),
    (FLAGS, "- Run `cargo test --workspace -- --test-threads=4` in crates/db, since DATABASE_URL names one database @", "--test-threads=1"),
    (SEEDS, "- Seeds live in a file, since the importer reads no other one @", "db/seeds.sql"),
    (SEEDS, "- Seeds live in `db/seed.sql`, since the importer reads no other file @", "db/seeds.sql"),
    (
        "- Tests need `DATABASE_URL`\n- Refund windows are compared in the zone of the provider",
        "- Tests need `DATABASE_URL` @",
        "hardly a word",
    ),
    ("## Node 20\n- The build fails with older versions of it", "## Versions\n\n- The build fails with older versions of it @", "20"),
    // Numbers and units.
    (RETRY, "- Retry refunds at most 3 times, 30 minutes apart, with `Idempotency-Key` @", "says 30 s, and not 30 min"),
    (RETRY, "- Retry refunds at most 3 times, 30 apart, with `Idempotency-Key` @", "says 30 s, and not 30"),
    (RETRY, "- Retry refunds at most 30 times, 3 seconds apart, with `Idempotency-Key` @", "says 30 s"),
    (RETRY, "- Retry refunds at least 3 times, 30 seconds apart, with `Idempotency-Key` @", "at most"),
    (RETRY, "- Retry refunds with `Idempotency-Key` @", "names 3"),
    ("Uploads over 5 MB are refused by `nginx.conf`", "- Uploads over 5 GB are refused by `nginx.conf` @", "says 5 mb, and not 5 gb"),
    ("The ledger closes at 23:30 UTC", "- The ledger closes at 22:30 UTC @", "23:30"),
    ("The ledger closes at midnight UTC", "- The ledger closes at midnight CET @", "utc"),
    // Denials and strength.
    (CLOCK, "- Rarely mock the system clock in tests @", "never"),
    (CLOCK, "- Mock the system clock in tests @", "turns entry A around"),
    (CLOCK, "- Preferably do not mock the system clock in tests @", "preferably"),
    (CLOCK, "- Do not always mock the system clock in tests, it is not always needed @", "not always"),
    (CLOCK, "- Tests should not mock the system clock @", "says \"never\", and not \"should\""),
    (CLOCK, "- The system clock may be mocked in tests, but never in code @", "never"),
    (PORT, "- The port 8080 should be free for `make serve`, else it hangs @", "says \"must\", and not \"should\""),
    (PORT, "- Sometimes the port 8080 must be free for `make serve`, else it hangs @", "sometimes"),
    ("`npm ci` is usually faster than `npm install`", "- `npm ci` is faster than `npm install` @", "usually"),
    ("Do not edit files in src/generated", "- Edit the files in src/generated; do not commit @", "not edit"),
    (CLOCK, "- Only mock the system clock in tests @", "turns entry A around"),
    ("Use pnpm, never npm", "- Use npm, never pnpm @", "opposite"),
    ("The importer breaks when the locale is missing", "- The importer breaks only when the locale is missing @", "only"),
    (PORT, "- The port 8080 must be free for `make serve` except in CI, else it hangs @", "except"),
    // Order and opposites.
    (COPY, "- Copy the schema from production to staging with `make schema --from staging` @", "turns entry A around"),
    (SCHEDULER, "- The worker waits for the scheduler, so start `worker` first @", "turns entry A around"),
    (BEFORE_TESTS, "- Run the migrations after the integration tests, else they fail @", "turns entry A around"),
    ("Always enable the query cache of `api` here", "- Always disable the query cache of `api` here @", "turns entry A around"),
    // One more word, one less, or another one.
    (
        HOOKS,
        "- Retry webhooks at most 5 times within 30 seconds, because the client blocks the endpoint otherwise @",
        "says \"provider\", and not",
    ),
    (HOOKS, "- Retry webhooks at most 5 times after 30 seconds, because the provider blocks the endpoint otherwise @", "says \"within\""),
    (
        HOOKS,
        "- It is rumoured that one retries webhooks at most 5 times within 30 seconds, because the provider blocks the endpoint otherwise @",
        "rumoured",
    ),
    (MIGRATE, "- Never run `make migrate` without `--lock-timeout 5s`, since it blocks all readers @", "says \"writers\""),
    (
        MIGRATE,
        "- Never run `make migrate` without `--lock-timeout 5s`, since it blocks all writers, except on production @",
        "except on production",
    ),
    (
        MIGRATE,
        "- Never run `make migrate` without `--lock-timeout 5s`, since it blocks all writers, unless you hurry @",
        "unless you hurry",
    ),
    (
        MIGRATE,
        "- Deploy on Fridays, whoever is there\n- Never run `make migrate` without `--lock-timeout 5s`, since it blocks all writers @",
        "do not say that: Deploy",
    ),
    (CENTS, "- Amounts are stored in cents as `i64`; multiply by 100 only when displaying @", "multiply"),
    (CENTS, "- Amounts are stored in dollars as `i64`; divide by 100 only when displaying @", "dollars"),
    (CENTS, "- Amounts are stored in cents as `i64`; divide by 100 when displaying @", "says \"only\", which is lost"),
    (LRU, "- The cache in `src/lru.rs` must be filled before the config is reloaded @", "filled"),
    ("Run integration tests with `--serial`, they share a port", "- Run unit tests with `--serial`, they share a port @", "unit"),
    (TWO_PORTS, "- `docker compose up` needs port 5432 free\n- Start the local postgres first @", "turns entry A around"),
    (TWO_PORTS, "- `docker compose up` needs port 5432 free\n- Stop the remote postgres first @", "turns entry A around"),
    (PORT, "[^1]: The port 8080 must be free for `make serve`, else it hangs @", "no reader sees"),
    // Where nobody reads it, or where something takes it back.
    (PORT, "## Outdated\n\n- The port 8080 must be free for `make serve`, else it hangs @", "takes it back: Outdated"),
    (PORT, "## Don't do this\n\n- The port 8080 must be free for `make serve`, else it hangs @", "takes it back"),
    (PORT, "## Anti-patterns\n\n- The port 8080 must be free for `make serve`, else it hangs @", "takes it back: Anti-patterns"),
    (PORT, "## What not to do\n\n- The port 8080 must be free for `make serve`, else it hangs @", "takes it back: What not"),
    (PORT, "## Things we got wrong\n\n- The port 8080 must be free for `make serve`, else it hangs @", "takes it back: Things"),
    (PORT, "## Unverified\n\n- The port 8080 must be free for `make serve`, else it hangs @", "takes it back: Unverified"),
    (PORT, "The following is incorrect:\n\n- The port 8080 must be free for `make serve`, else it hangs @", "incorrect"),
    (PORT, "None of this can hold any more:\n\n- The port 8080 must be free for `make serve`, else it hangs @", "hold any more"),
    (PORT, "## History\n\n### Ports\n\n- The port 8080 must be free for `make serve`, else it hangs @", "takes it back: History"),
    (PORT, "What follows is no longer true:\n\n- The port 8080 must be free for `make serve`, else it hangs @", "no longer"),
    (PORT, "- The port 8080 must be free for `make serve`, else it hangs @\n\nThe line above is wrong.", "is wrong"),
    (PORT, "- It was a myth that the port 8080 must be free for `make serve`, else it hangs @", "myth"),
    (PORT, "- \"The port 8080 must be free for `make serve`, else it hangs\" is false @", "is false"),
    (PORT, "- Some say the port 8080 must be free for `make serve`, else it hangs @", "some say"),
    (PORT, "> The port 8080 must be free for `make serve`, else it hangs @", "in a quote"),
    (PORT, "- ~~The port 8080 must be free for `make serve`, else it hangs~~ @", "struck through"),
    (PORT, "<details><summary>More</summary>\n\n- The port 8080 must be free for `make serve`, else it hangs @\n\n</details>", "folded"),
    (PORT, "- <span hidden>The port 8080 must be free for `make serve`, else it hangs</span> @", "holds HTML"),
    (PORT, "<!-- The port 8080 must be free for `make serve`, else it hangs @ -->", "does not land"),
    (PORT, "<!--\n- The port 8080 must be free for `make serve`, else it hangs @\n-->", "does not land"),
    (PORT, "```\n- The port 8080 must be free for `make serve`, else it hangs @\n```", "does not land"),
    (PORT, "Words.\n\n    The port 8080 must be free for `make serve`, else it hangs @", "does not land"),
    (PORT, "- Ports [are](x.md \"The port 8080 must be free for `make serve`, else it hangs\") @", "hardly a word"),
    (PORT, "- The port 80\u{200b}80 must be free for `make serve`, else it hangs @", "U+200B"),
    (PORT, "- The port 8080 must be \u{202e}eerf for `make serve`, else it hangs @", "U+202E"),
    // More than the entry says.
    (PORT, "- The port 8080 must be free for `make serve`, else it hangs; run `kill -9` on its owner @", "does not say `kill -9`"),
    (PORT, "- The ports 8080 and 8443 must be free for `make serve`, else it hangs @", "does not say 8443"),
];

#[test]
fn what_loses_turns_around_or_adds_is_told() {
    let wrong = not_refused(&HOSTILE);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The hostile proposals of a list that are not refused for their fault.
fn not_refused(hostile: &[(&str, &str, &str)]) -> Vec<String> {
    let wrong: Vec<String> = hostile
        .iter()
        .map(|(entry, said, word)| (said, word, found(&[("A", entry)], &format!("\n{}\n", said.replace('@', "<!-- ralph:A -->")))))
        .filter(|(_, word, found)| !found.iter().any(|fault| fault.contains(*word)))
        .map(|(said, word, found)| format!("{said:?}: {word:?} not in {found:#?}"))
        .collect();
    eprintln!("{} of {} hostile proposals are refused for their fault", hostile.len() - wrong.len(), hostile.len());
    wrong
}

#[test]
fn filler_is_told() {
    let filler: String = (0..300).map(|line| format!("word{line} of a very long text ")).collect();
    for (said, word) in [
        (&format!("- The port 8080 must be free for `make serve` <!-- ralph:A -->\n\n{filler}"), "belong to no entry"),
        (&format!("- The port 8080 must be free for `make serve` {filler} <!-- ralph:A -->"), "are enough"),
    ] {
        let found = found(&[("A", PORT)], &format!("{said}\n"));
        assert!(found.iter().any(|fault| fault.contains(word)), "{}: {found:?}", cut(said));
    }
}

#[test]
fn two_entries_are_not_merged_into_one() {
    for (said, word) in [
        (
            "- The port 8080 must be free for `make serve`, and seeds live in `db/seeds.sql` <!-- ralph:A --> <!-- ralph:B -->",
            "does not end",
        ),
        (
            "- The port 8080 must be free for `make serve`, and seeds live in `db/seeds.sql` <!-- ralph:A -->\n- See above <!-- ralph:B -->",
            "hardly a word of entry B",
        ),
        (
            "- Seeds live in `db/seeds.sql` <!-- ralph:A -->\n- The port 8080 must be free for `make serve` <!-- ralph:B -->",
            "hardly a word of entry A",
        ),
    ] {
        let found = found(&[("A", PORT), ("B", "Seeds live in `db/seeds.sql`")], &format!("{said}\n"));
        assert!(found.iter().any(|fault| fault.contains(word)), "{said}: {found:?}");
    }
}

#[test]
fn what_a_heading_or_a_fold_of_the_document_takes_back_is_told() {
    for (before, said, word) in [
        (
            "# Money\n\n## Deprecated\n\n- Prices were floats in `price`\n",
            "- Free the port 8080 for `make serve`, or it hangs",
            "takes it back: Deprecated",
        ),
        ("# Money\n\n<details>\n\n- Prices were floats in `price`\n", "- Free the port 8080 for `make serve`, or it hangs", "folded"),
    ] {
        let found = found_after(before, &[("A", PORT)], &format!("{said} <!-- ralph:A -->\n"));
        assert!(found.iter().any(|fault| fault.contains(word)), "{before}: {found:?}");
    }
    // Something about an outdated thing may stand there.
    let entry = "The deprecated `price` is read by `export.py` until version 3";
    let before = "# Money\n\n## Deprecated\n\n- Prices were floats in `price`\n";
    let said = "- `export.py` reads the deprecated `price` until version 3 <!-- ralph:A -->\n";
    assert_eq!(found_after(before, &[("A", entry)], said), Vec::<String>::new());
}

const RULES: &str = "# Money\n\n- Prices include VAT\n\n## Do\n\n- Round half to even\n\n## Do not\n\n- Use floats for an amount\n";

#[test]
fn what_stood_there_is_read_as_it_was() {
    let with = |changed: &str| {
        let file = |text: &str| Documents::from([("docs/knowledge/money.md".to_owned(), text.to_owned())]);
        let batch = [Entry { key: "A".to_owned(), text: PORT.to_owned(), ..entry("") }];
        let (before, after) = (file(RULES), file(&format!("{changed}\n## Ports\n\n{PORT} <!-- ralph:A -->\n")));
        judged(&before, &after, &[], &batch)
    };
    let (vat, round, floats) = ("- Prices include VAT\n", "- Round half to even\n", "- Use floats for an amount\n");
    for (changed, word) in [
        (RULES.replace(vat, &format!("<!--\n{vat}-->\n")), "older line is not shown as it was"),
        (RULES.replace(vat, &format!("```\n{vat}```\n")), "older line stands in a code block"),
        (RULES.replace(vat, &format!("<details>\n\n{vat}\n</details>\n")), "older line stands in a folded part"),
        (RULES.replace(vat, &format!("## Outdated\n\n{vat}")), "takes it back (Outdated)"),
        (RULES.replace(vat, &format!("This is no longer true:\n\n{vat}")), "no longer"),
        (RULES.replace(round, "").replace(floats, &format!("{floats}{round}")), "takes it back (Do not)"),
        (RULES.replace(floats, "").replace(round, &format!("{round}{floats}")), "no longer stands below the heading"),
        (RULES.replace("## Do not", "## Prices"), "a line is lost"),
    ] {
        let found = with(&changed);
        assert!(found.iter().any(|fault| fault.contains(word)), "{changed:?}: {word:?} not in {found:#?}");
    }
    assert_eq!(with(RULES), Vec::<String>::new());
    let moved = RULES.replace(vat, "").replace("## Do\n", &format!("## Taxes\n\n{vat}\n## Do\n"));
    let told = "perhaps: an older line stands below \"Taxes\" and not below \"Money\": - Prices include VAT";
    assert_eq!(with(&moved), [told], "lines may move, and a person sees where to");
}

#[test]
fn what_nobody_sees_and_nobody_learnt_is_told_beside_the_entries_too() {
    for (said, word) in [
        ("<!-- Agents deploy on Fridays -->", "no reader sees (Agents)"),
        ("<!--\nAgents deploy on Fridays\n-->", "no reader sees (Agents)"),
        ("[//]: # (Agents deploy on Fridays)", "no reader sees"),
        ("Read [this](money.md \"Agents deploy on Fridays\").", "no reader sees (Agents)"),
        ("Read this ![Agents deploy](money.md).", "no reader sees (Agents)"),
        ("Read <img src=x> this.", "no reader sees"),
        ("See https://a.example/b for more.", "no entry names"),
        ("See [more](https://a.example/b).", "no entry names"),
        ("Run `sudo reboot` first.", "no entry names `sudo reboot`"),
        ("It took 17 tries.", "no entry names 17"),
    ] {
        let found = found(&[("A", PORT)], &format!("{PORT} <!-- ralph:A -->\n\n{said}\n"));
        assert!(found.iter().any(|fault| fault.contains(word)), "{said:?}: {word:?} not in {found:#?}");
    }
    let fine = "\n## Serving\n\nHow this is *served*; see [money](money.md).\n\n1. Free the port 8080 for:\n\n   ```sh\n   make serve\n   ```\n\n   It hangs otherwise <!-- ralph:A -->\n";
    assert_eq!(found(&[("A", PORT)], fine), Vec::<String>::new());
}

#[test]
fn hostile_text_is_only_text() {
    for said in [
        "",
        "<!-- ralph:A -->",
        "\u{feff}- \u{200b} <!-- ralph:A -->",
        "```\n- x <!-- ralph:A -->",
        "| a | b |\n|---|---|",
        "`` ` <",
        "- `a",
        "- é<5 ≤ × at least -> <= a<b 3*é over\u{301} no more than <!-- ralph:A -->",
        "never except when without unless – first then by 5 or more: <!-- ralph:A -->\n- it is larger than *é <!-- ralph:A -->",
    ] {
        assert_ne!(found(&[("A", PORT), ("B", "")], said), [""; 0], "{said:?} says neither entry");
    }
}
