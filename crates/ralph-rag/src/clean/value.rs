//! Is a value a secret, or a word, a type, a path, an example?
//!
//! Both errors are costly: a missed secret is stored in plain text, a redacted word makes a lesson useless. So the value must look random
//! or, after a name used only for passwords, at least not like a word of a sentence.

use super::found::SecretCandidate;
use super::words::{ALGORITHMS, PLACEHOLDER_WORDS};
use ralph_core::secret::{Promise, promise_of};
use regex::Regex;
use std::sync::LazyLock;

static UUID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$").expect("a constant pattern"));
static ULID: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$").expect("a constant pattern"));
static HASH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(?:(?:sha\d{1,3}|md5)[-:=])?[0-9a-f]{7,128}$").expect("a constant pattern"));
/// Versions, dates, times, sizes, addresses: values that begin with a digit and have a known meaning.
static MEASURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[v^~]?\d+(?:\.\d+)+(?:[-+][\w.+-]{1,40})?|\d{4}-\d\d-\d\d[\w:.+-]*|[\d.,_]+(?:[a-zA-Z%]{1,4}|[A-Z]?[a-z]{5,8})?|0x[0-9a-fA-F]{1,8})$")
        .expect("a constant pattern")
});
/// Words with at most two trailing digits, joined by the separators of identifiers, file names and module paths.
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    let part = r"(?:[A-Za-z]{1,40}\d{0,2}|v?\d{1,4}|\d{1,2}[A-Za-z]{1,12})";
    Regex::new(&format!(r"^[_.@#]?{part}(?:[-_./:|]{{1,2}}{part}){{0,20}}[_.:]?$")).expect("a constant pattern")
});
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:~|\.{1,2})?/[\w.@ -]+(?:/[\w.@ -]*)*$|^[A-Za-z]:\\|^[\w.@-]+(?:/[\w.@-]+)+\.\w{1,8}$|^[a-z][a-z0-9+.-]*://")
        .expect("a constant pattern")
});
/// A reference to a value, instead of the value.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:self|this|config|cfg|env|process|os|req|request|ctx|context|settings|opts|options|args|params|state|props|data|user|response|res|body|headers|session|std|crate|secrets|vars|var|local|module|github|inputs|import)(?:\.|::|->|\?\.)",
    )
    .expect("a constant pattern")
});
/// An algorithm with its parameters: `argon2id128`, `bcrypt2b12`.
static ALGORITHM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?i)(?:argon2(?:id|i|d)?|(?:b|s|yes)crypt|pbkdf2)(?:[-_]?[a-z]{0,2}\d{1,6}(?:[a-z]\d{0,4})?){0,2}$")
        .expect("a constant pattern")
});
/// App passwords of Apple and Google.
static APP_PASSWORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[a-z]{4}(?:-[a-z]{4}){3}$").expect("a constant pattern"));
/// What most headers have before the value that logs in.
const SCHEMES: [&str; 8] = ["bearer", "basic", "token", "apikey", "digest", "negotiate", "key", "bot"];
/// Words that say that a value has changed.
static CHANGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:chang|rotat|reset|updat|switch|replac)").expect("a constant pattern"));
/// Words next to a value that mark it as public.
static PUBLIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:commit|sha\d*|rev|revision|hash|digest|checksum|version|branch|integrity|fingerprint|uuid|ulid)\b")
        .expect("a constant pattern")
});

/// For rules that identify a value only by a preceding name (gitleaks' `named` ones): whether it is not a secret after all.
pub(super) fn is_no_named_secret(found: &SecretCandidate<'_>) -> bool {
    let value = found.secret;
    let name = found.whole.split(value).next().unwrap_or("");
    let is_public = || UUID.is_match(value) || ULID.is_match(value) || HASH.is_match(value);
    !has_digit(value)
        || is_placeholder(value)
        || PUBLIC.is_match(name)
        || MEASURE.is_match(value)
        || IDENTIFIER.is_match(value)
        || PATH.is_match(value)
        || REFERENCE.is_match(value)
        || (is_public() && last_name(name).is_none_or(|name| promise_of(name).is_none()) && !names_a_product(name))
}

/// The name right before a separator.
fn last_name(before: &str) -> Option<&str> {
    before.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).rsplit(|c: char| c.is_whitespace() || c == ',' || c == '{').next()
}

/// Whether a gitleaks rule named a product before the value; the generic one only matches the words below.
fn names_a_product(name: &str) -> bool {
    let generic = ["access", "auth", "api", "credential", "creds", "key", "passwd", "password", "secret", "token"];
    let name = name.to_ascii_lowercase();
    !generic.iter().any(|word| name.contains(word))
}

/// A value as it is meant: what ends a sentence or closes a bracket around it is not part of it.
pub(super) fn said(secret: &str) -> &str {
    secret.trim_end_matches(['.', ',', ':', ';', '!', '?', ')'])
}

/// The condition of `password-option`: the value of an option that takes a secret.
pub(super) fn is_option(found: &SecretCandidate<'_>) -> bool {
    let value = said(found.secret);
    let quoted = found.text[..found.start].ends_with(['"', '\'']);
    if is_placeholder(value) || is_expression(value, quoted, found.after()) {
        return false;
    }
    match promise_of(found.group("name")) {
        Some(Promise::Password) => {
            is_password(value, quoted)
                || (value.len() >= 6 && has_digit(value))
                || is_joined_words(value)
                || is_jumbled(value)
                || APP_PASSWORD.is_match(value)
        }
        Some(Promise::Token) => is_random(value) || UUID.is_match(value),
        Some(Promise::Handle) | None => false,
    }
}

/// Letters with a capital in the middle, which no word of a sentence has; not the name of a password.
fn is_joined_words(value: &str) -> bool {
    value.len() >= 6
        && value.bytes().all(|byte| byte.is_ascii_alphabetic())
        && value.bytes().any(|byte| byte.is_ascii_lowercase())
        && value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
        && promise_of(value).is_none()
}

/// The condition of `url-password`.
pub(super) fn is_url_password(found: &SecretCandidate<'_>) -> bool {
    !is_placeholder(found.secret) && !found.secret.starts_with("//")
}

/// The condition of the two header rules: the value of an `Authorization` header, or what follows `Bearer`.
pub(super) fn is_authorization(found: &SecretCandidate<'_>) -> bool {
    let value = found.secret;
    let scheme = found.group("scheme");
    let basic = scheme.eq_ignore_ascii_case("basic");
    // After a word that is not a scheme, a word of a sentence is possible too.
    let known = scheme.is_empty() || SCHEMES.contains(&scheme.to_ascii_lowercase().as_str());
    let mixed = value.bytes().skip(1).any(|b| b.is_ascii_uppercase()) && value.bytes().any(|b| b.is_ascii_lowercase());
    !is_placeholder(value) && !PATH.is_match(value) && ((basic && mixed) || (known && is_random(value)) || is_told_token(value))
}

/// The condition of `cookie`: at least one value in it looks random.
pub(super) fn is_cookie(found: &SecretCandidate<'_>) -> bool {
    found.secret.split([';', '=', ' ']).any(|part| part.len() >= 12 && is_random(part))
}

/// The condition of `session-cookie`: the name marks the value as a session.
pub(super) fn is_session(found: &SecretCandidate<'_>) -> bool {
    let public = UUID.is_match(found.secret) || ULID.is_match(found.secret);
    found.secret.len() >= 16 && !public && !is_placeholder(found.secret) && has_digit(found.secret) && !IDENTIFIER.is_match(found.secret)
}

/// A password chosen by a person: two kinds of characters, or quoted and assigned in code.
pub(super) fn is_password(value: &str, assigned_in_quotes: bool) -> bool {
    let letters = value.chars().any(char::is_alphabetic);
    let signs = value.bytes().any(|b| b"!@#$%^&*+=~?".contains(&b));
    let digits = has_digit(value);
    let is_email = value.contains('@') && value.rsplit('@').next().is_some_and(|host| host.contains('.'));
    let is_sentence = value.split(' ').count() > 2;
    let is_joined = value.contains(['_', '-', '.', '/', ':', '|']) && is_identifier(value);
    let is_measure = MEASURE.is_match(value) && letters;
    value.len() >= 6
        && !(is_email || is_sentence || is_joined || is_measure || is_public_word(value))
        && ((digits && (letters || value.len() >= 8)) || (letters && signs) || (assigned_in_quotes && !value.contains(' ')))
}

/// A password in a sentence: as [`is_password`], unless it looks like a word of a sentence.
pub(super) fn is_told_password(value: &str) -> bool {
    let shortened = value.trim_end_matches("'s");
    is_password(shortened, false) && !is_measured(shortened) && !shortened.ends_with("()") && !value.starts_with(['#', '@', '+', '~', '='])
}

/// The same as a rule's condition.
pub(super) fn is_told(found: &SecretCandidate<'_>) -> bool {
    let value = said(found.secret);
    is_told_password(value) && !is_placeholder(value) && !PATH.is_match(value) && !is_expression(value, false, found.after())
}

/// The same for a password that has changed. A word with a number may be a place that it is moved from or to.
pub(super) fn is_told_to_change(found: &SecretCandidate<'_>) -> bool {
    is_told(found) && (CHANGE.is_match(found.line()) || !IDENTIFIER.is_match(found.secret))
}

/// The same right after the noun, where its kind or its place is usually named: it must look random.
pub(super) fn is_told_without_a_word_between(found: &SecretCandidate<'_>) -> bool {
    let value = said(found.secret);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    is_told(found) && digits >= 2 && is_told_token(value) && !is_public_form(value)
}

/// A token right after words such as "API key", where a name with a number in it is possible too.
pub(super) fn is_told_key(found: &SecretCandidate<'_>) -> bool {
    let value = said(found.secret);
    let is_hex = || value.len() >= 32 && HASH.is_match(value) && entropy(value) > 2.6;
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    digits >= 2
        && !is_placeholder(value)
        && !is_expression(value, false, found.after())
        && (is_hex() || (is_told_token(value) && !is_public_form(value)))
}

/// Letters only, whose case alternates as in no name: made by a generator.
pub(super) fn is_jumbled(value: &str) -> bool {
    let large = value.bytes().filter(u8::is_ascii_uppercase).count();
    let is_mixed = large * 4 >= value.len() && large * 4 <= value.len() * 3;
    value.len() >= 10 && is_mixed && value.bytes().all(|byte| byte.is_ascii_alphabetic()) && !is_camel_case(value)
}

/// Joined words and abbreviations, each with a capital letter: `MyDBPassword`, `PasswordResetDTO`.
fn is_camel_case(value: &str) -> bool {
    let bytes = value.as_bytes();
    let begins = |at: usize| {
        let ends_abbreviation = bytes[at - 1].is_ascii_uppercase() && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        bytes[at].is_ascii_uppercase() && (bytes[at - 1].is_ascii_lowercase() || ends_abbreviation)
    };
    let starts: Vec<usize> = std::iter::once(0).chain((1..bytes.len()).filter(|at| begins(*at))).collect();
    let ends = starts[1..].iter().copied().chain([bytes.len()]);
    let is_word = |part: &str| part.bytes().any(|byte| b"aeiouyAEIOUY".contains(&byte));
    let mut parts = starts.iter().zip(ends).filter_map(|(start, end)| value.get(*start..end));
    parts.all(|part| part.len() >= 2 && (part.bytes().all(|byte| byte.is_ascii_uppercase()) || is_word(part)))
}

/// `128-bit`, `16+`, `8–64`, `10MiB`, `30minutes`: a number with its unit, which has no capital among its small letters unless it is short.
fn is_measured(value: &str) -> bool {
    let rest = value.trim_start_matches(|c: char| c.is_ascii_digit() || ".,–-+×x".contains(c));
    let small = rest.bytes().skip(1).all(|b| b.is_ascii_lowercase());
    let is_unit = || rest.len() <= 4 || (rest.len() <= 10 && small) || value.contains('-');
    rest.len() < value.len() && rest.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-') && is_unit()
}

/// Whether all parts of a compound value are words, numbers or algorithms.
pub(super) fn is_identifier(value: &str) -> bool {
    IDENTIFIER.is_match(value) || {
        let mut parts = value.split(['_', '-', '.', '/', ':', '|']).filter(|part| !part.is_empty());
        parts.all(|part| IDENTIFIER.is_match(part) || ALGORITHMS.contains(&part.to_ascii_lowercase().as_str()))
    }
}

/// Machine-generated: letters and digits mixed, not a word, path, measure or well-known public form.
pub(super) fn is_random(value: &str) -> bool {
    value.len() >= 8
        && !value.contains(' ')
        && has_digit(value)
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && entropy(value) > 2.6
        && !MEASURE.is_match(value)
        && !is_identifier(value)
        && !PATH.is_match(value)
        && !is_public_word(value)
        && (!value.contains(['/', '\u{2f}']) || is_mixed(value))
}

/// A token in a sentence, where names with a number in them are possible too.
pub(super) fn is_told_token(value: &str) -> bool {
    is_random(value) && is_mixed(value) && !value.contains('(')
}

/// A token that is identified only by its look.
pub(super) fn is_long_and_random(value: &str) -> bool {
    value.len() >= 20 && is_told_token(value) && !is_public_form(value)
}

/// A public identifier: never a secret by itself.
pub(super) fn is_public_form(value: &str) -> bool {
    UUID.is_match(value) || ULID.is_match(value) || HASH.is_match(value)
}

/// Whether letters and digits alternate as in no word: twice within one part, or a three-digit number after letters.
fn is_mixed(value: &str) -> bool {
    value.split(['_', '-', '.', '/', ':', '+', '=', '~']).any(|part| {
        let kinds = || part.bytes().map(|b| b.is_ascii_digit());
        let changes = kinds().zip(kinds().skip(1)).filter(|(a, b)| a != b).count();
        part.len() >= 4 && (changes >= 2 || (changes == 1 && part.bytes().filter(u8::is_ascii_digit).count() >= 3 && value.len() >= 8))
    })
}

/// Names of algorithms, formats and products that contain digits.
fn is_public_word(value: &str) -> bool {
    ALGORITHMS.contains(&value.to_ascii_lowercase().as_str()) || ALGORITHM.is_match(value)
}

/// Whether a value is a placeholder for a secret in documentation.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'', '`']);
    let lower = value.to_lowercase();
    let mut bytes = value.bytes();
    let first = bytes.next();
    if value.is_empty()
        || value.starts_with(['<', '$', '{', '%', '[', '(', '*', '…', '«', '‹', '•', '●'])
        || value.contains("...")
        || value.contains('…')
        || value.contains("***")
        || value.contains("${")
        || value.contains("{{")
    {
        return true;
    }
    if bytes.all(|byte| Some(byte) == first) || lower.contains("xxxxxx") {
        return true;
    }
    let words = lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let counting = ["1234567890", "123456789", "0123456789"].iter().any(|count| count.starts_with(&lower));
    // A value with `your` or `example` in it is not a real one.
    if digits <= 3 && words.clone().any(|word| ["your", "example", "placeholder", "changeme", "dummy", "redacted"].contains(&word)) {
        return true;
    }
    let mut any = false;
    let all = words.fold(true, |all, word| {
        any = true;
        all && (PLACEHOLDER_WORDS.contains(&word) || word.bytes().all(|byte| byte == b'x'))
    });
    any && all && digits <= 3 || (counting && value.len() < 6)
}

/// Whether an unquoted value is code: a call, an index, a type, a field.
pub(super) fn is_expression(value: &str, quoted: bool, after: &str) -> bool {
    // A cluster's token: a long digest on one side, which no path of code has.
    let is_module = value.contains("::") && !value.split("::").any(|part| part.len() >= 32 && is_told_token(part));
    if PATH.is_match(value) || (!quoted && (is_module || value.contains("->"))) {
        return true;
    }
    !quoted && (after.starts_with(['(', '[', '{', '<']) || REFERENCE.is_match(value) || value.starts_with(['&', '/', '=', '>', '!']))
}

/// The words from which a wallet is restored: twelve or more from a list without the small words of sentences.
pub(super) fn is_mnemonic(found: &SecretCandidate<'_>) -> bool {
    const OF_SENTENCES: [&str; 11] = ["the", "and", "for", "are", "was", "has", "with", "from", "not", "your", "words"];
    let words = || found.secret.split(' ');
    words().count().is_multiple_of(3) && !words().any(|word| OF_SENTENCES.contains(&word))
}

/// Keys of 16, 24 or 32 bytes, as ledgers, ciphers and many services have them.
pub(super) fn is_hex_key(value: &str) -> bool {
    let digits = value.strip_prefix("0x").unwrap_or(value);
    [32, 48, 64].contains(&digits.len())
        && has_digit(digits)
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && entropy(digits) > 2.6
}

pub(super) fn is_measure(value: &str) -> bool {
    MEASURE.is_match(value)
}

pub(super) fn is_path(value: &str) -> bool {
    PATH.is_match(value)
}

/// Whether a value is read from elsewhere: `process.env.TOKEN`.
pub(super) fn is_reference(value: &str) -> bool {
    REFERENCE.is_match(value)
}

pub(super) fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

/// Shannon entropy in bits per byte.
pub(super) fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in text.as_bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = text.len() as f64;
    counts.iter().filter(|&&count| count > 0).map(|&count| f64::from(count) / total).map(|p| -p * p.log2()).sum()
}
