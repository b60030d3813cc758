//! Entries with rewordings, written after the rules and tried once, to see how the rules do on what they were not tuned for.

use super::labelled::{Labelled, check};

/// Entries, and words that say them.
const HONEST: &[(&str, &str)] = &[
    (
        "`sccache` misses every build when `RUSTFLAGS` differs between CI jobs; set it in `.cargo/config.toml`",
        "- Set `RUSTFLAGS` in `.cargo/config.toml`: if CI jobs use different ones, `sccache` misses every build",
    ),
    (
        "Emails are rendered with MJML 4; version 5 drops `mj-raw`, which the invoice template needs",
        "- Stay on MJML 4 for emails, since the invoice template needs `mj-raw` and version 5 has dropped it",
    ),
    (
        "Do not call `fetch` in `getServerSideProps` with a relative URL: Node has no origin",
        "- In `getServerSideProps`, `fetch` needs an absolute URL, because Node has no origin",
    ),
    (
        "Stripe webhooks may arrive before the API call returns, so create the order first",
        "- Create the order before calling the API: a Stripe webhook can arrive earlier than the call returns",
    ),
    (
        "The image must run as a user other than root, as the cluster refuses privileged pods",
        "- The cluster refuses privileged pods, so the image must not run as root",
    ),
    (
        "Elasticsearch returns at most 10,000 hits; use `search_after` for more",
        "- For more than 10,000 hits use `search_after`, as Elasticsearch returns no more than that otherwise",
    ),
    (
        "A failed migration leaves `schema_lock` set; clear it with `bin/unlock` before trying again",
        "- Before you retry a failed migration, clear `schema_lock` with `bin/unlock`; it stays set",
    ),
    (
        "Never store the refresh token in `localStorage`; the cookie is `HttpOnly` for that reason",
        "- The refresh token belongs in the `HttpOnly` cookie and never in `localStorage`",
    ),
    (
        "Enums in `proto/` start with `UNKNOWN = 0`, since old clients send 0 for a missing field",
        "- Old clients send 0 when a field is missing, which is why enums in `proto/` start with `UNKNOWN = 0`",
    ),
    (
        "The memory limit of the worker is 512 MB; parse XML as a stream, not as a tree",
        "- Parse XML as a stream instead of a tree: workers are limited to 512 MB of memory",
    ),
    (
        "Tags are immutable in the registry; a broken release gets a new patch version",
        "- Since tags can't be changed in the registry, publish a new patch version for a broken release",
    ),
    (
        "`useMemo` does not help here: the props are new objects on each render",
        "- Props are new objects on every render here, so `useMemo` is of no use",
    ),
    (
        "The DNS cache of the JVM keeps entries forever; set `networkaddress.cache.ttl=60`",
        "- Set `networkaddress.cache.ttl=60`, because the JVM otherwise caches DNS entries for ever",
    ),
    (
        "Log lines over 16 KB are split by Docker, so the JSON parser fails on them",
        "- Docker splits log lines longer than 16 KB, and the JSON parser fails on the parts",
    ),
    (
        "Only `main` deploys to production; hotfix branches are merged there first",
        "- Production is deployed from `main` alone, so a hotfix branch has to be merged there first",
    ),
    (
        "The linter needs the generated types: run `make gen` before `make lint`",
        "- Run `make gen` first, since `make lint` needs the generated types",
    ),
    (
        "Soft-deleted rows still count for the unique index on `email`; anonymise the address",
        "- Anonymise the `email` of soft-deleted rows: the unique index still counts them",
    ),
    (
        "Without `set -o pipefail` the deploy script hides failures of `tar`",
        "- Failures of `tar` are hidden by the deploy script unless `set -o pipefail` is on",
    ),
    (
        "Use integers for `position`; floats ran out of precision after 50 moves",
        "- `position` is an integer, because floats lose their precision after 50 moves",
    ),
    (
        "The proxy closes connections after 55 s of silence; send a heartbeat every 30 s",
        "- Send a heartbeat every 30 s, because after 55 s of silence the proxy closes the connection",
    ),
    (
        "Do not upgrade `react-router` to 7 until the loader tests are rewritten",
        "- `react-router` must stay below 7 as long as the loader tests have not been rewritten",
    ),
    (
        "Fixtures are loaded alphabetically, so `a_users.json` comes before `b_orders.json`",
        "- Name fixtures in the order they are needed: `a_users.json` loads before `b_orders.json`, as they are loaded alphabetically",
    ),
    (
        "The GPU runner has no network; models are copied to `/models` beforehand",
        "- Copy models to `/models` beforehand, because there is no network on the GPU runner",
    ),
    (
        "`git clean -fdx` deletes `.env.local`; keep a copy outside the checkout",
        "- Keep a copy of `.env.local` outside the checkout: `git clean -fdx` removes it",
    ),
    (
        "Background sync is off on battery; tests set `SYNC_FORCE=1`",
        "- Set `SYNC_FORCE=1` in tests, since there is no background sync on battery",
    ),
    (
        "Amounts in the ledger are signed: refunds are negative, fees positive",
        "- In the ledger, refunds have negative amounts and fees positive ones",
    ),
    (
        "The search index lags by up to 5 seconds; poll for it in tests instead of sleeping",
        "- Tests poll the search index rather than sleep, because it can be up to 5 seconds behind",
    ),
    (
        "`npm version` creates a tag that triggers the release, so never run it on a branch",
        "- Run `npm version` on no branch: the tag it creates triggers the release",
    ),
    (
        "Two instances of the cron job ran at once during a deploy; it now takes an advisory lock",
        "- The cron job takes an advisory lock, as two instances could run at once during a deploy",
    ),
];

/// Entries, and words that say something else.
const HOSTILE: &[(&str, &str)] = &[
    (
        "`sccache` misses every build when `RUSTFLAGS` differs between CI jobs; set it in `.cargo/config.toml`",
        "- `sccache` hits every build when `RUSTFLAGS` differs between CI jobs; set it in `.cargo/config.toml`",
    ),
    (
        "Stripe webhooks may arrive before the API call returns, so create the order first",
        "- Stripe webhooks may arrive before the API call returns, so create the order last",
    ),
    (
        "Elasticsearch returns at most 10,000 hits; use `search_after` for more",
        "- Elasticsearch returns at least 10,000 hits; use `search_after` for fewer",
    ),
    (
        "Never store the refresh token in `localStorage`; the cookie is `HttpOnly` for that reason",
        "- Store the refresh token in `localStorage`; the cookie is never `HttpOnly` for that reason",
    ),
    (
        "The memory limit of the worker is 512 MB; parse XML as a stream, not as a tree",
        "- The memory limit of the worker is 512 MB; parse XML as a tree, not as a stream",
    ),
    (
        "Tags are immutable in the registry; a broken release gets a new patch version",
        "- Tags are mutable in the registry; a broken release keeps its patch version",
    ),
    (
        "Log lines over 16 KB are split by Docker, so the JSON parser fails on them",
        "- Log lines under 16 KB are split by Docker, so the JSON parser fails on them",
    ),
    (
        "Only `main` deploys to production; hotfix branches are merged there first",
        "- Every branch deploys to production; hotfix branches are merged to `main` first",
    ),
    (
        "The linter needs the generated types: run `make gen` before `make lint`",
        "- The linter needs the generated types: run `make lint` before `make gen`",
    ),
    (
        "Use integers for `position`; floats ran out of precision after 50 moves",
        "- Use floats for `position`; integers ran out of precision after 50 moves",
    ),
    (
        "The proxy closes connections after 55 s of silence; send a heartbeat every 30 s",
        "- The proxy closes connections after 30 s of silence; send a heartbeat every 55 s",
    ),
    (
        "Do not upgrade `react-router` to 7 until the loader tests are rewritten",
        "- Upgrade `react-router` to 7 before the loader tests are rewritten",
    ),
    (
        "Amounts in the ledger are signed: refunds are negative, fees positive",
        "- Amounts in the ledger are signed: refunds are positive, fees negative",
    ),
    (
        "The GPU runner has no network; models are copied to `/models` beforehand",
        "- The GPU runner has network; models are copied to `/models` on demand",
    ),
    (
        "`git clean -fdx` deletes `.env.local`; keep a copy outside the checkout",
        "- `git clean -fdx` deletes `.env.local`; keep a copy inside the checkout",
    ),
    ("Background sync is off on battery; tests set `SYNC_FORCE=1`", "- Background sync is on on battery; tests never set `SYNC_FORCE=1`"),
    (
        "The search index lags by up to 5 seconds; poll for it in tests instead of sleeping",
        "- The search index lags by up to 5 seconds; sleep in tests instead of polling for it",
    ),
    (
        "`npm version` creates a tag that triggers the release, so never run it on a branch",
        "- `npm version` creates a tag that triggers the release, so always run it on a branch",
    ),
    (
        "The DNS cache of the JVM keeps entries forever; set `networkaddress.cache.ttl=60`",
        "- The DNS cache of the JVM never keeps entries; set `networkaddress.cache.ttl=60`",
    ),
];

#[test]
fn unseen_words_are_judged_as_they_were_labelled() {
    let refused = &[(
        "`await` every `page.click`, otherwise the trace ends before the click",
        "- Each `page.click` is awaited; if not, the trace ends before the click",
    )];
    let missed = &[(
        "The image must run as a user other than root, as the cluster refuses privileged pods",
        "- The image must run as root, as the cluster refuses other pods",
    )];
    check(&Labelled { honest: HONEST, hostile: HOSTILE, refused, missed });
}
