//! Lessons as projects learn them: conditions, exceptions, causes, hedges, spans of time, tables and lists.

use super::*;

const CHROME: &str = "`npm run e2e` needs Chrome 120 or newer, unless `E2E_REMOTE` is set";
const NIGHTLY: &str = "The nightly job may fail on the first of a month, since the exchange rates come late";
const GET_USER: &str = "`getUser` is deprecated since v3.2; call `fetchUser` instead";
const SESSIONS: &str = "Sessions expire after 30 minutes of idling, except those of admins";
const PROTO: &str = "Run `make proto` only when a file in proto/ changed, since it takes 4 minutes";
const PREFETCH: &str = "The queue drops messages because `prefetch` is 0 by default";
const REBASE: &str = "Do not rebase `release/*` branches: tags would be lost";
const FLAKY: &str = "## Flaky tests\n- `login.spec.ts` is flaky on CI; rerun it twice before you look for a cause\n- Traces are kept in artifacts/traces for 14 days";
const FLAGS_FILE: &str = "Feature flags are read once at start, so restart `api` after a change in flags.yaml";
const LEADER: &str = "Only the leader writes to `wal/`; followers read it";
const POSTGRES: &str = "Postgres 14 is faster than Postgres 13 for `GROUP BY` on partitions";
const RUST_LOG: &str = "Set `RUST_LOG=debug` when a worker hangs; without it the log is empty";
const CODEC: &str = "Compile with `-O2`: `-O3` makes `codec.c` return wrong sums";
const AMOUNT: &str = "The total must be greater than zero and less than 10,000 EUR";
const TENANT: &str = "Cache keys contain the tenant, otherwise one tenant sees the data of another";
const SAFE: &str = "It is safe to delete `target/` while `cargo watch` runs";
const MAIL: &str = "Migrations run in order of their number; 0042 renames `users.mail` to `users.email`";
const TRACING: &str = "Prefer `tracing` over `println!` in `crates/core`";
const CDN: &str = "The CDN caches `/assets` for one year, so give every file a hash in its name";
const XCODE: &str = "Builds on macOS need Xcode 15; on Linux clang suffices";
const SIGNED: &str = "`invoice.pdf` must be signed after it was rendered, or the hash differs";
const LATENCY: &str = "Latency stays below 200 ms while fewer than 50 clients are connected";
const SERIAL: &str = "Tests in `e2e/` share one account, hence they run serially";
const COMMAS: &str = "The parser accepts trailing commas, unlike the one of `legacy/`";
const LOCK_FILE: &str = "Delete the lock file `.sync.lock` by hand if the sync crashed";

const FINE: [(&str, &str); 33] = [
    (CHROME, "- Chrome ≥ 120 is needed by `npm run e2e`, except when `E2E_REMOTE` is set"),
    (CHROME, "- Without `E2E_REMOTE`, `npm run e2e` needs at least Chrome 120"),
    (NIGHTLY, "- On the first of a month the nightly job might fail: the exchange rates are late"),
    (GET_USER, "- Call `fetchUser`: `getUser` has been deprecated since v3.2"),
    (GET_USER, "- Since v3.2 `getUser` is deprecated in favour of `fetchUser`"),
    (SESSIONS, "- After 30 min without activity a session expires, unless it is an admin's"),
    (PROTO, "- `make proto` takes four minutes, so run it only if something in proto/ has changed"),
    (PREFETCH, "- By default `prefetch` is 0, which makes the queue drop messages"),
    (PREFETCH, "- Messages are dropped by the queue since the default of `prefetch` is 0"),
    (REBASE, "- Branches of `release/*` are never rebased, since the tags would be lost"),
    (REBASE, "- Rebasing a `release/*` branch loses its tags, so do not"),
    (
        FLAKY,
        "## Flaky tests\n\n- `login.spec.ts` is flaky on CI\n  - rerun it twice before you look for a cause\n  - its traces are kept for 14 days in artifacts/traces",
    ),
    (FLAGS_FILE, "- Restart `api` when flags.yaml changed: flags are read only once, at start"),
    (FLAGS_FILE, "- A change in flags.yaml takes effect after a restart of `api`, since it reads the feature flags once at start"),
    (LEADER, "- `wal/` is written by the leader alone, and read by followers"),
    (POSTGRES, "- For `GROUP BY` on partitions, Postgres 14 beats 13"),
    (RUST_LOG, "- When a worker hangs, set `RUST_LOG=debug`: otherwise the log is empty"),
    (CODEC, "- `codec.c` returns wrong sums with `-O3`, so compile with `-O2`"),
    (AMOUNT, "- The total has to be more than 0 and below 10000 EUR"),
    (TENANT, "- Put the tenant into a cache key, or one tenant sees data of another"),
    (SAFE, "- `target/` can safely be deleted while `cargo watch` runs"),
    (MAIL, "- Migrations run by number, and 0042 renames `users.mail` to `users.email`"),
    (MAIL, "- In migration 0042 `users.mail` becomes `users.email`; migrations run in the order of their numbers"),
    (TRACING, "- In `crates/core`, use `tracing` rather than `println!`"),
    (TRACING, "- `tracing` is preferred to `println!` in `crates/core`"),
    (CDN, "- Every file in `/assets` needs a hash in its name, since the CDN caches them for a year"),
    (XCODE, "- On Linux clang is enough for a build, on macOS it takes Xcode 15"),
    (SIGNED, "- Sign `invoice.pdf` only after rendering it, or the hash differs"),
    (SIGNED, "- First render, then sign `invoice.pdf`; else its hash differs"),
    (LATENCY, "- With fewer than 50 clients connected, the latency is under 200 ms"),
    (SERIAL, "- Since the tests in `e2e/` share an account, they run one after the other"),
    (COMMAS, "- Unlike the one in `legacy/`, the parser accepts trailing commas"),
    (LOCK_FILE, "- If the sync has crashed, remove the lock file `.sync.lock` manually"),
];

/// An entry, what an agent makes of it (`@` is its mark), and words of the fault.
const TWISTED: [(&str, &str, &str); 67] = [
    (CHROME, "- `npm run e2e` needs Chrome 120 or newer, also when `E2E_REMOTE` is set @", "turns entry A around"),
    (CHROME, "- `npm run e2e` needs Chrome 120 or newer if `E2E_REMOTE` is set @", "turns entry A around"),
    (CHROME, "- `npm run e2e` needs Chrome 120 or newer and `E2E_REMOTE` @", "says \"unless\", which is lost"),
    (NIGHTLY, "- The nightly job fails on the first of a month, since the exchange rates come late @", "says it only with \"may\""),
    (NIGHTLY, "- The nightly job must not fail on the first of a month, since the exchange rates come late @", "says it only with \"may\""),
    (NIGHTLY, "- The nightly job may fail on the last of a month, since the exchange rates come late @", "turns entry A around"),
    (GET_USER, "- Call `getUser` instead of `fetchUser`, which is deprecated since v3.2 @", "turns entry A around"),
    (GET_USER, "- `fetchUser` is deprecated since v3.2; call `getUser` instead @", "turns entry A around"),
    (GET_USER, "- `getUser` is deprecated until v3.2; call `fetchUser` instead @", "says \"since\", and not \"until\""),
    (GET_USER, "- Since v3.2 one can call `fetchUser` as well as `getUser` @", "says \"deprecated\", which is lost"),
    (SESSIONS, "- Sessions expire after 30 minutes of idling, including those of admins @", "says \"except\", which is lost"),
    (SESSIONS, "- Sessions of admins expire after 30 minutes of idling, others do not @", "says \"except those\", which is lost"),
    (SESSIONS, "- Sessions expire after 30 minutes of idling @", "says \"except\", which is lost"),
    (SESSIONS, "- Sessions expire after 30 seconds of idling, except those of admins @", "says \"minutes\", and not \"seconds\""),
    (PROTO, "- Run `make proto` when a file in proto/ changed, since it takes 4 minutes @", "says \"only\", which is lost"),
    (PROTO, "- Run `make proto` only when no file in proto/ changed, since it takes 4 minutes @", "says the opposite of entry A"),
    (PROTO, "- Run `make proto` always, also when no file in proto/ changed, since it takes 4 minutes @", "says the opposite of entry A"),
    (PREFETCH, "- The queue drops messages although `prefetch` is 0 by default @", "says it without \"although\""),
    (PREFETCH, "- `prefetch` is 0 by default because the queue drops messages @", "has a cause that is its effect there"),
    (PREFETCH, "- The queue keeps messages because `prefetch` is 0 by default @", "turns entry A around"),
    (REBASE, "- Rebase `release/*` branches, else tags would be lost @", "says \"not rebas\", which is lost"),
    (REBASE, "- Do not merge `release/*` branches: tags would be lost @", "says \"rebase\", and not \"merge\""),
    (
        FLAKY,
        "## Flaky tests\n\n- Rerun `login.spec.ts` twice on CI after looking for a cause: it is flaky there\n- Traces stay in artifacts/traces for 14 days @",
        "turns entry A around",
    ),
    (
        FLAKY,
        "## Flaky tests\n\n- Rerun `login.spec.ts` twice on CI before looking for a cause: it is flaky there\n- Traces stay in artifacts/traces for 14 weeks @",
        "says 14 d, and not 14 week",
    ),
    (
        FLAKY,
        "## Flaky tests\n\n- Rerun `login.spec.ts` twice before looking for a cause: it is flaky there\n- Traces stay in artifacts/traces for 14 days\n  - delete them sooner when the disk is full @",
        "do not say that: delete them sooner when the disk is full",
    ),
    (
        FLAGS_FILE,
        "- Feature flags are read at every request, so do not restart `api` after a change in flags.yaml @",
        "turns entry A around",
    ),
    (FLAGS_FILE, "- Feature flags are read once at start, so restart `api` before a change in flags.yaml @", "turns entry A around"),
    (
        FLAGS_FILE,
        "- Feature flags are read once at start, so there is no need to restart `api` after a change in flags.yaml @",
        "turns entry A around",
    ),
    (LEADER, "- Only followers write to `wal/`; the leader reads it @", "turns entry A around"),
    (LEADER, "- The leader and followers write to `wal/` @", "says \"only\", which is lost"),
    (LEADER, "- The leader writes to `wal/`; followers may write to it, too @", "says \"only\", which is lost"),
    (POSTGRES, "- Postgres 13 is faster than Postgres 14 for `GROUP BY` on partitions @", "turns entry A around"),
    (POSTGRES, "- Postgres 14 is slower than Postgres 13 for `GROUP BY` on partitions @", "turns entry A around"),
    (RUST_LOG, "- Set `RUST_LOG=debug` unless a worker hangs; without it the log is empty @", "turns entry A around"),
    (RUST_LOG, "- Set `RUST_LOG=debug` when a worker hangs; with it the log is empty @", "turns entry A around"),
    (CODEC, "- Compile with `-O3`: `-O2` makes `codec.c` return wrong sums @", "turns entry A around"),
    (CODEC, "- `codec.c` returns wrong sums with `-O2`, so compile with `-O3` @", "says of `-o2` what is said of `-o3` there"),
    (
        AMOUNT,
        "- The total must be less than zero and greater than 10,000 EUR @",
        "says \"less than 10,000\", and not \"greater than 10,000\"",
    ),
    (AMOUNT, "- The total must be greater than zero and less than 1,000 EUR @", "does not say 1000"),
    (TENANT, "- Cache keys contain the user, otherwise one tenant sees the data of another @", "says \"tenant\", and not \"user\""),
    (TENANT, "- Cache keys do not contain the tenant, otherwise one tenant sees the data of another @", "turns entry A around"),
    (SAFE, "- It is not safe to delete `target/` while `cargo watch` runs @", "turns entry A around"),
    (SAFE, "- It is unsafe to delete `target/` while `cargo watch` runs @", "turns entry A around"),
    (SAFE, "- It is safe to delete `target/` unless `cargo watch` runs @", "says \"while\", and not \"unless\""),
    (MAIL, "- Migrations run in order of their number; 0042 renames `users.email` to `users.mail` @", "turns entry A around"),
    (
        MAIL,
        "- Migrations run in reverse order of their number; 0042 renames `users.mail` to `users.email` @",
        "says it without \"reverse\"",
    ),
    (TRACING, "- Prefer `println!` over `tracing` in `crates/core` @", "says \"over `println!\", and not \"over `tracing\""),
    (TRACING, "- In `crates/core`, use `println!` rather than `tracing` @", "denies `println!`, and not `tracing`"),
    (CDN, "- The CDN caches `/assets` for one month, so give every file a hash in its name @", "says \"year\", and not \"month\""),
    (CDN, "- The CDN caches `/assets` for one year, so give no file a hash in its name @", "turns entry A around"),
    (CDN, "- The CDN caches `/assets` for one year, so give some files a hash in their name @", "says \"every\", and not \"some\""),
    (XCODE, "- Builds on Linux need Xcode 15; on macOS clang suffices @", "turns entry A around"),
    (XCODE, "- Builds need Xcode 15 @", "names macos, which is lost"),
    (SIGNED, "- `invoice.pdf` must be signed before it was rendered, or the hash differs @", "turns entry A around"),
    (SIGNED, "- `invoice.pdf` must be signed after it was rendered, and the hash differs @", "says \"or\", which is lost"),
    (LATENCY, "- Latency stays above 200 ms while fewer than 50 clients are connected @", "says \"below 200\", and not \"above 200\""),
    (
        LATENCY,
        "- Latency stays below 200 ms while more than 50 clients are connected @",
        "says \"fewer than 50\", and not \"more than 50\"",
    ),
    (LATENCY, "- Latency stays below 200 ms unless fewer than 50 clients are connected @", "says \"while\", and not \"unless\""),
    (LATENCY, "- Latency stays below 50 ms while fewer than 200 clients are connected @", "turns entry A around"),
    (LATENCY, "- Latency stays below 200 s while fewer than 50 clients are connected @", "says \"ms\", and not \"s\""),
    (SERIAL, "- Tests in `e2e/` share one account, yet they run in parallel @", "turns entry A around"),
    (SERIAL, "- Tests in `e2e/` run serially, hence they share one account @", "has a cause that is its effect there"),
    (COMMAS, "- The parser accepts trailing commas, like the one of `legacy/` @", "says \"unlike\", and not \"like\""),
    (COMMAS, "- The parser rejects trailing commas, unlike the one of `legacy/` @", "turns entry A around"),
    (LOCK_FILE, "- Delete the lock file `.sync.lock` by hand before the sync crashed @", "says \"if\", and not \"before\""),
    (LOCK_FILE, "- Never delete the lock file `.sync.lock` by hand if the sync crashed @", "turns entry A around"),
    (LOCK_FILE, "- Delete the lock file `.sync.lock` by hand, even if the sync did not crash @", "says it without \"even if\""),
];

#[test]
fn a_lesson_may_be_told_in_other_words() {
    let refused = refused(&FINE);
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn a_lesson_that_is_twisted_is_told() {
    let wrong = not_refused(&TWISTED);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
