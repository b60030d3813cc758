//! Secrets that only a name, a header or a place in a URL gives away: is this value a secret, or a word, a type, a path, an example?
//!
//! Both errors cost: a missed secret is kept in plain text, a redacted word makes a lesson useless. So the value must look random,
//! or, after a name that people give to passwords only, at least not like a word of a sentence.

use super::rules::{Found, entropy};
use regex::Regex;
use std::sync::LazyLock;

/// What a name promises about its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Chosen by a person: may be short and simple.
    Password,
    /// Made by a machine: long and random.
    Token,
}

/// Last words of names for what people choose.
const PASSWORD_WORDS: &[&str] = &["password", "passwd", "pwd", "passphrase", "passcode", "pass"];
/// Last words of names for what machines make.
const TOKEN_WORDS: &[&str] =
    &["secret", "token", "apikey", "secretkey", "accesskey", "authtoken", "accesstoken", "credential", "credentials"];
/// What makes the word `key` a secret one.
const KEY_WORDS: &[&str] = &[
    "api",
    "access",
    "private",
    "secret",
    "auth",
    "encryption",
    "signing",
    "account",
    "master",
    "service",
    "subscription",
    "session",
    "webhook",
    "license",
    "deploy",
    "app",
];
/// Words after the telling one that only say where the secret is used.
const PLACE_WORDS: &[&str] = &[
    "base",
    "prod",
    "production",
    "live",
    "test",
    "testing",
    "dev",
    "development",
    "staging",
    "stage",
    "local",
    "ci",
    "old",
    "new",
    "primary",
    "secondary",
    "default",
    "value",
];
/// Words that stand for a secret in documentation.
const PLACEHOLDER_WORDS: &[&str] = &[
    "your",
    "my",
    "the",
    "an",
    "a",
    "some",
    "example",
    "sample",
    "dummy",
    "fake",
    "mock",
    "test",
    "testing",
    "placeholder",
    "api",
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "pass",
    "pwd",
    "here",
    "change",
    "me",
    "changeme",
    "changeit",
    "insert",
    "replace",
    "with",
    "this",
    "todo",
    "redacted",
    "removed",
    "hidden",
    "masked",
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "required",
    "optional",
    "string",
    "str",
    "text",
    "user",
    "username",
    "value",
    "foo",
    "bar",
    "baz",
    "empty",
    "unset",
    "missing",
    "invalid",
    "expired",
    "disabled",
    "enabled",
    "access",
    "auth",
    "new",
    "default",
    "from",
    "env",
    "vault",
    "abc",
    "not",
    "set",
    "client",
    "app",
    "service",
    "private",
    "public",
    "database",
    "db",
];

static UUID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$").expect("a constant pattern"));
static ULID: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$").expect("a constant pattern"));
static HASH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(?:(?:sha\d{1,3}|md5)[-:=])?[0-9a-f]{7,128}$").expect("a constant pattern"));
/// Versions, dates, times, sizes, addresses: what begins with a digit and has a meaning of its own.
static MEASURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[v^~]?\d+(?:\.\d+)+(?:[-+][\w.+-]{1,40})?|\d{4}-\d\d-\d\d[\w:.+-]*|[\d.,_]+(?:[a-zA-Z%]{1,8})?|0x[0-9a-fA-F]{1,8})$")
        .expect("a constant pattern")
});
/// Words with at most two digits at their end, joined by the signs of identifiers, file names and module paths.
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[_.@#]?(?:[A-Za-z]{1,40}\d{0,2}|v?\d{1,4})(?:[-_./:|]{1,2}(?:[A-Za-z]{1,40}\d{0,2}|v?\d{1,4})){0,20}[_.:]?$")
        .expect("a constant pattern")
});
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:~|\.{1,2})?/[\w.@ -]+(?:/[\w.@ -]*)*$|^[A-Za-z]:\\|^[\w.@-]+(?:/[\w.@-]+)+\.\w{1,8}$|^[a-z][a-z0-9+.-]*://")
        .expect("a constant pattern")
});
/// Where a value comes from, instead of the value.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:self|this|config|cfg|env|process|os|req|request|ctx|context|settings|opts|options|args|params|state|props|data|user|response|res|body|headers|session|std|crate|secrets|vars|var|local|module|github|inputs)(?:\.|::|->|\?\.)",
    )
    .expect("a constant pattern")
});
/// Words beside a value that say it is public.
static PUBLIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:commit|sha\d*|rev|revision|hash|digest|checksum|version|branch|integrity|fingerprint|uuid|ulid)\b")
        .expect("a constant pattern")
});

/// For rules that know a value only by a name before it (gitleaks' `named` ones): whether it is something else after all.
pub(super) fn is_no_named_secret(found: &Found<'_>) -> bool {
    let value = found.secret;
    let name = found.whole.split(value).next().unwrap_or("");
    !value.bytes().any(|byte| byte.is_ascii_digit())
        || is_placeholder(value)
        || PUBLIC.is_match(name)
        || MEASURE.is_match(value)
        || IDENTIFIER.is_match(value)
        || PATH.is_match(value)
        || REFERENCE.is_match(value)
        || ((UUID.is_match(value) || ULID.is_match(value) || HASH.is_match(value)) && named_kind(name).is_none() && !names_a_product(name))
}

/// Whether a gitleaks rule named a product before the value; the generic one only ever matches the words below.
fn names_a_product(name: &str) -> bool {
    let generic = ["access", "auth", "api", "credential", "creds", "key", "passwd", "password", "secret", "token"];
    let name = name.to_ascii_lowercase();
    !generic.iter().any(|word| name.contains(word))
}

/// The condition of `assigned-secret` and `password-option`: `name = value`, `name: "value"`, `--name value`.
pub(super) fn is_assigned_secret(found: &Found<'_>) -> bool {
    let separator = found.group("sep");
    let option = separator.trim().is_empty();
    let quoted =
        found.after().trim_start_matches('\\').starts_with(['"', '\'', '`']) && found.text[..found.start].ends_with(['"', '\'', '`']);
    let name = found.group("name");
    let Some(kind) = kind_of(name) else { return false };
    let value = found.secret.trim_end_matches(['.', ',', ':', ';', '!', '?']);
    if is_placeholder(value) || is_expression(value, quoted, found.after()) {
        return false;
    }
    // `NAME=value` as in an .env file or a shell: whoever writes it so writes the value itself.
    if separator == "=" && is_environment_name(name) {
        return value.len() >= 6 && (kind == Kind::Password || !MEASURE.is_match(value)) && !is_public_word(value);
    }
    match kind {
        Kind::Password => is_password(value, separator.contains('=') && quoted) || (option && value.len() >= 6 && has_digit(value)),
        Kind::Token => is_random(value),
    }
}

/// The condition of `url-password`.
pub(super) fn is_url_password(found: &Found<'_>) -> bool {
    !is_placeholder(found.secret) && !found.secret.starts_with("//")
}

/// The condition of the two header rules: the value of an `Authorization` header, or what follows `Bearer`.
pub(super) fn is_authorization(found: &Found<'_>) -> bool {
    let value = found.secret;
    let basic = found.group("scheme").eq_ignore_ascii_case("basic");
    let mixed = value.bytes().skip(1).any(|b| b.is_ascii_uppercase()) && value.bytes().any(|b| b.is_ascii_lowercase());
    !is_placeholder(value) && !PATH.is_match(value) && ((basic && mixed) || is_random(value))
}

/// The condition of `cookie`: at least one value in it looks random.
pub(super) fn is_cookie(found: &Found<'_>) -> bool {
    found.secret.split([';', '=', ' ']).any(|part| part.len() >= 12 && is_random(part))
}

/// A password that a person chose: two kinds of characters, or quoted and assigned in code.
fn is_password(value: &str, assigned_in_quotes: bool) -> bool {
    let letters = value.bytes().any(|b| b.is_ascii_alphabetic());
    let signs = value.bytes().any(|b| b"!@#$%^&*+=~?".contains(&b));
    let digits = has_digit(value);
    let is_email = value.contains('@') && value.rsplit('@').next().is_some_and(|host| host.contains('.'));
    let is_sentence = value.split(' ').count() > 2;
    let is_joined = value.contains(['_', '-', '.', '/', ':', '|']) && IDENTIFIER.is_match(value);
    let is_measure = MEASURE.is_match(value) && letters;
    value.len() >= 6
        && !(is_email || is_sentence || is_joined || is_measure || is_public_word(value))
        && (digits || (letters && signs) || (assigned_in_quotes && !value.contains(' ')))
}

/// What only a machine writes: letters and digits mixed, no word, path, measure or well-known public form.
fn is_random(value: &str) -> bool {
    value.len() >= 8
        && !value.contains(' ')
        && has_digit(value)
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && entropy(value) > 2.6
        && !MEASURE.is_match(value)
        && !IDENTIFIER.is_match(value)
        && !PATH.is_match(value)
        && !is_public_word(value)
}

/// Names of algorithms and formats that carry digits.
fn is_public_word(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    [
        "sha1",
        "sha256",
        "sha384",
        "sha512",
        "sha-256",
        "sha-512",
        "base64",
        "base64url",
        "bcrypt",
        "argon2",
        "argon2id",
        "ed25519",
        "x25519",
        "rs256",
        "hs256",
        "oauth2",
        "utf-8",
        "boolean",
        "integer",
        "number",
    ]
    .contains(&value.as_str())
}

/// Whether a value stands for a secret in documentation instead of being one.
fn is_placeholder(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'', '`']);
    let lower = value.to_ascii_lowercase();
    let mut bytes = value.bytes();
    let first = bytes.next();
    if value.is_empty()
        || value.starts_with(['<', '$', '{', '%', '[', '(', '*', '…', '«', '‹'])
        || value.contains("...")
        || value.contains('…')
    {
        return true;
    }
    if bytes.all(|byte| Some(byte) == first) || lower.contains("xxxxxx") {
        return true;
    }
    let words = lower.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let counting = ["1234567890", "123456789", "0123456789"].iter().any(|count| count.starts_with(&lower));
    let mut any = false;
    let all = words.fold(true, |all, word| {
        any = true;
        all && (PLACEHOLDER_WORDS.contains(&word) || word.bytes().all(|byte| byte == b'x'))
    });
    any && all && digits <= 3 || (counting && value.len() < 6)
}

/// Whether an unquoted value is code: a call, an index, a type, a field.
fn is_expression(value: &str, quoted: bool, after: &str) -> bool {
    if PATH.is_match(value) || (!quoted && (value.contains("::") || value.contains("->"))) {
        return true;
    }
    !quoted && (after.starts_with(['(', '[', '{', '<']) || REFERENCE.is_match(value) || value.starts_with(['&', '/', '=', '>', '!']))
}

fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

/// `LIKE_THIS`: the name of an environment variable.
fn is_environment_name(name: &str) -> bool {
    name.len() >= 5 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// What the name before a separator promises.
fn named_kind(before: &str) -> Option<Kind> {
    let name = before.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    kind_of(name.rsplit(|c: char| c.is_whitespace() || c == ',' || c == '{').next().unwrap_or(name))
}

/// What a name promises about its value, by its last words.
fn kind_of(name: &str) -> Option<Kind> {
    let words = words_of(name);
    let last_telling = words.iter().rposition(|word| !PLACE_WORDS.contains(&word.as_str()) && !word.bytes().all(|b| b.is_ascii_digit()))?;
    let last = words[last_telling].as_str();
    let before = last_telling.checked_sub(1).map(|at| words[at].as_str());
    // `pass` alone is a verb and a test's verdict.
    if PASSWORD_WORDS.contains(&last) && (last != "pass" || before.is_some() || name.starts_with("--")) {
        return Some(Kind::Password);
    }
    let key = last == "key" && before.is_some_and(|word| KEY_WORDS.contains(&word));
    (key || TOKEN_WORDS.contains(&last) || name == "_auth").then_some(Kind::Token)
}

/// The lowercase words of a name, split at signs and where a capital begins.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut new_word = true;
    let mut after_lowercase = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            new_word = true;
            continue;
        }
        if new_word || (after_lowercase && c.is_ascii_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
        (new_word, after_lowercase) = (false, !c.is_ascii_uppercase());
    }
    words
}
