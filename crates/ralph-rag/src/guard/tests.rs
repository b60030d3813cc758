use super::*;

fn kinds(a: &str, b: &str) -> Vec<HitKind> {
    let (a, b) = (Words::of(a), Words::of(b));
    let sorted = |a: &Words, b: &Words| {
        let mut kinds: Vec<HitKind> = hits(a, b).into_iter().map(|h| h.kind).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    };
    let forth = sorted(&a, &b);
    assert_eq!(forth, sorted(&b, &a), "the guard is symmetric");
    forth
}

/// Length: one case for each kind, and for each way to say it.
#[test]
fn each_kind_of_difference_is_seen() {
    use HitKind::{Antonym, Negation, Number, Order, Other};
    for (a, b, expected) in [
        ("Mock the clock in tests", "Never mock the clock in tests", Negation),
        ("Use pnpm, never npm", "Use npm, never pnpm", Negation),
        ("A build without the cache is correct", "A build with the cache is correct", Antonym),
        ("The linter forbids default exports", "The linter does not forbid default exports", Negation),
        ("Tests hang when the emulator runs", "Tests hang unless the emulator runs", Antonym),
        ("Retry three times", "Retry 5 times", Number),
        ("Uploads may take 25 % of the quota", "Uploads may take 0.35 of the quota", Number),
        ("The API was frozen on 5 March 2026", "The API was frozen on 2026-05-03", Number),
        ("The job needs Node 18", "The job needs Node v20", Number),
        ("One worker reads the queue", "Both workers read the queue", Number),
        ("Open the socket inside the lock", "Open the socket outside the lock", Antonym),
        ("The helper folds the tree", "The helper unfolds the tree", Antonym),
        ("Handlers are stateful", "Handlers are stateless", Antonym),
        ("Upgrade the schema first", "Downgrade the schema first", Antonym),
        ("Keep the index near the rows", "Keep the index far from the rows", Antonym),
        ("Copy the schema from staging to production", "Copy the schema from production to staging", Order),
        ("The scheduler waits for the worker", "The worker waits for the scheduler", Order),
        ("Add packages with bun; npm spoils the lockfile", "Add packages with npm; bun spoils the lockfile", Order),
        ("It takes the right to write, to read is not enough", "It takes the right to read, to write is not enough", Order),
        ("First pull the image, then stop the unit, then start it", "First stop the unit, then start it, then pull the image", Order),
        ("Count hits per tenant, not per user", "Count hits per user, not per tenant", Negation),
        ("Reach the bus through the port, never through the class", "Reach the bus through the class, never through the port", Negation),
        ("The effect runs twice in development", "The effect runs once in development", Number),
        ("Leading zeros are kept", "Trailing zeros are kept", Antonym),
        ("Settings come from config.ts", "Settings come from settings.ts", Other),
        ("Call getUser first", "Call getAdmin first", Other),
        ("The client checks the token", "The server checks the token", Other),
        ("Install the hooks with yarn", "Install the hooks with npm", Other),
        ("The export encrypts each file", "The export encodes each file", Other),
        ("The stock worker locks the row", "The cache worker locks the row", Other),
        ("Orders are locked by the nightly job", "Customers are locked by the nightly job", Other),
        ("Read the index before the schema changes", "Read the log before the schema changes", Other),
        ("The daily job writes the report", "The weekly job writes the report", Other),
        ("Webhooks from Stripe are retried", "Webhooks from Adyen are retried", Other),
        ("Timeouts are given in seconds", "Timeouts are in milliseconds", Other),
        ("Pages are rendered on the server, not in a worker", "Pages are rendered in the browser, not in a worker", Other),
        ("Logs are kept for a month, as those of last month", "Logs are kept for a decade, as those of last month", Other),
        ("Run the linter before the build", "Run the linter without the build", Other),
        ("The cookie expires after a day", "The token expires after a day", Other),
        ("A worker must answer", "A worker may answer", Antonym),
        (
            "Do not enable the cache in tests and never run the schema migrations there",
            "Disable the cache in tests and run the schema migrations there",
            Negation,
        ),
        ("The endpoint is not public and must not be retried", "The endpoint is private and must be retried", Negation),
        ("Do not enable the cache in resolvers", "Disable the cache in migrations", Other),
        ("Widths are rounded up to whole pixels", "Heights are rounded up to whole pixels", Other),
        ("Requests are sent to the proxy", "Requests are sent by the proxy", Other),
        ("The token is signed by the gateway", "The token is signed for the gateway", Other),
        ("Hold the lock before the commit", "Hold the lock until the commit", Other),
        ("The endpoint used to return JSON", "The endpoint returns JSON", Other),
        ("The hook formerly ran on push", "The hook ran on push", Other),
        ("The API was deprecated", "The API will be deprecated", Other),
        ("It is rarely necessary to restart the worker", "It is necessary to restart the worker", Other),
        ("The suite is almost stable on the runner", "The suite is stable on the runner", Other),
        ("The migration might fail on the replica", "The migration fails on the replica", Other),
        ("Authentication happens in the proxy", "Authorization happens in the proxy", Other),
        ("The default branch is main", "The default branch is master", Other),
        ("Kill the process group", "Stop the process group", Other),
        ("The id is unique per tenant", "The name is unique per tenant", Other),
        ("Timestamps are stored in UTC", "Timestamps are stored in local time", Other),
        ("Uploads above 10 MB are refused", "Uploads above 10 GB are refused", Number),
        ("The token lives for 30 days", "The token lives for 30 weeks", Number),
        ("The export lacks a header row", "The export has a header row", Negation),
        ("The pool is missing a timeout", "The pool has a timeout", Negation),
        ("The agent fails to renew its lease", "The agent renews its lease", Negation),
        ("The importer refuses to truncate long rows", "The importer truncates long rows", Negation),
        ("Stop using the old client in reports", "Use the old client in reports", Negation),
        ("The mirror skips checking signatures", "The mirror checks signatures", Negation),
        ("The mirror is devoid of indexes", "The mirror has indexes", Negation),
        ("The guide wrongly says that the port is open", "The guide says that the port is open", Negation),
        ("It is false that the queue is shared", "The queue is shared", Negation),
        ("The write is non-blocking", "The write is blocking", Antonym),
        ("Tags must be signed", "Tags need no signature", Other),
        ("There is a mirror of the registry", "A mirror of the registry does not exist", Other),
        ("Only nightly builds need a review", "Nightly builds need a review, except on Sundays", Other),
        ("Schemas have to be frozen", "Schemas ought to be frozen", Other),
        ("The mirror is behind", "The mirror is occasionally behind", Other),
        ("Builds are limited per user", "Builds are limited per IP", Other),
        ("Mock the gateway in the checks", "Use the real gateway in the checks", Other),
        ("Only owners may invite members", "Only members may invite guests", Other),
        ("Deploy with helm, not kubectl", "Never deploy with helm or kubectl", Negation),
        ("Deploy with helm, not kubectl", "Never deploy with kubectl or helm", Negation),
        ("Use absolute imports, not relative ones", "Do not use relative or absolute imports", Negation),
        ("Use helm, not kubectl", "Never use kubectl or helm; use make", Negation),
        ("Do not skip the type check", "Skip the type check", Negation),
        ("Do not skip the type check", "Never run the type check", Negation),
        ("Never ship without an entry", "Ship without an entry", Negation),
        ("Always ask before deleting a branch", "Delete branches without asking", Negation),
        ("Never run the suite without asking", "Run the suite without asking", Negation),
        ("Prefer named exports over default exports", "Use default exports instead of named exports", Negation),
        ("Prefer pnpm over npm", "Prefer npm over pnpm", Negation),
        ("Logs are written to stdout as JSON", "Logs are written to stdout as plain text", Other),
        ("Logs are written to stdout as JSON", "Logs are written to stdout in plain text", Other),
        ("Logs are written to stdout as JSON", "Logs are written to stdout as text", Other),
        ("The suite runs twice, once per target", "The suite runs three times, once per target", Number),
        ("Autosave is on", "Autosave is not on", Negation),
        ("The installer needs root", "The installer must not be run as root", Negation),
        ("The bot needs the owner role", "The bot must not act as owner", Negation),
        ("Users can edit their posts", "Users can delete their posts", Other),
        ("The timeout for uploads is 30 seconds", "The timeout for downloads is 60 seconds", Other),
        ("The nightly job takes 60 minutes", "The hourly job takes 10 minutes", Other),
        ("Never log the token, hash it", "Never hash the token, log it", Negation),
        ("A worker must answer to the proxy, it can wait", "A worker may answer to the proxy, it can wait", Antonym),
    ] {
        assert!(kinds(a, b).contains(&expected), "{a} | {b}: {:?}", kinds(a, b));
    }
}

#[test]
fn the_same_said_in_another_way_is_not_hit() {
    for (a, b) in [
        ("Run the tests before a commit", "Before a commit, run the tests"),
        ("The worker sends the mail", "The mail is sent by the worker"),
        ("Retry three times with backoff", "Retry 3 times, with backoff"),
        ("Do not mock the clock because tests then lie", "Don't mock the clock, since tests lie then"),
        ("The port 8080 must be free", "The port must be free"),
        ("`git worktree add` fails when the branch is checked out", "A branch that is checked out cannot be added with `git worktree add`"),
        ("Docker builds need BuildKit", "Without BuildKit the Docker build fails"),
        ("Do not edit files in src/generated", "Files in src/generated must not be edited"),
        ("To prevent N+1 queries use the data loader in resolvers", "Resolvers must use the data loader to prevent N+1 queries"),
        ("Both the reader and the writer lock the file", "The writer and the reader both lock the file"),
        ("Seeds live in db/seeds.sql", "You find the seeds in `db/seeds.sql`"),
        ("Return 404 for unknown users", "Return 404 if the user is not known"),
        ("Disable the cache in tests", "Do not enable the cache in tests"),
        ("Install git, curl and jq on the runner", "Install jq, git and curl on the runner"),
        ("A handler, which is slow, blocks the queue", "A slow handler blocks the queue"),
        ("Pin the clock in these tests, else they take a minute", "These tests take a minute if the clock isn't pinned"),
        ("First pull the image, then stop the unit", "The image is pulled first, then the unit is stopped"),
        ("The hook retries twice", "The hook retries two times"),
        ("Files larger than 4 MB are split", "Files of more than 4 MB are split"),
        ("Delete the temporary folder after the run", "Remove the temporary directory once the run is over"),
        ("Verify the signature first", "Check the signature first"),
        ("Dates are shown in local time", "Dates are displayed in local time"),
        ("Tests must wait for the network after login", "After login, tests have to wait for the network"),
        ("The cache has to be warmed after a deploy", "The cache must be warmed after each deploy"),
        ("Redis is used to store sessions", "Redis stores sessions"),
        ("Without the cache the build will fail", "Without the cache the build fails"),
        ("The batch holds at most 5 rows", "The batch holds 5 rows at the most"),
        ("Uploads above 5MB are split", "Uploads above 5 MB are split"),
        ("The timeout is 30s", "The timeout is 30 seconds"),
        ("The lease lives for one minute", "The lease lives for 60 seconds"),
        ("Use Python v3.12 for the build", "Use Python 3.12 for the build"),
        ("Don't forget to close the cursor", "Close the cursor"),
        ("The role has no permission to drop tables", "The role lacks permission to drop tables"),
        ("Write to the outbox, not to Kafka directly", "Do not write to Kafka directly; write to the outbox"),
        ("Import from `@/lib/db`, not from `prisma/client` directly", "Don't import `prisma/client` directly; import from `@/lib/db`"),
        ("Use `uv run pytest` instead of calling pytest directly", "Call pytest through `uv run pytest` and not directly"),
        ("Prices are stored in cents as integers, never as floats", "Prices are integers in cents and never floats"),
        ("`rm *` is forbidden in `queries/`", "Do not write `rm *` in `queries/`"),
        ("Consumers must be idempotent because messages can arrive twice", "Messages may arrive twice, so consumers have to be idempotent"),
        ("Do not forget to bump the version", "Remember to bump the version"),
        ("Always push branches to `origin`, never to `upstream`", "Never push branches to `upstream`; always push to `origin`"),
        ("Do not use `datetime.now()` in tests; use `time_machine`", "In tests, use `time_machine` instead of `datetime.now()`"),
        ("Run the tests in Docker, not on the host", "Don't run the tests on the host but in Docker"),
        ("Run the tests in Docker and not on the host", "Do not run the tests on the host but in Docker"),
        ("Prefer `wait_for` over `wait_until`", "Use `wait_for` rather than `wait_until`"),
        ("Prefer pnpm over npm", "Use pnpm instead of npm"),
        ("Use absolute imports, not relative ones", "Do not use relative imports; use absolute ones"),
        ("Every change ships with an entry", "Never ship a change without an entry"),
        ("Put secrets in Vault, not in `.env`", "Don't put secrets in `.env` but in Vault"),
        ("Fetch data in loaders instead of in components", "Don't fetch data in components; fetch it in loaders"),
        ("Never merge without a review", "Always get a review before a merge"),
        (
            "Flags are read once at startup, so a restart is needed for a change to take effect",
            "Because flags are only read at startup, changing one requires a restart",
        ),
        ("The settings come from `config.ts`", "The settings come from the config"),
        ("The service uses Memcached on every host", "The service uses a cache on every host"),
        ("All workers use one queue", "All workers use a single queue"),
        ("Telemetry is off in the pipeline", "Telemetry is not on in the pipeline"),
        ("The dev server needs a restart", "The development server needs a restart"),
        ("The API returns 404 if the order is missing", "If the order is missing the API returns 404"),
        ("The call fails when the token is missing", "When the token is missing the call fails"),
    ] {
        assert_eq!(kinds(a, b), [], "{a} | {b}");
    }
}

#[test]
fn pieces_mark_what_the_other_text_does_not_have_and_join_to_the_text() {
    let (a, b) = ("Never retry *refunds*, 3 times!", "Retry the refund 5 times");
    let marked: Vec<(String, bool)> = pieces(a, &Words::of(a), &Words::of(b)).into_iter().map(|p| (p.text, p.differs)).collect();
    let expected = [("Never", true), (" retry *refunds*, ", false), ("3", true), (" times!", false)];
    assert_eq!(marked, expected.map(|(text, differs)| (text.to_owned(), differs)));
    for text in ["", "…", "naïve „Zitat“ — 日本語 ⚠️", "\u{202e}x", "a\n\nb "] {
        let joined: String = pieces(text, &Words::of(text), &Words::of(b)).into_iter().map(|p| p.text).collect();
        assert_eq!(joined, text);
    }
}

#[test]
fn a_hit_names_the_words_of_each_side() {
    let found = hits(&Words::of("Enable the cache in config.ts"), &Words::of("Disable the cache in settings.ts"));
    let hit = |kind, older: &str, newer: &str| Hit { kind, older: older.into(), newer: newer.into() };
    assert_eq!(found, [hit(HitKind::Other, "config.ts", "settings.ts"), hit(HitKind::Antonym, "enable", "disable")]);
}

#[test]
fn one_number_day_or_thing_in_another_form_is_not_hit() {
    for (a, b) in [
        ("Uploads may take 25 % of the quota", "Uploads may take 0.25 of the quota"),
        ("Half a percent is kept: 0.5 %", "Half a percent is kept: 0.005"),
        ("The API was frozen on 2026-03-05", "The API was frozen on 5 March 2026"),
        ("The API was frozen on 2026-03-05", "The API was frozen on March 5th, 2026"),
        ("The job copies the index", "The job clones the index"),
        ("A mail is sent after the refund", "An email is sent after the refund"),
        ("Clients are told before the price changes", "Customers are told before the price changes"),
    ] {
        assert_eq!(kinds(a, b), [], "{a} | {b}");
    }
}
