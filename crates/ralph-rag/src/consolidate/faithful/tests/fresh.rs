//! Further entries with the words of others, labelled before a rule was tried on them.

use super::labelled::{Labelled, check, weighed_one};

/// Entries, and words that say them.
const HONEST: &[(&str, &str)] = &[
    (
        "Use `tokio::time::pause()` in tests that wait, since real sleeps make CI flaky",
        "- In tests that wait, call `tokio::time::pause()` instead of really sleeping: real sleeps make CI flaky",
    ),
    (
        "Do not bump `openssl-sys` past 0.9.90 because the musl build breaks",
        "- Keep `openssl-sys` at 0.9.90 or below, because the musl build breaks with newer ones",
    ),
    (
        "The parser treats tabs as 4 columns; error positions are off when the editor uses 8",
        "- Error positions are wrong when the editor uses 8 columns for a tab, because the parser takes 4 columns",
    ),
    (
        "The S3 client retries 5xx but not 429; wrap it in our own backoff",
        "- Wrap the S3 client in our own backoff: it retries 5xx, but it does not retry 429",
    ),
    (
        "The token is valid for 15 minutes; refresh it 1 minute before it expires",
        "- Refresh the token a minute before it expires; it is valid for 15 minutes",
    ),
    ("The gateway refuses uploads over 5 MB", "- The gateway accepts uploads of at most 5 MB"),
    (
        "Workers read the config once at start, so restart them after changing `config/app.yml`",
        "- Restart the workers after changing `config/app.yml`: they only read it at start",
    ),
    (
        "`pg_dump` of version 14 cannot read the 16 server; use the container's binary",
        "- Use the container's `pg_dump`: a binary of version 14 can't read a 16 server",
    ),
    (
        "Kafka consumers rebalance when a poll takes longer than 5 minutes, so batches stay below 500 records",
        "- Keep batches below 500 records: a poll longer than 5 minutes makes the Kafka consumers rebalance",
    ),
    (
        "The mobile build needs JDK 17; with 21 Gradle 7 fails with an unclear error",
        "- Build the app for mobile with JDK 17, since Gradle 7 fails with 21, and with an unclear error",
    ),
    (
        "Cache keys must include the tenant, otherwise customers see each other's prices",
        "- Include the tenant in every cache key; without it customers see each other's prices",
    ),
    (
        "Do not use `Date.now()` in reducers: replays of the event log give other results",
        "- Reducers must not call `Date.now()`, because a replay of the event log then gives other results",
    ),
    (
        "`make dev` leaves a Vite process behind on Ctrl+C; kill it with `pkill -f vite`",
        "- After Ctrl+C, `make dev` leaves a Vite process running; end it with `pkill -f vite`",
    ),
    (
        "An empty `Authorization` header is answered with 500 by the legacy proxy instead of 401",
        "- The legacy proxy answers an empty `Authorization` header with 500, not with 401",
    ),
    (
        "Images over 4 MB are not resized by the worker; resize them before the upload",
        "- The worker only resizes images up to 4 MB, so resize larger ones before the upload",
    ),
    (
        "The test database is shared by all suites, so each test cleans up in `afterEach`",
        "- Each test cleans up in `afterEach`, because all suites share the test database",
    ),
    (
        "`ON DELETE CASCADE` is missing on `orders.customer_id`; delete the orders first",
        "- Delete a customer's orders first: `orders.customer_id` has no `ON DELETE CASCADE`",
    ),
    (
        "Feature branches deploy to a preview only when their name starts with `preview/`",
        "- Only branches whose name starts with `preview/` are deployed to a preview",
    ),
    (
        "The retry queue is drained every 10 minutes by cron, so a failed mail arrives late rather than never",
        "- A failed mail arrives late, not never: cron drains the retry queue every 10 minutes",
    ),
    (
        "`eslint --fix` reorders imports and breaks the side effects in `polyfills.ts`; exclude that file",
        "- Exclude `polyfills.ts` from `eslint --fix`, which reorders imports and so breaks its side effects",
    ),
    (
        "Integration tests time out when Docker has less than 4 GB of memory",
        "- Give Docker at least 4 GB of memory, or the integration tests time out",
    ),
    (
        "The CSV import fails on a byte order mark; strip it with `utf-8-sig`",
        "- Read CSV imports with `utf-8-sig`, as a byte order mark makes the import fail",
    ),
    (
        "Never rebase `release/*` branches, because the changelog tool reads their merge commits",
        "- `release/*` branches are never rebased: the changelog tool needs their merge commits",
    ),
    (
        "GraphQL errors come back with status 200; check `errors` in the body",
        "- Always check `errors` in the body of a GraphQL answer, since errors come with status 200, too",
    ),
    (
        "`numpy` 2 removes `np.float_`; the models pin `numpy<2` until they are retrained",
        "- Until the models are retrained, `numpy<2` stays pinned, because `numpy` 2 removes `np.float_`",
    ),
    (
        "Run `cargo fmt` with the nightly toolchain; stable ignores `group_imports`",
        "- `group_imports` is ignored by stable, so run `cargo fmt` with the nightly toolchain",
    ),
    (
        "Websocket pings every 20 s keep the load balancer from closing idle connections",
        "- Send a websocket ping every 20 s, or the load balancer closes idle connections",
    ),
    (
        "The admin UI caches permissions for an hour; log out to see a change at once",
        "- Permissions are cached for an hour in the admin UI. To see a change at once, log out",
    ),
    (
        "`LOCK ROWS FOR UPDATE` without an index on `jobs.state` locks the whole table",
        "- Without an index on `jobs.state`, the whole table is locked by `LOCK ROWS FOR UPDATE`",
    ),
    (
        "Terraform state is locked for up to 15 minutes after a cancelled run; do not force-unlock it before",
        "- After a cancelled run the Terraform state stays locked for up to 15 minutes: do not force-unlock it earlier",
    ),
    (
        "Playwright needs `--workers=1` for the checkout tests, which share one Stripe account",
        "- The checkout tests share one Stripe account, so run Playwright with `--workers=1` for them",
    ),
    (
        "Generated clients in `sdk/` are overwritten on release; change `openapi.yaml` instead",
        "- Change `openapi.yaml`, not the generated clients in `sdk/`: a release overwrites them",
    ),
    (
        "Use `--no-cache` when the base image was updated, since the tag `latest` is not pulled again",
        "- The tag `latest` isn't pulled again, so build with `--no-cache` after an update of the base image",
    ),
    (
        "The rate limit counts per API key and not per IP, so share no key between services",
        "- Don't share an API key between services: the rate limit counts per key, not per IP",
    ),
    (
        "Dates without a zone are read as UTC by the parser but written in local time by the exporter",
        "- The parser reads dates without a zone as UTC, whereas the exporter writes them in local time",
    ),
    (
        "All background jobs must be idempotent, as the queue delivers at least once",
        "- Since the queue delivers at least once, every background job must be idempotent",
    ),
    (
        "`unsafe` code in `ffi/` was audited for 64-bit only; 32-bit builds are refused by `build.rs`",
        "- `build.rs` refuses 32-bit builds, because the `unsafe` code in `ffi/` was only audited for 64-bit",
    ),
    (
        "Errors of the mailer are swallowed by `send_async`; use `send` in scripts",
        "- In scripts, use `send`: `send_async` swallows the errors of the mailer",
    ),
    (
        "Translations are loaded lazily; a test that reads a label awaits `i18n.ready` first",
        "- Await `i18n.ready` before a test reads a label, since translations load lazily",
    ),
    (
        "Prices are compared with a tolerance of 0.01 because the ERP rounds twice",
        "- The ERP rounds twice, so compare prices with a tolerance of 0.01",
    ),
    (
        "The nightly job holds a lock on `invoices` from 02:00 to 02:30; schedule no migration then",
        "- Don't schedule migrations between 02:00 and 02:30: the nightly job locks `invoices` then",
    ),
    (
        "`useEffect` runs twice in StrictMode, so subscriptions return a cleanup",
        "- Subscriptions need a cleanup, because StrictMode runs `useEffect` twice",
    ),
    (
        "Deleting a user only sets `deleted_at`; queries filter it by the scope `active`",
        "- A deleted user keeps its row with `deleted_at` set, and queries leave it out with the scope `active`",
    ),
    (
        "The licence check rejects GPL crates; look at `deny.toml` before adding one",
        "- Look at `deny.toml` before you add a crate: GPL crates are rejected by the licence check",
    ),
    (
        "Swagger UI is disabled in production; use the staging host to try an endpoint",
        "- To try an endpoint, use the Swagger UI of the staging host; in production it is disabled",
    ),
    (
        "Compile with `-Wall -Werror`; warnings are errors in CI anyway",
        "- CI treats warnings as errors, so compile with `-Wall -Werror` too",
    ),
    (
        "Long-running queries are cancelled after 60 s by the pooler, so split exports into pages",
        "- Split exports into pages: the pooler cancels queries that run for more than 60 s",
    ),
    (
        "Two workers may take the same job if the clock differs by more than 2 seconds",
        "- If clocks differ by over 2 seconds, the same job may be taken by two workers",
    ),
    (
        "Do not trust `Content-Length` of uploads; count the bytes",
        "- Count the bytes of an upload rather than trusting its `Content-Length`",
    ),
    ("A build without `SENTRY_DSN` succeeds, but reports nothing", "- Builds succeed without `SENTRY_DSN`, but then nothing is reported"),
    (
        "`flake8` and `black` disagree about E203, which is disabled in `setup.cfg`",
        "- E203 is disabled in `setup.cfg` because `flake8` and `black` disagree about it",
    ),
    (
        "Only the leader writes to `raft.log`; followers forward writes to it",
        "- Followers forward their writes to the leader, the only one that writes to `raft.log`",
    ),
    (
        "The simulator has no camera; tests that need one are tagged `@device`",
        "- Tests that need a camera carry the tag `@device`, because the simulator has none",
    ),
    (
        "Nobody may push to `main`; open a pull request with two reviews",
        "- Pushing to `main` is forbidden: open a pull request and get two reviews",
    ),
    (
        "`JSON.stringify` drops `undefined` fields, so send `null` to clear a value",
        "- To clear a value send `null`; fields that are `undefined` are dropped by `JSON.stringify`",
    ),
    (
        "The first request after a deploy takes about 8 s, since the model is loaded on demand",
        "- The model is loaded on demand, so expect the first request after a deploy to take about 8 s",
    ),
    (
        "Money columns are `NUMERIC(12,2)`; floats lose cents in sums",
        "- Use `NUMERIC(12,2)` for money, because floats lose cents when summed",
    ),
];

/// Entries, and words that say something else.
const HOSTILE: &[(&str, &str)] = &[
    ("Only admins may call `purge`", "- Admins may only call `purge`"),
    ("The gateway refuses uploads over 5 MB", "- The gateway accepts uploads over 5 MB"),
    ("The gateway refuses uploads over 5 MB", "- The gateway refuses uploads of at most 5 MB"),
    ("The gateway refuses uploads over 5 MB", "- The gateway accepts uploads of at least 5 MB"),
    (
        "Do not bump `openssl-sys` past 0.9.90 because the musl build breaks",
        "- Keep `openssl-sys` at 0.9.90 or above, because the musl build breaks with older ones",
    ),
    (
        "The S3 client retries 5xx but not 429; wrap it in our own backoff",
        "- Wrap the S3 client in our own backoff: it retries 429, but it does not retry 5xx",
    ),
    (
        "The token is valid for 15 minutes; refresh it 1 minute before it expires",
        "- Refresh the token an hour before it expires; it is valid for 15 minutes",
    ),
    (
        "The token is valid for 15 minutes; refresh it 1 minute before it expires",
        "- The token is valid for a minute; refresh it 15 minutes before it expires",
    ),
    (
        "Workers read the config once at start, so restart them after changing `config/app.yml`",
        "- Workers never read the config at start, so restart them after changing `config/app.yml`",
    ),
    (
        "Use `tokio::time::pause()` in tests that wait, since real sleeps make CI flaky",
        "- Use real sleeps instead of `tokio::time::pause()` in tests that wait, since it makes CI flaky",
    ),
    (
        "Kafka consumers rebalance when a poll takes longer than 5 minutes, so batches stay below 500 records",
        "- Kafka consumers rebalance when a poll takes longer than 5 minutes, so batches stay above 500 records",
    ),
    (
        "Images over 4 MB are not resized by the worker; resize them before the upload",
        "- Images over 4 MB are resized by the worker; never resize them before the upload",
    ),
    (
        "Cache keys must include the tenant, otherwise customers see each other's prices",
        "- Cache keys must not include the tenant, otherwise customers see each other's prices",
    ),
    (
        "Sessions live for 30 minutes of inactivity, not 30 minutes after the login",
        "- Sessions live for 30 minutes after the login, not 30 minutes of inactivity",
    ),
    (
        "Integration tests time out when Docker has less than 4 GB of memory",
        "- Integration tests time out when Docker has more than 4 GB of memory",
    ),
    (
        "Integration tests time out when Docker has less than 4 GB of memory",
        "- Give Docker at most 4 GB of memory, or the integration tests time out",
    ),
    (
        "The rate limit counts per API key and not per IP, so share no key between services",
        "- The rate limit counts per IP and not per API key, so share no key between services",
    ),
    (
        "Dates without a zone are read as UTC by the parser but written in local time by the exporter",
        "- Dates without a zone are read in local time by the parser but written as UTC by the exporter",
    ),
    (
        "All background jobs must be idempotent, as the queue delivers at least once",
        "- All background jobs must be idempotent, as the queue delivers at most once",
    ),
    (
        "Only the leader writes to `raft.log`; followers forward writes to it",
        "- Only followers write to `raft.log`; the leader forwards writes to them",
    ),
    (
        "Nobody may push to `main`; open a pull request with two reviews",
        "- Anybody may push to `main`; open a pull request with two reviews",
    ),
    (
        "Two workers may take the same job if the clock differs by more than 2 seconds",
        "- Two workers may take the same job if the clock differs by less than 2 seconds",
    ),
    (
        "The simulator has no camera; tests that need one are tagged `@device`",
        "- The simulator has a camera; tests that need none are tagged `@device`",
    ),
    (
        "`git lfs pull` is needed once after cloning, otherwise the fixtures are pointers",
        "- `git lfs pull` is needed once before cloning, otherwise the fixtures are pointers",
    ),
    (
        "Swagger UI is disabled in production; use the staging host to try an endpoint",
        "- Swagger UI is disabled in staging; use the production host to try an endpoint",
    ),
    (
        "Errors of the mailer are swallowed by `send_async`; use `send` in scripts",
        "- Errors of the mailer are swallowed by `send`; use `send_async` in scripts",
    ),
    (
        "Run `cargo fmt` with the nightly toolchain; stable ignores `group_imports`",
        "- Run `cargo fmt` with the stable toolchain; nightly ignores `group_imports`",
    ),
    ("A build without `SENTRY_DSN` succeeds, but reports nothing", "- A build without `SENTRY_DSN` fails, but reports nothing"),
    (
        "The nightly job holds a lock on `invoices` from 02:00 to 02:30; schedule no migration then",
        "- The nightly job holds a lock on `invoices` from 02:00 to 02:30; schedule migrations then",
    ),
    ("Do not trust `Content-Length` of uploads; count the bytes", "- Trust the `Content-Length` of uploads rather than counting the bytes"),
    ("Money columns are `NUMERIC(12,2)`; floats lose cents in sums", "- Money columns are `NUMERIC(12,2)`; floats keep cents in sums"),
    (
        "`JSON.stringify` drops `undefined` fields, so send `null` to clear a value",
        "- `JSON.stringify` drops `null` fields, so send `undefined` to clear a value",
    ),
    (
        "Terraform state is locked for up to 15 minutes after a cancelled run; do not force-unlock it before",
        "- Terraform state is locked for up to 15 minutes after a cancelled run; force-unlock it before",
    ),
];

/// Words that say their entry, and are refused all the same.
const REFUSED: &[(&str, &str)] = &[
    (
        "Sessions live for 30 minutes of inactivity, not 30 minutes after the login",
        "- A session ends after 30 minutes of inactivity, not 30 minutes after the login",
    ),
    (
        "Avoid `any` in `api/types.ts`; the generated docs then show an empty schema",
        "- With `any` in `api/types.ts` the generated docs show an empty schema, so avoid it",
    ),
    (
        "`git lfs pull` is needed once after cloning, otherwise the fixtures are pointers",
        "- Run `git lfs pull` after cloning; the fixtures are only pointers before that",
    ),
];

/// Words that say something else, which no rule finds.
const MISSED: &[(&str, &str)] = &[
    (
        "Money is rounded half to even in `src/money.rs`; the reports expect it",
        "- Money is rounded half up in `src/money.rs`; the reports expect it",
    ),
    (
        "Images over 4 MB are not resized by the worker; resize them before the upload",
        "- The worker only resizes images over 4 MB; resize smaller ones before the upload",
    ),
];

#[test]
fn fresh_words_are_judged_as_they_were_labelled() {
    check(&Labelled { honest: HONEST, hostile: HOSTILE, refused: REFUSED, missed: MISSED });
}

#[test]
fn another_meaning_is_certain_in_the_entrys_own_words_and_a_doubt_in_others() {
    let entry = "Integration tests time out when Docker has less than 4 GB of memory";
    let near = weighed_one(entry, "- Integration tests time out when Docker has more than 4 GB of memory <!-- ralph:L1 -->\n");
    assert!(!near.faults.is_empty() && near.divergences.is_empty(), "{near:?}");
    let far = weighed_one(entry, "- Give Docker at most 4 GB of memory, or the integration tests time out <!-- ralph:L1 -->\n");
    assert_eq!(far.faults, Vec::<String>::new());
    let [divergence] = far.divergences.as_slice() else { panic!("{far:?}") };
    assert_eq!((divergence.file.as_str(), divergence.line, divergence.entry.as_str()), ("docs/knowledge/money.md", 4, entry));
    assert!(divergence.text.contains("at most 4"), "{divergence:?}");
}
