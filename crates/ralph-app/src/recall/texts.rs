//! Embedding texts with a cache: a known text is not embedded again, wherever it occurred before.

use crate::error::Result;
use ralph_rag::recall::{TokenQuestion, is_stop_word};
use sha2::{Digest as _, Sha256};
use sqlite_db::Db;
use sqlite_db::table::TextVector;
use text_embed::{Embedder, Role, TOKEN_NUMBERS, TokenVectors};

/// Key of a text in the cache: half of its SHA-256, unique within a project.
pub type TextHash = [u8; 16];

/// The hash of a text.
pub fn text_hash(text: &str) -> TextHash {
    let mut half = TextHash::default();
    half.copy_from_slice(&Sha256::digest(text)[..16]);
    half
}

/// Vectors of documents, in order; `db` is consulted first. With `tokens` also their token vectors, if the
/// model provides them.
pub fn made_of(db: &Db, embedder: &Embedder, texts: &[&str], tokens: bool) -> Result<Vec<(TextHash, TextVector)>> {
    let tokens = tokens && embedder.gives_tokens();
    let hashes: Vec<TextHash> = texts.iter().map(|text| text_hash(text)).collect();
    let mut made = db.read(|r| hashes.iter().map(|hash| Ok(r.text_vector(hash, embedder.id())?)).collect::<Result<Vec<_>>>())?;
    let enough = |known: &Option<TextVector>| known.as_ref().is_some_and(|known| !tokens || known.tokens.is_some());
    let new: Vec<usize> = (0..texts.len()).filter(|at| !enough(&made[*at])).collect();
    let asked: Vec<&str> = new.iter().map(|at| texts[*at]).collect();
    if tokens {
        for (at, (vector, tokens)) in new.iter().zip(embedder.embed_tokens(&asked, Role::Document, &says)?) {
            made[*at] = Some(TextVector { vector, tokens: tokens.map(bytes) });
        }
    } else {
        for (at, vector) in new.iter().zip(embedder.embed(&asked, Role::Document)?) {
            made[*at] = Some(TextVector { vector, tokens: None });
        }
    }
    Ok(hashes.into_iter().zip(made).filter_map(|(hash, made)| Some((hash, made?))).collect())
}

/// The vector of a question, and those of its tokens.
pub(crate) type AskedVectors = (Vec<f32>, TokenQuestion);

/// A question's vector, and its tokens where the model gives them.
pub(crate) fn question_of(embedder: &Embedder, text: &str) -> Result<Option<AskedVectors>> {
    let made = embedder.embed_tokens(&[text], Role::Query, &says)?.pop();
    Ok(made.map(|(vector, tokens)| {
        let asked = tokens.map_or_else(TokenQuestion::default, |tokens| match tokens.rarity.is_empty() {
            true => TokenQuestion::without_words(),
            false => TokenQuestion::of(&tokens.rarity, &tokens.numbers, TOKEN_NUMBERS),
        });
        (vector, asked)
    }))
}

/// The vectors of a question: its own, and those of its tokens if the model provides them.
pub fn asked_vectors(embedder: &Embedder, text: &str) -> Result<Option<(Vec<f32>, TokenVectors)>> {
    let made = embedder.embed_tokens(&[text], Role::Query, &says)?.pop();
    Ok(made.map(|(vector, tokens)| (vector, tokens.unwrap_or_default())))
}

/// Whether a token is meaningful.
fn says(piece: &str) -> bool {
    !is_stop_word(piece)
}

fn bytes(tokens: TokenVectors) -> Vec<u8> {
    tokens.numbers.into_iter().map(i8::cast_unsigned).collect()
}
