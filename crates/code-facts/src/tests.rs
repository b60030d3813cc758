use super::*;

fn named(language: Language, source: &str) -> Vec<(Option<String>, &str)> {
    let pieces = pieces(language, source).expect("a source");
    let mut last = 0;
    for piece in &pieces {
        assert!(piece.bytes.start >= last, "{pieces:?}");
        assert!(!source[last..piece.bytes.start].contains(char::is_alphanumeric), "nothing is left out: {pieces:?}");
        last = piece.bytes.end;
    }
    assert!(!source[last..].contains(char::is_alphanumeric), "nothing is left out: {pieces:?}");
    pieces.into_iter().map(|piece| (piece.name, source[piece.bytes].lines().find(|line| !line.trim().is_empty()).unwrap_or(""))).collect()
}

fn expect(language: Language, source: &str, expected: &[(&str, &str)]) {
    let found = named(language, source);
    let found: Vec<(&str, &str)> = found.iter().map(|(name, line)| (name.as_deref().unwrap_or(""), *line)).collect();
    assert_eq!(found, expected, "{language:?}");
}

#[test]
fn functions_and_types_are_pieces_with_what_stands_right_above_them() {
    expect(
        Language::Python,
        "import os\n\n# Pays back.\n@retry\ndef refund(a):\n    return a\n\nclass Ledger:\n    x = 1\n",
        &[("", "import os"), ("refund", "# Pays back."), ("Ledger", "class Ledger:")],
    );
    expect(
        Language::Rust,
        "use std::fs;\n\n/// Pays back.\n#[must_use]\npub fn refund() {}\n\nimpl Ledger {\n    fn a() {}\n}\n",
        &[("", "use std::fs;"), ("refund", "/// Pays back."), ("Ledger", "impl Ledger {")],
    );
    expect(
        Language::Go,
        "package pay\n\n// Refund pays back.\nfunc (l *Ledger) Refund() {}\n\ntype Ledger struct{ n int }\n",
        &[("", "package pay"), ("Refund", "// Refund pays back."), ("Ledger", "type Ledger struct{ n int }")],
    );
    expect(
        Language::Java,
        "package pay;\n\nimport a.B;\n\n/** Pays back. */\n@Service\npublic class Ledger {\n  int x;\n}\n\nrecord Refund(int a) {}\n",
        &[("", "package pay;"), ("Ledger", "/** Pays back. */"), ("Refund", "record Refund(int a) {}")],
    );
    let script = "import x from 'x'\n\n/** Pays back. */\nexport function refund() {}\nexport const view = () => 1\nexport default class Ledger {}\n";
    let pieces = [("", "import x from 'x'"), ("refund", "/** Pays back. */"), ("view", "export const view = () => 1")];
    for language in [Language::JavaScript, Language::TypeScript, Language::Tsx] {
        expect(language, script, &[&pieces[..], &[("Ledger", "export default class Ledger {}")]].concat());
    }
}

#[test]
fn a_long_class_is_its_methods() {
    let body = "        self.total += 1\n".repeat(60);
    let source =
        format!("class Ledger:\n    \"\"\"Sums.\"\"\"\n    def add(self):\n{body}\n    # Takes back.\n    def undo(self):\n{body}");
    expect(
        Language::Python,
        &source,
        &[("Ledger", "class Ledger:"), ("Ledger.add", "    def add(self):"), ("Ledger.undo", "    # Takes back.")],
    );
}

#[test]
fn a_source_with_faults_or_without_words_is_still_cut() {
    for source in ["", "\n\n", "}}}}", "def (((", "fn a( {\nfn b() {}\n", "ä = \"ö", "\u{feff}x", "class A {\r\n  b() {}\r\n}\r\n"] {
        for language in
            [Language::Go, Language::Java, Language::JavaScript, Language::Python, Language::Rust, Language::TypeScript, Language::Tsx]
        {
            named(language, source);
        }
    }
    let deep = "mod a {\n".repeat(3_000);
    named(Language::Rust, &deep);
}

#[test]
fn the_end_of_a_name_tells_the_language() {
    assert_eq!(Language::of("src/App.TSX"), Some(Language::Tsx));
    assert_eq!(Language::of("a/b.pyi"), Some(Language::Python));
    for path in ["README.md", "Makefile", "rs", "a.rs/b"] {
        assert_eq!(Language::of(path), None, "{path}");
    }
}
