//! Paths and identifiers in prose, split into parts. Both storing a learning and recall use these parts.

/// The words inside every path and identifier of `text`, lower case, in order, joined by spaces; empty where there is none.
///
/// `src/areas/startForm.tsx` gives `src areas start form tsx`, `HTTPServer2` gives `http server 2`. A word that has no parts is
/// omitted unless it is in backticks, which mark it as an identifier.
pub fn identifier_parts(text: &str) -> String {
    let mut parts = String::new();
    let mut quoted = false;
    for (place, stretch) in text.split('`').enumerate() {
        quoted = place % 2 == 1 && (quoted || stretch.len() <= QUOTED_BYTES);
        for token in stretch.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '\\' | '.' | '-' | ':' | '@'))) {
            push_parts(&mut parts, token, quoted);
        }
        quoted = false;
    }
    parts
}

/// A longer stretch between backticks is code or a stray backtick, not one identifier.
const QUOTED_BYTES: usize = 80;

fn push_parts(parts: &mut String, token: &str, quoted: bool) {
    let words: Vec<&str> = token.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let path = words.len() > 1 && token.contains(['_', '/', '\\', '@']) || is_file_name(token);
    let mut pieces: Vec<String> = Vec::new();
    for word in &words {
        pieces.extend(humps(word).into_iter().map(str::to_lowercase));
    }
    let cased = pieces.len() > words.len();
    if !(quoted || path || cased) {
        return;
    }
    for piece in pieces {
        if !parts.is_empty() {
            parts.push(' ');
        }
        parts.push_str(&piece);
    }
}

/// Splits `startForm2` at changes of case and between letters and digits: `start`, `Form`, `2`; `HTTPServer` into `HTTP`, `Server`.
fn humps(word: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let mut cuts = vec![0];
    for at in 1..chars.len() {
        let (before, here) = (chars[at - 1].1, chars[at].1);
        let after = chars.get(at + 1).map(|(_, c)| *c);
        let rise = before.is_lowercase() && here.is_uppercase();
        let acronym_ends = before.is_uppercase() && here.is_uppercase() && after.is_some_and(char::is_lowercase);
        let digits = before.is_ascii_digit() != here.is_ascii_digit();
        if rise || acronym_ends || digits {
            cuts.push(chars[at].0);
        }
    }
    cuts.push(word.len());
    cuts.windows(2).map(|w| &word[w[0]..w[1]]).filter(|w| !w.is_empty()).collect()
}

/// Extensions that mark a word with a dot as a file name, however short.
const FILE_ENDINGS: [&str; 45] = [
    "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "py", "go", "java", "rb", "php", "sh", "sql", "json", "yaml", "yml", "toml", "md", "css",
    "scss", "html", "c", "h", "cc", "cpp", "hpp", "swift", "kt", "vue", "svelte", "cs", "lock", "txt", "xml", "proto", "ini", "cfg", "env",
    "graphql", "prisma", "lua", "zig", "jsonl", "csv",
];

/// Whether a token is a file name by its extension, with or without folders.
pub fn is_file_name(token: &str) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    token.rsplit_once('.').is_some_and(|(stem, ending)| {
        stem.chars().last().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ']') && FILE_ENDINGS.contains(&ending)
    })
}

/// Whether a text names a file.
pub fn names_a_file(text: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '\\' | '.' | '-' | '@' | '[' | ']' | '('))).any(|token| {
        // `json.loads(` is a call, and so is `data.json(`.
        !token.contains('(') && is_file_name(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_identifiers_give_their_parts_and_prose_gives_none() {
        for (text, parts) in [
            ("Read src/areas/startForm.tsx first", "src areas start form tsx"),
            ("HTTPServer2 and get_user_name", "http server 2 get user name"),
            ("Run the tests before the migration.", ""),
            ("`cargo` is quoted, tests are not", "cargo"),
            ("config.toml holds it; e.g. this", "config toml"),
            ("E0425 means a name is missing", "e 0425"),
            ("", ""),
            ("```", ""),
            ("größeÄnderung", "größe änderung"),
        ] {
            assert_eq!(identifier_parts(text), parts, "{text}");
        }
    }

    #[test]
    fn a_file_is_named_by_its_ending_and_a_call_is_none() {
        for text in ["see `src/db/read.rs`", "Edit package.json.", "the page app/[id]/page.tsx", "in .ralph/config.toml, set it"] {
            assert!(names_a_file(text), "{text}");
        }
        for text in ["json.loads(text) fails", "e.g. this", "version 1.2.3", "call data.json() twice", "the end.", ""] {
            assert!(!names_a_file(text), "{text}");
        }
    }
}
