//! Whether the words that an agent proposes say what its entries say: all of it, as strongly, nothing reversed, and nothing else, where a
//! reader sees it. Only agents are held to that, since a person may change a proposal in review as they like.
//!
//! Findings about what is named, lost, added or hidden are certain. Findings about meaning are certain only if the wording is close to the
//! entry's: a sentence with one word changed says something else, while in a rebuilt sentence the same words deny and restrict other
//! things. There the finding is a divergence, perhaps only of words, and a person compares the two. The same holds for what may have been
//! left out, and for who does what in plain words.

mod among;
mod as_shown;
mod beside;
mod coverage;
mod doers;
mod edited;
mod formula;
mod grounds;
mod introduction;
mod moved;
mod names;
mod reading;
mod roles;
mod strength;
#[cfg(test)]
mod tests;
mod tongue;
mod wording;

use super::blocks::{Block, blocks};
use super::proposal::{Documents, Proposal, added, cut, fresh};
use super::units::{statements, without_bullet};
use crate::guard::{contradictions, is_grammar, keeps_to, stem, trade_denials, undoubled};
use crate::relation::Relation;
use crate::words::Words;
use as_shown::{as_shown, linked, quoted, with_bullet};
use beside::Beside;
pub use edited::edited;
use introduction::Topic;
use names::{Named, Text};
use ralph_core::consolidation::{Divergence, Entry};
use ralph_core::quality::{Hit, HitKind};
use ralph_core::shown::{Aside, ShownLine, shown};
use ralph_core::visible::is_hidden;
use roles::{Roles, roles};
use std::collections::{BTreeMap, BTreeSet};
use wording::Wording;

/// Minimum share of the words of an entry, and of each of its statements, that must be repeated: other words are fine, words about
/// something else are not.
const LEAST_SHARED: f64 = 0.25;
/// Share of an entry's capitalized and hyphenated words that may be dropped; none of the names recognized by shape may.
const MOST_DROPPED: f64 = 0.5;
/// Similarity of words from which a statement is checked for turning the entry's around.
const SAME_MATTER: f64 = 0.5;
/// Words allowed per word of an entry, and in addition: an entry of five words may become a paragraph, but not a page.
const MOST_TIMES: usize = 3;
const MOST_MORE: usize = 60;
/// Words that can replace many others: "use pnpm" and "install with pnpm" say the same.
const VAGUE: [&str; 1] = ["use"];
/// Words of grammar whose exchange changes the meaning, however a sentence is built.
const RELATIONS: [&str; 11] = ["without", "within", "inside", "outside", "after", "before", "until", "during", "over", "under", "between"];
/// Bytes of the name of a new document.
const NAME_BYTES: usize = 100;
/// Words without a meaning of their own.
const SMALL: [&str; 16] =
    ["the", "and", "are", "that", "this", "for", "with", "its", "then", "than", "from", "into", "when", "which", "you", "must"];

/// How a proposal says its entries: faithfully where both are empty.
#[derive(Debug, Default)]
pub struct Faithfulness {
    /// What is wrong, one sentence each, so that its author can fix it.
    pub faults: Vec<String>,
    /// Words that may say something other than their entry.
    pub divergences: Vec<Divergence>,
}

/// Compares the words of a proposal with its entries.
pub fn faithfulness(proposal: &Proposal<'_>) -> Faithfulness {
    let (before, after) = (linked(proposal.before), linked(proposal.after));
    let (noted, batch) = (proposal.batch, proposal.batch.iter().map(as_shown).collect::<Vec<_>>());
    let proposal = &Proposal { before: &before, after: &after, batch: &batch, ..*proposal };
    let (blocks, loose) = blocks(proposal.before, proposal.after);
    let pages: BTreeMap<&str, Vec<ShownLine>> = proposal.after.iter().map(|(file, text)| (file.as_str(), shown(text))).collect();
    let (known, topic) = (known(proposal), Topic::of(proposal));
    let mut found = Faithfulness { faults: odd_names(proposal), divergences: Vec::new() };
    found.faults.extend(unreadable(proposal));
    found.faults.extend(reading::unseen(proposal, &pages));
    found.faults.extend(reading::read_otherwise(proposal));
    found.divergences.extend(moved::moved(proposal));
    let new = fresh(proposal);
    let page = |file: &str| pages.get(file).map_or(&[][..], Vec::as_slice);
    let quoted = |key: &str| proposal.batch.iter().find(|entry| entry.key == key).map(quoted).unwrap_or_default();
    let mut said: Vec<Said<'_>> = blocks.into_iter().map(|block| read(page(block.file), &quoted(&block.key), block)).collect();
    for said in &mut said {
        if let Some((entry, noted)) = proposal.batch.iter().zip(noted).find(|(entry, _)| entry.key == said.key) {
            said.text = names::counted(&said.text, body(entry));
            let body = body(entry);
            let (roles, wording) = (roles(body, &said.text), Wording::of(body, &said.text));
            let wrong = faults_of(said, entry, &roles, &known, &topic);
            let is_sound = wrong.is_empty();
            found.faults.extend(wrong);
            let lead = moved::older_lead(&proposal.after[said.file], &new, (said.file, said.line));
            found.faults.extend(lead.and_then(|lead| led_astray(said, lead, entry)));
            let divergence =
                |text| Divergence { file: said.file.to_owned(), line: said.line, text, entry: self::body(noted).trim().to_owned() };
            let other = other_meaning(said, entry, &roles, &wording);
            if is_sound && other.is_empty() {
                let abroad = tongue::is_reworded(body, &said.text).then(|| {
                    format!("entry {} or what is said of it is not in English: only a person can tell whether both mean the same", said.key)
                });
                let untold = abroad.map_or_else(|| untold(said, entry, &wording), |abroad| vec![abroad]);
                found.divergences.extend(untold.into_iter().map(divergence));
            } else if wording.is_near() {
                found.faults.extend(other.into_iter().map(|fault| format!("{}:{}: {fault}", said.file, said.line)));
            } else {
                found.divergences.extend(other.into_iter().map(divergence));
            }
        }
    }
    found.faults.extend(beside::faults(proposal, &Beside { said: &said, loose: &loose, pages: &pages }, &known, &topic));
    found
}

/// What a reader sees of an entry.
struct Said<'a> {
    key: String,
    file: &'a str,
    /// The line of its mark, from 1.
    line: u32,
    text: String,
    /// The paragraphs before its first item, and the last one, each with its line.
    leads: Vec<(u32, String)>,
    /// How its words are set apart.
    asides: Vec<Aside>,
    /// The headings above it, the outermost first.
    headings: Vec<String>,
}

/// What a reader sees of a block, given the lines of its document as they are shown, and what its entry quotes itself.
fn read<'a>(page: &[ShownLine], quoted: &BTreeSet<String>, block: Block<'a>) -> Said<'a> {
    let Block { key, file, lines, headings } = block;
    let shown: Vec<&ShownLine> = lines.iter().filter_map(|(line, _)| page.get(*line as usize - 1)).collect();
    let text = lines.iter().zip(&shown).map(|((_, raw), line)| with_bullet(raw, line)).collect::<Vec<_>>().join("\n");
    // Code may be among the words of an entry, but not on its last line.
    let last = shown.last().map_or(&[][..], |line| &line.asides);
    let stands_apart = |line: &ShownLine, aside: Aside| match aside {
        Aside::Code => last.contains(&aside),
        Aside::Quote => !quoted.contains(line.words.trim()),
        _ => true,
    };
    let apart = |line: &&ShownLine| line.asides.iter().copied().filter(|aside| stands_apart(line, *aside)).collect::<Vec<_>>();
    let asides: BTreeSet<Aside> = shown.iter().flat_map(apart).collect();
    let line = lines.last().map_or(0, |(line, _)| *line);
    let leads = leads(&lines, &shown);
    Said { key, file, line, text, leads, asides: asides.into_iter().collect(), headings }
}

/// The paragraphs of a block before its first item, and the last one; code does not count.
fn leads(lines: &[(u32, &str)], shown: &[&ShownLine]) -> Vec<(u32, String)> {
    let lines = lines.iter().zip(shown).take_while(|((_, raw), _)| !without_bullet(raw.trim()).0);
    let lines: Vec<(u32, &ShownLine)> = lines.map(|((line, _), shown)| (*line, *shown)).collect();
    let mut found: Vec<&[(u32, &ShownLine)]> = lines.chunk_by(|(line, _), (next, _)| line + 1 == *next).collect();
    if lines.len() == shown.len() {
        found.pop();
    }
    let words = |lines: &[(u32, &ShownLine)]| (lines[0].0, lines.iter().map(|(_, line)| line.words.trim()).collect::<Vec<_>>().join(" "));
    found.into_iter().filter(|lines| !lines.iter().any(|(_, line)| line.asides.contains(&Aside::Code))).map(words).collect()
}

/// What the documents and the entries name: anything else that a rewording names was made up.
fn known(proposal: &Proposal<'_>) -> Text {
    let entries =
        proposal.batch.iter().flat_map(|entry| [entry.title.as_deref(), Some(entry.text.as_str()), entry.reason_given.as_deref()]);
    let files = |documents: &Documents| documents.iter().map(|(file, text)| format!("{file}\n{text}")).collect::<Vec<_>>();
    // A link may lead to any of the documents.
    let names: Vec<String> = proposal.after.keys().cloned().collect();
    Text::of(&[files(proposal.before), names, entries.flatten().map(str::to_owned).collect()].concat().join("\n"))
}

/// New files with a name that not every system can have.
fn odd_names(proposal: &Proposal<'_>) -> Vec<String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    let is_plain = |name: &str| name.len() <= NAME_BYTES && name.chars().all(plain) && !name.starts_with(['-', '.']);
    // The name of the folder is the person's.
    let below = |path: &String| path.strip_prefix(proposal.folder).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
    let new = proposal.changed.iter().filter(|path| !proposal.before.contains_key(*path));
    let odd = new.filter(|path| below(path).is_some_and(|rest| !rest.split('/').all(is_plain)));
    odd.map(|path| format!("{path:?}: a name is made of letters, digits, - and _, and has at most {NAME_BYTES} bytes")).collect()
}

/// New lines with invisible characters.
fn unreadable(proposal: &Proposal<'_>) -> Vec<String> {
    let hidden =
        |line: &str| line.trim_start_matches('\u{feff}').trim_end().chars().find(|c| !matches!(*c, '\t' | '\u{fe0f}') && is_hidden(*c));
    let faults = added(proposal.before, proposal.after).into_iter().filter_map(|(file, line, words)| Some((file, line, hidden(words)?)));
    faults.map(|(file, line, c)| format!("{file}:{line}: holds a character that nobody sees (U+{:04X})", u32::from(c))).collect()
}

/// What an entry says.
fn body(entry: &Entry) -> &str {
    let title = entry.title.as_deref().unwrap_or_default();
    if entry.text.trim().is_empty() { title } else { &entry.text }
}

/// An entry with its title and its reason, whose words are known, too.
fn all_of(entry: &Entry) -> String {
    [entry.title.as_deref(), Some(body(entry)), entry.reason_given.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// What is certainly wrong with the words of an entry.
fn faults_of(said: &Said<'_>, entry: &Entry, roles: &Roles, known: &Text, topic: &Topic) -> Vec<String> {
    let (title, body) = (entry.title.as_deref().unwrap_or_default(), body(entry));
    let plain = said.text.as_str();
    let at = format!("{}:{}", said.file, said.line);
    let key = &said.key;
    let mut faults: Vec<String> = said.asides.iter().map(|aside| format!("{at}: entry {key} {}", apart(*aside))).collect();
    let (length, most) = (plain.split_whitespace().count(), MOST_TIMES * body.split_whitespace().count() + MOST_MORE);
    if length > most {
        faults.push(format!("{at}: the words of entry {key} are {length}, and {most} are enough: say it, and nothing else"));
    }
    let whole = format!("{}\n{plain}", said.headings.join("\n"));
    let there = telling(&Words::of(&whole));
    if let Some(part) = hardly_said(body, &there) {
        faults.push(format!("{at}: hardly a word of entry {key} is said there; it says: {}", cut(&part)));
        return faults;
    }
    faults.extend(lost_names(&whole, plain, title, body).into_iter().map(|lost| format!("{at}: entry {key} {lost}")));
    let news = known.news(plain);
    if !news.is_empty() {
        faults.push(format!("{at}: entry {key} does not say {}", news.join(", ")));
    }
    faults.extend(roles.turned.iter().map(|turned| format!("{at}: entry {key} {turned}")));
    let all = all_of(entry);
    faults.extend(among::unsaid(said, &all, topic).into_iter().map(|fault| format!("{at}: {fault}")));
    let beside = plain.lines().filter(|line| !without_bullet(line).0).find_map(|line| strength::takes_back(line, &all));
    faults.extend(beside.map(|word| format!("{at}: entry {key} is taken back by what introduces it (\"{word}\")")));
    faults.extend(grounds::changed(&names::lasting(body), plain, &all).into_iter().map(|changed| format!("{at}: entry {key} {changed}")));
    if let Some(heading) = strength::discrediting(&said.headings, &all) {
        faults.push(format!("{at}: entry {key} stands below a heading that takes it back: {}", cut(heading)));
    }
    faults
}

/// What is wrong with an entry in a list that older words introduce.
fn led_astray(said: &Said<'_>, lead: &str, entry: &Entry) -> Option<String> {
    let all = all_of(entry);
    let leads = lead.ends_with(':').then(|| [lead.to_owned()]);
    let takes_back = strength::discredits(lead, &all).is_some() || leads.is_some_and(|lead| strength::discrediting(&lead, &all).is_some());
    takes_back.then(|| format!("{}:{}: entry {} stands in a list that takes it back: {}", said.file, said.line, said.key, cut(lead)))
}

/// Where the rewording of an entry means something else, by what it denies, how strongly it says it, and what it compares, one sentence
/// each.
fn other_meaning(said: &Said<'_>, entry: &Entry, roles: &Roles, wording: &Wording) -> Vec<String> {
    let (body, plain, key) = (body(entry), said.text.as_str(), &said.key);
    let mut found = Vec::new();
    if says_the_opposite(body, plain, roles) {
        found.push(format!("says the opposite of entry {key}"));
    }
    match differing(&plainly(body), &plainly(plain), roles) {
        Some(Hit { kind: HitKind::Other, older, newer }) => found.push(format!("entry {key} says \"{older}\", and not \"{newer}\"")),
        Some(_) => found.push(format!("turns entry {key} around, which says: {}", cut(body.trim()))),
        None => {}
    }
    let moved = wording.moved_negator().filter(|_| wording.is_near());
    found.extend(moved.map(|word| format!("entry {key} says \"{word}\" of something else")));
    found.extend(lost_soft_names(said, entry).map(|lost| format!("entry {key} names {lost}, which is lost")));
    let lasting = names::lasting(body);
    let changed = [strength::changed(&lasting, plain, &all_of(entry)), formula::changed(&lasting, plain)].concat();
    found.extend(changed.into_iter().map(|changed| format!("entry {key} {changed}")));
    found
}

/// What the rewording of an entry perhaps leaves out, adds or reverses, one sentence each: which word stands for which, and who does what,
/// can be said in too many ways to be certain.
fn untold(said: &Said<'_>, entry: &Entry, wording: &Wording) -> Vec<String> {
    let (meant, whole) = (names::lasting(body(entry)), format!("{}\n{}", said.headings.join("\n"), said.text));
    let mut found = coverage::left_out(&meant, &whole);
    // The words that introduce the entry are judged separately.
    if said.leads.is_empty() {
        found.extend(coverage::added(wording, &all_of(entry), &said.text));
    }
    found.extend(doers::turned(&meant, &said.text));
    found.into_iter().map(|untold| format!("entry {} {untold}", said.key)).collect()
}

/// Whether the last statement of some words says the opposite of one of an entry's; a statement that the entry itself contains does not.
fn says_the_opposite(body: &str, said: &str, roles: &Roles) -> bool {
    let Some(last) = statements(said).pop() else { return false };
    let now = Words::of(&plainly(&last.text));
    let noted = statements(body);
    !noted.iter().any(|statement| statement.text == last.text)
        && noted.iter().any(|statement| {
            let meant = Words::of(&plainly(&statement.text));
            meant.relation(&now) == Relation::Opposite && !contradictions(&meant, &now).iter().all(|hit| roles.excuse(hit))
        })
}

fn apart(aside: Aside) -> &'static str {
    match aside {
        Aside::Quote => "stands in a quote, as the words of somebody else",
        Aside::Code => "stands in a code block, as an example",
        Aside::Struck => "is struck through",
        Aside::Folded => "stands in a folded part, which nobody opens",
        Aside::Markup => "holds HTML: put what is meant as it stands into `code`",
    }
}

/// The first statement of an entry of which hardly a word is repeated.
fn hardly_said(body: &str, there: &BTreeSet<String>) -> Option<String> {
    let mut parts: Vec<String> = vec![body.trim().to_owned()];
    parts.extend(statements(body).into_iter().map(|statement| statement.text));
    parts.into_iter().find(|part| {
        let stems = telling(&Words::of(part));
        let shared = stems.iter().filter(|stem| there.contains(*stem)).count();
        !stems.is_empty() && (shared as f64) < LEAST_SHARED * stems.len() as f64
    })
}

/// What an entry names but its rewording does not.
fn lost_names(whole: &str, plain: &str, title: &str, body: &str) -> Vec<String> {
    let said = Text::of(whole);
    let named = Named::of(&format!("{title}\n{body}"));
    let mut faults = Vec::new();
    let gone = said.lacks(&named);
    if !gone.is_empty() {
        faults.push(format!("names {}, which is lost", gone.join(", ")));
    }
    if let Some((meant, now)) = said.other_unit(&named) {
        faults.push(format!("says {meant}, and not {now}"));
    }
    if let Some((meant, now)) = names::bare_units(body).zip(names::bare_units(plain)).filter(|(meant, now)| meant.is_disjoint(now)) {
        let told = |units: BTreeSet<&str>| units.into_iter().collect::<Vec<_>>().join(", ");
        faults.push(format!("tells it in {}, and not in {}", told(meant), told(now)));
    }
    faults
}

/// The capitalized and hyphenated words of an entry that are not said again, if they are too many.
fn lost_soft_names(said: &Said<'_>, entry: &Entry) -> Option<String> {
    let named = Named::of(&format!("{}\n{}", entry.title.as_deref().unwrap_or_default(), body(entry)));
    let text = Text::of(&format!("{}\n{}", said.headings.join("\n"), said.text));
    let lost = text.lacks_soft(&named);
    (lost.len() as f64 > MOST_DROPPED * named.soft.len() as f64).then(|| lost.join(", "))
}

/// Where a statement differs from the entry's nearest one: it denies it, says the opposite, swaps who does what, or puts another word in
/// the same sentence.
fn differing(body: &str, said: &str, roles: &Roles) -> Option<Hit> {
    let said: Vec<Words> = statements(said).iter().map(|statement| Words::of(&statement.text)).collect();
    let means_another = |word: &String| RELATIONS.contains(&word.as_str()) || !(is_grammar(word) || VAGUE.contains(&word.as_str()));
    let relates = |word: &str| RELATIONS.contains(&word) || word == "since";
    // Something done before an event is not done after it.
    let too_early = |one: &str, other: &str| matches!(one, "if" | "when" | "once" | "while") && matches!(other, "before" | "until");
    let turns = |hit: &Hit, meant: &Words, near: &Words| match hit.kind {
        // Where both deny something, "nothing but" and "no other" are the same, and so is "only".
        HitKind::Negation => {
            let partly = strength::not_all(meant) && strength::some_not(near) || strength::not_all(near) && strength::some_not(meant);
            let one_denies = hit.older.is_empty() != hit.newer.is_empty();
            one_denies && !partly && !keeps_to(meant, near) && !keeps_to(near, meant) || !one_denies && trade_denials(meant, near)
        }
        HitKind::Other => {
            let (one, other) = (hit.older.as_str(), hit.newer.as_str());
            let says = means_another(&hit.older) && means_another(&hit.newer);
            says || relates(one) && relates(other) || too_early(one, other) || too_early(other, one)
        }
        HitKind::Antonym | HitKind::Order => true,
        _ => false,
    };
    statements(body).iter().find_map(|statement| {
        let meant = Words::of(&statement.text);
        let near = said.iter().map(|said| (meant.jaccard(said), said)).max_by(|(a, _), (b, _)| a.total_cmp(b));
        let (_, near) = near.filter(|(likeness, _)| *likeness >= SAME_MATTER)?;
        contradictions(&meant, near).into_iter().find(|hit| turns(hit, &meant, near) && !roles.excuse(hit))
    })
}

/// A text in the form in which it is compared for what it denies: without double negations, and without its bounds, which are compared
/// separately.
fn plainly(text: &str) -> String {
    undoubled(&formula::Formulas::of(text).rest)
}

/// Stems of the words with a meaning of their own.
fn telling(words: &Words) -> BTreeSet<String> {
    let parts = |word: &str| Some(tongue::pairs(word)).filter(|pairs| !pairs.is_empty()).unwrap_or_else(|| vec![stem(word)]);
    words.distinct().filter(|word| word.chars().count() > 2 && !SMALL.contains(word)).flat_map(parts).collect()
}

/// Whether a word is a day or a time: part of an incident, not of its lesson.
fn is_date(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits >= 4 && word.contains(['-', ':']) && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':' | 't' | 'z' | '.' | '+'))
}
