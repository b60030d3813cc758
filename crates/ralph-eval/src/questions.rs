//! What the model makes of questions, kept between evaluations like that of texts.

use ralph_app::{Result, asked_vectors, text_hash};
use ralph_rag::recall::TokenQuestion;
use sqlite_db::Db;
use sqlite_db::table::TextVector;
use text_embed::{Embedder, TOKEN_NUMBERS, TokenVectors};

/// A question's vector and its tokens; what `known` lacks is computed and stored there. `None` = the model gives no vector.
pub fn question_of(embedder: &Embedder, known: &Db, text: &str) -> Result<Option<(Vec<f32>, TokenQuestion)>> {
    let made = match kept(embedder, known, text)? {
        Some(kept) => Some(kept),
        None => asked_vectors(embedder, text)?.map(|made| keep(embedder, known, text, made)).transpose()?,
    };
    Ok(made.map(|(vector, tokens)| (vector, TokenQuestion::of(&tokens.rarity, &tokens.numbers, TOKEN_NUMBERS))))
}

type QuestionVectors = (Vec<f32>, TokenVectors);

/// A model may make another vector for a question than for a document, and the rarity of its tokens is stored beside them: hence a name of
/// its own for each.
fn names(embedder: &Embedder) -> [String; 2] {
    ["question", "rarity"].map(|part| format!("{} {part}", embedder.id()))
}

fn kept(embedder: &Embedder, known: &Db, text: &str) -> Result<Option<QuestionVectors>> {
    let (hash, [question, rarity]) = (text_hash(text), names(embedder));
    let (question, rarity) =
        known.read(|r| Ok::<_, ralph_app::AppError>((r.text_vector(&hash, &question)?, r.text_vector(&hash, &rarity)?)))?;
    Ok(question.zip(rarity).map(|(question, rarity)| {
        let numbers = question.tokens.unwrap_or_default().into_iter().map(u8::cast_signed).collect();
        (question.vector, TokenVectors { rarity: rarity.vector[1..].to_vec(), numbers })
    }))
}

fn keep(embedder: &Embedder, known: &Db, text: &str, made: QuestionVectors) -> Result<QuestionVectors> {
    let (hash, [question, rarity]) = (text_hash(text), names(embedder));
    let (vector, tokens) = made;
    let numbers = tokens.numbers.iter().map(|number| number.cast_unsigned()).collect();
    let asked = TextVector { vector: vector.clone(), tokens: Some(numbers) };
    // A question of stop words alone has no token, and an empty list is not a vector.
    let rare = TextVector { vector: [&[0.0], &tokens.rarity[..]].concat(), tokens: None };
    known.writer()?.transaction(|tx| -> Result<()> {
        tx.keep_text_vector(&question, &hash, &asked)?;
        Ok(tx.keep_text_vector(&rarity, &hash, &rare)?)
    })?;
    Ok((vector, tokens))
}

#[cfg(test)]
mod tests {
    use super::*;
    use text_embed::Source;

    #[test]
    fn a_question_that_was_kept_is_the_question_that_was_made() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let known = Db::open(&folder.path().join("vectors.db")).expect("opens");
        let embedder = Embedder::new(Source::Bundled);
        for text in ["Why does the refund retry twice?", "what is it"] {
            assert!(kept(&embedder, &known, text).expect("reads").is_none());
            let made = question_of(&embedder, &known, text).expect("makes");
            assert!(kept(&embedder, &known, text).expect("reads").is_some());
            assert_eq!(question_of(&embedder, &known, text).expect("reads"), made);
            assert!(made.is_some());
        }
    }
}
