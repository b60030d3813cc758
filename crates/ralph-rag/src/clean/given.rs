//! Values given to a program or a field, where no sentence can be: anything but an example, a variable or a measure is a secret.

use super::found::SecretCandidate;
use super::value::{
    has_digit, is_identifier, is_measure, is_password, is_path, is_placeholder, is_public_form, is_reference, is_told_token, said,
};
use super::words::{OPTION_WORDS, SENTENCE_WORDS};
use ralph_core::secret::promise_of;

/// The condition of values identified only by position, such as `IDENTIFIED BY '…'`: anything that is not an example.
pub(super) fn is_given(found: &SecretCandidate<'_>) -> bool {
    let value = said(found.secret);
    value.len() >= 3
        && !is_placeholder(value)
        && !is_reference(value)
        && !value.starts_with(['-', '$', '<', '{', '%', '/', ':'])
        && value.split(' ').count() <= 3
}

/// The value of a constant: it must look like a password and, under a name that is only `KEY`, which settings and stores use too, be long
/// and random.
pub(super) fn is_given_to_a_constant(found: &SecretCandidate<'_>) -> bool {
    let is_key = found.group("word").eq_ignore_ascii_case("key");
    is_given(found)
        && is_password(found.secret, true)
        && (!is_key || (found.secret.len() >= 16 && is_told_token(found.secret) && !is_public_form(found.secret)))
}

/// The same in a position where words of a sentence are possible too.
pub(super) fn is_given_in_a_command(found: &SecretCandidate<'_>) -> bool {
    let value = said(found.secret);
    is_given(found) && !is_path(value) && (has_digit(value) || is_password(value, false)) && !is_measure(value)
}

/// The same in places where only a secret can be, apart from a word that continues a sentence about it and the name of a variable: there
/// letters alone are a secret, too.
pub(super) fn is_given_alone(found: &SecretCandidate<'_>) -> bool {
    let value = said(found.secret);
    let is_variable = value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let is_name = is_variable && promise_of(value).is_some();
    is_given(found)
        && !is_name
        && !SENTENCE_WORDS.contains(&value)
        && !is_verb_of_a_sentence(value, found.after())
        && !is_rest_of_an_option(&found.text[..found.start], value)
}

/// The same of what may be a port or a path, too.
pub(super) fn is_given_to_a_login(found: &SecretCandidate<'_>) -> bool {
    is_given_alone(found) && !is_path(found.secret) && !is_measure(found.secret)
}

/// The same behind a user, where a group is possible too: "node:node", "www:web2".
pub(super) fn is_given_behind_a_name(found: &SecretCandidate<'_>) -> bool {
    is_given_in_a_command(found) && !is_identifier(said(found.secret))
}

/// `sshpass -p hides nothing`: a verb in the third person, followed by a word that is none of the programs with which a command continues.
fn is_verb_of_a_sentence(value: &str, after: &str) -> bool {
    let is_word = |text: &str| text.len() >= 2 && text.bytes().all(|byte| byte.is_ascii_lowercase());
    let next = after.split_whitespace().next().unwrap_or_default().trim_end_matches(['.', ',', ':', ';', '!', '?', ')', '"']);
    is_word(value) && value.ends_with('s') && is_word(next) && !["ssh", "scp", "sftp", "rsync"].contains(&next)
}

/// `rar a -password`: an option that begins with the letter of the one for passwords.
fn is_rest_of_an_option(before: &str, value: &str) -> bool {
    let option = OPTION_WORDS.iter().filter_map(|word| word.strip_prefix('p'));
    before.ends_with(['p', 'P']) && option.into_iter().any(|rest| rest == value)
}

/// The password of `htpasswd`, if its options say that no file comes before the name.
pub(super) fn is_given_without_a_file(found: &SecretCandidate<'_>) -> bool {
    given_to_htpasswd(found, true)
}

/// The password of `htpasswd`, unless its options say that no file precedes the name.
pub(super) fn is_given_behind_a_file(found: &SecretCandidate<'_>) -> bool {
    given_to_htpasswd(found, false)
}

fn given_to_htpasswd(found: &SecretCandidate<'_>, on_screen: bool) -> bool {
    let options = found.group("options");
    options.contains('b') && options.contains('n') == on_screen && is_given_in_a_command(found)
}
