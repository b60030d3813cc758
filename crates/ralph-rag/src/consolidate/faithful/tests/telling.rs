//! Words that leave out what an entry says (a condition, a scope, a reason, an object), or reverse who does what. The sentences are
//! rebuilt, so that the rules about the same sentence find nothing, and a person has to compare them.

use super::labelled::{Labelled, check, weighed_one};

/// Entries, and words that say less than they do, or something else.
const HOSTILE: [(&str, &str); 25] = [
    ("The importer calls the exporter when a batch is full", "- When a batch is full, it is the exporter that calls the importer"),
    ("The scheduler wakes the worker through the queue", "- Through the queue, the worker wakes the scheduler"),
    (
        "Refunds trigger invoices, so disable the invoice job before replaying refunds",
        "- Disable the invoice job before replaying refunds, since invoices trigger refunds",
    ),
    ("The gateway signs requests of the billing service", "- Requests of the gateway get signed by the billing service"),
    ("The parent process waits for its children, which flush the log", "- Children wait for the parent process, which flushes the log"),
    ("Staging reads its users from production every night", "- Every night, production reads its users from staging"),
    ("Clear the session cache only when the tenant id has changed", "- The session cache is cleared"),
    ("Run the vacuum job after an import, when no reader is connected", "- After an import, run the vacuum job"),
    ("Retry the upload if the server answers with a redirect", "- Uploads are retried"),
    ("Restart the indexer once the schema was migrated", "- The indexer has to be restarted"),
    ("Skip the signature check while the clock is unsynchronised", "- The signature check is skipped"),
    ("Use the replica for reports unless a report needs rows of today", "- Reports use the replica"),
    ("In the checkout package, mock the payment provider with a recorded session", "- Mock the payment provider with a recorded session"),
    ("For enterprise tenants, exports are encrypted before they are stored", "- Exports are encrypted before storing them"),
    ("Log levels are read from the environment during tests", "- Log levels come from the environment"),
    ("Timeouts of the legacy mailer are given in seconds", "- Timeouts are given in seconds"),
    ("Admins of a workspace may delete comments", "- Comments may be deleted by admins"),
    ("Close the read connection before the pool is drained", "- Before draining the pool, close the write connection"),
    ("Invalidate the cache of the product page after a price change", "- After changing a price, invalidate the cache of the cart page"),
    ("Rotate the signing key every quarter", "- Every quarter the encryption key is rotated"),
    ("Write audit events to the outbox inside the transaction", "- Inside the transaction, audit events are written to the journal"),
    ("Pin the compiler, because newer ones miscompile the hash function", "- Pin the compiler"),
    ("Disable parallel builds: the code generator writes to a shared file", "- Parallel builds are disabled"),
    ("Sort the rows before comparing them, since the driver returns them in any order", "- Before comparing rows, sort them"),
    (
        "The mobile client caches the feature list for a day; bump the cache version after adding a feature",
        "- The web client caches the feature list for a day, so bump the cache version after adding a feature",
    ),
];

/// The same entries with words that say them, some of them shorter.
const HONEST: [(&str, &str); 25] = [
    ("The importer calls the exporter when a batch is full", "- Once a batch is full, the exporter is called by the importer"),
    ("The scheduler wakes the worker through the queue", "- Workers are woken by the scheduler, via the queue"),
    (
        "Refunds trigger invoices, so disable the invoice job before replaying refunds",
        "- Before you replay refunds, disable the invoice job: refunds trigger invoices",
    ),
    ("The gateway signs requests of the billing service", "- Requests of the billing service are signed by the gateway"),
    ("The parent process waits for its children, which flush the log", "- Children flush the log, and the parent process waits for them"),
    ("Staging reads its users from production every night", "- Every night staging gets its users from production"),
    ("Run the vacuum job after an import, when no reader is connected", "- With no reader connected, run the vacuum job after imports"),
    ("Retry the upload if the server answers with a redirect", "- On a redirect from the server, retry the upload"),
    ("Restart the indexer once the schema was migrated", "- After migrating the schema, restart the indexer"),
    (
        "Skip the signature check while the clock is unsynchronised",
        "- As long as the clock is unsynchronised, the signature check is skipped",
    ),
    ("Use the replica for reports unless a report needs rows of today", "- Reports use the replica, except those that need rows of today"),
    (
        "In the checkout package, mock the payment provider with a recorded session",
        "- The payment provider is mocked with a recorded session in the checkout package",
    ),
    ("For enterprise tenants, exports are encrypted before they are stored", "- Exports of enterprise tenants are stored encrypted"),
    ("Log levels are read from the environment during tests", "- Tests take log levels from the environment"),
    ("Timeouts of the legacy mailer are given in seconds", "- The legacy mailer takes timeouts in seconds"),
    ("Admins of a workspace may delete comments", "- Comments may be deleted by a workspace's admins"),
    ("Close the read connection before the pool is drained", "- Before draining the pool, close the read connection"),
    ("Invalidate the cache of the product page after a price change", "- After changing a price, invalidate the product page's cache"),
    ("The migration locks the orders table for minutes", "- For minutes, the orders table is locked by the migration"),
    ("Rotate the signing key every quarter", "- The signing key is rotated every quarter"),
    (
        "Note that the report really needs a trailing newline in order to keep its last record",
        "- The report needs a trailing newline to keep its last record",
    ),
    (
        "Pin the compiler, because newer ones miscompile the hash function",
        "- Newer compilers miscompile the hash function, so pin the compiler",
    ),
    (
        "Disable parallel builds: the code generator writes to a shared file",
        "- The code generator writes to a shared file, hence parallel builds stay disabled",
    ),
    (
        "Sort the rows before comparing them, since the driver returns them in any order",
        "- The driver returns rows in any order: sort them before you compare",
    ),
    ("Clear the session cache only when the tenant id has changed", "- Only when the tenant id changed, clear the session cache"),
];

/// Entries of another kind, with rewordings, written after the rules.
const LATER_HOSTILE: [(&str, &str); 13] = [
    (
        "Renew the certificate of the staging cluster before the end of the quarter, since the load balancer rejects expired ones without any log line",
        "- Renew the certificate of the cluster before the quarter ends; the load balancer silently rejects expired ones",
    ),
    (
        "When a tenant is suspended, its jobs stay in the queue and are retried every hour until the tenant is active again",
        "- Jobs remain in the queue and are retried every hour until the tenant is active",
    ),
    (
        "Snapshot tests of the invoice template must be updated on the build server, because fonts are rendered differently elsewhere",
        "- Snapshot tests are to be updated on the build server: fonts render differently elsewhere",
    ),
    (
        "Background uploads are paused while the phone is roaming, so tests must fake the network state",
        "- Tests must fake the network state, because background uploads are paused",
    ),
    (
        "If the import is interrupted, delete the partial batch before starting again; the unique constraint refuses duplicates",
        "- Delete the partial batch before starting; the unique constraint refuses duplicates",
    ),
    (
        "The reporting database is replicated with a delay of some minutes, so never read your own writes from it",
        "- Never read your own writes from the reporting database",
    ),
    (
        "The billing service notifies the ledger about each refund",
        "- Each refund is something the ledger notifies the billing service about",
    ),
    (
        "The proxy terminates the tunnel of the agent after a minute of silence",
        "- After a minute of silence, the agent terminates the tunnel of the proxy",
    ),
    (
        "Do not call the pricing service inside a transaction, because its timeouts hold the row locks",
        "- The pricing service must not be called, because its timeouts keep row locks held",
    ),
    (
        "Attachments over the quota are dropped by the mail relay without an error; check the size before sending",
        "- Check the size of attachments before sending them: the mail relay drops them",
    ),
    (
        "The code formatter runs in the commit hook; skip it for generated files with an ignore entry",
        "- The code formatter runs in the push hook; generated files are skipped with an ignore entry",
    ),
    (
        "The follower copies the log of the leader, and refuses writes",
        "- Writes are refused, and the leader copies the log of the follower",
    ),
    (
        "The nightly backup locks the catalog for writers; schedule imports after it has finished",
        "- The nightly backup locks the catalog for readers, so imports are scheduled after it has finished",
    ),
];
const LATER_HONEST: [(&str, &str); 16] = [
    (
        "When a tenant is suspended, its jobs stay in the queue and are retried every hour until the tenant is active again",
        "- Jobs of a suspended tenant remain queued, with a retry each hour, until it is reactivated",
    ),
    (
        "Snapshot tests of the invoice template must be updated on Linux only, because fonts are rendered differently elsewhere",
        "- Update snapshot tests for the invoice template only on Linux: fonts render differently elsewhere",
    ),
    (
        "The mobile client caches the feature list for a day; bump the cache version after adding a feature",
        "- After adding a feature, bump the cache version, as the mobile client caches the feature list for a day",
    ),
    (
        "Background uploads are paused while the phone is roaming, so tests must fake the network state",
        "- Tests have to fake the network state, because roaming phones pause background uploads",
    ),
    (
        "If the import is interrupted, delete the partial batch before starting again; the unique constraint refuses duplicates",
        "- After an interrupted import, delete the partial batch before you restart it: duplicates are refused by the unique constraint",
    ),
    (
        "The reporting database is replicated with a delay of some minutes, so never read your own writes from it",
        "- Never read your own writes from the reporting database; its replication is delayed by some minutes",
    ),
    (
        "Use the sandbox account for payment tests, since the live account charges real cards",
        "- Payment tests use the sandbox account: real cards are charged by the live account",
    ),
    (
        "Do not call the pricing service inside a transaction, because its timeouts hold the row locks",
        "- The pricing service must not be called within a transaction: its timeouts keep row locks held",
    ),
    (
        "Attachments over the quota are dropped by the mail relay without an error; check the size before sending",
        "- Check an attachment's size before sending it, as the mail relay drops those over the quota without an error",
    ),
    (
        "The scheduler starts jobs in the time zone of the tenant, not of the server",
        "- Jobs start in the tenant's time zone rather than the server's",
    ),
    (
        "Session cookies are only sent over an encrypted connection, so local development needs the proxy",
        "- Local development needs the proxy, since session cookies are sent only over encrypted connections",
    ),
    (
        "The code formatter runs in the commit hook; skip it for generated files with an ignore entry",
        "- Generated files are skipped by an ignore entry, as the commit hook runs the code formatter",
    ),
    (
        "Always remember that the worker pool has to be drained before a deploy, or running jobs are killed",
        "- Drain the worker pool before deploying, or running jobs get killed",
    ),
    (
        "Compare amounts as integers because floats differ in the last digit",
        "- Amounts are compared as integers, since floats differ in the last digit",
    ),
    (
        "The nightly backup locks the catalog for writers; schedule imports after it has finished",
        "- Schedule imports after the nightly backup, which locks the catalog for writers",
    ),
    (
        "Ask the platform team for access to the audit bucket, since only they can grant it",
        "- Only the platform team grants access to the audit bucket",
    ),
];

/// Words that say their entry, and are shown to a person all the same: "silently" is "without any log line", and of the last three the
/// rules about denial and strength are not certain.
const SHOWN: [(&str, &str); 5] = [
    (
        "Renew the certificate of the staging cluster before the end of the quarter, since the load balancer rejects expired ones without any log line",
        "- Before a quarter ends, renew the staging cluster's certificate; the load balancer silently rejects expired ones",
    ),
    (
        "We learned the hard way that the message broker loses messages on restart when the queue is not durable",
        "- The message broker loses messages on restart if a queue isn't durable",
    ),
    ("Clear the session cache only when the tenant id has changed", "- Unless the tenant id changed, do not clear the session cache"),
    (
        "Search results are cached per user, hence an admin sees stale results after changing permissions of somebody",
        "- Since search results are cached for each user, admins see outdated results after they change someone's permissions",
    ),
    (
        "Rebuild the search index after every change of the analyzer, otherwise old documents are not found",
        "- Old documents can't be found unless the search index is rebuilt after each analyzer change",
    ),
];

/// Words that say something else, which no rule finds: about another table that is nearly the same, or without something whose word is
/// close to one that is said.
const MISSED: [(&str, &str); 3] = [
    ("The migration locks the orders table for minutes", "- For minutes the invoices table is locked by the migration"),
    (
        "Rebuild the search index after every change of the analyzer, otherwise old documents are not found",
        "- The search index is rebuilt after each change, otherwise old documents are not found",
    ),
    ("Compare amounts as integers because floats differ in the last digit", "- Amounts are compared as integers"),
];

/// The cases of a list that are found to differ, or not.
fn found(of: &[(&str, &str)], differs: bool) -> Vec<String> {
    let judged = |(entry, said): &(&str, &str)| {
        let found = weighed_one(entry, &format!("{said} <!-- ralph:L1 -->\n"));
        ((found.faults.is_empty() && found.divergences.is_empty()) != differs).then(|| format!("{said} | {entry}: {found:?}"))
    };
    of.iter().filter_map(judged).collect()
}

#[test]
fn what_leaves_out_a_telling_word_is_shown_to_a_person_and_what_keeps_them_is_not() {
    let (missed, shown) = (found(&[&HOSTILE[..], &LATER_HOSTILE].concat(), false), found(&[&HONEST[..], &LATER_HONEST].concat(), true));
    assert!(missed.is_empty() && shown.is_empty(), "missed: {missed:#?}\nshown: {shown:#?}");
    // None of it sends an agent back to work.
    check(&Labelled {
        honest: &[&HONEST[..], &LATER_HONEST, &SHOWN].concat(),
        hostile: &[&HOSTILE[..], &LATER_HOSTILE].concat(),
        refused: &[],
        missed: &MISSED,
    });
    assert_eq!((found(&SHOWN, false), found(&MISSED, true)), (Vec::new(), Vec::new()), "what is judged right by now moves up");
}

#[test]
fn what_is_left_out_is_named() {
    let entry = "Restart the indexer once the schema was migrated";
    let found = weighed_one(entry, "- The indexer has to be restarted <!-- ralph:L1 -->\n");
    assert_eq!(found.faults, Vec::<String>::new());
    let [divergence] = found.divergences.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (divergence.text.as_str(), divergence.entry.as_str()),
        ("entry L1 says \"once the schema was migrated\", which is lost", entry)
    );
}

/// An entry in its own words, with something that nobody learnt: a place, an order, a doubt, another standing.
const ADDED: [&str; 12] = [
    "- Erase the flash sector before `write_page` on large pages, since bits go from 1 to 0 alone",
    "- Erase the flash sector before `write_page`, since bits go from 1 to 0 alone, which the vendor fixed meanwhile",
    "- Erase the flash sector before `write_page`, since bits go from 1 to 0 alone (not verified)",
    "- Erase the flash sector before `write_page`, since bits go from 1 to 0 alone, and then disable the watchdog",
    "- Erase the flash sector before `write_page`, since bits go from 1 to 0 alone: citation needed",
    "- TODO check: erase the flash sector before `write_page`, since bits go from 1 to 0 alone",
    "- On the old board, erase the flash sector before `write_page`, since bits go from 1 to 0 alone",
    "- Ask the hardware team and erase the flash sector before `write_page`, since bits go from 1 to 0 alone",
    "- Should one erase the flash sector before `write_page`, since bits go from 1 to 0 alone?",
    "- Erase the flash sector before `write_page`? Bits go from 1 to 0 alone",
    "- ❌ Erase the flash sector before `write_page`, since bits go from 1 to 0 alone",
    "- 🚫 Before `write_page`, the flash sector is erased: bits go from 1 to 0 alone",
];

#[test]
fn what_is_added_to_the_words_of_an_entry_is_told() {
    let entry = "Erase the flash sector before `write_page`, since bits go from 1 to 0 alone";
    for added in ADDED {
        let found = weighed_one(entry, &format!("{added} <!-- ralph:L1 -->\n"));
        assert!(!(found.faults.is_empty() && found.divergences.is_empty()), "{added}");
    }
    for said in [
        "- Always erase the flash sector before `write_page`, since bits go from 1 to 0 alone",
        "- The flash sector has to be erased before `write_page`, since bits go from 1 to 0 alone",
        "- **Erase** the whole flash sector before you call `write_page`, since bits go from 1 to 0 alone",
        "- ⚠ Erase the flash sector before `write_page`: bits go from 1 to 0 alone",
    ] {
        let found = weighed_one(entry, &format!("{said} <!-- ralph:L1 -->\n"));
        assert!(found.faults.is_empty() && found.divergences.is_empty(), "{said}: {found:?}");
    }
    let [careful, abroad] = [
        "- Carefully erase the flash sector before `write_page`, since bits go from 1 to 0 alone",
        "- Borra el sector de flash antes de `write_page`, porque los bits solo van de 1 a 0",
    ]
    .map(|said| weighed_one(entry, &format!("{said} <!-- ralph:L1 -->\n")));
    assert!(careful.faults.is_empty() && careful.divergences.is_empty(), "one word: {careful:?}");
    assert!(!(abroad.faults.is_empty() && abroad.divergences.is_empty()), "a translation is for a person to compare");
    let asked = weighed_one(
        "Is the board locked? Then hold BOOT while it starts",
        "- Is the board locked? Hold BOOT while it starts <!-- ralph:L1 -->\n",
    );
    assert!(asked.faults.is_empty() && asked.divergences.is_empty(), "{asked:?}");
}

#[test]
fn an_order_that_is_turned_around_is_told() {
    let erase = "Erase the flash sector before `write_page`, since bits go from 1 to 0 alone";
    let seed = "Seed the warehouse after the migrations, else the view is empty";
    for (entry, said) in [
        (erase, "- Call `write_page` before the flash sector is erased, since bits go from 1 to 0 alone"),
        (erase, "- Erase the flash sector after `write_page`, since bits go from 1 to 0 alone"),
        (erase, "- Before erasing the flash sector, call `write_page`: bits go from 1 to 0 alone"),
        (seed, "- Seed the warehouse before the migrations, else the view is empty"),
        (seed, "- Run the migrations after seeding the warehouse, else the view is empty"),
    ] {
        let found = weighed_one(entry, &format!("{said} <!-- ralph:L1 -->\n"));
        assert!(!(found.faults.is_empty() && found.divergences.is_empty()), "{said}");
    }
    for (entry, said) in [
        (erase, "- Before `write_page`, erase the flash sector: bits go from 1 to 0 alone"),
        (seed, "- Run the migrations before you seed the warehouse, else the view is empty"),
        (seed, "- Once the migrations ran, seed the warehouse, else the view is empty"),
    ] {
        let found = weighed_one(entry, &format!("{said} <!-- ralph:L1 -->\n"));
        assert_eq!(found.faults, Vec::<String>::new(), "{said}");
    }
}
