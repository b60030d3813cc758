//! The data set that every peer is given: texts, one a line, and their vectors, as little-endian floats.
//!
//! Texts are spliced of four runs of words from the sentences that calibrate duplicates, so that words and pairs of words are as frequent
//! as in notes of developers: in that, a question's search costs what it costs in a real store. Vectors are random.

use super::{DIMENSION, paths};
use ralph_core::stats::SplitMix64;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

const SENTENCES: &str = include_str!("../../../crates/ralph-rag/src/calibrate/pairs.tsv");
/// Words of a run, and runs of a text.
pub const RUN: usize = 5;
const RUNS: usize = 4;
/// Words that a question shares with its memory.
const SHARED: usize = 8;

/// Writes `memories` and then `questions`, each about one of the first `targets` memories.
pub fn write(folder: &Path, memories: u32, questions: u32, targets: u32) -> Result<(), Box<dyn Error>> {
    let sentences = sentences();
    let mut chance = SplitMix64(u64::from(memories));
    let mut known: Vec<(Vec<&str>, Vec<f32>)> = Vec::new();
    let [texts, vectors] = paths(folder).map(File::create);
    let (mut texts, mut vectors) = (BufWriter::new(texts?), BufWriter::new(vectors?));
    for number in 0..memories + questions {
        let (mut words, mut vector) = (spliced(&sentences, RUNS, &mut chance), random(&mut chance));
        if number >= memories {
            let (about, near) = &known[target(number, targets) as usize];
            words.truncate(RUN);
            words.extend(&about[..SHARED]);
            vector = unit(vector.iter().zip(near).map(|(a, b)| a + b).collect());
        }
        writeln!(texts, "{}", words.join(" "))?;
        for value in &vector {
            vectors.write_all(&value.to_le_bytes())?;
        }
        if number < targets {
            known.push((words, vector));
        }
    }
    texts.flush()?;
    vectors.flush()?;
    Ok(())
}

/// Texts of so many runs of words each.
pub fn texts(runs: &[usize]) -> Vec<String> {
    let sentences = sentences();
    let mut chance = SplitMix64(runs.len() as u64);
    runs.iter().map(|runs| spliced(&sentences, *runs, &mut chance).join(" ")).collect()
}

fn sentences() -> Vec<Vec<&'static str>> {
    let texts = SENTENCES.lines().skip(1).flat_map(|line| line.split('\t').skip(1));
    texts.map(|text| text.split_whitespace().collect()).filter(|words: &Vec<&str>| words.len() >= RUN).collect()
}

/// The memory that a question is about.
pub fn target(question: u32, targets: u32) -> u32 {
    question * 37 % targets
}

fn spliced<'a>(sentences: &[Vec<&'a str>], runs: usize, chance: &mut SplitMix64) -> Vec<&'a str> {
    let mut words = Vec::new();
    for _ in 0..runs {
        let sentence = &sentences[chance.index(sentences.len())];
        let start = chance.index(sentence.len() - RUN + 1);
        words.extend(&sentence[start..start + RUN]);
    }
    words
}

fn random(chance: &mut SplitMix64) -> Vec<f32> {
    unit((0..DIMENSION).map(|_| (chance.next_u64() >> 40) as f32 / (1u64 << 24) as f32 - 0.5).collect())
}

fn unit(raw: Vec<f32>) -> Vec<f32> {
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.into_iter().map(|x| x / length).collect()
}

/// The data set, read as it is asked for, so that it takes no memory that would count as the peer's.
pub struct Data {
    texts: Vec<String>,
    vectors: File,
}

impl Data {
    /// Reads what [`write`] wrote.
    pub fn open(folder: &Path) -> Result<Data, Box<dyn Error>> {
        let [texts, vectors] = paths(folder);
        Ok(Data { texts: std::fs::read_to_string(texts)?.lines().map(str::to_owned).collect(), vectors: File::open(vectors)? })
    }

    /// Text and vector of one item.
    pub fn item(&mut self, number: u32) -> Result<(String, Vec<f32>), Box<dyn Error>> {
        let mut bytes = [0; DIMENSION * size_of::<f32>()];
        self.vectors.seek(SeekFrom::Start(u64::from(number) * bytes.len() as u64))?;
        self.vectors.read_exact(&mut bytes)?;
        let vector = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        Ok((self.texts.get(number as usize).ok_or("no such item")?.clone(), vector))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_nearest_to_its_memory_in_words_and_vector() {
        let (memories, questions, targets) = (120, 10, 100);
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), memories, questions, targets).unwrap();
        let mut data = Data::open(folder.path()).unwrap();
        for question in memories..memories + questions {
            let (asked, near) = data.item(question).unwrap();
            let shared = |text: &str| asked.split(' ').filter(|word| text.split(' ').any(|w| w == *word)).count();
            let mut by_vector = Vec::new();
            for number in 0..memories {
                let (text, vector) = data.item(number).unwrap();
                by_vector.push(vector.iter().zip(&near).map(|(a, b)| a * b).sum::<f32>());
                assert!(number != target(question, targets) || shared(&text) >= SHARED, "{asked} / {text}");
            }
            let best = (0..).zip(&by_vector).max_by(|a, b| a.1.total_cmp(b.1)).map(|(number, _)| number);
            assert_eq!(best, Some(target(question, targets)), "{asked}");
        }
        assert!(data.item(memories + questions).is_err());
    }
}
