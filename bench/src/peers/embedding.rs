//! Embedding beside ONNX Runtime with the same model in bytes: long texts many at once, questions one at a time.

use super::{Answer, Peer, data, figure};
use crate::figure::{Aim, Figure, millis};
use std::error::Error;
use std::path::Path;
use text_embed::{Embedder, Role, Source, dot};

/// Words of a long text and of a question.
const WORDS: usize = 200;
const ASKED: usize = 10;
/// Long texts that are embedded at once.
const AT_ONCE: u32 = 16;
/// How near the vectors of both must be: bytes are made in another way there.
const SAME: f64 = 0.98;

/// Rounds of both by turns; who begins changes.
pub fn measure(
    start: impl FnOnce(&Path) -> Result<Peer, Box<dyn Error>>,
    folder: &Path,
    quick: bool,
) -> Result<Vec<Figure>, Box<dyn Error>> {
    let rounds: u32 = if quick { 3 } else { 20 };
    let embedder = Embedder::new(Source::Bundled);
    let runs: Vec<usize> =
        [WORDS / data::RUN, ASKED / data::RUN].into_iter().flat_map(|runs| vec![runs; (rounds * AT_ONCE) as usize]).collect();
    let texts = data::texts(&runs);
    std::fs::write(folder.join("texts.txt"), texts.join("\n"))?;
    std::fs::copy(Path::new(&embedder.try_out()?).join("tokenizer.json"), folder.join("tokenizer.json"))?;
    let mut other = start(folder)?;

    let own = |first: u32, count: u32, role| -> Result<Answer, Box<dyn Error>> {
        let asked: Vec<&str> = texts[first as usize..(first + count) as usize].iter().map(String::as_str).collect();
        let (taken, made) = millis(|| embedder.embed(&asked, role))?;
        Ok(Answer {
            millis: vec![taken / f64::from(count); count as usize],
            vector: made.into_iter().next().unwrap_or_default(),
            ..Answer::default()
        })
    };
    // The first text of each reads its model.
    own(0, 1, Role::Query)?;
    other.ask("embed", &(0..1))?;
    let mut times = [[Vec::new(), Vec::new()], [Vec::new(), Vec::new()]];
    for round in 0..rounds {
        for (kind, count) in [AT_ONCE, 1].into_iter().enumerate() {
            let steps = if count == 1 { AT_ONCE } else { 1 };
            for step in 0..steps {
                let first = (kind as u32 * rounds + round) * AT_ONCE + step;
                let role = if count == 1 { Role::Query } else { Role::Document };
                let mut ask = |at: usize| if at == 0 { own(first, count, role) } else { other.ask("embed", &(first..first + count)) };
                let begins = (round + step) as usize % 2;
                let (one, two) = (ask(begins)?, ask(1 - begins)?);
                let near = dot(&one.vector, &two.vector);
                if near < SAME {
                    return Err(format!("the vectors of {} are of another model: {near} for {}", other.name, texts[first as usize]).into());
                }
                times[kind][begins].extend(one.millis);
                times[kind][1 - begins].extend(two.millis);
            }
        }
    }
    let [[long, theirs], [asked, their_asked]] = &times;
    Ok(vec![
        figure(format!("embedding a text of {WORDS} words, {AT_ONCE} at once"), "ms", long, &other.name, theirs, Aim::RatioAtMost(1.0)),
        figure(format!("embedding a question of {ASKED} words"), "ms", asked, &other.name, their_asked, Aim::RatioAtMost(1.0)),
    ])
}
