//! Small text functions shared by several nouns.

use crate::visible::{is_hidden, is_line_end};

/// Cuts `text` to at most `max_chars` characters, on a character boundary.
pub fn cut(text: &str, max_chars: usize) -> &str {
    // It has no more characters than bytes, and counting them means looking at each.
    if text.len() <= max_chars {
        return text;
    }
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// `text` on one line, without control characters, at most `max_chars` long.
pub fn one_line(text: &str, max_chars: usize) -> String {
    // Reads no more of a long text than necessary; runs of spaces shrink, so a factor of four suffices for prose.
    let visible: String = cut(text, max_chars.saturating_mul(4)).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let joined = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&joined, max_chars).to_owned()
}

/// The words of a text in lower case: its letters and digits, without signs.
pub fn plain_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// A sum of dollars in words, with `digits` decimals, or four below a cent, that leaves out `unpriced` unknown costs: never 0 unless it is
/// known to be.
pub fn dollars(usd: f64, unpriced: u32, digits: usize) -> String {
    let digits = if usd > 0.0 && usd < 0.01 { digits.max(4) } else { digits };
    match (unpriced, usd > 0.0) {
        (0, _) => format!("${usd:.digits$}"),
        (_, false) => "cost unknown".to_owned(),
        (_, true) => format!("more than ${usd:.digits$}"),
    }
}

/// The same for one agent, whose cost may lack what it did not report (`lacks`); `None` if nothing was used.
pub fn known_dollars(usd: Option<f64>, lacks: bool, digits: usize) -> Option<String> {
    (usd.is_some() || lacks).then(|| dollars(usd.unwrap_or(0.0), lacks.into(), digits))
}

/// A number shown beside the one that it must reach, with `digits` decimals: truncated, since rounded up it would claim to have reached
/// it.
pub fn reached(number: f64, digits: u8) -> String {
    let scale = 10_f64.powi(digits.into());
    // What is a whole number of such digits may be stored as a little less.
    format!("{:.*}", digits.into(), (number * scale + 1e-6).floor() / scale)
}

/// The beginning of a text, with a note of what is left out.
pub fn cut_visibly(text: &str, max_chars: usize) -> String {
    let shown = cut(text, max_chars);
    let left = text[shown.len()..].chars().count();
    if left == 0 { text.to_owned() } else { format!("{shown}… and {}", counted(left, "more character")) }
}

/// The beginning of a text on one line: its line ends stay visible, with a note of what is left out.
pub fn glance(text: &str, max_chars: usize) -> String {
    cut_visibly(&text.trim_end().replace('\n', " ⏎ "), max_chars)
}

/// A name on one line: its line ends and everything else that is invisible are escaped, as in `a\nb`.
pub fn on_one_line(name: &str) -> String {
    let mut line = String::with_capacity(name.len());
    for c in name.chars() {
        if is_hidden(c) || is_line_end(c) { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// A number and its noun, in the plural unless the number is one.
pub fn counted(count: impl std::fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    match noun.strip_suffix('y') {
        _ if count == "1" => format!("1 {noun}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ if noun.ends_with("ss") => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}

/// The same of a list that names `most` at most: there may be more.
pub fn counted_up_to(most: usize, named: usize, noun: &str) -> String {
    if named < most { counted(named, noun) } else { format!("at least {}", counted(named, noun)) }
}

/// The same with its verb: `1 line is`, `2 lines are`.
pub fn counted_are(count: impl std::fmt::Display, noun: &str) -> String {
    let counted = counted(count, noun);
    if counted.starts_with("1 ") { counted + " is" } else { counted + " are" }
}

/// The first `most` of some names, and how many more there are.
pub fn listed(names: &[impl AsRef<str>], most: usize) -> String {
    let first = names.iter().take(most).map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    match names.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// A word of a command that a person is told to type. Names come from repositories and agents: whatever a shell could misinterpret is
/// quoted.
pub fn in_shell(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+@:".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { quoted_in_shell(word) }
}

/// The same, always between quotes. Windows' own shell knows only the double ones.
pub fn quoted_in_shell(word: &str) -> String {
    if cfg!(windows) { format!("\"{word}\"") } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// The line, from 1, of a byte of a text.
///
/// # Panics
/// When the byte is not the first one of a character.
pub fn line_at(text: &str, at: usize) -> u32 {
    u32::try_from(text[..at].matches('\n').count() + 1).unwrap_or(u32::MAX)
}

/// Bytes as hexadecimal digits, two for each, in lower case.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A system message without its error number: "Permission denied (os error 13)".
pub fn without_error_numbers(message: &str) -> String {
    const BEGIN: &str = " (os error ";
    let (mut words, mut rest) = (String::new(), message);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        words.push_str(before);
        match after.split_once(')') {
            Some((number, tail)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest = tail,
            _ => {
                words.push_str(BEGIN);
                rest = after;
            }
        }
    }
    words + rest
}

/// Declares an enum that is one snake_case word on the wire, in the database and on the command line.
#[macro_export]
macro_rules! word_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "specta", derive(specta::Type))]
        $(#[$meta])*
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word on the wire, in the database and on the command line.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::text::UnknownWord;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|v| v.as_str() == word).ok_or_else(|| $crate::text::UnknownWord {
                    what: stringify!($name),
                    word: $crate::text::cut(word, 40).to_owned(),
                    known: Self::ALL.iter().map(|v| v.as_str()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}

/// A word that is not a value of an enum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{word}' is not {}; use one of: {known}", with_article(what))]
pub struct UnknownWord {
    /// The Rust name of the enum.
    pub what: &'static str,
    /// The given word.
    pub word: String,
    /// The valid values.
    pub known: String,
}

impl UnknownWord {
    /// The same, where `all` is valid too.
    #[must_use]
    pub fn or_all(self) -> UnknownWord {
        UnknownWord { known: format!("{}, all", self.known), ..self }
    }
}

/// A type's name as people say it: `AuditClass` is an audit class.
fn with_article(name: &str) -> String {
    let mut words = if name.starts_with(['A', 'E', 'I', 'O']) { "an " } else { "a " }.to_owned();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_uppercase() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// Bytes of a model's name.
const MODEL_BYTES: usize = 100;

/// Whether it can be passed to an agent as a model's name: one word that is not an option.
pub fn is_model_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.len() <= MODEL_BYTES
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:/@[]".contains(c))
}

/// The word that a misspelt one was most likely meant to be: at most a third of its letters, and never more than two, are wrong,
/// missing, too many or swapped with their neighbour.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = word.chars().count();
    let near = known.into_iter().filter(|other| other.chars().count().abs_diff(letters) <= 2).map(|other| (mistakes(word, other), other));
    near.filter(|(mistakes, _)| *mistakes <= (letters / 3).min(2)).min_by_key(|(mistakes, _)| *mistakes).map(|(_, other)| other)
}

/// How many such mistakes separate two words.
fn mistakes(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let first: Vec<usize> = (0..=other.len()).collect();
    let (mut before, mut row) = (first.clone(), first);
    for i in 1..=one.len() {
        let mut next = vec![i];
        for j in 1..=other.len() {
            let mut fewest = (row[j] + 1).min(next[j - 1] + 1).min(row[j - 1] + usize::from(one[i - 1] != other[j - 1]));
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                fewest = fewest.min(before[j - 2] + 1);
            }
            next.push(fewest);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::{
        counted, counted_are, counted_up_to, cut, dollars, glance, listed, nearest, on_one_line, one_line, reached, without_error_numbers,
    };

    #[test]
    fn a_small_or_unknown_cost_is_not_told_as_none() {
        for (usd, unpriced, digits, expected) in [
            (0.0, 0, 2, "$0.00"),
            (0.004, 0, 2, "$0.0040"),
            (0.01, 0, 2, "$0.01"),
            (0.07, 0, 4, "$0.0700"),
            (0.004, 1, 2, "more than $0.0040"),
            (0.0, 1, 2, "cost unknown"),
        ] {
            assert_eq!(dollars(usd, unpriced, digits), expected);
        }
    }

    #[test]
    fn a_number_that_just_misses_its_bound_is_not_told_as_reaching_it() {
        for (number, digits, told) in [
            (79.6, 0, "79"),
            (80.0, 0, "80"),
            (0.57 * 100.0, 0, "57"),
            (0.3996, 2, "0.39"),
            (0.4, 2, "0.40"),
            (6.96, 1, "6.9"),
            (7.0, 1, "7.0"),
        ] {
            assert_eq!(reached(number, digits), told, "{number}");
        }
    }

    #[test]
    fn a_misspelt_word_is_known_by_few_mistakes() {
        let known = ["max_usd", "max_minutes", "check", "model", "models"];
        for (word, expected) in [
            ("max_usdd", Some("max_usd")),
            ("max_us", Some("max_usd")),
            ("max-usd", Some("max_usd")),
            ("amx_usd", Some("max_usd")),
            ("hceck", Some("check")),
            ("models", Some("models")),
            ("modelx", Some("model")),
            ("max_dollars", None),
            ("cut", None),
            ("", None),
            ("🦀🦀🦀", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }

    #[test]
    fn an_unknown_word_is_told_without_the_name_of_a_type() {
        let fault = "nonsense".parse::<crate::audit::AuditClass>().expect_err("no class").to_string();
        assert!(fault.starts_with("'nonsense' is not an audit class; use one of: duplicate, "), "{fault}");
    }

    #[test]
    fn cuts_on_a_character_boundary() {
        assert_eq!(cut("naïve", 3), "naï");
        assert_eq!(cut("ab", 3), "ab");
        assert_eq!(cut("🦀🦀", 1), "🦀");
    }

    #[test]
    fn a_glance_tells_what_it_leaves_out() {
        assert_eq!(glance("ls # looks\ncurl x\n", 40), "ls # looks ⏎ curl x");
        assert_eq!(glance("abcdef", 4), "abcd… and 2 more characters");
    }

    #[test]
    fn one_line_has_no_breaks_and_no_control_characters() {
        assert_eq!(one_line("  a\nb\t\u{1b}[1m  c ", 20), "a b [1m c");
        assert_eq!(one_line("a    b", 2), "a ");
    }

    #[test]
    fn one_thing_is_told_in_the_singular() {
        assert_eq!([counted(0, "line"), counted(1, "line"), counted(21, "line")], ["0 lines", "1 line", "21 lines"]);
        assert_eq!([counted_up_to(2, 1, "file"), counted_up_to(2, 2, "file")], ["1 file", "at least 2 files"]);
        assert_eq!([counted(1, "entry"), counted(2, "entry")], ["1 entry", "2 entries"]);
        assert_eq!([counted(1, "day"), counted(2, "active day")], ["1 day", "2 active days"]);
        assert_eq!([counted(1, "process"), counted(2, "process")], ["1 process", "2 processes"]);
        assert_eq!([counted_are(1, "line"), counted_are(11, "row")], ["1 line is", "11 rows are"]);
    }

    #[test]
    fn of_a_long_list_the_rest_is_counted() {
        assert_eq!(listed(&["a", "b"], 2), "a, b");
        assert_eq!(listed(&["a", "b", "c", "d"].map(str::to_owned), 2), "a, b and 2 more");
        assert_eq!(listed(&[""; 0], 2), "");
    }

    #[test]
    #[cfg(unix)]
    fn no_letter_of_a_name_means_anything_to_a_shell() {
        for (word, typed) in [
            ("feat/a-1.2_x", "feat/a-1.2_x"),
            ("größe", "größe"),
            ("/home/My App/x", "'/home/My App/x'"),
            ("a;touch${IFS}b", "'a;touch${IFS}b'"),
            ("~/x", "'~/x'"),
            ("a$(b)`c`", "'a$(b)`c`'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(super::in_shell(word), typed);
        }
    }

    #[test]
    fn of_a_name_on_one_line_nothing_is_hidden() {
        assert_eq!(on_one_line("a\nb\tc \u{1b}[1m"), "a\\nb\\tc \\u{1b}[1m");
        assert_eq!(on_one_line("naïve\u{202e}txt\u{2028}"), "naïve\\u{202e}txt\\u{2028}");
    }

    #[test]
    fn no_message_ends_in_a_number_of_the_system() {
        let system = std::io::Error::from_raw_os_error(13).to_string();
        assert!(!without_error_numbers(&system).contains("os error"), "{system}");
        assert_eq!(without_error_numbers("a (os error 2): b (os error 13)"), "a: b");
        assert_eq!(without_error_numbers("about (os error handling) and (os error 2"), "about (os error handling) and (os error 2");
    }
}
