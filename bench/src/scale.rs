//! Search among ten thousand, a hundred thousand and a million memories, in memory: the store's own statements for the ten hits aside.
//!
//! Texts are Zipf-like: the word of rank n is n times as rare as the first, and questions leave out the most frequent, as they do stop
//! words. Vectors are random, those of questions near the one of a memory. Nothing is embedded.

use crate::Measured;
use crate::figure::{Aim, Figure, median, millis};
use ralph_core::recall::{MemoryKind, Tuning};
use ralph_core::stats::SplitMix64;
use ralph_rag::recall::{Index, Matches, Passage, Question, RankQuery, Scope, channel_hits, rank};
use std::convert::Infallible;
use std::error::Error;

const DIMENSION: usize = 384;
const HITS: usize = 10;
/// Words that there are, those that a text has, and those that questions never ask for.
const VOCABULARY: f64 = 200_000.0;
const WORDS: usize = 20;
const FREQUENT: u64 = 150;
/// Words that a question has of its memory, and others.
const SHARED: usize = 6;
const OTHERS: usize = 4;

/// Three sizes in turns, and the memory of the largest.
pub fn measure(quick: bool) -> Measured {
    let sizes = if quick { [1_000, 10_000, 60_000] } else { [10_000, 100_000, 1_000_000] };
    let questions = if quick { 10 } else { 50 };
    let indexes = sizes.map(filled);
    let mut times = [const { Vec::new() }; 3];
    let mut found = 0;
    for question in 0..questions {
        for (index, times) in indexes.iter().zip(&mut times) {
            let target = question * 37 % sizes[0];
            let (text, vector) = asked(target, question);
            let (took, best) = millis(|| search(index, &text, &vector).ok_or("nothing was found"))?;
            times.push(took);
            found += u32::from(best == i64::from(target));
        }
    }
    let asked = questions * 3;
    if f64::from(found) < 0.95 * f64::from(asked) {
        return Err(format!("{found} of the {asked} memories that were asked for were found").into());
    }
    let [small, large, most] = times.map(median);
    let name = |count: u32| format!("search among {count} memories in memory");
    let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    let floats = f64::from(sizes[2]) * (DIMENSION * size_of::<f32>()) as f64 / f64::from(1 << 20);
    Ok(vec![
        Figure::new(name(sizes[1]), "ms", large, (&*format!("the same among {}", sizes[0]), small), Aim::RatioAtMost(4.0)),
        Figure::new(name(sizes[2]), "ms", most, (&*format!("the same among {}", sizes[1]), large), Aim::RatioAtMost(6.0)),
        Figure::new(
            format!("index of {} memories", sizes[2]),
            "MiB",
            mib(indexes[2].bytes()),
            ("its vectors as floats", floats),
            Aim::ValueAtMost(2_048.0),
        ),
        Figure::new("the process with all three", "MiB", resident()?, ("the same", mib(indexes.iter().map(Index::bytes).sum())), Aim::None),
    ])
}

fn filled(count: u32) -> Index {
    let mut index = Index::build((0..count).map(|number| Passage {
        row: i64::from(number),
        memory: (MemoryKind::Document, i64::from(number)),
        feature: Some(1),
        active: true,
        series: None,
        created: 0,
        names_a_file: false,
        protected: false,
        feedback: None,
        vector: Some(vector(number)),
        words: None,
    }));
    let mut lists = index.lists();
    (0..count).for_each(|number| lists.add(i64::from(number), &words(number, WORDS).join(" "), ""));
    lists.end();
    index
}

fn search(index: &Index, text: &str, vector: &[f32]) -> Option<i64> {
    let tuning = Tuning::default();
    let question = Question::of(text, &tuning);
    let Ok(found) = channel_hits(index, &question, Some(vector), |_| Ok::<_, Infallible>(Matches::default()));
    let scope = |_: MemoryKind, _: i64, _: Option<u32>, _: bool, _: i64| Scope { weight: 1.0, age_days: Some(3.0), closeness: None };
    let query = RankQuery { found, late: None, scope: &scope, limit: HITS, diverse: Some(&|_| None), learned: None };
    rank(index, &query, &tuning).0.first().map(|hit| hit.source)
}

/// The words of a memory: the more frequent the lower their rank.
fn words(number: u32, count: usize) -> Vec<String> {
    let mut chance = SplitMix64(u64::from(number) + 1);
    (0..count).map(|_| word((unit(&mut chance) * VOCABULARY.ln()).exp() as u64)).collect()
}

/// Letters by chance, so that a word is part of another as rarely as in prose.
fn word(rank: u64) -> String {
    let mut chance = SplitMix64(rank + 1);
    let length = 4 + chance.index(6);
    (0..length).map(|_| char::from(b'a' + chance.index(26) as u8)).collect()
}

fn asked(target: u32, question: u32) -> (String, Vec<f32>) {
    let frequent: Vec<String> = (0..FREQUENT).map(word).collect();
    let mut chosen: Vec<String> = words(target, WORDS).into_iter().filter(|w| !frequent.contains(w)).take(SHARED).collect();
    chosen.extend(words(u32::MAX - question, WORDS).into_iter().filter(|w| !frequent.contains(w)).take(OTHERS));
    let (near, away) = (vector(target), vector(u32::MAX - question));
    (chosen.join(" "), scaled(near.iter().zip(away).map(|(a, b)| a + b).collect()))
}

fn vector(number: u32) -> Vec<f32> {
    let mut chance = SplitMix64(u64::from(number) << 20 | 1);
    scaled((0..DIMENSION).map(|_| unit(&mut chance) as f32 - 0.5).collect())
}

fn scaled(raw: Vec<f32>) -> Vec<f32> {
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.into_iter().map(|x| x / length).collect()
}

fn unit(chance: &mut SplitMix64) -> f64 {
    (chance.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// MiB of this process, as Linux tells.
fn resident() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("Linux tells no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse::<f64>()? / 1_024.0)
}
