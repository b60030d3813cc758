//! Which part of a long text of several lines is searched for, such as an error pasted with its trace: one of its ends says what happened.
//!
//! Words and model read only the beginning of a question. In a Python trace that is the path to the error, the same for all errors on that
//! path, so they would all get one answer. See `docs/measurements.md`.

use ralph_core::text::cut;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Up to so many characters a text is searched for as it is: about as many as 64 words of output have.
const WHOLE: usize = 500;
/// From so many lines on a longer text is searched for by its ends; a task of a few paragraphs begins with its subject.
const LINES: usize = 4;
/// Characters that are taken from it. More would only add more from the middle.
const ASKED: usize = 400;
/// Characters of a line.
const LINE: usize = 200;

/// The part of a question that is searched for: all of a short one; of a longer one with several lines the last, the first, the last but
/// one, and so on.
pub fn asked_part(question: &str) -> Cow<'_, str> {
    let mut lines = question.lines().map(str::trim).filter(|line| !line.is_empty());
    if cut(question, WHOLE).len() == question.len() || lines.clone().nth(LINES - 1).is_none() {
        return Cow::Borrowed(question);
    }
    let mut asked = String::new();
    let mut seen = BTreeSet::new();
    let mut from_end = true;
    while let Some(line) = if from_end { lines.next_back() } else { lines.next() } {
        from_end = !from_end;
        if seen.insert(line) {
            asked.push_str(cut(line, LINE));
            asked.push('\n');
        }
        if cut(&asked, ASKED).len() < asked.len() {
            break;
        }
    }
    // Short enough to be kept as a whole when it is asked again.
    Cow::Owned(cut(asked.trim_end(), WHOLE).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_output_its_ends_are_asked_and_any_other_text_as_it_is() {
        let frames: Vec<String> =
            (0..12).map(|n| format!("  File \"/app/orders/views.py\", line {n}, in step{n}\n    return call{n}(request)")).collect();
        let trace = format!("Traceback (most recent call last):\n{}\nCartError: two carts\n", frames.join("\n"));
        let asked = asked_part(&trace);
        assert!(asked.starts_with("CartError: two carts\nTraceback (most recent call last):\nreturn call11(request)\n"), "{asked}");
        assert_eq!(asked_part(&asked), asked);
        assert!(asked.chars().count() <= WHOLE && !asked.contains("call5"), "{asked}");

        let paragraph = "A task of one paragraph, however long, begins with its subject. ".repeat(20);
        for whole in ["", "Why?", "a\nb\nc\nd\ne", &paragraph, &format!("{paragraph}\n\n{paragraph}\n{paragraph}\n")] {
            assert_eq!(asked_part(whole), whole);
        }
    }

    #[test]
    fn a_line_that_is_repeated_counts_once_and_a_long_one_by_its_beginning() {
        let same = "warning: überall dasselbe\n".repeat(100);
        assert_eq!(asked_part(&format!("{same}error: once\n")), "error: once\nwarning: überall dasselbe");
        let long = format!("{}\n{}\n{}\n{}\n", "ä".repeat(9_000), "b".repeat(9_000), "c".repeat(9_000), "d".repeat(9_000));
        assert_eq!(asked_part(&long), format!("{}\n{}", "d".repeat(LINE), "ä".repeat(LINE)));
    }
}
