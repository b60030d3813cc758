//! Secrets in the output and input of the tools of clouds, stores and registries, each in the notation of its tool.

use super::own_rule::{OwnRule, placed};
use super::{given, value};

/// The rules, like those of [`super::own_rules`].
pub(super) const OUTPUT_RULES: &[OwnRule] = &[
    // Parameters of AWS, as printed and as passed.
    placed(
        "secure-string",
        &["securestring"],
        concat!(
            r#"(?i)\btype\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"SecureString\\{0,7}"[^{}]{0,240}?\bvalue\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"([^\s"\\]{3,})"#,
            r#"|--type[= \t]{1,2}(?:\\{0,7}["'])?SecureString\b[^\n|;&]{0,240}?\s--value[= \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{3,})"#,
            r#"|\s--value[= \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{3,})[^\n|;&]{0,240}?\s--type[= \t]{1,2}(?:\\{0,7}["'])?SecureString\b"#
        ),
        given::is_given,
    ),
    // The keys of a storage account.
    placed(
        "azure-key",
        &["keyname"],
        r#"\bkeyName\\{0,7}"\s{0,4}:[^{}]{0,160}?\bvalue\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"([A-Za-z0-9+/]{40,}={0,2})"#,
        given::is_given,
    ),
    placed(
        "vault-key",
        &["unseal key", "recovery key"],
        r"(?i)\b(?:unseal|recovery)[ \t]key[ \t]\d{1,2}[ \t]{0,2}:[ \t]{0,3}([A-Za-z0-9+/]{32,}={0,2})",
        given::is_given_in_a_command,
    ),
    // The connection of a Go program: `user:password@tcp(host)/database`.
    placed(
        "url-password",
        &["@tcp(", "@unix("],
        r#"(?:^|[^\w.%$+:/@-])[\w.%$+-]{1,64}:([^\s"'`\\]{1,256})@(?:tcp|unix)\("#,
        value::is_url_password,
    ),
    placed(
        "registry-login",
        &[":_auth", ":_password", "npmauthident"],
        concat!(
            r#":_(?:authToken|auth|password)(?:[ \t]{1,3}|[ \t]{0,3}=[ \t]{0,3})(?:\\{0,7}["'])?([^\s"'`\\]{4,})"#,
            r#"|\bnpmAuthIdent(?:\\{0,7}["'])?[ \t]{0,3}[:=]?[ \t]{1,3}(?:\\{0,7}["'])?[^\s:"'\\]{1,128}:([^\s"'`\\]{4,})"#
        ),
        given::is_given_alone,
    ),
    placed("sonar-token", &["sonar.login"], r"sonar\.login[ \t]{0,3}=[ \t]{0,3}([0-9a-f]{32,40})\b", given::is_given),
    placed(
        "mnemonic",
        &["mnemonic", "phrase"],
        concat!(
            r"(?i)\b(?:mnemonic|(?:seed|recovery|backup)[ _-]?phrase)(?:\\{0,7}[\x22'`])?[ \t]{0,3}(?:[:=]|is\b)[ \t]{0,3}(?:\\{0,7}[\x22'`])?",
            r"((?-i:[a-z]{3,8}(?: [a-z]{3,8}){11,23}))"
        ),
        value::is_mnemonic,
    ),
];
