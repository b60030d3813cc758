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

/// Tokens of a question at which late interaction has half of its share. In a short question every word counts; a task's text has many that
/// its answers need not have, and there the vector of the whole text says more.
const HALF: f64 = 10.0;

/// The squared cosine from which a text counts as having a token of the question, or one of the same meaning.
const MET: f64 = 0.6;
/// The weight of a token that every compared text has, added to the logarithm of how few have it: it still shows how well they say it.
const COMMON: f64 = 0.5;

/// The most that the vectors' confidence counts, as a share of its maximum: late interaction keeps a little.
const NEARLY: f64 = 0.99;

/// How near a text is to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearness {
    /// The mean over the question's tokens, rare ones weighing more, in 0..=1: independent of what else is compared.
    pub near: f64,
    /// For each token of the question the squared cosine with the nearest token of the text.
    pub each: Vec<f64>,
}

/// How near each of several texts is to a question compared with the others, in 0..=1: the mean over the question's tokens, weighing more
/// those that few of the texts have. A token that nearly all of them have, such as the language of a whole collection, says nothing about
/// any of them, however rare it is elsewhere.
pub(super) fn beside_each_other(found: &[Option<Nearness>]) -> Vec<Option<f64>> {
    let texts: Vec<&[f64]> = found.iter().flatten().map(|text| text.each.as_slice()).collect();
    let asked = texts.iter().map(|each| each.len()).min().unwrap_or(0);
    let having = |token: usize| texts.iter().filter(|each| each[token] > MET).count().max(1);
    let weights: Vec<f64> = (0..asked).map(|token| COMMON + (texts.len() as f64 / having(token) as f64).ln()).collect();
    let sum: f64 = weights.iter().sum();
    let mean = |text: &Nearness| weights.iter().zip(&text.each).map(|(weight, near)| weight * near).sum::<f64>() / sum;
    found.iter().map(|text| text.as_ref().map(mean).filter(|near| near.is_finite())).collect()
}

/// Late interaction with one question.
#[derive(Clone, Copy)]
pub struct LateInteraction<'a> {
    /// How near the texts of these rows are to the question, in their order; `None` for one whose tokens have no vectors.
    pub near: &'a dyn Fn(&[i64]) -> Vec<Option<Nearness>>,
    /// Tokens of the question that are compared.
    pub tokens: usize,
}

impl LateInteraction<'_> {
    /// The part of the text channels' share that it takes; it approaches `most` for the shortest questions. The vectors have the share
    /// `vector`, at most `surest` beside others: the surer they are, the less is left to decide word by word.
    pub(super) fn share(&self, most: f64, vector: f64, surest: f64) -> f64 {
        // If nothing was found by words, there is nothing but the tokens beside the vectors.
        let left = if vector < 1.0 { 1.0 - (vector / surest.max(f64::MIN_POSITIVE)).min(NEARLY).powi(3) } else { 1.0 };
        most.clamp(0.0, 1.0) * left * HALF / (HALF + self.tokens as f64)
    }
}

/// The tokens of a question, rarest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TokenQuestion {
    tokens: Vec<(f64, Vec<i8>)>,
    /// Whether the model, which gives tokens, found none that says anything.
    says_nothing: bool,
}

impl TokenQuestion {
    /// Of a question in which the model knows no meaningful word: it consists of stop words, or of letters that are no word.
    pub fn without_words() -> TokenQuestion {
        TokenQuestion { says_nothing: true, ..TokenQuestion::default() }
    }

    /// Whether the question says nothing to the model: what its vector is near to is chance.
    pub fn says_nothing(&self) -> bool {
        self.says_nothing
    }

    /// Made from the rarity of each token, and the bytes of their vectors, `width` for each.
    pub fn of(rarity: &[f32], numbers: &[i8], width: usize) -> TokenQuestion {
        let mut tokens: Vec<(f64, Vec<i8>)> =
            rarity.iter().zip(numbers.chunks_exact(width.max(1))).map(|(rare, numbers)| (f64::from(*rare), numbers.to_vec())).collect();
        tokens.sort_by(|a, b| b.0.total_cmp(&a.0));
        tokens.truncate(ASKED);
        TokenQuestion { tokens, says_nothing: false }
    }

    /// Tokens that are compared.
    pub fn tokens(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is nothing to compare.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// How near texts are. The cosine of a token with the nearest one of the text is squared: a word that is there counts more than two
    /// that are merely similar. A text without tokens, such as one in letters that the model has no words for, is near to none; `None` for
    /// one whose tokens are not known yet.
    pub fn nearness(&self, texts: &[Option<impl AsRef<[u8]>>]) -> Vec<Option<Nearness>> {
        let weights: f64 = self.tokens.iter().map(|(rare, _)| rare).sum();
        let of = |text: &[u8]| {
            let each: Vec<f64> = self.nearest(text)?.into_iter().map(|cosine| cosine.max(0.0).powi(2)).collect();
            let sum: f64 = each.iter().zip(&self.tokens).map(|(near, (rare, _))| rare * near).sum();
            Some(Nearness { near: sum / weights, each }).filter(|nearness| nearness.near.is_finite())
        };
        texts.iter().map(|text| of(text.as_ref()?.as_ref())).collect()
    }

    /// The cosine of each token of the question with the closest token of a text.
    fn nearest(&self, text: &[u8]) -> Option<Vec<f64>> {
        let width = self.tokens.first()?.1.len();
        let text: Vec<i8> = text.iter().map(|byte| byte.cast_signed()).collect();
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
        let near = |tokens: &[[i8; 2]]| question.nearness(&[Some(text(tokens))])[0].as_ref().map(|n| (n.near * 100.0).round() / 100.0);
        assert_eq!(near(&[[127, 0], [0, 127]]), Some(1.0));
        assert_eq!(near(&[[127, 0]]), Some(0.75));
        assert_eq!(near(&[[0, 127], [0, 127]]), Some(0.25));
        assert_eq!(near(&[[-127, 0]]), Some(0.0));
        assert_eq!(near(&[[90, 90]]), Some(0.5));
        assert_eq!(near(&[]), Some(0.0), "a text in letters that the model does not know");
        assert_eq!(TokenQuestion::default().nearness(&[Some(text(&[[1, 1]])), None]), [None, None]);
    }

    #[test]
    fn what_nearly_every_text_has_tells_none_of_them_apart() {
        let text = |each: [f64; 2]| Some(Nearness { near: 0.0, each: each.to_vec() });
        // All have the first token, one has the second, and another one is a little nearer to the first.
        let mut texts = vec![text([0.7, 1.0]), text([1.0, 0.3])];
        texts.extend((0..8).map(|_| text([0.9, 0.2])));
        let found = beside_each_other(&texts);
        assert!(found[0] > found[1] && found[1] > found[2] && found.iter().flatten().all(|near| (0.0..=1.0).contains(near)), "{found:?}");
        assert_eq!(beside_each_other(&[None, None]), [None, None]);
        assert_eq!(beside_each_other(&[Some(Nearness { near: 0.0, each: Vec::new() })]), [None]);
        assert_eq!(beside_each_other(&[text([0.5, 0.5]), None]), [Some(0.5), None]);
    }

    #[test]
    fn the_longer_the_question_the_less_one_of_its_words_says() {
        let share = |tokens: usize| LateInteraction { near: &|_| Vec::new(), tokens }.share(0.7, 0.0, 0.95);
        assert_eq!((share(0), share(10)), (0.7, 0.35));
        assert!(share(5) > share(6) && share(ASKED) > 0.15);
    }

    #[test]
    fn the_surer_the_vectors_the_less_is_left_to_say_word_by_word() {
        let share = |vector: f64, surest: f64| LateInteraction { near: &|_| Vec::new(), tokens: 0 }.share(1.0, vector, surest);
        assert_eq!(share(0.0, 0.95), 1.0);
        assert!(share(0.3, 0.95) > share(0.6, 0.95) && share(0.6, 0.95) > share(0.9, 0.95));
        assert!(share(0.95, 0.95) > 0.0 && share(0.5, 0.0) > 0.0, "never nothing at all");
        assert_eq!(share(1.0, 0.95), 1.0, "nothing was found by words");
        assert_eq!(LateInteraction { near: &|_| Vec::new(), tokens: 0 }.share(3.0, 0.0, 0.95), 1.0);
    }

    #[test]
    fn a_long_question_is_asked_by_its_rarest_tokens() {
        let rarity: Vec<f32> = (0..100).map(|n| n as f32).collect();
        let question = TokenQuestion::of(&rarity, &[1; 200], 2);
        assert_eq!(question.tokens.len(), ASKED);
        assert!(question.tokens.iter().all(|(rare, _)| *rare >= 68.0));
    }
}
