//! A corpus for the removal of secrets from texts: forms that must go, and harmless sentences that must stay.
//!
//! No secret stands in these files: templates hold places (`{A36}`) that are filled when a test runs, always with the same made-up values,
//! so that secret scanners find nothing here and nothing here opens anything.

mod harmless;
mod places;
mod tokens;

/// One secret in a text.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The whole text.
    pub text: String,
    /// What must be removed.
    pub secret: String,
}

impl Shape {
    /// Pieces of the secret, none of which may remain: its lines, except very short ones.
    pub fn pieces(&self) -> Vec<String> {
        let all = self
            .secret
            .lines()
            .map(str::trim)
            .filter(|line| line.len() >= 4 && !line.contains("KEY--"))
            .map(str::to_owned)
            .collect::<Vec<_>>();
        if all.is_empty() { vec![self.secret.clone()] } else { all }
    }
}

/// Every form: tokens of services in several contexts, and secrets that only their context gives away.
pub fn shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (i, token) in tokens::TOKENS.iter().enumerate() {
        let contexts = tokens::CONTEXTS.len();
        for step in 0..tokens::CONTEXTS_EACH {
            let context = tokens::CONTEXTS[(i * tokens::CONTEXTS_EACH + step) % contexts];
            shapes.push(filled(&context.replace('@', &format!("«{token}»")), (i * 10 + step) as u64));
        }
    }
    shapes.extend(places::PLACES.iter().enumerate().map(|(i, place)| filled(place, 10_000 + i as u64)));
    shapes
}

/// Sentences, lines of code and of logs without any secret.
pub fn harmless() -> Vec<String> {
    let mut sentences: Vec<String> = harmless::SENTENCES.iter().map(|&sentence| sentence.to_owned()).collect();
    for (i, frame) in harmless::FRAMES.iter().enumerate() {
        for (j, value) in harmless::VALUES.iter().enumerate() {
            sentences.push(fill(&frame.replace('@', value), (20_000 + i * 100 + j) as u64));
        }
    }
    sentences
}

/// Fills a template and takes the secret out of its `«…»`.
fn filled(template: &str, seed: u64) -> Shape {
    let text = fill(template, seed);
    let (before, rest) = text.split_once('«').expect("a template marks its secret");
    let (secret, after) = rest.split_once('»').expect("a template ends its secret");
    Shape { text: format!("{before}{secret}{after}"), secret: secret.to_owned() }
}

/// Fills every `{K12}`: a letter that says of which characters, and how many.
fn fill(template: &str, seed: u64) -> String {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, place)) = rest.split_once('{') {
        text.push_str(before);
        let end = place.find('}').filter(|end| (1..=4).contains(end));
        match end.and_then(|end| Some((end, made(&place[..end], &mut chance)?))) {
            Some((end, made)) => {
                text.push_str(&made);
                rest = &place[end + 1..];
            }
            None => {
                text.push('{');
                rest = place;
            }
        }
    }
    text + rest
}

/// The content of a placeholder; `None` for anything else.
fn made(place: &str, chance: &mut Chance) -> Option<String> {
    const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
    const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const DIGITS: &str = "0123456789";
    if place == "P" {
        return Some(password(chance));
    }
    let kind = place.chars().next()?;
    let length: usize = place[1..].parse().ok()?;
    let from = match kind {
        'A' => format!("{LOWER}{UPPER}{DIGITS}"),
        'B' => format!("{LOWER}{UPPER}{DIGITS}-_"),
        'S' => format!("{LOWER}{UPPER}{DIGITS}+/"),
        'h' => "0123456789abcdef".to_owned(),
        'd' => DIGITS.to_owned(),
        'l' => format!("{LOWER}{DIGITS}"),
        'U' => format!("{UPPER}{DIGITS}"),
        'T' => format!("{UPPER}234567"),
        'w' => LOWER.to_owned(),
        _ => return None,
    };
    let from: Vec<char> = from.chars().collect();
    let mut made: Vec<char> = (0..length).map(|_| from[chance.below(from.len())]).collect();
    // A token of letters alone is rare, and would not test a rule that requires a digit.
    if "ABSlU".contains(kind) && length >= 8 {
        for (place, c) in [(1, '7'), (length / 2, '4'), (length - 2, '9')] {
            made[place] = c;
        }
        (made[0], made[2], made[length / 2 + 1]) = if kind == 'U' { ('Q', 'K', 'Z') } else { ('q', 'k', 'z') };
    }
    Some(made.into_iter().collect())
}

/// A password as people choose them.
fn password(chance: &mut Chance) -> String {
    const WORDS: [&str; 12] =
        ["hunter", "Sommer", "dragon", "Qwerty", "monkey", "Falcon", "tiger", "Winter", "pepper", "Rocket", "maple", "Zebra"];
    let word = WORDS[chance.below(WORDS.len())];
    let number = 10 + chance.below(90);
    match chance.below(4) {
        0 => format!("{word}{number}"),
        1 => format!("{word}{number}!"),
        2 => format!("{}{number}{}", &word[..2], &word[2..]),
        _ => format!("{word}#{number}x"),
    }
}

/// A sequence of numbers that is the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corpus_is_large_and_always_the_same() {
        let (shapes, harmless) = (shapes(), harmless());
        assert!(shapes.len() >= 400 && harmless.len() >= 600, "{} {}", shapes.len(), harmless.len());
        assert_eq!(shapes[7].text, self::shapes()[7].text);
        assert!(shapes.iter().all(|shape| shape.secret.len() >= 4 && shape.text.contains(&shape.secret)));
    }
}
