//! Whether the words that an agent proposes say its entries: all that they say, nothing turned around, and nothing else. Only agents are
//! asked that, since a person may change a proposal in review as they like.

use super::marks::marks;
use super::proposal::{Proposal, added, cut};
use super::units::{statements, without_bullet, without_comments};
use crate::guard::{hits, stem};
use crate::words::Words;
use ralph_core::consolidation::Entry;
use ralph_core::headings::headings;
use ralph_core::quality::{Hit, HitKind};
use std::collections::{BTreeMap, BTreeSet};

/// Share of an entry's words that are said again at least: other words are welcome, words about something else are not.
const LEAST_SHARED: f64 = 0.25;
/// Share of an entry's names and numbers that may go, such as the ticket of an incident.
const MOST_DROPPED: f64 = 0.5;
/// Similarity of words from which a statement is compared with the entry's for being turned around.
const SAME_MATTER: f64 = 0.5;
/// Words per word of an entry, and beyond: an entry of five words may become a paragraph, but no page.
const MOST_TIMES: usize = 3;
const MOST_MORE: usize = 60;
/// Words outside of entries, per proposal and per entry: a line that introduces a document.
const LOOSE_WORDS: usize = 60;
const LOOSE_PER_ENTRY: usize = 20;
/// Words without a meaning of their own.
const SMALL: [&str; 16] =
    ["the", "and", "are", "that", "this", "for", "with", "its", "then", "than", "from", "into", "when", "which", "you", "must"];

/// What is wrong with the words of a proposal, one sentence each; empty = they say the entries.
pub fn unfaithful(proposal: &Proposal<'_>) -> Vec<String> {
    let (said, loose) = divided(proposal);
    let mut faults: Vec<String> = said
        .iter()
        .filter_map(|said| Some((said, proposal.batch.iter().find(|entry| entry.key == said.key)?)))
        .flat_map(|(said, entry)| faults_of(said, entry))
        .collect();
    faults.extend(unsaid(&loose, proposal.batch.len()));
    faults
}

/// The new lines that end with the mark of an entry.
struct Said<'a> {
    key: String,
    file: &'a str,
    /// The line of its mark, from 1.
    line: u32,
    text: String,
    /// The heading above it.
    heading: String,
}

/// A new line that belongs to no entry.
struct Loose<'a> {
    file: &'a str,
    line: u32,
    text: &'a str,
}

/// The new lines of a proposal: those of entries, and the others. An entry's are those above its mark, up to what stood there before, a
/// heading, or another entry.
fn divided<'a>(proposal: &Proposal<'a>) -> (Vec<Said<'a>>, Vec<Loose<'a>>) {
    let mut fresh: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (file, line, _) in added(proposal) {
        fresh.entry(file).or_default().insert(line);
    }
    let (mut said, mut loose) = (Vec::new(), Vec::new());
    for (file, fresh) in fresh {
        let text = proposal.after[file].as_str();
        let titles: BTreeMap<u32, String> =
            headings(text).into_iter().map(|heading| (number(text[..heading.at].matches('\n').count() + 1), heading.words)).collect();
        let marked: BTreeMap<u32, String> = marks(text).into_iter().map(|mark| (mark.line, mark.key)).collect();
        let (mut open, mut heading): (Vec<Loose<'a>>, String) = (Vec::new(), String::new());
        for (at, line) in text.lines().enumerate().filter(|(_, line)| line.contains(char::is_alphanumeric)) {
            let at = number(at + 1);
            if let Some(words) = titles.get(&at) {
                heading.clone_from(words);
                loose.append(&mut open);
            } else if !fresh.contains(&at) {
                loose.append(&mut open);
            } else {
                open.push(Loose { file, line: at, text: line });
                if let Some(key) = marked.get(&at) {
                    let lines: Vec<&str> = open.drain(..).map(|line| line.text).collect();
                    said.push(Said { key: key.clone(), file, line: at, text: lines.join("\n"), heading: heading.clone() });
                }
            }
        }
        loose.append(&mut open);
    }
    (said, loose)
}

fn faults_of(said: &Said<'_>, entry: &Entry) -> Vec<String> {
    let body = if entry.text.trim().is_empty() { entry.title.as_deref().unwrap_or_default() } else { entry.text.as_str() };
    let plain: String = said.text.lines().map(|line| format!("{}\n", without_comments(line))).collect();
    let (meant, words) = (Words::of(body), Words::of(&format!("{}\n{plain}", said.heading)));
    let at = format!("{}:{}", said.file, said.line);
    let key = &said.key;
    let mut faults = Vec::new();
    let (length, most) = (plain.split_whitespace().count(), MOST_TIMES * body.split_whitespace().count() + MOST_MORE);
    if length > most {
        faults.push(format!("{at}: the words of entry {key} are {length}, and {most} are enough: say it, and nothing else"));
    }
    let (stems, there) = (telling(&meant), telling(&words));
    let shared = stems.iter().filter(|stem| there.contains(*stem)).count();
    if !stems.is_empty() && (shared as f64) < LEAST_SHARED * stems.len() as f64 {
        faults.push(format!("{at}: hardly a word of entry {key} is said there; it says: {}", cut(body.trim())));
        return faults;
    }
    let lower = plain.to_lowercase();
    let names = names(body);
    let gone: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| !words.has(name) && (is_number(name) || !lower.contains(*name))).collect();
    if gone.len() as f64 > MOST_DROPPED * names.len() as f64 {
        faults.push(format!("{at}: entry {key} names {}, which is lost", gone.join(", ")));
    }
    let new: Vec<&str> = words.exact_words().filter(|name| is_number(name) && !meant.has(name)).collect();
    let changed: Vec<&str> = gone.iter().copied().filter(|name| is_number(name)).collect();
    if !changed.is_empty() && !new.is_empty() {
        faults.push(format!("{at}: entry {key} says {}, and not {}", changed.join(", "), new.join(", ")));
    }
    if turned_around(body, &plain) {
        faults.push(format!("{at}: turns entry {key} around, which says: {}", cut(body.trim())));
    }
    faults
}

/// The names and numbers of a text. Each line is read on its own, since a word that begins one is no name for its capital letter.
fn names(text: &str) -> BTreeSet<String> {
    let of_line = |line: &str| -> Vec<String> { Words::of(&without_bullet(line.trim()).1).exact_words().map(str::to_owned).collect() };
    text.lines().flat_map(of_line).filter(|name| name.contains(char::is_alphanumeric) && !is_date(name)).collect()
}

/// Whether a statement denies what the entry's nearest one says.
fn turned_around(body: &str, said: &str) -> bool {
    let said: Vec<Words> = statements(said).iter().map(|statement| Words::of(&statement.text)).collect();
    statements(body).iter().any(|statement| {
        let meant = Words::of(&statement.text);
        let near = said.iter().map(|said| (meant.jaccard(said), said)).max_by(|(a, _), (b, _)| a.total_cmp(b));
        // Where both deny something, "nothing but" and "no other" are the same.
        let denied = |hit: &Hit| hit.kind == HitKind::Negation && hit.older.is_empty() != hit.newer.is_empty();
        near.filter(|(likeness, _)| *likeness >= SAME_MATTER).is_some_and(|(_, near)| hits(&meant, near).iter().any(denied))
    })
}

/// What is said beside the entries: list items are lessons that nobody learnt, and of other lines a few introduce.
fn unsaid(loose: &[Loose<'_>], entries: usize) -> Vec<String> {
    let is_item = |line: &Loose<'_>| without_bullet(line.text.trim()).0;
    let mut faults = Vec::new();
    let items: Vec<&Loose<'_>> = loose.iter().filter(|line| is_item(line)).collect();
    if let Some(first) = items.first() {
        let more = if items.len() > 1 { format!(" and {} more", items.len() - 1) } else { String::new() };
        faults.push(format!("{}:{}{more}: no entry says that: {}", first.file, first.line, cut(first.text.trim())));
    }
    let words: usize = loose.iter().filter(|line| !is_item(line)).map(|line| line.text.split_whitespace().count()).sum();
    let most = LOOSE_WORDS + LOOSE_PER_ENTRY * entries;
    if let Some(first) = loose.iter().find(|line| !is_item(line)).filter(|_| words > most) {
        faults.push(format!("{}:{}: {words} words belong to no entry, and {most} are enough", first.file, first.line));
    }
    faults
}

/// Stems of the words with a meaning of their own.
fn telling(words: &Words) -> BTreeSet<String> {
    words.distinct().filter(|word| word.chars().count() > 2 && !SMALL.contains(word)).map(stem).collect()
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a word is a day or a time: part of an incident, not of its lesson.
fn is_date(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits >= 4 && word.contains(['-', ':']) && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':' | 't' | 'z' | '.' | '+'))
}

fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::Documents;
    use super::*;
    use crate::testing::entry;

    const BEFORE: &str = "# Money\n\n- Prices are integers in cents as `price_cents`\n";

    fn found(entries: &[(&str, &str)], added: &str) -> Vec<String> {
        let batch: Vec<Entry> =
            entries.iter().map(|(key, text)| Entry { key: (*key).to_owned(), text: (*text).to_owned(), ..entry("") }).collect();
        let file = |text: String| Documents::from([("docs/knowledge/money.md".to_owned(), text)]);
        let (before, after) = (file(BEFORE.to_owned()), file(format!("{BEFORE}{added}")));
        let exists = |_: &str| true;
        let (folder, changed) = ("docs/knowledge", &[]);
        unfaithful(&Proposal { folder, before: &before, after: &after, changed, batch: &batch, divided: false, exists: &exists })
    }

    const PORT: &str = "- The port 8080 must be free for `make serve`, else it hangs";

    #[test]
    fn other_words_for_the_same_are_welcome() {
        for (entry, said) in [
            (PORT, "- Free port 8080 before `make serve`, or it hangs"),
            (PORT, "## Ports\n\nBefore you serve:\n\n- keep 8080 free;\n  `make serve` hangs otherwise"),
            (PORT, "- `make serve` listens on port 8080 and hangs unless that port is free"),
            (
                "Seeds live in `db/seeds.sql`, since the importer reads no other file",
                "- The importer reads nothing but `db/seeds.sql`: seeds go there",
            ),
            ("Refund windows are compared in the provider time zone", "- Compare refund windows in the zone of the provider"),
            ("Retry refunds with `Idempotency-Key`", "- Retries of refunds carry an `Idempotency-Key`"),
            ("Never mock the system clock in tests", "- The system clock is never mocked in tests; inject one"),
            ("The importer breaks when the locale is missing", "- Without a locale the importer breaks"),
            ("Do not edit files in src/generated", "- Files in src/generated must not be edited"),
            (
                "On 2026-03-01 the deploy of v1.4.2 failed (#318) since nobody ran `cargo sqlx prepare`; run it before",
                "- Run `cargo sqlx prepare` before a deploy, else it fails",
            ),
            (
                "Webhooks arrive twice, so handlers in src/hooks.rs check the event id",
                "- Handlers (src/hooks.rs) check the id of the event: webhooks come twice",
            ),
            (
                "- Tests need `DATABASE_URL`\n- Run them with one thread, since they share the database",
                "- Tests need `DATABASE_URL`\n- They share that database, so run them with one thread",
            ),
            ("`worker` processes jobs at most 3 times", "- A job is processed by `worker` three times at most"),
        ] {
            assert_eq!(found(&[("A", entry)], &format!("{said} <!-- ralph:A -->\n")), Vec::<String>::new(), "{said}");
        }
        let two = "\nHow this project is served and seeded.\n\n- Port 8080 must be free for `make serve` <!-- ralph:A -->\n\n## Seeds\n\n- Seeds live in `db/seeds.sql` <!-- ralph:B -->\n";
        assert_eq!(found(&[("A", PORT), ("B", "Seeds live in `db/seeds.sql`")], two), Vec::<String>::new());
    }

    #[test]
    fn what_loses_turns_around_or_adds_is_told() {
        let filler: String = (0..300).map(|line| format!("word{line} of a very long text ")).collect();
        for (said, word) in [
            ("- Ports matter <!-- ralph:A -->", "hardly a word"),
            ("- Free the port before you serve, else it hangs <!-- ralph:A -->", "8080"),
            ("- The port 9090 must be free for `make serve`, else it hangs <!-- ralph:A -->", "says 8080, and not 9090"),
            ("- The port 8080 need not be free for `make serve` <!-- ralph:A -->", "turns entry A around"),
            ("- Seeds live in `db/seeds.sql` <!-- ralph:A -->", "hardly a word"),
            ("- The port 8080 must be free for `make serve` <!-- ralph:A -->\n- Deploy on Fridays", "no entry says that: - Deploy"),
            (&format!("- The port 8080 must be free for `make serve` <!-- ralph:A -->\n\n{filler}"), "belong to no entry"),
            (&format!("- The port 8080 must be free for `make serve` {filler} <!-- ralph:A -->"), "are enough"),
        ] {
            let found = found(&[("A", PORT)], &format!("{said}\n"));
            assert!(found.iter().any(|fault| fault.contains(word)), "{}: {found:?}", cut(said));
        }
    }

    #[test]
    fn hostile_text_is_only_text() {
        for said in ["", "<!-- ralph:A -->", "\u{feff}- \u{200b} <!-- ralph:A -->", "```\n- x <!-- ralph:A -->", "| a | b |\n|---|---|"] {
            let _ = found(&[("A", PORT), ("B", "")], said);
        }
    }
}
