//! Rules of our own: tokens as people and agents write them in sentences, where gitleaks, made for source files, asks for an exact
//! length or for a certain character after the token; and secrets that only their place gives away.

use super::assigned;
use super::rules::Found;

/// A rule written in code.
pub(super) struct OwnRule {
    /// Its id, as in the mark it leaves.
    pub id: &'static str,
    /// The pattern; its first unnamed group that is not empty is the secret, or else all of it. Named groups are for `confirm`.
    pub pattern: &'static str,
    /// Lowercase words of which one must be in the text.
    pub keywords: &'static [&'static str],
    /// Bits per byte that the secret must exceed; 0 asks for none.
    pub entropy: f64,
    /// A further condition.
    pub confirm: Option<fn(&Found<'_>) -> bool>,
}

/// Known by a prefix that nothing else has: entropy keeps `sk-ant-xxxxxxxx…` readable.
const fn prefixed(id: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> OwnRule {
    OwnRule { id, pattern, keywords, entropy: 1.5, confirm: Some(has_digit) }
}

/// Known by its place: the value must look like a secret.
const fn placed(id: &'static str, keywords: &'static [&'static str], pattern: &'static str, confirm: fn(&Found<'_>) -> bool) -> OwnRule {
    OwnRule { id, pattern, keywords, entropy: 0.0, confirm: Some(confirm) }
}

/// The rules; more telling ones first. Values never take a quote or a backslash with them, since transcripts are JSON, quoted up to three
/// times, and must stay so.
pub(super) const OWN_RULES: &[OwnRule] = &[
    prefixed("anthropic-key", &["sk-ant-"], r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    prefixed("openai-key", &["sk-"], r"\bsk-(?:proj|svcacct|admin|or-v1|None)-[A-Za-z0-9_-]{20,}|\bsk-[A-Za-z0-9]{32,}"),
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
        &["aiza", "ya29.", "gocspx-", "1//0"],
        r"\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_.-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}|\b1//0[A-Za-z0-9_-]{30,}",
    ),
    prefixed("npm-token", &["npm_"], r"\bnpm_[A-Za-z0-9]{30,}"),
    prefixed("pypi-token", &["pypi-a"], r"\bpypi-A[A-Za-z0-9_-]{40,}"),
    prefixed("jwt-token", &["eyj"], r"\beyJ[A-Za-z0-9_-]{8,}\.ey[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]+){0,3}"),
    prefixed(
        "service-token",
        &[
            "hvs.",
            "hvb.",
            "hf_",
            "r8_",
            "gsk_",
            "xai-",
            "nvapi-",
            "dckr_pat_",
            "lin_api_",
            "sbp_",
            "figd_",
            "tvly-",
            "sg.",
            "shpat_",
            "pplx-",
            "dop_v1_",
        ],
        concat!(
            r"\b(?:hv[sb]\.[A-Za-z0-9_-]{24,}|hf_[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|nvapi-[A-Za-z0-9_-]{40,}",
            r"|dckr_pat_[A-Za-z0-9_-]{20,}|lin_api_[A-Za-z0-9]{30,}|sbp_[a-f0-9]{40,}|figd_[A-Za-z0-9_-]{30,}|tvly-[A-Za-z0-9_-]{20,}",
            r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|shpat_[a-fA-F0-9]{32,}|pplx-[A-Za-z0-9]{40,}|dop_v1_[a-f0-9]{40,})"
        ),
    ),
    prefixed("azure-key", &["accountkey", "sharedaccesskey"], r"(?i)\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})"),
    prefixed("signed-url", &["sig=", "x-amz-"], r"(?i)[?&;](?:sig|X-Amz-(?:Signature|Security-Token))=([A-Za-z0-9%+/=_-]{30,})"),
    placed(
        "url-password",
        &["://"],
        r#"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://(?:[^\s/:@"'<>]{0,128}:([^\s/"'<>]{1,256})@|([A-Za-z0-9_-]{20,256})@)"#,
        assigned::is_url_password,
    ),
    placed(
        "authorization-header",
        &["authorization"],
        concat!(
            r#"(?i)\b(?:proxy-)?authorization(?:\\{0,7}["'`])?[ \t]{0,3}[:=][ \t]{0,3}(?:\\{0,7}["'`])?"#,
            r"(?:(?P<scheme>bearer|basic|token|apikey|digest|negotiate)[ \t]{1,3})?([A-Za-z0-9._~+/=-]{8,512})"
        ),
        assigned::is_authorization,
    ),
    placed("bearer-token", &["bearer"], r#"(?i)\bbearer[ \t]{1,3}(?:\\{0,7}["'`])?([A-Za-z0-9._~+/=-]{16,})"#, assigned::is_authorization),
    placed("cookie", &["cookie"], r#"(?i)\bcookie["']?[ \t]{0,3}:[ \t]{0,3}["']?([^\s=;]{1,64}=[^\n"'\\]{16,512})"#, assigned::is_cookie),
    placed(
        "password-option",
        &["--pass", "--token", "--api", "--secret", "--access"],
        r#"(?P<name>--(?:password|passwd|pass|token|api-?key|api-?token|secret|secret-key|access-key|access-token))(?P<sep>[ \t]{1,3})(?:\\{0,7}["'])?([^\s"'`\\]{4,512})"#,
        assigned::is_assigned_secret,
    ),
    placed(
        "assigned-secret",
        &["passw", "passphrase", "passcode", "pass", "pwd", "secret", "token", "key", "credential", "_auth"],
        concat!(
            r"(?i)(?P<name>[\w.-]{0,60}(?:pass|pwd|secret|token|key|credential|_auth)[\w.-]{0,40})",
            r#"(?P<sep>(?:\\{0,7}["'`])?[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4})"#,
            r#"(?:\\{0,7}"([^"\n]{4,512}?)\\{0,7}"|'([^'\n]{4,512})'|`([^`\n]{4,512})`|([^\s"'`,;<>(){}\[\]|\\]{4,512}))"#
        ),
        assigned::is_assigned_secret,
    ),
];

fn has_digit(found: &Found<'_>) -> bool {
    found.secret.bytes().any(|byte| byte.is_ascii_digit())
}
