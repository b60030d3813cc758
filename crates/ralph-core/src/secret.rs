//! Secrets by name: which names indicate that their value is a secret.
//!
//! Only a name distinguishes a chosen password from a word, and an environment variable to withhold from one to pass on.

/// What a name indicates about its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promise {
    /// Chosen by a person: may be short and simple.
    Password,
    /// Made by a machine: long and random.
    Token,
    /// Often public (a session id, a signature), and a secret only if it is long and random.
    Handle,
}

/// Last words of names for secrets chosen by people, in the languages that configuration is written in.
const PASSWORD_WORDS: &[&str] = &[
    "password",
    "passwd",
    "passwort",
    "pwd",
    "pw",
    "pswd",
    "psw",
    "passphrase",
    "passcode",
    "pass",
    "kennwort",
    "losung",
    "contraseña",
    "contrasena",
    "clave",
    "senha",
    "motdepasse",
    "mdp",
    "wachtwoord",
    "hasło",
    "hasła",
    "haslo",
    "heslo",
    "hesla",
    "geslo",
    "lozinka",
    "лозинка",
    "jelszó",
    "jelszava",
    "parola",
    "parole",
    "парола",
    "lösenord",
    "lösenordet",
    "adgangskode",
    "adgangskoden",
    "salasana",
    "passord",
    "passordet",
    "şifre",
    "şifresi",
    "sifre",
    "sifresi",
    "пароль",
    "пароля",
    "κωδικός",
    "المرور",
    "السر",
    "סיסמה",
    "הסיסמה",
    "סיסמת",
    "पासवर्ड",
    "รหัสผ่าน",
    "khẩu",
    "sandi",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "requirepass",
    "masterauth",
    "sshpass",
    "dbpass",
    "userpass",
    "rootpass",
    "adminpass",
    "smtppass",
    "mysqlpass",
    "ftppass",
    "mailpass",
    "storepass",
    "keypass",
];
/// Endings of compound names for secrets chosen by people, such as `PGPASSWORD`.
const PASSWORD_ENDS: &[&str] = &["password", "passwd", "passphrase", "passwort", "kennwort"];
/// Last words of names for generated secrets.
const TOKEN_WORDS: &[&str] = &[
    "secret",
    "token",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authtoken",
    "accesstoken",
    "credential",
    "credentials",
    "creds",
    "apitoken",
    "geheimnis",
    "jeton",
    "secreto",
    "segredo",
    "токен",
    "ключ",
    "令牌",
    "密钥",
    "トークン",
    "토큰",
    "schlüssel",
];
/// Endings of compound names for generated secrets.
const TOKEN_ENDS: &[&str] = &["apikey", "apitoken", "authtoken", "accesstoken", "secretkey", "accesskey", "clientsecret", "bottoken"];
/// Words before `key` that make it a secret one.
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
    "licence",
    "deploy",
    "app",
    "storage",
    "shared",
    "admin",
    "root",
    "decryption",
    "hmac",
    "aes",
    "cipher",
    "functions",
    "preshared",
    "psk",
    "integration",
    "server",
    "wallet",
];
/// Names of values that are secret only if they look random.
const HANDLE_WORDS: &[&str] = &["auth", "bearer", "jwt", "session", "sessid", "sessionid", "phpsessid", "jsessionid", "signature", "seed"];
/// Those of them that can mean nothing else as the name of a variable.
const LOGIN_WORDS: &[&str] = &["auth", "bearer", "jwt"];
/// Words after the significant one that only say where the secret is used, or which one it is.
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
    "string",
    "str",
    "text",
    "plain",
    "raw",
    "current",
    "next",
    "previous",
    "main",
    "backup",
];

/// What a name indicates about its value, by its last words; `None` when it indicates no secret.
pub fn promise_of(name: &str) -> Option<Promise> {
    let words = words_of(name);
    let number = |word: &String| word.bytes().all(|b| b.is_ascii_digit());
    let at = words.iter().rposition(|word| !PLACE_WORDS.contains(&word.as_str()) && !number(word))?;
    // `DB_PASSWORD2` is another `DB_PASSWORD`.
    let last = words[at].trim_end_matches(|c: char| c.is_ascii_digit());
    let before = at.checked_sub(1).map(|at| words[at].as_str());
    let ends = |ends: &[&str]| ends.iter().any(|end| last.ends_with(end));
    // `pass` alone is a verb and a test's verdict; `mot de passe` is three words.
    if last == "passe" && before == Some("de") {
        return Some(Promise::Password);
    }
    if (PASSWORD_WORDS.contains(&last) && (last != "pass" || before.is_some() || name.starts_with('-'))) || ends(PASSWORD_ENDS) {
        return Some(Promise::Password);
    }
    let key = last == "key" && before.is_some_and(|word| KEY_WORDS.contains(&word));
    let id_of_a_key = last == "id" && before == Some("key") && at >= 2 && words[at - 2] == "private";
    if key || id_of_a_key || TOKEN_WORDS.contains(&last) || ends(TOKEN_ENDS) || name == "_auth" {
        return Some(Promise::Token);
    }
    HANDLE_WORDS.contains(&last).then_some(Promise::Handle)
}

/// Whether a variable of this name holds a secret, so that only programs explicitly chosen get it.
pub fn names_a_secret(name: &str) -> bool {
    matches!(promise_of(name), Some(Promise::Password | Promise::Token))
        || words_of(name).last().is_some_and(|word| LOGIN_WORDS.contains(&word.as_str()))
        || name.to_ascii_uppercase().ends_with("_PAT")
        || is_key_variable(name)
}

/// `STRIPE_KEY`: a variable named as a key, unless the name says that it is public or only a location.
pub fn is_key_variable(name: &str) -> bool {
    let words = words_of(name);
    words.len() > 1 && words.last().is_some_and(|word| word == "key") && !words.iter().any(|word| word == "public" || word == "pub")
}

/// The lowercase words of a name, split at separators and capitals.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut new_word = true;
    let mut after_lowercase = false;
    // Signs above and below letters, such as vowels, are parts of words.
    let is_sign = |c: char| ('\u{900}'..'\u{1000}').contains(&c);
    for c in name.chars() {
        if !c.is_alphanumeric() && !is_sign(c) {
            new_word = true;
            continue;
        }
        if new_word || (after_lowercase && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        (new_word, after_lowercase) = (false, !c.is_uppercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_promises_what_its_last_words_say() {
        use Promise::{Handle, Password, Token};
        for (name, promise) in [
            ("password", Some(Password)),
            ("PGPASSWORD", Some(Password)),
            ("dbPassword", Some(Password)),
            ("pw", Some(Password)),
            ("DB_PASS", Some(Password)),
            ("pass", None),
            ("--pass", Some(Password)),
            ("bypass", None),
            ("SECRET_KEY_BASE", Some(Token)),
            ("api_key_2", Some(Token)),
            ("DB_PASSWORD2", Some(Password)),
            ("passwort1", Some(Password)),
            ("API_TOKEN2", Some(Token)),
            ("secretKey3", Some(Token)),
            ("oauth2", None),
            ("token_v2", None),
            ("key_sha256", None),
            ("clientsecret", Some(Token)),
            ("private_key_id", Some(Token)),
            ("cache_key", None),
            ("keyboard", None),
            ("max_tokens", None),
            ("token_count", None),
            ("password_file", None),
            ("Passwort", Some(Password)),
            ("mot de passe", Some(Password)),
            ("пароль", Some(Password)),
            ("पासवर्ड", Some(Password)),
            ("mật khẩu", Some(Password)),
            ("session", Some(Handle)),
            ("session_id", None),
            ("", None),
        ] {
            assert_eq!(promise_of(name), promise, "{name}");
        }
    }

    #[test]
    fn variables_that_hold_secrets_are_known_by_their_names() {
        for name in [
            "GIT_TOKEN",
            "GIT_PASSWORD",
            "GITHUB_PAT",
            "AWS_SECRET_ACCESS_KEY",
            "STRIPE_KEY",
            "npm_config__authToken",
            "MYSQL_PWD",
            "GIT_AUTH",
            "API_BEARER",
        ] {
            assert!(names_a_secret(name), "{name}");
        }
        for name in [
            "GIT_SSH_COMMAND",
            "GIT_AUTHOR_NAME",
            "SSH_AUTH_SOCK",
            "PATH",
            "TOKEN_FILE",
            "GIT_ASKPASS",
            "KEYBOARD",
            "PUBLIC_KEY",
            "GIT_AUTHOR",
        ] {
            assert!(!names_a_secret(name), "{name}");
        }
    }
}
