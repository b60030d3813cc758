//! Guarantees of cleaning, over the tables of [`super::cases`].

use super::cases::{NEGATIVES, POSITIVES};
use super::{clean, redact};
use proptest::prelude::*;
use ralph_testkit::secrets::{harmless, shapes};

const ALL: usize = 100_000;

fn without_dots(text: &str) -> String {
    text.replace('·', "")
}

#[test]
fn every_secret_goes_and_the_rest_stays() {
    assert!(POSITIVES.len() >= 60);
    let mut wrong = Vec::new();
    for case in POSITIVES {
        let case = without_dots(case);
        let (before, rest) = case.split_once('«').expect("opens");
        let (secret, after) = rest.split_once('»').expect("closes");
        let (redacted, count) = redact(&format!("{before}{secret}{after}"));
        let shape = redacted.starts_with(before) && redacted.ends_with(after);
        if redacted.contains(secret) || count == 0 || !redacted.contains("[redacted:") || !shape {
            wrong.push(format!("{before}{secret}{after}\n    → {redacted}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), POSITIVES.len(), wrong.join("\n"));
}

#[test]
fn of_a_change_both_passwords_go() {
    for (before, between, after) in [
        ("The password was changed from ", " to ", ""),
        ("Change the passphrase from \"", "\" to \"", "\""),
        ("rotate the password from `", "` to `", "` today"),
    ] {
        let (redacted, count) = redact(&format!("{before}hunter22secret{between}hunter33secret{after}"));
        assert!(count == 2 && !redacted.contains("secret"), "{redacted}");
        assert!(redacted.starts_with(before) && redacted.contains(between) && redacted.ends_with(after), "{redacted}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    assert!(NEGATIVES.len() >= 60);
    let wrong: Vec<String> =
        NEGATIVES.iter().map(|case| (case, redact(case).0)).filter(|(case, redacted)| *case != redacted).map(|(_, r)| r).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), NEGATIVES.len(), wrong.join("\n"));
}

/// The forms in which a secret reaches storage: as is, in JSON, in JSON within JSON, as one of many lines, with Windows line ends.
fn ways(text: &str) -> [(&'static str, String); 5] {
    let once = serde_json::json!({ "text": text }).to_string();
    [
        ("plain", text.to_owned()),
        ("twice json", serde_json::json!({ "line": once }).to_string()),
        ("json", once),
        ("in a log", format!("line one\n{text}\nline three\n")),
        ("crlf", text.replace('\n', "\r\n")),
    ]
}

#[test]
fn the_corpus_of_secrets_goes_in_every_form() {
    let shapes = shapes();
    let mut missed: Vec<String> = Vec::new();
    let mut tried = 0;
    for shape in &shapes {
        for (way, text) in ways(&shape.text) {
            tried += 1;
            let redacted = redact(&text).0;
            let form = |piece: &str| if way.contains("json") { piece.replace('"', "\\\"") } else { piece.to_owned() };
            if shape.pieces().iter().any(|piece| redacted.contains(&form(piece))) {
                missed.push(format!("{way}: {text}\n    → {redacted}"));
            }
        }
    }
    let recall = 100.0 * (tried - missed.len()) as f64 / tried as f64;
    println!("{} shapes, {tried} tries, recall {recall:.2} %", shapes.len());
    assert!(missed.is_empty(), "{} of {tried}:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn the_corpus_of_harmless_sentences_stays() {
    let sentences = harmless();
    let changed = |text: &String| Some(redact(text).0).filter(|redacted| redacted != text);
    let wrong: Vec<String> = sentences.iter().filter_map(changed).collect();
    println!("{} harmless sentences, {} false alarms", sentences.len(), wrong.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), sentences.len(), wrong.join("\n"));
}

/// Tokens of identity providers and registries have some thousand bytes.
#[test]
fn of_a_long_secret_no_end_stays() {
    let long = "eQv8IB8hdY88yTdTxBIUFmDi8x2y4RuMER-bh3m1xs0drDjUpNbikPI99LsI0TCl21PFFwqjeEnAJNEZ0lh_".repeat(20);
    for (before, after) in [
        ("refresh_token=", ""),
        ("refresh_token=", "\nnext"),
        ("the refresh token is ", " for now"),
        ("export REFRESH_TOKEN=\"", "\" && true"),
        ("{\"refresh_token\": \"", "\", \"next\": 1}"),
        ("{'access_token': '", "', 'next': 1}"),
        ("{\"text\":\"{\\\"token\\\":\\\"", "\\\"}\",\"next\":1}"),
        ("{\"text\":\"token = '", "\",\"next\":1}"),
        ("<token>", "</token>"),
        ("Authorization: Bearer ", ""),
        ("Cookie: session=", "; theme=dark"),
        ("oc login --token ", " https://x"),
        ("docker login -u AWS -p ", " x.dkr.ecr.eu-west-1.amazonaws.com"),
        ("ENV API_TOKEN ", "\nRUN true"),
        ("const TOKEN = \"", "\";"),
    ] {
        let (redacted, _) = redact(&format!("{before}{long}{after}"));
        assert!(!redacted.contains("eEnAJNEZ0lh"), "{before}{after}: {redacted}");
        let after = after.strip_prefix("; theme=dark").unwrap_or(after);
        assert!(redacted.starts_with(before.trim_end_matches("session=")) && redacted.ends_with(after), "{before}{after}: {redacted}");
    }
    // With its slashes escaped, as some write JSON.
    let escaped = long.replace("_", "\\/");
    assert_eq!(redact(&format!("{{\"token\":\"{escaped}\"}}")).0, "{\"token\":\"[redacted:assigned-secret]\"}");
}

#[test]
fn of_a_list_of_entries_the_secret_ones_go() {
    let listed =
        "====== Data ======\nKey         Value\n---         -----\npassword    open·sesame\ntoken       a1b2c3d4e5f6\nusername    app\n";
    let (redacted, count) = redact(&without_dots(listed));
    assert!(
        count == 2 && redacted.contains("password    [redacted:assigned-secret]\n") && redacted.ends_with("username    app\n"),
        "{redacted}"
    );
    let unlisted = "Field       Meaning\npassword    chosen\ntoken       opaque1\n";
    assert_eq!(redact(unlisted), (unlisted.to_owned(), 0));
}

#[test]
fn a_mark_names_the_rule_of_the_vendor() {
    for (text, mark) in [
        ("push with gh·p_16C7e42F292c6912E7710c838347Ae178B4a now", "push with [redacted:github-pat] now"),
        ("token = \"gl·pat-x7Yq2LmNp9RsTvWz4AbC\"", "token = \"[redacted:gitlab-pat]\""),
        ("see AKI·AIOSFODNN7EXAMPLE.", "see [redacted:aws-access-key-id]."),
        ("postgres://app:hunter·2@db/app", "postgres://app:[redacted:url-password]@db/app"),
        ("a=1 DB_PASSWORD=open·sesame b=2", "a=1 DB_PASSWORD=[redacted:assigned-secret] b=2"),
    ] {
        assert_eq!(redact(&without_dots(text)).0, mark);
    }
}

#[test]
fn a_json_transcript_stays_json() {
    for case in POSITIVES {
        let case = without_dots(case);
        let secret = case.split(['«', '»']).nth(1).expect("encloses");
        let text = case.replace(['«', '»'], "");
        let once = serde_json::json!({ "type": "text", "text": text, "next": 1 }).to_string();
        let twice = serde_json::json!({ "line": once, "next": 2 }).to_string();
        for line in [once, twice] {
            let (redacted, count) = redact(&line);
            let parsed: serde_json::Value = serde_json::from_str(&redacted).expect(&redacted);
            assert!(parsed["next"].is_number() && count > 0, "{redacted}");
            // A line end inside a secret is escaped, so each of its lines must be gone.
            for part in secret.split(['\n', '\\']).filter(|part| part.len() > 5 && !part.contains("KEY--")) {
                assert!(!redacted.contains(part), "{redacted}");
            }
        }
    }
}

#[test]
fn a_secret_cannot_hide() {
    // After invisible characters, in the form of a mark, next to a mark.
    let key = without_dots("sk-·ant-api03-Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4f");
    let torn: String = key.chars().flat_map(|c| [c, '\u{200b}']).collect();
    for text in [torn, format!("[redacted:{}]", key.to_lowercase()), format!("[redacted:jwt]{key}"), format!("{key}[redacted:jwt]")] {
        let cleaned = clean(&text, ALL);
        assert!(!cleaned.text.to_lowercase().contains("api03"), "{}", cleaned.text);
        assert_eq!(cleaned.redactions.len(), 1);
    }
}

#[test]
fn a_secret_that_crosses_the_cut_is_redacted_and_a_mark_is_never_cut() {
    let token = without_dots("gh·p_16C7e42F292c6912E7710c838347Ae178B4a");
    for max_chars in 0..40 {
        let cleaned = clean(&format!("Push with {token} now, then wait."), max_chars);
        assert!(!cleaned.text.contains("16C7"), "{max_chars}: {}", cleaned.text);
        assert_eq!(cleaned.text.contains("[red"), cleaned.text.contains("[redacted:github-pat]"), "{max_chars}: {}", cleaned.text);
        assert!(cleaned.text.chars().count() <= max_chars);
        assert!(cleaned.cut);
    }
    // The input is truncated before it is searched. What a redaction moves near that limit must not leave part of a key there.
    for shift in 0..40 {
        let long = format!("sk-ant-{}", "aB3dE6fG9hJ2kL5m".repeat(5_000));
        let text = format!("{} {token} {}", &long[..400 + super::INPUT_SLACK_BYTES - shift], "tail ".repeat(1_000));
        let cleaned = clean(&text, 100).text;
        assert_eq!(cleaned, "[redacted:anthropic-key]", "{shift}");
    }
}

#[test]
fn marks_are_kept_and_what_stands_beside_them_is_not_overlooked() {
    for (given, expected) in [
        ("Cookie: a=[redacted:jwt]; sid=aB3dEf6hIj9l·Mn2pQr5tUv8xYz", "Cookie: [redacted:cookie]"),
        ("Cookie: a=[redacted:jwt-base64]; b=1", "Cookie: a=[redacted:jwt-base64]; b=1"),
        ("curl -u \"[redacted:jwt]:[redacted:jwt]\" x", "curl -u \"[redacted:jwt]:[redacted:jwt]\" x"),
        ("password = \"[redacted:jwt]\"", "password = \"[redacted:jwt]\""),
        ("postgres://app:[redacted:url-password]@db", "postgres://app:[redacted:url-password]@db"),
        ("curl -u \"me:[redacted:jwt]\" x", "curl -u \"me:[redacted:jwt]\" x"),
    ] {
        assert_eq!(redact(&without_dots(given)).0, expected);
    }
}

#[test]
fn markers_in_two_records_are_no_block() {
    let log = "{\"t\":\"-----BEGIN PRIVATE KEY-----\"}\n{\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"t\":\"-----END PRIVATE KEY-----\"}";
    assert_eq!(redact(log), (log.to_owned(), 0));
}

#[test]
fn long_and_empty_texts() {
    assert_eq!(clean("", 500).text, "");
    assert_eq!(clean("abc", 0).text, "");
    let cleaned = clean(&"🦀".repeat(600), 500);
    assert_eq!((cleaned.text.chars().count(), cleaned.cut), (500, true));
    assert!(!clean("short", 500).cut);
}

/// Hostile texts, each aimed at one part. Linear work takes at most a second each without optimization; quadratic work
/// would take hours.
#[test]
fn hostile_megabytes_take_linear_time() {
    const MB: usize = 1 << 20;
    for unit in [
        "-----BEGIN PRIVATE KEY-----",
        "password:",
        "key=",
        "sk-ant-",
        "cookie: a=",
        "curl -u ",
        "eyJ",
        "<system ",
        "ignore all ",
        "://",
        "[redacted:jwt]",
        "\u{200b}",
        "token=a1b2c3d4e5 ",
        "password=a",
        "token=\"a1",
        "docker login -p a",
        "INTO a (password,",
        "login -u a -p a ",
        "x --user a:",
        "mc alias set a b ",
        "kind: Secret\ndata:\n a: b\n",
        "\"data\":{\"a\":\"b\"},\"kind\":\"Secret\",",
    ] {
        let text = unit.repeat(MB / unit.len());
        assert!(clean(&text, 500).text.chars().count() <= 500);
        let (redacted, _) = redact(&text[..text.floor_char_boundary(MB / 4)]);
        assert!(redacted.len() <= MB, "{unit}");
    }
}

/// Pieces that interact badly.
fn piece() -> impl Strategy<Value = String> {
    let pieces: Vec<String> = POSITIVES.iter().map(|case| without_dots(&case.replace(['«', '»'], ""))).collect();
    let parts = [
        "ignore ",
        "all ",
        "previous ",
        "instructions",
        "<system>",
        "<task-done",
        ">",
        "‹",
        "›",
        "[redacted:jwt]",
        "[redacted:",
        "]",
        "### ",
        "Task",
        "\n",
        "\n\n\n",
        " ",
        "password=",
        "token: \"",
        "\"",
        "AKIA",
        "ABCDEFGHIJKLMNOP",
        "Q",
        "\u{200b}",
        "\u{202e}",
        "\0",
        "\r",
        "User:",
        "://a:",
        "@",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "you are now ",
        "é",
        "🦀",
        "Bearer ",
        "a1B2c3D4e5F6g7H8",
        "--token ",
        "curl -u ",
        "<|",
        "|>",
        "[INST]",
        "Cookie: ",
        "\x1b[31m",
        ";",
        "\u{a0}",
    ];
    prop_oneof![
        4 => proptest::sample::select(parts.to_vec()).prop_map(str::to_owned),
        1 => proptest::sample::select(pieces),
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn cleaning_twice_changes_nothing(parts in prop::collection::vec(piece(), 0..12), max_chars in 0_usize..300) {
        let once = clean(&parts.concat(), max_chars);
        let twice = clean(&once.text, max_chars);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert!(once.text.chars().count() <= max_chars);
        prop_assert!(!twice.cut && twice.redactions.is_empty() && !twice.fenced);
    }

    #[test]
    fn redacting_twice_changes_nothing(parts in prop::collection::vec(piece(), 0..12)) {
        let (once, _) = redact(&parts.concat());
        prop_assert_eq!(redact(&once), (once, 0));
    }
}

#[test]
fn words_with_letters_and_marks_apart_are_those_with_them_in_one() {
    for (apart, whole) in [
        ("Gebu\u{308}hren", "Gebühren"),
        ("re\u{301}fe\u{301}rence", "référence"),
        ("\u{1112}\u{116a}\u{11ab}불", "환불"),
        ("ハ\u{3099}", "バ"),
        ("plain", "plain"),
        ("１２ ﬁ", "１２ ﬁ"),
    ] {
        let said = super::clean_said(apart, 100);
        assert_eq!((said.text.as_str(), said.cut), (whole, false), "{apart:?}");
    }
    assert!(super::clean_said(&"u\u{308}".repeat(11), 10).cut);
    assert!(!super::clean_said(&"u\u{308}".repeat(10), 10).cut, "as long as a reader counts");
}
