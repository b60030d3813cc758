//! Long texts in chunks that an embedding model can read completely.

/// Characters of a chunk: about 220 tokens of prose, and no model reads less than 256.
const CHUNK_CHARS: usize = 1_000;
/// A text of up to twice that is not split: its beginning gives the subject, and a tail alone has little content.
const WHOLE_CHARS: usize = 2_000;

/// Splits a text into chunks in order, each a slice of it, at the last end of a line, otherwise of a sentence, otherwise of a word.
/// Their concatenation is the text. A short or empty text is one chunk.
pub fn chunks(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut found = Vec::new();
    while rest.chars().nth(WHOLE_CHARS).is_some() {
        let end = rest.char_indices().nth(CHUNK_CHARS).map_or(rest.len(), |(at, _)| at);
        let head = &rest[..end];
        let middle = head.floor_char_boundary(end / 2);
        let after = |pattern: &str| head[middle..].rfind(pattern).map(|at| middle + at + pattern.len());
        let cut = after("\n").or_else(|| after(". ")).or_else(|| after(" ")).unwrap_or(end);
        found.push(&rest[..cut]);
        rest = &rest[cut..];
    }
    found.push(rest);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_the_whole_text_in_order_and_end_where_something_ends() {
        let line = "A sentence of some words that ends here. ".repeat(10) + "\n";
        for text in [String::new(), "short".into(), line.repeat(12), "x".repeat(5_000), "ä".repeat(5_000), "word ".repeat(2_000)] {
            let found = chunks(&text);
            assert_eq!(found.concat(), text);
            assert!(found.iter().all(|c| c.chars().count() <= WHOLE_CHARS));
        }
        assert!(chunks(&line.repeat(12)).iter().all(|c| c.ends_with('\n')));
        assert_eq!(chunks("").len(), 1);
    }
}
