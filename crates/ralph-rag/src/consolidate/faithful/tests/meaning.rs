//! What an entry says about numbers and names: bounds, sums, order, and who does what.

use super::*;

const TIMES: &str = "The timeout is 3 × retry, since the client waits for each";
const BATCH: &str = "Keep batch < limit, else the queue drops messages";
const NODE: &str = "Node >= 18 is needed by `vite`";
const REPLICAS: &str = "Keep at least 5 replicas of `ledger`";
const ROWS: &str = "A page has at most 200 rows";
const UPLOADS: &str = "Uploads over 5 MB are refused by `nginx.conf`";
const TOTAL: &str = "Total = net + tax - discount in `invoice.rs`";
const IMPORT: &str = "Run the import always with `--locale`";

const SAME_MEANING: [(&str, &str); 25] = [
    (TIMES, "- The timeout is 3 * retry, since the client waits for each"),
    (TIMES, "- The timeout is three times the retry, since the client waits for each"),
    (BATCH, "- Keep limit > batch, else the queue drops messages"),
    (BATCH, "- Keep the batch below the limit, else the queue drops messages"),
    (NODE, "- `vite` needs Node ≥ 18"),
    (NODE, "- `vite` needs at least Node 18"),
    (NODE, "- `vite` needs Node 18 or newer"),
    (REPLICAS, "- Keep five replicas of `ledger` or more"),
    (REPLICAS, "- `ledger` has no fewer than 5 replicas"),
    (REPLICAS, "- Keep 5 replicas of `ledger` at least"),
    (ROWS, "- A page has up to 200 rows"),
    (ROWS, "- A page never has more than 200 rows"),
    (ROWS, "- A page has no more than 200 rows"),
    (ROWS, "- A page is limited to 200 rows"),
    (UPLOADS, "- Uploads of more than 5 MB are refused by `nginx.conf`"),
    (UPLOADS, "- `nginx.conf` refuses uploads that are larger than 5 MB"),
    (TOTAL, "- In `invoice.rs`, the total is net + tax − discount"),
    (TOTAL, "- In `invoice.rs`, the discount is subtracted: total = tax + net - discount"),
    (IMPORT, "- Never run the import without `--locale`"),
    (MIGRATE, "- Always run `make migrate` with `--lock-timeout 5s`, since it blocks all writers"),
    (MIGRATE, "- Run `make migrate` only with `--lock-timeout 5s`, since it blocks all writers"),
    ("Always with a lock: `make deploy` runs alone", "- Never without a lock: `make deploy` runs alone"),
    ("Do not enable the cache in resolvers", "- Disable the cache in resolvers"),
    ("It is not uncommon that `cron` fires twice", "- It is common that `cron` fires twice"),
    ("Never deploy unless the checks are green", "- Deploy only when the checks are green"),
];

/// An entry, what an agent makes of it (`@` is its mark), and words of the fault.
const OTHER_MEANING: [(&str, &str, &str); 26] = [
    (TIMES, "- The timeout is 3 + retry, since the client waits for each @", "says \"3 × retry\", and not \"3 + retry\""),
    (TIMES, "- The timeout is 3 retry, since the client waits for each @", "says \"3 × retry\", which is lost"),
    ("Set `timeout = 3 × retry` in the client", "- Set `timeout = 3 + retry` in the client @", "says \"3 × retry\", and not"),
    (BATCH, "- Keep batch > limit, else the queue drops messages @", "says \"< limit\", and not \"> limit\""),
    (BATCH, "- Keep limit < batch, else the queue drops messages @", "says \"< limit\", and not \"< batch\""),
    (BATCH, "- Keep the batch above the limit, else the queue drops messages @", "and not \"above the limit\""),
    (NODE, "- Node <= 18 is needed by `vite` @", "says \">= 18\", and not \"<= 18\""),
    (NODE, "- Node < 18 is needed by `vite` @", "and not \"< 18\""),
    (NODE, "- Node > 18 is needed by `vite` @", "and not \"> 18\""),
    (NODE, "- `vite` needs at most Node 18 @", "and not \"at most Node 18\""),
    (NODE, "- `vite` needs Node 18 or less @", "and not \"18 or less\""),
    (NODE, "- `vite` needs Node 18 @", "says \">= 18\", which is lost"),
    (REPLICAS, "- Keep at most 5 replicas of `ledger` @", "says \"at least 5\", and not \"at most 5\""),
    (REPLICAS, "- Keep <= 5 replicas of `ledger` @", "and not \"<= 5\""),
    (REPLICAS, "- Keep fewer than 5 replicas of `ledger` @", "and not \"fewer than 5\""),
    (REPLICAS, "- Never keep more than 5 replicas of `ledger` @", "and not \"more than 5\""),
    (ROWS, "- A page has >= 200 rows @", "and not \">= 200\""),
    (ROWS, "- A page has more than 200 rows @", "and not \"more than 200\""),
    (ROWS, "- A page never has at most 200 rows @", "and not \"at most 200\""),
    ("A page has 200 rows", "- A page has at least 200 rows @", "says 200 without \"at least 200\""),
    (UPLOADS, "- Uploads of less than 5 MB are refused by `nginx.conf` @", "and not \"less than 5\""),
    (TOTAL, "- Total = net + tax + discount in `invoice.rs` @", "says \"tax - discount\", and not \"tax + discount\""),
    (TOTAL, "- Total = net + discount - tax in `invoice.rs` @", "and not \"discount - tax\""),
    (IMPORT, "- Never run the import with `--locale` @", "turns entry A around"),
    (IMPORT, "- Run the import always without `--locale` @", "turns entry A around"),
    (MIGRATE, "- Always run `make migrate` without `--lock-timeout 5s`, since it blocks all writers @", "turns entry A around"),
];

#[test]
fn a_meaning_may_be_said_in_other_words() {
    let refused = refused(&SAME_MEANING);
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn another_bound_sum_order_or_doer_is_told() {
    let wrong = not_refused(&OTHER_MEANING);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
