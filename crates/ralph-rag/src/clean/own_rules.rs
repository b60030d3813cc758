//! Rules of our own: tokens as people and agents write them in sentences, where gitleaks, made for source files, requires an exact
//! length or a certain character after the token; and secrets that are only revealed by their position.

use super::found::SecretCandidate;
use super::own_rule::{OwnRule, placed};
use super::{given, value};

/// Identified by a unique prefix: entropy keeps `sk-ant-xxxxxxxx…` readable.
const fn prefixed(id: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> OwnRule {
    OwnRule { id, pattern, keywords, entropy: 1.5, confirm: Some(has_digit) }
}

/// `htpasswd` with its options, the words between them and the password, and that.
macro_rules! htpasswd {
    ($words:literal) => {
        concat!(
            r"\bhtpasswd(?P<options>(?:[ \t]{1,2}(?:-[a-zA-Z0-9]{0,8}[Cr][ \t]{0,2}\d{1,6}|-[a-zA-Z0-9]{1,8})){1,6})",
            $words,
            r#"[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#
        )
    };
}

/// A password that was changed, up to what it was before.
macro_rules! changed_from {
    () => {
        concat!(
            r"(?i)\b(?:password|passwd|passphrase|passcode)(?:[ \t]{1,3}(?:was|is|has|had|been|got|just|now|changed|rotated|reset|updated|switched)){0,4}",
            r"[ \t]{1,3}from[ \t]{1,3}"
        )
    };
}

/// The rules; most specific first. Values never include a quote or a backslash, since transcripts are JSON, quoted up to three
/// times, and must remain valid.
pub(super) const OWN_RULES: &[OwnRule] = &[
    prefixed("anthropic-key", &["sk-ant-"], r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    prefixed("openai-key", &["sk-"], r"\bsk-(?:proj|svcacct|admin|or-v1|None|lf)-[A-Za-z0-9_-]{20,}|\bsk-[A-Za-z0-9]{32,}"),
    OwnRule {
        id: "aws-access-key-id",
        pattern: r"(?:^|[^A-Za-z0-9+/])((?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16,})",
        keywords: &["a3t", "akia", "asia", "abia", "acca", "aroa", "aida"],
        entropy: 2.5,
        confirm: None,
    },
    prefixed(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{22,}",
    ),
    prefixed("gitlab-token", &["gl"], r"\bgl(?:pat|dt|rt|rtr|ptt|cbt|ft|ffct|imt|agent|oas|soat)-[A-Za-z0-9_.-]{15,}[A-Za-z0-9_-]"),
    prefixed(
        "slack-token",
        &["xox", "xapp-", "hooks.slack.com"],
        r"\bxox[abceoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}|hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})",
    ),
    prefixed("stripe-key", &["k_live_", "k_test_", "whsec_"], r"\b(?:sk|rk)_(?:test|live)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{20,}"),
    prefixed(
        "google-key",
        &["aiza", "ya29.", "gocspx-", "1//0", "4/0a"],
        concat!(
            r"\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_.-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}|\b1//0[A-Za-z0-9_-]{30,}",
            r"|\b4/0A[A-Za-z0-9_-]{30,}"
        ),
    ),
    prefixed("npm-token", &["npm_"], r"\bnpm_[A-Za-z0-9]{30,}"),
    prefixed("pypi-token", &["pypi-a"], r"\bpypi-A[A-Za-z0-9_-]{40,}"),
    prefixed("jwt-token", &["eyj"], r"\beyJ[A-Za-z0-9_-]{8,}\.ey[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]+){0,3}"),
    prefixed("telegram-bot-token", &[":aa"], r"(?:^|[^0-9A-Za-z])(?:bot)?(\d{8,12}:AA[A-Za-z0-9_-]{30,40})"),
    prefixed(
        "chat-webhook",
        &[
            "/api/webhooks/",
            "webhook.office.com/",
            "logic.azure.com",
            "chat.googleapis.com/",
            "hooks.zapier.com/",
            "open.feishu.cn/",
            "oapi.dingtalk.com/",
            "maker.ifttt.com/",
        ],
        concat!(
            r"/api/webhooks/\d{10,25}/([A-Za-z0-9_-]{20,})|webhook\.office\.com/webhookb?2?/([A-Za-z0-9@/_-]{30,})|logic\.azure\.com[^\s]{1,200}[?&]sig=([A-Za-z0-9_-]{20,})",
            r"|chat\.googleapis\.com/v1/spaces/[^\s?]{1,80}/messages\?([^\s\x22'<>\\]{30,})|hooks\.zapier\.com/hooks/catch/([A-Za-z0-9/]{10,})",
            r"|open-apis/bot/v2/hook/([a-f0-9-]{30,})|robot/send\?access_token=([a-f0-9]{30,})|maker\.ifttt\.com/trigger/[^\s/]{1,80}/(?:json/)?with/key/([A-Za-z0-9_-]{20,})"
        ),
    ),
    prefixed(
        "mailgun-key",
        &["key-", "mailgun", "-us"],
        r"\bkey-[0-9a-z]{32}\b|\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b|\b[0-9a-f]{32}-us\d{1,2}\b",
    ),
    placed(
        "secret-constant",
        &["const", "static", "final", "define", "let", "val", "var"],
        concat!(
            r"\b(?:const|static|final|let|val|var|define)\b[^\n=]{0,40}?\b(?:[A-Za-z0-9]+_)*",
            r"(?P<word>KEY|SECRET|TOKEN|PASS|PASSWD|PASSWORD|PWD|PW|key|secret|token|pass|passwd|password|pwd|pw)\s*(?::[^\n=]{1,30})?=\s*\\{0,3}[\x22'\x60]([^\s\x22'\x60\\]{8,})"
        ),
        given::is_given_to_a_constant,
    ),
    placed(
        "secret-constant",
        &["#define"],
        r"#[ \t]{0,4}define[ \t]{1,8}(?:[A-Za-z0-9]+_)*(?P<word>KEY|SECRET|TOKEN|PASS|PASSWD|PASSWORD|PWD|PW|PSK|PASSPHRASE)[ \t]{1,40}\\{0,3}\x22([^\s\x22\\]{8,})",
        given::is_given_to_a_constant,
    ),
    // The number of a bot as it is encoded, the time, and a signature.
    prefixed(
        "discord-bot-token",
        &["mt", "mj", "mz", "nd", "nt", "nj", "nz", "od", "ot"],
        r"\b(?:M[Tjz]|N[DTjz]|O[DT])[A-Za-z0-9_-]{21,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}",
    ),
    prefixed("service-token", super::prefixes::KEYWORDS, super::prefixes::PATTERN),
    prefixed("azure-key", &["accountkey", "sharedaccesskey"], r"(?i)\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})"),
    prefixed("signed-url", &["sig=", "x-amz-"], r"(?i)[?&;](?:sig|X-Amz-(?:Signature|Security-Token))=([A-Za-z0-9%+/=_-]{30,})"),
    prefixed("otp-seed", &["otpauth://"], r"(?i)otpauth://[^\s]{1,200}[?&]secret=([A-Z2-7=]{16,})"),
    OwnRule {
        id: "password-hash",
        pattern: concat!(
            r"\$(?:1|5|6|7|2[abxy]?|y|gy|apr1|P|H|S|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d{1,3})?|sha1|md5|bcrypt(?:-sha256)?)\$[./A-Za-z0-9$,=+-]{20,}",
            r"|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{24,}={0,2}|\bpbkdf2_sha(?:256|1)\$\d{1,9}\$[A-Za-z0-9./+$]{20,}={0,2}",
            r"|\bSCRAM-SHA-(?:1|256)\$\d{1,6}:[A-Za-z0-9+/=$:]{40,}|:[0-9a-fA-F]{32}:([0-9a-fA-F]{32}):::"
        ),
        keywords: &[
            "$1$",
            "$5$",
            "$6$",
            "$7$",
            "$2",
            "$y$",
            "$gy$",
            "$apr1$",
            "$p$",
            "$h$",
            "$s$",
            "$argon2",
            "$scrypt$",
            "$pbkdf2",
            "$sha1$",
            "$md5$",
            "$bcrypt",
            "{ssha",
            "{sha",
            "pbkdf2_sha",
            "scram-sha-",
            ":::",
        ],
        entropy: 2.5,
        confirm: None,
    },
    placed(
        "sql-password",
        &["identified", "password '", "password n'", "password \"", "password('", "password e'"],
        concat!(
            r#"\bIDENTIFIED\s{1,4}(?:WITH\s{1,4}[`'"]?\w{1,40}[`'"]?\s{1,4})?(?:BY|AS)\s{1,4}(?:PASSWORD\s{1,4})?(?:\\{0,7}'([^'\n\\]{3,256})|\\{0,7}"([^"\n\\]{3,256}))"#,
            r#"|(?i:\b(?:create|alter)\s{1,4}(?:user|role)\s[^\n;]{1,120}?\bidentified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?(?:by|as)\s{1,4}(?:\\{0,7}['"]([^'"\n\\]{3,256})|([^\s'";\\]{3,256})))"#,
            r#"|(?i)\bpassword\s{0,4}\(?\s{0,4}[NE]?(?:\\{0,7}'([^'\n\\]{3,256})'|\\{1,7}"([^"\n\\]{3,256})\\)"#
        ),
        given::is_given,
    ),
    placed(
        "command-password",
        &[
            "mysql",
            "maria",
            "sshpass",
            "7z ",
            "zip ",
            "rar ",
            "redis-cli",
            "sqlcmd",
            "ldap",
            "docker login",
            "podman login",
            "helm registry",
            "mongo",
            "ftp ",
            "smbclient",
            "openssl",
            "gh secret",
            "pass:",
            "chpasswd",
            "sudo -s",
            "curl",
            "wget",
            "http ",
            "vault login",
            "ssh-keygen",
            "net use",
            "bcp ",
            "amqp",
            "rabbitmqctl",
            "cadaver",
            "az login",
            "snmp",
            "ipmitool",
            "poetry config",
            "twine",
            "cargo login",
            "sqlplus",
            "xfreerdp",
            "rdesktop",
        ],
        super::commands::PATTERN,
        given::is_given_in_a_command,
    ),
    // The words behind the options are the file, unless `-n` says that there is none, the name and the password.
    placed("command-password", &["htpasswd"], htpasswd!(r"[ \t]{1,2}[^\s|;&-]\S{0,63}"), given::is_given_without_a_file),
    placed(
        "command-password",
        &["htpasswd"],
        htpasswd!(r"[ \t]{1,2}[^\s|;&-]\S{0,127}[ \t]{1,2}[^\s|;&]\S{0,63}"),
        given::is_given_behind_a_file,
    ),
    placed(
        "url-password",
        &["://"],
        r#"\b[A-Za-z][A-Za-z0-9+._-]{1,20}://(?:[^\s/:@"'<>]{0,128}:([^\s/"'<>]{1,256})@|([A-Za-z0-9_-]{20,256}):?@)"#,
        value::is_url_password,
    ),
    placed(
        "authorization-header",
        &["authorization"],
        concat!(
            r#"(?i)\b(?:proxy-)?authorization(?:\\{0,7}["'`])?[ \t]{0,3}[:=,][ \t]{0,3}(?:\\{0,7}["'`])?"#,
            r"(?:(?P<scheme>[a-z][a-z0-9-]{1,30})[ \t]{1,3})?([A-Za-z0-9._~+/=:%-]{7,}[A-Za-z0-9._~+/=-])"
        ),
        value::is_authorization,
    ),
    placed("bearer-token", &["bearer"], r#"(?i)\bbearer[ \t]{1,3}(?:\\{0,7}["'`])?([A-Za-z0-9._~+/=-]{16,})"#, value::is_authorization),
    placed("cookie", &["cookie"], r#"(?i)\bcookie["']?[ \t]{0,3}:[ \t]{0,3}["']?([^\s=;]{1,64}=[^\n"'\\]{16,})"#, value::is_cookie),
    placed(
        "session-cookie",
        &["sessid", "sessionid", "connect.sid", "session_token", "_session", "xsrf-token", "csrftoken", "remember_token"],
        r"(?i)(?:[\w-]{0,20}sessid|sessionid|connect\.sid|[\w-]{0,20}session(?:_token)?|xsrf-token|csrftoken|remember_token)=([A-Za-z0-9%._~+/:|-]{16,})",
        value::is_session,
    ),
    placed(
        "password-option",
        &[
            "--pass",
            "--token",
            "--api",
            "--secret",
            "--access",
            "--auth",
            "--client-secret",
            "--key",
            "-passw",
            "-token",
            "-pwd",
            "-storepass",
            "-keypass",
            "/password",
            "/p:",
        ],
        concat!(
            r"(?P<name>--?(?:[a-z]{1,20}-)?(?:password|passwd|passphrase|passcode|pass|pwd|token|api-?key|api-?token|secret|secret-key|access-key|access-token|",
            r#"auth-token|auth-key|client-secret|storepass|keypass|password-file-content))(?P<sep>[ \t]{1,3})(?:\\{0,7}["'])?([^\s"'`\\]{4,})"#
        ),
        value::is_option,
    ),
    placed(
        "blank-assigned",
        &["env ", "set -", "setx ", ":pass", ":db-pass", ":token", ":secret", ":api"],
        concat!(
            r"(?:\bENV[ \t]{1,3}|\bset[ \t]{1,3}-[gUx]{1,3}[ \t]{1,3}|\bsetx[ \t]{1,3}|(?:^|[\s({\[,]):)",
            r"(?P<name>[A-Za-z0-9_-]{0,30}(?i:passw(?:or)?d|passphrase|token|secret|api[_-]?key|access[_-]?key)[A-Za-z0-9_-]{0,30})",
            r#"(?P<sep>[ \t]{1,3})(?:\\{0,7}["'])?([^\s"'`\\]{4,})"#
        ),
        value::is_option,
    ),
    placed(
        "blank-token",
        &["_token", "_api_key", "_secret"],
        r"\b[A-Z][A-Z0-9_]{0,40}_(?:TOKEN|API_KEY|SECRET)[ \t]{1,3}([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})\b",
        given::is_given,
    ),
    // Gradle calls it without brackets.
    placed(
        "blank-assigned",
        &["password"],
        r#"\b[a-z][A-Za-z]{1,30}Password[ \t]{1,3}\\{0,7}["']([^\s"'`\\]{4,})\\{0,7}["']"#,
        given::is_given_in_a_command,
    ),
    placed(
        "secure-string",
        &["convertto-securestring"],
        r#"(?i)\bConvertTo-SecureString[ \t]{1,3}(?:-String[ \t]{1,3})?\\{0,7}["']([^"'\n\\]{3,256})"#,
        given::is_given,
    ),
    placed(
        "pgpass",
        &["pgpass", ":5432:", ":5433:", ":6432:", ":*:"],
        r#"(?:^|[\s"'`])[\w.*-]{1,128}:(?:\d{4,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:([^\s:"'`\\]{4,})"#,
        given::is_given_in_a_command,
    ),
    placed(
        "told-change",
        &["password", "passwd", "passphrase", "passcode"],
        concat!(changed_from!(), r#"\S{1,128}[ \t]{1,3}to[ \t]{1,3}(?:\\{0,7}["'`])?([^\s"'`\\]{6,})"#),
        value::is_told_to_change,
    ),
    // What it was before may be in use elsewhere.
    placed(
        "told-change",
        &["password", "passwd", "passphrase", "passcode"],
        concat!(changed_from!(), r#"(?:\\{0,7}["'`])?([^\s"'`\\]{6,})(?:\\{0,7}["'`])?[ \t]{1,3}to\b"#),
        value::is_told_to_change,
    ),
    placed(
        "told-login",
        &["credential", "creds", "login", "user"],
        concat!(
            r#"(?i)\b(?:credentials?|creds|login)[ \t]{1,3}[\w.@-]{1,64}:([^\s"'`\\]{6,})"#,
            r#"|\buser(?:name)?[ \t:=]{1,3}\S{1,64},[ \t]{0,3}(?:and[ \t]{1,3})?(?:password|passwd|pass|pwd|pw)[ \t:=]{1,3}(?:\\{0,7}["'`])?([^\s"'`\\]{6,})"#
        ),
        value::is_told,
    ),
    placed(
        "told-login",
        &["log in", "login", "logged in", "sign in", "signed in"],
        concat!(
            r#"(?i)\b(?:log(?:ged|s)?[ -]?in|sign(?:ed|s)? in)\b[^\n]{0,80}?\bas[ \t]{1,3}(?:\\{0,7}["'`])?[\w.@+-]{1,64}(?:\\{0,7}["'`])?"#,
            r#"(?:[ \t]?/[ \t]?|[ \t]{1,3}with[ \t]{1,3})(?:\\{0,7}["'`])?([^\s"'`\\]{8,})"#
        ),
        value::is_told_without_a_word_between,
    ),
    placed("command-password", &["wifi:"], r#"\bWIFI:[^\s"'\\]{0,128}?;P:([^\s;"'\\]{4,})"#, given::is_given),
    placed("told-login", &["?pass=", "&pass="], r#"[?&]pass=([^\s&#"'<>`\\]{6,})"#, value::is_told),
    placed(
        "told-password",
        &["password", "passwd", "passphrase", "passcode"],
        r#"(?i)\b(?:password|passwd|passphrase|passcode)[ \t]{1,3}(?:\\{0,7}["'`])?([^\s"'`\\]{8,})"#,
        value::is_told_without_a_word_between,
    ),
    placed(
        "told-key",
        &["key", "token", "secret"],
        r#"(?i)\b(?:api|access|auth|secret|client|service)[ _-]?(?:key|token|secret)[ \t]{1,3}(?:\\{0,7}["'`])?([^\s"'`\\]{16,})"#,
        value::is_told_key,
    ),
    placed(
        "login-password",
        &[
            "machine ",
            "login ",
            "networkcredential",
            "basicauth",
            "basic_auth",
            "passwordauthentication",
            "auth=(",
            "auth:",
            "psw=",
            "pgpass",
            "getconnection",
        ],
        concat!(
            r#"(?i)\b(?:machine\s{1,4}\S{1,128}|default)\s{1,40}login\s{1,4}\S{1,128}\s{1,40}password\s{1,4}(?:\\{0,7}")?([^\s"\\]+)"#,
            r#"|(?:NetworkCredential|HTTP(?:Basic|Digest)Auth|basic_?auth|PasswordAuthentication|auth=|getConnection\(\s{0,4}(?:\\{0,7}["'][^"'\n]{1,200}["']|\w{1,40})\s{0,4},)\(?\s{0,4}\\{0,7}["'][^"'\n\\]{1,128}\\{0,7}["']\s{0,4},\s{0,4}(?:Some\()?\\{0,7}["']([^"'\n\\]{3,256})"#
        ),
        given::is_given,
    ),
];

fn has_digit(found: &SecretCandidate<'_>) -> bool {
    found.secret.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::OWN_RULES;

    #[test]
    fn every_rule_has_a_keyword_that_its_pattern_can_hold() {
        for rule in OWN_RULES {
            assert!(!rule.keywords.is_empty() && rule.keywords.iter().all(|keyword| keyword.len() >= 2), "{}", rule.id);
        }
    }
}
