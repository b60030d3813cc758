use super::*;
use serde::Deserialize;

/// A text with its vector by sentence-transformers 6.2 from the same weights.
#[derive(Deserialize)]
struct Known {
    text: String,
    vector: Vec<f32>,
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn vectors_are_those_of_sentence_transformers_alone_and_among_others() {
    let known: Vec<Known> = serde_json::from_str(include_str!("reference.json")).unwrap();
    let embedder = Embedder::new(Source::Bundled);
    embedder.available().unwrap();
    assert_eq!(embedder.resident_bytes(), 0, "the weights are loaded at the first text");
    let texts: Vec<&str> = known.iter().map(|one| one.text.as_str()).collect();
    let together = embedder.embed(&texts, Role::Document).unwrap();
    // The table of words stays in its file; layers of bytes are kept.
    assert!((1..20 << 20).contains(&embedder.resident_bytes()), "{}", embedder.resident_bytes());
    for (known, together) in known.iter().zip(&together) {
        let alone = embedder.embed(&[&known.text], Role::Query).unwrap().remove(0);
        assert_eq!(alone, *together, "what is read beside a text changes nothing, {:.40}", known.text);
        for vector in [together, &alone] {
            assert_eq!(Some(vector.len()), embedder.dimension());
            let near = cosine(vector, &known.vector);
            // Weights of bytes cost a few ten-thousandths; without any word there is little to err about.
            assert!(near > if known.text.is_empty() { 0.999 } else { 0.9995 }, "{near} for {:.40}", known.text);
            assert!((cosine(vector, vector) - 1.0).abs() < 1e-5, "length 1");
        }
    }
}

#[test]
fn a_text_says_the_same_alone_and_beside_others_of_any_length() {
    let embedder = Embedder::new(Source::Bundled);
    let prose = include_str!("minilm.rs");
    let mut texts = vec!["", "a", "pnpm", "\u{10ffff} é 日本語", "0 1 2 3 4 5 6 7 8 9", "Refunds are settled at midnight"];
    texts.extend(prose.lines().filter(|line| line.len() > 40).take(40));
    texts.extend([100, 700, 4_000].map(|end| &prose[..end]));
    for (text, together) in texts.iter().zip(embedder.embed(&texts, Role::Document).unwrap()) {
        assert_eq!(embedder.embed(&[text], Role::Document).unwrap()[0], together, "{text:.40}");
    }
}

#[test]
fn hostile_texts_are_texts() {
    let embedder = Embedder::new(Source::Bundled);
    let huge = "é".repeat(1 << 20);
    let texts = ["\0\u{1}\u{7f}", "\u{202e}\u{200b}\u{feff}", "[CLS] [SEP] [PAD] [MASK]", "'; DROP TABLE x; --", "\u{10ffff}", &huge];
    for vector in embedder.embed(&texts, Role::Document).unwrap() {
        assert!(vector.iter().all(|number| number.is_finite()) && (cosine(&vector, &vector) - 1.0).abs() < 1e-5);
    }
    assert!(embedder.embed(&[], Role::Query).unwrap().is_empty());
}

#[test]
fn threads_share_one_model() {
    let embedder = Embedder::new(Source::Bundled);
    let alone = embedder.embed(&["one text"], Role::Query).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(cosine(&embedder.embed(&["one text"], Role::Query).unwrap()[0], &alone[0]) > 0.99999));
        }
    });
}

#[test]
fn a_model_at_rest_is_read_again_and_one_that_is_asked_stays() {
    let embedder = Embedder::new(Source::Bundled);
    let document = embedder.embed(&["one text"], Role::Document).unwrap();
    embedder.rest(std::time::Duration::from_secs(3_600));
    assert_eq!(embedder.resident_bytes(), 0, "nobody asked");
    assert_eq!(embedder.embed(&["one text"], Role::Query).unwrap(), document);
    embedder.rest(std::time::Duration::from_secs(3_600));
    assert!(embedder.resident_bytes() > 0, "a question came a moment ago");
    embedder.rest(std::time::Duration::ZERO);
    assert_eq!(embedder.resident_bytes(), 0);
}
