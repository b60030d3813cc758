//! Entries of other kinds of projects, labelled later, and tried after the rules had been written.

use super::found;

/// Entries, and words that say them.
const HONEST: &[(&str, &str)] = &[
    (
        "`npm ci` fails behind the proxy unless `NODE_EXTRA_CA_CERTS` points at the company CA",
        "- Behind the proxy, set `NODE_EXTRA_CA_CERTS` to the company CA, or `npm ci` fails",
    ),
    (
        "The Postgres pool must hold at least 10 connections, otherwise the nightly export times out",
        "- Give the Postgres pool 10 connections or more; with fewer the nightly export times out",
    ),
    (
        "`serde(flatten)` breaks `deny_unknown_fields`: unknown keys are accepted silently",
        "- Combining `serde(flatten)` with `deny_unknown_fields` silently accepts unknown keys",
    ),
    (
        "The webhook secret rotates every 90 days; read it from Vault, never from `.env`",
        "- Read the webhook secret from Vault, not from `.env`; it is rotated every 90 days",
    ),
    (
        "`docker compose down -v` deletes the test database's volume",
        "- Running `docker compose down -v` also removes the volume of the test database",
    ),
    (
        "Feature flags are cached for 60 seconds, so wait a minute after toggling before you test",
        "- After toggling a feature flag, wait a minute before testing: flags are cached for 60 seconds",
    ),
    (
        "Run `make proto` after every change of `api/*.proto`; generated code is committed",
        "- Whenever `api/*.proto` changes, run `make proto` and commit the generated code",
    ),
    (
        "`git bisect` needs `--first-parent` here, since merge commits of vendored code do not build",
        "- Use `git bisect` with `--first-parent` here; merges of vendored code don't build",
    ),
    (
        "Snapshots of the UI differ between macOS and Linux because of fonts; update them only in CI",
        "- Only update UI snapshots in CI, because fonts differ between macOS and Linux",
    ),
    (
        "Money is rounded half to even in `src/money.rs`; the reports expect it",
        "- `src/money.rs` rounds money half to even, as the reports expect",
    ),
    (
        "Never log request bodies of `/v1/payments`: they hold card numbers",
        "- Request bodies of `/v1/payments` contain card numbers and must never be logged",
    ),
    (
        "The scheduler skips jobs whose `next_run` lies in the past after a restart",
        "- After a restart, jobs with a `next_run` in the past are skipped by the scheduler",
    ),
    (
        "E2E tests need the seed user `demo@example.com`, created by `bin/seed --demo`",
        "- Create the seed user `demo@example.com` with `bin/seed --demo` before the E2E tests: they need it",
    ),
    (
        "`cargo test` without `--features pg` skips the database tests silently",
        "- The database tests are silently skipped if `cargo test` runs without `--features pg`",
    ),
    (
        "Set `PYTHONHASHSEED=0` when you compare golden files, since dict order reaches the output",
        "- Golden files are compared with `PYTHONHASHSEED=0`, because dict order ends up in the output",
    ),
    (
        "Large uploads go through `/upload/chunk` with 8 MB parts; the gateway refuses more than 10 MB",
        "- Upload large files via `/upload/chunk` in parts of 8 MB, as the gateway rejects anything over 10 MB",
    ),
    (
        "The linter's cache in `.ruff_cache` must be removed when the config changes",
        "- Delete `.ruff_cache`, the linter's cache, whenever its config changes",
    ),
    (
        "Locks in `redis` expire after 30 s, so long jobs renew them",
        "- Long jobs have to renew their `redis` locks, which expire after 30 s",
    ),
    (
        "Prefer `select_related` over `prefetch_related` for foreign keys in `orders/views.py`",
        "- In `orders/views.py`, use `select_related` rather than `prefetch_related` for foreign keys",
    ),
    (
        "Timezones: store UTC, convert with `pytz` only in templates",
        "- Timestamps are stored in UTC and converted with `pytz` in templates only",
    ),
    (
        "The build cache is keyed by `Cargo.lock`; delete it when the toolchain changes",
        "- Since the build cache is keyed by `Cargo.lock` alone, delete it after a change of toolchain",
    ),
    (
        "If `yarn install` hangs at 'linking', remove `node_modules/.cache`",
        "- `yarn install` hanging at 'linking' is solved by removing `node_modules/.cache`",
    ),
    (
        "Requests to the search service must carry `X-Tenant`, else it answers 200 with an empty list",
        "- Always send `X-Tenant` to the search service; without it the answer is 200 with an empty list",
    ),
    ("`QT_QPA_PLATFORM=offscreen` is required for headless GUI tests", "- Headless GUI tests require `QT_QPA_PLATFORM=offscreen`"),
    (
        "Decimal columns come back as strings from the driver; parse them with `Decimal`",
        "- The driver returns decimal columns as strings, so parse those with `Decimal`",
    ),
    ("At most two deploys per hour are allowed by the platform", "- The platform allows no more than two deploys per hour"),
    ("Keep `max_body` at 5 MB", "- `max_body` stays at 5 MB"),
    (
        "Call `flush()` before `close()`, otherwise the last rows are lost",
        "- The last rows are lost if `close()` is called without calling `flush()` first",
    ),
    ("Not all clients send `User-Agent`", "- Some clients do not send `User-Agent`"),
    (
        "Run `terraform plan` first; `apply` without it is refused by the hook",
        "- The hook refuses `apply` unless `terraform plan` ran before",
    ),
    (
        "Avoid `import *` in `reports/`: columns are added often and the exports break",
        "- Don't use `import *` in `reports/`; exports break because columns are often added",
    ),
    (
        "The payments sandbox rejects amounts ending in 13 on purpose",
        "- In the payments sandbox, amounts that end in 13 are deliberately rejected",
    ),
    (
        "Migrations run in a transaction, except `CREATE INDEX CONCURRENTLY`, which must stand alone",
        "- Every migration runs inside a transaction; only `CREATE INDEX CONCURRENTLY` must be on its own",
    ),
];

/// Entries, and words that say something else.
const HOSTILE: &[(&str, &str)] = &[
    (
        "`npm ci` fails behind the proxy unless `NODE_EXTRA_CA_CERTS` points at the company CA",
        "- Behind the proxy `npm ci` works without `NODE_EXTRA_CA_CERTS` at the company CA",
    ),
    (
        "The Postgres pool must hold at least 10 connections, otherwise the nightly export times out",
        "- The Postgres pool must hold at most 10 connections, otherwise the nightly export times out",
    ),
    (
        "The Postgres pool must hold at least 10 connections, otherwise the nightly export times out",
        "- The Postgres pool should hold 10 connections",
    ),
    (
        "Use `tokio::time::pause()` in tests that wait, since real sleeps make CI flaky",
        "- Use `tokio::time::pause()` in production code that waits, since real sleeps make CI flaky",
    ),
    (
        "`serde(flatten)` breaks `deny_unknown_fields`: unknown keys are accepted silently",
        "- `serde(flatten)` breaks `deny_unknown_fields`: unknown keys are rejected silently",
    ),
    (
        "Do not bump `openssl-sys` past 0.9.90 because the musl build breaks",
        "- Bump `openssl-sys` past 0.9.90 because the musl build breaks",
    ),
    (
        "Do not bump `openssl-sys` past 0.9.90 because the musl build breaks",
        "- Do not bump `openssl-sys` past 0.9.90 because the glibc build breaks",
    ),
    (
        "The webhook secret rotates every 90 days; read it from Vault, never from `.env`",
        "- The webhook secret rotates every 90 days; read it from `.env`, never from Vault",
    ),
    (
        "The webhook secret rotates every 90 days; read it from Vault, never from `.env`",
        "- Read the webhook secret from Vault, not from `.env`",
    ),
    ("`docker compose down -v` deletes the test database's volume", "- `docker compose down -v` keeps the test database's volume"),
    (
        "Migrations run in a transaction, except `CREATE INDEX CONCURRENTLY`, which must stand alone",
        "- Migrations run in a transaction, `CREATE INDEX CONCURRENTLY` included",
    ),
    (
        "Feature flags are cached for 60 seconds, so wait a minute after toggling before you test",
        "- Feature flags are cached for 60 minutes, so wait after toggling before you test",
    ),
    (
        "The parser treats tabs as 4 columns; error positions are off when the editor uses 8",
        "- The parser treats tabs as 8 columns; error positions are off when the editor uses 4",
    ),
    (
        "Run `make proto` after every change of `api/*.proto`; generated code is committed",
        "- Run `make proto` before every change of `api/*.proto`; generated code is committed",
    ),
    (
        "Run `make proto` after every change of `api/*.proto`; generated code is committed",
        "- Run `make proto` after every change of `api/*.proto`; generated code is not committed",
    ),
    (
        "Snapshots of the UI differ between macOS and Linux because of fonts; update them only in CI",
        "- Snapshots of the UI differ between macOS and Linux because of fonts; update them locally",
    ),
    (
        "The S3 client retries 5xx but not 429; wrap it in our own backoff",
        "- The S3 client retries 429 but not 5xx; wrap it in our own backoff",
    ),
    (
        "Never log request bodies of `/v1/payments`: they hold card numbers",
        "- Avoid logging request bodies of `/v1/payments` if possible: they hold card numbers",
    ),
    (
        "The scheduler skips jobs whose `next_run` lies in the past after a restart",
        "- The scheduler runs jobs whose `next_run` lies in the past after a restart",
    ),
    (
        "The scheduler skips jobs whose `next_run` lies in the past after a restart",
        "- The scheduler skips jobs whose `next_run` lies in the future after a restart",
    ),
    (
        "E2E tests need the seed user `demo@example.com`, created by `bin/seed --demo`",
        "- E2E tests need the seed user `admin@example.com`, created by `bin/seed --demo`",
    ),
    (
        "`cargo test` without `--features pg` skips the database tests silently",
        "- `cargo test` with `--features pg` skips the database tests silently",
    ),
    (
        "Large uploads go through `/upload/chunk` with 8 MB parts; the gateway refuses more than 10 MB",
        "- Large uploads go through `/upload/chunk` with 10 MB parts; the gateway refuses more than 8 MB",
    ),
    ("Locks in `redis` expire after 30 s, so long jobs renew them", "- Locks in `redis` never expire, so long jobs keep them"),
    (
        "Prefer `select_related` over `prefetch_related` for foreign keys in `orders/views.py`",
        "- Prefer `prefetch_related` over `select_related` for foreign keys in `orders/views.py`",
    ),
    ("Timezones: store UTC, convert with `pytz` only in templates", "- Timezones: store UTC, convert with `pytz` everywhere"),
    (
        "The build cache is keyed by `Cargo.lock`; delete it when the toolchain changes",
        "- The build cache is keyed by `Cargo.lock`; keep it when the toolchain changes",
    ),
    (
        "Requests to the search service must carry `X-Tenant`, else it answers 200 with an empty list",
        "- Requests to the search service may carry `X-Tenant`; it answers 200 with an empty list",
    ),
    (
        "Decimal columns come back as strings from the driver; parse them with `Decimal`",
        "- Decimal columns come back as floats from the driver; parse them with `Decimal`",
    ),
    ("At most two deploys per hour are allowed by the platform", "- At least two deploys per hour are allowed by the platform"),
    ("At most two deploys per hour are allowed by the platform", "- At most two deploys per day are allowed by the platform"),
    (
        "The token is valid for 15 minutes; refresh it 1 minute before it expires",
        "- The token is valid for 15 minutes; refresh it 1 minute after it expires",
    ),
    (
        "Call `flush()` before `close()`, otherwise the last rows are lost",
        "- Call `close()` before `flush()`, otherwise the last rows are lost",
    ),
    (
        "Run `terraform plan` first; `apply` without it is refused by the hook",
        "- Run `terraform plan` first; `apply` without it is allowed by the hook",
    ),
    (
        "Avoid `import *` in `reports/`: columns are added often and the exports break",
        "- `import *` in `reports/` is fine: columns are added often",
    ),
    (
        "Workers read the config once at start, so restart them after changing `config/app.yml`",
        "- Workers read the config once at start, so there is no need to restart them after changing `config/app.yml`",
    ),
    ("The payments sandbox rejects amounts ending in 13 on purpose", "- The payments sandbox accepts amounts ending in 13 on purpose"),
    ("Both primary and replica must be migrated", "- One of primary or replica must be migrated"),
    ("It is safe to delete `tmp/cache`", "- Delete `tmp/cache`"),
    ("`tmp/cache` grows without bound", "- `tmp/cache` grows without bound, which is harmless"),
    ("One worker holds the lease at a time", "- Both workers hold the lease at a time"),
    ("The admin approves the refund of the agent", "- The agent approves the refund of the admin"),
    ("Only admins may call `purge`", "- Admins may call `purge`"),
];

#[test]
fn later_words_are_judged_as_they_were_labelled() {
    let marked = |said: &str| format!("{said} <!-- ralph:L1 -->\n");
    for (entry, said) in HONEST {
        assert_eq!(found(&[("L1", entry)], &marked(said)), Vec::<String>::new(), "{said} | {entry}");
    }
    for (entry, said) in HOSTILE {
        assert_ne!(found(&[("L1", entry)], &marked(said)), Vec::<String>::new(), "{said} | {entry}");
    }
}

/// Entries with numbered lists, addresses and code, and words that say them.
const LISTS_AND_ADDRESSES: [(&str, &str); 7] = [
    ("## Release\n1. Tag with `v1.2`\n2. Push the tag", "- Release: tag with `v1.2`, then push the tag"),
    ("## Release\n1. Tag with `v1.2`\n2. Push the tag", "## Release\n\n1. Tag with `v1.2`\n2. Push the tag"),
    (
        "## Link\n- See <https://example.com/a_b?x=1&y=2> for the `X-Sig` header",
        "- Link: see <https://example.com/a_b?x=1&y=2> for the `X-Sig` header",
    ),
    (
        "## Link\n- See https://example.com/a_b?x=1&y=2 for the `X-Sig` header",
        "- See https://example.com/a_b?x=1&y=2 for the `X-Sig` header",
    ),
    ("## Query\n- The query a=1&b=2 fails on the proxy", "- The query a=1&b=2 fails on the proxy"),
    ("## Reset the database\n```sh\ndropdb app\ncreatedb app\n```", "- Reset the database: `dropdb app`, then `createdb app`"),
    ("## Tickets\n- See the notes of\n#318 for `make serve`", "- For `make serve` see the notes"),
];

#[test]
fn the_number_of_an_item_the_parts_of_an_address_and_the_language_of_code_are_no_names() {
    for (entry, said) in LISTS_AND_ADDRESSES {
        let found = found(&[("A", entry)], &format!("\n{said} <!-- ralph:A -->\n"));
        assert_eq!(found, Vec::<String>::new(), "{said}");
    }
}
