//! Late interaction: each token of the question against the closest token of a text (MaxSim; Khattab & Zaharia 2020).
//!
//! A single vector for a text blurs its words; token vectors do not. They are five times as large, so only the top results of the other
//! channels are compared.

use simsimd::SpatialSimilarity as _;

/// Passages that are compared: further ones brought no visible gain, see `docs/measurements.md`.
pub(super) const RERANKED: usize = 100;
/// Tokens of a question that are compared, the rarest: a task's text has many without meaning.
const ASKED: usize = 32;
/// Length of a token's vector, squared.
const LENGTH: f64 = 127.0 * 127.0;

/// Tokens of a question at which late interaction has half of its share. Of a short question every word counts; a task's text has many that
/// its answers need not have, and there the whole text's vector says more.
const HALF: f64 = 10.0;

/// Late interaction with one question.
#[derive(Clone, Copy)]
pub struct LateInteraction<'a> {
    /// How near the texts of these rows are to the question, in their order; `None` for one whose tokens have no vectors.
    pub near: &'a dyn Fn(&[i64]) -> Vec<Option<f64>>,
    /// Tokens of the question that are compared.
    pub tokens: usize,
}

impl LateInteraction<'_> {
    /// What it takes of the text channels' share, where a question of no length would give it `most`.
    pub(super) fn share(&self, most: f64) -> f64 {
        most.clamp(0.0, 1.0) * HALF / (HALF + self.tokens as f64)
    }
}

/// The tokens of a question, rarest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TokenQuestion {
    tokens: Vec<(f64, Vec<i8>)>,
}

impl TokenQuestion {
    /// From the rarity of each token, and the bytes of their vectors, `width` for each.
    pub fn of(rarity: &[f32], numbers: &[i8], width: usize) -> TokenQuestion {
        let mut tokens: Vec<(f64, Vec<i8>)> =
            rarity.iter().zip(numbers.chunks_exact(width.max(1))).map(|(rare, numbers)| (f64::from(*rare), numbers.to_vec())).collect();
        tokens.sort_by(|a, b| b.0.total_cmp(&a.0));
        tokens.truncate(ASKED);
        TokenQuestion { tokens }
    }

    /// Tokens that are compared.
    pub fn tokens(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is nothing to compare.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// How near texts are, each in 0..=1: the mean over the question's tokens of the squared cosine with the nearest token of the text,
    /// rare tokens weighing more. Squared, a word that is there counts more than two that are only alike. `None` for a text without a
    /// token.
    pub fn nearness(&self, texts: &[Option<impl AsRef<[u8]>>]) -> Vec<Option<f64>> {
        let weights: f64 = self.tokens.iter().map(|(rare, _)| rare).sum();
        let mean = |near: Vec<f64>| {
            let sum: f64 = near.iter().zip(&self.tokens).map(|(cosine, (rare, _))| rare * cosine.max(0.0).powi(2)).sum();
            sum / weights
        };
        texts.iter().map(|text| self.nearest(text.as_ref()?.as_ref()).map(mean).filter(|nearness| nearness.is_finite())).collect()
    }

    /// The cosine of each token of the question with the closest token of a text.
    fn nearest(&self, text: &[u8]) -> Option<Vec<f64>> {
        let width = self.tokens.first()?.1.len();
        let text: Vec<i8> = text.iter().map(|byte| byte.cast_signed()).collect();
        if text.len() < width {
            return None;
        }
        let nearest =
            |token: &[i8]| text.chunks_exact(width).filter_map(|other| i8::dot(token, other)).fold(f64::NEG_INFINITY, f64::max) / LENGTH;
        Some(self.tokens.iter().map(|(_, token)| nearest(token)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(tokens: &[[i8; 2]]) -> Vec<u8> {
        tokens.as_flattened().iter().map(|x| x.cast_unsigned()).collect()
    }

    #[test]
    fn each_token_of_the_question_meets_its_nearest_and_rare_ones_weigh_more() {
        let question = TokenQuestion::of(&[3.0, 1.0], &[127, 0, 0, 127], 2);
        let near = |tokens: &[[i8; 2]]| question.nearness(&[Some(text(tokens))])[0].map(|n| (n * 100.0).round() / 100.0);
        assert_eq!(near(&[[127, 0], [0, 127]]), Some(1.0));
        assert_eq!(near(&[[127, 0]]), Some(0.75));
        assert_eq!(near(&[[0, 127], [0, 127]]), Some(0.25));
        assert_eq!(near(&[[-127, 0]]), Some(0.0));
        assert_eq!(near(&[[90, 90]]), Some(0.5));
        assert_eq!(near(&[]), None);
        assert_eq!(TokenQuestion::default().nearness(&[Some(text(&[[1, 1]])), None]), [None, None]);
    }

    #[test]
    fn the_longer_the_question_the_less_one_of_its_words_says() {
        let share = |tokens: usize| LateInteraction { near: &|_| Vec::new(), tokens }.share(0.7);
        assert_eq!((share(0), share(10)), (0.7, 0.35));
        assert!(share(5) > share(6) && share(ASKED) > 0.15);
        assert_eq!(LateInteraction { near: &|_| Vec::new(), tokens: 0 }.share(3.0), 1.0);
    }

    #[test]
    fn a_long_question_is_asked_by_its_rarest_tokens() {
        let rarity: Vec<f32> = (0..100).map(|n| n as f32).collect();
        let question = TokenQuestion::of(&rarity, &[1; 200], 2);
        assert_eq!(question.tokens.len(), ASKED);
        assert!(question.tokens.iter().all(|(rare, _)| *rare >= 68.0));
    }
}
