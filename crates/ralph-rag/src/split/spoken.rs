//! The words by which tasks and learnings are compared. In a script without spaces between words a run of letters is a whole sentence, and
//! parts of it are used instead.

use crate::words::is_unspaced;

/// Kinds of letters between which a word ends.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Letters {
    /// Endings and particles of Japanese.
    Hiragana,
    /// Words that Japanese took from elsewhere.
    Katakana,
    /// Everything else that is written without blanks.
    Unspaced,
    /// Letters of scripts with blanks.
    Spaced,
}

impl Letters {
    fn of(c: char) -> Letters {
        match c {
            '\u{3040}'..='\u{309f}' => Letters::Hiragana,
            '\u{30a0}'..='\u{30ff}' => Letters::Katakana,
            c if is_unspaced(c) => Letters::Unspaced,
            _ => Letters::Spaced,
        }
    }
}

/// The word itself; or, in a script without spaces, the words that their letters reveal, and otherwise each pair of adjacent letters.
pub(super) fn parts(word: &str) -> Vec<String> {
    if !word.contains(is_unspaced) {
        return vec![word.to_owned()];
    }
    let letters: Vec<char> = word.chars().filter(|c| c.is_alphanumeric() || *c == 'ー').collect();
    let mut parts = Vec::new();
    for stretch in letters.chunk_by(|a, b| Letters::of(*a) == Letters::of(*b)) {
        match Letters::of(stretch[0]) {
            Letters::Hiragana => {}
            Letters::Unspaced if stretch.len() > 2 => parts.extend(stretch.windows(2).map(|pair| pair.iter().collect::<String>())),
            Letters::Katakana | Letters::Unspaced | Letters::Spaced if stretch.len() > 1 => parts.push(stretch.iter().collect()),
            Letters::Katakana | Letters::Unspaced | Letters::Spaced => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn a_sentence_without_blanks_is_compared_by_its_parts() {
        assert_eq!(parts("refund"), ["refund"]);
        assert_eq!(parts("決済テーブルをロックする必要がある"), ["決済", "テーブル", "ロック", "必要"]);
        assert_eq!(parts("退款窗口"), ["退款", "款窗", "窗口"]);
        assert_eq!(parts("する"), Vec::<String>::new());
    }
}
