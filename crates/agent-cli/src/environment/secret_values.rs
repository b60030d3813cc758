//! Variables of git that hold a secret in their value, or are worthless without one that does.

use ralph_core::secret::names_a_secret;
use std::ffi::{OsStr, OsString};

/// The settings that git takes from its environment: a count, and a name and a value for each number below it.
const SETTINGS: [&str; 3] = ["GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"];
/// Headers that log in, besides those whose name reveals it.
const LOGIN_HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "x-auth"];
/// How tokens of the large forges begin.
const TOKENS: [&str; 7] = ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"];
/// Bytes from which a user without a password in a URL is a token: `git@` is a user.
const TOKEN_BYTES: usize = 20;

/// Whether a name is one of the settings that git takes from its environment. They go together or not at all: with one missing, git
/// refuses every command.
pub(super) fn is_setting(name: &str) -> bool {
    name == SETTINGS[0] || name.starts_with(SETTINGS[1]) || name.starts_with(SETTINGS[2])
}

/// Whether one of the settings that git takes from its environment holds a secret.
pub(super) fn settings_hold_a_secret(variables: &[(OsString, OsString)]) -> bool {
    variables.iter().filter_map(|(name, value)| Some((name.to_str().filter(|name| is_setting(name))?, value))).any(|(name, value)| {
        // `github.token`. Git reads their names in any case; in small letters `core.askPass` is one word, and a program.
        let value = value.to_string_lossy();
        let setting = name.starts_with(SETTINGS[1]) && names_a_secret(&value.to_ascii_lowercase());
        setting || holds_a_secret(OsStr::new(&*value))
    })
}

/// Whether a value is a header that logs in, or holds a URL with a password or the token of a forge.
pub(super) fn holds_a_secret(value: &OsStr) -> bool {
    let value = value.to_string_lossy();
    value.lines().any(is_login_header)
        || value.split("://").skip(1).any(has_a_password)
        || TOKENS.iter().any(|token| value.split(token).skip(1).any(|rest| starts_with_token(rest, TOKEN_BYTES)))
}

fn is_login_header(line: &str) -> bool {
    let Some((name, value)) = line.split_once(':') else { return false };
    let name = name.trim().to_ascii_lowercase();
    !value.trim().is_empty() && !name.contains(' ') && (LOGIN_HEADERS.contains(&name.as_str()) || names_a_secret(&name))
}

/// Whether what follows the `://` of a URL begins with `user:password@`, or with a token in place of the user.
fn has_a_password(rest: &str) -> bool {
    let host = rest.split(|c: char| c == '/' || c.is_whitespace()).next().unwrap_or_default();
    let Some((user, _)) = host.rsplit_once('@') else { return false };
    user.split_once(':')
        .map_or(starts_with_token(user, TOKEN_BYTES), |(user, password)| !password.is_empty() || starts_with_token(user, TOKEN_BYTES))
}

fn starts_with_token(text: &str, bytes: usize) -> bool {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count() >= bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_logs_in_is_known_by_its_form() {
        for value in [
            "AUTHORIZATION: basic eDp5",
            "Authorization: bearer abc",
            "PRIVATE-TOKEN: abc",
            "Cookie: o=1",
            "https://bob:hunter2222@h",
            "url.https://x-access-token:abc@github.com/.insteadOf",
            "https://a1b2c3d4e5f6a7b8c9d0:@git.example.org/",
            "https://a1b2c3d4e5f6a7b8c9d0@git.example.org/",
            "ghp_16C7e42F292c6912E7710c838347",
        ] {
            assert!(holds_a_secret(OsStr::new(value)), "{value}");
        }
        for value in [
            "",
            "ssh -i ~/.ssh/id_ed25519 -o StrictHostKeyChecking=no",
            "https://git@github.com/org/repo.git",
            "url.ssh://git@github.com/.insteadOf",
            "url.https://github.com/.insteadOf",
            "https://proxy.example.org:8080",
            "https://example.org/a:b@c",
            "Accept-Language: de",
            "Authorization:",
            "the authorization: middleware",
            "ghp_ tokens",
            "/usr/bin/askpass",
            "en_US.UTF-8",
        ] {
            assert!(!holds_a_secret(OsStr::new(value)), "{value}");
        }
    }

    #[test]
    fn a_setting_that_is_named_as_a_secret_holds_one() {
        let holds =
            |key: &str| settings_hold_a_secret(&[("GIT_CONFIG_KEY_0".into(), key.into()), ("GIT_CONFIG_VALUE_0".into(), "1".into())]);
        for key in ["github.token", "sendemail.smtpPass", "http.proxyPassword"] {
            assert!(holds(key), "{key}");
        }
        for key in ["user.signingKey", "http.sslKey", "credential.helper", "safe.directory", "http.extraHeader", "core.askPass"] {
            assert!(!holds(key), "{key}");
        }
    }
}
