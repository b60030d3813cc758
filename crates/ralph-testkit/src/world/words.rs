//! The words that a world is made of. All of them are ordinary English: nothing here names a key, a pitfall's number or an arm.

/// A part of the imagined program.
pub(super) struct Component {
    /// Its name in lessons.
    pub name: &'static str,
    /// Its name in some tasks, which do not know the usual one.
    pub alias: &'static str,
}

/// A way to go wrong, and the way out of it.
pub(super) struct Trap {
    /// What avoids it.
    pub remedy: &'static str,
    /// Why.
    pub cause: &'static str,
    /// The symptom after falling into it.
    pub symptom: &'static str,
}

const fn component(name: &'static str, alias: &'static str) -> Component {
    Component { name, alias }
}

const fn trap(remedy: &'static str, cause: &'static str, symptom: &'static str) -> Trap {
    Trap { remedy, cause, symptom }
}

pub(super) const COMPONENTS: [Component; 12] = [
    component("payment gateway", "card charges"),
    component("refund job", "paying money back"),
    component("invoice mailer", "bills sent by post"),
    component("search index", "finding articles"),
    component("session store", "who is logged in"),
    component("export queue", "downloads of reports"),
    component("image resizer", "smaller pictures"),
    component("tax table", "duties by country"),
    component("stock ledger", "what lies in the warehouse"),
    component("voucher engine", "gift codes"),
    component("audit trail", "who changed what"),
    component("delivery planner", "routes of the vans"),
];

pub(super) const TRAPS: [Trap; 12] = [
    trap("pass the clock of the caller", "its own clock stands in another zone", "the totals of the last hour of a day are missing"),
    trap("take the row lock first", "two workers meet on the same row", "a test hangs until it is ended"),
    trap("flush before the count", "rows wait in a buffer", "the count is one too low"),
    trap("round at the very end", "halves add up on the way", "the sum is a cent off"),
    trap("send the same key again", "the other side keeps what it has seen", "the same thing happens twice"),
    trap("escape the separator", "names hold commas", "columns move to the right"),
    trap("close the handle by hand", "the pool holds only four of them", "the fifth call never returns"),
    trap("compare in lower case", "the other side changes the case", "half of the entries are not found"),
    trap("read the header twice", "the first answer may be empty", "an empty document is taken for the truth"),
    trap("wait for the second event", "the first is only a promise", "the status goes back by itself"),
    trap("sort by both columns", "equal dates come in any order", "pages show the same entry twice"),
    trap("keep the old column", "an older version still writes it", "values from yesterday disappear"),
];

/// What tasks add to a component; other lessons speak of the same things.
pub(super) const THINGS: [&str; 12] = [
    "partial amounts",
    "a second currency",
    "a dry run",
    "bulk mode",
    "a progress bar",
    "retries",
    "a rate limit",
    "spreadsheet output",
    "a daily summary",
    "an undo button",
    "filters by country",
    "a read-only mode",
];

/// What is also true of a component but helps against no trap: subject and statement around a thing.
pub(super) const FACTS: [(&str, &str); 10] = [
    ("Tests for", "live beside the code and take about a minute"),
    ("The page for", "is rendered on the server and cached for an hour"),
    ("Settings for", "are read at start and never again"),
    ("Messages for", "are translated by the team in the other building"),
    ("Metrics for", "go to the second dashboard and are kept for a month"),
    ("The queue for", "is drained at night by a single worker"),
    ("Names around", "follow the glossary in the handbook"),
    ("Old data of", "was moved to the archive and can be asked for"),
    ("The review of", "is done by two people from different teams"),
    ("Permissions for", "come from the group of the user and not from the role"),
];

/// Parts of the third arm's lessons: true elsewhere, and of no use here.
pub(super) const ELSEWHERE: [&str; 24] = [
    "garden", "bread", "ladder", "river", "winter", "violin", "harvest", "candle", "bicycle", "meadow", "pepper", "blanket", "lantern",
    "orchard", "saddle", "thimble", "walnut", "feather", "kettle", "pebble", "basket", "chimney", "copper", "saffron",
];
