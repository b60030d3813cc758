//! What is beside the entries: introductions, copies, headings, empty files.

use super::*;

const SAID: &str = "- The port 8080 must be free for `make serve`, else it hangs";

/// Introductions: before an entry, and after it.
const INTRODUCTIONS: [&str; 12] = [
    "How this project is served.",
    "Notes on running the suite.",
    "What we learnt about serving and its port.",
    "This section is about the server.",
    "Things to know before you serve:",
    "See also [money](money.md).",
    "Lessons learnt on ports and the server.",
    "A few rules for serving this project:",
    "The following notes are about `make serve`; see [money](money.md) for more.",
    "Why `make serve` hangs, and what to do about it.",
    "Everything about serving.",
    "Below is what we know about the port.",
];

/// Lessons that nobody learnt, in place of an introduction, and a word of the fault.
const LESSONS: [(&str, &str); 14] = [
    ("Always disable the cache before running these.", "\"always\""),
    ("These hold only on Windows.", "\"only\""),
    ("The following was tried in staging only.", "\"only\""),
    ("Disable the cache.", "disable"),
    ("If you are on Linux, skip these.", "\"if\""),
    ("The cache corrupts the ledger.", "cache"),
    ("The following applies to production.", "applies"),
    ("Notes on serving: never serve twice.", "\"never\""),
    ("Notes on serving. Restart the machine afterwards.", "restart"),
    ("How to serve, unless you are in a hurry.", "\"unless\""),
    ("What you should know about the port.", "\"should\""),
    ("Notes on serving on Windows.", "windows"),
    ("The port may be taken.", "\"may\""),
    ("These rules are for staging.", "staging"),
];

#[test]
fn an_introduction_names_what_follows_and_says_nothing() {
    for fine in INTRODUCTIONS {
        for said in
            [format!("\n## Serving\n\n{fine}\n\n{SAID} <!-- ralph:A -->\n"), format!("\n{SAID} <!-- ralph:A -->\n\n## More\n\n{fine}\n")]
        {
            assert_eq!(found(&[("A", PORT)], &said), Vec::<String>::new(), "{said}");
        }
    }
    for (lesson, word) in LESSONS {
        for said in [format!("\n## Serving\n\n{lesson}\n\n{SAID} <!-- ralph:A -->\n"), format!("\n{SAID} <!-- ralph:A -->\n\n{lesson}\n")] {
            let found = found(&[("A", PORT)], &said);
            assert!(found.iter().any(|fault| fault.contains(word) && fault.contains(&lesson[..8])), "{said}: {word:?} not in {found:#?}");
        }
    }
    let batch = [("A", "Run the integration suite with a single thread"), ("B", "The importer breaks when the locale is missing")];
    let said = "\n## Suite\n\nNotes on running the suite.\n\n- Run the integration suite with a single thread <!-- ralph:A -->\n\n## Importer\n\nWhat we learnt about the importer and its locale.\n\n- Without a locale the importer breaks <!-- ralph:B -->\n";
    assert_eq!(found(&batch, said), Vec::<String>::new());
}

/// An entry, what an agent makes of it (`@` is its mark), and words of the fault.
const BESIDE: [(&str, &str, &str); 14] = [
    // The same words several times.
    (
        PORT,
        "- The port 8080 must be free for `make serve`, else it hangs @\n\n## More\n\nThe port 8080 must be free for `make serve`, else it hangs",
        "says entry A again",
    ),
    (
        PORT,
        "- The port 8080 must be free for `make serve`, else it hangs @\n\n## More\n\nFor `make serve`, the port 8080 is free, else it hangs.",
        "says entry A again",
    ),
    (
        PORT,
        "How this is served.\n\n- The port 8080 must be free for `make serve`, else it hangs @\n\nHow this is served.",
        "says what docs/knowledge/money.md:5 says",
    ),
    (
        PORT,
        "Notes on serving this project.\n\n## Ports\n\nNotes on serving this project.\n\n- The port 8080 must be free for `make serve`, else it hangs @",
        "says what docs/knowledge/money.md:5 says",
    ),
    (
        PORT,
        "The port 8080 must be free for `make serve`, else it hangs.\n\n- The port 8080 must be free for `make serve`, else it hangs @",
        "twice",
    ),
    (
        PORT,
        "- The port 8080 must be free for `make serve`, else it hangs. The port 8080 must be free for `make serve`, else it hangs. @",
        "twice",
    ),
    (
        PORT,
        "- The port 8080 must be free for `make serve`, else it hangs\n- Port 8080 must be free for `make serve`, else it hangs @",
        "twice",
    ),
    // More than the entry among its words.
    (
        PORT,
        "- The port 8080 must be free for `make serve`, else it hangs. Always disable the cache before that. @",
        "do not say that: Always",
    ),
    (PORT, "- The port 8080 must be free for `make serve`, else it hangs. This holds on Windows. @", "do not say that: This holds"),
    (PORT, "On production:\n\n- The port 8080 must be free for `make serve`, else it hangs @", "(\"production\")"),
    // Headings that say something.
    (PORT, "## Always disable the cache\n\n- The port 8080 must be free for `make serve`, else it hangs @", "(\"always\")"),
    (PORT, "## Only on Windows\n\n- The port 8080 must be free for `make serve`, else it hangs @", "(\"only\")"),
    (PORT, "## Disable the cache\n\n- The port 8080 must be free for `make serve`, else it hangs @", "(\"disable the\")"),
    (PORT, "## If the cache is off\n\n- The port 8080 must be free for `make serve`, else it hangs @", "(\"if\")"),
];

#[test]
fn what_is_said_again_or_beside_an_entry_is_told() {
    let wrong = not_refused(&BESIDE);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for heading in ["Ports", "Inside the cache", "About the server", "Disabling the cache", "Free the port", "What must be free"] {
        assert_eq!(found(&[("A", PORT)], &format!("\n## {heading}\n\n{SAID} <!-- ralph:A -->\n")), Vec::<String>::new(), "{heading}");
    }
}

#[test]
fn a_new_file_holds_an_entry_or_what_stood_elsewhere() {
    let with = |file: &str, text: &str, money: &str| {
        let documents = |files: &[(&str, &str)]| -> Documents {
            files.iter().map(|(file, text)| (format!("docs/knowledge/{file}"), (*text).to_owned())).collect()
        };
        let before = documents(&[("money.md", BEFORE)]);
        let after = documents(&[("money.md", &format!("{money}\n{SAID} <!-- ralph:A -->\n")), (file, text)]);
        let batch = [Entry { key: "A".to_owned(), text: PORT.to_owned(), ..entry("") }];
        judged(&before, &after, &[format!("docs/knowledge/{file}")], &batch)
    };
    for text in ["# Serving\n", "# Serving\n\n## Ports\n\n## Seeds\n", "# Serving\n\nNotes on serving.\n", ""] {
        let found = with("serving.md", text, BEFORE);
        assert!(found.iter().any(|fault| fault.contains("serving.md: is new, and holds no entry")), "{text:?}: {found:?}");
    }
    let (title, prices) = BEFORE.split_at(BEFORE.find("- Prices").expect("is there"));
    let found = with("prices.md", &format!("# Prices\n\n{prices}"), title);
    assert!(found.len() == 1 && found[0].contains("stands below \"Prices\" and not below \"Money\""), "lines may move: {found:?}");
}

#[test]
fn several_entries_stand_under_their_introductions() {
    let batch = [
        ("A", "Run `make lint` before `make test`, never after a release"),
        ("B", "The importer reads CSV files with `;` as separator"),
        ("C", "Retry uploads up to 4 times"),
    ];
    let [lint, files, uploads] = [
        "- `make lint` comes before `make test`, and never after a release <!-- ralph:A -->",
        "- CSV files are read by the importer with `;` as their separator <!-- ralph:B -->",
        "- An upload is retried four times at most <!-- ralph:C -->",
    ];
    for fine in [
        format!(
            "\n## Quality\n\nWhat to run, and in which order.\n\n{lint}\n\n## Files\n\nHow the importer reads its files, and how uploads are retried.\n\n{files}\n{uploads}\n"
        ),
        format!("\nAn overview of linting, importing and uploading.\n\n{lint}\n{files}\n{uploads}\n"),
    ] {
        assert_eq!(found(&batch, &fine), Vec::<String>::new(), "{fine}");
    }
    for (twisted, word) in [
        (format!("\n{lint}\n\nThe importer retries uploads.\n\n{files}\n{uploads}\n"), "what introduces it"),
        (format!("\n{files}\n{uploads}\n{lint}\n\nThe importer retries uploads.\n"), "introduces none"),
        (format!("\n{lint}\n\n## Importer: deploy on Fridays\n\n{files}\n{uploads}\n"), "(\"deploy\")"),
        (format!("\n{lint}\n\nThe importer reads the suite.\n\n{files}\n{uploads}\n"), "(\"suite\")"),
        (format!("\n{lint}\n\n{}\n{uploads}\n", files.replace("their separator", "their separator on Solaris")), "does not say Solaris"),
        (format!("\n{lint}\n{files}\n{}\n", uploads.replace("at most", "at most in staging")), "without \"staging\""),
        (format!("\nHow uploads are never released.\n\n{lint}\n{files}\n{uploads}\n"), "introduces"),
    ] {
        let found = found(&batch, &twisted);
        assert!(found.iter().any(|fault| fault.contains(word)), "{twisted}: {word:?} not in {found:#?}");
    }
}
