use super::*;

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn meaning_counts_and_order_is_kept() {
    let embedder = Embedder::new(Source::Bundled);
    assert_eq!(embedder.resident_bytes(), 0);
    let long = "the cache is stale after a migration ".repeat(100);
    let texts = ["Restart the server after changing the schema", "", &long, "A schema change needs a server restart", "Bananas are yellow"];
    let vectors = embedder.embed(&texts, Role::Document).unwrap();
    assert_eq!(vectors.len(), texts.len());
    for (at, vector) in vectors.iter().enumerate() {
        assert_eq!(vector.len(), 384);
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-4);
        let alone = embedder.embed(&[texts[at]], Role::Document).unwrap();
        assert!(cosine(vector, &alone[0]) > 0.99999, "text {at}");
    }
    assert!(cosine(&vectors[0], &vectors[3]) > 0.7);
    assert!(cosine(&vectors[0], &vectors[4]) < 0.3);
    assert!(embedder.resident_bytes() > 0);
}
